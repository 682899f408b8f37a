"""The requirements of storage policies as the API's data objects: made from descriptions, and read."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import pbm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from auditor_lab.vcenter.description.policies import StorageRuleDescription

TAG_NAMESPACE = "http://www.vmware.com/storage/tag"
VSAN_NAMESPACE = "VSAN"

# Source: govmomi's capture of a vCenter 6.7 (pbm/simulator/profiles.go).
VSAN_DEFAULT: Mapping[str, int | bool] = MappingProxyType(
    {"hostFailuresToTolerate": 1, "stripeWidth": 1, "forceProvisioning": False, "proportionalCapacity": 0, "cacheReservation": 0}
)


def described(rules: Iterable[StorageRuleDescription], name: str) -> Any:
    """One rule set called `name` from the rules of a description; rules on one capability become one constraint of several properties."""
    by_capability: dict[tuple[str, str], list[StorageRuleDescription]] = {}
    for rule in rules:
        by_capability.setdefault((rule.namespace, rule.capability), []).append(rule)
    return rule_set(
        name,
        [
            capability(namespace, key, {_property_of(rule): _wire_value(rule.value) for rule in held})
            for (namespace, key), held in by_capability.items()
        ],
    )


def rule_set(name: str, capabilities: list[Any], *, force_provision: bool | None = None) -> Any:
    """PbmCapabilitySubProfileConstraints of one subprofile."""
    constraints = pbm.profile.SubProfileCapabilityConstraints
    return constraints(subProfiles=[constraints.SubProfile(name=name, capability=capabilities, forceProvision=force_provision)])


def capability(namespace: str, key: str, properties: Mapping[str, Any]) -> Any:
    """PbmCapabilityInstance: requirements of one capability."""
    held = [pbm.capability.PropertyInstance(id=name, value=value) for name, value in properties.items()]
    return pbm.capability.CapabilityInstance(
        id=pbm.capability.CapabilityMetadata.UniqueId(namespace=namespace, id=key),
        constraint=[pbm.capability.ConstraintInstance(propertyInstance=held)],
    )


def vsan_default() -> Any:
    """The requirements of the policy for vSAN datastores until somebody edits it."""
    return rule_set("VSAN sub-profile", [capability(VSAN_NAMESPACE, key, {key: value}) for key, value in VSAN_DEFAULT.items()])


def rule_sets(constraints: Any) -> list[list[Any]]:
    """The capability instances of every subprofile; one subprofile that is met is enough. Empty without requirements."""
    return [list(one.capability) for one in getattr(constraints, "subProfiles", None) or ()]


def properties(instance: Any) -> Iterator[Any]:
    """The property instances of a capability instance; all of them have to be met."""
    for constraint in instance.constraint:
        yield from constraint.propertyInstance


def names_in(value: Any) -> list[str]:
    """The names of a set, or a single name."""
    return [str(one) for one in value.values] if isinstance(value, pbm.capability.types.DiscreteSet) else [str(value)]


def _property_of(rule: StorageRuleDescription) -> str:
    """The property of tags is named after the category. Source: govmomi, cli/storage/policy/create.go."""
    return rule.property or (f"com.vmware.storage.tag.{rule.capability}.property" if rule.namespace == TAG_NAMESPACE else rule.capability)


def _wire_value(value: bool | int | str | tuple[str, ...]) -> Any:
    return pbm.capability.types.DiscreteSet(values=list(value)) if isinstance(value, tuple) else value
