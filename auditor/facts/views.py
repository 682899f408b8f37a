"""Views: fact tables joined and aggregated into the rows that rules judge.

Each view is one SQL file in facts/views/, named `<order>_<view>.sql`; a view may use only those before it. A view whose name begins with
`step_` is an intermediate one that rules cannot range over. Every other view begins with the columns of RESOURCE_COLUMNS. A column that
rests on something unread is NULL, never false or zero: a view asks the table `reading` before it counts.

What a view means stands in facts/views/ alone. How it is computed is settled here: small ones once (ONCE), and the one over every device of
every host by facts/kept/device.sql, which says the same in numbers. A test holds the two equal.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import SnapshotError
from auditor.facts.schema import create_tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

RESOURCE_COLUMNS = ("endpoint", "resource_id", "resource_name", "cluster", "host")
"""The columns every judged view begins with; with the view's name they make a model.Resource."""


ONCE = frozenset(
    {
        "step_host_reading",
        "step_endpoint_reading",
        "step_domain_reading",
        "step_family",
        "step_declared",
        "step_array_device",
        "step_array_caps",
        "step_curve_cost",
        "step_vvol_load",
        "step_option",
        "step_module_word",
        "protocol_endpoint",
        "vvol_array_on_host",
        "host",
        "host_module",
        "datastore",
        "iscsi_target",
        "vaai_option",
        "array_volume",
        "qos_policy",
    }
)
"""Views that several rules or views read, and that are small beside the devices of all hosts: they are computed once and kept."""


def create_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Create every view over the schema `fact` of `connection`, in the schema `main`, with the facts as they are now.

    Raises:
        SnapshotError: a file of the snapshot went away, or is damaged.
    """
    import duckdb

    for name, text in view_sources():
        try:
            if name == "device":
                create_device(connection, text, view_columns()[name])
            else:
                connection.execute(text.replace("CREATE VIEW", "CREATE TABLE", 1) if name in ONCE else text)
        except duckdb.IOException as failure:
            raise unreadable(failure) from failure
        except (duckdb.DataError, duckdb.ProgrammingError):
            # Facts that a view cannot be computed from are for the rules that ask for it to stumble over, and for no other.
            connection.execute(text)


def unreadable(failure: Exception) -> SnapshotError:
    """What to say when the files behind the facts cannot be read any more."""
    return SnapshotError(
        f"the snapshot cannot be read: {str(failure).splitlines()[0]}",
        why="nothing was judged: a snapshot that is read in part reports a clean fleet in part.",
        do="leave a snapshot where it is while it is judged; if it is damaged, collect again.",
    )


def create_plain_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Create every view as facts/views/ has it, computed whenever it is asked: the reference for `create_views`."""
    for _, text in view_sources():
        connection.execute(text)


@cache
def view_columns() -> Mapping[str, Mapping[str, str]]:
    """Every judged view: its columns in order, each with its DuckDB type."""
    import duckdb

    with duckdb.connect() as connection:
        create_tables(connection)
        create_plain_views(connection)
        return {
            name: {row[0]: row[1] for row in connection.execute(f'DESCRIBE "{name}"').fetchall()}
            for name, _ in view_sources()
            if not name.startswith("step_")
        }


def seal(connection: duckdb.DuckDBPyConnection, writable: Path | None = None) -> None:
    """Cut `connection` off from files and the network for good; `writable` stays open for writing results.

    Rules are read from files that users exchange, so what they say must not reach anything but the facts.
    """
    if writable is not None:
        connection.execute("SET allowed_directories = ?", [[f"{writable}/"]])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


@cache
def view_sources() -> tuple[tuple[str, str], ...]:
    """Every view's name and the statement that creates it, each after those it uses."""
    folder = resources.files("auditor.facts") / "views"
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return tuple((file.name.partition("_")[2].removesuffix(".sql"), file.read_text(encoding="utf-8")) for file in files)


def create_device(connection: duckdb.DuckDBPyConnection, text: str, columns: Mapping[str, str]) -> None:
    """Create the view `device` in its kept form; as `text` has it, slow and right, when the kept form has not these columns."""
    connection.execute(_kept_device())
    if [row[:2] for row in connection.execute("DESCRIBE device").fetchall()] != list(columns.items()):
        connection.execute("DROP VIEW device")
        connection.execute(text)


@cache
def _kept_device() -> str:
    return (resources.files("auditor.facts") / "kept" / "device.sql").read_text(encoding="utf-8")
