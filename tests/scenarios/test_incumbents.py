"""Nine groups of defects in the scripts that people run today, each a situation in which the script errs, and what auditor says instead.

The first six are those the project's task names; the rest was read beside them. Read at PureStorage-OpenConnect/VMware-Scripts 65e4318
(bestpracticecheckerv5.ps1, "the checker") and solidfire/PowerShell 59ec846 (VMware/Set-SFVMwareBestPractices.ps1, "the setter").

1. A version switch that takes what it does not know for something else: the checker knows ESXi 5 and 7; 8.0 falls to `default`, whose minor
   number 0 is meant to be 6.0. And the locking mode is looked at where the version is like 6.*, so on nobody today.
2. A drift flag that is reset before it is reported: `$autoUnmap = $true`, and four lines on `$autoUnmap = $False`.
3. A value of the previous host used for the next: `$iscsitimeout`, `$iscsiack`, `$MaxIORecommended` are set in the loop and never cleared.
4. Comment and value that disagree: the setter says `iops=1` twice and sets `iops=10`; it says "DSNRO to 64" whatever was asked for.
5. "all" as the default of settings that are not for everyone: `$Configuration="all"` beside "!!! only for Nitrogen" and "Not all
   recommendations apply to everyone".
6. A write without a read: the setter reads nothing. Here `read` comes before every write and after it: tests/apply/test_one_change.py
   (stale, already, unverified) and tests/long/walk/test_fixing.py (a second fix writes nothing) prove it on the lab.
7. What stands beside the setting is lost: `parameters.set(..., "iscsivmk_LunQDepth=256")` is the whole option string from then on. Here
   it is merged: tests/endpoints/vcenter/test_host_module_option.py.
8. Arguments by their place: the twelfth of fourteen is DSNRO, and the eighth of nine on ESXi 5. Here arguments have names, and
   the lab's hosts refuse any other: tests/endpoints/vcenter/test_esxcli.py, tests/lab/test_esxcli.py.
9. What could not be read passes: hosts that do not respond are left out without a word, `catch` sets the flag to $False, and $null is not
   greater than any limit. Here it is unknown: tests/long/walk/test_losing_facts.py takes every answer away in turn; one case more is below.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.cli import run
from auditor_lab.scenario import parse_scenario
from auditor_lab.serving import serve
from tests.audits import Audit

_PURE = """
vcenters:
  - name: vc-pure
    version: 8.0.2
    host_build: 22380479
    devices:
      latency:
        &pure
        vendor: PURE
        model: FlashArray
        satp: VMW_SATP_ALUA
        psp_options: policy=latency
        names: [naa.624a9370aaaa1111bbbb222200011010]
        targets: ["iqn.2010-06.com.purestorage:flasharray.1", "iqn.2010-06.com.purestorage:flasharray.2"]
      stock: {<<: *pure, psp_options: ""}
    templates:
      host:
        devices: [latency]
        hbas:
          - &iscsi
            device: vmhba64
            kind: iscsi
            driver: iscsi_vmk
            model: iSCSI Software Adapter
            software: true
            delayed_ack: false
            parameters: {LoginTimeout: 30}
            targets: [{address: 198.51.100.10}]
    clusters:
      - name: pure
        hosts:                          # in the order of their names, as the checker goes through them
          - name: esx-1-right
            like: host
            satp_rules: [{satp: VMW_SATP_ALUA, vendor: PURE, model: FlashArray, psp: VMW_PSP_RR, psp_options: policy=latency}]
          - {name: esx-2-away, like: host, connection_state: notResponding}
          - name: esx-3-as-installed    # and a rule that was right on ESXi 6
            like: host
            devices: [stock]
            hbas: [{<<: *iscsi, delayed_ack: true, parameters: {}}]
            satp_rules: [{satp: VMW_SATP_ALUA, vendor: PURE, model: FlashArray, psp: VMW_PSP_RR, psp_options: iops=1}]
    datastores:
      - name: pure-01
        type: VMFS
        extents: [naa.624a9370aaaa1111bbbb222200011010]
        hosts: [esx-1-right, esx-3-as-installed]
        unmap_priority: none
        locking_mode: ATS+SCSI
      - name: pure-02
        type: VMFS
        extents: [naa.624a9370aaaa1111bbbb222200011010]
        hosts: [esx-1-right]
        locking_mode: ATS DOWNGRADE PENDING
