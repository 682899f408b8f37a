"""The whole row of each kernel module: what its options set, what it serves, and how deep the disks behind its protocol endpoints are."""

from collections.abc import Collection
from typing import Any

import pytest

from auditor.model import EndpointKind

from .fleets import Facts, array, seen
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

pytestmark = pytest.mark.long

PARAMETERS = {
    "nfnic": ("lun_queue_depth_per_path", "fnic_log_level"),
    "lpfc": ("lpfc_lun_queue_depth", "lpfc_log"),
    "qlnativefc": ("ql2xmaxqdepth",),
    "qla2xxx": ("ql2xmaxqdepth",),
    "iscsi_vmk": ("iscsivmk_LunQDepth",),
    "nvme_pcie": ("a",),
}


def lone(given: Facts, name: str, *, unread: Collection[str] = (), endpoint: str = "vc", **modules: str | None) -> None:
    """A host in no cluster, whose id is its name, with these modules and their options; it has `nfnic`, without options, unless named."""
    host(given, endpoint, name, f"{name} of {endpoint}", None, unread=unread)
    key = {"endpoint": endpoint, "host_id": name}
    for module, options in (modules or {"nfnic": ""}).items():
        add(given, "host_module", {**key, "module": module, "loaded": module != "lpfc", "option_string": options})
        add(given, "host_module_parameter", *({**key, "module": module, "name": of} for of in PARAMETERS.get(module, ())))


def sees(given: Facts, name: str, driver: str | None, *devices: Row, endpoint: str = "vc") -> None:
    """The host sees these devices by adapters of this driver; None: by no path."""
    for device in devices:
        key = {"endpoint": endpoint, "host_id": name}
        add(given, "device", {"queue_depth": 64, "is_protocol_endpoint": False, **device, **key})
        if driver is not None:
            add(given, "hba", {**key, "hba": f"by {driver}", "driver": driver})
            add(given, "path", {**key, "device": device["device"], "hba": f"by {driver}", "path": "p", "state": "active"})


def lun(n: int, family: str = "flasharray", **more: Any) -> Row:
    """A LUN of the family; what is no family's inquiry is of a vendor of that name."""
    known = seen(f"naa.{family}.{n}", family if family in ("flasharray", "solidfire", "ontap", "dell-sc", "eternus-dx") else "flasharray")
    return {**known, **({"vendor": family, "device": f"eui.{n}"} if family == "NVMe" else {}), **more}


def pe(name: str, **more: Any) -> Row:
    return {**seen(f"naa.pe of {name}", "solidfire"), "is_protocol_endpoint": True, **more}


def carries(given: Facts, name: str, device: str, *controllers: str, **more: Any) -> None:
    """The host mounts a vVol datastore by this endpoint; a running Windows of it has a disk on each of these controllers."""
    key = {"endpoint": "vc", "datastore_id": f"ds of {name}"}
    add(given, "datastore", {**key, "name": key["datastore_id"], "type": "VVOL"})
    add(given, "vvol_mount", {**key, "host_id": name, "device": f"naa.pe of {device}"})
    about = {"name": f"vm of {name}", "power_state": "poweredOn", "running_guest_id": "windows2019srv_64Guest", "disks_read": True, **more}
    add(given, "vm", {"endpoint": "vc", "vm_id": f"vm of {name}", "host_id": name, **about})
    for controller in controllers:
        add(given, "vm_disk", {**key, "vm_id": f"vm of {name}", "disk": controller, "controller": controller})


def fleet() -> Facts:
    given: Facts = {"reading": []}
    for endpoint in ("vc", "vc-2"):
        vcenter(given, endpoint)
    _options(given)
    _served(given)
    _endpoints(given)
    return given


