"""The tags of a vCenter, their categories, and the objects they are attached to.

Source: com.vmware.cis.tagging_client of the client that VMware publishes: cardinality, associable types that only grow, attaching twice is
no error. That the tags of a category are deleted with it, and the form of ids (govmomi: urn:vmomi:InventoryServiceTag:UUID:GLOBAL), are
known.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor_lab.vcenter.inventory.entities import DATACENTER, DATASTORE_FOLDER, HOST_FOLDER, NETWORK_FOLDER, ROOT, VM_FOLDER, cluster_id
from auditor_lab.vcenter.vapi.errors import VapiError, invalid_argument, message
from auditor_lab.vcenter.vapi.values import ObjectId

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from auditor_lab.vcenter.state.vcenter import VCenterState

_FOLDERS = (ROOT, VM_FOLDER, HOST_FOLDER, DATASTORE_FOLDER, NETWORK_FOLDER)


@dataclass(slots=True)
class Category:
    """A category; no associable types means every type."""

    id: str
    name: str
    description: str
    cardinality: str  # SINGLE | MULTIPLE
    associable_types: set[str]
    used_by: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Tag:
    """A tag, and the objects it is attached to in the order of attaching."""

    id: str
    category_id: str
    name: str
    description: str
    used_by: set[str] = field(default_factory=set)
    objects: dict[ObjectId, None] = field(default_factory=dict)


@dataclass(slots=True)
class Tags:
    """Categories and tags by id, and the ids of the tags of every object that has any."""

    categories: dict[str, Category] = field(default_factory=dict)
    tags: dict[str, Tag] = field(default_factory=dict)
    of_object: dict[ObjectId, dict[str, None]] = field(default_factory=dict)

    def category(self, key: str) -> Category:
        """The category with this id.

        Raises:
            VapiError: not_found.
        """
        if key not in self.categories:
            raise _gone(key)
        return self.categories[key]

    def tag(self, key: str) -> Tag:
        """The tag with this id.

        Raises:
            VapiError: not_found.
        """
        if key not in self.tags:
            raise _gone(key)
        return self.tags[key]

    def in_category(self, key: str) -> list[Tag]:
        """The tags of a category."""
        return [tag for tag in self.tags.values() if tag.category_id == key]

    def why_not(self, tag: Tag, target: ObjectId) -> str:
        """Why a tag may not be attached to an object; empty if it may."""
        category = self.categories[tag.category_id]
        if category.associable_types and target.type not in category.associable_types:
            return f"Tags of the category {category.name} cannot be attached to a {target.type}."
        others = (self.tags[key] for key in self.of_object.get(target, ()) if key != tag.id)
        if category.cardinality == "SINGLE" and any(one.category_id == category.id for one in others):
            return f"{target.id} has a tag of the category {category.name} already, which allows one."
        return ""

    def attach(self, tag: Tag, target: ObjectId) -> None:
        """Attach a tag; without effect if it is attached already.

        Raises:
            VapiError: invalid_argument, the category does not allow it.
        """
        if why := self.why_not(tag, target):
            raise invalid_argument(why)
        tag.objects[target] = None
        self.of_object.setdefault(target, {})[tag.id] = None

    def detach(self, tag: Tag, target: ObjectId) -> None:
        """Detach a tag; without effect if it is not attached."""
        tag.objects.pop(target, None)
        held = self.of_object.get(target, {})
        held.pop(tag.id, None)
        if not held:
            self.of_object.pop(target, None)

    def delete(self, tag: Tag) -> None:
        """Delete a tag."""
        for target in list(tag.objects):
            self.detach(tag, target)
        del self.tags[tag.id]


def described(state: VCenterState) -> Tags:
    """The tags of a description; their ids are the same at every start."""
    tags = Tags()
    known = dict(_named(state)) if state.description.tag_categories else {}
    for described_category in state.description.tag_categories:
        seed = f"{state.description.name}/{described_category.name}"
        category = Category(
            category_id(seed),
            described_category.name,
            described_category.description,
            described_category.cardinality,
            set(described_category.associable_types),
        )
        tags.categories[category.id] = category
        for one in described_category.tags:
            tag = Tag(tag_id(f"{seed}/{one.name}"), category.id, one.name, one.description)
            tags.tags[tag.id] = tag
            for name in one.objects:
                if why := tags.why_not(tag, known[name]):
                    raise ValueError(f"{state.description.name}, tag {one.name}: {why}")
                tags.attach(tag, known[name])
    return tags


def category_id(seed: str = "") -> str:
    """The id of a category; random without a seed."""
    return f"urn:vmomi:InventoryServiceCategory:{_uuid(seed)}:GLOBAL"


def tag_id(seed: str = "") -> str:
    """The id of a tag; random without a seed."""
    return f"urn:vmomi:InventoryServiceTag:{_uuid(seed)}:GLOBAL"


def exists(state: VCenterState, target: ObjectId) -> bool:
    """Whether the vCenter has such an object; the check creates no host state."""
    ids: dict[str, Collection[str]] = {
        "HostSystem": state.cluster_of,
        "VirtualMachine": state.vm_host,
        "Datastore": state.datastores,
        "StoragePod": state.pods,
    }
    if target.type in ids:
        return target.id in ids[target.type]
    if target.type == "ClusterComputeResource":
        return any(target.id == cluster_id(place) for place in state.cluster_place.values())
    others = (DATACENTER,) if target.type == "Datacenter" else _FOLDERS if target.type == "Folder" else ()
    return any(target.id == one._GetMoId() for one in others)  # noqa: SLF001  pyVmomi's accessor


def _named(state: VCenterState) -> Iterator[tuple[str, ObjectId]]:
    """Everything that a description can attach a tag to, by name."""
    yield state.description.datacenter, ObjectId("Datacenter", DATACENTER._GetMoId())  # noqa: SLF001  as above
    yield from ((name, ObjectId("ClusterComputeResource", cluster_id(place))) for name, place in state.cluster_place.items())
    yield from ((name, ObjectId("HostSystem", moid)) for name, moid in state.host_id.items())
    yield from ((name, ObjectId("Datastore", moid)) for name, moid in state.datastore_id.items())
    yield from ((pod.description.name, ObjectId("StoragePod", moid)) for moid, pod in state.pods.items())
    yield from ((state.vm(moid).name, ObjectId("VirtualMachine", moid)) for moid in state.vm_host)


def _uuid(seed: str) -> uuid.UUID:
    return uuid.uuid5(uuid.NAMESPACE_DNS, seed) if seed else uuid.uuid4()


def _gone(key: str) -> VapiError:
    return VapiError("not_found", [message("cis.tagging.objectNotFound.error", "Tagging object %s not found", key)])
