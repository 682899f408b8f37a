"""An impact in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from auditor.report.digest import digest
from auditor.report.html.interval_bars import interval_bars
from auditor.report.impacts import cost_text, impact_rows, impact_text
from tests.report import samples
from tests.report.samples import IMPACT


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        pytest.param(
            {},
            "vm-2 Hard disk 1 and 1 more take 267 to 383 ms behind vm-1 Hard disk 1; after the fix 0.9 to 1.6 ms, at worst 80 ms",
            id="S0",
        ),
        pytest.param(
            {"victims": ["a"], "victims_count": 1, "behind": []},
            "a takes 267 to 383 ms; after the fix 0.9 to 1.6 ms, at worst 80 ms",
            id="one",
        ),
        pytest.param(
            {"quantity": "iops", "victims": ["a"], "victims_count": 1, "now": [64000, 66000], "after": [65000, 185000]},
            "a: 64,000 to 66,000 commands a second; after the fix 65,000 to 185,000",
            id="S2",
        ),
        pytest.param(
            {"quantity": "iops", "victims": ["a"], "victims_count": 1, "now": [64000, 66000], "after": [65000, 185000]}
            | {"latency_ms": {"now": [1.33, 1.5], "after": [0.45, 1.5], "worst_after": [0.45, 2]}},
            "a: 64,000 to 66,000 commands a second of 1.3 to 1.5 ms; after the fix 65,000 to 185,000 of 0.45 to 1.5 ms",
            id="S2 with its latency",
        ),
        pytest.param(
            {"quantity": "transfers_per_disk", "now": [119, 121], "after": [60, 121], "worst_after": [119, 121]},
            "esx-01.example.net/naa.1: 119 to 121 transfers a second per disk, in the way of vm-2 Hard disk 1 and 1 more; "
            "the fix may not help, at worst 121",
            id="S3",
        ),
        pytest.param({"victims": [], "victims_count": 0, "behind": []}, "nobody known", id="no victim is known"),
        pytest.param(
            {"worst_now": [280.0, 2300.0]},
            "vm-2 Hard disk 1 and 1 more take 267 to 383 ms behind vm-1 Hard disk 1; after the fix 0.9 to 1.6 ms, "
            "at worst 80 ms instead of 2,300",
            id="S0 with its worst of now",
        ),
        pytest.param(
            {"direction": "better", "size_known": False, "victims": ["a"], "victims_count": 1, "behind": []},
            "a takes 267 to 383 ms; after the fix not slower; how much quicker is not known",
            id="S1: only the direction is known",
        ),
        pytest.param(
            {"direction": "worse", "size_known": False, "victims": ["a"], "victims_count": 1, "behind": []},
            "a takes 267 to 383 ms; after the fix not quicker; how much slower is not known",
            id="a shallower queue",
        ),
        pytest.param(
            {"direction": "either", "size_known": False, "victims": ["a"], "victims_count": 1, "behind": []},
            "a takes 267 to 383 ms; whether the fix helps is not known",
            id="not even the direction is known",
        ),
        pytest.param(
            {"quantity": "iops", "victims": ["a"], "victims_count": 1, "now": [64000, 66000], "after": [65000, 204000]}
            | {"direction": "better", "size_known": False},
            "a: 64,000 to 66,000 commands a second; after the fix not fewer; how many more is not known",
            id="S2: only the direction is known",
        ),
        pytest.param(
            {"quantity": "iops", "victims": ["a"], "victims_count": 1, "now": [122000, 125000], "after": [40000, 125000]}
            | {"direction": "worse", "size_known": False},
            "a: 122,000 to 125,000 commands a second; after the fix not more; how many fewer is not known",
            id="S2 the other way round",
        ),
        pytest.param(
            {"quantity": "transfers_per_disk", "now": [119, 121], "after": [34, 121], "direction": "better", "size_known": False},
            "esx-01.example.net/naa.1: 119 to 121 transfers a second per disk, in the way of vm-2 Hard disk 1 and 1 more; "
            "after the fix not more; how many fewer is not known",
            id="S3: only the direction is known",
        ),
        pytest.param(
            {"direction": "same", "size_known": True, "after": [267, 383]},
            "vm-2 Hard disk 1 and 1 more take 267 to 383 ms behind vm-1 Hard disk 1; the fix does not change that",
            id="a setting that is not in force",
        ),
        pytest.param(
            {"model": "move", "behind": [], "now": [4.75, 6.3], "after": [0.1, 6.3], "worst_now": [4.75, 22.3]}
            | {"direction": "better", "size_known": False},
            "vm-2 Hard disk 1 and 1 more take 4.8 to 6.3 ms; up to 22 ms on average while the copy reads as fast as it can",
            id="S1 from its source: what is predicted of a copy",
        ),
    ],
)
def test_one_sentence_says_who_waits_how_long_and_what_the_fix_gives(cells: dict[str, Any], text: str) -> None:
    assert impact_text({**IMPACT, **cells}).startswith(text)


def test_what_is_not_computed_is_no_sentence_and_has_its_reason_in_full() -> None:
    assert impact_text({"not_computed": "no load"}) == impact_text({}) == ""
    assert impact_rows({"not_computed": "no \x1b[31mload"})["not computed"].endswith("load")
    assert "\x1b" not in impact_rows({"not_computed": "no \x1b[31mload"})["not computed"]
    assert impact_rows({}) == {}


def test_in_full_every_input_says_where_it_is_from() -> None:
    assert impact_rows(IMPACT)["depth now"] == "32 commands, measured: device_queue.depth_in_effect"
    open_ended = {**IMPACT, "inputs": [{**IMPACT["inputs"][0], "value": [1.0, None]}]}  # type: ignore[index]
    assert impact_rows(open_ended)["depth now"].startswith("at least 1 commands")


def test_bounds_of_an_unknown_size_are_for_the_full_page_alone() -> None:
    unsized = {**IMPACT, "direction": "better", "size_known": False, "after": [0.1, 151.0]}
    assert impact_rows(unsized)["bounds after the fix"] == "0.1 to 151"
    for text in (impact_text(unsized), cost_text(unsized)):
        assert "151" not in text
        assert "at worst" not in text
    assert "bounds after the fix" not in impact_rows(IMPACT)


def test_of_a_machine_that_is_copied_the_cost_is_what_is_predicted_and_not_what_an_end_of_it_gives() -> None:
    move = {
        **IMPACT,
        "model": "move",
        "behind": [],
        "now": [4.75, 6.3],
        "after": [0.1, 6.3],
        "worst_now": [4.75, 22.3],
        "size_known": False,
    }
    assert (
        cost_text(move) == "4.8 to 6.3 ms now, up to 22 ms on average while the copy reads as fast as it can: vm-2 Hard disk 1 and 1 more"
    )
    rows = impact_rows(move)
    assert rows["while it is copied"] == "4.8 to 22 ms, a mean; where between is not known"
    assert "bounds after the fix" not in rows
    assert "up to 22 ms" in interval_bars(move, "x")
    assert "how much quicker" not in interval_bars(move, "x")


def test_of_two_rules_of_one_severity_the_one_with_the_greater_impact_comes_first() -> None:
    first, second = samples.pe_finding("esx-01"), replace(samples.pe_finding("esx-02"), rule="a/first-by-name", impact={})
    report = samples.report_of([first, second])
    assert [rule.rule for rule in digest(report, 10).failing] == [first.rule, "a/first-by-name"]


@pytest.mark.parametrize(
    ("now", "after", "helps"),
    [((41, 148), (0.1, 148), False), ((0.9, 1.5), (0.9, 1.5), False), ((41, 148), (0.1, 147), True), ((41, 148), (42, None), True)],
)
def test_an_interval_after_the_fix_that_contains_the_one_now_is_no_promise(
    now: tuple[float, float], after: tuple[float, float | None], helps: bool
) -> None:
    impact = {**IMPACT, "now": now, "after": after}
    for text in (impact_text(impact), cost_text(impact)):
        assert ("the fix may not help" in text) is not helps, text
        assert ("after the fix" in text) is helps, text


def test_what_a_cause_costs_names_who_holds_the_others_up() -> None:
    assert cost_text(IMPACT).startswith("267 to 383 ms now behind vm-1 Hard disk 1, 0.9 to 1.6 ms after the fix")