def _options(given: Facts) -> None:
    lone(
        given,
        "options",
        nfnic="lun_queue_depth_per_path=128",
        iscsi_vmk="  ",
        qlnativefc=None,
        qla2xxx="ql2xmaxqdepth=abc",
        lpfc="lpfc_lun_queue_depht=64  lpfc_log=1 lpfc_lag=2",
        nvme_pcie="a=1",
        brcmfcoe="x=1",
        elxnet="",
    )
    lone(given, "options not read", unread={"modules"}, nfnic="lun_queue_depth=64", iscsi_vmk="", brcmfcoe="x=1")
    for name in ("early driver", "early driver, not read"):  # which has no parameter for the depth yet: docs/domain/facts.md#2
        lone(given, name, unread={"modules"} if "not read" in name else ())
    given["host_module_parameter"] = [
        one for one in given["host_module_parameter"] if "early" not in one["host_id"] or one["name"] != "lun_queue_depth_per_path"
    ]
    lone(given, "options", endpoint="vc-2", nfnic="lun_queue_depth=32", qlnativefc="ql2xmaxqdepth=32", lpfc="lpfc_lun_queue_depth=32")
    lone(given, "two of one parameter", qlnativefc="ql2xmaxqdepth=16", qla2xxx="ql2xmaxqdepth=8")
    lone(given, "other options", nfnic="fnic_log_level=1", lpfc="lpfc_log=1")


def _served(given: Facts) -> None:
    """Hosts by what their drivers serve."""
    lone(given, "two drivers", nfnic="", lpfc="", qla2xxx="")
    sees(given, "two drivers", "nfnic", lun(1, queue_depth=96), lun(2))
    sees(given, "two drivers", "lpfc", lun(1, "ontap", queue_depth=30))
    lone(given, "two families")
    sees(given, "two families", "nfnic", lun(1, queue_depth=96), lun(1, "dell-sc"), lun(2, "dell-sc"), lun(1, "eternus-dx"))
    lone(given, "no advice")
    sees(given, "no advice", "nfnic", lun(1), lun(1, "eternus-dx"))
    lone(given, "one not known")
    sees(given, "one not known", "nfnic", lun(1), lun(2, vendor=None))
    lone(given, "one depth not known")
    sees(given, "one depth not known", "nfnic", lun(1), lun(2, queue_depth=None))
    lone(given, "namespaces")
    sees(
        given, "namespaces", "nfnic", lun(1), lun(2, "NVMe", queue_depth=2048), lun(3, "NVMe", model="dellemc-powerstore", queue_depth=None)
    )
    lone(given, "one of no driver")
    sees(given, "one of no driver", "nfnic", lun(1))
    sees(given, "one of no driver", None, lun(2))
    for topic in ("devices", "paths", "hbas"):
        lone(given, f"{topic} not read", unread={topic})
        sees(given, f"{topic} not read", "nfnic", lun(1))
    lone(given, "two drivers", endpoint="vc-2", nfnic="", lpfc="")
    sees(given, "two drivers", "nfnic", lun(9, "dell-sc", queue_depth=256), endpoint="vc-2")
    sees(given, "two drivers", None, lun(8), endpoint="vc-2")


