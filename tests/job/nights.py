"""What tests of the job share: a clock that jumps, runs that need no fleet, and comparisons made by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from auditor.history.runs import new_run_id
from auditor.job.job_status import JobStatuses
from auditor.job.jobs_file import Job, Jobs, NoticeTarget
from auditor.job.notices import Notice, Notifier
from auditor.job.one_run import highlights, run_of_report
from auditor.job.published import JOBS_FOLDER, PublishedRun
from auditor.job.runs import Ended, Failed, Published
from auditor.job.schedule import Schedule
from auditor.job.site.publishing import Site, publish_failure, publish_index, publish_report
from auditor.model import Report, Verdict
from auditor.model.comparison import ChangedFinding, ChangeKind, Comparison
from tests.report import samples

BEGIN = datetime(2026, 11, 1, tzinfo=UTC)


@dataclass
class JumpingClock:
    """A clock that nobody waits for: to sleep moves it. It ends the schedule at `end` as SIGTERM does."""

    moment: datetime = BEGIN
    end: datetime = BEGIN + timedelta(days=30)
    slept: list[float] = field(default_factory=list)
    look_seconds: float = 86400.0

    def now(self) -> datetime:
        return self.moment

    def sleep(self, seconds: float) -> None:
        from auditor.job.stopping import Stop

        self.slept.append(seconds)
        self.moment += timedelta(seconds=seconds)
        if self.moment >= self.end:
            raise Stop


def compared(changes: Sequence[ChangedFinding], before: str = "20261101T060000Z-aaaa") -> Comparison:
    """A comparison with these changes."""
    counts: dict[ChangeKind, int] = {}
    for change in changes:
        counts[change.kind] = counts.get(change.kind, 0) + 1
    return Comparison(before, BEGIN, counts, same_scope=True, listed=lambda: iter(changes))


def change(kind: ChangeKind, host: str = "esx-01.example.net") -> ChangedFinding:
    finding = samples.pe_finding(host)
    return ChangedFinding(kind, finding, finding, "it passed then")


@dataclass
class Runs:
    """Makes runs without a fleet. `nights` are what each run finds, in their order; the last one stays."""

    clock: JumpingClock
    nights: Sequence[Callable[[], tuple[Report, Comparison | None]] | Failed] = ()
    lasts: timedelta = timedelta(minutes=2)
    made: list[tuple[str, datetime, str | None]] = field(default_factory=list)

    def __call__(self, job: Job, site: Site, state: Path, previous: str | None) -> Ended:
        began = self.clock.moment
        self.made.append((job.name, began, previous))
        night = self.nights[min(len(self.made), len(self.nights)) - 1] if self.nights else drifted
        self.clock.moment += self.lasts
        if isinstance(night, Failed):
            return night
        report, comparison = night()
        run = replace(report.run, id=new_run_id(began), started=began, finished=self.clock.moment)
        report = replace(report, run=run)
        return Published(publish_report(site, report, run_of_report(report, 1), comparison), tuple(highlights(comparison)))


def drifted(*changes: ChangedFinding) -> tuple[Report, Comparison | None]:
    """A night on which one device is not as wanted."""
    return samples.report_of([samples.pe_finding()]), compared(changes) if changes else None


def job(folder: Path, name: str = "nightly", **values: object) -> Job:
    """A job at six every morning."""
    made = Job(name=name, fleet=folder / "fleet.yaml", publish=folder / "www" / name, cron="0 6 * * *")
    return replace(made, **values)  # type: ignore[arg-type]


@dataclass
class Sent:
    """Takes notices, or refuses them."""

    messages: list[tuple[str, Notice]] = field(default_factory=list)
    refuses: Exception | None = None

    def __call__(self, target: NoticeTarget, notice: Notice) -> None:
        if self.refuses is not None:
            raise self.refuses
        self.messages.append((target.name, notice))


def scheduled(folder: Path, runs: Runs, *jobs: Job, sent: Sent | None = None, site: Path | None = None, url: str | None = None) -> Schedule:
    """A schedule over `jobs` that needs no fleet, no clock and no target."""
    state = folder / "state"
    (state / JOBS_FOLDER).mkdir(parents=True, exist_ok=True)
    targets: Mapping[str, NoticeTarget] = {target.name: target for one in jobs for target in one.notify}
    notifier = Notifier(state / JOBS_FOLDER, targets, sent or Sent())
    return Schedule(Jobs(tuple(jobs), site, url), state, runs, notifier, runs.clock, JobStatuses())


def pages(folder: Path) -> Iterator[str]:
    """The names in a published folder, hidden ones too."""
    return (path.name for path in sorted(folder.iterdir()))


def night(day: int, verdict: Verdict = Verdict.FAIL) -> Report:
    started = datetime(2026, 11, day, 2, tzinfo=UTC)
    return samples.report_of([samples.pe_finding(verdict=verdict)], run_=samples.run(started=started))


def site_in(folder: Path, keep: int = 30, url: str | None = None) -> Site:
    site = Site("nightly", folder / "www", folder / "state", keep, url=url)
    for one in (site.folder, site.state):
        one.mkdir(parents=True, exist_ok=True)
    return site


def publish(site: Site, report: Report, changes: Sequence[ChangedFinding] | None = None, **values: object) -> PublishedRun:
    run = publish_report(site, report, run_of_report(report), None if changes is None else compared(changes))
    publish_index(site, run, **{"now": run.finished, "next_due": None, **values})  # type: ignore[arg-type]
    return run


def failed(site: Site, day: int, what: str = "vc-east: no answer within 30 s") -> PublishedRun:
    started = datetime(2026, 11, day, 2, tzinfo=UTC)
    run = PublishedRun(f"202611{day:02}T020000Z-dead", started, started + timedelta(seconds=31), error=what)
    run = publish_failure(site, run, [("what", what), ("do", "look at the network")])
    publish_index(site, run, now=run.finished, next_due=None)
    return run
