"""Every path that a command is given is made, or refused in a sentence, before work begins: over all options of all commands."""

from __future__ import annotations

import select
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from auditor.cli import run
from auditor.cli.commands import app_for
from tests.depth import DEEP

PATH_WORDS = ("PATH", "DIR", "FILE", "BUNDLE")
NEEDED = {
    "fleet": ["--fleet", "fleet.yaml"],
    "keep": ["--keep", "90d"],
    "scheduler": ["--scheduler", "tcp://127.0.0.1:9"],
    "workers": ["--workers", "tcp://127.0.0.1:9"],
    "out": ["--out", "spare"],
    "paths": ["there.txt"],
    "run": ["last"],
    "sql": ["SELECT 1"],
    "what": ["1a2b3c4d"],
    "finding": ["1a2b3c4d"],
    "file": ["plan.json"],
    "devices": ["esx-01/naa.1"],
    "directory": ["spare"],
}
"""Values of what commands cannot do without, by parameter."""
MORE = {
    "endpoints new": ["acme"],
    "rules new": ["vvol/mine"],
    "rules show": ["vvol/pe-dsnro-headroom"],
    "record": ["--fleet", "fleet.yaml", "--out", "spare.tar.gz"],
}
"""Further words of some commands, or those in place of NEEDED."""
WAITS = {"workers scheduler", "workers start", "workers list"}
"""They wait on a network and write no file."""
MADE = ("new/below/one", "one")
REFUSED = ("there.txt/below", "loop/below", "n\0ul", "long" * 100)
OUTPUTS = {
    ("baseline export", "--out"),
    ("collect", "--out"),
    ("endpoints new", "--dir"),
    ("explain", "--svg"),
    ("import", "--out"),
    ("init", "--dir"),
    ("inventory", "--out"),
    ("journal export", "--out"),
    ("lab evidence", "--out"),
    ("lab export-vcsim", "directory"),
    ("lab generate", "--write-fleet"),
    ("lab up", "--write-fleet"),
    ("plan", "--out"),
    ("record", "--key"),
    ("record", "--out"),
    ("reproduce", "--out"),
    ("rules new", "--dir"),
    ("rules pages", "--dir"),
    ("schedule", "--publish"),
    ("workers certificates", "--out"),
    *((command, "--reporter") for command in ("audit", "demo", "runs show")),
}


