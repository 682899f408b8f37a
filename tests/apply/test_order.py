from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.apply.order import hold_up, reversed_waits, stages
from auditor.endpoints.common.sessions import Sessions
from auditor.journal import Journal
from auditor.model import Change, FixClass, Outcome, Plan, Receipt, Resource, Target
from tests.applying import apply

Make = Callable[..., Change]
KNOWN = {"vc": "1111"}


@pytest.fixture
def run(shelf: Any, sessions: Sessions, journal: Journal, remediators: Any) -> Callable[..., dict[str, Receipt]]:
    def applied(*changes: Change, allow: frozenset[FixClass] = frozenset({FixClass.ONLINE}), **options: Any) -> dict[str, Receipt]:
        for change in changes:
            shelf.settings.setdefault(change.target["setting"], change.before)
        plan = Plan(changes, identities=KNOWN)
        receipts = apply(plan, sessions, journal, allow=allow, confirm=lambda _: True, remediators=remediators, **options)
        return {receipt.change.target["setting"]: receipt for receipt in receipts}

    return applied


def numbered(change: Change, number: int, *waits_for: int) -> Change:
    return replace(change, number=number, waits_for=waits_for)


def metric_and_sioc(change: Make) -> tuple[Change, ...]:
    """The metric of a datastore cluster that is in another group of changes than the datastores, which come first; and one that is free."""
    return (
        numbered(change("sioc-1", host=None, cluster="gold"), 2, 1),
        numbered(change("free", host=None, cluster="gold"), 3),
        numbered(change("metric", host=None, cluster=None), 1),
    )


def test_what_waits_comes_after_what_it_waits_for_across_clusters(shelf: Any, run: Any, change: Make) -> None:
    receipts = run(*metric_and_sioc(change))
    assert [name for name, _ in shelf.writes] == ["free", "metric", "sioc-1"]
    assert {receipt.outcome for receipt in receipts.values()} == {Outcome.APPLIED}


@pytest.mark.parametrize(
    ("fault", "why"), [("refuses", "ended refused: the endpoint refused it: out of range"), ("stale", "ended stale: the plan saw 32")]
)
def test_a_refused_change_holds_up_only_what_depends_on_it_and_is_named(shelf: Any, run: Any, change: Make, fault: str, why: str) -> None:
    shelf.faults["metric"] = fault
    if fault == "stale":
        shelf.settings["metric"] = 99
    receipts = run(*metric_and_sioc(change))
    assert receipts["free"].outcome is Outcome.APPLIED
    assert (receipts["sioc-1"].outcome, receipts["sioc-1"].found) == (Outcome.PROPOSED, 32)
    assert f"waits for change 1 (shelf on metric), which {why}" in receipts["sioc-1"].why
    assert "sioc-1" not in dict(shelf.writes)


def test_a_change_whose_predecessor_is_not_allowed_waits_and_so_does_what_waits_for_it(shelf: Any, run: Any, change: Make) -> None:
    receipts = run(
        numbered(change("depth", fix_class=FixClass.REBOOT), 1), numbered(change("dsnro"), 2, 1), numbered(change("other"), 3, 2)
    )
    assert "needs --allow reboot" in receipts["dsnro"].why
    assert "waits for change 2" in receipts["other"].why
    assert shelf.writes == []


def test_what_is_stored_for_the_next_boot_is_not_in_force_and_holds_up_what_waits_for_it(shelf: Any, run: Any, change: Make) -> None:
    every = frozenset(FixClass)
    receipts = run(numbered(change("depth", fix_class=FixClass.REBOOT), 1), numbered(change("dsnro"), 2, 1), allow=every)
    assert (receipts["depth"].outcome, receipts["depth"].pending) == (Outcome.APPLIED, "reboot")
    assert "not in force before a reboot" in receipts["dsnro"].why
    assert [name for name, _ in shelf.writes] == ["depth"]


