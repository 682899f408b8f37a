"""S3 read back over ONTAP REST and the vSphere API: what eats the spindles, what gives them back, and the twin that never lost them."""

from __future__ import annotations

import ssl
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from pyVmomi import VmomiSupport, vim

from auditor.endpoints.vcenter.session import open_vcenter
from auditor.fleet.loading import load_fleet
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import ARRAY_USER, serve
from tests.lab.conftest import Client, pyvmomi_client
from tests.waiting import PATIENCE_SECONDS

ARRAY, VCENTER = "netapp-prod", "vc-ontap"
SICK, TWIN = "aggr_10k", "aggr_twin"
SICK_NODE, TWIN_NODE = "netapp-prod-01", "netapp-prod-02"
KNEE = 120  # operations a second of a 10k data disk: docs/domain/incidents.md#s3
TREMBLE = 0.06  # of a value: samples tremble by 4 %, and are whole numbers
READ_SECONDS = 0.3  # between two readings of counters that only grow


@dataclass(frozen=True)
class Array:
    """The cluster as a plain HTTP client meets it."""

    session: httpx.Client

    def get(self, path: str, fields: str = "**", **query: str) -> list[Any]:
        answer = self.session.get(f"/api/{path}", params={"fields": fields, **query})
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert "next" not in body["_links"]
        return list(body["records"])

    def one(self, path: str, **query: str) -> Any:
        [record] = self.get(path, **query)
        return record

    def change(self, path: str, body: Any, **query: str) -> Any:
        """PATCH one record, follow its job to the end, and give the record as it is then."""
        uuid = self.one(path, **query)["uuid"]
        answer = self.session.patch(f"/api/{path}/{uuid}", json=body)
        assert answer.status_code == 202, answer.text
        job = self.session.get(answer.json()["job"]["_links"]["self"]["href"]).json()
        assert (job["state"], job["code"]) == ("success", 0)
        after = self.session.get(f"/api/{path}/{uuid}", params={"fields": "**"}).json()
        assert after["uuid"] == uuid
        return after

    def counters(self, table: str) -> dict[str, dict[str, Any]]:
        """Counters of every row by the row's id; those with labels as a mapping."""

        def value(one: dict[str, Any]) -> Any:
            return one["value"] if "value" in one else dict(zip(one["labels"], one["values"], strict=True))

        rows = self.get(f"cluster/counter/tables/{table}/rows")
        return {row["id"]: {one["name"]: value(one) for one in row["counters"]} for row in rows}

    def grown(self, table: str) -> dict[str, dict[str, int]]:
        """By how much the plain counters of every row grow in a moment."""
        before = self.counters(table)
        time.sleep(READ_SECONDS)
        after = self.counters(table)
        return {
            row: {name: value - before[row][name] for name, value in held.items() if isinstance(value, int)} for row, held in after.items()
        }

    def disk_busy(self, aggregate: str) -> float:
        """Percent busy of an aggregate's disks."""
        raid_group = {
            row["id"]: next(one["value"] for one in row["properties"] if one["name"] == "raid_group")
            for row in self.get("cluster/counter/tables/disk:constituent/rows")
        }
        rows = [held for row, held in self.grown("disk:constituent").items() if raid_group[row].startswith(f"/{aggregate}/")]
        assert len(rows) == 67
        return 100 * sum(one["disk_busy_percent"] for one in rows) / sum(one["base_for_disk_busy"] for one in rows)

    def headroom(self, aggregate: str) -> tuple[float, float]:
        """Operations a second of an aggregate, and milliseconds each of them takes, over a moment."""
        [held] = [held for row, held in self.grown("headroom_aggregate").items() if f"_{aggregate}_" in row]
        seconds = held["current_utilization_denominator"] / 1e6  # of one measure with what it divides, whatever the clock here says
        return held["current_ops"] / seconds, held["current_latency"] / held["current_ops"] / 1000

    def schedules(self, source: str) -> dict[str, Any]:
        """The cron of each relationship by its source, for sources whose name begins so."""
        cron = {one["name"]: one["cron"] for one in self.get("cluster/schedules") if one["type"] == "cron"}
        listed = self.get("snapmirror/relationships")
        return {
            one["source"]["path"]: cron[one["transfer_schedule"]["name"]]
            for one in listed
            if one["source"]["path"].startswith(f"svm-vmware:{source}")
        }

    def dedup(self, aggregate: str) -> dict[str, Any]:
        """The policy that starts dedup, with the cron of its schedule, by volume."""
        cron = {one["name"]: one["cron"] for one in self.get("cluster/schedules") if one["type"] == "cron"}
        policies = {one["name"]: one | {"cron": cron[one["schedule"]["name"]]} for one in self.get("storage/volume-efficiency-policies")}
        volumes = self.get("storage/volumes", **{"aggregates.name": aggregate})
        return {one["name"]: policies[one["efficiency"]["policy"]["name"]] for one in volumes}


