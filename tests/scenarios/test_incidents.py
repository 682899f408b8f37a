"""Each incident's sick part fails with the numbers of its report; its healthy twin does not."""

from typing import Any

import pytest

from auditor_lab.scenario import load_scenario
from tests.audits import Audit


@pytest.fixture(scope="module")
def audit(audit: Audit) -> Audit:
    """The audit of every scenario, without what the sixth brought into the fleet."""
    odd = load_scenario("odd-neighbours")
    names = {one.name for one in (*odd.vcenters, *odd.arrays)}
    findings = [f for f in audit.report["findings"] if f["resource"]["endpoint"] not in names]
    return Audit(audit.code, audit.report | {"findings": findings}, audit.err)


def by_host(findings: list[dict[str, Any]]) -> set[str]:
    return {f["resource"]["host"].split(".")[0] for f in findings}


def test_s0_every_protocol_endpoint_that_one_disk_can_fill_is_named(audit: Audit) -> None:
    failing = [f for f in audit.of("vvol/pe-dsnro-headroom", "fail") if f["resource"]["endpoint"] == "vc-solidfire"]
    assert {(f["observed"], f["desired"]) for f in failing} == {(32, 256)}
    assert by_host(failing) == {f"esx-vvol-{n}" for n in range(1, 5)}
    # Four endpoints on four hosts; one host had three set by hand.
    assert len(failing) == 13
    assert by_host(audit.of("vvol/pe-dsnro-headroom", "pass")) == {"esx-vvol-2", "esx-twin-1", "esx-twin-2"}


def test_s0s_lesson_holds_on_a_flasharray_and_nothing_is_written_there(audit: Audit) -> None:
    failing = [f for f in audit.of("vvol/pe-dsnro-headroom", "fail") if f["resource"]["endpoint"] == "vc-flasharray"]
    # The depths of docs/domain/incidents.md#s2 by driver; its raised host has 96.
    assert {(f["resource"]["host"].split(".")[0], f["observed"], f["desired"]) for f in failing} == {
        ("esx-fq-ucs-1", 32, 256),
        ("esx-fq-ucs-2", 32, 256),
        ("esx-fq-ucs-3", 96, 256),
        ("esx-fq-qlogic-1", 64, 256),
        ("esx-fq-emulex-1", 32, 256),
    }
    assert {f["fix"]["outcome"] for f in failing} == {"by_hand"}


def test_s0_the_node_that_was_added_later_is_found_on_the_host_that_was_tuned(audit: Audit) -> None:
    [forgotten] = [f for f in audit.of("vvol/pe-uniform", "fail") if f["resource"]["host"].startswith("esx-vvol-2")]
    assert forgotten["resource"]["name"].startswith("naa.6f47acc200000004")


def test_s0_the_busy_bronze_volume_is_worth_thirteen_operations_a_second(audit: Audit) -> None:
    [finding] = audit.of("qos/element-effective-iops", "fail")
    assert finding["observed"] == 13.2  # 1000 at 512 KiB costs 76 pieces each: docs/domain/facts.md#6-2
    assert finding["resource"]["name"].startswith("bronze")


def test_s0_the_bronze_minimum_is_below_what_the_array_guarantees(audit: Audit) -> None:
    [finding] = audit.of("qos/element-limits", "fail")
    assert (finding["resource"]["name"], finding["fix"]["before"], finding["fix"]["after"]) == ("Bronze", 25, 50)


def test_s0_delayed_acknowledgement_is_named_for_every_target_of_the_sick_part(audit: Audit) -> None:
    failing = audit.of("iscsi/delayed-ack", "fail")
    # Four hosts with four endpoints each, two hosts with two volumes each.
    assert len(failing) == 4 * 4 + 2 * 2
    assert {f["resource"]["cluster"] for f in failing} == {"sf-vvol", "sf-vmfs"}
    assert {f["fix"]["outcome"] for f in failing} == {"by_hand"}, "its vendor takes the advice back for ESXi 6.5 and later"
    assert {f["resource"]["cluster"] for f in audit.of("iscsi/delayed-ack", "pass")} == {"sf-twin"}


def test_s1_the_throttled_datastore_with_sioc_is_named_with_both_sides(audit: Audit) -> None:
    failing = {f["resource"]["name"]: f for f in audit.of("sioc/overlap-array-qos", "fail")}
    assert set(failing) == {"sf-vmfs-01", "sc-prod-01", "sc-prod-02", "nb-copy", "pp-erp", "pp-night-1", "pp-grows"}
    finding = failing["sf-vmfs-01"]
    assert (finding["observed"], finding["desired"]) == (True, False)
    evidence = finding["evidence"]
    assert evidence["arrays"] == "sf-prod"
    assert evidence["volumes"] == "vmfs-01"
    assert evidence["qos_max_iops"] == 1500
    assert evidence["devices"].startswith("naa.6f47acc1")
    assert "esx-vmfs-1" in evidence["host_names"]


