"""Why a failure is left to a person, in words."""

from __future__ import annotations

from auditor.engine.rules.rule import FixRule, Rule


def by_hand_text(rule: Rule) -> str:
    """What a person has to do where no fix is at hand."""
    return rule.by_hand or (rule.fix.reason if rule.fix is not None else None) or rule.title


def blocker_text(rule: Rule, fix: FixRule, obstacle: str) -> str:
    """Why the fix of a rule is not proposed for one failure; `obstacle` is a name of sql.FIX_BLOCKERS."""
    match obstacle:
        case "manual":
            return by_hand_text(rule)
        case "target":
            return f"where to write {fix.column} is not known: one of {', '.join(fix.target)} was not read"
        case "when":
            return rule.by_hand or f"the fix is meant for rows where {fix.when.text if fix.when else ''}"
        case "unread":
            return f"{fix.column} was not read, so a change of it could not be undone"
        case "type":
            return f"{fix.column} holds something that is not of the type the fix would write"
        case "after":
            return f"what {fix.column} should become could not be worked out from what was read"
        case "same":
            return _with_advice(f"{fix.column} is as wanted already, and the rule still fails", rule)
        case "breaks":
            return f"the fix would make another rule fail that wants {fix.column} as it is"
        case _:
            return _with_advice(f"the fix would not settle it: with {fix.column} as the fix sets it the rule would still not pass", rule)


def _with_advice(text: str, rule: Rule) -> str:
    return f"{text}. {rule.by_hand}" if rule.by_hand else text
