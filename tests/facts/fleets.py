"""Small fleets as rows of fact tables, and what views and gaps say of them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from auditor.facts.needs import EVERYTHING, Needs
from auditor.facts.schema import ARRAY_TOPICS, HOST_TOPICS, VCENTER_TOPICS, Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.model import EndpointKind, EndpointReading

from .prepared import rows_of_view

WHEN = datetime(2026, 11, 21, tzinfo=UTC)
Rows = list[dict[str, Any]]
Facts = dict[str, Rows]
FAMILY = {
    EndpointKind.ELEMENT: "solidfire",
    EndpointKind.FLASHARRAY: "flasharray",
    EndpointKind.ONTAP: "ontap",
    EndpointKind.DELL_SC: "dell-sc",
    EndpointKind.ETERNUS: "eternus-dx",
    EndpointKind.ESERIES: "eseries",
    EndpointKind.DOTHILL: "dothill",
    EndpointKind.POWERSTORE: "powerstore",
    EndpointKind.NIMBLE: "nimble",
}
INQUIRY = {
    "solidfire": ("SolidFir", "SSD SAN"),
    "flasharray": ("PURE", "FlashArray"),
    "ontap": ("NETAPP", "LUN C-Mode"),
    "dell-sc": ("COMPELNT", "Compellent Vol"),
    "eternus-dx": ("FUJITSU", "ETERNUS_DXM"),
    "eseries": ("DELL", "MD34xx"),
    "hitachi": ("HITACHI", "OPEN-V"),  # a family that cannot be read
    "dothill": ("HPE", "MSA 2052 SAN"),
    "powerstore": ("DellEMC", "PowerStore"),
}


def hosts(count: int = 2) -> Facts:
    """A vCenter "vc" with one cluster of hosts, all of it read."""
    readings: Rows = [{"scope": f"host-{n}", "topic": topic, "complete": True} for n in range(1, count + 1) for topic in HOST_TOPICS]
    readings += [{"scope": "", "topic": topic, "complete": True} for topic in VCENTER_TOPICS]
    listed: Rows = [{"host_id": f"host-{n}", "name": f"esx-{n}", "cluster_id": "c1", "cluster": "gold"} for n in range(1, count + 1)]
    return {"reading": readings, "host": listed}


def seen(device: str, family: str, **more: Any) -> dict[str, Any]:
    """A device with the family's inquiry, on no host yet."""
    vendor, model = INQUIRY[family]
    return {"device": device, "vendor": vendor, "model": model, "device_type": "disk", "is_local": False, **more}


def on_all_hosts(given: Facts, *devices: dict[str, Any]) -> None:
    """Every host sees these devices."""
    given.setdefault("device", []).extend({"host_id": host["host_id"], **device} for host in given["host"] for device in devices)


def array(given: Facts, name: str, kind: EndpointKind, *volumes: dict[str, Any], array_id: str | None = None, read: bool = True) -> None:
    """An array that was read whole or, unless `read`, without its last volumes."""
    topics = ARRAY_TOPICS[kind]
    given["reading"] += [{"endpoint": name, "scope": "", "topic": topic, "complete": read or topic != "volumes"} for topic in topics]
    own = {"family": FAMILY[kind], "name": name, "array_id": array_id or f"id of {name}"}
    given.setdefault("array", []).append({"endpoint": name, **own})
    usual = {"endpoint": name, "is_virtual": False, "qos_read": True, "qos_levels_read": True}
    answer = [{**usual, "volume_id": volume.get("name"), **_svm(volume), **volume} for volume in volumes]
    given.setdefault("array_volume", []).extend(answer)


def _svm(volume: dict[str, Any]) -> dict[str, str]:
    return {"svm": "svm"} if volume.get("kind") == "share" else {}


def serves(given: Facts, name: str, *addresses: str, svm: str = "svm") -> None:
    """These addresses are those of an array's storage virtual machine."""
    rows = [{"endpoint": name, "address_id": address, "address": address, "svm": svm} for address in addresses]
    given.setdefault("array_address", []).extend(rows)


def unanswered(given: Facts, name: str, kind: EndpointKind = EndpointKind.VCENTER) -> None:
    """One more endpoint, which was asked and could not be reached."""
    topics = VCENTER_TOPICS if kind is EndpointKind.VCENTER else ARRAY_TOPICS[kind]
    given["reading"] += [{"endpoint": name, "scope": "", "topic": topic, "complete": False} for topic in topics]
    given.setdefault("listed_endpoint", []).append({"endpoint": name, "kind": kind.value})


def endpoints(**kinds: EndpointKind) -> tuple[EndpointReading, ...]:
    """What fleet.yaml lists, by name ("_" for "-"); a vCenter "vc" besides."""
    listed = {"vc": EndpointKind.VCENTER, **{name.replace("_", "-"): kind for name, kind in kinds.items()}}
    return tuple(
        EndpointReading(name, kind.value, f"{name}.example.net:443", "1", "verified", WHEN, WHEN, complete=True)
        for name, kind in listed.items()
    )


def builder(given: Facts) -> SnapshotBuilder:
    """With these rows; those that name no endpoint are of "vc"."""
    found = SnapshotBuilder()
    fill(found, given)
    return found


def fill(found: SnapshotBuilder, given: Facts) -> None:
    """Add these rows."""
    for table, rows in whole(given).items():
        if not rows:
            continue
        columns = sorted({column for row in rows for column in row})
        found.add(Batch(table, {column: [row.get(column) for row in rows] for column in columns}))


def whole(given: Facts) -> Facts:
    """With the endpoint of every row that names none, the time of every reading, and devices in order that name no state."""
    usual = {"device": {"endpoint": "vc", "operational_state": "ok"}, "declared": {}, "declared_nfs_server": {}, "declared_setting": {}}
    whole = {table: [{**usual.get(table, {"endpoint": "vc"}), **row} for row in rows] for table, rows in given.items()}
    return whole | {"reading": [{"read_at": WHEN, **row} for row in whole.get("reading", [])]}


def snapshot(given: Facts, asked: Needs = EVERYTHING, **kinds: EndpointKind) -> Snapshot:
    """These facts, with the gaps that the join leaves."""
    return builder(given).finish(endpoints(**kinds), started=WHEN, finished=WHEN, asked=asked)


def view(name: str, given: Facts) -> Rows:
    """The rows of a view over these facts."""
    return rows_of_view(name, whole(given))


def gaps(given: Facts, asked: Needs = EVERYTHING, **kinds: EndpointKind) -> Iterator[tuple[str, str, str]]:
    """(endpoint, what, why) of each gap."""
    return ((gap.endpoint, gap.what, gap.why) for gap in snapshot(given, asked, **kinds).gaps)
