"""How failures of one scope went from run to run: for a terminal, as CSV, as JSON."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO

from auditor.errors import ConfigurationError
from auditor.history.kept_run import list_runs
from auditor.model import Severity, TrendPoint
from auditor.report.json.report import scope_object
from auditor.report.json.values import utc_text
from auditor.report.wording import moment, neutral, percent
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from auditor.history.kept_run import KeptRun
    from auditor.model.scope import Scope

SCHEMA_VERSION = 1
_MARKS = "▁▂▃▄▅▆▇█"
_ASCII_MARKS = "_.:-=+*#"
_LEAST_MARKS = 10
POINTS = 60
"""Runs before one that a drawing of it has: two months of one a day."""


@dataclass(frozen=True, slots=True)
class Trend:
    """The finished runs of one scope, oldest first; never empty."""

    scope: Scope | None  # None: of older auditors, which did not write it down
    runs: tuple[KeptRun, ...]


def trend_of(state: Path, run: KeptRun) -> Trend:
    """The trend of the scope of `run`.

    Raises:
        ConfigurationError: `run` never finished.
        SnapshotError: a run's file is there and cannot be read.
    """
    key = None if run.scope is None else run.scope.key
    runs = tuple(
        one for one in reversed(list_runs(state)) if one.finished is not None and (None if one.scope is None else one.scope.key) == key
    )
    if not runs:
        raise ConfigurationError(f"run {run.id} never finished", why="there is nothing to show.", do="`auditor runs list` names the runs.")
    return Trend(run.scope, runs)


def points_before(state: Path, run_id: str, scope: Scope | None) -> tuple[TrendPoint, ...]:
    """What the newest finished runs of `scope` before `run_id` found, oldest first; none for a run of an older auditor.

    Raises:
        SnapshotError: a run's file is there and cannot be read.
    """
    if scope is None:
        return ()
    earlier = (run for run in list_runs(state) if run.id < run_id and run.finished is not None and run.scope is not None)
    of_scope = (run for run in earlier if run.scope is not None and run.scope.key == scope.key)
    return tuple(TrendPoint(run.started, run.fail, run.by_severity) for run in islice(of_scope, POINTS))[::-1]


def can_draw(out: TextIO) -> bool:
    """Whether the marks of a trend have a letter in the encoding of `out`."""
    try:
        _MARKS.encode(out.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _series(trend: Trend) -> dict[str, list[float]]:
    """A number for each run, by what it is: failures of each severity that any run had, and what is not known."""
    present = [severity for severity in Severity if any(run.by_severity.get(severity.value) for run in trend.runs)]
    series: dict[str, list[float]] = {"fail": [float(run.fail) for run in trend.runs]}
    series |= {severity.value: [float(run.by_severity.get(severity.value, 0)) for run in trend.runs] for severity in present}
    series["unknown"] = [float(run.unknown) for run in trend.runs]
    series["coverage"] = [run.coverage for run in trend.runs]
    return series


def trend_lines(trend: Trend, width: int, *, ascii_only: bool = False) -> Iterator[str]:
    """A line for each series: its first value, a mark for each run, its last value. A mark of several runs is the worst of them."""
    first, last = trend.runs[0], trend.runs[-1]
    about = "older auditors" if trend.scope is None else f"{neutral(trend.scope.fleet_name)}, {neutral(trend.scope.sentence())}"
    yield about
    yield f"{count_of(len(trend.runs), 'run')}, {moment(first.started)} to {moment(last.started)}"
    series = _series(trend)
    numbers = {name: [_shown(name, value) for value in (values[0], values[-1])] for name, values in series.items()}
    widths = [max(len(pair[place]) for pair in numbers.values()) for place in (0, 1)]
    room = max(_LEAST_MARKS, width - 8 - sum(widths) - 4)
    for name, values in series.items():
        marks = _marks(values, room, _ASCII_MARKS if ascii_only else _MARKS, min if name == "coverage" else max)
        yield f"{name:<8}  {numbers[name][0]:>{widths[0]}} {marks} {numbers[name][1]:>{widths[1]}}"
    if len(trend.runs) > room:
        yield f"each mark is {-(-len(trend.runs) // room)} runs, the worst value of them"


def _shown(name: str, value: float) -> str:
    return percent(value) if name == "coverage" else f"{int(value):,}"


def _marks(values: Sequence[float], room: int, marks: str, worst: Callable[[Sequence[float]], float]) -> str:
    """A mark for each value, from none at all to the greatest; values that do not fit share one, which is the worst of them."""
    together = -(-len(values) // room)
    groups = [worst(values[at : at + together]) for at in range(0, len(values), together)]
    most = max(groups)
    return "".join(marks[0 if most <= 0 else round(value / most * (len(marks) - 1))] for value in groups)


def _row(run: KeptRun) -> dict[str, Any]:
    severities = {severity.value: run.by_severity.get(severity.value, 0) for severity in Severity}
    return {
        "run": run.id,
        "started": utc_text(run.started),
        "finished": None if run.finished is None else utc_text(run.finished),
        "hosts": run.hosts,
        "fail": run.fail,
        **severities,
        "unknown": run.unknown,
        "waived": run.waived,
        "pass": run.passed,
        "gaps": run.gaps,
        "coverage": run.coverage,
        "exit_code": run.exit_code,
    }


def write_trend_csv(trend: Trend, out: TextIO) -> None:
    """Write a row for each run, oldest first."""
    rows = [_row(run) for run in trend.runs]
    writer = csv.DictWriter(out, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def write_trend_json(trend: Trend, out: TextIO) -> None:
    """Write the same for programs: JSON, schema version 1 (auditor/report/run_trend.schema.json). Fields are only ever added."""
    document = {"schema_version": SCHEMA_VERSION, "scope": scope_object(trend.scope), "runs": [_row(run) for run in trend.runs]}
    json.dump(document, out, allow_nan=False, indent=2)
    out.write("\n")
