"""S2 read back over REST and the vSphere API: three drivers, one host raised alone, and where the database's commands wait."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from pyVmomi import vim

from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.fleet.loading import load_fleet
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from tests.lab.conftest import Client, pyvmomi_client
from tests.lab.flasharray.conftest import Client as Array
from tests.waiting import until

UCS, QLOGIC, EMULEX = ("esx-fq-ucs-1", "esx-fq-ucs-2", "esx-fq-ucs-3"), "esx-fq-qlogic-1", "esx-fq-emulex-1"
SICK, TWIN = (*UCS, QLOGIC, EMULEX), ("esx-fs-1", "esx-fs-2", "esx-fs-3")
RAISED = "esx-fq-ucs-3"
DEFAULT_DEPTH = {"nfnic": 32, "qlnativefc": 64, "lpfc": 32}  # docs/domain/incidents.md#s2, defaults by driver
DSNRO, PE_DSNRO = 32, 256  # docs/domain/facts.md#1-4, 8.0 U2
TREMBLE = 0.08  # of a value: samples tremble by 4 %, and the report rounds to one digit


@dataclass(frozen=True)
class Site:
    """The served scenario, and a way in at every door."""

    lab: Lab
    client: Client
    vcenter: VCenter
    arrays: dict[str, Array]

    def host(self, name: str) -> Any:
        return self.client.hosts()[f"{name}.lab.example"]

    def named(self, kind: type, name: str) -> Any:
        view = self.client.content.viewManager.CreateContainerView(self.client.content.rootFolder, [kind], recursive=True)
        return next(one for one in view.view if one.name == name)

    def devices(self, host: str) -> dict[str, dict[str, Any]]:
        """`esxcli storage core device list` by device."""
        rows = self.vcenter.esxcli(self.host(host)._GetMoId()).run("storage core device list")
        return {str(row["Device"]): row for row in rows}

    def set_dsnro(self, host: str, device: str, value: int) -> None:
        cli = self.vcenter.esxcli(self.host(host)._GetMoId())
        cli.run("storage core device set", device=device, schednumreqoutstanding=value)

    def device_of(self, array: str, volume: str) -> str:
        [found] = self.arrays[array].items("volumes", names=volume)
        return f"naa.624a9370{found['serial'].lower()}"

    def newest(self, host: str, counter: str, instance: str) -> int:
        """The newest 20-second sample of a host's counter such as disk.maxQueueDepth."""
        manager = self.client.content.perfManager
        [key] = [one.key for one in manager.perfCounter if f"{one.groupInfo.key}.{one.nameInfo.key}" == counter]
        asked = vim.PerformanceManager.MetricId(counterId=key, instance=instance)
        spec = vim.PerformanceManager.QuerySpec(entity=self.host(host), metricId=[asked], intervalId=20, maxSample=1)
        [metric] = manager.QueryPerf([spec])
        [series] = metric.value
        return int(series.value[-1])

    def at_datastore(self, host: str, datastore: str) -> tuple[int, int, int]:
        """IOPS, DAVG and GAVG in microseconds: of a datastore the counters are finer than the milliseconds a device has."""
        instance = self.named(vim.Datastore, datastore).summary.url.rstrip("/").rpartition("/")[2]
        names = ("datastoreIops", "sizeNormalizedDatastoreLatency", "datastoreVMObservedLatency")
        iops, davg, gavg = (self.newest(host, f"datastore.{name}", instance) for name in names)
        return iops, davg, gavg

    def modules(self, host: str) -> Any:
        return self.host(host).configManager.kernelModuleSystem

    def done(self, task: Any) -> None:
        until(lambda: task.info.state == "success", "the end of a task")

    def reboot(self, name: str) -> None:
        """Through maintenance mode and back."""
        host = self.host(name)
        booted = host.runtime.bootTime
        self.done(host.EnterMaintenanceMode_Task(timeout=0))
        self.done(host.RebootHost_Task(force=False))
        until(lambda: host.runtime.connectionState == "connected" and host.runtime.bootTime > booted, "a host that is back")
        self.done(host.ExitMaintenanceMode_Task(timeout=0))


