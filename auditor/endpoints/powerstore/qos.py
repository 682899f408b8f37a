"""QoS of a PowerStore: policies, the I/O limit rules in them, and volume groups that have a policy.

Source: the vendor's OpenAPI definitions of REST 4.1 and 4.4: policy_instance, io_limit_rule_instance, volume_instance and
volume_group_instance (qos_performance_policy_id), all since 4.0. No virtual volume has a ceiling in any of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.endpoints.common.records import Record
from auditor.endpoints.powerstore.enumerations import ABSOLUTE, DENSITY, POLICIES, PRIORITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from auditor.endpoints.common.topics import Row

SINCE = (4, 0)
"""The first release with QoS policies; before it no volume has a ceiling. Source: the definitions, "Was added in version 4.0.0.0"."""

_KIB = 1024
"""Bytes of a KB here. Source: dell/ansible-powerstore, plugins/modules/io_limit_rule.py, whose MB/s are 1,024 KB/s; not verified."""


@dataclass(frozen=True, slots=True)
class Ceilings:
    """What one I/O limit rule allows; None means no ceiling where `is_read` is true and `is_by_size` is false.

    Attributes:
        iops: I/O operations a second.
        burst_iops: up to which they may go for a few seconds, after a time below `iops`.
        is_by_size: its limits are per GB of a volume, so that their number depends on the volume.
        raw: the rule's limits as the array reported them, a JSON object.
    """

    iops: int | None = None
    burst_iops: int | None = None
    bytes_per_second: int | None = None
    is_by_size: bool = False
    raw: str | None = None
    is_read: bool = True

    @property
    def is_known(self) -> bool:
        """Whether the ceiling of every volume under it is known."""
        return self.is_read and not self.is_by_size


UNREAD = Ceilings(is_read=False)


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy by which volumes are held back: its name, and what it allows."""

    name: str | None
    held: Ceilings


@dataclass(slots=True)
class Qos:
    """What was read of it, by id.

    Attributes:
        policies: QoS policies.
        priorities: names of relative priorities, by the id of the performance policy.
        group_of: the volume group with a policy that a volume is in: its id, name and policy's id.
        is_whole: none of the lists was left out.
    """

    policies: dict[str, Policy] = field(default_factory=dict)
    priorities: dict[str, str | None] = field(default_factory=dict)
    group_of: dict[str, tuple[str, str | None, str]] = field(default_factory=dict)
    is_whole: bool = True


def ceilings(rule: Record) -> Ceilings:
    """What an I/O limit rule says; a limit that is null or left out is none. Both hold where there are two."""
    kind = rule.listed("type", (ABSOLUTE, DENSITY), needed=True)
    limits = {name: _limit(rule, name) for name in ("max_iops", "max_bw", "burst_percentage")}
    if kind is None or any(limit is None and rule.value.get(name) is not None for name, limit in limits.items()):
        return UNREAD
    iops, kilobytes, burst = limits["max_iops"], limits["max_bw"], limits["burst_percentage"] or 0
    raw = json.dumps({"type": kind, **{name: limit for name, limit in limits.items() if limit is not None}})
    if kind == DENSITY:
        return Ceilings(is_by_size=True, raw=raw)
    burst_iops = iops * (100 + burst) // 100 if iops is not None and burst else None
    return Ceilings(iops, burst_iops, None if kilobytes is None else kilobytes * _KIB, raw=raw)


def _limit(rule: Record, name: str) -> int | None:
    return None if rule.value.get(name) is None else rule.number(name)


def rules_by_policy(rules: Iterable[Record]) -> dict[str, Ceilings]:
    """What the rules say, by the id of the policies that have them; a policy with two of them is not understood."""
    found: dict[str, Ceilings] = {}
    for rule in rules:
        held = ceilings(rule)
        for policy_id in references(rule, "policies"):
            if policy_id in found:
                rule.parse_errors.add("policies", rule.label, f"has the policy {policy_id}, which is in another rule, too")
            found[policy_id] = UNREAD if policy_id in found else held
    return found


def policies_of(listed: Iterable[Record], held: Mapping[str, Ceilings] | None) -> Qos:
    """QoS policies with what their rules say, and performance policies with their priority.

    Args:
        listed: records of GET policy.
        held: of `rules_by_policy`; None where the rules were not read.
    """
    qos = Qos()
    for policy in listed:
        policy_id = policy.identifier("id") or ""
        kind = POLICIES.get(policy.listed("type", POLICIES, needed=True) or "")
        if kind == "policy":
            found = UNREAD if held is None else held.get(policy_id)
            if found is None:
                policy.parse_errors.add("I/O limit rule", policy.label, "is one that GET io_limit_rule did not list")
            qos.policies[policy_id] = Policy(policy.text("name"), found or UNREAD)
        elif kind == "priority":
            qos.priorities[policy_id] = _priority(policy)
    return qos


