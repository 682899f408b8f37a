"""`auditor explain`: a finding, a device or a machine, queue by queue from guest disk to array."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options
from auditor.errors import ConfigurationError


def explain(
    what: Annotated[list[str], typer.Argument(metavar="FINDING|HOST/DEVICE|VM", help="A finding is named by its id, or RULE RESOURCE.")],
    run: Annotated[str | None, typer.Option("--run", metavar="RUN", help="A kept run. [default: the newest]", show_default=False)] = None,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Write the path as a drawing as well.")] = None,
    fleet: Annotated[Path | None, typer.Option("--fleet", metavar="PATH", help="fleet.yaml, for the params that were in force.")] = None,
    rules: options.Rules = None,
    state_dir: options.StateDir = None,
) -> int:
    """Show the I/O path with the fleet's numbers, the lesson, the evidence, the fix, and what would change the verdict.

    Example: auditor explain 1a2b3c4d

    Example: auditor explain vvol/pe-dsnro-headroom esx-01/naa.6f47acc100000000 --svg path.svg

    Example: auditor explain esx-01/naa.6f47acc100000000
    """
    from auditor.explaining import explain_finding, paths_named
    from auditor.fleet import load_fleet
    from auditor.history.runs import load_run
    from auditor.history.state import state_directory
    from auditor.report.explanation import write_explanation, write_paths
    from auditor.report.wording import neutral

    if len(what) > 2:
        raise ConfigurationError("explain takes one thing at a time", why="nothing was explained.", do="auditor explain ID")
    kept = load_run(state_directory(state_dir, to_read=True), run)
    explained = explain_finding(kept, what, rules or (), load_fleet(fleet) if fleet is not None else None)
    if explained is not None:
        write_explanation(explained, sys.stdout)
        paths = [explained.path] if explained.path is not None else []
    elif len(what) == 1:
        paths = paths_named(kept, what[0])
        write_paths(paths, sys.stdout)
    else:
        raise ConfigurationError(
            f'run {kept.id} has no finding "{neutral(" ".join(what))}"',
            why="there is nothing to explain.",
            do="give the id that reports show beside each finding, or RULE and RESOURCE as they stand in the report.",
        )
    return 0
