"""One FlashArray record to one row of a fact table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.alerts import alert_row, severity_of
from auditor.endpoints.common.records import Record, objects
from auditor.endpoints.flasharray.enumerations import IN_POD, KINDS, PROMOTIONS, SEVERITIES
from auditor.endpoints.flasharray.limits import LIMITS, ceiling_of
from auditor.facts.node_states import IS_UP
from auditor.facts.volume_states import SERVES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.endpoints.common.records import ParseErrors
    from auditor.endpoints.common.topics import Row

VASA_NAMESPACE, VVOL_ID_TAG = "vasa-integration.purestorage.com", "PURE_VVOL_ID"

_SERIAL = re.compile(r"[0-9a-f]{24}")
_VVOL = re.compile(r"(?:.+::)?vvol-.*-vg/[A-Za-z]+-[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The ceilings of a volume or a volume group; None means none where `is_read` is true."""

    iops: int | None
    bytes_per_second: int | None
    is_read: bool


def ceilings(record: Record) -> Ceilings:
    """What `qos` says; a ceiling that is null or left out, and the highest there is, are none.

    Source: recorded answers (null); OpenAPI definitions, _qos; for the highest `ceiling_of`.
    """
    qos = record.inner("qos")
    if qos is None:
        return Ceilings(None, None, is_read=False)
    by_name: dict[str, int | None] = {}
    understood = True
    for name, (lowest, _) in LIMITS.items():
        by_name[name] = None
        if qos.value.get(name) is None:
            continue
        number = qos.number(name)
        if number is not None and number < lowest:
            record.parse_errors.add(f"qos.{name}", record.label, f"is below {lowest}, the lowest there is")
            number = None
        understood = understood and number is not None
        by_name[name] = None if number is None else ceiling_of(name, number)
    return Ceilings(by_name["iops_limit"], by_name["bandwidth_limit"], understood)


def reference(record: Record, name: str) -> tuple[str | None, str | None]:
    """Id and name of what a record refers to; both None when it refers to nothing, or does not have the field at all.

    Hosts and host groups have no id. Source: recorded answers, {"name": null, "id": null} for nothing.
    """
    if record.value.get(name) is None:
        return None, None
    inner = record.inner(name)
    return (inner.optional_text("id"), inner.optional_text("name")) if inner else (None, None)


def device_of(serial: str, *, by_nvme: bool) -> str | None:
    """The name by which hosts see the volume of a serial, by SCSI or by NVMe; None for what is no serial.

    Source: docs/domain/arrays.md#device-names; the NVMe form also in the vendor's Ansible module purefa_volume. It fits the one documented
    name; not verified against a real system.
    """
    digits = serial.lower()
    if not _SERIAL.fullmatch(digits):
        return None
    return f"eui.00{digits[:14]}24a937{digits[14:]}" if by_nvme else f"naa.624a9370{digits}"


def array_row(array: Record, family: str, model: str | None) -> Row:
    """A row of array."""
    return {
        "family": family,
        "name": array.text("name"),
        "array_id": array.identifier("id"),
        "version": array.text("version"),
        "model": model,
    }


def node_row(controller: Record) -> Row:
    """A row of array_node; a controller that is not present has neither model nor version."""
    return {
        "node_id": controller.identifier("name"),
        "name": controller.text("name"),
        "state": controller.listed("status", IS_UP["flasharray"], needed=True),
        "version": controller.optional_text("version"),
        "model": controller.optional_text("model"),
    }


def fault_row(alert: Record) -> Row:
    """A row of array_alert: an open alert. Source: OpenAPI definitions, Alert; recorded answers.

    `flagged` is no acknowledgement: recorded open alerts that nobody looked at are not flagged.
    """
    code = alert.value.get("code")
    return alert_row(
        alert.identifier("id"),
        severity_of(alert, "severity", SEVERITIES),
        alert.optional_text("issue") or alert.optional_text("summary"),
        code=str(code) if type(code) is int else None,
        component=alert.optional_text("component_name") or alert.optional_text("component_type"),
    )


