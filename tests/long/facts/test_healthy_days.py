"""False alarms: episodes, and findings about them, on healthy generated days.

docs/design/episodes.md has the figures, also of two kinds of days that had none, and are left out here for the time they take.
"""

from typing import Any

import pytest

from tests.facts.days import day, latencies
from tests.facts.fleets import view
from tests.facts.test_episode_rows import history

DAYS = 1000


@pytest.mark.parametrize(
    ("kind", "with_an_episode"),
    [
        pytest.param({}, 2, id="5 ms, twice as slow by day"),
        pytest.param({"spread": 0.5}, 3, id="a wide spread"),
        pytest.param({"usual": 2.0, "spread": 0.5, "by_day": 0.5, "whole": True}, 14, id="2 ms in whole milliseconds"),
        pytest.param({"memory": 0.9, "by_day": 2.0}, 74, id="slow changes, three times as slow by day"),
    ],
)
def test_healthy_days_have_as_few_episodes_as_the_page_says_and_no_finding(kind: dict[str, Any], with_an_episode: int) -> None:
    facts = history(*(row for seed in range(DAYS) for row in day(f"ds-{seed}", latencies(seed, **kind))))
    assert len({row["subject"] for row in view("episode", facts)}) == with_an_episode
    named = [row for row in view("episode_pattern", facts) if row["fitting"] >= 3 and row["chance"] is not None and row["chance"] <= 0.01]
    assert named == []
