"""The entities of a vCenter's inventory, and the functions that build their properties; one function for each type."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor_lab.vcenter.inventory import datastores, hardware, host_managers, host_parts, network, resources, vms
from auditor_lab.vcenter.inventory import hosts as host_objects
from auditor_lab.vcenter.inventory import pods as pod_objects
from auditor_lab.vcenter.state.pods import pod_with

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor_lab.vcenter.description.vms import VmDescription
    from auditor_lab.vcenter.state.vcenter import VCenterState

ROOT = vim.Folder("group-d1")
DATACENTER = vim.Datacenter("datacenter-2")
VM_FOLDER, HOST_FOLDER, DATASTORE_FOLDER, NETWORK_FOLDER = (vim.Folder(f"group-{letter}3") for letter in "vhsn")


@dataclass(slots=True)
class Managed:
    """One managed object; a property is built on request, and cached until the fleet changes."""

    kind: type
    moid: str
    properties: dict[str, Callable[[], Any]]
    built: dict[str, tuple[int, Any]] = field(default_factory=dict)

    @property
    def reference(self) -> Any:
        """Its reference as sent over the wire."""
        return self.kind(self.moid)


def _entity(kind: type, moid: str, name: str, parent: Any, **properties: Callable[[], Any]) -> Managed:
    common: dict[str, Callable[[], Any]] = {
        "name": lambda: as_in_the_api(name),
        "parent": lambda: parent,
        "overallStatus": lambda: "green",
        "configStatus": lambda: "green",
        "effectiveRole": lambda: [-1],
        "alarmActionsEnabled": lambda: True,
    }
    return Managed(kind, moid, common | properties)


def as_in_the_api(name: str) -> str:
    """A name as vCenter's API gives it.

    Source: vSphere Web Services API, ManagedEntity.name: a slash is escaped as %2F or %2f, a backslash as %5C or %5c, a percent as %25,
    unless it starts an escape sequence.
    """
    return re.sub(r"%(?!2f|5c|25)", "%25", name, flags=re.IGNORECASE).replace("/", "%2f").replace("\\", "%5c")


def _always(value: Any) -> Callable[[], Any]:
    return lambda: value


def folders(state: VCenterState) -> Iterable[Managed]:
    """The root folder, the datacenter and its four folders."""
    about = state.description

    def resources() -> list[Any]:
        return [compute_resource(state, name) for name in (*state.cluster_place, *(host.name for host in about.standalone))]

    def stores() -> list[Any]:
        return [vim.Datastore(moid) for moid in state.datastores]

    def machines() -> list[Any]:
        return [vim.VirtualMachine(moid) for moid in state.vm_host]

    def folder(reference: Any, name: str, parent: Any, holds: list[type], children: Callable[[], list[Any]]) -> Managed:
        return _entity(
            vim.Folder,
            reference._GetMoId(),  # noqa: SLF001  pyVmomi's accessor
            name,
            parent,
            childType=_always(holds),
            childEntity=children,
            effectiveRole=lambda: [state.role()],
        )

    yield folder(ROOT, "Datacenters", None, [vim.Folder, vim.Datacenter], _always([DATACENTER]))
    yield _entity(
        vim.Datacenter,
        DATACENTER._GetMoId(),  # noqa: SLF001  as above
        about.datacenter,
        ROOT,
        vmFolder=_always(VM_FOLDER),
        hostFolder=_always(HOST_FOLDER),
        datastoreFolder=_always(DATASTORE_FOLDER),
        networkFolder=_always(NETWORK_FOLDER),
        datastore=stores,
    )
    yield folder(VM_FOLDER, "vm", DATACENTER, [vim.Folder, vim.VirtualMachine, vim.VirtualApp], machines)
    yield folder(HOST_FOLDER, "host", DATACENTER, [vim.Folder, vim.ComputeResource], resources)
    yield folder(DATASTORE_FOLDER, "datastore", DATACENTER, [vim.Folder, vim.Datastore, vim.StoragePod], lambda: _outside_pods(state))
    yield folder(NETWORK_FOLDER, "network", DATACENTER, [vim.Folder, vim.Network], _always([]))


def _outside_pods(state: VCenterState) -> list[Any]:
    """The children of the datastore folder: datastore clusters, and datastores that are in none."""
    inside = {moid for pod in state.pods.values() for moid in pod.datastores}
    return [*map(vim.StoragePod, state.pods), *(vim.Datastore(moid) for moid in state.datastores if moid not in inside)]


def pods(state: VCenterState) -> Iterable[Managed]:
    """Datastore clusters."""
    for moid, pod in state.pods.items():
        yield _entity(
            vim.StoragePod,
            moid,
            pod.description.name,
            DATASTORE_FOLDER,
            childType=_always([vim.Datastore]),
            childEntity=_always([vim.Datastore(one) for one in pod.datastores]),
            summary=partial(pod_objects.pod_summary, state, pod),
            podStorageDrsEntry=partial(pod_objects.drs_entry, state, pod),
        )


def cluster_id(place: int) -> str:
    """The managed object id of the cluster at a position of the description."""
    return f"domain-c{place + 4}"


def compute_resource(state: VCenterState, name: str) -> Any:
    """The reference of the compute resource of this name: a cluster, or that of a host which is in none."""
    if name in state.cluster_place:
        return vim.ClusterComputeResource(cluster_id(state.cluster_place[name]))
    return vim.ComputeResource(f"domain-s{state.host_id[name].removeprefix('host-')}")


def _pool(resource: Any) -> Any:
    return vim.ResourcePool(f"resgroup-{resource._GetMoId().removeprefix('domain-').removeprefix('c')}")  # noqa: SLF001  pyVmomi's accessor


def standalone(state: VCenterState) -> Iterable[Managed]:
    """The compute resources of hosts that are in no cluster, and their root resource pools."""
    for host in state.description.standalone:
        reference, hosts = compute_resource(state, host.name), [vim.HostSystem(state.host_id[host.name])]
        yield _entity(
            vim.ComputeResource,
            reference._GetMoId(),  # noqa: SLF001  pyVmomi's accessor
            host.name,
            HOST_FOLDER,
            host=_always(hosts),
            datastore=partial(_mounted, state, [host.name]),
            resourcePool=_always(_pool(reference)),
        )
        yield _resources(state, reference, hosts)


def _resources(state: VCenterState, owner: Any, hosts: list[Any]) -> Managed:
    """The root resource pool of a compute resource."""
    pool = _pool(owner)
    moid = pool._GetMoId()  # noqa: SLF001  pyVmomi's accessor
    return _entity(
        vim.ResourcePool,
        moid,
        "Resources",
        owner,
        owner=_always(owner),
        vm=partial(_machines_on, state, hosts),
        config=partial(resources.pool_config, pool, len(hosts)),
        summary=partial(resources.pool_summary, pool, len(hosts)),
    )


def clusters(state: VCenterState) -> Iterable[Managed]:
    """Clusters and their root resource pools."""
    for place, cluster in enumerate(state.description.clusters):
        reference = vim.ClusterComputeResource(cluster_id(place))
        hosts = [vim.HostSystem(state.host_id[host.name]) for host in cluster.hosts]
        yield _entity(
            vim.ClusterComputeResource,
            cluster_id(place),
            cluster.name,
            HOST_FOLDER,
            host=_always(hosts),
            datastore=partial(_mounted, state, [host.name for host in cluster.hosts]),
            resourcePool=_always(_pool(reference)),
            configurationEx=partial(resources.cluster_config, state, cluster),
            configuration=partial(resources.plain_cluster_config, cluster),
            summary=partial(resources.cluster_summary, state, cluster),
        )
        yield _resources(state, reference, hosts)


def _red_alarms(state: VCenterState, reference: Any) -> list[Any]:
    """AlarmState of every red alarm of an object; the lab has no others."""
    moid = reference._GetMoId()  # noqa: SLF001  pyVmomi's accessor
    return [
        vim.alarm.AlarmState(
            key=f"{alarm}.{moid}",
            entity=reference,
            alarm=vim.alarm.Alarm(alarm),
            overallStatus="red",
            time=datetime.now(UTC),
            acknowledged=False,
        )
        for alarm in state.red_alarms.get(moid, ())
    ]


def _machines_on(state: VCenterState, hosts: list[Any]) -> list[Any]:
    ids = {host._GetMoId() for host in hosts}  # noqa: SLF001  pyVmomi's accessor
    return [vim.VirtualMachine(moid) for moid, host in state.vm_host.items() if host in ids]


def host(state: VCenterState, moid: str) -> Iterable[Managed]:
    """A host and its managers; the host's state is created only when a property is read."""
    name, reference = state.hosts.described[moid].name, vim.HostSystem(moid)
    yield _entity(
        vim.HostSystem,
        moid,
        name,
        compute_resource(state, state.cluster_of[moid]),
        runtime=lambda: host_objects.runtime(state.hosts[moid]),
        summary=lambda: host_objects.summary(state.hosts[moid], reference, state.description.host_agent),
        config=host_parts.config(state, moid, reference),
        configManager=_always(host_managers.references(moid)),
        hardware=partial(_of_host, state, moid, lambda host: hardware.hardware(host, network.physical_nics(host))),
        capability=partial(_of_host, state, moid, hardware.capability),
        datastore=partial(_mounted, state, [name]),
        triggeredAlarmState=partial(_red_alarms, state, reference),
        vm=partial(_machines_on, state, [reference]),
        effectiveRole=lambda: [state.role()],
    )
    for kind, its_id, properties in host_managers.managers(state, moid):
        yield Managed(kind, its_id, properties)


