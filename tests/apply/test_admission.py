"""Whether a host may leave its cluster: each condition alone refuses, and what is not known refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from auditor.apply.admission import refusal
from auditor.endpoints.vcenter.steps.cluster_room import ClusterNow, HostNow

HOST = HostNow(
    id="host-11",
    name="esx-1",
    connection="connected",
    in_maintenance=False,
    cpu_mhz=40_000,
    memory_mib=500_000,
    cpu_used_mhz=10_000,
    memory_used_mib=100_000,
    vsan=False,
    vsan_health=None,
)
OTHER = replace(HOST, id="host-12", name="esx-2")
NOW = ClusterNow(
    host=HOST,
    others=(OTHER, replace(OTHER, id="host-13", name="esx-3")),
    cluster="gold",
    machines=("db", "web"),
    unmoved=(),
    drs=True,
    automation="fullyAutomated",
    admission_control=True,
    failures_borne=1,
    spare_percent=None,
)
IN_VSAN: dict[str, Any] = {"vsan": True, "vsan_health": "healthy"}


def with_host(**changed: Any) -> ClusterNow:
    return replace(NOW, host=replace(HOST, **changed))


def with_other(**changed: Any) -> ClusterNow:
    return replace(NOW, others=(NOW.others[0], replace(NOW.others[1], **changed)))


def test_a_host_of_a_healthy_cluster_with_room_may_be_rebooted() -> None:
    assert refusal(NOW) is None


@pytest.mark.parametrize(
    ("now", "words"),
    [
        pytest.param(with_host(connection="disconnected"), "esx-1 is disconnected", id="the host is disconnected"),
        pytest.param(with_host(connection=None), "esx-1 is in a state that vCenter does not report", id="its state is not reported"),
        pytest.param(with_host(in_maintenance=True), "not this fix that put it there", id="somebody else works on it"),
        pytest.param(with_host(in_maintenance=None), "does not say", id="maintenance mode not reported"),
        pytest.param(with_other(connection="notResponding"), "esx-3 of the same cluster is notResponding", id="another host is away"),
        pytest.param(
            with_other(connection=None),
            "esx-3 of the same cluster is in an unknown state; one host at a time is out",
            id="the state of another host is not reported",
        ),
        pytest.param(with_other(in_maintenance=True), "esx-3 of the same cluster is in maintenance mode", id="another host is out"),
        pytest.param(
            with_other(in_maintenance=None), "esx-3 of the same cluster is in an unknown state; one", id="another host is not known"
        ),
        pytest.param(replace(NOW, cluster=None), "2 machines run on esx-1, which is in no cluster", id="no cluster"),
        pytest.param(replace(NOW, drs=False), "DRS of gold is off", id="DRS is off"),
        pytest.param(replace(NOW, drs=None), "DRS of gold is not known", id="DRS is not known"),
        pytest.param(
            replace(NOW, automation="partiallyAutomated"), "DRS of gold is partiallyAutomated: a person has", id="DRS only recommends"
        ),
        pytest.param(replace(NOW, automation=None), "DRS of gold is of unknown automation: a person has", id="automation is not known"),
        pytest.param(replace(NOW, unmoved=("db",)), "DRS does not move db", id="a machine is left alone by DRS"),
        pytest.param(replace(NOW, unmoved=("a", "b", "c")), "DRS does not move a, b, c by itself", id="three machines are"),
        pytest.param(replace(NOW, unmoved=("a", "b", "c", "d", "e")), "DRS does not move a, b, c and 2 more by itself", id="five are"),
        pytest.param(replace(NOW, failures_borne=0), "cannot bear", id="HA has no host to spare"),
        pytest.param(replace(NOW, failures_borne=None), "not known", id="HA does not say"),
        pytest.param(replace(NOW, admission_control=None), "not known", id="HA is not known"),
        pytest.param(replace(NOW, spare_percent=33), "33 % to spare, and one host is 34 %", id="HA keeps a share that is too small"),
        pytest.param(
            replace(NOW, others=(OTHER,), spare_percent=49), "49 % to spare, and one host is 50 %", id="HA keeps less than one host of two"
        ),
        pytest.param(with_other(memory_mib=None), "MiB of memory are free", id="memory is not known"),
        pytest.param(with_other(cpu_used_mhz=None), "MHz of processors are free", id="load is not known"),
        pytest.param(with_host(memory_used_mib=900_000), "use 1100000 MiB of memory, and the other hosts have 1000000", id="no memory"),
        pytest.param(with_host(cpu_used_mhz=60_001), "use 80001 MHz of processors, and the other hosts have 80000", id="no processors"),
        pytest.param(with_host(vsan=None), "whether esx-1 is in vSAN is not known", id="vSAN is not known"),
        pytest.param(with_other(vsan=True, vsan_health="unhealthy"), "vSAN on esx-3 is unhealthy", id="vSAN is not healthy"),
        pytest.param(
            with_host(vsan=True, vsan_health=None), "vSAN on esx-1 is in a state that could not be read", id="vSAN does not answer"
        ),
    ],
)
def test_each_condition_alone_refuses(now: ClusterNow, words: str) -> None:
    assert words in (refusal(now) or "")


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(replace(NOW, machines=(), drs=False, cluster=None, others=(), admission_control=None), id="nothing runs on it"),
        pytest.param(replace(NOW, admission_control=False, failures_borne=None), id="HA keeps no room"),
        pytest.param(replace(NOW, failures_borne=None, spare_percent=34), id="HA has just its share to spare"),
        pytest.param(replace(with_host(memory_used_mib=0), others=(OTHER,), spare_percent=50), id="HA has one host of two to spare"),
        pytest.param(replace(with_host(cpu_used_mhz=60_000), admission_control=False), id="just enough room"),
        pytest.param(replace(NOW, host=replace(HOST, **IN_VSAN), others=(replace(OTHER, **IN_VSAN),)), id="vSAN is healthy"),
    ],
)
def test_what_does_not_matter_does_not_refuse(now: ClusterNow) -> None:
    assert refusal(now) is None


def test_a_host_that_our_own_run_left_in_maintenance_mode_is_carried_on_with() -> None:
    now = replace(with_host(in_maintenance=True), drs=False, failures_borne=0)
    assert refusal(now, is_ours=True) is None
    assert refusal(replace(now, others=(replace(OTHER, in_maintenance=True),)), is_ours=True) is not None
