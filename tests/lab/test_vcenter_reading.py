from __future__ import annotations

import ssl
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from auditor_lab.serving import Lab
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap import sessions
from auditor_lab.vcenter.soap.privileges import ALL
from auditor_lab.wire import Fault
from tests.waiting import Clock


def fault_of(answer: ET.Element) -> str:
    detail = next(element for element in answer.iter() if element.tag.endswith("detail"))
    return detail[0].tag.rpartition("}")[2].removesuffix("Fault")


def test_the_read_path_tells_what_the_description_says(connect: Callable[..., Any], vcenter: VCenterServer) -> None:
    hosts = connect(vcenter).read(
        vim.HostSystem, "name", "summary.config.product.version", "summary.config.product.build", "config.storageDevice", "runtime"
    )
    assert len(hosts) == 5
    first = hosts["host-11"]
    assert (first["name"], first["summary.config.product.version"], first["summary.config.product.build"]) == ("esx-1", "8.0.2", "22380479")
    luns = {lun.canonicalName: lun for lun in first["config.storageDevice"].scsiLun}
    assert {name: lun.protocolEndpoint for name, lun in luns.items()} == {
        "naa.624a9370aaaa": False,
        "naa.624a9370bbbb": False,
        "naa.6f47acc2000000017366707200000000": True,
    }
    assert luns["naa.624a9370aaaa"].vendor == "PURE    "  # padded, as inquiry strings are
    assert luns["naa.624a9370aaaa"].queueDepth == 128  # iscsi_vmk's default, docs/domain/facts.md#2
    (adapter,) = first["config.storageDevice"].hostBusAdapter
    assert isinstance(adapter, vim.host.InternetScsiHba)
    assert first["runtime"].bootTime is not None


def test_paths_name_the_adapter_and_the_device_by_their_keys(connect: Callable[..., Any], vcenter: VCenterServer) -> None:
    storage = connect(vcenter).read(vim.HostSystem, "config.storageDevice")["host-11"]["config.storageDevice"]
    adapters = {one.key for one in storage.hostBusAdapter}
    luns = {one.key for one in storage.scsiLun}
    assert {unit.lun for unit in storage.multipathInfo.lun} == luns
    for unit in storage.multipathInfo.lun:
        assert [path.adapter for path in unit.path] == list(adapters)
        assert unit.path[0].transport.iScsiName.startswith("iqn.")


@pytest.mark.parametrize(("page", "pages"), [(1, 5), (2, 3), (5, 1), (None, 1)])
def test_a_result_comes_in_pages_that_together_are_the_whole(
    page: int | None, pages: int, connect: Callable[..., Any], vcenter: VCenterServer
) -> None:
    client = connect(vcenter)
    hosts = client.read(vim.HostSystem, "name", page=page)
    assert [one["name"] for one in hosts.values()] == ["esx-1", "esx-2", "esx-3", "esx-b1", "esx-b2"]
    assert client.pages == pages


def view_spec(client: Any, path: str = "name") -> Any:
    collector = vmodl.query.PropertyCollector
    view = client.content.viewManager.CreateContainerView(client.content.rootFolder, [vim.HostSystem], recursive=True)
    start = collector.ObjectSpec(obj=view, skip=True, selectSet=[collector.TraversalSpec(type=vim.view.ContainerView, path="view")])
    return collector.FilterSpec(objectSet=[start], propSet=[collector.PropertySpec(type=vim.HostSystem, pathSet=[path])])


def test_a_token_is_good_once_and_for_its_own_session_only(connect: Callable[..., Any], vcenter: VCenterServer) -> None:
    collector = vmodl.query.PropertyCollector
    mine, other = connect(vcenter), connect(vcenter)
    page = mine.content.propertyCollector.RetrievePropertiesEx([view_spec(mine)], collector.RetrieveOptions(maxObjects=2))
    with pytest.raises(vmodl.fault.InvalidArgument):
        other.content.propertyCollector.ContinueRetrievePropertiesEx(page.token)
    mine.content.propertyCollector.ContinueRetrievePropertiesEx(page.token)
    with pytest.raises(vmodl.fault.InvalidArgument):
        mine.content.propertyCollector.ContinueRetrievePropertiesEx(page.token)


