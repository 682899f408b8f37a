"""What reads, judges, reports, explains and fixes asks only `auditor.system` for what Windows lacks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.windows_lacks import LACKING, ON_POSIX

AUDITOR = Path(__file__).parents[2] / "auditor"
ON_POSIX_FILES = tuple(one.replace(".", "/") for one in ON_POSIX)


def misuses(source: str) -> Iterator[str]:
    """Modules and names of a source that Windows lacks, and where it asks which system this is."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (one.name for one in names if one.name in LACKING["modules"])
            case ast.ImportFrom(module=str(module), names=names):
                yield from [module] if module in LACKING["modules"] else []
                yield from (f"{module}.{one.name}" for one in names if one.name in LACKING.get(module, ()))
            case ast.Attribute(value=ast.Name(id=module), attr=name):
                if name in LACKING.get(module, ()) or (module, name) == ("os", "name") or (module, name) == ("sys", "platform"):
                    yield f"{module}.{name}"
            case ast.Constant(value="win32" | "nt" | "posix" as value):
                yield value


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param("import os, fcntl", ["fcntl"], id="a module"),
        pytest.param("def f():\n    from pwd import getpwuid", ["pwd"], id="of a module, where it is used"),
        pytest.param("from signal import SIGHUP, SIGINT", ["signal.SIGHUP"], id="a name of a module"),
        pytest.param("os.fchmod(1, 2) or os.chmod(1, 2)", ["os.fchmod"], id="an attribute"),
        pytest.param("if sys.platform == 'win32': pass", ["sys.platform", "win32"], id="a question"),
    ],
)
def test_a_misuse_is_seen(source: str, found: list[str]) -> None:
    assert sorted(misuses(source)) == sorted(found)


@pytest.mark.long
def test_nothing_but_the_one_room_uses_what_windows_lacks() -> None:
    room = AUDITOR / "system"
    used = {
        path.relative_to(AUDITOR.parent).as_posix(): found
        for path in sorted(AUDITOR.rglob("*.py"))
        if not path.is_relative_to(room) and not path.relative_to(AUDITOR.parent).as_posix().startswith(ON_POSIX_FILES)
        if (found := sorted(misuses(path.read_text(encoding="utf-8"))))
    }
    assert used == {}
    assert list(misuses((room / "locks.py").read_text(encoding="utf-8"))), "the room itself does, so the sweep sees it"
