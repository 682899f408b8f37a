"""The state of a simulated Element cluster: its description, and everything written since the start."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from auditor_lab.arrays.element.description import NodeDescription

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from auditor_lab.arrays.element.description import (
        ElementDescription,
        LimitsDescription,
        LoadDescription,
        QosDescription,
        VolumeDescription,
        VvolDescription,
    )

_FIELDS = ("minIOPS", "maxIOPS", "burstIOPS")


class ElementError(Exception):
    """An error object that a method answers with instead of a result."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name
        self.message = message


@dataclass(slots=True)
class Qos:
    """The limits in their current state; the curve cannot be written. Source: docs/domain/arrays.md#element, "Read only in practice"."""

    limits: dict[str, int]
    curve: Mapping[int, int]

    @staticmethod
    def of(description: QosDescription) -> Qos:
        """The limits of a description, unchecked: a real cluster can hold some that this release refuses (docs/domain/incidents.md#s0)."""
        return Qos(dict(zip(_FIELDS, (description.min, description.max, description.burst), strict=True)), description.costs)


@dataclass(slots=True)
class Policy:
    """A QoS policy in its current state."""

    id: int
    name: str
    qos: Qos


@dataclass(slots=True)
class Volume:
    """A volume in its current state; `vvol` is the description of the vVol on it, if it carries one."""

    id: int
    name: str
    size_bytes: int
    status: str
    policy: Policy | None
    own_qos: Qos
    load: LoadDescription
    access_groups: tuple[str, ...] = ()
    overrides: bool = False  # its own limits apply although it has a policy
    vvol: VvolDescription | None = None
    vvol_id: str | None = None
    node: int | None = None
    bindings: list[int] = field(default_factory=list)

    @property
    def qos(self) -> Qos:
        """The limits that apply: the policy's if there is one that is not overridden."""
        return self.own_qos if self.policy is None or self.overrides else self.policy.qos


@dataclass(frozen=True, slots=True)
class AccessGroup:
    """A volume access group with the names of its initiators by id."""

    id: int
    name: str
    initiators: Mapping[int, str]
    require_chap: bool


@dataclass(frozen=True, slots=True)
class Binding:
    """One vVol that one host has open through one protocol endpoint."""

    id: int
    volume: Volume
    host: str
    node: int


Written: TypeAlias = tuple[list[tuple[Policy, Qos, str]], list[tuple[Volume, Qos, Policy | None, bool]]]