def test_a_cancelled_result_cannot_be_continued(connect: Callable[..., Any], vcenter: VCenterServer) -> None:
    client = connect(vcenter)
    properties = client.content.propertyCollector
    page = properties.RetrievePropertiesEx([view_spec(client)], vmodl.query.PropertyCollector.RetrieveOptions(maxObjects=2))
    properties.CancelRetrievePropertiesEx(page.token)
    with pytest.raises(vmodl.fault.InvalidArgument):
        properties.ContinueRetrievePropertiesEx(page.token)


def test_a_keyed_path_answers_the_one_element(connect: Callable[..., Any], vcenter: VCenterServer) -> None:
    hosts = connect(vcenter).read(vim.HostSystem, 'config.option["ISCSI.MaxIoSizeKB"]', 'config.option["No.Such"]')
    option = hosts["host-11"]['config.option["ISCSI.MaxIoSizeKB"]']
    assert (option.key, option.value) == ("ISCSI.MaxIoSizeKB", 128)
    assert 'config.option["No.Such"]' not in hosts["host-11"]


@pytest.mark.parametrize("path", ["nonsense", "config.nonsense", "name.nonsense", "config.option.key", "", "config..option"])
def test_a_path_that_does_not_fit_the_type_is_a_fault(path: str, connect: Callable[..., Any], vcenter: VCenterServer) -> None:
    with pytest.raises(vmodl.query.InvalidProperty):
        connect(vcenter).read(vim.HostSystem, path)


def test_what_is_unset_is_left_out(connect: Callable[..., Any], vcenter: VCenterServer) -> None:
    stores = connect(vcenter).read(vim.Datastore, "name", "iormConfiguration")
    by_name = {one["name"]: one for one in stores.values()}
    assert "iormConfiguration" in by_name["fast"]
    assert "iormConfiguration" not in by_name["files"]


def test_the_classic_recursive_traversal_reaches_every_host(connect: Callable[..., Any], vcenter: VCenterServer) -> None:
    client = connect(vcenter)
    collector = vmodl.query.PropertyCollector
    again = collector.SelectionSpec(name="folders")
    folders = collector.TraversalSpec(name="folders", type=vim.Folder, path="childEntity", skip=False)
    datacenter = collector.TraversalSpec(type=vim.Datacenter, path="hostFolder", selectSet=[again])
    compute = collector.TraversalSpec(type=vim.ComputeResource, path="host")
    folders.selectSet = [again, datacenter, compute]
    spec = collector.FilterSpec(
        objectSet=[collector.ObjectSpec(obj=client.content.rootFolder, selectSet=[folders])],
        propSet=[collector.PropertySpec(type=vim.HostSystem, pathSet=["name"])],
    )
    found = client.content.propertyCollector.RetrieveContents([spec])
    assert [one.propSet[0].val for one in found] == ["esx-1", "esx-2", "esx-3", "esx-b1", "esx-b2"]


def test_an_object_that_is_gone_is_a_fault(connect: Callable[..., Any], vcenter: VCenterServer) -> None:
    client = connect(vcenter)
    gone = vim.HostSystem("host-999", client.instance._stub)
    with pytest.raises(vmodl.fault.ManagedObjectNotFound):
        _ = gone.name


