"""What settings.yaml declares besides options is written as well: rehearsed, set, read back, then put back by an undo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from auditor.cli import run
from auditor.history.runs import load_run
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from auditor_lab.vcenter.state.hosts import HostState
from tests.audits import AT_ONCE, Place, only

HOST, VOLUME = "esx-fs-1.lab.example", "fs-db-1"


@dataclass(frozen=True)
class Declared:
    """A kind of setting: its rule, what is allowed, an entry of settings.yaml, and what the lab has before, after, and after an undo."""

    rule: str
    allow: str
    entry: str
    remediator: str
    state: Callable[[Lab], object]
    before: object
    after: object
    undone: object


def _host(lab: Lab) -> HostState:
    [host] = [one for server in lab.vcenters.values() for one in server.state.hosts.values() if one.description.name == HOST]
    return host


def _claim_rules(lab: Lab) -> object:
    return [(rule.vendor, rule.model, rule.psp, rule.psp_options) for rule in _host(lab).satp_rules if rule.vendor == "3PARdata"]


def _depth(lab: Lab) -> object:
    module = _host(lab).modules["qlnativefc"]
    return module.configured, module.in_effect


def _ceiling(lab: Lab) -> object:
    return {name: server.array.volumes[VOLUME].qos.iops_limit for name, server in lab.flasharray.items() if VOLUME in server.array.volumes}


DECLARED = (
    Declared(
        "declared/claim-rule",
        "reclaim",
        f"hosts:\n  - host: {HOST}\n    claim_rules:\n"
        "      - {satp: VMW_SATP_ALUA, vendor: 3PARdata, model: VV, claim_options: tpgs_on, policy: VMW_PSP_RR iops=1}\n",
        "host.claim_rule",
        _claim_rules,
        [],
        [("3PARdata", "VV", "VMW_PSP_RR", "iops=1")],
        [],
    ),
    Declared(
        "declared/module-parameter",
        "reboot",
        f"hosts:\n  - {{host: {HOST}, modules: {{qlnativefc: {{ql2xmaxqdepth: 128}}}}}}\n",
        "host.module_option",
        _depth,
        ("", ""),
        ("ql2xmaxqdepth=128", "ql2xmaxqdepth=128"),
        ("", "ql2xmaxqdepth=128"),  # until the host boots again, which an undo does by --reboot alone
    ),
    Declared(
        "declared/volume-limit",
        "array",
        f"volumes:\n  - {{volume: {VOLUME}, max_iops: 5000}}\n",
        "flasharray.volume_limit",
        _ceiling,
        {"fa-steady": None},
        {"fa-steady": 5000},
        {"fa-steady": None},
    ),
)


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with serve(load_scenario("flasharray-queues")) as served:
        yield served


@pytest.mark.parametrize("declared", DECLARED, ids=lambda one: one.rule)
def test_what_is_declared_is_rehearsed_set_read_back_and_put_back(
    lab: Lab, declared: Declared, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(lab, tmp_path, capsys)
    lab.write_fleet(place.fleet)
    (place.folder / "settings.yaml").write_text(declared.entry, encoding="utf-8")
    arguments = (*only(declared.rule), "--allow", declared.allow, "--allow-unusual", *AT_ONCE)
    assert declared.state(lab) == declared.before

    planned = place.audit(*arguments, "--fix", "--dry-run")
    assert len(planned.of(declared.rule, "fail")) == 1
    assert "Nothing was written." in f"{planned.out}{planned.err}"
    assert declared.state(lab) == declared.before

    fixed = place.audit(*arguments, "--fix", "--yes")
    written = [(one["remediator"], one["outcome"]) for one in fixed.report["receipts"] if one["remediator"] == declared.remediator]
    assert written == [(declared.remediator, "applied")]
    assert declared.state(lab) == declared.after
    assert (fixed.of(declared.rule, "fail"), len(fixed.of(declared.rule, "pass"))) == ([], 1), "read back, and judged again"
    made = load_run(place.state).id

    again = place.audit(*arguments, "--fix", "--yes")
    assert again.report["receipts"] == [], "there is nothing left to do"
    assert declared.state(lab) == declared.after

    assert run(["undo", made, "--fleet", str(place.fleet), "--state-dir", str(place.state), "--yes"]) == 0
    assert declared.state(lab) == declared.undone
