"""Groups of options that always go together, and the requests that they make."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, get_type_hints

from auditor.cli.options import (
    AcceptHealth,
    AfterFailedGate,
    Allow,
    AllowUnmatchedProtection,
    AllowUnusual,
    At,
    Clusters,
    ConfirmWithin,
    DryRun,
    Endpoints,
    Exclude,
    FailOn,
    Fix,
    History,
    Hosts,
    LeastSeverity,
    MaxAge,
    MaxChanges,
    MaxHosts,
    MinCoverage,
    NoReboot,
    Only,
    RetryPutBack,
    Rules,
    Settle,
    Since,
    Tags,
    Workers,
    WorkersCertificates,
    Yes,
)
from auditor.errors import ConfigurationError
from auditor.model import FixClass, Severity

if TYPE_CHECKING:
    from auditor.history.incremental import Incremental
    from auditor.model import Span
    from auditor.pipeline.request import FixLimits


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
class HistoryOptions:
    """Which span of the past is read as well."""

    history: History = None
    at: At = None

    def span(self) -> Span | None:
        """These options as an `AuditRequest` takes them; None: nothing of the past is read.

        Raises:
            ConfigurationError: one of them is not understood, or --at was given without --history.
        """
        from datetime import UTC, datetime

        from auditor.pipeline.history_span import history_span

        return history_span(self.history, self.at, datetime.now(UTC))


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
