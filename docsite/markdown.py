"""Markdown that is made: tables, and texts in which nothing is markup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\*_\[\]<>|])")
_CODE = re.compile(r"(`[^`]+`)")


def escaped(text: str) -> str:
    """`text` as one line in which nothing is markup but code between backticks."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(part.replace("|", r"\|") if _CODE.fullmatch(part) else _SPECIAL.sub(r"\\\1", part) for part in parts)


def code(text: str) -> str:
    """`text` as code; "" stays empty."""
    return f"`{text}`".replace("|", r"\|") if text else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already, followed by an empty line; "" where there is no row."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *lines, "", ""]) if lines else ""
