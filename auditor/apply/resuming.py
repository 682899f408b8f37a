"""Finishes reboots that a killed run left half done: its hosts are still in maintenance mode."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from auditor.apply.reboots import reboot_hosts
from auditor.apply.unfinished import unfinished, written_on
from auditor.endpoints.vcenter.steps.polling import LIMIT
from auditor.model import Outcome, Target

if TYPE_CHECKING:
    from collections.abc import Collection, Generator
    from pathlib import Path

    from auditor.apply.reboots import Rolling
    from auditor.journal import Entry
    from auditor.model import Change, Receipt


def finish_reboots(run: str, rolling: Rolling) -> Generator[Receipt, None, str]:
    """Take the hosts that `run` left in maintenance mode out of it, after the reboot where settings wait for it; a receipt for each step.

    Returns why nothing more is to be attempted, "" where all went well. Open intents have to be settled before (`recover`): a host that
    is away has one, and is left alone until it is back.

    Raises:
        JournalError: a journal is damaged, or this one cannot be written.
    """
    for place, entry in unfinished(rolling.journal.directory).left_out.items():
        if entry.intent.run != run:
            continue
        written = written_on(rolling.journal.directory, run, place)
        if written:
            stopped = yield from reboot_hosts(written, rolling)
        else:
            receipt = rolling.attempt(_leaving(entry, rolling.limits.leave_seconds))
            yield receipt
            well = receipt.outcome in {Outcome.APPLIED, Outcome.ALREADY}
            stopped = "" if well else f"not attempted: {entry.intent.change.resource.name} did not leave maintenance mode"
        if stopped:
            return stopped
    return ""


def left_by(runs: Collection[str], journals: Path, leave_seconds: float) -> list[Change]:
    """The steps that take the hosts out of maintenance mode which any of `runs` left in it; each may take so long.

    Raises:
        JournalError: a journal is damaged.
    """
    left_out = unfinished(journals).left_out.values() if runs else ()
    return [_leaving(entry, leave_seconds) for entry in left_out if entry.intent.run in runs]


def _leaving(entry: Entry, seconds: float) -> Change:
    change = entry.intent.change
    keys = (("host_id", change.target["host_id"]), (LIMIT, f"{seconds:g}"))
    return replace(change, target=Target(change.target.endpoint, keys), before=True, after=False, reason="the host carries machines again")
