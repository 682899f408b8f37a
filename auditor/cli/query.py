"""`auditor query`: questions in SQL over the last run or a snapshot."""

from __future__ import annotations

import shutil
import sys
import tempfile
from enum import StrEnum
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.cli.safe_stdout import is_read
from auditor.cli.terminal import terminal_width
from auditor.errors import ConfigurationError
from auditor.stopping import closing
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from auditor.store.address import Place

ROWS_ON_A_TERMINAL = 200


class Form(StrEnum):
    """How rows are written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


def query(
    sql: Annotated[str, typer.Argument(metavar="SELECT", help="One SELECT over the views of `auditor rules schema`, and `finding`.")],
    run: options.Run = None,
    snapshot: options.Snapshots = None,
    form: Annotated[Form, typer.Option("--format", help="table, csv or json.")] = Form.TABLE,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            metavar="ROWS",
            min=0,
            max=1_000_000_000,
            help="Show at most this many rows; 0: all. [default: 200 on a terminal, else all]",
        ),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option("--timeout", metavar="SECONDS", min=0, max=604_800, callback=options.finite, help="Stop after this long; 0: never."),
    ] = 300,
    state_dir: options.StateDir = None,
) -> int:
    """Ask what was read, in SQL: the views that rules judge, read-only and cut off from files and the network.

    Example: auditor query "SELECT host, device, dsnro FROM protocol_endpoint WHERE dsnro < 64" --format csv
    """
    from auditor.bounds.process import limited as within_limits
    from auditor.inspect.query import run_query
    from auditor.report.terminal.query_rows import limited, write_rows

    place, findings = saved_place(run, snapshot, state_dir)
    terminal = sys.stdout.isatty()
    most = limit or None if limit is not None else ROWS_ON_A_TERMINAL if terminal and form is Form.TABLE else None
    width = terminal_width() if terminal and form is Form.TABLE else None
    with (
        tempfile.TemporaryDirectory(prefix="auditor-query-", ignore_cleanup_errors=True) as spill,  # a query may be left at work there
        closing(partial(_removed, spill)),  # also where the process ends beneath the query
        within_limits(timeout or None, spill),
        run_query(sql, place, Path(spill) / "spilled", findings, timeout or None) as answer,
    ):
        rows, has_more = limited(answer.rows, most)
        rows = takewhile(lambda _row: is_read(), rows)  # millions of rows for nobody, after `| head`
        cut = write_rows(answer.columns, rows, sys.stdout, form=form, width=width)
        sys.stdout.flush()
        if cut:
            _note(cut)
        if has_more():
            _note(f"only the first {most:,} rows are shown, and there are more; --limit 0 shows all")
        if answer.gaps:
            gaps = count_of(answer.gaps, "thing")
            _note(f"{gaps} could not be read, see fact.gap; NULL means that it is not known, never that it is none")
        for unread in answer.unread:
            _note(f"not read in that run, so not known here: {unread}")
    return 0


def _removed(folder: str) -> str:
    shutil.rmtree(folder, ignore_errors=True)
    return ""


def saved_place(run: str | None, snapshots: list[Place] | None, state_dir: Place | None) -> tuple[Path, Path | None]:
    """The directory of the snapshot that is queried, and the file of that run's findings where there is one."""
    from auditor.history.runs import load_run
    from auditor.history.saved_snapshots import local_snapshot
    from auditor.history.state import state_directory

    if snapshots and run is not None:
        raise ConfigurationError("--run cannot go with --from", why="nothing was asked: these are two moments.", do="leave one out.")
    if snapshots:
        return local_snapshot(snapshots), None
    kept = load_run(state_directory(state_dir, to_read=True), run)
    if kept.snapshot is None:
        raise ConfigurationError(
            f"run {kept.id} kept no snapshot",
            why="nothing was asked: what that run read is not there any more, or it judged a snapshot that lies elsewhere.",
            do="ask the snapshot itself with --from DIR, or another run of `auditor runs list`.",
        )
    return kept.snapshot, kept.findings


def _note(text: str) -> None:
    print(f"note: {text}", file=sys.stderr)
