"""Health of what a run writes to, as it was before the first write, and what got worse since: on two vCenters and an array."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import cast

import pytest

from auditor.apply.array_gates import ArrayWatch
from auditor.apply.gates import HealthWatch, foretelling
from auditor.endpoints.common.health import ABORTS, ALARMS, CONNECTION, LATENCY, PATHS, VOLUMES, Health
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.errors import EndpointUnreachableError
from auditor.model import Change, Endpoint, EndpointKind, Target
from tests.apply.conftest import WHY_AND_DO, endpoint

Make = Callable[..., Change]
Asked = tuple[str, tuple[Mapping[str, str], ...], datetime | None]

START = datetime(2026, 11, 21, 22, 30, tzinfo=UTC)
FINE = Health("esx-1", {PATHS: frozenset({"p1", "p2"})}, {ALARMS: frozenset()}, {LATENCY: 2.0}, machines=frozenset({"vm-1"}))
STORE = Health("store", {VOLUMES: frozenset({"accessible"})})


class Reporting:
    """What vCenters report, by endpoint and object; an endpoint in `dead` does not answer."""

    def __init__(self) -> None:
        self.now: dict[str, dict[str, Health]] = {"vc": {"host-1": FINE}, "vc-2": {"host-1": replace(FINE, name="esx-far")}}
        self.dead: set[str] = set()
        self.asked: list[Asked] = []

    def read(self, session: SessionBase, targets: Sequence[Mapping[str, str]], since: datetime | None) -> dict[str, Health]:
        name = session.endpoint.name
        self.asked.append((name, tuple(targets), since))
        if name in self.dead:
            raise EndpointUnreachableError("no answer", **WHY_AND_DO)
        return dict(self.now[name])


class Session(SessionBase):
    """Its clock goes on by an hour whenever it is looked at."""

    looks = 0

    def clock(self) -> datetime:
        self.looks += 1
        return START + timedelta(hours=self.looks - 1)


@pytest.fixture
def reporting(monkeypatch: pytest.MonkeyPatch) -> Reporting:
    reporting = Reporting()
    monkeypatch.setattr("auditor.endpoints.vcenter.health.read_health", reporting.read)
    return reporting


@pytest.fixture
def estate(reporting: Reporting) -> Iterator[Sessions]:
    @contextmanager
    def opened(one: Endpoint) -> Iterator[SessionBase]:
        yield Session(one)

    ends = {"vc": endpoint(), "vc-2": endpoint("vc-2"), "sf": endpoint("sf", EndpointKind.ELEMENT)}
    with Sessions(ends, dict.fromkeys(EndpointKind, opened)) as held:
        yield held


@pytest.fixture
def one(change: Make) -> Change:
    return on(change, "vc", host_id="host-1")


@pytest.fixture
def far(change: Make) -> Change:
    return on(change, "vc-2", host_id="host-1")


def on(change: Make, where: str, **keys: str) -> Change:
    return replace(change(where=where), target=Target(where, tuple(sorted({"setting": "depth", **keys}.items()))))


def test_load_counts_from_the_clock_of_the_endpoint_when_the_comparison_began(estate: Sessions, reporting: Reporting, one: Change) -> None:
    targets = ({"host_id": "host-1", "setting": "depth"},)
    watch = HealthWatch([one], estate)
    watch.worse([one])
    watch.worse([one])
    watch.begin_again()
    watch.worse([one])
    assert reporting.asked == [
        ("vc", targets, None),
        ("vc", targets, START),
        ("vc", targets, START),
        ("vc", targets, None),
        ("vc", targets, START + timedelta(hours=1)),
    ]


def test_an_array_has_no_health_of_hosts_and_is_not_asked_for_it(estate: Sessions, reporting: Reporting, change: Make, one: Change) -> None:
    watch = HealthWatch([change(where="sf"), one], estate)
    assert [name for name, _, _ in reporting.asked] == ["vc"]
    assert watch.blind_to(change(where="sf")) is None
    assert set(watch.before) == {("vc", "host-1")}


def test_after_machines_were_moved_health_is_compared_with_that_of_then(estate: Sessions, reporting: Reporting, one: Change) -> None:
    watch = HealthWatch([one], estate)
    slow = replace(FINE, figures={LATENCY: 40.0})
    reporting.now["vc"]["host-1"] = slow
    watch.begin_again()
    assert watch.before == {("vc", "host-1"): slow}
    assert watch.worse([one]) == []


GOOD = Health("esx-1", {PATHS: frozenset({"p1", "p2"})}, {ALARMS: frozenset({"old"})}, {LATENCY: 2.0}, machines=frozenset({"vm-1"}))
WORSE = Health(
    *("esx-1", {PATHS: frozenset({"p1", "p3"}), VOLUMES: frozenset({"v"})}, {ALARMS: frozenset({"old", "new"})}),
    *({LATENCY: 40.0, ABORTS: 0.5}, {}, frozenset({"vm-1", "vm-2"})),
)


@pytest.mark.parametrize("again", [False, True], ids=["at the start", "after machines were moved"])
def test_what_was_better_at_the_last_good_reading_is_what_counts(
    estate: Sessions, reporting: Reporting, one: Change, *, again: bool
) -> None:
    reporting.now["vc"]["host-1"] = WORSE
    watch = HealthWatch([one], estate, last_good={("vc", "gone"): GOOD, ("vc", "host-1"): GOOD})
    if again:
        watch.begin_again()
    [(place, before)] = watch.before.items()
    assert place == ("vc", "host-1")
    assert before.good == {PATHS: frozenset({"p1", "p2", "p3"}), VOLUMES: frozenset({"v"})}
    assert before.bad == {ALARMS: frozenset({"old"})}
    assert before.figures == {LATENCY: 2.0, ABORTS: 0.5}
    assert before.machines == frozenset({"vm-1", "vm-2"})
    assert watch.worse([one]) == ["esx-1 lost p2 (paths)", "esx-1 has a new new", "latency of esx-1 rose from 2 ms to 40 ms"]


def test_alarms_that_were_not_read_at_the_last_good_reading_are_those_of_now(estate: Sessions, reporting: Reporting, one: Change) -> None:
    reporting.now["vc"]["host-1"] = WORSE
    watch = HealthWatch([one], estate, last_good={("vc", "host-1"): replace(GOOD, bad={})})
    assert watch.before["vc", "host-1"].bad == {ALARMS: frozenset({"old", "new"})}


def test_what_an_endpoint_does_not_report_gets_no_write(estate: Sessions, reporting: Reporting, change: Make, one: Change) -> None:
    reporting.now["vc"] |= {"ds-1": STORE}
    unseen = [on(change, "vc", host_id="host-9"), on(change, "vc", host_id="host-1", datastore_id="ds-9")]
    seen = on(change, "vc", host_id="host-1", datastore_id="ds-1")
    watch = HealthWatch([one, *unseen, seen], estate)
    assert [watch.blind_to(each) for each in (one, seen)] == [None, None]
    assert [watch.blind_to(each) for each in unseen] == [
        "vc does not report the health of host-9, so nothing was written",
        "vc does not report the health of ds-9, so nothing was written",
    ]


@pytest.mark.parametrize("gate", [CONNECTION, PATHS, VOLUMES])
def test_what_must_be_known_and_is_not_refuses_the_write(estate: Sessions, reporting: Reporting, one: Change, gate: str) -> None:
    reporting.now["vc"]["host-1"] = replace(FINE, unknown={LATENCY: "idle", gate: "no answer in time"})
    watch = HealthWatch([one], estate)
    why = f"the state of {gate} of esx-1 cannot be read, so nothing was written: no answer in time"
    assert (watch.blind_to(one), foretelling(watch).blind_to(one)) == (why, why)


def test_an_endpoint_whose_health_cannot_be_read_gets_no_write_and_the_others_do(
    estate: Sessions, reporting: Reporting, one: Change, far: Change
) -> None:
    reporting.dead = {"vc"}
    watch = HealthWatch([one, far], estate)
    assert watch.blind_to(one) == "the health of vc cannot be read, so nothing was written: no answer"
    assert watch.blind_to(far) is None
    reporting.dead = set()
    assert watch.worse([one, far]) == [], "of vc nothing is known to compare with"


def test_a_forecast_refuses_what_is_blind_and_finds_nothing_worse(estate: Sessions, reporting: Reporting, one: Change) -> None:
    forecast = foretelling(HealthWatch([one], estate))
    reporting.now["vc"] = {}
    assert (forecast.blind_to(one), forecast.worse([one]), forecast.unknown) == (None, [], [])


def test_every_host_that_got_worse_is_named(estate: Sessions, reporting: Reporting, one: Change, far: Change) -> None:
    watch = HealthWatch([one, far], estate)
    for name, host in (("vc", "esx-1"), ("vc-2", "esx-far")):
        reporting.now[name]["host-1"] = replace(FINE, name=host, good={PATHS: frozenset({"p1"})})
    assert watch.worse([one, far]) == ["esx-1 lost p2 (paths)", "esx-far lost p2 (paths)"]
    assert watch.worse([far]) == ["esx-far lost p2 (paths)"]


def test_a_host_that_is_not_reported_any_more_stops_the_run(estate: Sessions, reporting: Reporting, one: Change, far: Change) -> None:
    watch = HealthWatch([one, far], estate)
    reporting.now["vc"] = {}
    assert watch.worse([one, far]) == ["esx-1 is not reported any more"]


def test_an_endpoint_that_does_not_answer_any_more_is_named_once_and_the_others_are_compared(
    estate: Sessions, reporting: Reporting, one: Change, far: Change
) -> None:
    watch = HealthWatch([one, far], estate)
    reporting.dead = {"vc"}
    reporting.now["vc-2"]["host-1"] = replace(FINE, name="esx-far", good={PATHS: frozenset({"p1"})})
    assert watch.worse([one, far]) == ["the health of vc cannot be read: no answer", "esx-far lost p2 (paths)"]


def test_a_host_that_is_reported_only_now_is_compared_with_nothing(estate: Sessions, reporting: Reporting, one: Change) -> None:
    reporting.now["vc"] = {}
    watch = HealthWatch([one], estate)
    reporting.now["vc"] = {"host-1": replace(FINE, good={})}
    assert watch.worse([one]) == []


@pytest.mark.parametrize(
    ("after", "unknown"),
    [
        pytest.param(FINE, [], id="all is known"),
        pytest.param(replace(FINE, machines=frozenset({"vm-1", "vm-2"})), ["latency"], id="a machine came"),
        pytest.param(replace(FINE, machines=frozenset()), [], id="a machine left"),
        pytest.param(replace(FINE, unknown={ABORTS: "x", ALARMS: "x", "other": "x"}), ["alarms", "aborts and resets"], id="not read"),
    ],
)
def test_gates_that_are_not_known_after_a_wave_are_reported(
    estate: Sessions, reporting: Reporting, one: Change, after: Health, unknown: list[str]
) -> None:
    watch = HealthWatch([one], estate)
    reporting.now["vc"]["host-1"] = after
    assert watch.worse([one]) == []
    assert watch.unknown == [
        f"Health gate {gate}: not known of 1 object that this run wrote to, for example esx-1; "
        "what got worse there would not have stopped the run."
        for gate in sorted(unknown)
    ]


class Arrays:
    """An array that got worse."""

    def __init__(self) -> None:
        self.asked: list[Sequence[Change]] = []
        self.unknown = ["Health of array sf: not known."]

    def worse(self, changes: Sequence[Change]) -> list[str]:
        self.asked.append(changes)
        return ["latency of array sf rose"]


def test_what_the_arrays_say_is_said_with_the_hosts(estate: Sessions, reporting: Reporting, one: Change) -> None:
    arrays = Arrays()
    watch = HealthWatch([one], estate, cast("ArrayWatch", arrays))
    reporting.now["vc"] = {}
    assert watch.worse([one]) == ["esx-1 is not reported any more", "latency of array sf rose"]
    assert arrays.asked == [[one]]
    assert watch.unknown == ["Health of array sf: not known."]
