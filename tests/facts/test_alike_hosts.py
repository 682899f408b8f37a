"""Which hosts are held to each other by the number of their paths, and which differ by design."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from .fleets import Facts, hosts, seen, view
from .judged import judged

pytestmark = pytest.mark.long

NEAR, FAR = ("a1", "a2", "a3", "a4"), ("a1", "a2")
"""Ports of one array as its own site reaches them, and the other site."""


def fleet(*ports: int, clusters: Sequence[str | None] | None = None) -> Facts:
    """A host for each of these numbers of Fibre Channel ports, of one cluster unless `clusters` names others, everything read."""
    given = hosts(len(ports))
    given["hba"] = [
        {"host_id": f"host-{number}", "hba": f"vmhba{port}", "kind": "fc", "driver": "lpfc"}
        for number, count in enumerate(ports, 1)
        for port in range(1, count + 1)
    ]
    for host, cluster in zip(given["host"], clusters or (), strict=False):
        host |= {"cluster_id": cluster, "cluster": cluster}
    return given


def sees(given: Facts, number: int, device: str, targets: Sequence[str | None], by: int | None = None, **more: Any) -> None:
    """The host of that number sees a device: each of its adapters, or the first `by` of them, has a path to each target."""
    host = f"host-{number}"
    hbas = [row["hba"] for row in given["hba"] if row["host_id"] == host][:by]
    given.setdefault("device", []).append({"host_id": host, **seen(device, "ontap")})
    given.setdefault("path", []).extend(
        {"host_id": host, "device": device, "hba": hba, "path": f"{hba} {target}", "target": target, "state": "active", "transport": "fc"}
        | more
        for hba in hbas
        for target in targets
    )


def most(given: Facts) -> dict[str, dict[str, int | None]]:
    """By device and host, the most active paths of a host that is like it."""
    found: dict[str, dict[str, int | None]] = {}
    for row in view("path_policy", given):
        found.setdefault(row["device"], {})[row["host_id"].removeprefix("host-")] = row["most_active_paths"]
    return found


def differences(given: Facts) -> set[tuple[str, str | None]]:
    """Of each host, why those with more paths are not compared with it."""
    return {(row["host_id"].removeprefix("host-"), row["not_compared"]) for row in view("path_policy", given)}


def test_hosts_with_two_ports_are_not_held_to_hosts_with_four() -> None:
    given = fleet(2, 2, 4, 4)
    for number in (1, 2, 3, 4):
        sees(given, number, "naa.1", NEAR)
    assert most(given) == {"naa.1": {"1": 8, "2": 8, "3": 16, "4": 16}}
    assert differences(given) == {
        ("1", "another number of adapters"),
        ("2", "another number of adapters"),
        ("3", None),
        ("4", None),
    }
    assert {row["compared_by"] for row in view("path_policy", given)} == {"fc by 2 adapters", "fc by 4 adapters"}


def test_hosts_are_held_to_those_of_their_own_vcenter() -> None:
    near, far = (fleet(2, 2, clusters=(None, None)) for _ in range(2))
    for given, targets in ((near, NEAR), (far, (*NEAR, "a5", "a6"))):
        sees(given, 1, "naa.1", targets)
        sees(given, 2, "naa.1", targets, by=1)
    both = {table: [*near[table], *({**row, "endpoint": "vc-2"} for row in far[table])] for table in near}
    assert {(row["endpoint"], row["host_id"]): row["most_active_paths"] for row in view("path_policy", both)} == {
        ("vc", "host-1"): 8,
        ("vc", "host-2"): 8,
        ("vc-2", "host-1"): 12,
        ("vc-2", "host-2"): 12,
    }


def test_a_host_that_lost_a_port_is_held_to_the_one_like_it_and_not_to_the_one_with_four() -> None:
    given = fleet(2, 2, 4)
    for number in (1, 2, 3):
        sees(given, number, "naa.1", NEAR, by=1 if number == 1 else None)
    assert most(given) == {"naa.1": {"1": 8, "2": 8, "3": 16}}


def test_a_host_that_lost_one_of_four_ports_is_held_to_those_with_four() -> None:
    given = fleet(2, 4, 4)
    sees(given, 1, "naa.1", NEAR)
    sees(given, 2, "naa.1", NEAR)
    sees(given, 3, "naa.1", NEAR, by=3)
    assert most(given) == {"naa.1": {"1": 8, "2": 16, "3": 16}}


def test_the_far_array_of_a_metro_cluster_is_seen_by_fewer_paths_from_each_site() -> None:
    given = fleet(2, 2, 2, 2)
    for number, near in ((1, True), (2, True), (3, False), (4, False)):
        sees(given, number, "naa.1", NEAR if near else FAR)
        sees(given, number, "naa.2", ("b1", "b2") if near else ("b1", "b2", "b3", "b4"))
    assert most(given) == {"naa.1": {"1": 8, "2": 8, "3": 4, "4": 4}, "naa.2": {"1": 4, "2": 4, "3": 8, "4": 8}}
    assert differences(given) == {(host, reason) for host in "1234" for reason in (None, "other ports of the array")}


def test_two_hosts_each_of_which_is_near_to_an_array_of_its_own_are_not_held_to_each_other() -> None:
    given = fleet(2, 2)
    for number in (1, 2):
        sees(given, number, "naa.1", NEAR if number == 1 else FAR)
        sees(given, number, "naa.2", ("b1", "b2") if number == 1 else ("b1", "b2", "b3", "b4"))
    assert most(given) == {"naa.1": {"1": 8, "2": 4}, "naa.2": {"1": 4, "2": 8}}


def test_a_host_that_alone_reaches_fewer_ports_is_held_to_the_others() -> None:
    given = fleet(2, 2, 2)
    for number in (1, 2, 3):
        sees(given, number, "naa.1", FAR if number == 3 else NEAR)
    assert most(given) == {"naa.1": {"1": 8, "2": 8, "3": 8}}
    assert differences(given) == {("1", None), ("2", None), ("3", None)}


def test_two_hosts_that_lost_the_same_fabric_are_held_to_the_others() -> None:
    given = fleet(2, 2, 2, 2)
    for number in (1, 2, 3, 4):
        sees(given, number, "naa.1", NEAR, by=1 if number > 2 else None)
    assert most(given) == {"naa.1": {"1": 8, "2": 8, "3": 8, "4": 8}}


def test_two_hosts_that_lost_the_same_ports_of_the_array_are_held_to_the_others() -> None:
    given = fleet(2, 2, 2, 2)
    for number in (1, 2, 3, 4):
        sees(given, number, "naa.1", NEAR)
    for row in given["path"]:
        row["state"] = "dead" if row["host_id"] in ("host-3", "host-4") and row["target"] in NEAR[2:] else "active"
    assert most(given) == {"naa.1": {"1": 8, "2": 8, "3": 8, "4": 8}}


@pytest.mark.parametrize(
    ("transport", "kind", "others", "held_to"),
    [
        pytest.param("sas", "block", "vmw_ahci", 2, id="SAS: those of its driver, as the kind holds local disks"),
        pytest.param("iscsi", "iscsi", "bnx2i", 2, id="iSCSI: those of its driver"),
        pytest.param("block", "block", "vmw_ahci", 2, id="what is of no kind of its own: those of its driver"),
        pytest.param("fc", "fc", "qlnativefc", 4, id="Fibre Channel: all"),
    ],
)
def test_the_adapters_of_a_host_are_those_that_may_reach_the_device(transport: str, kind: str, others: str, held_to: int) -> None:
    """Host 1 has one adapter by which it reaches the device, and another; host 2 has two of the first kind."""
    given = fleet(2, 2)
    for row in given["hba"]:
        row |= {"kind": kind, "driver": others if (row["host_id"], row["hba"]) == ("host-1", "vmhba2") else "first"}
    given["hba"].append({"endpoint": "vc-2", "host_id": "host-1", "hba": "vmhba1", "kind": kind, "driver": "first"})
    sees(given, 1, "naa.1", FAR, by=1, transport=transport)
    sees(given, 2, "naa.1", FAR, transport=transport)
    assert most(given) == {"naa.1": {"1": held_to, "2": 4}}


def test_a_drifted_host_of_the_far_site_is_held_to_its_own_site() -> None:
    given = fleet(2, 2, 2, 2, 2)
    for number in (1, 2, 3, 4, 5):
        sees(given, number, "naa.1", NEAR if number < 3 else FAR[: 1 if number == 5 else 2])
    assert most(given)["naa.1"] == {"1": 8, "2": 8, "3": 4, "4": 4, "5": 8}


def test_hosts_of_two_clusters_are_compared_in_their_own_where_it_has_several() -> None:
    several = fleet(2, 2, 2, 2, clusters=("c1", "c1", "c2", "c2"))
    alone = fleet(2, 2, 2, clusters=("c1", "c1", "c2"))
    other_alone = fleet(2, 2, 2, clusters=("c1", "c2", "c2"))
    for given, wide in ((several, 2), (alone, 2), (other_alone, 1)):
        for number in range(1, len(given["host"]) + 1):
            sees(given, number, "naa.1", (None, None) if number <= wide else (None,))
    assert most(several) == {"naa.1": {"1": 4, "2": 4, "3": 2, "4": 2}}
    assert most(alone) == {"naa.1": {"1": 4, "2": 4, "3": 4}}
    assert most(other_alone) == {"naa.1": {"1": 4, "2": 4, "3": 4}}


def over_iscsi(*bound: int, software: bool = True, linked: tuple[int, ...] = ()) -> Facts:
    """Hosts with one iSCSI adapter, bound to so many VMkernel adapters, each of which makes a path to two ports of the array.

    Those hosts that are `linked` have paths by so many of them alone.
    """
    given = fleet(*(1 for _ in bound))
    for row in given["hba"]:
        row |= {"kind": "iscsi", "driver": "iscsi_vmk" if software else "qla4xxx", "is_software": software}
    for number, vmknics in enumerate(bound, 1):
        host = f"host-{number}"
        given.setdefault("iscsi_portal", []).extend({"host_id": host, "hba": "vmhba1", "vmk": f"vmk{vmknic}"} for vmknic in range(vmknics))
        used = linked[number - 1] if linked else max(vmknics, 1)
        sees(given, number, "naa.1", [f"{target} {session}" for target in ("t1", "t2") for session in range(used)], transport="iscsi")
    for row in given["path"]:
        row["target"] = row["target"].partition(" ")[0]
    return given


def test_software_iscsi_is_compared_among_hosts_with_as_many_bound_vmkernel_adapters() -> None:
    """vSphere 6.7, best practices of software iSCSI: 2 bound ports and 2 portals are 4 sessions, 4 and 2 are 8."""
    given = over_iscsi(2, 2, 4, 4, linked=(2, 1, 4, 3))
    assert most(given) == {"naa.1": {"1": 4, "2": 4, "3": 8, "4": 8}}
    assert differences(given) == {(host, None if host == "3" else "another number of iSCSI ports") for host in "123"} | {("4", None)}
    assert {row["compared_by"] for row in view("path_policy", given)} == {"iscsi by 2 ports", "iscsi by 4 ports"}
    verdicts = judged("multipath/path-count", given)
    assert {key[:6]: verdict for key, verdict in verdicts.items()} == {
        "host-1": "pass",
        "host-2": "fail",
        "host-3": "pass",
        "host-4": "fail",
    }


def test_a_host_by_adapters_of_hardware_has_lost_no_port_of_software_iscsi() -> None:
    """It has two ports and one path, the other one port and two paths."""
    given = over_iscsi(1, 1)
    given["hba"].append(given["hba"][0] | {"hba": "vmhba2"})
    for row in given["hba"]:
        if row["host_id"] == "host-1":
            row |= {"driver": "qla4xxx", "is_software": False}
    del given["path"][0]
    assert most(given) == {"naa.1": {"1": 1, "2": 2}}
    assert differences(given) == {("1", "another number of iSCSI ports"), ("2", None)}


def test_a_host_that_detached_a_device_is_not_counted_among_those_that_see_it() -> None:
    given = fleet(2, 2)
    sees(given, 1, "naa.1", NEAR)
    sees(given, 2, "naa.1", NEAR, by=1)
    assert {row["fewest_active_paths"] for row in view("path_policy", given)} == {4}
    given["device"][1]["operational_state"] = "off"
    fewest = {row["host_id"]: (row["fewest_active_paths"], row["most_active_paths"]) for row in view("path_policy", given)}
    assert fewest["host-1"] == (8, 8)


def test_software_iscsi_that_is_bound_to_none_is_one_port_and_so_is_an_adapter_of_hardware() -> None:
    assert most(over_iscsi(0, 1, 2)) == {"naa.1": {"1": 2, "2": 2, "3": 4}}
    assert most(over_iscsi(0, 1, 2, software=False)) == {"naa.1": {"1": 4, "2": 4, "3": 4}}


def test_a_host_with_more_bound_ports_and_fewer_paths_is_held_to_those_with_fewer() -> None:
    """Each bound port makes a path to each portal: four of them that make two paths have lost six, and no other host has four."""
    given = over_iscsi(2, 2, 4, linked=(2, 2, 1))
    assert most(given) == {"naa.1": {"1": 4, "2": 4, "3": 4}}
    assert {key[:6]: verdict for key, verdict in judged("multipath/path-count", given).items()} == {
        "host-1": "pass",
        "host-2": "pass",
        "host-3": "fail",
    }


def test_a_host_with_more_adapters_of_hardware_and_fewer_paths_is_not_compared() -> None:
    """Some of its adapters may be zoned to another array."""
    given = fleet(2, 4)
    sees(given, 1, "naa.1", NEAR)
    sees(given, 2, "naa.1", NEAR, by=1)
    assert most(given) == {"naa.1": {"1": 8, "2": 4}}


def in_subnet(given: Facts, *vmknics: int, **more: str) -> Facts:
    """Each host has so many VMkernel adapters in the subnet of the target's portals, bound or not, and one elsewhere."""
    own = {"subnet_mask": "255.255.255.0", "stack": "defaultTcpipStack"}
    for number, count in enumerate(vmknics, 1):
        host = f"host-{number}"
        target = {"host_id": host, "hba": "vmhba1", "kind": "static", "port": 3260, "iqn": "iqn.t"}
        given.setdefault("iscsi_target", []).extend({**target, "address": f"192.0.2.{port}"} for port in (1, 2))
        near = [{"vmk": f"vmk{vmknic}", "ip": f"192.0.2.{100 + vmknic}", **own, **more} for vmknic in range(count)]
        given.setdefault("vmknic", []).extend(
            {"host_id": host, **one} for one in (*near, {"vmk": "vmk9", "ip": f"198.51.100.{number}", **own})
        )
    return given


