"""Methods of the storage system: path policies and rescans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import VmomiSupport, vim, vmodl

from auditor_lab.vcenter.context import host_behind
from auditor_lab.vcenter.inventory.storage import lun_uuid
from auditor_lab.vcenter.state.path_policy import FIXED, POLICIES, PathPolicy
from auditor_lab.vcenter.state.storage_paths import path_name, paths, policy_of

if TYPE_CHECKING:
    from auditor_lab.vcenter.context import Context, Operation


def _set_policy(context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    """Set the path policy; a change removes the settings of the old one, and setting the current one keeps them."""
    host = host_behind(context, this)
    wanted = arguments["policy"]
    device = next((one for one in host.devices.values() if lun_uuid(one) == arguments["lunId"]), None)
    if device is None:
        raise vim.fault.NotFound(msg=f"The logical unit {arguments['lunId']} could not be found.")
    if wanted.policy not in POLICIES:
        raise vmodl.fault.InvalidArgument(invalidProperty="policy", msg=f"A specified parameter was not correct: {wanted.policy}")
    held = policy_of(host, device)
    policy = held if held.psp == wanted.policy else PathPolicy(wanted.policy)
    if wanted.policy == FIXED and isinstance(wanted, vim.host.MultipathInfo.FixedLogicalUnitPolicy):
        known = {path_name(host, hba, target, device) for hba, target in paths(host, device)}
        if wanted.prefer not in known:
            raise vmodl.fault.InvalidArgument(
                invalidProperty="policy.prefer", msg=f"A specified parameter was not correct: {wanted.prefer}"
            )
        policy = replace(policy, preferred=wanted.prefer)
    host.path_policies[device.name] = policy
    context.state.changed()


def _policy_options(context: Context, this: Any, _arguments: Mapping[str, Any]) -> Any:
    host_behind(context, this)
    option = vim.host.PathSelectionPolicyOption
    described = [option(policy=vim.ElementDescription(key=name, label=label, summary=label)) for name, label in POLICIES.items()]
    return VmomiSupport.GetVmodlType("vim.host.PathSelectionPolicyOption[]")(described)


def _rescan(context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    """A rescan; nothing changes, because hosts see what the lab adds at once."""
    host = host_behind(context, this)
    adapter = arguments.get("hbaDevice")
    if adapter is not None and adapter not in host.hbas:
        raise vim.fault.NotFound(msg=f"The adapter {adapter} could not be found.")


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "SetMultipathLunPolicy": _set_policy,
        "QueryPathSelectionPolicyOptions": _policy_options,
        "RescanAllHba": _rescan,
        "RescanHba": _rescan,
        "RescanVmfs": _rescan,
        "RefreshStorageSystem": _rescan,
    }
)
