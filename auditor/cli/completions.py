"""What a shell completes: rules, runs, scenarios and report formats, by the names of files, so that it is quick."""

from __future__ import annotations

from pathlib import Path

import typer

VARIABLE = "_AUDITOR_COMPLETE"
"""Of the environment; the shell's script sets it when it asks for completions."""


def rule_ids(incomplete: str) -> list[str]:
    """The ids of the shipped rules that begin so."""
    from auditor.pipeline.policy import shipped_rules

    ids = (f"{path.parent.name}/{path.stem}" for path in shipped_rules().glob("*/*.yaml"))
    return sorted(one for one in ids if one.startswith(incomplete))


def run_ids(ctx: typer.Context, incomplete: str) -> list[str]:
    """The ids of kept runs that begin so, newest first, and "last"; of the state directory that was named."""
    from auditor.errors import ConfigurationError
    from auditor.history.folders import RUNS_FOLDER
    from auditor.history.state import state_directory
    from auditor.history.working_copy import working_copy
    from auditor.store.address import Address, place_of

    named = ctx.params.get("state_dir")
    try:
        place = place_of(str(named)) if named else None
        # Of a store, what this machine knows of it: nobody waits for a network at each key.
        folder = (working_copy(place) if isinstance(place, Address) else state_directory(place, to_read=True)) / RUNS_FOLDER
        names = sorted((entry.name for entry in folder.iterdir() if entry.is_dir()), reverse=True)
    except (ConfigurationError, OSError):
        names = []
    return [name for name in ("last", *names) if name.startswith(incomplete)]


def scenario_names(incomplete: str) -> list[str]:
    """The scenarios of the lab that begin so."""
    from importlib import resources

    folder = Path(str(resources.files("auditor_lab"))) / "scenarios"
    return sorted(path.stem for path in folder.glob("*.yaml") if path.stem.startswith(incomplete))


def reporter_names(incomplete: str) -> list[str]:
    """The report formats that begin so."""
    from auditor.report import REPORTERS

    return [name for name in REPORTERS if name.startswith(incomplete)]
