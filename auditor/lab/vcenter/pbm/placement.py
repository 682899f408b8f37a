"""Which datastores suit a storage policy.

A datastore suits when it has all capabilities of one rule set at least. Tags are read as they are attached at the time; a storage
provider's numbers have to lie within what it publishes; what ESXi itself does for a disk, wherever that lies (Storage I/O Control,
encryption), suits every datastore; vSAN and persistent memory suit none, as the lab has neither.

Source: the API reference of PbmCapabilitySubProfile and PbmPlacementSolver ("AND", "OR", the faults). That the vVol default policy, which
asks for nothing, suits vVol datastores only is known and not verified, as is which of the faults a real vCenter tells in which case.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import pbm, vmodl

from auditor.lab.vcenter.pbm import constraints as constraints_
from auditor.lab.vcenter.pbm.operation import hub_of, invalid
from auditor.lab.vcenter.soap.data_objects import complete

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor.lab.vcenter.description.policies import StorageCapabilityDescription
    from auditor.lab.vcenter.pbm.operation import Asked, Operation
    from auditor.lab.vcenter.state.datastores import DatastoreState
    from auditor.lab.vcenter.state.vcenter import VCenterState
    from auditor.lab.vcenter.vapi.tags import Tags

LOWEST, HIGHEST = 0, 2**31 - 1
"""What stands for no limit in a range, both ends of which have to be told."""

_OF_THE_HOST = frozenset({"spm", "com.vmware.storageprofile.dataservice"})


def troubles(state: VCenterState, tags: Tags, store: DatastoreState, constraints: Any) -> list[Any]:
    """Why a datastore does not suit: faults of the rule set that comes closest. Empty when it suits."""
    sets = constraints_.rule_sets(constraints)
    if not sets:
        fault = pbm.fault.CompatibilityCheckFault(hub=hub_of(store), msg="The datastore is no Virtual Volumes datastore.")
        return [] if store.description.type == "VVOL" else [fault]
    return min(([fault for one in each if (fault := _trouble(state, tags, store, one))] for each in sets), key=len)


def violated(state: VCenterState, tags: Tags, store: DatastoreState, constraints: Any) -> tuple[Any, ...]:
    """The capability instances that a datastore does not have, of the rule set that comes closest."""
    sets = constraints_.rule_sets(constraints)
    return min((tuple(one for one in each if _trouble(state, tags, store, one)) for each in sets), key=len, default=())


def range_of(capability: StorageCapabilityDescription) -> Any:
    """PbmCapabilityRange of what a provider takes."""
    low, high = capability.minimum, capability.maximum
    return pbm.capability.types.Range(min=LOWEST if low is None else low, max=HIGHEST if high is None else high)


def _trouble(state: VCenterState, tags: Tags, store: DatastoreState, instance: Any) -> Any:
    """The fault of the first requirement that does not hold; None when all do."""
    for wanted in constraints_.properties(instance):
        offered = None
        if instance.id.namespace == constraints_.TAG_NAMESPACE:
            holds = _has_tag(tags, store, instance.id.id, wanted)
        elif instance.id.namespace in _OF_THE_HOST:
            holds = True
        else:
            offered = _offered(state, store, instance.id.namespace, wanted.id)
            holds = offered is not None and _within(wanted.value, offered)
        if not holds:
            return _mismatch(store, instance, wanted, offered)
    return None


def _has_tag(tags: Tags, store: DatastoreState, category: str, wanted: Any) -> bool:
    names = constraints_.names_in(wanted.value)
    attached = (
        tag.name in names and tags.categories[tag.category_id].name == category and any(one.id == store.moid for one in tag.objects)
        for tag in tags.tags.values()
    )
    return any(attached) is not (wanted.operator == "NOT")


def _offered(state: VCenterState, store: DatastoreState, namespace: str, key: str) -> StorageCapabilityDescription | None:
    for provider in state.description.storage_providers:
        if provider.namespace == namespace and store.description.name in provider.datastores:
            return next((one for one in provider.capabilities if one.id == key), None)
    return None


def _within(value: Any, offered: StorageCapabilityDescription) -> bool:
    both_ends = (value.min, value.max) if isinstance(value, pbm.capability.types.Range) else (value, value)
    held = range_of(offered)
    return all(isinstance(end, int) and not isinstance(end, bool) and held.min <= end <= held.max for end in both_ends)


def _mismatch(store: DatastoreState, instance: Any, wanted: Any, offered: StorageCapabilityDescription | None) -> Any:
    told = {
        "hub": hub_of(store),
        "capabilityInstanceId": instance.id,
        "requirementPropertyInstance": wanted,
        "msg": f"The datastore does not satisfy the property {wanted.id} of {instance.id.namespace}.",
    }
    if offered is None:
        return pbm.fault.PropertyMismatchFault(**told)
    held = pbm.capability.PropertyInstance(id=wanted.id, value=range_of(offered))
    return pbm.fault.CapabilityProfilePropertyMismatchFault(resourcePropertyInstance=held, **told)


def _candidates(asked: Asked) -> Iterable[DatastoreState]:
    hubs = asked.arguments.get("hubsToSearch")
    return asked.stores(hubs) if hubs else asked.state.datastores.values()


def _results(asked: Asked, wanted: list[Any]) -> list[Any]:
    """A compatibility result for each candidate, which has to suit all of the constraints."""
    return [
        complete(
            pbm.placement.CompatibilityResult(
                hub=hub_of(store), error=[fault for one in wanted for fault in troubles(asked.state, asked.tags, store, one)]
            )
        )
        for store in _candidates(asked)
    ]


def _query_matching_hub(asked: Asked, constraints: Any) -> list[Any]:
    return [hub_of(store) for store in _candidates(asked) if not troubles(asked.state, asked.tags, store, constraints)]


def _check_requirements(asked: Asked) -> list[Any]:
    """Of the requirements there may be, policies and constraints count; a topology of zones is none that the lab has."""
    wanted = []
    for one in asked.arguments.get("placementSubjectRequirement", []):
        if type(one) is pbm.placement.CapabilityProfileRequirement:
            policy = asked.policies.by_id.get(one.profileId.uniqueId)
            if policy is None:
                raise invalid("profileId")
            wanted.append(policy.constraints)
        elif isinstance(one, pbm.placement.CapabilityConstraintsRequirement):
            wanted.append(one.constraints)
        else:
            raise vmodl.fault.NotSupported(msg=f"The lab does not place by {type(one).__name__}.")
    return _results(asked, wanted)


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "PbmQueryMatchingHub": lambda asked: _query_matching_hub(asked, asked.policy().constraints),
        "PbmQueryMatchingHubWithSpec": lambda asked: _query_matching_hub(asked, asked.arguments["createSpec"].constraints),
        "PbmCheckCompatibility": lambda asked: _results(asked, [asked.policy().constraints]),
        "PbmCheckCompatibilityWithSpec": lambda asked: _results(asked, [asked.arguments["profileSpec"].constraints]),
        "PbmCheckRequirements": _check_requirements,
    }
)
