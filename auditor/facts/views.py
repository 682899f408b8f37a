"""Views: fact tables joined and aggregated into the rows that rules judge.

Each view is one SQL file in facts/views/, named `<order>_<view>.sql`; a view may use only those before it. A view whose name begins with
`step_` is an intermediate one that rules cannot range over. Every other view begins with the columns of RESOURCE_COLUMNS. A column that
rests on something unread is NULL, never false or zero: a view asks the table `reading` before it counts.

Some words in these files are not SQL and are written out before use: `{family of inquiry}` and `{family of name}` by facts/families.py, and
three aggregates that tell the first five values in order and how many more there are, NULL when there is none. FEW(x) counts a value once
however often it comes; EACH(x) does as well, for values that hold commas; FIRST(x) is cheaper, for values that come once.

What a view means stands in facts/views/ alone. How it is computed is settled here: small ones once (ONCE), and the one over every device of
every host by facts/kept/device.sql, which says the same in numbers. A test holds the two equal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import SnapshotError
from auditor.facts.catalog import catalog, view_columns, with_dependencies
from auditor.facts.families import family_of_inquiry, family_of_name
from auditor.facts.memory import hold, run
from auditor.facts.parallel import as_they_rest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    import duckdb

__all__ = ["RESOURCE_COLUMNS", "create_views", "seal", "unreadable", "view_columns", "view_sources"]

RESOURCE_COLUMNS = ("endpoint", "resource_id", "resource_name", "cluster", "host")
"""The columns every judged view begins with; with the view's name they make a model.Resource."""


ONCE = frozenset(
    {
        "step_host_reading",
        "step_endpoint_reading",
        "step_domain_reading",
        "step_array",
        "step_family",
        "step_device_name",
        "step_declared",
        "step_volume_qos",
        "step_array_device",
        "step_known_device",
        "step_queue_full",
        "step_datastore_volume",
        "step_vvol_vm",
        "step_vvol_place",
        "step_seen_device",
        "step_volume_use",
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
        "step_iscsi_value",
        "step_iscsi_family",
        "storage_pod",
        "iscsi_adapter",
        "iscsi_parameter",
        "adapter",
        "step_host_family",
        "step_vvol_queue",
        "nfs_option",
        "array_pool",
        "step_pool_use",
        "step_replication",
        "step_device_sioc",
        "shared_device",
        "queue_option",
        "virtual_disk",
        "vvol_datastore",
        "datastore_throttle",
        "efficiency",
        "replication",
        "array_host",
        "qos_policy_use",
        "target_port",
        "port_binding",
        "pool_sioc",
        "pool_scrub",
        "module_instance",
        "vmknic",
        "datastore_load",
        "raised_device",
        "vvol_disk",
        "claim_rule",
    }
)
"""Views that several rules or views read, and that are small beside the devices of all hosts: they are computed once and kept."""


def create_views(connection: duckdb.DuckDBPyConnection, spill: Path | None = None, views: Collection[str] | None = None) -> None:
    """Create `views` and all they rest on over the schema `fact` of `connection`, in the schema `main`, with the facts as they are now.

    Args:
        connection: holds the facts; not sealed yet.
        spill: where is put what does not fit into the memory that the connection is held to from here on, until `memory.let_go`; None: all
            stays in memory.
        views: names of judged views; None: every view there is.

    Raises:
        SnapshotError: a file of the snapshot went away, or is damaged.
    """
    import duckdb

    if spill is not None:
        hold(connection, spill)
    texts = dict(view_sources())
    wanted = with_what_they_rest_on(texts if views is None else views)
    kept = set[str]()

    def make(run: Callable[[duckdb.DuckDBPyConnection, str], object], cursor: duckdb.DuckDBPyConnection, name: str) -> None:
        text = texts[name]
        try:
            if name == "device":
                kept.update(_KEPT if create_device(cursor, text, view_columns()[name]) else ())
            elif name in kept:
                run(cursor, f"CREATE VIEW {name} AS FROM {_KEPT[name]}")
            else:
                run(cursor, text.replace("CREATE VIEW", "CREATE TABLE", 1) if name in ONCE else text)
        except (duckdb.DataError, duckdb.ProgrammingError):
            # Facts that a view cannot be computed from are for the rules that ask for it to stumble over, and for no other.
            cursor.execute(text)
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as failure:
            raise unreadable(failure) from failure

    as_they_rest(connection, wanted, partial(make, duckdb.DuckDBPyConnection.execute), partial(make, run), largest={"device"})


