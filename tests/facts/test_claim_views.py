"""What a claim rule gives to a device, and VMkernel adapters beside their switches: what was not read whole is NULL."""

from __future__ import annotations

from typing import Any

import pytest

from .fleets import Facts
from .judged_fleet import PE, facts
from .test_load_views import ON_1, ON_2, one, pathed, unread, untold

RULE = {
    **ON_1,
    "satp": "VMW_SATP_ALUA",
    "vendor": "SolidFir",
    "model": "SSD SAN",
    "device": "",
    "driver": "",
    "transport": "",
    "rule_group": "system",
    "default_psp": "VMW_PSP_RR",
    "psp_options": "",
}


def claimed(*rules: dict[str, Any]) -> Facts:
    given = pathed()
    given["satp_rule"] = [{**RULE, **rule} for rule in rules]
    return given


@pytest.mark.parametrize(
    ("rules", "reported"),
    [
        pytest.param([{}], (True, "VMW_PSP_RR", "rr", 1000), id="one that names it and sets nothing more"),
        pytest.param([{"psp_options": "iops=1"}], (True, "VMW_PSP_RR", "iops", 1), id="a count"),
        pytest.param([{"psp_options": "iops='3'"}], (True, "VMW_PSP_RR", "iops", 3), id="a count in quotes"),
        pytest.param([{"psp_options": "policy=iops;iops=10"}], (True, "VMW_PSP_RR", "iops", 10), id="a count and its type"),
        pytest.param([{"psp_options": "iops=many"}], (True, "VMW_PSP_RR", "iops", None), id="a count that nobody understands"),
        pytest.param([{"psp_options": "policy=iops;iops=1;"}], (True, "VMW_PSP_RR", "iops", 1), id="as TrueNAS asks for it"),
        pytest.param([{"psp_options": "policy=latency;latencyEvalTime=180000"}], (True, "VMW_PSP_RR", "latency", 1000), id="tuned"),
        pytest.param([{"psp_options": "iops=1;iops=1000"}], (False, None, None, None), id="two counts, of the build"),
        pytest.param([{"psp_options": "iops=1;iops=1000", "rule_group": "user"}], (None, None, None, None), id="two counts"),
        pytest.param([{"psp_options": "policy=latency;iops=1", "rule_group": "user"}], (None, None, None, None), id="two ways to choose"),
        pytest.param(
            [{"psp_options": "policy=iops;bytes=8800", "rule_group": "user"}], (None, None, None, None), id="a way and another's number"
        ),
        pytest.param(
            [{"rule_group": "user"}, {"rule_group": "user", "default_psp": "VMW_PSP_MRU"}], (None, None, None, None), id="two policies"
        ),
        pytest.param([{"psp_options": "iops=1;iops=1", "rule_group": "user"}], (True, "VMW_PSP_RR", "iops", 1), id="a count twice"),
        pytest.param([{"psp_options": "policy=latency"}], (True, "VMW_PSP_RR", "latency", 1000), id="latency"),
        pytest.param([{"psp_options": "bytes=8800"}], (True, "VMW_PSP_RR", "bytes", 1000), id="bytes"),
        pytest.param([{"default_psp": ""}], (True, "", "rr", 1000), id="one that leaves the policy open"),
        pytest.param(
            [{}, {"rule_group": "user", "psp_options": "iops=1"}], (True, "VMW_PSP_RR", "iops", 1), id="somebody's own goes first"
        ),
        pytest.param(
            [{"model": "", "psp_options": "iops=5"}, {}], (True, "VMW_PSP_RR", "rr", 1000), id="the one that names the model goes first"
        ),
        pytest.param([{"model": "", "psp_options": "iops=5"}], (True, "VMW_PSP_RR", "iops", 5), id="one for all of the vendor"),
        pytest.param([{}, {"psp_options": "iops=1"}], (False, None, None, None), id="two that differ"),
        pytest.param([{"vendor": "PURE"}], (False, None, None, None), id="another vendor"),
        pytest.param([{"model": "SSD"}], (False, None, None, None), id="another model"),
        pytest.param([{"satp": "VMW_SATP_DEFAULT_AA"}], (False, None, None, None), id="another array type"),
        pytest.param([{"transport": "fc"}], (False, None, None, None), id="for one transport"),
        pytest.param([{"driver": "bnx2i"}], (False, None, None, None), id="for one driver"),
        pytest.param([{"device": PE[1]}], (False, None, None, None), id="for one device"),
        pytest.param([{"host_id": "host-2"}], (False, None, None, None), id="of another host"),
    ],
)
def test_the_claim_rule_of_a_device_is_the_one_that_names_it(rules: list[dict[str, Any]], reported: tuple[Any, ...]) -> None:
    row = one("device_claim", claimed(*rules), **ON_1, device=PE[0])
    assert (row["has_claim_rule"], row["claimed_psp"], row["claimed_rr_policy"], row["claimed_rr_iops"]) == reported
    assert (row["rr_policy"], row["rr_iops"], row["active_paths"], row["family"]) == ("iops", 1, 2, "solidfire")


