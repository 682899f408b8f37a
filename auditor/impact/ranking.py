"""The order of impacts: what gains most by its fix comes first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def rank_of(impact: Mapping[str, Any]) -> float | None:
    """How many times worse it is now than after the fix, by the middles of both intervals; None where that is not computed.

    The sums of the ends are to each other as the middles are.

    Where nobody knows how much the fix gives it is at most 1: what is known to gain comes first.
    """
    if not impact or "not_computed" in impact:
        return None
    now, after = (sum(impact[name]) for name in ("now", "after"))
    better, worse = (now, after) if impact["quantity"] == "iops" else (after, now)
    times = round(worse / better, 3) if better else None
    return times if times is None or impact.get("size_known", True) else min(1.0, times)
