"""The managed objects of a vCenter: their types, parents and properties.

Both the SOAP server and the vcsim export read them, so that they serve the same. Hosts, datastores and machines are created on request, and
only the last used ones stay in memory: the cost of a vCenter with thousands of them depends on what is read.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyVmomi import VmomiSupport, vim, vmodl

from auditor_lab.vcenter.inventory import entities
from auditor_lab.vcenter.soap.data_objects import of_type
from auditor_lab.vcenter.state.hosts import owner_of

if TYPE_CHECKING:
    from auditor_lab.vcenter.inventory.entities import Managed
    from auditor_lab.vcenter.state.vcenter import VCenterState

_KEPT = 1000  # hosts, datastores and machines whose objects stay in memory
_KEPT_VALUES = 48  # of those, how many keep the values built of them; one value may be megabytes

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Family:
    """A kind of entity with possibly thousands of members: their ids, and the function that creates the objects of one."""

    kind: type
    ids: Collection[str]
    make: Callable[[VCenterState, str], Iterable[Managed]]


class Inventory:
    """The managed objects of one vCenter by (wire type name, id)."""

    def __init__(self, state: VCenterState) -> None:
        self.state = state
        self._families = (
            _Family(vim.HostSystem, state.hosts, entities.host),
            _Family(vim.Datastore, state.datastores, entities.datastore),
            _Family(vim.VirtualMachine, state.vm_host, entities.vm),
        )
        first = (entities.folders, entities.clusters, entities.standalone, entities.pods)
        self._first = {_key(one): one for kind in first for one in kind(state)}
        self._added: dict[_Key, Managed] = {}
        self._cached: OrderedDict[str, dict[_Key, Managed]] = OrderedDict()  # by the entity's id
        self._with_values: OrderedDict[_Key, Managed] = OrderedDict()

    def add(self, managed: Managed) -> Any:
        """Add an object; return its reference."""
        self._added[_key(managed)] = managed
        return managed.reference

    def remove(self, reference: Any) -> None:
        """Remove an object."""
        self._added.pop(_key_of(reference), None)

    def find(self, reference: Any) -> Managed:
        """The object that a reference names.

        Raises:
            vmodl.fault.ManagedObjectNotFound: there is no such object.
        """
        key = _key_of(reference)
        managed = self._added.get(key) or self._first.get(key) or self._member(key)
        if managed is None:
            raise vmodl.fault.ManagedObjectNotFound(
                obj=reference, msg="The object has already been deleted or has not been completely created"
            )
        return managed

    def objects(self) -> list[Managed]:
        """All objects: those of every vCenter, hosts, datastores, machines, and those that were added."""
        return [*self._first.values(), *(one for family in self._families for one in self._made(family)), *self._added.values()]

    def entities(self, kinds: tuple[type, ...] = (vim.ManagedEntity,)) -> Iterator[Managed]:
        """The inventory entities of these kinds; families of other kinds are not created."""
        for managed in (*self._first.values(), *self._added.values()):
            if issubclass(managed.kind, vim.ManagedEntity) and issubclass(managed.kind, kinds):
                yield managed
        for family in self._families:
            if issubclass(family.kind, kinds):
                yield from (one for one in self._made(family) if one.kind is family.kind)

    def read(self, managed: Managed, name: str) -> Any:
        """A property's value as its declared type; None when it is unset, an empty list where a list is declared.

        Raises:
            AttributeError: the type has no such property.
        """
        info = managed.kind._GetPropertyInfo(name)  # type: ignore[attr-defined]  # noqa: SLF001  pyVmomi's accessor
        cached = managed.built.get(name)
        if cached is not None and cached[0] == self.state.version:
            return cached[1]
        value = managed.properties[name]() if name in managed.properties else None
        if value is None and issubclass(info.type, list):
            value = info.type()
        value = of_type(info.type, value)
        managed.built[name] = (self.state.version, value)
        self._keep_values(managed)
        return value

    def _member(self, key: _Key) -> Managed | None:
        """An object of a family; the ids of a host's managers contain the number of their host."""
        for family in self._families:
            owner = key[1] if family.kind is not vim.HostSystem else owner_of(key[1])
            if owner in family.ids and key in (members := self._members(family, owner)):
                return members[key]
        return None

    def _members(self, family: _Family, owner: str) -> dict[_Key, Managed]:
        cached = self._cached.get(owner)
        if cached is None:
            cached = self._cached[owner] = {_key(one): one for one in family.make(self.state, owner)}
            if len(self._cached) > _KEPT:
                self._cached.popitem(last=False)
        self._cached.move_to_end(owner)
        return cached

    def _made(self, family: _Family) -> Iterator[Managed]:
        """All objects of a family, without evicting the cached ones."""
        for owner in list(family.ids):
            cached = self._cached.get(owner)
            yield from cached.values() if cached is not None else family.make(self.state, owner)

    def _keep_values(self, managed: Managed) -> None:
        key = _key(managed)
        if key in self._first or key in self._added:
            return
        self._with_values[key] = managed
        self._with_values.move_to_end(key)
        if len(self._with_values) > _KEPT_VALUES:
            _, oldest = self._with_values.popitem(last=False)
            oldest.built.clear()


def _key(managed: Managed) -> _Key:
    return VmomiSupport.GetWsdlName(managed.kind), managed.moid


def _key_of(reference: Any) -> _Key:
    return VmomiSupport.GetWsdlName(type(reference)), reference._GetMoId()  # noqa: SLF001  as above


def host_of(reference: Any) -> str:
    """The managed object id of the host that a manager (options, storage, modules, executer) belongs to."""
    return owner_of(reference._GetMoId())  # noqa: SLF001  pyVmomi's accessor