def _endpoints(given: Facts) -> None:
    """Hosts by whose protocol endpoints they see; "capped" caps a virtual volume, "plain" none, and of "open" that was not read."""
    for name, reported in (
        ("capped", {"qos_max_iops": 100}),
        ("capped too", {"qos_max_iops": 100}),
        ("plain", {}),
        ("open", {"qos_read": False}),
    ):
        array(given, name, EndpointKind.ELEMENT, {"name": "v", "is_virtual": True, **reported})
        add(given, "array_protocol_endpoint", {"endpoint": name, "protocol_endpoint_id": "1", "device": f"naa.pe of {name}"})
    array(given, "fa", EndpointKind.FLASHARRAY, {"name": "v", "is_virtual": True, "qos_max_iops": 100})
    add(given, "array_protocol_endpoint", {"endpoint": "fa", "protocol_endpoint_id": "1", "device": "naa.pe of fa"})
    lone(given, "two capped", iscsi_vmk="", nfnic="")
    sees(given, "two capped", "iscsi_vmk", pe("capped"), pe("capped too"), lun(1, "solidfire"), lun(1), lun(2), lun(3, vendor=None))
    sees(given, "two capped", "nfnic", lun(2, "solidfire"))
    carries(given, "two capped", "capped", "pvscsi", "lsilogic")
    lone(given, "no endpoint", iscsi_vmk="")
    sees(given, "no endpoint", "iscsi_vmk", lun(1, "solidfire"))
    lone(given, "two capped", endpoint="vc-2", iscsi_vmk="")
    sees(given, "two capped", "iscsi_vmk", lun(1, "solidfire"), endpoint="vc-2")
    for name in ("plain", "open"):
        lone(given, name)
        sees(given, name, "nfnic", pe(name))
        carries(given, name, name, "pvscsi")
    lone(given, "capped and open")
    sees(given, "capped and open", "nfnic", pe("capped"), pe("open"))
    lone(given, "capped and plain")
    sees(given, "capped and plain", "nfnic", pe("capped"), pe("plain"))
    lone(given, "unbounded")
    sees(given, "unbounded", "nfnic", pe("capped"))
    carries(given, "unbounded", "capped", "nvme", "lsilogic")
    lone(given, "unbounded and open")
    sees(given, "unbounded and open", "nfnic", pe("open"))
    carries(given, "unbounded and open", "open", "nvme")
    lone(given, "unbounded and plain")
    sees(given, "unbounded and plain", "nfnic", pe("plain"))
    carries(given, "unbounded and plain", "plain", "nvme")
    lone(given, "disks not read")
    sees(given, "disks not read", "nfnic", pe("capped"))
    carries(given, "disks not read", "capped", disks_read=False)
    lone(given, "of a FlashArray")
    sees(given, "of a FlashArray", "nfnic", {**pe("fa"), **{key: seen("", "flasharray")[key] for key in ("vendor", "model")}})
    carries(given, "of a FlashArray", "fa", "pvscsi")
    lone(given, "of nobody known")
    sees(given, "of nobody known", "nfnic", pe("nobody", vendor=None))
    carries(given, "of nobody known", "nobody", "pvscsi")
    lone(given, "capped, one of no driver")
    sees(given, "capped, one of no driver", "nfnic", pe("capped"))
    sees(given, "capped, one of no driver", None, lun(1))
    carries(given, "capped, one of no driver", "capped", "pvscsi")


FLEETS = [fleet]
USUAL: Row = {
    "endpoint": "vc",
    "cluster": None,
    "loaded": True,
    "option_string": "",
    "configured_depth": None,
    "depth_is_configured": False,
    "depth_is_plain": True,
    "devices": 0,
    "luns": 0,
    "depth_in_effect": None,
    "families": "",
    "families_beside_capped": "",
    "serves_capped_protocol_endpoints": False,
    "deepest_disk_queue": 0,
    "deepest_disk_queue_at_least": 0,
    "deepest_disk_queue_at_most": 0,
    "vvol_endpoints": 0,
    "unknown_parameters": "",
    "corrections": None,
    "has_depth_parameter": True,
    "depth_advice": "default",
    "driver_fault": "",
    "driver_version": None,
}
# The parameter of each driver and its stock value; source: docs/domain/facts.md#2
DRIVERS: dict[str, tuple[str | None, int | None]] = {
    "nfnic": ("lun_queue_depth_per_path", 32),
    "iscsi_vmk": ("iscsivmk_LunQDepth", 128),
    "qlnativefc": ("ql2xmaxqdepth", 64),
    "qla2xxx": ("ql2xmaxqdepth", 64),
    "lpfc": ("lpfc_lun_queue_depth", None),
    "nvme_pcie": (None, None),
}


