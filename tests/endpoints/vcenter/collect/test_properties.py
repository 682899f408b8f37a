"""What vCenter tells as properties: datastore clusters, iSCSI parameters, networks, volumes, disks, running tasks, extensions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import (
    OpaqueNetwork,
    PortGroup,
    PortGroupSpec,
    ProxySwitch,
    Ref,
    SwitchPort,
    VirtualNic,
    VirtualNicSpec,
    VirtualSwitch,
)
from auditor.endpoints.vcenter.bulk.transports import BulkReader
from auditor.endpoints.vcenter.collect.network import network_of
from auditor.endpoints.vcenter.collect.rows import HostSeen
from auditor.endpoints.vcenter.collect.topics import collect_vcenter
from auditor.endpoints.vcenter.move_watch import read_moves
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.endpoints.vcenter.settings.datastore_sioc import DatastoreSioc
from auditor.endpoints.vcenter.settings.iscsi_target_option import IscsiTargetOption
from auditor.facts.needs import EVERYTHING, Needs, needs
from auditor.facts.snapshots.earlier import live_topics
from auditor.facts.table import Fact
from auditor.model import BulkTransport, Endpoint, Target
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import ALL
from tests.endpoints.vcenter.collect.test_topics import Collected

Serve = Callable[..., tuple[VCenterServer, Endpoint]]
HOST = "host-11"
PROPERTIES = """
vcenters:
  - name: vc-properties
    host_build: 22380479
    devices:
      disks: {vendor: PURE, model: FlashArray, names: [naa.624a9370aaaa, naa.624a9370bbbb], targets: [iqn.2010-06.com.purestorage:x]}
    clusters:
      - name: one
        hosts:
          - name: esx-1
            hbas:
              - device: vmhba64
                kind: iscsi
                driver: iscsi_vmk
                model: iSCSI Software Adapter
                software: true
                parameters: {LoginTimeout: 30}
                targets:
                  - {address: 198.51.100.1, parameters: {NoopOutInterval: 20}}
                  - kind: static
                    address: 198.51.100.2
                    iqn: "iqn.2001-05.com.equallogic:Y"
                    delayed_ack: false
                    parameters: {LoginTimeout: 60}
            devices: [disks]
            vmknics:
              - {device: vmk1, portgroup: iscsi, switch: vSwitch1, switch_mtu: 1600, mtu: 9000, ip: 198.51.100.11, subnet_mask: 255.255.0.0}
              - {device: vmk2, portgroup: dvportgroup-31, switch: dvs, distributed: true, switch_mtu: 9000, mtu: 9000, stack: vmotion}
    datastores:
      - {name: inside-1, type: VMFS, extents: [naa.624a9370aaaa, naa.624a9370bbbb], clusters: [one], unmap_priority: none, local: true}
      - {name: inside-2, type: VMFS, extents: [naa.624a9370aaaa], clusters: [one], vmfs_version: "5.81"}
      - {name: outside, type: NFS, remote_host: "FD00:0:0::9", remote_path: /f, clusters: [one], maintenance_mode: inMaintenance}
    pods:
      - name: gold
        datastores: [inside-1, inside-2]
        io_metric: true
        behavior: manual
        io_latency_threshold_ms: 25
        interval_minutes: 120
        automation: {io_load_balance: automated}
        vm_behaviors: {vm-1: automated, vm-2: manual, vm-3: disabled}
      - {name: idle, datastores: [], enabled: false, io_metric: true}
    vms:
      - name: "vm-{n}"
        count: 3
        cluster: one
        latency_sensitivity: high
        disks:
          - {datastore: inside-1, shares: high, iops_reservation: 200, provisioning: eager}
          - {datastore: inside-1, shares: 1500, provisioning: lazy}
          - {datastore: inside-2}
      - {name: plain, cluster: one, latency_sensitivity: ""}
    relocations:
      - {vm: vm-1, datastore: inside-2, progress_percent: 40, running_minutes: 30}
    extensions:
      - {key: com.solidfire.qossioc, version: 4.2.3, company: NetApp}
