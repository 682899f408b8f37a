"""Storage vMotions that are in progress when the lab starts: RelocateVM_Task as a running task, its events, and its progress.

docs/domain/incidents.md#s1: the task hung at 40 % while Storage I/O Control was active all of the time on the target, and continued at once
when that was disabled. So a relocation here stops while Storage I/O Control throttles the target's hosts all of the time, or is off only
until the I/O metric enables it again. Nothing else slows it down, and it never times out; it cannot be cancelled, and no other can be
started.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor_lab.vcenter.inventory.entities import DATACENTER, compute_resource
from auditor_lab.vcenter.performance.load import Loads
from auditor_lab.vcenter.state.pods import pod_with

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.vms import RelocationDescription
    from auditor_lab.vcenter.state.vcenter import VCenterState
    from auditor_lab.vcenter.tasks import Task, Tasks

_LOOK_SECONDS = 1.0
_event = vim.event


def start_described(state: VCenterState, tasks: Tasks) -> None:
    """Start every relocation of the description."""
    for description in state.description.relocations:
        with state.events.acting_as(description.user):
            _Relocation(state, tasks, description).begin()


class _Relocation:
    """One relocation; `progress` is in percent, and not rounded."""

    def __init__(self, state: VCenterState, tasks: Tasks, description: RelocationDescription) -> None:
        self._state = state
        self._about = description
        place = next(place for place, vm in enumerate(state.description.vms) if vm.name == description.vm)
        self._moid = list(state.vm_host)[place]
        self._target = state.datastores[state.datastore_id[description.datastore]]
        self._source = state.vm(self._moid).disks[0].datastore
        self._began = datetime.now(UTC) - timedelta(minutes=description.running_minutes)
        self._looked = self._state.now()
        self.progress = float(description.progress_percent)
        self._task = self._task_of(tasks)

    def begin(self) -> None:
        """Record how it began, and advance it from now on."""
        self._post(_event.TaskEvent(info=self._task.info(), fullFormattedMessage="Task: Relocate virtual machine"), self._began)
        self._post(self._being_relocated(), self._began)
        self._look_later()

    def _task_of(self, tasks: Tasks) -> Task:
        # The method and the description's id: govmomi, vim25 and simulator/vpx/task_manager.go.
        return tasks.add_running(
            vim.VirtualMachine(self._moid),
            self._about.vm,
            "VirtualMachine.relocate",
            self._began,
            method=vim.VirtualMachine.RelocateVM_Task,
            progress=int(self.progress),
            user=self._about.user,
        )

    def _look_later(self) -> None:
        self._state.after(_LOOK_SECONDS, self._state.events.as_current_user(self._look))

    def _look(self) -> None:
        now = self._state.now()
        if not self._held:
            self.progress += (now - self._looked) / (self._about.whole_minutes * 60) * 100
        self._looked = now
        if self.progress >= 100:
            self._arrive()
        else:
            self._task.progress = int(self.progress)
            self._look_later()

    @property
    def _held(self) -> bool:
        pod = pod_with(self._state.pods, self._target.moid)
        if not self._target.sioc_enabled:
            return pod is not None and pod.holds_sioc
        loads = Loads(self._state)
        return loads.datastore(self._target, loads.hosts_of(self._target)).sioc_active_percent >= 100

    def _arrive(self) -> None:
        self._state.move_disks(self._moid, self._about.datastore)
        self._task.state, self._task.completed = "success", datetime.now(UTC)
        self._post(self._relocated(), datetime.now(UTC))

    def _post(self, event: Any, at: datetime) -> None:
        for name, value in self._place().items():
            setattr(event, name, value)
        self._state.events.post(event)
        event.createdTime = at

    def _being_relocated(self) -> Any:
        # Govmomi has no format of this event; the words are those of VmBeingMigratedEvent (simulator/esx/event_manager.go).
        place, target = self._place(), self._about.datastore
        where = self._state.description.datacenter
        host = place["host"].name
        return _event.VmBeingRelocatedEvent(
            destHost=place["host"],
            destDatacenter=place["datacenter"],
            destDatastore=self._datastore(target),
            template=False,
            fullFormattedMessage=f"Relocating {self._about.vm} from {host}, {self._source} in {where} to {host}, {target} in {where}",
        )

    def _relocated(self) -> Any:
        place = self._place()
        return _event.VmRelocatedEvent(
            sourceHost=place["host"],
            sourceDatacenter=place["datacenter"],
            sourceDatastore=self._datastore(self._source),
            template=False,
            fullFormattedMessage="Completed the relocation of the virtual machine",  # source: as above
        )

    def _place(self) -> dict[str, Any]:
        state = self._state
        host = state.vm_host[self._moid]
        cluster = state.cluster_of[host]
        return {
            "datacenter": _event.DatacenterEventArgument(name=state.description.datacenter, datacenter=DATACENTER),
            "computeResource": _event.ComputeResourceEventArgument(name=cluster, computeResource=compute_resource(state, cluster)),
            "host": _event.HostEventArgument(name=state.hosts.described[host].name, host=vim.HostSystem(host)),
            "vm": _event.VmEventArgument(name=self._about.vm, vm=vim.VirtualMachine(self._moid)),
            "ds": self._datastore(state.vm(self._moid).disks[0].datastore),
        }

    def _datastore(self, name: str) -> Any:
        return _event.DatastoreEventArgument(name=name, datastore=vim.Datastore(self._state.datastore_id[name]))
