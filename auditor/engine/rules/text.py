"""The texts of a rule that reports show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.engine.rules.message import shown_units
from auditor.model import RuleText

if TYPE_CHECKING:
    from auditor.engine.rules.rule import Rule


def hand_text(rule: Rule) -> str:
    """What a person does about a failure; where the rule says nothing of that, what its fix sets, and why."""
    if rule.by_hand or rule.fix is None:
        return rule.by_hand or rule.title
    reason = f": {rule.fix.reason}" if rule.fix.reason else ""
    return f"Set what fails to the value that is wanted{reason}."


def text_of(rule: Rule) -> RuleText:
    """The texts of a rule, with the units of its values."""
    fix = None if rule.fix is None else f"{rule.fix.remediator}: {rule.fix.column} = {rule.fix.value.text} ({rule.fix.class_text})"
    fix_text = "\n".join(part for part in (fix, hand_text(rule)) if part)
    unknown_text, units = rule.if_unknown or "", shown_units(rule)
    of_rule = rule.id, rule.title, rule.severity, rule.lesson, rule.sources
    return RuleText(*of_rule, fix_text, unknown_text, rule.documents, units, rule.failure_title)
