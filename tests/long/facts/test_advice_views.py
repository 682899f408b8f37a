"""What a family's vendor asks for stands in one registry: what no source says is not judged, and never written for."""

from typing import Any

import pytest

from auditor.engine.fixes.planning import plan
from auditor.facts.families import BY_NAME
from auditor.facts.family_advice import ADVICE, TOPICS
from tests.engine.test_shipped_rules import judge_rows, shipped
from tests.facts.fleets import Facts, hosts, on_all_hosts, seen, view
from tests.facts.judged import evaluated

MOVE = "DataMover.HardwareAcceleratedMove"
PURE = seen("naa.624a93705a1f77c29b3e4d1000011011", "flasharray")
NETAPP = seen("naa.600a098038303053453f463045727a41", "ontap")
STRANGER = {"device": "naa.60000000000000000000000000000001", "vendor": "WHO", "model": "KNOWS", "device_type": "disk", "is_local": False}
GATEWAY = {**STRANGER, "device": "naa.624a93705a1f77c29b3e4d1000011012"}
"""An appliance in front of a FlashArray, which hands on the name of what is behind it."""
NIMBLE = {**STRANGER, "device": "eui.c7eef900c7cc0ad06c9ce9003a6eb93c", "vendor": "Nimble", "model": "Server"}
NVME = {**STRANGER, "device": "eui.00d3908b5e17fc4a24a9371000011010", "vendor": "NVMe", "model": "Pure Storage Fla"}
DISK = {**STRANGER, "device": "naa.5000c500a1b2c3d4", "vendor": "SEAGATE", "model": "ST300MM0048", "is_local": True}
LOCAL_NVME = {**STRANGER, "device": "t10.NVMe____Lexar_SSD_NM790_2TB", "vendor": "NVMe", "model": "Lexar SSD NM790", "is_local": True}
UNREAD = {"device": "naa.60000000000000000000000000000002", "device_type": "disk", "is_local": False}
HALF_READ = {**PURE, "device": "naa.624a93705a1f77c29b3e4d1000011013", "is_local": None, "vendor": None, "model": None}
DX = "naa.600000e00d1000000010660000010000"


def verdicts(given: Facts, *rules: str) -> dict[str, str]:
    """Name of the resource -> verdict."""
    return {finding.resource.name: str(finding.verdict) for finding in evaluated(given, *rules).findings()}


def offload_off(*devices: dict[str, Any], declared: dict[str, str] | None = None) -> Facts:
    """One host that sees these devices and does not offload copies."""
    given = hosts(1)
    on_all_hosts(given, *devices)
    given["host_option"] = [{"host_id": "host-1", "key": key, "value": "1"} for key in ("DataMover.HardwareAcceleratedInit",)]
    given["host_option"] += [{"host_id": "host-1", "key": MOVE, "value": "0"}]
    given["host_option"] += [{"host_id": "host-1", "key": "VMFS3.HardwareAcceleratedLocking", "value": "1"}]
    given["declared"] = [{"devices": DX, **declared}] if declared else []
    return given


