"""A newcomer's walk at 80 columns: each command that auditor prints is typed as it stands, and works; a fix is made and put back."""

from __future__ import annotations

import re
import shlex

import pytest

from auditor.cli import run
from tests.audits import Place

_COMMAND = re.compile(r"(?:^|[:\s] `?)(auditor (?:[a-z-]+ )?[^`\n;]*?)`?\s*$", re.MULTILINE)
WITHOUT_WAITING = {"audit": ["--yes", "--settle", "0"], "undo": ["--yes"]}
"""What stands for the answer of a person, and for a minute between waves."""


def printed(text: str) -> list[str]:
    """The commands that stand in `text`, each at the end of its line, as a person selects it."""
    return [found for found in _COMMAND.findall(text) if found.split()[1] in ("audit", "explain", "runs", "journal", "undo", "reproduce")]


def test_each_printed_command_works_as_printed(vvols: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("XDG_STATE_HOME", str(vvols.state))
    monkeypatch.chdir(vvols.folder)

    def typed(command: str) -> list[str]:
        """The commands that a command prints."""
        words = shlex.split(command)[1:]
        writes = words[0] == "undo" or ("--fix" in words and "--dry-run" not in words)
        vvols.capsys.readouterr()
        code = run([*words, *(WITHOUT_WAITING[words[0]] if writes else [])])
        said = vvols.capsys.readouterr()
        assert code in (0, 1), f"{command}: {said.err}"
        return printed(said.out)

    first = typed("auditor audit --fleet fleet.yaml --no-details")
    assert [command.split()[1] for command in first] == ["audit", "explain", "explain", "runs"]
    assert first[0] == "auditor audit --fleet fleet.yaml --fix --dry-run --allow online"
    explained = [command for one in first[1:3] for command in typed(one)]
    assert any("--only vvol/pe-dsnro-headroom --fix --dry-run --allow online-caution" in command for command in explained)
    for command in dict.fromkeys(command for command in explained if "explain" not in command):
        typed(command)
    [make] = [command for command in typed(first[0]) if "--dry-run" not in command and "--fix" in command]
    made = typed(make)
    [undo] = [command for command in made if command.split()[1] == "undo"]
    [export] = [command for command in made if command.split()[1] == "journal"]
    put_back, verify = typed(export)
    assert put_back == f"auditor undo {undo.split()[2]} --fleet {vvols.fleet}", "the whole path, as a ticket is read elsewhere"
    assert verify.startswith("auditor journal verify --head ")
    typed(verify)
    typed(put_back)
    typed(first[3])
