"""Single hosts, served by the lab's host agents, as tests of them ask for."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from auditor.cli import run
from auditor.doctor import examine
from auditor.fleet.loading import Fleet, load_fleet
from auditor.model import Change, Check, Endpoint, FixClass, Resource, Target
from auditor.pipeline.policy import load_rule_set
from auditor_lab.scenario import parse_scenario
from auditor_lab.serving import Lab, serve
from auditor_lab.vcenter.server import VCenterServer
from tests.audits import Audit

HOST = """
  - name: {name}
    host_agent: {{{agent}}}
    host_build: 22380479
    devices:
      disks: {{vendor: PURE, model: FlashArray, names: [naa.624a9370aaaa], targets: ["iqn.2010-06.com.purestorage:x"]}}
    hosts:
      - name: {name}.example.net
        hbas:
          - device: vmhba64
            kind: iscsi
            driver: iscsi_vmk
            model: iSCSI Software Adapter
            software: true
            targets: [{{address: 198.51.100.1}}, {{kind: static, address: 198.51.100.2, iqn: "iqn.2010-06.com.purestorage:x"}}]
        devices: [disks]
        options: {{DataMover.HardwareAcceleratedInit: 0}}
    datastores:
      - {{name: fast, type: VMFS, extents: [naa.624a9370aaaa], hosts: [{name}.example.net]}}
"""
RUNNING = """    vms:
      - {{name: vm-1, host: {name}.example.net, disks: [{{datastore: fast}}]}}
"""
OPTION = "DataMover.HardwareAcceleratedInit"


@dataclass
class Place:
    """Served hosts, and their fleet.yaml."""

    lab: Lab
    folder: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def fleet(self) -> Fleet:
        return load_fleet(self.folder / "fleet.yaml")

    def endpoint(self, name: str = "esx-a") -> Endpoint:
        return next(one for one in self.fleet.endpoints if one.name == name)

    def server(self, name: str = "esx-a") -> VCenterServer:
        return self.lab.vcenters[name]

    def option(self, name: str = "esx-a") -> Any:
        return self.server(name).state.hosts["ha-host"].options[OPTION]

    def audit(self, *arguments: str) -> Audit:
        report = self.folder / "report.json"
        where = ["--fleet", str(self.folder / "fleet.yaml"), "--state-dir", str(self.folder / "state")]
        code = run(["audit", *where, "--reporter", f"json-full:{report}", *arguments])
        return Audit(code, json.loads(report.read_text(encoding="utf-8")), self.capsys.readouterr().err)

    def undo(self) -> int:
        where = ["--fleet", str(self.folder / "fleet.yaml"), "--state-dir", str(self.folder / "state")]
        return run(["undo", "last", "--yes", *where])

    def doctor(self, name: str = "esx-a") -> dict[str, Check]:
        return {check.topic: check for check in examine(self.fleet, load_rule_set(), lambda *_: None, name).checks}


@dataclass
class Hosts:
    """Serves host agents: called, one or one for each name, as `agent` describes them."""

    stack: ExitStack
    folder: Path
    capsys: pytest.CaptureFixture[str]

    def __call__(self, agent: str = "", *names: str, text: str = HOST + RUNNING) -> Place:
        hosts = "".join(text.format(name=name, agent=agent) for name in names or ("esx-a",))
        lab = self.stack.enter_context(serve(parse_scenario(f"vcenters:{hosts}", "hosts")))
        lab.write_fleet(self.folder / "fleet.yaml")
        return Place(lab, self.folder, self.capsys)


def option(name: str = "esx-a", remediator: str = "host.option", **keys: str) -> Change:
    target = Target(name, tuple(sorted({"host_id": "ha-host", "option": OPTION, **keys}.items())))
    resource = Resource("host", "ha-host", f"{name}.example.net", name, None, f"{name}.example.net")
    return Change(remediator, FixClass.ONLINE, target, 0, 1, ("vaai/enabled",), resource, "reason")
