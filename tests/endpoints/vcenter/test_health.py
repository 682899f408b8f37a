"""The health that gates compare, as a vCenter reports it; and who may have put a setting back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from auditor.endpoints.common.health import ABORTS, ALARMS, CONNECTION, LATENCY, PATHS, VOLUMES
from auditor.endpoints.vcenter.culprits import registered, who_put_back
from auditor.endpoints.vcenter.health import load_figures, read_health
from auditor.endpoints.vcenter.performance import Samples
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.endpoints.vcenter.settings.datastore_sioc import DatastoreSioc
from auditor.endpoints.vcenter.settings.host_option import HostOption
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Limits, Resource, Secret, Target, Tls
from auditor_lab.description import LabFleet
from auditor_lab.serving import VCENTER_USER, serve
from auditor_lab.vcenter.description.datastores import DatastoreDescription, PodDescription
from auditor_lab.vcenter.description.devices import DeviceDescription, HbaDescription
from auditor_lab.vcenter.description.hosts import ClusterDescription, HostDescription
from auditor_lab.vcenter.description.vcenter import ExtensionDescription, VCenterDescription
from tests.waiting import until

LUN, TARGETS = "naa.600a098000000001", ("500a098000000001", "500a098000000002")


def _host(name: str) -> HostDescription:
    hba = HbaDescription(device="vmhba2", kind="fc", driver="lpfc", model="Emulex")
    return HostDescription(
        name=name,
        version="8.0.2",
        build=22380479,
        hbas=(hba,),
        devices=(DeviceDescription(name=LUN, vendor="NETAPP", model="LUN", transport="fc", targets=TARGETS),),
    )


FLEET = LabFleet(
    vcenters=(
        VCenterDescription(
            name="vc",
            clusters=(ClusterDescription(name="gold", hosts=(_host("esx-01"), _host("esx-02"))),),
            datastores=(DatastoreDescription(name="vmfs-01", type="VMFS", hosts=("esx-01", "esx-02"), extents=(LUN,)),),
            pods=(PodDescription(name="pod-a", datastores=("vmfs-01",), enabled=True, io_metric=True, sioc_back_seconds=0.0),),
            extensions=(ExtensionDescription(key="com.solidfire.qossioc", version="5.0", company="NetApp"),),
        ),
    )
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[VCenter, Any]]:
    folder = tmp_path_factory.mktemp("health")
    with serve(FLEET) as lab:
        lab.authority.write(folder / "ca.pem")
        (folder / "password").write_text(lab.password)
        server = lab.vcenters["vc"]
        endpoint = Endpoint(
            "vc",
            EndpointKind.VCENTER,
            server.host,
            server.port,
            VCENTER_USER,
            Secret("file", (str(folder / "password"),)),
            Tls(ca=str(folder / "ca.pem")),
            Limits(timeout_seconds=5),
        )
        with open_vcenter(endpoint) as vcenter:
            yield vcenter, server


@pytest.fixture
def state(served: tuple[VCenter, Any]) -> Iterator[Any]:
    """The lab's state; what a test breaks is whole again after it."""
    state = served[1].state
    yield state
    with state.lock:
        state.hosts["host-11"].connection_state = "connected"
        state.hosts["host-11"].lost_paths.clear()
        state.red_alarms.clear()
        state.changed()


TARGETS_OF_ALL = [{"host_id": "host-11", "device": LUN}, {"host_id": "host-12"}, {"datastore_id": "datastore-101"}, {"pod_id": "group-p1"}]


def test_hosts_and_datastores_are_read_in_one_request_each(served: tuple[VCenter, Any], state: Any) -> None:
    vcenter, server = served
    read_health(vcenter, TARGETS_OF_ALL, None)  # once: what a session asks only once
    begun = len(server.requests)
    health = read_health(vcenter, TARGETS_OF_ALL, None)
    assert sorted(server.requests[begun:]) == ["QueryPerf", "QueryPerf", "RetrievePropertiesEx", "RetrievePropertiesEx"]
    assert sorted(health) == ["datastore-101", "host-11", "host-12"]
    first = health["host-11"]
    assert (first.name, first.good[CONNECTION], first.bad[ALARMS]) == ("esx-01", frozenset({"connected"}), frozenset())
    assert first.machines == frozenset(moid for moid, host in state.vm_host.items() if host == "host-11")
    assert (len(first.good[PATHS]), first.good[VOLUMES]) == (2, frozenset({"volume vmfs-01"}))
    assert health["datastore-101"].good[VOLUMES] == {"its mount on host-11", "its mount on host-12"}


