"""Reading a vCenter into fact tables: everything the schema names, and a gap for everything that could not be read."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import vim

from auditor.endpoints.vcenter.collect.load import LOAD_TOPICS
from auditor.endpoints.vcenter.collect.topics import collect_vcenter
from auditor.endpoints.vcenter.privileges import ESXCLI_TOPICS
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.endpoints.vcenter.settings.host_option import HostOption
from auditor.facts.schema import HOST_TOPICS, VCENTER_TOPICS, Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.model import Endpoint, Gap, Target
from auditor_lab.description import LabFleet
from auditor_lab.scenario import load_scenario
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import ALL
from auditor_lab.vcsim import export_vcsim
from auditor_lab.wire import Fault
from tests.peers import CARRIED
from tests.waiting import NEVER_SECONDS, SHORT_SECONDS

pytestmark = pytest.mark.long

Serve = Callable[..., tuple[VCenterServer, Endpoint]]
ISCSI_1, ISCSI_2, FC = "host-11", "host-12", "host-13"
PE = "naa.6f47acc2000000017366707200000000"
STATIC_IQN = "iqn.2010-06.com.purestorage:x"


class Collected:
    """What a collector yielded, by table."""

    def __init__(self, items: Iterable[Batch | Gap]) -> None:
        self.gaps: list[Gap] = []
        self.tables: dict[str, list[dict[str, Any]]] = {}
        self.largest = 0
        for item in items:
            if isinstance(item, Gap):
                self.gaps.append(item)
                continue
            names, columns = list(item.columns), list(item.columns.values())
            rows = [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
            self.largest = max(self.largest, len(rows))
            self.tables.setdefault(item.table, []).extend(rows)

    def rows(self, table: str, **where: Any) -> list[dict[str, Any]]:
        return [row for row in self.tables.get(table, []) if where.items() <= row.items()]

    def one(self, table: str, **where: Any) -> dict[str, Any]:
        (row,) = self.rows(table, **where)
        return row

    def complete(self, scope: str, topic: str) -> bool:
        return bool(self.one("reading", scope=scope, topic=topic)["complete"])

    def incomplete(self) -> set[tuple[str, str]]:
        return {(row["scope"], row["topic"]) for row in self.tables["reading"] if not row["complete"]}


def collect(endpoint: Endpoint) -> Collected:
    with open_vcenter(endpoint) as vcenter:
        return Collected(collect_vcenter(vcenter, endpoint))


def every_topic_once(collected: Collected, hosts: Iterable[str]) -> bool:
    reported = Counter((row["scope"], row["topic"]) for row in collected.tables["reading"])
    wanted = {(host, topic) for host in hosts for topic in HOST_TOPICS} | {("", topic) for topic in VCENTER_TOPICS}
    return set(reported) == wanted and set(reported.values()) == {1}


def without_endpoint(rows: Iterable[dict[str, Any]], *dropped: str) -> list[tuple[Any, ...]]:
    return sorted((tuple(value for name, value in row.items() if name not in {"endpoint", *dropped}) for row in rows), key=repr)


def test_every_topic_of_every_host_is_read_whole_and_a_snapshot_takes_it(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        items = list(collect_vcenter(vcenter, endpoint))
    collected = Collected(items)
    assert collected.gaps == []
    assert collected.incomplete() == set()
    assert every_topic_once(collected, [ISCSI_1, ISCSI_2, FC])
    builder = SnapshotBuilder()
    for item in items:
        builder.add(item)
    now = datetime.now(UTC)
    snapshot = builder.finish((), started=now, finished=now)
    assert snapshot.hosts == 3
    booted = snapshot.connection.execute("SELECT max(epoch(boot_time)) FROM fact.host").fetchone()
    assert booted is not None
    assert booted[0] < now.timestamp()


def test_a_host_is_told_with_its_cluster_and_build(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    host = collect(endpoint).one("host", host_id=FC)
    assert (host["name"], host["cluster"], host["version"], host["build"]) == ("esx-fc", "two", "8.0.2", 22380479)
    assert (host["connection_state"], host["software_iscsi"], host["vsan_enabled"]) == ("connected", False, False)


def test_options_keep_their_wire_type_and_hidden_ones_are_asked_by_name(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.state.hosts[FC].options["ISCSI.MaxIoSizeKB"] = 512
    options = {row["key"]: row for row in collect(endpoint).rows("host_option", host_id=FC)}
    assert options["ISCSI.MaxIoSizeKB"]["value"] == "512"
    assert options["VMFS3.HardwareAcceleratedLocking"]["value"] == "1"
    assert options["DataMover.MaxHWTransferSize"]["value"] == "4096"  # docs/domain/facts.md#3-7
    assert {row["value_type"] for row in options.values()} == {"long"}


def test_an_option_written_a_moment_ago_is_read_as_it_is_now(
    start_vcsim: Callable[..., Endpoint], small_vcenter: VCenterDescription, tmp_path: Path
) -> None:
    # A loaded vcsim leaves config.option as it was (docs/domain/peers.md#traps), so an audit after a fix would see the old value there.
    export_vcsim(LabFleet(vcenters=(small_vcenter,)), tmp_path / "model")
    target = Target("vcsim", (("host_id", FC), ("option", "ISCSI.MaxIoSizeKB")))
    with open_vcenter(start_vcsim(tmp_path / "model")) as vcenter:
        HostOption().write(vcenter, target, 512)
        stale = {one.key: one.value for one in vcenter.value(vim.HostSystem, FC, "config.option")}
        assert stale["ISCSI.MaxIoSizeKB"] == 128
        collected = Collected(collect_vcenter(vcenter, vcenter.endpoint))
    assert collected.one("host_option", host_id=FC, key="ISCSI.MaxIoSizeKB")["value"] == "512"


def test_modules_of_the_hosts_adapters_are_told_with_their_parameters(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    collected = collect(endpoint)
    module = collected.one("host_module", host_id=ISCSI_1)
    assert (module["module"], module["loaded"], module["option_string"]) == (
        "iscsi_vmk",
        True,
        "iscsivmk_HostQDepth=2048 iscsivmk_LunQDepth=192",
    )
    depth = collected.one("host_module_parameter", host_id=ISCSI_1, name="iscsivmk_LunQDepth")
    assert (depth["value"], depth["type"], depth["description"]) == ("192", "int", "Maximum Outstanding Commands Per LUN")
    assert collected.one("host_module_parameter", host_id=FC, name="ql2xmaxqdepth")["value"] is None


def test_adapters_targets_and_paths_are_told(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    collected = collect(endpoint)
    fc = collected.one("hba", host_id=FC)
    assert (fc["hba"], fc["kind"], fc["driver"], fc["initiator"], fc["is_software"]) == (
        "vmhba2",
        "fc",
        "qlnativefc",
        "2100f4e9d4000001",
        None,
    )
    iscsi = collected.one("hba", host_id=ISCSI_1)
    assert (iscsi["kind"], iscsi["is_software"], iscsi["delayed_ack"]) == ("iscsi", True, True)
    send = collected.one("iscsi_target", host_id=ISCSI_1, kind="send")
    assert (send["address"], send["port"], send["iqn"]) == ("198.51.100.1", 3260, None)
    assert (send["delayed_ack"], send["delayed_ack_inherited"]) == (True, True)
    static = collected.one("iscsi_target", host_id=ISCSI_1, iqn=STATIC_IQN)
    assert (static["kind"], static["delayed_ack"], static["delayed_ack_inherited"]) == ("static", False, False)
    found = collected.one("iscsi_target", host_id=ISCSI_1, iqn="iqn.x:pe")  # by the send target, whose value it has
    assert (found["kind"], found["delayed_ack"], found["delayed_ack_inherited"]) == ("static", True, True)
    path = collected.one("path", host_id=FC)
    assert (path["hba"], path["transport"], path["target"]) == ("vmhba2", "fc", "500000e0d0aa0080")
    assert (path["state"], path["psp"], path["satp"]) == ("active", "VMW_PSP_RR", "VMW_SATP_ALUA")


def test_devices_are_told_by_both_interfaces_and_padding_is_gone(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    collected = collect(endpoint)
    device = collected.one("device", host_id=ISCSI_1, device=PE)
    assert (device["vendor"], device["model"], device["is_protocol_endpoint"]) == ("SolidFir", "SSD SAN", True)
    # The module was loaded without options, so its default of 128 holds (docs/domain/facts.md#2), not the 192 configured since.
    assert device["queue_depth"] == 128
    assert collected.one("device", host_id=FC)["queue_depth"] == 64
    scheduling = {row["device"]: row["dsnro"] for row in collected.rows("device_scheduling", host_id=ISCSI_1)}
    assert scheduling == {"naa.624a9370aaaa": 64, "naa.624a9370bbbb": 32, PE: 256}
    reported = collected.one("device_scheduling", host_id=ISCSI_1, device=PE)
    assert (reported["is_vvol_pe"], reported["multipath_plugin"], reported["esxcli_queue_depth"]) == (True, "NMP", 128)
    offload = collected.one("device_offload", host_id=FC)
    assert (offload["ats_status"], offload["clone_status"], offload["zero_status"]) == ("supported", "supported", "supported")
    assert collected.one("vmfs_lockmode", host_id=FC)["locking_mode"] == "ATS+SCSI"


def test_datastores_are_told_with_extents_mounts_and_storage_io_control(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    collected = collect(endpoint)
    fast = collected.one("datastore", name="fast")
    assert (fast["type"], fast["sioc_enabled"], fast["sioc_mode"], fast["sioc_threshold_ms"]) == ("VMFS", True, "manual", 20)
    assert fast["sioc_statistics_only"] is False
    assert collected.one("datastore_extent", datastore_id=fast["datastore_id"])["device"] == "naa.624a9370aaaa"
    assert {row["host_id"] for row in collected.rows("datastore_mount", datastore_id=fast["datastore_id"])} == {ISCSI_1, ISCSI_2}
    files = collected.one("datastore", name="files")
    assert (files["type"], files["vmfs_uuid"], files["sioc_supported"], files["sioc_enabled"]) == ("NFS", None, False, None)


def test_machines_are_told_with_their_disks(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    collected = collect(endpoint)
    machine = collected.one("vm", name="vm-1")
    assert (machine["power_state"], machine["is_template"], machine["disks_read"]) == ("poweredOn", False, True)
    disks = {row["disk"]: row for row in collected.rows("vm_disk", vm_id=machine["vm_id"])}
    assert disks["Hard disk 1"]["controller"] == "pvscsi"
    assert disks["Hard disk 1"]["iops_limit"] is None
    assert disks["Hard disk 1"]["size_bytes"] == 40 << 30
    assert (disks["Hard disk 2"]["controller"], disks["Hard disk 2"]["iops_limit"]) == ("lsilogic-sas", 500)


def test_the_protocol_endpoints_of_a_vvol_datastore_are_told_per_host(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter(load_scenario("solidfire-vvols").vcenters[0])
    collected = collect(endpoint)
    store = collected.one("datastore", name="sf-vvol-a")
    assert store["type"] == "VVOL"
    # S0: one endpoint a storage node (four), seen by each of the four hosts of the cluster.
    mounts = collected.rows("vvol_mount", datastore_id=store["datastore_id"])
    assert len(mounts) == 16
    assert {row["device"] for row in mounts} == {f"naa.6f47acc20000000{node}7366707200000000" for node in (1, 2, 3, 4)}
    disks = collected.rows("vm_disk", datastore_id=store["datastore_id"])
    assert disks
    assert all(row["backing_object_id"] for row in disks)


def test_a_host_that_vcenter_has_lost_is_a_row_a_gap_and_nothing_remembered(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.state.hosts[ISCSI_1].connection_state = "notResponding"
    server.state.changed()
    collected = collect(endpoint)
    host = collected.one("host", host_id=ISCSI_1)
    assert (host["connection_state"], host["software_iscsi"], host["vsan_enabled"]) == ("notResponding", None, None)
    assert collected.incomplete() == {(ISCSI_1, topic) for topic in HOST_TOPICS}
    assert every_topic_once(collected, [ISCSI_1, ISCSI_2, FC])
    assert len(collected.gaps) == 1
    for table in ("host_option", "host_module", "hba", "device", "device_scheduling", "path", "vmfs_lockmode"):
        assert {row["host_id"] for row in collected.tables[table]} == {ISCSI_2, FC}


def test_what_vcenter_remembers_of_a_lost_host_is_not_taken_for_its_state(start_vcsim: Callable[..., Endpoint]) -> None:
    # vcsim goes on telling the configuration of a host it has disconnected, as a real vCenter does.
    with open_vcenter(start_vcsim()) as vcenter:
        lost = vcenter.object(vim.HostSystem, "host-37")
        vcenter.wait(lost.DisconnectHost_Task(), 10)
        assert vcenter.value(vim.HostSystem, "host-37", "config.vsanHostConfig.enabled") is False
        collected = Collected(collect_vcenter(vcenter, vcenter.endpoint))
    host = collected.one("host", host_id="host-37")
    assert (host["connection_state"], host["vsan_enabled"], host["software_iscsi"]) == ("disconnected", None, None)
    assert collected.rows("device", host_id="host-37") == []
    assert collected.rows("device", host_id="host-47") != []
    assert {topic for scope, topic in collected.incomplete() if scope == "host-37"} == set(HOST_TOPICS)


@pytest.mark.parametrize(
    ("privilege", "lost"),
    [
        pytest.param("Host.Config.Settings", {"modules", *ESXCLI_TOPICS}, id="modules and esxcli"),
        pytest.param(
            "System.Read",
            set(HOST_TOPICS) | {"hosts", "datastores", "vms", "disk_load", "pods", "storage_events"},
            id="everything but names",
        ),
    ],
)
def test_a_missing_permission_leaves_a_gap_in_each_topic_it_hides(serve_vcenter: Serve, privilege: str, lost: set[str]) -> None:
    server, endpoint = serve_vcenter()
    server.privileges = ALL - {privilege}
    collected = collect(endpoint)
    missing = {topic for _, topic in collected.incomplete()}
    assert missing & lost == {topic for topic in lost if topic in {row["topic"] for row in collected.tables["reading"]}}
    assert missing <= lost
    assert all(privilege in gap.why or "not read" in gap.why or "not known" in gap.why for gap in collected.gaps)
    assert collected.gaps


@pytest.mark.parametrize("kind", ["truncate", "garbage", "drop", "status"])
def test_a_command_that_fails_on_one_host_costs_that_topic_of_that_host(serve_vcenter: Serve, kind: str) -> None:
    server, endpoint = serve_vcenter()
    # Always on that host, for a dropped read is sent once more.
    server.faults.active.append(Fault(kind, "storage.vmfs.lockmode.list", status=500, containing=f"Executer-{ISCSI_1}".encode()))
    collected = collect(endpoint)
    assert collected.incomplete() == {(ISCSI_1, "lockmode")}
    assert every_topic_once(collected, [ISCSI_1, ISCSI_2, FC])
    assert len(collected.tables["device_scheduling"]) == 7


def test_a_page_that_makes_no_sense_is_asked_for_host_by_host(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        items = collect_vcenter(vcenter, endpoint)
        collected_items = [next(items)]
        while not (isinstance(collected_items[-1], Batch) and collected_items[-1].columns.get("topic") == ["hosts"]):
            collected_items.append(next(items))
        server.faults.active.append(Fault("garbage", "RetrievePropertiesEx", times=1))
        collected = Collected([*collected_items, *items])
    assert collected.incomplete() == set()
    assert len(collected.tables["device"]) == 7


def test_an_endpoint_that_goes_away_in_mid_run_leaves_gaps_and_ends_soon(serve_vcenter: Serve, many_hosts: VCenterDescription) -> None:
    server, endpoint = serve_vcenter(many_hosts, timeout_seconds=SHORT_SECONDS)
    with open_vcenter(endpoint) as vcenter:
        items = collect_vcenter(vcenter, endpoint)
        got = [next(items) for _ in range(2)]
        server.faults.active.append(Fault("latency", seconds=NEVER_SECONDS))
        collected = Collected([*got, *items])
    # One timeout for each host and question would be 45 * 5 seconds, and as many requests.
    assert len(server.requests) < 120
    hosts = [f"host-{number}" for number in range(11, 56)]
    assert every_topic_once(collected, hosts)
    assert {scope for scope, _ in collected.incomplete()} == {*hosts, ""}
    assert collected.gaps


def test_many_hosts_come_in_pages_that_are_bounded(serve_vcenter: Serve, many_hosts: VCenterDescription) -> None:
    server, endpoint = serve_vcenter(many_hosts)
    collected = collect(endpoint)
    assert collected.incomplete() == set()
    hosts = {f"host-{number}" for number in range(11, 56)}
    assert {row["host_id"] for row in collected.tables["host"]} == hosts
    assert {row["host_id"] for row in collected.tables["device_scheduling"]} == hosts
    assert len(collected.tables["device"]) == 45 * 3
    # The largest batch is the hosts themselves, or one host's options: never the devices of the fleet.
    assert collected.largest <= 100
    assert server.sessions.count == 0


def test_a_reader_that_stops_early_leaves_no_thread_and_no_session(serve_vcenter: Serve, many_hosts: VCenterDescription) -> None:
    server, endpoint = serve_vcenter(many_hosts)
    with open_vcenter(endpoint) as vcenter:
        server.faults.active.append(Fault("latency", "QueryOptions", seconds=0.2))
        items = collect_vcenter(vcenter, endpoint)
        devices = (item for item in items if isinstance(item, Batch) and item.table == "device")
        for _ in range(25):  # a page and a half: many hosts are being asked
            next(devices)
        items.close()  # type: ignore[attr-defined]
    assert server.sessions.count == 0
    assert not any(thread.name.startswith("collect") for thread in threading.enumerate())


def test_the_session_may_expire_in_mid_run_without_a_gap(serve_vcenter: Serve, many_hosts: VCenterDescription) -> None:
    server, endpoint = serve_vcenter(many_hosts)
    with open_vcenter(endpoint) as vcenter:
        items = collect_vcenter(vcenter, endpoint)
        got: list[Batch | Gap] = []
        for item in items:
            # Once: a call that meets two expiries in a row has reason to give up.
            if (
                isinstance(item, Batch)
                and item.table == "device"
                and not any(isinstance(one, Batch) and one.table == "device" for one in got)
            ):
                server.sessions.expire()
            got.append(item)
        collected = Collected(got)
    assert collected.gaps == []
    assert collected.incomplete() == set()
    # Two sessions, SOAP's and VI/JSON's, and each of them again.
    assert server.requests.count("Login") == 4


def test_vcsim_tells_the_same_facts_as_the_lab(serve_vcenter: Serve, start_vcsim: Callable[..., Endpoint], tmp_path: Path) -> None:
    """Of other scenarios: tests/long/walk/test_vcsim.py."""
    [vcenter] = load_scenario("eternus-vaai").vcenters
    export_vcsim(LabFleet(vcenters=(vcenter,)), tmp_path / "model")
    _, endpoint = serve_vcenter(vcenter)
    lab, vcsim = collect(endpoint), collect(start_vcsim(tmp_path / "model"))
    for table in {*CARRIED} - {"host_option"}:
        assert without_endpoint(vcsim.rows(table), "boot_time") == without_endpoint(lab.rows(table), "boot_time"), table
        assert lab.rows(table) or table in {"iscsi_target", "iscsi_option", "vvol_mount", "storage_pod"}, table
    listed = [row for row in lab.rows("host_option") if row["key"] != "DataMover.MaxHWTransferSize"]
    assert without_endpoint(vcsim.rows("host_option")) == without_endpoint(listed)
    # What this peer does not have is a hole and never an empty answer.
    # Its counters are the host's as a whole: it does not tell their device.
    assert {topic for _, topic in vcsim.incomplete()} == {"modules", "storage_policies", *ESXCLI_TOPICS, *LOAD_TOPICS}
    assert not any(vcsim.rows(topic) for topic in LOAD_TOPICS)
