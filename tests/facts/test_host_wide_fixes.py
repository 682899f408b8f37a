"""A host-wide fix says what it reaches besides the arrays that it is meant for; the plan shows it before the write."""

from typing import Any

import pytest

from auditor.engine.rules.rule import Rule
from auditor.model import EndpointKind, FixClass
from auditor.report.html.rule_pages import page
from tests.engine.test_shipped_rules import judge_rows, shipped
from tests.long.facts.test_baseline_views import held, option, rows, with_rows

from .fleets import Facts, array, hosts, on_all_hosts, seen, serves, view

MEANT_FOR_ALL = {
    "baseline/module-parameter": "the option string is put back for whatever is behind the driver",
    "baseline/option-reboot": "options of the host's own stack, which the baseline holds for the whole host",
    "declared/claim-rule": "the rule is declared for a vendor and perhaps a model, and for all that has these",
    "declared/module-parameter": "the parameter is declared for whatever is behind the driver",
    "declared/option-reboot": "options of the host's own stack, which are declared for the whole host",
    "multipath/satp-rule": "the rule names a vendor and a model: it claims no other array's devices",
    "queue/qfull-throttle": "the LUNs of ONTAP alone are written to, each by its name",
    "iscsi/max-io-size": "the fleet agreed on one size for every iSCSI array",
    "queue/nfs-max-queue-depth": "proposed only where every share that the host mounts by NFS 3 is an ONTAP's",
    "queue/pending-reboot": "the host is rebooted; nothing is written",
    "vaai/enabled": "proposed only where a source says of every array on the host that it bears offload",
    "vaai/stale-workaround": "likewise",
    "vaai/xcopy-size": "proposed only where the size that goes is one that no vendor of the host's arrays names",
}
"""Host-wide fixes that reach nothing besides what they are meant for, and why."""

INIT, LOCKING = "DataMover.HardwareAcceleratedInit", "VMFS3.HardwareAcceleratedLocking"


def host_wide() -> dict[str, Rule]:
    """Rules whose fix sets something of a host as a whole, and not of a device or target."""
    single = {"device", "iqn", "address"}
    return {rule.id: rule for rule in shipped() if rule.fix and "host_id" in rule.fix.target and not single & rule.fix.target.keys()}


def test_no_host_wide_fix_leaves_open_what_else_it_reaches() -> None:
    assert host_wide(), "no rule has a host-wide fix any more"
    assert [name for name, rule in host_wide().items() if rule.fix is None or rule.fix.touches is None] == []


def test_a_host_wide_fix_that_reaches_nothing_else_has_a_reason() -> None:
    nothing = {name for name, rule in host_wide().items() if rule.fix and rule.fix.touches and rule.fix.touches.text.strip() == "''"}
    assert nothing == set(MEANT_FOR_ALL)


def touched(rule: str, **row: Any) -> str | None:
    [judged] = judge_rows(shipped()[rule], [row])
    assert judged["verdict"] == "fail", "only a failure has a fix"
    return str(judged["touches"])


@pytest.mark.parametrize(
    ("option", "families", "reaches"),
    [
        pytest.param("Disk.SchedQuantum", "flasharray, kaminario", "flasharray, kaminario", id="Silk asks for the longer one"),
        pytest.param("Disk.SchedQuantum", "flasharray", "", id="nobody does"),
        pytest.param("Disk.SchedQControlSeqReqs", "flasharray, kaminario", "", id="of other options nobody asks for anything"),
    ],
)
def test_a_scheduler_default_names_arrays_where_a_vendor_asks_for_another(option: str, families: str, reaches: str) -> None:
    about = {"purpose": "scheduler", "option": option, "value": 100, "stock_value": 8, "families": families}
    assert touched("queue/scheduler-defaults", **about) == reaches


@pytest.mark.parametrize(
    ("families", "in_vsan", "is_proposed"),
    [
        pytest.param("flasharray, ontap", False, True, id="both vendors ask for 1"),
        pytest.param("flasharray", None, True, id="its vendor does, whatever else the host is"),
        pytest.param("dell-sc, flasharray", False, False, id="of one no source does"),
        pytest.param("", False, False, id="no array at all"),
        pytest.param("", True, True, id="vSAN alone, which requires it"),
        pytest.param("ontap", True, True, id="both ask for it"),
        pytest.param("svc", True, False, id="vSAN, and an array whose firmware decides"),
        pytest.param("other", True, False, id="vSAN, and an array that nobody here knows"),
    ],
)
def test_the_ats_heartbeat_is_switched_on_only_where_a_source_asks_for_it(families: str, in_vsan: bool | None, is_proposed: bool) -> None:
    # docs/domain/facts.md#3-6: KB 326437 (never off with vSAN), Pure's checker, NetApp; Huawei's checker wants 0
    rule = shipped()["vaai/ats-heartbeat"]
    about = {"host_id": "host-1", "option": "VMFS3.UseATSForHBOnVMFS5", "value": 0, "hosts_left_off": 0, "hosts_not_on": 0}
    [judged] = judge_rows(rule, [{**about, "families": families, "vsan_enabled": in_vsan}])
    assert (judged["verdict"], judged["obstacle"]) == ("fail", None if is_proposed else "when")


