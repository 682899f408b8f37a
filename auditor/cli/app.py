"""Every command of `auditor`, and where each is defined."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import baseline, journal, lab, rules, runs, waivers
from auditor.cli.apply import apply
from auditor.cli.audit import audit, demo
from auditor.cli.collect import collect
from auditor.cli.confirm import confirm
from auditor.cli.doctor import doctor
from auditor.cli.explain import explain
from auditor.cli.init import init
from auditor.cli.plan import plan
from auditor.cli.query import query
from auditor.cli.record import record
from auditor.cli.reproduce import reproduce
from auditor.cli.resume import resume
from auditor.cli.schedule import schedule
from auditor.cli.undo import undo
from auditor.cli.watch import watch

app = typer.Typer(
    name="auditor",
    help="Reads a fleet of vCenters, ESXi hosts and storage arrays, judges it by lessons outages have taught, and fixes it safely.",
    epilog="Start with `auditor demo`: a simulated fleet, audited. Then `auditor init`, and `auditor audit --fleet fleet.yaml`.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help: rich would cost a third of the time `auditor --help` takes
    pretty_exceptions_enable=False,  # their traceback shows local variables, and those may hold a secret
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo)
app.command("init")(init)
app.command("audit")(audit)
app.command("collect")(collect)
app.command("schedule")(schedule)
app.command("doctor")(doctor)
app.command("plan")(plan)
app.command("apply")(apply)
app.command("undo")(undo)
app.command("resume")(resume)
app.command("confirm")(confirm)
app.command("query")(query)
app.command("explain")(explain)
app.command("reproduce")(reproduce)
app.command("watch")(watch)
app.command("record")(record)
app.add_typer(rules.app, name="rules")
app.add_typer(runs.app, name="runs")
app.add_typer(journal.app, name="journal")
app.add_typer(waivers.app, name="waivers")
app.add_typer(baseline.app, name="baseline")
app.add_typer(lab.app, name="lab")


def _version(requested: bool) -> None:
    if requested:
        from auditor import __version__

        print(f"auditor {__version__}")
        raise typer.Exit


@app.callback()
def auditor(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")] = False,
) -> None:
    """Reads a fleet of vCenters, ESXi hosts and storage arrays, judges it by lessons outages have taught, and fixes it safely."""