@contextmanager
def opened(folder: Path) -> Iterator[Site]:
    with ExitStack() as stack:
        lab = stack.enter_context(serve(load_scenario("flasharray-queues")))
        lab.write_fleet(folder / "fleet.yaml")
        trusted = ssl.create_default_context(cafile=str(folder / "fleet-ca.pem"))
        server = lab.vcenters["vc-flasharray"]
        client = stack.enter_context(pyvmomi_client(server.host, server.port, trusted, password=lab.password))
        [endpoint] = [one for one in load_fleet(folder / "fleet.yaml").endpoints if one.name == "vc-flasharray"]
        arrays = {}
        for name, one in lab.flasharray.items():
            arrays[name] = Array(stack.enter_context(httpx.Client(verify=trusted, base_url=f"https://127.0.0.1:{one.port}")))
            assert arrays[name].login(lab.password).status_code == 200
        yield Site(lab, client, stack.enter_context(open_vcenter(endpoint)), arrays)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """For tests that only read."""
    with opened(tmp_path_factory.mktemp("s2")) as one:
        yield one


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Site]:
    """For tests that write."""
    with opened(tmp_path) as one:
        yield one


@pytest.mark.parametrize(
    ("host", "datastore", "depth", "iops", "davg_us", "gavg_us"),
    [
        # 32 at the device and 65,000 a second: 0.49 ms. PVSCSI lets 64 out, and the rest of the 1.4 ms passes inside the guest.
        pytest.param("esx-fq-ucs-1", "fq-db-1", 32, 65_000, 490, 64 / 65_000 * 1e6, id="as installed"),
        pytest.param("esx-fq-ucs-2", "fq-db-2", 32, 65_000, 490, 1400, id="only the guest's queue is deeper: the wait has moved"),
        pytest.param("esx-fq-ucs-3", "fq-db-3", 96, 125_000, 700, 700, id="guest and device are deeper"),
    ],
)
def test_the_database_gets_what_the_report_measured(
    site: Site, host: str, datastore: str, depth: int, iops: int, davg_us: float, gavg_us: float
) -> None:
    assert site.newest(host, "disk.maxQueueDepth", site.device_of("fa-queues", datastore)) == depth
    measured = site.at_datastore(host, datastore)
    assert measured == pytest.approx((iops, davg_us, gavg_us), rel=TREMBLE)
    [reported] = site.arrays["fa-queues"].items("volumes/performance", names=datastore)
    assert reported["reads_per_sec"] == iops
    assert reported["bytes_per_read"] == 4096
    # "while the array reported well under 1 ms": what it does not report is the host's queue.
    assert reported["usec_per_read_op"] + reported["san_usec_per_read_op"] == pytest.approx(davg_us, rel=TREMBLE)
    assert reported["usec_per_read_op"] < 1000


@pytest.mark.parametrize("host", SICK)
def test_each_driver_has_its_own_default_and_one_host_was_raised_alone(site: Site, host: str) -> None:
    [driver] = {hba.driver for hba in site.host(host).config.storageDevice.hostBusAdapter}
    assert driver == {QLOGIC: "qlnativefc", EMULEX: "lpfc"}.get(host, "nfnic")
    configured = {RAISED: "lun_queue_depth_per_path=96", EMULEX: "lpfc0_lun_queue_depth=64"}
    assert site.modules(host).QueryConfiguredModuleOptionString(driver) == configured.get(host, "")
    seen = site.devices(host)
    assert len(seen) == 8
    assert {int(row["DeviceMaxQueueDepth"]) for row in seen.values()} == {96 if host == RAISED else DEFAULT_DEPTH[driver]}
    reported = {name: int(row["NoofoutstandingIOswithcompetingworlds"]) for name, row in seen.items()}
    endpoint = site.device_of("fa-queues", "fq-pe")
    assert reported.pop(endpoint) == PE_DSNRO
    assert set(reported.values()) == {256 if host == RAISED else DSNRO}


def test_several_machines_have_dsnro_between_them_and_more_than_the_device_takes_has_no_effect(own: Site) -> None:
    device = own.device_of("fa-queues", "fq-erp")
    assert int(own.devices(QLOGIC)[device]["DeviceMaxQueueDepth"]) == 64
    assert own.newest(QLOGIC, "disk.maxQueueDepth", device) == DSNRO
    # LSI SAS sends 32 of a disk: 64 of two; half of them wait as long as the array needs for the others, 6 ms.
    assert own.newest(QLOGIC, "disk.deviceLatency", device) == pytest.approx(6, abs=1)
    assert own.newest(QLOGIC, "disk.kernelLatency", device) == pytest.approx(6, abs=1)
    for asked in (64, 256):
        own.set_dsnro(QLOGIC, device, asked)
        assert int(own.devices(QLOGIC)[device]["NoofoutstandingIOswithcompetingworlds"]) == asked
        assert own.newest(QLOGIC, "disk.maxQueueDepth", device) == 64
        assert own.newest(QLOGIC, "disk.kernelLatency", device) == 0


