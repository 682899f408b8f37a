"""`auditor check-move`: what stands against moving a machine to another datastore, before it is moved and while it is."""

from __future__ import annotations

import sys
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.moment import MomentOptions
from auditor.cli.option_groups import with_groups
from auditor.cli.paths import possible_paths
from auditor.errors import CRASHED, ConfigurationError

if TYPE_CHECKING:
    from datetime import datetime

    from auditor.inspect.move_checks import Progress
    from auditor.moves.plan import AskedMove, PlannedMove
    from auditor.store.address import Place


class MoveForm(StrEnum):
    """How the answer is written."""

    TABLE = "table"
    JSON = "json"


@with_groups
def check_move(
    *,
    what: Annotated[list[str] | None, typer.Argument(metavar="VM DATASTORE", help="A machine, and the datastore it is to go to.")] = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            "--plan", metavar="FILE", callback=possible_paths, help="A plan of moves instead: CSV with the columns vm, datastore."
        ),
    ] = None,
    moment: MomentOptions,
    reporter: Annotated[MoveForm, typer.Option("--reporter", help="table or json.")] = MoveForm.TABLE,
) -> int:
    """Say what stands against a Storage vMotion: offload, time, load, QoS, Storage I/O Control, Storage DRS, space. Only reads.

    It answers from the last run unless told otherwise; --fleet reads the fleet now.

    Example: auditor check-move fileserver sc-prod-01

    Example: auditor check-move fileserver sc-prod-01 --fleet fleet.yaml

    Example: auditor check-move --plan moves.csv --reporter json

    Exit codes: 0 nothing stands against it; 1 something does; 2 nothing was found against it, but not everything was read; 3 usage, or a
    name that fits nothing or more than one thing.
    """
    from auditor.inspect.move_checks import checked
    from auditor.moves.check import MoveVerdict
    from auditor.moves.reading import needed

    asked = _asked(what or [], plan)
    with moment.facts(needed) as facts:
        found = checked(facts.place, asked, None if moment.snapshot else partial(_before, moment.state_dir))
    _write(found, reporter, fleet_of(moment), is_plan=plan is not None)
    verdicts = {one.check.verdict for one in found}
    if facts.crashed:
        return CRASHED
    return 1 if MoveVerdict.AGAINST in verdicts else 2 if MoveVerdict.UNKNOWN in verdicts else 0


def _asked(what: list[str], plan: Path | None) -> tuple[AskedMove, ...]:
    from auditor.moves.plan import AskedMove, read_plan

    if plan is not None and not what:
        return read_plan(plan)
    if plan is None and len(what) == 2:
        return (AskedMove(what[0], what[1]),)
    raise ConfigurationError(
        "check-move takes a machine and a datastore, or --plan",
        why="no move was checked.",
        do="auditor check-move VM DATASTORE, or auditor check-move --plan moves.csv",
    )


def _before(state_dir: Place | None, when: datetime) -> Progress:
    """How far tasks were when runs that are kept read them, before `when`."""
    from auditor.history.runs import list_runs
    from auditor.history.state import state_directory
    from auditor.inspect.move_checks import progress_before

    return progress_before(list_runs(state_directory(state_dir, to_read=True)), when)


def fleet_of(moment: MomentOptions) -> str:
    """What `auditor watch --fleet` takes to reach the hosts, quoted; "" where they were simulated for a demonstration, and are gone."""
    from auditor.history.repeat_commands import fleet_of_run
    from auditor.history.runs import load_run
    from auditor.history.state import state_directory
    from auditor.system.shell import quoted

    if moment.fleet is not None:
        return quoted(str(moment.fleet))
    if moment.snapshot:
        return "fleet.yaml"
    state = state_directory(moment.state_dir, to_read=True)
    kept = load_run(state, moment.run)
    return "" if kept.along.is_demo else fleet_of_run(state, kept.id)


def _write(found: tuple[PlannedMove, ...], form: MoveForm, fleet: str, *, is_plan: bool) -> None:
    from auditor.report.json.move_checks import write_moves_json
    from auditor.report.terminal.move_checks import write_move, write_plan

    if form is MoveForm.JSON:
        write_moves_json(found, sys.stdout)
    elif is_plan:
        write_plan(found, sys.stdout)
    else:
        write_move(found[0].check, sys.stdout, fleet)
