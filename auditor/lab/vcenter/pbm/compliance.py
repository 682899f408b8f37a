"""The compliance manager: whether machines and disks have what their storage policy asks for.

Source: the API reference of PbmComplianceManager. A check looks at the datastore an entity lies on now and keeps what it found; fetching
tells what the last check found, and where there was none looks as if vCenter had checked when the lab began. A policy that was edited
makes what has it out of date at once, and until it is given to it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import pbm

from auditor.lab.vcenter.pbm.operation import id_of, invalid, reference_to
from auditor.lab.vcenter.pbm.placement import troubles, violated
from auditor.lab.vcenter.pbm.policies import DISK, VM, Checked, Entity

if TYPE_CHECKING:
    from auditor.lab.vcenter.pbm.operation import Asked, Operation
    from auditor.lab.vcenter.pbm.policies import Given

_BY_WEIGHT = ("outOfDate", "nonCompliant", "unknown", "notApplicable", "compliant")  # of several, the first that occurs is the overall one
_STATUSES = pbm.compliance.ComplianceResult.ComplianceStatus.values


def _check(asked: Asked) -> list[Any]:
    return [_result(asked, entity, given, anew=True) for entity, given in _entities(asked, "entities")]


def _fetch(asked: Asked) -> list[Any]:
    return [_result(asked, entity, given, anew=False) for entity, given in _entities(asked, "entities")]


def _entities(asked: Asked, argument: str) -> list[tuple[Entity, Given]]:
    """What is to be looked at: datastores, and what is not there or has no policy, are left out.

    Raises:
        vmodl.fault.InvalidArgument: nothing that was named is a machine or disk of this vCenter.
    """
    told = (Entity(one.objectType, one.key) for one in asked.arguments[argument])
    there = [entity for entity in told if asked.policies.is_there(entity)]
    if not there:
        raise invalid(argument)
    return [(entity, given) for entity in there if (given := asked.policies.of(entity))]


def _result(asked: Asked, entity: Entity, given: Given, *, anew: bool) -> Any:
    checked = asked.policies.checked.get(entity)
    if anew or checked is None:
        at = datetime.now(UTC) if anew else asked.policies.started
        checked = asked.policies.checked[entity] = Checked(at, *_looked_at(asked, entity, given))
    stale = asked.policies.by_id[given.policy].generation != given.generation
    return pbm.compliance.ComplianceResult(
        checkTime=checked.at,
        entity=reference_to(entity),
        profile=id_of(given.policy),
        complianceTaskStatus="success",
        complianceStatus="outOfDate" if stale else "compliant" if checked.holds else "nonCompliant",
        mismatch=stale,
        violatedPolicies=[pbm.compliance.PolicyStatus(expectedValue=one) for one in checked.violated],
    )


def _looked_at(asked: Asked, entity: Entity, given: Given) -> tuple[bool, tuple[Any, ...]]:
    store, wanted = asked.policies.store_of(entity), asked.policies.by_id[given.policy].constraints
    if store is None:
        return True, ()  # without a disk the lab's machine lies nowhere
    return not troubles(asked.state, asked.tags, store, wanted), violated(asked.state, asked.tags, store, wanted)


def _rollups(asked: Asked, machines: list[Entity], *, anew: bool) -> list[Any]:
    found = []
    for machine in machines:
        every = [machine, *asked.policies.disks_of(machine.vm)]
        results = [_result(asked, one, given, anew=anew) for one in every if (given := asked.policies.of(one))]
        if results:
            found.append(_rollup(machine, results))
    return found


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


def _machines(asked: Asked) -> list[Entity]:
    told = (Entity(VM, one.key) for one in asked.arguments["entity"] if one.objectType != DISK)
    machines = [one for one in told if asked.policies.is_there(one)]
    if not machines:
        raise invalid("entity")
    return machines


def _query_by_status(asked: Asked) -> list[Any]:
    status = asked.arguments["status"]
    if status not in _STATUSES:
        raise invalid("status")
    machines = [Entity(VM, moid) for moid in asked.state.vm_host]
    return [one.entity for one in _rollups(asked, machines, anew=False) if one.overallComplianceStatus == status]


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "PbmCheckCompliance": _check,
        "PbmFetchComplianceResult": _fetch,
        "PbmCheckRollupCompliance": lambda asked: _rollups(asked, _machines(asked), anew=True),
        "PbmFetchRollupComplianceResult": lambda asked: _rollups(asked, _machines(asked), anew=False),
        "PbmQueryByRollupComplianceStatus": _query_by_status,
    }
)
