"""Moves between made-up datastores: one that nothing stands against, and others that differ from it in one thing."""

from dataclasses import replace
from typing import Any

from auditor.impact.move import End, Load
from auditor.moves.ends import Disk, Machine, Move, Store, Task

GIB = 1 << 30
SOURCE = Store(
    "vc", "ds-1", "old", type="VMFS", block_size_kib=1024, free_bytes=500 * GIB, maintenance_mode="normal", is_mounted=True,
    array_key="flasharray 1", arrays="fa", family="flasharray", can_clone=True, qos="none", has_array_qos=False, priority="",
    sioc_enabled=False, is_in_pod=False, latency_ms=1.0, bytes_per_second=1e6, neighbour_count=0,
    pool=End("fa", "old pool", is_running=False, reads=32.0, slots=None, loads=(Load(100, 1.0),)),
)  # fmt: skip
TARGET = replace(
    SOURCE, datastore_id="ds-2", name="new",
    pool=End("fa", "new pool", is_running=False, reads=32.0, slots=None, loads=(Load(100, 1.0),), is_target=True),
)  # fmt: skip
DISK = Disk("Hard disk 1", "ds-1", 100 * GIB, is_thin=False, file="[old] web/web.vmdk", rdm_mode=None, shares_bus=False)
MACHINE = Machine("vc", "vm-1", "web", "host-1", "esx-1", (DISK,), disks_read=True, tasks=(), tasks_read=True, uses_offload=True)
MOVE = Move(MACHINE, {"ds-1": SOURCE}, TARGET)
TASK = Task("task-7", "VirtualMachine.relocate", is_move=True, progress_percent=40, started_at=None, target_id="ds-2")


def a_move(*disks: Disk, source: dict[str, Any] | None = None, target: dict[str, Any] | None = None, **machine: Any) -> Move:
    """MOVE, with these things of its ends and its machine other than they are there."""
    old = replace(SOURCE, **(source or {}))
    return Move(replace(MACHINE, disks=disks or MACHINE.disks, **machine), {"ds-1": old}, replace(TARGET, **(target or {})))


def between_arrays(**target: Any) -> Move:
    """MOVE to another array, which the hosts have to copy."""
    return a_move(target={"array_key": "dell-sc 2", "arrays": "sc", "family": "dell-sc"} | target)
