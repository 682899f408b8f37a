"""What a fact table is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

Fact = tuple[str, str]
"""(table, column); "" as the column is the table's rows as such."""


@dataclass(frozen=True, slots=True)
class Column:
    """One fact of a row.

    Attributes:
        type: DuckDB's.
        what: what it is, its unit, what NULL means, and where it is read.
        property: the managed object's property, or the array's method, to request for it; None: it comes with the rows.
    """

    name: str
    type: str
    what: str
    property: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one kind.

    Properties are those of a vCenter's managed objects, or methods of an array.

    Attributes:
        topic: the question that its rows answer; "" for a table that is read from no endpoint.
        of_each_host: each host is asked its topic, so that the table `reading` has a row of it for each; otherwise the endpoint is.
        measured: its rows are counters, which change between two runs although nobody changed a setting.
        on_demand: its topic is read only where something asks for it, and is no part of a whole reading.
        key: the columns that distinguish its rows; empty where two rows may say the same.
        rows: the properties without which there are no rows; empty where the topic is one question, whose answer has all columns.
        asked_of: the property of the host that names the object that answers; None: the host, or the vCenter.
        rests_on: the facts that a collector has to know before it can read the topic, besides the hosts for a topic of hosts.
        always: the columns that every row has a value in: one without a value was not read.
        kept_for: of columns that no rule judges by, nor the model of impact, nor a statement of the program: what a person sees by each
            beside a finding, or asks with `auditor query`. "" as the column stands for all of them.
    """

    name: str
    what: str
    columns: tuple[Column, ...]
    topic: str
    of_each_host: bool
    measured: bool
    on_demand: bool
    key: tuple[str, ...]
    rows: tuple[str, ...]
    asked_of: str | None
    rests_on: tuple[Fact, ...]
    always: tuple[str, ...]
    kept_for: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The column names in order."""
        return tuple(column.name for column in self.columns)

    @property
    def properties(self) -> dict[str, str]:
        """Column -> the property to request for it, of those that have one of their own."""
        return {column.name: column.property for column in self.columns if column.property is not None}


def table(
    name: str,
    what: str,
    *columns: tuple[str, str, str] | tuple[str, str, str, str],
    topic: str = "",
    of_each_host: bool = False,
    measured: bool = False,
    on_demand: bool = False,
    key: tuple[str, ...] = (),
    rows: tuple[str, ...] = (),
    asked_of: str | None = None,
    rests_on: tuple[Fact, ...] = (),
    always: tuple[str, ...] = (),
    kept_for: Mapping[str, str] = MappingProxyType({}),
) -> Table:
    """A table whose columns are given as (name, DuckDB type, what it is), and a property where it has one of its own."""
    return Table(
        name,
        what,
        tuple(Column(*column) for column in columns),
        topic,
        of_each_host,
        measured,
        on_demand,
        key,
        rows,
        asked_of,
        rests_on,
        always,
        kept_for,
    )


ENDPOINT = ("endpoint", "VARCHAR", "name of the endpoint in fleet.yaml")
HOST = ("host_id", "VARCHAR", "managed object id of the host, for example host-12")
DEVICE = ("device", "VARCHAR", "canonical name, for example naa.6f47acc2...; ScsiLun.canonicalName")
VOLUME = ("volume_id", "VARCHAR", "as array_volume.volume_id")
POOL = ("pool_id", "VARCHAR", "as array_pool.pool_id; NULL when not reported")
ARRAY_HOST = ("array_host_id", "VARCHAR", "as array_host.array_host_id")
