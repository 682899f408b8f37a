"""A plan as commands: one change of each setting as it is printed, what is no command, and names that are data of strangers."""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.endpoints.common.commands import NoCommandError, PowerShell, Shell
from auditor.model import Change, EndpointKind, FixClass, Outcome, Plan, Receipt, Resource, Scalar, Target
from auditor.model.endpoint_kinds import endpoint_type
from auditor.report.command_script import CommandLanguage, script_text

ON, OFF = True, False
KINDS = {"vc": EndpointKind.VCENTER, "sf": EndpointKind.ELEMENT, "files": EndpointKind.FILES}
DEVICE = {"host_id": "host-11", "device": "naa.a"}
ISCSI = {"host_id": "host-11", "hba": "vmhba64", "address": "198.51.100.2", "port": "3260", "option": "DelayedAck"}
RULE = {"host_id": "host-11", "satp": "VMW_SATP_ALUA", "vendor": "PURE", "model": "FlashArray", "option": "", "claimoption": ""}


def change(
    remediator: str, before: Scalar, after: Scalar, keys: dict[str, str], *, endpoint: str = "vc", host: str | None = "esx-1"
) -> Change:
    resource = Resource("device", "one", "one", endpoint, "gold", host)
    target = Target(endpoint, tuple(sorted(keys.items())))
    return Change(remediator, FixClass.ONLINE, target, before, after, ("a/rule",), resource, "Because", number=1, messages=("It is wrong",))


def written(*changes: Change, language: str = "esxcli", held: tuple[Receipt, ...] = ()) -> str:
    plan = Plan(changes, identities={"vc": "uuid-1"})
    return script_text(plan, [changes], CommandLanguage(language), KINDS, ("Plan plan.json",), held)


def commands_in(text: str) -> list[str]:
    """The commands of the only change, and its undo."""
    lines = re.findall(r"^ +((?:esxcli|set_module_option|\$null|Set-)[^\n]*)$", text.partition("# 1. ")[2], re.MULTILINE)
    return [*lines, *re.findall(r"^# (undo of 1: .*)$", text, re.MULTILINE)]


ESXCLI: list[tuple[Change, list[str]]] = [
    (
        change("device.dsnro", 32, 64, DEVICE),
        [
            "esxcli storage core device set --device=naa.a --sched-num-req-outstanding=64",
            "undo of 1: esxcli storage core device set --device=naa.a --sched-num-req-outstanding=32",
        ],
    ),
    (
        change("device.queue_full", "32/8, as the host", "32/4", {"host_id": "host-11", "devices": "naa.a naa.b"}),
        [
            "esxcli storage core device set --device=naa.a --queue-full-sample-size=32 --queue-full-threshold=4",
            "esxcli storage core device set --device=naa.b --queue-full-sample-size=32 --queue-full-threshold=4",
            "undo of 1: NO COMMAND: the devices differed, 32/8, as the host, and which had what the plan does not say.",
        ],
    ),
    (
        change("device.path_policy", "VMW_PSP_FIXED", "VMW_PSP_RR, iops 1", DEVICE),
        [
            "esxcli storage nmp device set --device=naa.a --psp=VMW_PSP_RR",
            "esxcli storage nmp psp roundrobin deviceconfig set --device=naa.a --type=iops --iops=1",
            "undo of 1: NO COMMAND: what belongs to VMW_PSP_FIXED, such as a preferred path, is not in the plan.",
        ],
    ),
    (
        change("device.perennially_reserved", OFF, ON, DEVICE),
        [
            "esxcli storage core device setconfig --device=naa.a --perennially-reserved=true",
            "undo of 1: esxcli storage core device setconfig --device=naa.a --perennially-reserved=false",
        ],
    ),
    (
        change("host.option", 8, 64, {"host_id": "host-11", "option": "Disk.SchedQuantum"}),
        [
            "esxcli system settings advanced set --option=/Disk/SchedQuantum --int-value=64",
            "undo of 1: esxcli system settings advanced set --option=/Disk/SchedQuantum --int-value=8",
        ],
    ),
    (
        change("host.module_option", None, 64, {"host_id": "host-11", "module": "qlnativefc", "parameter": "ql2xmaxqdepth"}),
        [
            "set_module_option qlnativefc ql2xmaxqdepth 64",
            "undo of 1: set_module_option qlnativefc ql2xmaxqdepth absent",
        ],
    ),
    (
        change("host.claim_rule", "VMW_PSP_RR iops=3", "absent", RULE | {"description": "it's ours"}),
        [
            (
                "esxcli storage nmp satp rule remove --satp=VMW_SATP_ALUA --vendor=PURE --model=FlashArray --psp=VMW_PSP_RR"
                " --psp-option=iops=3"
            ),
            (
                "undo of 1: esxcli storage nmp satp rule add --satp=VMW_SATP_ALUA --vendor=PURE --model=FlashArray --psp=VMW_PSP_RR"
                " --psp-option=iops=3 --description='it'\"'\"'s ours'"
            ),
        ],
    ),
    (
        change("iscsi.target_option", ON, OFF, ISCSI | {"target_kind": "static", "iqn": "iqn.x:y"}),
        [
            (
                "esxcli iscsi adapter target portal param set --adapter=vmhba64 --address=198.51.100.2:3260 --name=iqn.x:y --key=DelayedAck"
                " --value=false"
            ),
            (
                "undo of 1: esxcli iscsi adapter target portal param set --adapter=vmhba64 --address=198.51.100.2:3260 --name=iqn.x:y"
                " --key=DelayedAck --value=true"
            ),
        ],
    ),
]

