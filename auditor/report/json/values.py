"""Single values as JSON for programs has them: moments, and numbers that JSON does not know."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from auditor.model import Scalar


def utc_text(when: datetime) -> str:
    """ISO 8601 in UTC, with a Z."""
    from datetime import UTC

    return when.astimezone(UTC).isoformat().replace("+00:00", "Z")


def json_scalar(value: Scalar) -> Scalar:
    """`value` as JSON can represent it: NaN and the infinities become their names."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def json_scalars(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """`values` as JSON can represent them."""
    return {name: json_scalar(value) for name, value in values.items()}
