"""Tasks: work that continues after the method has answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pyVmomi import vim, vmodl

from auditor_lab.vcenter.inventory.entities import Managed
from auditor_lab.vcenter.soap.data_objects import complete

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor_lab.vcenter.inventory.objects import Inventory
    from auditor_lab.vcenter.state.vcenter import VCenterState


@dataclass(slots=True)
class Task:
    """One task in its current state; `method` is the ManagedMethod that started it, where that is known."""

    key: str
    description: str
    entity: Any
    name: str
    queued: datetime
    state: str = "running"
    error: Any = None
    completed: datetime | None = None
    method: Any = None
    progress: int = 50
    user: str = "lab"
    cancelable: bool = False

    def info(self) -> Any:
        """TaskInfo."""
        return complete(
            vim.TaskInfo(
                key=self.key,
                task=vim.Task(self.key),
                name=self.method,
                descriptionId=self.description,
                entity=self.entity,
                entityName=self.name,
                state=self.state,
                cancelled=isinstance(self.error, vmodl.fault.RequestCanceled),
                cancelable=self.cancelable,
                error=self.error,
                progress=None if self.state != "running" else self.progress,
                reason=vim.TaskReasonUser(userName=self.user),
                queueTime=self.queued,
                startTime=self.queued,
                completeTime=self.completed,
                eventChainId=1,
            )
        )


class Tasks:
    """The tasks of one vCenter.

    Args:
        state: of the vCenter.
        inventory: gets an object for each task.
        record_start: called with the TaskInfo of each task that starts; it writes the event.
    """

    def __init__(self, state: VCenterState, inventory: Inventory, record_start: Callable[[VCenterState, Any], None]) -> None:
        self._state = state
        self._inventory = inventory
        self._record_start = record_start
        self._count = 0
        self._started: dict[str, Task] = {}
        self.stuck = False  # tasks that start now never end
        self.deaf = False  # tasks that start now do nothing and end with success

    def start(
        self,
        entity: Any,
        name: str,
        description: str,
        work: Callable[[], None],
        *,
        ready: Callable[[], bool] = lambda: True,
        timeout_seconds: float = 0.0,
        cancelable: bool = False,
    ) -> Any:
        """Start a task; return its Task reference.

        Args:
            entity: the object that it works on.
            name: the name of `entity`.
            description: TaskInfo.descriptionId, for example host.reboot.
            work: what it does at the end; a MethodFault that it raises becomes the task's error.
            ready: the task keeps running while this is false.
            timeout_seconds: after this time without `ready` the task fails with Timedout; 0 means no limit.
            cancelable: whether `cancel` ends it.
        """
        task = Task(self._new_key(), description, entity, name, datetime.now(UTC), cancelable=cancelable)
        self._started[task.key] = task
        reference = self._known(task)
        started = self._state.now()
        stuck, deaf = self.stuck, self.deaf

        def go_on() -> None:
            if stuck or task.state != "running":
                return
            if deaf or ready():
                try:
                    if not deaf:
                        work()
                    task.state = "success"
                except vmodl.MethodFault as error:
                    task.state, task.error = "error", error
            elif timeout_seconds and self._state.now() - started > timeout_seconds:
                task.state, task.error = "error", vim.fault.Timedout(msg="Operation timed out.")
            else:
                self._state.after(0.05, go_on)
                return
            task.completed = datetime.now(UTC)

        self._record_start(self._state, task.info())
        go_on = self._state.events.as_current_user(go_on)
        if self._state.task_seconds:
            self._state.after(self._state.task_seconds, go_on)
        else:
            go_on()
        self._state.changed()
        return reference

    def cancel(self, reference: Any) -> None:
        """End a running task with RequestCanceled; one that has ended stays as it is.

        Raises:
            vmodl.fault.NotSupported: the task cannot be cancelled.
        """
        task = self._started.get(reference._GetMoId())  # noqa: SLF001  pyVmomi's accessor
        if task is None or not task.cancelable:
            raise vmodl.fault.NotSupported(msg="The operation is not supported on the object.")
        if task.state == "running":
            task.state, task.error, task.completed = "error", vmodl.fault.RequestCanceled(), datetime.now(UTC)
            self._state.changed()

    def record_finished(self, entity: Any, name: str, description: str) -> None:
        """Record a change that a method made at once, without a task, as a finished task; arguments are as for `start`.

        It appears only as an event: among the recent tasks it could push out one that still runs.
        """
        now = datetime.now(UTC)
        user = self._state.events.user
        self._record_start(self._state, Task(self._new_key(), description, entity, name, now, "success", completed=now, user=user).info())

    def add_running(self, entity: Any, name: str, description: str, queued: datetime, **known: Any) -> Task:
        """Add a task that was started at `queued`; the caller makes it progress. `known` are further attributes of `Task`."""
        task = Task(self._new_key(), description, entity, name, queued, **known)
        self._known(task)
        return task

    def _new_key(self) -> str:
        self._count += 1
        return f"task-{self._count}"

    def _known(self, task: Task) -> Any:
        reference = self._inventory.add(Managed(vim.Task, task.key, {"info": task.info}))
        self._state.recent_tasks.append((task.entity._GetMoId(), reference))  # noqa: SLF001  pyVmomi's accessor
        return reference
