"""The profile manager: reading and writing storage policies, and their entities.

Source: the API reference of PbmProfileProfileManager for results and faults. Not documented there, and chosen: the policies for vVols and
persistent memory cannot be edited, no policy that came with vCenter can be deleted, a name that exists already is an invalid argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import pbm, vim

from auditor_lab.vcenter.inventory.entities import ROOT
from auditor_lab.vcenter.pbm import constraints as constraints_
from auditor_lab.vcenter.pbm.operation import hub_of, id_of, invalid, reference_to
from auditor_lab.vcenter.pbm.policies import DISK, ENCRYPTION_ID, VM, VSAN_DEFAULT_ID, Entity

if TYPE_CHECKING:
    from auditor_lab.vcenter.pbm.operation import Operation, PolicyCall
    from auditor_lab.vcenter.pbm.policies import Policy
    from auditor_lab.vcenter.state.datastores import DatastoreState

_REQUIREMENT = "REQUIREMENT"
_CATEGORIES = (None, "", _REQUIREMENT, "RESOURCE", "DATA_SERVICE_POLICY")
_OF_A_DATASTORE = "Datastore.UpdateVirtualMachineFiles"
_WITH_DISKS = "virtualMachineAndDisks"


def _query_profile(call: PolicyCall) -> list[Any]:
    """The ids of requirement policies; the lab has no other category."""
    call.check_resource_type()
    category = call.arguments.get("profileCategory")
    if category not in _CATEGORIES:
        raise invalid("profileCategory")
    return [id_of(key) for key in call.policies.by_id] if category in (None, "", _REQUIREMENT) else []


def _retrieve_content(call: PolicyCall) -> list[Any]:
    requested = [one.uniqueId for one in call.arguments.get("profileIds", [])]
    if not requested or any(key not in call.policies.by_id for key in requested):
        raise invalid("profileIds")
    return [call.policies.by_id[key].data for key in requested]


def _create(call: PolicyCall) -> Any:
    spec = call.arguments["createSpec"]
    if not spec.name or spec.resourceType.resourceType != "STORAGE":
        raise invalid("createSpec")
    if spec.category not in (None, "", _REQUIREMENT):
        raise invalid("createSpec.category")
    _check_constraints(spec.constraints)
    if call.policies.named(spec.name):
        raise pbm.fault.DuplicateName(name=spec.name, msg=f"The name '{spec.name}' already exists.")
    return id_of(call.policies.create(spec.name, spec.description or "", spec.constraints, call.user).id)


def _update(call: PolicyCall) -> None:
    policy, spec = call.policy("profileId"), call.arguments["updateSpec"]
    if policy.system_type in ("VVolDefaultProfile", "PmemDefaultProfile"):
        raise invalid("profileId")
    changed: dict[str, Any] = {}
    if spec.name:
        held = call.policies.named(spec.name)
        if held is not None and held is not policy:
            raise invalid("updateSpec.name")
        changed["name"] = spec.name
    if spec.description is not None:
        changed["description"] = spec.description
    if spec.constraints is not None:
        _check_constraints(spec.constraints)
        changed["constraints"] = spec.constraints
    call.policies.edit(policy, call.user, **changed)


def _check_constraints(constraints: Any) -> None:
    sets = constraints_.rule_sets(constraints)
    if not sets or any(not each or any(not list(constraints_.properties(one)) for one in each) for each in sets):
        raise invalid("constraints")


def _delete(call: PolicyCall) -> list[Any]:
    return [
        pbm.profile.ProfileOperationOutcome(profileId=one, fault=_delete_one(call, one.uniqueId)) for one in call.arguments["profileId"]
    ]


def _delete_one(call: PolicyCall, key: str) -> Any:
    """Delete a policy; return the fault if that is not possible."""
    policy = call.policies.by_id.get(key)
    if policy is None or policy.system_type or key == ENCRYPTION_ID:
        return invalid("profileId")
    if call.policies.having(key) or key in call.policies.defaults.values():
        return pbm.fault.ResourceInUse(name=policy.name, msg=f"The resource '{policy.name}' is in use.")
    del call.policies.by_id[key]
    return None


def _reset_vsan_default(call: PolicyCall) -> None:
    policies = call.policies
    policies.edit(policies.by_id[VSAN_DEFAULT_ID], call.user, constraints=constraints_.vsan_default())


def _query_associated_profile(call: PolicyCall) -> list[Any]:
    result = _profiles_of(call, call.arguments["entity"])
    if result.fault is not None:
        raise result.fault
    return list(result.profileId)


def _profiles_of(call: PolicyCall, reference: Any) -> Any:
    """PbmQueryProfileResult: of a machine, a disk, or a machine and its disks; a datastore has its default policy."""
    result = pbm.profile.QueryProfileResult(object=reference)
    if reference.objectType == "datastore":
        store = call.state.datastores.get(reference.key)
        keys = [call.policies.default_of(store)] if store else None
    elif reference.objectType == _WITH_DISKS and reference.key in call.state.vm_host:
        entities = [Entity(VM, reference.key), *call.policies.disks_of(reference.key)]
        keys = [given.policy if (given := call.policies.of(one)) else None for one in entities]
    else:
        entity = Entity(reference.objectType, reference.key)
        keys = [given.policy if (given := call.policies.of(entity)) else None] if call.policies.exists(entity) else None
    if keys is None:
        result.fault = pbm.fault.NotFound(msg=f"The object {reference.objectType} {reference.key} could not be found.")
    else:
        result.profileId = [id_of(key) for key in dict.fromkeys(keys) if key]
    return result


def _query_associated_entity(call: PolicyCall) -> list[Any]:
    kind = call.arguments.get("entityType")
    if kind and kind not in pbm.ServerObjectRef.ObjectType.values:
        raise pbm.fault.PBMFault(msg=f"There is no type of entities called {kind}.")
    policy = call.policies.by_id.get(call.arguments["profile"].uniqueId)
    if policy is None:
        raise pbm.fault.NotFound(msg="The profile could not be found.")
    kinds = (VM, DISK) if kind == _WITH_DISKS or not kind else (kind,)
    return [reference_to(entity) for entity in call.policies.having(policy.id) if entity.kind in kinds]


def _query_associated_entities(call: PolicyCall) -> list[Any]:
    """Machines and disks with their policies; without named policies, those of any policy."""
    wanted = {one.uniqueId for one in call.arguments.get("profiles", [])}
    held = ((entity, call.policies.of(entity)) for entity in call.policies.entities())
    return [
        pbm.profile.QueryProfileResult(object=reference_to(entity), profileId=[id_of(given.policy)])
        for entity, given in held
        if given and (not wanted or given.policy in wanted)
    ]


def _query_default(call: PolicyCall) -> Any:
    (store,) = call.stores([call.arguments["hub"]])
    key = call.policies.default_of(store)
    return id_of(key) if key else None


def _query_defaults(call: PolicyCall) -> list[Any]:
    """The datastores grouped by their default policy."""
    by_default: dict[str | None, list[DatastoreState]] = {}
    for store in call.stores(call.arguments["datastores"]):
        by_default.setdefault(call.policies.default_of(store), []).append(store)
    return [
        pbm.profile.DefaultProfileInfo(
            datastores=[hub_of(store) for store in stores], defaultProfile=call.policies.by_id[key].data if key else None
        )
        for key, stores in by_default.items()
    ]


def _find_applicable(call: PolicyCall) -> list[Any]:
    stores = _with_default(call)
    return [policy.data for policy in call.policies.by_id.values() if all(_may_be_default(call, policy, store) for store in stores)]


def _assign_default(call: PolicyCall) -> None:
    """Make a policy the default of vVol datastores: of all of them, or of none."""
    policy, stores = call.policy(), _with_default(call)
    if _OF_A_DATASTORE not in call.privileges:
        missing = pbm.fault.NoPermission.EntityPrivileges(privilegeIds=[_OF_A_DATASTORE])
        raise pbm.fault.NoPermission(missingPrivileges=[missing], msg="NoPermission")
    if not all(_may_be_default(call, policy, store) for store in stores):
        raise invalid("profile")
    call.policies.defaults |= {store.moid: policy.id for store in stores}


def _with_default(call: PolicyCall) -> list[DatastoreState]:
    stores = call.stores(call.arguments["datastores"])
    if legacy := [hub_of(store) for store in stores if store.description.type != "VVOL"]:
        raise pbm.fault.LegacyHubsNotSupported(hubs=legacy, msg="VMFS and NFS datastores have no default profile.")
    return stores


def _may_be_default(call: PolicyCall, policy: Policy, store: DatastoreState) -> bool:
    """Whether a policy has a requirement in the namespace of the datastore's provider. Source: PbmFindApplicableDefaultProfile."""
    providers = call.state.description.storage_providers
    spaces = {one.namespace for one in providers if store.description.name in one.datastores}
    used = {one.id.namespace for each in constraints_.rule_sets(policy.constraints) for one in each}
    return policy.system_type == "VVolDefaultProfile" or bool(spaces & used)


def no_view(privilege: str) -> Any:
    """The fault for an account without a privilege. Source: a recorded one, hashicorp/terraform-provider-vsphere issue 1216."""
    return vim.fault.NoPermission(object=ROOT, privilegeId=privilege, msg="NoPermission")


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "PbmQueryProfile": _query_profile,
        "PbmRetrieveContent": _retrieve_content,
        "PbmCreate": _create,
        "PbmUpdate": _update,
        "PbmDelete": _delete,
        "PbmResetVSanDefaultProfile": _reset_vsan_default,
        "PbmQueryAssociatedProfile": _query_associated_profile,
        "PbmQueryAssociatedProfiles": lambda call: [_profiles_of(call, one) for one in call.arguments["entities"]],
        "PbmQueryAssociatedEntity": _query_associated_entity,
        "PbmQueryAssociatedEntities": _query_associated_entities,
        "PbmQueryDefaultRequirementProfile": _query_default,
        "PbmQueryDefaultRequirementProfiles": _query_defaults,
        "PbmFindApplicableDefaultProfile": _find_applicable,
        "PbmAssignDefaultRequirementProfile": _assign_default,
    }
)
