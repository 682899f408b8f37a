"""Values of settings as a person reads them: with their unit, and "unlimited" where there is no limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.report.wording import value_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.model import Change, Scalar

UNLIMITED = "unlimited"
_UNITS: Mapping[str, str] = {
    "device.dsnro": "commands",
    "vm.disk_limit": "IOPS",
}
"""By remediator. Source: docs/domain/facts.md#1; vSphere API reference, StorageIOAllocationInfo.limit."""
_UNITS_OF_KEYS: Mapping[str, str] = {
    "minIOPS": "IOPS",
    "maxIOPS": "IOPS",
    "burstIOPS": "IOPS",
    "iops": "IOPS",
    "iops_limit": "IOPS",
    "max_throughput_iops": "IOPS",
    "bandwidth_limit": "bytes/s",
    "max_throughput_mbps": "MB/s",
    "mbps": "MiB/s",
    "DataMover.MaxHWTransferSize": "KiB",
    "ISCSI.MaxIoSizeKB": "KiB",
    "NFS.MaxQueueDepth": "commands",
    "Net.TcpipHeapMax": "MB",
    "Net.TcpipHeapSize": "MB",
    "LoginTimeout": "s",
    "Scsi.ScsiVVolPESNRO": "commands",
}
"""By field or option of the target.

Source: the docstrings of the remediators' modules; docs/domain/facts.md#1, #3-7, #5-1; the sources of ontap/nfs-heap and of
queue/nfs-max-queue-depth.
"""
_UNITS_BY_END: tuple[tuple[str, str], ...] = (("lunqdepth", "commands"), ("lun_queue_depth", "commands"), ("qmaxqdepth", "commands"))
"""By the end of a module's parameter, in small letters. Source: docs/domain/facts.md#2."""
_NO_LIMIT: Mapping[str, Scalar] = {
    "vm.disk_limit": -1,
    "eternus.qos_category": None,
    "flasharray.volume_group_limit": None,
    "flasharray.volume_limit": None,
    "ontap.qos_policy_limit": None,
}
"""By remediator: the value that stands for no limit. Source: the docstrings of the remediators' modules."""


def unit_of(remediator: str, keys: Mapping[str, str]) -> str:
    """The unit of a setting; "" where it has none, or none is known.

    Args:
        remediator: which reads and writes it.
        keys: of its target.
    """
    parameter = keys.get("parameter", "").casefold()
    of_parameter = next((unit for end, unit in _UNITS_BY_END if parameter.endswith(end)), "")
    name = keys.get("option") or keys.get("field") or ""
    return _UNITS.get(remediator) or _UNITS_OF_KEYS.get(name) or of_parameter


def setting_text_of(remediator: str, keys: Mapping[str, str], value: Scalar) -> str:
    """A value of a setting, as planned or read before: with its unit, or in words. Safe for a terminal."""
    if remediator in _NO_LIMIT and _NO_LIMIT[remediator] == value:
        return UNLIMITED
    text = value_text(value, absent="absent")
    unit = unit_of(remediator, keys)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not unit or not is_number:
        return text
    return f"{text} {unit.removesuffix('s') if value == 1 and unit == 'commands' else unit}"


def setting_value_text(change: Change, value: Scalar) -> str:
    """A value of the setting that a change is about, before or after."""
    return setting_text_of(change.remediator, dict(change.target.keys), value)


def found_text(change: Change, value: Scalar) -> str:
    """The last value that was read back of a setting; None says that it is not there, or that nothing could be read."""
    return "absent" if value is None else setting_value_text(change, value)


def from_to_text(change: Change) -> str:
    """The values of a change, before and after."""
    return from_to_words(change.remediator, dict(change.target.keys), change.before, change.after)


def from_to_words(remediator: str, keys: Mapping[str, str], before: Scalar, after: Scalar) -> str:
    """Two values of a setting, before and after; a unit that both have stands once."""
    first, then = (setting_text_of(remediator, keys, value) for value in (before, after))
    unit = unit_of(remediator, keys)
    if unit and then.endswith(f" {unit}"):
        first = first.removesuffix(f" {unit}")
    return f"{first} -> {then}"
