"""The whole row of each iSCSI adapter: what is bound to it, and the paths it has."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from .fleets import Facts
from .single import Rows, rows_over
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

FINE: Row = {"compliant": True, "compliant_status": "compliant", "path_status": "active", "subnet": "10.0.0.0/24", "mtu": 9000}
# By adapter, what is bound to it.
BOUND: dict[str, list[Row]] = {
    "one": [{"vmk": "vmk1", "ip": "10.0.0.1", **FINE}],
    "two alike": [{"vmk": "vmk2", **FINE}, {"vmk": "vmk1", **FINE}],
    "two networks": [{"vmk": "vmk1", **FINE}, {"vmk": "vmk2", **FINE, "subnet": "10.0.1.0/24", "mtu": 1500, "compliant": False}],
    "nothing told": [{"vmk": "vmk1", **FINE}, {"vmk": "vmk2"}],
    "none": [],
}


def fleet() -> Facts:
    """Adapters of one name on hosts of one id are in "vc-2"; of further hosts paths, binding, or half of it, were not read."""
    given: Facts = {}
    for endpoint in ("vc", "vc-2"):
        vcenter(given, endpoint)
    for endpoint, name, unread, answers in (
        ("vc", "esx", "", (True, True)),
        ("vc", "read in part", "", (True, False)),
        ("vc", "not asked", "", ()),
        ("vc", "paths not read", "paths", (True,)),
        ("vc-2", "esx", "", (True,)),
    ):
        host(given, endpoint, name, f"{name} of {endpoint}", "gold", unread={unread})
        key = {"endpoint": endpoint, "scope": name, "topic": "port_binding"}
        given["reading"] = [row for row in given["reading"] if not key.items() <= row.items()]
        add(given, "reading", *({**key, "complete": complete} for complete in answers))
        for hba in BOUND if (endpoint, name) == ("vc", "esx") else ("one",):
            add(
                given,
                "hba",
                {"endpoint": endpoint, "host_id": name, "hba": hba, "kind": "iscsi", "driver": "iscsi_vmk", "is_software": True},
            )
    add(given, "hba", {"endpoint": "vc", "host_id": "esx", "hba": "of FC", "kind": "fc"})
    add(given, "hba", {"endpoint": "vc", "host_id": "not listed", "hba": "one", "kind": "iscsi"})
    for hba, portals in BOUND.items():
        add(given, "iscsi_portal", *({"endpoint": "vc", "host_id": "esx", "hba": hba, **one} for one in portals))
    for endpoint, name in (("vc", "read in part"), ("vc", "not asked"), ("vc-2", "esx")):
        add(given, "iscsi_portal", {"endpoint": endpoint, "host_id": name, "hba": "one", "vmk": "vmk9", **FINE})
    paths = ("naa.1", "active"), ("naa.1", "active"), ("naa.2", "dead"), ("naa.2", "standby")
    for n, (device, state) in enumerate(paths):
        add(given, "path", {"endpoint": "vc", "host_id": "esx", "hba": "one", "path": f"p{n}", "device": device, "state": state})
    for n, known in enumerate(("active", None, "dead")):
        add(given, "path", {"endpoint": "vc", "host_id": "esx", "hba": "two alike", "path": f"q{n}", "device": "naa.3", "state": known})
    for endpoint, name in (("vc", "paths not read"), ("vc", "not asked"), ("vc-2", "esx")):
        add(given, "path", {"endpoint": endpoint, "host_id": name, "hba": "one", "path": "p", "device": "naa.9", "state": "dead"})
    return given


FLEETS = [fleet]
USUAL: Row = {
    "endpoint": "vc",
    "cluster": "gold",
    "driver": "iscsi_vmk",
    "is_software": True,
    "bound_vmknics": 0,
    "uncompliant_vmknics": 0,
    "subnets": 0,
    "mtus": 0,
    "portals": "",
    "vmknics_in_one_subnet": 0,
    "vmknics_of_that_subnet": None,
    "devices": 0,
    "active_paths": 0,
    "dead_paths": 0,
}


def row(hba: str, name: str = "esx", of: str = "vc", **more: Any) -> Row:
    names = {"resource_id": f"{name}/{hba}", "resource_name": hba, "hba": hba, "host_id": name, "host": f"{name} of {of}"}
    return {**names, "endpoint": of, **more}


def bound(count: int, subnets: int | None, mtus: int | None, portals: str, uncompliant: int | None = 0) -> Row:
    return {"bound_vmknics": count, "uncompliant_vmknics": uncompliant, "subnets": subnets, "mtus": mtus, "portals": portals}


NOT_READ = dict.fromkeys(("bound_vmknics", "uncompliant_vmknics", "subnets", "mtus", "portals"))
ONE_DEAD: Row = {"devices": 1, "dead_paths": 1}
BOTH = "vmk1 compliant active; vmk2 compliant active"
EXPECTED = expected(
    USUAL,
    row("one", **bound(1, 1, 1, "vmk1 10.0.0.1 compliant active"), devices=2, active_paths=2, dead_paths=1),
    row("two alike", **bound(2, 1, 1, BOTH), devices=1, active_paths=None, dead_paths=None),
    row("two networks", **bound(2, 2, 2, BOTH, 1)),
    row("nothing told", **bound(2, None, None, "vmk1 compliant active; vmk2", None)),
    row("none"),
    row("one", "read in part") | NOT_READ,
    row("one", "not asked", **ONE_DEAD) | NOT_READ,
    row("one", "paths not read", devices=None, active_paths=None, dead_paths=None),
    row("one", "esx", "vc-2", **bound(1, 1, 1, "vmk9 compliant active"), **ONE_DEAD),
)


@pytest.mark.long
def test_each_iscsi_adapter_is_told_with_what_is_bound_to_it() -> None:
    assert rows_by_id("port_binding", fleet()) == EXPECTED


def _unbound(*vmknics: Row, targets: tuple[str, ...] = ("198.51.100.9",), unread: str = "") -> tuple[int | None, str | None]:
    given: Facts = {}
    vcenter(given, "vc")
    host(given, "vc", "esx", "esx", "gold", unread={unread})
    key = {"endpoint": "vc", "host_id": "esx"}
    add(given, "hba", {**key, "hba": "vmhba64", "kind": "iscsi", "driver": "iscsi_vmk", "is_software": True})
    add(given, "iscsi_target", *({**key, "hba": "vmhba64", "kind": "static", "address": one, "port": 3260, "iqn": one} for one in targets))
    add(given, "vmknic", *({**key, "subnet_mask": "255.255.255.0", "stack": "defaultTcpipStack", **one} for one in vmknics))
    elsewhere = {**key, "host_id": "esx-2"}
    host(given, "vc", "esx-2", "esx-2", "gold")
    add(given, "vmknic", *({**elsewhere, "vmk": f"vmk{n}", "ip": f"198.51.100.{n}", "subnet_mask": "255.255.255.0"} for n in (7, 8)))
    add(given, "iscsi_target", {**key, "hba": "vmhba65", "kind": "static", "address": "by name", "port": 3260, "iqn": "i"})
    add(given, "iscsi_target", {**key, "hba": "vmhba64", "kind": "send", "address": "by name", "port": 3260})
    [found] = rows_by_id("port_binding", given).values()
    return found["vmknics_in_one_subnet"], found["vmknics_of_that_subnet"]


VMK1: Row = {"vmk": "vmk1", "ip": "198.51.100.1"}
VMK2: Row = {"vmk": "vmk2", "ip": "198.51.100.2"}


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        pytest.param(partial(_unbound, VMK1, VMK2), (2, "vmk1, vmk2"), id="two in the subnet of the target"),
        pytest.param(partial(_unbound, VMK1, VMK2, targets=("198.51.100.9", "198.51.100.8")), (2, "vmk1, vmk2"), id="and two targets"),
        pytest.param(partial(_unbound, VMK1, {**VMK2, "ip": "198.51.101.2"}), (1, None), id="another is in another subnet"),
        pytest.param(
            partial(_unbound, VMK1, {**VMK2, "ip": "198.51.101.2"}, targets=("198.51.100.9", "198.51.101.9")),
            (1, None),
            id="one in each of two subnets",
        ),
        pytest.param(
            partial(_unbound, {**VMK1, "subnet_mask": "255.255.255.252"}, VMK2), (1, None), id="the mask of one leaves the target outside"
        ),
        pytest.param(partial(_unbound, {"vmk": "vmk0", "ip": "192.0.2.1"}), (0, None), id="the target is behind a router"),
        pytest.param(partial(_unbound, VMK1, {**VMK2, "stack": "vmotion"}), (1, None), id="another stack has a routing table of its own"),
        pytest.param(partial(_unbound, VMK1, {**VMK2, "stack": None}), (None, None), id="of one the stack is not known"),
        pytest.param(
            partial(_unbound, VMK1, VMK2, {"vmk": "vmk3", "ip": "198.51.100.3", "stack": None}), (2, "vmk1, vmk2"), id="two at least"
        ),
        pytest.param(partial(_unbound, VMK1, {"vmk": "vmk2", "ip": None}), (1, None), id="one without an IPv4 address"),
        pytest.param(partial(_unbound, VMK1, targets=("198.51.100.9", "san.example")), (None, None), id="a target by its name"),
        pytest.param(partial(_unbound, VMK1, targets=("198.51.100.9", "2001:db8::9")), (None, None), id="a target with an IPv6 address"),
        pytest.param(partial(_unbound, VMK1, VMK2, unread="network"), (None, "vmk1, vmk2"), id="the network was not read whole"),
        pytest.param(partial(_unbound, VMK1, unread="hbas"), (None, None), id="targets were not read whole"),
    ],
)
def test_vmkernel_adapters_in_the_subnet_of_a_target_are_counted(
    asked: Callable[[], tuple[int | None, str | None]], wanted: tuple[int | None, str | None]
) -> None:
    assert asked() == wanted


@pytest.mark.parametrize(
    ("paths", "aside", "stale", "wanted"),
    [
        pytest.param([("d", "active"), ("d", "dead")], {}, [], (1, 1, 1), id="a device"),
        pytest.param([("d", "active"), ("d", "unknown")], {}, [], (1, None, None), id="a path in a state that says nothing"),
        pytest.param([("d", "active"), ("lunz", "dead")], {"lunz": True}, [], (1, 1, 0), id="a device of no data"),
        pytest.param([("d", "active"), ("e", "dead")], {"e": None}, [], (2, 1, 1), id="a device that may be of no data"),
        pytest.param([("d", "active")], {}, [("vc", "h1")], (None, None, None), id="vCenter's copy of the paths is old"),
        pytest.param([("d", "active")], {}, [("vc", "h2"), ("vc-2", "h1")], (1, 1, 0), id="that of other hosts is"),
    ],
)
def test_paths_of_an_adapter_count_where_they_are_known_and_of_storage(
    paths: list[tuple[str, str]], aside: dict[str, bool | None], stale: list[tuple[str, str]], wanted: tuple[int | None, ...]
) -> None:
    key = {"endpoint": "vc", "host_id": "h1"}
    given: dict[str, Rows] = {
        "fact.host": [key],
        "fact.hba": [{**key, "hba": "vmhba64", "kind": "iscsi"}],
        "step_host_reading": [{**key, "hbas_read": True, "paths_read": True}],
        "fact.path": [{**key, "hba": "vmhba64", "path": str(n), "device": name, "state": state} for n, (name, state) in enumerate(paths)],
        "step_aside": [{**key, "device": device, "is_aside": known} for device, known in aside.items()],
        "step_stale_path": [{"endpoint": endpoint, "host_id": name} for endpoint, name in stale],
    }
    [found] = rows_over("port_binding", given)
    assert (found["devices"], found["active_paths"], found["dead_paths"]) == wanted
