"""Makes docs/rules from the rule files: one page for each rule, and an index."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.bounds.files import read_text
from auditor.engine.rules.text import hand_text
from auditor.model import DocumentKind, FixClass, ImpactModel, Severity, Verdict
from auditor.report.documents import KINDS, document_text
from auditor.report.rule_words import fix_sentence, flat, origin_text, releases_text, risk_text, waive_text

if TYPE_CHECKING:
    from auditor.engine.rules.rule import Rule, RuleSet
    from auditor.model import Document

_MADE = "<!-- Made by `make rule-pages` from the rule's file: change that. -->"
_MODEL = "../../queue-model.md#report"
_CITATION = re.compile(r"(?<![\w/])docs/([\w/-]+\.md(?:#[\w-]+)?)")
"""A page of docs/, as rules name it; their own pages are two folders further down."""
_VERDICTS = {
    Verdict.PASS: "Passes",
    Verdict.FAIL: "Fails",
    Verdict.UNKNOWN: "Unknown",
    Verdict.NOT_APPLICABLE: "Does not apply",
}


def rule_pages(rules: RuleSet) -> dict[str, str]:
    """The text of every page by its path below docs/rules."""
    return {"index.md": _index(rules), "documents.md": _document_index(rules), **{f"{rule.id}.md": page(rule) for rule in rules}}


def page(rule: Rule) -> str:
    """The text of one rule's page."""
    return "\n".join((_MADE, f"# {_text(rule.title)}", "", *_sections(rule))).rstrip() + "\n"


def stale_pages(pages: Mapping[str, str], directory: Path) -> list[str]:
    """Paths below `directory` of pages that are missing, differ from `pages`, or belong to no rule."""
    present = {path.relative_to(directory).as_posix() for path in directory.rglob("*.md")} if directory.is_dir() else set()
    different = [name for name, text in pages.items() if name in present and read_text(directory / name) != text]
    return sorted({*different, *(pages.keys() ^ present)})


def write_pages(pages: Mapping[str, str], directory: Path) -> list[str]:
    """Bring `directory` up to date; return the paths that were written or removed."""
    changed = stale_pages(pages, directory)
    for name in changed:
        path = directory / name
        if name in pages:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pages[name], encoding="utf-8")
        else:
            path.unlink()
    return changed


def _index(rules: RuleSet) -> str:
    topics: dict[str, list[Rule]] = {}
    for rule in rules:
        topics.setdefault(rule.id.partition("/")[0], []).append(rule)
    lines = [_MADE, "# Rules", "", f"{len(rules)} lessons a fleet is judged by. `auditor rules show RULE` says the same at a terminal.", ""]
    lines += ["Which documents of vendors they answer to: [documents](documents.md).", ""]
    for topic, topic_rules in sorted(topics.items()):
        lines += [f"## {topic}", "", "| rule | severity | what holds | fix |", "|---|---|---|---|"]
        order = list(Severity)
        for rule in sorted(topic_rules, key=lambda one: (order.index(one.severity), one.id)):
            fix = rule.fix.class_text if rule.fix is not None and fix_sentence(rule) else "by hand"
            lines.append(f"| [{rule.id}]({rule.id}.md) | {rule.severity} | {_cell(rule.title)} | {fix} |")
        lines.append("")
    return "\n".join(lines)


def _document_index(rules: RuleSet) -> str:
    """Each document with the rules that answer to it, by kind and title."""
    answering: dict[Document, list[str]] = {}
    for rule in rules:
        for document in rule.documents:
            answering.setdefault(document, []).append(f"[{rule.id}]({rule.id}.md)")
    without = [f"[{rule.id}]({rule.id}.md)" for rule in rules if not rule.documents]
    lines = [
        _MADE,
        "# Documents that rules answer to",
        "",
        "How they were looked for, and what was not found: [mapping](../mapping.md).",
        "",
    ]
    for kind in DocumentKind:
        listed = sorted((one for one in answering if one.kind is kind), key=lambda one: (document_text(one).casefold(), one.url or ""))
        lines += [f"## {KINDS[kind]}", ""]
        lines += ["| document | rules |", "|---|---|"] if listed else ["No rule answers to one.", ""]
        for one in listed:
            name = _cell(document_text(one))
            lines.append(f"| {name if one.url is None else f'[{name}]({one.url})'} | {', '.join(answering[one])} |")
        lines += [""] if listed else []
    return "\n".join([*lines, "## Rules without a document", "", ", ".join(without), ""])


