"""Writes the views and columns that rules and queries can use, for a terminal."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from auditor.report.wording import neutral, shortened

if TYPE_CHECKING:
    from auditor.authoring.schema_docs import DescribedColumn

_WIDTH = 80
_MOST_SOURCES = 4


def write_views(views: Iterable[tuple[str, int, str]], out: TextIO) -> None:
    """Write each view: its name, the number of its columns, and what a row is."""
    rows = list(views)
    width = max(len(name) for name, _, _ in rows)
    for name, columns, about in rows:
        text = f"{name:<{width}}  {columns:>3} columns  {about}"
        print(textwrap.fill(text, _WIDTH, subsequent_indent=" " * (width + 15)), file=out)


def write_view(name: str, about: str, columns: Sequence[DescribedColumn], out: TextIO) -> None:
    """Write each column: its type, meaning, source facts, and a value from the lab."""
    print(textwrap.fill(f"{name}: {about}", _WIDTH), file=out)
    width = max(len(column.name) for column in columns)
    for column in columns:
        print(f"\n  {column.name:<{width}}  {column.type.lower()}", file=out)
        for word, text in (("", column.what or "(no description yet)"), ("from ", _sources(column)), ("e.g. ", _value(column.example))):
            if text:
                print(textwrap.fill(f"{word}{text}", _WIDTH, initial_indent="      ", subsequent_indent="      "), file=out)


def _sources(column: DescribedColumn) -> str:
    if column.is_plain:
        return column.sources[0]
    shown = ", ".join(column.sources[:_MOST_SOURCES])
    more = len(column.sources) - _MOST_SOURCES
    return f"{shown} and {more} more" if more > 0 else shown


def _value(value: Any) -> str:
    if value is None:
        return ""
    return shortened(neutral(value), 80) if isinstance(value, str) else json.dumps(value)