@pytest.mark.parametrize(
    ("devices", "is_proposed", "unsourced"),
    [
        pytest.param([PURE], True, "", id="an array that is known to bear it"),
        pytest.param([PURE, NETAPP, DISK, LOCAL_NVME], True, "", id="two of them, and disks within the host"),
        pytest.param([PURE, STRANGER], False, "other", id="a stranger beside a known one"),
        pytest.param([PURE, GATEWAY], False, "other", id="an odd inquiry, and the name of a known one"),
        pytest.param(
            [PURE, {**GATEWAY, "vendor": "NETAPP", "model": "LUN"}],
            False,
            "ontap by its inquiry, and another by its name",
            id="an inquiry and a name of two known ones",
        ),
        pytest.param([PURE, NVME], False, "flasharray by NVMe", id="a namespace, on which sources about SCSI say nothing"),
        pytest.param([PURE, UNREAD], False, "inquiry not read", id="an inquiry that was not read"),
        pytest.param([PURE, HALF_READ], False, "inquiry not read", id="a device that may be local or not"),
        pytest.param([DISK], False, "", id="no array at all"),
        pytest.param([], False, "", id="no device"),
        pytest.param([seen("naa.690b11c0003420d1", "eseries")], False, "eseries", id="a family without a source"),
        pytest.param([PURE, NIMBLE], False, "nimble", id="a family whose firmware decides, by a source that nobody verified"),
    ],
)
def test_offload_is_proposed_on_only_where_every_array_of_the_host_is_known_to_bear_it(
    devices: list[dict[str, Any]], is_proposed: bool, unsourced: str
) -> None:
    given = offload_off(*devices)
    [row] = [row for row in view("vaai_option", given) if row["option"] == MOVE]
    assert (row["offload_is_sourced"], row["unsourced_arrays"]) == (is_proposed, unsourced)
    planned = plan(evaluated(given, "vaai/enabled", "vaai/stale-workaround", "vaai/uniform"))
    assert bool(planned.changes) is is_proposed


@pytest.mark.parametrize(
    ("other", "value", "left_off"),
    [
        pytest.param(PURE, "0", 0, id="its arrays are known as well"),
        pytest.param(STRANGER, "1", 0, id="it is on"),
        pytest.param(STRANGER, "0", 1, id="it is off, and stays so"),
        pytest.param(STRANGER, None, 1, id="it may be off"),
    ],
)
def test_offload_is_not_proposed_on_for_a_host_that_would_be_on_alone_in_its_cluster(
    other: dict[str, Any], value: str | None, left_off: int
) -> None:
    given = hosts(2)
    given["device"] = [{"host_id": "host-1", **PURE}, {"host_id": "host-2", **other}]
    given["host_option"] = [{"host_id": host, "key": MOVE, "value": read} for host, read in (("host-1", "0"), ("host-2", value))]
    [row] = [row for row in view("vaai_option", given) if row["option"] == MOVE and row["host_id"] == "host-1"]
    assert (row["offload_is_sourced"], row["hosts_left_off"]) == (True, left_off)
    planned = plan(evaluated(given, "vaai/enabled"))
    assert [change.target.keys for change in planned.changes if dict(change.target.keys)["host_id"] == "host-1"] == (
        [] if left_off else [(("host_id", "host-1"), ("option", MOVE))]
    )


@pytest.mark.parametrize(("beside", "is_proposed"), [pytest.param("1", True, id="it is on"), pytest.param("0", False, id="it stays off")])
def test_a_workaround_is_not_taken_back_on_a_host_that_would_be_on_alone_in_its_cluster(beside: str, is_proposed: bool) -> None:
    given = hosts(2)
    given["device"] = [{"host_id": "host-1", **seen(DX, "eternus-dx")}, {"host_id": "host-2", **STRANGER}]
    given["declared"] = [{"devices": DX, "model": "DX90", "generation": "S1", "firmware": "V10L68"}]
    given["host_option"] = [{"host_id": host, "key": MOVE, "value": read} for host, read in (("host-1", "0"), ("host-2", beside))]
    assert bool(plan(evaluated(given, "vaai/stale-workaround")).changes) is is_proposed


def test_where_the_devices_were_read_in_part_offload_is_not_proposed_on() -> None:
    given = offload_off(PURE)
    for row in given["reading"]:
        row["complete"] = row["complete"] and row["topic"] != "devices"
    assert plan(evaluated(given, "vaai/enabled", "vaai/stale-workaround")).changes == ()


