"""Writes the report as CSV, for spreadsheets: a row for each failure, unknown or waived verdict, each gap and each notice."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, TextIO

from auditor.report.formats.listed import listed_findings, sentence_of
from auditor.report.impacts import impact_text
from auditor.report.terminal.query_rows import write_rows
from auditor.report.wording import notices_of, scope_notice

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.model import Finding, Gap, Report

COLUMNS = (
    "entry",
    "id",
    "verdict",
    "severity",
    "rule",
    "endpoint",
    "cluster",
    "host",
    "kind",
    "resource",
    "resource_id",
    "message",
    "observed",
    "desired",
    "missing",
    "fix_class",
    "remediator",
    "fix_outcome",
    "waiver_owner",
    "waiver_reason",
    "waiver_expires",
    "drift_since",
    "title",
    "impact",
)
"""New ones are added at the end. `entry` is finding, gap or notice; the latter two have an endpoint, where they have one, and a message."""


def write_csv(report: Report, out: TextIO) -> None:
    """Write `report` row by row; nothing in a cell is taken for a formula, and no cell has a control character (`query_rows`)."""
    gaps = (_gap_row(gap) for gap in report.gaps)
    scope = [notice] if (notice := scope_notice(report)) else []
    notices = ({"entry": "notice", "message": notice} for notice in (*scope, *notices_of(report)))
    found = (_row(one, finding) for one, finding in listed_findings(report))
    rows: Iterator[Mapping[str, Any]] = chain(found, gaps, notices)
    columns = [(name, "VARCHAR") for name in COLUMNS]
    write_rows(columns, (tuple(row.get(name) for name in COLUMNS) for row in rows), out, form="csv", width=None)


def _gap_row(gap: Gap) -> dict[str, Any]:
    by = gap.accepted or {}
    answering = {f"waiver_{name}": by.get(name) for name in ("owner", "reason", "expires")}
    return {"entry": "gap", "endpoint": gap.endpoint, "message": f"{gap.what}: {gap.why}", **answering}


def _row(one: str, finding: Finding) -> dict[str, Any]:
    resource, fix, waiver = finding.resource, finding.fix, finding.waiver or {}
    return {
        "entry": "finding",
        "id": one,
        "verdict": finding.verdict.value,
        "severity": finding.severity.value,
        "rule": finding.rule,
        "endpoint": resource.endpoint,
        "cluster": resource.cluster,
        "host": resource.host,
        "kind": resource.kind,
        "resource": resource.name,
        "resource_id": resource.id,
        "message": sentence_of(finding),
        "observed": finding.observed,
        "desired": finding.desired,
        "missing": " ".join(finding.missing) or None,
        "fix_class": None if fix is None else fix.fix_class.value,
        "remediator": None if fix is None else fix.remediator,
        "fix_outcome": None if fix is None else fix.outcome.value,
        "waiver_owner": waiver.get("owner"),
        "waiver_reason": waiver.get("reason"),
        "waiver_expires": waiver.get("expires"),
        "drift_since": None if finding.drift_age is None else finding.drift_age.at,
        "title": finding.title,
        "impact": impact_text(finding.impact) or None,
    }
