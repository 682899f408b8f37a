from __future__ import annotations

import pytest

from auditor.errors import ConfigurationError
from auditor.lab.scenario import load_scenario, parse_scenario, scenario_names
from auditor.lab.vcenter.description.hosts import HostDescription
from auditor.lab.vcenter.state.hosts import HostState
from auditor.lab.vcenter.state.vcenter import VCenterState


def hosts_of(scenario: str, cluster: str) -> list[HostState]:
    (vcenter,) = load_scenario(scenario).vcenters
    state = VCenterState(vcenter)
    return [host for moid, host in state.hosts.items() if state.cluster_of[moid] == cluster]


def test_every_scenario_loads_and_all_holds_what_each_of_them_holds() -> None:
    single = [load_scenario(name) for name in scenario_names() if name != "all"]
    everything = load_scenario("all")
    assert {"solidfire-vvols", "eternus-vaai"} < set(scenario_names())
    assert len(everything.vcenters) == sum(len(fleet.vcenters) for fleet in single)
    assert len(everything.arrays) == sum(len(fleet.arrays) for fleet in single)
    assert len(everything.declared) == sum(len(fleet.declared) for fleet in single)
    names = [one.name for one in everything.vcenters] + [one.name for one in everything.arrays]
    assert len(names) == len(set(names))


def test_an_unknown_scenario_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ConfigurationError, match="no scenario") as told:
        load_scenario("solidfire")
    assert "solidfire-vvols" in told.value.do


def test_s0_has_the_tiers_of_the_report() -> None:
    array = next(one for one in load_scenario("solidfire-vvols").element if one.name == "sf-prod")
    tiers = {policy.name: (policy.min, policy.max, policy.burst) for policy in array.qos_policies}
    assert tiers == {"Bronze": (25, 1000, 2000), "Silver": (50, 1500, 3000), "Gold": (100, 3000, 6000)}


def test_s0_hosts_see_one_endpoint_for_each_of_four_nodes_and_hold_half_the_fix() -> None:
    hosts = hosts_of("solidfire-vvols", "sf-vvol")
    assert len(hosts) == 4
    for host in hosts:
        assert [device.protocol_endpoint for device in host.devices.values()] == [True] * 4
        assert {host.queue_depth(device) for device in host.devices.values()} == {256}
        assert host.options["Scsi.ScsiVVolPESNRO"] == 32
    depths = [[host.dsnro(device) for device in host.devices.values()] for host in hosts]
    assert depths.count([32, 32, 32, 32]) == 3
    assert depths.count([256, 256, 256, 32]) == 1


def test_s0_holds_after_the_option_and_every_endpoint_are_set_without_a_reboot() -> None:
    deepest_disk, headroom = 64, 4
    for cluster in ("sf-vvol", "sf-twin"):
        for host in hosts_of("solidfire-vvols", cluster):
            host.options["Scsi.ScsiVVolPESNRO"] = 256
            for device in host.devices.values():
                host.device_settings.setdefault(device.name, {})["dsnro"] = min(256, host.queue_depth(device))
            effective = {min(host.dsnro(device), host.queue_depth(device)) for device in host.devices.values()}
            assert effective == {headroom * deepest_disk}


def test_s0_twin_is_healthy_before_anything_is_set() -> None:
    for host in hosts_of("solidfire-vvols", "sf-twin"):
        assert {host.dsnro(device) for device in host.devices.values()} == {256}
        assert {host.queue_depth(device) for device in host.devices.values()} == {256}
        assert host.options["Scsi.ScsiVVolPESNRO"] == 256
        assert set(host.target_delayed_ack.values()) == {False}
    twin = next(one for one in load_scenario("solidfire-vvols").element if one.name == "sf-twin")
    assert all(50 <= policy.min <= policy.max <= policy.burst for policy in twin.qos_policies)


