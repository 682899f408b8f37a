"""The manager of host profiles, and the profiles with what they are attached to. What a profile holds is not served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyVmomi import VmomiSupport, vim

from auditor_lab.vcenter.inventory.entities import Managed, cluster_id

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.policies import ProfileDescription
    from auditor_lab.vcenter.state.vcenter import VCenterState

REFERENCE = vim.profile.host.ProfileManager("HostProfileManager")
_KIND = "host-profile"


def profile_objects(state: VCenterState) -> list[Managed]:
    """The manager, and an object for each host profile that the description has."""
    profiles = [one for one in state.description.profiles if one.kind == _KIND]
    references = [vim.profile.host.HostProfile(f"hostprofile-{place}") for place, _ in enumerate(profiles, 1)]

    def listed() -> Any:
        return VmomiSupport.GetVmodlType("vim.profile.Profile[]")(references)

    return [
        Managed(vim.profile.host.ProfileManager, REFERENCE._GetMoId(), {"profile": listed}),  # noqa: SLF001  pyVmomi's accessor
        *(_profile(state, reference, one) for reference, one in zip(references, profiles, strict=True)),
    ]


def _profile(state: VCenterState, reference: Any, one: ProfileDescription) -> Managed:
    def attached() -> Any:
        hosts = [vim.HostSystem(state.host_id[name]) for name in one.hosts]
        clusters = [vim.ClusterComputeResource(cluster_id(state.cluster_place[name])) for name in one.clusters]
        return VmomiSupport.GetVmodlType("vim.ManagedEntity[]")([*hosts, *clusters])

    properties = {"name": lambda: one.name, "entity": attached, "complianceStatus": lambda: "unknown"}
    return Managed(vim.profile.host.HostProfile, reference._GetMoId(), properties)  # noqa: SLF001  as above