def test_without_the_rules_nobody_knows_whether_one_names_the_device() -> None:
    given = claimed({})
    unread("multipathing")(given)
    assert one("device_claim", given, **ON_1, device=PE[0])["has_claim_rule"] is None
    assert one("device_claim", given, **ON_2, device=PE[0])["has_claim_rule"] is False


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        pytest.param({}, "VMW_PSP_RR, iops 1", id="a count"),
        pytest.param({"rr_policy": "rr", "rr_iops": 1000}, "VMW_PSP_RR, iops 1000", id="a count that nobody chose"),
        pytest.param({"rr_policy": "bytes", "rr_bytes": 8800}, "VMW_PSP_RR, bytes 8800", id="bytes"),
        pytest.param({"rr_policy": "latency"}, "VMW_PSP_RR, latency", id="latency"),
        pytest.param({"rr_policy": None}, None, id="not told"),
        pytest.param({"rr_iops": None}, None, id="count not told"),
    ],
)
def test_a_path_policy_is_one_text(policy: dict[str, Any], text: str | None) -> None:
    given = claimed({})
    given["device_policy"] = [{**row, **policy} for row in given["device_policy"]]
    assert one("device_claim", given, **ON_1, device=PE[0])["path_policy"] == text


def test_a_policy_that_is_no_round_robin_is_told_by_its_name() -> None:
    given = claimed({})
    given["path"] = [{**row, "psp": "VMW_PSP_MRU"} for row in given["path"]]
    given["device_policy"] = [{**row, "psp": "VMW_PSP_MRU"} for row in given["device_policy"]]
    assert one("device_claim", given, **ON_1, device=PE[0])["path_policy"] == "VMW_PSP_MRU"


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        pytest.param({}, "VMW_PSP_RR, iops 1000", id="nothing more"),
        pytest.param({"psp_options": "iops='3'"}, "VMW_PSP_RR, iops 3", id="a count in quotes"),
        pytest.param({"psp_options": "policy=iops;iops=10"}, "VMW_PSP_RR, iops 10", id="a count and its type"),
        pytest.param({"psp_options": "iops=many"}, None, id="a count that nobody understands"),
        pytest.param({"psp_options": "policy=latency"}, "VMW_PSP_RR, latency", id="latency"),
        pytest.param({"psp_options": "bytes=8800"}, None, id="bytes"),
        pytest.param({"psp_options": "policy=bytes"}, None, id="bytes by its type"),
        pytest.param({"default_psp": "VMW_PSP_MRU", "psp_options": "iops=1"}, None, id="another policy"),
        pytest.param({"default_psp": ""}, None, id="the policy left open"),
        pytest.param({"vendor": "PURE"}, None, id="no rule"),
    ],
)
def test_what_a_claim_rule_gives_is_one_text(rule: dict[str, Any], text: str | None) -> None:
    assert one("device_claim", claimed(rule), **ON_1, device=PE[0])["claimed_policy"] == text