@pytest.mark.parametrize(
    ("option", "is_proposed"),
    [
        pytest.param("NFS.MaxVolumes", True, id="volumes, at once"),
        pytest.param("SunRPC.MaxConnPerIP", True, id="connections, at once"),
        pytest.param("NFS.HeartbeatFrequency", False, id="how often"),
        pytest.param("NFS.HeartbeatTimeout", False, id="how long"),
        pytest.param("NFS.HeartbeatMaxFailures", False, id="how many"),
    ],
)
def test_a_heartbeat_of_nfs_is_left_to_a_person_who_reboots(option: str, is_proposed: bool) -> None:
    # docs/domain/facts.md#5-12: VMware asks for a reboot after a change of the heartbeats, and the fix is an online one
    rule = shipped()["ontap/nfs-host-settings"]
    row = {"host_id": "host-1", "option": option, "mounts_ontap": True, "major_version": 8, "value": 7, "other_datastores": ""}
    [judged] = judge_rows(rule, [row])
    assert (judged["verdict"], judged["obstacle"]) == ("fail", None if is_proposed else "when")


@pytest.mark.parametrize(
    ("left_off", "not_on", "reaches"),
    [
        pytest.param(0, 2, "", id="all of them go on in the same plan"),
        pytest.param(1, 2, "hosts of the cluster that may stay off: 2", id="one sees an array whose vendor has to be asked"),
        pytest.param(1, 0, "", id="the others are on"),
    ],
)
def test_the_ats_heartbeat_names_hosts_of_the_cluster_that_stay_behind(left_off: int, not_on: int, reaches: str) -> None:
    about = {"option": "VMFS3.UseATSForHBOnVMFS5", "value": 0, "hosts_left_off": left_off, "hosts_not_on": not_on}
    assert touched("vaai/ats-heartbeat", families="flasharray", **about) == reaches


@pytest.mark.parametrize(
    ("sourced", "unsourced", "reaches"),
    [
        pytest.param(True, "", "", id="every array bears offload"),
        pytest.param(False, "eternus-dx", "eternus-dx", id="of one no source says so"),
        pytest.param(None, "", "not known", id="the devices were not read"),
    ],
)
def test_hardware_locking_names_arrays_that_may_not_bear_it(sourced: bool | None, unsourced: str, reaches: str) -> None:
    about = {"option": LOCKING, "value": 0, "loses_locking": True, "offload_is_sourced": sourced, "unsourced_arrays": unsourced}
    assert touched("vaai/locking-guard", hosts_left_off=0, hosts_not_on=0, **about) == reaches


@pytest.mark.parametrize(
    ("sourced", "left_off", "not_on", "reaches"),
    [
        pytest.param(True, 0, 2, "", id="all of them go on in the same plan"),
        pytest.param(True, 1, 2, "hosts of the cluster that may stay off: 2", id="one waits for a vendor, and the other for that one"),
        pytest.param(False, 0, 1, "eternus-dx, hosts of the cluster that may stay off: 1", id="the others wait for this one's vendor"),
        pytest.param(False, 0, 0, "eternus-dx", id="all others are on"),
    ],
)
def test_hardware_locking_names_hosts_of_the_cluster_that_stay_behind(sourced: bool, left_off: int, not_on: int, reaches: str) -> None:
    about = {"option": LOCKING, "value": 0, "loses_locking": True, "offload_is_sourced": sourced}
    about |= {"unsourced_arrays": "" if sourced else "eternus-dx", "hosts_left_off": left_off, "hosts_not_on": not_on}
    assert touched("vaai/locking-guard", **about) == reaches


