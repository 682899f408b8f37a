"""What each order of a run reaches: its watches, its reboots, its limits, and the sentences that its reader gets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from auditor.apply import Pace, last_receipts
from auditor.apply.failed_gates import FailedGates
from auditor.apply.guards import check_names
from auditor.apply.limits import Excess, Limits
from auditor.apply.restrictions import Restrictions
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.errors import ConfigurationError, GuardError
from auditor.fleet.windows import MaintenanceWindow
from auditor.journal import Journal, history
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Outcome, Plan, Protection, RebootLimits, Receipt, Target
from tests.apply.conftest import Shelf, endpoint
from tests.applying import apply

Make = Callable[..., Change]
Run = Callable[..., list[Receipt]]
SATURDAY = MaintenanceWindow((5,), 22 * 60, 23 * 60, "UTC")
OPEN, CLOSED = (datetime(2026, 11, 21, hour, 30, tzinfo=UTC) for hour in (22, 23))
REBOOTS = RebootLimits(leave_seconds=60)


@pytest.fixture
def estate() -> Iterator[Sessions]:
    @contextmanager
    def opened(one: Endpoint) -> Iterator[SessionBase]:
        session = SessionBase(one)
        session.known_identity = "1111"
        yield session

    ends = {"vc": endpoint(), "sf": endpoint("sf", EndpointKind.ELEMENT), "esx": endpoint("esx", EndpointKind.ESXI)}
    with Sessions(ends, dict.fromkeys(EndpointKind, opened)) as held:
        yield held


@pytest.fixture
def run(shelf: Shelf, estate: Sessions, journal: Journal, remediators: Any) -> Run:
    def run(*changes: Change, plan: Plan | None = None, **orders: Any) -> list[Receipt]:
        for change in changes:
            shelf.settings.setdefault(change.target["setting"], change.before)
        options: dict[str, Any] = {"allow": {FixClass.ONLINE}, "confirm": lambda _changes: True, "remediators": remediators, **orders}
        return list(apply(plan or Plan(changes, identities={"vc": "1111"}), estate, journal, **options))

    return run


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a run is begun with; none of its changes is made."""
    begun: list[Any] = []

    def receipts(*parts: Any) -> Iterator[Receipt]:
        begun.extend(parts)
        return iter(())

    monkeypatch.setattr("auditor.apply.waves.wave_receipts", receipts)
    return begun


def on_host(change: Make, name: str = "depth") -> Change:
    return replace(change(name), target=Target("vc", (("host_id", "host-1"), ("setting", name))))


@pytest.mark.parametrize(("reboots", "asked"), [(REBOOTS, True), (None, False)], ids=["rebooted", "stored for the next boot"])
def test_privileges_are_asked_for_reboots_where_hosts_are_rebooted_and_what_is_unknown_is_said(
    run: Run, change: Make, monkeypatch: pytest.MonkeyPatch, reboots: RebootLimits | None, asked: bool
) -> None:
    notices: list[str] = []
    found: list[Any] = []

    def check(changes: Sequence[Change], sessions: Sessions, *, reboots: bool) -> tuple[str, ...]:
        found.append((list(changes), sessions.endpoint("vc").name, reboots))
        return ("it is not known what the account may do",)

    monkeypatch.setattr("auditor.apply.waves.check_privileges", check)
    run(on_host(change), reboots=reboots, restrictions=Restrictions(notice=notices.append))
    assert found == [([on_host(change)], "vc", asked)]
    assert notices == ["it is not known what the account may do"]


@pytest.mark.parametrize(("reboots", "seconds"), [(REBOOTS, 60), (None, 600)], ids=["as fleet.yaml says", "by default"])
def test_hosts_that_earlier_runs_left_are_confirmed_with_all_that_is_made(
    run: Run, change: Make, journal: Journal, monkeypatch: pytest.MonkeyPatch, reboots: RebootLimits | None, seconds: float
) -> None:
    asked: list[Any] = []
    shown: list[Change] = []

    def left_by(*parts: Any) -> list[Change]:
        asked.append(parts)
        return [on_host(change, "left")]

    monkeypatch.setattr("auditor.apply.waves.left_by", left_by)
    unfinished = {"run-9": [on_host(change, "unfinished")]}
    with pytest.raises(GuardError, match="3 changes were not confirmed"):
        run(on_host(change), reboots=reboots, left_by=["run-8"], unfinished_hosts=unfinished, confirm=shown.extend)
    assert asked == [(["run-8"], journal.directory, seconds)]
    assert [one.target["setting"] for one in shown] == ["unfinished", "depth", "left"]


