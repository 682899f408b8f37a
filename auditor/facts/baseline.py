"""The wanted state: settings of an earlier run or of one good host, as rows of the fact table `baseline`, and as one file.

facts/views/drift/step_setting_now.sql has the settings of each kind, and the views of drift compare with them too: then and now are written
in the same words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import json_of
from auditor.errors import SnapshotError
from auditor.facts.schema import TABLES
from auditor.facts.snapshot_files import snapshot_fault
from auditor.facts.views import create_views

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

    from auditor.facts.snapshots.snapshot import Snapshot

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Kind:
    """Settings of one kind."""

    view: str  # what judges them
    label: str
    before: tuple[str, ...] = ()  # what judged them in earlier versions; rules of users may
    of_hosts: bool = True  # False: of a datastore or an array, so that one host is no example for them


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "option": Kind("baseline_option", "advanced options"),
        "parameter": Kind("baseline_parameter", "module parameters"),
        "dsnro": Kind("baseline_dsnro", "DSNRO of devices"),
        "queue_depth": Kind("baseline_driver_queue", "queue depths of devices", before=("baseline_queue_depth",)),
        "path_policy": Kind("baseline_path_policy", "path policies of devices"),
        "delayed_ack": Kind("baseline_delayed_ack", "delayed acknowledgement of iSCSI targets"),
        "sioc": Kind("baseline_datastore", "Storage I/O Control of datastores", of_hosts=False),
        "volume_qos": Kind("baseline_volume_qos", "QoS of array volumes", of_hosts=False),
        "policy": Kind("baseline_qos_policy", "limits of QoS policies", of_hosts=False),
        "replication": Kind("baseline_replication", "schedules of replications", of_hosts=False),
    }
)
"""What a baseline holds, by the word of the column `kind`; step_setting_now has them in a snapshot."""

VIEWS = frozenset(view for kind in KINDS.values() for view in (kind.view, *kind.before))
"""Views that have no rows without a baseline."""

# A name that two hosts have says of neither which settings are its.
_NAMED = (
    "SELECT endpoint, name, min(host_id) AS host_id, min(cluster) AS cluster FROM fact.host GROUP BY endpoint, name HAVING count(*) = 1"
)
_THIS_HOST = "h.endpoint = $endpoint AND h.name = $host"


@dataclass(frozen=True, slots=True)
class About:
    """What a baseline was made from, and how much it holds."""

    run: str
    host: str | None  # the one good host; None: every host, each held to its own state of then
    endpoint: str | None  # of that host
    reach: str  # itself | cluster | all: which hosts are held to it
    cluster: str | None  # with reach `cluster`
    taken_at: datetime  # when the run began to read, UTC
    set_at: datetime  # when somebody made it the baseline, UTC
    hosts: int  # whose settings it holds
    counts: Mapping[str, int]  # settings by kind; kinds without any are left out
    gaps: int = 0  # what could not be read in that run: the baseline does not hold it
    identities: Mapping[str, str | None] = field(default_factory=dict)  # of the endpoints of that run; one of an older auditor has none


def take(snapshot: Snapshot, run: str, host: tuple[str, str] | None, reach: str) -> None:
    """Fill the table `baseline` of `snapshot` with its own settings: of all hosts, or of one.

    Args:
        snapshot: of the run; its table `baseline` may hold what that run was judged by, which is put away.
        run: the run's id.
        host: endpoint and name of the one good host; None: all.
        reach: itself, or for a host cluster or all.

    Raises:
        SnapshotError: a file of the snapshot went away, or is damaged.
    """
    import duckdb

    connection = snapshot.connection
    try:
        create_views(connection, None, {"step_setting_now"})
        _make_table(connection)
        origin = "run" if host is None else "host"
        connection.execute(
            "INSERT INTO fact.baseline (kind, setting, value, thing, taken_at) VALUES ('made', ?, ?, ?, CAST(? AS TIMESTAMPTZ))",
            [origin, run, f"{reach} {'/'.join(host)}" if host else reach, snapshot.started.isoformat()],
        )
        _fill(connection, host, reach)
        _drop_views(connection)
    except duckdb.Error as failure:
        if snapshot_fault(connection, failure) is None:
            raise
        raise SnapshotError(
            f"the snapshot of run {run} cannot be read: {str(failure).splitlines()[0]}",
            why="no baseline was set, and the one before, if any, is as it was.",
            do="audit again, and take that run.",
        ) from failure


def _fill(connection: duckdb.DuckDBPyConnection, host: tuple[str, str] | None, reach: str) -> None:
    """Add the hosts, and what they and the arrays have of each kind."""
    chosen, bound = ("true", {}) if host is None else (_THIS_HOST, {"endpoint": host[0], "host": host[1]})
    into = "INSERT INTO fact.baseline (kind, of_endpoint, of_host, thing, setting, value)"
    hosts = f"SELECT 'host', h.endpoint, h.name, coalesce(h.cluster, ''), '', $reach FROM ({_NAMED}) AS h WHERE {chosen}"  # noqa: S608  our own
    connection.execute(f"{into} {hosts}", {**bound, "reach": reach})
    setting = "k.thing, k.setting, k.value FROM step_setting_now AS k"
    owned = f"SELECT k.kind, k.endpoint, h.name, {setting} JOIN ({_NAMED}) AS h USING (endpoint, host_id)"
    connection.execute(f"{into} {owned} WHERE k.value IS NOT NULL AND {_of(hosts=True)} AND {chosen}", bound)
    if host is None:
        connection.execute(f"{into} SELECT k.kind, k.endpoint, '', {setting} WHERE k.value IS NOT NULL AND {_of(hosts=False)}")


def _of(*, hosts: bool) -> str:
    """The condition on the kinds of settings that hosts have, or arrays."""
    return f"k.kind IN ({', '.join(repr(name) for name, kind in KINDS.items() if kind.of_hosts is hosts)})"


def _drop_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop all views and steps, so that an audit can create them again; the facts stay."""
    made = "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'main'"
    for name, what in connection.execute(made).fetchall():
        connection.execute(f'DROP {"VIEW" if what == "VIEW" else "TABLE"} main."{name}"')


