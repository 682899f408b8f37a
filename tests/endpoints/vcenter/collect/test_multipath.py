"""How hosts choose paths, what rules they claim devices by, and what iSCSI is bound to: as esxcli tells it, and on the lab's wire."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from auditor.endpoints.vcenter.collect.esxcli import Layout, Records
from auditor.endpoints.vcenter.collect.multipath import device_policies, iscsi_portals, satp_rules
from auditor.endpoints.vcenter.collect.topics import collect_vcenter
from auditor.endpoints.vcenter.esxcli_records import Row
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.facts.needs import needs
from auditor.facts.schema import Batch
from auditor.model import Endpoint
from auditor_lab.vcenter.description.devices import PortalDescription
from auditor_lab.vcenter.description.hosts import HostDescription, SatpRuleDescription, VmknicDescription
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Fault

from .test_topics import Collected

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

WHERE = {"endpoint": "vc", "host_id": "host-11"}
FLASH, LUN = "naa.624a9370aaaa", "naa.600000e00d01"


def read(layout: Layout, *rows: Row) -> tuple[list[dict[str, Any]], list[str]]:
    records = Records(rows)
    found = []
    for batch in layout(records, WHERE):
        assert isinstance(batch, Batch)
        found += [dict(zip(batch.columns, values, strict=True)) for values in zip(*batch.columns.values(), strict=True)]
    return found, records.parse_errors


def device(config: str, psp: str = "VMW_PSP_RR", **fields: str | list[str]) -> Row:
    return {
        "Device": FLASH,
        "StorageArrayType": "VMW_SATP_ALUA",
        "PathSelectionPolicy": psp,
        "PathSelectionPolicyDeviceConfig": config,
        "WorkingPaths": "vmhba64:C0:T0:L0",
        **fields,
    }


@pytest.mark.parametrize(
    ("psp", "config", "policy", "iops", "size", "unoptimized"),
    [
        pytest.param(
            "VMW_PSP_RR",
            "{policy=rr,iops=1000,bytes=10485760,useANO=0; lastPathIndex=1: NumIOsPending=0,numBytesPending=0}",
            *("rr", 1000, 10485760, False),
            id="as installed (KB 323117)",
        ),
        pytest.param(
            "VMW_PSP_RR",
            "{policy=iops,iops=1,bytes=10485760,useANO=1; lastPathIndex=3: NumIOsPending=7,numBytesPending=4096}",
            *("iops", 1, 10485760, True),
            id="the next path after each I/O",
        ),
        pytest.param(
            "VMW_PSP_RR",
            "{policy=latency,latencyEvalTime=180000,samplingCycles=16,curSamplingCycle=16,useANO=0; "
            "CurrentPath=vmhba1:C0:T0:L0: NumIOsPending=0,latency=0}",
            *("latency", None, None, False),
            id="by latency (vSphere storage guide 6.7)",
        ),
        pytest.param(
            "VMW_PSP_RR",
            "{policy=iops iops=1 bytes=0 useANO=0 NUM_OF_MEM_ARRAY=1 lastPathIndex=0 NumIOsPending=0 numBytesPending=0 }",
            *("iops", 1, 0, False),
            id="with blanks",
        ),
        pytest.param("VMW_PSP_FIXED", "{preferred=vmhba1:C0:T0:L0;current=vmhba1:C0:T0:L0}", *(None,) * 4, id="fixed"),
        pytest.param("VMW_PSP_MRU", "Current Path=vmhba1:C0:T0:L0", *(None,) * 4, id="most recently used"),
        pytest.param("XYZ_PSP_OWN", "{policy=iops,iops=1,bytes=1,useANO=1}", *(None,) * 4, id="somebody else's, whose words may mean else"),
        pytest.param("VMW_PSP_RR", "", *(None,) * 4, id="nothing told"),
    ],
)
def test_what_round_robin_goes_by_is_read_from_its_settings(
    psp: str, config: str, policy: str | None, iops: int | None, size: int | None, unoptimized: bool | None
) -> None:
    (row,), parse_errors = read(device_policies, device(config, psp))
    assert (row["rr_policy"], row["rr_iops"], row["rr_bytes"], row["rr_use_unoptimized"]) == (policy, iops, size, unoptimized)
    assert (row["psp"], row["psp_config"], parse_errors) == (psp, config, [])


@pytest.mark.parametrize(
    ("config", "column"),
    [
        pytest.param("{policy=adaptive,iops=1}", "rr_policy", id="a policy nobody knows"),
        pytest.param("{policy=iops,iops=many}", "rr_iops", id="no number"),
        pytest.param("{policy=iops,iops=1,useANO=maybe}", "rr_use_unoptimized", id="neither 0 nor 1"),
    ],
)
def test_settings_that_are_not_understood_are_null_and_a_hole(config: str, column: str) -> None:
    (row,), parse_errors = read(device_policies, device(config))
    assert row[column] is None
    assert [hole for hole in parse_errors if FLASH in hole and "not understood" in hole] == parse_errors != []


@pytest.mark.parametrize(
    ("reported", "count"),
    [
        pytest.param(["vmhba1:C0:T0:L0", "vmhba2:C0:T0:L0"], 2, id="a field each"),
        pytest.param("vmhba1:C0:T0:L0, vmhba2:C0:T0:L0, vmhba2:C0:T1:L0", 3, id="one with commas"),
        pytest.param("", 0, id="none works"),
    ],
)
def test_working_paths_are_counted_however_they_are_listed(reported: str | list[str], count: int) -> None:
    (row,), _ = read(device_policies, device("{policy=rr}", WorkingPaths=reported))
    assert row["working_paths"] == count


def test_a_claim_rule_is_told_with_what_it_leaves_open() -> None:
    (row,), parse_errors = read(
        satp_rules,
        {"Name": "VMW_SATP_ALUA", "Vendor": "PURE    ", "Model": "FlashArray", "RuleGroup": "user", "PSPOptions": "iops='1'"},
    )
    assert (row["satp"], row["vendor"], row["model"], row["rule_group"], row["psp_options"]) == (
        *("VMW_SATP_ALUA", "PURE", "FlashArray", "user"),
        "iops='1'",
    )
    assert [row[name] for name in ("device", "driver", "transport", "options", "claim_options", "default_psp")] == [""] * 6
    assert parse_errors == []


@pytest.mark.parametrize(
    ("status", "compliant"),
    [
        pytest.param("compliant", True, id="compliant"),
        pytest.param("notCompliant", False, id="another word"),
        pytest.param(None, None, id="not told, which is a parse error"),
    ],
)
def test_a_bound_adapter_is_compliant_only_where_the_host_says_so(status: str | None, compliant: bool | None) -> None:
    given = {} if status is None else {"CompliantStatus": status}
    (row,), parse_errors = read(iscsi_portals, {"Adapter": "vmhba64", "Vmknic": "vmk1", "IPv4": "198.51.100.7", "MTU": "9000", **given})
    assert (row["hba"], row["vmk"], row["ip"], row["mtu"], row["compliant"]) == ("vmhba64", "vmk1", "198.51.100.7", 9000, compliant)
    assert bool(parse_errors) == (status is None)


def test_a_word_of_compliance_that_nobody_knows_is_named_with_its_field() -> None:
    (row,), parse_errors = read(iscsi_portals, {"Adapter": "vmhba64", "Vmknic": "vmk1", "CompliantStatus": "perhaps"})
    assert row["compliant"] is None
    assert parse_errors == ["compliantstatus of a portal on vmk1 says 'perhaps', which is not understood"]


def bound(description: VCenterDescription) -> VCenterDescription:
    """The small vCenter whose first cluster has a claim rule of its own and, on its first host, two bound adapters."""
    rule = SatpRuleDescription(satp="VMW_SATP_ALUA", vendor="PURE", model="FlashArray", psp="VMW_PSP_RR", psp_options="iops=1")
    nics = tuple(
        VmknicDescription(device=f"vmk{n}", portgroup=f"iscsi-{n}", switch="vSwitch1", mtu=9000, ip=f"198.51.100.{n}") for n in (1, 2)
    )
    portals = (PortalDescription(vmk="vmk1"), PortalDescription(vmk="vmk2", compliant_status="notCompliant", path_status="notUsed"))

    def with_them(host: HostDescription, place: int) -> HostDescription:
        (hba,) = host.hbas
        more = dataclasses.replace(hba, portals=portals if place == 0 else ())
        return dataclasses.replace(host, hbas=(more,), satp_rules=(rule,), vmknics=nics)

    one, *others = description.clusters
    hosts = tuple(with_them(host, place) for place, host in enumerate(one.hosts))
    return dataclasses.replace(description, clusters=(dataclasses.replace(one, hosts=hosts), *others))


def collect(endpoint: Endpoint, *tables: str) -> Collected:
    with open_vcenter(endpoint) as vcenter:
        return Collected(collect_vcenter(vcenter, endpoint, needs((table, "") for table in tables)))


def test_what_a_host_does_with_its_paths_comes_whole_from_two_commands(serve_vcenter: Serve, small_vcenter: VCenterDescription) -> None:
    server, endpoint = serve_vcenter(bound(small_vcenter))
    with open_vcenter(endpoint) as vcenter:
        vcenter.esxcli("host-11").run("storage nmp device set", device=FLASH, psp="VMW_PSP_RR")
        vcenter.esxcli("host-11").run("storage nmp psp roundrobin deviceconfig set", device=FLASH, type="iops", iops=1)
    server.requests.clear()
    collected = collect(endpoint, "device_policy")
    assert collected.incomplete() == set()
    assert collected.gaps == []
    asked = [name for name in server.requests if name.startswith(("storage.", "iscsi.", "system.", "Query"))]
    assert sorted(asked) == ["storage.nmp.device.list"] * 3 + ["storage.nmp.satp.rule.list"] * 3
    mine, other = (collected.one("device_policy", host_id=host, device=FLASH) for host in ("host-11", "host-12"))
    assert (mine["psp"], mine["rr_policy"], mine["rr_iops"], mine["working_paths"]) == ("VMW_PSP_RR", "iops", 1, 1)
    assert (other["psp"], other["rr_policy"]) == ("VMW_PSP_RR", "rr")  # as installed
    rules = collected.rows("satp_rule", host_id="host-11", rule_group="user")
    assert [(row["vendor"], row["default_psp"], row["psp_options"]) for row in rules] == [("PURE", "VMW_PSP_RR", "iops=1")]
    assert collected.rows("satp_rule", host_id="host-13", rule_group="user") == []
    assert len(collected.rows("satp_rule", host_id="host-13", rule_group="system")) == 4


def test_what_is_bound_is_told_and_nothing_where_nothing_is(serve_vcenter: Serve, small_vcenter: VCenterDescription) -> None:
    _, endpoint = serve_vcenter(bound(small_vcenter))
    collected = collect(endpoint, "iscsi_portal")
    assert (collected.incomplete(), collected.gaps) == (set(), [])
    names = ("hba", "ip", "subnet", "mtu", "compliant", "path_status", "link_up")
    reported = {row["vmk"]: tuple(row[name] for name in names) for row in collected.rows("iscsi_portal")}
    assert reported == {
        "vmk1": ("vmhba64", "198.51.100.1", "198.51.100.0/24", 9000, True, "active", True),
        "vmk2": ("vmhba64", "198.51.100.2", "198.51.100.0/24", 9000, False, "notUsed", False),
    }
    assert {row["host_id"] for row in collected.rows("iscsi_portal")} == {"host-11"}
    assert all(collected.complete(host, "port_binding") for host in ("host-11", "host-12", "host-13"))


@pytest.mark.parametrize(
    ("command", "topic"),
    [
        ("storage.nmp.device.list", "multipathing"),
        ("storage.nmp.satp.rule.list", "multipathing"),
        ("iscsi.networkportal.list", "port_binding"),
    ],
)
def test_a_command_that_is_not_answered_costs_its_topic(serve_vcenter: Serve, command: str, topic: str) -> None:
    server, endpoint = serve_vcenter()
    server.faults.active.append(Fault("garbage", command, containing=b"Executer-host-11"))
    collected = collect(endpoint, "device_policy", "iscsi_portal")
    assert collected.incomplete() == {("host-11", topic)}
    assert [gap.what for gap in collected.gaps] == [f"esxcli {command.replace('.', ' ')} of esx-1"]


@pytest.mark.parametrize(
    "others",
    [
        pytest.param([("VMW_PSP_RR", 1000), ("VMW_PSP_FIXED", None), ("VMW_PSP_RR", 1000)], id="in one answer"),
        pytest.param([("VMW_PSP_FIXED", None), ("VMW_PSP_RR", 1000)], id="the other way round"),
    ],
)
def test_what_one_device_says_is_not_taken_for_another_with_another_policy(others: list[tuple[str, int | None]]) -> None:
    config = "{policy=iops,iops=1000,bytes=10485760,useANO=0}"
    rows, errors = read(device_policies, *(device(config, psp, Device=f"naa.{number}") for number, (psp, _) in enumerate(others)))
    assert [(row["psp"], row["rr_iops"]) for row in rows] == others
    assert not errors
