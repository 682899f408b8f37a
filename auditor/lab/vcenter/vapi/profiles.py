"""Clusters that a configuration profile manages: their desired documents, and the lab's profiles that follow these."""

from __future__ import annotations

import dataclasses
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from auditor.lab.vcenter.inventory.entities import cluster_id
from auditor.lab.vcenter.vapi.documents import document_of, options_in
from auditor.lab.vcenter.vapi.errors import invalid_argument, not_found
from auditor.lab.vcenter.vapi.operations import ObjectId
from auditor.lab.vcenter.vapi.values import Optional, Structure

if TYPE_CHECKING:
    from auditor.lab.vcenter.description.hosts import ClusterDescription
    from auditor.lab.vcenter.description.policies import ProfileDescription
    from auditor.lab.vcenter.state.fleet import HostState, VCenterState
    from auditor.lab.vcenter.vapi.operations import Call

_KIND = "configuration-profile"


@dataclass(frozen=True, slots=True)
class Commit:
    """A document that was the desired one from its time on."""

    document: str
    author: str
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    created: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(slots=True)
class Draft:
    """A document somebody works at; `revision` counts its changes."""

    document: str
    owner: str
    parent: str
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    revision: int = 1
    created: datetime = field(default_factory=lambda: datetime.now(UTC))
    changed: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(slots=True)
class ClusterConfiguration:
    """A cluster's documents, the last commit is the desired one; and the last compliance check."""

    commits: list[Commit]
    drafts: dict[str, Draft] = field(default_factory=dict)
    compliance: Structure | None = None

    @property
    def desired(self) -> Commit:
        """What the cluster should be like."""
        return self.commits[-1]


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that an operation is about."""

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
        """Its hosts; they come alive."""
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
    if cluster.name not in call.kept.configurations:
        options = {key: value for one in call.state.profiles if _of_cluster(one, cluster.name) for key, value in one.options.items()}
        call.kept.configurations[cluster.name] = ClusterConfiguration([Commit(document_of(options), "lab")])
    return call.kept.configurations[cluster.name]


def commit(call: Call, cluster: Cluster, configuration: ClusterConfiguration, document: str) -> Commit:
    """Make a document without faults the desired one; the profile that fights for the cluster wants it from now on."""
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
    """A commit by its id; the desired one without.

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
