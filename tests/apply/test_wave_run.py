"""One run from wave to wave, in memory: what it notes, when it settles, what stops it, and in which order receipts come."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from auditor.apply.pace import Pace
from auditor.apply.wave_run import WaveRun, no_progress, wave_receipts
from auditor.errors import GuardError
from auditor.model import Change, FixClass, Outcome, Receipt, Target

Make = Callable[..., Change]
WELL = frozenset({Outcome.APPLIED, Outcome.ALREADY})
STOP = GuardError("somebody else writes", why="x", do="x")


def applied(change: Change) -> Receipt:
    return Receipt(change, Outcome.APPLIED, change.after)


@dataclass
class Site:
    """What a run asks, and what it was asked and told.

    Attributes:
        ends: by setting: how an attempt ends; else it is applied.
        reverted: receipts that the next second readings give, one after another.
        worse: what the next readings of health give, one after another.
        events: what happened, in order.
    """

    ends: dict[str, Outcome] = field(default_factory=dict)
    reverted: list[list[Receipt]] = field(default_factory=list)
    worsened: list[list[str]] = field(default_factory=list)
    events: list[tuple[Any, ...]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def run(
        self, settle_seconds: float = 60.0, ended: dict[int, Receipt] | None = None, others: Any = None, *, ask_health: bool = False
    ) -> WaveRun:
        pace = Pace(
            settle_seconds,
            ask_health=ask_health,
            wait=lambda seconds: self.note("wait", seconds),
            notice=lambda text: self.note("notice", text),
        )
        return WaveRun(
            self.attempt,
            self.check,
            self,  # type: ignore[arg-type]  # it is the watch of health as well
            pace,
            WELL,
            lambda change, number, of: self.note("show", change.resource.name, number, of),
            9,
            {} if ended is None else ended,
            others,
            failed=lambda changes, what: self.note("failed", names(changes), what),
            passed=lambda changes: self.note("passed", names(changes)),
        )

    def note(self, *event: Any) -> None:
        self.events.append(event)

    def attempt(self, change: Change) -> Receipt:
        self.note("attempt", change.resource.name)
        return Receipt(change, self.ends.get(change.resource.name, Outcome.APPLIED), change.after)

    def check(self, receipts: Sequence[Receipt]) -> list[Receipt]:
        self.note("check", names([one.change for one in receipts]))
        return self.reverted.pop(0) if self.reverted else []

    def worse(self, changes: Sequence[Change]) -> list[str]:
        self.note("health", names(changes))
        return self.worsened.pop(0) if self.worsened else []

    def begin_again(self) -> None:
        self.note("begin again")

    def of(self, *kinds: str) -> list[tuple[Any, ...]]:
        return [event for event in self.events if event[0] in kinds]


def names(changes: Sequence[Change]) -> list[str]:
    return [change.resource.name for change in changes]


@pytest.fixture
def site() -> Site:
    return Site()


def receipts_of(
    run: WaveRun, *changes: Change, leave: Sequence[Change] = (), rolling: Any = None, finish: Sequence[str] = (), skipped: Any = ()
) -> tuple[list[tuple[str, Outcome]], GuardError | None]:
    """The names and outcomes of all receipts, and what ended the run."""
    found: list[tuple[str, Outcome]] = []
    try:
        for receipt in wave_receipts(run, changes, skipped, rolling, finish, lambda: leave):
            run.noted(receipt)
            found.append((receipt.change.resource.name, receipt.outcome))
    except GuardError as error:
        return found, error
    return found, None


def on_host(change: Make, name: str, host: str, *, reboots: bool = False, number: int = 0, waits_for: tuple[int, ...] = ()) -> Change:
    one = change(name, host=host, fix_class=FixClass.REBOOT if reboots else FixClass.ONLINE)
    return replace(one, target=Target("vc", (("host_id", host), ("setting", name))), number=number, waits_for=waits_for)


def test_a_receipt_is_noted_for_what_waits_for_it_and_a_step_is_not(site: Site, change: Make) -> None:
    run = site.run()
    setting, step = (replace(change(name), number=number) for number, name in ((1, "a"), (2, "b")))
    for remediator in ("host.maintenance", "host.boot"):
        run.noted(applied(replace(step, remediator=remediator)))
    assert run.noted(applied(setting)) == applied(setting)
    assert run.ended == {1: applied(setting)}


def test_the_first_that_stops_a_run_is_what_it_says(site: Site, change: Make) -> None:
    class Others:
        found: list[GuardError | None] = [None, STOP, GuardError("later", why="x", do="x")]  # noqa: RUF012

        def take(self, receipt: Receipt) -> GuardError | None:
            assert receipt.change.resource.name == "a"
            return self.found.pop(0)

    run = site.run(others=Others())
    run.noted(applied(change("a")))
    assert (run.error, run.stopped) == (None, "")
    run.noted(applied(change("a")))
    assert (run.error, run.stopped) == (STOP, "not attempted: somebody else writes")
    run.noted(applied(change("a")))
    assert run.error is STOP
    assert site.of("notice") == []


def test_nothing_settles_where_nothing_was_written_since(site: Site, change: Make) -> None:
    run = site.run()
    run.settle("a wave")
    assert site.events == []
    run.applied.append(applied(change("a")))
    run.settle("a wave")
    run.settle("a wave")
    assert site.events == [("wait", 60.0), ("check", ["a"]), ("health", ["a"])]
    run.unsure.append(change("b"))
    run.settle("a wave")
    run.settle("a wave")
    assert site.events[3:] == [("wait", 60.0), ("check", ["a"]), ("health", ["a", "b"])]


@pytest.mark.parametrize(
    ("worsened", "asked", "notices"),
    [
        pytest.param(
            [], True, ["The run stopped. Health of all that it had written was asked then, and nothing of it had got worse."], id="well"
        ),
        pytest.param([], False, [], id="nobody asks for health"),
        pytest.param([["slow"]], True, ['after the wave "a wave": slow: look at what got worse'], id="worse"),
    ],
)
def test_a_run_that_somebody_else_stopped_asks_for_health_and_ends_as_it_was_stopped(
    site: Site, change: Make, worsened: list[list[str]], asked: bool, notices: list[str]
) -> None:
    run = site.run(ask_health=asked)
    site.worsened = list(worsened)
    run.applied.append(applied(change("a")))
    run.stop(STOP)
    run.settle("a wave")
    assert site.of("wait", "check", "health") == [("wait", 60.0), ("check", ["a"]), ("health", ["a"])]
    assert [text.partition(";")[0] for _, text in site.of("notice")] == notices
    assert site.of("failed") == [("failed", ["a"], "slow")] * len(worsened)
    assert (run.error, run.stopped) == (STOP, "not attempted: somebody else writes")


def test_what_was_put_back_after_a_run_was_stopped_does_not_change_why_it_was(site: Site, change: Make) -> None:
    run = site.run(ask_health=True)
    site.reverted = [[Receipt(change("a"), Outcome.REVERTED, 32, "it is 32 now")]]
    run.applied.append(applied(change("a")))
    run.stop(STOP)
    run.settle("a wave")
    assert run.stopped == "not attempted: somebody else writes"
    assert [receipt.outcome for receipt in run.take_late()] == [Outcome.REVERTED]
    assert site.events[-2][0] == "health"
    assert run.written == []


def test_without_a_time_to_settle_nothing_waits_and_all_is_read_again(site: Site, change: Make) -> None:
    run = site.run(settle_seconds=0.0)
    run.applied += [applied(change("a"))]
    run.settle("a wave")
    run.applied += [applied(change("b"))]
    run.settle("a wave")
    assert site.events == [("check", ["a"]), ("health", ["a"]), ("check", ["a", "b"]), ("health", ["a", "b"])]


def test_what_did_not_stay_stops_the_run_and_is_not_among_what_was_applied(site: Site, change: Make) -> None:
    run = site.run()
    other_kind, other_place = replace(change("a"), remediator="other"), change("b")
    gone = Receipt(change("a"), Outcome.REVERTED, 32, "it is 32 now")
    site.reverted = [[gone]]
    run.applied += [applied(change("a")), applied(other_kind), applied(other_place)]
    run.settle("a wave")
    assert run.stopped == "not attempted: shelf on a did not stay as it was written; it is 32 now"
    assert (run.applied, run.checked, run.error) == ([applied(other_kind), applied(other_place)], 2, None)
    assert site.events[-1] == ("health", ["a", "b"])
    assert (run.take_late(), run.take_late()) == ([gone], [])


def test_what_did_not_stay_comes_after_what_is_late_already(site: Site, change: Make) -> None:
    run = site.run()
    earlier = Receipt(change("z"), Outcome.REVERTED, 32)
    run.late.append(earlier)
    site.reverted = [[Receipt(change("a"), Outcome.REVERTED, 32)]]
    run.applied.append(applied(change("a")))
    run.settle("a wave")
    assert [receipt.change.resource.name for receipt in run.take_late()] == ["z", "a"]


@pytest.mark.parametrize(
    ("worse", "what"),
    [
        (["one"], "one"),
        (["one", "two", "three"], "one; two; three"),
        (["one", "two", "three", "four"], "one; two; three; and 1 more"),
        (["one", "two", "three", "four", "five"], "one; two; three; and 2 more"),
    ],
)
def test_health_that_got_worse_stops_the_run_and_is_remembered(site: Site, change: Make, worse: list[str], what: str) -> None:
    run = site.run()
    site.worsened = [worse]
    run.applied += [applied(change("a")), applied(change("b"))]
    run.settle("the first of the fleet")
    assert run.error is not None
    assert run.error.what == f'after the wave "the first of the fleet": {what}'
    assert run.stopped == f"not attempted: {run.error.what}"
    assert site.events[-1] == ("failed", ["a", "b"], what)


@pytest.mark.parametrize(
    ("alone", "written", "stopped", "ends"),
    [
        pytest.param(True, True, False, True, id="it makes its first host alone, and wrote"),
        pytest.param(True, False, False, False, id="nothing was written yet"),
        pytest.param(False, True, False, False, id="it makes all"),
        pytest.param(True, True, True, False, id="it is stopped by something else"),
    ],
)
def test_a_run_of_one_host_ends_once_something_was_written(
    site: Site, change: Make, alone: bool, written: bool, stopped: bool, ends: bool
) -> None:
    run = site.run()
    made: list[Sequence[Receipt]] = []

    def larger(receipts: Sequence[Receipt]) -> GuardError:
        made.append(receipts)
        return GuardError("1 of 3 hosts done", why="x", do="x")

    if alone:
        run.only_first(larger)
    if written:
        run.applied.append(applied(change("a")))
    if stopped:
        run.stop(STOP)
    run.made.append(applied(change("a")))
    run.stop_after_first()
    assert made == ([[applied(change("a"))]] if ends else [])
    assert run.stopped == ("not attempted: 1 of 3 hosts done" if ends else "not attempted: somebody else writes" if stopped else "")


def test_no_further_host_is_rebooted_where_the_last_one_does_not_hold_or_is_the_only_one(site: Site, change: Make) -> None:
    run = site.run()
    run.applied.append(applied(change("a")))
    assert run.host_stops(change("b")) is None
    assert site.events == [("wait", 60.0), ("check", ["a"]), ("health", ["a"])]
    run.applied.append(applied(change("b")))
    site.worsened = [["slow"]]
    assert run.host_stops(change("c")) == 'not attempted: after the wave "the reboot of a host": slow'
    alone = site.run()
    alone.only_first(lambda _made: GuardError("1 of 3 hosts done", why="x", do="x"))
    alone.applied.append(applied(change("a")))
    assert alone.host_stops(change("b")) == "not attempted: 1 of 3 hosts done"


def test_a_run_that_holds_shows_each_change_settles_after_each_wave_and_passes(site: Site, change: Make) -> None:
    site.unknown = ["latency is not known"]
    site.ends = {"b": Outcome.ALREADY}
    skipped = [Receipt(change("s"), Outcome.BY_HAND, 32)]
    found, error = receipts_of(site.run(), *(change(name, host=f"esx-{name}") for name in "abc"), skipped=skipped)
    assert error is None
    assert found == [("s", Outcome.BY_HAND), ("a", Outcome.APPLIED), ("b", Outcome.ALREADY), ("c", Outcome.APPLIED)]
    assert site.events == [
        *(("show", "a", 1, 9), ("attempt", "a"), ("wait", 60.0), ("check", ["a"]), ("health", ["a"])),
        *(("show", "b", 2, 9), ("attempt", "b")),
        *(("show", "c", 3, 9), ("attempt", "c"), ("wait", 60.0), ("check", ["a", "c"]), ("health", ["a", "c"])),
        ("notice", "latency is not known"),
        ("passed", ["a", "c"]),
    ]


def test_what_is_not_read_back_ends_the_run_and_its_gates_are_not_taken_to_hold(site: Site, change: Make) -> None:
    site.ends = {"b": Outcome.UNVERIFIED}
    run = site.run()
    changes = [on_host(change, name, "h1") for name in "abc"]
    receipts = list(wave_receipts(run, [*changes, on_host(change, "d", "h2")], (), None, (), lambda: [on_host(change, "left", "h9")]))
    outcomes = [(one.change.resource.name, one.outcome) for one in receipts]
    assert outcomes == [
        ("left", Outcome.APPLIED),
        ("a", Outcome.APPLIED),
        ("b", Outcome.UNVERIFIED),
        ("c", Outcome.PROPOSED),
        ("d", Outcome.PROPOSED),
    ]
    why = "not attempted: shelf on b was written and not read back as wanted"
    assert [(one.why, one.found) for one in receipts[3:]] == [(why, 32)] * 2
    assert site.of("passed", "health", "check") == [("check", ["a"]), ("health", ["a", "b"])]
    assert site.of("attempt", "failed") == [("attempt", "left"), ("attempt", "a"), ("attempt", "b")]


def test_what_is_not_read_back_and_made_health_worse_is_remembered_and_said(site: Site, change: Make) -> None:
    site.ends, site.worsened = {"b": Outcome.UNVERIFIED}, [["h1 lost a path"]]
    found, error = receipts_of(site.run(ask_health=True), *(on_host(change, name, "h1") for name in "abc"), on_host(change, "d", "h2"))
    assert error is not None
    assert error.what == 'after the wave "the first of the fleet (h1)": h1 lost a path'
    assert [outcome for _, outcome in found] == [Outcome.APPLIED, Outcome.UNVERIFIED, Outcome.PROPOSED, Outcome.PROPOSED]
    assert site.of("failed", "passed", "notice") == [("failed", ["a", "b"], "h1 lost a path")]
    assert site.of("attempt") == [("attempt", "a"), ("attempt", "b")]


def test_a_single_change_that_is_not_read_back_is_asked_for_as_well(site: Site, change: Make) -> None:
    site.ends = {"a": Outcome.UNVERIFIED}
    found, error = receipts_of(site.run(ask_health=True), on_host(change, "a", "h1"), on_host(change, "b", "h2"))
    assert (found, error) == ([("a", Outcome.UNVERIFIED), ("b", Outcome.PROPOSED)], None)
    assert site.of("health") == [("health", ["a"])]
    [(_, notice)] = site.of("notice")
    assert "nothing of it had got worse" in notice


def test_what_was_put_back_comes_before_what_is_not_attempted_because_of_it(site: Site, change: Make) -> None:
    site.reverted = [[Receipt(change("a", host="h1"), Outcome.REVERTED, 32, "it is 32 now")]]
    found, error = receipts_of(site.run(), change("a", host="h1"), change("b", host="h2"))
    assert error is None
    assert found == [("a", Outcome.APPLIED), ("a", Outcome.REVERTED), ("b", Outcome.PROPOSED)]
    assert site.of("passed") == []


def test_health_that_got_worse_is_raised_after_the_last_receipt(site: Site, change: Make) -> None:
    site.worsened = [["slow"]]
    site.unknown = ["latency is not known"]
    receipts: list[Receipt] = []
    with pytest.raises(GuardError) as raised:
        receipts.extend(wave_receipts(site.run(), [change("a", host="h1"), change("b", host="h2")], (), None, (), list))
    assert raised.value.what == 'after the wave "the first of the fleet (h1)": slow'
    assert [(one.change.resource.name, one.outcome, one.why) for one in receipts] == [
        ("a", Outcome.APPLIED, ""),
        ("b", Outcome.PROPOSED, f"not attempted: {raised.value.what}"),
    ]
    assert site.of("passed", "notice") == [("notice", "latency is not known")]


def test_a_kind_that_is_refused_where_it_is_tried_is_held_back_in_its_cluster(site: Site, change: Make) -> None:
    site.ends = {"a": Outcome.REFUSED}
    run = site.run()
    changes = [replace(change(name, host=f"h-{name}"), target=Target("vc", (("host_id", f"h-{name}"),))) for name in "ab"]
    receipts = list(wave_receipts(run, changes, (), None, (), list))
    assert [(one.change.resource.name, one.outcome, one.why) for one in receipts[1:]] == [
        ("b", Outcome.PROPOSED, "not attempted: the canary h-a ended refused on shelf on a")
    ]
    assert run.made == []


def test_what_waits_is_made_after_what_it_waits_for_and_not_where_that_ended_otherwise(site: Site, change: Make) -> None:
    first, second = on_host(change, "a", "h1", number=1), on_host(change, "b", "h1", number=2, waits_for=(1,))
    third = on_host(change, "c", "h2", number=3, waits_for=(7,))
    site.ends = {"a": Outcome.REFUSED}
    run = site.run(ended={7: applied(change("earlier"))})
    receipts = [run.noted(one) for one in wave_receipts(run, [second, first, third], (), None, (), list)]
    assert [(one.change.resource.name, one.outcome) for one in receipts] == [
        ("a", Outcome.REFUSED),
        ("c", Outcome.PROPOSED),
        ("b", Outcome.PROPOSED),
    ]
    assert receipts[2].why == "not attempted: it waits for change 1 (shelf on a), which ended refused"


def test_what_is_held_up_holds_up_no_other_change_of_its_host(site: Site, change: Make) -> None:
    held = on_host(change, "held", "h1", number=2, waits_for=(7,))
    found, _ = receipts_of(site.run(), held, on_host(change, "free", "h1", number=3))
    assert found == [("held", Outcome.PROPOSED), ("free", Outcome.APPLIED)]
    assert site.of("show") == [("show", "free", 1, 9)]


def test_stages_after_the_one_that_stopped_are_not_attempted(site: Site, change: Make) -> None:
    site.ends = {"a": Outcome.UNVERIFIED}
    changes = [on_host(change, "abc"[place], f"h{place}", number=place + 1, waits_for=(place,) if place else ()) for place in range(3)]
    receipts = list(wave_receipts(site.run(), changes, (), None, (), list))
    why = "not attempted: shelf on a was written and not read back as wanted"
    assert [(one.change.resource.name, one.outcome, one.why) for one in receipts[1:]] == [
        ("b", Outcome.PROPOSED, why),
        ("c", Outcome.PROPOSED, why),
    ]
    assert site.of("show") == [("show", "a", 1, 9)]


def test_a_run_that_makes_one_host_alone_makes_one_in_a_wave_and_says_how_much_it_did(site: Site, change: Make) -> None:
    site.ends = {"a": Outcome.ALREADY, "b": Outcome.APPLIED}
    run = site.run()
    made: list[list[str]] = []

    def larger(receipts: Sequence[Receipt]) -> GuardError:
        made.append(names([one.change for one in receipts]))
        return GuardError("2 of 4 hosts done", why="x", do="x")

    run.only_first(larger)
    found, error = receipts_of(run, *(change(name, host=f"h-{name}") for name in "abcd"))
    assert found == [("a", Outcome.ALREADY), ("b", Outcome.APPLIED), ("c", Outcome.PROPOSED), ("d", Outcome.PROPOSED)]
    assert made == [["a", "b"]]
    assert error is not None
    assert error.what == "2 of 4 hosts done"
    assert site.of("passed") == []


def test_a_run_of_one_host_makes_one_although_two_kinds_are_to_be_tried(site: Site, change: Make) -> None:
    changes = [change("a", host="h1"), replace(change("b", host="h2"), remediator="other")]
    assert receipts_of(site.run(), *changes)[0] == [("a", Outcome.APPLIED), ("b", Outcome.APPLIED)]
    assert site.of("show", "wait")[:3] == [("show", "a", 1, 9), ("show", "b", 2, 9), ("wait", 60.0)], "both are in the first wave"
    run = site.run()
    run.only_first(lambda _made: GuardError("1 of 2 hosts done", why="x", do="x"))
    assert receipts_of(run, *changes)[0] == [("a", Outcome.APPLIED), ("b", Outcome.PROPOSED)]


@dataclass
class Reboots:
    """What reboots give instead of rebooting: receipts and why the run stops, by run that is finished, or "" for its own."""

    site: Site
    steps: dict[str, tuple[list[Receipt], str]] = field(default_factory=dict)

    def finish(self, run: str, rolling: Any) -> Generator[Receipt, None, str]:
        assert rolling == "rolling"
        self.site.note("finish", run)
        receipts, stopped = self.steps.get(run, ([], ""))
        yield from receipts
        return stopped

    def reboot(self, changes: Sequence[Change], rolling: Any, ended: Any, well: Any) -> Generator[Receipt, None, str]:
        assert (rolling, well) == ("rolling", WELL)
        self.site.note("reboot", names(changes), sorted(ended))
        receipts, stopped = self.steps.get("", ([applied(change) for change in changes], ""))
        yield from receipts
        return stopped


@pytest.fixture
def reboots(site: Site, monkeypatch: pytest.MonkeyPatch) -> Reboots:
    reboots = Reboots(site)
    monkeypatch.setattr("auditor.apply.wave_run.finish_reboots", reboots.finish)
    monkeypatch.setattr("auditor.apply.wave_run.reboot_hosts", reboots.reboot)
    return reboots


def test_hosts_are_rebooted_before_settings_are_written_online_and_others_leave_maintenance_mode_first(
    site: Site, reboots: Reboots, change: Make
) -> None:
    boots, online = on_host(change, "boots", "h1", reboots=True, number=1), on_host(change, "online", "h2", number=2)
    boot = applied(replace(on_host(change, "step", "h1"), remediator="host.boot"))
    reboots.steps = {"run-8": ([], ""), "": ([boot, applied(boots)], "")}
    leaving = [replace(on_host(change, f"leaves-{number}", f"h{number}"), remediator="host.maintenance") for number in (1, 2)]
    found, error = receipts_of(site.run(), online, boots, leave=leaving, rolling="rolling", finish=["run-8"])
    assert error is None
    assert [name for name, _ in found] == ["leaves-2", "step", "boots", "online", "leaves-1", "leaves-2"]
    assert site.events == [
        *(("attempt", "leaves-2"), ("finish", "run-8"), ("reboot", ["boots"], [])),
        *(("wait", 60.0), ("check", ["boots"]), ("health", ["boots"]), ("begin again",)),
        *(("show", "online", 1, 9), ("attempt", "online"), ("wait", 60.0), ("check", ["boots", "online"]), ("health", ["boots", "online"])),
        *(("attempt", "leaves-1"), ("attempt", "leaves-2"), ("passed", ["boots", "online"])),
    ]


def test_without_an_order_to_reboot_such_a_value_is_stored_with_the_others(site: Site, reboots: Reboots, change: Make) -> None:
    boots = on_host(change, "boots", "h1", reboots=True)
    found, _ = receipts_of(site.run(), boots, leave=[on_host(change, "leaves", "h1")], finish=["run-8"])
    assert [name for name, _ in found] == ["leaves", "boots", "leaves"]
    assert site.of("finish", "reboot") == []


def test_a_reboot_that_stops_the_run_ends_it_and_later_runs_are_not_finished(site: Site, reboots: Reboots, change: Make) -> None:
    reboots.steps = {"run-7": ([applied(on_host(change, "left", "h7"))], "not attempted: h7 did not leave maintenance mode")}
    run = site.run()
    changes = [on_host(change, "boots", "h1", reboots=True), on_host(change, "online", "h2")]
    receipts = list(wave_receipts(run, changes, (), "rolling", ["run-7", "run-8"], list))  # type: ignore[arg-type]
    assert [(one.change.resource.name, one.why) for one in receipts[1:]] == [
        ("boots", "not attempted: h7 did not leave maintenance mode"),
        ("online", "not attempted: h7 did not leave maintenance mode"),
    ]
    assert site.of("finish", "reboot") == [("finish", "run-7")]
    assert site.of("passed") == []


def test_of_a_reboot_only_settings_that_were_applied_are_read_again(site: Site, reboots: Reboots, change: Make) -> None:
    boots = [on_host(change, name, "h1", reboots=True) for name in ("a", "b")]
    step = replace(on_host(change, "step", "h1"), remediator="host.maintenance")
    reboots.steps = {"": ([applied(step), applied(boots[0]), Receipt(boots[1], Outcome.REFUSED, 32)], "")}
    run = site.run()
    receipts_of(run, *boots, rolling="rolling")
    assert (names([one.change for one in run.applied]), names([one.change for one in run.made])) == (["a"], ["a"])
    assert site.of("check", "begin again") == [("check", ["a"]), ("begin again",)]


def test_where_no_host_was_rebooted_health_is_not_begun_again(site: Site, reboots: Reboots, change: Make) -> None:
    boots = on_host(change, "boots", "h1", reboots=True)
    reboots.steps = {"": ([Receipt(boots, Outcome.ALREADY, 256)], "")}
    receipts_of(site.run(), boots, rolling="rolling")
    assert site.of("begin again", "check") == []


def test_what_was_put_back_during_reboots_comes_as_soon_as_it_is_known_and_stops_the_run(
    site: Site, change: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    boots = [on_host(change, name, f"h-{name}", reboots=True) for name in ("a", "b")]
    step = applied(replace(on_host(change, "step", "h-a"), remediator="host.boot"))
    run = site.run()

    def rebooting(*_parts: Any) -> Generator[Receipt, None, str]:
        yield step
        yield applied(boots[0])
        run.late.append(Receipt(boots[0], Outcome.REVERTED, 32))
        yield step
        return "not attempted: it ends"

    monkeypatch.setattr("auditor.apply.wave_run.reboot_hosts", rebooting)
    found, error = receipts_of(run, *boots, rolling="rolling")
    assert error is None
    assert found == [
        ("step", Outcome.APPLIED),
        ("a", Outcome.APPLIED),
        ("step", Outcome.APPLIED),
        ("a", Outcome.REVERTED),
    ]
    assert run.stopped == "not attempted: it ends"
    assert site.of("begin again", "passed", "check") == []


def test_what_stopped_a_run_while_a_host_was_rebooted_still_stops_it(site: Site, change: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    boots, online = on_host(change, "boots", "h1", reboots=True), on_host(change, "online", "h2")
    run = site.run()

    def rebooting(*_parts: Any) -> Generator[Receipt, None, str]:
        run.stop(STOP)
        yield applied(boots)
        return ""

    monkeypatch.setattr("auditor.apply.wave_run.reboot_hosts", rebooting)
    found, error = receipts_of(run, boots, online, rolling="rolling")
    assert (found, error) == ([("boots", Outcome.APPLIED), ("online", Outcome.PROPOSED)], STOP)


def test_health_that_got_worse_after_a_reboot_names_it(site: Site, reboots: Reboots, change: Make) -> None:
    site.worsened = [["slow"]]
    _, error = receipts_of(site.run(), on_host(change, "boots", "h1", reboots=True), rolling="rolling")
    assert reboots.steps == {}
    assert error is not None
    assert error.what == 'after the wave "the reboot of a host": slow'


def test_what_was_put_back_after_the_last_reboot_comes_behind_it(site: Site, reboots: Reboots, change: Make) -> None:
    boots = on_host(change, "a", "h1", reboots=True)
    step = applied(replace(on_host(change, "step", "h1"), remediator="host.boot"))
    reboots.steps = {"": ([step, applied(boots)], "")}
    site.reverted = [[Receipt(boots, Outcome.REVERTED, 32, "it is 32 now")]]
    found, _ = receipts_of(site.run(), boots, rolling="rolling")
    assert found == [("step", Outcome.APPLIED), ("a", Outcome.APPLIED), ("a", Outcome.REVERTED)]
    assert site.of("begin again", "passed") == []


def test_a_run_of_one_host_ends_after_its_first_reboot(site: Site, reboots: Reboots, change: Make) -> None:
    boots, online = on_host(change, "boots", "h1", reboots=True), on_host(change, "online", "h2")
    run = site.run()
    run.only_first(lambda _made: GuardError("1 of 2 hosts done", why="x", do="x"))
    found, error = receipts_of(run, boots, online, rolling="rolling")
    assert found == [("boots", Outcome.APPLIED), ("online", Outcome.PROPOSED)]
    assert error is not None
    assert error.what == "1 of 2 hosts done"


def test_nothing_is_shown_where_nobody_looks(change: Make) -> None:
    no_progress(change(), 1, 1)