def _sections(rule: Rule) -> Iterator[str]:
    about = [f"`{rule.id}`, {rule.severity}.", f"Tags: {', '.join(rule.tags)}." if rule.tags else ""]
    about += [f"Where it fails: {_text(rule.failure_title)}." if rule.failure_title else ""]
    if isinstance(rule.impact, ImpactModel):
        about += [f"What a failure costs, and what its fix gives, stands in its `impact`: [the queue model]({_MODEL})."]
    yield from (" ".join(filter(None, about)), "")
    yield from ("## Why it matters", "", *_paragraphs(rule.lesson))
    yield from ("## How to fix", "")
    yield from _paragraphs(hand_text(rule))
    if rule.fix is not None and fix_sentence(rule):
        yield from (_text(fix_sentence(rule, "`")) + f". Class: {rule.fix.class_text}.", "")
        if rule.fix.retunes is not None and rule.fix.retunes.text != "true":
            yield from (f"It needs the class retune as well where it reverts what somebody tuned: `{flat(rule.fix.retunes.shown)}`.", "")
        if rule.fix.touches is not None and rule.fix.touches.text.strip() != "''":
            how = "is host-wide" if "host_id" in rule.fix.target else "acts on neighbours"
            touched = flat(rule.fix.touches.shown)
            yield from (f"It {how}, and the plan names what it reaches besides what it is meant for: `{touched}`.", "")
            if rule.fix.fix_class is FixClass.ONLINE:
                yield from ("Where that is anything, the class is online-caution.", "")
        for after in rule.fix.after:
            where = ", ".join(f"`{name}` = `{flat(value.shown)}`" for name, value in after.where.items())
            when = "" if after.when is None else f", unless `{flat(after.when.shown)}` is false"
            need = "; where none is planned, the fix is left to a person" if after.required else ""
            yield from (f"Changes of `{after.change}` come first, those with {where}{when}{need}.", "")
    if rule.if_unknown:
        yield from ("When it cannot be judged:", "", *_paragraphs(rule.if_unknown))
    yield from ("## Risk", "", _text(risk_text(rule)), "")
    yield from ("## When to waive", "", _text(waive_text(rule)), "")
    yield from ("## Examples", "", *_examples(rule), "")
    if rule.documents:
        yield from ("## Documents", "", *_documents(rule), "")
    yield from ("## Sources", "", *(_source(what, url) for what, url in rule.sources), "")
    yield from ("## What it does", "", f"Judges each row of the view `{rule.over}`.", "", *_what(rule), "", *_params(rule))


def _documents(rule: Rule) -> Iterator[str]:
    """What the rule answers to; `documents.md` says for all rules together which answer to nothing."""
    for one in rule.documents:
        text = _text(document_text(one))
        yield f"- {text}" if one.url is None else f"- [{text}]({one.url})"


def _source(what: str, url: str | None) -> str:
    """One source as a line; what it says links to `url`, unless it names a page of its own."""
    if url is None:
        return f"- {_text(what)}"
    link = _CITATION.sub(r"../../\1", url)
    return f"- {_text(what)}: [{url}]({link})" if _CITATION.search(what) else f"- [{_text(what)}]({link})"


def _what(rule: Rule) -> Iterator[str]:
    if rule.applies is not None:
        yield f"- Applies only where `{flat(rule.applies.shown)}`"
    yield f"- Holds where `{flat(rule.holds.shown)}`"
    yield f"- Observed: `{flat(rule.observed.shown)}`. Desired: `{flat(rule.desired.shown)}`."
    yield from (f"- `{name}` stands for `{flat(let.shown)}`" for name, let in rule.let.items())
    if rule.message is not None:
        yield f"- A failure reads: `{rule.message.text}`"
    if rule.releases is not None:
        yield f"- Releases: {_text(releases_text(rule.releases))}"
    yield from (f"- `{column}` may be missing: {_text(why)}" for column, why in rule.may_be_missing.items())


def _params(rule: Rule) -> Iterator[str]:
    if rule.params:
        yield from ("| param | default | unit | why | from | may be |", "|---|---|---|---|---|---|")
        for name, param in rule.params.items():
            bounds = "" if param.bounds is None else f"{param.bounds.text}: {param.bounds.source}"
            default = ", ".join(map(str, param.default)) if isinstance(param.default, tuple) else str(param.default)
            texts = (f"`{_cell(default)}`", *map(_cell, (param.unit, param.why, origin_text(param), bounds)))
            yield f"| `${name}` | {' | '.join(texts)} |"


def _examples(rule: Rule) -> Iterator[str]:
    for verdict, word in _VERDICTS.items():
        names = [_text(example.name) for example in rule.examples if example.verdict is verdict]
        if names:
            yield f"- {word}: {'; '.join(names)}"


def _paragraphs(text: str) -> Iterator[str]:
    for part in text.split("\n\n"):
        yield from (_text(flat(part)), "")


def _text(text: str) -> str:
    """`text` escaped for Markdown, except code between backticks; citations become links to pages of docs/."""
    parts = text.split("`")
    for at in range(0, len(parts), 2):
        escaped = re.sub(r"([\\*_\[\]<>])", r"\\\1", parts[at])
        parts[at] = _CITATION.sub(r"[docs/\1](../../\1)", escaped)
    return "`".join(parts)


def _cell(text: str) -> str:
    return _text(flat(text)).replace("|", r"\|")
