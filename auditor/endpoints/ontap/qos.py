"""QoS of ONTAP: what a policy allows, and which policies hold for a volume."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row

BYTES_PER_MB = 1_000_000
"""Of max_throughput_mbps. Source: ONTAP command reference, qos policy-group modify: "the units are base ten". Other clients of ONTAP
(OpenStack) take a MB for 1,048,576 bytes; not verified against a real system."""

FIRST_WITH_BURST = (9, 19)
"""The first release whose policies report how far they let a volume go above its ceiling. Source: netapp-ontap 9.19.1, QosPolicyBurst,
which 9.18.1 has not. Until then, and where nothing was set, it is 50 % for a second (docs/domain/facts.md#7-8)."""

_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*(iops|[kmgt]?b/s)", re.IGNORECASE)
_SCALE = {"b/s": 1, "kb/s": 10**3, "mb/s": 10**6, "gb/s": 10**9, "tb/s": 10**12}
_NO_POLICY = frozenset({"", "none", "-"})


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy group as far as a volume's row needs it; ceilings None are none where `is_read`."""

    policy_id: str
    name: str | None
    min_iops: int | None
    max_iops: int | None
    max_bytes_per_second: int | None
    is_shared: bool | None
    is_read: bool
    burst_iops: int | None = None
    is_adaptive: bool = False  # its ceilings go by the size of what it is given to: a view works them out


@dataclass(frozen=True, slots=True)
class Reference:
    """How a record names the policy it is under; both None when it is under none."""

    policy_id: str | None = None
    name: str | None = None
    is_known: bool = True  # False: whether there is one is not known

    @property
    def is_one(self) -> bool:
        """Whether there is a policy."""
        return self.policy_id is not None or self.name is not None


NO_POLICY = Reference()
NOT_KNOWN = Reference(is_known=False)


def policy_row(policy: Record) -> Row:
    """A row of array_qos_policy.

    The limits of an adaptive policy go by the size of each object that it is given to, so that it has no ceiling of its own:
    its limits are in `raw`, and is_read is false. A fixed one without limits lets everything pass, 0 likewise. A burst that was set is in
    `raw`, too, under its own name.

    Source: netapp-ontap, QosPolicyFixed ("0 means no maximum throughput is enforced"), QosPolicyAdaptive, QosPolicyBurst.
    """
    fixed, adaptive, burst = (optional(policy, name) for name in ("fixed", "adaptive", "burst"))
    row: Row = {
        "policy_id": policy.identifier("uuid"),
        "name": policy.text("name"),
        "kind": "fixed" if fixed else "adaptive" if adaptive else None,
        "min_iops": None,
        "max_iops": None,
        "burst_iops": None,
        "max_bytes_per_second": None,
        "is_shared": False if adaptive else None,  # "policies are enforced individually amongst storage objects"
        "is_read": False,
        "raw": None,
        "volumes": policy.number("object_count"),
    }
    limits = fixed or adaptive
    if limits is None or (fixed and adaptive):
        policy.parse_errors.add("fixed or adaptive", policy.label, "are both there" if limits else "are both missing")
        return row
    reported = {**limits.value, **({} if burst is None else {"burst": dict(burst.value)})}
    row["raw"] = json.dumps(reported, sort_keys=True, default=str)
    if fixed is None:
        return row
    shared = fixed.value.get("capacity_shared")
    if not isinstance(shared, bool):
        fixed.parse_errors.add("fixed.capacity_shared", fixed.label, "is not reported")
    known = [_limit(fixed, name) for name in ("min_throughput_iops", "max_throughput_iops", "max_throughput_mbps")]
    least, most = _rates(fixed, "min_throughput"), _rates(fixed, "max_throughput")
    megabytes, most_iops = known[2][0], known[1][0] or most.iops
    burst_iops, burst_is_read = _burst(burst, most_iops)
    # The text is more precise than whole megabytes; of operations both know the same.
    return row | {
        "min_iops": known[0][0] or least.iops,
        "max_iops": most_iops,
        "burst_iops": burst_iops,
        "max_bytes_per_second": most.bytes_per_second or (megabytes and megabytes * BYTES_PER_MB),
        "is_shared": shared if isinstance(shared, bool) else None,
        "is_read": all(understood for _, understood in known)
        and burst_is_read
        and least.is_read
        and most.is_read
        and isinstance(shared, bool),
    }


def _burst(burst: Record | None, max_iops: int | None) -> tuple[int | None, bool]:
    """The IOPS up to which a ceiling lets its volumes go for a while, where that was set, and whether it was understood; 0 sets nothing."""
    if burst is None:
        return None, True
    given = {name: burst.number(name) for name in ("iops", "percent", "duration") if burst.value.get(name) is not None}
    iops, percent = given.get("iops") or 0, given.get("percent") or 0
    is_set = max_iops is not None and (iops or percent)
    return max(iops, max_iops * (100 + percent) // 100) if is_set and max_iops else None, None not in given.values()


def _limit(fixed: Record, name: str) -> tuple[int | None, bool]:
    """A limit, and whether it was understood; 0 and one that is left out are none."""
    if name not in fixed.value:
        return None, True
    value = fixed.number(name)
    return value or None, value is not None


@dataclass(frozen=True, slots=True)
class _Rates:
    """A throughput in words; 0, and what is not in it, is None."""

    iops: int | None = None
    bytes_per_second: int | None = None
    is_read: bool = True


def _rates(fixed: Record, name: str) -> _Rates:
    """A throughput as the private command line and some releases write it: "900KB/s", "5000IOPS", "15000IOPS,468.8MB/s", in any case.

    Source: REST reference 9.17, QosPolicyFixed.max_throughput: a text, or a list of them in the printed example; docs/domain/facts.md#7-6.
    """
    value = fixed.value.get(name)
    iops = rate = None
    for text in value if isinstance(value, list) else [] if value is None else [value]:
        for part in str(text).split(","):
            match = _RATE.fullmatch(part.strip())
            if match is None and part.strip().lower() not in ("0", "inf", "none", "-", ""):
                fixed.parse_errors.add(f"fixed.{name}", fixed.label, "is not a throughput")
                return _Rates(is_read=False)
            if match is not None and match[2].lower() == "iops":
                iops = round(float(match[1]))
            elif match is not None:
                rate = round(float(match[1]) * _SCALE[match[2].lower()])
    return _Rates(iops or None, rate or None)


def policy_of(row: Row) -> Policy:
    """What volumes need of a row of array_qos_policy."""
    names = ("policy_id", "name", "min_iops", "max_iops", "burst_iops", "max_bytes_per_second", "is_shared", "is_read")
    return Policy(**{name: row[name] for name in names}, is_adaptive=row["kind"] == "adaptive")


def reference_of(holder: Record | None, name: str) -> Reference:
    """The policy that a record names under `name`; left out, or without a name, it is under none."""
    policy = optional(holder, name) if holder is not None else None
    if policy is None:
        not_known = holder is not None and holder.value.get(name) is not None
        return NOT_KNOWN if not_known else NO_POLICY
    uuid, label = policy.optional_text("uuid"), policy.optional_text("name")
    if uuid is None and (label or "").lower() in _NO_POLICY:
        return NO_POLICY
    return Reference(uuid and uuid.lower(), label)


def qos_columns(record: Record, own_policy: Reference, around: tuple[Reference, ...], policies: Mapping[str, Policy]) -> Row:
    """The QoS columns of a volume: its own policy, and one of those that hold around it (the containing volume's, the SVM's).

    With two around it, which there is no place for, the first is reported and qos_read is false. An adaptive policy has its limits
    in its own row, and counts as read.

    Source: ONTAP command reference, qos settings nested-qos-svm-vol: an SVM's policy and a volume's hold together.
    """
    outer = [each for each in around if each.is_one]
    first = outer[0] if outer else NO_POLICY
    mine, theirs = _resolved(record, own_policy, policies), _resolved(record, first, policies)
    whole = all(each.is_known for each in (own_policy, *around)) and len(outer) <= 1
    for reference, policy in ((own_policy, mine), (first, theirs)):
        whole = whole and (policy.is_read or policy.is_adaptive if policy else not reference.is_one)
    return {
        "qos_policy_id": own_policy.policy_id,
        "qos_policy": mine.name if mine else own_policy.name,
        "qos_min_iops": mine and mine.min_iops,
        "qos_max_iops": mine and mine.max_iops,
        "qos_burst_iops": mine and mine.burst_iops,
        "qos_max_bytes_per_second": mine and mine.max_bytes_per_second,
        "qos_shared": mine and mine.is_shared,
        "qos_group_id": first.policy_id,
        "qos_group": theirs.name if theirs else first.name,
        "qos_group_max_iops": theirs and theirs.max_iops,
        "qos_group_max_bytes_per_second": theirs and theirs.max_bytes_per_second,
        "qos_read": whole,
    }


def _resolved(record: Record, reference: Reference, policies: Mapping[str, Policy]) -> Policy | None:
    if not reference.is_one:
        return None
    policy = policies.get(reference.policy_id or "")
    if policy is None:
        named = reference.name or reference.policy_id
        record.parse_errors.add("qos policy", record.label, f"is {named}, which storage/qos/policies did not list")
    return policy


def optional(record: Record, name: str) -> Record | None:
    """An object within a record that may be left out or null: None then, without a parse error."""
    return None if record.value.get(name) is None else record.inner(name)
