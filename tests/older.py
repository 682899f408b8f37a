"""What auditors wrote before this one."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32


def without_digests(snapshot: Path) -> None:
    """Make a saved snapshot one that does not say what its files were like, so that a test can write them anew."""
    manifest = snapshot / "snapshot.json"
    document = json.loads(manifest.read_text(encoding="utf-8"))
    del document["tables"]
    manifest.write_text(json.dumps(document), encoding="utf-8")


def older_journal(records: Iterable[Mapping[str, Any]]) -> bytes:
    """The lines of a journal of version 1: each sealed with a checksum of its own, and without the end of the journal before."""
    lines = []
    for number, record in enumerate(records):
        kept = {key: value for key, value in record.items() if key not in ("line", "sha256", "previous")}
        version = {"version": 1} if "version" in kept else {}
        body = json.dumps({"line": number, **kept, **version}, separators=(", ", ": ")).encode()
        lines.append(body[:-1] + b', "crc32": "%08x"}\n' % crc32(body))
    return b"".join(lines)
