"""What an undo is to make: of a run, of those that went on with it, and of a part of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from auditor.apply.order import stages
from auditor.apply.recovery import what_is_left
from auditor.apply.undoing import narrowed, undo_plan
from auditor.errors import ConfigurationError
from auditor.journal import history, open_journal
from auditor.model import Change, Outcome, Plan, Receipt, Scalar

Make = Callable[..., Change]


@dataclass(frozen=True)
class Write:
    """A change of a run, and how it ended; `outcome` None: the run ended before the receipt."""

    change: Change
    outcome: Outcome | None = Outcome.APPLIED
    found: Scalar = None
    settled: bool = True
    identity: str | None = "1111"


@pytest.fixture
def kept(journals: Path) -> Callable[..., Path]:
    """Keeps the journal of a run."""

    def keep(run: str, *writes: Write | Change) -> Path:
        with open_journal(journals, run) as journal:
            for write in (one if isinstance(one, Write) else Write(one, found=one.after) for one in writes):
                intent = journal.intend(write.change, write.identity)
                if write.outcome is not None:
                    journal.receipt(intent, Receipt(write.change, write.outcome, write.found), settled=write.settled)
        return journals

    return keep


def steps(plan: Plan) -> list[tuple[str, Scalar, Scalar]]:
    """Setting, value before and after, in the order in which they are made."""
    return [(one.target["setting"], one.before, one.after) for stage in stages(plan.changes) for one in stage]


def numbered(change: Make, name: str, before: int, after: int, number: int, *waits_for: int) -> Change:
    return replace(change(name, before, after), number=number, waits_for=waits_for)


def test_a_run_that_went_on_is_undone_with_it_in_one_step_a_setting(kept: Callable[..., Path], change: Make) -> None:
    kept("run-1", numbered(change, "a", 1, 2, 1), numbered(change, "b", 10, 20, 2))
    journals = kept("run-2", numbered(change, "a", 2, 3, 1))
    plan = undo_plan(journals, "run-1", {"run-2": True})
    assert steps(plan) == [("a", 3, 1), ("b", 20, 10)]
    assert [one.number for one in plan.changes] == [3, 2]
    assert plan.changes[0].reason == "undoes run run-2, which changed it from 2 to 3; undoes run run-1, which changed it from 1 to 2"
    assert steps(undo_plan(journals, "run-1")) == [("b", 20, 10), ("a", 2, 1)]


def test_a_setting_that_somebody_changed_between_two_runs_is_put_back_step_by_step(kept: Callable[..., Path], change: Make) -> None:
    kept("run-1", numbered(change, "a", 1, 2, 1))
    journals = kept("run-2", numbered(change, "a", 5, 6, 1), numbered(change, "a", 6, 7, 2))
    assert steps(undo_plan(journals, "run-1", {"run-2": True})) == [("a", 7, 5), ("a", 2, 1)]


def test_what_inherited_before_the_first_run_inherits_again(kept: Callable[..., Path], change: Make) -> None:
    kept("run-1", replace(change("a", 1, 2), before_inherited=True))
    journals = kept("run-2", change("a", 2, 3))
    [step] = undo_plan(journals, "run-1", {"run-2": True}).changes
    assert (step.before, step.after, step.after_inherited, step.before_inherited) == (3, 1, True, False)
    assert step.messages == ()


def test_what_an_undo_let_inherit_gets_its_own_value_again(kept: Callable[..., Path], change: Make) -> None:
    [step] = undo_plan(kept("run-1", replace(change("a", 2, 1), after_inherited=True)), "run-1").changes
    assert (step.before, step.after, step.before_inherited, step.after_inherited) == (1, 2, True, False)


def test_of_runs_that_left_nothing_nothing_is_undone(kept: Callable[..., Path], change: Make) -> None:
    kept("run-1", Write(change("a"), Outcome.REFUSED, 32))
    assert undo_plan(kept("run-2", Write(change("b"), Outcome.REFUSED, 32)), "run-1", {"run-2": True}).changes == ()


def test_a_run_with_the_same_plan_keeps_its_numbers_and_one_with_its_own_gets_others(kept: Callable[..., Path], change: Make) -> None:
    kept("run-1", numbered(change, "a", 1, 2, 1), numbered(change, "b", 1, 2, 4, 1))
    kept("run-2", numbered(change, "c", 1, 2, 2))
    journals = kept("run-3", numbered(change, "d", 1, 2, 1), numbered(change, "e", 1, 2, 2, 1))
    plan = undo_plan(journals, "run-1", {"run-2": False, "run-3": True})
    assert {one.target["setting"]: (one.number, one.waits_for) for one in plan.changes} == {
        "e": (6, ()),
        "d": (5, (6,)),
        "c": (2, ()),
        "b": (4, ()),
        "a": (1, (4,)),
    }


def test_a_run_that_wrote_nothing_is_undone_by_those_that_went_on_with_it(kept: Callable[..., Path], change: Make) -> None:
    journals = kept("run-2", numbered(change, "a", 1, 2, 1))
    assert [(one.number, one.target["setting"]) for one in undo_plan(journals, "run-1", {"run-2": True}).changes] == [(1, "a")]


def test_what_waits_for_a_setting_that_two_runs_wrote_waits_for_its_one_step(kept: Callable[..., Path], change: Make) -> None:
    kept("run-1", numbered(change, "b", 1, 2, 1), numbered(change, "a", 1, 2, 2, 1))
    journals = kept("run-2", numbered(change, "a", 2, 3, 1))
    plan = undo_plan(journals, "run-1", {"run-2": True})
    assert [(one.number, one.waits_for) for one in plan.changes] == [(3, ()), (1, (3,))]
    assert steps(plan) == [("a", 3, 1), ("b", 2, 1)]


def test_a_setting_that_two_runs_wrote_waits_for_all_that_waited_for_it(kept: Callable[..., Path], change: Make) -> None:
    kept("run-1", numbered(change, "a", 1, 2, 1), numbered(change, "b", 1, 2, 2, 1))
    journals = kept("run-2", numbered(change, "a", 2, 3, 1), numbered(change, "c", 1, 2, 2, 1))
    plan = undo_plan(journals, "run-1", {"run-2": True})
    assert {one.target["setting"]: (one.number, one.waits_for) for one in plan.changes} == {"a": (3, (2, 4)), "b": (2, ()), "c": (4, ())}
    assert steps(plan) == [("c", 2, 1), ("b", 2, 1), ("a", 3, 1)]


def test_settings_whose_steps_would_wait_for_each_other_are_put_back_as_they_were_written(kept: Callable[..., Path], change: Make) -> None:
    kept("run-1", numbered(change, "a", 1, 2, 1), numbered(change, "b", 1, 2, 2, 1))
    journals = kept("run-2", numbered(change, "b", 2, 3, 1), numbered(change, "a", 2, 3, 2, 1))
    assert steps(undo_plan(journals, "run-1", {"run-2": True})) == [("a", 3, 2), ("b", 3, 2), ("b", 2, 1), ("a", 2, 1)]


@pytest.mark.parametrize(
    ("identities", "known"),
    [
        pytest.param(["1111", "1111"], "1111", id="both the same"),
        pytest.param(["1111", "2222"], None, id="they disagree"),
        pytest.param(["1111", None], None, id="one does not say"),
        pytest.param([None, None], None, id="none says"),
    ],
)
def test_an_undo_is_of_the_endpoint_that_all_writes_went_to(
    kept: Callable[..., Path], change: Make, identities: list[str | None], known: str | None
) -> None:
    journals = kept("run-1", *(Write(change(f"d{number}"), found=256, identity=one) for number, one in enumerate(identities)))
    assert undo_plan(journals, "run-1").identities == {"vc": known}


def test_a_host_that_was_only_taken_into_maintenance_mode_says_which_vcenter_it_was(kept: Callable[..., Path], change: Make) -> None:
    step = replace(change("in", False, True), remediator="host.maintenance")  # noqa: FBT003  the values of a step
    plan = undo_plan(kept("run-1", step), "run-1")
    assert (plan.changes, plan.identities) == ((), {"vc": "1111"})


@pytest.mark.parametrize(
    ("write", "undone"),
    [
        pytest.param((Outcome.APPLIED, 256, True), (256, 32), id="applied"),
        pytest.param((Outcome.UNVERIFIED, 64, True), (64, 32), id="it stored something else"),
        pytest.param((Outcome.UNVERIFIED, 32, True), (256, 32), id="it was as before, and may have come late"),
        pytest.param((Outcome.UNVERIFIED, 64, False), (256, 32), id="it was something else, and may still change"),
        pytest.param((None, None, False), (256, 32), id="killed at the write"),
        pytest.param((Outcome.REFUSED, 32, False), (256, 32), id="refused, and still open"),
        pytest.param((Outcome.REFUSED, 32, True), None, id="refused"),
        pytest.param((Outcome.STALE, 64, True), None, id="somebody changed it since"),
        pytest.param((Outcome.REVERTED, 32, True), None, id="somebody put it back"),
    ],
)
def test_an_undo_begins_with_the_value_that_a_run_left(
    kept: Callable[..., Path], change: Make, write: tuple[Outcome | None, Scalar, bool], undone: tuple[Scalar, Scalar] | None
) -> None:
    journals = kept("run-1", Write(change("a"), *write))
    assert [(one.before, one.after) for one in undo_plan(journals, "run-1").changes] == ([] if undone is None else [undone])


def test_a_run_of_which_there_is_no_journal_cannot_be_undone(kept: Callable[..., Path], change: Make) -> None:
    journals = kept("run-1", change("a"))
    with pytest.raises(ConfigurationError) as raised:
        undo_plan(journals, "run-9")
    assert (raised.value.what, raised.value.why) == (f"no journal in {journals} holds a change of run run-9", "there is nothing to undo.")


def four(change: Make) -> Plan:
    made = [
        replace(numbered(change, "a", 1, 2, 1), rules=("vvol/depth",)),
        replace(change("b", host="esx-02.example.net"), rules=("nfs/one", "nfs/two"), number=2, waits_for=(1,)),
        replace(change("c", host=None), rules=("qos/cap",), number=3, waits_for=(2, 1)),
        replace(change("d", host=None), rules=("qos/cap",)),
    ]
    return Plan(tuple(made))


@pytest.mark.parametrize(
    ("only", "left"),
    [
        pytest.param((), {"a": (), "b": (1,), "c": (2, 1), "d": ()}, id="all of them"),
        pytest.param(("nfs/two",), {"b": ()}, id="a rule"),
        pytest.param(("VVOL/depth", "2"), {"a": (), "b": (1,)}, id="a rule in other letters, and a number"),
        pytest.param(("qos/cap", "1"), {"a": (), "c": (1,), "d": ()}, id="what waits for one that is left out"),
        pytest.param(("esx-02.example.net",), {"b": ()}, id="a host"),
    ],
)
def test_a_part_of_an_undo_waits_for_that_part_alone(change: Make, only: tuple[str, ...], left: dict[str, tuple[int, ...]]) -> None:
    assert {one.target["setting"]: one.waits_for for one in narrowed(four(change), only).changes} == left


@pytest.mark.parametrize(
    ("word", "guess"),
    [
        pytest.param("nfs/tow", '; did you mean "nfs/two"?', id="a rule that is misspelt"),
        pytest.param("esx-02.example.com", '; did you mean "esx-02.example.net"?', id="a host that is misspelt"),
        pytest.param("0", "; known: 1, 2, 3, esx-01, esx-02.example.net, nfs/one, nfs/two, qos/cap, vvol/depth", id="0 is no number"),
    ],
)
def test_a_part_that_is_none_is_an_error(change: Make, word: str, guess: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        narrowed(four(change), ("nfs/two", word))
    assert raised.value.what == f"--only {word}: no change of this run is of such a rule, host or number{guess}"


@pytest.mark.parametrize(
    ("writes", "left", "done"),
    [
        pytest.param([], ["a"], [], id="not attempted"),
        pytest.param([(Outcome.APPLIED, 256, True)], [], [Outcome.APPLIED], id="made"),
        pytest.param([(Outcome.REFUSED, 32, True)], [], [Outcome.REFUSED], id="refused"),
        pytest.param([(Outcome.UNVERIFIED, 32, True)], ["a"], [], id="it never arrived"),
        pytest.param([(Outcome.UNVERIFIED, 64, True)], [], [Outcome.UNVERIFIED], id="it stored something else"),
        pytest.param([(Outcome.STALE, 32, True)], [], [Outcome.STALE], id="somebody changed it, and back"),
        pytest.param([(Outcome.UNVERIFIED, 32, False)], [], [], id="it may still arrive"),
        pytest.param([(None, None, False)], [], [], id="killed at the write"),
        pytest.param([(Outcome.UNVERIFIED, 32, True), (Outcome.APPLIED, 256, True)], [], [Outcome.APPLIED], id="made by the second run"),
    ],
)
def test_a_run_goes_on_with_what_was_not_attempted_or_never_arrived(
    kept: Callable[..., Path], change: Make, writes: list[tuple[Outcome | None, Scalar, bool]], left: list[str], done: list[Outcome]
) -> None:
    one = replace(change("a"), number=7)
    others = [change("b"), change("a", 32, 64), change("a", 64, 256), change("a", where="vc-2"), replace(change("a"), remediator="other")]
    journals = kept("run-1", *(Write(other, found=other.after) for other in others), *(Write(one, *write) for write in writes))
    found = what_is_left(Plan((one,)), history(journals).entries)
    assert [change.target["setting"] for change in found[0]] == left
    assert [(number, receipt.outcome) for number, receipt in found[1].items()] == [(7, outcome) for outcome in done]
