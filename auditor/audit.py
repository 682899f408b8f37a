"""The walk from end to end: collect, judge, plan, report, and, when asked, put right and look again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import AuditorError, ConfigurationError, GuardError
from auditor.facts.catalog import view_columns
from auditor.facts.memory import lift_limit
from auditor.facts.views import create_views, seal
from auditor.history.folders import AFTER_FOLDER, FINDINGS_FILE, JOURNAL_FOLDER, SNAPSHOT_FOLDER, SPILL_FOLDER
from auditor.model import EndpointKind, Finding, Fix, FixClass, Outcome, ReadTime, Receipt, Report, Run, Severity, Target, Verdict
from auditor.report.saved_report import FindingKey, key_of, with_fixes

if TYPE_CHECKING:
    from auditor.apply import BlastRadius, Recovered
    from auditor.endpoints.collect import Progress
    from auditor.engine.evaluate import Evaluation
    from auditor.engine.rule import RuleSet
    from auditor.engine.waivers import Waivers
    from auditor.facts.earlier import Earlier
    from auditor.facts.needs import Needs
    from auditor.facts.snapshot import Snapshot
    from auditor.fleet import Fleet, ParamOverride
    from auditor.model import Change, DriftAge, Plan

_WRITTEN = frozenset({Outcome.APPLIED, Outcome.UNVERIFIED})


@dataclass(frozen=True, slots=True)
class Audited:
    """One audit, as far as it has come."""

    run_id: str
    directory: Path  # the run's own, in the state directory
    started: datetime
    snapshot: Snapshot
    rules: RuleSet
    overrides: Sequence[ParamOverride]
    evaluation: Evaluation
    plan: Plan
    notices: tuple[str, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    fixes: Mapping[FindingKey, Fix] = field(default_factory=dict)  # what became of the fix of findings that were, or could not be, acted on
    stopped: AuditorError | None = None  # what ended a fix before its plan was done
    waivers: Waivers | None = None  # with the one instant at which they count, before a fix and after it
    since: Mapping[FindingKey, DriftAge] = field(default_factory=dict)  # since when failures of drift are there

    @property
    def report(self) -> Report:
        """What reporters render; findings that a fix touched say what became of it."""
        read = read_at(self.snapshot, self.started)
        run = Run(self.run_id, self.started, self.snapshot.finished, self.snapshot.readings, self.snapshot.hosts, read)
        return Report(
            run=run,
            summary=self.evaluation.summary(),
            gaps=self.snapshot.gaps,
            rules=tuple(rule.text() for rule in self.rules),
            findings=partial(with_fixes, self.evaluation.findings, self.fixes, self.since),
            receipts=self.receipts,
            notices=self.notices,
        )


def shipped_rules() -> Path:
    """The rules that come with auditor: inside the wheel, or at the top of a source tree."""
    packaged = Path(str(resources.files("auditor"))) / "_data" / "rules"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parent.parent / "rules"


def load_rule_set(extra: Sequence[Path] = (), only: Collection[str] = (), tags: Collection[str] = ()) -> RuleSet:
    """The shipped rules and those of `extra` directories; only those named in `only`, and with any of `tags`, where these are not empty.

    Raises:
        RuleError: any file has a mistake.
        ConfigurationError: `only` names a rule, or `tags` a tag, that does not exist.
    """
    from auditor.endpoints.settings import remediator_names
    from auditor.engine.checked_rules import checked_rules
    from auditor.engine.loading import load_rules

    rules = load_rules([shipped_rules(), *extra], view_columns(), remediator_names(), checked_rules())
    return (rules.only(only) if only else rules).tagged(tags)


def asked_for(rules: RuleSet, *, everything: bool) -> tuple[RuleSet, tuple[str, ...]]:
    """The rules to judge by where nothing else was said, and a sentence about those left out; with `everything`, all as they are."""
    from auditor.engine.rule import ON_REQUEST

    later = [rule for rule in rules if ON_REQUEST in rule.tags]
    if everything or not later:
        return rules, ()
    packs = sorted({next(tag for tag in rule.tags if tag != ON_REQUEST) for rule in later})
    named = ", ".join(f"--tag {pack}" for pack in packs)
    return rules.usual(), (f"{len(later)} rules are judged on request only, as they read or weigh much: {named}, or --tag all.",)


def audit(
    snapshot: Snapshot,
    rules: RuleSet,
    overrides: Sequence[ParamOverride],
    *,
    run_id: str,
    directory: Path,
    started: datetime,
    notices: Sequence[str] = (),
    waivers: Waivers | None = None,
) -> Audited:
    """Judge a snapshot. What the rules and `waivers` need and its endpoints were not asked for is a gap.

    Raises:
        ConfigurationError: no host was seen although all were asked for, no endpoint can tell what the rules need, or a parameter
            override fits no rule.
        RuleError: a rule cannot be computed over these facts.
    """
    from auditor.facts.unread import told_unread
    from auditor.history.baseline import gone_since
    from auditor.history.drift import since_when

    snapshot = told_unread(snapshot, needs_for(rules, waivers=waivers))
    if snapshot.readings and not any(snapshot.asked.topics_of(EndpointKind(reading.kind)) for reading in snapshot.readings):
        raise ConfigurationError(
            "no endpoint of this fleet can tell what these rules need",
            why="nothing was read, so nothing was judged.",
            do="add the endpoints they are about to fleet.yaml, or audit with other rules.",
        )
    if snapshot.hosts == 0 and not snapshot.gaps and "hosts" in snapshot.asked.topics:
        raise ConfigurationError(
            "no host was found",
            why="nothing was judged: a fleet without hosts has no failures, and says nothing about yours.",
            do="check that fleet.yaml names a vCenter, and that its account may see the hosts (propagated Read-only role).",
        )
    evaluation, plan, waived = _judge(snapshot, rules, overrides, directory, waivers)
    fixes = _refused(evaluation, plan)
    since = since_when(directory, started, snapshot, rules)
    told = (*waived, *gone_since(snapshot), *notices, *(note for reading in snapshot.readings for note in reading.notes))
    return Audited(
        run_id, directory, started, snapshot, rules, overrides, evaluation, plan, tuple(told), fixes=fixes, waivers=waivers, since=since
    )


def checked_overrides(fleet: Fleet | None, rules: RuleSet) -> tuple[ParamOverride, ...]:
    """The parameter overrides of `fleet` that concern `rules`, found sound before anything is read.

    Raises:
        ConfigurationError: one names a rule or parameter that does not exist, or has a value of the wrong kind.
    """
    from auditor.engine.params import param_values

    if fleet is None:
        return ()
    everything = load_rule_set() if set(rules.rules) < {o.rule for o in fleet.params} else rules
    overrides = tuple(override for override in fleet.params if override.rule in rules.rules or override.rule not in everything.rules)
    param_values(overrides, rules)
    return overrides


def conflicts_of(rules: RuleSet, overrides: Sequence[ParamOverride]) -> tuple[str, ...]:
    """A sentence for each pair of rules that the params of a fleet make disagree about a setting; they are judged all the same."""
    if not overrides:
        return ()
    from auditor.authoring.conflicts import conflict_notices, conflicts
    from auditor.engine.params import param_values

    return conflict_notices(conflicts(rules, param_values(overrides, rules), only_overridden=True), overrides)


def weighed(fleet: Fleet | None, rules: RuleSet) -> tuple[RuleSet, tuple[str, ...]]:
    """`rules` with the severities that `fleet` gives them, and a sentence about these for whoever reads the report.

    Raises:
        ConfigurationError: it names a rule or topic that does not exist.
    """
    from auditor.engine.severities import severity_notices, with_severities

    if fleet is None or not fleet.severities:
        return rules, ()
    changed = with_severities(rules, fleet.severities)
    return changed, severity_notices(rules, changed, fleet.path.name)


def waivers_for(path: Path | None, fleet: Fleet | None, rules: RuleSet, at: datetime, *, fixing: bool = False) -> Waivers | None:
    """The waivers of `path`, or those beside fleet.yaml, as they count at that instant (aware); None where there is no such place.

    Args:
        path: a file that somebody named; None: the one beside fleet.yaml, which need not be there.
        fleet: None for a saved snapshot, which has no waivers but those that are named.
        rules: what is judged by.
        at: the instant.
        fixing: the fleet will be written to, so that every waiver has to be sound.

    Raises:
        ConfigurationError: `path` is not there.
        GuardError: one is malformed, and a fix would write what it may have been meant to keep as it is.
    """
    from auditor.engine.waivers import FILE_NAME, checked, load_waivers

    place = path if path is not None else fleet.path.with_name(FILE_NAME) if fleet is not None else None
    if place is None:
        return None
    waivers = checked(load_waivers(place, at, asked_for=path is not None), rules)
    if fixing and waivers.malformed:
        others = f" (and {len(waivers.malformed) - 1} more)" if len(waivers.malformed) > 1 else ""
        raise GuardError(
            f"{waivers.malformed[0]}{others}",
            why="nothing was read or written: what a malformed waiver was to leave as it is would be fixed.",
            do=f"correct {place}; `auditor waivers check` tells of every mistake in it. Or look only: --fix --dry-run.",
        )
    return waivers


def read_at(snapshot: Snapshot, started: datetime) -> tuple[ReadTime, ...]:
    """When each endpoint answered each topic, and hosts that had answered before the run `started`, as `--since` takes them over."""
    of_endpoints = "SELECT endpoint, topic, NULL, min(epoch_us(read_at)), max(epoch_us(read_at)) FROM fact.reading GROUP BY ALL"
    of_hosts = (
        "SELECT r.endpoint, r.topic, h.name, epoch_us(r.read_at), epoch_us(r.read_at) FROM fact.reading AS r "
        "JOIN fact.host AS h ON h.endpoint = r.endpoint AND h.host_id = r.scope WHERE epoch_us(r.read_at) < ?"
    )
    earliest = int(started.timestamp() * 1_000_000)
    rows = snapshot.connection.cursor().execute(f"{of_endpoints} UNION ALL {of_hosts} ORDER BY ALL", [earliest]).fetchall()
    return tuple(
        ReadTime(endpoint, topic, host, _instant(first), _instant(last)) for endpoint, topic, host, first, last in rows if first is not None
    )


def _instant(microseconds: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)


def keep(audited: Audited) -> None:
    """Finish the run in the state directory.

    Raises:
        ConfigurationError: the disk is full or may not be written.
    """
    from auditor.history.runs import keep_run

    keep_run(audited.directory, audited.report, audited.fixes, audited.since)


def _judge(
    snapshot: Snapshot, rules: RuleSet, overrides: Sequence[ParamOverride], directory: Path, waivers: Waivers | None
) -> tuple[Evaluation, Plan, tuple[str, ...]]:
    """The verdicts, waivers taken into account; what could be changed; and what readers have to be told of the waivers."""
    from auditor.engine.evaluate import evaluate
    from auditor.engine.fix_impact import predict_fix_impact
    from auditor.engine.params import param_values
    from auditor.engine.planning import plan
    from auditor.engine.waived_verdicts import waive

    params = param_values(overrides, rules)
    create_views(snapshot.connection, directory / SPILL_FOLDER, {rule.over for rule in rules})
    seal(snapshot.connection, directory)
    evaluation = evaluate(snapshot.connection, rules, params)
    # What is done with verdicts is not held: saving them, millions, is one statement, which cannot do with what joining and judging can.
    lift_limit(snapshot.connection)
    predict_fix_impact(evaluation, rules, params)
    evaluation, told = waive(evaluation, waivers) if waivers is not None else (evaluation, ())
    saved = evaluation.save(directory / FINDINGS_FILE)
    evaluation.close()
    return saved, plan(saved, rules), told


def needs_for(rules: RuleSet, *, hosts: bool = False, waivers: Waivers | None = None) -> Needs:
    """What has to be read so that `rules` can be judged and `waivers` found; `hosts`: who there is as well, needed or not."""
    from auditor.engine.needs import needs_of
    from auditor.engine.waived_verdicts import facts_for
    from auditor.facts.needs import needs

    needed = needs_of(rules)
    if waivers is not None:
        needed |= needs(facts_for(waivers))
    return needed | needs([("host", "")]) if hosts else needed


def collect_for(
    fleet: Fleet, directory: Path, progress: Progress, needs: Needs, earlier: Earlier | None = None, state: Path | None = None
) -> Snapshot:
    """Read what is needed of `fleet` and keep the snapshot in the run's directory before anything is judged.

    What hosts say of themselves is taken over from the `earlier` run, where nothing shows that they changed since. The baseline of the
    `state` directory, if one is set, becomes part of the snapshot.
    """
    from auditor.endpoints.collect import collect_fleet
    from auditor.facts.earlier import with_host_marks, with_marks
    from auditor.facts.snapshot import load_snapshot
    from auditor.history.baseline import put_baseline

    needs = with_marks(needs) if earlier else with_host_marks(needs)
    snapshot = collect_fleet(fleet, progress, needs, earlier, directory / SPILL_FOLDER)
    if state is not None:
        put_baseline(snapshot, state)
    snapshot.save(directory / SNAPSHOT_FOLDER)
    # Judged from the files: of a large fleet the tables themselves would be most of the memory.
    return load_snapshot(directory / SNAPSHOT_FOLDER)


def recover_earlier(fleet: Fleet, state: Path, run_id: str) -> tuple[str, ...]:
    """What became of changes that an earlier run announced and never accounted for, a sentence each; usually none.

    Raises:
        JournalError: a journal is damaged.
    """
    from auditor.apply import recover
    from auditor.endpoints.common.sessions import Sessions
    from auditor.errors import GuardError
    from auditor.journal import open_intents, open_journal

    journals = state / JOURNAL_FOLDER
    if not journals.is_dir() or not open_intents(journals):
        return ()
    try:
        with Sessions({e.name: e for e in fleet.endpoints}) as sessions, open_journal(journals, f"{run_id}-recovery") as journal:
            return tuple(_told(found) for found in recover(journal, sessions))
    except GuardError as error:
        # A run that is writing just now has open intents too, and accounts for them itself.
        return (f"Not looked at: changes that an earlier run may have left open; {error.what}.",)


def _told(found: Recovered) -> str:
    change = found.intent.change
    place = f"{change.resource.name} ({change.resource.host or change.target.endpoint})"
    return f"Run {found.intent.run} was cut off while it changed {change.remediator} on {place}: {found.fate}; {found.why}."


def put_right(
    audited: Audited,
    fleet: Fleet,
    state: Path,
    *,
    allow: Collection[FixClass],
    confirm: Callable[[Sequence[Change]], bool],
    limits: BlastRadius,
    progress: Progress,
) -> Audited:
    """Apply the plan of `audited`, then read what was touched again and judge the fleet anew.

    Nothing is raised for a fix that a guard, the journal or a mistake stopped: `stopped` of the answer says so, beside the receipts of what
    had been done by then.
    """
    from auditor.apply import apply
    from auditor.endpoints.collect import collect_again
    from auditor.endpoints.common.sessions import Sessions
    from auditor.history.baseline import baseline_again
    from auditor.journal import open_journal

    def said(change: Change, number: int, of: int) -> None:
        progress(change.target.endpoint, f"change {number} of {of}: {change.remediator} on {change.resource.name}")

    endpoints = {endpoint.name: endpoint for endpoint in fleet.endpoints}
    receipts: list[Receipt] = []
    stopped: AuditorError | None = None
    try:
        with Sessions(endpoints) as sessions, open_journal(state / JOURNAL_FOLDER, audited.run_id) as journal:
            for receipt in apply(audited.plan, sessions, journal, allow=allow, confirm=confirm, limits=limits, progress=said):
                receipts.append(receipt)  # noqa: PERF402  one by one: those before an error must not be lost
    except AuditorError as error:
        stopped = error
    # Who asked for what is known by the evaluation before the fix: what was mended passes afterwards, and asks for nothing.
    fixes = {**audited.fixes, **_of_receipts(audited.evaluation, receipts)}
    audited = replace(audited, receipts=tuple(receipts), fixes=fixes, stopped=stopped)
    touched = sorted({receipt.change.target.endpoint for receipt in receipts if receipt.outcome in _WRITTEN})
    if not touched:
        return audited
    snapshot = collect_again(fleet, audited.snapshot, touched, progress)
    baseline_again(audited.snapshot, snapshot)
    snapshot.save(audited.directory / AFTER_FOLDER)
    evaluation, plan, _ = _judge(snapshot, audited.rules, audited.overrides, audited.directory, audited.waivers)
    return replace(audited, snapshot=snapshot, evaluation=evaluation, plan=plan)


def plan_of_undo(state: Path, run_id: str) -> Plan:
    """The changes that would put back what a run changed, last first.

    Raises:
        ConfigurationError: no journal tells of such a run.
        JournalError: a journal is damaged.
    """
    from auditor.apply import undo_plan

    return undo_plan(state / JOURNAL_FOLDER, run_id)


def take_back(
    run_id: str,
    fleet: Fleet,
    state: Path,
    *,
    confirm: Callable[[Sequence[Change]], bool],
    limits: BlastRadius,
    progress: Progress,
) -> Iterator[Receipt]:
    """Put back what a run changed, where nobody has changed it since; journalled as a run of its own.

    Raises:
        GuardError: too many resources, not confirmed, or another run is writing; nothing was written.
        ConfigurationError, JournalError: nothing, or nothing more, is written.
    """
    from auditor.apply import undo
    from auditor.endpoints.common.sessions import Sessions
    from auditor.history.runs import new_run_id
    from auditor.journal import open_journal

    def said(change: Change, number: int, of: int) -> None:
        progress(change.target.endpoint, f"change {number} of {of}: {change.remediator} on {change.resource.name}")

    endpoints = {endpoint.name: endpoint for endpoint in fleet.endpoints}
    journals = state / JOURNAL_FOLDER
    with Sessions(endpoints) as sessions, open_journal(journals, f"{new_run_id(now())}-undo") as journal:
        yield from undo(run_id, sessions, journal, confirm=confirm, limits=limits, progress=said)


def unmatched(fleet: Fleet, snapshot: Snapshot) -> tuple[str, ...]:
    """What fleet.yaml says of things that nobody saw: a value that reaches nothing is a mistake, or a gap.

    Things that were not asked for are left out; of those nobody knows.
    """
    rows = snapshot.connection.execute("SELECT DISTINCT endpoint, cluster FROM fact.host WHERE cluster IS NOT NULL").fetchall()
    seen = set(rows)
    asked = snapshot.asked.topics
    where = {(o.endpoint, o.cluster): o.where for o in fleet.params if o.cluster is not None and "hosts" in asked}
    told = [
        f"{place}: no cluster {cluster} was seen on {endpoint}."
        for (endpoint, cluster), place in where.items()
        if (endpoint, cluster) not in seen
    ]
    for declared in fleet.declared if "devices" in asked else ():
        found = snapshot.connection.execute("SELECT 1 FROM fact.device WHERE device GLOB ? LIMIT 1", [declared.devices]).fetchone()
        if found is None:
            told.append(f"{fleet.path}: no device is named like {declared.devices}, which is declared there.")
    return tuple(told)


def now() -> datetime:
    """The time, aware, UTC."""
    return datetime.now(UTC)


def _of_receipts(evaluation: Evaluation, receipts: Sequence[Receipt]) -> dict[FindingKey, Fix]:
    """What became of the fix of every failure that asked for one of these changes."""
    made = {(receipt.change.remediator, receipt.change.target): receipt for receipt in receipts}
    found = {}
    for finding in evaluation.findings({Verdict.FAIL}) if made else ():
        receipt = made.get(_asked(finding))
        if finding.fix is not None and receipt is not None:
            why = receipt.why or finding.fix.why
            found[key_of(finding)] = replace(finding.fix, outcome=receipt.outcome, why=why, pending=receipt.pending)
    return found


def _refused(evaluation: Evaluation, plan: Plan) -> dict[FindingKey, Fix]:
    """The fix of every failure whose setting another rule wants different, or a waiver leaves as it is: refused, and why."""
    reasons = {}
    for clash in plan.contradictions:
        wants = "; ".join(f"{rule} wants {value}" for rule, value in clash.wants)
        reasons[clash.remediator, clash.target] = f"rules contradict each other: {wants}"
    for held in plan.held:
        reasons[held.remediator, held.target] = (
            f"a waiver of {held.waived} leaves this setting as it is ({held.waiver['owner']}, {held.waiver['where']})"
        )
    found = {}
    for finding in evaluation.findings({Verdict.FAIL}) if reasons else ():
        why = reasons.get(_asked(finding))
        if finding.fix is not None and why is not None:
            found[key_of(finding)] = replace(finding.fix, outcome=Outcome.REFUSED, why=why)
    return found


def _asked(finding: Finding) -> tuple[str, Target]:
    """The change a failure asks for, as plans and receipts name it."""
    fix = finding.fix
    return (fix.remediator or "" if fix else "", Target(finding.resource.endpoint, fix.target if fix else ()))


def exit_code(audited: Audited, *, fail_on: int, min_coverage: float | None) -> int:
    """What the process ends with, when nothing stopped it (docs/ARCHITECTURE.md#exit-codes).

    Args:
        audited: the audit.
        fail_on: the rank of the mildest severity whose failure counts (`Severity.rank`).
        min_coverage: the share of verdicts that has to be reached, 0 to 1; None means that every gap counts.
    """
    summary = audited.evaluation.summary()
    if any(receipt.outcome in (Outcome.UNVERIFIED, Outcome.REFUSED) for receipt in audited.receipts):
        return 4
    if min_coverage is None:
        if audited.snapshot.gaps or summary.unknown:
            return 2
    elif summary.coverage < min_coverage:
        return 2
    counted = [severity for severity in Severity if severity.rank <= fail_on]
    return 1 if any(summary.by_severity.get(severity.value, 0) for severity in counted) else 0
