"""Writes of volumes and volume groups: their limits, and of volumes the size; and new volumes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.flasharray.array import FlashArrayError, new_volume

if TYPE_CHECKING:
    from auditor_lab.arrays.flasharray.array import FlashArray, Volume, VolumeGroup

_BLOCK = 512
_SMALLEST, _LARGEST = 1 << 20, 4 << 50
"""Bytes. Source: the vendor's Python client for REST 2.15, volume_post: "at least 1 MB, at most 4 PB", in multiples of 512."""


def change(state: FlashArray, held: Volume, body: Mapping[str, Any]) -> Callable[[], None]:
    """Change the limits or the size of a volume; other changes, which a real array can make, are refused by name."""
    only(body, {"qos", "provisioned"}, held.name)
    limits = state.change_qos(held, body["qos"]) if "qos" in body else held.qos
    size = _size(body["provisioned"], held.name) if "provisioned" in body else held.size_bytes
    if size < held.size_bytes:
        raise FlashArrayError("Volume size cannot be reduced without truncate.", held.name)  # the wording is not verified

    def carry_out() -> None:
        held.qos, held.size_bytes = limits, size

    return carry_out


def change_limits(state: FlashArray, held: VolumeGroup, body: Mapping[str, Any]) -> Callable[[], None]:
    """Change the limits of a volume group."""
    only(body, {"qos"}, held.name)
    wanted = state.change_qos(held, body["qos"])

    def carry_out() -> None:
        held.qos = wanted

    return carry_out


def create(state: FlashArray, name: str, body: Mapping[str, Any]) -> Callable[[], None]:
    """Make a volume with its size and limits; it is connected to nothing."""
    only(body, {"provisioned", "qos", "subtype"}, name)
    if name in state.volumes:
        raise FlashArrayError("Volume already exists.", name)
    if "/" in name or "::" in name or body.get("subtype", "regular") != "regular":
        raise FlashArrayError("The lab makes regular volumes outside of groups and pods, and no others.", name)
    made = new_volume(state, name, _size(body.get("provisioned"), name))
    made.qos = state.change_qos(made, body.get("qos") or {})

    def carry_out() -> None:
        state.volumes[name] = made
        state.totals.clear()

    return carry_out


def _size(value: Any, name: str) -> int:
    if type(value) is not int or not _SMALLEST <= value <= _LARGEST or value % _BLOCK:
        raise FlashArrayError("Invalid size.", name)
    return value


def only(body: Mapping[str, Any], known: Collection[str], name: str) -> None:
    """Refuse a body with anything else than some of `known`."""
    if not body or not set(body) <= set(known):
        raise FlashArrayError(f"Of this the lab changes {sorted(known)} and nothing else, not {sorted(set(body) - set(known))}.", name)