"""


@pytest.fixture
def described() -> VCenterDescription:
    """One host, three datastores, two datastore clusters, three machines, one of them on its way."""
    return parse_scenario(PROPERTIES, "properties").vcenters[0]


def collect(endpoint: Endpoint, wanted: Needs = EVERYTHING) -> Collected:
    with open_vcenter(endpoint) as vcenter:
        return Collected(collect_vcenter(vcenter, endpoint, wanted))


@pytest.fixture
def collected(serve_vcenter: Serve, described: VCenterDescription) -> Collected:
    """All of `described`."""
    _, endpoint = serve_vcenter(described)
    whole = collect(endpoint)
    assert whole.gaps == []
    assert whole.incomplete() == set()
    return whole


def picked(row: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def test_a_machine_that_is_being_moved_is_watched_by_its_task(serve_vcenter: Serve, described: VCenterDescription) -> None:
    _, endpoint = serve_vcenter(described)
    now = datetime(2026, 11, 29, tzinfo=UTC)
    with open_vcenter(endpoint) as vcenter:
        [move] = read_moves(vcenter, now)
    assert (move.machine, move.at) == ("vm-1", now)
    assert move.percent is not None
    assert 40 <= move.percent < 100, "40 % after 30 minutes, and the lab's clock goes on"


@pytest.mark.long
def test_a_datastore_cluster_is_told_as_it_is_set_with_its_overrides(collected: Collected) -> None:
    gold, idle = (collected.one("storage_pod", name=name) for name in ("gold", "idle"))
    assert picked(gold, "sdrs_enabled", "io_metric_enabled", "default_behavior") == (True, True, "manual")
    assert picked(gold, "space_automation", "io_automation") == (None, "automated")
    assert picked(gold, "io_latency_threshold_ms", "load_balance_interval_minutes") == (25, 120)
    assert gold["automated_vms"] == 1, "one is manual, and Storage DRS is disabled for another"
    assert picked(idle, "sdrs_enabled", "io_metric_enabled", "io_automation", "automated_vms") == (False, True, None, 0)


def test_a_datastore_names_the_cluster_it_is_in(collected: Collected) -> None:
    gold = collected.one("storage_pod", name="gold")["pod_id"]
    assert {row["name"]: row["pod_id"] for row in collected.tables["datastore"]} == {"inside-1": gold, "inside-2": gold, "outside": None}
    hosts = {row["name"]: row["nfs_host"] for row in collected.tables["datastore"]}
    assert hosts == {"inside-1": None, "inside-2": None, "outside": "fd00::9"}, "IPv6 in one spelling"


@pytest.mark.long
def test_a_datastore_is_told_with_what_its_volume_says(collected: Collected) -> None:
    columns = (
        "extents",
        "is_local",
        "block_size_kib",
        "unmap_priority",
        "unmap_granularity_kib",
        "multiple_host_access",
        "maintenance_mode",
    )
    rows = {row["name"]: picked(row, *columns) for row in collected.tables["datastore"]}
    assert rows["inside-1"] == (2, True, 1024, "none", 1024, False, "normal")
    assert rows["inside-2"] == (1, False, 1024, None, None, False, "normal"), "VMFS 5 knows no automatic unmap"
    assert rows["outside"] == (None, None, None, None, None, False, "inMaintenance")


@pytest.mark.long
def test_parameters_of_adapter_and_targets_are_told_with_where_they_come_from(collected: Collected) -> None:
    options = {(row["target"], row["key"]): picked(row, "value", "is_inherited") for row in collected.rows("iscsi_option", hba="vmhba64")}
    sent, found, own = (
        "198.51.100.1:3260",
        "198.51.100.1:3260 iqn.2010-06.com.purestorage:x",
        "198.51.100.2:3260 iqn.2001-05.com.equallogic:y",
    )
    assert {target for target, _ in options} == {"", sent, found, own}
    assert options["", "LoginTimeout"] == ("30", None)
    assert options["", "DelayedAck"] == ("true", None)
    assert (options[sent, "LoginTimeout"], options[sent, "NoopOutInterval"]) == (("30", True), ("20", False))
    assert (options[found, "LoginTimeout"], options[found, "NoopOutInterval"]) == (("30", True), ("20", True))
    assert (options[own, "LoginTimeout"], options[own, "NoopOutInterval"]) == (("60", False), ("15", True))
    assert options[own, "DelayedAck"] == ("false", False)


@pytest.mark.long
def test_a_parameter_set_on_one_target_is_told_as_its_own_and_the_others_keep_theirs(
    serve_vcenter: Serve, described: VCenterDescription
) -> None:
    _, endpoint = serve_vcenter(described)
    where = {"host_id": HOST, "hba": "vmhba64", "target_kind": "static", "address": "198.51.100.1", "port": "3260"}
    target = Target("vc-test", tuple({**where, "iqn": "iqn.2010-06.com.purestorage:x", "option": "LoginTimeout"}.items()))
    with open_vcenter(endpoint) as vcenter:
        IscsiTargetOption().write(vcenter, target, 45)
    rows = collect(endpoint).rows("iscsi_option", key="LoginTimeout")
    assert {row["target"].rpartition(" ")[2]: picked(row, "value", "is_inherited") for row in rows} == {
        "": ("30", None),
        "198.51.100.1:3260": ("30", True),
        "iqn.2010-06.com.purestorage:x": ("45", False),
        "iqn.2001-05.com.equallogic:y": ("60", False),
    }


@pytest.mark.long
def test_vmkernel_adapters_are_told_with_the_switch_they_are_on(collected: Collected) -> None:
    nics = {row["vmk"]: row for row in collected.rows("vmknic", host_id=HOST)}
    assert set(nics) == {"vmk0", "vmk1", "vmk2"}
    assert picked(nics["vmk1"], "mtu", "switch_mtu", "switch_kind", "switch", "portgroup") == (9000, 1600, "standard", "vSwitch1", "iscsi")
    assert picked(nics["vmk1"], "ip", "subnet_mask", "stack") == ("198.51.100.11", "255.255.0.0", "defaultTcpipStack")
    assert picked(nics["vmk2"], "mtu", "switch_mtu", "switch_kind", "switch") == (9000, 9000, "distributed", "dvs")
    assert picked(nics["vmk2"], "portgroup", "stack") == ("dvportgroup-31", "vmotion")


def test_a_machine_and_its_disks_are_told_with_what_they_are_promised(collected: Collected) -> None:
    machine = collected.one("vm", name="vm-2")
    assert machine["latency_sensitivity"] == "high"
    assert collected.one("vm", name="plain")["latency_sensitivity"] is None, "the API lets it be unset"
    columns = ("shares_level", "shares", "iops_reservation", "is_thin", "is_eager_zeroed")
    disks = {row["disk"]: picked(row, *columns) for row in collected.rows("vm_disk", vm_id=machine["vm_id"])}
    assert disks == {
        "Hard disk 1": ("high", 2000, 200, False, True),
        "Hard disk 2": ("custom", 1500, None, False, None),
        "Hard disk 3": ("normal", 1000, None, True, None),
    }


def test_tools_that_report_no_guest_are_another_thing_than_a_guest_that_was_not_read(
    serve_vcenter: Serve, described: VCenterDescription, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, endpoint = serve_vcenter(described)
    needed = needs([("vm", "running_guest_id")])
    assert {row["running_guest_id"] for row in collect(endpoint, needed).rows("vm")} == {""}, "Tools of no machine report one"
    page = BulkReader.page

    def refused(reader: BulkReader, kind: str, paths: Sequence[str], refs: Sequence[Ref]) -> Any:
        found, size = page(reader, kind, paths, refs)
        return [
            dataclasses.replace(one, missing={"guest.guestId": "NoPermission"}) if kind == "VirtualMachine" else one for one in found
        ], size

    monkeypatch.setattr(BulkReader, "page", refused)
    assert {row["running_guest_id"] for row in collect(endpoint, needed).rows("vm")} == {None}


@pytest.mark.long
def test_what_runs_is_told_and_what_has_ended_is_not(serve_vcenter: Serve, described: VCenterDescription) -> None:
    _, endpoint = serve_vcenter(described)
    with open_vcenter(endpoint) as vcenter:
        DatastoreSioc().write(vcenter, Target("vc-test", (("datastore_id", "datastore-101"),)), value=True)
        assert len(vcenter.bulk.page("TaskManager", ("recentTask",), [Ref("TaskManager", "TaskManager")])[0][0].values["recentTask"]) == 2
        found = Collected(collect_vcenter(vcenter, endpoint))
    task = found.one("running_task")
    moved = found.one("vm", name="vm-1")["vm_id"]
    assert picked(task, "description_id", "state", "progress_percent") == ("VirtualMachine.relocate", "running", 40)
    assert picked(task, "entity_type", "entity_id", "entity_name") == ("VirtualMachine", moved, "vm-1")
    ago = datetime.now(UTC) - task["started_at"]
    assert timedelta(minutes=30) <= ago < timedelta(minutes=35)
    target = found.one("datastore", datastore_id=task["target_datastore_id"])["name"]  # which only an event tells
    assert target == described.relocations[0].datastore
    assert found.complete("", "tasks")


@pytest.mark.long
def test_what_is_registered_with_vcenter_is_told(collected: Collected, small_vcenter: VCenterDescription, serve_vcenter: Serve) -> None:
    assert picked(collected.one("vcenter_extension", key="com.solidfire.qossioc"), "version", "company") == ("4.2.3", "NetApp")
    _, other = serve_vcenter(small_vcenter)
    plain = collect(other)
    assert plain.complete("", "extensions")
    assert {"com.solidfire.qossioc"} == {r["key"] for r in collected.tables["vcenter_extension"]} - {
        r["key"] for r in plain.tables["vcenter_extension"]
    }


@pytest.mark.long
def test_every_lane_fills_the_same_rows(serve_vcenter: Serve, described: VCenterDescription) -> None:
    _, endpoint = serve_vcenter(described)
    by_lane = {}
    for lane in BulkTransport:
        found = collect(dataclasses.replace(endpoint, lane=lane))
        assert found.gaps == []
        # Counters are read one way by all, and go on from one lane to the next.
        names = sorted(name for name in found.tables if not name.endswith("_load"))
        rows = {name: [{**row, "read_at": None} for row in found.tables[name]] for name in names}
        by_lane[lane] = {name: sorted(map(repr, listed)) for name, listed in rows.items()}
    assert by_lane[BulkTransport.SOAP] == by_lane[BulkTransport.PYVMOMI] == by_lane[BulkTransport.VIJSON]
    assert {"storage_pod", "iscsi_option", "vmknic", "running_task", "vcenter_extension"} <= set(by_lane[BulkTransport.SOAP])


def test_what_may_not_be_read_is_a_gap_and_no_value(serve_vcenter: Serve, described: VCenterDescription) -> None:
    server, endpoint = serve_vcenter(described)
    server.privileges = ALL - {"System.Read"}
    found = collect(endpoint)
    assert {(scope, topic) for scope, topic in found.incomplete() if not scope} == {
        ("", topic) for topic in ("hosts", "datastores", "vms", "disk_load", "pods", "tasks", "storage_events")
    }
    assert found.complete("", "extensions"), "the API asks no more than System.View for these"
    for table in ("storage_pod", "vmknic", "iscsi_option", "running_task"):
        assert found.rows(table) == [], table
    assert {"the list of datastore clusters", "task task-1"} <= {gap.what for gap in found.gaps}


class Asked:
    """The kinds and properties that were asked for, and the kinds that were listed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paths: set[tuple[str, str]] = set()
        page = BulkReader.page

        def noting(reader: BulkReader, kind: str, paths: Sequence[str], refs: Sequence[Ref]) -> Any:
            self.paths |= {(kind, path) for path in paths}
            return page(reader, kind, paths, refs)

        monkeypatch.setattr(BulkReader, "page", noting)

    @property
    def kinds(self) -> set[str]:
        return {kind for kind, _ in self.paths}


