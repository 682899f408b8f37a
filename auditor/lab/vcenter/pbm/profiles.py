"""The profile manager: reading and writing storage policies, and who has which.

Source: the API reference of PbmProfileProfileManager for results and faults. Not told there, and chosen: the policies for vVols and
persistent memory cannot be edited, no policy that came with vCenter can be deleted, a new name that is taken is an invalid argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import pbm, vim

from auditor.lab.vcenter.inventory.entities import ROOT
from auditor.lab.vcenter.pbm import constraints as constraints_
from auditor.lab.vcenter.pbm.operation import hub_of, id_of, invalid, reference_to
from auditor.lab.vcenter.pbm.policies import DISK, ENCRYPTION_ID, VM, VSAN_DEFAULT_ID, Entity

if TYPE_CHECKING:
    from auditor.lab.vcenter.pbm.operation import Asked, Operation
    from auditor.lab.vcenter.pbm.policies import Policy
    from auditor.lab.vcenter.state.datastores import DatastoreState

_REQUIREMENT = "REQUIREMENT"
_CATEGORIES = (None, "", _REQUIREMENT, "RESOURCE", "DATA_SERVICE_POLICY")
_OF_A_DATASTORE = "Datastore.UpdateVirtualMachineFiles"
_WITH_DISKS = "virtualMachineAndDisks"


def _query_profile(asked: Asked) -> list[Any]:
    """Ids of requirement policies; the lab has neither of the other categories."""
    asked.check_resource_type()
    category = asked.arguments.get("profileCategory")
    if category not in _CATEGORIES:
        raise invalid("profileCategory")
    return [id_of(key) for key in asked.policies.by_id] if category in (None, "", _REQUIREMENT) else []


def _retrieve_content(asked: Asked) -> list[Any]:
    asked_for = [one.uniqueId for one in asked.arguments.get("profileIds", [])]
    if not asked_for or any(key not in asked.policies.by_id for key in asked_for):
        raise invalid("profileIds")
    return [asked.policies.by_id[key].data for key in asked_for]


def _create(asked: Asked) -> Any:
    spec = asked.arguments["createSpec"]
    if not spec.name or spec.resourceType.resourceType != "STORAGE":
        raise invalid("createSpec")
    if spec.category not in (None, "", _REQUIREMENT):
        raise invalid("createSpec.category")
    _check_constraints(spec.constraints)
    if asked.policies.named(spec.name):
        raise pbm.fault.DuplicateName(name=spec.name, msg=f"The name '{spec.name}' already exists.")
    return id_of(asked.policies.create(spec.name, spec.description or "", spec.constraints, asked.user).id)


def _update(asked: Asked) -> None:
    policy, spec = asked.policy("profileId"), asked.arguments["updateSpec"]
    if policy.system_type in ("VVolDefaultProfile", "PmemDefaultProfile"):
        raise invalid("profileId")
    changed: dict[str, Any] = {}
    if spec.name:
        held = asked.policies.named(spec.name)
        if held is not None and held is not policy:
            raise invalid("updateSpec.name")
        changed["name"] = spec.name
    if spec.description is not None:
        changed["description"] = spec.description
    if spec.constraints is not None:
        _check_constraints(spec.constraints)
        changed["constraints"] = spec.constraints
    asked.policies.edit(policy, asked.user, **changed)


def _check_constraints(constraints: Any) -> None:
    sets = constraints_.rule_sets(constraints)
    if not sets or any(not each or any(not list(constraints_.properties(one)) for one in each) for each in sets):
        raise invalid("constraints")


def _delete(asked: Asked) -> list[Any]:
    return [
        pbm.profile.ProfileOperationOutcome(profileId=one, fault=_delete_one(asked, one.uniqueId)) for one in asked.arguments["profileId"]
    ]


def _delete_one(asked: Asked, key: str) -> Any:
    """Forget a policy; the fault if that cannot be."""
    policy = asked.policies.by_id.get(key)
    if policy is None or policy.system_type or key == ENCRYPTION_ID:
        return invalid("profileId")
    if asked.policies.having(key) or key in asked.policies.defaults.values():
        return pbm.fault.ResourceInUse(name=policy.name, msg=f"The resource '{policy.name}' is in use.")
    del asked.policies.by_id[key]
    return None


def _reset_vsan_default(asked: Asked) -> None:
    policies = asked.policies
    policies.edit(policies.by_id[VSAN_DEFAULT_ID], asked.user, constraints=constraints_.vsan_default())


def _query_associated_profile(asked: Asked) -> list[Any]:
    found = _profiles_of(asked, asked.arguments["entity"])
    if found.fault is not None:
        raise found.fault
    return list(found.profileId)


def _profiles_of(asked: Asked, reference: Any) -> Any:
    """PbmQueryProfileResult: of a machine, a disk, or a machine and its disks; a datastore has its default policy."""
    result = pbm.profile.QueryProfileResult(object=reference)
    if reference.objectType == "datastore":
        store = asked.state.datastores.get(reference.key)
        keys = [asked.policies.default_of(store)] if store else None
    elif reference.objectType == _WITH_DISKS and reference.key in asked.state.vm_host:
        entities = [Entity(VM, reference.key), *asked.policies.disks_of(reference.key)]
        keys = [given.policy if (given := asked.policies.of(one)) else None for one in entities]
    else:
        entity = Entity(reference.objectType, reference.key)
        keys = [given.policy if (given := asked.policies.of(entity)) else None] if asked.policies.is_there(entity) else None
    if keys is None:
        result.fault = pbm.fault.NotFound(msg=f"The object {reference.objectType} {reference.key} could not be found.")
    else:
        result.profileId = [id_of(key) for key in dict.fromkeys(keys) if key]
    return result


def _query_associated_entity(asked: Asked) -> list[Any]:
    kind = asked.arguments.get("entityType")
    if kind and kind not in pbm.ServerObjectRef.ObjectType.values:
        raise pbm.fault.PBMFault(msg=f"There is no type of entities called {kind}.")
    policy = asked.policies.by_id.get(asked.arguments["profile"].uniqueId)
    if policy is None:
        raise pbm.fault.NotFound(msg="The profile could not be found.")
    kinds = (VM, DISK) if kind == _WITH_DISKS or not kind else (kind,)
    return [reference_to(entity) for entity in asked.policies.having(policy.id) if entity.kind in kinds]


def _query_associated_entities(asked: Asked) -> list[Any]:
    """Machines and disks with their policies; those of any policy where none is named."""
    wanted = {one.uniqueId for one in asked.arguments.get("profiles", [])}
    held = ((entity, asked.policies.of(entity)) for entity in asked.policies.entities())
    return [
        pbm.profile.QueryProfileResult(object=reference_to(entity), profileId=[id_of(given.policy)])
        for entity, given in held
        if given and (not wanted or given.policy in wanted)
    ]


def _query_default(asked: Asked) -> Any:
    (store,) = asked.stores([asked.arguments["hub"]])
    key = asked.policies.default_of(store)
    return id_of(key) if key else None


def _query_defaults(asked: Asked) -> list[Any]:
    """The datastores by the default policy they have."""
    by_default: dict[str | None, list[DatastoreState]] = {}
    for store in asked.stores(asked.arguments["datastores"]):
        by_default.setdefault(asked.policies.default_of(store), []).append(store)
    return [
        pbm.profile.DefaultProfileInfo(
            datastores=[hub_of(store) for store in stores], defaultProfile=asked.policies.by_id[key].data if key else None
        )
        for key, stores in by_default.items()
    ]


def _find_applicable(asked: Asked) -> list[Any]:
    stores = _with_default(asked)
    return [policy.data for policy in asked.policies.by_id.values() if all(_may_be_default(asked, policy, store) for store in stores)]


def _assign_default(asked: Asked) -> None:
    """Make a policy the default of vVol datastores: of all of them, or of none."""
    policy, stores = asked.policy(), _with_default(asked)
    if _OF_A_DATASTORE not in asked.privileges:
        missing = pbm.fault.NoPermission.EntityPrivileges(privilegeIds=[_OF_A_DATASTORE])
        raise pbm.fault.NoPermission(missingPrivileges=[missing], msg="NoPermission")
    if not all(_may_be_default(asked, policy, store) for store in stores):
        raise invalid("profile")
    asked.policies.defaults |= {store.moid: policy.id for store in stores}


def _with_default(asked: Asked) -> list[DatastoreState]:
    stores = asked.stores(asked.arguments["datastores"])
    if legacy := [hub_of(store) for store in stores if store.description.type != "VVOL"]:
        raise pbm.fault.LegacyHubsNotSupported(hubs=legacy, msg="VMFS and NFS datastores have no default profile.")
    return stores


def _may_be_default(asked: Asked, policy: Policy, store: DatastoreState) -> bool:
    """Whether a policy asks for anything in the namespace of the datastore's provider. Source: PbmFindApplicableDefaultProfile."""
    providers = asked.state.description.storage_providers
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
        "PbmQueryAssociatedProfiles": lambda asked: [_profiles_of(asked, one) for one in asked.arguments["entities"]],
        "PbmQueryAssociatedEntity": _query_associated_entity,
        "PbmQueryAssociatedEntities": _query_associated_entities,
        "PbmQueryDefaultRequirementProfile": _query_default,
        "PbmQueryDefaultRequirementProfiles": _query_defaults,
        "PbmFindApplicableDefaultProfile": _find_applicable,
        "PbmAssignDefaultRequirementProfile": _assign_default,
    }
)