def test_s1_the_machines_that_stay_on_the_powervault_are_counted_while_another_leaves_it(audit: Audit) -> None:
    [finding] = audit.of("eseries/move-without-limit", "fail")
    assert (finding["resource"]["name"], finding["observed"], finding["desired"]) == ("fileserver-md3", 4, 0)
    evidence = finding["evidence"]
    assert (evidence["source_arrays"], evidence["source_families"], evidence["target_arrays"]) == ("md3-source", "eseries", "es-fc")
    # In the report's own scenario it is alone on the array.
    assert [f["resource"]["name"] for f in audit.of("eseries/move-without-limit", "pass")] == ["fileserver"]


def test_s1_the_volume_of_the_powervault_is_read_with_the_controller_it_stayed_with(audit: Audit) -> None:
    [finding] = audit.of("eseries/volume-owner", "fail")
    assert (finding["observed"], finding["desired"]) == ("md3-source A", "md3-source B")
    assert finding["evidence"]["datastores"] == "md3-vmfs-01"
    assert (finding["evidence"]["actual_iops"], finding["evidence"]["latency_us"]) == (200, 6000)


def test_s2_the_slip_of_the_guide_is_corrected(audit: Audit) -> None:
    failing = {(f["resource"]["host"].split(".")[0], f["observed"], f["desired"]) for f in audit.of("queue/param-name-valid", "fail")}
    assert failing == {
        ("esx-vmfs-1", "qlfxmaxqdepth", "ql2xmaxqdepth"),
        # lpfc0_... is the first port alone: the depth of the driver is still the default.
        ("esx-fq-emulex-1", "lpfc0_lun_queue_depth", "lpfc_lun_queue_depth"),
    }


def test_s0_a_depth_that_was_never_rebooted_into_effect_is_named(audit: Audit) -> None:
    [finding] = audit.of("queue/pending-reboot", "fail")
    assert (finding["observed"], finding["desired"]) == (128, 256)


def test_s4_offload_is_on_where_the_first_generation_array_cannot_bear_it(audit: Audit) -> None:
    failing = audit.of("vaai/eternus-dx-s1-firmware", "fail")
    assert {(f["observed"], f["desired"]) for f in failing} == {(1, 0)}
    assert {f["resource"]["name"] for f in failing} == {"DataMover.HardwareAcceleratedMove", "DataMover.HardwareAcceleratedInit"}
    assert {f["resource"]["cluster"] for f in failing} == {"dx90-l66"}


def test_s3_the_transfers_of_the_sick_aggregate_are_divided_by_function(audit: Audit) -> None:
    """Of 6,800 operations 3,400 are SnapMirror and about 1,000 VMware NFS; the lab has 1,000 of the rest as reads of consistency points."""
    [finding] = audit.of("ontap/background-share", "fail")
    assert finding["resource"]["name"] == "aggr_10k"
    words = dict(part.split(" ", 1) for part in finding["evidence"]["functions"].split(", "))
    # A rate is at most 5 % wrong (_TOLERANCE in auditor/endpoints/ontap/pools.py); what copies send is read once.
    assert {name: int(words[name]) for name in ("clients", "consistency")} == pytest.approx(
        {"clients": 1000, "consistency": 1000}, rel=0.06
    )
    assert words["replication"] == "at most 3402"  # 162 * 21 runs an hour
    assert words["dedup"] == "0"
    assert set(words) == {"clients", "consistency", "replication", "dedup", "scrub", "other"}


def test_s3_aggregates_with_room_are_named_beside_the_one_that_has_none(audit: Audit) -> None:
    [finding] = [f for f in audit.of("ontap/aggregate-headroom", "fail") if f["resource"]["name"] == "aggr_10k"]
    # The twin has the same disks, a fifth as busy as they can be; the flash of the copies is full: 12 volumes of 1 TiB on 9 TB.
    assert [part.partition(" ")[0] for part in finding["evidence"]["candidates"].split("; ")] == ["aggr_twin"]


def test_s4_an_undeclared_eternus_is_unknown_and_never_a_pass(audit: Audit) -> None:
    assert by_host(audit.of("vaai/eternus-dx-s1-firmware", "unknown")) == {"esx-dx-8"}
    assert "esx-dx-8" not in by_host(audit.of("vaai/enabled", "pass") + audit.of("vaai/stale-workaround", "pass"))


def test_s4_the_workaround_left_behind_is_named(audit: Audit) -> None:
    assert {f["resource"]["cluster"] for f in audit.of("vaai/stale-workaround", "fail")} == {"dx80-stale"}


