"""The part of an endpoint as bytes, which is how a worker sends it: MessagePack with Parquet in it, a form without code.

A worker may be in others' hands. So a part is looked through before it is believed: it is of the endpoint that was asked for, has the
tables and columns that facts/schema.py knows, and no row of another endpoint.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.facts.schema import TABLES
from auditor.facts.snapshot_files import literal
from auditor.facts.snapshots.parts import Part

if TYPE_CHECKING:
    from auditor.model import Endpoint

_OF_THE_CLIENT = frozenset({"gap", "declared", "declared_nfs_server", "declared_setting", "baseline"})
"""Tables that no endpoint answers with."""


class UnusablePartError(ValueError):
    """What a worker sent is not what it was asked for; the text says in which way, and holds nothing that it sent."""


def part_bytes(part: Part) -> bytes:
    """A part, as a worker sends it."""
    import msgspec

    return msgspec.msgpack.encode(part)


def part_in(content: object, endpoint: Endpoint) -> Part:
    """The part that a worker sent of `endpoint`.

    Raises:
        UnusablePartError: it is none, or of something else.
    """
    import msgspec

    if not isinstance(content, bytes):
        raise UnusablePartError("it is an object, and only bytes are taken")
    try:
        part = msgspec.msgpack.decode(content, type=Part)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise UnusablePartError("it is not of the form of a part") from None
    reading = part.reading
    asked = (endpoint.name, endpoint.kind.value, f"{endpoint.address}:{endpoint.port}", endpoint.trust)
    if (reading.name, reading.kind, reading.address, reading.tls) != asked:
        raise UnusablePartError("it is of another endpoint")
    if any(gap.endpoint != endpoint.name for gap in part.gaps) or any(name != endpoint.name for name, _, _ in part.huge):
        raise UnusablePartError("it speaks of another endpoint")
    if reading.started.tzinfo is None or reading.finished.tzinfo is None:
        raise UnusablePartError("its times have no zone")
    if reading.complete and part.gaps:
        raise UnusablePartError("it is complete and has gaps")
    _check_tables(part, endpoint.name)
    return part


def _check_tables(part: Part, endpoint: str) -> None:
    """See that every table is known, can be read to its end, and has rows of `endpoint` alone.

    Raises:
        UnusablePartError: one is not so.
    """
    import duckdb

    connection = duckdb.connect()
    try:
        with tempfile.TemporaryDirectory(prefix="auditor-part-") as folder:
            path = Path(folder) / "rows.parquet"
            for name, content in part.tables.items():
                if name not in TABLES or name in _OF_THE_CLIENT:
                    raise UnusablePartError("it holds a table that no endpoint answers with")
                path.write_bytes(content)
                rows = f"FROM read_parquet({literal(path)})"
                try:
                    types = {column: kind for column, kind, *_ in connection.execute(f"DESCRIBE SELECT * {rows}").fetchall()}
                    if types != _types(connection, name):
                        raise UnusablePartError(f"its table {name} has other columns")
                    # Counting every column has every page of the file read.
                    others, *_ = connection.execute(
                        f"SELECT count(*) FILTER (WHERE endpoint IS DISTINCT FROM ?), count(COLUMNS(*)) {rows}",  # noqa: S608
                        [endpoint],
                    ).fetchone() or (1,)
                except (duckdb.IOException, duckdb.OutOfMemoryException):
                    raise  # of this machine
                except duckdb.Error:
                    raise UnusablePartError(f"its table {name} cannot be read") from None
                if others:
                    raise UnusablePartError(f"its table {name} has rows of another endpoint")
    finally:
        connection.close()


def _types(connection: object, table: str) -> dict[str, str]:
    """The types of a table's columns, as DuckDB names them."""
    from typing import Any, cast

    known = cast("Any", connection)
    columns = ", ".join(f'CAST(NULL AS {column.type}) AS "{column.name}"' for column in TABLES[table].columns)
    return {name: kind for name, kind, *_ in known.execute(f"DESCRIBE SELECT {columns}").fetchall()}