def mapping(device: str | None) -> dict[str, Any]:
    return {"vm_id": "vm-77", "disk": "d", "rdm_mode": "physicalMode", "rdm_device": device}


@pytest.mark.parametrize(
    ("disks", "machine", "is_mapped"),
    [
        pytest.param([], {}, False, id="nobody maps anything"),
        pytest.param([mapping(PE[0])], {}, True, id="mapped"),
        pytest.param([mapping("naa.other")], {}, False, id="another is mapped"),
        pytest.param([mapping(None)], {}, None, id="a mapping that does not name its LUN"),
        pytest.param([{**mapping(None), "rdm_mode": None}], {}, False, id="a disk that maps nothing"),
        pytest.param([], {"disks_read": False}, None, id="disks not read"),
        pytest.param([], {"disks_read": None}, None, id="not known whether disks were read"),
        pytest.param([mapping(PE[0])], {"disks_read": False}, True, id="mapped, whatever another may do"),
    ],
)
def test_whether_a_machine_maps_a_device_is_known_where_all_machines_are(
    disks: list[dict[str, Any]], machine: dict[str, Any], *, is_mapped: bool | None
) -> None:
    given = claimed({})
    given["vm"], given["vm_disk"] = [{"vm_id": "vm-77", "disks_read": True, **machine}], disks
    assert one("device_claim", given, **ON_1, device=PE[0])["is_mapped"] is is_mapped


def test_whether_a_machine_maps_a_device_is_not_known_where_machines_were_not_read() -> None:
    given = claimed({})
    given["vm"], given["vm_disk"] = [], []
    unread("vms", "")(given)
    assert one("device_claim", given, **ON_1, device=PE[0])["is_mapped"] is None


def networked() -> Facts:
    given = facts()
    given["path"] = [{**row, "transport": "iscsi"} for row in given["path"]]
    given["vmknic"] = [
        {**host, "vmk": f"vmk{n}", "mtu": 9000, "switch": "vSwitch1", "switch_mtu": 1500} for host in (ON_1, ON_2) for n in (0, 1, 2)
    ]
    given["iscsi_portal"] = [{**ON_1, "hba": "vmhba64", "vmk": f"vmk{n}", "mtu": 9000 if n == 1 else 1500} for n in (1, 2)]
    return given


def test_a_vmkernel_adapter_is_told_with_its_switch_and_what_is_bound_to_it() -> None:
    names = ("mtu", "switch_mtu", "is_bound", "bound_mtus", "iscsi_devices")
    reported = {
        (at, n): [one("vmknic", networked(), **host, vmk=f"vmk{n}")[name] for name in names]
        for at, host, n in ((1, ON_1, 0), (1, ON_1, 1), (2, ON_2, 1))
    }
    assert reported == {(1, 0): [9000, 1500, False, 2, 2], (1, 1): [9000, 1500, True, 2, 2], (2, 1): [9000, 1500, False, 0, 2]}


@pytest.mark.parametrize(
    ("lose", "lost"),
    [
        pytest.param(unread("port_binding"), {"is_bound", "bound_mtus"}, id="binding not asked for"),
        pytest.param(untold("iscsi_portal", "mtu"), {"bound_mtus"}, id="the MTU of one not told"),
        pytest.param(unread("paths"), {"iscsi_devices"}, id="paths not read"),
    ],
)
def test_what_was_not_told_of_a_vmkernel_adapter_is_not_known(lose: Any, lost: set[str]) -> None:
    given = networked()
    lose(given)
    row = one("vmknic", given, **ON_1, vmk="vmk1")
    assert {name for name in ("is_bound", "bound_mtus", "iscsi_devices") if row[name] is None} == lost
