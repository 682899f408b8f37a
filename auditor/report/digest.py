"""Summarises a report in one pass over its findings: counts and a few sample findings of each rule."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from auditor.impact.ranking import rank_of
from auditor.model import EndpointKind, FixClass, Outcome, Severity, Verdict
from auditor.report.finding_ids import SHOWN, FindingIds
from auditor.report.verdict_counts import LISTED, by_rule, hosts_judged, listed_of
from auditor.report.wording import allowing, listed, neutral, percent, scope_notice
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.model import Finding, Report, RuleText, Scalar


_BACKED = "is_deepened"
"""The column in which a view says whether a source backs the cure on this family of arrays."""


@dataclass(slots=True)
class RuleDigest:
    """The verdicts of one rule over the whole fleet."""

    rule: str
    title: str
    severity: Severity
    text: RuleText | None  # None when the report has no text of this rule
    counts: Counter[Verdict] = field(default_factory=Counter)
    samples: dict[Verdict, list[Finding]] = field(default_factory=dict)  # the first few of FAIL, UNKNOWN and WAIVED
    missing: Counter[str] = field(default_factory=Counter)  # unknown verdicts by the column that could not be read
    fix_classes: Counter[tuple[FixClass, ...]] = field(default_factory=Counter)  # of failures whose fix is proposed
    impact_rank: float = 0.0  # of the failure whose fix gives most
    backed: int = 0  # failures whose cure has a source, as far as facts say
    by_hand: int = 0  # failures that only a person can fix
    hand_sample: Finding | None = None  # the first of them
    waivers: Counter[tuple[tuple[str, Scalar], ...]] = field(default_factory=Counter)  # verdicts by Finding.waiver
    failing_hosts: set[tuple[str, str]] = field(default_factory=set)  # endpoint and host of its failures that are about one host

    @property
    def heading(self) -> str:
        """What a report calls it: where it fails the failure, else the good state."""
        named = self.text.failure_title if self.text is not None and self.counts[Verdict.FAIL] else ""
        return named or self.title

    @property
    def judged(self) -> int:
        """How many resources the rule judged, with any verdict."""
        return self.counts.total()


@dataclass(frozen=True, slots=True)
class Digest:
    """Every rule of a report, worst first, and how many hosts have failures."""

    rules: tuple[RuleDigest, ...]
    failing_hosts: int

    @property
    def failing(self) -> list[RuleDigest]:
        """Rules with failures, worst first."""
        return [rule for rule in self.rules if rule.counts[Verdict.FAIL]]

    @property
    def unknown(self) -> list[RuleDigest]:
        """Rules with unknown verdicts, worst first."""
        return [rule for rule in self.rules if rule.counts[Verdict.UNKNOWN]]

    @property
    def waived(self) -> list[RuleDigest]:
        """Rules with waived verdicts, worst first."""
        return [rule for rule in self.rules if rule.counts[Verdict.WAIVED]]

    def proposed(self) -> Mapping[tuple[FixClass, ...], int]:
        """How many failures have a fix that could be applied, by the classes that have to be allowed."""
        return sum((rule.fix_classes for rule in self.rules), Counter())

    def proposed_in_order(self) -> list[tuple[tuple[FixClass, ...], int]]:
        """As `proposed`, the class that costs the fleet least first."""
        return sorted(self.proposed().items(), key=lambda item: [list(FixClass).index(kind) for kind in item[0]])

    @property
    def by_hand(self) -> int:
        """How many failures only a person can fix."""
        return sum(rule.by_hand for rule in self.rules)


def digest(report: Report, keep: int) -> Digest:
    """The digest of `report`, with at most `keep` sample findings of each rule and verdict."""
    texts = {text.id: text for text in report.rules}
    rules = {text.id: RuleDigest(text.id, text.title, text.severity, text) for text in report.rules}
    is_counted = _counted(report, rules)
    hosts: dict[tuple[str, str], tuple[str, str]] = {}  # each once, for all rules
    for finding in listed_of(report) if is_counted else report.findings():
        rule = rules.get(finding.rule)
        if rule is None:
            rule = rules[finding.rule] = RuleDigest(finding.rule, finding.title, finding.severity, texts.get(finding.rule))
        if not is_counted:
            rule.counts[finding.verdict] += 1
        if finding.verdict not in LISTED:
            continue
        samples = rule.samples.setdefault(finding.verdict, [])
        if len(samples) < keep:
            samples.append(finding)
        if finding.verdict is Verdict.UNKNOWN:
            rule.missing.update(finding.missing)
        elif finding.verdict is Verdict.WAIVED:
            rule.waivers[tuple((finding.waiver or {}).items())] += 1
        elif finding.verdict is Verdict.FAIL:
            _count_failure(rule, finding)
            if finding.resource.host is not None:
                host = (finding.resource.endpoint, finding.resource.host)
                rule.failing_hosts.add(hosts.setdefault(host, host))
    return Digest(tuple(sorted(rules.values(), key=_worst_first)), len(hosts))


def _counted(report: Report, rules: Mapping[str, RuleDigest]) -> bool:
    """Fill the counts of `rules` where the report knows them without a pass over its findings; whether it does.

    A rule that the report has no text of has its title from its findings, passes too.
    """
    counts = by_rule(report) if report.counts is not None else {}
    if not counts or not counts.keys() <= rules.keys():
        return False
    for rule_id, of_rule in counts.items():
        rules[rule_id].counts = of_rule
    return True


def _count_failure(rule: RuleDigest, finding: Finding) -> None:
    if rule.severity.rank > finding.severity.rank:
        rule.severity = finding.severity  # the worst of its findings
    rule.impact_rank = max(rule.impact_rank, rank_of(finding.impact) or 0.0)
    rule.backed += finding.evidence.get(_BACKED) is not False
    fix = finding.fix
    if fix is None or fix.outcome is Outcome.BY_HAND or fix.remediator is None:
        rule.by_hand += 1
        rule.hand_sample = rule.hand_sample or finding
    elif fix.outcome is Outcome.PROPOSED:
        rule.fix_classes[fix.classes] += 1


def _worst_first(rule: RuleDigest) -> tuple[bool, int, float, int, int, str]:
    fails, unknown = rule.counts[Verdict.FAIL], rule.counts[Verdict.UNKNOWN]
    rank = rule.severity.rank if fails or unknown else 9
    if fails and not rule.backed:
        rank = max(rank, Severity.MEDIUM.rank)  # as bad as it is: what was measured, and what helps, comes first
    return (fails == 0, rank, -rule.impact_rank, -fails, -unknown, rule.rule)


@dataclass(frozen=True, slots=True)
class Headline:
    """The result of the run in one line."""

    state: str  # "drift", "incomplete" or "clean"
    word: str
    sentence: str


def headline(report: Report, failing_rules: int, failing_hosts: int) -> Headline:
    """The result of the run; never "clean" while something could not be judged, and of a narrow one never without what it looked at.

    Args:
        report: the run.
        failing_rules: how many rules failed somewhere.
        failing_hosts: how many hosts have a failure; 0 when only array objects fail.
    """
    result = _result(report, failing_rules, failing_hosts)
    scope = scope_notice(report)
    if not scope:
        return result
    return replace(result, sentence=f"{result.sentence} {scope}")


def _result(report: Report, failing_rules: int, failing_hosts: int) -> Headline:
    summary, gaps = report.summary, report.open_gaps
    unknown = summary.unknown - summary.accepted_unknown
    not_judged = [
        count_of(unknown, "verdict is unknown", "verdicts are unknown") if unknown else "",
        count_of(len(gaps), "gap was left in the reading", "gaps were left in the reading") if gaps else "",
    ]
    not_judged = [part for part in not_judged if part] or _unread(report)
    accepted = _accepted_text(report)
    if summary.fail:
        severities = [f"{summary.by_severity[name]:,} {name}" for name in Severity if summary.by_severity.get(name)]
        where = f" on {count_of(failing_hosts, 'host')}" if failing_hosts else ""
        failures = f"{count_of(summary.fail, 'failure')} of {count_of(failing_rules, 'rule')}{where} ({', '.join(severities)})."
        not_all = not_judged + accepted
        return Headline("drift", "DRIFT", failures + (f" Not everything was judged: {listed(not_all)}." if not_all else ""))
    if not summary.judged:
        not_all = not_judged + accepted
        reasons = f": {listed(not_all)}" if not_all else ""
        return Headline("incomplete", "NOTHING JUDGED", f"No verdict could be reached{reasons}.")
    if not_judged:
        sentence = f"No failure among {count_of(summary.judged, 'verdict')}, but {listed(not_judged + accepted)}."
        return Headline("incomplete", "NOT ALL JUDGED", sentence)
    return _clean(report, accepted)


def _clean(report: Report, accepted: list[str]) -> Headline:
    """The result of a run in which nothing fails; "no drift" only where everything was asked, and of every host something was judged."""
    summary, run = report.summary, report.run
    judged = hosts_judged(report)
    is_whole = judged >= run.hosts and (report.scope is None or not report.scope.is_narrow)
    rules = sum(1 for counts in by_rule(report).values() if counts[Verdict.PASS] or counts[Verdict.WAIVED])
    of_hosts = f" on {judged:,} of {count_of(run.hosts, 'host')}" if judged else ", none of them of one host alone," if run.hosts else ""
    verb = "holds" if summary.passed == 1 else "hold"
    checks = f"{count_of(summary.passed, 'check')} of {count_of(rules, 'rule')}{of_hosts} {verb}"
    good = "NO DRIFT" if is_whole else f"{count_of(summary.passed, 'CHECK', 'CHECKS')} {verb.upper()}"
    if summary.waived or accepted:
        waived_failures = summary.waived - summary.waived_unknown
        parts = [
            count_of(waived_failures, "failure is waived", "failures are waived") if waived_failures else "",
            count_of(summary.waived_unknown, "unknown verdict is waived", "unknown verdicts are waived") if summary.waived_unknown else "",
            *accepted,
        ]
        waived = listed([part for part in parts if part])
        beyond = " AND ".join((["WAIVERS"] if summary.waived else []) + (["ACCEPTED GAPS"] if accepted else []))
        verdicts = f"{summary.passed:,} verdicts hold on {_places(report)}" if is_whole else checks
        return Headline("clean", f"{good} BEYOND {beyond}", f"{verdicts}; {waived}.")
    if not is_whole:
        return Headline("clean", good, f"{checks}.")
    verdicts = "The one verdict holds" if summary.passed == 1 else f"All {summary.passed:,} verdicts hold"
    return Headline("clean", good, f"{verdicts} on {_places(report)}.")


def _places(report: Report) -> str:
    return f"{count_of(report.run.hosts, 'host')} of {count_of(len(report.run.endpoints), 'endpoint')}"


def _accepted_text(report: Report) -> list[str]:
    """How many gaps somebody answers for, and how many verdicts are unknown by them alone; nothing where there is none."""
    gaps, unknown = len(report.gaps) - len(report.open_gaps), report.summary.accepted_unknown
    if not gaps:
        return []
    by_them = f" ({count_of(unknown, 'verdict is', 'verdicts are')} unknown because of {'it' if gaps == 1 else 'them'})" if unknown else ""
    return [f"{count_of(gaps, 'gap is accepted', 'gaps are accepted')}{by_them}"]


def _unread(report: Report) -> list[str]:
    if report.gaps:  # they say more, and who answers for them
        return []
    broken = [reading for reading in report.run.endpoints if not reading.complete]
    return [count_of(len(broken), "endpoint was not read completely", "endpoints were not read completely")] if broken else []


def coverage_line(report: Report) -> str:
    """The share of applicable verdicts that could be reached, and the counts behind it."""
    summary = report.summary
    parts = [f"{summary.judged:,} judged", f"{summary.unknown:,} unknown", f"{summary.not_applicable:,} not applicable"]
    if summary.waived:
        unknown = f", {summary.waived_unknown:,} of them not judged" if summary.waived_unknown else ""
        parts.append(f"{summary.waived:,} waived{unknown}")
    share = percent(summary.coverage) if summary.judged or summary.unknown else "nothing applied"
    return f"{share} ({', '.join(parts)})"


def next_steps(report: Report, summary: Digest) -> list[str]:
    """What the reader can do now, the most urgent first; each sentence begins with a verb."""
    steps = receipt_steps(report)
    proposed = summary.proposed_in_order()
    if proposed and any(reading.kind == EndpointKind.FILES for reading in report.run.endpoints):  # which cannot be written to
        steps.append(
            f"Print {count_of(sum(number for _, number in proposed), 'fix', 'fixes')} as commands: auditor plan --from PATH --as esxcli"
        )
    else:
        steps += [
            f"Preview {count_of(number, f'{kinds[0]} fix', f'{kinds[0]} fixes')}: audit again with --fix --dry-run {allowing(kinds)}"
            for kinds, number in proposed
        ]
    if summary.by_hand:
        by_hand = by_hand_id(report, summary)
        steps.append(f"Fix {count_of(summary.by_hand, 'failure')} by hand; what to do: auditor explain {by_hand} --by-hand")
    if summary.failing and (worst := summary.failing[0].samples.get(Verdict.FAIL)):
        steps.append(f"See why, queue by queue, and how to show it: auditor explain {FindingIds(report.run).of(worst[0])[:SHOWN]}")
    if report.summary.unknown > report.summary.accepted_unknown or report.open_gaps or _unread(report):
        steps.append("Close the gaps and audit again: what is unknown has not passed.")
    return steps


def by_hand_id(report: Report, summary: Digest) -> str:
    """The id of the worst failure that only a person can fix; there is one."""
    rule = next(rule for rule in summary.failing if rule.by_hand)
    return FindingIds(report.run).of(rule.hand_sample or rule.samples[Verdict.FAIL][0])[:SHOWN]


def receipt_steps(report: Report) -> list[str]:
    """What a fix left to do for a person, the most urgent first."""
    steps = []
    outcomes = Counter(receipt.outcome for receipt in report.receipts)
    if outcomes[Outcome.UNVERIFIED]:
        steps.append(f"Look first at {count_of(outcomes[Outcome.UNVERIFIED], 'write')} that did not read back as wanted.")
    if outcomes[Outcome.REVERTED]:
        reverted = count_of(outcomes[Outcome.REVERTED], "setting")
        steps.append(f"Settle before the next fix what put back {reverted}; each says who did it, where that is known.")
    if outcomes[Outcome.STALE]:
        steps.append(
            f"Audit again: {count_of(outcomes[Outcome.STALE], 'setting')} had changed since the plan, so nothing was written there."
        )
    pending = Counter(receipt.pending for receipt in report.receipts if receipt.pending)
    for what, number in sorted(pending.items()):
        steps.append(f"Plan a {neutral(what)} for {count_of(number, 'setting')}: stored, not yet in effect.")
    return steps
