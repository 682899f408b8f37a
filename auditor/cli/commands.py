"""Every command of `auditor`, and where each is defined; a command line imports its own command alone.

To import all of them, and to have typer look at the options of each, takes longer than many a command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Annotated

import typer

_COMMANDS: Mapping[str, str] = {
    "demo": "audit",
    "init": "init",
    "audit": "audit",
    "collect": "collect",
    "schedule": "schedule",
    "doctor": "doctor",
    "plan": "plan",
    "apply": "apply",
    "undo": "undo",
    "resume": "resume",
    "confirm": "confirm",
    "query": "query",
    "explain": "explain",
    "reproduce": "reproduce",
    "watch": "watch",
    "record": "record",
    "completion": "completion",
}
"""The module of each command, in the order of --help; the function there has the command's name."""

_GROUPS = ("rules", "runs", "journal", "waivers", "baseline", "workers", "lab")
"""Groups of commands: the `app` of the module of that name."""


def app_for(arguments: Sequence[str]) -> typer.Typer:
    """The commands that this command line may mean: one where it begins with a command or group, else all of them."""
    words = [*_COMMANDS, *_GROUPS]
    chosen = arguments[:1] if arguments[:1] and arguments[0] in words else words
    made = typer.Typer(
        name="auditor",
        help="Reads a fleet of vCenters, ESXi hosts and storage arrays, judges it by lessons outages have taught, and fixes it safely.",
        epilog="Start with `auditor demo`: a simulated fleet, audited. Then `auditor init`, and `auditor audit --fleet fleet.yaml`.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,  # plain help: rich would cost a third of the time `auditor --help` takes
        pretty_exceptions_enable=False,  # their traceback shows local variables, and those may hold a secret
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(auditor)
    for word in chosen:
        module = import_module(f"auditor.cli.{_COMMANDS.get(word, word)}")
        if word in _COMMANDS:
            made.command(word)(getattr(module, word))
        else:
            made.add_typer(module.app, name=word)
    return made


def _version(requested: bool) -> None:
    if requested:
        from auditor import __version__

        print(f"auditor {__version__}")
        raise typer.Exit


def auditor(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")] = False,
) -> None:
    """Reads a fleet of vCenters, ESXi hosts and storage arrays, judges it by lessons outages have taught, and fixes it safely."""
