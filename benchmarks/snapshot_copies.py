"""Copies of a snapshot of replayed vCenters, each under other words: what other collectors would have read of as many vCenters more.

To judge more hosts than there is time to read: the tables are as if they had been read, and no name, UUID or WWN of one copy is in another.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 9
"""Copies: the word's second digit, which is 0 in what was read."""

_WORD = "a0([0-5][0-9a-f]|6[0-3])"
_AS_DIGITS = "6130(3[0-5](?:3[0-9]|6[1-6])|363[0-3])"  # the same word's letters, as an Element cluster writes its id into names of devices


def copies(snapshot: Path, folder: Path, number: int) -> Iterator[Path]:
    """Write that many copies below `folder`; of vCenters with the words a000 to a063, which are a hundred.

    Raises:
        ValueError: there are no words for so many.
    """
    if number > MOST:
        raise ValueError(f"at most {MOST} copies")
    for turn in range(1, number + 1):
        out = folder / f"copy-{turn}"
        out.mkdir()
        _copy(snapshot, out, turn)
        yield out


def _copy(snapshot: Path, out: Path, turn: int) -> None:
    import duckdb

    from auditor.facts.snapshot_files import digest_of, literal

    manifest = json.loads(_renamed((snapshot / "snapshot.json").read_text(encoding="utf-8"), turn))
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '1GiB'")
        connection.execute("SET preserve_insertion_order = true")
        for file in sorted(snapshot.glob("*.parquet")):
            columns = connection.execute(f"DESCRIBE SELECT * FROM {literal(file)}").fetchall()
            cells = ", ".join(_cell(name, kind, turn) for name, kind, *_ in columns)
            target = out / file.name
            connection.execute(f"COPY (SELECT {cells} FROM {literal(file)}) TO {literal(target)} (FORMAT parquet, COMPRESSION zstd)")
            manifest["tables"][file.stem] = digest_of(target)
    (out / "snapshot.json").write_text(json.dumps(manifest), encoding="utf-8")


def _cell(name: str, kind: str, turn: int) -> str:
    if "VARCHAR" not in kind:
        return f'"{name}"'
    renamed = f"regexp_replace({{}}, '{_WORD}', 'a{turn}\\1', 'g')"
    renamed = f"regexp_replace({renamed}, '{_AS_DIGITS}', '613{turn}\\1', 'g')"
    if kind == "VARCHAR":
        return renamed.format(f'"{name}"') + f' AS "{name}"'
    if kind == "VARCHAR[]":
        return f'list_transform("{name}", one -> {renamed.format("one")}) AS "{name}"'
    return f'CAST({renamed.format(f"""CAST("{name}" AS VARCHAR)""")} AS {kind}) AS "{name}"'


def _renamed(text: str, turn: int) -> str:
    return re.sub(_AS_DIGITS, rf"613{turn}\1", re.sub(_WORD, rf"a{turn}\1", text))