def test_a_host_that_could_bind_as_many_ports_as_the_others_and_does_not_is_held_to_them() -> None:
    """Host 3 has four VMkernel adapters for iSCSI as the others, and somebody forgot to bind one; host 4 has no more than two."""
    given = in_subnet(over_iscsi(4, 4, 3, 2), 4, 4, 4, 2)
    assert most(given) == {"naa.1": {"1": 8, "2": 8, "3": 8, "4": 4}}
    assert {(row["host_id"], row["compared_by"]) for row in view("path_policy", given)} == {
        ("host-1", "iscsi by 4 ports"),
        ("host-2", "iscsi by 4 ports"),
        ("host-3", "iscsi by 3 of 4 ports"),
        ("host-4", "iscsi by 2 ports"),
    }
    verdicts = {key[:6]: verdict for key, verdict in judged("multipath/path-count", given).items()}
    assert verdicts == {"host-1": "pass", "host-2": "pass", "host-3": "fail", "host-4": "pass"}


@pytest.mark.parametrize(
    ("bound", "held_to"), [pytest.param(0, 4, id="none is bound any more"), pytest.param(1, 4, id="one"), pytest.param(2, 4, id="both")]
)
def test_ports_that_are_not_bound_count_as_those_that_are(bound: int, held_to: int) -> None:
    assert most(in_subnet(over_iscsi(2, 2, bound), 2, 2, 2))["naa.1"]["3"] == held_to


