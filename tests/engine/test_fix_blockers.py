"""Why a failure is left to a person, in the words of its rule."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auditor.engine.fixes.blockers import blocker_text, by_hand_text
from tests.engine.bench import HEADROOM, SOUND, rules_from

BY_HAND = "Raise it by hand."


def texts(folder: Path, blocker: str, **keys: Any) -> str:
    rule = replace(rules_from(folder, SOUND)[HEADROOM], **keys)
    assert rule.fix is not None
    return blocker_text(rule, rule.fix, blocker)


def test_what_a_person_does_is_what_the_rule_says_or_its_fix_is_for_or_its_title(tmp_path: Path) -> None:
    rule = rules_from(tmp_path, SOUND)[HEADROOM]
    assert rule.fix is not None
    assert by_hand_text(replace(rule, by_hand=BY_HAND)) == BY_HAND
    assert by_hand_text(rule) == "Room for several throttled disks"
    assert by_hand_text(replace(rule, fix=replace(rule.fix, reason=""))) == "One throttled disk cannot fill a protocol endpoint's queue"
    assert by_hand_text(replace(rule, fix=None)) == "One throttled disk cannot fill a protocol endpoint's queue"


@pytest.mark.parametrize(
    ("blocker", "text"),
    [
        pytest.param("manual", "Room for several throttled disks", id="by hand anyway"),
        pytest.param("target", "where to write dsnro is not known: one of host_id, device was not read", id="the place"),
        pytest.param("unread", "dsnro was not read, so a change of it could not be undone", id="the value before"),
        pytest.param("type", "dsnro holds something that is not of the type the fix would write", id="the type"),
        pytest.param("after", "what dsnro should become could not be worked out from what was read", id="the value after"),
        pytest.param("same", "dsnro is as wanted already, and the rule still fails", id="as wanted"),
        pytest.param("breaks", "the fix would make another rule fail that wants dsnro as it is", id="another rule"),
        pytest.param(
            "unsettled", "the fix would not settle it: with dsnro as the fix sets it the rule would still not pass", id="not settled"
        ),
        pytest.param("when", "the fix is meant for rows where ", id="other rows"),
    ],
)
def test_each_blocker_has_its_reason(tmp_path: Path, blocker: str, text: str) -> None:
    assert texts(tmp_path, blocker) == text


@pytest.mark.parametrize("blocker", ["manual", "when"])
def test_where_the_rule_says_what_to_do_that_is_the_reason(tmp_path: Path, blocker: str) -> None:
    assert texts(tmp_path, blocker, by_hand=BY_HAND) == BY_HAND


@pytest.mark.parametrize("blocker", ["same", "unsettled"])
def test_where_the_fix_is_not_enough_the_rule_says_what_else(tmp_path: Path, blocker: str) -> None:
    assert texts(tmp_path, blocker, by_hand=BY_HAND) == f"{texts(tmp_path, blocker)}. {BY_HAND}"
