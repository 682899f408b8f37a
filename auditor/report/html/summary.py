"""What the first screen of the HTML report says in words, without a command line, and its table of what can be fixed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.model import FixClass, Outcome, Verdict
from auditor.report.causes import causes_of
from auditor.report.impacts import impact_text
from auditor.report.messages import message_of
from auditor.report.setting_values import from_to_words
from auditor.report.wording import OUTCOME_WORDS, neutral
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.model import Finding, Fix, Report
    from auditor.report.causes import Cause
    from auditor.report.digest import Digest, RuleDigest

CAUSES = 5
"""Causes that the first screen names."""
_TAKES = {
    FixClass.ONLINE: "while machines run, without an interruption",
    FixClass.ONLINE_CAUTION: "while I/O goes on, one host at a time, watched",
    FixClass.REMOUNT: "the datastore is unmounted and mounted",
    FixClass.RECLAIM: "the device is unclaimed, or the session logs in anew",
    FixClass.REBOOT: "maintenance mode and a reboot, one host at a time",
    FixClass.ARRAY: "a change on the array",
    FixClass.GUEST: "a change inside the guest, and its reboot",
    FixClass.MANUAL: "work by hand",
    FixClass.RETUNE: "and reverts what somebody tuned",
}
"""What a class of fixes takes, in words. Source: docs/rule-catalogue.md#classes"""
_WELL = (Outcome.APPLIED, Outcome.ALREADY)


@dataclass(frozen=True, slots=True)
class CauseText:
    """A cause of failures, in words.

    Attributes:
        place: of the rule that names it, in the digest.
        rule: likewise.
        extent: how many failures, of how many rules, and on how many hosts where hosts have them.
        cost: what the worst of them costs; where that is not known, what is wrong with one of them.
        costliest: the failure whose fix gives most.
        others: the other rules of this cause, with their places.
    """

    place: int
    rule: RuleDigest
    extent: str
    cost: str
    costliest: Finding
    others: tuple[tuple[int, RuleDigest], ...]


@dataclass(frozen=True, slots=True)
class FixRow:
    """What is planned for the failures of one rule.

    Attributes:
        place: of the rule in the digest.
        setting: what is set, and from what to what in the first of them; "" where a person has to do it.
        classes: of the changes; "" likewise.
        takes: what that takes, in words.
        count: how many failures.
    """

    place: int
    rule: RuleDigest
    setting: str
    classes: str
    takes: str
    count: int


def cause_texts(results: Digest) -> list[CauseText]:
    """The causes of the report, the worst first."""
    places = {rule.rule: place for place, rule in enumerate(results.rules)}
    return [
        CauseText(
            places[cause.worst.rule],
            cause.worst,
            _extent(cause),
            _cost(cause),
            cause.costliest,
            tuple((places[rule.rule], rule) for rule in cause.rules[1:]),
        )
        for cause in causes_of(results)
    ]


def _extent(cause: Cause) -> str:
    rules = f" of {len(cause.rules)} rules" if len(cause.rules) > 1 else ""
    hosts = f" on {count_of(cause.hosts, 'host')}" if cause.hosts else ""
    return f"{count_of(cause.failures, 'failure')}{rules}{hosts}"


def _cost(cause: Cause) -> str:
    return impact_text(cause.costliest.impact) or neutral(message_of(cause.costliest))


def made_sentences(report: Report) -> list[str]:
    """What this run changed; nothing where it changed nothing."""
    outcomes = Counter(receipt.outcome for receipt in report.receipts)
    if not outcomes:
        return []
    made = count_of(outcomes[Outcome.APPLIED], "change was made and read back", "changes were made and read back")
    others = [f"{number:,} {OUTCOME_WORDS[outcome]}" for outcome, number in outcomes.items() if outcome not in _WELL]
    return [f"{'; '.join([made, *others])}."]


def planned(results: Digest) -> list[tuple[int, str]]:
    """How many failures can be fixed, by what that takes, in words; last those that need a person."""
    order = list(FixClass)
    proposed = sorted(results.proposed().items(), key=lambda one: [order.index(kind) for kind in one[0]])
    by_hand = [(results.by_hand, "work by hand")] if results.by_hand else []
    return [(number, takes_text(classes)) for classes, number in proposed] + by_hand


def takes_text(classes: tuple[FixClass, ...]) -> str:
    """What changes of these classes take: "while machines run, without an interruption"."""
    ordered = sorted(classes, key=lambda one: one is FixClass.RETUNE)  # it says nothing of what it takes
    return ", ".join(_TAKES[one] for one in ordered)


def setting_name(fix: Fix) -> str:
    """What a fix sets: the kind of setting, and its option, parameter or field where it has one; "" where a person has to."""
    keys = dict(fix.target)
    name = next((keys[key] for key in ("option", "parameter", "field") if key in keys), "")
    return neutral(" ".join(filter(None, (fix.remediator, name)))) if fix.remediator else ""


def fix_rows(results: Digest) -> list[FixRow]:
    """What is planned for the failures of each rule, what is by hand behind what auditor can change."""
    rows = [row for place, rule in enumerate(results.rules) for row in _fix_rows(rule, place)]
    return sorted(rows, key=lambda row: not row.classes)


def _fix_rows(rule: RuleDigest, place: int) -> Iterator[FixRow]:
    samples = [one.fix for one in rule.samples.get(Verdict.FAIL, []) if one.fix is not None and one.fix.outcome is Outcome.PROPOSED]
    for classes, number in rule.fix_classes.items():
        first = next((fix for fix in samples if fix.classes == classes), None)
        if first is None:
            setting = "see its findings"
        else:
            words = from_to_words(first.remediator or "", dict(first.target), first.before, first.after).replace(" -> ", " → ", 1)
            setting = f"{setting_name(first)}: {words}{', for example' if number > 1 else ''}"
        yield FixRow(place, rule, setting, " and ".join(classes), takes_text(classes), number)
    if rule.by_hand:
        yield FixRow(place, rule, "", "", _TAKES[FixClass.MANUAL], rule.by_hand)
