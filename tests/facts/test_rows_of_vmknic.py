"""The whole row of each VMkernel adapter: whether iSCSI is bound to it, and what its host reaches by iSCSI."""

from typing import Any

import pytest

from .fleets import Facts
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

pytestmark = pytest.mark.long

SWITCH: Row = {
    "mtu": 9000,
    "ip": "10.0.0.1",
    "stack": "default",
    "portgroup": "group",
    "switch_kind": "standard",
    "switch": "vSwitch1",
    "switch_mtu": 1500,
}
# By host, whether the answers about its binding were whole, and the MTUs of what is bound, by VMkernel adapter.
HOSTS: dict[tuple[str, str], tuple[tuple[bool, ...], list[tuple[str, int | None]]]] = {
    ("vc", "alike"): ((True, True), [("vmk1", 9000), ("vmk1", 9000)]),
    ("vc", "different"): ((True,), [("vmk2", 1500), ("vmk3", 9000), ("vmk2", 1500)]),
    ("vc", "not told"): ((True,), [("vmk1", None), ("vmk2", 9000)]),
    ("vc", "nothing bound"): ((True,), []),
    ("vc", "read in part"): ((True, False), [("vmk1", 9000)]),
    ("vc", "not asked"): ((), [("vmk1", 9000)]),
    ("vc", "paths not read"): ((True,), [("vmk1", 9000)]),
    ("vc-2", "alike"): ((True,), [("vmk9", 1500)]),
    ("vc-2", "nothing bound"): ((False,), [("vmk1", 1500)]),
}


def fleet() -> Facts:
    """Hosts of one id are in both vCenters, each with the adapter vmk1."""
    given: Facts = {}
    for endpoint in ("vc", "vc-2"):
        vcenter(given, endpoint)
    for (endpoint, name), (answers, bound) in HOSTS.items():
        host(given, endpoint, name, f"{name} of {endpoint}", "gold", unread={"paths"} if name == "paths not read" else ())
        reading = {"endpoint": endpoint, "scope": name, "topic": "port_binding"}
        given["reading"] = [row for row in given["reading"] if not reading.items() <= row.items()]
        add(given, "reading", *({**reading, "complete": whole} for whole in answers))
        key = {"endpoint": endpoint, "host_id": name}
        add(given, "vmknic", {**key, "vmk": "vmk1", **SWITCH})
        add(given, "iscsi_portal", *({**key, "hba": f"vmhba{n}", "vmk": vmk, "mtu": mtu} for n, (vmk, mtu) in enumerate(bound)))
    for endpoint, name, paths in (
        ("vc", "alike", [("naa.1", "iscsi"), ("naa.1", "iscsi"), ("naa.2", "iscsi"), ("naa.3", "fc")]),
        ("vc", "paths not read", [("naa.1", "iscsi")]),
        ("vc-2", "alike", [("naa.1", "iscsi")]),
    ):
        rows = (
            {"endpoint": endpoint, "host_id": name, "device": device, "transport": by, "path": f"{n}"}
            for n, (device, by) in enumerate(paths)
        )
        add(given, "path", *rows)
    add(given, "vmknic", {"endpoint": "vc", "host_id": "not listed", "vmk": "vmk1"})
    return given


FLEETS = [fleet]
USUAL: Row = {"endpoint": "vc", "cluster": "gold", **SWITCH}


def row(name: str, is_bound: bool | None, mtus: int | None, devices: int | None = 0, of: str = "vc", **more: Any) -> Row:
    names = {"resource_id": f"{name}/vmk1", "resource_name": "vmk1", "vmk": "vmk1", "host_id": name, "host": f"{name} of {of}"}
    return {**names, "endpoint": of, "is_bound": is_bound, "bound_mtus": mtus, "iscsi_devices": devices, **more}


EXPECTED = expected(
    USUAL,
    row("alike", is_bound=True, mtus=1, devices=2),
    row("different", is_bound=False, mtus=2),
    row("not told", is_bound=True, mtus=None),
    row("nothing bound", is_bound=False, mtus=0),
    row("read in part", is_bound=None, mtus=None),
    row("not asked", is_bound=None, mtus=None),
    row("paths not read", is_bound=True, mtus=1, devices=None),
    row("alike", is_bound=False, mtus=1, devices=1, of="vc-2"),
    row("nothing bound", is_bound=None, mtus=None, of="vc-2", mtu=None),
)


def test_each_vmkernel_adapter_is_told_with_what_is_bound_to_it() -> None:
    assert rows_by_id("vmknic", fleet()) == EXPECTED
