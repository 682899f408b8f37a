"""What a pool's disks work for, in words: the same on a page and in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.report.wording import neutral

if TYPE_CHECKING:
    from auditor.impact.functions import Function, Functions


def amount_text(one: Function, functions: Functions) -> str:
    """Transfers a second, how much of all that is, and whether it is measured: ``0 to 3,402 (0 to 50 %), estimate``."""
    share = _ends(100 * one.low / functions.total, 100 * one.high / functions.total)
    return f"{_ends(one.low, one.high)} ({share} %), {neutral(one.basis)}"


def knee_text(functions: Functions) -> str:
    """What its data disks can do; "" where no source says it."""
    if functions.knee is None:
        return ""
    low, high = functions.knee
    return f"data disks slow down between {low:,.0f} and {high:,.0f}"


def _ends(low: float, high: float) -> str:
    texts = f"{low:,.0f}", f"{high:,.0f}"
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"
