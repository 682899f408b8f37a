"""Queues under load as the hosts' counters show them: S0's queue on the lab's wire, many hosts in one question, and holes reported."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from auditor.endpoints.vcenter.collect.load import LOAD_TOPICS
from auditor.endpoints.vcenter.collect.topics import collect_vcenter
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.facts.needs import EVERYTHING, needs
from auditor.facts.snapshots.earlier import live_topics, with_marks
from auditor.model import Endpoint
from auditor_lab.scenario import load_scenario
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Fault

from .test_topics import Collected

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

SHARED = "naa.6f47acc2000000027366707200000000"  # of NOISY_HOST in scenario solidfire-vvols; see tests/lab/test_performance.py
NOISY_HOST = "esx-vvol-1.lab.example"
TREMBLE = 0.06


def load_of(vcenter: VCenter, *tables: str) -> Collected:
    return Collected(collect_vcenter(vcenter, vcenter.endpoint, needs((table, "") for table in tables or LOAD_TOPICS)))


def collect(endpoint: Endpoint, *tables: str) -> Collected:
    with open_vcenter(endpoint) as vcenter:
        return load_of(vcenter, *tables)


@contextmanager
def rewritten(endpoint: Endpoint, pattern: bytes, by: bytes) -> Iterator[VCenter]:
    """A session in which every answer is changed on its way."""
    with open_vcenter(endpoint) as vcenter:
        post = vcenter.stub.wire.post

        def changed(*arguments: Any, **more: Any) -> Any:
            reply = post(*arguments, **more)
            return type(reply)(reply.status, re.sub(pattern, by, reply.body, flags=re.DOTALL), reply.session)

        vcenter.stub.wire.post = changed  # type: ignore[method-assign]
        yield vcenter


def test_the_queue_of_s0_shows_in_the_figures_of_its_device(serve_vcenter: Serve) -> None:
    """S0: 64 commands of one throttled disk on a queue of 32; 104 a second pass, so half of each wait 308 ms in the kernel."""
    _, endpoint = serve_vcenter(load_scenario("solidfire-vvols").vcenters[0])
    with open_vcenter(endpoint) as vcenter:
        before = load_of(vcenter, "device_load", "adapter_load")
        host_id = next(row["host_id"] for row in before.rows("host") if row["name"] == NOISY_HOST)
        vcenter.esxcli(host_id).run("storage core device set", device=SHARED, schednumreqoutstanding=256)
        after = load_of(vcenter, "device_load")
    assert (before.gaps, before.incomplete()) == ([], set())
    sick = before.one("device_load", host_id=host_id, device=SHARED)
    assert (sick["samples"], sick["busy_samples"], sick["max_queue_depth"]) == (15, 15, 32)
    assert sick["kavg_ms"] == pytest.approx(32 / 104 * 1000, rel=TREMBLE)
    assert sick["davg_ms"] == pytest.approx(32 / 104 * 1000, rel=TREMBLE)
    assert sick["gavg_ms"] == pytest.approx(64 / 104 * 1000, rel=TREMBLE)
    assert sick["qavg_ms"] == sick["kavg_ms"]
    assert sick["commands_per_second"] == pytest.approx(104, rel=TREMBLE)
    assert (sick["kavg_run_over_1ms"], sick["kavg_run_over_2ms"]) == (15, 15)
    assert (sick["commands_aborted"], sick["bus_resets"], sick["troubled_samples"]) == (0, 0, 0)
    healed = after.one("device_load", host_id=host_id, device=SHARED)
    assert (healed["max_queue_depth"], healed["kavg_ms"], healed["kavg_run_over_1ms"]) == (256, 0, 0)
    adapter = before.one("adapter_load", host_id=host_id, hba="vmhba64")
    assert (adapter["queue_depth"], adapter["queued_max"]) == (1024, 0)
    assert adapter["outstanding"] == pytest.approx(32, rel=TREMBLE)


def test_all_hosts_are_asked_in_one_question_and_no_host_itself(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(load_scenario("solidfire-vvols").vcenters[0])
    collected = collect(endpoint, "device_load")
    assert server.requests.count("QueryPerf") == 1
    assert not [name for name in server.requests if name.startswith(("storage.", "Query")) and name != "QueryPerf"]
    hosts = {row["host_id"] for row in collected.rows("host")}
    assert {row["host_id"] for row in collected.rows("device_load")} == hosts
    assert {row["scope"] for row in collected.rows("reading", topic="device_load")} == hosts
    assert not collected.rows("adapter_load")
    assert not collected.rows("datastore_load")


def test_counters_that_nothing_needs_are_not_asked_for(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    collected = collect(endpoint, "device", "hba", "datastore")
    assert "QueryPerf" not in server.requests
    assert not collected.rows("reading", topic="device_load")


def test_counters_are_asked_for_again_whatever_an_earlier_run_knows() -> None:
    assert not live_topics(EVERYTHING) & set(LOAD_TOPICS)
    asked = needs([("device_load", "kavg_ms")])
    assert with_marks(asked) == asked  # no host is asked anything, so there is nothing to compare hosts for


def test_a_question_that_fails_is_put_host_by_host(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.faults.active.append(Fault("garbage", "QueryPerf", containing=b"host-12"))
    collected = collect(endpoint)
    assert collected.incomplete() == {("host-12", topic) for topic in LOAD_TOPICS}
    assert {row["host_id"] for row in collected.rows("device_load")} == {"host-11", "host-13"}
    assert [gap.what for gap in collected.gaps] == ["performance counters of esx-2"]
    assert server.requests.count("QueryPerf") == 4


def test_a_host_that_is_not_connected_has_no_load(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with server.state.lock:
        server.state.hosts["host-12"].connection_state = "notResponding"
        server.state.changed()
    collected = collect(endpoint)
    assert collected.incomplete() >= {("host-12", topic) for topic in LOAD_TOPICS}
    assert {row["host_id"] for row in collected.rows("device_load")} == {"host-11", "host-13"}


def test_a_counter_that_a_vcenter_does_not_have_is_null_and_told(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with rewritten(endpoint, b"<key>kernelLatency</key>", b"<key>renamed</key>") as vcenter:
        collected = load_of(vcenter, "device_load", "adapter_load")
    assert {row["kavg_ms"] for row in collected.rows("device_load")} == {None}
    assert None not in {row["davg_ms"] for row in collected.rows("device_load")}
    assert collected.incomplete() == {(host, "device_load") for host in ("host-11", "host-12", "host-13")}
    assert [gap.what for gap in collected.gaps] == ["counters disk.kernelLatency.average"]


def test_series_that_are_torn_make_the_topic_incomplete(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    torn = rb"(<entity type=\"HostSystem\">host-12</entity>.*?</instance></id><value>)[0-9]+,"
    with rewritten(endpoint, torn, rb"\1") as vcenter:
        collected = load_of(vcenter)
    assert {scope for scope, _ in collected.incomplete()} == {"host-12"}
    assert [gap.what for gap in collected.gaps] == ["1 counters of esx-2"]


def test_a_datastore_is_known_by_the_end_of_its_url(serve_vcenter: Serve) -> None:
    """S1: Storage I/O Control holds the hosts back all of the time while the datastore takes 80 ms."""
    vcenter = load_scenario("sioc-vs-array-qos").vcenters[0]
    _, endpoint = serve_vcenter(vcenter)
    collected = collect(endpoint, "datastore_load", "datastore", "datastore_mount")
    assert (collected.gaps, collected.incomplete()) == ([], set())
    pairs = {(row["datastore_id"], row["host_id"]) for row in collected.rows("datastore_load")}
    assert pairs == {(row["datastore_id"], row["host_id"]) for row in collected.rows("datastore_mount")}
    names = {row["datastore_id"]: row["name"] for row in collected.rows("datastore")}
    sick, twin = (
        [row for row in collected.rows("datastore_load") if names[row["datastore_id"]] == name] for name in ("sc-prod-01", "sc-twin-01")
    )
    assert {row["sioc_active_percent"] for row in sick} == {100.0}
    assert all(row["observed_latency_us"] >= 50_000 for row in sick)
    assert {row["sioc_active_percent"] for row in twin} == {0.0}
