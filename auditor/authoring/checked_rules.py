"""Writes engine/checked_rules.json: the shipped rules as the engine has found them sound.

Run as ``python -m auditor.authoring.checked_rules DIRECTORY`` (`make checked-rules`) when rules, views or the code that checks rules
changed.
"""

from __future__ import annotations

import re
import sys
from importlib import resources
from pathlib import Path

from auditor.bounds.files import read_bytes
from auditor.engine.rules.checked import FILE, CheckedRule, encoded, rule_digest
from auditor.engine.rules.loading import load_rules
from auditor.engine.rules.rule import Rule
from auditor.errors import RuleError
from auditor.facts.catalog import view_columns
from auditor.model.endpoint_kinds import package_types

_SUBJECT = re.compile(r"\{resource_name(:[^{}]*)?\}( on \{host\})?: ")


def main() -> None:
    """Check every rule below the directory given and write the file."""
    Path(str(resources.files("auditor.engine") / FILE)).write_text(checked_text(Path(sys.argv[1])), encoding="utf-8")


def checked_text(directory: Path) -> str:
    """What the file has to say about the rules below `directory`.

    Raises:
        RuleError: one of them has a mistake, or no message: only authors of rules of their own need those.
    """
    remediators = [name for one in package_types() for name in one.settings]
    rules = load_rules([directory], view_columns(), remediators)
    mistakes = [f"{rule.path}:1: {mistake}" for rule in rules if (mistake := _message_mistake(rule))]
    if mistakes:
        raise RuleError(
            "\n       ".join(mistakes),
            why="reports say by it what is wrong, and leave the subject out where a table shows the name anyway.",
            do='write what is wrong, with the row\'s values: message: "{resource_name}: ..." (docs/design/messages.md).',
        )
    return encoded({rule.id: CheckedRule(rule_digest(read_bytes(rule.path), rules.views[rule.over]), rule) for rule in rules})


def _message_mistake(rule: Rule) -> str:
    """What is wrong with the message of a shipped rule; "" when nothing is."""
    if rule.message is None:
        return '"message" is missing'
    return "" if _SUBJECT.match(rule.message.text) else '"message" does not begin with "{resource_name}: " or "{resource_name} on {host}: "'


if __name__ == "__main__":
    main()
