"""The module auditor_audit of deploy/ansible, run by Ansible itself against the lab: facts, check mode, ends, secrets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor_lab.scenario import load_scenario
from auditor_lab.serving import serve
from tests.long.peers.outside import interpreter

PROJECT = Path(__file__).parents[3]
PLAYBOOK = """\
- hosts: localhost
  gather_facts: false
  tasks:
    - auditor.fleet.auditor_audit: %s
      register: audit
      ignore_errors: true
    - ansible.builtin.copy:
        content: "{{ {'audit': audit, 'facts': ansible_facts.auditor | default(none)} | to_json }}"
        dest: %s
      check_mode: false
"""


@dataclass
class Ansible:
    """Ansible with the collection, and a fleet of the lab."""

    folder: Path
    secrets: dict[str, str]  # the variables that fleet.yaml names, which nobody has set in the environment

    def run(self, *options: str, **values: Any) -> tuple[dict[str, Any], str]:
        """The result of the module with the facts after it, and all that Ansible printed."""
        program = Path(sys.executable).with_name("auditor")
        given = {"fleet": "fleet.yaml", "state_dir": "state", "secrets": self.secrets, "executable": str(program), **values}
        (self.folder / "play.yaml").write_text(PLAYBOOK % (json.dumps(given), self.folder / "result.json"))
        environment = {
            **os.environ,
            "HOME": str(self.folder),
            "ANSIBLE_COLLECTIONS_PATH": str(self.folder / "collections"),
            "ANSIBLE_LOCALHOST_WARNING": "false",
        }
        playbook = str(Path(interpreter()).with_name("ansible-playbook"))
        command = [playbook, "-vvv", *options, str(self.folder / "play.yaml")]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        result: dict[str, Any] = json.loads((self.folder / "result.json").read_text())
        return result, done.stdout + done.stderr


@pytest.fixture(scope="module")
def ansible(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ansible]:
    galaxy = str(Path(interpreter()).with_name("ansible-galaxy"))
    folder = tmp_path_factory.mktemp("ansible")
    install = [galaxy, "collection", "install", str(PROJECT / "deploy" / "ansible"), "-p", str(folder / "collections")]
    subprocess.run(install, env={**os.environ, "HOME": str(folder)}, capture_output=True, check=True, timeout=240)
    with serve(load_scenario("solidfire-vvols")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        fleet = yaml.safe_load((folder / "fleet.yaml").read_text())
        for endpoint in fleet["endpoints"]:
            endpoint["password"] = {"env": "LAB_PASSWORD"}
        (folder / "fleet.yaml").write_text(yaml.safe_dump(fleet))
        yield Ansible(folder, {"LAB_PASSWORD": lab.password})


def test_drift_fails_the_task_or_is_a_fact(ansible: Ansible) -> None:
    failed, _ = ansible.run(only=["vvol/pe-dsnro-headroom"])
    assert (failed["audit"]["failed"], failed["audit"]["changed"], failed["audit"]["exit_code"]) == (True, False, 1)
    assert failed["audit"]["msg"].startswith("auditor ended with 1 (drift): ")
    passed, _ = ansible.run("--check", only=["vvol/pe-dsnro-headroom"], accept=["drift"])
    assert (passed["audit"]["failed"], passed["audit"]["changed"], passed["audit"]["exit_code"]) == (False, False, 1)
    findings = passed["facts"]["findings"]
    assert {one["rule"] for one in findings} == {"vvol/pe-dsnro-headroom"}
    assert passed["facts"]["summary"]["fail"] == sum(one["verdict"] == "fail" for one in findings) > 0


def test_what_judged_nothing_fails_whatever_is_accepted(ansible: Ansible) -> None:
    result, _ = ansible.run(only=["no/such-rule"], accept=["drift", "not_judged"])
    assert (result["audit"]["failed"], result["audit"]["exit_code"], result["facts"]) == (True, 3, None)
    assert "no/such-rule" in result["audit"]["msg"]


def test_no_secret_is_shown(ansible: Ansible) -> None:
    _, printed = ansible.run(only=["vvol/pe-dsnro-headroom"])
    assert ansible.secrets["LAB_PASSWORD"] not in printed
    assert "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER" in printed
