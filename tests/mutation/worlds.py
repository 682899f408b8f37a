"""The facts of every scenario, recorded once, and copies of them under other names: fleets that must not notice each other.

Copies keep what is the vendor's (inquiries, prefixes of names, versions) and rename what tells things apart. One copy has the same values;
in the others every value differs, so that a join that forgets a key reads those.
"""

import fcntl
import hashlib
import re
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import duckdb

from auditor.cli import run
from auditor.facts.schema import TABLES
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import serve
from tests.mutation.bench import loaded

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".mutants"
"""What a collection of the lab answered; made anew when the lab or the collectors change."""

PREFIXES = ("a-", "b-", "c-")
"""Of endpoints and ids of copies: under other names; with other values; with other values in the same vCenter."""

_OF_THE_LAB = ("auditor_lab", "auditor/endpoints")

_IN_A_VCENTER = frozenset(
    [
        "host_id",
        "cluster_id",
        "cluster",
        "datastore_id",
        "target_datastore_id",
        "vm_id",
        "pod_id",
        "task_id",
        "entity_id",
        "object_id",
        "host.name",
        "datastore.name",
        "vm.name",
    ]
)
_IN_THE_WORLD = frozenset(
    [
        "device",
        "rdm_device",
        "vmfs_uuid",
        "vvol_container_id",
        "nfs_host",
        "nfs_path",
        "array_id",
        "initiator",
        "target",
        "iqn",
        "serial",
        "vvol_id",
        "backing_object_id",
        "export_path",
        "array.name",
        "path",
        "ip",
        "subnet",
        "initiator_address",
        "address",
        "pod",
        "protocol_endpoint_id",
    ]
)
_LEFT_AS_IT_IS = frozenset(("satp_rule.device",))
_NO_VALUES = frozenset(
    ["port", "partition", "build", "disks_read", "qos_read", "is_read", "schedule_read", "complete", "is_working", "working_paths"]
)
"""What was read is no value, which build it is decides what may be asked, and a host's own list counts the paths of vCenter's copy."""


def recorded() -> Path:
    """The folder of the facts of `lab up --scenario all`."""
    digest = hashlib.sha256()
    for part in _OF_THE_LAB:
        for file in sorted((ROOT / part).rglob("*")):
            if file.suffix in (".py", ".yaml"):
                digest.update(file.read_bytes())
    digest.update(repr({name: table.names for name, table in TABLES.items()}).encode())
    folder = KEPT / digest.hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of several processes that run tests the first one records, and the others wait
        if not (folder / "snapshot" / "snapshot.json").exists():
            _record(folder)
    return folder / "snapshot"


def _record(folder: Path) -> None:
    """Collect everything from every scenario, and have the snapshot appear whole in the folder, or not at all."""
    with tempfile.TemporaryDirectory(dir=folder) as begun, serve(load_scenario("all")) as lab:
        lab.write_fleet(Path(begun) / "fleet.yaml")
        run(["collect", "--fleet", str(Path(begun) / "fleet.yaml"), "--out", str(Path(begun) / "snapshot")])
        (Path(begun) / "snapshot").rename(folder / "snapshot")


def worlds() -> duckdb.DuckDBPyConnection:
    """The recorded facts, with three copies: as they are, with other values, and with other values in the same vCenters."""
    connection = loaded(recorded())
    add_copy(connection, PREFIXES[0], 5)
    add_copy(connection, PREFIXES[1], 9, other_values=True, same_ids=True)
    add_copy(connection, PREFIXES[2], 12, other_values=True, same_vcenter=True)
    return connection


