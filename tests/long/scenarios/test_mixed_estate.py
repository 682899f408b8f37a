"""An estate as many are, which no incident is of, yields exactly what an expert expects of it; its healthy twin yields nothing."""

from collections import Counter
from collections.abc import Callable

import pytest

from auditor_lab.description import LabFleet
from auditor_lab.scenario import load_scenario
from auditor_lab.vcenter.description.datastores import DatastoreDescription
from auditor_lab.vcenter.description.devices import DeviceDescription, HbaDescription
from auditor_lab.vcenter.description.hosts import HostDescription
from auditor_lab.vcenter.description.modules import MODULES
from auditor_lab.vcenter.description.vms import DiskDescription, VmDescription
from tests.audits import Audit
from tests.scenarios.expectations import difference, expected, found, short

ESTATE, TWIN = "mixed-estate", "mixed-estate-twin"
TROUBLE = {
    "a driver that nobody knows",
    "an array of two of a family that does not answer",
    "QoS that may not be read",
    "a cap on one side",
}
"""What the twin cannot have: nobody could judge it, or it is what is wrong."""


@pytest.mark.parametrize("verdict", ["fail", "unknown"])
def test_the_audit_finds_what_an_expert_expects_and_nothing_else(mixed: Audit, verdict: str) -> None:
    wanted = expected(ESTATE).fails if verdict == "fail" else expected(ESTATE).unknowns
    differs = difference(wanted, found(mixed.report["findings"], verdict, ESTATE))
    assert not differs, f"{verdict}:\n{differs}"


def test_what_is_right_in_it_is_judged_and_clean(mixed: Audit) -> None:
    for part in expected(ESTATE).healthy:
        judged = [f for f in mixed.report["findings"] if part in _parts(f["resource"])]
        assert len({f["rule"] for f in judged if f["verdict"] == "pass"}) > 3, f"{part} is hardly looked at"
        assert [(f["rule"], f["resource"]["name"]) for f in judged if f["verdict"] in ("fail", "unknown")] == [], part


def _parts(resource: dict[str, str | None]) -> tuple[str | None, ...]:
    return (resource["cluster"], short(resource["host"] or ""), resource["endpoint"])


def test_what_could_not_be_read_is_a_gap_and_nothing_else_is(mixed: Audit) -> None:
    assert mixed.code == 2
    about = {gap["what"].partition(",")[0] for gap in mixed.report["gaps"] if gap["endpoint"] == "sf-mx-two"}
    assert about == {"all of it"}
    assert {gap["endpoint"] for gap in mixed.report["gaps"]} == {"sf-mx-two", "netapp-mx", "vc-mx"}


def test_what_storage_drs_would_turn_on_again_waits_for_its_metric_or_is_left_to_a_person(mixed: Audit) -> None:
    """docs/rule-catalogue.md#c3: where the I/O metric would switch it on again, as incident S1's fix was, the metric goes off first."""
    outcomes = {
        (f["rule"], f["resource"]["name"]): f["fix"]["outcome"]
        for f in mixed.report["findings"]
        if f["verdict"] == "fail" and f["fix"].get("remediator") == "datastore.sioc"
    }
    assert outcomes == {
        ("sioc/overlap-array-qos", "mx-metro"): "proposed",
        ("qos/one-throttler", "mx-metro"): "by_hand",
        ("sioc/supported-datastore", "mx-extents"): "proposed",
        ("sioc/supported-datastore", "mx-both"): "proposed",
    }


def test_the_healthy_twin_has_no_failure_no_unknown_and_no_gap_and_ends_with_0(mixed_twin: Audit) -> None:
    judged = mixed_twin.report["findings"]
    assert [(f["rule"], f["verdict"], f["resource"]["name"]) for f in judged if f["verdict"] in ("fail", "unknown")] == []
    assert mixed_twin.report["gaps"] == []
    assert mixed_twin.code == 0
    assert len({f["rule"] for f in judged if f["verdict"] == "pass"}) > 50


def test_every_rule_that_fails_in_it_passes_in_the_twin(mixed: Audit, mixed_twin: Audit) -> None:
    failing = {f["rule"] for f in mixed.report["findings"] if f["verdict"] == "fail"}
    passing = {f["rule"] for f in mixed_twin.report["findings"] if f["verdict"] == "pass"}
    assert sorted(failing - passing) == []


def hosts(fleet: LabFleet) -> list[HostDescription]:
    return [host for vcenter in fleet.vcenters for host in vcenter.hosts]


def devices(fleet: LabFleet) -> list[DeviceDescription]:
    return [device for host in hosts(fleet) for device in host.devices]


def hbas(fleet: LabFleet) -> list[HbaDescription]:
    return [hba for host in hosts(fleet) for hba in host.hbas]


def stores(fleet: LabFleet) -> list[DatastoreDescription]:
    return [store for vcenter in fleet.vcenters for store in vcenter.datastores]


