"""`auditor schedule`: the compliance job."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.cli.option_groups import ExitOptions, IncrementalOptions, RuleOptions, with_groups
from auditor.cli.paths import folder_to_write
from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from auditor.job.jobs_file import Job, Jobs
    from auditor.job.runs import Ended
    from auditor.job.schedule import Schedule
    from auditor.job.site.server import Listen, Served
    from auditor.store.address import Place

_WORST_FIRST = (3, 4, 5, 70, 2, 1, 0)
"""Exit codes (docs/exit-codes.md)."""


class LogFormat(StrEnum):
    """How the log is written."""

    TEXT = "text"
    JSON = "json"


@with_groups
def schedule(
    *,
    fleet: options.Fleet = None,
    publish: Annotated[
        Path | None,
        typer.Option(
            "--publish", metavar="DIR", callback=folder_to_write, help="Where index.html, latest.html and the files of each run go."
        ),
    ] = None,
    jobs: Annotated[
        Path | None, typer.Option("--jobs", metavar="PATH", help="jobs.yaml: several fleets or scopes, their times, and who is notified.")
    ] = None,
    cron: Annotated[str | None, typer.Option("--cron", metavar="EXPR", help='When to run, as in crontab, for example "0 6 * * *".')] = None,
    once: Annotated[bool, typer.Option("--once", help="Run once now, publish, exit with the audit's code.")] = False,
    timezone: Annotated[str, typer.Option("--timezone", metavar="NAME", help="The zone of --cron, for example Europe/Vienna.")] = "UTC",
    keep: Annotated[int, typer.Option("--keep", metavar="N", min=1, max=10_000, help="The number of runs that stay published.")] = 30,
    timeout: Annotated[str, typer.Option("--timeout", metavar="TIME", help="A run that lasts longer is stopped and reported.")] = "6h",
    listen: Annotated[
        str | None,
        typer.Option("--listen", metavar="ADDRESS:PORT", help="Serve the site, /healthz and /metrics, for example on 127.0.0.1:8080."),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            metavar="PATH",
            help="With --listen: a file with the token that readers send; required on any address but loopback.",
        ),
    ] = None,
    log_format: Annotated[LogFormat, typer.Option("--log-format", help="The format of the log on standard error.")] = LogFormat.TEXT,
    incremental_options: IncrementalOptions,
    history: Annotated[
        str | None,
        typer.Option("--history", metavar="SPAN", help="Also read counters of the time before each run, for example of 24h."),
    ] = None,
    waivers: options.Waivers = None,
    rule_options: RuleOptions,
    exit_options: ExitOptions,
    state_dir: options.StateDir = None,
) -> int:
    """The compliance job: audits on schedule and publishes a site; it changes nothing on the fleet.

    The one exception: before the next audit it puts back a run that nobody confirmed in time (--confirm-within).

    Example: auditor schedule --cron "0 6 * * *" --fleet fleet.yaml --publish /var/www/audits

    Example: auditor schedule --jobs jobs.yaml --listen 127.0.0.1:8080
    """
    from auditor.bounds.extras import require_extra

    require_extra("job", "auditor schedule")
    from dataclasses import replace
    from datetime import UTC, datetime

    from auditor.job.jobs_file import Jobs
    from auditor.job.logs import set_up_log
    from auditor.job.site.server import parse_listen, token_warning
    from auditor.pipeline.history_span import history_span

    if jobs is not None:
        loaded = _of_file(jobs, once=once, fleet=fleet, publish=publish, cron=cron)
    else:
        history_span(history, None, datetime.now(UTC))
        job = replace(_single(fleet, publish, cron, once=once), history=history)
        loaded = Jobs((_with_options(job, timezone, keep, timeout, waivers, rule_options, exit_options, incremental_options),))
    served = None if listen is None else parse_listen(listen, token_file, loaded.url)
    if token_file is not None and listen is None:
        raise _refused("--token-file goes with --listen", "add --listen 127.0.0.1:8080, or leave it out.")
    set_up_log(log_format.value)
    if token_file is not None and (warning := token_warning(token_file)):
        logging.getLogger("auditor.job").warning("%s", warning)
    for job in loaded.jobs:
        _check(job)
    return _run(loaded, state_dir, served, once=once)


def _single(fleet: Path | None, publish: Path | None, cron: str | None, *, once: bool) -> Job:
    """The job of a command line without --jobs.

    Raises:
        ConfigurationError: something that it needs is missing.
    """
    from auditor.job.jobs_file import Job

    if (cron is None) == (not once):
        raise _refused("schedule needs either --cron EXPR or --once", '--cron "0 6 * * *", or --once')
    if fleet is None or publish is None:
        raise _refused("schedule needs --fleet PATH and --publish DIR, or --jobs PATH", "--fleet fleet.yaml --publish /var/www/audits")
    return Job(name="audit", fleet=fleet, publish=publish, cron=cron)


def _with_options(
    job: Job,
    timezone: str,
    keep: int,
    timeout: str,
    waivers: Path | None,
    rules: RuleOptions,
    exits: ExitOptions,
    incremental: IncrementalOptions,
) -> Job:
    from dataclasses import replace

    from auditor.cli.durations import seconds_of

    incremental.incremental()
    return replace(
        job,
        timezone=timezone,
        keep=keep,
        timeout_seconds=seconds_of(timeout, "--timeout") or job.timeout_seconds,
        waivers=waivers,
        rules=tuple(rules.rules or ()),
        only=tuple(rules.only or ()),
        tag=tuple(rules.tag or ()),
        exclude=tuple(rules.exclude or ()),
        severity=None if rules.severity is None else rules.severity.value,
        endpoint=tuple(rules.endpoint or ()),
        cluster=tuple(rules.cluster or ()),
        host=tuple(rules.host or ()),
        since=incremental.since,
        max_age=incremental.max_age,
        fail_on=exits.fail_on.value,
        min_coverage=exits.min_coverage,
    )


def _of_file(path: Path, *, once: bool, fleet: Path | None, publish: Path | None, cron: str | None) -> Jobs:
    """The jobs of a file, each to run once where that was requested.

    Raises:
        ConfigurationError: it has a mistake, or an option was given that it has a key for.
    """
    from dataclasses import replace

    from auditor.job.jobs_file import load_jobs

    if (fleet, publish, cron) != (None, None, None):
        raise _refused("--fleet, --publish and --cron do not go with --jobs", f"leave them out: {path} has them for each job.")
    loaded = load_jobs(path)
    return replace(loaded, jobs=tuple(replace(job, cron=None) for job in loaded.jobs)) if once else loaded


def _check(job: Job) -> None:
    """Report a mistake in the files of a job now, not at six in the morning."""
    from auditor.engine.rules.chosen import without
    from auditor.engine.waivers.file import load_waivers
    from auditor.fleet.loading import load_fleet
    from auditor.pipeline.policy import load_rule_set

    typed = [one.name for one in load_fleet(job.fleet).endpoints if one.password.way == "ask"]
    if typed:
        raise ConfigurationError(
            f"{job.fleet}: the secret of {', '.join(typed)} is typed at a terminal, and a job has nobody to ask",
            why="nothing on these endpoints would ever be read; no run was begun.",
            do="give {env: NAME}, {file: PATH}, {keyring: SERVICE} or {command: [WORD, ...]} in the place of {ask: true}.",
        )
    without(load_rule_set(job.rules, job.only, job.tag), job.exclude)
    if job.waivers is not None:
        load_waivers(job.waivers, datetime.now(UTC), required=True)


def _run(jobs: Jobs, state_dir: Place | None, listen: Listen | None, *, once: bool) -> int:
    from auditor.history.state import state_directory
    from auditor.job.runs import run_in_process
    from auditor.job.schedule import schedule_of, started_text
    from auditor.job.site.server import serving

    running = schedule_of(jobs, state_directory(state_dir), run_in_process)
    log = logging.getLogger("auditor.job")
    with ExitStack() as stack:
        if listen is not None:
            log.info("serving %s", stack.enter_context(serving(listen, _served(running))))
        if once:
            return _code(running.once())
        log.info(started_text(jobs))
        running.serve()
        return 0


def _served(running: Schedule) -> Served:
    from auditor.job.site.server import Served

    return Served(running.roots(), running.statuses, running.folders(), running.notifier)


def _code(ended: list[Ended]) -> int:
    """The worst exit code of all runs; what a run failed by is raised where it is the only one."""
    from auditor.cli.exit_codes import exit_code_of
    from auditor.errors import CRASHED
    from auditor.job.runs import Failed

    codes = []
    for one in ended:
        if not isinstance(one, Failed):
            codes.append(one.run.exit_code)
        elif one.is_bug:
            codes.append(CRASHED)
        elif len(ended) == 1:
            raise one.error
        else:
            codes.append(exit_code_of(one.error))
    return min(codes, key=_WORST_FIRST.index)


def _refused(what: str, do: str) -> ConfigurationError:
    return ConfigurationError(what, why="nothing was run.", do=do)
