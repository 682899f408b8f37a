"""What an earlier run wrote and something put back is not planned again before somebody has looked at it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from auditor.apply import Pace, undo
from auditor.apply.fights import put_back_since, without_put_back
from auditor.endpoints.common.sessions import Sessions
from auditor.journal import open_journal
from auditor.model import Change, FixClass, Outcome, Plan, Receipt
from tests.applying import apply

KNOWN = {"vc": "1111"}
FIRST, SECOND = "20181104T120000Z-0001", "20181105T120000Z-0002"


@pytest.fixture
def fixed(shelf: Any, sessions: Sessions, journals: Path, remediators: Any) -> Callable[..., list[Receipt]]:
    """Make changes in a run of that id; `meanwhile` happens while they settle."""

    def run(run_id: str, *changes: Change, meanwhile: Callable[[], None] = lambda: None) -> list[Receipt]:
        for one in changes:
            shelf.settings.setdefault(one.target["setting"], one.before)
        pace = Pace(1.0, wait=lambda _seconds: meanwhile(), who=lambda _change, _session: "Storage DRS did it")
        with open_journal(journals, run_id) as journal:
            plan = Plan(changes, identities=KNOWN)
            made = apply(plan, sessions, journal, allow={FixClass.ONLINE}, confirm=lambda _: True, remediators=remediators, pace=pace)
            return list(made)

    return run


def planned(
    journals: Path, *changes: Change, identities: dict[str, str | None] | None = None
) -> tuple[list[str], dict[str, str], tuple[str, ...]]:
    """What stays planned, what is left to a person and why, and the notices."""
    plan, notices = without_put_back(Plan(changes, identities=KNOWN if identities is None else identities), journals)
    return [one.target["setting"] for one in plan.changes], {one.change.target["setting"]: one.why for one in plan.unmet}, notices


def test_a_change_that_was_put_back_within_its_run_is_left_to_a_person_with_who_did_it(
    fixed: Any, shelf: Any, journals: Path, change: Callable[..., Change]
) -> None:
    fixed(FIRST, change("d1"), meanwhile=lambda: shelf.settings.update(d1=32))
    kept, left, notices = planned(journals, change("d1"), change("d2"))
    assert kept == ["d2"]
    assert left["d1"].startswith(f"run {FIRST} wrote 256, and it is 32 again (it was 256 when it was read back, and is 32 now; Storage DRS")
    assert "find out who" not in left["d1"], "it says who did it"
    assert "--retry-put-back" in left["d1"]
    assert notices[0].startswith("1 setting that an earlier run wrote was put back since")


def test_a_change_that_was_put_back_after_its_run_is_left_to_a_person(fixed: Any, journals: Path, change: Callable[..., Change]) -> None:
    fixed(FIRST, change("d1"), change("d2", host="esx-02"))
    assert planned(journals, change("d1", before=64))[1]["d1"].startswith(
        f"run {FIRST} wrote 256, and it is 64 again: find out who puts it back"
    )


def test_twice_is_a_fight(fixed: Any, shelf: Any, journals: Path, change: Callable[..., Change]) -> None:
    fixed(FIRST, change("d1"))
    shelf.settings["d1"] = 32
    fixed(SECOND, change("d1"))
    kept, left, notices = planned(journals, change("d1"))
    assert kept == []
    assert left["d1"].startswith(f"run {SECOND} wrote 256, as runs {FIRST} did before, and it is 32 again")
    assert notices[0].startswith("A fight: shelf on d1 was written by 2 runs and put back each time.")


def test_what_we_undid_ourselves_was_put_back_by_nobody_else(
    fixed: Any, journals: Path, sessions: Sessions, remediators: Any, change: Callable[..., Change]
) -> None:
    fixed(FIRST, change("d1"))
    with open_journal(journals, SECOND) as journal:
        list(undo(FIRST, sessions, journal, confirm=lambda _: True, remediators=remediators))
    assert planned(journals, change("d1"))[0] == ["d1"]


def test_a_setting_that_waits_for_a_boot_was_not_put_back(fixed: Any, shelf: Any, journals: Path, change: Callable[..., Change]) -> None:
    shelf.pending = "reboot"
    fixed(FIRST, change("d1"))
    assert planned(journals, change("d1"))[0] == ["d1"]


@pytest.mark.parametrize(
    ("identities", "kept"),
    [
        pytest.param({"vc": "1111"}, [], id="the same vCenter"),
        pytest.param({"vc": "2222"}, ["d1"], id="another one under the name"),
        pytest.param({"vc": None}, [], id="one that does not say who it is"),
    ],
)
def test_what_another_endpoint_did_counts_for_nothing(
    fixed: Any, journals: Path, change: Callable[..., Change], identities: dict[str, str | None], kept: list[str]
) -> None:
    fixed(FIRST, change("d1"))
    assert planned(journals, change("d1"), identities=identities)[0] == kept


def test_another_value_is_another_change(fixed: Any, journals: Path, change: Callable[..., Change]) -> None:
    fixed(FIRST, change("d1"))
    assert planned(journals, change("d1", after=64))[0] == ["d1"]
    assert planned(journals, replace(change("d1"), remediator="other"))[0] == ["d1"]


def test_without_a_journal_everything_stays_planned(tmp_path: Path, change: Callable[..., Change]) -> None:
    assert planned(tmp_path / "none", change("d1")) == (["d1"], {}, ())


BEFORE, MADE, AFTER = (datetime(2026, 11, 21, 22, minute, tzinfo=UTC) for minute in (29, 30, 31))


def kept(
    journals: Path,
    run: str,
    *changes: Change,
    outcome: Outcome | None = Outcome.APPLIED,
    at: datetime = MADE,
    identity: str | None = "1111",
    why: str = "",
) -> None:
    """A journal with these writes; `outcome` None: the run ended before the receipts."""
    with open_journal(journals, run, lambda: at) as journal:
        for one in changes:
            intent = journal.intend(one, identity)
            if outcome is not None:
                journal.receipt(intent, Receipt(one, outcome, one.after, why))


@pytest.mark.parametrize(
    ("writes", "runs"),
    [
        pytest.param([(256, Outcome.APPLIED)], ["run-1"], id="applied"),
        pytest.param([(256, Outcome.REVERTED)], ["run-1"], id="put back within the run"),
        pytest.param([(256, Outcome.REFUSED)], [], id="refused: it was never written"),
        pytest.param([(256, Outcome.UNVERIFIED)], [], id="it may never have been written"),
        pytest.param([(256, None)], [], id="killed at the write"),
        pytest.param([(64, Outcome.APPLIED), (256, Outcome.APPLIED)], ["run-2"], id="another value before"),
        pytest.param([(256, None), (256, Outcome.APPLIED)], ["run-2"], id="killed before"),
        pytest.param([(256, Outcome.APPLIED), (64, Outcome.APPLIED)], ["run-1"], id="another value later, over what was put back"),
        pytest.param([(256, Outcome.APPLIED)] * 3, ["run-1", "run-2", "run-3"], id="three times"),
    ],
)
def test_each_run_that_wrote_it_and_after_which_it_was_something_else_is_named(
    journals: Path, change: Callable[..., Change], writes: list[tuple[int, Outcome | None]], runs: list[str]
) -> None:
    for number, (after, outcome) in enumerate(writes, 1):
        kept(journals, f"run-{number}", change("d1", after=after), outcome=outcome)
    why = planned(journals, change("d1"))[1].get("d1", "")
    assert [run for run in ("run-1", "run-2", "run-3") if run in why] == runs


def test_a_run_that_found_its_value_left_as_it_was_is_not_named(journals: Path, change: Callable[..., Change]) -> None:
    kept(journals, "run-1", change("d1"))
    kept(journals, "run-2", change("d1", before=256, after=64))
    kept(journals, "run-3", change("d1", before=64))
    why = planned(journals, change("d1"))[1]["d1"]
    assert (
        why == "run run-3 wrote 256, and it is 32 again: find out who puts it back, and settle that; --retry-put-back changes it once more"
    )


@pytest.mark.parametrize(
    ("outcome", "said", "why"),
    [
        pytest.param(
            Outcome.REVERTED, "it is 32 now; Storage DRS", " (it is 32 now; Storage DRS): settle it with whom that names", id="who"
        ),
        pytest.param(
            Outcome.REVERTED, "it is 32 now", " (it is 32 now): find out who puts it back, and settle that", id="nobody knows who"
        ),
        pytest.param(
            Outcome.APPLIED, "the task ended late; it held", ": find out who puts it back, and settle that", id="what is said of a write"
        ),
    ],
)
def test_only_what_saw_a_value_put_back_can_say_who_did_it(
    journals: Path, change: Callable[..., Change], outcome: Outcome, said: str, why: str
) -> None:
    for run in ("run-1", "run-2", "run-3"):
        kept(journals, run, change("d1"), outcome=outcome, why=said)
    wrote = "run run-3 wrote 256, as runs run-1, run-2 did before, and it is 32 again"
    assert planned(journals, change("d1"))[1]["d1"] == f"{wrote}{why}; --retry-put-back changes it once more"


def test_a_journal_that_does_not_say_which_endpoint_it_was_goes_by_the_name(journals: Path, change: Callable[..., Change]) -> None:
    kept(journals, "run-1", change("d1"), change("d1", where="vc-2"), identity=None)
    assert planned(journals, change("d1"), change("d1", where="vc-3"))[0] == ["d1"]


@pytest.mark.parametrize(
    ("at", "run", "since"),
    [
        pytest.param(BEFORE, "run-1", False, id="written before the plan was made: somebody saw it in the plan"),
        pytest.param(MADE, "run-1", True, id="written as the plan was made"),
        pytest.param(AFTER, "run-1", True, id="written since"),
        pytest.param(AFTER, "own", False, id="by the run itself"),
        pytest.param(BEFORE, "own", False, id="by the run itself, before"),
    ],
)
def test_only_what_was_written_since_the_plan_and_put_back_is_left_to_a_person_while_it_is_made(
    journals: Path, change: Callable[..., Change], at: datetime, run: str, since: bool
) -> None:
    kept(journals, run, change("d1"), at=at)
    plan = Plan((change("d1"), change("d2")), identities=KNOWN)
    found = put_back_since(plan, journals, "own", MADE)
    why = f"run {run} wrote 256, and it is 32 again: find out who puts it back, and settle that; --retry-put-back changes it once more"
    assert found == ({("shelf", change("d1").target): why} if since else {})


def test_without_a_journal_nothing_was_put_back_since(tmp_path: Path, change: Callable[..., Change]) -> None:
    assert put_back_since(Plan((change("d1"),), identities=KNOWN), tmp_path / "none", "own", MADE) == {}


@pytest.mark.parametrize(
    ("once", "twice", "notices"),
    [
        pytest.param(
            *(1, 0, ["1 setting that an earlier run wrote was put back since, and is left to a person; the plan names the runs. "]),
            id="one",
        ),
        pytest.param(
            *(2, 0, ["2 settings that an earlier run wrote were put back since, and are left to a person; the plan names the runs. "]),
            id="two",
        ),
        pytest.param(0, 3, ["A fight: shelf on f1, shelf on f2, shelf on f3 was written by 2 runs and put back each time. "], id="fights"),
        pytest.param(
            *(0, 5, ["A fight: shelf on f1, shelf on f2, shelf on f3 and 2 more was written by 2 runs and put back each time. "]),
            id="many fights",
        ),
        pytest.param(
            1,
            2,
            [
                "A fight: shelf on f1, shelf on f2 was written by 2 runs and put back each time. ",
                "1 setting that an earlier run wrote was put back since, and is left to a person; the plan names the runs. ",
            ],
            id="both",
        ),
    ],
)
def test_notices_count_fights_and_the_others_apart(
    journals: Path, change: Callable[..., Change], once: int, twice: int, notices: list[str]
) -> None:
    fights = [change(f"f{number}") for number in range(1, twice + 1)]
    others = [change(f"o{number}") for number in range(1, once + 1)]
    kept(journals, "run-1", *fights)
    kept(journals, "run-2", *fights, *others)
    found = planned(journals, *fights, *others)[2]
    assert [sentence[: len(begin)] for sentence, begin in zip(found, notices, strict=True)] == notices
