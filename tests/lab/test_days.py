"""The day before the lab was started, as its vCenter's roll-ups have it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from auditor.errors import ConfigurationError
from auditor_lab.days import Day, DaySpanDescription, Spell, mean_of
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.state.vcenter import VCenterState
from tests.lab.conftest import Client, small
from tests.lab.test_performance import counters, samples

DEVICE = "naa.624a9370aaaa"
FLEET = """
vcenters:
  - name: vc-day
    host_build: 22380479
    statistics_level: 3
    devices:
      flash: {vendor: PURE, model: FlashArray, names: [naa.624a9370aaaa], transport: fc, targets: ["500a0981"]}
    clusters:
      - name: one
        hosts:
          - name: esx-1
            hbas: [{device: vmhba2, kind: fc, driver: nfnic, model: Cisco VIC}]
            devices: [flash]
    datastores:
      - {name: fast, type: VMFS, extents: [naa.624a9370aaaa], clusters: [one], sioc: {enabled: true}, load: {iops: 1000, device_ms: 2}}
    day:
      fast:
        - {begin: "02:00", end: "02:30", latency_ms: 90, iops: 200, bytes: 4096000, sioc_active_percent: 80}
"""


Connect = Callable[[Any], Client]


@pytest.fixture
def client_of(serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Client]) -> Connect:
    """Serves a description, and gives a client of it."""
    return lambda description: connect(serve_vcenter(description))


def host_of(client: Client) -> Any:
    """The one host."""
    return client.hosts()["esx-1"]


def day_of(client: Client, entity: Any, *names: str) -> dict[tuple[str, str], dict[str, float]]:
    """Values of the last day's 5-minute roll-ups, by counter and instance, and by how long ago their intervals ended in minutes."""
    known = counters(client)
    asked = [vim.PerformanceManager.MetricId(counterId=known[name].key, instance="*") for name in names]
    spec = vim.PerformanceManager.QuerySpec(entity=entity, metricId=asked, intervalId=300)
    by_key = {one.key: name for name, one in known.items()}
    [answer] = client.content.perfManager.QueryPerf([spec])
    now = datetime.now(UTC)
    ago = [round((now - one.timestamp).total_seconds() / 60) for one in answer.sampleInfo]
    return {(by_key[one.id.counterId], one.id.instance): dict(zip(ago, one.value, strict=True)) for one in answer.value}


def test_a_span_of_the_day_shows_in_the_roll_ups_of_datastore_device_and_host(client_of: Connect) -> None:
    client = client_of(small(FLEET))
    host = host_of(client)
    names = ("disk.deviceLatency", "disk.commandsAveraged", "disk.maxTotalLatency", "datastore.totalReadLatency")
    found = day_of(client, host, *names, "datastore.siocActiveTimePercentage", "datastore.read")
    assert {(counter, instance) for counter, instance in found} == {
        ("disk.deviceLatency", DEVICE),
        ("disk.commandsAveraged", DEVICE),
        ("disk.maxTotalLatency", ""),
        *((name, found_instance(found)) for name in ("datastore.totalReadLatency", "datastore.siocActiveTimePercentage", "datastore.read")),
    }
    inside, outside = 24 * 60 - 135, 24 * 60 - 60  # minutes ago: 02:15 and 01:00 of the day
    for (counter, _), values in found.items():
        steady = {"disk.deviceLatency": 2, "disk.commandsAveraged": 1000, "disk.maxTotalLatency": 2, "datastore.totalReadLatency": 2}
        slow = {"disk.deviceLatency": 90, "disk.commandsAveraged": 200, "disk.maxTotalLatency": 90, "datastore.totalReadLatency": 90}
        slow |= {"datastore.siocActiveTimePercentage": 8000, "datastore.read": 2000}
        assert near(values, inside) == pytest.approx(slow[counter], rel=0.06), counter
        if counter in steady:
            assert near(values, outside) == pytest.approx(steady[counter], rel=0.06), counter
    assert len(found["disk.deviceLatency", DEVICE]) == 288


