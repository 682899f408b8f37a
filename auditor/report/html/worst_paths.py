"""The drawings of an HTML report: the I/O paths on which the worst findings are felt, each once, and never more than twenty."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from auditor.errors import SnapshotError
from auditor.model import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.impact.functions import Functions
    from auditor.impact.path import Path
    from auditor.impact.stations import Row
    from auditor.impact.subject import Beginning
    from auditor.model import Finding, Report
    from auditor.report.digest import Digest

MOST_DRAWINGS = 20
MOST_PLACES = 40
"""Places that are looked at for them: on some of them nothing goes on, and there is nothing to draw."""
FINDINGS_A_RULE = 3
"""Of each rule, the first ones are looked at: a thousand hosts with one cause have one path in common, or say the same."""
MOST_HOSTS = 500
"""A report has drawings for a fleet of so many hosts at most: the views of a larger one take longer than all the rest of the page.

Policy; `auditor explain ID --svg FILE` draws any single one.
"""


@dataclass(frozen=True, slots=True)
class WorstPaths:
    """What is drawn.

    Attributes:
        drawn: each path with the findings that are felt on it, worst first.
        why_none: why there is no drawing, as a sentence; "" where there are some, or nothing failed.
        of_causes: the path of each finding that was asked for, also where no load was read; None where it is on no single one.
        functions: what the pool of each such finding works for; None where it is about no pool, or nobody counted.
        datastores: rows of that view, for the map.
    """

    drawn: tuple[tuple[Path, tuple[Finding, ...]], ...] = ()
    why_none: str = ""
    of_causes: tuple[Path | None, ...] = ()
    functions: tuple[Functions | None, ...] = ()
    datastores: tuple[Row, ...] = ()


def worst_paths(report: Report, results: Digest, causes: Sequence[Finding] = ()) -> WorstPaths:
    """The paths of the worst findings of a report, and of these findings, which stand for causes."""
    from auditor.impact.functions import KIND, VIEW, functions_of
    from auditor.impact.path import VIEWS, is_busy
    from auditor.impact.saved_rows import opened_views
    from auditor.impact.subject import beginnings, path_from, path_of_finding

    failures = list(_looked_at(results))
    if not failures or report.snapshot is None:
        return WorstPaths()
    if report.run.hosts > MOST_HOSTS:
        return WorstPaths(why_none=f"Paths are drawn for fleets of at most {MOST_HOSTS} hosts; auditor explain ID --svg FILE draws one.")
    places: dict[tuple[str, str, str | None, str | None], tuple[Beginning, list[Finding]]] = {}
    drawn: list[tuple[Path, tuple[Finding, ...]]] = []
    try:
        of_pools = (VIEW,) if any(finding.resource.kind == KIND for finding in causes) else ()
        with opened_views(report.snapshot, (*VIEWS, "datastore", *of_pools)) as ask:
            for finding in failures:
                for begin in beginnings(ask, finding)[:1]:
                    places.setdefault((begin.endpoint, begin.host, begin.device, begin.datastore), (begin, []))[1].append(finding)
            for begin, findings in islice(places.values(), MOST_PLACES):
                path = path_from(ask, begin)
                if path is not None and is_busy(path) and len(drawn) < MOST_DRAWINGS:
                    drawn.append((path, tuple(findings)))
            datastores = tuple(ask("datastore", {}))
            of_causes = tuple(path_of_finding(ask, finding)[0] for finding in causes)
            functions = tuple(functions_of(ask, finding) for finding in causes)
    except SnapshotError as error:
        return WorstPaths(why_none=f"Paths are not drawn: {error.what}.")
    return WorstPaths(tuple(drawn), of_causes=of_causes, functions=functions, datastores=datastores)


def _looked_at(results: Digest) -> Iterator[Finding]:
    for rule in results.failing:
        yield from rule.samples.get(Verdict.FAIL, ())[:FINDINGS_A_RULE]
