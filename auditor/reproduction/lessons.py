"""Which lesson a rule teaches, as far as load can show it, and why the others cannot be shown by load.

The rule's file says it. What it says nothing of is answered by its topic.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.model import Finding, Lesson, Reproduction

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
_UNKNOWN_RULE = "the rule's file does not say which load shows it, or the rule was not loaded (--rules DIR)."


def lesson_of(reproduction: Reproduction | None, finding: Finding) -> Lesson | None:
    """The lesson that load can show; None: see `why_not`.

    Args:
        reproduction: what the rule's file says; None: nothing, or the rule is not there.
        finding: of that rule.
    """
    if reproduction is None:
        return None
    if reproduction.endpoint_lesson is not None and finding.evidence.get("is_protocol_endpoint") is True:
        return reproduction.endpoint_lesson
    return reproduction.lesson


def why_not(reproduction: Reproduction | None, rule: str) -> str:
    """Why no load shows what the rule with the id `rule` judges, as a sentence."""
    if reproduction is not None and reproduction.why_not:
        return reproduction.why_not
    return _NOT_BY_LOAD_OF_TOPIC.get(rule.partition("/")[0], _UNKNOWN_RULE)
