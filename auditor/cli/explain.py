"""`auditor explain`: a finding, a device or a machine, queue by queue from guest disk to array."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.cli.paths import file_to_write
from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.impact.path import Path as IoPath


def explain(
    what: Annotated[
        list[str], typer.Argument(metavar="FINDING|HOST/DEVICE|VM", help="The id of a finding, RULE RESOURCE, or a RULE that fails once.")
    ],
    run: options.Run = None,
    by_hand: Annotated[bool, typer.Option("--by-hand", help="Show only the steps that a person takes for a finding.")] = False,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", callback=file_to_write, help="Write the path as a drawing as well.")
    ] = None,
    fleet: Annotated[Path | None, typer.Option("--fleet", metavar="PATH", help="fleet.yaml, for the params that were in force.")] = None,
    rules: options.Rules = None,
    state_dir: options.StateDir = None,
) -> int:
    """Show the I/O path with the fleet's numbers, the lesson, the evidence, the fix, and what would change the verdict.

    Example: auditor explain 1a2b3c4d

    Example: auditor explain vvol/pe-dsnro-headroom esx-01/naa.6f47acc100000000 --svg path.svg

    Example: auditor explain esx-01/naa.6f47acc100000000

    Example: auditor explain 1a2b3c4d --by-hand
    """
    from auditor.fleet.loading import load_fleet
    from auditor.history.finding_runs import run_with_finding
    from auditor.history.state import state_directory
    from auditor.inspect.explaining import explain_finding, paths_named
    from auditor.report.terminal.by_hand import write_steps
    from auditor.report.terminal.explanation import write_explanation, write_paths
    from auditor.report.wording import neutral

    if len(what) > 2:
        raise ConfigurationError("explain takes one thing at a time", why="nothing was explained.", do="auditor explain ID")
    kept = run_with_finding(state_directory(state_dir, to_read=True), what, run)
    explained = explain_finding(kept, what, rules or (), load_fleet(fleet) if fleet is not None else None)
    if explained is not None:
        (write_steps if by_hand else write_explanation)(explained, sys.stdout)
        paths = [explained.path] if explained.path is not None else []
    elif by_hand:
        raise ConfigurationError(
            f'run {kept.id} has no finding "{neutral(" ".join(what))}"',
            why="only a finding has steps.",
            do="`auditor runs show` shows each with its id.",
        )
    elif len(what) == 1:
        paths = paths_named(kept, what[0])
        write_paths(paths, sys.stdout)
    else:
        raise ConfigurationError(
            f'run {kept.id} has no finding "{neutral(" ".join(what))}"',
            why="there is nothing to explain.",
            do="give the id that reports show beside each finding, or RULE and RESOURCE as they stand in the report.",
        )
    if svg is not None:
        _draw(svg, paths)
    return 0


def _draw(file: Path, paths: Sequence[IoPath]) -> None:
    """Write the first of the paths as a drawing.

    Raises:
        ConfigurationError: there is none, or the file cannot be written.
    """
    from auditor.report.files import written_whole
    from auditor.report.html.pages import template_text
    from auditor.report.html.path_drawing import drawing_file

    if not paths:
        raise ConfigurationError(
            f"--svg {file}: no I/O path is known for it", why="no drawing was written.", do="explain HOST/DEVICE or a machine instead."
        )
    with written_whole(file) as out:
        out.write(drawing_file(paths[0], template_text("drawing.css")))
    more = f"; of {len(paths)} paths the first, HOST/DEVICE draws another" if len(paths) > 1 else ""
    print(f"wrote {file}{more}", file=sys.stderr)