@pytest.mark.parametrize(
    ("declared", "beside", "verdict", "is_proposed"),
    [
        pytest.param({"model": "DX90", "generation": "S1", "firmware": "V10L68"}, [], "fail", True, id="S1 with the mended firmware"),
        pytest.param({"model": "DX90", "generation": "S1", "firmware": "V10L68"}, [STRANGER], "fail", False, id="and a stranger"),
        pytest.param({"model": "DX90", "generation": "S2", "firmware": "V10L68"}, [], "unknown", False, id="DX90 S2, which is a doubt"),
        pytest.param({"model": "DX200", "generation": "S3", "firmware": "V10L87"}, [], "fail", False, id="a later one without a source"),
        pytest.param({"model": "DX90", "generation": "S1", "firmware": "V10L66"}, [], "not_applicable", False, id="still affected"),
        pytest.param(None, [], "unknown", False, id="nobody declared it"),
    ],
)
def test_offload_comes_back_only_for_an_eternus_that_a_source_clears(
    declared: dict[str, str] | None, beside: list[dict[str, Any]], verdict: str, is_proposed: bool
) -> None:
    given = offload_off(seen(DX, "eternus-dx"), *beside, declared=declared)
    assert verdicts(given, "vaai/stale-workaround")[MOVE] == verdict
    assert bool(plan(evaluated(given, "vaai/enabled", "vaai/stale-workaround")).changes) is is_proposed


def test_a_dx90_s2_is_reported_as_a_doubt() -> None:
    given = offload_off(seen(DX, "eternus-dx"), declared={"model": "DX90", "generation": "S2", "firmware": "V10L68"})
    for rule in ("vaai/stale-workaround", "vaai/eternus-dx-s1-firmware"):
        found = [finding for finding in evaluated(given, rule).findings() if finding.resource.name == MOVE]
        assert [(str(finding.verdict), finding.evidence["eternus_doubts"]) for finding in found] == [("unknown", "DX90 S2 V10L68")]


def on_vmfs(version: str | None, *devices: dict[str, Any], value: str = "0") -> Facts:
    """One host with a datastore of this version over these devices."""
    given = hosts(1)
    on_all_hosts(given, *devices)
    given["host_option"] = [{"host_id": "host-1", "key": "VMFS3.EnableBlockDelete", "value": value}]
    given["datastore"] = [{"datastore_id": "ds", "name": "ds", "type": "VMFS", "vmfs_version": version}]
    given["datastore_extent"] = [{"datastore_id": "ds", "device": one["device"], "partition": 1} for one in devices]
    given["datastore_mount"] = [{"datastore_id": "ds", "host_id": "host-1", "mounted": True}]
    return given


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        pytest.param(on_vmfs("5.81", NETAPP), "pass", id="NetApp, off"),
        pytest.param(on_vmfs("5.81", NETAPP, value="1"), "fail", id="NetApp, on"),
        pytest.param(on_vmfs("5.81", seen("naa.6000d31000fcbe00", "dell-sc"), value="1"), "pass", id="Dell, on"),
        pytest.param(on_vmfs("5.81", seen("naa.6000d31000fcbe00", "dell-sc")), "fail", id="Dell, off"),
        pytest.param(on_vmfs("6.82", NETAPP, value="1"), "not_applicable", id="VMFS 6"),
        pytest.param(on_vmfs("5.81", STRANGER, value="1"), "not_applicable", id="a vendor without a source"),
        pytest.param(on_vmfs("5.81", NETAPP, PURE, value="1"), "not_applicable", id="two vendors who ask for different values"),
        pytest.param(on_vmfs("5.81", UNREAD, value="1"), "unknown", id="an inquiry that was not read"),
        pytest.param(on_vmfs(None, NETAPP, value="1"), "unknown", id="a version that was not read"),
    ],
)
def test_unmap_through_vmfs_5_is_judged_by_the_vendor_of_the_datastore(given: Facts, verdict: str) -> None:
    # docs/domain/facts.md#3-9: Dell asks for 1, NetApp for 0; neither is a fault, so nothing is planned
    evaluation = evaluated(given, "vaai/block-delete")
    assert [str(finding.verdict) for finding in evaluation.findings()] == [verdict]
    assert plan(evaluation).changes == ()


@pytest.mark.parametrize("size", ["4096", "16384"])
def test_on_a_flasharray_both_sizes_of_copies_pass(size: str) -> None:
    given = hosts(1)
    on_all_hosts(given, PURE)
    given["host_option"] = [{"host_id": "host-1", "key": "DataMover.MaxHWTransferSize", "value": size}]
    assert set(verdicts(given, "vaai/xcopy-size").values()) == {"pass"}


