"""The whole row of each Emulex module: what its options set for all its ports, and for single ones."""

import pytest

from .fleets import Facts
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

pytestmark = pytest.mark.long

EVERY = (
    "lpfc_lun_queue_depth=64 lpfc0_lun_queue_depth=30 lpfc2_lun_queue_depth=31 "
    "lpfc_log=1 lpfc1_lun_queue_depth=30 x_lpfc3_lun_queue_depth=9"
)
TWICE = "lpfc0_lun_queue_depth=64 lpfc1_lun_queue_depth=64 lpfc0_lun_queue_depth=30"


def fleet() -> Facts:
    """Hosts of one id in two vCenters, with the same module in both."""
    given: Facts = {}
    for endpoint in ("vc", "vc-2"):
        vcenter(given, endpoint)
    for endpoint, name, modules, drivers in (
        ("vc", "set", {"lpfc": EVERY, "lpfc820": "lpfc_lun_queue_depth=10", "nfnic": ""}, ("lpfc", "lpfc", "lpfc820", "nfnic")),
        ("vc", "not set", {"lpfc": ""}, ()),
        ("vc", "options not read", {"lpfc": None}, ("lpfc",)),
        ("vc", "adapters not read", {"lpfc": "lpfc7_lun_queue_depth=8"}, ("lpfc",)),
        ("vc", "one for all beside", {"lpfc": "lpfc_lun_queue_depth=64 lpfc1_lun_queue_depth=254"}, ("lpfc", "lpfc")),
        ("vc", "each by its own", {"lpfc": "lpfc_lun_queue_depth=32 lpfc0_lun_queue_depth=64 lpfc1_lun_queue_depth=64"}, ("lpfc", "lpfc")),
        ("vc", "twice", {"lpfc": TWICE, "lpfc820": "lpfc_lun_queue_depth=1 lpfc_lun_queue_depth=2"}, ("lpfc", "lpfc", "lpfc820")),
        ("vc", "quotes open", {"lpfc": "lpfc0_lun_queue_depth='64"}, ("lpfc",)),
        ("vc-2", "set", {"lpfc": "lpfc0_lun_queue_depth=1"}, ("lpfc", "lpfc", "lpfc")),
    ):
        host(given, endpoint, name, f"{name} of {endpoint}", "gold", unread={"hbas"} if name == "adapters not read" else ())
        key = {"endpoint": endpoint, "host_id": name}
        add(given, "host_module", *({**key, "module": module, "option_string": options} for module, options in modules.items()))
        add(given, "hba", *({**key, "hba": f"vmhba{n}", "kind": "fc", "driver": driver} for n, driver in enumerate(drivers)))
    host(given, "vc", "driver not reported", "driver not reported of vc", "gold")
    key = {"endpoint": "vc", "host_id": "driver not reported"}
    add(given, "host_module", {**key, "module": "lpfc", "option_string": ""})
    add(given, "hba", {**key, "hba": "vmhba0", "kind": "fc", "driver": "lpfc"}, {**key, "hba": "vmhba1", "kind": "fc", "driver": None})
    key = {"endpoint": "vc", "host_id": "set", "device": "naa.1"}
    add(given, "device", {**key, "vendor": "PURE", "model": "FlashArray", "device_type": "disk", "is_local": False})
    add(given, "path", {**key, "hba": "vmhba1", "path": "p"})
    return given


FLEETS = [fleet]
USUAL: Row = {
    "endpoint": "vc",
    "cluster": "gold",
    "families": "",
    "sets_all_ports": False,
    "instances_set": 0,
    "instance_values": 0,
    "port_depths": 0,
}


def row(name: str, module: str, options: str | None, ports: int | None, settings: str | None, **more: object) -> Row:
    """A module of a host, its adapters there, and the settings of depths in its options."""
    names = {"resource_id": f"{name}/{module}", "resource_name": module, "module": module, "host_id": name, "host": f"{name} of vc"}
    return {**names, "option_string": options, "ports": ports, "depth_settings": settings, **more}


ALL_OF_EVERY = "lpfc0_lun_queue_depth=30 lpfc1_lun_queue_depth=30 lpfc2_lun_queue_depth=31 lpfc_lun_queue_depth=64"
NOT_READ: Row = {"sets_all_ports": None, "instances_set": None, "instance_values": None, "port_depths": None}
ONE: Row = {"instances_set": 1, "instance_values": 1, "port_depths": 1}
BESIDE = "lpfc_lun_queue_depth=64 lpfc1_lun_queue_depth=254"
EACH = "lpfc_lun_queue_depth=32 lpfc0_lun_queue_depth=64 lpfc1_lun_queue_depth=64"
EXPECTED = expected(
    USUAL,
    row(
        "set", "lpfc", EVERY, 2, ALL_OF_EVERY, sets_all_ports=True, instances_set=3, instance_values=2, port_depths=3, families="flasharray"
    ),
    row("set", "lpfc820", "lpfc_lun_queue_depth=10", 1, "lpfc_lun_queue_depth=10", sets_all_ports=True, port_depths=1),
    row("not set", "lpfc", "", 0, ""),
    row(
        "one for all beside",
        "lpfc",
        BESIDE,
        2,
        "lpfc1_lun_queue_depth=254 lpfc_lun_queue_depth=64",
        **ONE | {"sets_all_ports": True, "port_depths": 2},
    ),
    row("each by its own", "lpfc", EACH, 2, "lpfc0_lun_queue_depth=64 lpfc1_lun_queue_depth=64 lpfc_lun_queue_depth=32")
    | {"sets_all_ports": True, "instances_set": 2, "instance_values": 1, "port_depths": 1},
    row("twice", "lpfc", TWICE, 2, "lpfc0_lun_queue_depth=30 lpfc0_lun_queue_depth=64 lpfc1_lun_queue_depth=64")
    | {"instances_set": 2, "instance_values": None, "port_depths": None},
    row("twice", "lpfc820", "lpfc_lun_queue_depth=1 lpfc_lun_queue_depth=2", 1, "lpfc_lun_queue_depth=1 lpfc_lun_queue_depth=2")
    | {"sets_all_ports": True, "port_depths": None},
    row("quotes open", "lpfc", "lpfc0_lun_queue_depth='64", 1, None, **NOT_READ),
    row("driver not reported", "lpfc", "", None, ""),
    row("options not read", "lpfc", None, 1, None, **NOT_READ),
    row("adapters not read", "lpfc", "lpfc7_lun_queue_depth=8", None, "lpfc7_lun_queue_depth=8", **ONE) | {"families": None},
    row("set", "lpfc", "lpfc0_lun_queue_depth=1", 3, "lpfc0_lun_queue_depth=1", **ONE) | {"endpoint": "vc-2", "host": "set of vc-2"},
)


def test_each_emulex_module_is_told_with_the_depths_that_its_options_set() -> None:
    assert rows_by_id("module_instance", fleet()) == EXPECTED
