"""One record of NimbleOS to one row of a fact table.

Source of the fields, where no other is named: hpe-storage/nimble-python-sdk at f7f6030, nimbleclient/v1/api, and a volume as an array
answered it in its page "Using" (get_started/using).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.endpoints.common.alerts import alert_row, severity_of
from auditor.endpoints.nimble.enumerations import (
    AGENT_TYPES,
    ALARM_STATES,
    PROTOCOL_ENDPOINT_STATES,
    REASONS_OF_COPIES,
    REPLICATION_ROLES,
    SEVERITIES,
    VOLUME_STATES,
)
from auditor.endpoints.nimble.limits import LIMITS, MIB, UNLIMITED
from auditor.facts.node_states import IS_UP
from auditor.facts.volume_states import WAITING_COPY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row

_SERIAL = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The ceilings of a volume or a folder; None means none where `is_read` is true."""

    iops: int | None
    bytes_per_second: int | None
    is_read: bool


NO_CEILINGS = Ceilings(None, None, is_read=True)


def ceilings(record: Record) -> Ceilings:
    """What limit_iops and limit_mbps say; -1 is none. What is outside the range, or left out, is not known."""
    held: dict[str, int | None] = {}
    is_read = True
    for name, (lowest, highest) in LIMITS.items():
        held[name] = None
        if record.value.get(name) == UNLIMITED and type(record.value[name]) is int:
            continue
        number = record.number(name)
        if number is not None and not lowest <= number <= highest:
            record.parse_errors.add(name, record.label, f"is outside of {lowest} to {highest}")
            number = None
        is_read = is_read and number is not None
        held[name] = number
    per_second = held["limit_mbps"]
    return Ceilings(held["limit_iops"], None if per_second is None else per_second * MIB, is_read)


def device_of(serial: str) -> str | None:
    """The device name that hosts see for a serial number; None for a text that is not one.

    Source: the SDK, Volume: vpd_ieee0 and vpd_ieee1 are the two halves of the "EUI-64 identifier", and the recorded volume's serial_number
    is both together; the same form is the name of a recorded host's device (eui., 16 digits, 6c9ce900, 8 digits, with iSCSI). That hosts
    name a volume so by Fibre Channel as well is not verified.
    """
    return f"eui.{serial.lower()}" if _SERIAL.fullmatch(serial.lower()) else None


def array_row(group: Record, family: str, model: str | None) -> Row:
    """A row of array: the group, which is what hosts and accounts have to do with. `version` is that of the group's management."""
    return {
        "family": family,
        "name": group.text("name"),
        "array_id": group.identifier("id"),
        "version": group.text("version_current"),
        "model": model,
    }


def node_row(controller: Record, versions: Mapping[str, str | None]) -> Row:
    """A row of array_node; `versions` are those of the group's arrays by name. Two arrays have a controller A each."""
    array, name = controller.text("array_name"), controller.text("name")
    return {
        "node_id": controller.identifier("id"),
        "name": " ".join(part for part in (array, name) if part) or None,
        "state": controller.listed("state", IS_UP["nimble"], needed=True),
        "version": versions.get(array or ""),
        "model": controller.optional_text("model"),
    }


def alarm_row(alarm: Record) -> Row:
    """A row of array_alert; an alarm of no array in particular has "-" for one.

    Source: nimble-golang-sdk, Alarm: status open | acknowledged, severity critical | warning, activity; NimbleAlarmsListItemsInner of
    HewlettPackard/greenlake-data-services-python, array.
    """
    kind, status = alarm.value.get("type"), alarm.listed("status", ALARM_STATES, needed=True)
    return alert_row(
        alarm.identifier("id"),
        severity_of(alarm, "severity", SEVERITIES),
        alarm.optional_text("activity"),
        code=str(kind) if type(kind) is int else None,
        component=next((name for each in ("object_name", "array") if (name := alarm.optional_text(each)) not in (None, "", "-")), None),
        is_open=None if status is None else ALARM_STATES[status],
    )


def pool_row(pool: Record) -> Row:
    """A row of array_pool: one that is not all flash is a hybrid of disks and flash.

    Source: the SDK, Pool: all_flash, and dedupe_capacity_bytes "of a hybrid pool".
    """
    all_flash = pool.value.get("all_flash")
    if not isinstance(all_flash, bool):
        pool.parse_errors.add("all_flash", pool.label, "is neither true nor false" if "all_flash" in pool.value else "is missing")
    return {
        "pool_id": pool.identifier("id"),
        "name": pool.text("name"),
        "node_id": None,
        "media": ("ssd" if all_flash else "mixed") if isinstance(all_flash, bool) else None,
        "rpm": None,
        "disks": None,
        "data_disks": None,
        "raid_type": None,
        "size_bytes": pool.number("capacity"),
    }


def folder_row(folder: Record, held: Ceilings) -> Row:
    """A row of array_qos_policy: a folder, whose volumes share its ceilings.

    Source: HPE, GUI Administration Guide 6.0.x, "IOPS and MiB/s Limits on Volumes and Folders": the limits of a folder hold for what all
    its volumes do together, besides those of each volume.
    """
    volumes = folder.value.get("volume_list")
    if volumes is not None and not isinstance(volumes, list):
        folder.parse_errors.add("volume_list", folder.label, "is not a list")
    return {
        "policy_id": folder.identifier("id"),
        "name": folder.text("name"),
        "kind": "folder",
        "max_iops": held.iops,
        "max_bytes_per_second": held.bytes_per_second,
        "priority": None,
        "is_shared": True,
        "is_read": held.is_read,
        "volumes": len(volumes) if isinstance(volumes, list) else 0 if "volume_list" in folder.value and volumes is None else None,
    }


