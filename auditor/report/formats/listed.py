"""What the formats of other tools say of a finding: the verdicts that somebody has to read, each with an id and a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.model import Verdict
from auditor.report.finding_ids import FindingIds
from auditor.report.messages import is_failure, message_of
from auditor.report.verdict_counts import listed_of
from auditor.report.wording import neutral

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.model import Finding, Report, Resource


def listed_findings(report: Report) -> Iterator[tuple[str, Finding]]:
    """Failures, unknown and waived verdicts with their ids, worst first, one at a time."""
    ids = FindingIds(report.run)
    return ((ids.of(finding), finding) for finding in listed_of(report))


def is_unknown(finding: Finding) -> bool:
    """The verdict is unknown, or was without a waiver."""
    return finding.verdict is Verdict.UNKNOWN or (finding.verdict is Verdict.WAIVED and not is_failure(finding))


def sentence_of(finding: Finding) -> str:
    """What is wrong, or why that is not known, on one line that is safe for a terminal."""
    if not is_unknown(finding):
        return neutral(message_of(finding))
    why = f"not read: {', '.join(finding.missing)}" if finding.missing else "what was read does not settle it"
    return neutral(f"{finding.resource.name}: not judged, {why}. Wanted: {finding.title}")


def waiver_sentence(finding: Finding) -> str:
    """Why a waived verdict is waived, until when, and who answers for it; "" for every other verdict."""
    if finding.verdict is not Verdict.WAIVED or finding.waiver is None:
        return ""
    fields = {name: str(value) for name, value in finding.waiver.items() if value is not None}
    who = ", ".join(fields[name] for name in ("owner", "ticket", "where") if name in fields)
    until = f", until {fields['expires']}" if "expires" in fields else ""
    return neutral(f"{fields.get('reason', 'no reason was recorded')}{until}{f' ({who})' if who else ''}")


def places_of(resource: Resource) -> list[tuple[str, str]]:
    """(kind, name) from the endpoint down to the resource itself; what is not known, or is the resource, is left out above it."""
    host = None if resource.host == resource.name else resource.host
    places = (("endpoint", resource.endpoint), ("cluster", resource.cluster), ("host", host), (resource.kind, resource.name or resource.id))
    return [(kind, neutral(name)) for kind, name in places if name]


def path_of(resource: Resource) -> str:
    """The names of `places_of`, with slashes between them."""
    return "/".join(name for _, name in places_of(resource))