def _of_host(state: VCenterState, moid: str, build: Callable[[Any], Any]) -> Any:
    host = state.hosts[moid]
    return build(host) if host.reachable else None


def _mounted(state: VCenterState, hosts: Iterable[str]) -> list[Any]:
    """The datastores that any of these hosts mounts."""
    mounted = {store.moid for name in hosts for store in state.mounted(name)}
    return [vim.Datastore(moid) for moid in state.datastores if moid in mounted]


def datastore(state: VCenterState, moid: str) -> Iterable[Managed]:
    """A datastore."""
    store, reference = state.datastores[moid], vim.Datastore(moid)
    pod = pod_with(state.pods, moid)
    yield _entity(
        vim.Datastore,
        moid,
        store.description.name,
        DATASTORE_FOLDER if pod is None else vim.StoragePod(pod.moid),
        info=partial(datastores.info, state, store),
        summary=partial(datastores.summary, store, reference),
        host=partial(datastores.mounts, state, store),
        triggeredAlarmState=partial(_red_alarms, state, reference),
        vm=partial(_machines_with, state, store.description.name),
        capability=partial(datastores.capability, store),
        iormConfiguration=partial(datastores.iorm, store) if state.description.host_agent is None else _always(None),
        browser=_always(vim.host.DatastoreBrowser(f"datastoreBrowser-{moid}")),
    )


