"""Steps of a run on a host besides settings. Journals name them like settings; no undo reverts them, and no rule asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.model import Change, Scalar

MAINTENANCE, BOOT = "host.maintenance", "host.boot"
STEPS = frozenset({MAINTENANCE, BOOT})


def step_state(change: Change, value: Scalar) -> str:
    """In which state a step left the host, as a sentence without its end; `value` is what was read now."""
    name = change.resource.host or change.resource.name
    if change.remediator == MAINTENANCE:
        return f"{name} is in maintenance mode" if value is True else f"{name} is not in maintenance mode"
    return f"{name} has been rebooted" if value is True else f"{name} has not been rebooted"


def ends_reboot(change: Change) -> bool:
    """Whether a step belongs to a reboot that has begun: it is carried to its end, or the host stays out."""
    return change.remediator == BOOT or (change.remediator == MAINTENANCE and change.after is False)
