"""The report of a kept run: all of it but the findings, which stay in the columns where they were judged.

The file is one JSON object: what a JSON report says before and after its findings, and which findings a fix has touched.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from auditor.model import Verdict
from auditor.report.json_reading import drift_age_of, fix_of, report_of, unreadable
from auditor.report.json_report import SCHEMA_VERSION, drift_age_object, fix_object, head_object, tail_object

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.model import DriftAge, Finding, Fix, Report

FindingKey: TypeAlias = tuple[str, str, str, str]
"""(rule, endpoint, resource kind, resource id)"""


def key_of(finding: Finding) -> FindingKey:
    """What tells a finding from all others of its run."""
    return finding.rule, finding.resource.endpoint, finding.resource.kind, finding.resource.id


def with_fixes(
    findings: Callable[[], Iterator[Finding]], fixes: Mapping[FindingKey, Fix], since: Mapping[FindingKey, DriftAge] | None = None
) -> Iterator[Finding]:
    """The findings, those that a fix touched with what became of it, and failures of drift with `since` when they are there."""
    for finding in findings():
        fix = fixes.get(key_of(finding)) if fixes else None
        told = finding if fix is None else replace(finding, fix=fix)
        first = since.get(key_of(finding)) if since and finding.verdict is Verdict.FAIL else None
        yield told if first is None else replace(told, drift_age=first)


def write_kept(report: Report, fixes: Mapping[FindingKey, Fix], out: TextIO, since: Mapping[FindingKey, DriftAge] | None = None) -> None:
    """Write all of `report` but its findings, the `fixes` of those that are not as they were judged, and `since` when drift is there."""
    touched = [{"finding": list(key), "fix": fix_object(fix)} for key, fix in sorted(fixes.items())]
    drift = [{"finding": list(key), "since": drift_age_object(first)} for key, first in sorted((since or {}).items())]
    json.dump({**head_object(report), "touched": touched, "drift": drift, **tail_object(report)}, out, allow_nan=False)


def load_kept(path: Path, findings: Callable[[], Iterator[Finding]]) -> Report:
    """Read what `write_kept` wrote; `findings` are those of the run as they were judged, a fresh pass each call.

    Raises:
        SnapshotError: the file cannot be read, is torn, or of another version.
    """
    try:
        said: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if said["schema_version"] != SCHEMA_VERSION:
            raise unreadable(path, f"it is of version {said['schema_version']}, this program reads version {SCHEMA_VERSION}")
        fixes = {_key(touched["finding"]): fix_of(touched["fix"]) for touched in said["touched"]}
        # Fields are only ever added: an older run has none.
        since = {_key(told["finding"]): drift_age_of(told["since"]) for told in said.get("drift", ())}
        return report_of(said, said, lambda: with_fixes(findings, fixes, since))
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from error
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable(path, f"it is torn or not of a run of this program ({type(error).__name__}: {error})") from error


def _key(told: list[str]) -> FindingKey:
    rule, endpoint, kind, resource = told
    return rule, endpoint, kind, resource
