"""The files of a plugin's views: what each has to be like, and what follows from its SQL.

A view is one SELECT in NAME.sql below the folder that TYPE names, with the texts of its columns in NAME.yaml beside it. Its name begins
with its kind. It is planned over empty tables before anything is judged: a mistake in it is a fault of the plugin, and not of an audit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.bounds.files import read_text
from auditor.errors import AuditorError, ConfigurationError
from auditor.facts.needs import SOURCES
from auditor.facts.own_catalog import RESOURCE_COLUMNS, CatalogColumn, CatalogView, catalog
from auditor.facts.schema import TABLES, TOPICS, create_tables
from auditor.model.endpoint_type import Fault
from auditor.sql.select_guard import CheckedSelect, RefusedSelectError, checked_select
from auditor.yaml.reading import load_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

    from auditor.model.endpoint_type import EndpointType

_MOST_VIEWS, _MOST_BYTES = 50, 64 * 1024
_COLUMN = re.compile(r"[a-z][a-z0-9_]*")
_IGNORE_NULL = frozenset(("greatest", "least"))
"""They give a value where one of theirs is not known."""
_NEEDS_READING = "counts or leaves out rows of facts, and does not ask fact.reading whether all were read"


@dataclass(frozen=True, slots=True)
class PluginView:
    """One view.

    Attributes:
        kind: of the plugin that brings it.
        plugin: its distribution and version.
        sql: the SELECT.
        about: as the catalogue has it; each column rests on all that the view reads.
        texts: column -> what it is, its unit and what NULL means.
    """

    name: str
    kind: str
    plugin: str
    sql: str
    about: CatalogView
    texts: Mapping[str, str]

    @property
    def columns(self) -> Mapping[str, str]:
        """Its columns in order, each with its DuckDB type."""
        return {name: column.type for name, column in self.about.columns.items()}


class _MistakeError(Exception):
    """What is wrong with a view, in words."""


def views_of(kind: EndpointType) -> Mapping[str, PluginView] | Fault:
    """The views of a plugin by name, each after those that it rests on; or why none of them can be used."""
    import duckdb

    folder = Path(str(resources.files(kind.package))) / kind.views
    with duckdb.connect() as connection:
        create_tables(connection)
        connection.execute("SET enable_external_access = false")
        try:
            return _views(connection, kind, folder)
        except (_MistakeError, AuditorError) as mistake:
            what = mistake.what if isinstance(mistake, AuditorError) else str(mistake)
        except duckdb.Error as failure:
            what = str(failure).splitlines()[0]
    return Fault(
        f"the views of {kind.plugin} cannot be used: {what}",
        "neither they nor its rules are judged by; all other rules are judged, and its endpoints are read.",
        f"install another release of {kind.plugin.rpartition(' ')[0]}, or tell its author.",
    )


def _views(connection: duckdb.DuckDBPyConnection, kind: EndpointType, folder: Path) -> Mapping[str, PluginView]:
    paths = {path.stem: path for path in sorted(folder.glob("*.sql"))}
    prefix = f"{kind.kind.value.replace('-', '_')}_"
    if not paths:
        raise _MistakeError(f"{folder} holds no NAME.sql")
    if len(paths) > _MOST_VIEWS:
        raise _MistakeError(f"there are {len(paths)} of them, and {_MOST_VIEWS} at most are read")
    for name in paths:
        if not (name.startswith(prefix) and _COLUMN.fullmatch(name)):
            raise _MistakeError(f"they are called {prefix}NAME, of small letters, digits and underscores; {name} is not")
        if name in catalog().views:
            raise _MistakeError(f"auditor itself has a view {name}")
    own = {name for name in catalog().views if not name.startswith("step_")}
    checked = {name: _checked(connection, path, own | paths.keys()) for name, path in paths.items()}
    try:
        order = tuple(TopologicalSorter({name: sorted(of.views & paths.keys()) for name, (_, of) in checked.items()}).static_order())
    except CycleError as circle:
        raise _MistakeError(f"they rest on each other: {', '.join(circle.args[1])}") from None
    made: dict[str, PluginView] = {}
    for name in order:
        made[name] = _planned(connection, kind, paths[name], *checked[name], made)
    return made


def _checked(connection: duckdb.DuckDBPyConnection, path: Path, known: set[str]) -> tuple[str, CheckedSelect]:
    """The SELECT of a file, and what it names and calls."""
    if path.stat().st_size > _MOST_BYTES:
        raise _MistakeError(f"{path.name} is larger than {_MOST_BYTES // 1024} KiB")
    text = read_text(path).strip().removesuffix(";")
    try:
        checked = checked_select(connection, text, views=known, tables=TABLES)
    except RefusedSelectError as refused:
        raise _MistakeError(f"{path.name} {refused.what}") from None
    if any(node.get("type") in ("RECURSIVE_CTE_NODE", "TABLE_FUNCTION") for node in checked.nodes):
        raise _MistakeError(f"{path.name} makes rows of its own, by a recursive query or a table function: its rows are those of facts")
    if ignoring := checked.functions & _IGNORE_NULL:
        raise _MistakeError(f"{path.name} calls {min(ignoring)}(), which passes over a value that is not known; use CASE")
    if changing := sorted(checked.functions & _kinds_of_functions(connection, "stability <> 'CONSISTENT'")):
        raise _MistakeError(f"{path.name} calls {changing[0]}(), whose answer is not the same each time")
    if checked.tables - {"reading"} and "reading" not in checked.tables and _leaves_out(connection, checked):
        raise _MistakeError(f"{path.name} {_NEEDS_READING}")
    return text, checked


def _kinds_of_functions(connection: duckdb.DuckDBPyConnection, which: str) -> frozenset[str]:
    rows = connection.execute(f"SELECT DISTINCT function_name FROM duckdb_functions() WHERE {which}").fetchall()  # noqa: S608  our words
    return frozenset(row[0] for row in rows)


def _leaves_out(connection: duckdb.DuckDBPyConnection, checked: CheckedSelect) -> bool:
    """Whether a row that was not read would change another row of it: by a count, an outer join, or a subquery in an expression."""
    if checked.functions & (_kinds_of_functions(connection, "function_type = 'aggregate'") | {"count_star"}):
        return True
    joins = {node.get("join_type") for node in checked.nodes if node.get("type") == "JOIN"}
    return bool(joins - {"INNER"}) or any(node.get("class") == "SUBQUERY" for node in checked.nodes)


def _planned(
    connection: duckdb.DuckDBPyConnection,
    kind: EndpointType,
    path: Path,
    sql: str,
    checked: CheckedSelect,
    before: Mapping[str, PluginView],
) -> PluginView:
    """The view with its columns, as DuckDB plans it over empty tables; its own table is made for those that rest on it."""
    import duckdb

    name = path.stem
    for own in sorted(checked.views - before.keys()):
        columns = ", ".join(f'"{column}" {about.type}' for column, about in catalog().views[own].columns.items())
        connection.execute(f'CREATE TABLE IF NOT EXISTS "{own}" ({columns})')
    try:
        types = [(row[0], row[1]) for row in connection.execute(f"DESCRIBE {sql}").fetchall()]
    except duckdb.Error as failure:
        raise _MistakeError(f"{path.name}: {str(failure).splitlines()[0]}") from None
    _check_columns(path, types)
    columns = ", ".join(f'"{column}" {of}' for column, of in types)
    connection.execute(f'CREATE TABLE "{name}" ({columns})')
    what = _first_sentence(path, sql)
    return PluginView(name, kind.kind.value, kind.plugin, sql, _about(what, dict(types), checked, before, kind), _texts(path, dict(types)))


def _check_columns(path: Path, types: list[tuple[str, str]]) -> None:
    names = [name for name, _ in types]
    if tuple(types[: len(RESOURCE_COLUMNS)]) != tuple((name, "VARCHAR") for name in RESOURCE_COLUMNS):
        raise _MistakeError(f"{path.name} does not begin with the columns {', '.join(RESOURCE_COLUMNS)}, each of them VARCHAR")
    for name, of in types:
        if not _COLUMN.fullmatch(name) or names.count(name) > 1:
            raise _MistakeError(f'{path.name} has a column "{name}": each has a name of its own, of small letters, digits and underscores')
        if of == '"NULL"':
            raise _MistakeError(f"{path.name}: the column {name} has no type; write CAST(NULL AS ...)")


def _first_sentence(path: Path, sql: str) -> str:
    lines: list[str] = []
    for line in sql.splitlines():
        if not line.startswith("--"):
            break
        lines.append(line.removeprefix("--").strip())
    sentence, dot, _ = " ".join(lines).partition(". ")
    if not sentence:
        raise _MistakeError(f"{path.name} does not begin with a comment that says what one row is")
    return sentence + "." if dot else sentence


def _texts(path: Path, types: Mapping[str, str]) -> Mapping[str, str]:
    beside = path.with_suffix(".yaml")
    texts = load_yaml(beside, ConfigurationError, why="its columns have no words.").data if beside.is_file() else {}
    if not isinstance(texts, dict) or not all(isinstance(text, str) and text for text in texts.values()):
        raise _MistakeError(f"{beside.name} is no list of columns with a text each")
    wanted = set(types).difference(RESOURCE_COLUMNS)
    for column in sorted(wanted ^ texts.keys()):
        raise _MistakeError(f"{beside.name} {'has no text for' if column in wanted else 'has a text for'} {column}")
    return texts


def _about(
    what: str, types: Mapping[str, str], checked: CheckedSelect, before: Mapping[str, PluginView], kind: EndpointType
) -> CatalogView:
    """What the catalogue has of a view. It may say that the view reads more than it does, and never less."""
    takes_all = checked.has_star or _takes_rows(checked)
    facts: dict[str, set[str]] = {}
    topics = {node["value"]["value"] for node in checked.nodes if node.get("class") == "CONSTANT" and _is_text(node)} & TOPICS
    readings = set(topics) if "reading" in checked.tables else set[str]()
    for table in checked.tables:
        names = TABLES[table].names
        facts.setdefault(table, set()).update(("", *(names if takes_all else checked.columns_of(names))))
    for name in checked.views:
        below = before[name].about if name in before else catalog().views[name]
        columns = tuple(below.columns) if takes_all else checked.columns_of(tuple(below.columns))
        parts: list[CatalogView | CatalogColumn] = [below, *(below.columns[column] for column in columns)]
        for part in parts:
            readings |= set(part.readings)
            for table, of in part.facts.items():
                facts.setdefault(table, set()).update(of)
    all_topics = tuple(sorted(readings | {SOURCES[table].topic for table in facts if table in SOURCES}))
    return CatalogView(
        kind.kind.value,
        what,
        "table",
        tuple(sorted(checked.views)),
        {table: tuple(sorted(of)) for table, of in sorted(facts.items())},
        tuple(sorted(readings)),
        (),
        {name: CatalogColumn(of, all_topics) for name, of in types.items()},
    )


def _takes_rows(checked: CheckedSelect) -> bool:
    """Whether it names a whole row by its table, or joins by all columns of one name."""
    aliases = {str(node.get("alias") or node["table_name"]).lower() for node in checked.nodes if node.get("type") == "BASE_TABLE"}
    rows = any(node["column_names"][-1].lower() in aliases for node in checked.nodes if node.get("class") == "COLUMN_REF")
    return rows or any(node.get("ref_type") == "NATURAL" for node in checked.nodes)


def _is_text(node: Mapping[str, object]) -> bool:
    value = node.get("value")
    return isinstance(value, dict) and isinstance(value.get("value"), str)
