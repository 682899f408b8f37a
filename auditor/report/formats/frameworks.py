"""Writes, as Markdown, a part for each document that rules answer to: its score, and of each of its controls whether it is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from auditor.model import Verdict
from auditor.report.documents import KINDS
from auditor.report.formats.controls import Status, frameworks_of
from auditor.report.formats.markdown import as_text
from auditor.report.wording import moment, notices_of, percent, scope_notice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.model import Report
    from auditor.report.formats.controls import Control, Framework

WORDS = {
    Status.OPEN: "open",
    Status.NOT_REVIEWED: "not reviewed",
    Status.NO_FINDING: "no finding",
    Status.NOT_APPLICABLE: "not applicable",
}


def write_frameworks(report: Report, out: TextIO) -> None:
    """Write `report` by document; it is as long as the documents have controls."""
    out.writelines(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    found = frameworks_of(report)
    yield from ("# Documents that these rules answer to", "")
    yield f"Run {as_text(report.run.id)}, {moment(report.run.started)}."
    yield "A rule judges a part of what a control asks for: no finding is said of these rules, not of the document."
    yield "A waived failure is open, and what is unknown is not reviewed; both count against the score."
    scope = scope_notice(report)
    yield from (f"- **Note:** {as_text(notice)}" for notice in ([scope] if scope else []) + list(notices_of(report)))
    if not found:
        yield from ("", "No rule of this run names a document.")
        return
    yield from (
        "",
        "| Document | Score | No finding | Open | Not reviewed | Not applicable |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    )
    for one in found:
        counts = one.counts
        cells = [f"{counts[status]:,}" for status in (Status.NO_FINDING, Status.OPEN, Status.NOT_REVIEWED, Status.NOT_APPLICABLE)]
        yield f"| {as_text(_name(one))} | {_score(one)} | {' | '.join(cells)} |"
    for one in found:
        yield from ("", f"## {as_text(_name(one))}", "", f"Score: {_score(one)}.", "")
        yield from ("| Control | Status | Failures | Unknown | Rules |", "| --- | --- | ---: | ---: | --- |")
        yield from (_row(control) for control in one.controls.values())


def _row(control: Control) -> str:
    named = as_text(": ".join(part for part in (control.number, control.section) if part)) or "the document"
    fails, unknown = control.verdicts[Verdict.FAIL], control.verdicts[Verdict.UNKNOWN]
    waived = f" and {control.waived_failures:,} waived" if control.waived_failures else ""
    rules = ", ".join(as_text(rule.id) for rule in control.rules)
    return f"| {named} | {WORDS[control.status]} | {fails:,}{waived} | {unknown:,} | {rules} |"


def _name(one: Framework) -> str:
    return f"{one.title} ({KINDS[one.kind]})"


def _score(one: Framework) -> str:
    return "none, nothing applies" if one.score is None else percent(one.score)
