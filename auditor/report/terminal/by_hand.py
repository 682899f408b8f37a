"""What a person does about a failure, step by step."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.report.messages import message_of
from auditor.report.setting_values import from_to_words
from auditor.report.terminal.console import hanging, pasted, write_parts
from auditor.report.wording import neutral, neutral_prose, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from rich.console import RenderableType

    from auditor.model import Finding, Fix, RuleText
    from auditor.report.terminal.explained import Explanation

_STEP_END = re.compile(r"(?<=[a-z0-9)\"'\]][.;])\s+(?=[A-Z])")
"""The end of a sentence."""
_REMEDIATOR = re.compile(r"[a-z_]+\.[a-z_0-9]+: \w+ = ")
"""How `engine.rule_text` begins what auditor writes itself: an expression of the rule, for no person to read."""


def steps_text(rule: RuleText | None, fix: Fix | None) -> str:
    """What the rule says that a person does; "" where it says nothing."""
    if rule is None:
        return "" if fix is None or fix.remediator is not None else fix.why
    lines = rule.fix_text.splitlines()
    return "\n".join(lines[1:] if lines and _REMEDIATOR.match(lines[0]) else lines)


def steps_of(rule: RuleText | None, fix: Fix | None) -> Sequence[str]:
    """Each sentence of `steps_text`, which is a step."""
    text = " ".join(neutral_prose(steps_text(rule, fix)).split())
    return [step for step in _STEP_END.split(text) if step]


def write_steps(explained: Explanation, out: TextIO) -> None:
    """Write what a person does about a finding, and how it is checked; nothing else."""
    write_parts(lambda _width: _parts(explained), out)


def _parts(explained: Explanation) -> Iterator[RenderableType]:
    from rich.text import Text

    finding, rule = explained.finding, explained.rule
    yield Text.assemble((neutral(finding.rule), "bold"), f"  {explained.finding_id}")
    yield Text(f"{neutral(message_of(finding))}.")
    yield ""
    steps = [*_setting(finding), *steps_of(rule, finding.fix)]
    if not steps:
        yield Text("The rule says no step; see why it wants this, and from which sources:")
        yield pasted(f"  auditor rules show {neutral(finding.rule)}")
    for number, step in enumerate(steps, start=1):
        yield hanging(f"{number:>3}.", Text(step))
    yield hanging(f"{len(steps) + 1:>3}.", Text("Audit again, and see that it passes:"))
    yield pasted(f"     {neutral(explained.audit)} --only {neutral(finding.rule)}{explained.options}")
    yield ""
    yield pasted(f"Why, and on which path: auditor explain {explained.finding_id}{explained.options}")


def _setting(finding: Finding) -> Iterator[str]:
    """What auditor would set, for who sets it without auditor."""
    fix = finding.fix
    if fix is not None and fix.remediator is not None and fix.before != fix.after:
        keys = dict(fix.target)
        name = next((keys[key] for key in ("option", "parameter", "field") if key in keys), fix.remediator)
        values = from_to_words(fix.remediator, keys, fix.before, fix.after)
        yield f"Set {neutral(str(name))} of {neutral(finding.resource.name)} on {place_of(finding.resource)}: {values}."