@pytest.mark.long
def test_the_queue_to_nfs_datastores_names_those_of_other_filers() -> None:
    given = hosts(1)
    names = {"ours": "192.0.2.10", "theirs": "192.0.2.77"}
    given["datastore"] = [
        {"datastore_id": name, "name": name, "type": "NFS", "nfs_host": server, "nfs_path": "/v"} for name, server in names.items()
    ]
    given["datastore_mount"] = [{"datastore_id": name, "host_id": "host-1"} for name in names]
    array(given, "n", EndpointKind.ONTAP, {"name": "v", "kind": "share", "export_path": "/v"})
    serves(given, "n", "192.0.2.10")
    [row] = [row for row in view("queue_option", given) if row["option"] == "NFS.MaxQueueDepth"]
    assert (row["ontap_datastores"], row["other_datastores"]) == ("ours", "theirs")
    about = {key: row[key] for key in ("option", "mounts_ontap_nfs", "other_datastores")}
    rule = shipped()["queue/nfs-max-queue-depth"]
    for value, verdict in ((4294967295, "fail"), (64, "pass")):  # 64 is what providers ask for: docs/domain/facts.md#5-8
        [judged] = judge_rows(rule, [{"value": value, "version": "8.0.3", "host_id": "host-1", **about}])
        assert (judged["verdict"], judged["obstacle"]) == (verdict, "when" if verdict == "fail" else None)
    for reading in given["reading"]:
        reading["complete"] = reading["complete"] and reading["topic"] != "datastores"
    assert {row["other_datastores"] for row in view("queue_option", given)} == {None}


def endpoint(device: str, family: str) -> dict[str, Any]:
    return seen(device, family, is_protocol_endpoint=True)


@pytest.mark.long
def test_the_queue_of_endpoints_to_come_names_families_that_keep_theirs() -> None:
    given = hosts(1)
    on_all_hosts(
        given, endpoint("naa.6f47acc2000000017366707200000000", "solidfire"), endpoint("naa.600a09803030303030303030303030aa", "ontap")
    )
    [row] = view("host", given)
    assert row["endpoint_families_beside_deepened"] == "ontap, solidfire", "nobody read the Element cluster's limits: it may be another"
    given["device"] = []
    assert [row["endpoint_families_beside_deepened"] for row in view("host", given)] == [""]
    about = {"has_stalling_endpoints": True, "has_deepened_endpoints": True, "vvol_pe_dsnro_default": 128, "stock_pe_dsnro": 256}
    assert touched("vvol/pe-default-option", endpoint_families_beside_deepened="ontap", **about) == "ontap"


def drifted(key: str, then: str, now: str, *families: str) -> str | None:
    """What the view says of this option of a host whose arrays are of these families."""

    def facts(value: str) -> Facts:
        given = with_rows(hosts(1), "host_option", option(key, value))
        on_all_hosts(given, *(seen(f"naa.{number}", family) for number, family in enumerate(families)))
        return given

    [row] = rows("baseline_option", held(facts(then), facts(now)))
    assert (row["option"], row["value"], row["wanted"]) == (key, now, then)
    return None if row["unsourced_arrays"] is None else str(row["unsourced_arrays"])


@pytest.mark.parametrize(
    ("key", "then", "families", "reaches"),
    [
        pytest.param(INIT, "1", ("flasharray",), "", id="offload goes on again, and every array bears it"),
        pytest.param(INIT, "1", ("flasharray", "eseries"), "eseries", id="of one no source says so"),
        pytest.param(LOCKING, "1", ("eternus-dx",), "eternus-dx", id="an ETERNUS, of whatever generation"),
        pytest.param(INIT, "0", ("eseries",), "", id="offload goes off again"),
        pytest.param("Disk.QFullSampleSize", "1", ("eseries",), "", id="not an offload"),
    ],
)
def test_a_baseline_that_switches_offload_on_names_arrays_that_may_not_bear_it(
    key: str, then: str, families: tuple[str, ...], reaches: str
) -> None:
    assert drifted(key, then, "7", *families) == reaches
    about = {"is_known": True, "is_own": True, "is_listed": True, "needs_reboot": False, "acts_at_once": True, "option": key}
    assert touched("baseline/option", value="7", wanted=then, wanted_number=int(then), unsourced_arrays=reaches, **about) == reaches


def test_a_rule_s_page_says_what_its_fix_reaches() -> None:
    """Where that is anything, a change at once is `online-caution`."""
    pages = {name: page(rule) for name, rule in host_wide().items()}
    named = {name for name, text in pages.items() if "the plan names what it reaches besides what it is meant for" in text}
    assert named == pages.keys() - MEANT_FOR_ALL.keys()
    careful = {name for name, text in pages.items() if "Where that is anything, the class is online-caution" in text}
    assert careful == {name for name in named if (fix := host_wide()[name].fix) and fix.fix_class is FixClass.ONLINE}
