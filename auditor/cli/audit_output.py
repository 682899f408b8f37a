"""What `auditor audit` and `auditor demo` show when they end: the reports, the plan of a dry run, what a fix did."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from auditor.system.shell import quoted

if TYPE_CHECKING:
    from auditor.cli.option_groups import FixOptions
    from auditor.model import Report
    from auditor.pipeline.result import AuditResult
    from auditor.pipeline.writing import Written
    from auditor.report import Destination
    from auditor.report.terminal.totals import Commands
    from auditor.store.address import Place


_REASONS = 8
"""Reasons that a dry run lists why changes are not attempted."""


@dataclass(frozen=True, slots=True)
class Shown:
    """How a command shows its result.

    Attributes:
        reporters: as given by --reporter.
        command: the command as it was typed, without what narrows it and without --fix.
        details: whether a table on standard output has every finding, or the most important on one screen.
        fleet_stays: whether the fleet is still there when the command ends; False: nothing can be put back.
    """

    reporters: Sequence[str]
    command: str
    details: bool
    fleet_stays: bool = True


def typed(command: str, *options: tuple[str, Place | str | Iterable[Place | str] | None]) -> str:
    """`command` with those of `options` that have a value, as one would type it."""
    from auditor.store.address import Address

    words = [command]
    for name, given in options:
        values = [] if given is None else [given] if isinstance(given, str | Path | Address) else list(given)
        words += [f"{name} {quoted(str(value))}" for value in values]
    return " ".join(words)


def write_reports(audited: AuditResult, destinations: Sequence[Destination], shown: Shown) -> None:
    """Write every report.

    Raises:
        ConfigurationError: a path cannot be written.
    """
    from auditor.report import write_report

    for destination in destinations:
        write_report(audited.report, destination, sys.stdout, details=shown.details, commands=_commands(audited, shown))
    show_result_of_files(audited.report, destinations)


def show_result_of_files(report: Report, destinations: Sequence[Destination]) -> None:
    """Print the result and where the reports are, where all of them went into files: nothing else says how it ended."""
    from auditor.report.digest import digest
    from auditor.report.terminal.first_screen import write_result

    files = [str(one.path) for one in destinations if one.path is not None]
    if len(files) == len(destinations):
        write_result(report, digest(report, 1), sys.stdout)
        print(f"{'Report' if len(files) == 1 else 'Reports'}: {', '.join(files)}", flush=True)


def show_dry_run(
    audited: AuditResult, destinations: Sequence[Destination], shown: Shown, fixing: FixOptions, rehearsed: Written | None = None
) -> None:
    """Print the plan, what would come of it (`rehearsed`, where that is known), and the command that makes it."""
    from auditor.apply import limits_of
    from auditor.apply.guards import select_changes
    from auditor.report.terminal.plan import write_plan
    from auditor.report.wording import allowing

    out = _for_people(destinations)
    print(file=out)
    write_plan(audited.plan, fixing.allowed, out)
    if rehearsed is not None:
        show_rehearsed(rehearsed, out)
    print("\nNothing was written.", file=out)
    changes, _ = select_changes(audited.plan, fixing.allowed)
    if not changes:
        return
    limits, _ = limits_of(fixing.max_hosts, fixing.max_changes, audited.snapshot.hosts, audited.snapshot.hosts_by_cluster)
    excess = limits.excess(changes)
    most = "".join(
        f" {name} {given}" for name, given in (("--max-hosts", fixing.max_hosts), ("--max-changes", fixing.max_changes)) if given
    )
    if excess is not None:
        print(f"{excess.what}: without a terminal, or with --yes, such a run makes its first host alone.", file=out)
        most = f" {excess.option}"
    print(f"To make these changes: {_commands(audited, shown).audit} --fix {allowing(fixing.allowed)}{most}", file=out)


def show_rehearsed(rehearsed: Written, out: TextIO) -> None:
    """Print what would come of changes that were rehearsed: how many end how, and why some are not attempted."""
    from auditor.model import Outcome
    from auditor.report.terminal.receipts import counts_text
    from auditor.report.wording import neutral

    for notice in rehearsed.notices:
        print(neutral(notice), file=out)
    counted = counts_text(rehearsed.receipts) or "nothing to change"
    print(f"\nIt would be: {counted}.", file=out)
    quiet = {Outcome.APPLIED, Outcome.ALREADY}
    reasons = Counter(receipt.why for receipt in rehearsed.receipts if receipt.outcome not in quiet and receipt.why)
    for why, number in reasons.most_common(_REASONS):
        print(f"  {number:,}: {neutral(why)}", file=out)
    if len(reasons) > _REASONS:
        print(f"  and {len(reasons) - _REASONS} more reasons", file=out)


def end_dry_run(rehearsed: Written) -> int:
    """Print what would come of `apply` or `undo`; the exit code that it would end with.

    Raises:
        AuditorError: what would stop it.
    """
    show_rehearsed(rehearsed, sys.stdout)
    print("\nNothing was written.")
    if rehearsed.stopped is not None:
        raise rehearsed.stopped
    return rehearsed.exit_code


def show_fixed(audited: AuditResult, destinations: Sequence[Destination], shown: Shown) -> None:
    """Print what a fix did: counts, the run, the command that puts it back, and the files that were written."""
    from auditor.history.folders import JOURNAL_FOLDER
    from auditor.journal.records import SUFFIX
    from auditor.model import Outcome
    from auditor.report.terminal.receipts import counts_text

    out = _for_people(destinations)
    outcomes = Counter(receipt.outcome for receipt in audited.receipts)
    nothing = "nothing to change" if audited.stopped is None else "stopped before anything was attempted"
    print(f"\nFix of run {audited.run_id}: {counts_text(audited.receipts) or nothing}", file=out)
    journal = audited.state / JOURNAL_FOLDER / f"{audited.run_id}{SUFFIX}"
    wrote = outcomes.keys() & {Outcome.APPLIED, Outcome.UNVERIFIED, Outcome.REVERTED}
    if wrote and not shown.fleet_stays:
        print("There is nothing to put back: the simulated fleet ends with this command.", file=out)
    elif wrote and audited.request.fleet is not None:
        state = typed("", ("--state-dir", audited.request.state))
        print(f"To put it back: auditor undo {audited.run_id} --fleet {quoted(str(audited.request.fleet))}{state}", file=out)
        if audited.stopped is not None:
            print(f"To go on with it: auditor resume {audited.run_id} --fleet {quoted(str(audited.request.fleet))}{state}", file=out)
    files = [str(destination.path) for destination in destinations if destination.path is not None]
    files += [str(journal)] if journal.exists() else []
    if files:
        print(f"Files written: {', '.join(files)}", file=out)
    out.flush()


def _commands(audited: AuditResult, shown: Shown) -> Commands:
    from auditor.report.terminal.totals import Commands

    state, fleet = ("--state-dir", audited.request.state), audited.request.fleet
    doctor = typed("auditor doctor", ("--fleet", fleet)) if shown.fleet_stays and isinstance(fleet, Path) else ""
    return Commands.of(audited.report, shown.command, typed("", state), doctor, _plan_command(audited, shown))


def _plan_command(audited: AuditResult, shown: Shown) -> str | None:
    """What prints the fixes of hosts that were read from files; "" where these are gone, or a snapshot was judged; else None."""
    if audited.request.snapshots:
        return ""
    fleet = audited.fleet
    evidence = next((one.evidence for one in fleet.endpoints if one.evidence is not None), None) if fleet is not None else None
    if fleet is None or evidence is None:
        return None
    if not shown.fleet_stays:
        return ""
    path = fleet.path if len(fleet.endpoints) > 1 else None
    return typed("auditor plan", ("--from", map(Path, evidence.paths)), ("--fleet", path), ("--as", "esxcli"))


def _for_people(destinations: Sequence[Destination]) -> TextIO:
    """Standard output, or standard error where a report for programs stands on standard output."""
    from auditor.report import TABLE

    return sys.stderr if any(one.path is None and one.reporter != TABLE for one in destinations) else sys.stdout