@pytest.mark.parametrize(
    ("facts", "asked", "never"),
    [
        pytest.param(
            [("host", "name")], ("HostSystem", "name"), {"Datastore", "StoragePod", "TaskManager", "ExtensionManager"}, id="hosts"
        ),
        pytest.param([("vmknic", "mtu")], ("HostSystem", "config.network.vnic"), {"Datastore", "StoragePod", "TaskManager"}, id="networks"),
        pytest.param([("storage_pod", "io_metric_enabled")], ("StoragePod", "name"), {"HostSystem", "Datastore", "Task"}, id="clusters"),
        pytest.param([("datastore", "pod_id")], ("Datastore", "parent"), {"HostSystem", "StoragePod"}, id="who is in a cluster"),
        pytest.param([("running_task", "state")], ("TaskManager", "recentTask"), {"HostSystem", "ExtensionManager"}, id="tasks"),
        pytest.param([("vcenter_extension", "key")], ("ExtensionManager", "extensionList"), {"HostSystem", "Task"}, id="extensions"),
    ],
)
def test_what_is_not_needed_is_not_asked_for(
    serve_vcenter: Serve,
    described: VCenterDescription,
    monkeypatch: pytest.MonkeyPatch,
    facts: list[Fact],
    asked: tuple[str, str],
    never: set[str],
) -> None:
    _, endpoint = serve_vcenter(described)
    spy = Asked(monkeypatch)
    found = collect(endpoint, needs(facts))
    assert found.gaps == []
    assert found.incomplete() == set()
    assert asked in spy.paths
    assert spy.kinds.isdisjoint(never)
    rare = {"info", "config.latencySensitivity.level", "podStorageDrsEntry.storageDrsConfig.vmConfig", "config.storageDevice.scsiLun"}
    assert rare.isdisjoint({path for kind, path in spy.paths if kind != "Task"})
    if facts[0][0] != "vmknic":
        assert not [path for _, path in spy.paths if path.startswith("config.network")]


