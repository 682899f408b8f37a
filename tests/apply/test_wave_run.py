"""One run from wave to wave, in memory: what it notes, when it settles, what stops it, and in which order receipts come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from auditor.apply.wave_run import no_progress, wave_receipts
from auditor.errors import GuardError
from auditor.model import Outcome, Receipt, Target
from tests.apply.wave_runs import STOP, Make, Site, applied, names, on_host, receipts_of


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


def test_nothing_is_shown_where_nobody_looks(change: Make) -> None:
    no_progress(change(), 1, 1)
