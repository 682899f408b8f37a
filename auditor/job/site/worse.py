"""Which clusters have more failures than in the run before, and what can be searched across the runs of a job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.job.published import MOST_CLUSTERS
from auditor.report.wording import neutral

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.job.published import PublishedRun

_LISTED = 20


@dataclass(frozen=True, slots=True)
class WorseCluster:
    """A cluster with more failures than before."""

    name: str
    before: int
    now: int


def worse_clusters(runs: Sequence[PublishedRun]) -> list[WorseCluster] | None:
    """The clusters that got worse, most first; None where there are no two runs of one scope that kept this.

    A cluster with fewer failures is not said to be better: a host of it may not have been read.

    Args:
        runs: of one job, newest first.
    """
    newest = next((run for run in runs if run.has_verdicts), None)
    if newest is None or newest.clusters is None:
        return None
    earlier = (run for run in runs if run.has_verdicts and run is not newest and run.scope == newest.scope)
    before = next((run.clusters for run in earlier if run.clusters is not None), None)
    if before is None:
        return None
    is_cut = len(before) >= MOST_CLUSTERS  # of a cluster that is not listed nobody knows how many it had
    rows = [
        WorseCluster(neutral(name), before.get(name, 0), fails)
        for name, fails in newest.clusters.items()
        if fails > before.get(name, 0) and (name in before or not is_cut)
    ]
    return sorted(rows, key=lambda row: (row.before - row.now, row.name))[:_LISTED]


def searched(runs: Sequence[PublishedRun]) -> list[dict[str, int]]:
    """For each run, by rule and by cluster, how many failures it has of it: what the index can be searched for."""
    return [{neutral(name): fails for found in (run.rules, run.clusters or {}) for name, fails in found.items()} for run in runs]