POWERCLI: list[tuple[Change, list[str]]] = [
    (
        change("device.dsnro", 32, 64, DEVICE),
        [
            "$null = $esxcli.storage.core.device.set.Invoke(@{ device = 'naa.a'; schednumreqoutstanding = 64 })",
            "undo of 1: $null = $esxcli.storage.core.device.set.Invoke(@{ device = 'naa.a'; schednumreqoutstanding = 32 })",
        ],
    ),
    (
        change("host.option", 8, 64, {"host_id": "host-11", "option": "Disk.SchedQuantum"}),
        [
            "$null = Get-AdvancedSetting -Entity $vmhost -Name 'Disk.SchedQuantum' | Set-AdvancedSetting -Value 64 -Confirm:$false",
            (
                "undo of 1: $null = Get-AdvancedSetting -Entity $vmhost -Name 'Disk.SchedQuantum'"
                " | Set-AdvancedSetting -Value 8 -Confirm:$false"
            ),
        ],
    ),
    (
        change("host.module_option", None, 64, {"host_id": "host-11", "module": "qlnativefc", "parameter": "ql2xmaxqdepth"}),
        ["Set-ModuleOption 'qlnativefc' 'ql2xmaxqdepth' 64", "undo of 1: Set-ModuleOption 'qlnativefc' 'ql2xmaxqdepth' 'absent'"],
    ),
    (
        change("datastore.sioc", ON, OFF, {"datastore_id": "datastore-7"}, host=None),
        ["Set-Iorm 'Datastore-datastore-7' @{ Enabled = $false }", "undo of 1: Set-Iorm 'Datastore-datastore-7' @{ Enabled = $true }"],
    ),
    (
        change("datastore.sioc_threshold", "automatic", "manual 30 ms", {"datastore_id": "datastore-7"}, host=None),
        [
            "Set-Iorm 'Datastore-datastore-7' @{ CongestionThresholdMode = 'manual'; CongestionThreshold = 30 }",
            "undo of 1: Set-Iorm 'Datastore-datastore-7' @{ CongestionThresholdMode = 'automatic' }",
        ],
    ),
    (
        change("datastore.unmap", "none", "low", {"datastore_id": "datastore-7"}, host=None),
        ["Set-Unmap 'Datastore-datastore-7' 'low'", "undo of 1: Set-Unmap 'Datastore-datastore-7' 'none'"],
    ),
    (
        change("vm.disk_limit", 500, -1, {"vm_id": "vm-9", "disk_key": "2000"}),
        ["Set-DiskLimit 'VirtualMachine-vm-9' 2000 -1", "undo of 1: Set-DiskLimit 'VirtualMachine-vm-9' 2000 500"],
    ),
    (
        change("pod.automation", "automated", "manual", {"pod_id": "group-p1"}, host=None),
        [
            "Set-Pod 'StoragePod-group-p1' @{ DefaultVmBehavior = 'manual' }",
            "undo of 1: Set-Pod 'StoragePod-group-p1' @{ DefaultVmBehavior = 'automated' }",
        ],
    ),
    (
        change("pod.io_metric", ON, OFF, {"pod_id": "group-p1"}, host=None),
        [
            "Set-Pod 'StoragePod-group-p1' @{ IoLoadBalanceEnabled = $false }",
            "undo of 1: Set-Pod 'StoragePod-group-p1' @{ IoLoadBalanceEnabled = $true }",
        ],
    ),
]