@pytest.mark.parametrize(
    ("vendor", "model"),
    [
        pytest.param("3PARdata", "VV", id="3PAR"),
        pytest.param("EMC", "SYMMETRIX", id="PowerMax"),
        pytest.param("HITACHI", "OPEN-V", id="Hitachi"),
        pytest.param("IBM", "2145", id="SVC"),
        pytest.param("DellEMC", "PowerStore", id="PowerStore"),
    ],
)
def test_copies_of_16_mib_are_left_alone_where_no_source_calls_them_wrong(vendor: str, model: str) -> None:
    # docs/domain/facts.md#3-7: public checkers and vendors' guides ask for 16 MiB on several of them.
    given = hosts(1)
    on_all_hosts(given, {**STRANGER, "vendor": vendor, "model": model, "size_bytes": 2**40})
    given["host_option"] = [{"host_id": "host-1", "key": "DataMover.MaxHWTransferSize", "value": "16384"}]
    assert {row["families"] for row in view("host", given)} <= {"3par", "symmetrix", "hitachi", "svc", "powerstore"}
    evaluation = evaluated(given, "vaai/xcopy-size")
    assert [str(finding.verdict) for finding in evaluation.findings()] == ["not_applicable"]
    assert plan(evaluation).changes == ()


def behind(driver: str, *devices: dict[str, Any], options: str = "", dsnro: int = 32, depth: int = 64) -> Facts:
    """One host with an adapter of this driver, which carries these devices."""
    given = hosts(1)
    on_all_hosts(given, *({**device, "queue_depth": depth, "is_protocol_endpoint": False} for device in devices))
    given["hba"] = [{"host_id": "host-1", "hba": "vmhba1", "kind": "fc", "driver": driver}]
    given["path"] = [
        {"host_id": "host-1", "device": device["device"], "hba": "vmhba1", "transport": "fc", "target": "5", "state": "active"}
        for device in devices
    ]
    given["host_module"] = [{"host_id": "host-1", "module": driver, "loaded": True, "option_string": options}]
    given["device_scheduling"] = [
        {"host_id": "host-1", "device": device["device"], "dsnro": dsnro, "queue_full_sample_size": 0, "queue_full_threshold": 8}
        for device in devices
    ]
    return given


MODULE = ("queue/driver-depth", "queue/pending-reboot")


