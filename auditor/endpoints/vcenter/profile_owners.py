"""Which hosts a profile owns: what is written on them beside it is put back when the profile is next applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.session import moid
from auditor.errors import EndpointError, NotThereError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from auditor.endpoints.vcenter.session import VCenter

_FIRST_WITH_CONFIGURATION_PROFILES = 8
"""Major version of the API. Source: Configuration.get of com.vmware.esx.settings.clusters.enablement: "added in vSphere API 8.0.1.0"."""


def profile_owners(vcenter: VCenter, host_ids: Collection[str]) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """The profile that owns each of these hosts, in words, where there is one; and what could not be read, as sentences.

    A host profile owns the hosts and clusters that it is attached to; a configuration profile owns the hosts of a cluster that is managed
    by one. Which settings a host profile holds takes the privilege Profile.Edit to see, and the form of a configuration profile's document
    is not public: either counts as owner of all settings of its hosts.

    Raises:
        EndpointError: the clusters of the hosts could not be read.

    Source: vSphere API reference, ProfileManager.profile (Profile.View) and Profile.entity; vSphere Automation API,
    com.vmware.esx.settings.clusters.enablement.configuration (VcIntegrity.ClusterConfiguration.View).
    """
    from pyVmomi import vim

    hosts = [vcenter.object(vim.HostSystem, one) for one in host_ids]
    parents = {row.id: row.values.get("parent") for row in vcenter.read(vim.HostSystem, ("parent",), hosts, 100)}
    cluster_of = {host: moid(parent) for host, parent in parents.items() if isinstance(parent, vim.ClusterComputeResource)}
    owners: dict[str, str] = {}
    unknown: list[str] = []
    try:
        for name, entity in _host_profiles(vcenter):
            owners |= {host: f"host profile {name}" for host in parents if entity in {host, cluster_of.get(host)}}
    except EndpointError as error:
        unknown.append(f"whether host profiles own settings of {vcenter.endpoint.name} could not be read ({error.what})")
    try:
        managed = _with_configuration_profile(vcenter, frozenset(cluster_of.values()))
        owners |= {host: "the configuration profile of its cluster" for host, cluster in cluster_of.items() if cluster in managed}
    except EndpointError as error:
        unknown.append(f"whether configuration profiles own settings of {vcenter.endpoint.name} could not be read ({error.what})")
    return owners, tuple(unknown)


def _host_profiles(vcenter: VCenter) -> Iterator[tuple[str, str]]:
    """(name, managed object id of a host or cluster) for each attachment of a host profile."""
    from pyVmomi import vim

    manager = vcenter.content.hostProfileManager
    if manager is None:
        return
    profiles = vcenter.value(vim.profile.host.ProfileManager, moid(manager), "profile") or ()
    for row in vcenter.read(vim.profile.host.HostProfile, ("name", "entity"), list(profiles)) if profiles else ():
        for entity in row.values.get("entity") or ():
            yield str(row.values.get("name", row.id)), moid(entity)


def _with_configuration_profile(vcenter: VCenter, clusters: Collection[str]) -> frozenset[str]:
    from auditor.endpoints.vcenter.automation import open_automation

    major = str(vcenter.about.apiVersion or "").partition(".")[0]
    if not clusters or (major.isdigit() and int(major) < _FIRST_WITH_CONFIGURATION_PROFILES):
        return frozenset()
    managed = set()
    with open_automation(vcenter.endpoint) as automation:
        for cluster in sorted(clusters):
            try:
                if automation.has_configuration_profile(cluster):
                    managed.add(cluster)
            except NotThereError:
                return frozenset()  # 8.0.0, or a cluster that is gone
    return frozenset(managed)