def test_s4_hardware_locking_off_above_an_ats_only_volume_is_critical(audit: Audit) -> None:
    [finding] = audit.of("vaai/locking-guard", "fail")
    assert (finding["severity"], finding["observed"], finding["fix"]["after"]) == ("critical", 0, 1)


def test_s2_the_host_that_was_raised_alone_is_named_with_its_devices(audit: Audit) -> None:
    raised = "esx-fq-ucs-3.lab.example"
    differing = audit.of("queue/dsnro-uniform", "fail")
    assert {f["evidence"]["odd_dsnro_hosts"] for f in differing} == {raised}
    assert {(f["evidence"]["majority_dsnro"], f["evidence"]["wanted_dsnro"]) for f in differing} == {(32, 32)}
    # All volumes but fq-apps, whose queue Storage I/O Control manages.
    volumes = {"fq-db-1", "fq-db-2", "fq-db-3", "fq-erp", "fq-batch/archive", "fq-metro::shared"}
    assert {f["evidence"]["volume"] for f in differing} == volumes
    [capped] = [f["evidence"] for f in differing if f["evidence"]["volume"] == "fq-batch/archive"]
    assert (capped["array_name"], capped["device"][:12]) == ("fa-queues", "naa.624a9370")
    assert "10000 IOPS" in capped["qos"]
    [deeper] = audit.of("queue/device-depth-uniform", "fail")  # one option of one host
    assert (deeper["resource"]["host"], deeper["observed"], deeper["desired"]) == (raised, "96", "32")
    assert deeper["evidence"]["odd_devices"] == len(volumes) + 2  # fq-apps and the protocol endpoint as well
    assert deeper["evidence"]["odd_device_names"].endswith(" and 3 more")


def test_s2_on_a_flasharray_the_default_is_offered_and_no_deeper_queue(audit: Audit) -> None:
    offered = audit.of("queue/default-unless-justified", "fail")
    assert by_host(offered) == {"esx-fq-ucs-3"}
    assert {(f["fix"]["before"], f["fix"]["after"]) for f in offered} == {(256, 32)}
    # On the device of fq-db-3 its machine has 90 commands under way, more than the default takes: that justifies what was raised.
    assert len(offered) == 6
    # 256 on a queue of 96: only where the load justifies more than the default is that the mistake.
    [hiding] = audit.of("queue/dsnro-effective", "fail")
    assert (hiding["evidence"]["volume"], hiding["observed"], hiding["desired"]) == ("fq-db-3", 256, 96)
    assert hiding["resource"]["id"] in {f["resource"]["id"] for f in audit.of("queue/default-unless-justified", "pass")}
    # A capped virtual volume behind a FlashArray's endpoint does not ask for a deeper driver queue either.
    assert [f for f in audit.of("queue/driver-depth", "fail") if f["resource"]["cluster"] == "fq-mixed"] == []
    # Nor is the depth that was raised for what fq-db-3's machine has under way offered to be taken back.
    [raised] = [f for f in audit.of("queue/driver-depth", "pass") if f["resource"]["host"].startswith("esx-fq-ucs-3")]
    assert (raised["observed"], raised["evidence"]["most_outstanding"] > 32) == (96, True)


def test_no_two_findings_want_one_setting_different(audit: Audit) -> None:
    assert audit.report["contradictions"] == []
    outcomes = {
        (f["rule"], f["fix"]["outcome"])
        for f in [*audit.of("queue/driver-depth", "fail"), *audit.of("queue/pending-reboot", "fail")]
        if by_host([f]) == {"esx-vmfs-2"}
    }
    # What was configured and never rebooted is taken back, and not brought into effect first.
    assert outcomes == {("queue/driver-depth", "proposed"), ("queue/pending-reboot", "by_hand")}


def test_s2_one_port_of_two_and_the_wrong_controller_are_named(audit: Audit) -> None:
    assert by_host(audit.of("queue/emulex-instance-scope", "fail")) == {"esx-fq-emulex-1"}
    assert {f["evidence"]["vm"] for f in audit.of("vm/controller", "fail")} == {"fq-erp-1", "fq-erp-2"}
    assert {f["evidence"]["vm"] for f in audit.of("vm/disk-spread", "fail")} == {"fq-db-1", "fq-db-2", "fq-db-3"}


def test_s3_hosts_as_installed_miss_what_netapp_asks_for_their_queues(audit: Audit) -> None:
    assert {f["resource"]["cluster"] for f in audit.of("queue/qfull-throttle", "fail")} == {"ontap-sick"}
    assert {(f["resource"]["cluster"], f["fix"]["after"]) for f in audit.of("queue/nfs-max-queue-depth", "fail")} == {("ontap-sick", 128)}
    assert {f["observed"] for f in audit.of("queue/array-port-fanin", "pass")} == {640}  # ten initiators of 64


