"""The order of impacts: what gains most by its fix comes first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def rank_of(impact: Mapping[str, Any]) -> float | None:
    """How many times worse it is now than after the fix, by the middles of both intervals; None where that is not computed."""
    if not impact or "not_computed" in impact:
        return None
    now, after = (sum(impact[name]) / 2 for name in ("now", "after"))
    better, worse = (now, after) if impact["quantity"] == "iops" else (after, now)
    return round(worse / better, 3) if better else None
