"""The whole row of each device whose driver's depth was set, or may have been: whether it is deeper for it, and what lies on it."""

from collections.abc import Collection
from typing import Any

import pytest

from .fleets import Facts, seen
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

pytestmark = pytest.mark.long

SET = "lun_queue_depth_per_path=64"


def modules(given: Facts, endpoint: str, host_id: str, **options: str | None) -> None:
    """The host's modules, each with its options and an adapter."""
    key = {"endpoint": endpoint, "host_id": host_id}
    add(given, "host_module", *({**key, "module": module, "option_string": of} for module, of in options.items()))
    add(given, "hba", *({**key, "hba": f"by {module}", "driver": module} for module in options))


def sees(given: Facts, endpoint: str, host_id: str, driver: str, *devices: str, **more: Any) -> None:
    for device in devices:
        key = {"endpoint": endpoint, "host_id": host_id, "device": device}
        add(given, "device", {**seen(device, "flasharray"), "is_protocol_endpoint": False, "queue_depth": 64, **more, **key})
        add(given, "path", {**key, "hba": f"by {driver}", "path": "p", "state": "active"})


def datastore(given: Facts, endpoint: str, name: str, *devices: str, sioc: bool = False, disks: int = 0, of: Collection[str] = ()) -> None:
    """A datastore on these devices, with so many disks, which these hosts mount."""
    key = {"endpoint": endpoint, "datastore_id": name}
    add(given, "datastore", {**key, "name": name, "type": "VMFS", "sioc_enabled": sioc})
    add(given, "datastore_extent", *({**key, "device": device} for device in devices))
    add(given, "datastore_mount", *({**key, "host_id": host_id} for host_id in of))
    add(given, "vm_disk", *({**key, "vm_id": "vm", "disk": f"{name} {n}"} for n in range(disks)))


def machine(given: Facts, name: str, host_id: str, power_state: str, *, read: bool, endpoint: str = "vc") -> None:
    key = {"endpoint": endpoint, "vm_id": name, "name": name, "host_id": host_id}
    add(given, "vm", {**key, "power_state": power_state, "disks_read": read})


def fleet() -> Facts:
    """Host "set" of "vc"; hosts of its id are in two other vCenters: of one the datastores were not read, of the other the machines."""
    given: Facts = {}
    for endpoint in ("vc", "vc-2", "no datastores", "no machines", "nothing"):
        vcenter(given, endpoint, unread={"no datastores": {"datastores"}, "no machines": {"vms"}}.get(endpoint, ()))
        host(given, endpoint, "set", f"set of {endpoint}", None)
        if endpoint != "vc-2":
            modules(given, endpoint, "set", nfnic=SET)
            sees(given, endpoint, "set", "nfnic", "of all")
    given["reading"] = [row for row in given["reading"] if row["endpoint"] != "nothing" or row["scope"]]
    modules(given, "vc-2", "set", nfnic="")
    sees(given, "vc-2", "set", "nfnic", "raised")
    modules(given, "vc", "set", lpfc="lpfc_lun_queue_depth=64", iscsi_vmk=None, qlnativefc="", nvme_pcie="a=1", brcmfcoe="a=1")
    for name in ("as installed", "of machines", "off"):
        host(given, "vc", name, f"{name} of vc", None)
        modules(given, "vc", name, nfnic="" if name == "as installed" else SET)
    sees(given, "vc", "as installed", "nfnic", "raised")
    sees(given, "vc", "set", "nfnic", "raised", "mapped", "with unread", "with two", "with one off")
    sees(given, "vc", "set", "nfnic", "not raised", queue_depth=32)
    sees(given, "vc", "set", "nfnic", "depth not known", queue_depth=None)
    sees(given, "vc", "set", "nfnic", "local", is_local=True)
    sees(given, "vc", "set", "nfnic", "namespace", vendor="NVMe")
    sees(given, "vc", "set", "nfnic", "inquiry not read", vendor=None)
    sees(given, "vc", "set", "nfnic", "endpoint", is_protocol_endpoint=True)
    for name in ("of machines", "off"):
        sees(given, "vc", name, "nfnic", "endpoint", is_protocol_endpoint=True)
    for driver in ("lpfc", "iscsi_vmk", "qlnativefc", "nvme_pcie", "brcmfcoe"):
        sees(given, "vc", "set", driver, f"by {driver}")
    sees(given, "no datastores", "set", "nfnic", "endpoint", is_protocol_endpoint=True)
    _datastores(given)
    return given


