"""A JSON file with a value for each name, to which processes may add at the same time."""

import fcntl
import json
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any


def values(file: Path) -> dict[str, Any]:
    """What the file has, by name."""
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def add(file: Path, fresh: Mapping[str, Any], names: Collection[str]) -> None:
    """Put these values in the place of older ones; only those of `names` stay."""
    with file.open("r+", encoding="utf-8") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        merged = json.load(opened) | fresh
        opened.seek(0)
        opened.write(written({name: merged[name] for name in sorted(merged) if name in names}))
        opened.truncate()


def written(named: Mapping[str, Any]) -> str:
    """The text of the file: a line for each name, so that changes of two names never touch one line."""
    lines = (f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in named.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


@cache
def reasons(file: Path) -> Mapping[str, Mapping[str, str]]:
    """By name and mistake: why it makes no difference."""
    return values(file)