def test_reboots_get_the_limits_of_the_run_and_stop_where_it_stops(
    run: Run, begun: list[Any], change: Make, estate: Sessions, journal: Journal, remediators: Any
) -> None:
    times = iter([OPEN, OPEN, CLOSED])
    shown: list[tuple[str, int, int]] = []
    one = on_host(change)
    run(
        one,
        reboots=REBOOTS,
        unfinished_hosts={"run-9": [on_host(change, "unfinished")]},
        restrictions=Restrictions((SATURDAY,), now=lambda: next(times)),
        progress=lambda change, number, of: shown.append((change.target["setting"], number, of)),
    )
    wave_run, attempted, skipped, rolling, finish, _ = begun
    assert (attempted, skipped, finish) == ([one], [], ("run-9",))
    assert (rolling.sessions, rolling.journal, rolling.remediators, rolling.limits) == (estate, journal, remediators, REBOOTS)
    assert rolling.stops(one) is None
    assert rolling.stops(one) == (
        "not attempted: no maintenance window is open for cluster gold of vc; the next one begins on Saturday, 2026-11-28 at 22:00 UTC"
    )
    assert rolling.attempt(one).outcome is Outcome.APPLIED, "a reboot that has begun is carried to its end"
    rolling.progress(one, 7)
    assert shown == [("depth", 7, 1)]
    wave_run.stop(GuardError("something got worse", why="x", do="x"))
    assert rolling.stops(one) == "not attempted: something got worse"


def test_without_an_order_no_host_is_rebooted(run: Run, begun: list[Any], change: Make) -> None:
    run(on_host(change))
    assert begun[3] is None


class Watch:
    """A watch of health, or of arrays, that keeps what it was made with, and is blind to everything."""

    unknown: tuple[str, ...] = ()
    before: dict[Any, Any] = {}  # noqa: RUF012  never changed

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def blind_to(self, _change: Change) -> str:
        return "it cannot be watched"

    def worse(self, _changes: Sequence[Change]) -> list[str]:
        return ["it got worse"]


class Arrays(Watch):
    """A watch of arrays."""


@pytest.fixture
def watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.apply.waves.HealthWatch", Watch)
    monkeypatch.setattr("auditor.apply.waves.ArrayWatch", Arrays)


@pytest.mark.usefixtures("watches")
@pytest.mark.parametrize("seconds", [60.0, 0.0], ids=["it settles", "it does not settle"])
def test_health_is_watched_of_hosts_and_arrays_with_time_to_settle_where_there_is_some(
    run: Run, begun: list[Any], change: Make, estate: Sessions, seconds: float
) -> None:
    arrays = {("vc", "host-1"): ("sf",)}
    waits: list[float] = []
    one = on_host(change)
    plan = Plan((one,), identities={"vc": "1111"}, arrays=arrays)
    run(one, plan=plan, pace=Pace(seconds, ask_health=True, wait=waits.append))
    changes, sessions, of_arrays, last_good = begun[0].health.parts
    assert (changes, sessions, last_good) == ([one], estate, {})
    assert isinstance(of_arrays, Arrays)
    changes, sessions, carriers, wait = of_arrays.parts
    assert (changes, sessions, carriers) == ([one], estate, arrays)
    if seconds:
        wait(2.0)
        assert waits == [2.0]
    else:
        assert wait is None


@pytest.mark.usefixtures("watches")
@pytest.mark.parametrize("is_rehearsal", [True, False], ids=["rehearsal", "made"])
def test_a_rehearsal_refuses_what_is_blind_finds_nothing_worse_and_keeps_no_gate(
    run: Run, begun: list[Any], change: Make, tmp_path: Path, is_rehearsal: bool
) -> None:
    gates = FailedGates(tmp_path / "gates")
    one = on_host(change)
    run(one, is_rehearsal=is_rehearsal, gates=gates, pace=Pace(ask_health=True))
    wave_run = begun[0]
    assert wave_run.attempt(one) == Receipt(one, Outcome.REFUSED, None, "it cannot be watched")
    assert wave_run.health.worse([one]) == ([] if is_rehearsal else ["it got worse"])
    wave_run.failed([one], "it got worse")
    assert len(gates.all()) == (not is_rehearsal)


def test_what_did_not_stay_is_noted_in_the_journal_with_who_put_it_back(run: Run, change: Make, shelf: Shelf, journal: Journal) -> None:
    def who(one: Change, session: Any) -> str:
        return f"{session.endpoint.name} put {one.resource.name} back"

    receipts = run(change(), pace=Pace(60.0, wait=lambda _seconds: shelf.settings.update(depth=32), who=who))
    assert [receipt.outcome for receipt in receipts] == [Outcome.APPLIED, Outcome.REVERTED]
    assert receipts[1].why == "it was 256 when it was read back, and is 32 now; vc put depth back"
    assert [entry.receipt.outcome for entry in history(journal.directory).entries if entry.receipt] == [Outcome.REVERTED]
    assert last_receipts(receipts) == (receipts[1],)