def vms(fleet: LabFleet) -> list[VmDescription]:
    return [vm for vcenter in fleet.vcenters for vm in vcenter.vms]


def disks(fleet: LabFleet) -> list[DiskDescription]:
    return [disk for vm in vms(fleet) for disk in vm.disks]


def _two_kinds_on_one_driver(fleet: LabFleet) -> bool:
    return any(len({hba.protocol for hba in host.hbas if (hba.kind, hba.driver) == ("fc", "qlnativefc")}) == 2 for host in hosts(fleet))


def _shared_between_vcenters(fleet: LabFleet) -> bool:
    seen = Counter(name for vcenter in fleet.vcenters for name in {extent for store in vcenter.datastores for extent in store.extents})
    return max(seen.values()) > 1


def _capped_on_one_side(fleet: LabFleet) -> bool:
    caps = [one.qos.iops_limit for array in fleet.flasharray for one in array.volumes if one.name.endswith("::shared")]
    return len(caps) == 2 and None in caps and any(caps)


HAS: dict[str, Callable[[LabFleet], bool]] = {
    "ESXi 6.7, 7.0, 8.0 and 9.0": lambda fleet: {host.version[:3] for host in hosts(fleet)} >= {"6.7", "7.0", "8.0", "9.0"},
    "namespaces by Fibre Channel and TCP": lambda fleet: (
        {one.transport for one in devices(fleet) if one.protocol == "nvme"} >= {"fc", "tcp"}
    ),
    "LUNs and namespaces on one driver": _two_kinds_on_one_driver,
    "raw devices": lambda fleet: any(disk.raw_device for disk in disks(fleet)),
    "vSAN, NFS 3 and 4.1": lambda fleet: {store.type for store in stores(fleet)} >= {"vsan", "NFS", "NFS41", "VMFS", "VVOL"},
    "one path of two NFS servers": lambda fleet: (
        len({one.remote_host for one in stores(fleet) if one.type == "NFS"}) == 2
        and len({one.remote_path for one in stores(fleet) if one.type == "NFS"}) == 1
    ),
    "local disks, and a datastore on one": lambda fleet: (
        any(one.local for one in devices(fleet)) and any(one.local for one in stores(fleet))
    ),
    "hosts in no cluster": lambda fleet: any(vcenter.standalone for vcenter in fleet.vcenters),
    "a namespace without a DSNRO": lambda fleet: any(not device.has_dsnro for device in devices(fleet)),
    "a limit by a storage policy": lambda fleet: any(vcenter.storage_policies for vcenter in fleet.vcenters),
    "a Flash Pool": lambda fleet: any(one.cache_disks and one.rpm for array in fleet.ontap for one in array.aggregates),
    "a datastore cluster": lambda fleet: any(vcenter.pods for vcenter in fleet.vcenters),
    "several extents": lambda fleet: any(len(store.extents) > 1 for store in stores(fleet)),
    "a cap on one side": _capped_on_one_side,
    "a stretched volume": lambda fleet: any(pod.stretched_to for array in fleet.flasharray for pod in array.pods),
    "an inquiry that is nobody's": lambda fleet: any(device.vendor == "NOBODYS" for device in devices(fleet)),
    "two arrays of a family": lambda fleet: len(fleet.element) > 1 and len(fleet.flasharray) > 1,
    "an array of two of a family that does not answer": lambda fleet: {name for name, _ in fleet.faults} == {"sf-mx-two"},
    "QoS that may not be read": lambda fleet: any("/api/storage/qos/policies" in array.forbidden for array in fleet.ontap),
    "controllers of every kind": lambda fleet: (
        {disk.controller for disk in disks(fleet)} == {"pvscsi", "lsilogic-sas", "buslogic", "nvme", "sata", "ide"}
    ),
    "Linux and Windows": lambda fleet: {vm.guest_id[:7] for vm in vms(fleet)} >= {"ubuntu6", "windows"},
    "machines that are off, templates": lambda fleet: (
        any(not vm.powered_on and not vm.template for vm in vms(fleet)) and any(vm.template for vm in vms(fleet))
    ),
    "a witness": lambda fleet: any(node.role == "Witness" for array in fleet.element for node in array.nodes),
    "two vCenters on one array": _shared_between_vcenters,
    "a driver that nobody knows": lambda fleet: any(hba.driver == "qedf" and hba.driver not in MODULES for hba in hbas(fleet)),
}


@pytest.mark.parametrize("what", HAS)
def test_the_estate_and_its_twin_have_what_real_ones_have(what: str) -> None:
    assert HAS[what](load_scenario(ESTATE)), what
    assert HAS[what](load_scenario(TWIN)) == (what not in TROUBLE), what


def test_they_are_small() -> None:
    assert max(len(hosts(load_scenario(name))) for name in (ESTATE, TWIN)) < 25