def test_a_view_holds_what_is_below_its_container(connect: Callable[..., Any], vcenter: VCenterServer) -> None:
    client = connect(vcenter)
    cluster = next(iter(client.read(vim.ClusterComputeResource, "name")))
    manager = client.content.viewManager
    container = vim.ClusterComputeResource(cluster, client.instance._stub)
    assert [host.name for host in manager.CreateContainerView(container, [vim.HostSystem], recursive=True).view] == [
        "esx-1",
        "esx-2",
        "esx-3",
    ]
    host = client.hosts()["esx-b1"]
    assert [vm.name for vm in manager.CreateContainerView(host, [vim.VirtualMachine], recursive=True).view] == ["stuck"]
    assert list(manager.CreateContainerView(client.content.rootFolder, [vim.HostSystem], recursive=False).view) == []


def test_an_entity_is_found_by_its_path(connect: Callable[..., Any], vcenter: VCenterServer) -> None:
    index = connect(vcenter).content.searchIndex
    assert index.FindByInventoryPath("dc-1/host/one/esx-2").name == "esx-2"
    assert index.FindByInventoryPath("/dc-1/datastore/fast").summary.type == "VMFS"
    assert index.FindByInventoryPath("dc-1/host/two/esx-2") is None


def disks_of(devices: list[Any]) -> list[Any]:
    return [one for one in devices if isinstance(one, vim.vm.device.VirtualDisk)]


def test_disks_and_controllers_of_a_machine(solidfire_lab: Lab, log_in: Any, tmp_path: Path) -> None:
    solidfire_lab.write_fleet(tmp_path / "f.yaml")
    server = solidfire_lab.vcenters["vc-solidfire"]
    context = ssl.create_default_context(cafile=str(tmp_path / "f-ca.pem"))
    with log_in(server.host, server.port, context, password=solidfire_lab.password) as client:
        machines = client.read(vim.VirtualMachine, "name", "config.hardware.device")
    devices = {one["name"]: one["config.hardware.device"] for one in machines.values()}
    first, second = disks_of(devices["vmfs-1"])
    controllers: dict[Any, type] = {one.key: type(one) for one in devices["vmfs-1"] if isinstance(one, vim.vm.device.VirtualController)}
    assert controllers[first.controllerKey] is vim.vm.device.ParaVirtualSCSIController
    assert controllers[second.controllerKey] is vim.vm.device.VirtualLsiLogicSASController
    assert (first.storageIOAllocation.limit, second.storageIOAllocation.limit) == (-1, 1000)
    vvol, _ = disks_of(devices["gold-1"])
    assert vvol.backing.backingObjectId.startswith("rfc4122.")


def test_a_wrong_password_is_refused(plain: Callable[..., Any], vcenter: VCenterServer) -> None:
    status, answer = plain(vcenter, login=False).login("guess")
    assert status == 500
    assert fault_of(answer) == "InvalidLogin"


def test_without_a_session_only_the_content_can_be_read(plain: Callable[..., Any], vcenter: VCenterServer) -> None:
    client = plain(vcenter, login=False)
    content = '<RetrieveServiceContent xmlns="urn:vim25"><_this type="ServiceInstance">ServiceInstance</_this></RetrieveServiceContent>'
    clock = '<CurrentTime xmlns="urn:vim25"><_this type="ServiceInstance">ServiceInstance</_this></CurrentTime>'
    assert client.post(content)[0] == 200
    assert client.post(clock)[0] == 500
    client.login()
    assert client.post(clock)[0] == 200


def test_a_session_ends_with_logout_and_nobody_else_s_does(connect: Callable[..., Any], vcenter: VCenterServer) -> None:
    mine, other = connect(vcenter), connect(vcenter)
    mine.content.sessionManager.Logout()
    with pytest.raises(vim.fault.NotAuthenticated):
        mine.instance.CurrentTime()
    assert other.instance.CurrentTime()


def test_an_idle_session_expires_and_a_used_one_does_not(
    serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Any], vcenter: VCenterServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(sessions, "time", clock)
    server = serve_vcenter(vcenter.state.description, session_seconds=60)
    client = connect(server)
    for _ in range(4):
        clock.now += 59
        client.instance.CurrentTime()
    clock.now += 61
    with pytest.raises(vim.fault.NotAuthenticated):
        client.instance.CurrentTime()


