"""One vCenter with everything in it; checks that every name refers to an object that exists."""

from __future__ import annotations

# msgspec resolves the annotations when it decodes, so this import is needed at run time.
from collections.abc import Mapping
from dataclasses import dataclass, field

from auditor_lab.days import DaySpanDescription
from auditor_lab.vcenter.description.datastores import DatastoreDescription, PodDescription
from auditor_lab.vcenter.description.hosts import ClusterDescription, HostDescription
from auditor_lab.vcenter.description.policies import (
    ProfileDescription,
    StoragePolicyDescription,
    StorageProviderDescription,
    TagCategoryDescription,
)
from auditor_lab.vcenter.description.vms import RelocationDescription, VmDescription


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionDescription:
    """An extension that is registered with vCenter, besides those that every vCenter has."""

    key: str
    version: str = "1.0.0"
    company: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedEventDescription:
    """An event that vCenter logged before the lab started.

    Attributes:
        type: the API's name of the event, for example VmDasBeingResetEvent, or the id of an EventEx.
        vm: the machine that it is about, by name; its host comes with it. Empty: none.
        host: the host that reports it, by name. Empty: none, or the machine's.
        datastore: a VMFS datastore whose UUID and name are its first arguments. Empty: none.
        arguments: further values.
        moved_from: of a move that is over, the datastore that the machine came from, by name.
        moved_to: of a move, the datastore that it goes to, or lies on since, by name.
    """

    type: str
    minutes_ago: int
    vm: str = ""
    host: str = ""
    datastore: str = ""
    arguments: tuple[str, ...] = ()
    moved_from: str = ""
    moved_to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostAgentDescription:
    """A host agent: the API of a single host, served in place of a vCenter's.

    Attributes:
        managed_by: address of the vCenter that manages the host; empty: none.
        lockdown: lockdownDisabled | lockdownNormal | lockdownStrict.
        exceptions: the users that lockdown lets in.
        edition: key of its licence; esxBasic is the free one, with which the API reads alone.
    """

    managed_by: str = ""
    lockdown: str = "lockdownDisabled"
    exceptions: tuple[str, ...] = ()
    edition: str = "eval"


