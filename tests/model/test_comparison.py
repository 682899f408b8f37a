"""What a comparison of two runs says of itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from auditor.model import Verdict
from auditor.model.comparison import WORDS, ChangedFinding, ChangeKind, Comparison
from tests.report import samples

BEFORE = Comparison("20261122T060000Z-a1b2", datetime(2026, 11, 22, 6, tzinfo=UTC), {}, same_scope=True, listed=lambda: iter(()))
FAILED, PASSED = samples.pe_finding(), samples.pe_finding(verdict=Verdict.PASS)


@pytest.mark.parametrize(
    ("counts", "same", "sentence"),
    [
        pytest.param({}, True, "nothing changed since 2026-11-22 06:00 UTC (run 20261122T060000Z-a1b2)", id="nothing"),
        pytest.param(
            {ChangeKind.CHANGED: 1200, ChangeKind.FIXED: 2, ChangeKind.CAME_BACK: 1, ChangeKind.NEW: 3},
            True,
            "3 new, 1 came back, 2 fixed, 1,200 changed since 2026-11-22 06:00 UTC (run 20261122T060000Z-a1b2)",
            id="what is worse comes first, measured values last",
        ),
        pytest.param(
            {ChangeKind.NO_LONGER_READ: 4},
            False,
            "4 no longer read since 2026-11-22 06:00 UTC (run 20261122T060000Z-a1b2), another scope: compared as far as both have judged",
            id="another scope is said to be one",
        ),
    ],
)
def test_a_comparison_says_in_one_sentence_what_changed(counts: dict[ChangeKind, int], same: bool, sentence: str) -> None:
    assert replace(BEFORE, counts=counts, same_scope=same).sentence() == sentence


def test_every_kind_of_change_has_a_word_and_is_counted_in_the_sentence() -> None:
    assert set(WORDS) == set(ChangeKind)
    sentence = replace(BEFORE, counts=dict.fromkeys(ChangeKind, 7)).sentence()
    assert all(f"7 {word}" in sentence for word in WORDS.values())


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        pytest.param(ChangeKind.NEW, PASSED, id="new: as it is now"),
        pytest.param(ChangeKind.FIXED, FAILED, id="fixed: the failure that it was"),
        pytest.param(ChangeKind.NEWLY_UNKNOWN, PASSED, id="newly unknown: as it is now"),
    ],
)
def test_a_reader_sees_the_failure_where_there_is_one(kind: ChangeKind, shown: object) -> None:
    comparison = replace(BEFORE, listed=lambda: iter([ChangedFinding(kind, FAILED, PASSED)]))
    assert list(comparison.changes()) == [(kind, shown)]


def test_only_what_did_not_fail_before_counts_as_worse() -> None:
    assert replace(BEFORE, counts=dict.fromkeys(ChangeKind, 1)).worse == 2