def test_of_each_change_the_last_receipt_counts_in_the_order_of_the_first(change: Make) -> None:
    first, second = Receipt(change("a"), Outcome.APPLIED, 256), Receipt(change("b"), Outcome.APPLIED, 256)
    later = replace(first, outcome=Outcome.REVERTED)
    other = Receipt(change("a", before=256, after=32), Outcome.ALREADY, 32)
    assert last_receipts([first, second, other, later]) == (later, second, other)


def test_names_are_trusted_only_where_the_order_says_so(run: Run, change: Make) -> None:
    plan = Plan((change(),), identities={})
    assert [one.outcome for one in run(change(), plan=plan)] == [Outcome.REFUSED]
    assert [one.outcome for one in run(change(), plan=plan, trust_names=True)] == [Outcome.APPLIED]


def test_somebody_else_who_writes_is_named_and_what_one_write_to_an_array_reaches_is_nobody_s(
    run: Run, begun: list[Any], change: Make
) -> None:
    def who_else(one: Change, sessions: Sessions) -> str:
        return f"{sessions.endpoint(one.target.endpoint).name} says who"

    run(change(), pace=Pace(just_read=True, who_else=who_else))
    others = begun[0].others
    policies = [change(f"p{number}", host=None, where="sf") for number in range(4)]
    assert others.take(Receipt(policies[0], Outcome.APPLIED, 256)) is None
    assert [others.take(Receipt(one, Outcome.ALREADY, 256)) for one in policies[1:]] == [None] * 3
    assert others.take(Receipt(change("d1", host="esx-1"), Outcome.ALREADY, 256)) is None
    stopped = others.take(Receipt(change("d2", host="esx-2"), Outcome.ALREADY, 256))
    assert stopped is not None
    assert stopped.what.endswith("shelf on d2 of esx-2 was 32 and is 256, as this run was to set it (vc says who)")


def test_what_holds_back_a_change_is_asked_of_the_sessions_of_the_run_and_may_say_a_sentence(
    run: Run, change: Make, estate: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    notices: list[str] = []
    entry = Protection("x", tag="freeze")

    def protected(changes: Sequence[Change], entries: Any, tags: Any, vcenters: Any) -> tuple[list[Change], list[Receipt]]:
        asked.append((entries, tags("vc"), vcenters))
        return list(changes), []

    def held(word: str) -> Callable[..., tuple[list[Change], list[Receipt]]]:
        def hold(changes: Sequence[Change], sessions: Sessions, notice: Callable[[str], None]) -> tuple[list[Change], list[Receipt]]:
            notice(word)
            assert sessions is estate
            own = [one for one in changes if one.resource.name == word]
            return [one for one in changes if one not in own], [Receipt(one, Outcome.PROPOSED, 32, word) for one in own]

        return hold

    monkeypatch.setattr("auditor.apply.waves.tags_of", lambda sessions: lambda name: [sessions.endpoint(name).name])
    monkeypatch.setattr("auditor.apply.waves.without_protected", protected)
    monkeypatch.setattr("auditor.apply.waves.without_unwritable", held("licence"))
    monkeypatch.setattr("auditor.apply.waves.without_owned", held("profile"))
    restrictions = Restrictions(protected=(entry,), notice=notices.append, vcenters=frozenset({"vc"}))
    receipts = run(change("licence"), change("profile"), change("free"), restrictions=restrictions)
    assert asked == [((entry,), ["vc"], frozenset({"vc"}))]
    assert notices == ["licence", "profile"]
    assert [(one.change.resource.name, one.why) for one in receipts if one.outcome is Outcome.PROPOSED] == [
        ("licence", "licence"),
        ("profile", "profile"),
    ]
    assert [one.change.resource.name for one in receipts if one.outcome is Outcome.APPLIED] == ["free"]


def test_a_run_that_may_make_nothing_and_that_no_gate_holds_back_ends_well(run: Run, change: Make, tmp_path: Path) -> None:
    [receipt] = run(change(fix_class=FixClass.REBOOT), gates=FailedGates(tmp_path / "gates"))
    assert (receipt.outcome, receipt.why) == (Outcome.PROPOSED, "needs --allow reboot")


def test_nobody_decides_about_a_run_that_is_within_its_limits_and_it_is_confirmed(run: Run, change: Make) -> None:
    asked: list[Excess] = []

    def decide(excess: Excess) -> bool:
        asked.append(excess)
        return True

    with pytest.raises(GuardError, match="1 change was not confirmed"):
        run(change(), limits=Limits(max_hosts=1, decide=decide), confirm=lambda _changes: False)
    assert asked == []


def test_a_single_host_takes_the_settings_of_hosts_and_no_others_of_a_vcenter(change: Make, estate: Sessions, remediators: Any) -> None:
    option, metric = (replace(change(where="esx"), remediator=name) for name in ("host.option", "pod.io_metric"))
    check_names([option], estate, remediators)
    with pytest.raises(ConfigurationError, match=r"pod\.io_metric works on a vcenter endpoint, and esx is esxi"):
        check_names([option, metric], estate, remediators)
