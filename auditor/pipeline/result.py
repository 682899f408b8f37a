"""The result of an audit: what was read, judged and planned, and what became of a fix."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from auditor import __version__
from auditor.errors import CRASHED
from auditor.facts.snapshots.snapshot import snapshot_digest
from auditor.history.folders import last_snapshot
from auditor.history.plan_basis import rules_digest
from auditor.history.trend import points_before
from auditor.model import DriftAge, Fix, FixCertificate, Origin, Outcome, ReadTime, Receipt, Report, Run, Severity
from auditor.report.json.saved_report import FindingKey, with_fixes
from auditor.report.verdict_counts import LISTED
from auditor.system.processes import account_name

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.engine.rules.rule import RuleSet
    from auditor.engine.verdicts import Evaluation
    from auditor.engine.waivers.file import Waivers
    from auditor.errors import AuditorError
    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.fleet.loading import Fleet
    from auditor.history.kept_run import KeptRun
    from auditor.model import Gap, Plan, Summary
    from auditor.model.comparison import Comparison
    from auditor.model.scope import Scope
    from auditor.pipeline.policy import Policy
    from auditor.pipeline.request import AuditRequest

_FAILED = frozenset({Outcome.UNVERIFIED, Outcome.REFUSED, Outcome.REVERTED})

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OF_ENDPOINTS = "SELECT endpoint, topic, NULL, NULL, min(epoch_us(read_at)), max(epoch_us(read_at)) FROM fact.reading GROUP BY ALL"
_OF_EARLIER_HOSTS = (
    "SELECT r.endpoint, r.topic, h.name, r.source, epoch_us(r.read_at), epoch_us(r.read_at) FROM fact.reading AS r "
    "JOIN fact.host AS h ON h.endpoint = r.endpoint AND h.host_id = r.scope WHERE epoch_us(r.read_at) < ?"
)


@dataclass(frozen=True, slots=True)
class AuditResult:
    """One audit, and the fix that followed it, if any."""

    request: AuditRequest
    fleet: Fleet | None  # as loaded; None for a saved snapshot
    state: Path  # the state directory
    directory: Path  # the run's own, in the state directory
    started: datetime  # when reading began, aware
    snapshot: Snapshot  # after a fix: as read again; its gaps say who answers for them
    policy: Policy
    waivers: Waivers | None  # with the one instant at which they count, before a fix and after it
    evaluation: Evaluation
    plan: Plan  # the changes that would fix what fails now
    notices: tuple[str, ...] = ()  # what every reader has to know, in sentences
    receipts: tuple[Receipt, ...] = ()  # of the changes that a fix attempted or left out
    fixes: Mapping[FindingKey, Fix] = field(default_factory=dict)  # of findings whose fix was attempted or refused
    drift_ages: Mapping[FindingKey, DriftAge] = field(default_factory=dict)  # since when failures of drift are there
    certificate: FixCertificate | None = None  # of a fix that made changes and read the fleet again
    accepted_unknown: int = 0  # as in a Summary
    scope: Scope | None = None  # what it is about; `audit` always sets it
    compared_with: KeptRun | None = None  # what the request names; None: it names none
    compared: Comparison | None = None  # set when the run is kept
    ended: datetime | None = None  # when it was kept, aware; None: it was not yet
    stopped: AuditorError | None = None  # what ended a fix before its plan was done

    @property
    def run_id(self) -> str:
        """The id of this run, as `auditor runs list` shows it."""
        return self.directory.name

    @property
    def summary(self) -> Summary:
        """How many verdicts there are of each sort."""
        return replace(self.evaluation.summary(), accepted_unknown=self.accepted_unknown)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """What could not be read, why, and who answers for it."""
        return self.snapshot.gaps

    @property
    def report(self) -> Report:
        """What reporters render; findings whose fix was attempted or refused have its outcome."""
        times = _read_times(self.snapshot, self.started)
        judged = last_snapshot(self.directory) or self.request.directory
        origin = origin_of(self.policy.rules, judged)
        readings = tuple(reading for reading in self.snapshot.readings if not reading.left_out)
        waited = round(((self.ended or datetime.now(UTC)) - (self.request.began or self.started)).total_seconds(), 3)  # as it is kept
        run = Run(self.run_id, self.started, self.snapshot.finished, readings, self.snapshot.hosts, times, origin, waited)
        return Report(
            run=run,
            summary=self.summary,
            gaps=self.gaps,
            rules=self.policy.texts,
            findings=partial(with_fixes, self.evaluation.findings, self.fixes, self.drift_ages),
            listed=partial(with_fixes, partial(self.evaluation.findings, LISTED), self.fixes, self.drift_ages),
            counts=self.evaluation.counts,
            hosts_judged=self.evaluation.hosts_judged,
            by_place=self.evaluation.by_place,
            receipts=self.receipts,
            notices=self.notices,
            contradictions=self.plan.contradictions,
            certificate=self.certificate,
            snapshot=judged,
            scope=self.scope,
            earlier=partial(points_before, self.state, self.run_id, self.scope),
            compared=self.compared,
        )

    @property
    def _is_blind(self) -> bool:
        """Whether gaps, accepted ones too, left nothing that could be judged: nobody knows that it holds."""
        summary = self.summary
        return bool(self.gaps) and not summary.judged and (summary.unknown > 0 or not summary.not_applicable)

    def exit_code(self, fail_on: Severity = Severity.INFO, min_coverage: float | None = None) -> int:
        """The exit code of `auditor audit` where nothing stopped it (docs/exit-codes.md).

        Args:
            fail_on: the mildest severity whose failure counts.
            min_coverage: the share of verdicts, 0 to 1, that has to be reached; None: every gap and unknown verdict counts but
                those that somebody answers for (`gaps:` of waivers.yaml), as long as anything was judged.
        """
        summary = self.summary
        if any(receipt.outcome in _FAILED for receipt in self.receipts):
            return 4
        if any(reading.bug is not None for reading in self.snapshot.readings):
            return CRASHED
        if min_coverage is None:
            if any(gap.accepted is None for gap in self.gaps) or summary.unknown > summary.accepted_unknown or self._is_blind:
                return 2
        elif summary.coverage < min_coverage:
            return 2
        counted = (severity for severity in Severity if severity.rank <= fail_on.rank)
        return 1 if any(summary.by_severity.get(severity.value, 0) for severity in counted) else 0


def origin_of(rules: RuleSet, snapshot: Path | None) -> Origin:
    """The origin of a run that this process makes.

    Args:
        rules: that judge it.
        snapshot: the directory of what is judged; None: it is not kept.
    """
    data = None if snapshot is None else snapshot_digest(snapshot)
    return Origin(account_name(), socket.gethostname(), __version__, rules_digest(rules), data)


def _read_times(snapshot: Snapshot, started: datetime) -> tuple[ReadTime, ...]:
    """The first and last answer of each endpoint to each topic, and each answer of a host from before `started`.

    Answers from before the run `started` (aware) are those that an incremental audit took over from an earlier run, or that stand in files.
    """
    earliest = int(started.timestamp() * 1_000_000)
    rows = snapshot.connection.cursor().execute(f"{_OF_ENDPOINTS} UNION ALL {_OF_EARLIER_HOSTS} ORDER BY ALL", [earliest]).fetchall()
    return tuple(
        ReadTime(endpoint, topic, host, _instant(first), _instant(last), source)
        for endpoint, topic, host, source, first, last in rows
        if first is not None
    )


def _instant(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)
