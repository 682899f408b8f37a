"""The list of runs for a terminal, and as JSON for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TextIO

from auditor.report.json_report import utc_text
from auditor.report.wording import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.history.writing_runs import ListedRun

SCHEMA_VERSION = 1


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


def write_runs_json(runs: Sequence[ListedRun], out: TextIO) -> None:
    """Write the runs for programs: JSON, schema version 1 (auditor/report/run_list.schema.json). Fields are only ever added."""
    json.dump({"schema_version": SCHEMA_VERSION, "runs": [_run_object(run) for run in runs]}, out, allow_nan=False, indent=2)
    out.write("\n")


def _run_object(run: ListedRun) -> dict[str, Any]:
    kept = run.kept if run.kept is not None and run.kept.finished is not None else None
    judged = None
    if kept is not None:
        counts = {"fail": kept.fail, "unknown": kept.unknown, "pass": kept.passed, "waived": kept.waived}
        judged = {"hosts": kept.hosts, "endpoints": kept.endpoints, "gaps": kept.gaps, "coverage": kept.coverage, **counts}
    return {
        "id": run.id,
        "kind": run.kind,
        "of": run.of,
        "started": utc_text(run.started),
        "finished": None if run.finished is None else utc_text(run.finished),
        "judged": judged,
        "outcomes": dict(run.outcomes),
    }
