"""Writes the report as one HTML file that needs no network, can be searched and printed, and is safe to open."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO

from auditor.model import FixClass, Outcome, Severity, Verdict
from auditor.report.digest import coverage_line, digest, headline, next_steps
from auditor.report.finding_ids import FindingIds
from auditor.report.impacts import impact_rows
from auditor.report.json_report import json_scalar
from auditor.report.messages import message_beside_name
from auditor.report.pages import embedded, write_page
from auditor.report.path_drawing import drawing
from auditor.report.path_words import heading
from auditor.report.provenance import Provenance, when_text
from auditor.report.verdict_counts import listed_of
from auditor.report.wording import OUTCOME_WORDS, VERDICT_WORDS, certificate_text, drift_age_text, neutral, notices_of, outcome_text
from auditor.report.worst_paths import worst_paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from auditor.model import Finding, Receipt, Report, Scalar
    from auditor.report.digest import Digest
    from auditor.report.provenance import ReadFrom
    from auditor.report.worst_paths import WorstPaths

FINDINGS_EMBEDDED = 200_000
"""Findings that the page holds for searching; it says how many were left out."""
_CHUNK = 2_000
_ROWS_WITHOUT_SCRIPT = 10  # of each rule
_ROWS_A_LIST = 500  # gaps and receipts
_SAFE_INTEGER = 2**53 - 1  # JavaScript has only doubles


def write_html(report: Report, out: TextIO) -> None:
    """Write `report` as one page that loads nothing and sends nothing.

    Failures, unknown and waived verdicts are embedded one by one; passes and verdicts that do not apply only as counts of each rule.
    """
    results = digest(report, _ROWS_WITHOUT_SCRIPT)
    places = {rule.rule: place for place, rule in enumerate(results.rules)}
    ids = FindingIds(report.run)
    embedding = _Embedding(places, Provenance(report.run), ids)
    summary = report.summary
    values = {
        "report": report,
        "ids": ids,
        "digest": results,
        "headline": headline(report, len(results.failing), results.failing_hosts),
        "notices": list(notices_of(report)),
        "coverage": coverage_line(report),
        "steps": next_steps(report, results),
        "verdicts": Verdict,
        "severities": list(Severity),
        "listed": _ROWS_A_LIST,
        "certificate": None if report.certificate is None else certificate_text(report.certificate),
        "receipts": [(receipt, _receipt_text(receipt)) for receipt in report.receipts[:_ROWS_A_LIST]],
        "left_out": max(0, summary.fail + summary.unknown + summary.waived - FINDINGS_EMBEDDED),
        "chunks": embedding.chunks(listed_of(report)),
        "vocabulary": embedding.vocabulary(results),
    }
    worst = worst_paths(report, results)
    values |= {"paths": list(_drawn(worst)), "why_no_path": worst.why_none}
    write_page("report.html.j2", values, out, script="report.js", styles=("page.css", "drawing.css"))


def _drawn(worst: WorstPaths) -> Iterator[tuple[str, Markup, tuple[Finding, ...]]]:
    """Each path with its heading, its drawing and the findings that are felt on it."""
    from markupsafe import Markup

    for number, (path, findings) in enumerate(worst.drawn):
        # Its texts are escaped where it is made.
        yield heading(path), Markup(drawing(path, f"path-{number}")), findings  # noqa: S704


def _receipt_text(receipt: Receipt) -> str:
    return outcome_text(receipt.outcome, receipt.change.fix_class, receipt.pending)


class _Embedding:
    """Encodes findings as short rows; a repeated text is a number in the rows, and stands once in the vocabulary."""

    def __init__(self, rules: dict[str, int], provenance: Provenance, ids: FindingIds) -> None:
        self._rules = rules
        self._provenance = provenance
        self._ids = ids
        self._words: dict[str, int] = {}
        self._shapes: dict[tuple[str, ...], int] = {}

    def chunks(self, findings: Iterator[Finding]) -> Iterator[Markup]:
        """Data blocks of some thousand rows each."""
        rows = map(self._row, findings)
        shown = islice(rows, FINDINGS_EMBEDDED)
        while chunk := list(islice(shown, _CHUNK)):
            yield embedded(chunk)

    def vocabulary(self, results: Digest) -> Iterator[Markup]:
        """The texts for the numbers in the rows; read it after the last chunk."""
        yield embedded(
            {
                "rules": [[rule.rule, neutral(rule.title)] for rule in results.rules],
                "words": list(self._words),
                "shapes": [list(shape) for shape in self._shapes],
                "verdicts": [VERDICT_WORDS[verdict] for verdict in Verdict],
                "severities": list(Severity),
                "classes": list(FixClass),
                "outcomes": [OUTCOME_WORDS[outcome] for outcome in Outcome],
            }
        )

    def _row(self, finding: Finding) -> list[Any]:
        resource, fix = finding.resource, finding.fix
        return [
            self._rules[finding.rule],
            _VERDICTS[finding.verdict],
            finding.severity.rank,
            self._word(resource.endpoint),
            self._word(resource.cluster),
            self._word(resource.host),
            self._word(resource.kind),
            neutral(resource.name),
            neutral(resource.id),
            _value(finding.observed),
            _value(finding.desired),
            self._shapes.setdefault(tuple(finding.evidence), len(self._shapes)),
            [_value(value) for value in finding.evidence.values()],
            [self._word(column) for column in finding.missing],
            0
            if fix is None
            else [
                self._word(fix.remediator),
                _CLASSES[fix.fix_class],
                _value(fix.before),
                _value(fix.after),
                _OUTCOMES[fix.outcome],
                self._word(fix.why or None),
                self._word(fix.pending),
            ],
            impact_rows(finding.impact) or 0,
            {neutral(name): _value(value) for name, value in (finding.waiver or {}).items()} or 0,
            {neutral(name): _value(value) for name, value in (finding.lapsed_waiver or {}).items()} or 0,
            drift_age_text(finding.drift_age) if finding.drift_age else 0,
            [self._read(read) for read in self._provenance.of(finding)],
            self._ids.of(finding),
            message_beside_name(finding) or 0,
        ]

    def _read(self, read: ReadFrom) -> list[int]:
        return [self._word(f"{read.endpoint}, {when_text(read)}"), self._word(", ".join(read.columns))]

    def _word(self, text: str | None) -> int:
        """The number of `text` in the vocabulary; -1 for None."""
        return -1 if text is None else self._words.setdefault(neutral(text), len(self._words))


_VERDICTS = {verdict: place for place, verdict in enumerate(Verdict)}
_CLASSES = {fix_class: place for place, fix_class in enumerate(FixClass)}
_OUTCOMES = {outcome: place for place, outcome in enumerate(Outcome)}


def _value(value: Scalar) -> Scalar:
    if isinstance(value, str):
        return neutral(value)
    if isinstance(value, int) and abs(value) > _SAFE_INTEGER:
        return str(value)
    return json_scalar(value)
