"""What a fact table is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


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

    Attributes:
        kept_for: of columns that no rule judges by, nor the model of impact, nor a statement of the program: what a person sees by each
            beside a finding, or asks with `auditor query`. "" as the column stands for all of them.
    """

    name: str
    what: str
    columns: tuple[Column, ...]
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
    name: str, what: str, *columns: tuple[str, str, str] | tuple[str, str, str, str], kept_for: Mapping[str, str] = MappingProxyType({})
) -> Table:
    """A table whose columns are given as (name, DuckDB type, what it is), and a property where it has one of its own."""
    return Table(name, what, tuple(Column(*column) for column in columns), kept_for)


ENDPOINT = ("endpoint", "VARCHAR", "name of the endpoint in fleet.yaml")