def test_every_session_can_be_ended_at_once(connect: Callable[..., Any], vcenter: VCenterServer) -> None:
    client = connect(vcenter)
    vcenter.sessions.expire()
    with pytest.raises(vim.fault.NotAuthenticated):
        client.instance.CurrentTime()


def test_a_property_the_account_may_not_read_is_told_as_missing(
    serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Any], vcenter: VCenterServer
) -> None:
    server = serve_vcenter(vcenter.state.description, privileges=ALL - {"System.Read"})
    host = connect(server).read(vim.HostSystem, "name", "config.storageDevice")["host-11"]
    assert host["name"] == "esx-1"
    denied: Any = host["config.storageDevice"]
    assert type(denied).__name__ == "vim.fault.NoPermission"
    assert (denied.privilegeId, denied.object._GetMoId()) == ("System.Read", "host-11")


def test_an_unknown_method_and_nonsense_are_faults_and_no_crash(plain: Callable[..., Any], vcenter: VCenterServer) -> None:
    client = plain(vcenter)
    for body in (
        '<Frobnicate xmlns="urn:vim25"><_this type="ServiceInstance">ServiceInstance</_this></Frobnicate>',
        '<CurrentTime xmlns="urn:vim25"><wrong>1</wrong></CurrentTime>',
        '<AcknowledgeAlarm xmlns="urn:vim25"><_this type="AlarmManager">AlarmManager</_this></AcknowledgeAlarm>',
        "",
    ):
        assert client.post(body)[0] == 500


def test_a_fault_on_the_wire_hits_the_operation_it_names(connect: Callable[..., Any], vcenter: VCenterServer) -> None:
    client = connect(vcenter)
    vcenter.faults.active = [Fault("status", operation="RetrievePropertiesEx", status=503, times=1)]
    assert client.instance.CurrentTime()
    with pytest.raises(Exception, match="503"):
        client.read(vim.HostSystem, "name")
    assert len(client.read(vim.HostSystem, "name")) == 5
    assert "RetrievePropertiesEx" in vcenter.requests


@pytest.mark.parametrize("state", ["disconnected", "notResponding"])
def test_a_host_out_of_reach_keeps_its_name_and_loses_its_configuration(
    state: str, connect: Callable[..., Any], vcenter: VCenterServer
) -> None:
    with vcenter.state.lock:
        vcenter.state.hosts["host-12"].connection_state = state
        vcenter.state.changed()
    host = connect(vcenter).read(vim.HostSystem, "name", "runtime.connectionState", "runtime.bootTime", "config.option", "summary")[
        "host-12"
    ]
    assert (host["name"], host["runtime.connectionState"]) == ("esx-2", state)
    assert "config.option" not in host
    assert "runtime.bootTime" not in host
    assert host["summary"].config.name == "esx-2"


@pytest.mark.parametrize(
    ("state", "fault"),
    [("disconnected", vmodl.fault.HostNotConnected), ("notResponding", vmodl.fault.HostNotReachable)],
)
def test_asking_a_host_out_of_reach_is_a_host_communication_fault(
    state: str, fault: Any, connect: Callable[..., Any], plain: Callable[..., Any], vcenter: VCenterServer
) -> None:
    client, by_hand = connect(vcenter), plain(vcenter)
    manager = client.hosts()["esx-2"].configManager.advancedOption
    with vcenter.state.lock:
        vcenter.state.hosts["host-12"].connection_state = state
        vcenter.state.changed()
    with pytest.raises(fault):
        manager.QueryOptions("ISCSI.MaxIoSizeKB")
    assert issubclass(fault, vmodl.fault.HostCommunication)
    assert by_hand.esxcli("host-12", "storage core device list") == fault.__name__.rpartition(".")[2]
