from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Thread
from typing import Any

import pytest
from pyVmomi import VmomiSupport, vim, vmodl

from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import ALL
from auditor_lab.vcenter.state import vcenter as state
from auditor_lab.vcenter.state.options import options_of
from tests.waiting import Clock, until

LONG = VmomiSupport.GetVmodlType("long")


def option(key: str, value: object) -> Any:
    return vim.option.OptionValue(key=key, value=value)


def finished(task: Any) -> Any:
    """The task's info once it has ended."""
    return until(lambda: task.info if task.info.state in ("success", "error") else None, "the end of the task")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time by which the lab's hosts reboot and its tasks end."""
    clock = Clock()
    monkeypatch.setattr(state, "time", clock)
    return clock


@pytest.fixture
def client(connect: Callable[..., Any], vcenter: VCenterServer) -> Any:
    return connect(vcenter)


@pytest.fixture
def host(client: Any) -> Any:
    return client.hosts()["esx-1"]


@pytest.fixture
def options(host: Any) -> Any:
    return host.configManager.advancedOption


def test_an_exact_name_is_answered_and_a_name_with_a_dot_lists_what_is_below_it(options: Any) -> None:
    (one,) = options.QueryOptions("Disk.QFullThreshold")
    assert (one.key, one.value, type(one.value)) == ("Disk.QFullThreshold", 8, LONG)
    assert {one.key for one in options.QueryOptions("ISCSI.")} == {"ISCSI.MaxIoSizeKB"}


@pytest.mark.parametrize("name", ["Disk.SchedNumReqOutstanding", "VMFS3.EnableVMFS6Unmap", "No.Such", "ISCSI"])
def test_an_option_the_build_does_not_have_is_an_invalid_name(name: str, options: Any) -> None:
    with pytest.raises(vim.fault.InvalidName):
        options.QueryOptions(name)


def test_a_hidden_option_is_answered_by_exact_name_only(host: Any, options: Any) -> None:
    (hidden,) = options.QueryOptions("DataMover.MaxHWTransferSize")
    assert hidden.value == 4096
    assert "DataMover.MaxHWTransferSize" not in {one.key for one in options.QueryOptions("DataMover.")}
    assert "DataMover.MaxHWTransferSize" not in {one.key for one in options.setting}
    assert "DataMover.MaxHWTransferSize" not in {one.key for one in host.config.option}
    options.UpdateOptions([option("DataMover.MaxHWTransferSize", LONG(16384))])
    assert options.QueryOptions("DataMover.MaxHWTransferSize")[0].value == 16384


def test_a_good_value_sticks_and_shows_wherever_options_are_read(host: Any, options: Any) -> None:
    options.UpdateOptions([option("ISCSI.MaxIoSizeKB", LONG(512))])
    assert options.QueryOptions("ISCSI.MaxIoSizeKB")[0].value == 512
    assert {one.key: one.value for one in options.setting}["ISCSI.MaxIoSizeKB"] == 512
    assert {one.key: one.value for one in host.config.option}["ISCSI.MaxIoSizeKB"] == 512


@pytest.mark.parametrize(
    ("key", "value", "fault"),
    [
        pytest.param("ISCSI.MaxIoSizeKB", LONG(127), vmodl.fault.InvalidArgument, id="below the range"),
        pytest.param("ISCSI.MaxIoSizeKB", LONG(513), vmodl.fault.InvalidArgument, id="above the range"),
        pytest.param("ISCSI.MaxIoSizeKB", 512, vmodl.fault.InvalidArgument, id="an int where a long is meant"),
        pytest.param("ISCSI.MaxIoSizeKB", "512", vmodl.fault.InvalidArgument, id="text where a number is meant"),
        pytest.param("VMFS3.HardwareAcceleratedLocking", True, vmodl.fault.InvalidArgument, id="a boolean where a number is meant"),
        pytest.param("No.Such", LONG(1), vim.fault.InvalidName, id="no such option"),
    ],
)
def test_a_bad_value_is_refused_and_nothing_of_the_call_is_written(key: str, value: object, fault: Any, options: Any) -> None:
    with pytest.raises(fault):
        options.UpdateOptions([option("Disk.QFullSampleSize", LONG(32)), option(key, value)])
    assert options.QueryOptions("Disk.QFullSampleSize")[0].value == 0


