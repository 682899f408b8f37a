"""The list of runs for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.report.wording import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.history.writing_runs import ListedRun


def run_lines(runs: Sequence[ListedRun]) -> Iterator[str]:
    """A line for each run under its headings: what an audit found, and what became of the changes of a run that wrote."""
    width = max(22, *(len(run.id) for run in runs))
    yield f"{'run':<{width}} {'hosts':>6} {'fail':>7} {'unknown':>8} {'coverage':>9}  kind"
    for run in runs:
        outcomes = ", ".join(f"{number} {word}" for word, number in sorted(run.outcomes.items()))
        of = f" of {run.of}" if run.of and run.of != run.id else ""
        what = f"{run.kind}{of}{': ' if outcomes else ''}{outcomes}"
        kept = run.kept
        if kept is None:
            # An older auditor did not write down when an undo ended.
            unfinished = "unfinished" if run.finished is None and run.of is not None else ""
            yield f"{run.id:<{width}} {unfinished:<33}  {what}"
        elif kept.finished is None:
            yield f"{run.id:<{width}} {'unfinished':<33}  {what}"
        else:
            yield f"{run.id:<{width}} {kept.hosts:>6} {kept.fail:>7} {kept.unknown:>8} {percent(kept.coverage):>9}  {what}"
