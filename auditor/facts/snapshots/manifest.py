"""The manifest of a saved snapshot: when it was read and from whom, and the digest of each of its files; written last."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from auditor.bounds.files import read_json
from auditor.errors import SnapshotError
from auditor.facts.schema import TABLES
from auditor.model import EndpointReading

MANIFEST = "snapshot.json"
FORMAT = 1
"""Of a snapshot with one file a table."""
PARTITIONED = 2
"""Of one with a folder an endpoint. An auditor that knows one file a table alone refuses it, instead of finding it empty."""
_FILE = re.compile(r"(fleet/|endpoint=[^/]+/)?([a-z_]+)(-\d+)?\.parquet")


def read_manifest(directory: Path) -> dict[str, Any]:
    """What the manifest of a saved snapshot holds, of a format that this auditor reads.

    Raises:
        SnapshotError: a newer auditor wrote it.
        OSError, ValueError, KeyError: there is none, or it is torn.
    """
    manifest: dict[str, Any] = read_json(directory / MANIFEST)
    if manifest["format"] not in (FORMAT, PARTITIONED):
        raise SnapshotError(
            f"{directory} has snapshot format {manifest['format']}, this auditor reads {FORMAT} and {PARTITIONED}",
            why="columns may mean something else there.",
            do="use the auditor that wrote it, or collect again.",
        )
    return manifest


def readings_of(manifest: Mapping[str, Any]) -> tuple[EndpointReading, ...]:
    """The readings of a manifest.

    Raises:
        ValueError, KeyError, TypeError: it is damaged.
    """
    return tuple(
        EndpointReading(
            **{
                **entry,
                "started": datetime.fromisoformat(entry["started"]),
                "finished": datetime.fromisoformat(entry["finished"]),
                "notes": tuple(entry.get("notes", ())),
            }
        )
        for entry in manifest["endpoints"]
    )


def table_of(file: str) -> str | None:
    """The table that a file has rows of; None where no file of a snapshot has such a name: it could lead anywhere."""
    parsed = _FILE.fullmatch(file)
    return parsed[2] if parsed and parsed[2] in TABLES else None


def files_listed(manifest: Mapping[str, Any]) -> dict[str, str | None]:
    """The digest of each file of a snapshot, by its name, of both formats; None where an older auditor wrote no digests.

    Raises:
        ValueError: a file has a name that leads elsewhere.
    """
    if manifest["format"] == PARTITIONED:
        listed: dict[str, str | None] = dict(manifest["files"])
    elif "tables" in manifest:
        listed = {f"{name}.parquet": digest for name, digest in manifest["tables"].items() if name in TABLES}
    else:
        listed = {f"{name}.parquet": None for name in TABLES}
    for name in listed:
        if table_of(name) is None:
            raise ValueError(f'"{name}" is no file of a snapshot')
    return listed
