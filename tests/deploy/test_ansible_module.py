"""The module auditor_audit of deploy/ansible, with a double of Ansible's part; tests/long/peers runs it by Ansible itself."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
import typer
import yaml

from auditor.cli.app import app
from auditor.report import writer_of
from tests.report import samples
from tests.required import program

COLLECTION = Path(__file__).parents[2] / "deploy" / "ansible"
FAKE = """#!/bin/sh
printf '%s\\n' "$@" > "$CALLED"
printf '%s' "$PASSWORD" > "$CALLED.password"
for word; do case "$word" in (--reporter=json:*) [ "$CODE" -ge 3 ] || [ "$NO_REPORT" ] || cp "$REPORT" "${word#*:}";; esac; done
echo 'error: --only x: there is no such rule' >&2
exit "$CODE"
"""


class Ended(Exception):  # noqa: N818  it is none
    """How the module ended: failed or not, and its result."""


class AnsibleModule:
    """What the module needs of Ansible's class of that name."""

    given: ClassVar[dict[str, Any]] = {}
    tmpdir = None

    def __init__(self, arguments: dict[str, Any], **features: Any) -> None:
        assert features["supports_check_mode"] is True
        self.params = {name: self.given.get(name, spec.get("default")) for name, spec in arguments.items()}

    def run_command(self, words: list[str], environ_update: dict[str, str]) -> tuple[int, str, str]:
        environment = {**os.environ, **environ_update}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def exit_json(self, **result: Any) -> None:
        raise Ended("passed", result)

    def fail_json(self, **result: Any) -> None:
        raise Ended("failed", result)


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module, imported beside the double."""
    basic = ModuleType("ansible.module_utils.basic")
    basic.AnsibleModule = AnsibleModule  # type: ignore[attr-defined]
    for name in ("ansible", "ansible.module_utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "ansible.module_utils.basic", basic)
    spec = importlib.util.spec_from_file_location("auditor_audit", COLLECTION / "plugins" / "modules" / "auditor_audit.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def run(
    module: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch, code: int, **given: Any
) -> tuple[bool, dict[str, Any], list[str]]:
    """Whether the module failed, its result, and the words that auditor was called by."""
    program("sh", "BASH")
    with (folder / "report.json").open("w") as out:
        writer_of("json")(samples.bad_night(), out)
    (folder / "auditor").write_text(FAKE)
    (folder / "auditor").chmod(0o755)
    for name, value in (("CALLED", folder / "called"), ("REPORT", folder / "report.json"), ("CODE", code)):
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr(AnsibleModule, "given", {"executable": str(folder / "auditor"), "fleet": "fleet.yaml", **given})
    with pytest.raises(Ended) as ended:
        module.main()
    how, result = ended.value.args
    return how == "failed", result, (folder / "called").read_text().splitlines()


@pytest.mark.posix_only
@pytest.mark.parametrize(
    ("code", "accept", "fails"),
    [
        pytest.param(0, [], False, id="all holds"),
        pytest.param(1, [], True, id="drift"),
        pytest.param(1, ["drift"], False, id="drift that is accepted"),
        pytest.param(2, ["drift"], True, id="not judged"),
        pytest.param(2, ["not_judged"], False, id="not judged, accepted"),
        pytest.param(3, ["drift", "not_judged"], True, id="a mistake of usage"),
        pytest.param(70, ["drift", "not_judged"], True, id="a bug"),
    ],
)
def test_the_task_fails_as_documented(
    module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, accept: list[str], fails: bool
) -> None:
    failed, result, _ = run(module, tmp_path, monkeypatch, code, accept=accept)
    assert (failed, result["changed"], result["exit_code"]) == (fails, False, code)
    if code >= 3:
        assert result["msg"] == f"auditor ended with {code}: --only x: there is no such rule"
        assert "ansible_facts" not in result
    elif fails:
        assert result["msg"] == f"auditor ended with {code} ({'drift' if code == 1 else 'not_judged'}): failures 3, unknown 1, gaps 1"


@pytest.mark.posix_only
def test_an_end_without_a_report_is_no_drift(module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python ends with 1 as well, for example where auditor is installed in part."""
    monkeypatch.setenv("NO_REPORT", "1")
    failed, result, _ = run(module, tmp_path, monkeypatch, 1, accept=["drift"])
    assert (failed, result["exit_code"]) == (True, 1)
    assert "ansible_facts" not in result


