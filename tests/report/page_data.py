"""Reads the data blocks of a page back, by what the docstring of `auditor.report.html.embedding` says of their form."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any


def blocks_in(page: str) -> list[dict[str, Any]]:
    """The data blocks of a page."""
    return [json.loads(text) for text in re.findall(r'class="findings">(.*?)</script>', page)]


def values_of(blocks: Sequence[dict[str, Any]], name: str) -> list[Any]:
    """One column of all findings, in their order."""
    return _ordered([(place, _in_column(block, block[name], row)) for block in blocks for row, place in enumerate(_places(block))])


def evidence_of(blocks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The evidence of all findings, in their order."""
    return _ordered(
        [
            (place, {name: _in_column(block, column, row) for name, column in block["evidence"]})
            for block in blocks
            for row, place in enumerate(_places(block))
        ]
    )


def _ordered(placed: list[tuple[int, Any]]) -> list[Any]:
    placed.sort(key=lambda one: one[0])
    assert [place for place, _ in placed] == list(range(len(placed))), "each place once, and none is missing"
    return [value for _, value in placed]


def _places(block: dict[str, Any]) -> Sequence[int]:
    first = block["at"]
    return first if isinstance(first, list) else range(first, first + block["n"])


def _in_column(block: dict[str, Any], column: Any, row: int) -> Any:
    match column:
        case list():
            return column[row]
        case {"as": other}:
            return _in_column(block, block[other], row)
        case {"v": value}:
            return value
    return column["d"][column["i"][row]]