@pytest.mark.parametrize(
    ("version", "build", "key", "expected"),
    [
        pytest.param("7.0.1", 16850804, "Scsi.ScsiVVolPESNRO", (128, 32, 4096), id="endpoint default up to 7.0 U1"),
        pytest.param("7.0.2", 17630552, "Scsi.ScsiVVolPESNRO", (256, 32, 4096), id="endpoint default from 7.0 U2"),
        pytest.param("6.7.0", 14320388, "NFS.MaxVolumes", (8, 8, 256), id="NFS mounts up to 6.7"),
        pytest.param("7.0.0", 15843807, "NFS.MaxVolumes", (32, 8, 256), id="NFS mounts from 7.0"),
        pytest.param("7.0.3", 21930508, "Net.TcpipHeapSize", (0, 0, 32), id="heap before 7.0 U3o"),
        pytest.param("7.0.3", 22348816, "Net.TcpipHeapSize", (8, 0, 128), id="heap from 7.0 U3o"),
        pytest.param("8.0.1", 23299997, "Net.TcpipHeapSize", (0, 0, 32), id="heap in 8.0 U1d, which is younger than 8.0 U2"),
        pytest.param("8.0.2", 22380479, "Net.TcpipHeapMax", (1024, 32, 16384), id="heap maximum from 8.0 U2"),
        pytest.param("6.7.0", 13006603, "Net.TcpipHeapMax", (512, 32, 1536), id="heap maximum up to 6.7 U2"),
        pytest.param("9.0.1", 24957456, "SunRPC.MaxConnPerIP", (32, 1, 256), id="RPC connections today"),
    ],
)
def test_defaults_and_ranges_follow_the_build(version: str, build: int, key: str, expected: tuple[int, int, int]) -> None:
    (one,) = [one for one in options_of(version, build) if one.key == key]
    assert (one.default, one.minimum, one.maximum) == expected


def test_a_module_option_string_is_replaced_whole_and_waits_for_a_reboot(client: Any, host: Any) -> None:
    modules = host.configManager.kernelModuleSystem
    modules.UpdateModuleOptionString("iscsi_vmk", "iscsivmk_LunQDepth=64 iscsivmk_HostQDepth=512")
    modules.UpdateModuleOptionString("iscsi_vmk", "iscsivmk_LunQDepth=256")
    assert modules.QueryConfiguredModuleOptionString("iscsi_vmk") == "iscsivmk_LunQDepth=256"
    (module,) = modules.QueryModules()
    assert (module.name, module.loaded, module.optionString) == ("iscsi_vmk", True, "iscsivmk_LunQDepth=256")
    facts = client.read(vim.HostSystem, "config.storageDevice.scsiLun", "summary.rebootRequired")["host-11"]
    assert {lun.queueDepth for lun in facts["config.storageDevice.scsiLun"]} == {128}
    assert facts["summary.rebootRequired"] is True


def test_a_module_that_is_not_there_is_not_found(host: Any) -> None:
    with pytest.raises(vim.fault.NotFound):
        host.configManager.kernelModuleSystem.QueryConfiguredModuleOptionString("qlnativefc")
    with pytest.raises(vim.fault.NotFound):
        host.configManager.kernelModuleSystem.UpdateModuleOptionString("qlnativefc", "ql2xmaxqdepth=64")


def test_a_reboot_brings_what_is_configured_into_effect(host: Any, vcenter: VCenterServer, clock: Clock) -> None:
    host.configManager.kernelModuleSystem.UpdateModuleOptionString("iscsi_vmk", "iscsivmk_LunQDepth=256")
    booted = host.runtime.bootTime
    assert finished(host.EnterMaintenanceMode_Task(timeout=0)).state == "success"
    assert finished(host.RebootHost_Task(force=False)).state == "success"
    assert host.runtime.connectionState == "notResponding"
    with pytest.raises(vmodl.fault.HostNotReachable):
        host.configManager.kernelModuleSystem.QueryModules()
    clock.now += vcenter.state.reboot_seconds
    assert host.runtime.connectionState == "connected"
    assert host.runtime.bootTime > booted
    assert host.runtime.inMaintenanceMode is True
    assert {lun.queueDepth for lun in host.config.storageDevice.scsiLun} == {256}


def test_an_endpoint_takes_the_option_s_value_at_the_next_reboot(
    host: Any, options: Any, vcenter: VCenterServer, plain: Any, clock: Clock
) -> None:
    by_hand = plain(vcenter)

    def endpoint() -> str:
        (row,) = by_hand.esxcli("host-11", "storage core device list", device="naa.6f47acc2000000017366707200000000")
        return str(row["NoofoutstandingIOswithcompetingworlds"])

    options.UpdateOptions([option("Scsi.ScsiVVolPESNRO", LONG(512))])
    assert endpoint() == "256"
    finished(host.RebootHost_Task(force=True))
    clock.now += vcenter.state.reboot_seconds
    assert endpoint() == "512"


def test_a_host_reboots_only_from_maintenance_mode_unless_forced(host: Any) -> None:
    with pytest.raises(vim.fault.InvalidState):
        host.RebootHost_Task(force=False)
    assert finished(host.RebootHost_Task(force=True)).state == "success"


