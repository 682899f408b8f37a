"""The commands of the README, the tutorial and the how-tos work as they are written, against a lab.

Left to the test: it answers yes where a fix asks, waits no minute after a wave, and fills in what stands in capitals. It judges by a few of
the rules, since what the others say is nothing to a command line; and of commands that have the same options it runs one, and none whose
options are all among those of another.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from auditor.cli import run
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import serve
from tests.docs.command_blocks import PAGES, Command, commands, steps

RULES = ("vvol/pe-dsnro-headroom", "queue/driver-depth", "baseline/dsnro", "declared/option")
DEVICE = "esx-vvol-1.lab.example/naa.6f47acc2000000027366707200000000"
MOVE = {"VM": "vmfs-1", "DATASTORE": "sf-vmfs-02"}
FINDINGS = frozenset({"audit", "check-move", "demo", "plan", "apply", "schedule"})
"""Commands that end with 1 where something fails, and with 2 where something is unknown: neither is a mistake of the page."""
WRITING = frozenset({"apply", "undo", "resume"})


@pytest.fixture
def few_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of RULES takes the place of the shipped ones."""
    from auditor.pipeline import policy

    folder = tmp_path / "rules"
    for rule in RULES:
        (folder / rule).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(policy.shipped_rules() / f"{rule}.yaml", folder / f"{rule}.yaml")
    monkeypatch.setattr(policy, "shipped_rules", lambda: folder)


def is_fix(words: tuple[str, ...]) -> bool:
    return words[1] in WRITING or (words[1] == "audit" and "--fix" in words and "--dry-run" not in words)


def filled_in(command: Command, kept: Mapping[str, str]) -> list[str]:
    """The words after `auditor`, with a value of this lab for what stands in capitals, and without waiting."""
    of_fix = command.words[1] in {*WRITING, "confirm"} or command.words[1:3] == ("journal", "export")
    values = {"RUN": kept.get("fix" if of_fix else "audit", ""), "FINDING": kept.get("finding", ""), "HOST/DEVICE": DEVICE} | MOVE
    words = [values.get(word, word) for word in command.words[1:]]
    if is_fix(command.words):
        words.append("--yes")
    if is_fix(command.words) and words[0] in ("audit", "apply"):
        words += ["--settle", "0"]
    if "--for" in words:
        words[words.index("--for") + 1] = "1s"
    return words


def kept_runs(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """The newest audit, the newest run that wrote what somebody planned, and a failure of the former."""
    capsys.readouterr()
    assert run(["runs", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["runs"]
    kept = {"audit": next((one["id"] for one in listed if one["kind"] == "audit"), "")}
    kept["fix"] = next((one["id"] for one in listed if one["kind"] in ("fix", "apply") and one["outcomes"].get("applied")), "")
    if kept["audit"]:
        assert run(["runs", "show", kept["audit"], "--reporter", "json"]) == 0
        findings = json.loads(capsys.readouterr().out)["findings"]
        kept["finding"] = next((one["id"] for one in findings if one["verdict"] == "fail"), "")
    return kept


def options(command: Command) -> tuple[str, frozenset[str]]:
    """The command with its subcommand, and the names of its options."""
    first, *others = command.words[1:]
    below = others[0] if first in ("rules", "runs", "baseline", "journal", "waivers", "lab") else ""
    if "--as" in others:  # a script of commands is no plan that is applied
        below = "as commands"
    return f"{first} {below}", frozenset(word for word in others if word.startswith("--"))


def is_covered(command: Command, by: Collection[tuple[str, frozenset[str]]]) -> bool:
    """Whether the same command is run with all these options, and others; that is run instead, since an audit takes its time."""
    name, own = options(command)
    return any(name == other and own < others for other, others in by)


@pytest.mark.usefixtures("few_rules")
def test_the_commands_of_pages_work_as_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    kinds = {options(command): False for command in commands() if command.words[0] == "auditor" and not command.not_run}
    with serve(load_scenario("solidfire-vvols")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        problems = [problem for page in PAGES for problem in mistakes(page, folder, kinds, capsys)]
    assert not problems, "\n".join(problems)


def mistakes(
    page: Path, folder: Path, was_run: dict[tuple[str, frozenset[str]], bool], capsys: pytest.CaptureFixture[str]
) -> Iterator[str]:
    """Go through a page in `folder`: each command that does not work, with its line. Options that were tried are not tried again."""
    written = [step.path for step in steps(page) if not isinstance(step, Command)]
    for step in steps(page):
        if not isinstance(step, Command):
            (folder / step.path).parent.mkdir(parents=True, exist_ok=True)
            (folder / step.path).write_text(step.text, encoding="utf-8")
            continue
        if step.not_run or was_run[options(step)] or is_covered(step, was_run):
            continue
        was_run[options(step)] = True
        words = filled_in(step, kept_runs(capsys) if {"RUN", "FINDING"} & {*step.words} else {})
        code = run(words)
        if code not in ({0, 1, 2} if words[0] in FINDINGS or words[:2] == ["runs", "diff"] else {0}):
            yield f"{step.where}: auditor {' '.join(words)} ended with {code}\n{capsys.readouterr().err[-2000:]}"
    for name in written:  # waivers of one page are none of the next one's
        (folder / name).unlink()
