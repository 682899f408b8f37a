"""A finding's path begins where it is felt most: at its device, its disk, a disk on its datastore, or the slowest device of its host."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auditor.engine.rules.checked import checked_rules
from auditor.facts.catalog import view_columns
from auditor.impact.subject import DEVICE_COLUMNS, STORE_COLUMNS, Beginning, beginnings, path_from, path_of_finding, paths_of_machine
from auditor.model import Finding, Resource, Scalar
from tests.impact.asked import DEVICE, HOST, VCENTER, Asked, device, disk, queue, row_of, s0
from tests.report import samples


def about(kind: str, name: str, resource_id: str, host: str | None = HOST, endpoint: str = VCENTER, **evidence: Scalar) -> Finding:
    return replace(samples.pe_finding(), resource=Resource(kind, resource_id, name, endpoint, "gold", host), evidence=evidence)


OTHER = "naa.bbbb"
QUEUES = [
    queue(is_full=False, gavg_ms=5.0, driver="lpfc"),
    queue(device=OTHER, resource_name=OTHER, resource_id=f"host-1/{OTHER}", is_full=False, gavg_ms=40.0, driver="iscsi_vmk"),
    queue(host="esx-2", is_full=True, gavg_ms=1.0, driver="lpfc"),
    queue(device="naa.idle", resource_name="naa.idle", gavg_ms=None, driver="lpfc"),
]


@pytest.mark.parametrize(
    ("finding", "begin"),
    [
        pytest.param(about("protocol_endpoint", DEVICE, f"host-1/{DEVICE}"), Beginning(VCENTER, HOST, DEVICE), id="a device of a host"),
        pytest.param(
            about("shared_device", DEVICE, DEVICE, host=None),
            Beginning(VCENTER, "esx-2", DEVICE),
            id="a device of many hosts: where it is full",
        ),
        pytest.param(
            about("driver_queue", "lpfc", "host-1/lpfc", driver="lpfc"), Beginning(VCENTER, HOST, DEVICE), id="a driver: its slowest device"
        ),
        pytest.param(about("host_queue_full", HOST, "host-1"), Beginning(VCENTER, HOST, OTHER), id="a host: its slowest device"),
        pytest.param(
            about("array_pool", "aggr", "x", host=None, endpoint="na", devices=f"{OTHER} and 3 more"),
            Beginning(VCENTER, HOST, OTHER),
            id="a pool: the devices of its evidence",
        ),
        pytest.param(
            about("module", "options", "host-1/lpfc", module="lpfc"), Beginning(VCENTER, HOST, DEVICE), id="a module: its slowest device"
        ),
        pytest.param(
            about("array_pool", "aggr", "x", host=None, endpoint="na", device="", devices=f"{OTHER}, naa.idle"),
            Beginning(VCENTER, HOST, OTHER),
            id="a pool: the first of several devices of its evidence",
        ),
    ],
)
def test_a_finding_begins_at(finding: Finding, begin: Beginning) -> None:
    assert beginnings(Asked(device_queue=QUEUES), finding)[0] == begin


NO_NAMES = {"device_state"}
"""Columns of evidence that say something else of a device or a datastore."""


def test_every_column_of_evidence_that_names_devices_or_datastores_is_looked_at() -> None:
    columns = view_columns()
    named = {
        column
        for one in checked_rules().values()
        for column in one.rule.evidence
        if ("device" in column or "datastore" in column) and columns[one.rule.over].get(column) == "VARCHAR"
    }
    assert named - {*DEVICE_COLUMNS, *STORE_COLUMNS} == NO_NAMES
    assert {*DEVICE_COLUMNS, *STORE_COLUMNS} <= {column for view in columns.values() for column in view}, "no view has it any more"


@pytest.mark.parametrize("column", DEVICE_COLUMNS)
@pytest.mark.parametrize("name", ["naa.1", "eui.2", "t10.3", "mpx.4", "uuid.5", "nqn.6"])
def test_a_device_is_known_by_what_names_of_devices_begin_with(column: str, name: str) -> None:
    finding = about("array_pool", "aggr", "x", host=None, endpoint="na", **{column: f"x, {name} and 3 more"})
    queues = [queue(device=name, resource_name=name)]
    assert beginnings(Asked(device_queue=queues), finding) == [Beginning(VCENTER, HOST, name)]


@pytest.mark.parametrize("column", STORE_COLUMNS)
def test_of_more_datastores_than_are_named_the_last_is_looked_at_as_well(column: str) -> None:
    disks = [disk("one", datastore="rock and roll", host="esx-1"), disk("two", datastore="other", host="esx-2")]
    finding = about("storage_pod", "pod", "group-p1", host=None, **{column: "first, rock and roll and 12 more"})
    assert [one.host for one in beginnings(Asked(disk_stream=disks), finding)] == ["esx-1"]


def test_a_machine_on_a_datastore_that_two_columns_name_counts_once() -> None:
    finding = about("storage_pod", "pod", "group-p1", host=None, datastore_names="one, two", sioc_datastores="one")
    [begin] = beginnings(Asked(disk_stream=[disk("db", datastore="one")]), finding)
    assert begin.about == ("vm-db/Hard disk 1",)


def test_a_device_without_load_begins_at_itself() -> None:
    assert beginnings(Asked(), about("device", DEVICE, f"host-1/{DEVICE}")) == [Beginning(VCENTER, HOST, DEVICE)]


def test_what_is_about_no_device_has_no_path() -> None:
    finding = about("storage_pod", "pod", "group-p1", host=None)
    assert beginnings(Asked(device_queue=QUEUES), finding) == []
    assert path_of_finding(Asked(device_queue=QUEUES), finding) == (None, 0)


def test_a_datastore_begins_at_its_slowest_disk_that_is_not_off() -> None:
    disks = [
        disk("fast", datastore_id="ds-1", datastore="one", latency_ms=1.0),
        disk("slow", datastore_id="ds-1", datastore="one", latency_ms=90.0, host="esx-2"),
        disk("off", datastore_id="ds-1", datastore="one", latency_ms=999.0, host="esx-3", runs=False),
        disk("elsewhere", datastore_id="ds-2", datastore="two", latency_ms=999.0, host="esx-4"),
    ]
    begun = beginnings(Asked(disk_stream=disks), about("datastore", "one", "ds-1", host=None))
    assert [(one.host, one.about) for one in begun] == [("esx-2", ("vm-slow/Hard disk 1",)), (HOST, ("vm-fast/Hard disk 1",))]
    [only] = beginnings(Asked(disk_stream=disks), about("datastore_load", "one", "ds-1/host-1"))
    assert only.host == HOST


def test_a_virtual_volume_of_an_array_begins_at_the_disk_that_lies_on_it() -> None:
    asked = Asked(disk_stream=[disk("noisy", array_name="sf", volume_id="4"), disk("other", array_name="sf", volume_id="5")])
    [begin] = beginnings(asked, about("array_volume", "noisy.vmdk", "4", host=None, endpoint="sf"))
    assert begin.about == ("vm-noisy/Hard disk 1",)


def test_a_policy_begins_at_the_slowest_disk_under_it() -> None:
    volumes = [
        row_of("array_volume", endpoint="sf", volume_id=one, qos_policy=policy)
        for one, policy in (("4", "Bronze"), ("5", "Bronze"), ("6", "Gold"))
    ]
    disks = [disk(f"vm{one}", array_name="sf", volume_id=one, latency_ms=float(one), host=f"esx-{one}") for one in ("4", "5", "6")]
    off = disk("off", array_name="sf", volume_id="4", latency_ms=999.0, runs=False)
    begun = beginnings(Asked(array_volume=volumes, disk_stream=[*disks, off]), about("qos_policy", "Bronze", "1", host=None, endpoint="sf"))
    assert [one.host for one in begun] == ["esx-5", "esx-4"]


def test_a_finding_about_a_machine_begins_at_its_slowest_disk() -> None:
    disks = [
        disk("db", latency_ms=2.0),
        disk("db", latency_ms=8.0, device=OTHER, resource_id="vm-db/Hard disk 2"),
        disk("db", latency_ms=99.0, endpoint="vc-2"),
        disk("web", latency_ms=99.0),
    ]
    begun = beginnings(Asked(disk_stream=disks), about("restarted_machine", "db", "vm-db"))
    assert begun == [
        Beginning(VCENTER, HOST, OTHER, about=("vm-db/Hard disk 2",)),
        Beginning(VCENTER, HOST, DEVICE, about=("vm-db/Hard disk 1",)),
    ]


def test_a_finding_about_a_disk_shows_that_disk_first_and_says_how_many_paths_there_are() -> None:
    path, more = path_of_finding(s0(), about("virtual_disk", "quiet Hard disk 1", "vm-quiet/Hard disk 1"))
    assert path is not None
    assert path.disks[0].name == "quiet Hard disk 1"
    assert more == 0


def test_a_machine_has_a_path_for_each_device_and_share() -> None:
    asked = Asked(
        device=[device(), device(device=OTHER), device(device="naa.off")],
        disk_stream=[
            disk("db"),
            disk("db", device=OTHER, resource_id="vm-db/Hard disk 2"),
            disk("db", device=None, datastore="nfs", resource_id="vm-db/Hard disk 3"),
            disk("another"),
            disk("db", device="naa.off", resource_id="vm-db/Hard disk 4", runs=False),
        ],
    )
    assert {path.device for path in paths_of_machine(asked, "db")} == {DEVICE, OTHER, None}
    assert paths_of_machine(asked, "nobody") == []


def test_a_host_without_devices_has_no_path_and_neither_has_a_device_of_no_host() -> None:
    assert beginnings(Asked(), about("host_queue_full", HOST, "host-1")) == []
    assert beginnings(Asked(), about("shared_device", DEVICE, DEVICE, host=None)) == []


def test_a_beginning_with_neither_device_nor_share_has_no_path() -> None:
    assert path_from(Asked(disk_stream=[disk("one", device=None)]), Beginning(VCENTER, HOST, None)) is None


def test_a_finding_that_names_datastores_begins_at_the_slowest_disk_on_them() -> None:
    disks = [
        disk(f"on {store}", datastore=store, latency_ms=latency, host=f"esx-{store}", runs=runs)
        for store, latency, runs in (("one", 1.0, True), ("two", 90.0, True), ("three", 999.0, True), ("one", 999.0, False))
    ]
    begun = beginnings(Asked(disk_stream=disks), about("storage_pod", "pod", "group-p1", host=None, datastores="one, two"))
    assert [one.host for one in begun] == ["esx-two", "esx-one"]


@pytest.mark.parametrize(
    ("endpoint", "host", "hosts"),
    [
        pytest.param(VCENTER, None, ["esx-2", "esx-1"], id="of a vCenter: its own datastore of that name"),
        pytest.param(VCENTER, "esx-1", ["esx-1"], id="of a host: its own disks"),
        pytest.param(VCENTER, "esx-3", ["esx-2", "esx-1"], id="of a host without disks there"),
        pytest.param("vc-3", None, [], id="of a vCenter that has disks elsewhere alone"),
        pytest.param("na", None, ["esx-9", "esx-2", "esx-1"], id="of an array: those of every vCenter"),
    ],
)
def test_a_datastore_of_the_same_name_on_another_vcenter_is_another_one(endpoint: str, host: str | None, hosts: list[str]) -> None:
    disks = [
        disk("near", datastore="datastore1", latency_ms=1.0, host="esx-1"),
        disk("slow", datastore="datastore1", latency_ms=5.0, host="esx-2"),
        disk("far", datastore="datastore1", latency_ms=90.0, host="esx-9", endpoint="vc-2"),
        disk("other", datastore="datastore2", latency_ms=90.0, host="esx-8", endpoint="vc-3"),
    ]
    finding = about("storage_event", "lost", "e-1", host=host, endpoint=endpoint, datastores="datastore1")
    assert [one.host for one in beginnings(Asked(disk_stream=disks), finding)] == hosts


def test_a_finding_that_names_no_datastore_does_not_begin_at_one_whose_name_is_none() -> None:
    asked = Asked(disk_stream=[disk("one", datastore="None")])
    assert beginnings(asked, about("storage_pod", "pod", "group-p1", host=None)) == []


def test_disks_of_one_device_are_one_beginning_and_those_of_no_known_place_are_none() -> None:
    disks = [
        disk("unmeasured", datastore_id="ds-1", datastore="one", device=OTHER),
        disk("a", datastore_id="ds-1", datastore="one", latency_ms=0.5),
        disk("b", datastore_id="ds-1", datastore="renamed", latency_ms=0.4),
        disk("no host", datastore_id="ds-1", datastore="one", host=None),
        disk("no place", datastore_id="ds-1", device=None),
    ]
    begun = beginnings(Asked(disk_stream=disks), about("datastore", "one", "ds-1", host=None))
    assert begun == [
        Beginning(VCENTER, HOST, DEVICE, about=("vm-a/Hard disk 1", "vm-b/Hard disk 1")),
        Beginning(VCENTER, HOST, OTHER, about=("vm-unmeasured/Hard disk 1",)),
    ]


def test_of_devices_that_wait_as_long_the_first_host_comes_first_and_one_that_was_not_measured_last() -> None:
    rows = [
        queue(device=DEVICE, host=host, gavg_ms=latency) for host, latency in (("esx-0", None), ("esx-2", 0.5), (None, 0.5), ("esx-1", 0.5))
    ]
    begun = beginnings(Asked(device_queue=rows), about("shared_device", DEVICE, DEVICE, host=None))
    assert begun == [Beginning(VCENTER, host, DEVICE) for host in ("esx-1", "esx-2", "esx-0")]
