"""One cause, one finding: a setting of a host that differs is one finding, with the devices it reaches as evidence."""

from typing import Any

import pytest

from auditor.model import Finding
from tests.facts.fleets import INQUIRY, Facts, hosts
from tests.facts.judged import evaluated

LUNS = 10


def fleet(*depths: int, family: str = "flasharray", sizes: tuple[int | None, ...] = ()) -> Facts:
    """As many hosts as depths, each with the same LUNs by nfnic; `sizes` are their options Disk.QFullSampleSize, 0 unless given."""
    given = hosts(len(depths))
    vendor, model = INQUIRY[family]
    names = [f"naa.60000000000000000000000000000{n:03d}" for n in range(LUNS)]
    given |= {"device": [], "device_scheduling": [], "path": [], "hba": [], "host_module": [], "host_option": []}
    for number, depth in enumerate(depths):
        host = f"host-{number + 1}"
        size = sizes[number] if sizes else 0
        given["hba"].append({"host_id": host, "hba": "vmhba1", "kind": "fc", "driver": "nfnic"})
        given["host_module"].append({"host_id": host, "module": "nfnic", "loaded": True, "option_string": ""})
        options = {"Disk.QFullSampleSize": size, "Disk.QFullThreshold": 8}
        given["host_option"] += [{"host_id": host, "key": key, "value": str(value)} for key, value in options.items() if value is not None]
        for name in names:
            about = {"vendor": vendor, "model": model, "device_type": "disk", "is_local": False, "is_protocol_endpoint": False}
            given["device"].append({"host_id": host, "device": name, "queue_depth": depth, **about})
            reported = {"dsnro": 32, "queue_full_sample_size": 0, "queue_full_threshold": 0}
            given["device_scheduling"].append({"host_id": host, "device": name, **reported})
            given["path"].append({"host_id": host, "device": name, "hba": "vmhba1", "transport": "fc", "target": "5", "state": "active"})
    return given


def unread(given: Facts, host: str) -> Facts:
    """The devices of this host were not read."""
    for row in given["reading"]:
        row["complete"] = row["complete"] and (row["scope"], row["topic"]) != (host, "devices")
    for table in ("device", "device_scheduling", "path"):
        given[table] = [row for row in given[table] if row["host_id"] != host]
    return given


def found(given: Facts, rule: str) -> dict[str, Finding]:
    """The finding of this rule on each host, judged through the real views; there is no more than one."""
    listed = list(evaluated(given, rule).findings())
    assert len({finding.resource.host for finding in listed}) == len(listed)
    return {str(finding.resource.host): finding for finding in listed}


def verdicts(given: Facts, rule: str) -> list[str]:
    return [str(finding.verdict) for _, finding in sorted(found(given, rule).items())]


def test_a_driver_that_is_deeper_on_one_host_is_one_finding_with_its_devices() -> None:
    reported = found(fleet(32, 32, 96), "queue/device-depth-uniform")
    assert {host: str(finding.verdict) for host, finding in reported.items()} == {"esx-1": "pass", "esx-2": "pass", "esx-3": "fail"}
    odd = reported["esx-3"]
    assert (odd.resource.name, odd.observed, odd.desired, odd.evidence["odd_devices"]) == ("nfnic", "96", "32", LUNS)
    assert str(odd.evidence["odd_device_names"]).endswith(f" and {LUNS - 5} more")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(fleet(32, 32, 32), ["pass"] * 3, id="all agree"),
        pytest.param(fleet(32, 96), ["fail"] * 2, id="evenly split: all are named"),
        pytest.param(unread(fleet(32, 32, 32), "host-3"), ["unknown"] * 3, id="one was not read"),
        pytest.param(
            unread(fleet(32, 96, 32, 32), "host-4"), ["unknown", "fail", "unknown", "unknown"], id="one was not read, and one is odd"
        ),
    ],
)
def test_hosts_are_compared_by_what_they_share(given: Facts, expected: list[str]) -> None:
    assert verdicts(given, "queue/device-depth-uniform") == expected


def emulex(*of_hosts: tuple[int, str | None, str], driver: str = "lpfc") -> Facts:
    """Hosts with Emulex adapters, each of a depth, a version of the driver and the driver's options."""
    given = fleet(*(depth for depth, _, _ in of_hosts))
    for number, (_, version, options) in enumerate(of_hosts):
        given["hba"][number]["driver"] = driver
        given["host_module"][number] |= {"module": driver, "version": version, "option_string": options}
    return given


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            emulex((30, "12.0.257.5", ""), (32, "14.2.641.5", ""), (32, "14.2.641.5", "")), "pass pass pass", id="as each version ships"
        ),
        pytest.param(emulex((30, "14.2.641.5", ""), (32, "14.2.641.5", ""), (32, "14.2.641.5", "")), "fail pass pass", id="of one version"),
        pytest.param(emulex((30, None, ""), (32, "14.2.641.5", ""), (32, "14.2.641.5", "")), "fail pass pass", id="a version not known"),
        pytest.param(
            emulex((30, "12.0.257.5", "lpfc_lun_queue_depth=30"), (32, "14.2.641.5", ""), (32, "14.2.641.5", "")),
            "fail pass pass",
            id="set by hand",
        ),
        pytest.param(
            emulex((64, "12.0.257.5", ""), (32, "14.2.641.5", ""), (32, "14.2.641.5", "")), "fail pass pass", id="no driver ships 64"
        ),
        pytest.param(
            emulex((30, "4.0.0.1", ""), (32, "5.0.0.1", ""), (32, "5.0.0.1", ""), driver="nfnic"), "fail pass pass", id="of another maker"
        ),
    ],
)
def test_two_versions_of_a_driver_that_ship_two_depths_are_no_difference(given: Facts, expected: str) -> None:
    """Source: docs/domain/facts.md#2, lpfc: 30 or 32 by the driver's version."""
    assert " ".join(verdicts(given, "queue/device-depth-uniform")) == expected