def group_row(group: Record, held: Ceilings) -> Row:
    """A row of array_qos_policy: a volume group, whose volumes share its ceilings."""
    return {
        "policy_id": group.identifier("id"),
        "name": group.text("name"),
        "kind": "volume_group",
        "max_iops": held.iops,
        "max_bytes_per_second": held.bytes_per_second,
        "priority": priority(group),
        "is_shared": True,
        "is_read": held.is_read,
        "volumes": group.number("volume_count"),
    }


def priority(record: Record) -> str | None:
    """The adjustment of the priority as operator and number, for example "+10"; None where the release has none.

    Source: OpenAPI definitions, _priorityAdjustment: +, - or =, and -10, 0 or 10.
    """
    if record.value.get("priority_adjustment") is None:
        return None
    inner = record.inner("priority_adjustment")
    sign, amount = (inner.text("priority_adjustment_operator"), inner.value.get("priority_adjustment_value")) if inner else (None, None)
    if inner and type(amount) is not int:
        record.parse_errors.add("priority_adjustment.priority_adjustment_value", record.label, "is not a whole number")
    return f"{sign}{amount}" if sign is not None and type(amount) is int else None


def volume_row(volume: Record, groups: Mapping[str, tuple[str | None, Ceilings]], *, by_nvme: bool | None) -> Row:
    """A row of array_volume.

    A vVol is reported by the name that the array's VASA provider gives its volume; its vSphere id stands in a tag (`vvol_ids`).

    Args:
        volume: of GET volumes.
        groups: name and ceilings of each volume group by its id.
        by_nvme: whether hosts reach it by NVMe; None when that is not known, so that the name they see it by is not either.
    """
    name, serial, destroyed = volume.text("name"), volume.text("serial"), _flag(volume, "destroyed")
    is_virtual = None if name is None else _VVOL.fullmatch(name) is not None
    subtype = volume.listed("subtype", KINDS)
    kind = KINDS[subtype] if subtype is not None else None if volume.value.get("subtype") is not None else "lun"
    own, (shared, shared_is_read), adjusted = ceilings(volume), _shared(volume, groups), priority(volume)
    source_id, source_name = reference(volume, "source")
    return {
        "volume_id": volume.identifier("id"),
        "name": name,
        "kind": "vvol" if is_virtual and kind == "lun" else kind,
        "serial": serial,
        "device": None if serial is None or destroyed else _device(volume, serial, by_nvme=by_nvme),
        "is_virtual": is_virtual,
        "status": None if destroyed is None else "destroyed" if destroyed else _state(volume),
        "size_bytes": volume.number("provisioned"),
        "pod": reference(volume, "pod")[1],
        "copy_of": source_name if source_id is None else source_id.lower(),
        "qos_max_iops": own.iops,
        "qos_max_bytes_per_second": own.bytes_per_second,
        "qos_priority": adjusted,
        **shared,
        "qos_read": own.is_read and shared_is_read and (adjusted is not None or volume.value.get("priority_adjustment") is None),
    }


def _state(volume: Record) -> str | None:
    """Whether it takes writes of hosts: one volume can be demoted by itself. A release before REST 2.2 has no such word.

    Source: OpenAPI definitions, Volume.promotion_status.
    """
    word = "promoted" if volume.value.get("promotion_status") is None else volume.listed("promotion_status", PROMOTIONS)
    return "active" if word == "promoted" else word


