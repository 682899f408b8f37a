"""Options that several commands share, with their help; groups of options that always go together; the request they make."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from auditor.cli import completions
from auditor.errors import ConfigurationError
from auditor.model import BulkTransport, FixClass, Severity

if TYPE_CHECKING:
    from auditor.history.incremental import Incremental
    from auditor.pipeline.request import FixLimits


if TYPE_CHECKING:
    from auditor.store.address import Place
else:  # typer takes no union of types; the parser makes the value
    Place = Any


def _place_of(text: str) -> Place:
    from auditor.store.address import place_of  # when an option has a value: `auditor rules list` has none

    place = place_of(text)
    return possible(place) if isinstance(place, Path) else place


def _local_place_of(text: str) -> Path:
    from auditor.store.address import local_place_of

    return possible(local_place_of(text))


def possible(path: Path) -> Path:
    """`path`, whether it is there or not; refused where the system cannot even look.

    Raises:
        ConfigurationError: it is too long, leads through links in a circle, or has a character that no name has.
    """
    try:
        path.expanduser().stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigurationError(
            f"{path}: {getattr(error, 'strerror', None) or error}", why="nothing was read and no file was written.", do="name another path."
        ) from error
    return path


def possible_paths(paths: list[Path] | Path | None) -> list[Path] | Path | None:
    """A callback for paths that are read: each is `possible`."""
    for path in [paths] if isinstance(paths, Path) else paths or ():
        possible(path)
    return paths


def file_to_write(path: Path | None) -> Path | None:
    """A callback for the path of a file that a command writes: its folder is made, or the path refused, before any work begins."""
    from auditor.report.files import ready_file

    return None if path is None else ready_file(path.expanduser())


def folder_to_write(path: Place | None) -> Place | None:
    """A callback for a folder that a command writes to: one that cannot be made is refused before any work begins."""
    from auditor.report.files import ready_folder

    return ready_folder(path.expanduser()) if isinstance(path, Path) else path


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
        parser=_local_place_of,
        help="Where runs and journals are kept. [default: the XDG state directory]",
        show_default=False,
    ),
]
StateDir = Annotated[
    Place | None,
    typer.Option(
        "--state-dir",
        metavar="DIR|ADDRESS",
        parser=_place_of,
        help="Where runs are kept, for example s3://bucket/audits. [default: the XDG state directory]",
        show_default=False,
    ),
]
_OUT = typer.Option(
    "--out",
    metavar="DIR|ADDRESS",
    parser=_place_of,
    callback=folder_to_write,
    help="Where the snapshot goes, for example s3://bucket/monday; must not hold one already.",
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
        parser=_place_of,
        help="A saved snapshot, for example s3://bucket/monday; or files: support bundles, saved outputs, RVTools exports. Repeatable.",
    ),
]
FilesOfHosts = Annotated[
    list[Place] | None,
    typer.Option(
        "--from",
        metavar="PATH",
        parser=_place_of,
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
Hosts = Annotated[
    list[str] | None,
    typer.Option("--host", metavar="NAME", help="Report and fix only what is on this host, or on those of a glob. Repeatable."),
]
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="TAG", help='Only rules with this tag, for example iscsi; "all" is every rule. Repeatable.'),
]
_FORMATS = "table, json, json-full, csv, sarif, junit, markdown, openmetrics or html"
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


FailOn = Annotated[Severity, typer.Option("--fail-on", help="The mildest severity whose failure ends with exit code 1.")]
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
        help="Wait so long after each wave of changes, before they are read again and health is asked. [default: 60]",
        show_default=False,
    ),
]
AllowUnusual = Annotated[
    bool, typer.Option("--allow-unusual", help="Also set values that are nowhere in the fleet and that a param or rule of your own wants.")
]
AllowUnmatchedProtection = Annotated[
    bool, typer.Option("--allow-unmatched-protection", help="Go on although an entry of `protect:` in fleet.yaml fits nothing.")
]
AfterFailedGate = Annotated[
    bool,
    typer.Option("--after-failed-gate", help="Somebody has looked at what got worse: also make changes after which a health gate failed."),
]
AcceptHealth = Annotated[bool, typer.Option("--accept-health", help="Compare with the health of now, not with that before a gate failed.")]
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
        help="What somebody answers for, and until when. [default: waivers.yaml beside fleet.yaml]",
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
        help="With --since: ask again what is older, for example 12h, 2d or 0. [default: 24h] Of files: say what is older. [default: 30d]",
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
        help="Remove kept runs that are older, more, or larger in all; see `auditor runs prune`. Repeatable. [default: remove none]",
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


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """By which rules is judged, and which part of the fleet."""

    rules: Rules = None
    only: Only = None
    tag: Tags = None
    exclude: Exclude = None
    severity: LeastSeverity = None
    endpoint: Endpoints = None
    cluster: Clusters = None
    host: Hosts = None

    def arguments(self) -> dict[str, Any]:
        """These options as arguments of an `AuditRequest`."""
        return {
            "rules": self.rules or (),
            "only": self.only or (),
            "tags": self.tag or (),
            "exclude": self.exclude or (),
            "severity": self.severity,
            "endpoints": self.endpoint or (),
            "clusters": self.cluster or (),
            "hosts": self.host or (),
        }


@dataclass(frozen=True, slots=True)
class ExitOptions:
    """When an audit ends with another exit code than 0."""

    fail_on: FailOn = Severity.INFO
    min_coverage: MinCoverage = None


@dataclass(frozen=True, slots=True)
class FixOptions:
    """Whether a fix follows, and how far it may go."""

    fix: Fix = False
    dry_run: DryRun = False
    yes: Yes = False
    allow: Allow = None
    max_hosts: MaxHosts = None
    max_changes: MaxChanges = None
    settle: Settle = None
    no_reboot: NoReboot = False
    allow_unusual: AllowUnusual = False
    allow_unmatched_protection: AllowUnmatchedProtection = False
    retry_put_back: RetryPutBack = False
    after_failed_gate: AfterFailedGate = False
    accept_health: AcceptHealth = False
    confirm_within: ConfirmWithin = None

    def limits(self) -> FixLimits | None:
        """These options as `requested`; None where nothing is to be written."""
        limits = self.requested()
        return None if self.dry_run else limits

    def requested(self) -> FixLimits | None:
        """These options as an `AuditRequest` takes them, of a dry run too; None without --fix.

        Raises:
            ConfigurationError: --max-hosts or --max-changes is not understood, or an option that only a fix has was given without --fix:
                nobody shall believe that one was made.
        """
        from auditor.apply import limits_of
        from auditor.apply.limits import never
        from auditor.cli.durations import seconds_of
        from auditor.cli.terminal import ask_hosts
        from auditor.pipeline.request import SETTLE_SECONDS, FixLimits

        limits = (self.no_reboot, self.allow_unusual, self.allow_unmatched_protection, self.retry_put_back, self.confirm_within)
        fixing = (self.dry_run, self.yes, self.allow, *limits)
        if any(fixing) and not self.fix:
            raise ConfigurationError(
                "--dry-run, --yes, --allow, --no-reboot, --allow-unusual, --allow-unmatched-protection, --retry-put-back and "
                "--confirm-within go with --fix",
                why="without it nothing is ever changed.",
                do="add --fix, or leave them out.",
            )
        limits_of(self.max_hosts, self.max_changes, 0)
        if not self.fix:
            return None
        settle = SETTLE_SECONDS if self.settle is None else self.settle
        return FixLimits(
            allow=self.allowed,
            max_hosts=self.max_hosts,
            max_changes=self.max_changes,
            decide=never if self.yes else ask_hosts,
            settle_seconds=settle,
            reboot=not self.no_reboot,
            allow_unusual=self.allow_unusual,
            allow_unmatched_protection=self.allow_unmatched_protection,
            retry_put_back=self.retry_put_back,
            after_failed_gate=self.after_failed_gate,
            accept_health=self.accept_health,
            confirm_within_seconds=seconds_of(self.confirm_within),
        )

    @property
    def allowed(self) -> tuple[FixClass, ...]:
        """The classes of changes that may be made."""
        return tuple(self.allow or [FixClass.ONLINE])


@dataclass(frozen=True, slots=True)
class IncrementalOptions:
    """Whether answers of an earlier run are taken over."""

    since: Since = None
    max_age: MaxAge = None

    def incremental(self, *, of_files: bool = False) -> Incremental | None:
        """These options as an `AuditRequest` takes them; None: every host is asked.

        Args:
            of_files: files are read, for which --max-age has a meaning of its own.

        Raises:
            ConfigurationError: --max-age is no age, or was given without --since.
        """
        from auditor.history.incremental import MAX_AGE, Incremental, parse_max_age

        if self.since is None and self.max_age is not None and not of_files:
            raise ConfigurationError("--max-age goes with --since", why="without it every host is asked anyway.", do="add --since last.")
        if self.since is None:
            return None
        return Incremental(self.since, MAX_AGE if self.max_age is None else parse_max_age(self.max_age))


@dataclass(frozen=True, slots=True)
class WorkersOptions:
    """Who reads the fleet."""

    workers: Workers = None
    workers_certificates: WorkersCertificates = None


def with_groups(command: Callable[..., int]) -> Callable[..., int]:
    """`command` as typer has to see it: with the options of a group in place of each parameter that takes a whole group.

    A group is a dataclass whose fields are options. So a list of options that several commands share stands in one place.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        group = groups.get(parameter.name)
        if group is None:
            parameters.append(parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hints[parameter.name]))
            continue
        options = get_type_hints(group, include_extras=True)
        parameters += [
            inspect.Parameter(one.name, parameter.KEYWORD_ONLY, default=one.default, annotation=options[one.name]) for one in fields(group)
        ]

    @wraps(command)
    def grouped(**values: Any) -> int:
        for name, group in groups.items():
            values[name] = group(**{one.name: values.pop(one.name) for one in fields(group)})
        return command(**values)

    grouped.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]  # inspect reads it
    grouped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return grouped
