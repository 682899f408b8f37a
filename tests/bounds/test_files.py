"""Files are read up to a size, wherever the package reads one that somebody else may have made."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from auditor import cli
from auditor.bounds import files as bounded_files
from auditor.bounds.files import FileTooLargeError, json_of, lines_of, read_bytes, read_json, read_struct, read_text
from auditor.bounds.limits import SECRET_BYTES
from auditor.errors import AuditorError
from auditor.facts.snapshots.snapshot import load_snapshot
from auditor.history.kept_run import read_kept
from auditor.history.plan_file import read_plan_file
from auditor.history.writing_runs import Writes

PACKAGE = Path(__file__).parents[2] / "auditor"

_OWN = ("resources.files(", "(resources.files(", "template_folder() /")
"""How expressions begin that name a file of the package itself."""

EXCEPTIONS = {
    "facts/snapshots/parts.py": "the file is written two lines before, in a folder of its own",
    "history/reused_verdicts.py": "files of the package itself",
    "system/process_start.py": "a file of the kernel's",
    "system/processes.py": "a file of the kernel's",
}
"""Modules that read whole files by other means, and why they may: once each."""


def unbounded(source: str) -> Iterator[str]:
    """The calls of a module that read a file whole, whatever its size."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, of = node.func.attr, ast.unparse(node.func.value)
        whole = (
            name in ("read_text", "read_bytes") or (name in ("read", "readlines") and not node.args) or (name == "load" and of == "json")
        )
        if whole and not of.startswith(_OWN) and not (of == "stream" and node.args):
            yield f"{of}.{name}"


@pytest.mark.long
def test_no_module_reads_a_file_of_somebody_else_without_a_limit() -> None:
    found = {path.relative_to(PACKAGE).as_posix(): list(unbounded(path.read_text(encoding="utf-8"))) for path in PACKAGE.rglob("*.py")}
    assert {name: len(calls) for name, calls in found.items() if calls} == dict.fromkeys(EXCEPTIONS, 1)


DECODERS = {
    "bounds/files.py": "it counts before, and knows what is nested too deeply",
    "sql/select_guard.py": "DuckDB's own answer",
    "authoring/schema_docs.py": "a file of the package itself",
    "engine/rules/expressions.py": "DuckDB's own answer",
    "history/plan_file.py": "what it has encoded itself",
    "impact/finding.py": "a column that the engine makes",
    "job/child.py": "what its own parent says",
}
"""Modules that decode JSON by other means than `json_of`, but those that speak with endpoints, whose answers have limits of their own."""


def test_json_of_somebody_else_is_counted_before_it_is_decoded() -> None:
    found = set()
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        if "json.loads(" in path.read_text(encoding="utf-8") and not name.startswith("endpoints/"):
            found.add(name)
    assert found == set(DECODERS)


@pytest.mark.parametrize(
    "source", ["path.read_text()", "(a / b).read_bytes()", "json.load(file)", "x = file.read()", "file.readlines()", "stream.read_bytes()"]
)
def test_the_law_sees_what_it_looks_for(source: str) -> None:
    assert list(unbounded(source))


READERS: list[Callable[[Path, int], Any]] = [read_bytes, read_text, read_json, lambda path, most: list(lines_of(path, most))]


@pytest.mark.parametrize("read", READERS, ids=["bytes", "text", "JSON", "lines"])
def test_a_file_is_read_to_its_limit_and_not_beyond(read: Callable[[Path, int], Any], tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b'"1234567"')
    assert read(path, 9) in (b'"1234567"', '"1234567"', "1234567", [b'"1234567"'])
    with pytest.raises(FileTooLargeError) as refused:
        read(path, 8)
    assert refused.value.path == str(path)
    assert refused.value.strerror == str(refused.value) == "it is larger than the 8 bytes that such a file may have"


def test_a_file_without_an_end_is_refused() -> None:
    with pytest.raises(FileTooLargeError):
        read_text(Path("/dev/zero"), SECRET_BYTES)


def test_a_text_has_the_line_ends_that_python_gives_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes("ä\r\nb\rc\n".encode())
    assert read_text(path) == path.read_text(encoding="utf-8") == "ä\nb\nc\n"


DEEP = b'{"x":' * 100_000


@pytest.mark.parametrize("content", [DEEP, b"[" * 100_000, b"\xff", b"{"], ids=["objects in objects", "lists in lists", "no UTF-8", "torn"])
def test_json_that_cannot_be_decoded_is_a_value_error(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"."):
        json_of(content)
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"."):
        read_struct(path, Writes)


def test_json_is_counted_before_it_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_files, "JSON_CONTAINERS", 3)
    assert json_of(b"[[],{}]") == [[], {}]
    monkeypatch.setattr(json, "loads", lambda *_, **__: pytest.fail("it was decoded"))
    with pytest.raises(ValueError, match="holds more than 3 objects"):
        json_of(b"[[],{},[]]")


def _run(path: Path) -> None:
    read_kept(path.parent)


def _snapshot(path: Path) -> None:
    load_snapshot(path.parent)


@pytest.mark.parametrize("content", [b'{"a": 1' + b" " * 300, DEEP], ids=["too large", "too deep"])
@pytest.mark.parametrize(
    ("name", "read"), [("plan.json", read_plan_file), ("run.json", _run), ("snapshot.json", _snapshot)], ids=["plan", "run", "snapshot"]
)
def test_what_a_stranger_made_too_large_or_too_deep_is_refused_in_a_sentence(
    name: str, read: Callable[[Path], Any], content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content is not DEEP:
        monkeypatch.setattr(bounded_files, "read_bytes", _at_most_256(bounded_files.read_bytes))
    path = tmp_path / "20261122T000000Z-aaaa" / name
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(AuditorError) as refused:
        read(path)
    assert str(path.parent) in refused.value.what
    assert ("larger than the 256 bytes" in str(refused.value)) is (content is not DEEP)


def _at_most_256(read: Callable[[Any, int], bytes]) -> Callable[[Any, int], bytes]:
    def at_most(path: Any, _most: int = 0) -> bytes:
        return read(path, 256)

    return at_most


def test_a_file_that_nobody_thought_of_ends_the_command_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli._crashed(FileTooLargeError("state/x.json", 1 << 20)) == 3
    assert capsys.readouterr().err.splitlines()[0] == "error: state/x.json: it is larger than the 1 MiB that such a file may have"