def with_what_they_rest_on(views: Collection[str]) -> Mapping[str, set[str]]:
    """The names of `views` and of all they rest on, steps included, each with those that it rests on itself."""
    return {name: set(catalog().views[name].rests_on) for name in with_dependencies(views)}


_KEPT = {"step_seen_device": "kept_seen_device", "step_device_group": "kept_device_group", "step_host_group": "kept_host_group"}
"""What kept/device.sql computes besides `device`, by the view that it stands for."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """A view whose rows are of few kinds: whatever rests on `columns` alone is the same for all rows of a kind.

    Attributes:
        table: a row per kind: `columns`, `kind_number`, and `devices`, how many rows of the view are of it.
        rows: the view, with `kind_number` beside its columns.
    """

    table: str
    rows: str
    columns: frozenset[str]


def kinds_of(connection: duckdb.DuckDBPyConnection) -> Mapping[str, Kinds]:
    """The views that are kept in kinds on this connection, by name: `device`, where its kept form is in use; otherwise none."""
    if not connection.execute("SELECT 1 FROM duckdb_views() WHERE view_name = ?", [_OF_KIND]).fetchall():
        return {}
    told = {row[0] for row in connection.execute("DESCRIBE kept_kind").fetchall()}
    return {"device": Kinds("kept_kind", _OF_KIND, frozenset(told & view_columns()["device"].keys()))}


_OF_KIND = "kept_device_of_kind"


def unreadable(failure: Exception) -> SnapshotError:
    """What to say when the files behind the facts cannot be read any more."""
    return SnapshotError(
        f"the snapshot cannot be read: {str(failure).splitlines()[0]}",
        why="nothing was judged: a snapshot that is read in part reports a clean fleet in part.",
        do="leave a snapshot where it is while it is judged; if it is damaged, collect again.",
    )


def create_plain_views(connection: duckdb.DuckDBPyConnection, views: Collection[str]) -> None:
    """Create `views`, and all they rest on, as facts/views/ has them, `device` too: the reference for `create_views`."""
    wanted = with_what_they_rest_on(views)
    for name, text in view_sources():
        if name in wanted:
            connection.execute(text.replace("CREATE VIEW", "CREATE TABLE", 1) if name in ONCE else text)


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
    return tuple((file.name.partition("_")[2].removesuffix(".sql"), _written_out(file.read_text(encoding="utf-8"))) for file in files)


def _written_out(text: str) -> str:
    text = text.replace("{family of inquiry}", family_of_inquiry()).replace("{family of name}", family_of_name())
    for word, pattern in _LISTS.items():
        text = re.sub(rf"\b{word}\(((?:[^()]|\([^()]*\))+)\)", pattern, text)
    return text


def _listed(separator: str) -> str:
    values = r"list_slice(list_sort(list(DISTINCT \1) FILTER (WHERE \1 IS NOT NULL)), 1, 5)"
    more = r"CASE WHEN count(DISTINCT \1) > 5 THEN ' and ' || (count(DISTINCT \1) - 5) || ' more' ELSE '' END"
    return f"array_to_string({values}, '{separator} ') || {more}"


_LISTS = {
    "FIRST": r"array_to_string(min(\1, 5), ', ') || CASE WHEN count(\1) > 5 THEN ' and ' || (count(\1) - 5) || ' more' ELSE '' END",
    "FEW": _listed(","),
    "EACH": _listed(";"),
}


def create_device(connection: duckdb.DuckDBPyConnection, text: str, columns: Mapping[str, str]) -> bool:
    """Create the view `device` in its kept form; as `text` has it, slow and right, when the kept form has not these columns.

    Whether the kept form is in use.
    """
    run(connection, _kept_device())
    if [row[:2] for row in connection.execute("DESCRIBE device").fetchall()] == list(columns.items()):
        return True
    connection.execute(f"DROP VIEW device; DROP VIEW {_OF_KIND}")
    connection.execute(text)
    return False


@cache
def _kept_device() -> str:
    return (resources.files("auditor.facts") / "kept" / "device.sql").read_text(encoding="utf-8")