def test_hosts_that_bind_nothing_are_compared_and_are_not_said_to_use_one_port_of_two() -> None:
    given = in_subnet(over_iscsi(0, 0), 2, 2)
    given["path"] = [row for row in given["path"] if (row["host_id"], row["target"]) != ("host-2", "t2")]
    assert most(given) == {"naa.1": {"1": 2, "2": 2}}
    assert {row["compared_by"] for row in view("path_policy", given)} == {"iscsi without binding"}


def test_a_vmkernel_adapter_of_another_stack_can_not_be_bound() -> None:
    assert most(in_subnet(over_iscsi(2, 2, 1), 2, 2, 2, stack="vmotion"))["naa.1"]["3"] == 2


def test_what_a_host_could_bind_is_open_where_its_network_was_not_read() -> None:
    given = over_iscsi(2, 2, 1)
    unread = [row | {"complete": (row["scope"], row["topic"]) != ("host-3", "network")} for row in given["reading"]]
    assert most(given | {"reading": unread}) == {"naa.1": {"1": 4, "2": 4, "3": None}}


def test_what_software_iscsi_is_bound_to_leaves_open_which_hosts_are_alike_where_it_was_not_read() -> None:
    given = over_iscsi(2, 2, 4)
    unread = [row | {"complete": (row["scope"], row["topic"]) != ("host-3", "port_binding")} for row in given["reading"]]
    assert most(given | {"reading": unread}) == {"naa.1": {"1": None, "2": None, "3": 8}}


