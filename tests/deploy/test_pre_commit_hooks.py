"""The hooks for pre-commit: each takes what is right, refuses what is wrong, is asked for its files alone, and asks no endpoint."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor.cli import run
from auditor.pipeline.policy import shipped_rules

ROOT = Path(__file__).parents[2]
HOOKS: dict[str, dict[str, Any]] = {one["id"]: one for one in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
FLEET = """\
endpoints:
  - {name: vc-east, kind: vcenter, address: "127.0.0.1:1", username: audit, password: {env: NOBODY_HAS_SET_THIS}}
"""
PARAMS = FLEET + "params:\n  vvol/pe-dsnro-headroom: {%s: 4}\n"
WAIVERS = """\
waivers:
  - rule: vvol/pe-dsnro-headroom
    resources: {host: esx-01}
    owner: storage team
    reason: replaced in May
    ticket: CHG-77
    expires: %s
"""


def hooked(hook: str, *files: str) -> int:
    """The exit code of a hook, as pre-commit calls it in the folder of the repository: with the changed files where it wants them."""
    entry = HOOKS[hook]
    program, *words = shlex.split(entry["entry"])
    assert program == "auditor"
    return run([*words, *entry.get("args", []), *(files if entry.get("pass_filenames", True) else ())])


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleet.yaml").write_text(PARAMS % "headroom")
    return tmp_path


@pytest.mark.long
def test_a_fleet_is_checked_without_asking_anybody(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert hooked("auditor-fleet") == 0
    assert capsys.readouterr().out == "fleet.yaml: 1 endpoint, no mistake found; none was asked\n"
    assert list(repository.iterdir()) == [repository / "fleet.yaml"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(FLEET.replace("address:", "adress:"), 'did you mean "address"?', id="a key that there is not"),
        pytest.param(PARAMS % "headrom", "headrom", id="a param that the rule has not"),
    ],
)
def test_a_fleet_with_a_mistake_is_refused(repository: Path, text: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "fleet.yaml").write_text(text)
    assert hooked("auditor-fleet") == 3
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param(WAIVERS % "2099-01-01", 0, id="in force"),
        pytest.param(WAIVERS % "2001-01-01", 1, id="expired"),
        pytest.param((WAIVERS % "2099-01-01").replace("owner", "ownr"), 3, id="malformed"),
    ],
)
def test_waivers_are_well_formed_and_in_force(repository: Path, text: str, code: int) -> None:
    (repository / "waivers.yaml").write_text(text)
    assert hooked("auditor-waivers") == code


def test_examples_of_rules_are_run_for_the_files_that_changed(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shipped = (shipped_rules() / "datastore" / "accessible.yaml").read_text(encoding="utf-8").replace("id: datastore/", "id: own/")
    own = repository / "rules" / "own"
    own.mkdir(parents=True)
    (own / "accessible.yaml").write_text(shipped)
    assert hooked("auditor-rules", "rules/own/accessible.yaml") == 0
    assert re.fullmatch(r"[1-9]\d* passed, 0 failed\n", capsys.readouterr().out)
    (own / "accessible.yaml").write_text(re.sub(r"(?m)^holds: .*$", "holds: hosts_without_access IS NULL", shipped))
    assert hooked("auditor-rules", "rules/own/accessible.yaml") == 3


@pytest.mark.parametrize(
    ("hook", "wanted", "unwanted"),
    [
        ("auditor-fleet", ["fleet.yaml", "prod/fleet.yaml"], ["fleet.yaml.md", "myfleet.yaml"]),
        ("auditor-waivers", ["waivers.yaml"], ["fleet.yaml"]),
        ("auditor-rules", ["rules/own/one.yaml", "prod/rules/own/one.yaml"], ["rules/one.yaml", "rules/own/README.md"]),
    ],
)
def test_a_hook_is_asked_for_its_files_alone(hook: str, wanted: list[str], unwanted: list[str]) -> None:
    # pre-commit searches: https://pre-commit.com/#creating-new-hooks
    assert [name for name in [*wanted, *unwanted] if re.search(HOOKS[hook]["files"], name)] == wanted