def test_entering_maintenance_mode_empties_the_host_of_a_drs_cluster(client: Any, host: Any) -> None:
    assert [vm.name for vm in host.vm] == ["vm-1"]
    assert finished(host.EnterMaintenanceMode_Task(timeout=0)).state == "success"
    assert host.runtime.inMaintenanceMode is True
    assert list(host.vm) == []
    machines = client.read(vim.VirtualMachine, "name", "runtime.host")
    assert {one["runtime.host"]._GetMoId() for one in machines.values() if one["name"] == "vm-1"} != {"host-11"}
    with pytest.raises(vim.fault.InvalidState):
        host.EnterMaintenanceMode_Task(timeout=0)
    assert finished(host.ExitMaintenanceMode_Task(timeout=0)).state == "success"
    assert host.runtime.inMaintenanceMode is False


def test_without_drs_the_task_waits_for_the_machines_and_runs_into_its_timeout(client: Any, clock: Clock) -> None:
    host = client.hosts()["esx-b1"]
    task = host.EnterMaintenanceMode_Task(timeout=60)
    clock.now += 60
    assert task.info.state == "running"
    clock.now += 1
    ended = task.info
    assert ended.state == "error"
    assert isinstance(ended.error, vim.fault.Timedout)
    assert host.runtime.inMaintenanceMode is False


def test_a_task_can_take_a_while_and_pyvmomi_s_own_wait_sees_it_end(host: Any, vcenter: VCenterServer, clock: Clock) -> None:
    from pyVim.task import WaitForTask

    def pass_time_while_it_waits() -> None:
        until(lambda: "WaitForUpdates" in vcenter.requests, "a client that waits")
        clock.now += 60

    vcenter.state.task_seconds = 60
    task = host.EnterMaintenanceMode_Task(timeout=0)
    assert task.info.state == "running"
    passing = Thread(target=pass_time_while_it_waits)
    passing.start()
    WaitForTask(task)
    passing.join()
    assert task.info.state == "success"


def targets(host: Any) -> tuple[Any, Any, Any]:
    (adapter,) = host.config.storageDevice.hostBusAdapter
    return adapter, adapter.configuredSendTarget[0], adapter.configuredStaticTarget[0]


def delayed_ack(holder: Any) -> tuple[bool, bool | None]:
    (one,) = [one for one in holder.advancedOptions if one.key == "DelayedAck"]
    return one.value, one.isInherited


def parameter(*, value: bool, inherited: bool | None = None) -> list[Any]:
    return [vim.host.InternetScsiHba.ParamValue(key="DelayedAck", value=value, isInherited=inherited)]


def test_a_target_inherits_delayed_ack_until_it_has_its_own(host: Any) -> None:
    adapter, send, static = targets(host)
    assert (delayed_ack(adapter), delayed_ack(send), delayed_ack(static)) == ((True, None), (True, True), (False, False))
    storage = host.configManager.storageSystem
    storage.UpdateInternetScsiAdvancedOptions("vmhba64", None, parameter(value=False))
    adapter, send, static = targets(host)
    assert (delayed_ack(adapter), delayed_ack(send), delayed_ack(static)) == ((False, None), (False, True), (False, False))
    which = vim.host.InternetScsiHba.TargetSet(sendTargets=[vim.host.InternetScsiHba.SendTarget(address="198.51.100.1", port=3260)])
    storage.UpdateInternetScsiAdvancedOptions("vmhba64", which, parameter(value=True))
    adapter, send, static = targets(host)
    assert (delayed_ack(adapter), delayed_ack(send), delayed_ack(static)) == ((False, None), (True, False), (False, False))
    storage.UpdateInternetScsiAdvancedOptions("vmhba64", which, parameter(value=True, inherited=True))
    assert delayed_ack(targets(host)[1]) == (False, True)


def test_a_static_target_is_told_by_its_name_too(host: Any) -> None:
    static = vim.host.InternetScsiHba.StaticTarget(address="198.51.100.2", port=3260, iScsiName="iqn.2010-06.com.purestorage:x")
    which = vim.host.InternetScsiHba.TargetSet(staticTargets=[static])
    host.configManager.storageSystem.UpdateInternetScsiAdvancedOptions("vmhba64", which, parameter(value=True))
    assert delayed_ack(targets(host)[2]) == (True, False)
    static.iScsiName = "iqn.other"
    with pytest.raises(vim.fault.NotFound):
        host.configManager.storageSystem.UpdateInternetScsiAdvancedOptions("vmhba64", which, parameter(value=True))


