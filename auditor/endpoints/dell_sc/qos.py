"""What a QoS profile of a Storage Center limits, read off attributes whose names no public source has.

The class (ScQosProfile), its identity, `profileType` and its two values are known from cinder's client; the limits are not. So an attribute
is taken for a limit only where its name says all of it, by these patterns, whatever their order and case:

* IOPS limit: "iops" with one of limit, limited, max, maximum, cap, ceiling ("iopsLimit", "maxIops");
* bandwidth limit: "bandwidth" or "throughput", or a unit "per second", with one of the same words, and the unit in the name
  ("bandwidthLimitMbPerSecond", "maxKbPerSecond", "throughputLimitMBps") or in the value ("5.24288E7 Bytes", "50 MB/s");
* a switch of either: the same with "enabled", or any such name with true or false as its value ("iopsLimitEnabled", "bandwidthLimited":
  this one is recorded, in the sibling class ScReplicationQosNode);
* priority: "priority", or "relativePriority".

Volume, group, qos, profile, total and value may stand in any of them. Whatever else could be a limit, by its name or because it is a
number, makes the profile one that was not understood, as does a limit that is on without an amount, or an amount without a unit. Such a
profile is never taken for one without limits. Not verified against a real system: one recorded ScQosProfile would settle it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from auditor.endpoints.dell_sc.answers import size_in_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

VOLUME, GROUP = "volume_profile", "group_profile"
KINDS = {"VolumeQosProfile": VOLUME, "GroupQosProfile": GROUP}
"""`profileType` as cinder's client filters by it."""

# What other classes are recorded with as well, and what says nothing of limits.
_HARMLESS = frozenset(
    {
        "instanceid",
        "instancename",
        "objecttype",
        "scname",
        "scserialnumber",
        "name",
        "index",
        "profiletype",
        "notes",
        "usercreated",
        "volumecount",
        "deleteallowed",
        "createuser",
        "modifyuser",
        "datecreated",
        "datemodified",
        "status",
        "statusmessage",
    }
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_CAPITAL_RATE = re.compile(r"([KMG]i?B)ps")  # bytes; a small b would be bits
_FILLER = frozenset({"volume", "group", "qos", "profile", "total", "value", "in", "is"})
_LIMITS = frozenset({"limit", "limited", "max", "maximum", "cap", "ceiling"})
_SWITCHES = frozenset({"enabled", "enable"})
_RATES = frozenset({"bandwidth", "throughput"})
_BYTES = {"bytes": 0, "kb": 1, "kib": 1, "kilobytes": 1, "mb": 2, "mib": 2, "megabytes": 2, "gb": 3, "gib": 3, "gigabytes": 3}
_PER_SECOND = frozenset({"per", "second", "sec"})
_SUSPICIOUS = re.compile("limit|max|min|cap|ceil|iops|band|through|rate|burst|throttl|latency|[kmg]bps", re.IGNORECASE)
_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Limits:
    """What a profile limits. A ceiling of None is none only where `is_read` is true."""

    max_iops: int | None = None
    max_bytes_per_second: int | None = None
    priority: str | None = None
    is_read: bool = False
    why: str = ""  # not everything was understood, in words


@dataclass(slots=True)
class _Limit:
    """What was found of one limit: its amount as reported, the unit in its name as a power of 1024, and its switch."""

    amounts: list[tuple[Any, int | None]] = field(default_factory=list)
    switches: list[bool] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Meaning:
    subject: str  # iops | bandwidth | priority
    unit: int | None = None
    is_switch: bool = False


def limits(profile: Mapping[str, Any], kind: str | None) -> Limits:
    """Limits of `profile`, one ScQosProfile; a profile for volumes counts only with its priority (docs/domain/facts.md#4-6)."""
    by_limit = {"iops": _Limit(), "bandwidth": _Limit()}
    priorities, strange = [], []
    for name, value in profile.items():
        meaning = _meaning(name)
        if meaning is None:
            if _may_limit(name, value):
                strange.append(name)
        elif meaning.subject == "priority":
            priorities.append(value)
        elif meaning.is_switch or isinstance(value, bool):
            by_limit[meaning.subject].switches.append(value is True)
            strange += [] if isinstance(value, bool) else [name]
        else:
            by_limit[meaning.subject].amounts.append((value, meaning.unit))
    iops, why_iops = _ceiling(by_limit["iops"], "IOPS", lambda value, _: _whole(value))
    rate, why_rate = _ceiling(by_limit["bandwidth"], "bandwidth", _rate)
    priority = _priority(priorities)
    whys = [why for why in (why_iops, why_rate) if why]
    whys += ["its priority is not reported, or not once"] if priority is None and (kind == VOLUME or priorities) else []
    whys += [f"nothing is known of {', '.join(sorted(strange))}"] if strange else []
    return Limits(iops, rate, priority, is_read=not whys and kind is not None, why="; ".join(whys))


def threshold_ms(configuration: Mapping[str, Any]) -> int | None:
    """The latency above which priorities count, of an ScConfiguration; None when it is off, or not reported with its unit.

    Taken for it is an attribute whose name says "latency", "threshold" and the unit; a switch that goes with it may switch it off. Its
    name is in no public source. Not verified.
    """
    amounts, switches = [], []
    for name, value in configuration.items():
        words = _words(name) - _FILLER
        if not words >= {"latency", "threshold"}:
            continue
        rest = words - {"latency", "threshold", "milliseconds", "ms", "system"} - _SWITCHES
        if rest:
            return None
        if isinstance(value, bool):
            switches.append(value)
        elif words & {"ms", "milliseconds"}:
            amounts.append(_whole(value))
    return amounts[0] if len(amounts) == 1 and False not in switches else None


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(_CAPITAL_RATE.sub(r"\1PerSecond", name))}


