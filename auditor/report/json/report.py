"""Writes the report for programs: docs/ARCHITECTURE.md#json-report, schema version 2. Fields are only ever added.

Version 1 listed every verdict, as `write_full_json` does, and had neither `listed` nor `by_rule`: report.v1.schema.json.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TextIO

from auditor.model import Verdict
from auditor.model.comparison import ChangeKind
from auditor.report.documents import documents_json
from auditor.report.json.findings import contradiction_object, finding_object, read_object, receipt_object
from auditor.report.json.values import utc_text
from auditor.report.verdict_counts import LISTED, by_rule, listed_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from auditor.model import (
        EndpointReading,
        Finding,
        Report,
        RuleText,
        Run,
        Summary,
    )
    from auditor.model.comparison import Comparison
    from auditor.model.scope import Scope

SCHEMA_VERSION = 2
FINDINGS_OPEN = '"findings": ['
"""The end of a report's first line; each later line is one finding, until a line that begins with a bracket."""
_encode = json.JSONEncoder(allow_nan=False).encode  # ASCII, so that a name survives any encoding of a file or pipe


def write_json(report: Report, out: TextIO) -> None:
    """Write failures, unknown and waived verdicts, one a line; how many verdicts of each kind every rule has stands behind them."""
    _write(report, out, LISTED, listed_of(report))


def write_full_json(report: Report, out: TextIO) -> None:
    """Write every verdict, also passes and those that do not apply, one a line."""
    _write(report, out, tuple(Verdict), report.findings())


def _write(report: Report, out: TextIO, listed: Collection[Verdict], findings: Iterator[Finding]) -> None:
    """Write `report` with the `findings`, of the verdicts `listed`, as they come, so that memory does not grow with the fleet."""
    from auditor.report.finding_ids import FindingIds
    from auditor.report.provenance import Provenance

    head = {"schema_version": SCHEMA_VERSION, "listed": list(listed), **head_object(report)}
    out.write(f"{_encode(head)[:-1]}, {FINDINGS_OPEN}")
    separator = "\n"
    provenance, ids = Provenance(report.run), FindingIds(report.run)
    texts = {rule.id: rule for rule in report.rules}
    for finding in findings:
        out.write(separator)
        read = provenance.of(finding) if finding.verdict in LISTED else ()
        found = {"id": ids.of(finding), **finding_object(finding, texts.get(finding.rule))}
        out.write(_encode({**found, "read": [read_object(one) for one in read]} if read else found))
        separator = ",\n"
    counts = [{"rule": rule, **{verdict.value: of_rule[verdict] for verdict in Verdict}} for rule, of_rule in by_rule(report).items()]
    out.write(f"\n], {_encode({'by_rule': counts, **tail_object(report)})[1:]}\n")


def head_object(report: Report) -> dict[str, Any]:
    """The fields of a report before its findings, without its version."""
    return {
        "run": run_object(report.run),
        "coverage": coverage_object(report.summary),
        "summary": summary_object(report.summary),
        "scope": scope_object(report.scope),
        "compared": compared_object(report.compared),
    }


def tail_object(report: Report) -> dict[str, Any]:
    """The fields of a report after its findings."""
    return {
        "gaps": [asdict(gap) for gap in report.gaps],
        "receipts": [receipt_object(receipt) for receipt in report.receipts],
        "notices": list(report.notices),
        "rules": [_rule(rule) for rule in report.rules],
        "contradictions": [contradiction_object(clash) for clash in report.contradictions],
        "certificate": None if report.certificate is None else asdict(report.certificate),
    }


def run_object(run: Run) -> dict[str, Any]:
    """When the audit ran, and the result of reading each endpoint."""
    return {
        "id": run.id,
        "started": utc_text(run.started),
        "finished": utc_text(run.finished),
        "waited_seconds": None if run.waited_seconds is None else round(run.waited_seconds, 3),
        "hosts": run.hosts,
        "endpoints": [_endpoint(reading) for reading in run.endpoints],
        "read": [
            {
                "endpoint": one.endpoint,
                "topic": one.topic,
                "host": one.host,
                "first": utc_text(one.first),
                "last": utc_text(one.last),
                "source": one.source,
            }
            for one in run.read
        ],
        "origin": None if run.origin is None else asdict(run.origin),
    }


def scope_object(scope: Scope | None) -> dict[str, Any] | None:
    """What the audit was about; None where an older auditor did not write that down."""
    return None if scope is None else {**asdict(scope), "key": scope.key}


def compared_object(compared: Comparison | None) -> dict[str, Any] | None:
    """How many findings changed since an earlier run, by what became of them; None where there is none to compare with."""
    if compared is None:
        return None
    return {
        "run": compared.before,
        "started": utc_text(compared.before_started),
        "same_scope": compared.same_scope,
        "sentence": compared.sentence(),
        "counts": {kind.value: compared.counts.get(kind, 0) for kind in ChangeKind},
        "notes": list(compared.notes),
        "fixed_by": dict(compared.fixed_by),
    }


def coverage_object(summary: Summary) -> dict[str, Any]:
    """The share of applicable verdicts that could be reached."""
    return {"judged": summary.judged, "unknown": summary.unjudged, "ratio": summary.coverage}


def summary_object(summary: Summary) -> dict[str, Any]:
    """The counts of verdicts, and of failures by severity."""
    return {
        "fail": summary.fail,
        "pass": summary.passed,
        "unknown": summary.unknown,
        "not_applicable": summary.not_applicable,
        "waived": summary.waived,
        "by_severity": dict(summary.by_severity),
        "waived_unknown": summary.waived_unknown,
        "accepted_unknown": summary.accepted_unknown,
    }


def _endpoint(reading: EndpointReading) -> dict[str, Any]:
    return {
        "name": reading.name,
        "kind": reading.kind,
        "address": reading.address,
        "version": reading.version,
        "tls": reading.tls,
        "started": utc_text(reading.started),
        "finished": utc_text(reading.finished),
        "complete": reading.complete,
        "lane": reading.lane,
        "identity": reading.identity,
        **({"plugin": reading.plugin} if reading.plugin else {}),
    }


def _rule(rule: RuleText) -> dict[str, Any]:
    return {
        "id": rule.id,
        "title": rule.title,
        **({"failure_title": rule.failure_title} if rule.failure_title else {}),
        "severity": rule.severity,
        "lesson": rule.lesson,
        "sources": [{"what": what, "url": url} for what, url in rule.sources],
        "fix_text": rule.fix_text,
        "unknown_text": rule.unknown_text,
        "documents": documents_json(rule.documents),
        "units": {name: {"unit": unit, "absent": absent} for name, (unit, absent) in rule.units.items()},
    }
