"""What is known of a machine that is to be moved, and of the datastores at both ends. None is not read, and never no."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from auditor.impact.move import End

COPY_COMMAND_BYTES = 64 << 10
"""Size of a command of the software data mover. Source: docs/domain/facts.md#3-11."""
_DELTA = re.compile(r"-\d{6}\.vmdk$")
"""How the file of a disk is named that holds what was written since a snapshot. Source: docs/domain/facts.md#3-12."""


@dataclass(frozen=True, slots=True)
class Disk:
    """A virtual disk of the machine.

    Attributes:
        name: for example Hard disk 1.
        datastore_id: where its file lies.
        size_bytes: as the guest sees it.
        rdm_mode: of a raw device mapping, whose data a move leaves where they are; None for a disk that is a file.
        shares_bus: its controller shares its bus with other machines, as those of a cluster do.
    """

    name: str
    datastore_id: str | None
    size_bytes: int | None
    is_thin: bool | None
    file: str | None
    rdm_mode: str | None
    shares_bus: bool | None

    @property
    def is_delta(self) -> bool | None:
        """Whether it is what was written since a snapshot."""
        return None if self.file is None else _DELTA.search(self.file) is not None


@dataclass(frozen=True, slots=True)
class Task:
    """A task that works on the machine, or waits to.

    Attributes:
        description: vCenter's word for it, for example VirtualMachine.relocate.
        is_move: it moves disks.
        progress_percent, started_at: as vCenter reports them.
        target_id: the datastore that it moves them to.
        earlier: the progress and the time of an earlier reading of the same task.
    """

    task_id: str
    description: str
    is_move: bool
    progress_percent: int | None
    started_at: datetime | None
    target_id: str | None
    read_at: datetime | None = None
    earlier: tuple[int, datetime] | None = None


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine.

    Attributes:
        host_id, host: where it runs, or is registered.
        disks_read, tasks_read: its disks, and the tasks of its vCenter, were read.
        uses_offload: its host asks arrays to copy; the option DataMover.HardwareAcceleratedMove.
    """

    endpoint: str
    vm_id: str
    name: str
    host_id: str | None
    host: str | None
    disks: tuple[Disk, ...]
    disks_read: bool
    tasks: tuple[Task, ...]
    tasks_read: bool
    uses_offload: bool | None

    @property
    def copied(self) -> tuple[Disk, ...]:
        """The disks that are files, which a move copies."""
        return tuple(disk for disk in self.disks if disk.rdm_mode is None)


@dataclass(frozen=True, slots=True)
class Store:
    """A datastore, as the machine's host sees it.

    Attributes:
        type: VMFS, NFS, NFS41, VVOL, vsan.
        is_mounted: on the machine's host, and accessible there.
        array_key: which array it lies on; None where that is not known, or it lies on several.
        arrays: by their names in fleet.yaml; None where none of the fleet was joined.
        can_clone: the host has found that each of its devices offloads copies (XCOPY).
        tiers: storage tiers that its blocks move between.
        qos, has_array_qos, max_bytes_per_second, max_iops: the array's limits on it, in words and figures.
        command_cost: operations that the array counts for a command of a copy; above 1 on Element, by the volume's curve; None: not read.
        priority: relative priorities of its volumes, as their array calls them; "" where there is none.
        latency_threshold_ms: above which these priorities count (Dell SC).
        sioc_active_percent: of the last five minutes, the most that a host reported.
        pod: its datastore cluster.
        latency_ms: of a command now, as the machine's host or the array reports it, the higher.
        bytes_per_second: what its volumes do now.
        pool: what shares its disks, with the load there.
        devices: canonical names of what it lies on; none of NFS.
        slots: commands that the machine's host has with each of its devices at most, the fewest.
        neighbours: running machines with a disk there, the first ones; their number is None where not all were read.
    """

    endpoint: str
    datastore_id: str
    name: str
    type: str | None = None
    block_size_kib: int | None = None
    free_bytes: int | None = None
    maintenance_mode: str | None = None
    is_mounted: bool | None = None
    array_key: str | None = None
    arrays: str | None = None
    family: str | None = None
    can_clone: bool | None = None
    tiers: int | None = None
    qos: str | None = None
    has_array_qos: bool | None = None
    max_bytes_per_second: int | None = None
    max_iops: int | None = None
    command_cost: float | None = 1.0
    priority: str | None = None
    latency_threshold_ms: float | None = None
    sioc_enabled: bool | None = None
    sioc_active_percent: float | None = None
    is_in_pod: bool | None = None
    pod: str | None = None
    io_metric_in_force: bool | None = None
    moves_by_itself: bool | None = None
    behavior: str | None = None
    latency_ms: float | None = None
    bytes_per_second: float | None = None
    pool: End | None = None
    slots: float | None = None
    devices: tuple[str, ...] = ()
    neighbours: tuple[str, ...] = ()
    neighbour_count: int | None = None

    @property
    def ceiling(self) -> float | None:
        """Bytes a second that a copy gets below the array's ceilings on it; None where there is none that is known."""
        counted = None if self.max_iops is None or self.command_cost is None else self.max_iops / self.command_cost * COPY_COMMAND_BYTES
        return min((one for one in (self.max_bytes_per_second, counted) if one is not None), default=None)


@dataclass(frozen=True, slots=True)
class Move:
    """A machine, the datastores that its disks lie on, and the one that they go to.

    Attributes:
        stores: by id, those that a disk lies on, as far as they are known.
    """

    machine: Machine
    stores: Mapping[str, Store]
    target: Store

    @property
    def moved(self) -> tuple[Disk, ...]:
        """The disks that are copied: files that do not lie on the target already."""
        return tuple(disk for disk in self.machine.copied if disk.datastore_id != self.target.datastore_id)

    @property
    def sources(self) -> tuple[Store, ...]:
        """The datastores that disks are copied from, each once, in the order of the disks."""
        named = dict.fromkeys(disk.datastore_id for disk in self.moved)
        return tuple(self.stores[one] for one in named if one is not None and one in self.stores)

    @property
    def running(self) -> Task | None:
        """The task that makes this very move already."""
        moves = (task for task in self.machine.tasks if task.is_move and task.target_id in (None, self.target.datastore_id))
        return next(moves, None)
