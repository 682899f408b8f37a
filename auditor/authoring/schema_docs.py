"""What a rule may ask of a view: its columns, what each is, and which facts it is made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from auditor.facts.catalog import CatalogColumn, view_named
from auditor.facts.column_texts import column_text
from auditor.facts.needs import IDENTITIES


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """One column of a judged view."""

    name: str
    type: str  # DuckDB type
    what: str  # what it is, its unit, what NULL means; "" when it is not documented (a test finds it)
    sources: tuple[str, ...]  # the facts it is made of, each as table.column
    is_plain: bool  # it hands the one fact on as it is
    example: Any  # a value of it in the lab; None: none is kept


def about_view(view: str) -> str:
    """What one row of a view is: the first sentence of its file."""
    return view_named(view).what


def described(view: str) -> tuple[DescribedColumn, ...]:
    """The columns of `view` in order."""
    return tuple(_described(view, name, column) for name, column in view_named(view).columns.items())


def _described(view: str, name: str, column: CatalogColumn) -> DescribedColumn:
    sources = (column.plain,) if column.plain is not None else _sources(column)
    return DescribedColumn(
        name, column.type, column_text(view, name), sources, column.plain is not None, _examples().get(view, {}).get(name)
    )


def _sources(column: CatalogColumn) -> tuple[str, ...]:
    """The facts a computed column is made of; what only joins tables, or decides which rows there are, is left out where more is known."""
    facts = {(table, fact) for table, facts in column.facts.items() for fact in facts if fact and table != "reading"}
    own_facts = {(table, column) for table, column in facts if column not in IDENTITIES.get(table, ())} or facts
    return tuple(sorted(f"{table}.{column}" for table, column in own_facts))


@cache
def _examples() -> Mapping[str, Mapping[str, Any]]:
    """View -> column -> a value; lab/example_values.py writes the file."""
    examples: Mapping[str, Mapping[str, Any]] = json.loads((resources.files("auditor.facts") / "example_values.json").read_text("utf-8"))
    return examples
