"""The list of runs for a terminal, and as JSON for programs."""

from __future__ import annotations

import json
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TextIO

from auditor.report.json.report import scope_object
from auditor.report.json.values import utc_text
from auditor.report.wording import neutral, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.history.writing_runs import ListedRun

SCHEMA_VERSION = 1


def run_lines(runs: Sequence[ListedRun], width: int | None = None) -> Iterator[str]:
    """A line for each run under its headings: what an audit found, how long it took, how it ended, and what became of changes.

    What a run was narrowed by and what it wrote goes on in a line below where it is wider than `width` characters; None: no limit.
    """
    ids = max(22, *(len(run.id) for run in runs))
    fleets = {kept.scope.fleet for run in runs if (kept := run.kept) is not None and kept.scope is not None}
    yield f"{'run':<{ids}} {'hosts':>5} {'fail':>6} {'unknown':>7} {'coverage':>8} {'took':>6} {'exit':>4}  kind"
    for run in runs:
        what = _what(run, several_fleets=len(fleets) > 1)
        kept = run.kept
        if kept is None or kept.finished is None:
            # An older auditor did not write down when an undo ended.
            unfinished = "unfinished" if run.finished is None and (kept is not None or run.of is not None) else ""
            unfinished = f"stopped by {run.stopped.by}" if run.stopped is not None else unfinished
            yield from _fitted(f"{run.id:<{ids}} {unfinished:<29} {_took(run):>6} {'':>4}  ", what, width)
            continue
        counts = f"{kept.hosts:>5} {kept.fail:>6} {kept.unknown:>7} {percent(kept.coverage):>8}"
        code = "-" if kept.exit_code is None else kept.exit_code
        yield from _fitted(f"{run.id:<{ids}} {counts} {_took(run):>6} {code:>4}  ", what, width)


def _fitted(begin: str, what: str, width: int | None) -> Iterator[str]:
    """The line of a run; what does not fit goes on below, under the id, where there is most room."""
    if width is None or len(begin) + len(what) <= width:
        yield f"{begin}{what}".rstrip()
        return
    kind, _, rest = what.partition(": ")
    is_narrow = len(begin) + len(kind) + 1 > width
    yield begin.rstrip() if is_narrow else f"{begin}{kind}:"
    rest = what if is_narrow else rest
    yield from wrap(rest, max(20, width), initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)


def _what(run: ListedRun, *, several_fleets: bool) -> str:
    """What sort of run it is, of what, and what became of its changes."""
    scope = None if run.kept is None else run.kept.scope
    of = f" of {run.of}" if run.of and run.of != run.id else ""
    of = f" of {neutral(scope.fleet_name)}" if scope is not None and several_fleets else of
    outcomes = ", ".join(f"{number} {word}" for word, number in sorted(run.outcomes.items()))
    rest = [neutral(" ".join(scope.options))] if scope is not None and scope.options else []
    rest += [outcomes] if outcomes else []
    return f"{run.kind}{of}{': ' if rest else ''}{'; '.join(rest)}"


def _took(run: ListedRun) -> str:
    """How long a run took, in at most six characters; "" where that is not known."""
    if run.finished is None:
        return ""
    waited = None if run.kept is None else run.kept.waited_seconds
    seconds = max(0.0, (run.finished - run.started).total_seconds()) if waited is None else waited
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.0f} h"


def write_runs_json(runs: Sequence[ListedRun], out: TextIO) -> None:
    """Write the runs for programs: JSON, schema version 1 (auditor/report/run_list.schema.json). Fields are only ever added."""
    json.dump({"schema_version": SCHEMA_VERSION, "runs": [_run_object(run) for run in runs]}, out, allow_nan=False, indent=2)
    out.write("\n")


def _run_object(run: ListedRun) -> dict[str, Any]:
    kept = run.kept if run.kept is not None and run.kept.finished is not None else None
    judged: dict[str, Any] | None = None
    if kept is not None:
        counts = {"fail": kept.fail, "unknown": kept.unknown, "pass": kept.passed, "waived": kept.waived}
        judged = {
            "scope": scope_object(kept.scope),
            "by_severity": dict(kept.by_severity),
            "exit_code": kept.exit_code,
            "wrote": kept.wrote,
        }
        judged |= {"hosts": kept.hosts, "endpoints": kept.endpoints, "gaps": kept.gaps, "coverage": kept.coverage, **counts}
    return {
        "id": run.id,
        "kind": run.kind,
        "of": run.of,
        "started": utc_text(run.started),
        "finished": None if run.finished is None else utc_text(run.finished),
        "seconds": None if run.finished is None else (run.finished - run.started).total_seconds(),
        "stopped": None if run.stopped is None else {"at": utc_text(run.stopped.at), "by": run.stopped.by},
        "judged": judged,
        "outcomes": dict(run.outcomes),
    }