def test_a_dead_path_and_a_red_alarm_show(served: tuple[VCenter, Any], state: Any) -> None:
    before = read_health(served[0], TARGETS_OF_ALL, None)["host-11"]
    with state.lock:
        state.hosts["host-11"].lost_paths.add((LUN, TARGETS[0]))
        state.red_alarms["host-11"] = ["alarm-7"]
        state.changed()
    after = read_health(served[0], TARGETS_OF_ALL, None)["host-11"]
    [lost] = before.good[PATHS] - after.good[PATHS]
    assert TARGETS[0] in lost
    assert after.bad[ALARMS] == {"red alarm alarm-7"}


def test_a_host_that_is_not_connected_has_no_connection_and_unknown_paths(served: tuple[VCenter, Any], state: Any) -> None:
    with state.lock:
        state.hosts["host-11"].connection_state = "notResponding"
        state.changed()
    health = read_health(served[0], TARGETS_OF_ALL, None)["host-11"]
    assert health.good == {CONNECTION: frozenset()}
    assert {PATHS, VOLUMES} <= set(health.unknown)


NOW = datetime(2026, 11, 22, tzinfo=UTC)
SAMPLES = Samples(
    "host-11",
    tuple(NOW + timedelta(seconds=20 * place) for place in range(4)),
    {
        ("disk.maxTotalLatency.latest", ""): (2, 4, None, 9),
        ("disk.commandsAborted.summation", LUN): (0, 0, 3, 0),
        ("disk.busResets.summation", LUN): (0, 0, 0, 1),
    },
)


def test_load_counts_from_the_given_time_on() -> None:
    assert load_figures(SAMPLES, None) == {LATENCY: 5.0, f"{LATENCY} highest": 9, ABORTS: 0.5, f"{ABORTS} samples": 2}
    # Of the last three samples two have a latency, which is too few to say something.
    assert load_figures(SAMPLES, NOW) == {ABORTS: 2 / 3, f"{ABORTS} samples": 2}
    assert load_figures(SAMPLES, NOW + timedelta(seconds=20)) == {}


def test_storage_drs_with_the_io_metric_is_named_as_who_put_sioc_back(served: tuple[VCenter, Any], state: Any) -> None:
    vcenter = served[0]
    target = Target("vc", (("datastore_id", "datastore-101"),))
    DatastoreSioc().write(vcenter, target, value=False)
    until(lambda: DatastoreSioc().read(vcenter, target).value is True, "Storage DRS")
    resource = Resource("datastore", "datastore-101", "vmfs-01", "vc", None, None)
    change = Change(
        "datastore.sioc",
        FixClass.ONLINE,
        target,
        before=True,
        after=False,
        rules=("sioc/auto-tiering",),
        resource=resource,
        reason="reason",
    )
    who = who_put_back(vcenter, change)
    assert who.startswith("Storage DRS of datastore cluster pod-a uses the I/O metric, which turns Storage I/O Control on again")
    assert VCENTER_USER not in who
    other = replace(change, target=Target("vc", (("device", LUN),)))
    assert who_put_back(vcenter, other) == ""


def test_our_own_write_is_nobody_who_put_a_setting_back_unless_we_wrote_nothing(served: tuple[VCenter, Any], state: Any) -> None:
    target = Target("vc", (("host_id", "host-12"), ("option", "Disk.QFullSampleSize")))
    HostOption().write(served[0], target, 32)
    resource = Resource("host_option", "host-12", "Disk.QFullSampleSize", "vc", "gold", "esx-02")
    change = Change("host.option", FixClass.ONLINE, target, 0, 32, ("queue/qfull-throttle",), resource, "reason")
    assert who_put_back(served[0], change) == ""
    assert f"by our own account {VCENTER_USER}, in another session at" in who_put_back(served[0], change, is_untouched=True)


def test_the_extensions_of_a_vcenter_are_named_by_their_keys(served: tuple[VCenter, Any], state: Any) -> None:
    assert "com.solidfire.qossioc" in registered(served[0])