def _datastores(given: Facts) -> None:
    datastore(given, "vc", "ds-1", "raised", "not raised", sioc=True, disks=2)
    datastore(given, "vc", "ds-2", "by lpfc", disks=1)
    datastore(given, "vc-2", "ds-1", "mapped", sioc=True, disks=4, of=["set"])
    machine(given, "far", "set", "poweredOn", read=False, endpoint="vc-2")
    datastore(given, "vc", "ds-5", "by iscsi_vmk")
    datastore(given, "vc", "ds-3", "with unread", "with two", disks=1, of=["of machines"])
    datastore(given, "vc", "ds-4", "with one off", "with two", disks=1, of=["off"])
    datastore(given, "no datastores", "ds-1", "of all", sioc=True, disks=1)
    datastore(given, "no machines", "ds-1", "of all", sioc=True, disks=1)
    mapped = {"endpoint": "vc", "datastore_id": "ds-1", "vm_id": "vm", "disk": "mapped", "rdm_mode": "physicalMode", "rdm_device": "mapped"}
    add(given, "vm_disk", mapped)
    machine(given, "unread", "of machines", "poweredOn", read=False)
    machine(given, "off", "off", "poweredOff", read=False)
    datastore(given, "vc", "vvols")
    given["datastore"][-1]["type"] = "VVOL"
    add(given, "vvol_mount", {"endpoint": "vc", "datastore_id": "vvols", "host_id": "set", "device": "endpoint"})
    machine(given, "vvol", "set", "poweredOn", read=True)
    add(given, "vm_disk", {"endpoint": "vc", "vm_id": "vvol", "disk": "1", "datastore_id": "vvols", "controller": "pvscsi"})


FLEETS = [fleet]
USUAL: Row = {
    "endpoint": "vc",
    "cluster": None,
    "host": "set of vc",
    "host_id": "set",
    "family": "flasharray",
    "is_protocol_endpoint": False,
    "array_name": None,
    "volume": None,
    "qos": None,
    "driver": "nfnic",
    "option_string": SET,
    "stock_depth": 32,
    "configured_depth": 64,
    "serves_capped_protocol_endpoints": False,
    "queue_depth": 64,
    "is_raised": True,
    "dsnro": None,
    "dsnro_advice": "default",
    "outstanding": 0.0,  # no machine sends anything; NULL where machines were not read
    "sioc_enabled": False,
    "disks": 0,
}


def row(device: str, host_id: str = "set", of: str = "vc", **more: Any) -> Row:
    names = {"resource_id": f"{host_id}/{device}", "resource_name": device, "device": device}
    return {**names, "endpoint": of, "host_id": host_id, "host": f"{host_id} of {of}", **more}


LPFC: Row = {"driver": "lpfc", "option_string": "lpfc_lun_queue_depth=64", "stock_depth": None, "is_raised": None}
ISCSI: Row = {"driver": "iscsi_vmk", "option_string": None, "stock_depth": 128, "configured_depth": None, "is_raised": None}
ENDPOINT: Row = {"is_protocol_endpoint": True}
EXPECTED = expected(
    USUAL,
    row("raised", sioc_enabled=True, disks=2),
    row("not raised", sioc_enabled=True, disks=2, queue_depth=32, is_raised=False),
    row("depth not known", queue_depth=None, is_raised=None),
    row("mapped", disks=1),
    row("with unread", disks=None),
    row("with two", disks=None),
    row("with one off", disks=1),
    row("inquiry not read", family=None, dsnro_advice=None, is_raised=None),
    row("by lpfc", **LPFC, disks=1),
    row("by iscsi_vmk", **ISCSI),
    row("endpoint", **ENDPOINT, disks=1, outstanding=None),  # its machine was not counted
    row("endpoint", "of machines", **ENDPOINT, disks=None, outstanding=None),
    row("endpoint", "off", **ENDPOINT),
    row("of all"),
    row("of all", of="no datastores", sioc_enabled=None, disks=None),
    row("endpoint", of="no datastores", **ENDPOINT, disks=None),
    row("of all", of="no machines", sioc_enabled=True, disks=None, outstanding=None),
    row("of all", of="nothing", sioc_enabled=None, disks=None, outstanding=None),
)


def test_each_device_of_a_changed_depth_is_told_with_what_lies_on_it() -> None:
    assert rows_by_id("raised_device", fleet()) == EXPECTED