def near(values: dict[str, float] | dict[Any, float], minutes: int) -> float:
    """The value of the interval that ended nearest to so many minutes ago."""
    return values[min(values, key=lambda ago: abs(ago - minutes))]


def found_instance(found: Any) -> str:
    """The one instance of a datastore among the counters."""
    [instance] = {instance for counter, instance in found if counter.startswith("datastore.")}
    return str(instance)


def test_a_real_time_sample_shows_what_the_day_ended_with(client_of: Connect) -> None:
    client = client_of(small(FLEET.replace('"02:00", end: "02:30"', '"23:00", end: "24:00"')))
    host = host_of(client)
    values = samples(client, host, "disk.deviceLatency", maxSample=None)["disk.deviceLatency", DEVICE]
    assert len(values) in (180, 181)
    assert values[90] == pytest.approx(90, rel=0.06)


@pytest.mark.parametrize(
    ("level", "kept"),
    [
        pytest.param(1, {("disk.maxTotalLatency", "")}, id="1"),
        pytest.param(2, {("disk.maxTotalLatency", ""), ("storageAdapter.outstandingIOs", "vmhba2")}, id="2: adapters"),
        pytest.param(
            3,
            {("disk.maxTotalLatency", ""), ("storageAdapter.outstandingIOs", "vmhba2"), ("disk.deviceLatency", DEVICE)},
            id="3: devices",
        ),
    ],
)
def test_the_statistics_level_decides_what_is_kept(client_of: Connect, level: int, kept: set[tuple[str, str]]) -> None:
    client = client_of(small(FLEET.replace("statistics_level: 3", f"statistics_level: {level}")))
    host = host_of(client)
    assert set(day_of(client, host, "disk.maxTotalLatency", "storageAdapter.outstandingIOs", "disk.deviceLatency")) == kept
    assert {one.level for one in client.content.perfManager.historicalInterval} == {level}


@pytest.mark.parametrize(
    ("setting", "names", "refused"),
    [
        pytest.param("max_query_metrics: 2", 3, True, id="more than is set"),
        pytest.param("max_query_metrics: 3", 3, False, id="as many as are set"),
        pytest.param("max_query_metrics: -1", 3, False, id="no limit"),
        pytest.param("site: ''", 3, False, id="nobody has set it: 64"),
    ],
)
def test_a_query_of_too_many_roll_ups_is_refused_as_a_vcenter_refuses_it(
    client_of: Connect, setting: str, names: int, refused: bool
) -> None:
    client = client_of(small(FLEET.replace("statistics_level: 3", f"statistics_level: 3\n    {setting}")))
    host = host_of(client)
    asked = ("disk.deviceLatency", "disk.commandsAveraged", "disk.totalLatency")[:names]
    assert len(samples(client, host, *asked)) == names, "real-time samples are not counted"
    if refused:
        with pytest.raises(vim.fault.RestrictedByAdministrator, match=r"vpxd\.stats\.maxQueryMetrics"):
            day_of(client, host, *asked)
    else:
        assert len(day_of(client, host, *asked)) == names


def test_the_limit_is_an_option_of_the_vcenter(client_of: Connect) -> None:
    client = client_of(small(FLEET.replace("statistics_level: 3", "max_query_metrics: 128")))
    [option] = client.content.setting.QueryOptions("config.vpxd.stats.maxQueryMetrics")
    assert option.value == 128
    unset = client_of(small(FLEET))
    with pytest.raises(vim.fault.InvalidName):
        unset.content.setting.QueryOptions("config.vpxd.stats.maxQueryMetrics")


