"""A script of esxcli commands, run in the shell of a host of the lab, makes the plan's changes; its undo lines take them back."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auditor.cli import run
from auditor.endpoints.settings import remediator_for
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Plan, Resource, Scalar, Target
from auditor.report.command_script import CommandLanguage, script_text
from auditor_lab.scenario import described
from auditor_lab.serving import serve
from auditor_lab.vcenter.server import VCenterServer
from tests.report.esxi_shell import HostShell

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

ON, OFF = True, False
HOST, DEVICE, OTHER = "esx-1", "naa.624a9370aaaa", "naa.624a9370bbbb"
RULE = {"satp": "VMW_SATP_ALUA", "vendor": "PURE", "model": "FlashArray", "option": "", "claimoption": "", "description": "it's ours"}
PORTAL = {"hba": "vmhba64", "port": "3260", "option": "DelayedAck"}
STATIC = PORTAL | {"target_kind": "static", "address": "198.51.100.2", "iqn": "iqn.2010-06.com.purestorage:x"}
SEND = PORTAL | {"target_kind": "send", "address": "198.51.100.1", "iqn": ""}


def change(remediator: str, before: Scalar, after: Scalar, **keys: str) -> Change:
    target = Target("vc-test", tuple(sorted({"host_id": "host-11", **keys}.items())))
    resource = Resource("host", "host-11", HOST, "vc-test", "one", HOST)
    return Change(remediator, FixClass.ONLINE, target, before, after, ("a/rule",), resource, "Because", number=1)


def script(*changes: Change) -> str:
    return script_text(Plan(changes), [changes], CommandLanguage.ESXCLI, {"vc-test": EndpointKind.VCENTER}, ())


def undo(text: str) -> str:
    """The undo lines as a script, the last change first, after the functions that they call."""
    lines = re.findall(r"^# undo of [0-9]+: (.*)$", text, re.MULTILINE)
    by_number: dict[str, list[str]] = {}
    for number, line in re.findall(r"^# undo of ([0-9]+): (.*)$", text, re.MULTILINE):
        by_number.setdefault(number, []).append(line)
    assert lines
    return text.partition("\ncase $host in")[0] + "\n" + "\n".join(line for ones in reversed(by_number.values()) for line in ones) + "\n"


CHANGES = [
    pytest.param(change("device.dsnro", 64, 128, device=DEVICE), id="dsnro"),
    pytest.param(change("device.queue_full", "as the host", "32/8", devices=f"{DEVICE} {OTHER}"), id="queue full"),
    pytest.param(change("device.path_policy", "VMW_PSP_MRU", "VMW_PSP_RR, iops 3", device=DEVICE), id="path policy"),
    pytest.param(change("device.path_policy", "VMW_PSP_MRU", "VMW_PSP_RR, latency", device=DEVICE), id="path policy by latency"),
    pytest.param(change("device.perennially_reserved", OFF, ON, device=DEVICE), id="perennially reserved"),
    pytest.param(change("host.option", 128, 512, option="ISCSI.MaxIoSizeKB"), id="option"),
    pytest.param(change("host.option", 4096, 16384, option="DataMover.MaxHWTransferSize"), id="hidden option"),
    pytest.param(
        change("host.module_option", 192, 255, module="iscsi_vmk", parameter="iscsivmk_LunQDepth"), id="module option in its place"
    ),
    pytest.param(
        change("host.module_option", None, 5, module="iscsi_vmk", parameter="iscsivmk_Other"), id="module option that was not there"
    ),
    pytest.param(
        change("host.module_option", 2048, None, module="iscsi_vmk", parameter="iscsivmk_HostQDepth"), id="module option taken out"
    ),
    pytest.param(change("host.claim_rule", "absent", "VMW_PSP_RR iops=1", **RULE), id="claim rule"),
    pytest.param(change("iscsi.target_option", OFF, ON, **STATIC), id="parameter of a static target"),
    pytest.param(change("iscsi.target_option", ON, OFF, **SEND), id="parameter of a target found by sending"),
    pytest.param(change("iscsi.target_option", 5, 30, **(SEND | {"option": "LoginTimeout"})), id="number of a target"),
]


@pytest.mark.parametrize("one", CHANGES)
def test_a_script_makes_its_change_and_the_undo_takes_it_back(serve_vcenter: Serve, tmp_path: Path, one: Change) -> None:
    server, endpoint = serve_vcenter()
    shell = HostShell(server, "host-11", tmp_path)
    with open_vcenter(endpoint) as vcenter:
        remediator = remediator_for(one.remediator)
        if remediator.read(vcenter, one.target).value != one.before:
            remediator.write(vcenter, one.target, one.before)
        options = server.state.hosts["host-11"].modules["iscsi_vmk"].configured
        text = script(one)
        done = shell.run(text, HOST)
        assert (done.returncode, done.stdout, done.stderr) == (0, _said(shell, 1, "made"), "")
        assert remediator.read(vcenter, one.target).value == one.after
        written = len(shell.ran)
        again = shell.run(text, HOST)
        assert (again.returncode, again.stdout, len(shell.ran)) == (0, "change 1: already as wanted\n", written)
        assert shell.run(undo(text)).stderr == ""
        assert remediator.read(vcenter, one.target).value == one.before
        if one.before is not None and one.after is not None:
            assert server.state.hosts["host-11"].modules["iscsi_vmk"].configured == options


def _said(shell: HostShell, number: int, what: str) -> str:
    return "true\n" * len(shell.ran) + f"change {number}: {what}\n"


@pytest.mark.parametrize("one", CHANGES)
def test_a_value_that_is_another_by_now_stops_the_script(serve_vcenter: Serve, tmp_path: Path, one: Change) -> None:
    server, _ = serve_vcenter()
    shell = HostShell(server, "host-11", tmp_path)
    word = r"(?:'[^']*'|\S+)"
    text = re.sub(rf"^if due 1 {word} {word} ", "if due 1 another third ", script(one), flags=re.MULTILINE)
    done = shell.run(text, HOST)
    assert done.returncode == 1
    assert "STALE" in done.stderr
    assert shell.ran == []


def test_a_script_for_another_host_does_nothing(serve_vcenter: Serve, tmp_path: Path) -> None:
    server, _ = serve_vcenter()
    shell = HostShell(server, "host-11", tmp_path)
    text = script(change("device.dsnro", 64, 128, device=DEVICE))
    for arguments in ((), ("esx-2",), ("",)):
        done = shell.run(text, *arguments)
        assert (done.returncode, done.stdout, shell.ran) == (2, "", [])


def test_a_write_that_does_nothing_stops_the_script(serve_vcenter: Serve, tmp_path: Path) -> None:
    server, _ = serve_vcenter()
    shell = HostShell(server, "host-11", tmp_path)
    text = script(change("device.dsnro", 64, 128, device=DEVICE), replace(change("device.dsnro", 32, 128, device=OTHER), number=2))
    deaf = text.replace(f"  esxcli storage core device set --device={DEVICE} --sched-num-req-outstanding=128", "  true")
    done = shell.run(deaf, HOST)
    assert done.returncode == 1
    assert "UNVERIFIED" in done.stderr
    assert shell.ran == []


@pytest.mark.parametrize("scenario", ["solidfire-vvols", "odd-neighbours"])
def test_every_change_of_a_scenario_is_made_by_its_script_and_taken_back_by_its_undo(scenario: str, tmp_path: Path) -> None:
    from auditor.apply.order import stages
    from auditor.audit import AuditRequest, FixLimits, audit

    with serve(described(scenario)) as lab:
        fleet = tmp_path / "fleet.yaml"
        lab.write_fleet(fleet)
        audited = audit(AuditRequest(fleet=fleet, state=tmp_path / "state", fix=FixLimits()))
        assert audited.fleet is not None
        kinds = {one.name: one.kind for one in audited.fleet.endpoints}
        text = script_text(audited.plan, stages(audited.plan.changes), CommandLanguage.ESXCLI, kinds, ())
        numbers = {int(number) for number in re.findall(r"^if due ([0-9]+) ", text, re.MULTILINE)}
        ours = [one for one in audited.plan.changes if one.number in numbers]
        hosts = {(one.target.endpoint, one.target["host_id"], one.resource.host or "") for one in ours}
        assert {one.number for one in audited.plan.changes if "host_id" in dict(one.target.keys)} == numbers
        endpoints = {one.name: one for one in audited.fleet.endpoints}
        for name, host_id, host in sorted(hosts):
            shell = HostShell(lab.vcenters[name], host_id, tmp_path)
            done = shell.run(text, host)
            assert (done.returncode, done.stderr) == (0, "")
            mine = [one for one in ours if (one.target.endpoint, one.target["host_id"]) == (name, host_id)]
            with open_vcenter(endpoints[name]) as vcenter:
                assert _values(vcenter, mine) == [one.after for one in mine]
                part = text.partition(f"# ==== {host}, of {name} ====")[2].partition("# ====")[0]
                assert shell.run(undo(text.partition("\n# ====")[0] + part)).stderr == ""
                assert _values(vcenter, mine) == [one.before for one in mine]


def _values(vcenter: Any, changes: list[Change]) -> list[Scalar]:
    return [remediator_for(one.remediator).read(vcenter, one.target).value for one in changes]


def test_the_command_line_prints_a_script_and_keeps_the_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serve(described("solidfire-vvols")) as lab:
        fleet, out = tmp_path / "fleet.yaml", tmp_path / "changes.sh"
        lab.write_fleet(fleet)
        base = ["plan", "--fleet", str(fleet), "--state-dir", str(tmp_path / "state"), "--only", "vvol/*"]
        assert run([*base, "--as", "powercli"]) in (1, 2)
        printed = capsys.readouterr().out
        assert re.match(
            r"# [0-9]+ planned changes as PowerCLI\. Written by auditor, which made none of them\.\n# Plan .*plan\.json\n", printed
        )
        assert "$esxcli.storage.core.device.set.Invoke(" in printed
        assert run([*base, "--as", "esxcli", "--out", str(out)]) in (1, 2)
        assert "esxcli storage core device set --device=" in out.read_text(encoding="utf-8")
        assert capsys.readouterr().out == f"Read {out}, then run it; nothing was changed.\n"
        assert len([*(tmp_path / "state").rglob("plan.json")]) == 2
        assert run([*base, "--as", "esxcli", "--privileges"]) == 3
