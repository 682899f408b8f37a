"""What changed between two runs, for a terminal and as JSON for programs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, TextIO

from auditor.model.comparison import ChangeKind
from auditor.report.finding_ids import SHOWN, finding_id, identities_of
from auditor.report.formats.listed import sentence_of
from auditor.report.json.findings import resource_object
from auditor.report.json.report import compared_object, scope_object
from auditor.report.json.values import json_scalar, utc_text
from auditor.report.messages import message_beside_name, message_of
from auditor.report.wording import moment, neutral, value_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from auditor.history.comparison.who_changed import Author
    from auditor.history.kept_run import KeptRun
    from auditor.model import Finding
    from auditor.model.comparison import ChangedFinding, Comparison

SCHEMA_VERSION = 1
ROWS_A_RULE = 3
"""Findings shown of each rule where not all are."""
_HEADINGS = {
    ChangeKind.NEW: "New",
    ChangeKind.CAME_BACK: "Came back",
    ChangeKind.CHANGED: "Changed: failed and fails, with other values",
    ChangeKind.FIXED: "Fixed",
    ChangeKind.GONE: "Gone: not there, or not judged by the rule any more",
    ChangeKind.NEWLY_WAIVED: "Newly waived: it fails, and somebody answers for it",
    ChangeKind.NEWLY_UNKNOWN: "Newly unknown",
    ChangeKind.NO_LONGER_READ: "No longer read: it failed, and nobody looked again",
    ChangeKind.NEWLY_JUDGED: "Judged again: it fails, and nobody knows whether it did then",
}
_NO_EVENTS = "who changed it is not known: the later run read no vCenter's events. It does where a drift rule is judged."
_BLAMED = frozenset({ChangeKind.NEW, ChangeKind.CAME_BACK, ChangeKind.CHANGED})
"""Kinds that somebody may have caused by changing a setting."""


@dataclass(frozen=True, slots=True)
class RunDiff:
    """Two runs and what changed between them.

    Attributes:
        earlier: the run that is compared with.
        later: the run that is looked at.
        comparison: what changed.
        author: who may have changed what a finding is about.
        events_read: the vCenters whose events the later run read.
    """

    earlier: KeptRun
    later: KeptRun
    comparison: Comparison
    author: Author
    events_read: frozenset[str]

    def id_of(self, change: ChangedFinding) -> str:
        """The id of the finding that a reader sees."""
        run = self.later if change.finding is change.after else self.earlier
        return finding_id(change.finding, identities_of((one.name, one.identity) for one in run.listed))

    def blamed(self, change: ChangedFinding) -> str:
        """Who may have changed it; "" where nothing shows it."""
        return self.author(change.finding) if change.kind in _BLAMED else ""


def diff_of(earlier: KeptRun, later: KeptRun) -> RunDiff:
    """What changed in `later`.

    Raises:
        ConfigurationError: a run has no verdicts that can be compared.
        SnapshotError: the verdicts of one cannot be read.
    """
    from auditor.history.comparison.comparing import compare_runs
    from auditor.history.comparison.who_changed import authors

    author, events_read = authors(later.snapshot, earlier.started)
    return RunDiff(earlier, later, compare_runs(earlier, later), author, events_read)


def diff_lines(diff: RunDiff, width: int, *, every: bool) -> Iterator[str]:
    """The changes by kind and rule, in lines of at most `width` characters but for names; `every`: all findings of each rule."""
    comparison = diff.comparison
    yield from _wrapped(f"{comparison.sentence()}", width)
    yield from _wrapped(f"to run {diff.later.id}, {moment(diff.later.started)}", width)
    yield from (line for note in comparison.notes for line in _wrapped(f"note: {neutral(note)}", width))
    if any(comparison.counts.get(kind) for kind in _BLAMED) and not diff.events_read:
        yield from _wrapped(f"note: {_NO_EVENTS}", width)
    for kind, of_kind in groupby(comparison.listed(), key=lambda one: one.kind):
        yield ""
        yield f"{_HEADINGS[kind]} ({comparison.counts[kind]:,})"
        for rule, of_rule in groupby(of_kind, key=lambda one: one.finding.rule):
            yield from _rule_lines(diff, rule, of_rule, width, every=every)
    if not comparison.counts:
        yield ""
        yield "No failure changed."


def _rule_lines(diff: RunDiff, rule: str, changes: Iterable[ChangedFinding], width: int, *, every: bool) -> Iterator[str]:
    """A rule with its findings; how many there are, and whether all changed alike, is known only at the end: the first ones wait for it."""
    shown: list[tuple[str, str, str]] = []
    number, hosts, whys, head = 0, set[tuple[str, str]](), set[str](), ""
    for change in changes:
        finding = change.finding
        number += 1
        whys.add(change.why)
        head = head or f"  {finding.severity} {rule}: {neutral(finding.heading)}"
        if finding.resource.host:
            hosts.add((finding.resource.endpoint, finding.resource.host))
        if every or number <= ROWS_A_RULE:
            shown.append((_row(diff, change), change.why, diff.blamed(change)))
    on = f" on {count_of(len(hosts), 'host')}" if hosts else ""
    alike = f"; {neutral(why)}" if len(whys) == 1 and (why := next(iter(whys))) else ""
    yield from _wrapped(f"{head} ({number:,}{on}{alike})", width, "  ")
    for row, why, blamed in shown:
        known = "; ".join(part for part in ("" if alike else neutral(why), blamed) if part)
        yield from _wrapped(f"{row} [{known}]" if known else row, width, "    ")
    if not every and number > ROWS_A_RULE:
        yield f"    ... {number - ROWS_A_RULE:,} more: --details"


def _row(diff: RunDiff, change: ChangedFinding) -> str:
    """One finding: its id, and what is wrong or was."""
    finding = change.finding
    sentence = neutral(message_of(finding)) or sentence_of(finding)
    host = neutral(finding.resource.host or "")
    if host not in sentence:
        sentence = f"{host}: {sentence}"
    if change.kind is ChangeKind.CHANGED and change.before is not None:
        sentence = f"{sentence} ({_then(change.before, finding)})"
    return f"    {diff.id_of(change)[:SHOWN]}  {sentence}"


def _then(before: Finding, now: Finding) -> str:
    """What a failure was then. Its message has units; where it has none, or the same words as now, it is the plain values."""
    words = message_beside_name(before)
    if words and words != message_beside_name(now):
        return f"then: {words}"
    return f"it was {value_text(before.observed)}, and {value_text(before.desired)} was desired"


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """`text` in lines of `width` characters; a name that is longer is never cut."""
    return textwrap.wrap(text, width, subsequent_indent=f"{indent}  ", break_long_words=False, break_on_hyphens=False) or [""]


def write_diff_json(diff: RunDiff, out: TextIO) -> None:
    """Write the changes for programs, one a line: JSON, schema version 1 (run_diff.schema.json). Fields are only ever added."""
    encode = json.JSONEncoder(allow_nan=False).encode
    compared = compared_object(diff.comparison) or {}
    head = {
        "schema_version": SCHEMA_VERSION,
        "earlier": _run_object(diff.earlier),
        "later": _run_object(diff.later),
        **{name: compared[name] for name in ("same_scope", "sentence", "counts", "notes", "fixed_by")},
        "events_read": sorted(diff.events_read),
    }
    out.write(f'{encode(head)[:-1]}, "changes": [')
    separator = "\n"
    for change in diff.comparison.listed():
        out.write(f"{separator}{encode(_change_object(diff, change))}")
        separator = ",\n"
    out.write("\n]}\n")


def _run_object(run: KeptRun) -> dict[str, Any]:
    return {"id": run.id, "started": utc_text(run.started), "scope": scope_object(run.scope), "fail": run.fail, "unknown": run.unknown}


def _change_object(diff: RunDiff, change: ChangedFinding) -> dict[str, Any]:
    finding = change.finding
    return {
        "kind": change.kind.value,
        "why": change.why,
        "changed_by": diff.blamed(change) or None,
        "fixed_by": change.run,
        "id": diff.id_of(change),
        "rule": finding.rule,
        "title": finding.title,
        "severity": finding.severity,
        "resource": resource_object(finding.resource),
        "before": None if change.before is None else _side_object(change.before),
        "after": None if change.after is None else _side_object(change.after),
    }


def _side_object(finding: Finding) -> dict[str, Any]:
    return {
        "verdict": finding.verdict,
        "message": message_of(finding),
        "observed": json_scalar(finding.observed),
        "desired": json_scalar(finding.desired),
    }
