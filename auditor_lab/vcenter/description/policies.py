"""Host profiles, tags, storage policies and storage providers."""

from __future__ import annotations

# msgspec resolves the annotations when it decodes, so this import is needed at run time.
from collections.abc import Mapping
from dataclasses import dataclass

from auditor_lab.vcenter.description.hosts import OptionValue


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileDescription:
    """A host profile or configuration profile that owns advanced options, and resets them after somebody has changed them.

    Attributes:
        kind: host-profile | configuration-profile.
        clusters: names; it applies to all their hosts, besides those of `hosts`.
        options: the options it owns. It resets them only after a write: a host may start out of compliance.
        after_seconds: from a write of another value until the value is reset.
    """

    name: str
    options: Mapping[str, OptionValue]
    kind: str = "host-profile"
    clusters: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    after_seconds: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TagDescription:
    """A tag and the names of the objects it is attached to: hosts, clusters, datastores, datastore clusters, machines, the datacenter."""

    name: str
    description: str = ""
    objects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TagCategoryDescription:
    """A category of tags.

    Attributes:
        cardinality: SINGLE (an object has one tag of it at most) | MULTIPLE.
        associable_types: for example HostSystem or Datastore; empty for every type.
    """

    name: str
    description: str = ""
    cardinality: str = "MULTIPLE"
    associable_types: tuple[str, ...] = ()
    tags: tuple[TagDescription, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageRuleDescription:
    """One requirement of a storage policy.

    Attributes:
        namespace: of the storage provider, or of vCenter itself; http://www.vmware.com/storage/tag for tags.
        capability: its id within the namespace; the name of the category in the namespace of tags.
        value: several names are a set, and one of them is enough.
        property: its id, where it differs from the capability.
    """

    namespace: str
    capability: str
    value: OptionValue | tuple[str, ...]
    property: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoragePolicyDescription:
    """A storage policy with one rule set that an administrator made.

    Attributes:
        vms: names of the machines whose own files have it; not their disks.
        disks: names of the machines all of whose disks have it; NAME:KEY for one of them, where the first disk has the key 2000.
    """

    name: str
    rules: tuple[StorageRuleDescription, ...]
    description: str = ""
    vms: tuple[str, ...] = ()
    disks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageCapabilityDescription:
    """A number that a storage provider accepts as a requirement; None is without a limit, or without a default."""

    id: str
    label: str = ""
    minimum: int | None = None
    maximum: int | None = None
    default: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageProviderDescription:
    """A storage (VASA) provider: the capabilities that it publishes in its own namespace, and its datastores."""

    name: str
    namespace: str
    datastores: tuple[str, ...]
    capabilities: tuple[StorageCapabilityDescription, ...]