def volume_row(volume: Record, folders: Mapping[str, tuple[str | None, Ceilings]] | None) -> Row:
    """A row of array_volume.

    A virtual volume has no name at a host: it is reached through a protocol endpoint. By which id vCenter knows it, no source says.

    Args:
        volume: of GET volumes.
        folders: name and ceilings of each folder by its id; None where they were not all read.
    """
    agent, serial = volume.listed("agent_type", AGENT_TYPES, needed=True), volume.text("serial_number")
    is_virtual = None if agent is None else agent == "vvol"
    device = None if serial is None else device_of(serial)
    if serial is not None and device is None:
        volume.parse_errors.add("serial_number", volume.label, "is not 32 hexadecimal digits")
    size, own = volume.number("size"), ceilings(volume)
    shared, shared_is_read = _shared(volume, folders)
    return {
        "volume_id": volume.identifier("id"),
        "name": volume.text("name"),
        "kind": None if is_virtual is None else "vvol" if is_virtual else "lun",
        "serial": serial,
        "device": None if is_virtual else device,
        "is_virtual": is_virtual,
        "vvol_id": None,
        "status": _state(volume),
        "size_bytes": None if size is None else size * MIB,
        "pool_id": volume.identifier("pool_id"),
        "copy_of": (volume.optional_text("parent_vol_id") or volume.optional_text("parent_vol_name") or None)
        if volume.value.get("clone") is True
        else None,
        "qos_max_iops": own.iops,
        "qos_max_bytes_per_second": own.bytes_per_second,
        **shared,
        "qos_read": own.is_read and shared_is_read,
    }


def _state(volume: Record) -> str | None:
    """The state that the array reports, with the reason for a copy that is offline by design, so that it does not count as a failure.

    The volume that the group keeps alike with another one waits as a copy: I/O of hosts goes to the other one (unverified on an array).
    """
    state, role = volume.listed("vol_state", VOLUME_STATES, needed=True), volume.listed("replication_role", REPLICATION_ROLES)
    if role is not None and REPLICATION_ROLES[role]:
        return WAITING_COPY
    reason = volume.optional_text("offline_reason") if state == "offline" else None
    return f"{state} ({reason})" if reason in REASONS_OF_COPIES else state


def _shared(volume: Record, folders: Mapping[str, tuple[str | None, Ceilings]] | None) -> tuple[Row, bool]:
    """The columns about the folder, and whether its ceilings are known; they are, as none, where the volume lies in no folder ('')."""
    folder_id, name, held = volume.text("folder_id"), volume.optional_text("folder_name"), Ceilings(None, None, is_read=False)
    if folder_id == "":
        name, held = None, NO_CEILINGS
    elif folder_id is not None:
        known = (folders or {}).get(folder_id.lower())
        if known is None:
            why = "whose ceilings were not read" if folders is None else "which GET folders did not list"
            volume.parse_errors.add("folder_id", volume.label, f"is {name or folder_id}, {why}")
        else:
            held = known[1]
    row = {
        "qos_group_id": (folder_id or "").lower() or None,
        "qos_group": name or None,
        "qos_group_max_iops": held.iops,
        "qos_group_max_bytes_per_second": held.bytes_per_second,
    }
    return row, held.is_read


def load_row(volume: Record) -> Row:
    """A row of array_volume_load: the means of the last five minutes, which hide what was shorter.

    Latency is in microseconds: a read_latency of 403 is 0.403 ms on the array's own screen (centreon/centreon-plugins#3197, after which
    that tool divides by 1,000 as the other public one does); no document says so. It is the mean of reads and writes by their number:
    combined_latency lies below both in a recorded answer, 69 beside 155 and 70. Throughput is taken for bytes a second, as those tools
    do; a recorded volume's 2,974,470 at 192 operations a second fit (nimble-golang-sdk, group_mgmt_client_test.go).

    A volume that reads 0 throughout is idle, or one whose figures the array does not fill, as it does not for some volumes that are in use:
    what it does is not known. Source: centreon/centreon-plugins#4256, two of four datastores of one group.
    """
    stats = volume.inner("avg_stats_last_5mins")
    operations, amount = (stats.number("combined_iops"), stats.number("combined_throughput")) if stats else (None, None)
    if operations == 0 and amount == 0:
        operations = amount = None
    return {
        "volume_id": volume.identifier("id"),
        "average_io_bytes": amount // operations if operations and amount is not None else None,
        "actual_iops": operations,
        "latency_us": _latency(stats) if stats and operations else None,
        "bytes_per_second": amount,
        "throttle_us": None,
    }


def _latency(stats: Record) -> int | None:
    """Microseconds of a command, the mean over reads and writes; None where it is not told of all of them."""
    pairs = [(stats.number(f"{kind}_iops"), stats.number(f"{kind}_latency")) for kind in ("read", "write")]
    known = [(rate, took) for rate, took in pairs if rate is not None and took is not None and (took or not rate)]
    passed = sum(rate for rate, _ in known)
    return round(sum(rate * took for rate, took in known) / passed) if passed and len(known) == len(pairs) else None


def protocol_endpoint_row(endpoint: Record) -> Row:
    """A row of array_protocol_endpoint. That a host names it as a volume, by its serial number, is inferred, not verified."""
    serial = endpoint.text("serial_number")
    device = None if serial is None else device_of(serial)
    if serial is not None and device is None:
        endpoint.parse_errors.add("serial_number", endpoint.label, "is not 32 hexadecimal digits")
    return {
        "protocol_endpoint_id": endpoint.identifier("id"),
        "device": device,
        "state": endpoint.listed("state", PROTOCOL_ENDPOINT_STATES, needed=True),
        "node_id": None,
    }
