"""A shell completes commands, options and names; what it asks is answered from names of files."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.cli import run
from tests.required import program
from tests.waiting import completed


@pytest.mark.parametrize(
    ("line", "some"),
    [
        pytest.param("auditor compl", {"completion"}, id="a command"),
        pytest.param("auditor runs sh", {"show"}, id="a command of a group"),
        pytest.param("auditor audit --sev", {"--severity"}, id="an option"),
        pytest.param("auditor audit --severity hi", {"high"}, id="a word of an option"),
        pytest.param("auditor audit --only vvol/pe-d", {"vvol/pe-default-option", "vvol/pe-dsnro-headroom"}, id="rules"),
        pytest.param("auditor rules show vvol/pe-d", {"vvol/pe-default-option", "vvol/pe-dsnro-headroom"}, id="a rule of an argument"),
        pytest.param("auditor demo --scenario mixed", {"mixed-estate", "mixed-estate-twin"}, id="scenarios"),
        pytest.param("auditor audit --reporter json", {"json", "json-full"}, id="report formats"),
        pytest.param("auditor undo 20261121T0", {"20261121T010000Z-0000-apply"}, id="runs"),
        pytest.param("auditor audit --since la", {"last"}, id="the newest run"),
    ],
)
def test_what_begins_so_is_offered(
    line: str, some: set[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "auditor" / "runs" / "20261121T010000Z-0000-apply").mkdir(parents=True)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("_AUDITOR_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    with pytest.raises(SystemExit) as ended:
        run([])
    assert ended.value.code == 0
    assert set(capsys.readouterr().out.split()) == some


def test_a_state_directory_that_is_not_there_offers_nothing_and_breaks_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_AUDITOR_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"auditor runs show --state-dir {tmp_path / 'none'} 2")
    monkeypatch.setenv("COMP_CWORD", "5")
    with pytest.raises(SystemExit):
        run([])
    assert capsys.readouterr().out.split() == []


@pytest.mark.long
def test_bash_takes_the_script_and_completes_by_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bash = program("bash", "BASH")
    assert run(["completion", "bash"]) == 0
    auditor = tmp_path / "auditor"
    auditor.write_text(f'#!{bash}\nexec {sys.executable} -m auditor "$@"\n')
    auditor.chmod(0o755)
    words = "COMP_WORDS=(auditor demo --scenario odd); COMP_CWORD=3; _auditor_completion auditor odd --scenario"
    script = f'{capsys.readouterr().out}\n$1 ; {words}; printf "%s\\n" "${{COMPREPLY[@]}}"'.replace("$1 ; ", f"PATH={tmp_path}:$PATH; ")
    done = completed([bash, "-c", script], check=True)
    assert done.stdout.split() == ["odd-neighbours"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"_AUDITOR_COMPLETE=complete_{shell}" in script
    if program := shutil.which(shell):
        subprocess.run([program, "-n", "-c", script], check=True)


@pytest.mark.parametrize("words", [[], ["runs"], ["lab"]], ids=["auditor", "a group", "another group"])
def test_a_bare_command_shows_its_help(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 3
    shown = capsys.readouterr()
    assert shown.out.startswith(f"Usage: {' '.join(['auditor', *words])} [OPTIONS] COMMAND")
    assert shown.err == ""
