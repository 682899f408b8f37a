"""Every command of `auditor`, and where each is defined; a command line imports its own command alone.

To import all of them, and to have typer look at the options of each, takes longer than many a command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperArgument, TyperGroup

from auditor.errors import not_on_windows
from auditor.system import on_windows


class _Entry(NamedTuple):
    """A command or a group of commands as `auditor --help` lists it."""

    module: str  # of auditor.cli; it has a function of the command's name (`function_name`), or, for a group, an `app`
    help: str  # 45 characters at most, so that no line is longer than 80
    is_group: bool = False
    on_windows: bool = True


_PANELS: Mapping[str, Mapping[str, _Entry]] = {
    "Look": {
        "demo": _Entry("audit", "audit a simulated fleet; needs no vCenter"),
        "doctor": _Entry("doctor", "check access to each endpoint before an audit"),
        "audit": _Entry("audit", "read a fleet, judge it, report; --fix writes"),
        "explain": _Entry("explain", "show the I/O path and the fix of a finding"),
        "query": _Entry("query", "ask the facts of a run in SQL"),
        "inventory": _Entry("inventory", "write the fleet as a workbook, CSV or JSON"),
        "runs": _Entry("runs", "list, show, compare and remove earlier runs", is_group=True),
        "check-move": _Entry("check_move", "say what stands against moving a machine"),
        "watch": _Entry("watch", "watch the queues of chosen devices live"),
        "reproduce": _Entry("reproduce", "write fio files that show a finding safely"),
    },
    "Change": {
        "plan": _Entry("plan", "write the changes of an audit to a file"),
        "apply": _Entry("apply", "make the changes of such a file"),
        "undo": _Entry("undo", "put back what a run changed"),
        "resume": _Entry("resume", "go on with a run that was cut off"),
        "confirm": _Entry("confirm", "keep a run that waits for confirmation"),
        "baseline": _Entry("baseline", "hold hosts to an earlier run or a good host", is_group=True),
        "journal": _Entry("journal", "export and verify the record of all writes", is_group=True),
    },
    "Rules": {
        "rules": _Entry("rules", "list, show, test and write rules", is_group=True),
        "endpoints": _Entry("endpoints", "write a package that reads another array", is_group=True),
        "waivers": _Entry("waivers", "check accepted failures and gaps", is_group=True),
    },
    "Operate": {
        "init": _Entry("init", "write a commented fleet.yaml"),
        "collect": _Entry("collect", "read a fleet into a snapshot, judge nothing"),
        "import": _Entry("import_files", "read files of hosts into a snapshot"),
        "guest-facts": _Entry("guest_facts", "print a script that asks a guest of its disks"),
        "schedule": _Entry("schedule", "audit by the clock and publish a site", on_windows=False),
        "workers": _Entry("workers", "read endpoints from other machines", is_group=True, on_windows=False),
        "record": _Entry("record", "keep a fleet's answers, masked, to share"),
        "lab": _Entry("lab", "serve a simulated fleet to try things on", is_group=True),
        "completion": _Entry("completion", "print a completion script for your shell"),
    },
}
"""Every command, in the order of --help."""

_ENTRIES = {name: entry for panel in _PANELS.values() for name, entry in panel.items()}


class _Argument(TyperArgument):
    """An argument whose help has its name alone: typer would set the type of Python beside it, as <list[str]>."""

    def display_type_rich(self, ctx: Any) -> None:
        """Nothing."""


class _PlainGroup(TyperGroup):
    """A group whose commands have no words of Python in their help."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name."""
        command = super().get_command(ctx, cmd_name)
        for one in command.params if command is not None else ():
            if type(one) is TyperArgument:
                one.__class__ = _Argument
        return command


class _Root(_PlainGroup):
    """`auditor` itself. Its help lists the commands without importing them."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  typer's signature; it keeps the types to itself
        width = max(map(len, _ENTRIES))
        for title, panel in _PANELS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{width}}", entry.help) for name, entry in panel.items()])


class _Group(_PlainGroup):
    """A group of commands. Its help wraps the first sentence of each, where typer would cut it."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  typer's signature; it keeps the types to itself
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(limit=1_000)) for name, command in self.commands.items()])


def app_for(arguments: Sequence[str]) -> typer.Typer:
    """The commands that this command line may mean: one where it begins with a command or group, none where it asks for help, else all.

    Raises:
        ConfigurationError: this system does not have that command.
    """
    first = arguments[0] if arguments else ""
    chosen = () if first in ("-h", "--help", "--version") else (first,) if first in _ENTRIES else tuple(_ENTRIES)
    made = typer.Typer(
        name="auditor",
        cls=_Root,
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
        if not _ENTRIES[word].on_windows and on_windows():
            if len(chosen) == 1:
                raise not_on_windows(f"auditor {word}")
            continue
        module = import_module(f"auditor.cli.{_ENTRIES[word].module}")
        if _ENTRIES[word].is_group:
            made.add_typer(module.app, name=word, cls=_Group)
        else:
            made.command(word)(getattr(module, function_name(word)))
    return made


def function_name(command: str) -> str:
    """How the function of a command is called in its module."""
    return f"{command}_" if iskeyword(command) else command.replace("-", "_")


def _version(requested: bool) -> None:
    if requested:
        from auditor import __version__

        print(f"auditor {__version__}")
        raise typer.Exit


def auditor(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")] = False,
) -> None:
    """Reads a fleet of vCenters, ESXi hosts and storage arrays, judges it by lessons outages have taught, and fixes it safely."""