@pytest.mark.parametrize("hbas_read", [True, False])
def test_hosts_by_another_transport_are_not_compared(hbas_read: bool) -> None:
    given = fleet(2, 2)
    given["reading"] = [row | {"complete": row["complete"] and (row["topic"] != "hbas" or hbas_read)} for row in given["reading"]]
    given["hba"] += [{"host_id": "host-2", "hba": "vmhba64", "kind": "iscsi", "driver": "iscsi_vmk"}]
    sees(given, 1, "naa.1", NEAR)
    given["hba"] = [row for row in given["hba"] if row["host_id"] == "host-1" or row["kind"] == "iscsi"]
    sees(given, 2, "naa.1", ("iqn.a",), transport="iscsi")
    assert most(given) == {"naa.1": {"1": 8, "2": 1}}


def adapters_unread(given: Facts) -> None:
    given["reading"] = [
        row | {"complete": row["complete"] and (row["scope"], row["topic"]) != ("host-3", "hbas")} for row in given["reading"]
    ]


def changed(table: str, which: int | None = None, **cells: Any) -> Any:
    """A change of the rows of host 3 in a table, or of one of them."""

    def change(given: Facts) -> None:
        for at, row in enumerate([row for row in given[table] if row["host_id"] == "host-3"]):
            if which in (None, at):
                row |= cells

    return change


