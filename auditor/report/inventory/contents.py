"""The inventory that is written: its sheets with their rows, read once, and what stands above them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.report.inventory.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Contents:
    """What is written.

    Attributes:
        about: (what, value, note) of all of it: when it was read, and by which release.
        sheets: each with its rows, in the order of `SHEETS`; the rows of one are read before the next begins.
    """

    about: tuple[tuple[str, Any, str], ...]
    sheets: Iterator[tuple[Sheet, Iterator[tuple[Any, ...]]]]
