"""What an earlier run wrote and something put back is not planned again before somebody has looked at it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auditor.apply import Pace, undo
from auditor.apply.fights import without_put_back
from auditor.endpoints.common.sessions import Sessions
from auditor.journal import open_journal
from auditor.model import Change, FixClass, Plan, Receipt
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
