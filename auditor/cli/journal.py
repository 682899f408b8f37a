"""`auditor journal`: what was written to the fleet, as a change ticket, and whether the record of it is whole."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.cli.paths import file_to_write
from auditor.errors import ConfigurationError, JournalError

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor.report.change_ticket import Ticket

app = typer.Typer(
    help="The record of every write: export a run's changes as a change ticket, verify that nothing was altered.", no_args_is_help=True
)


class TicketFormat(StrEnum):
    """The forms of a change ticket."""

    MARKDOWN = "markdown"
    JSON = "json"
    SERVICENOW = "servicenow"
    JIRA = "jira"


@app.command("export")
def export(
    run: Annotated[str, options.run_argument("The run whose changes are exported; `auditor runs list` names them.")],
    form: Annotated[
        TicketFormat, typer.Option("--format", "--as", help="For people, for programs, or the body of a request.")
    ] = TicketFormat.MARKDOWN,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", callback=file_to_write, help="Write this file. [default: standard output]"),
    ] = None,
    state_dir: options.LocalStateDir = None,
) -> int:
    """Write the changes of a run as a change ticket: who changed what, when, from what to what, why, and how it ended.

    Example: auditor journal export 20261121T065500Z-1a2b --out CHG0012345.md

    Example: auditor journal export 20261121T065500Z-1a2b --as servicenow --out change.json
    """
    from auditor.cli.audit_output import typed
    from auditor.history.families import family_of
    from auditor.history.folders import JOURNAL_FOLDER
    from auditor.history.repeat_commands import fleet_of_run
    from auditor.history.state import state_directory
    from auditor.history.writing_runs import writing_run_named
    from auditor.report.change_ticket import ticket_of

    state = state_directory(state_dir, to_read=True)
    named = writing_run_named(state, run)
    where = f"--fleet {fleet_of_run(state, named)}{typed('', ('--state-dir', state_dir))}"
    ticket = ticket_of(state / JOURNAL_FOLDER, named, family_of(state, named)[1:], where)
    text = _writer_of(form)(ticket)
    if out is None:
        sys.stdout.write(text)
        return 0
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(
            f"{out}: {error.strerror or error}", why="the ticket was not written.", do="name a file in a folder that you may write to."
        ) from error
    return 0


def _writer_of(form: TicketFormat) -> Callable[[Ticket], str]:
    """What writes a ticket in that form; imports its module now."""
    from auditor.report import change_ticket
    from auditor.report.tickets import jira, servicenow

    return {
        TicketFormat.MARKDOWN: change_ticket.ticket_markdown,
        TicketFormat.JSON: change_ticket.ticket_json,
        TicketFormat.SERVICENOW: servicenow.change_request_text,
        TicketFormat.JIRA: jira.change_issue_text,
    }[form]


@app.command("verify")
def verify(
    head: Annotated[
        str | None,
        typer.Option("--head", metavar="SHA256", help="Also check that this digest, noted earlier, is in the chain."),
    ] = None,
    state_dir: options.LocalStateDir = None,
) -> int:
    """Check that no journal was changed or removed: each holds the digest of the one before it.

    Example: auditor journal verify --head 5f0c...

    Exit codes: 0 they are whole, 4 a journal was changed, removed or added.
    """
    from auditor.history.folders import JOURNAL_FOLDER
    from auditor.history.state import state_directory
    from auditor.journal.chain import verify as verify_chain
    from auditor.report.wording import neutral
    from auditor.text.numbers import count_of

    directory = state_directory(state_dir, to_read=True) / JOURNAL_FOLDER
    verified = verify_chain(directory, head)
    if verified.problems:
        raise JournalError(
            neutral("; ".join(verified.problems)),
            why="the record of what was changed on the fleet is not the one that auditor wrote.",
            do="restore the journals from a backup; undo nothing by them before that.",
        )
    print(f"{count_of(verified.journals, 'journal')} in {directory}, {count_of(verified.records, 'record')}: whole")
    if verified.unchained:
        print(f"{count_of(verified.unchained, 'journal')} of an older auditor: sealed line by line, and by the journal after them only")
    if verified.head is not None:
        print(f"the newest is of run {verified.head.run} and ends with\n{verified.head.sha256}")
    return 0
