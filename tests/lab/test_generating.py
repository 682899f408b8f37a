"""A generated fleet: equal for equal seeds, as large as asked, and no host made before somebody asks for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auditor_lab.generated.cluster import FleetSize
from auditor_lab.generated.fleet import generate
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import serve
from auditor_lab.vcenter.description.devices import DeviceDescription
from auditor_lab.vcenter.description.hosts import HostDescription
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.server import VCenterServer

Serve = Callable[[VCenterDescription], VCenterServer]
Connect = Callable[[VCenterServer], Any]


def _paths(host: HostDescription, device: DeviceDescription) -> int:
    return sum(hba.kind == device.transport for hba in host.hbas) * len(device.targets)


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(FleetSize(1, 1, 1, 1), id="the smallest"),
        pytest.param(FleetSize(7, 5, 3, 2), id="an odd number of paths"),
        pytest.param(FleetSize(200, 9, 4, 3), id="several clusters in each of several vCenters"),
    ],
)
def test_a_fleet_is_as_large_as_asked(size: FleetSize) -> None:
    fleet = generate(size, 1)
    hosts = [host for vcenter in fleet.vcenters for host in vcenter.hosts]
    assert (len(fleet.vcenters), len(hosts), len({host.name for host in hosts})) == (size.vcenters, size.hosts, size.hosts)
    assert {len(host.devices) for host in hosts} == {size.luns}
    reported = {_paths(host, device) for host in hosts for device in host.devices if device.vendor != "SolidFir"}
    assert reported <= {size.paths}


def test_clusters_hold_16_to_32_hosts_that_share_devices_and_datastores() -> None:
    (vcenter,) = generate(FleetSize(500, 8, 4, 1), 3).vcenters
    assert {16 <= len(cluster.hosts) <= 32 for cluster in vcenter.clusters} == {True}
    for cluster in vcenter.clusters:
        names = tuple(host.name for host in cluster.hosts)
        assert len({id(host.devices) for host in cluster.hosts}) == 1
        assert [store for store in vcenter.datastores if store.hosts == names]


def test_a_fleet_is_mixed() -> None:
    fleet = generate(FleetSize(500, 8, 4, 1), 3)
    hosts = [host for vcenter in fleet.vcenters for host in vcenter.hosts]
    assert {device.vendor for host in hosts for device in host.devices} == {"SolidFir", "PURE", "NETAPP", "COMPELNT", "FUJITSU"}
    assert {hba.kind for host in hosts for hba in host.hbas} == {"iscsi", "fc"}
    assert len({host.build for host in hosts}) > 5
    assert any(host.options for host in hosts)
    assert any(host.dsnro for host in hosts)
    assert not all(host.options for host in hosts)


def test_equal_seeds_make_equal_fleets_and_others_do_not() -> None:
    size = FleetSize(60, 8, 4, 2)
    assert generate(size, 7) == generate(size, 7)
    assert generate(size, 7) != generate(size, 8)


def test_equal_seeds_answer_equally(serve_vcenter: Serve, connect: Connect) -> None:
    from pyVmomi import vim

    paths = ("name", "config.storageDevice.scsiLun", "config.storageDevice.multipathInfo", "config.option", "datastore", "vm")
    answers = []
    for _ in range(2):
        (vcenter,) = generate(FleetSize(18, 4, 2, 1), 5).vcenters
        facts = connect(serve_vcenter(vcenter)).read(vim.HostSystem, *paths)
        answers.append({moid: {path: str(value) for path, value in values.items()} for moid, values in facts.items()})
    assert len(answers[0]) == 18
    assert answers[0] == answers[1]


def test_no_host_comes_alive_before_somebody_reads_it(serve_vcenter: Serve, connect: Connect) -> None:
    from pyVmomi import vim, vmodl

    (vcenter,) = generate(FleetSize(300, 4, 2, 1), 5).vcenters
    server = serve_vcenter(vcenter)
    client = connect(server)
    assert server.state.hosts.created == 0
    assert len(client.read(vim.HostSystem, "name", "parent")) == 300
    assert server.state.hosts.created == 0
    collector = vmodl.query.PropertyCollector
    asked = [collector.ObjectSpec(obj=vim.HostSystem(f"host-{place}")) for place in range(20, 25)]
    paths = ["runtime.connectionState", "config.storageDevice.scsiLun", "config.storageDevice.multipathInfo"]
    spec = collector.FilterSpec(objectSet=asked, propSet=[collector.PropertySpec(type=vim.HostSystem, pathSet=paths)])
    client.content.propertyCollector.RetrieveContents([spec])
    assert server.state.hosts.created == 5


def test_a_page_of_many_brings_only_its_own_hosts_alive(serve_vcenter: Serve, connect: Connect) -> None:
    from pyVmomi import vim, vmodl

    (vcenter,) = generate(FleetSize(100, 2, 1, 1), 5).vcenters
    server = serve_vcenter(vcenter)
    client = connect(server)
    collector = vmodl.query.PropertyCollector
    asked = [collector.ObjectSpec(obj=vim.HostSystem(moid)) for moid in server.state.hosts]
    spec = collector.FilterSpec(objectSet=asked, propSet=[collector.PropertySpec(type=vim.HostSystem, pathSet=["runtime.connectionState"])])
    found = client.content.propertyCollector.RetrievePropertiesEx([spec], collector.RetrieveOptions(maxObjects=10))
    assert (len(found.objects), server.state.hosts.created) == (10, 10)
    following = client.content.propertyCollector.ContinueRetrievePropertiesEx(found.token)
    assert (following.objects[0].obj._GetMoId(), server.state.hosts.created) == ("host-21", 20)


def test_values_of_a_host_that_nobody_reads_any_more_are_let_go(serve_vcenter: Serve) -> None:
    from pyVmomi import vim

    (vcenter,) = generate(FleetSize(300, 1, 1, 1), 5).vcenters
    server = serve_vcenter(vcenter)
    hosts = [server.inventory.find(vim.HostSystem(moid)) for moid in server.state.hosts]
    for managed in hosts:
        server.inventory.read(managed, "runtime")
    assert sum(bool(managed.built) for managed in hosts) < 100
    assert hosts[-1].built


def test_a_write_to_one_host_sticks_when_every_other_was_read_since(serve_vcenter: Serve, connect: Connect) -> None:
    from pyVmomi import vim

    (vcenter,) = generate(FleetSize(1200, 1, 1, 1), 5).vcenters
    server = serve_vcenter(vcenter)
    client = connect(server)
    options = vim.option.OptionManager("EsxHostAdvSettings-11", client.instance._stub)
    long = type(options.QueryOptions("Disk.QFullSampleSize")[0].value)
    options.UpdateOptions([vim.option.OptionValue(key="Disk.QFullSampleSize", value=long(24))])
    for moid in server.state.hosts:
        server.inventory.find(vim.HostSystem(moid))
    assert options.QueryOptions("Disk.QFullSampleSize")[0].value == 24


_PARTS = (
    "config.product",
    "config.option",
    "config.vsanHostConfig.enabled",
    "config.storageDevice.softwareInternetScsiEnabled",
    "config.storageDevice.hostBusAdapter",
    "config.storageDevice.scsiLun",
    "config.storageDevice.multipathInfo",
)


def _fleets() -> list[Any]:
    odd = dataclasses.replace(load_scenario("eternus-vaai").vcenters[0].hosts[0], devices=())
    fleets = [pytest.param(load_scenario(name).vcenters[0], id=name) for name in ("solidfire-vvols", "eternus-vaai")]
    generated = generate(FleetSize(100, 6, 4, 1), 2).vcenters[0]
    cluster = dataclasses.replace(generated.clusters[0], hosts=(odd,))
    without = dataclasses.replace(generated, clusters=(cluster,), datastores=(), vms=())
    return [*fleets, pytest.param(generated, id="generated"), pytest.param(without, id="a host without devices")]


@pytest.mark.parametrize("vcenter", _fleets())
def test_a_part_is_what_stands_in_the_whole_to_the_letter(vcenter: VCenterDescription) -> None:
    """What is written from shared rows and what pyVmomi's own serialiser makes of the whole configuration are the same text."""
    from pyVmomi import vim, vmodl

    from auditor_lab.vcenter.inventory.objects import Inventory
    from auditor_lab.vcenter.properties.collector import contents
    from auditor_lab.vcenter.soap import envelope
    from auditor_lab.vcenter.state.path_policy import FIXED, PathPolicy
    from auditor_lab.vcenter.state.vcenter import VCenterState

    state = VCenterState(vcenter)
    first = next(iter(state.hosts.values()))
    for device in list(first.devices)[:1]:
        first.path_policies[device] = PathPolicy(FIXED, preferred="iqn.of & by <somebody>")
    inventory, version = Inventory(state), envelope.wire_version(vcenter.api_version)
    everything = frozenset({"System.Read", "System.View"})
    collector = vmodl.query.PropertyCollector
    method = envelope.method_of("RetrievePropertiesEx")
    for moid in state.hosts:
        reference, wanted = vim.HostSystem(moid), [collector.PropertySpec(type=vim.HostSystem, pathSet=list(_PARTS))]
        written = envelope.Written(version)
        result = collector.RetrieveResult(objects=contents(inventory, [(reference, wanted)], everything, written))
        fast = envelope.answer(method, result, version, written)
        parts = collector.RetrieveResult(objects=contents(inventory, [(reference, wanted)], everything))  # as VI/JSON has them
        assert fast == envelope.answer(method, parts, version)
        managed = inventory.find(reference)
        managed.properties["config"] = managed.properties["config"].whole  # type: ignore[attr-defined]
        plain = collector.RetrieveResult(objects=contents(inventory, [(reference, wanted)], everything))
        assert fast == envelope.answer(method, plain, version)


def test_a_generated_fleet_is_collected_without_a_gap(tmp_path: Path) -> None:
    from auditor.endpoints.collect import collect_fleet
    from auditor.fleet.loading import load_fleet

    with serve(generate(FleetSize(60, 8, 4, 2), 11)) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        snapshot = collect_fleet(load_fleet(tmp_path / "fleet.yaml"), lambda _endpoint, _said: None)
    assert (snapshot.hosts, [gap for gap in snapshot.gaps if not gap.what.startswith("the array behind ")]) == (60, [])


def test_there_must_be_a_host_for_every_vcenter() -> None:
    with pytest.raises(ValueError, match="a host for every vCenter"):
        FleetSize(1, 1, 1, 2)