@pytest.mark.parametrize(("one", "lines"), ESXCLI, ids=[one.remediator for one, _ in ESXCLI])
def test_esxcli_commands_are_those_of_the_reference(one: Change, lines: list[str]) -> None:
    assert commands_in(written(one)) == lines


@pytest.mark.parametrize(("one", "lines"), POWERCLI, ids=[one.remediator for one, _ in POWERCLI])
def test_powercli_commands_are_those_of_the_reference(one: Change, lines: list[str]) -> None:
    assert commands_in(written(one, language="powercli")) == lines


def test_every_setting_of_a_vcenter_brings_its_commands_along() -> None:
    settings = endpoint_type(EndpointKind.VCENTER).settings
    assert [name for name, one in settings.items() if not one.commands] == []
    tried = {one.remediator for one, _ in (*ESXCLI, *POWERCLI)}
    assert set(settings) - tried == set(), "settings without a change in the lists above"


def test_a_change_is_printed_with_what_why_check_and_undo() -> None:
    assert written(change("device.dsnro", 32, 64, DEVICE)).partition("# ==== ")[2] == (
        "esx-1, of vc ====\n"
        "if part esx-1 1; then\n"
        "\n"
        "# 1. device.dsnro of device naa.a of esx-1: 32 -> 64 commands\n"
        "#    It is wrong\n"
        "#    Because (a/rule)\n"
        "#    class: online; no reboot\n"
        'if due 1 32 64 "$(field NoofoutstandingIOswithcompetingworlds storage core device list --device=naa.a)"; then\n'
        "  esxcli storage core device set --device=naa.a --sched-num-req-outstanding=64\n"
        '  made 1 64 "$(field NoofoutstandingIOswithcompetingworlds storage core device list --device=naa.a)"\n'
        "fi\n"
        "# undo of 1: esxcli storage core device set --device=naa.a --sched-num-req-outstanding=32\n"
        "fi\n"
    )


@pytest.mark.parametrize(
    ("one", "language", "why"),
    [
        pytest.param(
            change("element.qos_policy", 1, 2, {"policy_id": "1", "field": "minIOPS"}, endpoint="sf", host=None),
            "powercli",
            "it is set on the array sf by the array's own tool",
            id="an array",
        ),
        pytest.param(
            change("datastore.sioc", ON, OFF, {"datastore_id": "datastore-7"}, host=None),
            "esxcli",
            "vCenter keeps it, and no esxcli command of a host sets it: see --as powercli",
            id="what vCenter keeps",
        ),
        pytest.param(change("of.the_future", 1, 2, DEVICE), "esxcli", "no command is known for of.the_future", id="no such setting"),
        pytest.param(change("device.dsnro", 32, ON, DEVICE), "esxcli", "DSNRO cannot be True", id="no such value"),
        pytest.param(
            change("device.dsnro", 32, 64, DEVICE | {"device": "naa.a\nreboot"}),
            "esxcli",
            "'naa.a\\nreboot' has characters that no script should hold",
            id="a name that would begin a line",
        ),
        pytest.param(
            change("host.option", 1, 2, {"host_id": "host-11", "option": "Disk.$(reboot)"}),
            "powercli",
            "'Disk.$(reboot)' is no name of an option",
            id="no name of an option",
        ),
    ],
)
def test_what_has_no_command_is_a_comment_that_says_why(one: Change, language: str, why: str) -> None:
    text = written(one, language=language)
    assert f"#    NO COMMAND: {why}.\n" in text.replace("\\\\n", "\\n")
    assert commands_in(text) == []