@pytest.mark.parametrize(
    ("outcome", "made"), [pytest.param(Outcome.APPLIED, True, id="it was made"), pytest.param(Outcome.REFUSED, False, id="it was refused")]
)
def test_what_an_earlier_run_did_of_the_plan_counts(shelf: Any, run: Any, change: Make, outcome: Outcome, made: bool) -> None:
    first = numbered(change("metric"), 1)
    receipts = run(numbered(change("sioc-1"), 2, 1), earlier={1: Receipt(first, outcome, 256)})
    assert (receipts["sioc-1"].outcome is Outcome.APPLIED) is made


def test_changes_that_wait_for_each_other_are_never_made(shelf: Any, run: Any, change: Make) -> None:
    receipts = run(numbered(change("a1"), 1, 2), numbered(change("a2"), 2, 1), numbered(change("a3"), 3))
    assert [name for name, _ in shelf.writes] == ["a3"]
    assert {receipts[name].outcome for name in ("a1", "a2")} == {Outcome.PROPOSED}


@pytest.mark.parametrize(
    ("waits_for", "ended", "why"),
    [
        pytest.param((), {}, "", id="it waits for nothing"),
        pytest.param((1,), {1: (Outcome.APPLIED, "", None)}, "", id="made"),
        pytest.param((1,), {1: (Outcome.ALREADY, "", None)}, "", id="as wanted before"),
        pytest.param((1,), {2: (Outcome.APPLIED, "", None)}, "change 1 of the plan, which was not made", id="not made"),
        pytest.param((1,), {1: (Outcome.STALE, "", None)}, "change 1 (shelf on d1), which ended stale", id="for no reason"),
        pytest.param((1,), {1: (Outcome.REFUSED, "no", None)}, "change 1 (shelf on d1), which ended refused: no", id="for a reason"),
        pytest.param(
            *((1,), {1: (Outcome.APPLIED, "", "reboot")}), "change 1 (shelf on d1), which is not in force before a reboot", id="stored"
        ),
        pytest.param(
            *((1, 2), {1: (Outcome.APPLIED, "", None), 2: (Outcome.REFUSED, "no", None)}),
            "change 2 (shelf on d2), which ended refused: no",
            id="the second of two",
        ),
    ],
)
def test_a_change_is_held_up_by_the_first_of_those_it_waits_for_that_did_not_end_well(
    change: Make, waits_for: tuple[int, ...], ended: dict[int, tuple[Outcome, str, str | None]], why: str
) -> None:
    receipts = {
        number: Receipt(change(f"d{number}"), outcome, 256, reason, pending) for number, (outcome, reason, pending) in ended.items()
    }
    held = hold_up(numbered(change("last"), 3, *waits_for), receipts, {Outcome.APPLIED, Outcome.ALREADY})
    assert held == (f"not attempted: it waits for {why}" if why else "")


def test_an_undo_puts_back_first_what_waited(change: Make) -> None:
    metric, sioc, other, free = (
        numbered(change("metric"), 1),
        numbered(change("sioc"), 2, 1, 9),
        numbered(change("other"), 3, 2, 1),
        numbered(change("free"), 4),
    )
    assert reversed_waits([other, free, sioc, metric]) == {1: (2, 3), 2: (3,), 3: (), 4: ()}


@pytest.mark.long
@given(st.lists(st.sets(st.integers(1, 8)), max_size=8))
def test_every_change_is_in_one_stage_after_all_it_waits_for_where_there_is_no_circle(waits: list[set[int]]) -> None:
    place = Resource("device", "d", "d", "vc", None, None)
    changes = [
        Change(
            "shelf",
            FixClass.ONLINE,
            Target("vc", ()),
            1,
            2,
            (),
            place,
            "",
            number=number,
            waits_for=tuple(ones & set(range(number))),
        )
        for number, ones in enumerate(waits, start=1)
    ]
    staged = stages(changes)
    stage_of = {change.number: place for place, stage in enumerate(staged) for change in stage}
    assert sorted(stage_of) == [change.number for change in changes]
    assert sum(map(len, staged)) == len(changes)
    assert all(stage_of[one] < stage_of[change.number] for change in changes for one in change.waits_for)