def unsaid(given: Facts) -> None:
    changed("path", transport=None)(given)
    changed("hba", kind="nvme")(given)  # an adapter for NVMe is one of Fibre Channel as well


@pytest.mark.parametrize(
    "lose",
    [
        pytest.param(adapters_unread, id="its adapters were not read"),
        pytest.param(changed("hba", 1, kind=None), id="one of them is of no known kind"),
        pytest.param(unsaid, id="its paths do not say how they travel, and its adapters are of two kinds"),
        pytest.param(changed("path", 0, transport="iscsi"), id="its paths travel in two ways"),
    ],
)
def test_which_hosts_are_alike_is_open_where_one_may_have_another_number_of_adapters(lose: Any) -> None:
    given = fleet(2, 2, 2)
    for number in (1, 2, 3):
        sees(given, number, "naa.1", NEAR, by=1 if number == 3 else None)
    lose(given)
    assert most(given) == {"naa.1": {"1": 8, "2": 8, "3": None}}
    assert {reason for _, reason in differences(given)} == {None}


NVME, LOCAL = ("nvme", "lpfc"), ("nvme", "nvme_pcie")
SCSI, TCP = ("fc", "lpfc"), ("nvme", "nvmetcp")
"""Adapters by kind and driver: a port of Fibre Channel that speaks NVMe as well has two, and each local NVMe disk has its own."""


