"""Clusters with a configuration profile: their desired documents, and the lab's profiles that apply these."""

from __future__ import annotations

import dataclasses
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor_lab.vcenter.inventory.entities import cluster_id
from auditor_lab.vcenter.vapi.commits import ClusterConfiguration, Commit, Draft
from auditor_lab.vcenter.vapi.documents import document_of, options_in
from auditor_lab.vcenter.vapi.errors import invalid_argument, not_found
from auditor_lab.vcenter.vapi.values import ObjectId, Optional, Structure

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.hosts import ClusterDescription
    from auditor_lab.vcenter.description.policies import ProfileDescription
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState
    from auditor_lab.vcenter.vapi.operations import Call

_KIND = "configuration-profile"


@dataclass(frozen=True, slots=True)
class Cluster:
    """The cluster of a request."""

    state: VCenterState
    id: str
    description: ClusterDescription

    @property
    def name(self) -> str:
        """Its name."""
        return self.description.name

    @property
    def target(self) -> ObjectId:
        """Its identifier."""
        return ObjectId("ClusterComputeResource", self.id)

    def hosts(self) -> list[HostState]:
        """Its hosts; their state is created."""
        return [self.state.hosts[self.state.host_id[one.name]] for one in self.description.hosts]

    def managed(self) -> bool:
        """Whether a configuration profile manages it."""
        return any(_of_cluster(profile, self.name) for profile in self.state.profiles)


def cluster_of(call: Call) -> Cluster:
    """The cluster that a request names.

    Raises:
        VapiError: not_found.
    """
    key = call.arguments.text("cluster")
    for place, cluster in enumerate(call.state.description.clusters):
        if cluster_id(place) == key:
            return Cluster(call.state, key, cluster)
    raise not_found(key)


def configuration_of(call: Call, cluster: Cluster, *, error: str = "invalid_argument") -> ClusterConfiguration:
    """The documents of a cluster.

    Raises:
        VapiError: no configuration profile manages it; `error` is invalid_argument, or not_found where the reference has no other.
    """
    if not cluster.managed():
        why = f"{cluster.id} is not managed with a configuration specification"
        raise invalid_argument(f"{why}.") if error == "invalid_argument" else not_found(f"A commit: {why}; it")
    if cluster.name not in call.stored.configurations:
        options = {key: value for one in call.state.profiles if _of_cluster(one, cluster.name) for key, value in one.options.items()}
        call.stored.configurations[cluster.name] = ClusterConfiguration([Commit(document_of(options), "lab")])
    return call.stored.configurations[cluster.name]


def commit(call: Call, cluster: Cluster, configuration: ClusterConfiguration, document: str) -> Commit:
    """Make a valid document the desired one; the cluster's profile resets options to it from now on."""
    configuration.commits.append(Commit(document, call.user))
    first = next(one for one in call.state.profiles if _of_cluster(one, cluster.name))
    others = [
        dataclasses.replace(one, clusters=tuple(name for name in one.clusters if name != cluster.name))
        if _of_cluster(one, cluster.name)
        else one
        for one in call.state.profiles
    ]
    own = dataclasses.replace(first, clusters=(cluster.name,), hosts=(), options=options_in(document))
    call.state.profiles = (*(one for one in others if one.clusters or one.hosts), own)
    call.state.changed()
    return configuration.desired


def commit_named(configuration: ClusterConfiguration, key: str | None) -> Commit:
    """A commit by its id; without one, the desired commit.

    Raises:
        VapiError: not_found.
    """
    if not key:
        return configuration.desired
    for one in configuration.commits:
        if one.id == key:
            return one
    raise not_found(key)


def draft_of(call: Call, configuration: ClusterConfiguration) -> Draft:
    """The draft that a request names.

    Raises:
        VapiError: not_found.
    """
    key = call.arguments.text("draft")
    if key not in configuration.drafts:
        raise not_found(key)
    return configuration.drafts[key]


def host_info(name: str) -> Structure:
    """HostInfo of a host."""
    return Structure("com.vmware.esx.settings.host_info", {"name": name, "is_vsan_witness": Optional(value=False)})


def bios_uuid(name: str) -> str:
    """The BIOS UUID of a host, as summary.hardware.uuid has it."""
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, name))


def _of_cluster(profile: ProfileDescription, name: str) -> bool:
    return profile.kind == _KIND and name in profile.clusters
