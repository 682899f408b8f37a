"""The datastores and virtual disks that share what a finding is about, from the snapshot of its run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from auditor.model import Finding

VIEWS = ("array_volume", "virtual_disk", "vvol_disk")
_PER_HOST_AND_DEVICE = frozenset({"device", "device_load", "device_answer", "device_queue", "protocol_endpoint", "raised_device"})


def shared_by(
    finding: Finding, ask: Callable[[str, Mapping[str, object]], Sequence[Mapping[str, Any]]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of datastores on the device, and of the running virtual disks that send into its queue on the host of the finding.

    Both are empty where the finding is not about one device of one host, or where that was not read.
    """
    resource = finding.resource
    if resource.kind not in _PER_HOST_AND_DEVICE or resource.host is None:
        return (), ()
    here = {"endpoint": resource.endpoint, "host": resource.host}
    stores = [name for row in ask("array_volume", {"device": resource.name}) for name in str(row["datastores"] or "").split(", ")]
    disks = [row for row in ask("virtual_disk", {**here, "device": resource.name}) if row["power_state"] == "poweredOn"]
    if finding.evidence.get("is_protocol_endpoint") is True or resource.kind == "protocol_endpoint":
        # Which of an array's protocol endpoints carries which disk is not a fact of the host's: all of that array's are named.
        disks = [row for row in ask("vvol_disk", {**here, "array_name": finding.evidence.get("array_name")}) if row["runs"]]
    return _unique([*stores, *(row["datastore"] for row in disks)]), _unique(row["resource_name"] for row in disks)


def _unique(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
