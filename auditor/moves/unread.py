"""What was not read of a move and could stand against it: never taken for a no."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from auditor.moves.ends import Move, Store
from auditor.moves.reasons import Reason, Sort

if TYPE_CHECKING:
    from auditor.moves.offload import Offload
    from auditor.moves.time import Estimate

_AGAIN = "Read the fleet now with --fleet: the run did not ask for it, or its gaps say why (`auditor runs show`)."


def of_unread(move: Move, offload: Offload, took: Estimate) -> Iterator[Reason]:
    """Every thing that was not read, once."""
    machine, target = move.machine, move.target
    yield from _machine(move)
    if target.is_mounted is None:
        yield _unread("mounts", "mounts", f"Whether {machine.host or 'its host'} mounts {target.name} was not read.")
    if target.free_bytes is None:
        yield _unread("free", "free space", f"How much of {target.name} is free was not read.")
    if target.is_in_pod is None or (target.is_in_pod and target.moves_by_itself is None):
        yield _unread("pod", "Storage DRS", f"Whether {target.name} is in a datastore cluster that moves machines was not read.")
    if target.type in (None, "VMFS", "NFS") and target.sioc_enabled is None:
        yield _unread("sioc", "Storage I/O Control", f"Whether Storage I/O Control is on on {target.name} was not read.")
    for store, end in (*((one, "source") for one in move.sources), (target, "target")):
        yield from _array(store, end)
    if offload.is_certain is None:
        words = "; ".join(one.text for one in offload.unread)
        yield _unread("offload", "offload", f"Whether the array copies is not known. It takes {words}.")
    if took.rate is not None and took.seconds is not None and took.size.high == float("inf"):
        text = "How much is copied is not known: a disk's size, or what its snapshots hold, is not read."
        yield _unread("size", "how much is copied", text, "Look in vCenter how much the machine uses; delete snapshots that nobody needs.")


def _machine(move: Move) -> Iterator[Reason]:
    """Its disks, and what works on it."""
    machine = move.machine
    if not machine.disks_read or any(disk.datastore_id not in move.stores for disk in move.moved):
        yield _unread("disks", "its disks", f"Not all disks of {machine.name} were read, or on which datastore they lie.")
    if names := ", ".join(disk.name for disk in move.moved if disk.shares_bus is None):
        yield _unread("sharing", "shared disks", f"Whether other machines share {names} was not read.")
    if not machine.tasks_read:
        yield _unread("tasks", "tasks", "The tasks of vCenter were not read: one may work on the machine.")


def _array(store: Store, end: str) -> Iterator[Reason]:
    """What only the array says."""
    if store.arrays is None:
        text = f"The array behind the {end} {store.name} is not in the fleet, or was not read: its QoS, tiers and load are not known."
        yield _unread(f"array-{end}", f"the array of the {end}", text, "Add the array to fleet.yaml (docs/how-to/your-own-fleet.md).")
        return
    if store.type == "VVOL":
        text = f"Which limits the array gives the disks on {store.name} stands in their storage policy, which is not looked at."
        yield _unread(f"qos-{end}", f"QoS of the {end}", text, "Look at the storage policy of the machine.")
    elif store.has_array_qos is None:
        yield _unread(f"qos-{end}", f"QoS of the {end}", f"Whether the array's QoS limits {store.name} was not read.")
    if end == "target" and store.sioc_enabled and store.family in ("dell-sc", "dothill") and store.tiers is None:
        yield _unread("tiers", "tiers of the target", f"Whether the array moves blocks of {store.name} between tiers was not read.")
    if store.max_iops is not None and store.command_cost is None:
        text = f"What a command of the copy counts under the array's QoS on {store.name} was not read."
        yield _unread(f"curve-{end}", f"QoS of the {end}", text)
    if store.latency_ms is None:
        yield _unread(f"load-{end}", f"load of the {end}", f"How long a command on {store.name} takes now was not read.")


def _unread(code: str, title: str, text: str, do: str = _AGAIN) -> Reason:
    return Reason(f"{code}-unread", Sort.UNREAD, title, text, do)