@pytest.mark.parametrize(
    ("by", "transport", "first", "second", "paths", "expected"),
    [
        pytest.param(
            TCP, "nvme", [TCP] * 2 + [LOCAL], [TCP] * 2, 3, 4, id="NVMe over TCP: a path is lost, beside a disk of the host's own"
        ),
        pytest.param(TCP, "nvme", [TCP] * 2, [TCP] * 4, 4, 4, id="NVMe over TCP: half as many adapters"),
        pytest.param(
            NVME, "fc", [SCSI] * 4 + [NVME] * 2, [SCSI] * 2 + [NVME] * 2, 3, 4, id="FC-NVMe: a path is lost, beside other SCSI ports"
        ),
        pytest.param(NVME, "fc", [SCSI] * 4 + [NVME] * 2, [SCSI] * 4 + [NVME] * 4, 4, 4, id="FC-NVMe on two of four ports"),
        pytest.param(
            SCSI, "fc", [SCSI] * 2, [SCSI] * 2 + [NVME] * 2, 3, 4, id="SCSI: a path is lost, beside ports that speak NVMe as well"
        ),
    ],
)
def test_adapters_of_nvme_are_counted_apart(
    by: tuple[str, str], transport: str, first: list[tuple[str, str]], second: list[tuple[str, str]], paths: int, expected: int
) -> None:
    given = hosts(2)
    for number, adapters in enumerate((first, second), 1):
        host = f"host-{number}"
        rows = [{"host_id": host, "hba": f"vmhba{n}", "kind": kind, "driver": driver} for n, (kind, driver) in enumerate(adapters)]
        given.setdefault("hba", []).extend(rows)
        given.setdefault("device", []).append({"host_id": host, **seen("naa.1", "ontap")})
        ways = [(row["hba"], target) for row in rows if (row["kind"], row["driver"]) == by for target in ("a1", "a2")]
        given.setdefault("path", []).extend(
            {
                "host_id": host,
                "device": "naa.1",
                "hba": hba,
                "path": f"{hba} {target}",
                "target": target,
                "state": "active",
                "transport": transport,
            }
            for hba, target in ways[: paths if number == 1 else None]
        )
    assert most(given)["naa.1"]["1"] == expected


def test_a_host_without_a_path_is_held_to_all() -> None:
    given = fleet(2, 2, 4)
    for number in (1, 3):
        sees(given, number, "naa.1", NEAR)
    given["device"].append({"host_id": "host-2", **seen("naa.1", "ontap")})
    assert most(given) == {"naa.1": {"1": 8, "2": 16, "3": 16}}


def designs() -> Iterator[Any]:
    """Fleets whose hosts differ by design: ports, sites, clusters and array ports, each healthy."""
    for ports in ((2, 2, 2, 2), (2, 2, 4, 4), (1, 1, 2, 2), (2, 4, 4, 4)):
        for sites in ("nnnn", "nnff", "nffn"):
            yield pytest.param(ports, sites, id=f"{ports} {sites}")


@pytest.mark.parametrize(("ports", "sites"), list(designs()))
def test_no_host_that_differs_by_design_has_fewer_than_those_like_it_and_a_drifted_one_does(ports: tuple[int, ...], sites: str) -> None:
    reached = {"n": (NEAR, ("b1", "b2")), "f": (FAR, ("b1", "b2", "b3", "b4"))}
    healthy, drifted = fleet(*ports), fleet(*ports)
    for number, site in enumerate(sites, 1):
        for device, targets in zip(("naa.1", "naa.2"), reached[site], strict=True):
            sees(healthy, number, device, targets)
            sees(drifted, number, device, targets[:1] if number == 4 else targets)
    behind = [row for row in view("path_policy", healthy) if row["active_paths"] != row["most_active_paths"]]
    assert behind == []
    assert {(row["host_id"], row["device"]) for row in view("path_policy", drifted) if row["active_paths"] < row["most_active_paths"]} == {
        ("host-4", "naa.1"),
        ("host-4", "naa.2"),
    }


def test_path_count_passes_hosts_that_differ_by_design_and_fails_the_one_that_drifted() -> None:
    given = fleet(2, 2, 4, 4)
    for number in (1, 2, 3, 4):
        sees(given, number, "naa.1", NEAR, by=3 if number == 4 else None)
    verdicts = judged("multipath/path-count", given)
    assert {key[:6]: verdict for key, verdict in verdicts.items()} == {
        "host-1": "pass",
        "host-2": "pass",
        "host-3": "pass",
        "host-4": "fail",
    }


def test_a_dead_path_and_a_single_adapter_fail_whatever_another_host_has_that_was_not_read() -> None:
    given = fleet(2, 2, 2, 2)
    for number in (1, 2, 3, 4):
        sees(given, number, "naa.1", NEAR, by=1 if number == 3 else None)
    given["path"][0]["state"] = "dead"
    given["reading"] = [row | {"complete": (row["scope"], row["topic"]) != ("host-4", "paths")} for row in given["reading"]]
    verdicts = judged("multipath/path-count", given)
    assert {key[:6]: verdict for key, verdict in verdicts.items()} == {
        "host-1": "fail",
        "host-2": "unknown",
        "host-3": "fail",
        "host-4": "unknown",
    }
