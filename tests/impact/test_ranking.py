"""The order of impacts."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.impact.ranking import rank_of


def impact(now: tuple[float, float], after: tuple[float, float], quantity: str = "latency_ms", **more: Any) -> dict[str, Any]:
    return {"quantity": quantity, "now": now, "after": after, **more}


@pytest.mark.parametrize(
    ("found", "rank"),
    [
        pytest.param({}, None, id="nothing computes it"),
        pytest.param({"not_computed": "no load"}, None, id="not computed"),
        pytest.param(impact((250, 350), (1, 2)), 200, id="milliseconds: fewer are better"),
        pytest.param(impact((100, 300), (200, 400), "iops"), 1.5, id="commands a second: more are better"),
        pytest.param(impact((100, 140), (30, 50), "transfers_per_disk"), 3, id="transfers: fewer are better"),
        pytest.param(impact((1, 1), (3, 3)), 0.333, id="worse than now, to three digits"),
        pytest.param(impact((2, 2), (3, 3), "iops", direction="better", size_known=True), 1.5, id="a size that is known"),
        pytest.param(impact((2, 2), (2, 9), "iops", direction="better", size_known=False), 1, id="a gain of an unknown size"),
        pytest.param(impact((4, 4), (1, 3), "iops", direction="worse", size_known=False), 0.5, id="a loss of an unknown size"),
        pytest.param(impact((1, 2), (0, 0)), None, id="after it nothing is left"),
        pytest.param(impact((1, 2), (0, 0), size_known=False), None, id="after it nothing may be left"),
    ],
)
def test_a_rank_is_how_many_times_worse_now_is_than_after(found: dict[str, Any], rank: float | None) -> None:
    assert rank_of(found) == rank