def test_s0_half_of_the_cure_is_told_from_all_of_it(audit: Audit) -> None:
    half = audit.of("queue/raise-both", "fail")
    assert {(f["resource"]["cluster"], f["observed"], f["desired"]) for f in half} == {("sf-vvol", 32, 256)}
    assert len(half) == 13
    assert {f["evidence"]["vm"] for f in audit.of("vm/iops-limits", "fail")} == {"vmfs-1", "vmfs-2", "vmfs-3"}


@pytest.mark.parametrize("cluster", ["sf-twin", "sc-twin", "fs-steady", "ontap-twin", "dx90-l68"])
def test_no_queue_of_a_healthy_twin_is_named(audit: Audit, cluster: str) -> None:
    judged = [f for f in audit.report["findings"] if f["resource"]["cluster"] == cluster and f["rule"].startswith(("queue/", "vm/"))]
    assert {"queue/dsnro-uniform", "queue/device-depth-uniform", "queue/scheduler-defaults"} <= {f["rule"] for f in judged}
    assert [(f["rule"], f["resource"]["name"]) for f in judged if f["verdict"] in ("fail", "unknown")] == []


@pytest.mark.parametrize("cluster", ["sf-twin", "dx90-l68"])
def test_the_healthy_twin_has_no_failure(audit: Audit, cluster: str) -> None:
    judged = [f for f in audit.report["findings"] if f["resource"]["cluster"] == cluster]
    assert [f["rule"] for f in judged if f["verdict"] == "pass"]
    assert [(f["rule"], f["resource"]["name"]) for f in judged if f["verdict"] in ("fail", "unknown")] == []


def test_the_healthy_array_has_no_failure(audit: Audit) -> None:
    judged = [f for f in audit.report["findings"] if f["resource"]["endpoint"] == "sf-twin"]
    assert {f["verdict"] for f in judged} <= {"pass", "not_applicable"}
    assert {f["rule"] for f in judged if f["verdict"] == "pass"} == {
        "qos/element-limits",
        "qos/element-effective-iops",
        "qos/element-large-block-bandwidth",
        "qos/element-curve-live",
        "qos/element-policy-xor-custom",
        "qos/element-throttled-volume",
        "qos/element-minimums",
        "array/critical-alert",
        "array/error-alert",
        "array/warning-alert",
    }


def test_the_exit_code_says_that_something_could_not_be_judged(audit: Audit) -> None:
    assert audit.code == 2
    assert audit.report["coverage"]["unknown"] > 0
    assert audit.unread == []
    behind = {gap["what"].removeprefix("the array behind ") for gap in audit.report["gaps"] if gap["what"].startswith("the array behind ")}
    powerstores = {what for what in behind if what.startswith("naa.68ccf09800d1")}
    assert powerstores, "odd-neighbours shows PowerStores from their hosts alone"
    others = sorted(behind - powerstores)
    left_out = ("eui.0d1c5d1d1d1d1d1d6c9ce9000d1d1d01", "naa.600000e00d2a0000002a77000001")
    assert len(others) == len(left_out)
    assert all(device in gap for device, gap in zip(left_out, others, strict=True)), "the arrays that scenarios leave out of the fleet file"


@pytest.mark.parametrize(
    ("rule", "host", "device", "array", "volume", "qos"),
    [
        pytest.param(
            "vvol/pe-dsnro-headroom", "esx-vvol-1", "naa.6f47acc2", "sf-prod", "bronze-noisy", "Bronze: 1000 IOPS, burst 2000", id="S0"
        ),
        pytest.param("sioc/overlap-array-qos", "esx-sc-1", "naa.6000d31000fcbe", "sc-prod", "prod-01", "Prod: 50.0 MiB/s", id="S1"),
        pytest.param(
            "queue/default-unless-justified",
            "esx-fq-ucs-3",
            "naa.624a9370",
            "fa-queues",
            "fq-batch/archive",
            "group fq-batch: 15000 IOPS",
            id="S2",
        ),
        pytest.param("ontap/disk-busy", "esx-ontap-1", "naa.600a0980", "netapp-prod", "/vol/vm_luns_01/ds01", "none", id="S3"),
        pytest.param("vaai/eternus-dx-s1-firmware", "esx-dx-1", "naa.600000e00d10", "dx90-l66", "dx90-mixed", "none", id="S4"),
    ],
)
def test_one_finding_of_each_incident_names_host_device_array_volume_and_qos_together(
    audit: Audit, rule: str, host: str, device: str, array: str, volume: str, qos: str
) -> None:
    reported = [[str(value) for value in (*f["resource"].values(), *f["evidence"].values())] for f in audit.of(rule, "fail")]
    assert any(all(any(part in value for value in values) for part in (host, device, array, volume, qos)) for values in reported)