@pytest.mark.parametrize(
    ("rule", "row", "is_proposed"),
    [
        pytest.param("queue/driver-depth", {"depth_parameter_listed": True}, True, id="the driver lists the parameter"),
        pytest.param("queue/driver-depth", {"depth_parameter_listed": False}, False, id="an early nfnic, which has none"),
        pytest.param("queue/driver-depth", {}, False, id="what the driver lists was not read"),
        pytest.param("queue/scheduler-defaults", {"version": "9.0.1"}, True, id="the last release whose defaults are recorded"),
        pytest.param("queue/scheduler-defaults", {"version": "9.1.0"}, False, id="one that is not recorded"),
        pytest.param("queue/scheduler-defaults", {}, False, id="a release that was not read"),
        pytest.param("multipath/satp-rule", {"family": "3par", "version": "6.7.0"}, True, id="a source of the time of ESXi 6"),
        pytest.param("multipath/satp-rule", {"family": "3par", "version": "8.0.2"}, False, id="a release that the source does not know"),
        pytest.param("multipath/satp-rule", {"family": "flasharray", "version": "8.0.2"}, True, id="Pure's checker knows ESXi 8"),
        pytest.param("multipath/satp-rule", {"family": "flasharray", "version": "9.0.0"}, False, id="and not 9"),
    ],
)
def test_a_fix_is_proposed_only_on_releases_for_which_its_source_holds(rule: str, row: dict[str, Any], is_proposed: bool) -> None:
    # docs/domain/advanced-options.md, docs/domain/facts.md#2 (nfnic) and #5
    about: dict[str, dict[str, Any]] = {
        "queue/driver-depth": {
            "module": "nfnic",
            "depth_parameter": "lun_queue_depth_per_path",
            "has_depth_parameter": True,
            "devices": 4,
            "luns": 4,
            "families": "flasharray",
            "depth_advice": "default",
            "stock_depth": 32,
            "depth_is_configured": True,
            "depth_is_plain": True,
            "configured_depth": 96,
            "vvol_endpoints": 0,
            "serves_capped_protocol_endpoints": False,
            "deepest_disk_queue_at_least": 0,
            "deepest_disk_queue_at_most": 0,
        },
        "queue/scheduler-defaults": {
            "option": "Disk.SchedQuantum",
            "purpose": "scheduler",
            "value": 64,
            "stock_value": 8,
            "families": "ontap",
        },
        "multipath/satp-rule": {
            "rule_group": "user",
            "satp": "VMW_SATP_ALUA",
            "default_psp": "VMW_PSP_RR",
            "psp_options": "iops=1000",
            "clear_options": "iops=1000",
            "vendor": "V",
            "model": "M",
            "options": "",
            "claim_options": "",
            "description": "",
            "names_inquiry_alone": True,
            "takes_family_alone": True,
            "rule_policy": "VMW_PSP_RR iops=1000",
        },
    }
    judged_by = shipped()[rule]
    [judged] = judge_rows(judged_by, [{"host_id": "host-1", **about[rule], **row}])
    assert (judged["verdict"], judged["obstacle"]) == ("fail", None if is_proposed else "when")


HUAWEI, BROADCOM = "Huawei, LPe12002", "Broadcom KB 426284"


@pytest.mark.parametrize(
    ("module", "version", "verdict", "document"),
    [
        pytest.param("lpfc", "10.0.10.1-1vmw.550.0.0.1331820", "fail", HUAWEI, id="as ESXi 5.5 brings it"),
        pytest.param("lpfc", "10.2.454.9-1OEM.550.0.0.1331820", "fail", HUAWEI, id="the last before the repair"),
        pytest.param("lpfc", "10.2.455.0-1OEM.550.0.0.1331820", "pass", None, id="repaired"),
        pytest.param("lpfc", "900.14.4.390.20-36vmw.901.0.24957456", "fail", BROADCOM, id="as ESXi 9.0.1 brings it"),
        pytest.param("lpfc", "14.4.390.20-36vmw.901.0.24957456", "fail", BROADCOM, id="the same without the prefix of ESXi 9"),
        pytest.param("lpfc", "14.4.390.21-1OEM.900.0.0.1", "pass", None, id="a later one"),
        pytest.param("lpfc", "14.2.641.5-32vmw.802.0.0.22380479", "pass", None, id="another"),
        pytest.param("lpfc", "10.2.309.8-2vmw.600.0.0.2494585", "pass", None, id="as ESXi 6.0 brings it, which the document leaves out"),
        pytest.param("lpfc", "14.4.390.20-1OEM.800.1.0.20613240", "pass", None, id="one for ESXi 8, which the document leaves out"),
        pytest.param("lpfc", "10.2.309.8", "unknown", None, id="for which release it is made was not read"),
        pytest.param("lpfc", "14.2.641.5", "pass", None, id="another, for whichever release"),
        pytest.param("lpfc", None, "unknown", None, id="its version was not read"),
        pytest.param("lpfc", "of our own", "unknown", None, id="no version"),
        pytest.param("qlnativefc", None, "not_applicable", None, id="a driver on no sheet"),
    ],
)
def test_a_driver_fails_on_a_version_that_a_vendor_s_document_names(
    module: str, version: str | None, verdict: str, document: str | None
) -> None:
    given = hosts(1)
    given["host_module"] = [{"host_id": "host-1", "module": module, "loaded": True, "option_string": "", "version": version}]
    [finding] = evaluated(given, "queue/known-bad-driver").findings()
    assert str(finding.verdict) == verdict
    assert document is None or document in finding.message


