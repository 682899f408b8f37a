"""QoS rules of HPE 3PAR Priority Optimization, and which of them hold for a volume.

A rule is for a volume set, or for all volumes that no other rule is for (sys:all_others). Its ceilings hold for what all its volumes do
together. Where several rules are in force for a volume, the ceiling that is reached first counts.

Source: HP 3PAR StoreServ Concepts Guide for 3.1.3, p. 61 to 63; HP 3PAR OS 3.1.3 CLI Administrator's Manual, p. 156 and 157; the guide of
WSAPI 1.3.1, p. 140 to 147.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor_hpe3par.enumerations import PRIORITIES, SYSTEM, TARGETS, VVSET, word

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row

KB = 1000
"""Bytes of a kilobyte in a rule. Source: the CLI Administrator's Manual, p. 160, of statqos; cinder sends MB times 1000. Not verified."""


@dataclass(frozen=True, slots=True)
class QosRule:
    """One rule.

    Attributes:
        policy_id: its target, for example "vvset:gold".
        target: `VVSET` or `SYSTEM`; None where that was not understood.
        name: of the volume set, or all_others.
        enabled: a rule that is not limits nothing; None where it is not reported.
        max_iops: None is no ceiling where `is_read` is true.
        max_bytes_per_second: likewise.
        min_iops: a goal, which nothing enforces; None for none.
        priority: low | normal | high; None where it is not reported.
        is_read: whether its ceilings were understood.
    """

    policy_id: str
    target: str | None
    name: str
    enabled: bool | None
    max_iops: int | None
    max_bytes_per_second: int | None
    min_iops: int | None
    priority: str | None
    is_read: bool

    def row(self, volumes: int | None) -> Row:
        """A row of array_qos_policy; a rule that is not enabled has no ceilings. `volumes`: how many its set has; None: not known."""
        return {
            "policy_id": self.policy_id,
            "name": self.name,
            "kind": "volume_group" if self.target == VVSET else "policy",
            "min_iops": self.min_iops if self.enabled else None,
            "max_iops": self.max_iops if self.enabled else None,
            "max_bytes_per_second": self.max_bytes_per_second if self.enabled else None,
            "priority": self.priority,
            "is_shared": True,
            "is_read": self.enabled is False or (self.enabled is True and self.is_read),
            "volumes": volumes,
        }


def rule_of(record: Record) -> QosRule:
    """A rule of GET qos; a ceiling that is left out is none (inferred: no source shows the answer for "no limit")."""
    name, target = record.text("name") or "", word(record, "type", TARGETS)
    name = name.removeprefix(f"{SYSTEM}:") if target == SYSTEM else name
    enabled = record.value.get("enabled")
    if not isinstance(enabled, bool):
        record.parse_errors.add("enabled", record.label, "is neither true nor false" if "enabled" in record.value else "is missing")
        enabled = None
    iops, iops_read = _ceiling(record, "ioMaxLimit")
    amount, amount_read = _ceiling(record, "bwMaxLimitKB")
    return QosRule(
        policy_id=f"{target or record.value.get('type')}:{name}",
        target=target,
        name=name,
        enabled=enabled,
        max_iops=iops,
        max_bytes_per_second=None if amount is None else amount * KB,
        min_iops=None if record.value.get("ioMinGoal") is None else record.number("ioMinGoal"),
        priority=word(record, "priority", PRIORITIES, needed=False),
        is_read=target is not None and iops_read and amount_read,
    )


def _ceiling(record: Record, name: str) -> tuple[int | None, bool]:
    """A ceiling, and whether it was understood; a 0 may be one of nothing at all, or none, so that it is not understood."""
    if record.value.get(name) is None:
        return None, True
    number = record.number(name)
    if number == 0:
        record.parse_errors.add(name, record.label, "is 0, of which no source says whether it is a ceiling")
        return None, False
    return number, number is not None


@dataclass(frozen=True, slots=True)
class InForce:
    """The rules that hold for a volume.

    Attributes:
        group: the one that is shown as the volume's group; None: none.
        second: another one, where there are several; of more than two those with the lowest ceilings are taken.
        is_read: whether these are all, and their ceilings were understood.
    """

    group: QosRule | None
    second: QosRule | None
    is_read: bool

    def columns(self) -> Row:
        """The columns qos_* of array_volume."""
        group, second = self.group, self.second
        return {
            "qos_policy_id": second.policy_id if second else None,
            "qos_policy": second.name if second else None,
            "qos_max_iops": second.max_iops if second else None,
            "qos_max_bytes_per_second": second.max_bytes_per_second if second else None,
            "qos_shared": True if second else None,
            "qos_group_id": group.policy_id if group else None,
            "qos_group": group.name if group else None,
            "qos_group_max_iops": group.max_iops if group else None,
            "qos_group_max_bytes_per_second": group.max_bytes_per_second if group else None,
            "qos_read": self.is_read,
        }


UNREAD = InForce(None, None, is_read=False)


def in_force(sets: Collection[str], rules: Iterable[QosRule]) -> InForce:
    """The rules that hold for a volume which is in these sets.

    A rule whose target was not understood may hold for it. Where it has only rules that are not enabled, no source says whether
    sys:all_others holds for it.
    """
    listed = sorted(rules, key=lambda rule: rule.policy_id)
    named = [rule for rule in listed if rule.target == VVSET and rule.name in sets]
    others = [rule for rule in listed if rule.target == SYSTEM and rule.enabled is not False]
    is_known = all(rule.target is not None or rule.enabled is False for rule in listed)
    active = [rule for rule in named if rule.enabled is not False]
    if not active and not named:
        active = others
    elif not active and others:
        is_known = False
    is_read = is_known and all(rule.enabled is True and rule.is_read for rule in active)
    certain = [rule for rule in active if rule.enabled]
    group = _lowest(certain, {rule.policy_id: rule.max_iops for rule in certain})
    rest = [rule for rule in certain if rule is not group]
    return InForce(group, _lowest(rest, {rule.policy_id: rule.max_bytes_per_second for rule in rest}), is_read)


def _lowest(rules: list[QosRule], ceilings: Mapping[str, int | None]) -> QosRule | None:
    """The rule with the lowest ceiling; the first one where none has any."""
    return min(rules, key=lambda rule: (ceilings[rule.policy_id] is None, ceilings[rule.policy_id] or 0), default=None)