def test_storage_io_control_manages_the_depth_in_place_of_dsnro(own: Site) -> None:
    device, store = own.device_of("fa-queues", "fq-apps"), own.named(vim.Datastore, "fq-apps")
    assert store.iormConfiguration.enabled is True
    assert own.newest(QLOGIC, "disk.maxQueueDepth", device) == 64
    off = vim.StorageResourceManager.IORMConfigSpec(enabled=False)
    own.done(own.client.content.storageResourceManager.ConfigureDatastoreIORM_Task(store, off))
    assert not own.named(vim.Datastore, "fq-apps").iormConfiguration.enabled
    assert own.newest(QLOGIC, "disk.maxQueueDepth", device) == DSNRO


def test_the_device_depth_raised_on_every_ucs_host_ends_the_wait_after_their_reboots(own: Site) -> None:
    for name in UCS[:2]:
        own.modules(name).UpdateModuleOptionString("nfnic", "lun_queue_depth_per_path=96")
        assert own.modules(name).QueryConfiguredModuleOptionString("nfnic") == "lun_queue_depth_per_path=96"
        assert {int(row["DeviceMaxQueueDepth"]) for row in own.devices(name).values()} == {32}
    assert own.at_datastore("esx-fq-ucs-2", "fq-db-2")[0] == pytest.approx(65_000, rel=TREMBLE)
    for name in UCS[:2]:
        own.reboot(name)
        assert {int(row["DeviceMaxQueueDepth"]) for row in own.devices(name).values()} == {96}
    # While the second was away, its machines came to the first, and stay there.
    assert own.named(vim.VirtualMachine, "fq-db-2").runtime.host.name == "esx-fq-ucs-1.lab.example"
    iops, davg, gavg = own.at_datastore("esx-fq-ucs-1", "fq-db-2")
    assert (iops, gavg) == pytest.approx((125_000, 700), rel=TREMBLE)
    assert davg == pytest.approx(gavg, rel=TREMBLE)  # nothing waits in the kernel


def test_the_raised_host_is_put_back_to_what_the_report_advises(own: Site) -> None:
    own.modules(RAISED).UpdateModuleOptionString("nfnic", "")
    for name, row in own.devices(RAISED).items():
        if row["IsVVOLPE"] != "true":
            own.set_dsnro(RAISED, name, DSNRO)
    own.reboot(RAISED)
    reported = {(row["DeviceMaxQueueDepth"], row["NoofoutstandingIOswithcompetingworlds"]) for row in own.devices(RAISED).values()}
    assert reported == {("32", "32"), ("32", "256")}
    assert own.devices(RAISED).keys() == own.devices("esx-fq-ucs-1").keys()


def test_the_emulex_parameter_of_the_reports_table_leaves_the_queue_as_it_was(own: Site) -> None:
    rows = own.vcenter.esxcli(own.host(EMULEX)._GetMoId()).run("system module parameters list", module="lpfc")
    known = {row["Name"] for row in rows}
    assert "lpfc_lun_queue_depth" in known
    assert "lpfc0_lun_queue_depth" not in known
    own.modules(EMULEX).UpdateModuleOptionString("lpfc", "lpfc_lun_queue_depth=64")
    own.reboot(EMULEX)
    assert {int(row["DeviceMaxQueueDepth"]) for row in own.devices(EMULEX).values()} == {64}


def test_machines_have_the_controllers_of_the_report(site: Site) -> None:
    def controllers(name: str) -> set[type]:
        hardware = site.named(vim.VirtualMachine, name).config.hardware.device
        return {type(one) for one in hardware if isinstance(one, vim.vm.device.VirtualSCSIController)}

    pvscsi, lsi = vim.vm.device.ParaVirtualSCSIController, vim.vm.device.VirtualLsiLogicSASController
    assert {name: controllers(name) for name in ("fq-db-1", "fq-db-2", "fq-db-3", "fs-db-1")} == {
        name: {pvscsi} for name in ("fq-db-1", "fq-db-2", "fq-db-3", "fs-db-1")
    }
    assert controllers("fq-erp-1") == controllers("fq-erp-2") == {lsi}


