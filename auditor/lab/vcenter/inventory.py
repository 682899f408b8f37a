"""Every managed object of a vCenter: what it is, where it hangs, and how each property is built.

Both the SOAP peer and the vcsim export read this, so what they serve is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyVmomi import VmomiSupport, vmodl

from auditor.lab.vcenter import entities
from auditor.lab.vcenter.typed import of_type

if TYPE_CHECKING:
    from auditor.lab.vcenter.entities import Managed
    from auditor.lab.vcenter.state import VCenterState


class Inventory:
    """The managed objects of one vCenter by (wire type name, id)."""

    def __init__(self, state: VCenterState) -> None:
        self.state = state
        self._objects: dict[tuple[str, str], Managed] = {}
        for kind in (entities.folders, entities.clusters, entities.hosts, entities.datastores, entities.vms):
            for managed in kind(state):
                self.add(managed)

    def add(self, managed: Managed) -> Any:
        """Take up an object; returns its reference."""
        self._objects[VmomiSupport.GetWsdlName(managed.kind), managed.moid] = managed
        return managed.reference

    def remove(self, reference: Any) -> None:
        """Forget an object that is gone."""
        self._objects.pop((VmomiSupport.GetWsdlName(type(reference)), reference._GetMoId()), None)  # noqa: SLF001  pyVmomi's accessor

    def find(self, reference: Any) -> Managed:
        """The object a reference names.

        Raises:
            vmodl.fault.ManagedObjectNotFound: there is none.
        """
        try:
            return self._objects[VmomiSupport.GetWsdlName(type(reference)), reference._GetMoId()]  # noqa: SLF001  as above
        except KeyError:
            raise vmodl.fault.ManagedObjectNotFound(
                obj=reference, msg="The object has already been deleted or has not been completely created"
            ) from None

    def objects(self) -> list[Managed]:
        """Everything there is, in the order it was added."""
        return list(self._objects.values())

    def read(self, managed: Managed, name: str) -> Any:
        """A property's value as its declared type; None when it is unset, an empty list where a list is declared.

        Raises:
            AttributeError: the type has no such property.
        """
        info = managed.kind._GetPropertyInfo(name)  # type: ignore[attr-defined]  # noqa: SLF001  as above
        kept = managed.built.get(name)
        if kept is not None and kept[0] == self.state.version:
            return kept[1]
        value = managed.properties[name]() if name in managed.properties else None
        if value is None and issubclass(info.type, list):
            value = info.type()
        value = of_type(info.type, value)
        managed.built[name] = (self.state.version, value)
        return value


def host_of(reference: Any) -> str:
    """The managed object id of the host that an option manager, storage system, module system or executer belongs to."""
    return f"host-{reference._GetMoId().rpartition('-')[2]}"  # noqa: SLF001  pyVmomi's accessor
