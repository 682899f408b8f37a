"""The action for GitHub and the template for GitLab: their tools take them, and what they run does what they promise."""

from __future__ import annotations

import os
import re
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from auditor.cli.app import app
from auditor.report import REPORTERS
from tests.required import program

DEPLOY = Path(__file__).parents[2] / "deploy"
ACTION: dict[str, Any] = yaml.safe_load((DEPLOY / "github" / "action.yml").read_text(encoding="utf-8"))
WORKFLOW = (DEPLOY / "github" / "audit.yml").read_text(encoding="utf-8")
GITLAB: dict[str, Any] = yaml.safe_load((DEPLOY / "gitlab" / "auditor.gitlab-ci.yml").read_text(encoding="utf-8"))
INSTALL, AUDIT = ACTION["runs"]["steps"]
[GITLAB_SCRIPT] = GITLAB["auditor"]["script"]
FAKE = """#!/bin/sh
printf '%s\\n' "$@" > "$CALLED"
for word; do case "$word" in (markdown:*) [ "$CODE" = 3 ] || echo '## auditor: DRIFT' > "${word#*:}";; esac; done
exit "$CODE"
"""


def fake_auditor(path: Path) -> Path:
    """A program that notes how it is called, writes its Markdown unless it ends with 3, and ends with CODE."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(FAKE)
    path.chmod(0o755)
    return path


def actionlint(folder: Path, workflow: str) -> subprocess.CompletedProcess[str]:
    """What actionlint says of a workflow in a repository that has the action."""
    (folder / ".git").mkdir()
    (folder / ".github" / "workflows").mkdir(parents=True)
    (folder / "deploy" / "github").mkdir(parents=True)
    (folder / "deploy" / "github" / "action.yml").write_bytes((DEPLOY / "github" / "action.yml").read_bytes())
    file = folder / ".github" / "workflows" / "audit.yml"
    file.write_text(re.sub(r"OWNER/auditor/deploy/github@\S+", "./deploy/github", workflow))
    command = [program("actionlint", "ACTIONLINT"), "-no-color", str(file)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_actionlint_takes_the_workflow_and_the_action(tmp_path: Path) -> None:
    done = actionlint(tmp_path, WORKFLOW)
    assert (done.returncode, done.stdout) == (0, "")


def test_actionlint_notices_an_input_that_the_action_has_not(tmp_path: Path) -> None:
    done = actionlint(tmp_path, WORKFLOW.replace("options:", "option:"))
    assert 'input "option" is not defined in action "auditor"' in done.stdout


def test_no_input_is_put_into_a_script() -> None:
    """GitHub replaces an expression before the shell sees it: an input could end the command and begin another one."""
    assert [step["run"] for step in (INSTALL, AUDIT) if "${{" in step["run"]] == []
    assert {step["shell"] for step in (INSTALL, AUDIT)} == {"bash"}
    assert set(re.findall(r"inputs\.([\w-]+)", str(AUDIT["env"]))) == set(ACTION["inputs"])


def test_the_action_installs_by_hashes_and_without_a_package_that_is_built() -> None:
    lines = [line.strip() for line in INSTALL["run"].splitlines()]
    assert [line for line in lines if "requirements.lock" in line and "--require-hashes --only-binary :all:" in line]
    assert lines[-1] == 'pip --no-build-isolation "$SOURCE"'
    for lock in re.findall(r"\$SOURCE/([\w.-]+)", INSTALL["run"]):
        assert (DEPLOY.parent / lock).is_file()


def run_action(folder: Path, code: int, fleet: str = "my fleet.yaml", options: str = "--tag vvol --fail-on high") -> tuple[int, list[str]]:
    """Run the step that audits, as GitHub's runner does; its exit code, and the words that auditor was called by."""
    fake_auditor(folder / "auditor" / "bin" / "auditor")
    environment = {
        **os.environ,
        "FLEET": fleet,
        "OPTIONS": options,
        "REPORT": "auditor-report",
        "RUNNER_TEMP": str(folder),
        "CALLED": str(folder / "called"),
        "CODE": str(code),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
    }
    command = [program("bash", "BASH"), "--noprofile", "--norc", "-eo", "pipefail", "-c", AUDIT["run"]]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return done.returncode, (folder / "called").read_text().splitlines()


@pytest.mark.posix_only
@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_the_action_ends_as_auditor_does_and_shows_what_it_found(tmp_path: Path, code: int) -> None:
    ended, words = run_action(tmp_path, code)
    assert ended == code
    assert words[:6] == ["audit", "--fleet", "my fleet.yaml", "--tag", "vvol", "--fail-on"]
    assert (tmp_path / "output").read_text() == f"exit-code={code}\n"
    summary = tmp_path / "summary"
    assert (summary.read_text() if summary.exists() else "") == ("" if code == 3 else "## auditor: DRIFT\n")


@pytest.mark.posix_only
def test_the_action_audits_files_where_there_is_no_fleet(tmp_path: Path) -> None:
    _, words = run_action(tmp_path, 0, fleet="", options="--from bundles")
    assert words[:3] == ["audit", "--from", "bundles"]


@pytest.mark.posix_only
def test_the_action_takes_options_of_all_lines_as_words_alone(tmp_path: Path) -> None:
    _, words = run_action(tmp_path, 0, options="--tag vvol\n--only $(touch made) * \n--severity high\n")
    assert words[3 : words.index("--state-dir")] == ["--tag", "vvol", "--only", "$(touch", "made)", "*", "--severity", "high"]
    assert not (tmp_path / "made").exists()


@pytest.mark.posix_only
def test_the_template_for_gitlab_calls_auditor_by_options_that_it_has(tmp_path: Path) -> None:
    fake_auditor(tmp_path / "bin" / "auditor")
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "CALLED": str(tmp_path / "called"), "CODE": "2"}
    environment |= {name: value for name, value in GITLAB["variables"].items() if name != "AUDITOR_IMAGE"}
    done = subprocess.run([program("sh", "BASH"), "-ec", GITLAB_SCRIPT], env=environment, cwd=tmp_path, timeout=60, check=False)
    assert done.returncode == 2
    in_template = (tmp_path / "called").read_text().splitlines()
    for one in (in_template, run_action(tmp_path, 0)[1]):
        assert one[0] == "audit"
        group: Any = typer.main.get_command(app)
        known = {option for parameter in group.commands["audit"].params for option in parameter.opts}
        assert {word for word in one if word.startswith("--")} <= known
        assert {word.partition(":")[0] for before, word in pairwise(one) if before == "--reporter"} <= set(REPORTERS)


def test_gitlab_keeps_the_files_that_are_written() -> None:
    artifacts = GITLAB["auditor"]["artifacts"]
    for path in (*artifacts["paths"], artifacts["reports"]["junit"]):
        assert f":{path}" in GITLAB_SCRIPT
    assert artifacts["when"] == "always"