def test_an_adapter_that_is_not_there_and_a_parameter_nobody_knows_are_refused(host: Any) -> None:
    storage = host.configManager.storageSystem
    with pytest.raises(vim.fault.NotFound):
        storage.UpdateInternetScsiAdvancedOptions("vmhba9", None, parameter(value=False))
    bad = [vim.host.InternetScsiHba.ParamValue(key="DelayedAk", value=False)]
    with pytest.raises(vmodl.fault.InvalidArgument):
        storage.UpdateInternetScsiAdvancedOptions("vmhba64", None, bad)


def test_storage_io_control_is_configured_by_a_task_and_only_what_is_named_changes(client: Any) -> None:
    stores = {one["name"]: moid for moid, one in client.read(vim.Datastore, "name").items()}
    fast: Any = vim.Datastore(stores["fast"], client.instance._stub)
    manager = client.content.storageResourceManager
    threshold = fast.iormConfiguration.congestionThreshold
    assert fast.iormConfiguration.enabled is False
    spec = vim.StorageResourceManager.IORMConfigSpec(enabled=True)
    assert finished(manager.ConfigureDatastoreIORM_Task(fast, spec)).state == "success"
    assert (fast.iormConfiguration.enabled, fast.iormConfiguration.congestionThreshold) == (True, threshold)
    with pytest.raises(vmodl.fault.InvalidArgument):
        manager.ConfigureDatastoreIORM_Task(fast, vim.StorageResourceManager.IORMConfigSpec(congestionThreshold=4))
    files = vim.Datastore(stores["files"], client.instance._stub)
    with pytest.raises(vmodl.fault.NotSupported):
        manager.ConfigureDatastoreIORM_Task(files, spec)


def _write_option(host: Any, _client: Any) -> None:
    host.configManager.advancedOption.UpdateOptions([option("ISCSI.MaxIoSizeKB", LONG(512))])


def _read_modules(host: Any, _client: Any) -> None:
    host.configManager.kernelModuleSystem.QueryModules()


def _write_module(host: Any, _client: Any) -> None:
    host.configManager.kernelModuleSystem.UpdateModuleOptionString("iscsi_vmk", "")


def _write_iscsi(host: Any, _client: Any) -> None:
    host.configManager.storageSystem.UpdateInternetScsiAdvancedOptions("vmhba64", None, parameter(value=False))


def _enter_maintenance(host: Any, _client: Any) -> None:
    host.EnterMaintenanceMode_Task(timeout=0)


def _reboot(host: Any, _client: Any) -> None:
    host.RebootHost_Task(force=True)


def _configure_iorm(_host: Any, client: Any) -> None:
    store = vim.Datastore("datastore-101", client.instance._stub)
    client.content.storageResourceManager.ConfigureDatastoreIORM_Task(store, vim.StorageResourceManager.IORMConfigSpec(enabled=True))


@pytest.fixture
def narrowed(vcenter: VCenterServer) -> Iterator[Callable[[str], None]]:
    def take(privilege: str) -> None:
        vcenter.privileges = ALL - {privilege}

    yield take
    vcenter.privileges = ALL


@pytest.mark.parametrize(
    ("call", "privilege"),
    [
        pytest.param(_write_option, "Host.Config.AdvancedConfig", id="write an option"),
        pytest.param(_read_modules, "Host.Config.Settings", id="read modules"),
        pytest.param(_write_module, "Host.Config.Settings", id="write a module option"),
        pytest.param(_write_iscsi, "Host.Config.Storage", id="write an iSCSI parameter"),
        pytest.param(_enter_maintenance, "Host.Config.Maintenance", id="enter maintenance mode"),
        pytest.param(_reboot, "Host.Config.Maintenance", id="reboot"),
        pytest.param(_configure_iorm, "Datastore.ConfigIOManagement", id="configure SIOC"),
    ],
)
def test_a_method_without_its_privilege_is_denied_by_name_and_does_nothing(
    call: Callable[[Any, Any], None], privilege: str, client: Any, host: Any, narrowed: Callable[[str], None], vcenter: VCenterServer
) -> None:
    _ = host.configManager
    narrowed(privilege)
    before = vcenter.state.version
    with pytest.raises(vim.fault.NoPermission) as raised:
        call(host, client)
    assert raised.value.privilegeId == privilege
    assert vcenter.state.version == before
    narrowed("")
    call(host, client)


def test_two_vcenters_of_one_description_do_not_share_what_is_written(
    serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Any], vcenter: VCenterServer, options: Any
) -> None:
    other = connect(serve_vcenter(replace(vcenter.state.description, name="vc-other")))
    options.UpdateOptions([option("ISCSI.MaxIoSizeKB", LONG(512))])
    assert other.hosts()["esx-1"].configManager.advancedOption.QueryOptions("ISCSI.MaxIoSizeKB")[0].value == 128