@pytest.mark.posix_only
def test_findings_are_facts(module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, result, _ = run(module, tmp_path, monkeypatch, 0)
    facts = result["ansible_facts"]["auditor"]
    assert [one["verdict"] for one in facts["findings"]] == ["fail", "fail", "fail", "unknown", "waived"]
    assert set(facts) == {"run", "coverage", "summary", "findings", "gaps", "notices", "scope"}


@pytest.mark.posix_only
def test_auditor_has_the_options_that_it_is_called_by_and_none_of_them_fixes(
    module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values: dict[str, Any] = {
        "rules": ["r"],
        "only": ["--fix"],
        "exclude": ["e"],
        "tag": ["t", "u"],
        "endpoint": ["n"],
        "cluster": ["c"],
        "host": ["h"],
    }
    values |= {
        "fleet": "f",
        "snapshot": ["s"],
        "waivers": "w",
        "severity": "high",
        "fail_on": "low",
        "min_coverage": 0.9,
        "state_dir": "d",
        "html": "x",
    }
    assert {*values, "secrets", "accept", "executable"} == set(module.ARGUMENTS)
    _, _, words = run(module, tmp_path, monkeypatch, 0, **values)
    group: Any = typer.main.get_command(app)
    known = {option for parameter in group.commands["audit"].params for option in parameter.opts}
    assert words[0] == "audit"
    assert {word.partition("=")[0] for word in words[1:]} <= known
    assert all("=" in word for word in words[1:]), "so that no value is taken for an option"
    assert {"--tag=t", "--tag=u", "--only=--fix", "--min-coverage=0.9", "--fail-on=low", "--from=s", "--reporter=html:x"} <= set(words)


@pytest.mark.posix_only
def test_secrets_are_in_the_environment_alone(module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, result, words = run(module, tmp_path, monkeypatch, 0, secrets={"PASSWORD": "hunter2"})
    assert (tmp_path / "called.password").read_text() == "hunter2"
    assert "hunter2" not in json.dumps(result) + " ".join(words)
    assert module.ARGUMENTS["secrets"]["no_log"] is True


def test_the_documentation_is_of_the_arguments_that_there_are(module: ModuleType) -> None:
    documented = yaml.safe_load(module.DOCUMENTATION)["options"]
    assert list(documented) == list(module.ARGUMENTS)
    for name, argument in module.ARGUMENTS.items():
        told = {key: value for key, value in documented[name].items() if key in ("type", "elements", "choices", "default")}
        own = {key: value for key, value in argument.items() if key != "no_log"}
        assert {**told, "choices": sorted(told.get("choices", []))} == {**own, "choices": sorted(own.get("choices", []))}, name
    assert yaml.safe_load(module.EXAMPLES)
    assert yaml.safe_load(module.RETURN)


def test_the_collection_has_the_version_of_auditor() -> None:
    from auditor import __version__

    galaxy = yaml.safe_load((COLLECTION / "galaxy.yml").read_text(encoding="utf-8"))
    assert (f"{galaxy['namespace']}.{galaxy['name']}", galaxy["version"]) == ("auditor.fleet", __version__)


def test_the_one_thing_that_ansible_test_asks_for_and_the_collection_lacks_is_the_header_of_a_licence_that_is_not_its_own() -> None:
    [licence] = yaml.safe_load((COLLECTION / "galaxy.yml").read_text(encoding="utf-8"))["license"]
    modules = sorted((COLLECTION / "plugins" / "modules").glob("*.py"))
    assert all(f"# SPDX-License-Identifier: {licence}\n" in one.read_text(encoding="utf-8") for one in modules)
    ignored = {f"plugins/modules/{one.name} validate-modules:missing-gplv3-license" for one in modules}
    files = list((COLLECTION / "tests" / "sanity").glob("ignore-2.*.txt"))
    assert files
    assert all({line.partition(" #")[0] for line in one.read_text(encoding="utf-8").splitlines()} == ignored for one in files)
