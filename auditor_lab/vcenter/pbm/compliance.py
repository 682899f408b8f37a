"""The compliance manager: whether machines and disks meet their storage policy.

Source: the API reference of PbmComplianceManager. A check judges the datastore that an entity is on now and stores the result; a fetch
returns the stored result, or, where there is none, the result of a check at the lab's start. An edited policy makes the results of its
entities out of date at once, until it is assigned to them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import pbm

from auditor_lab.vcenter.pbm.operation import id_of, invalid, reference_to
from auditor_lab.vcenter.pbm.placement import mismatches, unmet
from auditor_lab.vcenter.pbm.policies import DISK, VM, Checked, Entity

if TYPE_CHECKING:
    from auditor_lab.vcenter.pbm.operation import Operation, PolicyCall
    from auditor_lab.vcenter.pbm.policies import Given

_BY_WEIGHT = ("outOfDate", "nonCompliant", "unknown", "notApplicable", "compliant")  # the overall status is the first of these that occurs
_STATUSES = pbm.compliance.ComplianceResult.ComplianceStatus.values


def _check(call: PolicyCall) -> list[Any]:
    return [_result(call, entity, given, anew=True) for entity, given in _entities(call, "entities")]


def _fetch(call: PolicyCall) -> list[Any]:
    return [_result(call, entity, given, anew=False) for entity, given in _entities(call, "entities")]


def _entities(call: PolicyCall, argument: str) -> list[tuple[Entity, Given]]:
    """The entities to check; datastores, unknown entities and those without a policy are left out.

    Raises:
        vmodl.fault.InvalidArgument: no named entity is a machine or disk of this vCenter.
    """
    named = (Entity(one.objectType, one.key) for one in call.arguments[argument])
    there = [entity for entity in named if call.policies.exists(entity)]
    if not there:
        raise invalid(argument)
    return [(entity, given) for entity in there if (given := call.policies.of(entity))]


def _result(call: PolicyCall, entity: Entity, given: Given, *, anew: bool) -> Any:
    checked = call.policies.checked.get(entity)
    if anew or checked is None:
        at = datetime.now(UTC) if anew else call.policies.started
        checked = call.policies.checked[entity] = Checked(at, *_checked_now(call, entity, given))
    stale = call.policies.by_id[given.policy].generation != given.generation
    return pbm.compliance.ComplianceResult(
        checkTime=checked.at,
        entity=reference_to(entity),
        profile=id_of(given.policy),
        complianceTaskStatus="success",
        complianceStatus="outOfDate" if stale else "compliant" if checked.holds else "nonCompliant",
        mismatch=stale,
        violatedPolicies=[pbm.compliance.PolicyStatus(expectedValue=one) for one in checked.unmet],
    )


def _checked_now(call: PolicyCall, entity: Entity, given: Given) -> tuple[bool, tuple[Any, ...]]:
    store, wanted = call.policies.store_of(entity), call.policies.by_id[given.policy].constraints
    if store is None:
        return True, ()  # in the lab a machine without a disk is on no datastore
    return not mismatches(call.state, call.tags, store, wanted), unmet(call.state, call.tags, store, wanted)


def _rollups(call: PolicyCall, machines: list[Entity], *, anew: bool) -> list[Any]:
    rollups = []
    for machine in machines:
        every = [machine, *call.policies.disks_of(machine.vm)]
        results = [_result(call, one, given, anew=anew) for one in every if (given := call.policies.of(one))]
        if results:
            rollups.append(_rollup(machine, results))
    return rollups


def _rollup(machine: Entity, results: list[Any]) -> Any:
    statuses = {one.complianceStatus for one in results}
    return pbm.compliance.RollupComplianceResult(
        oldestCheckTime=min(one.checkTime for one in results),
        entity=reference_to(machine),
        overallComplianceStatus=next(one for one in _BY_WEIGHT if one in statuses),
        overallComplianceTaskStatus="success",
        result=results,
        profileMismatch=any(one.mismatch for one in results),
    )


def _machines(call: PolicyCall) -> list[Entity]:
    named = (Entity(VM, one.key) for one in call.arguments["entity"] if one.objectType != DISK)
    machines = [one for one in named if call.policies.exists(one)]
    if not machines:
        raise invalid("entity")
    return machines


def _query_by_status(call: PolicyCall) -> list[Any]:
    status = call.arguments["status"]
    if status not in _STATUSES:
        raise invalid("status")
    machines = [Entity(VM, moid) for moid in call.state.vm_host]
    return [one.entity for one in _rollups(call, machines, anew=False) if one.overallComplianceStatus == status]


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "PbmCheckCompliance": _check,
        "PbmFetchComplianceResult": _fetch,
        "PbmCheckRollupCompliance": lambda call: _rollups(call, _machines(call), anew=True),
        "PbmFetchRollupComplianceResult": lambda call: _rollups(call, _machines(call), anew=False),
        "PbmQueryByRollupComplianceStatus": _query_by_status,
    }
)