def test_a_count_of_overrides_that_was_not_asked_for_is_unknown_and_not_none_at_all(
    serve_vcenter: Serve, described: VCenterDescription
) -> None:
    _, endpoint = serve_vcenter(described)
    assert {row["automated_vms"] for row in collect(endpoint, needs([("storage_pod", "name")])).rows("storage_pod")} == {None}


def test_networks_are_read_each_time_and_never_taken_over() -> None:
    assert "network" in EVERYTHING.topics
    assert "network" not in live_topics(EVERYTHING)


VNIC, SWITCH, PROXY, GROUP = (f"config.network.{name}" for name in ("vnic", "vswitch", "proxySwitch", "portgroup"))
STANDARD = {
    SWITCH: [VirtualSwitch(name="vSwitch0", mtu=1500)],
    GROUP: [PortGroup(spec=PortGroupSpec(name="Management Network", vswitch_name="vSwitch0"))],
}
VMK0 = VirtualNic(device="vmk0", portgroup="Management Network", spec=VirtualNicSpec(mtu=1500))
ON_A_DVS = VirtualNic(device="vmk1", portgroup="", spec=VirtualNicSpec(distributed_virtual_port=SwitchPort(switch_uuid="50 2c")))
ON_NSX = VirtualNic(device="vmk2", portgroup="", spec=VirtualNicSpec(mtu=1700, opaque_network=OpaqueNetwork(opaque_network_id="x")))


