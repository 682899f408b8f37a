"""Audits of the lab through the command line, as a user runs them."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from auditor.cli import run
from auditor_lab.serving import Lab
from auditor_lab.wire import Faults


def is_unread(what: str, why: str) -> bool:
    """Whether a gap is none of those of a healthy lab: devices of an array left out, and what an ETERNUS has no such account for."""
    return not what.startswith("the array behind ") and ": E5003 " not in why


@dataclass(frozen=True)
class Audit:
    """What one command line left behind."""

    code: int
    report: dict[str, Any]
    err: str
    operations: tuple[str, ...] = ()
    """What arrived at the lab's servers meanwhile, where that was watched."""
    out: str = ""
    """What stood on standard output, where that was looked at."""

    def verdicts(self) -> dict[tuple[str, str, str], str]:
        """(rule, endpoint, resource id) -> verdict."""
        return {(f["rule"], f["resource"]["endpoint"], f["resource"]["id"]): f["verdict"] for f in self.report["findings"]}

    def of_rules(self, rules: Collection[str]) -> dict[tuple[str, str, str], str]:
        """The same for these rules alone; for every rule where none is named."""
        return {key: verdict for key, verdict in self.verdicts().items() if not rules or key[0] in rules}

    @property
    def unread(self) -> list[dict[str, Any]]:
        """The gaps but for those of a healthy lab."""
        return [gap for gap in self.report["gaps"] if is_unread(gap["what"], gap["why"])]

    def of(self, rule: str, verdict: str) -> list[dict[str, Any]]:
        """The findings of one rule with one verdict."""
        return [f for f in self.report["findings"] if (f["rule"], f["verdict"]) == (rule, verdict)]


def faults_of(lab: Lab) -> dict[str, Faults]:
    """The troubles of every endpoint, by its name."""
    return {name: server.faults for _, name, server in lab.served()}


@dataclass(frozen=True)
class Place:
    """A served lab, its fleet.yaml and a state directory."""

    lab: Lab
    folder: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def fleet(self) -> Path:
        return self.folder / "fleet.yaml"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def audit(self, *arguments: str) -> Audit:
        """`auditor audit` on the lab with these further arguments."""
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        code = run(["audit", "--fleet", str(self.fleet), "--state-dir", str(self.state), "--reporter", f"json-full:{report}", *arguments])
        said = self.capsys.readouterr()
        assert "Traceback" not in said.err
        return Audit(code, json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}, said.err, out=said.out)


def only(*rules: str) -> list[str]:
    """The arguments of an audit by these rules alone; by every rule where none is named."""
    return [word for rule in rules for word in ("--only", rule)]


class Watch:
    """What arrived at the lab's servers since it began."""

    def __init__(self, lab: Lab) -> None:
        self._servers = [server for _, _, server in lab.served()]
        self._before = [len(server.requests) for server in self._servers]

    @property
    def operations(self) -> tuple[str, ...]:
        return tuple(name for server, begun in zip(self._servers, self._before, strict=True) for name in server.requests[begun:])


DSNRO = "storage.core.device.set"
AT_ONCE = ("--max-changes", "500", "--settle", "0")
"""A fix of the whole lab: nothing settles there."""

FIX = ("--fix", "--yes", "--allow", "online", "--allow", "online-caution", *AT_ONCE)
FIXED_RULES = (
    "iscsi/delayed-ack",
    "qos/element-limits",
    "qos/one-throttler",
    "sioc/overlap-array-qos",
    "vvol/pe-count",
    "vvol/pe-default-option",
    "vvol/pe-dsnro-headroom",
    "vvol/pe-uniform",
)
"""The rules whose fixes FIX makes in the scenario solidfire-vvols, and some whose fixes need another class or that have none."""


def writes(place: Place) -> list[str]:
    """The operations that wrote to a host or a datastore, in their order."""
    names = (DSNRO, "UpdateOptions", "ConfigureDatastoreIORM_Task", "UpdateModuleOptionString", "UpdateInternetScsiAdvancedOptions")
    return [operation for server in place.lab.vcenters.values() for operation in server.requests if operation in names]
