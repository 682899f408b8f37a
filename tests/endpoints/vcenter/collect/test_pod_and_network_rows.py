"""Datastore clusters and VMkernel adapters as vCenter describes them, into rows."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.common.circuit import Circuit
from auditor.endpoints.vcenter.bulk.reading import GONE
from auditor.endpoints.vcenter.bulk.shapes import (
    Automation,
    IoLoadBalance,
    IpConfig,
    OpaqueNetwork,
    PodConfig,
    PodVmConfig,
    PortGroup,
    PortGroupSpec,
    ProxySwitch,
    Ref,
    SwitchPort,
    VirtualNic,
    VirtualNicSpec,
    VirtualSwitch,
)
from auditor.endpoints.vcenter.collect.network import network_of
from auditor.endpoints.vcenter.collect.pods import collect_pods
from auditor.endpoints.vcenter.collect.rows import HostSeen

from .answering import ENDPOINT, REFUSED, Answers, Found, circuit, has

CONFIG, OF_VMS = (f"podStorageDrsEntry.storageDrsConfig.{name}" for name in ("podConfig", "vmConfig"))
PATHS = ("name", CONFIG, OF_VMS)


def pods(*several: Any, paths: tuple[str, ...] = PATHS, **how: Any) -> Found:
    return Found(collect_pods(Answers(several, **how).vcenter, ENDPOINT, circuit(), paths))


def pod(name: str = "group-p1", missing: dict[str, str] | None = None, /, **values: Any) -> Any:
    given = {"name": "gold", CONFIG: PodConfig(enabled=True), **values}
    return has("StoragePod", name, {path: value for path, value in given.items() if path not in (missing or {})}, missing)


def test_a_datastore_cluster_has_how_storage_drs_is_set() -> None:
    config = PodConfig(
        enabled=False, io_load_balance_enabled=True, default_vm_behavior="manual", load_balance_interval=480,
        io_load_balance_config=IoLoadBalance(io_latency_threshold=15),
        automation_overrides=Automation(space_load_balance_automation_mode="automated", io_load_balance_automation_mode="manual"),
    )  # fmt: skip
    machines = [
        PodVmConfig(behavior="automated"),
        PodVmConfig(behavior="automated"),
        PodVmConfig(behavior="automated", enabled=True),
        PodVmConfig(behavior="automated", enabled=False),
        PodVmConfig(behavior="manual", enabled=True),
    ]
    given = pods(pod(**{CONFIG: config, OF_VMS: machines}))
    assert given.rows("storage_pod") == [
        {
            "pod_id": "group-p1",
            "name": "gold",
            "sdrs_enabled": False,
            "io_metric_enabled": True,
            "default_behavior": "manual",
            "space_automation": "automated",
            "io_automation": "manual",
            "io_latency_threshold_ms": 15,
            "load_balance_interval_minutes": 480,
            "automated_vms": 3,
        }
    ]
    assert (given.gaps, given.complete) == ([], {"/pods": True})


@pytest.mark.parametrize(
    ("given", "paths", "automated"),
    [
        pytest.param(pod(), PATHS, 0, id="no machine has settings of its own"),
        pytest.param(pod("group-p1", {OF_VMS: "NoPermission"}), PATHS, None, id="not read"),
        pytest.param(pod(), PATHS[:2], None, id="not requested"),
    ],
)
def test_machines_with_settings_of_their_own_are_counted_where_they_were_read(given: Any, paths: Any, automated: int | None) -> None:
    [row] = pods(given, paths=paths).rows("storage_pod")
    assert row == {"pod_id": "group-p1", "name": "gold", "sdrs_enabled": True} | ({} if automated is None else {"automated_vms": automated})


def test_a_cluster_without_settings_or_answer_leaves_the_topic_open() -> None:
    bare = has("StoragePod", "group-p1", {}, {"name": "NoPermission"})
    given = pods(bare, pod("group-p2"), refused=[Ref("StoragePod", "group-p3")])
    assert [(row["pod_id"], row["name"]) for row in given.rows("storage_pod")] == [
        ("group-p1", "group-p1"),
        ("group-p2", "gold"),
        ("group-p3", "group-p3"),
    ]
    assert given.gaps == [
        ("name of datastore cluster group-p1", "NoPermission"),
        (f"{CONFIG} of datastore cluster group-p1", "vCenter does not report it"),
        ("datastore cluster group-p3", "refused"),
    ]
    assert given.complete == {"/pods": False}
    assert pods(bare, pod("group-p2")).complete == {"/pods": False}


def test_what_was_not_requested_or_was_removed_is_no_hole() -> None:
    gone = has("StoragePod", "group-p1", {}, dict.fromkeys(PATHS, GONE))
    assert (pods(gone).rows("storage_pod"), pods(gone).complete) == ([], {"/pods": True})
    named = pods(has("StoragePod", "group-p1", {"name": "gold"}), paths=("name",))
    assert (named.rows("storage_pod"), named.gaps) == ([{"pod_id": "group-p1", "name": "gold"}], [])


def test_a_list_of_clusters_that_is_refused_is_a_gap() -> None:
    given = pods(lists={"StoragePod": REFUSED})
    assert (given.gaps, given.complete) == ([("the list of datastore clusters", "refused")], {"/pods": False})
    opened = Circuit(1)
    opened.opened_by = REFUSED
    assert Found(collect_pods(Answers([pod()]).vcenter, ENDPOINT, opened, PATHS)).complete == {"/pods": False}


HOST = HostSeen(Ref("HostSystem", "host-1"), "esx-1", connected=True, software_iscsi=True)
VNIC, VSWITCH, PROXY, PORTGROUP = (f"config.network.{name}" for name in ("vnic", "vswitch", "proxySwitch", "portgroup"))
SWITCHES = {
    VSWITCH: [VirtualSwitch(name="vSwitch0", mtu=1500), VirtualSwitch(name="vSwitch1", mtu=9000), VirtualSwitch(mtu=7)],
    PROXY: [ProxySwitch(dvs_uuid="50 1", dvs_name="dvs", mtu=9000), ProxySwitch(dvs_name="nobody's", mtu=7)],
    PORTGROUP: [
        PortGroup(spec=PortGroupSpec(name="iscsi", vswitch_name="vSwitch1")),
        PortGroup(spec=PortGroupSpec(vswitch_name="vSwitch0")),
        PortGroup(),
        PortGroup(spec=PortGroupSpec(name="lost", vswitch_name="vSwitch7")),
    ],
}


def network(*nics: VirtualNic, missing: dict[str, str] | None = None, **values: Any) -> Found:
    given = {path: value for path, value in {VNIC: list(nics), **SWITCHES, **values}.items() if path not in (missing or {})}
    return Found(network_of(ENDPOINT, HOST, has("HostSystem", "host-1", given, missing)))


def nic(portgroup: str | None = None, **spec: Any) -> VirtualNic:
    return VirtualNic(device="vmk1", portgroup=portgroup, spec=VirtualNicSpec(**spec))


@pytest.mark.parametrize(
    ("adapter", "expected"),
    [
        pytest.param(
            nic(
                "iscsi",
                mtu=9000,
                net_stack_instance_key="defaultTcpipStack",
                ip=IpConfig(ip_address="198.51.100.7", subnet_mask="255.0.0.0"),
            ),
            {"mtu": 9000, "stack": "defaultTcpipStack", "ip": "198.51.100.7", "subnet_mask": "255.0.0.0"}
            | {"portgroup": "iscsi", "switch": "vSwitch1", "switch_kind": "standard", "switch_mtu": 9000},
            id="on a standard switch",
        ),
        pytest.param(
            nic("", distributed_virtual_port=SwitchPort(switch_uuid="50 1", portgroup_key="dvportgroup-7")),
            {"portgroup": "dvportgroup-7", "switch": "dvs", "switch_kind": "distributed", "switch_mtu": 9000},
            id="on a distributed switch",
        ),
        pytest.param(
            nic("iscsi", distributed_virtual_port=SwitchPort(switch_uuid="50 9", portgroup_key="dvportgroup-9")),
            {"portgroup": "dvportgroup-9"},
            id="on a distributed switch that is not listed",
        ),
        pytest.param(nic(distributed_virtual_port=SwitchPort(portgroup_key="p")), {"portgroup": "p"}, id="on one that is not named"),
        pytest.param(
            nic("iscsi", opaque_network=OpaqueNetwork(opaque_network_id="n")), {"switch_kind": "opaque"}, id="on an opaque network"
        ),
        pytest.param(nic("iDRAC Network"), {"portgroup": "iDRAC Network"}, id="on a port group that is not listed"),
        pytest.param(nic("lost"), {"portgroup": "lost"}, id="on a switch that is not listed"),
        pytest.param(nic("", ip=IpConfig(ip_address="", subnet_mask="")), {}, id="on nothing, without an address"),
    ],
)
def test_an_adapter_has_its_address_and_the_switch_that_it_is_on(adapter: VirtualNic, expected: dict[str, Any]) -> None:
    given = network(adapter)
    assert given.rows("vmknic") == [{"host_id": "host-1", "vmk": "vmk1", **expected}]
    assert (given.gaps, given.complete) == ([], {"host-1/network": True})


def test_a_host_without_an_adapter_was_not_read() -> None:
    given = network()
    assert given.gaps == [("network of esx-1", "vCenter reports no VMkernel adapter")]
    assert (given.rows("vmknic"), given.complete) == ([], {"host-1/network": False})


def test_switches_that_are_unset_are_an_answer_and_those_that_could_not_be_read_are_not() -> None:
    bare = Found(network_of(ENDPOINT, HOST, has("HostSystem", "host-1", {VNIC: [nic("iscsi")]})))
    assert (bare.gaps, bare.complete) == ([], {"host-1/network": True})
    missing = {PROXY: "NoPermission", PORTGROUP: "odd"}
    given = network(nic("iscsi"), missing=missing)
    assert given.gaps == [("network of esx-1", f"{PROXY}: NoPermission; {PORTGROUP}: odd")]
    assert given.complete == {"host-1/network": False}
    nothing = network(missing={VNIC: "NoPermission", "name": "of another topic"})
    assert nothing.gaps == [("network of esx-1", f"{VNIC}: NoPermission")]


def test_an_adapter_that_says_nothing_is_a_gap_and_others_are_read() -> None:
    odd = [VirtualNic(spec=VirtualNicSpec()), VirtualNic(device="vmk8")]
    given = network(odd[0], odd[1], nic("iscsi"))
    names = [f"VMkernel adapter {name} has no name, or no settings" for name in (None, "vmk8")]
    assert given.gaps == [("network of esx-1", "; ".join(names))]
    assert [row["vmk"] for row in given.rows("vmknic")] == ["vmk1"]
    assert network(*odd, odd[1]).gaps == [("network of esx-1", "; ".join([*names, names[1]]))]
    assert network(*odd, *odd, odd[1]).gaps == [("network of esx-1", "; ".join([*names, names[0]]) + "; and 2 more")]


def test_a_level_of_storage_drs_that_the_api_does_not_list_is_unknown_and_leaves_the_one_below_it_unknown() -> None:
    levels = Automation(space_load_balance_automation_mode="partly")
    config = PodConfig(enabled=True, default_vm_behavior="manual", automation_overrides=levels)
    given = pods(pod(**{CONFIG: config, OF_VMS: [PodVmConfig(behavior="partly")]}))
    [row] = given.rows("storage_pod")
    assert [row.get(name) for name in ("space_automation", "default_behavior", "automated_vms")] == [None, None, None]
    assert given.gaps == [("space_automation of datastore cluster gold", "is 'partly', which is not known")]