@dataclass(frozen=True)
class Served:
    """The scenario, served: both sides of it."""

    array: Array
    client: Client
    folder: Path

    def host(self, name: str) -> Any:
        return self.client.hosts()[f"{name}.lab.example"]

    def devices(self, name: str) -> dict[str, Any]:
        return {lun.canonicalName: lun for lun in self.host(name).configManager.storageSystem.storageDeviceInfo.scsiLun}

    def datastore(self, name: str) -> Any:
        [found] = [one for one in self.host("esx-ontap-1").parent.parent.parent.datastore if one.name == name]
        return found

    def newest(self, host: str, counter: str) -> dict[str, int]:
        """The newest sample of a counter by instance."""
        manager = self.client.content.perfManager
        [key] = [one.key for one in manager.perfCounter if f"{one.groupInfo.key}.{one.nameInfo.key}" == counter]
        metric = vim.PerformanceManager.MetricId(counterId=key, instance="*")
        spec = vim.PerformanceManager.QuerySpec(entity=self.host(host), metricId=[metric], intervalId=20, maxSample=1)
        return {series.id.instance: series.value[-1] for one in manager.QueryPerf([spec]) for series in one.value}


@contextmanager
def opened(folder: Path) -> Iterator[Served]:
    with serve(load_scenario("ontap-background")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        trusted = ssl.create_default_context(cafile=str(folder / "fleet-ca.pem"))
        array, vcenter = lab.ontap[ARRAY], lab.vcenters[VCENTER]
        address = f"https://{array.host}:{array.port}"
        with (
            httpx.Client(verify=trusted, auth=(ARRAY_USER, lab.password), base_url=address, timeout=PATIENCE_SECONDS) as session,
            pyvmomi_client(vcenter.host, vcenter.port, trusted, password=lab.password) as client,
        ):
            yield Served(Array(session), client, folder)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The scenario for tests that only read."""
    with opened(tmp_path_factory.mktemp("s3")) as one:
        yield one


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Served]:
    """A lab of its own for tests that write."""
    with opened(tmp_path) as one:
        yield one


def test_the_aggregate_is_of_67_ten_thousand_rpm_disks(served: Served) -> None:
    primary = served.array.one("storage/aggregates", name=SICK)["block_storage"]["primary"]
    assert (primary["disk_count"], primary["disk_class"]) == (67, "performance")
    disks = served.array.get("storage/disks", **{"aggregates.name": SICK})
    assert (len(disks), {one["rpm"] for one in disks}) == (67, {10000})


def test_6800_operations_a_second_keep_the_disks_80_percent_busy_just_below_the_knee(served: Served) -> None:
    operations, latency_ms = served.array.headroom(SICK)
    assert operations == pytest.approx(6800, rel=0.01)
    assert served.array.disk_busy(SICK) == pytest.approx(80, abs=1)
    rows = served.array.get("cluster/counter/tables/disk:constituent/rows")
    parts = [{one["name"]: one["value"] for one in row["properties"]} for row in rows]
    data = [one for one in parts if one["raid_group"].startswith(f"/{SICK}/") and one["raid.type"] == "data"]
    assert 0.9 * KNEE < operations / len(data) < KNEE  # docs/domain/facts.md#7-4: 105 to 119
    assert latency_ms > 1000


def test_half_of_the_work_is_snapmirror_and_1000_operations_are_clients(served: Served) -> None:
    runs = {source: len(cron["minutes"]) for source, cron in served.array.schedules("src_").items()}
    assert Counter(runs.values()) == {4: 3, 3: 3}
    assert all("hours" not in cron for cron in served.array.schedules("src_").values())
    # What a run costs is the lab's: 162 operations a second for each an hour. Together it is the report's half of 6,800.
    assert sum(runs.values()) * 162 == pytest.approx(3400, rel=0.01)
    assert served.array.one("storage/aggregates", name=SICK)["metric"]["iops"]["total"] == 1000
    volume = served.array.one("storage/volumes", name="vm_nfs_01")
    assert (volume["metric"]["iops"]["total"], volume["metric"]["latency"]["total"] > 1_000_000) == (1000, True)


def test_every_volume_of_the_aggregate_starts_dedup_at_midnight_and_the_scrub_is_the_reports(served: Served) -> None:
    dedup = served.array.dedup(SICK)
    assert len(dedup) == 8
    assert [one["cron"] for one in dedup.values()] == [{"minutes": [0], "hours": [0]}] * 8
    scrub = {one["node"]: one["value"] for one in served.array.get("private/cli/storage/raid-options")}
    assert scrub[SICK_NODE] == "300m@sun@2"  # Sunday 2 to 7


def misaligned(array: Array) -> dict[str, float]:
    """The share of its reads that start beside a block, by LUN."""
    rows = array.counters("lun")
    return {
        row.split(":")[0].rpartition("/")[2]: 1 - held["read_align_histogram"]["0"] / held["read_ops_sent"] for row, held in rows.items()
    }


def test_luns_are_misaligned_as_the_vendor_and_the_other_user_said(served: Served) -> None:
    shares = misaligned(served.array)
    assert shares["ds01"] > 0.1  # what rule O8 calls too much
    assert shares["ds02"] == pytest.approx(0.07, abs=0.005)
    assert served.array.one("storage/luns", name="*/ds02")["os_type"] == "linux"


def test_the_hosts_wait_over_a_second_for_the_array_and_not_in_their_own_queues(served: Served) -> None:
    [ds01] = [f"naa.600a0980{one['serial_number_hex']}" for one in served.array.get("storage/luns", name="*/ds01")]
    assert served.newest("esx-ontap-1", "disk.deviceLatency")[ds01] == pytest.approx(1100, rel=TREMBLE)
    assert served.newest("esx-ontap-1", "disk.kernelLatency")[ds01] == 0
    assert served.newest("esx-ontap-1", "disk.commandsAborted")[ds01] == 2
    nfs = served.datastore("ontap-nfs-01").info
    instance = nfs.url.rstrip("/").rpartition("/")[2]
    assert served.newest("esx-ontap-2", "datastore.totalReadLatency")[instance] == pytest.approx(1100, rel=TREMBLE)
    assert served.newest("esx-ontap-2", "datastore.datastoreIops")[instance] == pytest.approx(1000, rel=TREMBLE)


def test_every_device_of_every_host_is_a_lun_that_the_array_maps_to_that_host(served: Served) -> None:
    luns = served.array.get("storage/luns")
    groups = {one["name"]: {initiator["name"] for initiator in one["initiators"]} for one in served.array.get("protocols/san/igroups")}
    names = {f"naa.600a0980{one['serial_number_hex']}": one for one in luns}
    assert all(one["serial_number"].encode().hex() == one["serial_number_hex"] for one in luns)
    seen: Counter[str] = Counter()
    for name in sorted(served.client.hosts()):
        wwns = {
            ":".join(f"{hba.portWorldWideName & (1 << 64) - 1:016x}"[place : place + 2] for place in range(0, 16, 2))
            for hba in served.client.hosts()[name].configManager.storageSystem.storageDeviceInfo.hostBusAdapter
        }
        for device, lun in served.devices(name.partition(".")[0]).items():
            assert (lun.vendor, lun.model) == ("NETAPP  ", "LUN C-Mode      ")
            assert lun.capacity.block * lun.capacity.blockSize == names[device]["space"]["size"]
            assert len(wwns) == 2
            assert wwns <= {wwn for one in names[device]["lun_maps"] for wwn in groups[one["igroup"]["name"]]}
            seen[device] += 1
    assert seen == {device: 2 if "twin" in one["name"] else 3 for device, one in names.items()}


def test_every_nfs_datastore_mounts_the_junction_path_of_a_volume(served: Served) -> None:
    paths = {one["nas"]["path"]: one["name"] for one in served.array.get("storage/volumes", **{"nas.path": "!null"})}
    mounted = {name: served.datastore(name).info.nas.remotePath for name in ("ontap-nfs-01", "ontap-twin-nfs-01")}
    assert {name: paths[path] for name, path in mounted.items()} == {"ontap-nfs-01": "vm_nfs_01", "ontap-twin-nfs-01": "twin_nfs_01"}
    assert {one.key.name.partition(".")[0] for one in served.datastore("ontap-nfs-01").host} == {f"esx-ontap-{n}" for n in (1, 2, 3)}


def test_snapmirror_every_two_hours_gives_the_disks_back(own: Served) -> None:
    twin = own.array.headroom(TWIN)
    for number in range(1, 7):
        after = own.array.change(
            "snapmirror/relationships", {"transfer_schedule": {"name": "2-hourly"}}, **{"source.path": f"svm-vmware:src_{number}"}
        )
        assert after["transfer_schedule"]["name"] == "2-hourly"
    operations, latency_ms = own.array.headroom(SICK)
    # The report says from 80 to 40 %. In proportion to the transfers, and with all else as it was, it is 46.
    assert own.array.disk_busy(SICK) == pytest.approx(46, abs=1)
    assert operations == pytest.approx(6800 - 3400 * 6 / 7, rel=0.01)
    assert latency_ms == pytest.approx(6, rel=0.05)
    assert own.array.one("storage/volumes", name="vm_nfs_01")["metric"]["latency"]["total"] == 6000
    assert own.array.headroom(TWIN) == pytest.approx(twin, rel=0.01)


def test_dedup_moves_out_of_midnight_for_every_volume_of_the_policy_and_no_other(own: Served) -> None:
    twin = own.array.dedup(TWIN)
    after = own.array.change(
        "storage/volume-efficiency-policies",
        {"schedule": {"name": "wed-sat-1930"}, "qos_policy": "background", "duration": 4},
        name="default",
    )
    assert (after["schedule"], after["qos_policy"], after["duration"]) == ({"name": "wed-sat-1930"}, "background", 4)
    assert {str(one["cron"]) for one in own.array.dedup(SICK).values()} == {str({"minutes": [30], "hours": [19], "weekdays": [3, 6]})}
    assert own.array.dedup(TWIN) == twin
    # A volume of its own mind: another policy for one alone.
    moved = own.array.change("storage/volumes", {"efficiency": {"policy": {"name": "dedup-d"}}}, name="src_1")
    assert moved["efficiency"]["policy"]["name"] == "dedup-d"
    assert Counter(one["name"] for one in own.array.dedup(SICK).values()) == {"default": 7, "dedup-d": 1}


def test_a_qos_ceiling_is_changed_given_and_taken_away(own: Served) -> None:
    after = own.array.change("storage/qos/policies", {"fixed": {"max_throughput_iops": 3000}}, name="vmware-2000")
    assert (after["fixed"]["max_throughput_iops"], after["object_count"]) == (3000, 2)
    given = own.array.change("storage/luns", {"qos_policy": {"name": "vmware-2000"}}, name="*/ds01")
    assert given["qos_policy"]["name"] == "vmware-2000"
    assert own.array.one("storage/qos/policies", name="vmware-2000")["object_count"] == 3
    assert own.array.one("storage/qos/workloads", lun="*/ds01")["policy"]["name"] == "vmware-2000"
    assert "qos" not in own.array.change("storage/volumes", {"qos": {"policy": {"name": "none"}}}, name="twin_nfs_01")


def test_the_hosts_get_what_the_vendor_asks_for(own: Served) -> None:
    manager = own.host("esx-ontap-1").configManager.advancedOption
    wanted = {"Disk.QFullSampleSize": 32, "NFS.MaxQueueDepth": 128}
    assert {key: manager.QueryOptions(key)[0].value for key in wanted} == {"Disk.QFullSampleSize": 0, "NFS.MaxQueueDepth": 4294967295}
    manager.UpdateOptions([vim.option.OptionValue(key=key, value=VmomiSupport.long(value)) for key, value in wanted.items()])
    assert {key: manager.QueryOptions(key)[0].value for key in wanted} == wanted
    other = own.host("esx-ontap-2").configManager.advancedOption
    assert other.QueryOptions("Disk.QFullSampleSize")[0].value == 0


def test_the_queue_of_one_lun_on_one_host_is_set_and_read_back(own: Served) -> None:
    [endpoint] = [one for one in load_fleet(own.folder / "fleet.yaml").endpoints if one.name == VCENTER]
    device, other = own.devices("esx-ontap-4")
    with open_vcenter(endpoint) as vcenter:
        esxcli = vcenter.esxcli(own.host("esx-ontap-4")._moId)

        def queues() -> dict[Any, tuple[Any, ...]]:
            rows = esxcli.run("storage core device list")
            fields = ("DeviceMaxQueueDepth", "NoofoutstandingIOswithcompetingworlds", "QueueFullSampleSize")
            return {row["Device"]: tuple(row[name] for name in fields) for row in rows}

        before = queues()
        assert {depth[:2] for depth in before.values()} == {("64", "32")}  # the driver's default, and ESXi's
        esxcli.run("storage core device set", device=device, schednumreqoutstanding=64)
        assert queues() == {device: ("64", "64", before[device][2]), other: before[other]}


def test_the_twin_has_the_same_disks_and_clients_at_a_quarter_of_the_work(served: Served) -> None:
    assert served.array.one("storage/aggregates", name=TWIN)["block_storage"]["primary"]["disk_count"] == 67
    operations, latency_ms = served.array.headroom(TWIN)
    assert operations == pytest.approx(1000 + 300 + 6 * 0.5 * 162, rel=0.01)
    assert 1 - 1000 / operations < 0.5  # what rule O7 asks of background work
    assert served.array.disk_busy(TWIN) < 40
    assert latency_ms == pytest.approx(6, rel=0.05)


def test_the_twin_transfers_every_two_hours_and_no_two_volumes_in_one_minute(served: Served) -> None:
    crons = served.array.schedules("twin_src_")
    assert len(crons) == 6
    assert [cron["hours"] for cron in crons.values()] == [list(range(0, 24, 2))] * 6
    minutes = sorted(minute for cron in crons.values() for minute in cron["minutes"])
    assert len(minutes) == 6
    assert min(later - earlier for earlier, later in pairwise(minutes)) >= 10
    assert all(one["healthy"] for one in served.array.get("snapmirror/relationships"))


def test_the_twin_spreads_dedup_over_evenings_in_which_no_scrub_runs(served: Served) -> None:
    policies = served.array.dedup(TWIN)
    assert len(policies) == 8
    nights = Counter(night for one in policies.values() for night in one["cron"]["weekdays"])
    assert set(nights) == set(range(7))
    assert max(nights.values()) == 2
    assert {(one["qos_policy"], one["duration"], *one["cron"]["hours"]) for one in policies.values()} == {("background", 4, 19)}
    scrub = {one["node"]: one["value"] for one in served.array.get("private/cli/storage/raid-options")}[TWIN_NODE].split(",")
    runs = {
        day: (int(start), int(start) + int(minutes.removesuffix("m")) / 60) for minutes, day, start in (one.split("@") for one in scrub)
    }
    assert set(runs) == {"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
    assert {run for day, run in runs.items() if day != "sun"} == {(1, 5.0)}  # the default since 8.3: docs/domain/facts.md#7-3
    assert runs["sun"] == (1, 13.0)


def test_the_twin_is_aligned_capped_above_its_need_and_quick(served: Served) -> None:
    shares = misaligned(served.array)
    assert (shares["twin01"], shares["twin02"]) == (0, 0)
    luns = served.array.get("storage/luns", name="*/twin0*")
    assert {one["os_type"] for one in luns} == {"vmware"}
    assert {one["qos_policy"]["name"] for one in luns if "qos_policy" in one} == {"vmware-2000"}
    assert served.array.one("storage/qos/policies", name="vmware-2000")["fixed"]["max_throughput_iops"] == 2000
    latencies = served.newest("esx-ontap-4", "disk.deviceLatency")
    assert [latencies[f"naa.600a0980{one['serial_number_hex']}"] for one in luns] == [6, 6]
    assert set(served.newest("esx-ontap-4", "disk.commandsAborted").values()) == {0}


@pytest.mark.parametrize("name", ["esx-ontap-4", "esx-ontap-5"])
def test_the_twins_hosts_have_what_the_vendor_asks_for(served: Served, name: str) -> None:
    manager = served.host(name).configManager.advancedOption
    wanted = {  # docs/domain/facts.md#5
        "Disk.QFullSampleSize": 32,
        "Disk.QFullThreshold": 8,
        "NFS.MaxQueueDepth": 128,
        "NFS.MaxVolumes": 256,
        "NFS.HeartbeatFrequency": 12,
        "NFS.HeartbeatMaxFailures": 10,
        "NFS.HeartbeatTimeout": 5,
        "Net.TcpipHeapSize": 32,
        "Net.TcpipHeapMax": 1024,
        "SunRPC.MaxConnPerIP": 128,
        "VMFS3.HardwareAcceleratedLocking": 1,
        "VMFS3.EnableBlockDelete": 0,
    }
    assert {key: manager.QueryOptions(key)[0].value for key in wanted} == wanted
    info = served.host(name).configManager.storageSystem.storageDeviceInfo
    assert {unit.storageArrayTypePolicy.policy for unit in info.multipathInfo.lun} == {"VMW_SATP_ALUA"}
    assert {(unit.policy.policy, len(unit.path)) for unit in info.multipathInfo.lun} == {("VMW_PSP_RR", 4)}


def test_storage_io_control_is_off_everywhere(served: Served) -> None:
    found = served.client.read(vim.Datastore, "name", "iormConfiguration.enabled")
    assert len(found) == 6
    assert {one["iormConfiguration.enabled"] for one in found.values()} == {False}
