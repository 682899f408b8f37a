"""Hosts as vCenter lists them, into rows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from auditor.endpoints.vcenter.bulk.shapes import Product, Ref
from auditor.endpoints.vcenter.collect import hosts
from auditor.endpoints.vcenter.collect.hosts import collect_hosts
from auditor.endpoints.vcenter.collect.rows import MODULE_SYSTEM, OPTION_MANAGER, HostSeen

from .answering import ENDPOINT, REFUSED, Answers, Found, circuit, has

VSAN, ISCSI = "config.vsanHostConfig.enabled", "config.storageDevice.softwareInternetScsiEnabled"
STATE, PRODUCT = "runtime.connectionState", "summary.config.product"
PATHS = ("name", "parent", STATE, PRODUCT, VSAN, ISCSI, OPTION_MANAGER, MODULE_SYSTEM)
GOLD = Ref("ClusterComputeResource", "domain-c7")
CLUSTERS = [has("ClusterComputeResource", "domain-c7", {"name": "gold"}), has("ClusterComputeResource", "domain-c8", {})]
OPTIONS, MODULES = Ref("OptionManager", "EsxHostAdvSettings-1"), Ref("HostKernelModuleSystem", "kernelModuleSystem-1")
NEEDED: dict[str, Any] = {
    "name": "esx-1",
    "parent": GOLD,
    STATE: "connected",
    PRODUCT: Product(version="8.0.3", build="24022510"),
    OPTION_MANAGER: OPTIONS,
    MODULE_SYSTEM: MODULES,
}


def host(name: str = "host-1", /, **values: Any) -> Any:
    return has("HostSystem", name, {**NEEDED, **values})


def found(*several: Any, paths: tuple[str, ...] = PATHS, **how: Any) -> Found:
    return Found(collect_hosts(Answers([*CLUSTERS, *several], **how).vcenter, ENDPOINT, circuit(), paths))


def test_a_host_has_its_cluster_build_and_state() -> None:
    booted = datetime(2026, 11, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    more = {"runtime.powerState": "poweredOn", "runtime.inMaintenanceMode": False, "runtime.bootTime": booted, VSAN: False, ISCSI: True}
    given = found(host(**more))
    [row] = given.rows("host")
    assert row == {
        "host_id": "host-1",
        "name": "esx-1",
        "cluster_id": "domain-c7",
        "cluster": "gold",
        "version": "8.0.3",
        "build": 24022510,
        "connection_state": "connected",
        "power_state": "poweredOn",
        "in_maintenance_mode": False,
        "boot_time": booted,
        "vsan_enabled": False,
        "software_iscsi": True,
    }
    assert row["boot_time"].tzinfo is UTC
    assert (given.gaps, given.complete) == ([], {"/hosts": True})
    managers = {OPTION_MANAGER: OPTIONS, MODULE_SYSTEM: MODULES}
    assert given.returned == [HostSeen(Ref("HostSystem", "host-1"), "esx-1", connected=True, software_iscsi=True, managers=managers)]


@pytest.mark.parametrize("state", ["disconnected", "notResponding", None])
def test_what_vcenter_remembers_of_a_host_it_has_lost_is_no_reading(state: str | None) -> None:
    given = found(host(**{STATE: state, VSAN: True, ISCSI: True}))
    [row] = given.rows("host")
    assert (row.get("vsan_enabled"), row.get("software_iscsi"), row.get("connection_state")) == (None, None, state)
    [seen] = given.returned
    assert (seen.connected, seen.software_iscsi) == (False, None)


@pytest.mark.parametrize(
    ("values", "expected", "gap"),
    [
        pytest.param({"parent": Ref("Folder", "group-h1")}, {}, None, id="in no cluster"),
        pytest.param(
            {"parent": Ref("ClusterComputeResource", "domain-c9")},
            {"cluster_id": "domain-c9"},
            ("cluster of host esx-1", "the name of domain-c9 is not reported"),
            id="in a cluster that is not listed",
        ),
        pytest.param(
            {"parent": Ref("ClusterComputeResource", "domain-c8")},
            {"cluster_id": "domain-c8"},
            ("cluster of host esx-1", "the name of domain-c8 is not reported"),
            id="in one without a name",
        ),
        pytest.param(
            {PRODUCT: Product(version="8.0.3", build="odd")}, {"cluster_id": "domain-c7", "cluster": "gold"}, None, id="odd build"
        ),
        pytest.param({PRODUCT: Product(version="8.0.3")}, {"cluster_id": "domain-c7", "cluster": "gold"}, None, id="no build"),
    ],
)
def test_what_is_not_known_of_a_host_is_left_open(values: dict[str, Any], expected: dict[str, Any], gap: tuple[str, str] | None) -> None:
    given = found(host(**values))
    [row] = given.rows("host")
    columns = {name: row[name] for name in ("cluster_id", "cluster") if name in row}
    assert columns == expected
    assert row.get("build") == (None if PRODUCT in values else 24022510)
    assert given.gaps == ([] if gap is None else [gap])
    assert given.complete == {"/hosts": gap is None}


def test_what_was_requested_and_is_not_reported_is_a_gap_but_for_its_managers() -> None:
    bare = has("HostSystem", "host-1", {STATE: "connected"}, {"name": "NoPermission", OPTION_MANAGER: "NoPermission"})
    given = found(bare, host("host-2"))
    assert given.gaps == [
        ("name of host host-1", "NoPermission"),
        ("parent, summary.config.product of host host-1", "vCenter does not report it"),
    ]
    assert given.rows("host")[0] == {"host_id": "host-1", "name": "host-1", "connection_state": "connected"}
    assert given.complete == {"/hosts": False}
    assert given.returned[0].managers == {OPTION_MANAGER: "NoPermission", MODULE_SYSTEM: "vCenter does not report it"}
    small = found(has("HostSystem", "host-1", {"name": "esx-1", STATE: "connected"}), paths=("name", STATE))
    assert (small.gaps, small.complete) == ([], {"/hosts": True})


def test_a_host_that_cannot_be_read_is_a_row_and_a_gap() -> None:
    given = found(host("host-1"), host("host-2"), refused=[Ref("HostSystem", "host-9")])
    assert given.rows("host")[-1] == {"host_id": "host-9", "name": "host-9"}
    assert (given.gaps, given.complete) == ([("host host-9", "refused")], {"/hosts": False})
    assert given.returned[-1] == HostSeen(Ref("HostSystem", "host-9"), "host-9", connected=False, software_iscsi=None)


def test_lists_that_are_refused_are_gaps() -> None:
    given = found(host(), lists={"HostSystem": REFUSED})
    assert (given.gaps, given.complete, given.returned) == ([("the list of hosts", "refused")], {"/hosts": False}, [])
    named = [("names of clusters", "refused"), ("cluster of host esx-1", "the name of domain-c7 is not reported")]
    for how in ({"lists": {"ClusterComputeResource": REFUSED}}, {"refused": [Ref("ClusterComputeResource", "domain-c1")]}):
        given = found(host(), **how)
        assert (given.gaps, given.complete) == (named, {"/hosts": False})


def test_clusters_that_nobody_requested_are_not_read() -> None:
    answers = Answers([*CLUSTERS, host()])
    given = Found(collect_hosts(answers.vcenter, ENDPOINT, circuit(), ("name", STATE)))
    assert ({kind for kind, _ in answers.asked}, given.complete) == ({"HostSystem"}, {"/hosts": False})  # the parent came all the same
    assert given.gaps == [("cluster of host esx-1", "the name of domain-c7 is not reported")]


def test_rows_are_handed_on_in_batches_and_none_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "_ROWS_A_BATCH", 2)
    given = found(*(host(f"host-{number}") for number in range(5)))
    assert [row["host_id"] for row in given.rows("host")] == [f"host-{number}" for number in range(5)]
    assert given.batches == ["host", "host", "host", "reading"]
