"""`auditor baseline`: the wanted state that drift is measured against."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options
from auditor.cli.paths import file_to_write
from auditor.errors import ConfigurationError

app = typer.Typer(help="Hold hosts to the state of an earlier run, or of one good host.", no_args_is_help=True)


class Reach(StrEnum):
    """Which hosts have to be like the good one."""

    CLUSTER = "cluster"
    ALL = "all"


@app.command("set")
def set_(
    run: Annotated[str | None, options.run_argument('The run whose state is wanted, an id of `auditor runs list` or "last".')] = None,
    from_host: Annotated[
        str | None, typer.Option("--from-host", metavar="HOST", help="Hold other hosts to the state of this host, as the run saw it.")
    ] = None,
    of_run: Annotated[str | None, options.run_option("--run", "With --from-host: the run. [default: the newest]")] = None,
    reach: Annotated[
        Reach | None, typer.Option("--for", help="With --from-host: which hosts are held to it. [default: cluster]", show_default=False)
    ] = None,
    endpoint: Annotated[
        str | None, typer.Option("--endpoint", metavar="NAME", help="With --from-host: its vCenter, if two have a host of that name.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask if the baseline in force is of another fleet.")] = False,
    state_dir: options.StateDir = None,
) -> int:
    """Declare the state that a run saw as the wanted one: every later audit reports each setting that drifted from it, even to a default.

    Example: auditor baseline set 20261121T065500Z-1a2b

    Example: auditor baseline set --from-host esx-01.example.net --for cluster

    Exit codes: 0 it is set, 3 it is not set; an earlier one stays in force.
    """
    from auditor.history.baseline import other_fleet, run_to_take, set_baseline
    from auditor.history.state import state_directory
    from auditor.report.terminal.baseline import write_baseline
    from auditor.report.wording import neutral

    _refuse_halves(run, from_host, of_run, is_placed=reach is not None or endpoint is not None)
    state = state_directory(state_dir)
    kept = run_to_take(state, run or of_run)
    whose = f"{kept.hosts:,} hosts of {', '.join(one.name for one in kept.listed[:_NAMED])}{', ...' if len(kept.listed) > _NAMED else ''}"
    whose += f", of {kept.scope.fleet_name}" if kept.scope is not None else ""
    other = other_fleet(state, kept)
    if other is not None and not (yes or _is_meant(whose, other)):
        raise ConfigurationError(
            f"run {kept.id} is of another fleet ({whose}) than the baseline in force ({other})",
            why="no baseline was set: the settings of the other fleet would lose their wanted state.",
            do="name a run of that fleet, give its own --state-dir to each fleet, or --yes where it is meant.",
        )
    print(f"Taken from run {kept.id}: {neutral(whose)}.")
    about = set_baseline(state, kept, datetime.now(UTC), from_host, endpoint, str(reach or Reach.CLUSTER))
    write_baseline(about, sys.stdout)
    return 0


@app.command("show")
def show(state_dir: options.StateDir = None) -> int:
    """Show the baseline in force: what it was made from, and how many settings it holds.

    Example: auditor baseline show

    Exit codes: 0 it is shown, or none is set, 3 it is damaged.
    """
    from auditor.history.baseline import load_about
    from auditor.history.state import state_directory
    from auditor.report.terminal.baseline import write_baseline

    about = load_about(state_directory(state_dir, to_read=True))
    if about is None:
        print("no baseline is set: `auditor baseline set RUN` makes the state of a run the wanted one", file=sys.stderr)
        return 0
    write_baseline(about, sys.stdout)
    return 0


@app.command("export")
def export(
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", callback=file_to_write, help="Where it goes. [default: standard output]")
    ] = None,
    state_dir: options.StateDir = None,
) -> int:
    """Write the options and module parameters of the baseline in force as a settings.yaml, which declares them for its clusters and hosts.

    Example: auditor baseline export --out settings.yaml

    Exit codes: 0 it is written, 3 no baseline is set, or it is damaged.
    """
    from auditor.history.baseline_export import baseline_as_settings
    from auditor.history.state import state_directory
    from auditor.report.files import written_whole

    text = baseline_as_settings(state_directory(state_dir, to_read=True))
    if out is None:
        print(text, end="")
        return 0
    if out.exists():
        raise ConfigurationError(
            f"{out} is there already", why="nothing was written: a file of yours is never overwritten.", do="name another file."
        )
    with written_whole(out) as file:
        file.write(text)
    print(f"wrote {out}", file=sys.stderr)
    return 0


@app.command("clear")
def clear(state_dir: options.StateDir = None) -> int:
    """Remove the baseline; runs that were judged by it stay as they are.

    Example: auditor baseline clear

    Exit codes: 0 no baseline is set any more, 3 it could not be removed.
    """
    from auditor.history.baseline import clear as cleared
    from auditor.history.state import state_directory

    print("the baseline was removed" if cleared(state_directory(state_dir, to_read=True)) else "no baseline was set")
    return 0


_NAMED = 5


def _is_meant(whose: str, other: str) -> bool:
    """Ask whether a baseline of another fleet is to take the place of the one in force; without a terminal it is not."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"The baseline in force is of {other}; this run is of {whose}. Type yes to go on: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() == "yes"


def _refuse_halves(run: str | None, from_host: str | None, of_run: str | None, *, is_placed: bool) -> None:
    what = None
    if run is None and from_host is None:
        what = "baseline set needs RUN or --from-host HOST"
    elif from_host is None and (of_run is not None or is_placed):
        what = "--run, --for and --endpoint go with --from-host"
    elif run is not None and from_host is not None:
        what = "RUN and --from-host do not go together; --run names the run of that host"
    if what is not None:
        raise ConfigurationError(
            what, why="no baseline was set.", do="auditor baseline set RUN, or: auditor baseline set --from-host HOST [--run RUN]"
        )
