"""The storage policies of a vCenter, and the policy of each machine and disk.

The policies of every vCenter are those of 6.7, with ids, texts and the odd name of their author as in govmomi's capture
(pbm/simulator/profiles.go); later releases have more, with unknown ids. A machine or disk on a vVol datastore without a policy of its own
has the datastore's default (vSphere Storage, "Default Storage Policies"); there is none for VMFS and NFS.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from pyVmomi import pbm

from auditor_lab.vcenter.pbm import constraints as constraints_

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from auditor_lab.vcenter.state.datastores import DatastoreState
    from auditor_lab.vcenter.state.vcenter import VCenterState

VSAN_DEFAULT_ID = "aa6d5a82-1c88-45da-85d3-3d74b91a5bad"
VVOL_DEFAULT_ID = "f4e5bade-15a2-4805-bf8e-52318c4ce443"
ENCRYPTION_ID = "4d5f673c-536f-11e6-beb8-9e71128cae77"
PMEM_DEFAULT_ID = "c268da1b-b343-49f7-a468-b1deeb7078e0"
VM, DISK = "virtualMachine", "virtualDiskId"

_ENCRYPTION = "ad5a249d-cbc2-43af-9366-694d7664fa52"
_EPOCH = datetime(2024, 1, 1, tzinfo=UTC)
_SYSTEM_USER = "Temporary user handle"
_FIRST_DISK_KEY = 2000


class Entity(NamedTuple):
    """A machine or disk that can have a policy. Source of the keys: PbmServerObjectRef in the API: vm-1001, and vm-1001:2000 for a disk."""

    kind: str
    key: str

    @property
    def vm(self) -> str:
        """The managed object id of the machine."""
        return self.key.partition(":")[0]


class Given(NamedTuple):
    """A policy with the generation at which it was assigned to an entity."""

    policy: str
    generation: int


class Checked(NamedTuple):
    """The result of the last check of an entity: whether the policy is met, and the capability instances that are not."""

    at: datetime
    holds: bool
    unmet: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """A storage policy; `system_type` is empty for those that administrators made. Every edit raises `generation`."""

    id: str
    name: str
    description: str
    constraints: Any
    system_type: str = ""
    created: datetime = _EPOCH
    created_by: str = _SYSTEM_USER
    updated: datetime = _EPOCH
    updated_by: str = _SYSTEM_USER
    generation: int = 0

    @property
    def data(self) -> Any:
        """PbmCapabilityProfile."""
        return pbm.profile.CapabilityBasedProfile(
            profileId=pbm.profile.ProfileId(uniqueId=self.id),
            name=self.name,
            description=self.description,
            creationTime=self.created,
            createdBy=self.created_by,
            lastUpdatedTime=self.updated,
            lastUpdatedBy=self.updated_by,
            profileCategory="REQUIREMENT",
            resourceType=pbm.profile.ResourceType(resourceType="STORAGE"),
            constraints=self.constraints,
            generationId=self.generation,
            isDefault=False,
            systemCreatedProfileType=self.system_type,
            lineOfService="",
        )


class Policies:
    """The policies and assignments of a vCenter; used under the state's lock.

    Attributes:
        by_id: the policies, in the order they were created.
        given: the assigned policy of every entity that has one.
        defaults: the id of a datastore's default policy by its managed object id, where somebody changed it.
        checked: the result of the last check of an entity.
    """

    def __init__(self, state: VCenterState) -> None:
        self.state = state
        self.started = datetime.now(UTC)
        self.by_id = {one.id: one for one in _system_policies()}
        self.given: dict[Entity, Given] = {}
        self.defaults: dict[str, str] = {}
        self.checked: dict[Entity, Checked] = {}
        if state.description.storage_policies:
            self._start_described()

    def copy(self) -> Policies:
        """A copy that can be written to and discarded."""
        twin = object.__new__(Policies)
        twin.state, twin.started = self.state, self.started
        twin.by_id, twin.given = dict(self.by_id), dict(self.given)
        twin.defaults, twin.checked = dict(self.defaults), dict(self.checked)
        return twin

    def named(self, name: str) -> Policy | None:
        """The policy of this name."""
        return next((one for one in self.by_id.values() if one.name == name), None)

    def create(self, name: str, description: str, constraints: Any, user: str) -> Policy:
        """Add a new policy."""
        now = datetime.now(UTC)
        policy = Policy(str(uuid.uuid4()), name, description, constraints, "", now, user, now, user)
        self.by_id[policy.id] = policy
        return policy

    def edit(self, policy: Policy, user: str, **changed: Any) -> None:
        """Change a policy; its entities are out of date until it is assigned to them again."""
        self.by_id[policy.id] = replace(policy, updated=datetime.now(UTC), updated_by=user, generation=policy.generation + 1, **changed)

    def give(self, entity: Entity, policy: Policy) -> None:
        """Assign a policy in its current state to an entity, instead of the one it has."""
        self.given[entity] = Given(policy.id, policy.generation)
        self.checked.pop(entity, None)

    def of(self, entity: Entity) -> Given | None:
        """The assigned policy of an entity; None without."""
        given = self.given.get(entity)
        if given is not None:
            return given
        store = self.store_of(entity)
        return Given(VVOL_DEFAULT_ID, 0) if store is not None and store.description.type == "VVOL" else None

    def default_of(self, store: DatastoreState) -> str | None:
        """The id of a datastore's default policy; None for VMFS and NFS, which have none."""
        return self.defaults.get(store.moid, VVOL_DEFAULT_ID) if store.description.type == "VVOL" else None

    def having(self, policy: str) -> list[Entity]:
        """The entities that have a policy."""
        return [entity for entity in self.entities() if (given := self.of(entity)) and given.policy == policy]

    def entities(self) -> Iterator[Entity]:
        """Every machine and every disk."""
        for moid in self.state.vm_host:
            yield Entity(VM, moid)
            yield from self.disks_of(moid)

    def disks_of(self, moid: str) -> list[Entity]:
        """The disks of a machine."""
        return [Entity(DISK, f"{moid}:{_FIRST_DISK_KEY + place}") for place in range(len(self.state.vm(moid).disks))]

    def exists(self, entity: Entity) -> bool:
        """Whether the inventory has such a machine or disk."""
        if entity.vm not in self.state.vm_host:
            return False
        return entity.key == entity.vm if entity.kind == VM else entity.kind == DISK and entity in self.disks_of(entity.vm)

    def store_of(self, entity: Entity) -> DatastoreState | None:
        """The datastore that an entity is on now; a machine's own files are with its first disk. None without any disk."""
        disks = self.state.vm(entity.vm).disks
        place = int(entity.key.rpartition(":")[2]) - _FIRST_DISK_KEY if entity.kind == DISK else 0
        return self.state.datastores[self.state.datastore_id[disks[place].datastore]] if disks else None

    def _start_described(self) -> None:
        described = self.state.description
        vms = {self.state.vm(moid).name: moid for moid in self.state.vm_host}
        for described_policy in described.storage_policies:
            if self.named(described_policy.name):
                raise ValueError(f"{described.name} has two storage policies named {described_policy.name!r}")
            key = str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{described.name}/{described_policy.name}"))
            rules = constraints_.described(described_policy.rules, "Rule-Set 1")
            policy = self.by_id[key] = Policy(key, described_policy.name, described_policy.description, rules)
            for entity in (*_machines(described_policy.vms, vms), *self._disks(described_policy.disks, vms)):
                if not self.exists(entity):
                    raise ValueError(f"{described.name} has no {entity.key} to give the storage policy {described_policy.name!r} to")
                self.give(entity, policy)

    def _disks(self, names: Iterable[str], vms: dict[str, str]) -> Iterator[Entity]:
        for name in names:
            if name in vms:
                yield from self.disks_of(vms[name])
            else:
                machine, _, key = name.rpartition(":")
                yield Entity(DISK, f"{vms.get(machine, machine)}:{key}")


