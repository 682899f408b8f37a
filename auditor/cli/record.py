"""`auditor record`: keep what a fleet answers, masked, so that it can be given to others."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.cli.paths import file_to_write
from auditor.cli.terminal import progress
from auditor.errors import ConfigurationError
from auditor.system.shell import quoted

if TYPE_CHECKING:
    from auditor.recording.capture import Recorded

_SAMPLES = 6


def record(
    fleet: options.Fleet = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="BUNDLE", callback=file_to_write, help="The bundle to write, a .tar.gz that is not there yet."),
    ] = None,
    check: Annotated[
        Path | None, typer.Option("--check", metavar="BUNDLE", help="Look through a bundle instead: digests, secrets, and your own names.")
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            "--key",
            metavar="FILE",
            callback=file_to_write,
            help="The key of the replacements, made on first use. [default: in the state directory]",
        ),
    ] = None,
    replace: Annotated[
        list[str] | None, typer.Option("--replace", metavar="WORD", help="A word to replace wherever it stands. Repeatable.")
    ] = None,
    waivers: options.Waivers = None,
    transport: options.Transport = None,
    state_dir: options.LocalStateDir = None,
) -> int:
    """Record what a fleet answers, with names, addresses and serial numbers replaced.

    Example: auditor record --fleet fleet.yaml --out fleet.tar.gz && auditor record --check fleet.tar.gz
    """
    from auditor.history.state import state_directory

    state = state_directory(state_dir)
    if check is not None:
        if fleet is not None or out is not None:
            raise ConfigurationError(
                "--check goes without --fleet and --out", why="nothing was read or looked through.", do="auditor record --check BUNDLE"
            )
        return _check(check, state)
    if fleet is None or out is None:
        raise ConfigurationError(
            "a recording needs --fleet and --out", why="nothing was read.", do="auditor record --fleet fleet.yaml --out fleet.tar.gz"
        )
    if out.exists():
        raise ConfigurationError(f"{out} is there already", why="nothing was read: it would be written over.", do="name another file.")
    from auditor.fleet.loading import load_fleet, with_transport
    from auditor.pipeline.policy import load_fleet_waivers, load_rule_set
    from auditor.recording.capture import record as recorded_to
    from auditor.recording.private import KEY_FILE

    loaded = with_transport(load_fleet(fleet), transport)
    rules = load_rule_set()
    answered = load_fleet_waivers(waivers, loaded, rules, datetime.now(UTC))
    with progress() as shown:
        recorded = recorded_to(
            loaded,
            out,
            state=state,
            key=key or state / KEY_FILE,
            progress=shown,
            also=replace or (),
            rules=frozenset(rules.rules),
            waivers=answered,
        )
    _show(recorded, out, len(loaded.endpoints))
    return 2 if recorded.gaps else 0


def _show(recorded: Recorded, bundle: Path, endpoints: int) -> None:
    """Print what was recorded, what was not, and how to look through it."""
    from auditor.report.wording import neutral

    for gap in recorded.gaps:
        print(neutral(f"gap: {gap}"), file=sys.stderr)
    for what in recorded.left_out:
        print(neutral(f"left out, so the audit of the recording judges without it: {what}"), file=sys.stderr)
    print(f"{bundle}: {recorded.exchanges} answers of {endpoints} endpoints, {len(recorded.gaps)} gaps")
    for before, after in recorded.samples[:_SAMPLES]:
        print(neutral(f"  {before} -> {after}"))
    print(f"what was replaced, for you alone: {recorded.report}")
    if recorded.doubtful:
        print(neutral(f"names that are also words of products, and stayed where they are that: {', '.join(recorded.doubtful)}"))
    print(f"auditor record --check {quoted(str(bundle))}")


def _check(bundle: Path, state: Path) -> int:
    """Look through a bundle; 1 where something is in it that must not be."""
    from auditor.recording.checking import check
    from auditor.recording.private import load_originals, originals_path
    from auditor.report.wording import neutral

    checked = check(bundle, load_originals(originals_path(state, bundle)))
    for problem in checked.problems:
        print(neutral(f"problem: {problem}"))
    for note in checked.notes:
        print(neutral(f"note: {note}"))
    compared = f"{checked.compared} originals are not in it" if checked.compared else "there are no originals here to compare it with"
    verdict = "do not give it away" if checked.problems else f"form, digests and secrets are right; {compared}"
    print(f"{bundle}: {checked.exchanges} answers of {checked.endpoints} endpoints: {verdict}")
    return 1 if checked.problems else 0
