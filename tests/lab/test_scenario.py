from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor.errors import ConfigurationError
from auditor_lab.plugin_arrays import plugin_arrays
from auditor_lab.scenario import described, load_scenario, merged_names, parse_scenario, scenario_names
from auditor_lab.serving import KINDS
from auditor_lab.vcenter.description.hosts import HostDescription
from auditor_lab.vcenter.state.hosts import HostState
from auditor_lab.vcenter.state.vcenter import VCenterState


def hosts_of(scenario: str, cluster: str) -> list[HostState]:
    (vcenter,) = load_scenario(scenario).vcenters
    state = VCenterState(vcenter)
    return [host for moid, host in state.hosts.items() if state.cluster_of[moid] == cluster]


def test_every_scenario_loads_and_all_holds_what_each_of_them_holds() -> None:
    single = [load_scenario(name) for name in merged_names()]
    everything = load_scenario("all")
    assert {"solidfire-vvols", "eternus-vaai"} < set(scenario_names())
    assert len(everything.vcenters) == sum(len(fleet.vcenters) for fleet in single)
    assert len(everything.arrays) == sum(len(fleet.arrays) for fleet in single)
    assert len(everything.declared) == sum(len(fleet.declared) for fleet in single)
    names = [one.name for one in everything.vcenters] + [one.name for one in everything.arrays]
    assert len(names) == len(set(names))


def test_all_has_an_array_of_each_kind_that_comes_with_auditor() -> None:
    everything = load_scenario("all")
    assert [name for name in KINDS if not getattr(everything, name)] == []
    assert plugin_arrays() == {}, "and no other where no plugin is installed"


def test_an_unknown_scenario_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ConfigurationError, match="no scenario") as raised:
        load_scenario("solidfire")
    assert "solidfire-vvols" in raised.value.do


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
    ("text", "reported"),
    [
        pytest.param("vcenters: [{name: a, clusters: [], host_build: 1, datacentre: x}]", "datacentre", id="a misspelt key"),
        pytest.param("element: [{name: a, unique_id: abcd, node: []}]", '"node"', id="a misspelt key of an array"),
        pytest.param("vcenters: [{name: a, name: b, clusters: []}]", "stands here twice", id="a duplicate key"),
        pytest.param(
            "vcenters: [{name: a, host_build: 1, clusters: [{name: c, hosts: [{name: h, like: gone}]}]}]", "gone", id="no template"
        ),
        pytest.param("element: [{name: a, unique_id: toolong}]", "4 ASCII", id="a value the array refuses"),
    ],
)
def test_a_slip_in_a_scenario_is_refused(text: str, reported: str) -> None:
    with pytest.raises(ConfigurationError, match=reported):
        parse_scenario(text, "slip")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param("vcenters:\n- name: a\n  datacentre: x\n", 3, 'did you mean "datacenter"', id="a key of a vCenter"),
        pytest.param("vcenter:\n- name: a\n", 1, 'did you mean "vcenters"', id="a key of the file"),
        pytest.param(
            "vcenters:\n- name: a\n  host_build: 1\n  hosts:\n  - name: h\n    version: 3\n",
            6,
            '"version": Expected "text"',
            id="a number for text",
        ),
        pytest.param("vcenters:\n- name: a\n  host_build: 1\n  hosts:\n  - name: h\n    like: gone\n", 6, '"gone"', id="no template"),
        pytest.param(
            "vcenters:\n- name: a\n  host_build: 1\n  templates: {t: {version: v}}\n  hosts:\n  - name: h\n    like: t\n    version: 3\n",
            8,
            "version",
            id="a value over the template's",
        ),
        pytest.param("vcenters:\n- name: a\n  vms:\n  - name: v\n    host: gone\n", 5, "no hosts named", id="a machine on no host"),
        pytest.param(
            "vcenters:\n- name: a\n  datastores:\n  - {name: d, type: NFS, clusters: [gone]}\n", 4, '"gone"', id="a datastore of no cluster"
        ),
        pytest.param("vcenters:\n- name: a\n  hosts: [{name: h}]\n", 2, '"host_build" is missing', id="no build"),
        pytest.param("element:\n- name: a\n  unique_id: toolong\n", 3, "4 ASCII", id="a value that the array refuses"),
        pytest.param("vcenters: 3\n", 1, 'Expected "list"', id="no list"),
        pytest.param("vcenters:\n- name: a\n  name: b\n", 3, "stands here twice", id="a key twice"),
    ],
)
def test_a_mistake_in_a_file_of_anybodys_is_named_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as raised:
        described(str(file))
    assert raised.value.what.startswith(f"{file}:{line}: "), raised.value.what
    assert message in raised.value.what


def test_a_description_is_a_scenario_by_its_name_or_a_file_that_is_there(tmp_path: Path) -> None:
    text = (resources.files("auditor_lab") / "scenarios" / "solidfire-vvols.yaml").read_text(encoding="utf-8")
    (tmp_path / "mine.yml").write_text(text, encoding="utf-8")
    assert described("solidfire-vvols") == described(str(tmp_path / "mine.yml"))
    with pytest.raises(ConfigurationError, match="No such file"):
        described(str(tmp_path / "gone.yaml"))
    with pytest.raises(ConfigurationError, match="no scenario"):
        described("gone")


@pytest.mark.parametrize("odd", [3, "text", [], {}, [3], {"a": 3}, None], ids=repr)
@pytest.mark.parametrize("scenario", ["solidfire-vvols", "odd-neighbours"])
def test_nothing_that_yaml_can_hold_makes_the_reader_of_scenarios_stumble(scenario: str, odd: object) -> None:
    """Many a value of a scenario is replaced in turn: the fleet is built, or the mistake is explained."""
    whole = yaml.safe_load((resources.files("auditor_lab") / "scenarios" / f"{scenario}.yaml").read_text(encoding="utf-8"))
    slim = json.loads(json.dumps(whole))
    for place, (holder, key) in enumerate(list(_places(slim))):
        if place % 101:
            continue
        held, holder[key] = holder[key], odd
        assert re.match(r"$|odd\.yaml:\d+: \S", _mistake(json.dumps(slim)))
        holder[key] = held


def _mistake(text: str) -> str:
    try:
        parse_scenario(text, "odd.yaml")
    except ConfigurationError as error:
        return error.what
    return ""


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    for key in data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
        yield data, key
        yield from _places(data[key])
