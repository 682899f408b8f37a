"""What a fact table is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """One fact of a row."""

    name: str
    type: str  # DuckDB type
    what: str  # what it is, its unit, what NULL means, and where it is read


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one kind."""

    name: str
    what: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The column names in order."""
        return tuple(column.name for column in self.columns)


def table(name: str, what: str, *columns: tuple[str, str, str]) -> Table:
    """A table whose columns are told as (name, DuckDB type, what it is)."""
    return Table(name, what, tuple(Column(*column) for column in columns))


ENDPOINT = ("endpoint", "VARCHAR", "name of the endpoint in fleet.yaml")