def test_a_driver_that_has_to_be_deeper_for_virtual_volumes_is_not_the_odd_one() -> None:
    given = fleet(128, 32)
    endpoint: dict[str, Any] = {**given["device"][0], "device": "naa.68ccf09800d1000000000000000000e2", "is_protocol_endpoint": True}
    endpoint |= {"vendor": "DellEMC", "model": "PowerStore"}
    given["device"] += [{**endpoint, "host_id": host, "queue_depth": depth} for host, depth in (("host-1", 128), ("host-2", 32))]
    given["path"] += [{**given["path"][0], "host_id": host, "device": endpoint["device"]} for host in ("host-1", "host-2")]
    given["vvol_mount"] = [{"host_id": host, "datastore_id": "ds", "device": endpoint["device"]} for host in ("host-1", "host-2")]
    given["datastore"] = [{"datastore_id": "ds", "name": "ds", "type": "VVOL"}]
    given["vm"] = [
        {"vm_id": f"vm-{n}", "name": f"vm-{n}", "host_id": f"host-{n}", "is_template": False, "disks_read": True} for n in (1, 2)
    ]
    given["vm_disk"] = [{"vm_id": f"vm-{n}", "disk": "2000", "datastore_id": "ds", "controller": "pvscsi"} for n in (1, 2)]
    # docs/domain/facts.md#2: Cisco names 128 as the depth recommended with vVols
    assert verdicts(given, "queue/device-depth-uniform") == ["pass", "fail"]


def test_a_host_that_throttles_alone_is_one_finding_with_its_devices() -> None:
    reported = found(fleet(32, 32, 32, sizes=(0, 0, 32)), "queue/qfull-uniform")
    assert {host: str(finding.verdict) for host, finding in reported.items()} == {"esx-1": "pass", "esx-2": "pass", "esx-3": "fail"}
    assert (reported["esx-3"].observed, reported["esx-3"].desired, reported["esx-3"].evidence["odd_devices"]) == ("32/8", "0/8", LUNS)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(fleet(32, 32, sizes=(0, 32)), ["fail"] * 2, id="evenly split: all are named"),
        pytest.param(unread(fleet(32, 32, 32), "host-3"), ["unknown"] * 3, id="one was not read"),
        pytest.param(fleet(32, 32, 32, sizes=(0, 0, None)), ["unknown"] * 3, id="one does not tell its option"),
        pytest.param(fleet(32, 32, family="ontap", sizes=(0, 32)), ["not_applicable"] * 2, id="ONTAP, which has values of its own"),
    ],
)
def test_hosts_agree_on_queue_full_only_where_all_were_read(given: Facts, expected: list[str]) -> None:
    assert verdicts(given, "queue/qfull-uniform") == expected


def test_a_host_as_installed_in_front_of_an_ontap_is_one_finding_with_its_luns() -> None:
    reported = found(fleet(32, 32, family="ontap", sizes=(32, 0)), "queue/qfull-throttle")
    assert {host: str(finding.verdict) for host, finding in reported.items()} == {"esx-1": "pass", "esx-2": "fail"}
    installed = reported["esx-2"]
    assert (installed.observed, installed.desired) == ("0/8", f"32/8 on all {LUNS}")
    assert installed.evidence["ontap_value_counts"] == f"0/8 on {LUNS}"


def test_a_lun_that_sets_its_own_values_goes_by_these() -> None:
    given = fleet(32, family="ontap", sizes=(32,))
    given["device_scheduling"][0].update(queue_full_sample_size=64, queue_full_threshold=4)
    reported = found(given, "queue/qfull-throttle")["esx-1"]
    assert (str(reported.verdict), reported.observed) == ("fail", "32/8, 64/4")


def test_a_host_whose_devices_were_not_read_is_unknown_and_another_is_judged_as_before() -> None:
    given = unread(fleet(32, 32, family="ontap", sizes=(32, 32)), "host-2")
    assert verdicts(given, "queue/qfull-throttle") == ["pass", "unknown"]


RULE = "queue/device-depth-uniform"


def without_driver(given: Facts, host: str) -> Facts:
    """Which module the adapter of this host is driven by was not reported."""
    for row in given["hba"]:
        row["driver"] = None if row["host_id"] == host else row["driver"]
    return given


def test_a_host_whose_driver_is_not_known_may_make_any_depth_the_majoritys() -> None:
    assert verdicts(fleet(64, 64, 128), RULE) == ["pass", "pass", "fail"]
    assert verdicts(without_driver(fleet(64, 64, 128), "host-1"), RULE) == ["unknown", "unknown", "unknown"]
    # Whatever the first one has, and whether or not its driver has to be deeper: 32 is neither the majority's nor the deepest.
    assert verdicts(without_driver(fleet(64, 64, 64, 32), "host-1"), RULE) == ["unknown", "unknown", "unknown", "fail"]


def test_where_nobody_knows_whether_a_driver_has_to_be_deeper_only_what_is_odd_either_way_is() -> None:
    """Cisco's driver in front of virtual volumes: docs/domain/facts.md#2."""
    given = fleet(64, 64, 64, 128, 32, family="dell-sc")
    for row in given["device"]:
        row["is_protocol_endpoint"] = row["device"].endswith("000")
    for row in given["reading"]:
        row["complete"] = row["complete"] and row["topic"] not in ("vms", "datastores")
    assert verdicts(given, RULE) == ["unknown", "unknown", "unknown", "unknown", "fail"]
