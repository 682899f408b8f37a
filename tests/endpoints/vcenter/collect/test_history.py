"""A day of counters, as the lab's vCenter keeps it: what its level keeps, what it limits, and the last hour by samples of 20 seconds."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from auditor.endpoints.vcenter.collect.history import collect_load_history
from auditor.endpoints.vcenter.collect.topics import collect_vcenter
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.facts.needs import needs
from auditor.model import Endpoint, Span
from auditor.report.terminal.gap_lines import remedy_of
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Fault

from .test_load import rewritten
from .test_topics import Collected

pytestmark = pytest.mark.long

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

DEVICE = "naa.624a9370aaaa"
FLEET = """
vcenters:
  - name: vc-day
    host_build: 22380479
    statistics_level: 3
    devices:
      flash: {vendor: PURE, model: FlashArray, names: [naa.624a9370aaaa, naa.624a9370bbbb], transport: fc, targets: ["500a0981"]}
    clusters:
      - name: one
        hosts:
          - names: [esx-1, esx-2]
            hbas: [{device: vmhba2, kind: fc, driver: nfnic, model: Cisco VIC}]
            devices: [flash]
    datastores:
      - name: fast
        type: VMFS
        extents: [naa.624a9370aaaa]
        clusters: [one]
        sioc: {enabled: true}
        load: {iops: 1000, device_ms: 2}
      - {name: idle, type: VMFS, extents: [naa.624a9370bbbb], clusters: [one]}
    vms:
      - {name: busy, host: esx-2, disks: [{datastore: fast, controller: pvscsi, load: {actual_iops: 100, latency_us: 3000}}]}
      - {name: off, host: esx-1, powered_on: false, disks: [{datastore: fast, controller: pvscsi, load: {actual_iops: 100}}]}
    day:
      fast:
        - {begin: "02:00", end: "04:00", latency_ms: 90, iops: 400, bytes: 4096000, sioc_active_percent: 80}
        - {begin: "23:30", end: "24:00", latency_ms: 50}
"""


def fleet(**changes: Any) -> Any:
    return dataclasses.replace(parse_scenario(FLEET, "day").vcenters[0], **changes)


def the_last(hours: float, until: datetime | None = None) -> Span:
    end = until or datetime.now(UTC)
    return Span(end - timedelta(hours=hours), end)


def history(endpoint: Endpoint, span: Span | None) -> Collected:
    asked = dataclasses.replace(endpoint, history=span)
    with open_vcenter(asked) as vcenter:
        return Collected(collect_vcenter(vcenter, asked, needs([("load_history", ""), ("statistics_interval", "")])))


def rows(found: Collected, kind: str, **wanted: Any) -> list[dict[str, Any]]:
    kept = found.rows("load_history", subject_kind=kind, **wanted)
    return sorted(kept, key=lambda row: row["begin_at"])


def at(of: list[dict[str, Any]], server: VCenterServer, hour: float) -> dict[str, Any]:
    """The row of the interval in which an hour of the server's day lies."""
    began = server.state.day._began
    moment = datetime.fromtimestamp(began + 3600 * hour, UTC)
    return next(row for row in of if row["begin_at"] <= moment < row["begin_at"] + timedelta(seconds=row["seconds"]))


