"""Writes the report for programs: docs/ARCHITECTURE.md#json-report, schema version 2. Fields are only ever added.

Version 1 listed every verdict, as `write_full_json` does, and had neither `listed` nor `by_rule`: report.v1.schema.json.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from importlib import resources
from typing import TYPE_CHECKING, Any, TextIO

from auditor.model import Verdict
from auditor.report.messages import message_of
from auditor.report.verdict_counts import LISTED, by_rule, listed_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from datetime import datetime

    from auditor.model import (
        Change,
        Contradiction,
        DriftAge,
        EndpointReading,
        Finding,
        Fix,
        Receipt,
        Report,
        Resource,
        RuleText,
        Run,
        Scalar,
        Summary,
    )
    from auditor.report.provenance import ReadFrom

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
    for finding in findings:
        out.write(separator)
        read = provenance.of(finding) if finding.verdict in LISTED else ()
        found = {"id": ids.of(finding), **_finding(finding)}
        out.write(_encode({**found, "read": [_read_from(one) for one in read]} if read else found))
        separator = ",\n"
    counts = [{"rule": rule, **{verdict.value: of_rule[verdict] for verdict in Verdict}} for rule, of_rule in by_rule(report).items()]
    out.write(f"\n], {_encode({'by_rule': counts, **tail_object(report)})[1:]}\n")


def head_object(report: Report) -> dict[str, Any]:
    """The fields of a report before its findings, without its version."""
    return {
        "run": run_object(report.run),
        "coverage": coverage_object(report.summary),
        "summary": summary_object(report.summary),
    }


def tail_object(report: Report) -> dict[str, Any]:
    """The fields of a report after its findings."""
    return {
        "gaps": [{"endpoint": gap.endpoint, "what": gap.what, "why": gap.why} for gap in report.gaps],
        "receipts": [_receipt(receipt) for receipt in report.receipts],
        "notices": list(report.notices),
        "rules": [_rule(rule) for rule in report.rules],
        "contradictions": [_contradiction(clash) for clash in report.contradictions],
        "certificate": None if report.certificate is None else asdict(report.certificate),
    }


def report_schema() -> dict[str, Any]:
    """The published JSON Schema (draft 2020-12) of the reports that this version writes."""
    text = (resources.files("auditor.report") / "report.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def run_object(run: Run) -> dict[str, Any]:
    """When the audit ran, and the result of reading each endpoint."""
    return {
        "id": run.id,
        "started": utc_text(run.started),
        "finished": utc_text(run.finished),
        "hosts": run.hosts,
        "endpoints": [_endpoint(reading) for reading in run.endpoints],
        "read": [
            {"endpoint": one.endpoint, "topic": one.topic, "host": one.host, "first": utc_text(one.first), "last": utc_text(one.last)}
            for one in run.read
        ],
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
    }


def utc_text(when: datetime) -> str:
    """ISO 8601 in UTC, with a Z."""
    from datetime import UTC

    return when.astimezone(UTC).isoformat().replace("+00:00", "Z")


def json_scalar(value: Scalar) -> Scalar:
    """`value` as JSON can represent it: NaN and the infinities become their names."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _scalars(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    return {name: json_scalar(value) for name, value in values.items()}


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
    }


def _resource(resource: Resource) -> dict[str, Any]:
    return {
        "kind": resource.kind,
        "id": resource.id,
        "name": resource.name,
        "endpoint": resource.endpoint,
        "cluster": resource.cluster,
        "host": resource.host,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "title": finding.title,
        **({"message": message} if (message := message_of(finding)) else {}),
        "verdict": finding.verdict,
        "severity": finding.severity,
        "resource": _resource(finding.resource),
        "observed": json_scalar(finding.observed),
        "desired": json_scalar(finding.desired),
        "evidence": _scalars(finding.evidence),
        "missing": list(finding.missing),
        "impact": dict(finding.impact),
        "fix": fix_object(finding.fix) if finding.fix else {},
        "waiver": _scalars(finding.waiver) if finding.waiver is not None else None,
        "lapsed_waiver": _scalars(finding.lapsed_waiver) if finding.lapsed_waiver is not None else None,
        "since": drift_age_object(finding.drift_age) if finding.drift_age is not None else None,
    }


def _read_from(read: ReadFrom) -> dict[str, Any]:
    return {
        "endpoint": read.endpoint,
        "first": utc_text(read.first) if read.first is not None else None,
        "last": utc_text(read.last) if read.last is not None else None,
        "columns": list(read.columns),
    }


def drift_age_object(since: DriftAge) -> dict[str, Any]:
    """The age of a drift: the run that saw it first, and when."""
    return {"run": since.run, "at": utc_text(since.at), "at_least": since.at_least}


def fix_object(fix: Fix) -> dict[str, Any]:
    """How a failure can be fixed, and the result of the fix."""
    return {
        "remediator": fix.remediator,
        "class": fix.fix_class,
        **_takes(fix),
        "before": json_scalar(fix.before),
        "after": json_scalar(fix.after),
        "outcome": fix.outcome,
        "why": fix.why,
        "pending": fix.pending,
        "target": dict(fix.target),
    }


def _takes(fix: Fix | Change) -> dict[str, Any]:
    takes = {} if fix.takes is None else {"takes": fix.takes}
    return takes if not fix.collateral else {**takes, "collateral": fix.collateral}


def _receipt(receipt: Receipt) -> dict[str, Any]:
    change = receipt.change
    return {
        "remediator": change.remediator,
        "class": change.fix_class,
        **_takes(change),
        "rules": list(change.rules),
        "resource": _resource(change.resource),
        "endpoint": change.target.endpoint,
        "target": dict(change.target.keys),
        "reason": change.reason,
        "before": json_scalar(change.before),
        "after": json_scalar(change.after),
        "outcome": receipt.outcome,
        "found": json_scalar(receipt.found),
        "why": receipt.why,
        "pending": receipt.pending,
    }


def _contradiction(clash: Contradiction) -> dict[str, Any]:
    reasons = clash.reasons or ("",) * len(clash.wants)
    return {
        "remediator": clash.remediator,
        "endpoint": clash.target.endpoint,
        "target": dict(clash.target.keys),
        "resource": _resource(clash.resource) if clash.resource is not None else None,
        "wants": [
            {"rule": rule, "value": json_scalar(value), "reason": reason}
            for (rule, value), reason in zip(clash.wants, reasons, strict=True)
        ],
    }


def _rule(rule: RuleText) -> dict[str, Any]:
    return {
        "id": rule.id,
        "title": rule.title,
        "severity": rule.severity,
        "lesson": rule.lesson,
        "sources": [{"what": what, "url": url} for what, url in rule.sources],
        "fix_text": rule.fix_text,
        "unknown_text": rule.unknown_text,
    }
