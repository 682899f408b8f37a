"""Options that several commands share, with their help."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from auditor.cli import completions
from auditor.cli.paths import folder_to_write, parsed_local_place, parsed_place, possible_paths
from auditor.model import BulkTransport, FixClass, Severity

if TYPE_CHECKING:
    from auditor.store.address import Place
else:  # as `auditor.cli.paths` has it
    from auditor.cli.paths import Place


def run_argument(help_text: str, metavar: str = "RUN") -> Any:
    """A kept run as an argument; a shell completes its id."""
    return typer.Argument(metavar=metavar, autocompletion=completions.run_ids, help=help_text)


def run_option(name: str, help_text: str) -> Any:
    """A kept run as an option; a shell completes its id."""
    return typer.Option(name, metavar="RUN", autocompletion=completions.run_ids, help=help_text, show_default=False)


Fleet = Annotated[Path | None, typer.Option("--fleet", metavar="PATH", help="fleet.yaml: the endpoints to read.")]
RequiredFleet = Annotated[Path, typer.Option("--fleet", metavar="PATH", help="fleet.yaml: the endpoints to read.")]
LocalStateDir = Annotated[
    Path | None,
    typer.Option(
        "--state-dir",
        metavar="DIR",
        parser=parsed_local_place,
        help="Where runs and journals are kept. [default: the XDG state directory]",
        show_default=False,
    ),
]
StateDir = Annotated[
    Place | None,
    typer.Option(
        "--state-dir",
        metavar="DIR|ADDRESS",
        parser=parsed_place,
        help="Where runs are kept, for example s3://bucket/audits. [default: the XDG state directory]",
        show_default=False,
    ),
]
_OUT = typer.Option(
    "--out",
    metavar="DIR|ADDRESS",
    parser=parsed_place,
    callback=folder_to_write,
    help="Where the snapshot goes, for example s3://bucket/monday; no snapshot may be there yet.",
    show_default=False,
)
Out = Annotated[Place, _OUT]
OptionalOut = Annotated[Place | None, _OUT]
Snapshots = Annotated[
    list[Place] | None,
    typer.Option(
        "--from",
        "--snapshot",
        metavar="PATH|ADDRESS",
        parser=parsed_place,
        help="A saved snapshot, for example s3://bucket/monday; or files: support bundles, saved outputs, RVTools exports. Repeatable.",
    ),
]
FilesOfHosts = Annotated[
    list[Place] | None,
    typer.Option(
        "--from",
        metavar="PATH",
        parser=parsed_place,
        help="Files of hosts: support bundles, saved outputs, RVTools exports; with --as. Repeatable.",
    ),
]
Transport = Annotated[
    BulkTransport | None,
    typer.Option("--transport", "--lane", help="How vCenters are read in bulk. [default: the fastest each offers]", show_default=False),
]
Rules = Annotated[
    list[Path] | None,
    typer.Option("--rules", metavar="DIR", callback=possible_paths, help="Rules of your own besides the shipped ones. Repeatable."),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="RULE", help="Judge by this rule only, or by a glob. Repeatable.", autocompletion=completions.rule_ids),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="RULE",
        help="Leave out this rule, or those of a glob such as 'baseline/*'. Repeatable.",
        autocompletion=completions.rule_ids,
    ),
]
LeastSeverity = Annotated[
    Severity | None, typer.Option("--severity", help="Judge by rules of this severity and worse. [default: all]", show_default=False)
]
Endpoints = Annotated[
    list[str] | None,
    typer.Option("--endpoint", metavar="NAME", help="Read this endpoint of fleet.yaml only, or those of a glob. Repeatable."),
]
Clusters = Annotated[
    list[str] | None,
    typer.Option("--cluster", metavar="NAME", help="Report and fix only what is on hosts of this cluster, or of a glob. Repeatable."),
]
ClusterOf = Annotated[
    list[str] | None,
    typer.Option(
        "--cluster-of",
        metavar="NAME=GLOB",
        help="With --from files: the cluster of the hosts whose name or path fits GLOB. Repeatable. [default: the folder of their files]",
        show_default=False,
    ),
]
Hosts = Annotated[
    list[str] | None,
    typer.Option("--host", metavar="NAME", help="Report and fix only what is on this host, or on those of a glob. Repeatable."),
]
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="TAG", help='Only rules with this tag, for example iscsi; "all" is every rule. Repeatable.'),
]
_FORMATS = "table, json, json-full, csv, sarif, junit, markdown, frameworks, ckl, cklb, openmetrics, servicenow, jira or html"
Json = Annotated[bool, typer.Option("--json", help="Write JSON, for programs.")]
Reporter = Annotated[
    list[str] | None,
    typer.Option(
        "--reporter",
        metavar="NAME[:PATH]",
        help=f"{_FORMATS}; a path writes a file. Repeatable. [default: table]",
        autocompletion=completions.reporter_names,
    ),
]
Details = Annotated[
    bool | None,
    typer.Option(
        "--details/--no-details",
        help="With the table: every finding, or the most important on one screen. [default: one screen on a terminal, else every finding]",
        show_default=False,
    ),
]


def finite(value: float | None) -> float | None:
    """The number of an option: "nan" is less and more than no bound, so bounds let it pass.

    Raises:
        BadParameter: it is none.
    """
    if value is not None and math.isnan(value):
        raise typer.BadParameter("nan is not a number")
    return value


FailOn = Annotated[Severity, typer.Option("--fail-on", help="The lowest severity whose failures set exit code 1.")]
MinCoverage = Annotated[
    float | None,
    typer.Option(
        "--min-coverage",
        metavar="RATIO",
        min=0.0,
        max=1.0,
        callback=finite,
        help="Accept unknown verdicts and gaps as long as this share, 0 to 1, was judged. [default: accept none]",
    ),
]
Fix = Annotated[bool, typer.Option("--fix", help="Show what would be changed, ask, change it, read it back and audit again.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="With --fix: show the plan, write nothing.")]
Yes = Annotated[bool, typer.Option("--yes", help="With --fix: do not ask.")]
NoReboot = Annotated[
    bool, typer.Option("--no-reboot", help="With --allow reboot: only store such values; they take effect when somebody reboots the host.")
]
Allow = Annotated[
    list[FixClass] | None,
    typer.Option("--allow", metavar="CLASS", help="With --fix: a class of change that may be made. Repeatable. [default: online]"),
]
MaxHosts = Annotated[
    str | None,
    typer.Option(
        "--max-hosts",
        metavar="N|N%",
        help="The most hosts one run may change, a number or a share of the fleet. A larger run asks, or makes its first host alone."
        " [default: 10% of the hosts of each cluster and 5% of the fleet, one at least]",
        show_default=False,
    ),
]
MaxHostsOfRun = Annotated[
    str | None,
    typer.Option(
        "--max-hosts", metavar="N|N%", help="The most hosts that may be changed. [default: all that are left]", show_default=False
    ),
]
MaxChanges = Annotated[
    str | None, typer.Option("--max-changes", metavar="N", help="The most writes one run may make. [default: no limit]", show_default=False)
]
Settle = Annotated[
    float | None,
    typer.Option(
        "--settle",
        metavar="SECONDS",
        min=0.0,
        max=86_400.0,
        callback=finite,
        help="How long to wait after each wave of changes before they are read again and health is checked. [default: 60]",
        show_default=False,
    ),
]
AllowUnusual = Annotated[
    bool,
    typer.Option("--allow-unusual", help="Also set a value that is new to the fleet and that only your own params or rules want."),
]
AllowUnmatchedProtection = Annotated[
    bool, typer.Option("--allow-unmatched-protection", help="Go on although an entry of `protect:` in fleet.yaml fits nothing.")
]
AfterFailedGate = Annotated[
    bool,
    typer.Option(
        "--after-failed-gate", help="Also make changes after which a health gate failed, once somebody has looked at what got worse."
    ),
]
AcceptHealth = Annotated[
    bool, typer.Option("--accept-health", help="Compare health with its state now, not with its state before a gate failed.")
]
RetryPutBack = Annotated[bool, typer.Option("--retry-put-back", help="Also plan settings that something put back after an earlier run.")]
ConfirmWithin = Annotated[
    str | None,
    typer.Option(
        "--confirm-within",
        metavar="TIME",
        help="Undo the run unless `auditor confirm RUN` comes within this time, for example 15m; also after a crash.",
    ),
]
Waivers = Annotated[
    Path | None,
    typer.Option(
        "--waivers",
        metavar="PATH",
        callback=possible_paths,
        help="Failures and gaps that somebody accepts, and until when. [default: waivers.yaml beside fleet.yaml]",
        show_default=False,
    ),
]
Since = Annotated[
    str | None,
    run_option("--since", 'Ask again only hosts that changed since this kept run, an id of `auditor runs list` or "last".'),
]
MaxAge = Annotated[
    str | None,
    typer.Option(
        "--max-age",
        metavar="AGE",
        help="With --since: ask again for answers older than this, as 12h [default: 24h]. With files: list older ones [default: 30d].",
        show_default=False,
    ),
]


History = Annotated[
    str | None,
    typer.Option(
        "--history",
        metavar="SPAN",
        help="Also read counters of the past, for example of the last 24h, and judge the rules that need them. --at names another time.",
        show_default=False,
    ),
]
At = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="MOMENT",
        help='With --history: the middle of the span, as "2026-11-25 02:00"; local time of this machine unless it names a zone.',
        show_default=False,
    ),
]


Workers = Annotated[
    str | None,
    typer.Option(
        "--workers",
        metavar="ADDRESS",
        help="Have the workers of this Dask scheduler read the fleet, HOST:PORT with TLS. [default: threads of this process]",
        show_default=False,
    ),
]
WorkersCertificates = Annotated[
    Path | None,
    typer.Option(
        "--workers-certificates",
        metavar="DIR",
        help="With --workers: a folder that `auditor workers certificates` made."
        " [default: $AUDITOR_WORKERS_CERTIFICATES, else ~/.config/auditor/workers]",
        show_default=False,
    ),
]


Run = Annotated[str | None, run_option("--run", "A kept run: its id, the beginning of one, or last. [default: last]")]
KeepRuns = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="90d|500|20GiB",
        help="Remove kept runs beyond an age, a number or a total size; see `auditor runs prune`. Repeatable. [default: remove none]",
        show_default=False,
    ),
]
Compare = Annotated[
    str | None,
    run_option(
        "--compare",
        "Say what changed since this kept run: its id, the beginning of one, or last. [default: the newest of the same scope]",
    ),
]
