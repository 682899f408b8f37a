"""What a rule says, for a terminal: the lesson, what it holds, and what to do."""

from __future__ import annotations

import os
import textwrap
from typing import TYPE_CHECKING, TextIO

from auditor.reporting.rule_words import flat, mending_text, risk_text, waive_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.engine.rule import Rule

_WIDTH = 80
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def write_rule(rule: Rule, out: TextIO) -> None:
    """Write everything `rule` says; of its examples, the names. Headings are bold on a terminal that wants it."""
    bold = out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") != "dumb"
    for heading, lines in _parts(rule):
        print(f"{_BOLD}{heading}{_PLAIN}" if bold else heading, file=out)
        for line in lines:
            print(line, file=out)
        print(file=out)


def _parts(rule: Rule) -> Iterator[tuple[str, list[str]]]:
    """Each heading and the lines below it."""
    tags = f"  [{', '.join(rule.tags)}]" if rule.tags else ""
    yield f"{rule.id}  ({rule.severity}){tags}", [_wrapped(rule.title)]
    yield "Why:", _paragraphs(rule.lesson)
    yield f"Judged over each {rule.over.replace('_', ' ')}:", _judged(rule)
    if rule.params:
        yield "Params (fleet.yaml may set them otherwise):", [line for name in rule.params for line in _param(rule, name)]
    if rule.fix is not None:
        reason = [_wrapped(f"Why: {rule.fix.reason}.")] if rule.fix.reason else []
        yield "Fix:", [_wrapped(f"Fix ({rule.fix.fix_class}): {mending_text(rule)}", hanging="  "), *reason]
    if rule.by_hand:
        yield "By hand:", _paragraphs(rule.by_hand)
    yield "Risk:", [_wrapped(risk_text(rule))]
    if rule.if_unknown:
        yield "If unknown:", _paragraphs(rule.if_unknown)
    yield "When to waive:", [_wrapped(waive_text(rule))]
    yield "Examples:", [_field(str(example.verdict), example.name, 19) for example in rule.examples]
    yield "Sources:", list(_sources(rule))


def _judged(rule: Rule) -> list[str]:
    told = [] if rule.applies is None else [_field("applies", rule.applies.text)]
    told += [_field("holds", rule.holds.text), _field("observed", rule.observed.text), _field("desired", rule.desired.text)]
    told += [_field(column, f"may be missing: {why}") for column, why in rule.may_be_missing.items()]
    return told


def _param(rule: Rule, name: str) -> list[str]:
    param = rule.params[name]
    return [_field(f"${name}", f"{param.default} {param.unit}. {param.why}")]


def _sources(rule: Rule) -> Iterator[str]:
    for what, url in rule.sources:
        yield _wrapped(f"- {what}", hanging="  ")
        if url:
            yield f"  {url}"  # never wrapped: it has to stay one link


def _paragraphs(text: str) -> list[str]:
    return [_wrapped(flat(part)) for part in text.split("\n\n")]


def _wrapped(text: str, hanging: str = "") -> str:
    return textwrap.fill(text, _WIDTH, subsequent_indent=hanging)


def _field(name: str, text: str, indent: int = 13) -> str:
    return textwrap.fill(f"  {name:<{indent - 3}} {flat(text)}", _WIDTH, subsequent_indent=" " * indent)