def row(name: str, module: str = "nfnic", of: str = "vc", **more: Any) -> Row:
    names = {"resource_id": f"{name}/{module}", "resource_name": module, "module": module, "host_id": name, "host": f"{name} of {of}"}
    parameter, stock = DRIVERS.get(module, (None, None))
    known = {"depth_parameter": parameter, "stock_depth": stock, "loaded": module != "lpfc"}
    known["depth_parameter_listed"] = None if parameter is None else True
    known |= {"is_on_sheet": module == "lpfc", "driver_fault": None if module == "lpfc" else ""}
    return {**names, "endpoint": of, **known, **more}


def options(name: str, module: str, string: str | None, of: str = "vc", **more: Any) -> Row:
    return row(name, module, of, option_string=string, **more)


def serves(name: str, devices: int, families: str | None, depth: int | None = 64, module: str = "nfnic", **more: Any) -> Row:
    """A module with these devices: all of them are LUNs, none is of an array that caps virtual volumes."""
    words = ", ".join(f"{family} ({devices} device{'s' * (devices > 1)})" for family in (families or "").split(", ") if family)
    given = {"devices": devices, "luns": devices, "families": families, "depth_in_effect": depth, "families_beside_capped": words}
    return row(name, module, **given | more)


def deep(exact: int | None, at_least: int, at_most: int | None) -> Row:
    return dict(
        zip(("deepest_disk_queue", "deepest_disk_queue_at_least", "deepest_disk_queue_at_most"), (exact, at_least, at_most), strict=True)
    )


