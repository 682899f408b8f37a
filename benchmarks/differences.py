"""Which facts differ between two snapshots of one fleet, but for when they were read and what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.facts.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

NOT_STATE = frozenset({"reading", "gap", "change_event", "storage_event"})
"""Tables that say when and how the fleet was read, and what happened to it. What was measured is left out as well."""


@dataclass(frozen=True, slots=True)
class NotCompared:
    """A column that is not compared in some rows, and why.

    Attributes:
        when: SQL over the row; it must hold in both snapshots, or the rows differ in another column anyway.
    """

    table: str
    column: str
    when: str
    why: str


def differing(one: Path, other: Path, not_compared: Sequence[NotCompared] = ()) -> Iterator[str]:
    """A line for each row of fact tables that is in one snapshot alone."""
    import duckdb

    with duckdb.connect() as connection:
        for name, table in TABLES.items():
            if not _is_state(name):
                continue
            left_out = {each.column: each.when for each in not_compared if each.table == name}
            names = [column for column in table.names if not column.endswith("_at") and column != "boot_time"]
            columns = ", ".join(
                f'CASE WHEN {left_out[column]} THEN NULL ELSE "{column}" END' if column in left_out else f'"{column}"' for column in names
            )
            left, right = (f"SELECT {columns} FROM '{folder / f'{name}.parquet'}'" for folder in (one, other))
            for this, that, sign in ((left, right, "-"), (right, left, "+")):
                for row in connection.execute(f"{this} EXCEPT ALL {that}").fetchall():
                    shown = ", ".join(f"{column} {value}" for column, value in zip(names, row, strict=True) if value is not None)
                    yield f"{sign} {name}: {shown}"


def collected(fleet: Path, directory: Path) -> None:
    """Read a fleet, and save the snapshot in `directory`."""
    from auditor.endpoints.collect import collect_fleet
    from auditor.fleet.loading import load_fleet
    from auditor.pipeline.policy import load_rule_set, needs_for

    collect_fleet(load_fleet(fleet), lambda *_: None, needs_for(load_rule_set())).save(directory)


def _is_state(table: str) -> bool:
    from auditor.facts.needs import SOURCES
    from auditor.facts.snapshots.earlier import READ_ANEW

    if table in NOT_STATE or table.endswith("_load"):
        return False
    return not (table in SOURCES and SOURCES[table].topic in READ_ANEW and table != "vmknic")
