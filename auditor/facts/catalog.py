"""The catalogue of the views: columns, types, lineage, order and materialisation, read from facts/catalog.json.

All of this follows from the installed files. It is worked out once, at authoring time, by authoring/catalog.py (`make catalog`), so that an
audit parses no view. A test fails when the file is older than the views.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Literal

import msgspec

from auditor.facts.needs import Needs, needs
from auditor.facts.table import Fact
from auditor.once import once

FILE = "catalog.json"

FLEET_FILE_TOPIC = "fleet.yaml"
BASELINE_TOPIC = "baseline"
"""Topics of columns whose values come from no endpoint."""


class CatalogColumn(msgspec.Struct, frozen=True, omit_defaults=True):
    """One column of a judged view.

    Attributes:
        type: its DuckDB type.
        topics: the topics its value was read by, FLEET_FILE_TOPIC and BASELINE_TOPIC included.
        facts: fact table -> columns it rests on; what the view's rows rest on is left out.
        readings: topics whose row in the table `reading` it looks at; likewise.
        plain: the one fact it hands on unchanged, as table.column; None: the view computes it.
    """

    type: str
    topics: tuple[str, ...] = ()
    facts: dict[str, tuple[str, ...]] = {}
    readings: tuple[str, ...] = ()
    plain: str | None = None


class CatalogView(msgspec.Struct, frozen=True, omit_defaults=True):
    """One view or step.

    Attributes:
        domain: the folder of facts/views/ that its file is in.
        what: what one row is: the first sentence of its file.
        materialize: `table`: it is computed once and kept; `view`: it is computed for each statement that reads it.
        rests_on: the views and steps its SQL names.
        facts: fact table -> columns that decide which rows there are; "" as the column is the table's rows as such. {} of a step.
        readings: topics whose row in the table `reading` decides about rows.
        empty_without: fact tables; where one of them has no row, neither has the view. () of a step.
        columns: in order; {} of a step.
    """

    domain: str
    what: str
    materialize: Literal["table", "view"]
    rests_on: tuple[str, ...] = ()
    facts: dict[str, tuple[str, ...]] = {}
    readings: tuple[str, ...] = ()
    empty_without: tuple[str, ...] = ()
    columns: dict[str, CatalogColumn] = {}


class Catalog(msgspec.Struct, frozen=True):
    """Every view and step, each after all that it rests on.

    Attributes:
        made_of: the digest of the SQL files it was made of.
        views: by name.
    """

    made_of: str
    views: dict[str, CatalogView]


@once
def catalog() -> Catalog:
    """The catalogue of the installed views."""
    return msgspec.json.decode((resources.files("auditor.facts") / FILE).read_bytes(), type=Catalog)


@cache
def view_columns() -> Mapping[str, Mapping[str, str]]:
    """Every judged view: its columns in order, each with its DuckDB type."""
    return {
        name: {column: about.type for column, about in view.columns.items()}
        for name, view in sorted(catalog().views.items())
        if not name.startswith("step_")
    }


def column_topics(view: str, column: str) -> tuple[str, ...]:
    """The topics a column's value was read by; () where the installed views have no such column, as for an older run."""
    about = catalog().views.get(view)
    return about.columns[column].topics if about and column in about.columns else ()


def needs_of_columns(wanted: Iterable[tuple[str, Iterable[str]]]) -> Needs:
    """What has to be read for columns of views, and for knowing which rows these views have.

    Args:
        wanted: pairs of a judged view and columns of it; a view without columns stands for its rows alone.

    Raises:
        KeyError: there is no such view, or it has no such column.
    """
    parts = [part for name, columns in wanted for part in _parts(name, columns)]
    return needs(_facts(parts), {topic for part in parts for topic in part.readings})


def facts_of_columns(view: str, columns: Iterable[str]) -> frozenset[Fact]:
    """The facts that columns of a judged view rest on, and which rows it has; those of fleet.yaml, of a baseline and of readings too.

    Raises:
        KeyError: there is no such view, or it has no such column.
    """
    return frozenset(_facts(_parts(view, columns)))


def _parts(view: str, columns: Iterable[str]) -> tuple[CatalogView | CatalogColumn, ...]:
    about = catalog().views[view]
    return about, *(about.columns[column.lower()] for column in columns)


def _facts(parts: Iterable[CatalogView | CatalogColumn]) -> set[Fact]:
    return {(table, fact) for part in parts for table, names in part.facts.items() for fact in names}


def with_dependencies(views: Collection[str], made: Collection[str] = ()) -> tuple[str, ...]:
    """The names of `views` and of all they rest on, steps included, each after those it rests on; what is `made` is left out.

    Raises:
        KeyError: there is no such view.
    """
    wanted, todo = set[str](), list(views)
    while todo:
        name = todo.pop()
        if name not in wanted and name not in made:
            wanted.add(name)
            todo += catalog().views[name].rests_on
    return tuple(name for name in catalog().views if name in wanted)
