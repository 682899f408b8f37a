"""What modules of others need of the lab, held here by pyVmomi alone: `make peers` needs an environment that not everybody builds.

Each test does what a module of tests/long/peers/cases does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from auditor_lab.scenario import load_scenario
from auditor_lab.vcenter.server import VCenterServer


@pytest.fixture
def client(vcenter: VCenterServer, connect: Callable[..., Any]) -> Any:
    return connect(vcenter)


@pytest.fixture
def host(client: Any) -> Any:
    return client.hosts()["esx-1"]


def machine(client: Any, name: str) -> Any:
    view = client.content.viewManager.CreateContainerView(client.content.rootFolder, [vim.VirtualMachine], recursive=True)
    return next(one for one in view.view if one.name == name)


def disk_of(vm: Any) -> Any:
    return next(device for device in vm.config.hardware.device if isinstance(device, vim.vm.device.VirtualDisk))


def reconfigure(vm: Any, device: Any, operation: str = "edit") -> Any:
    change = vim.vm.device.VirtualDeviceSpec(operation=operation, device=device)
    return vm.ReconfigVM_Task(spec=vim.vm.ConfigSpec(deviceChange=[change]))


def test_a_host_has_the_hardware_that_its_summary_counts(host: Any) -> None:
    hardware, summary = host.hardware, host.summary.hardware
    assert (hardware.memorySize, hardware.cpuInfo.numCpuCores) == (summary.memorySize, summary.numCpuCores)
    assert len(hardware.cpuPkg) == summary.numCpuPkgs
    assert sum(len(package.threadId) for package in hardware.cpuPkg) == summary.numCpuThreads
    nics = host.config.network.pnic
    assert len(nics) == summary.numNics
    assert {nic.pci for nic in nics} <= {device.id for device in hardware.pciDevice}
    assert hardware.systemInfo.uuid == summary.uuid


@pytest.fixture(params=["sioc-vs-array-qos", "odd-neighbours"])
def many_kinds(request: pytest.FixtureRequest, serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Any]) -> list[Any]:
    """The reachable hosts of a fleet whose hosts have adapters of several kinds, and several switches."""
    hosts = connect(serve_vcenter(load_scenario(request.param).vcenters[0])).hosts().values()
    return [host for host in hosts if host.runtime.connectionState == "connected"]


def test_the_topology_has_the_paths_of_the_multipath_information(many_kinds: list[Any]) -> None:
    for host in many_kinds:
        storage = host.configManager.storageSystem.storageDeviceInfo
        seen = {
            (interface.adapter, lun.scsiLun)
            for interface in storage.scsiTopology.adapter
            for target in interface.target
            for lun in target.lun
        }
        assert seen == {(path.adapter, unit.lun) for unit in storage.multipathInfo.lun for path in unit.path}


def test_every_switch_has_uplinks_of_its_own(many_kinds: list[Any]) -> None:
    for host in many_kinds:
        network = host.config.network
        used = [nic for switch in (*network.vswitch, *network.proxySwitch) for nic in switch.pnic]
        assert used
        assert len(used) == len(set(used))
        assert set(used) <= {nic.key for nic in network.pnic}


def test_an_unknown_service_of_vmkernel_adapters_is_refused(host: Any) -> None:
    manager = host.configManager.virtualNicManager
    chosen = manager.QueryNetConfig("management")
    assert [nic.device for nic in chosen.candidateVnic if nic.key in chosen.selectedVnic] == ["vmk0"]
    with pytest.raises(vmodl.fault.InvalidArgument):
        manager.QueryNetConfig("coffee")


def test_a_supported_option_has_the_range_that_a_write_is_held_to(host: Any) -> None:
    options = host.configManager.advancedOption
    kind = next(one.optionType for one in options.supportedOption if one.key == "ISCSI.MaxIoSizeKB")
    assert (kind.min, kind.max, kind.defaultValue) == (128, 512, 128)
    assert {one.key for one in options.supportedOption} == {one.key for one in options.QueryOptions()}


def test_the_power_policy_is_the_one_that_was_set(host: Any) -> None:
    system = host.configManager.powerSystem
    assert system.info.currentPolicy.shortName == "dynamic"
    system.ConfigurePowerPolicy(key=1)
    assert system.info.currentPolicy.shortName == "static"
    with pytest.raises(vmodl.fault.InvalidArgument):
        system.ConfigurePowerPolicy(key=9)


def test_limit_shares_and_size_of_a_disk_are_changed_and_nothing_else(client: Any) -> None:
    vm = machine(client, "vm-1")
    disk = disk_of(vm)
    disk.storageIOAllocation = vim.StorageResourceManager.IOAllocationInfo(limit=700, shares=vim.SharesInfo(level="custom", shares=1500))
    disk.capacityInKB *= 2
    size = disk.capacityInKB
    assert reconfigure(vm, disk).info.state == "success"
    after = disk_of(vm)
    assert (after.storageIOAllocation.limit, after.storageIOAllocation.shares.shares, after.capacityInKB) == (700, 1500, size)
    after.storageIOAllocation.limit = -1
    assert reconfigure(vm, after).info.state == "success"
    assert disk_of(vm).storageIOAllocation.limit == -1
    after.capacityInKB = size // 2
    with pytest.raises(vmodl.fault.InvalidArgument):
        reconfigure(vm, after)
    with pytest.raises(vmodl.fault.NotSupported):
        reconfigure(vm, after, "remove")


def test_a_target_is_added_once_and_removed(host: Any) -> None:
    storage = host.configManager.storageSystem
    targets = [vim.host.InternetScsiHba.SendTarget(address="198.51.100.99", port=3260)]

    def addresses() -> list[str]:
        adapter = next(hba for hba in storage.storageDeviceInfo.hostBusAdapter if hba.device == "vmhba64")
        return [one.address for one in adapter.configuredSendTarget]

    for _ in range(2):
        storage.AddInternetScsiSendTargets("vmhba64", targets)
        assert addresses() == ["198.51.100.1", "198.51.100.99"]
    storage.RemoveInternetScsiSendTargets("vmhba64", targets)
    assert addresses() == ["198.51.100.1"]
    with pytest.raises(vim.fault.NotFound):
        storage.RemoveInternetScsiSendTargets("vmhba64", targets)


def test_an_adapter_is_bound_to_a_vmkernel_adapter_once(host: Any) -> None:
    manager = host.configManager.iscsiManager
    assert not manager.QueryBoundVnics("vmhba64")
    manager.BindVnic("vmhba64", "vmk0")
    assert [port.vnicDevice for port in manager.QueryBoundVnics("vmhba64")] == ["vmk0"]
    with pytest.raises(vim.fault.IscsiFault):
        manager.BindVnic("vmhba64", "vmk0")
    manager.UnbindVnic("vmhba64", "vmk0", force=False)
    assert not manager.QueryBoundVnics("vmhba64")


def test_an_export_is_mounted_on_one_host_after_another_and_is_gone_with_the_last(client: Any) -> None:
    hosts = client.hosts()
    spec = vim.host.NasVolume.Specification(
        remoteHost="198.51.100.9", remotePath="/new", localPath="new", accessMode="readWrite", type="NFS"
    )
    store = hosts["esx-1"].configManager.datastoreSystem.CreateNasDatastore(spec)
    assert [one.key.name for one in store.host] == ["esx-1"]
    assert "new" in [one.name for one in hosts["esx-1"].datastore]
    assert hosts["esx-2"].configManager.datastoreSystem.CreateNasDatastore(spec)._GetMoId() == store._GetMoId()
    assert sorted(one.key.name for one in store.host) == ["esx-1", "esx-2"]
    spec.remotePath = "/other"
    with pytest.raises(vim.fault.DuplicateName):
        hosts["esx-3"].configManager.datastoreSystem.CreateNasDatastore(spec)
    for name in ("esx-1", "esx-2"):
        hosts[name].configManager.datastoreSystem.RemoveDatastore(store)
    assert "new" not in [one.name for one in hosts["esx-1"].datastore]
    with pytest.raises(vmodl.fault.ManagedObjectNotFound):
        assert store.name


def test_a_datastore_outside_of_a_cluster_is_not_put_into_maintenance(client: Any) -> None:
    store = next(one for one in client.hosts()["esx-1"].datastore if one.name == "fast")
    with pytest.raises(vim.fault.InvalidState):
        store.DatastoreEnterMaintenanceMode()