@dataclass(frozen=True, slots=True, kw_only=True)
class VCenterDescription:
    """One vCenter; its server, and the export for vcsim, are built from this.

    Attributes:
        standalone: hosts that are in no cluster.
        host_agent: its only host serves itself, and there is no vCenter.
        site: where it stands: another site makes another identity, see `auditor_lab.sites`.
        day: how the last day differed from now, by the name of a datastore or device; what is so of a datastore is so of its extents.
        statistics_level: of every roll-up that it keeps, 1 to 4.
        max_query_metrics: config.vpxd.stats.maxQueryMetrics; None: nobody has set it, and 64 counts. Less than 1 is no limit.
    """

    name: str
    version: str = "8.0.2"
    build: int = 22385739
    api_version: str = "8.0.2.0"
    datacenter: str = "dc-1"
    clusters: tuple[ClusterDescription, ...] = ()
    standalone: tuple[HostDescription, ...] = ()
    datastores: tuple[DatastoreDescription, ...] = ()
    vms: tuple[VmDescription, ...] = ()
    pods: tuple[PodDescription, ...] = ()
    profiles: tuple[ProfileDescription, ...] = ()
    tag_categories: tuple[TagCategoryDescription, ...] = ()
    relocations: tuple[RelocationDescription, ...] = ()
    storage_providers: tuple[StorageProviderDescription, ...] = ()
    storage_policies: tuple[StoragePolicyDescription, ...] = ()
    extensions: tuple[ExtensionDescription, ...] = ()
    events: tuple[LoggedEventDescription, ...] = ()
    host_agent: HostAgentDescription | None = None
    site: str = ""
    day: Mapping[str, tuple[DaySpanDescription, ...]] = field(default_factory=dict)
    statistics_level: int = 1
    max_query_metrics: int | None = None

    def __post_init__(self) -> None:
        self._check_host_agent()
        placed = [name for pod in self.pods for name in pod.datastores]
        if len(placed) != len(set(placed)):
            raise ValueError(f"a datastore of {self.name} is in more than one datastore cluster")
        if placed and (lost := set(placed) - {store.name for store in self.datastores}):
            raise ValueError(f"{self.name} has no datastores named {sorted(lost)}")
        if lost := {name for pod in self.pods for name in pod.vm_behaviors} - {vm.name for vm in self.vms}:
            raise ValueError(f"{self.name} has no machines named {sorted(lost)} to move by a setting of their own")
        if lost := {name for profile in self.profiles for name in profile.clusters} - {cluster.name for cluster in self.clusters}:
            raise ValueError(f"{self.name} has no clusters named {sorted(lost)}")
        self._check_places()
        self._check_relocations()
        self._check_events()
        self._check_tags()
        self._check_day()

    def _check_host_agent(self) -> None:
        of_vcenter = (self.clusters, self.pods, self.profiles, self.tag_categories, self.storage_policies, self.extensions)
        if self.host_agent is not None and (len(self.standalone) != 1 or any(of_vcenter)):
            raise ValueError(f"{self.name} is a host agent: it has one host, and nothing that only a vCenter has")

    def _check_places(self) -> None:
        hosts = [host.name for host in self.hosts]
        stores = [store.name for store in self.datastores]
        for kind, names in (("hosts", hosts), ("datastores", stores)):
            if len(names) != len(set(names)):
                raise ValueError(f"{self.name} has two {kind} named {sorted({name for name in names if names.count(name) > 1})}")
        if lost := {name for store in self.datastores for name in store.hosts} - set(hosts):
            raise ValueError(f"{self.name} has no hosts named {sorted(lost)} to mount a datastore")
        if lost := {vm.host for vm in self.vms} - set(hosts):
            raise ValueError(f"{self.name} has no hosts named {sorted(lost)} to run a machine")
        if lost := {disk.datastore for vm in self.vms for disk in vm.disks} - set(stores):
            raise ValueError(f"{self.name} has no datastores named {sorted(lost)} for the disk of a machine")

    def _check_relocations(self) -> None:
        for relocation in self.relocations:
            vm = next((one for one in self.vms if one.name == relocation.vm), None)
            if vm is None or not vm.powered_on or not vm.disks:
                raise ValueError(f"{self.name} has no running machine with disks named {relocation.vm!r} to relocate")
            store = next((one for one in self.datastores if one.name == relocation.datastore), None)
            if store is None or vm.host not in store.hosts:
                raise ValueError(f"{vm.host} has no datastore named {relocation.datastore!r} to relocate {vm.name} to")

    def _check_events(self) -> None:
        known = {
            "machine": {vm.name for vm in self.vms},
            "host": {host.name for host in self.hosts},
            "VMFS datastore": {store.name for store in self.datastores if store.type == "VMFS"},
        }
        for event in self.events:
            for kind, name in zip(known, (event.vm, event.host, event.datastore), strict=True):
                if name and name not in known[kind]:
                    raise ValueError(f"{self.name} has no {kind} named {name!r} for event {event.type}")
            for name in filter(None, (event.moved_from, event.moved_to)):
                if name not in {store.name for store in self.datastores}:
                    raise ValueError(f"{self.name} has no datastore named {name!r} for event {event.type}")

    def _check_day(self) -> None:
        if not 1 <= self.statistics_level <= 4:
            raise ValueError(f"{self.name}: a statistics level is 1 to 4, and not {self.statistics_level}")
        if not self.day:
            return
        known = {store.name for store in self.datastores} | {device.name for host in self.hosts for device in host.devices}
        if lost := set(self.day) - known:
            raise ValueError(f"{self.name} has no datastores or devices named {sorted(lost)} whose day differed")
        if lost := {name for spans in self.day.values() for span in spans for name in span.hosts} - {host.name for host in self.hosts}:
            raise ValueError(f"{self.name} has no hosts named {sorted(lost)} whose day differed")

    def _check_tags(self) -> None:
        tagged = {name for category in self.tag_categories for tag in category.tags for name in tag.objects}
        if not tagged:
            return
        named = (self.clusters, self.hosts, self.datastores, self.pods, self.vms)
        names = [self.datacenter, *(one.name for several in named for one in several)]
        if lost := tagged - set(names):
            raise ValueError(f"{self.name} has nothing named {sorted(lost)} to tag")
        if doubtful := sorted(name for name in tagged if names.count(name) > 1):
            raise ValueError(f"{self.name} has several things named {doubtful}, and a tag is for one")

    @property
    def hosts(self) -> tuple[HostDescription, ...]:
        """Every host, cluster by cluster, then those that are in none."""
        return (*(host for cluster in self.clusters for host in cluster.hosts), *self.standalone)