def _machines(names: Iterable[str], vms: dict[str, str]) -> list[Entity]:
    return [Entity(VM, vms.get(name, name)) for name in names]


def _system_policies() -> tuple[Policy, ...]:
    encryption = constraints_.capability("com.vmware.storageprofile.dataservice", _ENCRYPTION, {_ENCRYPTION: _ENCRYPTION})
    pmem = constraints_.capability("PMem", "PMemType", {"PMemType": "LocalPMem"})
    return (
        Policy(
            VSAN_DEFAULT_ID,
            "vSAN Default Storage Policy",
            "Storage policy used as default for vSAN datastores",
            constraints_.vsan_default(),
            "VsanDefaultProfile",
        ),
        Policy(
            VVOL_DEFAULT_ID,
            "VVol No Requirements Policy",
            "Allow the datastore to determine the best placement strategy for storage objects",
            pbm.profile.CapabilityConstraints(),
            "VVolDefaultProfile",
        ),
        Policy(
            ENCRYPTION_ID,
            "VM Encryption Policy",
            "Sample storage policy for VMware's VM and virtual disk encryption",
            constraints_.rule_set("sp-1", [encryption], force_provision=False),
        ),
        Policy(
            PMEM_DEFAULT_ID,
            "Host-local PMem Default Storage Policy",
            "Storage policy used as default for Host-local PMem datastores",
            constraints_.rule_set("PMem sub-profile", [pmem]),
            "PmemDefaultProfile",
        ),
    )
