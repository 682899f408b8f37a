"""What `/metrics` answers: the latest run of each job as OpenMetrics, and how the schedule is. Each sample has the label `audit_job`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.bounds.files import read_text
from auditor.job.published import METRICS_FILE
from auditor.report.formats.openmetrics import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from auditor.job.job_status import JobStatuses
    from auditor.job.notices import Delivery

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_LABEL = "audit_job"


def metrics_text(every: JobStatuses, folders: Mapping[str, Path], deliveries: Mapping[str, Delivery], now: datetime) -> str:
    """The whole answer.

    Args:
        every: how the jobs are.
        folders: by the job's name, its folder in the state directory, which has its latest run as OpenMetrics.
        deliveries: how each target of notices is served.
        now: the moment.
    """
    families = _of_runs(folders)
    lines = [line for head, samples in families.values() for line in (*head, *samples)]
    return "\n".join([*lines, *_of_jobs(every, now), *_of_notices(deliveries), "# EOF\n"])


def _of_runs(folders: Mapping[str, Path]) -> dict[str, tuple[list[str], list[str]]]:
    """Family -> its lines of description, and its samples of all jobs: a family may stand only once in an answer."""
    families: dict[str, tuple[list[str], list[str]]] = {}
    for job, folder in folders.items():
        try:
            text = read_text(folder / METRICS_FILE)
        except FileNotFoundError:
            continue
        head: list[str] = []
        samples: list[str] = []
        for line in text.splitlines():
            if line.startswith("# EOF"):
                break
            if line.startswith("#"):
                words = line.split(" ", 3)
                if words[1] == "TYPE":
                    head, samples = families.setdefault(words[2], ([], []))
                if line not in head:
                    head.append(line)
            else:
                samples.append(_labelled(line, job))
    return families


def _labelled(sample: str, job: str) -> str:
    """A sample of our own making with the job's label: its name has no brace, so the first one begins its labels."""
    name, brace, rest = sample.partition("{")
    if brace and " " not in name:
        return f'{name}{{{_LABEL}="{escaped(job)}",{rest}'
    name, _, value = sample.partition(" ")
    return f'{name}{{{_LABEL}="{escaped(job)}"}} {value}'


def _of_jobs(every: JobStatuses, now: datetime) -> Iterator[str]:
    statuses = dict(every.by_job)
    runs = [(job, end, number) for job, one in statuses.items() for end, number in _ends(one.progress.ended_well, one.progress.failed)]
    yield from _head("job_runs", "counter", "Runs of the schedule by how they ended.")
    yield from (f'auditor_job_runs_total{{{_LABEL}="{escaped(job)}",outcome="{end}"}} {number}' for job, end, number in runs)
    yield from _head("job_missed_runs", "counter", "Planned times for which no run was made.")
    yield from (f'auditor_job_missed_runs_total{{{_LABEL}="{escaped(job)}"}} {one.progress.missed}' for job, one in statuses.items())
    ended = {job: one.last.finished.timestamp() for job, one in statuses.items() if one.last is not None}
    yield from _gauges("job_last_run_timestamp_seconds", "When the latest run ended.", ended, "seconds")
    judged = {job: one.last_judged.finished.timestamp() for job, one in statuses.items() if one.last_judged is not None}
    yield from _gauges("job_last_verdicts_timestamp_seconds", "When the latest run ended that reached verdicts.", judged, "seconds")
    due = {job: one.next_due.timestamp() for job, one in statuses.items() if one.next_due is not None}
    yield from _gauges("job_next_due_timestamp_seconds", "When the next run begins.", due, "seconds")
    yield from _gauges(
        "job_overdue", "1 where a run is due and none was made.", {job: float(every.is_overdue(job, now)) for job in statuses}
    )
    yield from _gauges(
        "job_hung", "1 where a run lasts longer than it may.", {job: float(one.is_hung(now)) for job, one in statuses.items()}
    )
    failed = {job: float(bool(one.unpublished) or (one.last is not None and one.last.error is not None)) for job, one in statuses.items()}
    yield from _gauges("job_failed", "1 where the latest run reached no verdict, or was not published.", failed)


def _of_notices(deliveries: Mapping[str, Delivery]) -> Iterator[str]:
    pending = {name: len(one.pending) for name, one in deliveries.items()}
    failures = {name: one.failures for name, one in deliveries.items()}
    yield from _head("notices_pending", "gauge", "Notices that wait for their target.")
    yield from (f'auditor_notices_pending{{target="{escaped(name)}"}} {number}' for name, number in pending.items())
    yield from _head("notice_failures", "gauge", "Attempts that failed since the last that succeeded.")
    yield from (f'auditor_notice_failures{{target="{escaped(name)}"}} {number}' for name, number in failures.items())


def _ends(judged: int, failed: int) -> Iterable[tuple[str, int]]:
    return ("judged", judged), ("failed", failed)


def _gauges(name: str, about: str, values: Mapping[str, float], unit: str = "") -> Iterator[str]:
    yield from _head(name, "gauge", about, unit)
    yield from (f'auditor_{name}{{{_LABEL}="{escaped(job)}"}} {value!r}' for job, value in values.items())


def _head(name: str, kind: str, about: str, unit: str = "") -> Iterator[str]:
    yield f"# TYPE auditor_{name} {kind}"
    if unit:
        yield f"# UNIT auditor_{name} {unit}"
    yield f"# HELP auditor_{name} {about}"
