"""NVMe namespaces of ONTAP, which are no LUNs: volumes with a device, a pool, QoS, load and hosts of their own."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.ontap import rows
from auditor.endpoints.ontap.client import OntapCluster
from auditor.facts.needs import needs
from auditor_lab.arrays.ontap.parts import NamespaceDescription, SubsystemDescription
from auditor_lab.wire import Fault

from .ontap_cluster import CLUSTER, Collected, Served, collected, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOST = "nqn.2014-08.com.example:nvme:ESX-1"
NVME = dataclasses.replace(
    CLUSTER,
    svms=(dataclasses.replace(CLUSTER.svms[0], protocols=("iscsi", "fcp", "nvme")), *CLUSTER.svms[1:]),
    namespaces=(
        NamespaceDescription(name="ns1", volume="luns2", subsystem="esx", iops=300, latency_us=700),
        NamespaceDescription(name="ns2", volume="luns1"),
    ),
    subsystems=(SubsystemDescription(name="esx", svm="san", hosts=(HOST,)),),
)
LISTS = {"GET storage/namespaces", "GET protocols/nvme/subsystems", "GET protocols/nvme/subsystem-maps"}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path, NVME) as found:
        yield found


def namespaces(found: Collected) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in found.tables["array_volume"] if row["kind"] == "namespace"}


def test_a_namespace_is_a_volume_with_the_name_that_esxi_gives_it(served: Served) -> None:
    server, endpoint, clock = served
    found = collected(endpoint, clock)
    row = namespaces(found)["/vol/luns2/ns1"]
    uuid = server.cluster.uuid("namespace", "luns2", "ns1")
    # NetAppDocs/ontap-sanhost, nvme_esxi_8.adoc: uuid.116cb7ed9e574a0faf35ac2ec115969d.
    assert row["device"] == f"uuid.{uuid.replace('-', '')}"
    assert (row["is_virtual"], row["status"], row["os_type"], row["svm"]) == (False, "online", "vmware", "san")
    assert (row["size_bytes"], row["used_bytes"]) == (500 << 30, 250 << 30)
    # The policy of the volume that it lies in holds for it.
    assert (row["qos_policy_id"], row["qos_group"], row["qos_group_max_iops"], row["qos_read"]) == (None, "together", 3000, True)
    assert row["pool_id"] == found.by("array_volume", "name")["/vol/luns2/ds2"]["pool_id"]
    assert found.gaps == []


def test_a_namespace_has_a_load_and_the_hosts_of_its_subsystem(served: Served) -> None:
    server, endpoint, clock = served
    found = collected(endpoint, clock)
    uuid, subsystem = server.cluster.uuid("namespace", "luns2", "ns1"), server.cluster.uuid("subsystem", "esx")
    load = found.by("array_volume_load", "volume_id")[uuid]
    assert (load["actual_iops"], load["latency_us"]) == (300, 700)
    assert {"volume_id": uuid, "array_host_id": subsystem, "lun": None} in found.tables["array_connection"]
    assert {"array_host_id": subsystem, "initiator": HOST.lower(), "kind": "nvme"} in found.tables["array_initiator"]
    assert found.by("array_host", "array_host_id")[subsystem]["host_type"] == "vmware"


@pytest.mark.long
def test_no_list_of_nvme_is_asked_for_where_no_svm_serves_it(tmp_path: Path) -> None:
    plain = dataclasses.replace(NVME, svms=CLUSTER.svms)
    with serving(tmp_path, plain) as (server, endpoint, clock):
        found = collected(endpoint, clock)
    assert not LISTS & set(server.requests)
    assert namespaces(found) == {}


def test_hosts_of_nvme_are_read_where_the_volumes_are_not_asked_for(served: Served) -> None:
    server, endpoint, clock = served
    found = collected(endpoint, clock, needs([("array_initiator", "initiator")]))
    subsystem = server.cluster.uuid("subsystem", "esx")
    assert {"array_host_id": subsystem, "initiator": HOST.lower(), "kind": "nvme"} in found.tables["array_initiator"]
    assert "GET storage/luns" not in server.requests
    assert (found.gaps, found.incomplete()) == ([], set())


@pytest.mark.parametrize(
    ("wanted", "topics"),
    [
        pytest.param([("array_initiator", "initiator")], {"array_hosts"}, id="hosts alone"),
        pytest.param([("array_volume", "status"), ("array_initiator", "initiator")], {"volumes", "array_hosts"}, id="beside the volumes"),
    ],
)
def test_hosts_are_not_whole_where_nobody_knows_whether_nvme_is_served(
    served: Served, wanted: list[tuple[str, str]], topics: set[str]
) -> None:
    server, endpoint, clock = served
    server.faults.active.append(Fault("status", "GET svm/svms", status=403))
    assert collected(endpoint, clock, needs(wanted)).incomplete() == topics


def test_namespaces_that_may_not_be_read_leave_the_volumes_unread(served: Served) -> None:
    server, endpoint, clock = served
    server.faults.active.append(Fault("status", "GET storage/namespaces", status=403))
    found = collected(endpoint, clock)
    assert "volumes" in found.incomplete()
    assert namespaces(found) == {}
    assert "/vol/luns1/ds1" in found.by("array_volume", "name")


@pytest.mark.parametrize(("version", "policy", "limit"), [("9.15.1", None, None), ("9.16.1", "gold", 5000)])
def test_a_policy_of_its_own_is_asked_for_where_the_release_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, policy: str | None, limit: int | None
) -> None:
    """netapp-ontap 9.16.1 has NvmeNamespace.qos_policy, 9.15.1 has not: a release refuses what it does not know."""
    asked: list[str] = []
    get = OntapCluster.get

    def kept(cluster: OntapCluster, path: str, **params: str) -> dict[str, Any]:
        asked.extend([params.get("fields", "")] if path == "storage/namespaces" else [])
        return get(cluster, path, **params)

    monkeypatch.setattr(OntapCluster, "get", kept)
    with serving(tmp_path, dataclasses.replace(NVME, version=version)) as (server, endpoint, clock):
        gold = {"uuid": next(each.uuid for each in server.cluster.qos if each.name == "gold"), "name": "gold"}
        own = {} if policy is None else {"qos_policy": gold}
        server.alterations["GET storage/namespaces"] = lambda body: {**body, "records": [{**each, **own} for each in body["records"]]}
        found = namespaces(collected(endpoint, clock))["/vol/luns1/ns2"]
    assert ["qos_policy.uuid" in fields for fields in asked] == [policy is not None, False]  # the other one asks for the load
    assert (found["qos_policy"], found["qos_max_iops"]) == (policy, limit)


@pytest.mark.parametrize("hosts", ["odd", [{"name": "x"}], [None], [{"nqn": ""}]])
def test_hosts_that_are_not_understood_leave_a_gap(hosts: Any) -> None:
    record = Record({"uuid": "S-1", "name": "esx", "os_type": "vmware", "hosts": hosts}, "it", ParseErrors("GET x"))
    assert rows.subsystem_rows(record)[1] == []
    assert [gap.what for gap in record.parse_errors.gaps("nt")] == ["GET x: hosts of it"]


def test_an_id_that_is_no_uuid_is_no_device() -> None:
    record = Record({"uuid": "N-1", "name": "/vol/v/n", "status": {"state": "online"}}, "it", ParseErrors("GET x"))
    assert rows.namespace_row(record, {}, {}, {})["device"] is None
    assert "GET x: uuid of it" in [gap.what for gap in record.parse_errors.gaps("nt")]


def test_an_id_or_a_type_that_is_missing_is_named_once() -> None:
    namespace = Record({"name": "/vol/v/n", "status": {"state": "online"}}, "it", ParseErrors("GET x"))
    assert rows.namespace_row(namespace, {}, {}, {})["device"] is None
    assert [gap.what for gap in namespace.parse_errors.gaps("nt")].count("GET x: uuid of it") == 1
    subsystem = Record({"uuid": "S-1", "name": "esx", "hosts": []}, "it", ParseErrors("GET x"))
    assert rows.subsystem_rows(subsystem)[0]["host_type"] is None
    assert [gap.what for gap in subsystem.parse_errors.gaps("nt")] == ["GET x: os_type of it"]
