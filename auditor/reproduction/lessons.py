"""Which lesson a rule teaches, as far as load can show it, and why the others cannot be shown by load.

The lessons are those of the five incidents: docs/domain/incidents.md#s0 to docs/domain/incidents.md#s4.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.model import Finding


class Lesson(StrEnum):
    """What a load shows."""

    THROTTLED_NEIGHBOUR = "throttled neighbour"  # docs/domain/incidents.md#s0
    SIOC_AGAINST_QOS = "Storage I/O Control against array QoS"  # docs/domain/incidents.md#s1
    QUEUE_DEPTH = "queue depth"  # docs/domain/incidents.md#s2
    BACKGROUND = "background work"  # docs/domain/incidents.md#s3
    OFFLOAD = "hardware offload"  # docs/domain/incidents.md#s4


_RULES: Mapping[Lesson, tuple[str, ...]] = {
    Lesson.THROTTLED_NEIGHBOUR: (
        "diag/noisy-neighbour-signature",
        "qos/element-effective-iops",
        "qos/element-large-block-bandwidth",
        "qos/element-throttled-volume",
        "qos/host-limit-below-array-limit",
        "qos/shared-queue-throttle",
        "vvol/nfnic-depth",
        "vvol/pe-count",
        "vvol/pe-default-option",
        "vvol/pe-dsnro-headroom",
        "vvol/pe-uniform",
        "vvol/shared-pe-not-isolation",
    ),
    Lesson.SIOC_AGAINST_QOS: (
        "qos/one-throttler",
        "qos/sc-profile-priority",
        "sdrs/io-metric-off",
        "sioc/active-time",
        "sioc/overlap-array-qos",
    ),
    Lesson.QUEUE_DEPTH: (
        "baseline/dsnro",
        "baseline/queue-depth",
        "diag/array-vs-host",
        "diag/kavg",
        "diag/queue-full",
        "queue/adapter-oversubscription",
        "queue/default-unless-justified",
        "queue/device-depth-uniform",
        "queue/driver-depth",
        "queue/dsnro-effective",
        "queue/dsnro-uniform",
        "queue/emulex-instance-scope",
        "queue/pending-reboot",
        "queue/raise-both",
        "vm/controller",
        "vm/disk-spread",
    ),
    Lesson.BACKGROUND: (
        "ontap/aggregate-headroom",
        "ontap/background-share",
        "ontap/dedupe-priority",
        "ontap/dedupe-window",
        "ontap/disk-busy",
        "ontap/disk-iops",
        "ontap/scrub-window",
        "ontap/snapmirror-frequency",
        "ontap/snapmirror-stagger",
    ),
    Lesson.OFFLOAD: (
        "vaai/enabled",
        "vaai/eternus-dx-s1-firmware",
        "vaai/mixed-host-scope",
        "vaai/stale-workaround",
        "vaai/uniform",
        "vaai/xcopy-size",
    ),
}
_LESSONS = {rule: lesson for lesson, rules in _RULES.items() for rule in rules}

_NOT_BY_LOAD: Mapping[str, str] = {
    "vaai/ats-heartbeat": "a lost heartbeat takes a path failure or a loss of locks, and that is an outage.",
    "vaai/lockmode": "hosts that lock in different ways corrupt a volume or lose it; nobody tries that on purpose.",
    "vaai/locking-guard": "hosts that lock in different ways corrupt a volume or lose it; nobody tries that on purpose.",
    "vaai/copy-between-arrays": "it is about a move that runs or is planned; a move that is started to show it copies as much again.",
    "diag/aborts-resets": "commands are given up after a fault or an overload of the array, which nobody causes on purpose.",
    "diag/davg": "it says that the array itself is slow; more load shows no more than that. Look at the array.",
}
_NOT_BY_LOAD_OF_TOPIC: Mapping[str, str] = {
    "array": "it is what the array reports of itself; its own page of alerts shows it.",
    "baseline": "it says that a setting is not as it was; read the setting.",
    "datastore": "a mount that a host does not reach carries no load.",
    "diag": "it is a measurement already.",
    "iscsi": "it shows when a path or a session fails, not under load.",
    "multipath": "it shows when a path fails, or in counters of each path; load alone shows no difference that is safe to make.",
    "ontap": "it is about how the array was set up; read the setting.",
    "qos": "it is about the limits as such: the array's own page of the policy shows it.",
    "queue": "it is about a setting that load does not reach, or only where the array says that its queue is full.",
    "sdrs": "it shows when Storage DRS decides to move a machine, which takes hours and moves data.",
    "sioc": "it is about where Storage I/O Control may be on at all; read the setting.",
    "vaai": "it is about space or support, not about speed under load.",
    "vm": "it is about a limit on the machine's own disk; its owner sees it in the settings of the machine.",
    "vvol": "it is about support, paths or defaults; no load that is safe shows it.",
    "flasharray": "it is about how the array knows a host; it shows when paths fail.",
}
_UNKNOWN_RULE = "the rule is not one of ours, so it is not known which load shows it."


def lesson_of(finding: Finding) -> Lesson | None:
    """The lesson that load can show; None: see `why_not`."""
    if finding.rule == "queue/raise-both" and finding.evidence.get("is_protocol_endpoint") is True:
        return Lesson.THROTTLED_NEIGHBOUR  # the queue that all virtual volumes share
    return _LESSONS.get(finding.rule)


def why_not(rule: str) -> str:
    """Why no load shows what the rule judges, as a sentence."""
    return _NOT_BY_LOAD.get(rule) or _NOT_BY_LOAD_OF_TOPIC.get(rule.partition("/")[0], _UNKNOWN_RULE)