OPEN = dict.fromkeys(
    ("devices", "luns", "families", "families_beside_capped", "serves_capped_protocol_endpoints", "vvol_endpoints", "depth_advice")
) | {"deepest_disk_queue": None, "deepest_disk_queue_at_most": None}
SET: Row = {"depth_is_configured": True}
NOT_KNOWN: Row = {"depth_is_configured": None, "depth_is_plain": None}
CAPPED: Row = {"serves_capped_protocol_endpoints": True, "families_beside_capped": ""}
NAMESPACES = "flasharray (1 device), other (1 device), powerstore (1 device)"
OF_OPTIONS = (
    options("options", "nfnic", "lun_queue_depth_per_path=128", **SET, configured_depth=128),
    options("options", "iscsi_vmk", "  "),
    options("options", "qlnativefc", None, **NOT_KNOWN, unknown_parameters=None),
    options("options", "qla2xxx", "ql2xmaxqdepth=abc", **SET),
    options(
        "options",
        "lpfc",
        "lpfc_lun_queue_depht=64  lpfc_log=1 lpfc_lag=2",
        unknown_parameters="lpfc_lag, lpfc_lun_queue_depht",
        corrections="lpfc_log, lpfc_lun_queue_depth",
    ),
    options("options", "nvme_pcie", "a=1", has_depth_parameter=False),
    options("options", "brcmfcoe", "x=1", **NOT_KNOWN, has_depth_parameter=None, unknown_parameters="x", corrections="?"),
    options("options", "elxnet", "", depth_is_plain=None, has_depth_parameter=None),
    options("options not read", "nfnic", "lun_queue_depth=64", unknown_parameters=None),
    options("options not read", "iscsi_vmk", ""),
    row("early driver", depth_parameter_listed=False),
    row("early driver, not read", depth_parameter_listed=None),
    options("options not read", "brcmfcoe", "x=1", **NOT_KNOWN, has_depth_parameter=None, unknown_parameters=None),
    options("options", "nfnic", "lun_queue_depth=32", "vc-2", unknown_parameters="lun_queue_depth", corrections="lun_queue_depth_per_path"),
    options("options", "qlnativefc", "ql2xmaxqdepth=32", "vc-2", **SET, configured_depth=32),
    options("options", "lpfc", "lpfc_lun_queue_depth=32", "vc-2", **SET, configured_depth=32),
    options("two of one parameter", "qlnativefc", "ql2xmaxqdepth=16", **SET, configured_depth=16),
    options("two of one parameter", "qla2xxx", "ql2xmaxqdepth=8", **SET, configured_depth=8),
    options("other options", "nfnic", "fnic_log_level=1"),
    options("other options", "lpfc", "lpfc_log=1"),
)
OF_SERVED = (
    serves("two drivers", 2, "flasharray", 96),
    serves("two drivers", 1, "ontap", 30, "lpfc"),
    row("two drivers", "qla2xxx"),
    serves("two families", 4, "dell-sc, eternus-dx, flasharray", 96, depth_advice="own")
    | {"families_beside_capped": "dell-sc (2 devices), eternus-dx (1 device), flasharray (1 device)"},
    serves("no advice", 2, "eternus-dx, flasharray", depth_advice="none")
    | {"families_beside_capped": "eternus-dx (1 device), flasharray (1 device)"},
    serves("one not known", 2, None, None, luns=None, depth_advice=None)
    | {"families_beside_capped": "flasharray (1 device), not known (1 device)"},
    serves("one depth not known", 2, "flasharray", None),
    serves("namespaces", 3, "flasharray, other, powerstore", luns=1, depth_advice="none") | {"families_beside_capped": NAMESPACES},
    row("one of no driver", depth_in_effect=64) | OPEN,
    *(row(f"{topic} not read", depth_in_effect=64) | OPEN for topic in ("devices", "paths", "hbas")),
    row("two drivers", of="vc-2", depth_in_effect=256) | OPEN | {"depth_advice": "own"},
    row("two drivers", "lpfc", "vc-2") | OPEN,
)
OF_ENDPOINTS = (
    # PVSCSI under Windows sends 64 commands a disk (docs/domain/facts.md#8-4).
    serves(
        "two capped",
        6,
        None,
        None,
        "iscsi_vmk",
        **CAPPED | {"families_beside_capped": "flasharray (2 devices), not known (1 device)"},
        **deep(64, 64, 64),
        luns=None,
        vvol_endpoints=2,
        depth_advice=None,
    ),
    serves("two capped", 1, "solidfire"),
    serves("no endpoint", 1, "solidfire", module="iscsi_vmk"),
    serves("two capped", 1, "solidfire", module="iscsi_vmk") | {"endpoint": "vc-2", "host": "two capped of vc-2"},
    serves("plain", 1, "solidfire", vvol_endpoints=1),
    serves("open", 1, "solidfire", serves_capped_protocol_endpoints=None, **deep(None, 0, 64), vvol_endpoints=1),
    serves("capped and open", 2, "solidfire", **CAPPED),
    serves("capped and plain", 2, "solidfire", **CAPPED),
    serves("unbounded", 1, "solidfire", **CAPPED, **deep(None, 32, None), vvol_endpoints=1),
    serves("unbounded and open", 1, "solidfire", serves_capped_protocol_endpoints=None, **deep(None, 0, None), vvol_endpoints=1),
    serves("unbounded and plain", 1, "solidfire", vvol_endpoints=1),
    serves("disks not read", 1, "solidfire", **CAPPED, **deep(None, 0, None), vvol_endpoints=None),
    serves("of a FlashArray", 1, "flasharray") | {"families_beside_capped": ""},
    row(
        "of nobody known",
        devices=1,
        families=None,
        luns=None,
        families_beside_capped="not known (1 device)",
        serves_capped_protocol_endpoints=None,
        **deep(None, 0, 64),
        vvol_endpoints=None,
        depth_advice=None,
    ),
    row("capped, one of no driver", depth_in_effect=64)
    | OPEN
    | deep(None, 64, None)
    | {"serves_capped_protocol_endpoints": True, "vvol_endpoints": 1},
)
EXPECTED = expected(USUAL, *OF_OPTIONS, *OF_SERVED, *OF_ENDPOINTS)


def test_each_module_is_told_with_its_options_and_what_it_serves() -> None:
    assert rows_by_id("host_module", fleet()) == EXPECTED
