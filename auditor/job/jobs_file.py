"""jobs.yaml: what is audited by the clock, where it is published, and who is notified."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from auditor.errors import ConfigurationError
from auditor.job.cron import cron_trigger
from auditor.job.jobs_shape import CatchUp, JobsShape
from auditor.model import Secret
from auditor.yaml.reading import YamlDocument, did_you_mean
from auditor.yaml.shapes import Mistake, load_shaped, mistakes_error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from auditor.fleet.shape import SecretShape
    from auditor.job.jobs_shape import JobShape, TargetShape

FILE_NAME = "jobs.yaml"
NOTHING_RUN = "nothing was run or scheduled: a job that is left out is a fleet that nobody audits."
TIMEOUT_SECONDS = 6 * 3600.0
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True, slots=True)
class NoticeTarget:
    """Who is notified. The address is a secret: a chat's URL is as good as a password."""

    name: str
    url: Secret
    at_most_every_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One fleet, or a part of one, audited by the clock.

    Attributes:
        name: its word in the log, in notices and in the site's addresses.
        fleet: fleet.yaml, read anew for each run.
        publish: the folder of its pages.
        cron: as crontab(5); None: it runs once, now.
        timezone: of `cron`, an IANA name.
        rules, only, tag, endpoint, cluster, host, severity, exclude: as the options of `auditor audit`.
        waivers: None: waivers.yaml beside the fleet's file.
        since, max_age: as the options; None: every host is asked.
        history: how long before each run counters of the past are read as well, for example 24h; None: only those of now.
        workers, workers_certificates: as the options; None: this machine reads.
        keep: how many runs stay published.
        keep_runs: the limits of `auditor runs prune --keep`, which are applied to the state directory after each run; (): none is removed.
        notify: who is notified of what changed.
        jitter_seconds: each run begins up to this much later, so that jobs of many machines do not begin at one moment.
        catch_up: whether a run that was missed is made up for, once.
        timeout_seconds: a run that lasts longer is stopped and reported.
        fail_on, min_coverage: as the options of `auditor audit`; they decide the exit code of `--once` alone.
    """

    name: str
    fleet: Path
    publish: Path
    cron: str | None = None
    timezone: str = "UTC"
    rules: tuple[Path, ...] = ()
    only: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    endpoint: tuple[str, ...] = ()
    cluster: tuple[str, ...] = ()
    host: tuple[str, ...] = ()
    severity: str | None = None
    exclude: tuple[str, ...] = ()
    waivers: Path | None = None
    since: str | None = None
    max_age: str | None = None
    history: str | None = None
    workers: str | None = None
    workers_certificates: Path | None = None
    keep: int = 30
    keep_runs: tuple[str, ...] = ()
    notify: tuple[NoticeTarget, ...] = ()
    jitter_seconds: float = 0.0
    catch_up: CatchUp = CatchUp.SKIP
    timeout_seconds: float = TIMEOUT_SECONDS
    fail_on: str = "info"
    min_coverage: float | None = None


@dataclass(frozen=True, slots=True)
class Jobs:
    """Everything that jobs.yaml says.

    Attributes:
        jobs: at least one.
        site: the folder above those of jobs that name none of their own; it gets a page that lists all jobs. None: there is none.
        url: where people open the site, without a slash at its end; None: links are left out of notices.
    """

    jobs: tuple[Job, ...]
    site: Path | None = None
    url: str | None = None

    def url_of(self, job: Job) -> str | None:
        """Where people open the pages of `job`; None where that is not known."""
        if self.url is None:
            return None
        return f"{self.url}/{job.name}" if self.site is not None and job.publish == self.site / job.name else self.url


def seconds_of(text: str) -> float:
    """The seconds of a time such as 15m that has the right form."""
    return float(int(text[:-1]) * _UNITS[text[-1]])


def load_jobs(path: Path) -> Jobs:
    """Read `path`; relative paths in it are relative to its folder.

    Raises:
        ConfigurationError: it has a mistake; the error names every one in the file's form, else the first one in what it says.
    """
    return _Reader(*load_shaped(path, JobsShape, _urls_in_clear, ConfigurationError, why=NOTHING_RUN)).jobs()


def _urls_in_clear(data: Any) -> Iterator[Mistake]:
    """Addresses that are written into the file, where every reader of the file would see them. Their text is not repeated."""
    targets = data.get("notify") if isinstance(data, dict) else None
    for index, entry in enumerate(targets if isinstance(targets, list) else ()):
        if isinstance(entry, dict) and isinstance(entry.get("url"), str):
            what = "an address to notify is a secret, and is written into the file; give a reference: {env: NAME}, {file: PATH}, ..."
            yield Mistake(("notify", index, "url"), what)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns a file of the right form into jobs, or stops at the first key that does not fit the others."""

    document: YamlDocument
    shape: JobsShape

    def jobs(self) -> Jobs:
        self._one_of_each([target.name for target in self.shape.notify], "notify")
        self._one_of_each([job.name for job in self.shape.jobs], "jobs")
        targets = {target.name: self._target(target) for target in self.shape.notify}
        site = None if self.shape.site is None else self._path(self.shape.site)
        jobs = tuple(self._job(index, entry, targets, site) for index, entry in enumerate(self.shape.jobs))
        for index, job in enumerate(jobs):
            if any(job.publish == other.publish for other in jobs[:index]) or job.publish == site:
                self._stop(f"{job.publish} would hold the pages of two jobs; each needs a folder of its own", "jobs", index, "publish")
        return Jobs(jobs, site, None if self.shape.url is None else self.shape.url.rstrip("/"))

    def _one_of_each(self, names: list[str], key: str) -> None:
        for index, name in enumerate(names):
            if name in names[:index]:
                self._stop(f'a second one is named "{name}"', key, index, "name")

    def _target(self, entry: TargetShape) -> NoticeTarget:
        return NoticeTarget(entry.name, self._secret(entry.url), seconds_of(entry.at_most_every))

    def _secret(self, shape: SecretShape) -> Secret:
        [(way, argument)] = shape.given()
        return Secret(way, tuple(str(self._path(one)) for one in argument) if way == "file" else argument)

    def _job(self, index: int, entry: JobShape, targets: dict[str, NoticeTarget], site: Path | None) -> Job:
        from auditor.history.retention import parse_keep
        from auditor.pipeline.history_span import history_span

        at = ("jobs", index)
        try:
            cron_trigger(entry.cron, entry.timezone)
        except ConfigurationError as error:
            self._stop(error.what.removeprefix("--"), *at, "timezone" if "--timezone" in error.what else "cron")
        if entry.publish is None and site is None:
            self._stop('give "publish", the folder of its pages, or "site" for all jobs', *at)
        if entry.max_age is not None and entry.since is None:
            self._stop('"max_age" goes with "since"', *at, "max_age")
        try:
            history_span(entry.history, None, datetime.now(UTC))
        except ConfigurationError as error:
            self._stop(error.what.removeprefix("--history: "), *at, "history")
        self._check_workers(entry, *at)
        try:
            parse_keep(entry.keep_runs)
        except ConfigurationError as error:
            self._stop(error.what.removeprefix("--keep "), *at, "keep_runs")
        for place, name in enumerate(entry.notify):
            if name not in targets:
                known = list(targets)
                self._stop(f'no target is named "{name}"{did_you_mean(name, known)}', *at, "notify", place)
        return Job(
            name=entry.name,
            fleet=self._path(entry.fleet),
            publish=self._path(entry.publish) if entry.publish is not None else (site or Path()) / entry.name,
            cron=entry.cron,
            timezone=entry.timezone,
            rules=tuple(map(self._path, entry.rules)),
            only=entry.only,
            tag=entry.tag,
            endpoint=entry.endpoint,
            cluster=entry.cluster,
            host=entry.host,
            severity=None if entry.severity is None else entry.severity.value,
            exclude=entry.exclude,
            waivers=None if entry.waivers is None else self._path(entry.waivers),
            since=entry.since,
            max_age=entry.max_age,
            history=entry.history,
            workers=entry.workers,
            workers_certificates=None if entry.workers_certificates is None else self._path(entry.workers_certificates),
            keep=entry.keep,
            keep_runs=entry.keep_runs,
            notify=tuple(targets[name] for name in dict.fromkeys(entry.notify)),
            jitter_seconds=0.0 if entry.jitter is None else seconds_of(entry.jitter),
            catch_up=entry.catch_up,
            timeout_seconds=seconds_of(entry.timeout),
        )

    def _check_workers(self, entry: JobShape, *at: str | int) -> None:
        from auditor.workers.address import parse_address

        if entry.workers is None:
            if entry.workers_certificates is not None:
                self._stop('"workers_certificates" goes with "workers"', *at, "workers_certificates")
            return
        if entry.since is not None:
            self._stop('"since" does not go with "workers": they take over no answers of an earlier run', *at, "since")
        try:
            parse_address(entry.workers, "workers")
        except ConfigurationError as error:
            self._stop(error.what, *at, "workers")

    def _path(self, text: str) -> Path:
        return (self.document.path.parent / Path(text).expanduser()).resolve()

    def _stop(self, what: str, *at: str | int) -> NoReturn:
        raise mistakes_error([Mistake(at, what)], self.document, ConfigurationError, why=NOTHING_RUN)
