"""Writes the report as SARIF 2.1.0, for viewers and trackers of findings.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0 plus Errata 01; the numbers below are its sections.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TextIO

from auditor import __version__
from auditor.model import Severity, Verdict
from auditor.report.documents import documents_json
from auditor.report.formats.listed import is_unknown, listed_findings, places_of, sentence_of, waiver_sentence
from auditor.report.impacts import impact_text
from auditor.report.json.report import compared_object, coverage_object, scope_object, summary_object
from auditor.report.json.values import json_scalar, utc_text
from auditor.report.terminal.gap_lines import why_text
from auditor.report.wording import neutral, neutral_prose, notices_of, scope_notice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.model import Finding, Report, RuleText

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "auditorFindingId/v1"
LEVELS = {Severity.CRITICAL: "error", Severity.HIGH: "error", Severity.MEDIUM: "warning", Severity.LOW: "note", Severity.INFO: "note"}
_URL = re.compile(r"https?://[!-~]+")
_encode = json.JSONEncoder(allow_nan=False).encode


def write_sarif(report: Report, out: TextIO) -> None:
    """Write `report` as one run with a result for each failure, unknown or waived verdict, one a line, as they come."""
    places = {rule.id: place for place, rule in enumerate(report.rules)}
    head = {"tool": {"driver": _driver(report)}, "automationDetails": {"id": f"auditor/{neutral(report.run.id)}"}}
    head |= {"invocations": [_invocation(report)]}
    head |= {
        "properties": {
            "coverage": coverage_object(report.summary),
            "summary": summary_object(report.summary),
            "compared": compared_object(report.compared),
            "scope": scope_object(report.scope),
        }
    }
    out.write(f'{{"$schema": {_encode(_SCHEMA)}, "version": "2.1.0", "runs": [\n{_encode(head)[:-1]}, "results": [')
    separator = "\n"
    for one, finding in listed_findings(report):
        out.write(f"{separator}{_encode(_result(one, finding, places))}")
        separator = ",\n"
    out.write("\n]}]}\n")


def _driver(report: Report) -> dict[str, Any]:
    return {"name": "auditor", "version": __version__, "rules": [_rule(rule) for rule in report.rules]}


def _rule(rule: RuleText) -> dict[str, Any]:
    url = next((url for _, url in rule.sources if url is not None and _URL.fullmatch(url)), None)
    return {
        "id": rule.id,
        "shortDescription": _text(rule.title),
        "fullDescription": _text(rule.lesson or rule.title),
        "help": _text(rule.fix_text or rule.title),
        **({} if url is None else {"helpUri": url}),
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"severity": rule.severity.value, "documents": documents_json(rule.documents)},
    }


def _invocation(report: Report) -> dict[str, Any]:
    """What was not read is an error of the tool's, as results are incomplete by it (3.58.6); the run then did not succeed (3.20.14).

    A gap that somebody answers for is a note.
    """
    gaps = [
        {
            "level": "error" if gap.accepted is None else "note",
            "message": _text(f"{gap.endpoint}: {gap.what}: {why_text(gap)}"),
            "locations": [_location([("endpoint", neutral(gap.endpoint))])],
        }
        for gap in report.gaps
    ]
    notices = [{"level": "warning", "message": _text(notice)} for notice in notices_of(report)]
    if scope := scope_notice(report):
        notices.insert(0, {"level": "note", "message": _text(scope)})
    return {
        "executionSuccessful": not report.open_gaps,
        "startTimeUtc": utc_text(report.run.started),
        "endTimeUtc": utc_text(report.run.finished),
        "toolExecutionNotifications": gaps + notices,
    }


def _result(one: str, finding: Finding, places: dict[str, int]) -> dict[str, Any]:
    """A result. What is not known is "open", which has no level (3.27.9, 3.27.10); a waiver suppresses (3.35)."""
    is_open = is_unknown(finding)
    suppressions = [{"kind": "external", "justification": waiver_sentence(finding)}] if finding.verdict is Verdict.WAIVED else []
    return {
        "ruleId": finding.rule,
        **({"ruleIndex": places[finding.rule]} if finding.rule in places else {}),
        "kind": "open" if is_open else "fail",
        "level": "none" if is_open else LEVELS[finding.severity],
        "message": _text(sentence_of(finding)),
        "locations": [_location(places_of(finding.resource))],
        "partialFingerprints": {FINGERPRINT: one},
        "suppressions": suppressions,
        "properties": _properties(finding),
    }


def _properties(finding: Finding) -> dict[str, Any]:
    fix = finding.fix
    return {
        "verdict": finding.verdict.value,
        "severity": finding.severity.value,
        "resourceId": neutral(finding.resource.id),
        "observed": json_scalar(finding.observed),
        "desired": json_scalar(finding.desired),
        "missing": list(finding.missing),
        "impact": impact_text(finding.impact) or None,
        "fix": None if fix is None else {"remediator": fix.remediator, "class": fix.fix_class.value, "outcome": fix.outcome.value},
    }


def _location(places: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """One location by (kind, name) of all that holds it, from the outside; written the innermost first (3.28.4, 3.33)."""
    names = [name for _, name in places]
    logical = [
        {"name": name, "fullyQualifiedName": "/".join(names[: depth + 1]), "kind": kind} for depth, (kind, name) in enumerate(places)
    ]
    return {"logicalLocations": logical[::-1]}


def _text(text: str) -> dict[str, str]:
    """A message: braces would be placeholders (3.11.5), and a bracket before a parenthesis a link (3.11.6)."""
    return {"text": neutral_prose(text).replace("{", "{{").replace("}", "}}").replace("](", "] (")}
