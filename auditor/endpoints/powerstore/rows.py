"""One record of a PowerStore to one row of a fact table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.alerts import acknowledged, alert_row, severity_of
from auditor.endpoints.powerstore.enumerations import OTHER_VOLUMES, PRIORITIES, SEVERITIES, STALE_STATES, VOLUME_STATES, VOLUMES
from auditor.facts.node_states import IS_UP, NOT_UPDATED
from auditor.facts.volume_states import WAITING_COPY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row

FAMILY = "powerstore"
VVOLS, VVOL_COPIES = frozenset({"Primary", "Clone", "Fast_Clone"}), frozenset({"Snapshot", "Prepared_Snapshot"})
"""VirtualVolumeTypeEnum of the OpenAPI definitions: those a machine's disk may be, and snapshots."""

NO_HOST_ACCESS = "no host access"
"""The state of a volume that is ready, and not available to hosts."""

_NGUID = re.compile(r"(?:nguid\.)?([0-9a-f]{32})")


def array_row(cluster: Record, version: str, models: Iterable[str] | None) -> Row:
    """A row of array; `models` are those of its appliances, None where they were not read."""
    return {
        "family": FAMILY,
        "name": cluster.text("name"),
        "array_id": cluster.identifier("global_id"),
        "version": version,
        "model": ", ".join(sorted(set(models or ()))) or None,
    }


def fault_row(alert: Record) -> Row:
    """A row of array_alert. Source: the OpenAPI definitions, alert_instance."""
    seen = acknowledged(alert, "is_acknowledged")
    return alert_row(
        alert.identifier("id"),
        severity_of(alert, "severity", SEVERITIES),
        alert.optional_text("description_l10n"),
        code=alert.optional_text("event_code"),
        component=alert.optional_text("resource_name") or alert.optional_text("resource_type"),
        is_open=None if seen is None else not seen,
    )


def node_row(node: Record, *, has_stale: bool) -> Row:
    """A row of array_node: a hardware component of the type Node, which has a state; GET node has none.

    Args:
        node: a record of GET hardware.
        has_stale: the release says whether a state is kept up to date.
    """
    return {
        "node_id": node.identifier("id"),
        "name": node.text("name"),
        "state": _node_state(node, has_stale=has_stale),
        "version": None,
        "model": None,
    }


def _node_state(node: Record, *, has_stale: bool) -> str | None:
    """How the cluster reports it; a node that is healthy by a state that is not kept up to date is not known to be.

    Source: the OpenAPI definitions, hardware_instance.stale_state: Disconnected is "Either this Hardware or an ancestor of this Hardware
    has a Disconnected lifecycle state and therefore is not updated".
    """
    state = node.listed("lifecycle_state", IS_UP[FAMILY], needed=True)
    if not has_stale or state is None or not IS_UP[FAMILY][state]:
        return state
    stale = node.listed("stale_state", STALE_STATES, needed=True)
    return None if stale is None else NOT_UPDATED if STALE_STATES[stale] else state


def pool_row(appliance: Record) -> Row:
    """A row of array_pool: an appliance, on whose drives its volumes lie. What its drives are is not read."""
    return {
        "pool_id": appliance.identifier("id"),
        "name": appliance.text("name"),
        "node_id": None,
        "media": None,
        "disks": None,
        "raid_type": None,
        "size_bytes": None,
    }


def volume_row(volume: Record, qos: Row, *, by_nvme: bool | None) -> Row:
    """A row of array_volume of a volume.

    Args:
        volume: a record of GET volume.
        qos: the columns of `qos.volume_columns`.
        by_nvme: whether hosts see it by NVMe and not by SCSI; None where that is not known.
    """
    volume.listed("type", VOLUMES | OTHER_VOLUMES, needed=True)
    protection = volume.value.get("protection_data")
    copied_from = protection.get("parent_id") if isinstance(protection, dict) and volume.value.get("type") == "Clone" else None
    metro = volume.value.get("metro_replication_session_id")
    return {
        **_about(volume, "lun"),
        "device": None if by_nvme is None else _namespace(volume) if by_nvme else _device(volume, "wwn"),
        "is_virtual": False,
        "vvol_id": None,
        "status": _state(volume),
        "pod": None if metro is None else volume.identifier("metro_replication_session_id"),
        "copy_of": str(copied_from).lower() if copied_from else None,
        **qos,
    }


