"""What changed between two runs of an audit, finding by finding."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from auditor.model.verdicts import Finding


class ChangeKind(StrEnum):
    """What became of a finding between an earlier run and a later one; in the order in which reports list them.

    Every failure of either run that is not the same in both has exactly one kind. So the failures of the later run are those of the earlier
    one, and NEW, CAME_BACK and NEWLY_JUDGED more, and FIXED, GONE, NEWLY_WAIVED, NO_LONGER_READ and the failures among NEWLY_UNKNOWN less.
    """

    NEW = "new"  # fails now; it passed, was waived, did not apply, or was not there although its endpoint was read
    CAME_BACK = "came-back"  # as NEW; and a kept run before had it failing, and one after that had it passing
    CHANGED = "changed"  # failed and fails, with another observed or desired setting; a measured value is another each time
    FIXED = "fixed"  # failed, and passes
    GONE = "gone"  # failed; is not there any more although its endpoint was read, or the rule does not apply to it any more
    NEWLY_WAIVED = "newly-waived"  # failed; somebody answers for it now
    NEWLY_UNKNOWN = "newly-unknown"  # had a verdict, and is unknown
    NO_LONGER_READ = "no-longer-read"  # failed; its endpoint, its host or what its rule needs of them was not read
    NEWLY_JUDGED = "newly-judged"  # fails now; it was unknown or not read, so nobody knows whether it failed then


WORDS: Mapping[ChangeKind, str] = {
    ChangeKind.NEW: "new",
    ChangeKind.CAME_BACK: "came back",
    ChangeKind.CHANGED: "changed",
    ChangeKind.FIXED: "fixed",
    ChangeKind.GONE: "gone",
    ChangeKind.NEWLY_WAIVED: "newly waived",
    ChangeKind.NEWLY_UNKNOWN: "newly unknown",
    ChangeKind.NO_LONGER_READ: "no longer read",
    ChangeKind.NEWLY_JUDGED: "judged again",
}
"""Each kind as reports write it behind a number."""
_SENTENCE = (
    ChangeKind.NEW,
    ChangeKind.CAME_BACK,
    ChangeKind.FIXED,
    ChangeKind.GONE,
    ChangeKind.NEWLY_WAIVED,
    ChangeKind.NEWLY_UNKNOWN,
    ChangeKind.NO_LONGER_READ,
    ChangeKind.NEWLY_JUDGED,
    ChangeKind.CHANGED,
)
"""In the order of a sentence: what a load does to a measured value from day to day comes last."""
WORSE = (ChangeKind.NEW, ChangeKind.CAME_BACK)
"""What was not failing at the earlier run, and fails now."""


@dataclass(frozen=True, slots=True)
class ChangedFinding:
    """A finding that changed in the later run.

    Attributes:
        kind: what became of it.
        before: as the earlier run had it; None where that has no such finding.
        after: as the later run has it; likewise.
        why: what makes it of this kind, as part of a sentence: "it passed then".
        run: of what is fixed: the run of auditor that wrote it; None: none did, or that is not known.
    """

    kind: ChangeKind
    before: Finding | None
    after: Finding | None
    why: str = ""
    run: str | None = None

    @property
    def finding(self) -> Finding:
        """What a reader has to see: the failure as it is now, or as it was where it does not fail any more; else how it is now.

        Raises:
            ValueError: neither run has it.
        """
        was_it = self.kind in (ChangeKind.FIXED, ChangeKind.GONE, ChangeKind.NEWLY_WAIVED, ChangeKind.NO_LONGER_READ)
        shown = (self.before or self.after) if was_it else (self.after or self.before)
        if shown is None:
            raise ValueError("a change of a finding that neither run has")
        return shown


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed since an earlier run.

    Attributes:
        before: the id of the earlier run.
        before_started: when that began to read, aware.
        counts: how many findings there are of each kind; a kind without any is left out.
        same_scope: both runs were about the same fleet, narrowed alike. False: only what both have judged is compared.
        listed: each call begins a new pass over them, by kind, severity, rule and place; may be hundreds of thousands.
        notes: what a reader has to know of the two runs, in sentences: that rules differ, or what is left out.
        fixed_by: how many findings each run of auditor fixed by what it wrote, the newest run first; empty: none did, or that is not known.
    """

    before: str
    before_started: datetime
    counts: Mapping[ChangeKind, int]
    same_scope: bool
    listed: Callable[[], Iterator[ChangedFinding]]
    notes: tuple[str, ...] = ()
    fixed_by: Mapping[str, int] = field(default_factory=dict)

    def changes(self) -> Iterator[tuple[ChangeKind, Finding]]:
        """Each change with the finding that a reader has to see."""
        return ((one.kind, one.finding) for one in self.listed())

    @property
    def worse(self) -> int:
        """How many findings fail now that did not fail at the earlier run."""
        return sum(self.counts.get(kind, 0) for kind in WORSE)

    def sentence(self) -> str:
        """What changed, without a full stop: "3 new, 2 fixed, 1 came back since 2026-11-22 06:00 UTC (run 2026...-a1b2)"."""
        from datetime import UTC

        parts = [f"{self.counts[kind]:,} {WORDS[kind]}{self._runs(kind)}" for kind in _SENTENCE if self.counts.get(kind)]
        since = f"since {self.before_started.astimezone(UTC):%Y-%m-%d %H:%M} UTC (run {self.before})"
        other = "" if self.same_scope else ", another scope: compared as far as both have judged"
        return f"{', '.join(parts) or 'nothing changed'} {since}{other}"

    def _runs(self, kind: ChangeKind) -> str:
        """Of what is fixed, the runs of auditor that did it, in brackets; "" where none did."""
        if kind is not ChangeKind.FIXED or not self.fixed_by:
            return ""
        number, (newest, *others) = sum(self.fixed_by.values()), self.fixed_by
        some = "" if number == self.counts[kind] else f"{number:,} of them "
        more = f" and {len(others)} before it" if others else ""
        return f" ({some}by run {newest}{more})"