class Cluster:
    """The state that answers are made from; writes stay until the server stops. Callers serialise access.

    Args:
        description: what the cluster holds at the start.
        account: user name of its only account.
    """

    def __init__(self, description: ElementDescription, account: str = "") -> None:
        self.description = description
        self.account = account
        self.policies = {
            place: Policy(place, policy.name, Qos.of(policy.qos)) for place, policy in enumerate(description.qos_policies, start=1)
        }
        self._by_name = {policy.name: policy for policy in self.policies.values()}
        self.volumes: dict[int, Volume] = {}
        self.bindings: dict[int, Binding] = {}
        self._make_volumes()
        self._make_vvols()
        self.virtual = {volume.vvol_id: volume for volume in self.volumes.values() if volume.vvol_id is not None}
        self.access_groups = _access_groups(description, self.volumes.values())

    def add_node(self, name: str | None = None) -> NodeDescription:
        """Add an active storage node with its protocol endpoint; without `name` its name follows from the cluster's name and the id.

        Bound vVols stay on their endpoints: whether and when a real cluster moves bindings to a new node is not known.
        """
        number = max((node.id for node in self.description.nodes), default=0) + 1
        node = NodeDescription(number, name or f"{self.description.name}-node-{number}")
        self.description = replace(self.description, nodes=(*self.description.nodes, node))
        return node

    def modify_volume(self, volume_id: Any, changes: dict[str, Any]) -> Volume:
        """Change a volume's limits or its policy; remove the parameters it understands from `changes`.

        Source: API reference, ModifyVolume: `qos` and `qosPolicyID` exclude each other; `associateWithQoSPolicy` false removes the
        association, and limits that are not given "remain the same". Whether `qos` alone removes it too, and the name of the error for both
        at once, are not verified.
        """
        volume = self.volumes.get(volume_id)
        if volume is None:
            raise ElementError("xVolumeIDDoesNotExist", f"VolumeID {volume_id} does not exist.")
        qos, policy_id = changes.pop("qos", None), changes.pop("qosPolicyID", None)
        associate = changes.pop("associateWithQoSPolicy", None)
        if qos is not None and policy_id is not None:
            raise ElementError("xInvalidParameter", "The parameters qos and qosPolicyID are mutually exclusive.")
        if policy_id is not None and associate is not False:
            volume.policy, volume.overrides = self.policy(policy_id), False
            return volume
        wanted = self._checked(volume.qos, qos) if qos is not None else volume.qos
        if qos is not None or associate is False:
            volume.own_qos = Qos(dict(wanted.limits), wanted.curve)
            keeps = self.description.custom_qos_keeps_policy and associate is not False
            volume.policy = volume.policy if keeps else None
            volume.overrides = volume.policy is not None
        return volume

    def modify_policy(self, policy_id: Any, qos: Any, name: Any) -> Policy:
        """Change a policy, and with it every volume that uses it; limits left out stay. Source: API reference, ModifyQoSPolicy."""
        policy = self.policy(policy_id)
        if qos is not None:
            policy.qos = self._checked(policy.qos, qos)
        if name is not None:
            policy.name = str(name)
        return policy

    def policy(self, policy_id: Any) -> Policy:
        """A policy by its id. The error's name comes from public clients; its text is not verified."""
        policy = self.policies.get(policy_id)
        if policy is None:
            raise ElementError("xQoSPolicyDoesNotExist", f"QoSPolicyID {policy_id} does not exist.")
        return policy

    def written(self) -> Written:
        """A copy of everything that can be written."""
        policies = [(one, one.qos, one.name) for one in self.policies.values()]
        return policies, [(one, one.own_qos, one.policy, one.overrides) for one in self.volumes.values()]

    def reset_options(self, before: Written) -> None:
        """Restore the state of `written`."""
        for policy, qos, name in before[0]:
            policy.qos, policy.name = qos, name
        for volume, own_qos, used, overrides in before[1]:
            volume.own_qos, volume.policy, volume.overrides = own_qos, used, overrides

    def volumes_of(self, policy: Policy) -> list[int]:
        """Ids of the volumes that use a policy."""
        return [volume.id for volume in self.volumes.values() if volume.policy is policy]

    def _make_volumes(self) -> None:
        for volume_id, one in zip(self.description.volume_ids(), self.description.volumes, strict=True):
            policy = None if one.policy is None else self._by_name[one.policy]
            own = Qos.of(one.qos or self.description.default_qos)
            self.volumes[volume_id] = Volume(
                volume_id, one.name, one.size_bytes, one.status, policy, own, one.load, one.access_groups, _overrides(one)
            )
        self.volumes = dict(sorted(self.volumes.items()))

    def _make_vvols(self) -> None:
        described = self.description
        for place, (volume_id, one) in enumerate(zip(described.vvol_volume_ids(), described.vvols, strict=True)):
            policy = None if one.policy is None else self._by_name[one.policy]
            own = Qos.of(one.qos or described.default_qos)
            volume = Volume(volume_id, one.name, one.size_bytes, "active", policy, own, one.load, overrides=_overrides(one))
            volume.vvol, volume.vvol_id, volume.node = one, described.vvol_id(one), described.vvol_node(place)
            self.volumes[volume_id] = volume
            if volume.node is None:
                continue
            for host in one.bound_by:
                binding = Binding(len(self.bindings) + 1, volume, host, volume.node)
                self.bindings[binding.id] = binding
                volume.bindings.append(binding.id)

    def _checked(self, before: Qos, requested: Any) -> Qos:
        """`before` with the requested limits, if GetLimits allows them. The error's text is not verified."""
        if not isinstance(requested, dict):
            raise ElementError("xInvalidParameter", "qos must be a JSON object.")
        limits = before.limits | {name: value for name, value in requested.items() if name in _FIELDS}
        for name in _FIELDS:
            floor, ceiling = allowed(self.description.limits)[name]
            value = limits[name]
            # Only the requested limits are checked: it must stay possible to fix an old policy below the limits field by field.
            if name in requested and (type(value) is not int or not floor <= value <= ceiling):
                raise ElementError("xInvalidParameter", f"{name} must be between {floor} and {ceiling}, was {value}.")
        if not limits["minIOPS"] <= limits["maxIOPS"] <= limits["burstIOPS"]:
            raise ElementError("xInvalidParameter", "minIOPS must not exceed maxIOPS, nor maxIOPS burstIOPS.")
        return Qos(limits, before.curve)


def allowed(limits: LimitsDescription) -> dict[str, tuple[int, int]]:
    """The allowed values of each field of a QoS object."""
    return {
        "minIOPS": (limits.min_iops_floor, limits.min_iops_ceiling),
        "maxIOPS": (limits.max_iops_floor, limits.max_iops_ceiling),
        "burstIOPS": (limits.burst_iops_floor, limits.burst_iops_ceiling),
    }


def _overrides(description: VolumeDescription | VvolDescription) -> bool:
    return description.policy is not None and description.qos is not None


def _access_groups(description: ElementDescription, volumes: Iterable[Volume]) -> tuple[AccessGroup, ...]:
    """The groups of the description, then those that only volumes name; ids of groups and initiators count from 1."""
    described = {group.name: group for group in description.access_groups}
    others = sorted({name for volume in volumes for name in volume.access_groups} - set(described))
    numbers = {name: place for place, name in enumerate(dict.fromkeys(each for one in described.values() for each in one.initiators), 1)}
    groups = []
    for place, name in enumerate((*described, *others), 1):
        group = described.get(name)
        initiators = {numbers[each]: each for each in group.initiators} if group else {}
        groups.append(AccessGroup(place, name, initiators, bool(group and group.require_chap)))
    return tuple(groups)