QUEUES = ("queue/driver-depth", "queue/default-unless-justified")
NO_SOURCE = {
    "powerstore": ("DellEMC", "PowerStore"),
    "symmetrix": ("EMC", "SYMMETRIX"),
    "clariion": ("DGC", "VRAID"),
    "alletra": ("NVMe", "HPE Alletra"),
    "svc": ("IBM", "2145"),
    "xiv": ("IBM", "2810XIV"),
    "infinibox": ("NFINIDAT", "InfiniBox"),
    "hitachi": ("HITACHI", "OPEN-V"),
}
"""The families of docs/domain/facts.md#5 without a verified source for queue depths, by their inquiries."""


@pytest.mark.parametrize("family", NO_SOURCE)
def test_of_queues_that_no_source_speaks_of_there_is_no_verdict_and_no_fix(family: str) -> None:
    vendor, model = NO_SOURCE[family]
    given = behind(
        "qlnativefc", {**STRANGER, "vendor": vendor, "model": model, "size_bytes": 2**40}, options="ql2xmaxqdepth=128", dsnro=64, depth=128
    )
    evaluation = evaluated(given, *QUEUES)
    assert {str(finding.verdict) for finding in evaluation.findings()} == {"not_applicable"}
    assert plan(evaluation).changes == ()


def test_of_queues_that_a_source_speaks_of_there_is_a_verdict() -> None:
    given = behind("qlnativefc", PURE, options="ql2xmaxqdepth=128", dsnro=64, depth=128)
    assert {str(finding.verdict) for finding in evaluated(given, *QUEUES).findings()} == {"fail"}
    # One driver, one depth: beside an array for which nobody says what it takes, there is none for the driver.
    beside = {**STRANGER, "vendor": "DellEMC", "model": "PowerStore"}
    given = behind("qlnativefc", PURE, beside, options="ql2xmaxqdepth=128", dsnro=64, depth=128)
    assert verdicts(given, "queue/driver-depth") == {"qlnativefc": "not_applicable"}


@pytest.mark.parametrize("driver", ["qedf", "brcmfcoe", "qla4xxx", "elxiscsi", "qlnativefc-dell", "lpfc_820"])
def test_a_driver_that_nobody_knows_is_unknown_and_listed(driver: str) -> None:
    found = {finding.rule: finding for finding in evaluated(behind(driver, PURE, options="some_depth=255"), *MODULE).findings()}
    assert {rule: (str(one.verdict), one.resource.name) for rule, one in found.items()} == dict.fromkeys(MODULE, ("unknown", driver))
    assert "has_depth_parameter" in found["queue/driver-depth"].missing


def test_where_nothing_is_set_nothing_of_a_driver_that_nobody_knows_waits_for_a_reboot() -> None:
    assert verdicts(behind("qedf", PURE, options=""), "queue/pending-reboot") == {"qedf": "not_applicable"}


@pytest.mark.parametrize(
    ("driver", "devices", "verdict"),
    [
        pytest.param("qlnativefc", [PURE], "pass", id="a known driver"),
        pytest.param("nvmetcp", [PURE], "not_applicable", id="NVMe, which has no such parameter"),
        pytest.param("qedf", [DISK], "not_applicable", id="nobody's driver, for disks within the host"),
        pytest.param("qedf", [STRANGER], "not_applicable", id="nobody's driver, for an array for which no source says anything"),
    ],
)
def test_a_driver_is_unknown_only_where_its_depth_would_be_judged(driver: str, devices: list[dict[str, Any]], verdict: str) -> None:
    assert verdicts(behind(driver, *devices), "queue/driver-depth") == {driver: verdict}


def test_every_advice_is_of_a_known_family_and_says_where_it_stands() -> None:
    assert set(ADVICE) <= set(BY_NAME)
    given = [getattr(advice, topic) for advice in ADVICE.values() for topic in TOPICS]
    assert all(source.startswith("docs/domain/") for value, source in filter(None, given))