def leaves(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield " ".join(words), command
        return
    for name, below in command.commands.items():
        yield from leaves(below, (*words, name))


def path_options() -> list[tuple[str, str]]:
    """Each command with each of its options and arguments that are paths."""
    found: list[tuple[str, str]] = []
    for words, command in leaves(typer.main.get_command(app_for(()))):
        of_paths = [one for one in command.params if any(word in (one.metavar or "") for word in PATH_WORDS) and words not in WAITS]
        found += [(words, one.opts[0] if one.param_type_name == "option" else one.name) for one in of_paths]
    return found


def refused(words: str, option: str) -> tuple[str, ...]:
    """What is tried for an option: for a place to write to all of REFUSED, for others one, in turns; all of them in `make deep`."""
    turn = path_options().index((words, option)) % len(REFUSED)
    return REFUSED if DEEP or (words, option) in OUTPUTS else (REFUSED[turn],)


def line_of(words: str, option: str, value: str) -> list[str]:
    """A command line that has `value` for `option`, and whatever else the command needs."""
    command = dict(leaves(typer.main.get_command(app_for(()))))[words]
    given = [option, f"html:{value}" if option == "--reporter" else value] if option.startswith("--") else [value]
    needed = [one.name for one in command.params if one.required and option not in {one.name, *one.opts}]
    rest = MORE.get(words) or [word for name in needed for word in NEEDED[name]]
    if option in rest:
        rest = rest[: rest.index(option)] + rest[rest.index(option) + 2 :]
    if words == "audit" and option not in {"--fleet", "--from"}:
        rest = ["--fleet", "fleet.yaml"]
    if words == "rules conflicts" and option == "--state-dir":
        rest = ["--run", "last"]  # else it asks no state
    if words == "schedule" and option != "--jobs":
        rest = ["--once", *(() if option == "--fleet" else ("--fleet", "fleet.yaml"))]
        rest += [] if option == "--publish" else ["--publish", "spare"]
    return [*words.split(), *rest, *given]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a file, links in a circle, and nothing that could be served, read or audited for long."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    (tmp_path / "there.txt").write_text("text", encoding="utf-8")
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.setattr(select, "select", lambda *_: ([1], [], []))
    return tmp_path


def test_every_option_that_names_a_place_to_write_to_is_known_here() -> None:
    told = ("write", "where", "goes", "go.", "made on first use")
    for words, command in leaves(typer.main.get_command(app_for(()))):
        for one in command.params:
            name = one.opts[0] if one.param_type_name == "option" else one.name
            is_path = any(word in (one.metavar or "") for word in PATH_WORDS)
            if is_path and name != "--state-dir" and any(word in (one.help or "").lower() for word in told):
                assert (words, name) in OUTPUTS, f"{words} {name}: {one.help}"
    assert set(path_options()) >= OUTPUTS


@pytest.mark.parametrize(("words", "option"), path_options(), ids=lambda text: text.replace(" ", "-"))
def test_a_path_that_cannot_be_is_refused_in_a_sentence(words: str, option: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = {path: path.is_dir() for path in here.rglob("*")}
    for value in refused(words, option):
        code = run(line_of(words, option, str(value)))
        said = capsys.readouterr().err
        if (words == "demo" and option == "--scenario") or code == 0:
            assert (words, option) not in OUTPUTS, value
            continue
        assert code == 3, (value, said)
        assert said.startswith("error: "), (value, said)
        assert "\n  why: " in said
        assert "\n  do:  " in said
    if (words, option) in OUTPUTS:
        assert {path: path.is_dir() for path in here.rglob("*") if "xdg" not in path.parts} == there, "nothing was begun"


@pytest.mark.parametrize("command", ["lab up", "lab generate"])
@pytest.mark.parametrize("value", MADE)
def test_a_lab_writes_its_fleet_file_into_a_folder_that_is_made(command: str, value: str, here: Path) -> None:
    size = ["--hosts", "1", "--luns", "1"] if command == "lab generate" else ["--scenario", "sioc-vs-array-qos"]
    assert run([*command.split(), *size, "--write-fleet", value]) == 0
    assert "endpoints" in (here / value).read_text(encoding="utf-8")


@pytest.mark.parametrize("value", MADE)
def test_a_folder_that_is_to_be_filled_is_made(value: str, here: Path) -> None:
    assert run(["rules", "new", "vvol/mine", "--dir", value]) == 0
    assert (here / value / "vvol/mine.yaml").exists()


@pytest.mark.long
def test_reports_in_files_alone_end_with_the_result_and_where_they_are(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["demo", "--scenario", "sioc-vs-array-qos", "--only", "sioc/overlap-array-qos", "--state-dir", "state"]
    (here / "new").mkdir()
    (here / "again").mkdir()
    run([*arguments, "--reporter", "html:new/report.html"])
    said = capsys.readouterr().out
    assert " DRIFT " in said.splitlines()[0]
    assert said.splitlines()[-1] == "Report: new/report.html"
    assert len(said.splitlines()) < 10
    run(["runs", "show", "--state-dir", "state", "--reporter", "json:again/one.json", "--reporter", "csv:two.csv"])
    said = capsys.readouterr().out
    assert " DRIFT " in said.splitlines()[0]
    assert said.splitlines()[-1] == "Reports: again/one.json, two.csv"
    run(["runs", "show", "--state-dir", "state", "--reporter", "json:-", "--reporter", "csv:two.csv"])
    assert capsys.readouterr().out.startswith("{"), "a program reads standard output"
