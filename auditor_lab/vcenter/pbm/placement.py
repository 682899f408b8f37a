"""Decides which datastores meet a storage policy.

A datastore meets it when it has all capabilities of at least one rule set. Tags are read as attached at the time; a storage provider's
numbers have to be within what it publishes; what ESXi itself does for a disk on any datastore (Storage I/O Control, encryption) is always
met; vSAN and persistent memory never, because the lab has neither.

Source: the API reference of PbmCapabilitySubProfile and PbmPlacementSolver ("AND", "OR", the faults). That the vVol default policy, which
requires nothing, fits vVol datastores only is known and not verified, as is the fault of a real vCenter in each case.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import pbm, vmodl

from auditor_lab.vcenter.pbm import constraints as constraints_
from auditor_lab.vcenter.pbm.operation import hub_of, invalid
from auditor_lab.vcenter.soap.data_objects import complete

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor_lab.vcenter.description.policies import StorageCapabilityDescription
    from auditor_lab.vcenter.pbm.operation import Operation, PolicyCall
    from auditor_lab.vcenter.state.datastores import DatastoreState
    from auditor_lab.vcenter.state.vcenter import VCenterState
    from auditor_lab.vcenter.vapi.tags import Tags

LOWEST, HIGHEST = 0, 2**31 - 1
"""The number for no limit in a range, whose ends are both required."""

_OF_THE_HOST = frozenset({"spm", "com.vmware.storageprofile.dataservice"})


def mismatches(state: VCenterState, tags: Tags, store: DatastoreState, constraints: Any) -> list[Any]:
    """Why a datastore does not meet the constraints: the faults of the rule set that comes closest. Empty when it does."""
    sets = constraints_.rule_sets(constraints)
    if not sets:
        fault = pbm.fault.CompatibilityCheckFault(hub=hub_of(store), msg="The datastore is no Virtual Volumes datastore.")
        return [] if store.description.type == "VVOL" else [fault]
    return min(([fault for one in each if (fault := _trouble(state, tags, store, one))] for each in sets), key=len)


def unmet(state: VCenterState, tags: Tags, store: DatastoreState, constraints: Any) -> tuple[Any, ...]:
    """The capability instances that a datastore lacks, of the rule set that comes closest."""
    sets = constraints_.rule_sets(constraints)
    return min((tuple(one for one in each if _trouble(state, tags, store, one)) for each in sets), key=len, default=())


def range_of(capability: StorageCapabilityDescription) -> Any:
    """PbmCapabilityRange of the numbers that a provider accepts."""
    low, high = capability.minimum, capability.maximum
    return pbm.capability.types.Range(min=LOWEST if low is None else low, max=HIGHEST if high is None else high)


def _trouble(state: VCenterState, tags: Tags, store: DatastoreState, instance: Any) -> Any:
    """The fault of the first requirement that is not met; None when all are met."""
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
    fields = {
        "hub": hub_of(store),
        "capabilityInstanceId": instance.id,
        "requirementPropertyInstance": wanted,
        "msg": f"The datastore does not satisfy the property {wanted.id} of {instance.id.namespace}.",
    }
    if offered is None:
        return pbm.fault.PropertyMismatchFault(**fields)
    held = pbm.capability.PropertyInstance(id=wanted.id, value=range_of(offered))
    return pbm.fault.CapabilityProfilePropertyMismatchFault(resourcePropertyInstance=held, **fields)


def _candidates(call: PolicyCall) -> Iterable[DatastoreState]:
    hubs = call.arguments.get("hubsToSearch")
    return call.stores(hubs) if hubs else call.state.datastores.values()


def _results(call: PolicyCall, wanted: list[Any]) -> list[Any]:
    """A compatibility result for each candidate, which has to meet all constraints."""
    return [
        complete(
            pbm.placement.CompatibilityResult(
                hub=hub_of(store), error=[fault for one in wanted for fault in mismatches(call.state, call.tags, store, one)]
            )
        )
        for store in _candidates(call)
    ]


def _query_matching_hub(call: PolicyCall, constraints: Any) -> list[Any]:
    return [hub_of(store) for store in _candidates(call) if not mismatches(call.state, call.tags, store, constraints)]


def _check_requirements(call: PolicyCall) -> list[Any]:
    """Results for placement requirements: policies and constraints count; the lab has no topology of zones."""
    wanted = []
    for one in call.arguments.get("placementSubjectRequirement", []):
        if type(one) is pbm.placement.CapabilityProfileRequirement:
            policy = call.policies.by_id.get(one.profileId.uniqueId)
            if policy is None:
                raise invalid("profileId")
            wanted.append(policy.constraints)
        elif isinstance(one, pbm.placement.CapabilityConstraintsRequirement):
            wanted.append(one.constraints)
        else:
            raise vmodl.fault.NotSupported(msg=f"The lab does not place by {type(one).__name__}.")
    return _results(call, wanted)


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "PbmQueryMatchingHub": lambda call: _query_matching_hub(call, call.policy().constraints),
        "PbmQueryMatchingHubWithSpec": lambda call: _query_matching_hub(call, call.arguments["createSpec"].constraints),
        "PbmCheckCompatibility": lambda call: _results(call, [call.policy().constraints]),
        "PbmCheckCompatibilityWithSpec": lambda call: _results(call, [call.arguments["profileSpec"].constraints]),
        "PbmCheckRequirements": _check_requirements,
    }
)
