"""What stands in a vCenter's inventory, and how each property is built; one function a kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor.lab.vcenter import datastore_objects, host_objects, vm_objects

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor.lab.vcenter.state import VCenterState

ROOT = vim.Folder("group-d1")
DATACENTER = vim.Datacenter("datacenter-2")
VM_FOLDER, HOST_FOLDER, DATASTORE_FOLDER, NETWORK_FOLDER = (vim.Folder(f"group-{letter}3") for letter in "vhsn")


@dataclass(slots=True)
class Managed:
    """One managed object; a property is built when somebody asks, and kept until the fleet changes."""

    kind: type
    moid: str
    properties: dict[str, Callable[[], Any]]
    built: dict[str, tuple[int, Any]] = field(default_factory=dict)

    @property
    def reference(self) -> Any:
        """The reference that goes over the wire."""
        return self.kind(self.moid)


def _entity(kind: type, moid: str, name: str, parent: Any, **properties: Callable[[], Any]) -> Managed:
    common: dict[str, Callable[[], Any]] = {
        "name": lambda: name,
        "parent": lambda: parent,
        "overallStatus": lambda: "green",
        "configStatus": lambda: "green",
        "effectiveRole": lambda: [-1],
        "alarmActionsEnabled": lambda: True,
    }
    return Managed(kind, moid, common | properties)


def _always(value: Any) -> Callable[[], Any]:
    return lambda: value


def folders(state: VCenterState) -> Iterable[Managed]:
    """The root folder, the datacenter and its four folders."""
    about = state.description
    clusters = [vim.ClusterComputeResource(_cluster_id(place)) for place, _ in enumerate(about.clusters)]
    stores = [vim.Datastore(moid) for moid in state.datastores]
    machines = [vim.VirtualMachine(moid) for moid in state.vm_host]

    def folder(reference: Any, name: str, parent: Any, holds: list[type], children: list[Any]) -> Managed:
        return _entity(
            vim.Folder,
            reference._GetMoId(),  # noqa: SLF001  pyVmomi's accessor
            name,
            parent,
            childType=_always(holds),
            childEntity=_always(children),
        )

    yield folder(ROOT, "Datacenters", None, [vim.Folder, vim.Datacenter], [DATACENTER])
    yield _entity(
        vim.Datacenter,
        DATACENTER._GetMoId(),  # noqa: SLF001  as above
        about.datacenter,
        ROOT,
        vmFolder=_always(VM_FOLDER),
        hostFolder=_always(HOST_FOLDER),
        datastoreFolder=_always(DATASTORE_FOLDER),
        networkFolder=_always(NETWORK_FOLDER),
        datastore=_always(stores),
    )
    yield folder(VM_FOLDER, "vm", DATACENTER, [vim.Folder, vim.VirtualMachine, vim.VirtualApp], machines)
    yield folder(HOST_FOLDER, "host", DATACENTER, [vim.Folder, vim.ComputeResource], clusters)
    yield folder(DATASTORE_FOLDER, "datastore", DATACENTER, [vim.Folder, vim.Datastore, vim.StoragePod], stores)
    yield folder(NETWORK_FOLDER, "network", DATACENTER, [vim.Folder, vim.Network], [])


def _cluster_id(place: int) -> str:
    return f"domain-c{place + 4}"


def _pool_id(place: int) -> str:
    return f"resgroup-{place + 4}"


def clusters(state: VCenterState) -> Iterable[Managed]:
    """Clusters and their root resource pools."""
    for place, cluster in enumerate(state.description.clusters):
        reference, pool = vim.ClusterComputeResource(_cluster_id(place)), vim.ResourcePool(_pool_id(place))
        hosts = [vim.HostSystem(state.host_id[host.name]) for host in cluster.hosts]
        names = {host.name for host in cluster.hosts}
        stores = [vim.Datastore(moid) for moid, store in state.datastores.items() if names & set(store.description.hosts)]
        yield _entity(
            vim.ClusterComputeResource,
            _cluster_id(place),
            cluster.name,
            HOST_FOLDER,
            host=_always(hosts),
            datastore=_always(stores),
            resourcePool=_always(pool),
            configurationEx=_always(
                vim.cluster.ConfigInfoEx(
                    dasConfig=vim.cluster.DasConfigInfo(enabled=True),
                    drsConfig=vim.cluster.DrsConfigInfo(enabled=cluster.drs, defaultVmBehavior="fullyAutomated"),
                )
            ),
        )
        yield _entity(
            vim.ResourcePool, _pool_id(place), "Resources", reference, owner=_always(reference), vm=partial(_machines_on, state, hosts)
        )


def _machines_on(state: VCenterState, hosts: list[Any]) -> list[Any]:
    ids = {host._GetMoId() for host in hosts}  # noqa: SLF001  pyVmomi's accessor
    return [vim.VirtualMachine(moid) for moid, host in state.vm_host.items() if host in ids]


def hosts(state: VCenterState) -> Iterable[Managed]:
    """Hosts and the systems their configuration hangs on."""
    places = {cluster.name: place for place, cluster in enumerate(state.description.clusters)}
    for moid, host in state.hosts.items():
        reference = vim.HostSystem(moid)
        stores = [vim.Datastore(key) for key, store in state.datastores.items() if host.description.name in store.description.hosts]
        systems = {
            "advancedOption": vim.option.OptionManager(f"EsxHostAdvSettings-{moid[5:]}"),
            "storageSystem": vim.host.StorageSystem(f"storageSystem-{moid[5:]}"),
            "kernelModuleSystem": vim.host.KernelModuleSystem(f"kernelModuleSystem-{moid[5:]}"),
        }
        yield _entity(
            vim.HostSystem,
            moid,
            host.description.name,
            vim.ClusterComputeResource(_cluster_id(places[state.cluster_of[moid]])),
            runtime=partial(host_objects.runtime, host),
            summary=partial(host_objects.summary, host, reference),
            config=partial(host_objects.config, state, host, reference),
            configManager=_always(vim.host.ConfigManager(**systems)),
            datastore=_always(stores),
            vm=partial(_machines_on, state, [reference]),
        )
        yield Managed(
            vim.option.OptionManager,
            f"EsxHostAdvSettings-{moid[5:]}",
            {"setting": partial(_while_reachable, state, moid, host_objects.option_values)},
        )
        yield Managed(
            vim.host.StorageSystem,
            f"storageSystem-{moid[5:]}",
            {"storageDeviceInfo": partial(_while_reachable, state, moid, host_objects.storage_device)},
        )
        yield Managed(vim.host.KernelModuleSystem, f"kernelModuleSystem-{moid[5:]}", {})


def _while_reachable(state: VCenterState, moid: str, build: Callable[[Any], Any]) -> Any:
    host = state.hosts[moid]
    return build(host) if host.reachable else None


def datastores(state: VCenterState) -> Iterable[Managed]:
    """Datastores."""
    for moid, store in state.datastores.items():
        reference = vim.Datastore(moid)
        yield _entity(
            vim.Datastore,
            moid,
            store.description.name,
            DATASTORE_FOLDER,
            info=partial(datastore_objects.info, state, store),
            summary=partial(datastore_objects.summary, store, reference),
            host=partial(datastore_objects.mounts, state, store),
            vm=partial(_machines_with, state, store.description.name),
            capability=partial(datastore_objects.capability, store),
            iormConfiguration=partial(datastore_objects.iorm, store),
            browser=_always(vim.host.DatastoreBrowser(f"datastoreBrowser-{moid}")),
        )


def _machines_with(state: VCenterState, datastore: str) -> list[Any]:
    machines = zip(state.vm_host, state.description.vms, strict=True)
    return [vim.VirtualMachine(moid) for moid, vm in machines if any(disk.datastore == datastore for disk in vm.disks)]


def vms(state: VCenterState) -> Iterable[Managed]:
    """Virtual machines."""
    places = {cluster.name: place for place, cluster in enumerate(state.description.clusters)}
    for moid, vm in zip(list(state.vm_host), state.description.vms, strict=True):
        pool = vim.ResourcePool(_pool_id(places[state.cluster_of[state.vm_host[moid]]]))
        yield _entity(
            vim.VirtualMachine,
            moid,
            vm.name,
            VM_FOLDER,
            runtime=partial(vm_objects.runtime, state, vm, moid),
            summary=partial(vm_objects.summary, state, vm, moid),
            config=partial(vm_objects.config, state, vm),
            datastore=partial(vm_objects.datastores, state, vm),
            resourcePool=_always(pool),
        )
