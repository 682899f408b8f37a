"""Finds where the I/O path of a finding begins: the device of a host, or the disks of a machine."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.facts.catalog import views_of
from auditor.impact.path import Path, device_path, share_path

if TYPE_CHECKING:
    from auditor.impact.stations import Row
    from auditor.model import Finding, Resource

    Ask = Callable[[str, Mapping[str, object]], Sequence[Row]]

DEVICE_COLUMNS = (
    *("device", "devices", "devices_of_pool", "eternus_devices", "odd_device_names", "deepest_device", "busiest_device"),
    *("psp_device_names", "round_robin_device_names", "ontap_device_names"),
)
STORE_COLUMNS = (
    *("datastores", "datastore", "datastore_names", "sioc_datastores", "datastores_of_pool", "ontap_datastores"),
    *("source_datastores", "target_datastore"),
)
"""Columns of evidence that name devices or datastores."""
_DEVICE_NAMES = ("naa.", "eui.", "t10.", "mpx.", "uuid.", "nqn.")
_MORE = re.compile(r" and \d+ more$")  # a list of more than five names ends so


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where a path begins: a device of a host, or a share that disks of a host lie on."""

    endpoint: str
    host: str
    device: str | None
    datastore: str | None = None
    about: tuple[str, ...] = ()  # resource ids of disks


def path_of_finding(ask: Ask, finding: Finding) -> tuple[Path | None, int]:
    """The path on which a finding is felt most, and how many others there are; None where no I/O path is known for it."""
    begun = beginnings(ask, finding)
    return (path_from(ask, begun[0]), len(begun) - 1) if begun else (None, 0)


def paths_of_machine(ask: Ask, name: str) -> list[Path]:
    """The paths of the running disks of every machine called `name`, a path for each device or share."""
    rows = [row for row in ask("disk_stream", {"vm": name}) if row["runs"] is not False]
    return [path for one in _by_place(rows) if (path := path_from(ask, one)) is not None]


def path_from(ask: Ask, begin: Beginning) -> Path | None:
    """The path from there; None where the host or the device is not known."""
    if begin.device is not None:
        return device_path(ask, begin.endpoint, begin.host, begin.device, begin.about)
    return None if begin.datastore is None else share_path(ask, begin.endpoint, begin.host, begin.datastore, begin.about)


def beginnings(ask: Ask, finding: Finding) -> list[Beginning]:
    """Every place that the finding is about, the one with the longest wait first."""
    resource = finding.resource
    if resource.kind in views_of("vm"):
        column = "resource_id" if "/" in resource.id else "vm_id"  # of a disk, or of a machine
        return _by_place(ask("disk_stream", {"endpoint": resource.endpoint, column: resource.id}))
    devices = _devices(finding)
    if devices:
        return _worst_first(
            [row for device in devices for row in ask("device_queue", {"device": device, **_host(resource)})], devices, resource
        )
    rows = _stored(ask, finding)
    if rows:
        return _by_place(rows)
    if resource.kind == "array_volume":
        return _by_place(_on_volumes(ask, resource.endpoint, [resource.id]))
    if resource.kind in views_of("array_qos_policy"):
        volumes = ask("array_volume", {"endpoint": resource.endpoint, "qos_policy": resource.name})
        return _by_place(_on_volumes(ask, resource.endpoint, [row["volume_id"] for row in volumes]))
    if resource.host is None:
        return []
    driver = finding.evidence.get("driver") or finding.evidence.get("module")
    wanted = {"endpoint": resource.endpoint, **_host(resource), **({"driver": driver} if driver else {})}
    return _worst_first(ask("device_queue", wanted), (), resource)


def _devices(finding: Finding) -> list[str]:
    """The devices that a finding names, in its id or its evidence."""
    named = [finding.resource.name, *(finding.evidence.get(column) for column in DEVICE_COLUMNS)]
    return list(dict.fromkeys(word for text in named for word in _names(text) if word.startswith(_DEVICE_NAMES)))


def _on_volumes(ask: Ask, array: str, volumes: Sequence[str]) -> list[Row]:
    """The disks that lie on these volumes of an array and are not known to be off."""
    rows = (row for volume in volumes for row in ask("disk_stream", {"array_name": array, "volume_id": volume}))
    return [row for row in rows if row["runs"] is not False]


def _host(resource: Resource) -> dict[str, object]:
    return {} if resource.host is None else {"host": resource.host}


def _stored(ask: Ask, finding: Finding) -> list[Row]:
    """The disks on the datastores that a finding is about or names."""
    resource = finding.resource
    if resource.kind in views_of("datastore"):
        wanted = {"endpoint": resource.endpoint, "datastore_id": resource.id.split("/")[0], **_host(resource)}
        return [row for row in ask("disk_stream", wanted) if row["runs"] is not False]
    names = dict.fromkeys(name for column in STORE_COLUMNS for name in _names(finding.evidence.get(column)))
    rows = [row for name in names for row in ask("disk_stream", {"datastore": name}) if row["runs"] is not False]
    return _nearest(ask, rows, resource)


def _names(text: object) -> list[str]:
    """The names of a list as views write it."""
    return _MORE.sub("", text).split(", ") if isinstance(text, str) else []


def _nearest(ask: Ask, rows: Sequence[Row], resource: Resource) -> list[Row]:
    """Those of the finding's own vCenter, and of its host where it has some; an array's datastores are on every vCenter.

    Several vCenters may each have a datastore1.
    """
    own = [row for row in rows if row["endpoint"] == resource.endpoint]
    if not own and not ask("disk_stream", {"endpoint": resource.endpoint}):
        own = [*rows]
    return [row for row in own if row["host"] == resource.host] or own


def _by_place(rows: Sequence[Row]) -> list[Beginning]:
    """One beginning for each host and device or share of these disks; the slowest disk's first."""
    places: dict[tuple[str, str, str | None, str | None], list[Row]] = {}
    for row in rows:
        if row["host"] is not None and (row["device"] is not None or row["datastore"] is not None):
            places.setdefault(
                (row["endpoint"], row["host"], row["device"], row["datastore"] if row["device"] is None else None), []
            ).append(row)
    slowest = sorted(places.items(), key=lambda item: -max(row["latency_ms"] or 0 for row in item[1]))
    return [Beginning(*place, about=tuple(row["resource_id"] for row in own)) for place, own in slowest]


def _worst_first(rows: Sequence[Row], devices: Sequence[str], resource: Resource) -> list[Beginning]:
    """The devices with load, full queues and long waits first; a device of the host without load where none has any."""
    ordered = sorted(rows, key=lambda row: (row["is_full"] is not True, -(row["gavg_ms"] or 0), row["host"] or "", row["device"]))
    found = [Beginning(row["endpoint"], row["host"], row["device"]) for row in ordered if row["host"] is not None]
    if found or resource.host is None:
        return found
    return [Beginning(resource.endpoint, resource.host, device) for device in devices]
