"""The context of one request to the storage policy service, and the faults that its operations share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from pyVmomi import pbm, vmodl

if TYPE_CHECKING:
    from auditor_lab.vcenter.pbm.policies import Entity, Policies, Policy
    from auditor_lab.vcenter.state.datastores import DatastoreState
    from auditor_lab.vcenter.state.vcenter import VCenterState
    from auditor_lab.vcenter.vapi.tags import Tags

STORAGE = "STORAGE"


@dataclass(frozen=True, slots=True)
class PolicyCall:
    """One request: its user, privileges and arguments, and the policies and tags."""

    policies: Policies
    tags: Tags
    privileges: frozenset[str]
    user: str
    arguments: Mapping[str, Any]

    @property
    def state(self) -> VCenterState:
        """The state of the vCenter."""
        return self.policies.state

    def policy(self, argument: str = "profile") -> Policy:
        """The policy that an argument names.

        Raises:
            vmodl.fault.InvalidArgument: there is no such policy.
        """
        policy = self.policies.by_id.get(self.arguments[argument].uniqueId)
        if policy is None:
            raise invalid(argument)
        return policy

    def check_resource_type(self) -> None:
        """Refuse every resource type but STORAGE, the only one.

        Raises:
            vmodl.fault.InvalidArgument: it is another type.
        """
        requested = self.arguments.get("resourceType")
        if requested is not None and requested.resourceType != STORAGE:
            raise invalid("resourceType")

    def stores(self, hubs: list[Any]) -> list[DatastoreState]:
        """The datastores that hubs name. The lab places on datastores only, not on datastore clusters.

        Raises:
            vmodl.fault.InvalidArgument: one is not a datastore.
            pbm.fault.NonExistentHubs: there are no such datastores.
        """
        if any(hub.hubType != "Datastore" for hub in hubs):
            raise invalid("hub")
        if lost := [hub for hub in hubs if hub.hubId not in self.state.datastores]:
            raise pbm.fault.NonExistentHubs(hubs=lost, msg="The following hubs do not exist: " + ", ".join(hub.hubId for hub in lost))
        return [self.state.datastores[hub.hubId] for hub in hubs]


Operation: TypeAlias = Callable[[PolicyCall], Any]
"""Answers a method."""


def invalid(argument: str) -> Any:
    """The fault that names an invalid argument."""
    return vmodl.fault.InvalidArgument(invalidProperty=argument, msg=f"A specified parameter was not correct: {argument}")


def hub_of(store: DatastoreState) -> Any:
    """PbmPlacementHub of a datastore."""
    return pbm.placement.PlacementHub(hubType="Datastore", hubId=store.moid)


def id_of(policy: str) -> Any:
    """PbmProfileId."""
    return pbm.profile.ProfileId(uniqueId=policy)


def reference_to(entity: Entity) -> Any:
    """PbmServerObjectRef of a machine or disk."""
    return pbm.ServerObjectRef(objectType=entity.kind, key=entity.key)