def test_one_noisy_bronze_machine_is_at_its_burst_with_large_blocks() -> None:
    array = next(one for one in load_scenario("solidfire-vvols").element if one.name == "sf-prod")
    (noisy,) = [vvol for vvol in array.vvols if vvol.load.average_io_bytes == 524288]
    assert noisy.policy == "Bronze"
    assert noisy.load.utilization > 1
    assert noisy.load.actual_iops == 2000 * 100 // 7600  # burst at 512 KiB, docs/domain/facts.md#6-3


def test_every_vvol_disk_of_a_machine_is_on_the_array_it_lies_on() -> None:
    fleet = load_scenario("solidfire-vvols")
    known = {f"rfc4122.{array.vvol_id(vvol)}" for array in fleet.element for vvol in array.vvols if vvol.kind == "Data"}
    used = {disk.backing_object_id for vm in fleet.vcenters[0].vms for disk in vm.disks if disk.backing_object_id}
    assert used == known


def test_two_vvol_datastores_share_every_endpoint() -> None:
    stores = {one.name: one for one in load_scenario("solidfire-vvols").vcenters[0].datastores}
    assert stores["sf-vvol-a"].endpoints == stores["sf-vvol-b"].endpoints
    assert stores["sf-vvol-a"].container_id != stores["sf-vvol-b"].container_id


def test_the_vmfs_hosts_hold_the_slips_of_s2_and_see_no_endpoint() -> None:
    misspelt, pending = hosts_of("solidfire-vvols", "sf-vmfs")
    assert "qlfxmaxqdepth" in misspelt.modules["qlnativefc"].configured
    assert (pending.modules["iscsi_vmk"].configured, pending.modules["iscsi_vmk"].in_effect) == ("iscsivmk_LunQDepth=256", "")
    for host in (misspelt, pending):
        assert not any(device.protocol_endpoint for device in host.devices.values())
        assert {host.queue_depth(device) for device in host.devices.values()} == {128}


def flags(host: HostDescription) -> tuple[object, ...]:
    keys = ("DataMover.HardwareAcceleratedMove", "DataMover.HardwareAcceleratedInit", "VMFS3.HardwareAcceleratedLocking")
    return tuple(host.options.get(key, 1) for key in keys)


def test_s4_clusters_hold_the_flags_their_story_needs() -> None:
    (vcenter,) = load_scenario("eternus-vaai").vcenters
    held = {cluster.name: [flags(host) for host in cluster.hosts] for cluster in vcenter.clusters}
    assert held["dx90-l66"] == [(1, 1, 1), (1, 1, 1), (0, 0, 0)]
    assert held["dx90-l68"] == [(1, 1, 1), (1, 1, 1)]
    assert held["dx80-stale"] == [(0, 0, 1), (0, 0, 1)]
    ats_only = [store for store in vcenter.datastores if store.locking_mode == "ATS" and vcenter.clusters[0].hosts[2].name in store.hosts]
    assert ats_only


def test_s4_declares_every_eternus_device_but_one() -> None:
    from fnmatch import fnmatchcase

    fleet = load_scenario("eternus-vaai")
    seen = {device.name for host in fleet.vcenters[0].hosts for device in host.devices if device.vendor == "FUJITSU"}
    undeclared = {name for name in seen if not any(fnmatchcase(name, one.devices) for one in fleet.declared)}
    assert undeclared == {"naa.600000e00d2a0000002a770000010000"}
    assert all(len(name) == len("naa.") + 32 for name in seen)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("vcenters: [{name: a, clusters: [], host_build: 1, datacentre: x}]", "datacentre", id="a misspelt key"),
        pytest.param("element: [{name: a, unique_id: abcd, node: []}]", "'node'", id="a misspelt key of an array"),
        pytest.param("vcenters: [{name: a, name: b, clusters: []}]", "stands here twice", id="a duplicate key"),
        pytest.param(
            "vcenters: [{name: a, host_build: 1, clusters: [{name: c, hosts: [{name: h, like: gone}]}]}]", "gone", id="no template"
        ),
        pytest.param("element: [{name: a, unique_id: toolong}]", "4 ASCII", id="a value the array refuses"),
    ],
)
def test_a_slip_in_a_scenario_is_refused(text: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        parse_scenario(text, "slip")
