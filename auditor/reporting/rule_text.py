"""One rule as a person reads it in a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from auditor.engine.rule import Rule

_WIDTH = 80


def write_rule(rule: Rule, out: TextIO) -> None:
    """Write everything `rule` says but its examples."""
    print(f"{rule.id}  ({rule.severity})\n{rule.title}\n", file=out)
    print(_wrapped(rule.lesson), file=out)
    print(f"\nJudged over each {rule.over.replace('_', ' ')}:", file=out)
    if rule.applies is not None:
        print(_field("applies", rule.applies.text), file=out)
    print(_field("holds", rule.holds.text), file=out)
    print(_field("observed", rule.observed.text), file=out)
    print(_field("desired", rule.desired.text), file=out)
    for name, param in rule.params.items():
        print(_field(f"${name}", f"{param.default} {param.unit}. {param.why}"), file=out)
    if rule.fix is not None:
        fix = f"Fix ({rule.fix.fix_class}): {rule.fix.remediator} sets {rule.fix.column} to {rule.fix.value.text}"
        print(f"\n{_wrapped(fix, hanging='  ')}", file=out)
    if rule.by_hand:
        print(f"\nBy hand:\n{_wrapped(rule.by_hand)}", file=out)
    if rule.if_unknown:
        print(f"\nIf unknown:\n{_wrapped(rule.if_unknown)}", file=out)
    print("\nSources:", file=out)
    for what, url in rule.sources:
        print(_wrapped(f"- {what}", hanging="  "), file=out)
        if url:
            print(f"  {url}", file=out)  # never wrapped: it has to stay one link


def _wrapped(text: str, hanging: str = "") -> str:
    return "\n".join(textwrap.fill(part, _WIDTH, subsequent_indent=hanging) for part in " ".join(text.split("\n")).split("\n\n"))


def _field(name: str, text: str) -> str:
    return textwrap.fill(f"  {name:<10} {' '.join(text.split())}", _WIDTH, subsequent_indent=" " * 13)