@pytest.mark.parametrize(("hosts", "array"), [(SICK, "fa-queues"), (TWIN, "fa-steady")], ids=["sick", "twin"])
def test_every_device_of_every_host_is_a_volume_of_the_array(site: Site, hosts: tuple[str, ...], array: str) -> None:
    volumes = {f"naa.624a9370{one['serial'].lower()}": one for one in site.arrays[array].items("volumes")}
    for host in hosts:
        seen = {lun.canonicalName: lun for lun in site.host(host).config.storageDevice.scsiLun}
        assert seen.keys() <= volumes.keys()
        connected = {one["volume"]["name"] for one in site.arrays[array].items("connections", host_names=host)}
        assert {volumes[name]["name"] for name in seen} == {name for name in connected if not name.startswith("vvol-")}
        for name, lun in seen.items():
            assert (lun.vendor.strip(), lun.model.strip()) == ("PURE", "FlashArray")
            assert lun.protocolEndpoint is (volumes[name]["subtype"] == "protocol_endpoint")
            if not lun.protocolEndpoint:
                assert lun.capacity.block * lun.capacity.blockSize == volumes[name]["provisioned"]


@pytest.mark.parametrize(("hosts", "array"), [(SICK, "fa-queues"), (TWIN, "fa-steady")], ids=["sick", "twin"])
def test_the_array_knows_the_hosts_by_the_initiators_they_have(site: Site, hosts: tuple[str, ...], array: str) -> None:
    ports = {int(one["wwn"].replace(":", ""), 16) for one in site.arrays[array].items("ports")}
    registered = {one["name"]: {int(wwn, 16) for wwn in one["wwns"]} for one in site.arrays[array].items("hosts")}
    assert registered.keys() == set(hosts)
    for host in hosts:
        storage = site.host(host).config.storageDevice
        assert {hba.portWorldWideName for hba in storage.hostBusAdapter} == registered[host]
        for unit in storage.multipathInfo.lun:
            assert {path.transport.portWorldWideName for path in unit.path} == ports
            assert len(unit.path) == 8
            assert unit.policy.policy == "VMW_PSP_RR"


def test_a_volume_of_a_stretched_pod_has_the_digits_of_another_array(site: Site) -> None:
    for array, pod, other in (("fa-queues", "fq-metro", "fa-queues-b"), ("fa-steady", "fs-metro", "fa-steady-b")):
        [reported] = site.arrays[array].items("pods", names=pod)
        ids = {one["name"]: one["id"].replace("-", "")[:16].upper() for one in reported["arrays"]}
        assert ids.keys() == {array, other}
        [volume] = site.arrays[array].items("volumes", names=f"{pod}::shared")
        assert volume["serial"].startswith(ids[other])


@pytest.mark.parametrize(
    ("prefix", "array", "host", "ceiling"),
    [("fq", "fa-queues", "esx-fq-ucs-1", 20_000), ("fs", "fa-steady", "esx-fs-1", None)],
    ids=["capped on the array", "not capped"],
)
def test_a_machine_on_vvols_is_bound_through_the_endpoint_that_carries_its_disk(
    site: Site, prefix: str, array: str, host: str, ceiling: int | None
) -> None:
    machine, store = site.named(vim.VirtualMachine, f"{prefix}-vvol-1"), site.named(vim.Datastore, f"{prefix}-vvol")
    assert machine.runtime.host.name == f"{host}.lab.example"
    endpoint = site.device_of(array, f"{prefix}-pe")
    mounts = {one.key.name: {pe.deviceId for pe in one.protocolEndpoint} for one in store.info.vvolDS.hostPE}
    assert {name.partition(".")[0] for name in mounts} == set(SICK if prefix == "fq" else TWIN)
    assert all(seen == {endpoint} for seen in mounts.values())
    disks: list[Any] = [one for one in machine.config.hardware.device if isinstance(one, vim.vm.device.VirtualDisk)]
    [disk] = disks
    assert disk.backing.backingObjectId.startswith("rfc4122.")
    bound = [one for one in site.arrays[array].items("connections", host_names=host) if one["volume"]["name"].startswith("vvol-")]
    assert {one["protocol_endpoint"]["name"] for one in bound} == {f"{prefix}-pe"}
    [group] = {one["volume"]["name"].partition("/")[0] for one in bound}
    [reported] = site.arrays[array].items("volume-groups", names=group)
    assert reported["qos"] == {"iops_limit": ceiling, "bandwidth_limit": None}
    [data] = [one for one in site.arrays[array].items("volumes") if one["name"].startswith(f"{group}/Data-")]
    assert data["provisioned"] == disk.capacityInBytes


