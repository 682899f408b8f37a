"""Waiting for a host or a task with a time limit, through requests that may fail meanwhile."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

from auditor.endpoints.vcenter.session import LONGEST_POLL_SECONDS
from auditor.errors import EndpointUnreachableError, NotThereError

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Target

T = TypeVar("T")

LIMIT = "limit_seconds"
"""The key of a step's target that holds its time limit, so that the journal says how long was waited."""


def limit_of(target: Target) -> float:
    """How long a step may take, in seconds.

    Raises:
        KeyError: the target has no limit.
    """
    return float(target[LIMIT])


def until(read: Callable[[], T], is_reached: Callable[[T], bool], seconds: float) -> bool:
    """Whether what `read` gives fulfils `is_reached` within so many seconds; a request that fails is made again."""
    deadline, pause = time.monotonic() + seconds, 0.05
    while True:
        try:
            if is_reached(read()):
                return True
        except (EndpointUnreachableError, NotThereError):
            pass  # vCenter, or the host behind it, may be away for a while
        if time.monotonic() >= deadline:
            return False
        time.sleep(min(pause, max(0.0, deadline - time.monotonic())))
        pause = min(2 * pause, LONGEST_POLL_SECONDS)


def task_error(session: VCenter, task: Any, seconds: float) -> tuple[bool, Any]:
    """Whether `task` ended within so many seconds, and the fault that it ended with; None where it ended well."""
    from pyVmomi import vim

    ended: dict[str, Any] = {}

    def read() -> str | None:
        facts = next(iter(session.read(vim.Task, ("info.state", "info.error"), [task])), None)
        ended.update({} if facts is None else facts.values)
        return ended.get("info.state")

    done = until(read, lambda state: state in {vim.TaskInfo.State.success, vim.TaskInfo.State.error}, seconds)
    return done, ended.get("info.error")