def test_a_span_that_ends_before_it_begins_is_refused(client_of: Connect) -> None:
    client = client_of(small(FLEET))
    host = host_of(client)
    now = datetime.now(UTC)
    with pytest.raises(vmodl.fault.InvalidArgument, match="querySpec"):
        samples(client, host, "disk.deviceLatency", intervalId=300, maxSample=None, startTime=now, endTime=now - timedelta(hours=1))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        pytest.param('"02:00", end: "02:30"', "", id="sound"),
        pytest.param('"02:30", end: "02:00"', "no span from '02:30' to '02:00'", id="ends before it begins"),
        pytest.param('"2 am", end: "02:30"', "'2 am' is no time of a day", id="no time"),
        pytest.param('"23:00", end: "24:30"', "no span from", id="after its end"),
    ],
)
def test_a_mistake_in_a_day_is_named(wrong: str, message: str) -> None:
    text = FLEET.replace('"02:00", end: "02:30"', wrong)
    if not message:
        parse_scenario(text, "day")
        return
    with pytest.raises(ConfigurationError, match=message):
        parse_scenario(text, "day")


def test_a_day_of_what_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no datastores or devices named"):
        parse_scenario(FLEET.replace("      fast:\n        - {begin", "      slow:\n        - {begin"), "day")


def test_an_interval_has_its_share_of_a_spell() -> None:
    spell = Spell(begin=1000, end=1060, value=100)
    assert [mean_of(10, [spell], end, 120) for end in (1000, 1060, 1120, 1180)] == [10, 55, 55, 10]
    assert mean_of(10, [spell], 1030, 60) == 55


def test_hosts_share_what_all_of_them_send() -> None:
    day = Day({"fast": (DaySpanDescription(begin="01:00", end="02:00", iops=300, latency_ms=7, hosts=("a", "b")),)}, 86_400.0)
    [spell] = day.spells(["fast"], "iops", host="a", hosts=3)
    assert (spell.begin, spell.end, spell.value) == (3600, 7200, 150)
    assert [one.value for one in day.spells(["fast"], "latency_ms", host="b", hosts=3)] == [7]
    assert day.spells(["fast"], "latency_ms", host="c", hosts=3) == ()
    assert [one.value for one in day.spells(["fast"], "iops")] == [300]


def test_the_server_has_its_day_from_its_start() -> None:
    state = VCenterState(parse_scenario(FLEET, "day").vcenters[0])
    [spell] = state.day.spells(["fast"], "latency_ms")
    ended = spell.begin + 22 * 3600
    assert abs(ended - datetime.now(UTC).timestamp()) < 60


def test_what_comes_again_keeps_to_the_minutes_of_the_clock() -> None:
    """Between two and three hours before an end at 17 minutes past an hour."""
    ended = 86_400.0 * 20_000 + 17 * 60
    span = DaySpanDescription(begin="21:00", end="22:00", latency_ms=9, every_minutes=20, at_minute=10, for_minutes=7)
    spells = Day({"x": (span,)}, ended).spells(["x"], "latency_ms")
    assert [((ended - spell.begin) / 60, (ended - spell.end) / 60) for spell in spells] == [(167, 160), (147, 140), (127, 120)]


@pytest.mark.parametrize(("every", "at", "during"), [(15, 15, 5), (15, 0, 15), (15, 0, 0), (15, -1, 5)])
def test_a_time_that_cannot_come_again_is_refused(every: int, at: int, during: int) -> None:
    with pytest.raises(ValueError, match="nothing comes again"):
        DaySpanDescription(begin="00:00", end="24:00", every_minutes=every, at_minute=at, for_minutes=during)


def test_a_described_move_names_both_datastores_as_vcenter_does(client_of: Connect) -> None:
    move = """
    vms: [{name: files, host: esx-1, disks: [{datastore: fast}]}]
    events:
      - &move {type: VmBeingRelocatedEvent, minutes_ago: 90, vm: files, moved_from: fast, moved_to: next}
      - {<<: *move, type: VmRelocatedEvent, minutes_ago: 30}
"""
    fleet = FLEET.replace("    day:", "      - {name: next, type: VMFS, extents: [naa.624a9370aaaa], clusters: [one]}\n    day:") + move
    client = client_of(small(fleet))
    filtered = client.content.eventManager.QueryEvents(vim.event.EventFilterSpec())
    begun, ended = (event for event in filtered if "Relocat" in type(event).__name__)
    assert (begun.ds.name, begun.destDatastore.name) == ("fast", "next")
    assert (ended.sourceDatastore.name, ended.ds.name) == ("fast", "next")
