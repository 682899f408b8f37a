"""The report of a saved run without its findings, which stay in the Parquet file of the evaluation.

The file is one JSON object: the fields of a JSON report before and after its findings, the findings that a fix changed, and the age of
each drift.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from auditor.bounds.files import read_json
from auditor.model import Verdict
from auditor.report.json.findings import drift_age_object, fix_object
from auditor.report.json.reading import drift_age_of, fix_of, report_of, unreadable
from auditor.report.json.report import head_object, tail_object

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.model import DriftAge, Finding, Fix, Report

_VERSION = 1
"""Of this file, which is not the JSON report's."""

FindingKey: TypeAlias = tuple[str, str, str, str]
"""(rule, endpoint, resource kind, resource id)"""


def key_of(finding: Finding) -> FindingKey:
    """The key that identifies a finding within its run."""
    return finding.rule, finding.resource.endpoint, finding.resource.kind, finding.resource.id


def with_fixes(
    findings: Callable[[], Iterator[Finding]], fixes: Mapping[FindingKey, Fix], drift_ages: Mapping[FindingKey, DriftAge] | None = None
) -> Iterator[Finding]:
    """The findings, with the result of a fix and the age of a drift where there is one."""
    for finding in findings():
        fix = fixes.get(key_of(finding)) if fixes else None
        with_fix = finding if fix is None else replace(finding, fix=fix)
        age = drift_ages.get(key_of(finding)) if drift_ages and finding.verdict is Verdict.FAIL else None
        yield with_fix if age is None else replace(with_fix, drift_age=age)


def write_saved_report(
    report: Report, fixes: Mapping[FindingKey, Fix], out: TextIO, drift_ages: Mapping[FindingKey, DriftAge] | None = None
) -> None:
    """Write `report` without its findings, the `fixes` made after they were judged, and the age of each drift."""
    touched = [{"finding": list(key), "fix": fix_object(fix)} for key, fix in sorted(fixes.items())]
    drift = [{"finding": list(key), "since": drift_age_object(age)} for key, age in sorted((drift_ages or {}).items())]
    head = {"schema_version": _VERSION, **head_object(report)}
    # Not json.dump, which encodes in Python: it takes five times as long.
    out.write(json.dumps({**head, "touched": touched, "drift": drift, **tail_object(report)}, allow_nan=False))


def load_saved_report(
    path: Path, findings: Callable[[], Iterator[Finding]], listed: Callable[[], Iterator[Finding]] | None = None
) -> Report:
    """The report that `write_saved_report` wrote, with `findings`: those of the run as judged, a new pass each call.

    Args:
        path: the file.
        findings: every finding.
        listed: as in a `Report`.

    Raises:
        SnapshotError: the file cannot be read, is incomplete, or has another version.
    """
    try:
        saved: dict[str, Any] = read_json(path)
        if saved["schema_version"] != _VERSION:
            raise unreadable(path, f"it has version {saved['schema_version']}, this program reads version {_VERSION}")
        fixes = {_key(touched["finding"]): fix_of(touched["fix"]) for touched in saved["touched"]}
        # An older run does not have this field.
        drift_ages = {_key(drift["finding"]): drift_age_of(drift["since"]) for drift in saved.get("drift", ())}
        report = report_of(saved, saved, lambda: with_fixes(findings, fixes, drift_ages))
        return report if listed is None else replace(report, listed=lambda: with_fixes(listed, fixes, drift_ages))
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from error
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable(path, f"it is incomplete or not of a run of this program ({type(error).__name__}: {error})") from error


def _key(parts: list[str]) -> FindingKey:
    rule, endpoint, kind, resource = parts
    return rule, endpoint, kind, resource