def test_what_fleet_yaml_holds_back_is_no_command() -> None:
    one = change("device.dsnro", 32, 64, DEVICE)
    text = written(one, held=(Receipt(one, Outcome.REFUSED, 32, "protected: golden"),))
    assert "#    NO COMMAND: held back by fleet.yaml: protected: golden.\n" in text
    assert commands_in(text) == []


def test_what_waits_is_in_a_later_stage_which_has_to_be_named() -> None:
    first = change("device.dsnro", 32, 64, DEVICE)
    second = replace(first, target=Target("vc", (("device", "naa.b"), ("host_id", "host-11"))), number=2, waits_for=(1,))
    text = script_text(Plan((first, second)), [[first], [second]], CommandLanguage.ESXCLI, KINDS, ())
    assert [line for line in text.splitlines() if line.startswith("if part")] == ["if part esx-1 1; then", "if part esx-1 2; then"]
    assert "case $stage in\n  1 | 2) ;;" in text
    assert "#    after: 1, which have to have ended well, and to be in force" in text
    of_powercli = script_text(Plan((first, second)), [[first], [second]], CommandLanguage.POWERCLI, KINDS, ())
    assert "param([Parameter(Mandatory)][ValidateSet(1, 2)][int]$Stage)" in of_powercli
    assert "if ($Stage -eq 2) {" in of_powercli


def test_hosts_of_one_name_are_told_apart_by_their_endpoint() -> None:
    one, other = change("device.dsnro", 32, 64, DEVICE), change("device.dsnro", 32, 64, DEVICE, endpoint="files")
    assert "if part esx-1@vc 1; then" in written(one, other)
    assert "if part esx-1@files 1; then" in written(one, other)


def test_a_host_that_files_are_of_is_found_by_its_name() -> None:
    one = change("device.dsnro", 32, 64, DEVICE | {"host_id": "esx-1"}, endpoint="files")
    assert "$vmhost = Get-PlannedHost '' 'esx-1'" in written(one, language="powercli")


NASTY = ["'; reboot; '", "$(reboot)", "`reboot`", "-h", '"', "a b", "naa.a|x", "\\", "!x", "\u2019; Restart-VMHost; \u2019", "Ж", "%s", "#"]


@pytest.mark.parametrize("name", NASTY)
def test_the_shell_takes_a_hostile_name_for_one_word(name: str) -> None:
    text = written(change("device.dsnro", 32, 64, DEVICE | {"device": name}))
    assert subprocess.run(["/bin/bash", "-n"], input=text, text=True, capture_output=True, check=False).stderr == ""
    line = commands_in(text)[0]
    assert shlex.split(line)[5:] == [f"--device={name}", "--sched-num-req-outstanding=64"]


@given(st.text(max_size=30))
def test_the_shell_gets_any_text_back_or_refuses_it(text: str) -> None:
    try:
        quoted = Shell().quoted(text)
    except NoCommandError:
        assert not text.isprintable()
    else:
        assert shlex.split(quoted, comments=True) == [text]


@given(st.text(max_size=30))
def test_powershell_gets_any_text_back_or_refuses_it(text: str) -> None:
    try:
        quoted = PowerShell().quoted(text)
    except NoCommandError:
        assert not text.isprintable()
        return
    assert quoted.isascii()
    parts = re.findall(r"'((?:[^']|'')*)'|\[char\]0x([0-9a-f]{4})", quoted)
    units = b"".join(bytes.fromhex(code) if code else literal.replace("''", "'").encode("utf-16-be") for literal, code in parts)
    assert units.decode("utf-16-be") == text
    assert re.fullmatch(r"'(?:[^']|'')*'|\('(?:[^']|'')*'(?: \+ (?:'(?:[^']|'')*'|\[char\]0x[0-9a-f]{4}))*\)", quoted)


@pytest.mark.long
@given(st.text(max_size=40))
def test_no_text_of_a_plan_ends_a_comment(text: str) -> None:
    one = replace(change("device.dsnro", 32, 64, DEVICE), reason=text, messages=(text,), collateral=text)
    calm = replace(one, reason="x", messages=("x",), collateral="x")
    for language in ("esxcli", "powercli"):
        got, wanted = (
            [line for line in re.split(r"\r\n|\r|\n", written(each, language=language)) if not line.startswith("#")] for each in (one, calm)
        )
        assert got == wanted
