"""The findings that changed between two runs, one by one, and what makes each of its kind."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from auditor.history.comparison.statements import FAILED, NOT_APPLICABLE, PASSED, UNKNOWN, WAIVED, listing_sql
from auditor.model.comparison import ChangedFinding, ChangeKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.engine.verdicts import Evaluation
    from auditor.model import Finding

_WAS = {
    FAILED: "it failed then",
    UNKNOWN: "it was unknown then",
    WAIVED: "it was waived then",
    PASSED: "it passed then",
    NOT_APPLICABLE: "the rule did not apply to it then",
}
_AT_ONCE = 50_000
"""Changes whose findings are read together: the files are gone through once for each part."""


def changed_findings(before: Evaluation, after: Evaluation, numbers: range, *, is_placed: bool) -> Iterator[ChangedFinding]:
    """The changes of these numbers, from 1 by kind, severity, rule and place; `is_placed`: the runs looked at some places only."""
    from auditor.engine.verdict_reader import fetched
    from auditor.engine.verdict_rows import finding_of
    from auditor.engine.verdicts import STORED

    columns = list(STORED)
    statement = listing_sql(before.store, after.store, columns)
    width = len(columns) + 1
    last = numbers.stop - 1
    parts = ({"above": above, "upto": min(above + _AT_ONCE, last)} for above in range(numbers.start - 1, last, _AT_ONCE))
    rows = chain.from_iterable(fetched(before.connection, statement, part) for part in parts)
    for kind, was, now, is_shared, back_from, *values in rows:
        findings: list[Finding | None] = []
        for evaluation, cells in ((before, values[:width]), (after, values[width:])):
            row: dict[str, Any] = dict(zip(columns, cells[1:], strict=True))
            findings.append(None if cells[0] is None else finding_of(row, evaluation.rules[row["rule"]], evaluation.waivers))
        why = _why(ChangeKind(kind), was, now, is_shared=is_shared, back_from=back_from)
        if not is_shared and any(one is not None and one.rule in before.rules and one.rule in after.rules for one in findings):
            when = "said then" if kind == ChangeKind.NEW else "says now"
            why = f"the rule goes by other rows now: what it {when} is not the same question"
        if is_placed and is_shared and None in (was, now) and kind in (ChangeKind.NEW, ChangeKind.GONE):
            why += ", or was elsewhere" if kind == ChangeKind.NEW else ", or is elsewhere"
        yield ChangedFinding(ChangeKind(kind), findings[0], findings[1], why)


def _why(kind: ChangeKind, was: int | None, now: int | None, *, is_shared: bool, back_from: str | None) -> str:
    """What makes a change of its kind."""
    if kind is ChangeKind.CAME_BACK:
        return f"it failed in run {back_from} and passed since"
    if kind is ChangeKind.NEW and not is_shared:
        return "the rule is new: it was not judged by it then"
    if kind is ChangeKind.GONE and not is_shared:
        return "it is not judged by this rule any more"
    if kind is ChangeKind.GONE:
        return "it is not there any more" if now is None else "the rule does not apply to it any more"
    if kind is ChangeKind.NO_LONGER_READ:
        return "what the rule needs of it was not read"
    if kind in (ChangeKind.NEW, ChangeKind.NEWLY_UNKNOWN, ChangeKind.NEWLY_JUDGED):
        absent = "it was not there then" if kind is ChangeKind.NEW else "it was not read then"
        return absent if was is None else _WAS[was]
    return ""
