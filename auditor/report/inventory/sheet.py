"""What a sheet of the inventory is, and the SELECT that gives its rows.

A cell is empty only where its value is not known or there is none, and the column `Note` says which of the two, and of which columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.facts.needs import needs
from auditor.facts.schema import HOST_TOPICS, TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.facts.needs import Needs

NOT_READ = "not read"
"""The reason of a cell whose topic was not read whole, of its host or its endpoint."""

NOT_REPORTED = (("true", "not reported"),)
"""Of a column whose value every row should have."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        key: its name in JSON, with its unit; it never changes.
        header: its name in a workbook and in CSV, with its unit; it never changes.
        sql: over what the sheet's rows are made of; NULL where the value is not known or there is none.
        topic: the topic that has to have been read whole, as otherwise an empty cell is not read; "" where the row itself brings it.
        empty: (SQL condition, reason) of a cell that is empty although its topic was read whole: the first that is true gives the reason.
        where: SQL condition of the rows that can have such a value at all; of others nothing is said.
    """

    key: str
    header: str
    sql: str
    topic: str = ""
    empty: tuple[tuple[str, str], ...] = ()
    where: str = "true"


@dataclass(frozen=True, slots=True)
class Sheet:
    """One kind of rows.

    Attributes:
        name: as the workbook has it; at most 31 characters.
        what: what one row is, in a sentence.
        rows: FROM and what follows; h is the host, hr and er say what was read whole of the host and of its endpoint.
        order: the columns by which rows are sorted, as ORDER BY has them.
        columns: without the note, which is the last.
        tables: the fact tables that it is made of.
    """

    name: str
    what: str
    rows: str
    order: str
    columns: tuple[Column, ...]
    tables: tuple[str, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of all columns in JSON."""
        return (*(column.key for column in self.columns), "note")

    @property
    def headers(self) -> tuple[str, ...]:
        """The names of all columns in a workbook and in CSV."""
        return (*(column.header for column in self.columns), "Note")

    @property
    def select(self) -> str:
        """The SELECT of its rows, with the note as the last column."""
        cells = ",\n    ".join(f"{column.sql} AS c{at}" for at, column in enumerate(self.columns))
        reasons = ",\n    ".join(f"{_reason(column)} AS r{at}" for at, column in enumerate(self.columns) if column.topic or column.empty)
        shown = ", ".join(f"c{at}" for at in range(len(self.columns)))
        return (
            f"WITH {_read_whole()},\nseen AS (\nSELECT\n    {cells},\n    {reasons or 'NULL AS none'}\n{self.rows}\n)\n"
            f"SELECT {shown}, {self._note()} AS note FROM seen ORDER BY {self.order}"
        )

    def _note(self) -> str:
        """The reasons, each with the columns that it is the reason of; NULL where no cell needs one."""
        by_reason: dict[str, list[int]] = {}
        for at, column in enumerate(self.columns):
            for reason in dict.fromkeys([*([NOT_READ] if column.topic else []), *(why for _, why in column.empty)]):
                by_reason.setdefault(reason, []).append(at)
        parts = [
            f"'{reason}: ' || nullif(concat_ws(', ', "
            + ", ".join(f"CASE WHEN r{at} = '{reason}' THEN '{self.columns[at].header}' END" for at in places)
            + "), '')"
            for reason, places in by_reason.items()
        ]
        return f"nullif(concat_ws('; ', {', '.join(parts)}), '')" if parts else "CAST(NULL AS VARCHAR)"


def needed(sheets: Sequence[Sheet]) -> Needs:
    """The facts that these sheets show."""
    tables = {table for sheet in sheets for table in sheet.tables}
    return needs((table, column) for table in sorted(tables) for column in TABLES[table].names)


def _reason(column: Column) -> str:
    unread = f" WHEN NOT {_was_read(column.topic)} THEN '{NOT_READ}'" if column.topic else ""
    others = "".join(f" WHEN {condition} THEN '{reason}'" for condition, reason in column.empty)
    return f"CASE WHEN ({column.sql}) IS NOT NULL OR NOT ({column.where}) THEN NULL{unread}{others} END"


def _was_read(topic: str) -> str:
    return f"coalesce({'hr' if topic in HOST_TOPICS else 'er'}.{topic}, false)"


_HOST_TOPICS = ("devices", "device_scheduling", "paths", "multipathing", "hbas", "modules", "device_offload")
_ENDPOINT_TOPICS = ("hosts", "datastores", "pods", "vms", "volumes", "qos_policies", "pools", "nodes", "array")


def _read_whole() -> str:
    """What was read whole of each host (`host_read`) and of each endpoint (`endpoint_read`); no row: nothing was."""
    of_hosts = ", ".join(_flag(topic) for topic in _HOST_TOPICS)
    of_endpoints = ", ".join(_flag(topic) for topic in _ENDPOINT_TOPICS)
    return (
        f"host_read AS (SELECT endpoint, scope AS host_id, max(read_at) AS read_at, {of_hosts} "
        "FROM fact.reading WHERE scope <> '' GROUP BY endpoint, scope),\n"
        f"endpoint_read AS (SELECT endpoint, {of_endpoints} FROM fact.reading WHERE scope = '' GROUP BY endpoint)"
    )


def _flag(topic: str) -> str:
    return f"coalesce(bool_and(complete) FILTER (WHERE topic = '{topic}'), false) AS {topic}"
