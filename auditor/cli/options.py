"""Options that several commands share, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditor.model import BulkTransport, FixClass, Severity

Fleet = Annotated[Path | None, typer.Option("--fleet", metavar="PATH", help="fleet.yaml: the endpoints to read.")]
RequiredFleet = Annotated[Path, typer.Option("--fleet", metavar="PATH", help="fleet.yaml: the endpoints to read.")]
StateDir = Annotated[
    Path | None,
    typer.Option(
        "--state-dir", metavar="DIR", help="Where runs and journals are kept. [default: the XDG state directory]", show_default=False
    ),
]
ByLane = Annotated[
    BulkTransport | None,
    typer.Option("--lane", help="How vCenters are read in bulk. [default: the fastest each offers]", show_default=False),
]
Rules = Annotated[list[Path] | None, typer.Option("--rules", metavar="DIR", help="Rules of your own besides the shipped ones. Repeatable.")]
Only = Annotated[list[str] | None, typer.Option("--only", metavar="RULE", help="Judge by this rule only. Repeatable.")]
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="TAG", help='Only rules with this tag, for example iscsi; "all" is every rule. Repeatable.'),
]
Reporter = Annotated[
    list[str] | None,
    typer.Option("--reporter", metavar="NAME[:PATH]", help="table, json or html; a path writes a file. Repeatable. [default: table]"),
]
FailOn = Annotated[Severity, typer.Option("--fail-on", help="The mildest severity whose failure ends with exit code 1.")]
MinCoverage = Annotated[
    float | None,
    typer.Option(
        "--min-coverage",
        metavar="RATIO",
        min=0.0,
        max=1.0,
        help="Accept unknown verdicts and gaps as long as this share, 0 to 1, was judged. [default: accept none]",
    ),
]
Fix = Annotated[bool, typer.Option("--fix", help="Show what would be changed, ask, change it, read it back and audit again.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="With --fix: show the plan, write nothing.")]
Yes = Annotated[bool, typer.Option("--yes", help="With --fix: do not ask.")]
Allow = Annotated[
    list[FixClass] | None,
    typer.Option("--allow", metavar="CLASS", help="With --fix: a class of change that may be made. Repeatable. [default: online]"),
]
MaxChanges = Annotated[
    str,
    typer.Option(
        "--max-changes", metavar="N|N%", help="With --fix: the most resources one run may touch, a number or a share of the hosts."
    ),
]
Waivers = Annotated[
    Path | None,
    typer.Option(
        "--waivers",
        metavar="PATH",
        help="What somebody answers for, and until when. [default: waivers.yaml beside fleet.yaml]",
        show_default=False,
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="RUN",
        help='Ask again only hosts that changed since this kept run, an id of `auditor runs list` or "last".',
    ),
]
MaxAge = Annotated[
    str | None,
    typer.Option(
        "--max-age",
        metavar="AGE",
        help="With --since: ask again what is older, for example 12h, 2d or 0. [default: 24h]",
        show_default=False,
    ),
]
