"""What keeps a move from starting or from ending well, and whether one that runs advances."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from auditor.impact.interval import Interval
from auditor.moves.reasons import Reason, Sort
from auditor.text.sizes import bytes_text

if TYPE_CHECKING:
    from auditor.moves.ends import Machine, Move


NOTHING = Interval(0.0, 0.0)
STILL_MINUTES = 5
"""Readings nearer than this do not show that a move stands still. Policy: vCenter reports whole per cents, and of a large disk one takes
minutes."""


def in_its_way(move: Move, size: Interval, promised: Interval = NOTHING) -> Iterator[Reason]:
    """What keeps the move from starting, or from ending well.

    Args:
        move: the move.
        size: bytes that it copies.
        promised: bytes that earlier moves of a plan put on the target.
    """
    machine, target = move.machine, move.target
    for task in machine.tasks:
        if task is move.running:
            continue
        what = f"{task.description} runs, or waits to, on {machine.name}"
        yield Reason("task", Sort.AGAINST, "another task works on it", f"{what}.", "Wait until that task has ended.", "")
    if target.is_mounted is False:
        text = f"{machine.host or 'its host'} does not mount {target.name}, or cannot reach it."
        do = "Mount it there, or move the machine to a host that has both datastores."
        yield Reason("not-mounted", Sort.AGAINST, "its host lacks the target", text, do, "docs/domain/facts.md#3-13")
    if target.maintenance_mode not in (None, "normal"):
        text = f"{target.name} is in maintenance mode, or enters it ({target.maintenance_mode})."
        yield Reason("maintenance", Sort.AGAINST, "the target is in maintenance", text, "Choose another datastore.")
    yield from _space(move, size, promised)
    yield from _shared(move)
    yield from mapped(machine)


def mapped(machine: Machine) -> Iterator[Reason]:
    """Raw device mappings, whose data stay where they are."""
    for disk in machine.disks:
        if disk.rdm_mode is not None:
            text = f"{disk.name} is a raw device mapping ({disk.rdm_mode}): a move takes its pointer along, and leaves its data behind."
            do = "Move that LUN by means of the array; keep the format as it is, or a disk in virtual mode is copied into a file."
            sort = Sort.AGAINST if disk.rdm_mode == "physicalMode" else Sort.NOTE
            yield Reason("rdm", sort, "a raw device mapping stays behind", text, do, "docs/domain/facts.md#3-13")


def _shared(move: Move) -> Iterator[Reason]:
    """Disks that other machines use as well, as nodes of a cluster do."""
    names = ", ".join(disk.name for disk in move.moved if disk.shares_bus)
    if names:
        text = f"The controller of {names} shares its bus, as in a cluster of machines: no running machine can be moved with such a disk."
        do = "Let the cluster's own software copy to new disks there, or switch off all machines that share it and attach it to each anew."
        yield Reason("shared-disk", Sort.AGAINST, "a disk that other machines share", text, do, "docs/domain/facts.md#3-13")


def nothing_to_copy(move: Move) -> Iterator[Reason]:
    """What is said of a machine that has no disk elsewhere."""
    name = move.machine.name
    text = f"All disks of {name} lie on {move.target.name} already." if move.machine.copied else f"{name} has no disk that a move copies."
    yield Reason("nothing-to-copy", Sort.NOTE, "nothing to copy", text, "Nothing to do.")


def _space(move: Move, size: Interval, promised: Interval) -> Iterator[Reason]:
    free = move.target.free_bytes
    if free is None:
        return
    if move.running is not None:
        size = Interval(0.0, size.high)  # how much of what it needs it has taken already is not read
    left, least = max(0.0, free - promised.low), max(0.0, free - promised.high)
    before = " after the moves before it" if promised.high else ""
    do = "Free space there or choose another datastore."
    if size.low > left:
        text = f"{move.target.name} has {bytes_text(left)} free{before}, and the disks take {bytes_text(size.low)} at least."
        yield Reason("space", Sort.AGAINST, "it does not fit", text, do, "docs/domain/facts.md#3-13")
    elif size.high > least:
        most = "an unknown number of bytes" if math.isinf(size.high) else f"up to {bytes_text(size.high)}"
        what = "what thin disks and snapshots hold" if move.running is None else "how much of that it has taken already"
        shown = f"{bytes_text(least)} or more" if least < left else bytes_text(left)
        text = f"{move.target.name} has {shown} free{before}, and the disks take {most}: {what} is not read."
        do = "Look in vCenter how much the machine uses, snapshots included."
        yield Reason("space-unknown", Sort.UNREAD, "whether it fits", text, do, "docs/domain/facts.md#3-13")


def of_running(move: Move) -> Iterator[Reason]:
    """Whether a move that runs already advances. Two readings tell that; of one it is only known how far it came."""
    task = move.running
    if task is None:
        return
    far = "its progress is not reported" if task.progress_percent is None else f"{task.progress_percent} %"
    text = f"This move runs, or waits to, already: {far}."
    do = "Read again in some minutes, so that two readings show whether it advances; `auditor watch` shows both ends live."
    if task.earlier is not None and task.progress_percent is not None and task.read_at is not None:
        before, when = task.earlier
        minutes = (task.read_at - when).total_seconds() / 60
        if task.progress_percent > before:
            text = f"This move advances: {far}, and {before} % {minutes:.0f} minutes before."
            do = "Let it end."
        elif minutes >= STILL_MINUTES:
            text = f"This move stands still: {far}, as {minutes:.0f} minutes before."
            do = "Look for a cap and for Storage I/O Control on the target before it is cancelled: rule sioc/active-time."
            yield Reason("stands-still", Sort.AGAINST, "it runs and stands still", text, do, "docs/domain/incidents.md#s1")
            return
    if task.target_id is None:
        text = f"A move of {move.machine.name} runs, or waits to, already, and where to was not read: {far}."
        yield Reason("running-unread", Sort.UNREAD, "where a running move goes", text, "Look in vCenter where it goes.")
        return
    yield Reason("running", Sort.NOTE, "it runs already", text, do)
