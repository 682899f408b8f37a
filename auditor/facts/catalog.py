"""What is known of every view: those that come with auditor (`own_catalog`), and those of plugins (`plugin_views`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache

from auditor.facts.needs import Needs, needs
from auditor.facts.own_catalog import BASELINE_TOPIC, FILE, FLEET_FILE_TOPIC, Catalog, CatalogColumn, CatalogView, catalog
from auditor.facts.plugin_views import plugin_views
from auditor.facts.table import Fact

__all__ = [
    "BASELINE_TOPIC",
    "FILE",
    "FLEET_FILE_TOPIC",
    "Catalog",
    "CatalogColumn",
    "CatalogView",
    "all_view_columns",
    "catalog",
    "column_topics",
    "facts_of_columns",
    "needs_of_columns",
    "view_columns",
    "view_named",
    "views_of",
    "with_dependencies",
]

_NAMING = ("resource_id", "resource_name")


@cache
def view_columns() -> Mapping[str, Mapping[str, str]]:
    """Every judged view of auditor itself: its columns in order, each with its DuckDB type."""
    return {
        name: {column: about.type for column, about in view.columns.items()}
        for name, view in sorted(catalog().views.items())
        if not name.startswith("step_")
    }


def all_view_columns() -> Mapping[str, Mapping[str, str]]:
    """The same with the views of plugins, which are imported now."""
    others = plugin_views().views
    return {**view_columns(), **{name: view.columns for name, view in others.items()}} if others else view_columns()


def view_named(name: str) -> CatalogView:
    """The catalogue's entry of a view; plugins are imported if it is not one of auditor's own views.

    Raises:
        KeyError: there is no such view.
    """
    own = catalog().views.get(name)
    return plugin_views().views[name].about if own is None else own


@cache
def views_of(table: str) -> frozenset[str]:
    """The judged views of auditor itself whose rows are rows of the fact `table`: only its facts make their id or their name."""
    return frozenset(name for name in view_columns() if any(_is_of(catalog().views[name].columns[one], table) for one in _NAMING))


def _is_of(column: CatalogColumn, table: str) -> bool:
    return set(column.facts) == {table} if column.plain is None else column.plain.startswith(f"{table}.")


def column_topics(view: str, column: str) -> tuple[str, ...]:
    """The topics a column's value was read by; () where the installed views have no such column, as for an older run."""
    try:
        return view_named(view).columns[column].topics
    except KeyError:
        return ()


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
    about = view_named(view)
    return about, *(about.columns[column.lower()] for column in columns)


def _facts(parts: Iterable[CatalogView | CatalogColumn]) -> set[Fact]:
    return {(table, fact) for part in parts for table, names in part.facts.items() for fact in names}


def with_dependencies(views: Collection[str], present: Collection[str] = ()) -> tuple[str, ...]:
    """The names of `views` and of all they rest on, steps included, each after those it rests on; what is `present` is left out.

    Raises:
        KeyError: there is no such view.
    """
    wanted, todo = set[str](), list(views)
    while todo:
        name = todo.pop()
        if name not in wanted and name not in present:
            wanted.add(name)
            todo += catalog().views[name].rests_on
    return tuple(name for name in catalog().views if name in wanted)
