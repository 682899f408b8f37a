"""S1 read back over Storage Manager's REST and the vSphere API: two throttles on one datastore, and the Storage vMotion between them."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from pyVmomi import vim

from auditor.endpoints.vcenter.session import open_vcenter
from auditor.errors import ConfigurationError
from auditor.fleet.loading import load_fleet
from auditor_lab.arrays.dell_sc import qos
from auditor_lab.scenario import load_scenario, parse_scenario
from auditor_lab.serving import ARRAY_USER, VCENTER_USER, Lab, serve
from auditor_lab.vcenter.state import vcenter as state
from tests.lab.conftest import Client, pyvmomi_client
from tests.lab.test_performance import entity, samples
from tests.waiting import Clock

SICK, TWIN, SOURCE = "sc-prod-01", "sc-twin-01", "md3420-01"
SICK_HOST, TWIN_HOST = "esx-sc-1.lab.example", "esx-sctwin-1.lab.example"
MD3420 = "naa.690b11c0003420d10000000000000001"
WHOLE_SECONDS = 110 * 60  # 1.5 TB in 1 h 50 min
ACTIVE, DEPTH, LATENCY = (
    "datastore.siocActiveTimePercentage",
    "datastore.datastoreMaxQueueDepth",
    "datastore.sizeNormalizedDatastoreLatency",
)
IORM, POD = vim.StorageResourceManager.IORMConfigSpec, vim.storageDrs.PodConfigSpec


class Manager:
    """Storage Manager, asked over plain HTTP."""

    def __init__(self, session: httpx.Client, password: str) -> None:
        self.session = session
        login = self.ask("POST", "ApiConnection/Login", {"Application": "test"}, auth=(ARRAY_USER, password))
        assert login.status_code == 200

    def ask(self, method: str, path: str, payload: Any = None, **more: Any) -> httpx.Response:
        return self.session.request(method, f"/api/rest/{path}", json=payload, headers={"x-dell-api-version": "2.0"}, **more)

    def all(self, kind: str) -> dict[str, Any]:
        """Every object of a class by its name."""
        answer = self.ask("POST", f"StorageCenter/{kind}/GetList", {"filter": {"filterType": "AND", "filters": []}})
        assert answer.status_code == 200, answer.text
        return {one["name"]: one for one in answer.json()}

    def configuration(self, volume: str) -> Any:
        return self.ask("GET", f"StorageCenter/ScVolume/{self.all('ScVolume')[volume]['instanceId']}/VolumeConfiguration").json()


@dataclass
class Served:
    """The scenario on the wire, and who asks it."""

    lab: Lab
    client: Client
    prod: Manager
    twin: Manager
    folder: Path
    trusted: ssl.SSLContext

    def store(self, name: str) -> Any:
        return entity(self.client, vim.Datastore, name)

    def pod(self, name: str) -> Any:
        return entity(self.client, vim.StoragePod, name)

    def pod_config(self, name: str) -> Any:
        return self.pod(name).podStorageDrsEntry.storageDrsConfig.podConfig

    def sioc(self) -> dict[str, bool]:
        facts = self.client.read(vim.Datastore, "name", "iormConfiguration").values()
        return {one["name"]: one["iormConfiguration"].enabled for one in facts}

    def switch_sioc_off(self, name: str) -> None:
        task = self.client.content.storageResourceManager.ConfigureDatastoreIORM_Task(self.store(name), IORM(enabled=False))
        assert task.info.state == "success"

    def set_pod(self, name: str, **spec: Any) -> None:
        wanted = vim.storageDrs.ConfigSpec(podConfigSpec=POD(**spec))
        manager = self.client.content.storageResourceManager
        assert manager.ConfigureStorageDrsForPod_Task(self.pod(name), wanted, modify=True).info.state == "success"

    def relocation(self) -> Any:
        """TaskInfo of the Storage vMotion."""
        return next(one.info for one in self.client.content.taskManager.recentTask if one.info.descriptionId == "VirtualMachine.relocate")

    def datastore_counters(self, host: str, store: str) -> list[int]:
        """Active time in percent, queue depth, latency in microseconds."""
        instance = self.store(store).summary.url.rstrip("/").rpartition("/")[2]
        found = samples(self.client, self.client.hosts()[host], ACTIVE, DEPTH, LATENCY, maxSample=1)
        active, depth, latency = (found[name, instance][0] for name in (ACTIVE, DEPTH, LATENCY))
        return [active // 100, depth, latency]  # percentages are reported in hundredths

    def guest_ms(self, vm: str) -> int:
        found = samples(self.client, entity(self.client, vim.VirtualMachine, vm), "virtualDisk.totalWriteLatency", maxSample=1)
        return found["virtualDisk.totalWriteLatency", "scsi0:0"][0]


@contextmanager
def opened(folder: Path) -> Iterator[Served]:
    with serve(load_scenario("sioc-vs-array-qos")) as lab, ExitStack() as stack:
        lab.write_fleet(folder / "fleet.yaml")
        trusted = ssl.create_default_context(cafile=str(folder / "fleet-ca.pem"))
        managers = {}
        for name, server in lab.dell_sc.items():
            session = stack.enter_context(httpx.Client(verify=trusted, base_url=f"https://{server.host}:{server.port}"))
            managers[name] = Manager(session, lab.password)
        vcenter = lab.vcenters["vc-dell"]
        client = stack.enter_context(pyvmomi_client(vcenter.host, vcenter.port, trusted, password=lab.password))
        yield Served(lab, client, managers["sc-prod"], managers["sc-twin"], folder, trusted)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """For tests that only read."""
    with opened(tmp_path_factory.mktemp("s1")) as one:
        yield one


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(state, "time", clock)
    return clock


@pytest.fixture
def own(clock: Clock, tmp_path: Path) -> Iterator[Served]:
    """A lab of its own for tests that write or let time pass."""
    with opened(tmp_path) as one:
        yield one


def devices(client: Client, host: str) -> dict[str, Any]:
    return {one.canonicalName: one for one in client.hosts()[host].config.storageDevice.scsiLun}


def size_of(volume: Any) -> int:
    """Sizes are reported as "1.073741824E9 Bytes" (docs/domain/arrays.md#dell-sc)."""
    return int(float(volume["configuredSize"].removesuffix(" Bytes")))


@pytest.mark.parametrize(
    ("host", "array", "names"),
    [
        pytest.param(SICK_HOST, "prod", {"prod-01", "prod-02", "auto-01"}, id="the sick part"),
        pytest.param(TWIN_HOST, "twin", {"twin-01", "twin-02"}, id="the healthy twin"),
    ],
)
def test_every_compellent_device_of_a_host_is_a_volume_of_its_array(served: Served, host: str, array: str, names: set[str]) -> None:
    reported = getattr(served, array).all("ScVolume")
    assert set(reported) == names
    seen = {name: one for name, one in devices(served.client, host).items() if one.vendor.strip() == "COMPELNT"}
    assert {f"naa.{one['deviceId']}": size_of(one) for one in reported.values()} == {
        name: one.capacity.block * one.capacity.blockSize for name, one in seen.items()
    }
    assert {one.model for one in seen.values()} == {"Compellent Vol  "}


@pytest.mark.parametrize(("array", "cluster"), [("prod", "sc-migration"), ("twin", "sc-twin")])
def test_the_array_knows_the_hosts_by_the_names_of_their_adapters(served: Served, array: str, cluster: str) -> None:
    known = set(getattr(served, array).all("ScServerHba"))
    hosts = [one for one in served.client.hosts().values() if one.parent.name == cluster]
    adapters = [hba for host in hosts for hba in host.config.storageDevice.hostBusAdapter if isinstance(hba, vim.host.InternetScsiHba)]
    assert {one.iScsiName for one in adapters} == known
    assert len(known) == 2


def test_the_target_has_a_profile_with_a_priority_and_50_mb_a_second(served: Served) -> None:
    (volume,) = [one for one in served.prod.all("ScVolume").values() if f"naa.{one['deviceId']}" == extent(served, SICK)]
    assert served.prod.configuration(volume["name"])["volumeQosProfile"]["instanceName"] == "Prod"
    profile = served.prod.all("ScQosProfile")["Prod"]
    assert (profile[qos.BANDWIDTH_LIMIT_ENABLED], profile[qos.BANDWIDTH_LIMIT], profile[qos.PRIORITY]) == (True, 50, "Medium")
    (configuration,) = served.prod.ask(
        "POST", "StorageCenter/ScConfiguration/GetList", {"filter": {"filterType": "AND", "filters": []}}
    ).json()
    assert configuration[qos.LATENCY_THRESHOLD_ENABLED] is True


def extent(served: Served, store: str) -> str:
    (partition,) = served.store(store).info.vmfs.extent
    return str(partition.diskName)


def test_latency_rises_although_throughput_stays_below_the_cap(served: Served) -> None:
    volume = served.prod.all("ScVolume")["prod-01"]["instanceId"]
    (sample,) = served.prod.ask("POST", f"StorageCenter/ScVolume/{volume}/GetHistoricalIoUsage", {}).json()
    assert sample["totalKbPerSecond"] < 50 * 1000
    assert 50 <= sample["writeLatency"] <= 100


@pytest.mark.parametrize("array", ["prod", "twin"])
def test_data_progression_moves_the_volumes_between_ssd_and_nl_sas(served: Served, array: str) -> None:
    manager = getattr(served, array)
    profile = manager.all("ScStorageProfile")["Recommended"]
    assert {manager.configuration(name)["storageProfile"]["instanceName"] for name in manager.all("ScVolume")} == {"Recommended"}
    assert (profile["useTier1Storage"], profile["useTier2Storage"], profile["useTier3Storage"]) == (True, False, True)


def test_the_datastore_cluster_brought_sioc_with_its_io_metric(served: Served) -> None:
    config = served.pod_config("sc-prod-pod")
    assert (config.enabled, config.ioLoadBalanceEnabled, config.defaultVmBehavior) == (True, True, "manual")
    assert {one.name for one in served.pod("sc-prod-pod").childEntity} == {"sc-prod-01", "sc-prod-02"}
    assert {name: on for name, on in served.sioc().items() if name.startswith(("sc-prod", "md3420"))} == {
        "sc-prod-01": True,
        "sc-prod-02": True,
        "md3420-01": False,
    }


def test_the_powervault_is_seen_by_the_host_and_declared_by_its_owner(served: Served) -> None:
    fleet = load_fleet(served.folder / "fleet.yaml")
    endpoint = next(one for one in fleet.endpoints if one.name == "vc-dell")
    with open_vcenter(endpoint) as vcenter:
        (row,) = vcenter.esxcli(served.client.hosts()[SICK_HOST]._GetMoId()).run("storage core device list", device=MD3420)
    assert (str(row["Vendor"]).strip(), str(row["Model"]).strip(), row["IsSAS"]) == ("DELL", "MD34xx", "true")
    storage = served.client.hosts()[SICK_HOST].config.storageDevice
    (adapter,) = [one for one in storage.hostBusAdapter if isinstance(one, vim.host.SerialAttachedHba)]
    assert (adapter.device, adapter.driver) == ("vmhba2", "lsi_msgpt3")
    paths = [path for unit in storage.multipathInfo.lun for path in unit.path if path.adapter == adapter.key]
    assert len(paths) == 2
    assert {type(path.transport) for path in paths} == {vim.host.SerialAttachedTargetTransport}
    (declared,) = fleet.declared
    assert (declared.devices, declared.model) == ("naa.690b11c0003420d1*", "MD3420")


def test_a_storage_vmotion_of_1_5_tb_has_hung_at_40_percent_for_half_an_hour(served: Served) -> None:
    task = served.relocation()
    assert (task.name.info.wsdlName, task.state, task.progress) == ("RelocateVM_Task", "running", 40)
    now = served.client.instance.CurrentTime()
    assert timedelta(minutes=30) <= now - task.startTime < timedelta(minutes=31)
    assert task.completeTime is None
    machine = entity(served.client, vim.VirtualMachine, "fileserver")
    assert task.entity == machine
    assert [one._GetMoId() for one in machine.recentTask] == [task.key]
    (disk,) = [one for one in machine.config.hardware.device if isinstance(one, vim.vm.device.VirtualDisk)]
    assert disk.capacityInBytes == 1536 << 30
    assert [one.name for one in machine.datastore] == [SOURCE]


def test_the_event_says_from_where_to_where_and_who(served: Served) -> None:
    by = vim.event.EventFilterSpec.ByEntity(entity=entity(served.client, vim.VirtualMachine, "fileserver"), recursion="self")
    *_, task, event = served.client.content.eventManager.QueryEvents(vim.event.EventFilterSpec(entity=by))  # after those of the day before
    assert [type(one) for one in (task, event)] == [vim.event.TaskEvent, vim.event.VmBeingRelocatedEvent]
    assert task.info.key == served.relocation().key
    assert (event.ds.name, event.destDatastore.name, event.host.name, event.destHost.name) == (SOURCE, SICK, SICK_HOST, SICK_HOST)
    assert event.userName == "VSPHERE.LOCAL\\Administrator"
    assert event.createdTime == served.relocation().startTime


def test_the_task_is_told_over_vi_json_too(served: Served) -> None:
    server = served.lab.vcenters["vc-dell"]
    with httpx.Client(verify=served.trusted, base_url=f"https://{server.host}:{server.port}/sdk/vim25/8.0.2.0") as session:
        login = session.post("/SessionManager/SessionManager/Login", json={"userName": VCENTER_USER, "password": served.lab.password})
        session.headers["vmware-api-session-id"] = login.headers["vmware-api-session-id"]
        (task,) = session.get("/TaskManager/TaskManager/recentTask").json()
        info = session.get(f"/Task/{task['value']}/info").json()
    assert (info["name"], info["state"], info["progress"], info["entityName"]) == ("RelocateVM_Task", "running", 40, "fileserver")


def test_neighbours_wait_50_to_100_ms_while_sioc_is_active_all_of_the_time(served: Served) -> None:
    active, _, latency_us = served.datastore_counters(SICK_HOST, SICK)
    assert active == 100
    assert 50_000 <= latency_us <= 100_000
    assert all(50 <= served.guest_ms(f"app-{number}") <= 100 for number in (1, 2, 3, 4))


def test_disabling_sioc_on_the_target_recovers_it_at_once_and_the_migration_ends(own: Served, clock: Clock) -> None:
    own.set_pod("sc-prod-pod", ioLoadBalanceEnabled=False)
    assert own.sioc()[SICK], "the I/O metric that is switched off leaves SIOC as it is"
    clock.now += 600
    assert own.relocation().progress == 40
    own.switch_sioc_off(SICK)
    active, depth, latency_us = own.datastore_counters(SICK_HOST, SICK)
    assert (active, depth) == (0, 32)  # two compete for the device, so DSNRO counts
    assert latency_us < 5000
    assert own.guest_ms("app-1") == 2
    clock.now += 0.5 * WHOLE_SECONDS
    assert (own.relocation().state, own.relocation().progress) == ("running", 90)
    clock.now += 0.1 * WHOLE_SECONDS + 2
    task = own.relocation()
    assert (task.state, task.progress, task.completeTime is not None) == ("success", None, True)
    machine = entity(own.client, vim.VirtualMachine, "fileserver")
    assert [one.name for one in machine.datastore] == [SICK]
    assert machine.config.files.vmPathName.startswith(f"[{SICK}]")
    assert machine in own.store(SICK).vm
    assert own.store(SOURCE).vm == []
    (event,) = own.client.content.eventManager.QueryEvents(vim.event.EventFilterSpec(eventTypeId=["VmRelocatedEvent"]))
    assert (event.sourceDatastore.name, event.ds.name, event.vm.name) == (SOURCE, SICK, "fileserver")


def test_sioc_comes_back_while_the_io_metric_is_on_and_the_migration_stays_where_it_is(own: Served, clock: Clock) -> None:
    own.switch_sioc_off(SICK)
    assert own.sioc()[SICK] is False
    clock.now += 1.5
    assert own.sioc()[SICK] is False
    clock.now += 1.0  # it takes 2 seconds
    assert own.sioc()[SICK] is True
    assert own.datastore_counters(SICK_HOST, SICK)[0] == 100
    clock.now += WHOLE_SECONDS
    assert (own.relocation().state, own.relocation().progress) == ("running", 40)
    own.switch_sioc_off(SICK)
    clock.now += WHOLE_SECONDS  # nobody looks before it is long back
    assert (own.relocation().state, own.relocation().progress) == ("running", 40)


def test_storage_drs_can_be_made_manual(own: Served) -> None:
    assert own.pod_config("sc-auto-pod").defaultVmBehavior == "automated"
    own.set_pod("sc-auto-pod", defaultVmBehavior="manual")
    config = own.pod_config("sc-auto-pod")
    assert (config.defaultVmBehavior, config.ioLoadBalanceEnabled) == ("manual", False)


def test_the_qos_profile_can_be_removed_from_the_volume_and_changed_for_all(own: Served) -> None:
    volume, profiles = own.prod.all("ScVolume")["prod-01"]["instanceId"], own.prod.all("ScQosProfile")
    wanted = {"volumeQosProfile": profiles["Default"]["instanceId"]}
    assert own.prod.ask("PUT", f"StorageCenter/ScVolumeConfiguration/{volume}", wanted).status_code == 200
    assert own.prod.configuration("prod-01")["volumeQosProfile"]["instanceName"] == "Default"
    assert own.prod.configuration("prod-02")["volumeQosProfile"]["instanceName"] == "Prod"
    put = own.prod.ask("PUT", f"StorageCenter/ScQosProfile/{profiles['Prod']['instanceId']}", {qos.BANDWIDTH_LIMIT: 200})
    assert put.status_code == 200
    assert own.prod.all("ScQosProfile")["Prod"][qos.BANDWIDTH_LIMIT] == 200
    assert own.twin.configuration("twin-01")["volumeQosProfile"]["instanceName"] == "Twin"


def test_the_twin_has_one_throttle_at_most_and_nothing_to_complain_of(served: Served) -> None:
    config = served.pod_config("sc-twin-pod")
    assert (config.enabled, config.ioLoadBalanceEnabled, config.defaultVmBehavior) == (True, False, "manual")
    assert {name: on for name, on in served.sioc().items() if name.startswith("sc-twin")} == {"sc-twin-01": False, "sc-twin-02": False}
    used = {name: served.twin.configuration(name)["volumeQosProfile"]["instanceName"] for name in ("twin-01", "twin-02")}
    assert used == {"twin-01": "Twin", "twin-02": "Default"}
    assert served.twin.all("ScQosProfile")["Default"][qos.BANDWIDTH_LIMIT_ENABLED] is False
    active, depth, latency_us = served.datastore_counters(TWIN_HOST, TWIN)
    assert (active, depth) == (0, 32)
    assert latency_us < 5000
    assert served.guest_ms("sctwin-app-1") == 2
    for host in (one for one in served.client.hosts().values() if one.parent.name == "sc-twin"):
        (hba,) = host.config.storageDevice.hostBusAdapter
        assert {option.value for option in hba.advancedOptions if option.key == "DelayedAck"} == {False}
        assert {lun.queueDepth for lun in host.config.storageDevice.scsiLun} == {255}
        assert {unit.policy.policy for unit in host.config.storageDevice.multipathInfo.lun} == {"VMW_PSP_RR"}
    assert [one.name for task in served.client.content.taskManager.recentTask for one in task.info.entity.datastore] == [SOURCE]


SMALL = """
vcenters:
  - name: vc-move
    host_build: 21930508
    clusters: [{name: one, hosts: [{name: esx-1}, {name: esx-2}]}]
    datastores:
      - {name: from, type: NFS, remote_host: 198.51.100.9, remote_path: /a, clusters: [one]}
      - {name: to, type: NFS, remote_host: 198.51.100.9, remote_path: /b, hosts: [esx-1]}
    vms:
      - {name: here, host: esx-1, disks: [{datastore: from}]}
      - {name: there, host: esx-2, disks: [{datastore: from}]}
      - {name: asleep, host: esx-1, powered_on: false, disks: [{datastore: from}]}
    relocations: [{vm: here, datastore: to, progress_percent: 99}]
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param("vm: here", "vm: gone", "no running machine with disks named 'gone'", id="a machine there is not"),
        pytest.param("vm: here", "vm: asleep", "no running machine with disks named 'asleep'", id="a machine that is off"),
        pytest.param("vm: here", "vm: there", "esx-2 has no datastore named 'to'", id="a target its host does not mount"),
        pytest.param("datastore: to,", "datastore: gone,", "no datastore named 'gone'", id="a target there is not"),
        pytest.param("progress_percent: 99", "progress_percent: 100", "before 100 %", id="one that is over"),
        pytest.param("progress_percent: 99", "whole_minutes: 0", "a minute at least", id="one that takes no time"),
    ],
)
def test_a_slip_in_a_relocation_is_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        parse_scenario(SMALL.replace(old, new), "slip")


def test_a_relocation_that_nothing_holds_back_ends_by_itself(clock: Clock, connect: Any, serve_vcenter: Any) -> None:
    client = connect(serve_vcenter(parse_scenario(SMALL, "small").vcenters[0]))
    (task,) = client.content.taskManager.recentTask
    clock.now += 60
    assert (task.info.state, task.info.progress) == ("running", 99)
    clock.now += 60
    assert task.info.state == "success"
    assert [one.name for one in entity(client, vim.VirtualMachine, "here").datastore] == ["to"]