def add_copy(
    connection: duckdb.DuckDBPyConnection,
    prefix: str,
    turn: int,
    *,
    other_values: bool = False,
    same_ids: bool = False,
    same_vcenter: bool = False,
) -> None:
    """Add every endpoint that has no copy yet, under other names.

    Args:
        prefix: goes before names.
        turn: how far the last digits of numbers in names are turned on, 1 to 15.
        other_values: numbers are one more, and every second truth value is the other.
        same_ids: ids that only a vCenter knows its objects by are as they were.
        same_vcenter: the copy's hosts are clusters of the vCenter they were copied from.
    """
    first = {name: _rows(connection, name) for name in TABLES}
    listed = {row["endpoint"] for name, rows in first.items() if name not in ("declared", "baseline") for row in rows}
    copied = {name for name in listed if not name.startswith(PREFIXES)}
    vcenters = {row["endpoint"] for row in first["host"]}

    def renamed(table: str, column: str, value: Any, endpoint: str) -> Any:
        if column == "endpoint":
            return value if same_vcenter and value in vcenters else prefix + value
        if not isinstance(value, str) or not value or f"{table}.{column}" in _LEFT_AS_IT_IS:
            return value
        if column == "scope" or {column, f"{table}.{column}"} & _IN_A_VCENTER:
            return value if same_ids else prefix + value
        if {column, f"{table}.{column}"} & _IN_THE_WORLD:
            return turned(value, turn)
        return value

    for table, rows in first.items():
        if table in ("baseline", "declared", "gap"):
            continue
        added = []
        for number, row in enumerate(row for row in rows if row["endpoint"] in copied):
            if same_vcenter and row["endpoint"] in vcenters and (table == "listed_endpoint" or (table == "reading" and not row["scope"])):
                continue
            other = {column: renamed(table, column, value, row["endpoint"]) for column, value in row.items()}
            added.append(_with_other_values(table, other, number) if other_values and table != "reading" else other)
        _insert(connection, table, added)


_NUMBER = re.compile(r"[0-9A-Fa-f][0-9A-Fa-f-]{15,}")
_ADDRESS = re.compile(r"^(\d+)(?=\.\d+\.\d+\.\d+)")
_QUALIFIED = re.compile(r"(?<=iqn\.)[^ ,]+")


def turned(text: str, turn: int) -> str:
    """A name in the world, as the like of it: vendors' prefixes stay, and the same gives the same."""
    if _ADDRESS.search(text) or _QUALIFIED.search(text):
        other = _ADDRESS.sub(lambda found: str((int(found[0]) + turn) % 223), text)
        return _QUALIFIED.sub(lambda found: f"{found[0]}-{turn}", other)
    if _NUMBER.search(text):
        return _NUMBER.sub(lambda found: _turned_digits(found[0], turn), text)
    return f"{text}-{turn}"


def _turned_digits(digits: str, turn: int) -> str:
    last = "".join(digit if digit == "-" else f"{(int(digit, 16) + turn) % 16:x}" for digit in digits[-4:])
    return digits[:-4] + (last.upper() if digits.upper() == digits else last)


def _with_other_values(table: str, row: dict[str, Any], number: int) -> dict[str, Any]:
    kinds = {column.name: column.type for column in TABLES[table].columns}
    change: Callable[[Any], Any] = lambda value: (value != (number % 2 == 0)) if isinstance(value, bool) else value + 1  # noqa: E731
    return {
        column: change(value)
        if kinds[column] in ("BOOLEAN", "BIGINT", "DOUBLE") and value is not None and column not in _NO_VALUES
        else value
        for column, value in row.items()
    }


def _rows(connection: duckdb.DuckDBPyConnection, table: str) -> list[dict[str, Any]]:
    rows = connection.execute(f'SELECT * FROM fact."{table}"').fetchall()
    return [dict(zip(TABLES[table].names, row, strict=True)) for row in rows]


def _insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Iterable[dict[str, Any]]) -> None:
    import numpy as np

    held = list(rows)
    if not held:
        return
    columns = {name: np.array([row[name] for row in held], dtype=object) for name in TABLES[table].names}
    casts = ", ".join(f'CAST("{column.name}" AS {column.type})' for column in TABLES[table].columns)
    connection.register("batch", columns)
    connection.execute(f'INSERT INTO fact."{table}" SELECT {casts} FROM batch')
    connection.unregister("batch")
