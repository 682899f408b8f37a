"""`auditor waivers`: what somebody answers for, and until when."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from auditor.engine.waivers.file import Waivers

app = typer.Typer(help="Failures and gaps that somebody accepts, and until when.", no_args_is_help=True)


@app.callback()
def _waivers() -> None:
    """Keeps `check` a word of its own: typer would make a lone command the whole program."""


@app.command("check")
def check(
    fleet: options.Fleet = None,
    waivers: options.Waivers = None,
    rules: options.Rules = None,
    soon: Annotated[
        int, typer.Option("--soon", metavar="DAYS", min=0, max=36_500, help="Name waivers that end within this many days.")
    ] = 14,
) -> int:
    """Look at waivers.yaml without reading the fleet: what is malformed, what has expired, what soon will.

    Example: auditor waivers check --fleet fleet.yaml --soon 30

    Exit codes: 0 every waiver is in force for longer than --soon, 1 one has expired or soon will, 3 one is malformed or there is no file.
    """
    from auditor.fleet.loading import load_fleet
    from auditor.pipeline.policy import load_fleet_waivers, load_rule_set
    from auditor.report.terminal.waivers import write_waivers

    if fleet is None and waivers is None:
        raise ConfigurationError(
            "waivers check needs --fleet PATH or --waivers PATH",
            why="nothing was looked at.",
            do="auditor waivers check --fleet fleet.yaml",
        )
    loaded = load_fleet(fleet) if fleet is not None else None
    loaded_waivers = load_fleet_waivers(waivers, loaded, load_rule_set(rules or []), datetime.now(UTC))
    if loaded_waivers is None or loaded_waivers.path is None:
        raise _no_file(fleet)
    endpoints = {endpoint.name for endpoint in loaded.endpoints} if loaded is not None else None
    write_waivers(loaded_waivers, soon, endpoints, sys.stdout)
    return _code(loaded_waivers, soon)


def _code(waivers: Waivers, soon: int) -> int:
    if waivers.malformed:
        return 3
    ending = [one.ends_within(waivers.at, soon) for one in waivers.entries] + [gap.ends_within(waivers.at, soon) for gap in waivers.gaps]
    return 1 if any(ending) else 0


def _no_file(fleet: Path | None) -> ConfigurationError:
    return ConfigurationError(
        f"there is no waivers.yaml beside {fleet}",
        why="nothing is waived, and there is nothing to look at.",
        do="write one there (docs/decisions/0010-waivers.md shows how), or name a file with --waivers PATH.",
    )
