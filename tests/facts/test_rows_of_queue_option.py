"""The whole row of each option of a host's disk scheduler and of its queues to NFS servers: its value, and what the host is there for."""

from typing import Any

import pytest

from auditor.model import EndpointKind

from .fleets import Facts, array, seen, serves
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

pytestmark = pytest.mark.long

# Of a fresh install; source: docs/domain/facts.md#1-8 to #1-10.
STOCK = {
    "Disk.SchedQuantum": 8,
    "Disk.SchedQControlSeqReqs": 128,
    "Disk.SchedQControlVMSwitches": 6,
    "Disk.SchedCostUnit": 32768,
    "Disk.SchedulerWithReservation": 1,
    "NFS.MaxQueueDepth": 4294967295,
}
PER_FILE = "VMkernel.Boot.isPerFileSchedModelActive"
QUANTUM = "Disk.SchedQuantum"


def lone(
    given: Facts, name: str, options: dict[str, str] | None = None, modules: tuple[str, ...] = ("nfnic",), endpoint: str = "vc"
) -> None:
    """A host with these options, and with modules that serve what is seen by them."""
    host(given, endpoint, name, f"{name} of {endpoint}", "gold", version="8.0.2")
    key = {"endpoint": endpoint, "host_id": name}
    add(given, "host_option", *({**key, "key": option, "value": value} for option, value in (options or {}).items()))
    add(given, "host_module", *({**key, "module": module, "loaded": True, "option_string": ""} for module in modules))
    add(given, "hba", *({**key, "hba": f"by {module}", "driver": module} for module in modules))


def sees(given: Facts, name: str, module: str, device: str, family: str = "flasharray", **more: Any) -> None:
    key = {"endpoint": "vc", "host_id": name, "device": device}
    add(given, "device", {**seen(device, family), **more, **key})
    add(given, "path", {**key, "hba": f"by {module}", "path": "p", "state": "active"})


def mounts(given: Facts, name: str, *datastores: str, endpoint: str = "vc") -> None:
    add(given, "datastore_mount", *({"endpoint": endpoint, "host_id": name, "datastore_id": one} for one in datastores))


def fleet() -> Facts:
    """Hosts and datastores of one id are in both vCenters; the datastores of "vc-2" were not read, and nothing of "gone"."""
    given: Facts = {}
    vcenter(given, "vc")
    vcenter(given, "vc-2", unread={"datastores"})
    lone(given, "listed", {**{option: str(value) for option, value in STOCK.items()}, PER_FILE: "True", "Disk.Other": "1"})
    lone(given, "off", {QUANTUM: "x", PER_FILE: "false"})
    lone(given, "two modules", modules=("nfnic", "lpfc", "qlnativefc"))
    sees(given, "two modules", "nfnic", "naa.1")
    sees(given, "two modules", "qlnativefc", "naa.2", "dell-sc")
    lone(given, "one not known", modules=("nfnic", "lpfc"))
    sees(given, "one not known", "nfnic", "naa.1")
    sees(given, "one not known", "lpfc", "naa.3", vendor=None)
    lone(given, "no module", modules=())
    for name in ("mounts", "mounts others", "mounts perhaps", "mounts NFS 4.1"):
        lone(given, name)
    for endpoint in ("vc-2", "gone"):
        lone(given, "mounts", {QUANTUM: "9"}, endpoint=endpoint)
    lone(given, "no mount", endpoint="vc-2")
    given["reading"] = [row for row in given["reading"] if row["endpoint"] != "gone" or row["scope"]]
    shares = [{"name": path, "kind": "share", "export_path": path, "svm": "svm"} for path in ("/a", "/b")]
    array(given, "on", EndpointKind.ONTAP, *shares)
    serves(given, "on", "198.51.100.1")
    for endpoint in ("vc", "vc-2"):
        for name, server, path, kind in (
            ("a", "198.51.100.1", "/a", "NFS"),
            ("b", "198.51.100.1", "/b", "NFS"),
            ("other", "198.51.100.9", "/a", "NFS"),
            ("perhaps", "filer", "/a", "NFS"),
            ("new", "198.51.100.1", "/a", "NFS41"),
        ):
            about = {"name": f"{name} of {endpoint}", "type": kind, "nfs_host": server, "nfs_path": path}
            add(given, "datastore", {"endpoint": endpoint, "datastore_id": name, **about})
    mounts(given, "mounts", "a", "b", "other", "perhaps")
    mounts(given, "mounts others", "other")
    mounts(given, "mounts perhaps", "other", "perhaps")
    mounts(given, "mounts NFS 4.1", "new")
    mounts(given, "mounts", "a", endpoint="vc-2")
    return given


FLEETS = [fleet]
USUAL: Row = {
    "endpoint": "vc",
    "cluster": "gold",
    "version": "8.0.2",
    "value": None,
    "families": "",
    "mounts_ontap_nfs": False,
    "ontap_datastores": None,
    "ontap_arrays": None,
    "other_datastores": "",
}


def rows(name: str, values: dict[str, int | None] | None = None, of: str = "vc", **more: Any) -> list[Row]:
    """The options that every host has, and those that this one lists."""
    found = []
    for option in dict.fromkeys((*STOCK, *(values or {}))):
        names = {
            "resource_id": f"{name}/{option}",
            "resource_name": option,
            "option": option,
            "purpose": "nfs" if option[:3] == "NFS" else "scheduler",
        }
        about = {"host_id": name, "host": f"{name} of {of}", "stock_value": STOCK.get(option, 1), "value": (values or {}).get(option)}
        found.append({**names, **about, "endpoint": of, **more})
    return found


ONTAP: Row = {"mounts_ontap_nfs": True, "ontap_arrays": "on"}
NOT_READ: Row = {"mounts_ontap_nfs": None, "other_datastores": None}
EXPECTED = expected(
    USUAL,
    *rows("listed", {**STOCK, PER_FILE: 1}),
    *rows("off", {PER_FILE: 0}),
    *rows("two modules", families="dell-sc, flasharray"),
    *rows("one not known", families=None),
    *rows("no module", families=None),
    *rows("mounts", ontap_datastores="a of vc, b of vc", other_datastores="other of vc, perhaps of vc", **ONTAP),
    *rows("mounts others", other_datastores="other of vc"),
    *rows("mounts perhaps", other_datastores="other of vc, perhaps of vc", mounts_ontap_nfs=None),
    *rows("mounts NFS 4.1"),
    *rows("mounts", {QUANTUM: 9}, "vc-2", **NOT_READ | ONTAP, ontap_datastores="a of vc-2"),
    *rows("no mount", of="vc-2", **NOT_READ),
    *rows("mounts", {QUANTUM: 9}, "gone", **NOT_READ),
)


def test_each_option_is_told_with_what_the_host_is_there_for() -> None:
    assert rows_by_id("queue_option", fleet()) == EXPECTED
