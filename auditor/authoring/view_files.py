"""The view files as they are written: facts/views/<domain>/<view>.sql."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import takewhile
from pathlib import Path
from typing import Literal

from auditor.bounds.files import read_text

_TABLE, _VIEW = "-- materialize: table\n", "-- materialize: view\n"
_CALLED = "-- a row is called: "


@dataclass(frozen=True, slots=True)
class ViewFile:
    """One file.

    Attributes:
        domain: its folder.
        materialize: as its first line says.
        row: what people call what a row is about, as the second line may say; "" where the name of the view says it.
        what: the first sentence of the comment after that: what one row is.
        sql: the whole text.
    """

    domain: str
    materialize: Literal["table", "view"]
    row: str
    what: str
    sql: str


@cache
def view_files() -> Mapping[str, ViewFile]:
    """Every file, by the name of its view.

    Raises:
        ValueError: a file does not begin as facts/views.py says, or two files have one name.
    """
    files: dict[str, ViewFile] = {}
    for path in sorted(Path(str(resources.files("auditor.facts"))).glob("views/*/*.sql")):
        if path.stem in files:
            raise ValueError(f"{path}: there is another view of this name in {files[path.stem].domain}/")
        files[path.stem] = _read(path)
    return files


def _read(path: Path) -> ViewFile:
    text = read_text(path)
    if not text.startswith((_TABLE, _VIEW)):
        raise ValueError(f"{path}: the first line must be `{_TABLE.strip()}` or `{_VIEW.strip()}`")
    second = text.splitlines()[1]
    row = second.removeprefix(_CALLED) if second.startswith(_CALLED) else ""
    what = _first_sentence(text.splitlines()[2 if row else 1 :])
    if not what:
        raise ValueError(f"{path}: a comment after the first line must say what one row is")
    return ViewFile(path.parent.name, "table" if text.startswith(_TABLE) else "view", row, what, text)


def _first_sentence(lines: list[str]) -> str:
    comment = takewhile(lambda line: line.startswith("--"), lines)
    sentence, dot, _ = " ".join(line.removeprefix("--").strip() for line in comment).partition(". ")
    return sentence + "." if dot else sentence
