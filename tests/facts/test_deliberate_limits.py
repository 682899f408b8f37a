"""A limit that a storage policy sets, or that the params name, was meant; one that nobody answers for is drift."""

from typing import Any

import pytest

from auditor.model import EndpointKind, Verdict

from .fleets import Facts, array, hosts
from .judged import evaluated

ELEMENT_CURVE = '{"4096": 100, "32768": 500}'  # docs/domain/facts.md#6-2


def disk(limit: int | None, *, policy: int | None = None, kind: str = "VMFS", known: bool = True) -> Facts:
    """A machine with one disk, limited to `limit` IOPS; its storage policy limits disks to `policy`."""
    given = hosts(1)
    given["datastore"] = [{"datastore_id": "ds", "name": "ds", "type": kind}]
    machine = {
        "host_id": "host-1",
        "power_state": "poweredOn",
        "guest_id": "windows2019srv_64Guest",
        "running_guest_id": "",
        "is_template": False,
    }
    given["vm"] = [{"vm_id": "vm-1", "name": "erp-1", **machine, "disks_read": True}]
    one: dict[str, Any] = {"vm_id": "vm-1", "disk": "Hard disk 1", "disk_key": 2000, "datastore_id": "ds", "controller": "pvscsi"}
    given["vm_disk"] = [{**one, "iops_limit": limit, "backing_object_id": "rfc4122.aaaa" if kind == "VVOL" else None}]
    if policy is not None or not known:
        given["storage_policy"] = [{"policy_id": "p", "name": "Bronze", "iops_limit": policy, "is_limit_known": known}]
        given["storage_policy_disk"] = [{"policy_id": "p", "vm_id": "vm-1", "disk_key": 2000}]
    return given


def on_element(given: Facts, utilization: float) -> Facts:
    """The disk is a virtual volume of an Element cluster, with a ceiling of 1000 IOPS: 200 at 32 KiB."""
    volume = {"name": "v", "volume_id": "1", "is_virtual": True, "vvol_id": "aaaa", "qos_max_iops": 1000, "qos_curve": ELEMENT_CURVE}
    array(given, "sf", EndpointKind.ELEMENT, volume)
    given["array_volume_load"] = [{"endpoint": "sf", "volume_id": "1", "utilization": utilization, "average_io_bytes": 32768}]
    device = {"device": "naa.6f47acc2000000017366707200000000", "vendor": "SolidFir", "model": "SSD SAN", "device_type": "disk"}
    given["device"] = [{"host_id": "host-1", **device, "is_protocol_endpoint": True, "queue_depth": 32}]
    given["device_scheduling"] = [{"host_id": "host-1", "device": device["device"], "dsnro": 32}]
    given["vvol_mount"] = [{"datastore_id": "ds", "host_id": "host-1", "device": device["device"]}]
    return given


def policies_unread(given: Facts) -> Facts:
    for row in given["reading"]:
        row["complete"] = row["complete"] and row["topic"] != "storage_policies"
    return given


def verdict(rule: str, given: Facts, **params: Any) -> Verdict:
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in params.items()}
    [finding] = evaluated(given, rule, **values).findings()
    return finding.verdict


@pytest.mark.parametrize(
    ("given", "params", "expected"),
    [
        pytest.param(disk(1000), {}, Verdict.FAIL, id="nobody says why"),
        pytest.param(disk(1000, policy=1000), {}, Verdict.PASS, id="its storage policy's"),
        pytest.param(disk(1000, policy=500), {}, Verdict.FAIL, id="another than its storage policy's"),
        pytest.param(disk(1000, known=False), {}, Verdict.UNKNOWN, id="its storage policy may limit as well"),
        pytest.param(policies_unread(disk(1000)), {}, Verdict.UNKNOWN, id="storage policies were not read"),
        pytest.param(policies_unread(disk(None)), {}, Verdict.PASS, id="no limit, and storage policies were not read"),
        pytest.param(disk(1000), {"tiers": [500, 1000]}, Verdict.PASS, id="a tier of the fleet"),
        pytest.param(policies_unread(disk(1000)), {"meant": "erp-. Hard disk 1"}, Verdict.PASS, id="named, whatever policies say"),
        pytest.param(disk(1000), {"meant": "erp-2.*"}, Verdict.FAIL, id="another is named"),
    ],
)
def test_only_a_limit_that_nobody_meant_is_drift(given: Facts, params: dict[str, Any], expected: Verdict) -> None:
    assert verdict("vm/iops-limits", given, **params) is expected


@pytest.mark.parametrize(
    ("given", "params", "expected"),
    [
        pytest.param(on_element(disk(1000, kind="VVOL"), 0.1), {}, Verdict.FAIL, id="it never takes effect"),
        pytest.param(on_element(disk(1000, policy=1000, kind="VVOL"), 0.1), {}, Verdict.PASS, id="its storage policy's"),
        pytest.param(on_element(disk(1000, policy=1000, kind="VVOL"), 2.0), {}, Verdict.FAIL, id="its policy's, and it is at its ceiling"),
        pytest.param(policies_unread(on_element(disk(1000, kind="VVOL"), 0.1)), {}, Verdict.UNKNOWN, id="policies were not read"),
        pytest.param(policies_unread(on_element(disk(200, kind="VVOL"), 0.1)), {}, Verdict.PASS, id="below the ceiling all the same"),
        pytest.param(
            on_element(disk(None, policy=200, kind="VVOL"), 2.0), {}, Verdict.PASS, id="only its policy limits it, and far enough"
        ),
        pytest.param(on_element(disk(1000, kind="VVOL"), 0.1), {"meant": "erp-1 .*"}, Verdict.PASS, id="named in the params"),
    ],
)
def test_a_limit_above_the_ceiling_that_was_meant_is_none_to_correct(given: Facts, params: dict[str, Any], expected: Verdict) -> None:
    assert verdict("qos/host-limit-below-array-limit", given, **params) is expected


@pytest.mark.parametrize(("is_template", "expected"), [(False, "fail"), (True, "not_applicable"), (None, "unknown")])
def test_a_limit_is_judged_where_it_is_known_that_the_machine_is_no_template(is_template: bool | None, expected: str) -> None:
    given = disk(1000)
    given["vm"][0]["is_template"] = is_template
    assert verdict("vm/iops-limits", given) == expected