def vvol_ids(answer: Mapping[str, Any], parse_errors: ParseErrors) -> Iterator[tuple[str, str]]:
    """The id by which vCenter knows a vVol, without rfc4122., by its volume's id, of one page of GET volumes/tags.

    Source: the vendor's OpenAPI definition, Tag (key, namespace, resource, value); namespace and key as public tools look vVols up by them.
    Not verified on an array.
    """
    for place, value in objects(answer, "items", parse_errors):
        record = Record(value, f"tag {place}", parse_errors)
        volume, vvol_id = record.inner("resource"), record.identifier("value")
        volume_id = None if volume is None else volume.identifier("id")
        if volume_id is not None and vvol_id is not None:
            yield volume_id, vvol_id.removeprefix("rfc4122.")


def pod_arrays(pod: Record) -> tuple[str, str | None]:
    """Name of a pod, and those of the arrays it lies on, comma-separated and in alphabetical order; None where they were not understood.

    Source: vendor's OpenAPI definition of REST 2.x, Pod: "arrays: List of arrays a pod is connected to".
    """
    listed = pod.value.get("arrays")
    names = [array.get("name") if isinstance(array, dict) else None for array in listed] if isinstance(listed, list) else []
    known = [name for name in names if isinstance(name, str) and name]
    if not known or len(known) < len(names):
        pod.parse_errors.add("arrays", pod.label, "is no list of arrays with their names")
        return str(pod.value.get("name")), None
    return str(pod.value.get("name")), ", ".join(sorted(known))


def pod_state(pod: Record, own_id: str | None) -> str | None:
    """Why hosts do not get at the volumes of a pod on this array, or may not: a word of `SERVES`; empty where nothing says so.

    Of two such words the one by which hosts do not. None where a word is not known, and no other one says so.

    Source: OpenAPI definitions, Pod.promotion_status, PodArrayStatus.status.
    """
    listed = pod.value.get("arrays")
    own = [each for each in listed if isinstance(each, dict) and str(each.get("id")).lower() == own_id] if isinstance(listed, list) else []
    here = [Record(each, pod.label, pod.parse_errors, "arrays.").listed("status", IN_POD) for each in own if each.get("status") is not None]
    promotion = [pod.listed("promotion_status", PROMOTIONS)] if pod.value.get("promotion_status") is not None else []
    words = [None if word is None else f"pod {word}" for word in (*here, *promotion) if word not in ("online", "promoted")]
    return next((word for word in words if SERVES["flasharray"].get(word or "") is False), words[0] if words else "")


def _device(volume: Record, serial: str, *, by_nvme: bool | None) -> str | None:
    if by_nvme is None:
        return None  # the reason was reported where the hosts could not be read
    device = device_of(serial, by_nvme=by_nvme)
    if device is None:
        volume.parse_errors.add("serial", volume.label, "is not 24 hexadecimal digits")
    return device


def _shared(volume: Record, groups: Mapping[str, tuple[str | None, Ceilings]]) -> tuple[Row, bool]:
    """The columns about the volume group, and whether its ceilings are known; they are, as none, where the volume is in no group."""
    group_id, group_name = reference(volume, "volume_group")
    group = volume.value.get("volume_group")
    held = Ceilings(None, None, is_read=group is None or group == {"name": None, "id": None})
    group_id = None if group_id is None else group_id.lower()
    if not held.is_read:
        known = groups.get(group_id or "")
        if known is None:
            volume.parse_errors.add("volume_group", volume.label, f"is {group_name}, which GET volume-groups did not list")
        else:
            held = known[1]
    row = {
        "qos_group_id": group_id,
        "qos_group": group_name,
        "qos_group_max_iops": held.iops,
        "qos_group_max_bytes_per_second": held.bytes_per_second,
    }
    return row, held.is_read