def _state(volume: Record) -> str | None:
    """How the cluster reports it, and whether hosts get at one that is ready. One that replication made is a copy that waits.

    Source: the OpenAPI definitions, volume_instance: is_replication_destination, "false on both ends when a volume is a metro volume";
    is_host_access_available.
    """
    state = volume.listed("state", VOLUME_STATES, needed=True)
    if volume.value.get("is_replication_destination") is True:
        return WAITING_COPY
    return NO_HOST_ACCESS if state == "Ready" and volume.value.get("is_host_access_available") is False else state


def vvol_row(vvol: Record) -> Row:
    """A row of array_volume of a virtual volume: it has a relative priority, and no ceiling in any release of the API.

    That vCenter knows it by the same id, with rfc4122. before it, is not verified on an array; the ids are UUIDs, and another would match
    nothing.
    """
    empty = dict.fromkeys(_QOS)
    return {
        **_about(vvol, "vvol"),
        "device": _device(vvol, "naa_name"),
        "is_virtual": True,
        "vvol_id": vvol.identifier("id"),
        "status": None,
        "pod": None,
        "copy_of": None,
        **empty,
        "qos_priority": None if vvol.value.get("io_priority") is None else vvol.listed("io_priority", PRIORITIES),
        "qos_read": True,
    }


_QOS = (
    *("qos_policy_id", "qos_policy", "qos_max_iops", "qos_burst_iops", "qos_max_bytes_per_second", "qos_shared", "qos_priority"),
    *("qos_group_id", "qos_group", "qos_group_max_iops", "qos_group_max_bytes_per_second", "qos_read"),
)


def _about(volume: Record, kind: str) -> Row:
    return {
        "volume_id": volume.identifier("id"),
        "name": volume.text("name"),
        "kind": kind,
        "serial": None,
        "size_bytes": volume.number("size"),
        "pool_id": volume.reference("appliance_id"),
    }


def _device(volume: Record, name: str) -> str | None:
    """The name by which hosts see it by SCSI; None where it has none, as a destination of replication may."""
    return None if volume.value.get(name) is None else volume.device(name)


def _namespace(volume: Record) -> str | None:
    """The name by which hosts see it by NVMe: eui. and its NGUID, as ESXi names a namespace by its NGUID; not verified on an array."""
    value = volume.value.get("nguid")
    match = _NGUID.fullmatch(value.lower()) if isinstance(value, str) else None
    if match is None:
        volume.parse_errors.add("nguid", volume.label, "is none of 32 hexadecimal digits")
        return None
    return f"eui.{match[1]}"


def load_row(volume_id: str, sample: Record | None) -> Row:
    """A row of array_volume_load: means over the newest interval of 20 seconds. An average of many commands is not that of each.

    Source: the OpenAPI definitions, base_performance_metrics_by_volume: latency in microseconds, sizes in bytes, bandwidth in bytes a
    second, "collected at twenty second interval".
    """
    read: dict[str, int | None] = {name: None if sample is None else _rounded(sample, name) for name in _METRICS}
    return {
        "volume_id": volume_id,
        "average_io_bytes": read["avg_io_size"] or None,
        "actual_iops": read["total_iops"],
        "latency_us": read["avg_latency"],
        "bytes_per_second": read["total_bandwidth"],
        "throttle_us": None,
    }


_METRICS = ("avg_io_size", "total_iops", "avg_latency", "total_bandwidth")


def _rounded(sample: Record, name: str) -> int | None:
    number = sample.real(name)
    return None if number is None else round(number)


def newest(samples: Iterable[Any]) -> Mapping[str, Any] | None:
    """The last of several samples by the end of its period; None where there is none."""
    known = [sample for sample in samples if isinstance(sample, dict)]
    return max(known, key=lambda sample: str(sample.get("timestamp") or ""), default=None)
