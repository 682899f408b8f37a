"""One Element record to one row of a fact table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.alerts import acknowledged, alert_row, severity_of
from auditor.endpoints.common.records import Record
from auditor.endpoints.element.enumerations import ACCESS, ENDPOINT_STATES, ROLES, SEVERITIES, VOLUME_STATES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.endpoints.common.records import ParseErrors
    from auditor.endpoints.common.topics import Row

HISTOGRAMS = (
    "belowMinIopsPercentages",
    "minToMaxIopsPercentages",
    "readBlockSizes",
    "targetUtilizationPercentages",
    "throttlePercentages",
    "writeBlockSizes",
)
"""What every volume is counted by. Source: API reference, ListVolumeQoSHistograms; recorded answer."""

_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def node_row(node: Record, key: str, state: str) -> Row:
    """A row of array_node; the model is the node type, which a node that is not active yet need not report.

    Releases before Element 12 report no role, and have no witness nodes.

    Source: API reference, object node: fibreChannelTargetPortGroup is null "if the node is not a Fibre Channel node"
    (docs/domain/facts.md#10-2).
    """
    platform = node.value.get("platformInfo")
    model = platform.get("nodeType") if isinstance(platform, dict) else None
    port_group = "fibreChannelTargetPortGroup"
    return {
        "node_id": node.identifier(key),
        "name": node.text("name"),
        "state": state,
        "version": node.text("softwareVersion"),
        "model": model if isinstance(model, str) else None,
        "role": node.listed("role", ROLES),
        "is_fibre_channel": node.value[port_group] is not None if port_group in node.value else None,
    }


def policy_row(policy: Record) -> Row:
    """A row of array_qos_policy: every volume that uses it has its limits to itself. Element limits no bytes, and has no priority."""
    limits_read = _limits(policy)
    return {
        "policy_id": policy.identifier("qosPolicyID"),
        "name": policy.text("name"),
        "kind": "policy",
        **limits_read,
        "is_shared": False,
        "is_read": None not in limits_read.values(),
        "volumes": policy.length("volumeIDs"),
    }


def limit_row(limits: Record) -> Row:
    """A row of array_qos_limit. Source: API reference, GetLimits."""
    return {
        "min_iops_floor": limits.number("volumeMinIOPSMin"),
        "min_iops_ceiling": limits.number("volumeMinIOPSMax"),
        "max_iops_floor": limits.number("volumeMaxIOPSMin"),
        "max_iops_ceiling": limits.number("volumeMaxIOPSMax"),
        "burst_iops_floor": limits.number("volumeBurstIOPSMin"),
        "burst_iops_ceiling": limits.number("volumeBurstIOPSMax"),
    }


def cluster_iops(answer: Mapping[str, Any] | None, parse_errors: ParseErrors) -> int | None:
    """What the cluster can do; the sum of all minimums is to stay below it. None where it was not reported.

    Source: API reference, clusterCapacity: maxIOPS, "The estimated maximum IOPS capability of the current cluster"; cluster fault codes,
    clusterIOPSAreOverProvisioned: "The sum of all minimum QoS IOPS is greater than the expected IOPS of the cluster".
    """
    capacity = None if answer is None else Record(answer, "the cluster", parse_errors).inner("clusterCapacity")
    return (capacity and capacity.number("maxIOPS")) or None  # 0 while nothing was estimated


def fault_row(fault: Record) -> Row:
    """A row of array_alert. Source: API reference, fault; recorded answer."""
    node, resolved = fault.value.get("nodeID"), acknowledged(fault, "resolved")
    return alert_row(
        fault.identifier("clusterFaultID"),
        severity_of(fault, "severity", SEVERITIES),
        fault.optional_text("details"),
        code=fault.optional_text("code"),
        component=f"node {node}" if type(node) is int and node else fault.optional_text("type"),  # node 0 is none
        is_open=None if resolved is None else not resolved,
    )


def volume_row(volume: Record, policy_names: Mapping[str, str | None]) -> Row:
    """A row of array_volume; `policy_names` holds the name of every policy by its id.

    Element reports no serial of its own kind, nor what a volume was cloned from (API reference, volume).
    """
    vvol_id = volume.reference("virtualVolumeID")
    policy_id = volume.reference("qosPolicyID")
    if policy_id is not None and policy_names.get(policy_id) is None:
        volume.parse_errors.add("qosPolicyID", volume.label, f"names the QoS policy {policy_id}, which ListQoSPolicies did not list")
    knows_kind = volume.value.get("virtualVolumeID", "") is None or vvol_id is not None
    is_virtual = vvol_id is not None if knows_kind else None
    return {
        "volume_id": volume.identifier("volumeID"),
        "name": volume.text("name"),
        "kind": None if is_virtual is None else "vvol" if is_virtual else "lun",
        "device": volume.device("scsiNAADeviceID"),
        "is_virtual": is_virtual,
        "vvol_id": vvol_id,
        "status": _state(volume),
        "size_bytes": volume.number("totalSize"),
        "qos_policy_id": policy_id,
        "qos_policy": policy_names.get(policy_id) if policy_id is not None else None,
        "qos_shared": None if policy_id is None else False,
        **_qos(volume),
    }


def _state(volume: Record) -> str | None:
    """How the cluster reports it; of one that is active and of which hosts do not get reads and writes, what they get."""
    state = volume.listed("status", VOLUME_STATES, needed=True)
    if state != "active" or volume.value.get("access") in (None, "readWrite"):
        return state
    return volume.listed("access", ACCESS)


def _qos(volume: Record) -> Row:
    """The QoS columns of a volume; on Element every volume has all four, so anything less was not understood."""
    limits_read = _limits(volume)
    return {**{f"qos_{name}": value for name, value in limits_read.items()}, "qos_read": None not in limits_read.values()}


def _limits(of: Record) -> Row:
    qos = of.inner("qos")
    return {
        "min_iops": qos and qos.number("minIOPS"),
        "max_iops": qos and qos.number("maxIOPS"),
        "burst_iops": qos and qos.number("burstIOPS"),
        "curve": qos and qos.curve("curve"),
    }


def load_row(stats: Record) -> Row:
    """A row of array_volume_load; Element reports an average I/O size of 0 for an idle volume, which is none (docs/domain/facts.md#6-7).

    Bytes are those of the last sample, usually half a second. `throttle` is a share of the ceiling that the cluster takes away, and no
    time, so throttle_us stays NULL; unaligned operations are counted since the volume was made, so misaligned_ratio does too.

    Source: API reference, volumeStats, and a recorded answer, where the bytes of the last sample are 0 and those of all time are not; for
    throttle docs/domain/facts.md#6-7.
    """
    moved = (stats.number("readBytesLastSample"), stats.number("writeBytesLastSample"))
    period = stats.number("samplePeriodMSec")  # milliseconds; 0 on a volume that nothing was ever done with
    known = [each for each in moved if each is not None] if period else []
    return {
        "volume_id": stats.identifier("volumeID"),
        "average_io_bytes": stats.number("averageIOPSize") or None,
        "actual_iops": stats.number("actualIOPS"),
        "utilization": stats.real("volumeUtilization"),
        "latency_us": stats.number("latencyUSec"),
        "client_queue_depth": stats.number("clientQueueDepth"),
        "burst_credit": stats.number("burstIOPSCredit") if "burstIOPSCredit" in stats.value else None,
        "throttled_share": _throttled(stats) if "throttle" in stats.value else None,
        "bytes_per_second": sum(known) * 1000 // period if period and len(known) == len(moved) else None,
    }


def _throttled(stats: Record) -> float | None:
    share = stats.real("throttle")
    if share is not None and share > 1:
        stats.parse_errors.add("throttle", stats.label, "is above 1")
        return None
    return share


def histogram_rows(volume: Record) -> Iterator[Row]:
    """Rows of array_volume_histogram: one for each counter. Kinds that a newer release may add are kept where they are counters too."""
    histograms = volume.inner("histograms")
    if histograms is None:
        return
    more = [name for name, counters in histograms.value.items() if name not in HISTOGRAMS and isinstance(counters, dict)]
    for name in (*HISTOGRAMS, *more):
        counters = histograms.inner(name)
        for bucket in counters.value if counters else ():
            yield {
                "volume_id": volume.identifier("volumeID"),
                "kind": _INNER_CAPITAL.sub("_", name).lower(),
                "bucket": bucket.removeprefix("Bucket"),
                "count": counters and counters.number(bucket),
            }


def protocol_endpoint_row(record: Record) -> Row:
    """A row of array_protocol_endpoint."""
    return {
        "protocol_endpoint_id": record.identifier("protocolEndpointID"),
        "device": record.device("scsiNAADeviceID"),
        "state": record.listed("protocolEndpointState", ENDPOINT_STATES, needed=True),
        "node_id": record.reference("primaryProviderID"),
    }


def binding_row(binding: Record) -> Row:
    """A row of vvol_binding; ids are integers in a real answer (docs/domain/arrays.md#element)."""
    return {
        "binding_id": binding.identifier("virtualVolumeBindingID"),
        "vvol_id": binding.identifier("virtualVolumeID"),
        "protocol_endpoint_id": binding.identifier("protocolEndpointID"),
        "array_host_id": binding.identifier("virtualVolumeHostID"),
        "device": binding.device("protocolEndpointInBandID"),
    }