_SCHEDULED = "qos_scheduling_usec_per"
_WITH_QUEUE_TIME = {(6, 3): 14, (6, 4): 10}
_PURITY = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def has_queue_time(purity: str | None) -> bool | None:
    """Whether latencies of this release have the wait in the array's own queue in them; None where the release is not known.

    Source: py-pure-client 1.96.0, ResourcePerformance.usec_per_read_op: "Beginning in Purity 6.3.14 and 6.4.10 and later, including later
    major versions (6.5.x, 6.6.x and beyond), queue time is included"; neither SAN time nor that of a QoS rate limit is in any.
    """
    match = _PURITY.match(purity or "")
    if match is None:
        return None
    branch, patch = (int(match[1]), int(match[2])), int(match[3])
    return branch > (6, 4) or patch >= _WITH_QUEUE_TIME.get(branch, patch + 1)


def load_row(load: Record, *, queue_is_in: bool | None = True) -> Row:
    """A row of array_volume_load: reads, writes and writes mirrored to a pod's other array together, means weighted by operations.

    Args:
        load: of GET volumes/performance.
        queue_is_in: as `has_queue_time`; where it is not, the wait in the queue is added, as hosts wait for it too.

    A release from REST 2.49 on tells what QoS scheduling delays beside what ceilings do: the floors of realms and the priorities of volumes
    may do so, no source says which. Whether the latency has it in it, no source says either.

    Source: recorded answers, whose bytes_per_op counts all three; OpenAPI definitions FA2.49, ResourcePerformance: "The average time that
    a read I/O gets delayed due to QoS scheduling".
    """
    kinds = ("read", "write", "mirrored_write")
    rates = [_rate(load, f"{kind}s_per_sec") for kind in kinds]
    amounts = [_rate(load, f"{kind}_bytes_per_sec") for kind in kinds]
    operations, amount = _total(rates), _total(amounts)
    is_scheduled = load.value.get(f"{_SCHEDULED}_read_op") is not None
    return {
        "volume_id": load.identifier("id"),
        "average_io_bytes": amount // operations if operations and amount is not None else None,
        "actual_iops": operations,
        "latency_us": _mean([_latency(load, kind, queue_is_in=queue_is_in) for kind in kinds], rates),
        "bytes_per_second": amount,
        "throttle_us": _mean([_rate(load, f"qos_rate_limit_usec_per_{kind}_op") for kind in kinds], rates),
        **({"scheduled_us": _mean([_rate(load, f"{_SCHEDULED}_{kind}_op") for kind in kinds], rates)} if is_scheduled else {}),
    }


def _latency(load: Record, kind: str, *, queue_is_in: bool | None) -> int | None:
    took = _rate(load, f"usec_per_{kind}_op")
    if queue_is_in or took is None:
        return took
    waited = _rate(load, f"queue_usec_per_{kind}_op")
    if waited is None or (waited and queue_is_in is None):
        return None
    return took + waited


def _rate(load: Record, name: str) -> int | None:
    """A number that must be there, but for those of mirrored writes, which an array without pods may leave out."""
    return 0 if "mirrored" in name and load.value.get(name) is None else load.number(name)


def _total(numbers: list[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None


def _mean(values: list[int | None], rates: list[int | None]) -> int | None:
    """Weighted by operations; 0 of an idle volume, as the array reports it then, and None when a part is not known."""
    pairs = [(value, rate) for value, rate in zip(values, rates, strict=True) if value is not None and rate is not None]
    if len(pairs) < len(values):
        return None
    operations = sum(rate for _, rate in pairs)
    return round(sum(value * rate for value, rate in pairs) / operations) if operations else 0


def protocol_endpoint_row(volume: Record) -> Row:
    """A row of array_protocol_endpoint: a volume of that subtype. The array reports neither a state of it nor a controller."""
    serial = volume.text("serial")
    return {
        "protocol_endpoint_id": volume.identifier("id"),
        "device": None if serial is None else _device(volume, serial, by_nvme=False),  # vVols over NVMe: not verified
        "state": None,
        "node_id": None,
    }


def _flag(record: Record, name: str) -> bool | None:
    value = record.value.get(name)
    if isinstance(value, bool):
        return value
    record.parse_errors.add(name, record.label, "is missing" if name not in record.value else "is neither true nor false")
    return None
