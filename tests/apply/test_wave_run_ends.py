"""What ends a run of waves: what was not read back, health that got worse, a run of one host."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auditor.apply.wave_run import wave_receipts
from auditor.errors import GuardError
from auditor.model import Outcome, Receipt
from tests.apply.wave_runs import STOP, Make, Site, applied, on_host, receipts_of


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
