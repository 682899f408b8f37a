"""`auditor schedule`: the compliance job."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.cli.terminal import progress, warn
from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from auditor.model import Report


@options.with_groups
def schedule(
    *,
    fleet: options.RequiredFleet,
    publish: Annotated[Path, typer.Option("--publish", metavar="DIR", help="Where index.html, latest.html and a page a run go.")],
    cron: Annotated[str | None, typer.Option("--cron", metavar="EXPR", help='When to run, as in crontab, for example "0 6 * * *".')] = None,
    once: Annotated[bool, typer.Option("--once", help="Run now, publish, end with the audit's exit code.")] = False,
    timezone: Annotated[str, typer.Option("--timezone", metavar="NAME", help="Of --cron, for example Europe/Vienna.")] = "UTC",
    keep: Annotated[int, typer.Option("--keep", metavar="N", min=1, help="How many runs stay published.")] = 30,
    incremental_options: options.IncrementalOptions,
    waivers: options.Waivers = None,
    rule_options: options.RuleOptions,
    exit_options: options.ExitOptions,
    state_dir: options.StateDir = None,
) -> int:
    """The compliance job: audits on schedule and publishes HTML; it changes nothing on the fleet.

    But a run that nobody confirmed in time (--confirm-within) is put back before the next audit.

    Example: auditor schedule --cron "0 6 * * *" --fleet fleet.yaml --publish /var/www/audits
    """
    if (cron is None) == (not once):
        raise ConfigurationError("schedule needs either --cron EXPR or --once", why="nothing was run.", do='--cron "0 6 * * *", or --once')
    from auditor.audit import audit
    from auditor.engine.waivers import load_waivers
    from auditor.fleet import load_fleet
    from auditor.history.schedule import run_schedule
    from auditor.history.state import state_directory
    from auditor.request import AuditRequest
    from auditor.unconfirmed import undo_overdue

    incremental = incremental_options.incremental()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    logging.getLogger("apscheduler").setLevel(logging.WARNING)  # it would repeat what we log
    load_fleet(fleet)  # a mistake in it is reported now, not at six in the morning
    if waivers is not None:
        load_waivers(waivers, datetime.now(UTC), required=True)  # likewise
    state = state_directory(state_dir)
    # By its path: each run reads fleet.yaml anew.
    request = AuditRequest(fleet=fleet, **rule_options.arguments(), incremental=incremental, waivers=waivers, state=state, warn=warn)
    codes: list[int] = []

    def job() -> Report:
        for sentence in undo_overdue(load_fleet(fleet), state):
            logging.getLogger("auditor").warning(sentence)
        with progress() as shown:
            audited = audit(replace(request, progress=shown))
        codes.append(audited.exit_code(exit_options.fail_on, exit_options.min_coverage))
        return audited.report

    run_schedule(cron, job, publish, timezone=timezone, keep=keep)
    return codes[-1] if once else 0
