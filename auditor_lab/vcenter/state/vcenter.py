"""The state of a simulated vCenter: its description, and everything written since the start.

Delayed effects happen only in `settle`, which every request calls first, so no threads are needed.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from auditor_lab.days import Day
from auditor_lab.vcenter.state.datastores import DatastoreState
from auditor_lab.vcenter.state.event_log import EventLog
from auditor_lab.vcenter.state.hosts import Hosts
from auditor_lab.vcenter.state.pods import enforce_sioc, pod_with, pods_of

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.datastores import DatastoreDescription
    from auditor_lab.vcenter.description.vcenter import VCenterDescription
    from auditor_lab.vcenter.description.vms import VmDescription


_FIRST_VM = 1001
_RECENT_TASKS = 200  # "the VC limit". Source: govmomi, simulator/task_manager.go


class VCenterState:
    """Everything that one vCenter stores, and the lock that every reader and writer holds.

    Attributes:
        day: how the day before the start differed from now.
        version: counts changes, so that cached objects can be recognised as old.
        reboot_seconds: how long a rebooting host does not answer.
        task_seconds: how long other tasks run.
        profiles: those that reset options now; replaced when somebody changes a cluster's desired configuration.
        red_alarms: the ids of the alarms that are red, by the object's managed object id; a test or a fault raises them.
        role: gives the id of the role that the account has on everything.
        recent_tasks: the managed object id that each task works on, and the task; the newest last.
    """

    def __init__(self, description: VCenterDescription) -> None:
        self.description = description
        self.day = Day(description.day, time.time())
        self.lock = threading.RLock()
        self.version = 0
        self.events = EventLog(self.changed)
        self.profiles = description.profiles
        self.reboot_seconds = 0.3
        self.task_seconds = 0.0
        self.red_alarms: dict[str, list[str]] = {}
        self.role: Callable[[], int] = lambda: -1
        self.recent_tasks: deque[tuple[str, Any]] = deque(maxlen=_RECENT_TASKS)
        self.hosts = Hosts(description.hosts, is_host_agent=description.host_agent is not None)
        clusters = [cluster.name for cluster in description.clusters for _ in cluster.hosts]
        clusters += [host.name for host in description.standalone]
        # Host's managed object id -> the name of its compute resource: its cluster's; a host that is in none has one of its own name.
        self.cluster_of: dict[str, str] = dict(zip(self.hosts, clusters, strict=True))
        self.cluster_place = {cluster.name: place for place, cluster in enumerate(description.clusters)}
        self.host_id = {host.name: moid for moid, host in self.hosts.described.items()}
        self.datastores = {
            moid: DatastoreState(datastore, moid)
            for moid, datastore in zip((f"datastore-{place}" for place in count(101)), description.datastores, strict=False)
        }
        self.datastore_id = {datastore.description.name: moid for moid, datastore in self.datastores.items()}
        self.pods = pods_of(description.pods, self.datastores)
        self.vm_host: dict[str, str] = {  # virtual machine's managed object id -> host's
            f"vm-{place}": self.host_id[vm.host] for place, vm in enumerate(description.vms, _FIRST_VM)
        }
        self._later: list[tuple[float, Callable[[], Any]]] = []
        self._passed = 0  # seconds that `pass_time` let pass
        self._mounted: tuple[int, dict[str, list[str]]] = (-1, {})  # number of datastores it was made from; host's name -> their ids

    def mounted(self, host: str) -> list[DatastoreState]:
        """The datastores that the host of this name mounts, in the order of the vCenter."""
        if self._mounted[0] != len(self.datastores):
            by_host: dict[str, list[str]] = {}
            for moid, store in self.datastores.items():
                for name in store.description.hosts:
                    by_host.setdefault(name, []).append(moid)
            self._mounted = (len(self.datastores), by_host)
        return [self.datastores[moid] for moid in self._mounted[1].get(host, ())]

    def vm(self, moid: str) -> VmDescription:
        """The description of the virtual machine with this id."""
        return self.description.vms[int(moid.removeprefix("vm-")) - _FIRST_VM]

    def move_disks(self, moid: str, datastore: str) -> None:
        """Move every disk of a virtual machine to the datastore of this name."""
        vm = self.vm(moid)
        self.replace_vm(moid, replace(vm, disks=tuple(replace(disk, datastore=datastore) for disk in vm.disks)))

    def replace_vm(self, moid: str, by: VmDescription) -> None:
        """Let a virtual machine be as `by` describes it."""
        vms = list(self.description.vms)
        vms[int(moid.removeprefix("vm-")) - _FIRST_VM] = by
        self.description = replace(self.description, vms=tuple(vms))
        self.changed()

    def add_datastore(self, description: DatastoreDescription) -> str:
        """Add a datastore; return its managed object id."""
        moid = f"datastore-{1 + max((int(one.removeprefix('datastore-')) for one in self.datastores), default=100)}"
        self.datastores[moid] = DatastoreState(description, moid)
        self.datastore_id[description.name] = moid
        self._mounted = (-1, {})
        self.changed()
        return moid

    def describe_datastore(self, moid: str, description: DatastoreDescription) -> None:
        """Let a datastore be as `description` says; one that no host mounts is gone."""
        self.datastores[moid].description = description
        if not description.hosts:
            del self.datastores[moid], self.datastore_id[description.name]
        self._mounted = (-1, {})
        self.changed()

    def sioc_written(self, store: DatastoreState) -> None:
        """React to a write of a datastore's Storage I/O Control: where the I/O metric requires it, it is enabled again a little later."""
        pod = pod_with(self.pods, store.moid)
        if pod is not None and pod.holds_sioc and not store.sioc_enabled:
            self.after(pod.description.sioc_back_seconds, lambda: enforce_sioc(self.datastores, pod))

    def changed(self) -> None:
        """Record that something was written."""
        self.version += 1

    def now(self) -> float:
        """The time in seconds of the clock that `after` uses."""
        return time.monotonic() + self._passed

    def pass_time(self, seconds: int) -> None:
        """Let time pass at once: whatever is due meanwhile happens, in its order. Dates stay those of this machine."""
        for _ in range(seconds):
            self._passed += 1
            self.settle()

    def after(self, seconds: float, do: Callable[[], Any]) -> None:
        """Run `do` at the first request after `seconds` have passed."""
        self._later.append((self.now() + seconds, do))

    def settle(self) -> None:
        """Run everything that is due, the earliest first."""
        now = self.now()
        due = [do for at, do in sorted(self._later, key=itemgetter(0)) if at <= now]
        if due:
            self._later = [later for later in self._later if later[0] > now]
            for do in due:
                do()
            self.changed()