def test_a_day_of_a_datastore_and_its_device_shows_when_it_was_slow(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(fleet())
    found = history(endpoint, the_last(24))
    assert found.gaps == []
    assert found.incomplete() == set()
    hosts = {row["name"]: row["host_id"] for row in found.rows("host")}
    store = server.state.datastore_id["fast"]
    of_store = rows(found, "datastore", host_id=hosts["esx-1"])
    of_device = rows(found, "device", host_id=hosts["esx-1"])
    assert {row["subject"] for row in of_store} == {store}
    assert {row["subject"] for row in of_device} == {DEVICE}, "idle devices have no rows"
    slow, before = at(of_store, server, 3), at(of_store, server, 1)
    assert (slow["seconds"], slow["latency_max_ms"], slow["sioc_active_percent"]) == (300, None, 80)
    assert slow["latency_ms"] == pytest.approx(90, rel=0.06)
    assert slow["normalized_latency_us"] == pytest.approx(90_000, rel=0.06)
    assert slow["iops"] == pytest.approx(200, rel=0.06), "half of what both hosts send"
    assert slow["bytes_per_second"] == pytest.approx(2_048_000, rel=0.06)
    assert (before["latency_ms"], before["sioc_active_percent"]) == (2, 0)
    assert at(of_device, server, 3)["latency_ms"] == pytest.approx(90, rel=0.06)
    assert at(of_device, server, 1)["iops"] == pytest.approx(500, rel=0.06)
    assert at(rows(found, "host", subject=hosts["esx-2"]), server, 3)["latency_max_ms"] == pytest.approx(90, rel=0.06)
    assert at(rows(found, "adapter", host_id=hosts["esx-2"]), server, 3)["outstanding"] is not None
    assert at(rows(found, "datastore", host_id=""), server, 3)["iops"] == pytest.approx(400, rel=0.06)


def test_disks_of_running_machines_have_a_history_of_their_own(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter(fleet())
    of_disks = rows(history(endpoint, the_last(6)), "disk")
    assert {(row["subject"], row["host_id"]) for row in of_disks} == {("vm-1001 scsi0:0", "")}, "one does not run"
    assert len(of_disks) >= 70
    oldest, newest = of_disks[0], of_disks[-1]
    for row in (oldest, newest):
        assert row["iops"] == pytest.approx(100, rel=0.1)
        assert row["latency_ms"] == pytest.approx(3, rel=0.1)
        assert row["outstanding"] is not None
    assert (oldest["latency_max_ms"], newest["latency_max_ms"]) == (None, 3)


def test_disks_of_machines_beyond_the_most_are_a_gap(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.endpoints.vcenter.collect.history.MOST_MACHINES", 0)
    _, endpoint = serve_vcenter(fleet())
    found = history(endpoint, the_last(6))
    assert [gap.what for gap in found.gaps] == ["history of the disks of further machines (1)"]
    assert not rows(found, "disk")


def test_the_last_hour_comes_from_samples_of_twenty_seconds_and_has_their_highest(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(fleet())
    found = history(endpoint, the_last(24))
    of_device = rows(found, "device", host_id="host-11")
    newest, older = at(of_device, server, 23.7), at(of_device, server, 22.5)
    assert newest["latency_ms"] == pytest.approx(50, rel=0.06)
    assert newest["latency_max_ms"] >= newest["latency_ms"]
    assert older["latency_max_ms"] is None
    ends = [row["begin_at"] + timedelta(seconds=row["seconds"]) for row in of_device]
    begins = [row["begin_at"] for row in of_device]
    assert begins[1:] == ends[:-1], "intervals follow each other without a hole, and none overlaps another"
    assert 285 <= len(of_device) <= 288


def test_a_vcenter_of_level_one_gives_what_that_level_has_and_names_the_level_of_the_rest(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(fleet(statistics_level=1))
    found = history(endpoint, the_last(12, datetime.now(UTC) - timedelta(hours=2)))
    assert {row["subject_kind"] for row in found.rows("load_history")} == {"host", "datastore"}
    assert {row["host_id"] for row in rows(found, "datastore")} == {""}
    second = "adapters and datastores of all hosts together need level 2"
    assert [(gap.what, gap.why) for gap in found.gaps] == [
        (
            "history of adapters, datastores, datastores of all hosts together, devices, virtual disks",
            f"vCenter keeps 5-minute rows at level 1: {second}; datastores, devices and virtual disks need level 3",
        )
    ]
    assert remedy_of(found.gaps[0]).startswith("raise the statistics level in vCenter")
    assert found.incomplete() == {("", "load_history")}
    assert "QueryAvailablePerfMetric" not in server.requests, "nothing of instances is kept, so none are listed"
    assert {row["level"] for row in found.rows("statistics_interval")} == {1}
    assert [row["seconds"] for row in found.rows("statistics_interval")] == [300, 1800, 7200, 86400]


def test_within_the_last_hour_no_level_matters(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter(fleet(statistics_level=1))
    found = history(endpoint, the_last(0.5))
    assert found.gaps == []
    assert {row["subject_kind"] for row in found.rows("load_history")} == {"host", "datastore", "device", "adapter", "disk"}


def test_a_longer_span_is_read_by_a_longer_interval(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter(fleet())
    found = history(endpoint, the_last(48, datetime.now(UTC) - timedelta(hours=1)))
    assert {row["seconds"] for row in found.rows("load_history")} == {1800}


def test_a_span_that_may_hold_no_roll_up_is_a_gap(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter(fleet())
    found = history(endpoint, the_last(3, datetime.now(UTC) - timedelta(days=20)))
    assert [gap.why for gap in found.gaps] == ["those that are kept are 2 hours long: a span below 4 hours may hold none"]
    assert history(endpoint, the_last(4, datetime.now(UTC) - timedelta(days=20))).gaps == []


def test_what_is_older_than_anything_kept_is_a_gap(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter(fleet())
    found = history(endpoint, the_last(24, datetime.now(UTC) - timedelta(days=400)))
    [gap] = found.gaps
    assert re.fullmatch(r"counters since .* UTC", gap.what)
    assert gap.why == "vCenter keeps none for longer than 8760 hours"
    assert remedy_of(gap) == "ask for a later, an earlier or a longer span"
    assert not found.rows("load_history")


@pytest.mark.parametrize(
    ("setting", "queries"),
    [
        pytest.param(None, 4, id="nobody has set a limit: 64"),
        pytest.param(7, 14, id="seven metrics"),
        pytest.param(-1, 3, id="no limit"),
    ],
)
def test_a_query_keeps_to_the_limit_that_the_vcenter_has(serve_vcenter: Serve, setting: int | None, queries: int) -> None:
    server, endpoint = serve_vcenter(fleet(max_query_metrics=setting))
    span = the_last(6, datetime.now(UTC) - timedelta(hours=2))
    found = history(endpoint, span)
    assert found.gaps == []
    assert server.requests.count("QueryPerf") == queries, "66 metrics of two hosts, eight of two datastores, eight of a disk"
    wanted = history(serve_vcenter(fleet(max_query_metrics=-1))[1], span)
    assert len(found.rows("load_history")) == len(wanted.rows("load_history"))


def test_a_limit_that_the_account_may_not_read_is_found_by_asking_for_less(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(fleet(max_query_metrics=5))
    span = the_last(6, datetime.now(UTC) - timedelta(hours=2))
    asked = dataclasses.replace(endpoint, history=span)
    with rewritten(asked, rb"<key>config.vpxd.stats.maxQueryMetrics</key>", b"<key>another</key>") as vcenter:
        found = Collected(collect_vcenter(vcenter, asked, needs([("load_history", "")])))
    assert found.gaps == []
    assert {row["subject_kind"] for row in found.rows("load_history")} == {"host", "datastore", "device", "adapter", "disk"}
    assert server.requests.count("QueryPerf") > 20


def test_missing_samples_have_no_row_and_are_no_zero(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter(fleet())
    asked = dataclasses.replace(endpoint, history=the_last(6, datetime.now(UTC) - timedelta(hours=2)))

    def device_rows(pattern: bytes, by: bytes) -> int:
        with rewritten(asked, pattern, by) as vcenter:
            found = Collected(collect_vcenter(vcenter, asked, needs([("load_history", "")])))
        assert all(row["latency_ms"] != -1 and row["iops"] != -1 for row in found.rows("load_history"))
        return len(rows(found, "device"))

    whole = device_rows(b"nothing", b"nothing")
    first_missing = device_rows(rb"(<instance>naa\.[0-9a-f]*</instance></id><value>)\d+,", rb"\g<1>-1,")
    assert first_missing == whole - 2, "the first interval of the device, on each host"


def test_hosts_that_do_not_answer_are_gaps_and_the_others_are_read(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(fleet())
    server.faults.active.append(Fault("garbage", "QueryAvailablePerfMetric", containing=b"host-11"))
    found = history(endpoint, the_last(6, datetime.now(UTC) - timedelta(hours=2)))
    assert [gap.what for gap in found.gaps] == ["history of esx-1"]
    assert {row["host_id"] for row in rows(found, "device")} == {"host-12"}
    assert found.incomplete() == {("", "load_history")}


def test_where_a_host_gives_no_samples_its_roll_ups_are_read_to_the_end(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(fleet())
    server.faults.active.append(Fault("garbage", "QueryPerf", containing=b"<intervalId>20</intervalId>"))
    found = history(endpoint, the_last(6))
    assert {gap.what for gap in found.gaps} == {
        *(f"samples of the last hour of {name}" for name in ("esx-1", "esx-2", "virtual machine vm-1001")),
    }
    of_device = rows(found, "device", host_id="host-11")
    assert {row["latency_max_ms"] for row in of_device} == {None}
    assert 70 <= len(of_device) <= 72


def test_without_a_span_nothing_is_asked_and_nothing_is_said(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(fleet())
    found = history(endpoint, None)
    assert not found.rows("load_history")
    assert not found.rows("reading", topic="load_history")
    assert "QueryPerf" not in server.requests
    assert list(collect_load_history(None, endpoint, (), (), None, None)) == []  # type: ignore[arg-type]  # nobody is asked


def test_a_span_that_has_not_begun_is_a_gap(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter(fleet())
    found = history(endpoint, the_last(1, datetime.now(UTC) + timedelta(hours=3)))
    assert [gap.why for gap in found.gaps] == ["the span that --history names has not begun yet, by vCenter's clock"]
