"""What auditor writes as metrics, once of everything: the answer of a schedule with two jobs, a report alone, and the sites of workers."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from prometheus_client.openmetrics.parser import text_string_to_metric_families

from auditor.errors import EndpointError
from auditor.job.jobs_file import NoticeTarget
from auditor.job.site.metrics import metrics_text
from auditor.model import Report, Secret
from auditor.model.comparison import ChangeKind, Comparison
from auditor.report.formats.openmetrics import write_openmetrics
from auditor.workers.metrics import SiteCollector
from tests.job.nights import BEGIN, JumpingClock, Runs, Sent, change, compared, job, scheduled
from tests.report import samples


def written(folder: Path) -> list[tuple[str, dict[str, str], float]]:
    """Name, labels and value of every sample."""
    families: list[Any] = list(text_string_to_metric_families(_of_the_job(folder)))
    out = io.StringIO()
    write_openmetrics(_night()[0], out)
    families += text_string_to_metric_families(out.getvalue())
    scheduler: Any = SimpleNamespace(workers={"tcp://192.0.2.7:1": SimpleNamespace(resources={"site-vienna": 1, "vienna": 1})})
    families += SiteCollector(scheduler).collect()
    return [(sample.name, dict(sample.labels), sample.value) for family in families for sample in family.samples]


def _night() -> tuple[Report, Comparison | None]:
    comparison = compared([change(ChangeKind.NEW)])
    return replace(samples.bad_night(), compared=comparison), comparison


def _of_the_job(folder: Path) -> str:
    """As /metrics answers when a target of notices took none."""
    target = NoticeTarget("storage-team", Secret("env", ("NOBODY",)), 600.0)
    runs = Runs(JumpingClock(end=BEGIN + timedelta(days=2)), [_night])
    jobs = job(folder, notify=(target,)), job(folder, "gold", cron="0 8 * * *")
    schedule = scheduled(folder, runs, *jobs, sent=Sent(refuses=EndpointError("no answer", why="", do="")))
    schedule.serve()
    return metrics_text(schedule.statuses, schedule.folders(), schedule.notifier.deliveries, BEGIN + timedelta(days=2))