def _machines_with(state: VCenterState, datastore: str) -> list[Any]:
    machines = zip(state.vm_host, state.description.vms, strict=True)
    return [vim.VirtualMachine(moid) for moid, vm in machines if any(disk.datastore == datastore for disk in vm.disks)]


def vm(state: VCenterState, moid: str) -> Iterable[Managed]:
    """A virtual machine."""

    def now(build: Callable[[VmDescription], Any]) -> Callable[[], Any]:
        return lambda: build(state.vm(moid))  # a relocation replaces the machine's description

    pool = _pool(compute_resource(state, state.cluster_of[state.vm_host[moid]]))
    name = state.vm(moid).name
    recent = {}
    if any(one.vm == name for one in state.description.relocations):  # no operation of the lab changes machines otherwise
        recent["recentTask"] = lambda: [task for entity, task in state.recent_tasks if entity == moid]
    yield _entity(
        vim.VirtualMachine,
        moid,
        name,
        VM_FOLDER,
        runtime=now(lambda vm: vms.runtime(state, vm, moid)),
        summary=now(lambda vm: vms.summary(state, vm, moid)),
        config=now(partial(vms.config, state)),
        guest=now(vms.guest),
        datastore=now(partial(vms.datastores, state)),
        resourcePool=_always(pool),
        **recent,
    )