def test_the_forgotten_personality_is_set_on_the_array(own: Site) -> None:
    array = own.arrays["fa-queues"]
    assert {one["name"]: one["personality"] for one in array.items("hosts")} == {host: None if host == EMULEX else "esxi" for host in SICK}
    assert array.patch("hosts", {"personality": "esxi"}, names=EMULEX).status_code == 200
    assert {one["personality"] for one in array.items("hosts")} == {"esxi"}


def test_a_volume_at_its_ceiling_shows_it_and_both_ceilings_can_be_changed(own: Site) -> None:
    array, name = own.arrays["fa-queues"], "fq-batch/archive"
    [volume], [group] = array.items("volumes", names=name), array.items("volume-groups", names="fq-batch")
    [load] = array.items("volumes/performance", names=name)
    assert volume["qos"] == {"iops_limit": 10_000, "bandwidth_limit": 400 << 20}
    assert group["qos"] == {"iops_limit": 15_000, "bandwidth_limit": None}
    assert load["reads_per_sec"] == volume["qos"]["iops_limit"]
    assert load["read_bytes_per_sec"] < volume["qos"]["bandwidth_limit"]
    assert load["qos_rate_limit_usec_per_read_op"] > 1000
    assert array.patch("volumes", {"qos": {"iops_limit": 40_000}}, names=name).status_code == 200
    assert array.patch("volume-groups", {"qos": {"iops_limit": 50_000}}, names="fq-batch").status_code == 200
    [volume], [group] = array.items("volumes", names=name), array.items("volume-groups", names="fq-batch")
    assert volume["qos"] == {"iops_limit": 40_000, "bandwidth_limit": 400 << 20}
    assert group["qos"] == {"iops_limit": 50_000, "bandwidth_limit": None}


@pytest.mark.parametrize("host", TWIN)
def test_the_twin_has_one_driver_and_the_defaults_everywhere(site: Site, host: str) -> None:
    assert [hba.driver for hba in site.host(host).config.storageDevice.hostBusAdapter] == ["qlnativefc", "qlnativefc"]
    assert site.modules(host).QueryConfiguredModuleOptionString("qlnativefc") == ""
    seen = site.devices(host)
    endpoint = site.device_of("fa-steady", "fs-pe")
    assert {name: int(row["NoofoutstandingIOswithcompetingworlds"]) for name, row in seen.items()} == {
        name: PE_DSNRO if name == endpoint else DSNRO for name in seen
    }
    for name, row in seen.items():
        assert int(row["DeviceMaxQueueDepth"]) == DEFAULT_DEPTH["qlnativefc"]
        assert site.newest(host, "disk.kernelLatency", name) == 0
    rows = site.vcenter.esxcli(site.host(host)._GetMoId()).run("storage nmp device list")
    assert {row["PathSelectionPolicy"] for row in rows} == {"VMW_PSP_RR"}
    assert all("policy=latency" in str(row["PathSelectionPolicyDeviceConfig"]) for row in rows)


def test_nothing_in_the_twin_waits_or_throttles(site: Site) -> None:
    array = site.arrays["fa-steady"]
    assert {one["personality"] for one in array.items("hosts")} == {"esxi"}
    assert {one["port_connectivity"]["status"] for one in array.items("hosts")} == {"healthy"}
    for load in array.items("volumes/performance"):
        assert load["qos_rate_limit_usec_per_read_op"] == load["qos_rate_limit_usec_per_write_op"] == 0
    for name in ("fs-db-1", "fs-apps", "fs-archive", "fs-metro"):
        assert site.named(vim.Datastore, name).iormConfiguration.enabled is False
    iops, davg, gavg = site.at_datastore("esx-fs-1", "fs-db-1")
    assert (iops, davg) == pytest.approx((20_000, 400), rel=TREMBLE)
    assert davg == pytest.approx(gavg, rel=TREMBLE)
    for vm in ("fs-db-1", "fs-batch", "fs-app-1", "fs-app-2", "fs-app-3", "fs-vvol-1"):
        hardware = site.named(vim.VirtualMachine, vm).config.hardware.device
        scsi = [one for one in hardware if isinstance(one, vim.vm.device.VirtualSCSIController)]
        assert {type(one) for one in scsi} == {vim.vm.device.ParaVirtualSCSIController}
        disks: list[Any] = [one for one in hardware if isinstance(one, vim.vm.device.VirtualDisk)]
        assert {one.storageIOAllocation.limit for one in disks} == {-1}