@pytest.mark.parametrize(
    ("values", "missing", "switches", "whole"),
    [
        pytest.param(
            {VNIC: [VMK0], **STANDARD}, {}, {"vmk0": ("standard", 1500)}, True, id="no distributed switch, which vCenter leaves unset"
        ),
        pytest.param({VNIC: [VMK0], **STANDARD}, {PROXY: "NoPermission"}, {"vmk0": ("standard", 1500)}, False, id="one part refused"),
        pytest.param({VNIC: [VMK0], SWITCH: STANDARD[SWITCH]}, {GROUP: "no"}, {"vmk0": (None, None)}, False, id="port groups refused"),
        pytest.param({VNIC: [VMK0]}, {}, {"vmk0": (None, None)}, True, id="a port group of no switch that vCenter lists"),
        pytest.param(
            {VNIC: [VMK0, ON_A_DVS], **STANDARD}, {}, {"vmk0": ("standard", 1500), "vmk1": (None, None)}, True, id="a switch not listed"
        ),
        pytest.param(
            {VNIC: [ON_A_DVS], PROXY: [ProxySwitch(dvs_uuid="50 2c", dvs_name="dvs")]},
            {},
            {"vmk1": ("distributed", None)},
            True,
            id="no MTU told",
        ),
        pytest.param(
            {VNIC: [VMK0, ON_NSX], **STANDARD}, {}, {"vmk0": ("standard", 1500), "vmk2": ("opaque", None)}, True, id="another's switch"
        ),
        pytest.param(STANDARD, {}, {}, False, id="no adapter at all"),
        pytest.param(STANDARD, {VNIC: "NoPermission"}, {}, False, id="adapters refused"),
    ],
)
def test_a_switch_that_was_not_read_is_a_hole_and_no_guess(
    serve_vcenter: Serve, values: dict[str, Any], missing: dict[str, str], switches: dict[str, Any], whole: bool
) -> None:
    _, endpoint = serve_vcenter()
    host = HostSeen(Ref("HostSystem", HOST), "esx-1", connected=True, software_iscsi=None)
    found = Collected(network_of(endpoint, host, ObjectProperties(host.ref, values, missing)))
    assert {row["vmk"]: picked(row, "switch_kind", "switch_mtu") for row in found.rows("vmknic")} == switches
    assert found.complete(HOST, "network") is whole
    assert bool(found.gaps) is not whole
