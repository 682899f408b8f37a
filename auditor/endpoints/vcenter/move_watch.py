"""Machines that are being moved now, and how fast each advances: what `auditor watch` shows below the devices. Only reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.collect.relocations import is_relocation
from auditor.text.names import as_shown

if TYPE_CHECKING:
    from datetime import datetime

    from auditor.endpoints.vcenter.session import VCenter

STILL_SECONDS = 300.0
"""Without progress for so long a move stands still. Policy: vCenter reports whole per cents, and of a large disk one takes minutes."""


@dataclass(frozen=True, slots=True)
class MoveSample:
    """A move as vCenter's task has it.

    Attributes:
        percent: its progress; None where it is not reported.
        at: when it was read, by our clock.
    """

    task_id: str
    machine: str
    percent: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class WatchedMove:
    """A move since it was first seen at its progress.

    Attributes:
        percent: its progress now; None where it is not reported.
        per_minute: per cent a minute since it was first seen; None until it has advanced.
        still_seconds: since when its progress is what it is, as far as it was watched.
    """

    machine: str
    percent: int | None
    per_minute: float | None
    still_seconds: float

    @property
    def stands_still(self) -> bool:
        """Whether nothing has moved for longer than `STILL_SECONDS`."""
        return self.percent is not None and self.still_seconds >= STILL_SECONDS

    @property
    def left_seconds(self) -> float | None:
        """How long the rest takes at that rate; None where it is not known."""
        return None if self.percent is None or not self.per_minute else (100 - self.percent) / self.per_minute * 60


def read_moves(vcenter: VCenter, now: datetime) -> tuple[MoveSample, ...]:
    """The moves that run, or wait to, in the order of their tasks.

    Raises:
        EndpointError: the tasks could not be read.
    """
    from pyVmomi import vim

    manager = vcenter.content.taskManager
    listed = vcenter.value(vim.TaskManager, str(manager._GetMoId()), "recentTask") or ()  # noqa: SLF001  pyVmomi's accessor
    tasks = [facts.values["info"] for facts in vcenter.read(vim.Task, ("info",), listed) if "info" in facts.values]
    return tuple(
        MoveSample(str(info.key), as_shown(info.entityName or "a machine"), info.progress, now)
        for info in tasks
        if str(info.state) in ("running", "queued") and is_relocation(info.descriptionId or "")
    )


def watched_move(first: MoveSample, changed: MoveSample, last: MoveSample) -> WatchedMove:
    """A move by three samples: the first, the one in which its progress last changed, and the last."""
    minutes = (last.at - first.at).total_seconds() / 60
    gained = None if first.percent is None or last.percent is None else last.percent - first.percent
    per_minute = gained / minutes if gained and gained > 0 and minutes else None
    return WatchedMove(last.machine, last.percent, per_minute, (last.at - changed.at).total_seconds())