def _make_table(connection: duckdb.DuckDBPyConnection) -> None:
    """An empty table `baseline`, also where a loaded snapshot has a view of a file."""
    kind = connection.execute("SELECT table_type FROM information_schema.tables WHERE table_schema = 'fact' AND table_name = 'baseline'")
    found = kind.fetchone()
    if found is not None:
        connection.execute(f"DROP {'VIEW' if found[0] == 'VIEW' else 'TABLE'} fact.baseline")
    columns = ", ".join(f'"{column.name}" {column.type}' for column in TABLES["baseline"].columns)
    connection.execute(f"CREATE TABLE fact.baseline ({columns})")


def counts(connection: duckdb.DuckDBPyConnection) -> Mapping[str, int]:
    """Settings by kind in the table `baseline`, in the order of KINDS; `host` are its hosts. Empty when there is no baseline."""
    rows = connection.execute("SELECT kind, count(*) FROM fact.baseline WHERE kind <> 'made' GROUP BY kind").fetchall()
    found: dict[str, int] = dict(rows)
    return {kind: found[kind] for kind in ("host", *KINDS) if kind in found}


def declared_kinds(connection: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """The kinds of settings that a snapshot has as declared by settings.yaml."""
    return tuple(kind for (kind,) in connection.execute("SELECT DISTINCT kind FROM fact.declared_setting ORDER BY ALL").fetchall())


def write(connection: duckdb.DuckDBPyConnection, about: About, path: Path) -> None:
    """Write the table `baseline` and what it was made from to one Parquet file.

    Raises:
        duckdb.Error, OSError: it cannot be written.
    """
    fields = {**asdict(about), "taken_at": about.taken_at.isoformat(), "set_at": about.set_at.isoformat(), "counts": dict(about.counts)}
    text = json.dumps({"format": FORMAT, **fields, "digest": _digest(connection, "fact.baseline")})
    listed = ", ".join(TABLES["baseline"].names)
    rows = f"SELECT {listed} FROM fact.baseline ORDER BY ALL"  # noqa: S608  names are schema.py's
    options = f"FORMAT parquet, COMPRESSION zstd, KV_METADATA {{auditor_baseline: {_literal(text)}}}"
    connection.execute(f"COPY ({rows}) TO {_literal(str(path))} ({options})")


def read_about(path: Path) -> About:
    """What the baseline in a file was made from, once the whole of the file was found as it was written.

    Raises:
        SnapshotError: it is damaged, not a baseline, or a newer auditor wrote it.
    """
    import duckdb

    try:
        with duckdb.connect() as connection:
            row = connection.execute("SELECT value FROM parquet_kv_metadata(?) WHERE key = 'auditor_baseline'", [str(path)]).fetchone()
            metadata: dict[str, Any] = json_of(row[0]) if row else {}
            if metadata.get("format", FORMAT) != FORMAT:
                raise _damaged(path, f"it has format {metadata['format']}, this auditor reads {FORMAT}")
            if metadata["digest"] != _digest(connection, f"read_parquet({_literal(str(path))})"):
                raise _damaged(path, "its rows are not those that were written")
            return About(
                run=metadata["run"],
                host=metadata["host"],
                endpoint=metadata["endpoint"],
                reach=metadata["reach"],
                cluster=metadata["cluster"],
                taken_at=datetime.fromisoformat(metadata["taken_at"]),
                set_at=datetime.fromisoformat(metadata["set_at"]),
                hosts=metadata["hosts"],
                counts=metadata["counts"],
                gaps=metadata.get("gaps", 0),
                identities=metadata.get("identities", {}),
            )
    except (duckdb.Error, OSError, ValueError, KeyError, TypeError) as failure:
        raise _damaged(path, str(failure).splitlines()[0] if str(failure) else type(failure).__name__) from failure


def put(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Fill the empty table `baseline` of a snapshot that is being made from a file.

    Raises:
        SnapshotError: the file is damaged, or went away.
    """
    import duckdb

    listed = ", ".join(TABLES["baseline"].names)
    try:
        connection.execute(f"INSERT INTO fact.baseline ({listed}) SELECT {listed} FROM read_parquet({_literal(str(path))})")  # noqa: S608
    except duckdb.Error as failure:
        raise _damaged(path, str(failure).splitlines()[0]) from failure


def set_apart(connection: duckdb.DuckDBPyConnection, endpoint: str, then: str, now: str) -> None:
    """Take the settings of an endpoint out of the table `baseline` of a snapshot that is being made: another has its name now."""
    connection.execute("DELETE FROM fact.baseline WHERE of_endpoint = ?", [endpoint])
    connection.execute(
        "INSERT INTO fact.baseline (kind, of_endpoint, of_host, thing, setting, value) VALUES ('another', ?, '', '', ?, ?)",
        [endpoint, then, now],
    )


def apart(connection: duckdb.DuckDBPyConnection) -> Sequence[tuple[str, str, str]]:
    """What `set_apart` took out: name of the endpoint, identity in the baseline, identity in the snapshot."""
    return connection.execute("SELECT of_endpoint, setting, value FROM fact.baseline WHERE kind = 'another' ORDER BY ALL").fetchall()


def hand_on(before: duckdb.DuckDBPyConnection, connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the empty table `baseline` of one snapshot with another's."""
    listed = ", ".join(TABLES["baseline"].names)
    rows = before.cursor().execute(f"SELECT {listed} FROM fact.baseline").fetchnumpy()  # noqa: S608  names are schema.py's
    if not len(next(iter(rows.values()))):
        return
    connection.register("batch", rows)
    try:
        connection.execute(f"INSERT INTO fact.baseline ({listed}) SELECT {listed} FROM batch")  # noqa: S608  likewise
    finally:
        connection.unregister("batch")


def not_found(connection: duckdb.DuckDBPyConnection) -> Sequence[tuple[str, str]]:
    """Hosts of the baseline, as (endpoint, name), that the snapshot does not have although all hosts of their vCenter were read."""
    return connection.execute(
        """SELECT b.of_endpoint, b.of_host FROM fact.baseline AS b
        JOIN fact.reading AS r ON r.endpoint = b.of_endpoint AND r.topic = 'hosts' AND r.scope = '' AND r.complete
        LEFT JOIN fact.host AS h ON h.endpoint = b.of_endpoint AND h.name = b.of_host
        WHERE b.kind = 'host' AND h.name IS NULL ORDER BY ALL"""
    ).fetchall()


def not_listed(connection: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """Endpoints that the baseline holds settings of and that the fleet has not: they are compared with nothing."""
    rows = connection.execute(
        """SELECT DISTINCT b.of_endpoint FROM fact.baseline AS b
        LEFT JOIN fact.listed_endpoint AS l ON l.endpoint = b.of_endpoint
        WHERE b.kind <> 'made' AND l.endpoint IS NULL ORDER BY ALL"""
    ).fetchall()
    return tuple(row[0] for row in rows)


def _digest(connection: duckdb.DuckDBPyConnection, source: str) -> str:
    """A digest that distinguishes the rows of a baseline from any others, whatever their order."""
    cells = ", ".join(f"coalesce(CAST({name} AS VARCHAR), chr(0))" for name in TABLES["baseline"].names if name != "taken_at")
    row = connection.execute(f"SELECT count(*), bit_xor(md5_number_lower(concat_ws(chr(31), {cells}))) FROM {source}").fetchone()  # noqa: S608
    return f"{row[0]}:{row[1]}" if row else ""


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _damaged(path: Path, why: str) -> SnapshotError:
    return SnapshotError(
        f"{path}: the baseline cannot be read: {why}",
        why="nothing was judged: an audit that went on without it would report no drift.",
        do="set it anew with `auditor baseline set RUN`, or do without one: `auditor baseline clear`.",
    )
