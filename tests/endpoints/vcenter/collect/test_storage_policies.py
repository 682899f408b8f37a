"""Storage policies that limit I/O are read with the disks that have them, or a gap says why not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pyVmomi import pbm

from auditor.endpoints.vcenter.collect.topics import collect_vcenter
from auditor.endpoints.vcenter.policies import PolicyService
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.facts.needs import needs
from auditor.facts.schema import Batch
from auditor.model import Endpoint, Gap
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.pbm.constraints import capability, rule_set
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import ALL
from auditor_lab.wire import Fault

POLICIES = needs([("storage_policy", "iops_limit"), ("storage_policy_disk", "disk_key"), ("vm_disk", "iops_limit")])
# Source of the names: govmomi, pbm/client_test.go, capability spm@DATASTOREIOCONTROL (docs/domain/facts.md#4-10).
LIMIT = '{namespace: spm, capability: "spm@DATASTOREIOCONTROL", property: limit, value: %s}'
FLEET = f"""
vcenters:
  - name: vc-limits
    host_build: 22380479
    devices:
      disks: {{vendor: PURE, model: FlashArray, names: [naa.624a9370aaaa], targets: [iqn.x:y]}}
    templates:
      host: {{hbas: [{{device: vmhba64, kind: iscsi, driver: iscsi_vmk, model: iSCSI Software Adapter, software: true}}], devices: [disks]}}
    clusters: [{{name: one, hosts: [{{name: esx-1, like: host}}]}}]
    datastores: [{{name: fast, type: VMFS, extents: [naa.624a9370aaaa], clusters: [one]}}]
    vms:
      - {{name: bronze-1, cluster: one, disks: [{{datastore: fast}}, {{datastore: fast, iops_limit: 500}}]}}
      - {{name: free-1, cluster: one, disks: [{{datastore: fast}}]}}
    storage_policies:
      - name: Bronze
        rules: [{LIMIT % 500}, {{namespace: spm, capability: "spm@DATASTOREIOCONTROL", property: shares, value: 1000}}]
        vms: [bronze-1]
        disks: ["bronze-1:2001"]
      - {{name: Unlimited, rules: [{LIMIT % -1}], disks: [free-1]}}
"""
Serve = Callable[..., tuple[VCenterServer, Endpoint]]


@pytest.fixture
def limited(serve_vcenter: Serve) -> tuple[VCenterServer, Endpoint]:
    return serve_vcenter(parse_scenario(FLEET, "limits").vcenters[0])


def read(endpoint: Endpoint) -> tuple[dict[str, list[dict[str, Any]]], list[Gap]]:
    """The rows of each table, and the gaps."""
    tables: dict[str, list[dict[str, Any]]] = {}
    gaps: list[Gap] = []
    with open_vcenter(endpoint) as vcenter:
        for item in collect_vcenter(vcenter, endpoint, POLICIES):
            if isinstance(item, Gap):
                gaps.append(item)
            elif isinstance(item, Batch):
                rows = zip(*item.columns.values(), strict=True)
                tables.setdefault(item.table, []).extend(dict(zip(item.columns, row, strict=True)) for row in rows)
    return tables, gaps


def whole(tables: dict[str, list[dict[str, Any]]]) -> dict[str, bool]:
    return {row["topic"]: row["complete"] for row in tables["reading"]}


def test_policies_that_limit_are_read_with_the_disks_that_have_them(limited: tuple[VCenterServer, Endpoint]) -> None:
    server, endpoint = limited
    tables, gaps = read(endpoint)
    assert gaps == []
    assert whole(tables)["storage_policies"]
    known = [row for row in tables["storage_policy"] if row["is_limit_known"]]
    assert [(row["name"], row["iops_limit"]) for row in known] == [("Bronze", 500)]
    given = [(row["vm_id"], row["disk_key"]) for row in tables["storage_policy_disk"] if row["policy_id"] == known[0]["policy_id"]]
    [disk] = [row for row in tables["vm_disk"] if row["iops_limit"] == 500]
    assert given == [(disk["vm_id"], disk["disk_key"])]
    # What the service sets as a cookie is no session of /sdk: nobody had to log in again.
    first = next(place for place, name in enumerate(server.requests) if name.startswith("Pbm"))
    assert "Login" not in server.requests[first:]


def test_an_account_that_may_not_see_policies_leaves_a_gap_that_names_the_privilege(limited: tuple[VCenterServer, Endpoint]) -> None:
    server, endpoint = limited
    server.privileges = ALL - {"StorageProfile.View"}
    tables, gaps = read(endpoint)
    [one] = gaps
    assert (one.what, one.why) == ("storage policies", "listing storage policies: NoPermission: StorageProfile.View")
    assert (whole(tables)["storage_policies"], whole(tables)["vms"]) == (False, True)
    assert "storage_policy" not in tables


@pytest.mark.parametrize("operation", ["PbmRetrieveServiceContent", "PbmQueryProfile", "PbmRetrieveContent", "PbmQueryAssociatedEntity"])
@pytest.mark.parametrize("kind", ["drop", "garbage"])
def test_a_service_that_does_not_answer_is_a_gap_and_leaves_the_rest_alone(
    limited: tuple[VCenterServer, Endpoint], operation: str, kind: str
) -> None:
    server, endpoint = limited
    server.faults.active.append(Fault(kind, operation))
    tables, gaps = read(replace(endpoint, limits=replace(endpoint.limits, timeout_seconds=2.0)))
    assert [one.what for one in gaps] == ["storage policies"]
    assert (whole(tables)["storage_policies"], whole(tables)["vms"]) == (False, True)


def profile(key: str, *capabilities: Any) -> Any:
    constraints = rule_set("rules", list(capabilities))
    return pbm.profile.CapabilityBasedProfile(profileId=pbm.profile.ProfileId(uniqueId=key), name=key, constraints=constraints)


def component(key: str) -> Any:
    """A policy's reference to a component. Source: govmomi's capture of a vCenter 6.7, pbm/simulator/profiles.go, VM Encryption Policy."""
    return capability("com.vmware.storageprofile.dataservice", key, {key: key})


def limit(value: Any) -> Any:
    return capability("spm", "spm@DATASTOREIOCONTROL", {"limit": value})


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        pytest.param(profile("p", component("slow")), (300, True), id="by a component that is listed"),
        pytest.param(profile("p", component("slow"), limit(200)), (200, True), id="the least counts"),
        pytest.param(profile("p", component("gone")), (None, False), id="a component that is not listed may limit as well"),
        pytest.param(profile("p", limit("many")), (None, False), id="no number"),
        pytest.param(profile("p", limit("700")), (700, True), id="a number as text"),
    ],
)
def test_the_limit_of_a_policy_is_that_of_all_it_is_made_of(
    limited: tuple[VCenterServer, Endpoint], monkeypatch: pytest.MonkeyPatch, policy: Any, expected: tuple[int | None, bool]
) -> None:
    listed = {"REQUIREMENT": [policy], "DATA_SERVICE_POLICY": [profile("slow", limit(300))]}
    monkeypatch.setattr(PolicyService, "_listed", lambda _service, category: listed[category])
    with open_vcenter(limited[1]) as vcenter:
        [found] = PolicyService(vcenter).policies()
    assert (found.iops_limit, found.is_limit_known) == expected
