"""What a rule may ask of a view: its columns, what each is, and which facts it is made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from auditor.engine.lineage import plain_fact, rests_on
from auditor.facts.column_texts import COMMON, column_texts
from auditor.facts.needs import IDENTITIES
from auditor.facts.schema import TABLES
from auditor.facts.views import view_columns, view_sources


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """One column of a judged view."""

    name: str
    type: str  # DuckDB type
    what: str  # what it is, its unit, what NULL says; "" when nobody has said (a test finds it)
    sources: tuple[str, ...]  # the facts it is made of, each as table.column
    is_plain: bool  # it hands the one fact on as it is
    example: Any  # a value of it in the lab; None: none is kept


def about_view(view: str) -> str:
    """What one row of a view is: the first sentence of its file."""
    text = dict(view_sources())[view]
    told = []
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        told.append(line.removeprefix("--").strip())
    sentence, dot, _ = " ".join(told).partition(". ")
    return sentence + "." if dot else sentence


def described(view: str) -> tuple[DescribedColumn, ...]:
    """The columns of `view` in order."""
    return tuple(_column(view, name, kind) for name, kind in view_columns()[view].items())


def _column(view: str, name: str, kind: str) -> DescribedColumn:
    plain = _plain(view, name)
    texts, fact_text = column_texts(), ""
    if plain is not None:
        fact_text = next(column.what for column in TABLES[plain[0]].columns if column.name == plain[1])
    what = texts.get(view, {}).get(name) or fact_text or texts[COMMON].get(name, "")
    sources = (".".join(plain),) if plain is not None else _sources(view, name)
    return DescribedColumn(name, kind, what, sources, plain is not None, _examples().get(view, {}).get(name))


def _plain(view: str, name: str) -> tuple[str, str] | None:
    try:
        return plain_fact(view, name)
    except NotImplementedError:
        return None


def _sources(view: str, name: str) -> tuple[str, ...]:
    """The facts a computed column is made of; what only joins tables, or decides which rows there are, is left out where more is known."""
    try:
        own, rows = rests_on([(view, [name])]).columns, rests_on([(view, [])]).columns
    except NotImplementedError:
        return ()
    facts = {(table, column) for table, column in own - rows if column and table != "reading"}
    telling = {(table, column) for table, column in facts if column not in IDENTITIES.get(table, ())} or facts
    return tuple(sorted(f"{table}.{column}" for table, column in telling))


@cache
def _examples() -> Mapping[str, Mapping[str, Any]]:
    """View -> column -> a value; lab/example_values.py writes the file."""
    found: Mapping[str, Mapping[str, Any]] = json.loads((resources.files("auditor.facts") / "example_values.json").read_text("utf-8"))
    return found
