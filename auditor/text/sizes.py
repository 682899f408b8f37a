"""Sizes, rates and spans of time between two ends, as a person reads them."""

from __future__ import annotations

import math

from auditor.text.numbers import number_text

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def bytes_text(value: float) -> str:
    """Bytes in the largest unit that leaves a whole number: ``1.5 TiB``, ``750 GiB``; ``an unknown size`` for infinity."""
    if math.isinf(value):
        return "an unknown size"
    place = 0
    while value >= 1024 and place < len(_UNITS) - 1:
        value, place = value / 1024, place + 1
    return f"{number_text(value)} {_UNITS[place]}"


def rate_text(bytes_per_second: float) -> str:
    """Bytes a second: ``238 MiB/s``."""
    return f"{bytes_text(bytes_per_second)}/s"


def span_text(low: float, high: float) -> str:
    """Two ends as words: ``3 to 5 h``, ``5 h`` where they read alike, ``at least 3 h``, ``up to 5 h``, ``an unknown time``.

    Args:
        low: seconds; infinite where it never ends.
        high: seconds; infinite where nothing bounds it.
    """
    if math.isinf(low) or (low == 0 and math.isinf(high)):
        return "an unknown time"
    if math.isinf(high):
        return f"at least {seconds_text(low)}"
    if low == 0:
        return f"up to {seconds_text(high)}"
    first, last = seconds_text(low), seconds_text(high)
    return first if first == last else f"{first} to {last}"


def seconds_text(value: float) -> str:
    """Seconds in the unit of their size: ``40 s``, ``12 min``, ``1 h 50 min``, ``9 h``, ``3 days``."""
    if value < 90:
        return f"{value:.0f} s"
    minutes = round(value / 60)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 10 * 60:
        hours, rest = divmod(minutes, 60)
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    return f"{value / 3600:.0f} h" if value < 48 * 3600 else f"{value / 86400:.0f} days"