def _priority(policy: Record) -> str | None:
    """The priority of a performance policy: that of its only rule. Source: the definitions, performance_rule_instance: io_priority."""
    rules = policy.value.get("performance_rules")
    if not isinstance(rules, list) or len(rules) != 1 or not isinstance(rules[0], dict):
        policy.parse_errors.add("performance_rules", policy.label, "is no list of one rule")
        return None
    return Record(rules[0], policy.label, policy.parse_errors, "performance_rules.").listed("io_priority", PRIORITIES, needed=True)


def references(record: Record, name: str) -> list[str]:
    """The ids in a list of objects that a record refers to; empty where it is null."""
    listed = record.value.get(name)
    if listed is None and name in record.value:
        return []
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        record.parse_errors.add(name, record.label, "is no list of objects")
        return []
    found = [Record(each, record.label, record.parse_errors, f"{name}.").identifier("id") for each in listed]
    return [each for each in found if each is not None]


def group_row(qos: Qos, group: Record) -> Row | None:
    """A row of array_qos_policy of a volume group that has a QoS policy, None of another; `qos` then knows which volumes are in it."""
    group_id = group.identifier("id")
    if group.value.get("qos_performance_policy_id") is None or group_id is None:
        return None
    policy_id = group.identifier("qos_performance_policy_id") or ""
    policy = qos.policies.get(policy_id)
    if policy is None:
        group.parse_errors.add("qos_performance_policy_id", group.label, "is one that GET policy did not list")
    name, members = group.text("name"), references(group, "volumes")
    for volume_id in members:
        if volume_id in qos.group_of:
            group.parse_errors.add("volumes", group.label, "holds a volume that is in another group with a QoS policy, too")
        qos.group_of[volume_id] = (group_id, name, policy_id)
    held = UNREAD if policy is None else policy.held
    return policy_row(group_id, name, held, "volume_group", volumes=len(members))


def policy_row(policy_id: str, name: str | None, held: Ceilings, kind: str, *, volumes: int | None = None) -> Row:
    """A row of array_qos_policy: of a policy, whose volumes each have the ceiling, or a volume group, whose volumes share it.

    Both are inferred from the definitions: "the volume or volume group will accumulate burst credits" (io_limit_rule_instance); not
    verified. What limits by size is of the kind density, whatever has it.
    """
    return {
        "policy_id": policy_id,
        "name": name,
        "kind": "density" if held.is_by_size else kind,
        "max_iops": held.iops,
        "burst_iops": held.burst_iops,
        "max_bytes_per_second": held.bytes_per_second,
        "is_shared": kind == "volume_group",
        "is_read": held.is_known,
        "raw": held.raw,
        "volumes": volumes,
    }


def volume_columns(volume: Record, qos: Qos | None, *, has_qos: bool) -> Row:
    """The columns of array_volume about the QoS of a volume.

    Args:
        volume: a record of GET volume.
        qos: what was read; None where it was not.
        has_qos: the release has QoS policies; without them no volume has a ceiling.
    """
    known = Qos(is_whole=False) if qos is None else qos
    policy_id = None if volume.value.get("qos_performance_policy_id") is None else volume.identifier("qos_performance_policy_id")
    own = Policy(None, Ceilings()) if policy_id is None else known.policies.get(policy_id)
    if own is None and qos is not None:
        volume.parse_errors.add("qos_performance_policy_id", volume.label, "is one that GET policy did not list")
    own = own or Policy(None, UNREAD)
    group_id, group_name, group_policy = known.group_of.get(volume.identifier("id") or "", (None, None, None))
    above = Ceilings() if group_policy is None else known.policies.get(group_policy, Policy(None, UNREAD)).held
    if has_qos and "qos_performance_policy_id" not in volume.value:
        volume.parse_errors.add("qos_performance_policy_id", volume.label, "is missing")
        own = Policy(None, UNREAD)
    priority = volume.value.get("performance_policy_id")
    return {
        "qos_policy_id": policy_id,
        "qos_policy": own.name,
        "qos_max_iops": own.held.iops,
        "qos_burst_iops": own.held.burst_iops,
        "qos_max_bytes_per_second": own.held.bytes_per_second,
        "qos_shared": None if policy_id is None else False,
        "qos_priority": None if priority is None else known.priorities.get(str(priority).lower()),
        "qos_group_id": group_id,
        "qos_group": group_name,
        "qos_group_max_iops": above.iops,
        "qos_group_max_bytes_per_second": above.bytes_per_second,
        "qos_read": not has_qos or (known.is_whole and own.held.is_known and above.is_known),
    }
