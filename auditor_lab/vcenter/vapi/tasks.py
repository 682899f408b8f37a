"""The tasks of long operations of the vSphere Automation API.

Source: com.vmware.cis_client and .cis.task_client of the client that VMware publishes. An id is a UUID, a colon and the service: known.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auditor_lab.vcenter.vapi.errors import VapiError, message
from auditor_lab.vcenter.vapi.values import ObjectId, Optional, Structure

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor_lab.vcenter.state.vcenter import VCenterState


@dataclass(slots=True)
class Task:
    """One task.

    Attributes:
        status: RUNNING, SUCCEEDED or FAILED.
        ended: None while it runs.
        error: None but of a task that failed.
    """

    key: str
    service: str
    operation: str
    target: ObjectId
    user: str
    started: datetime
    status: str = "RUNNING"
    ended: datetime | None = None
    result: Any = None
    error: Structure | None = None

    def info(self, *, with_result: bool) -> Structure:
        """com.vmware.cis.task.info of it."""
        done = 100 if self.ended else 50
        text = message(f"{self.service}.{self.operation}", f"{self.service}.{self.operation}")
        fields = {
            "description": text,
            "service": self.service,
            "operation": self.operation,
            "parent": Optional(),
            "target": Optional(self.target.value()),
            "status": self.status,
            "cancelable": False,
            "error": Optional(self.error),
            "start_time": Optional(self.started),
            "end_time": Optional(self.ended),
            "user": Optional(self.user),
            "progress": Optional(Structure("com.vmware.cis.task.progress", {"total": 100, "completed": done, "message": text})),
            "result": Optional(self.result if with_result else None),
        }
        return Structure("com.vmware.cis.task.info", fields)


class Tasks:
    """The tasks of one vCenter's Automation API.

    Attributes:
        stuck: tasks that start now never end.
        deaf: tasks that start now do nothing and end with success.
    """

    def __init__(self, state: VCenterState) -> None:
        self._state = state
        self.tasks: dict[str, Task] = {}
        self.stuck = False
        self.deaf = False

    def start(self, name: str, target: ObjectId, user: str, work: Callable[[bool], Any]) -> str:
        """Start a task; return its id.

        Args:
            name: of the operation with its service.
            target: what it works on.
            user: who started it.
            work: called at the end with whether it may write; returns the result. A VapiError that it raises becomes the task's error.
        """
        service, _, operation = name.rpartition(".")
        task = Task(f"{uuid.uuid4()}:{service}", service, operation, target, user, datetime.now(UTC))
        self.tasks[task.key] = task
        deaf = self.deaf

        def end() -> None:
            try:
                task.result = work(not deaf)
                task.status = "SUCCEEDED"
            except VapiError as error:
                task.status, task.error = "FAILED", error.value
            task.ended = datetime.now(UTC)

        if self.stuck:
            return task.key
        end_for_user = self._state.events.as_current_user(end)
        if self._state.task_seconds:
            self._state.after(self._state.task_seconds, end_for_user)
        else:
            end_for_user()
        return task.key