def _meaning(name: str) -> _Meaning | None:
    words = _words(name) - _FILLER
    if words in ({"priority"}, {"relative", "priority"}):
        return _Meaning("priority")
    units = [power for word, power in _BYTES.items() if word in words]
    is_switch, of_rate = bool(words & _SWITCHES), bool(words & _RATES) or (bool(units) and "per" in words)
    rest = words - _LIMITS - _SWITCHES - _RATES - _PER_SECOND - _BYTES.keys() - {"iops"}
    if rest or not words & _LIMITS or len(units) > 1 or of_rate == ("iops" in words):
        return None
    return _Meaning("bandwidth" if of_rate else "iops", units[0] if units else None, is_switch)


def _may_limit(name: str, value: Any) -> bool:
    if name.lower() in _HARMLESS:
        return False
    return _SUSPICIOUS.search(name) is not None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _ceiling(limit: _Limit, what: str, read: Any) -> tuple[int | None, str]:
    """A ceiling, and what was not understood of it."""
    if len(limit.amounts) > 1 or len(limit.switches) > 1:
        return None, f"it reports more than one {what} limit"
    if limit.switches == [False]:
        return None, ""
    if not limit.amounts:
        return None, f"it reports no amount of its {what} limit" if limit.switches else f"it reports no {what} limit by a name we know"
    number = read(*limit.amounts[0])
    if number:
        return number, ""
    # Nobody says that 0 or null is "none" here: without a switch that is off, it stays unknown.
    return None, f"its {what} limit is {limit.amounts[0][0]!r}" + (" without a unit" if what == "bandwidth" else "")


def _whole(value: Any) -> int | None:
    """A whole number above 0, also one that was sent as a string."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)) or len(str(value)) > 40:
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return int(number) if number.is_finite() and number == number.to_integral_value() and 0 < number <= _LARGEST else None


def _rate(value: Any, unit: int | None) -> int | None:
    """Bytes a second above 0, the unit being that of the name or that of the value, and not both."""
    amount = _whole(value)
    if amount is not None:
        rate = None if unit is None else amount * 1024**unit
    else:
        rate = size_in_bytes(value) if isinstance(value, str) and unit is None else None
    return rate if rate and rate <= _LARGEST else None


def _priority(priorities: list[Any]) -> str | None:
    if len(priorities) != 1 or isinstance(priorities[0], bool) or not isinstance(priorities[0], (str, int)) or priorities[0] == "":
        return None
    return str(priorities[0])
