"""A number as a person reads it: the one place that decides how many digits, and that there is never an exponent."""

from __future__ import annotations

import math


def number_text(value: float, digits: int = 3) -> str:
    """All digits before the point, with commas, and as many behind it as make `digits` that count; never `1e+02`.

    ``1,522``, ``13.2``, ``0.00043``.
    """
    if not math.isfinite(value):
        return "any number" if value > 0 else "no number"
    if value == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{round(value, places):,.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text


def count_of(number: int, one: str, many: str | None = None) -> str:
    """``1 host``, ``12,345 hosts``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
