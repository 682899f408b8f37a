"""A rule for a terminal: its lesson, its condition, and what to do."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from auditor.engine.rules.text import hand_text
from auditor.report.documents import document_text
from auditor.report.rule_words import fix_sentence, flat, origin_text, releases_text, risk_text, waive_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.engine.rules.params import Override
    from auditor.engine.rules.rule import Rule
    from auditor.model import Severity

_WIDTH = 80
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def write_rule(rule: Rule, out: TextIO, severity: tuple[Severity, str] | None = None, overrides: Sequence[Override] = ()) -> None:
    """Write the whole `rule`, and its examples by name. Headings are bold where the terminal allows it.

    Args:
        rule: as in its file.
        out: where to write.
        severity: the severity that a fleet sets instead, and where it is set; None: the rule's own.
        overrides: the values that a fleet sets for its params.
    """
    bold = out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") != "dumb"
    for heading, lines in _parts(rule, severity, overrides):
        print(f"{_BOLD}{heading}{_PLAIN}" if bold else heading, file=out)
        for line in lines:
            print(line, file=out)
        print(file=out)


def _parts(rule: Rule, severity: tuple[Severity, str] | None, overrides: Sequence[Override]) -> Iterator[tuple[str, list[str]]]:
    """Each heading and the lines below it."""
    tags = f"  [{', '.join(rule.tags)}]" if rule.tags else ""
    failing = [_wrapped(f"Where it fails: {rule.failure_title}")] if rule.failure_title else []
    own = [_wrapped(f"In this fleet: {severity[0]} ({severity[1]}).")] if severity is not None else []
    yield f"{rule.id}  ({rule.severity}){tags}", [_wrapped(rule.title), *failing, *own]
    if rule.fix is not None and fix_sentence(rule):
        allow = f"--allow {rule.fix.fix_class}"
        yield "By auditor:", [f"auditor audit --fleet fleet.yaml --only {rule.id} --fix --dry-run {allow}"]
    yield "By hand:", _paragraphs(hand_text(rule))
    yield "Why:", _paragraphs(rule.lesson)
    yield "Risk:", [_wrapped(risk_text(rule))]
    if rule.if_unknown:
        yield "If unknown:", _paragraphs(rule.if_unknown)
    yield "When to waive:", [_wrapped(waive_text(rule))]
    yield "Examples:", [_field(str(example.verdict), example.name, 19) for example in rule.examples]
    if rule.documents:
        yield "Answers to:", [line for one in rule.documents for line in _cited(document_text(one), one.url)]
    yield "Sources:", [line for what, url in rule.sources for line in _cited(what, url)]
    if rule.fix is not None and fix_sentence(rule):
        reason = [_wrapped(f"Reason: {rule.fix.reason}.")] if rule.fix.reason else []
        yield f"Fix ({rule.fix.class_text}):", [_wrapped(f"{fix_sentence(rule)}.", hanging="  "), *reason]
    yield f"Judged over each {rule.over.replace('_', ' ')}:", _judged(rule)
    if rule.releases is not None:
        yield "Releases:", [_wrapped(releases_text(rule.releases))]
    if rule.may_be_missing:
        yield "May be missing:", [_wrapped(f"  {column}: {flat(why)}", hanging="    ") for column, why in rule.may_be_missing.items()]
    if rule.params:
        yield "Params (fleet.yaml may set them otherwise):", [line for name in rule.params for line in _param(rule, name, overrides)]


def _judged(rule: Rule) -> list[str]:
    lines = [] if rule.applies is None else [_field("applies", rule.applies.shown)]
    lines += [_field("holds", rule.holds.shown), _field("observed", rule.observed.shown), _field("desired", rule.desired.shown)]
    lines += [_field("" if at else "let", f"{name} = {let.shown}") for at, (name, let) in enumerate(rule.let.items())]
    return lines if rule.message is None else [*lines, _field("message", rule.message.text)]


def _param(rule: Rule, name: str, overrides: Sequence[Override]) -> list[str]:
    param = rule.params[name]
    own = [
        _field("", f"{_value(one.value)} {_place(one)} ({Path(one.where).name})")
        for one in overrides
        if (one.rule, one.name) == (rule.id, name)
    ]
    bounds = "" if param.bounds is None else f" May be {param.bounds.text}: {param.bounds.source}."
    return [_field(f"${name}", f"{_value(param.default)} {param.unit}. {param.why} {origin_text(param)}{bounds}".replace("  ", " ")), *own]


def _value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _place(override: Override) -> str:
    if override.endpoint is None:
        return "in this fleet"
    return f"on {override.endpoint}" if override.cluster is None else f"in cluster {override.cluster} of {override.endpoint}"


def _cited(what: str, url: str | None) -> Iterator[str]:
    yield _wrapped(f"- {what}", hanging="  ")
    if url:
        yield f"  {url}"  # not wrapped, so that it stays one link


def _paragraphs(text: str) -> list[str]:
    return [_wrapped(flat(part)) for part in text.split("\n\n")]


def _wrapped(text: str, hanging: str = "") -> str:
    return textwrap.fill(text, _WIDTH, subsequent_indent=hanging)


def _field(name: str, text: str, indent: int = 13) -> str:
    return textwrap.fill(f"  {name:<{indent - 3}} {flat(text)}", _WIDTH, subsequent_indent=" " * indent)
