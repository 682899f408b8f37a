"""The days that an HTML report draws: of the things that the worst findings about episodes name, each once, ten at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.errors import SnapshotError
from auditor.model import Verdict

if TYPE_CHECKING:
    from auditor.impact.day import Day
    from auditor.model import Finding, Report
    from auditor.report.digest import Digest

MOST_DAYS = 10
"""Policy: a picture takes some 15 KB. `auditor explain ID` shows any other."""


@dataclass(frozen=True, slots=True)
class DrawnDay:
    """One day, with the findings about the thing, the worst first."""

    day: Day
    findings: tuple[Finding, ...]


def worst_days(report: Report, results: Digest) -> tuple[DrawnDay, ...]:
    """The days to draw; none where no finding is about episodes, or the run kept no snapshot that can be read."""
    from auditor.impact.day import VIEWS, day_of
    from auditor.impact.saved_rows import opened_views

    about: dict[tuple[str, str, str], list[Finding]] = {}
    for rule in results.failing:
        for finding in rule.samples.get(Verdict.FAIL, ()):
            if finding.resource.kind == "episode_pattern":
                thing = (finding.resource.endpoint, str(finding.evidence.get("subject_kind")), str(finding.evidence.get("subject")))
                about.setdefault(thing, []).append(finding)
    if not about or report.snapshot is None:
        return ()
    try:
        with opened_views(report.snapshot, VIEWS) as ask:
            days = [(day_of(ask, *thing), tuple(findings)) for thing, findings in list(about.items())[:MOST_DAYS]]
    except SnapshotError:
        return ()
    return tuple(DrawnDay(day, findings) for day, findings in days if day is not None)
