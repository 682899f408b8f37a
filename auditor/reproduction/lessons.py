"""Which lesson a rule teaches, as far as load can show it, and why the others cannot be shown by load.

The rule's file says it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.model import Finding, Lesson, Reproduction

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


def why_not(reproduction: Reproduction | None) -> str:
    """Why no load shows what the rule judges whose file says `reproduction`, as a sentence."""
    return _UNKNOWN_RULE if reproduction is None or not reproduction.why_not else reproduction.why_not