"""


@pytest.fixture(scope="module")
def pure(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """An audit of three hosts of a FlashArray; the second does not answer its vCenter."""
    folder = tmp_path_factory.mktemp("pure")
    report = folder / "report.json"
    with serve(parse_scenario(_PURE, "pure")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        tags = ("--tag", "multipath", "--tag", "iscsi", "--tag", "vaai")
        code = run(["audit", "--fleet", str(folder / "fleet.yaml"), "--state-dir", str(folder), *tags, "--reporter", f"json-full:{report}"])
    return Audit(code, json.loads(Path(report).read_text(encoding="utf-8")), "")


def on(audit: Audit, rule: str) -> dict[str, set[str]]:
    """Host -> the verdicts of one rule on what it has."""
    verdicts: dict[str, set[str]] = {}
    for finding in audit.report["findings"]:
        if finding["rule"] == rule and finding["verdict"] != "not_applicable":
            verdicts.setdefault(finding["resource"]["host"] or finding["resource"]["name"], set()).add(finding["verdict"])
    return verdicts


@pytest.mark.long
def test_1_a_release_after_those_that_were_known_is_judged_as_itself(pure: Audit) -> None:
    # The checker asks ESXi 8 for iops=1, and calls a rule with it correct.
    assert on(pure, "multipath/rr-tuning") == {"esx-1-right": {"pass"}, "esx-3-as-installed": {"fail"}}
    assert on(pure, "multipath/satp-rule") == {"esx-1-right": {"pass"}, "esx-3-as-installed": {"fail"}}
    # On 8 the checker writes N/A beside every locking mode.
    assert on(pure, "vaai/lockmode") == {"pure-01": {"pass"}, "pure-02": {"fail"}}


def test_2_drift_that_was_seen_is_reported(pure: Audit) -> None:
    [finding] = pure.of("vaai/unmap", "fail")
    assert (finding["resource"]["name"], finding["observed"], finding["desired"]) == ("pure-01", "none", "low")


def test_3_and_9_a_host_that_does_not_answer_neither_passes_nor_lends_its_neighbours_values(pure: Audit) -> None:
    for rule in ("iscsi/login-timeout", "iscsi/delayed-ack", "multipath/rr-tuning", "vaai/enabled", "vaai/ats-heartbeat"):
        assert on(pure, rule).get("esx-2-away", {"unknown"}) == {"unknown"}, rule
    assert on(pure, "iscsi/login-timeout")["esx-1-right"] == {"pass"}
    assert {f["observed"] for f in pure.of("iscsi/login-timeout", "fail")} == {5}
    assert on(pure, "iscsi/delayed-ack") == {"esx-1-right": {"pass"}, "esx-3-as-installed": {"fail"}}
    assert "esx-2-away" in json.dumps(pure.report["gaps"])
    assert pure.code == 2


def test_4_what_is_said_to_be_wanted_is_what_would_be_written(audit: Audit) -> None:
    answer: list[dict[str, Any]] = [f for f in audit.report["findings"] if f["verdict"] == "fail" and f["fix"].get("outcome") == "proposed"]
    numbers = [f for f in answer if isinstance(f["desired"], int) and isinstance(f["fix"]["after"], int)]
    assert len({f["rule"] for f in numbers}) > 10
    assert [(f["rule"], f["resource"]["name"], f["desired"], f["fix"]["after"]) for f in numbers if f["desired"] != f["fix"]["after"]] == []


def test_5_a_setting_is_wanted_only_where_its_array_is(audit: Audit) -> None:
    # Half of the setter's list is for SolidFire alone, and its Delayed ACK is for every target of the host.
    judged = [*audit.of("iscsi/delayed-ack", "pass"), *audit.of("iscsi/delayed-ack", "fail")]
    targets = [f["resource"]["name"] for f in judged]
    assert targets
    assert {name.partition(":")[0] for name in targets} == {"iqn.2010-01.com.solidfire"}
    for finding in audit.of("iscsi/delayed-ack", "fail"):
        assert dict(finding["fix"]["target"])["iqn"] == finding["resource"]["name"]
    # 16 MiB copies are right on SolidFire, asked for nowhere, and left alone where no source says that an array does not take them.
    sizes = {f["resource"]["name"]: (f["observed"], f["desired"]) for f in audit.of("vaai/xcopy-size", "fail")}
    assert sizes == {"esx-odd-7.lab.example": (256, 4096)}
