"""Which run of auditor fixed what passes now, by the journals: the last write to the setting, and that it was read back as wanted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from auditor.errors import JournalError
from auditor.history.folders import JOURNAL_FOLDER
from auditor.journal import history
from auditor.model import Outcome
from auditor.model.comparison import ChangeKind
from auditor.model.identity import is_same

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from auditor.history.kept_run import KeptRun
    from auditor.journal import Entry
    from auditor.model import Finding, Scalar
    from auditor.model.comparison import ChangedFinding

    _Setting = tuple[str, str, tuple[tuple[str, str], ...]]  # remediator, name of the endpoint, keys of the target


@dataclass(frozen=True, slots=True)
class OwnWrites:
    """What runs of auditor wrote between two runs.

    Attributes:
        newest: the last write to each setting.
        identities: who the endpoints of the earlier run are, by name; those that are not known are left out.
        doubt: why it is not known what was written, as a sentence; "" where it is.
    """

    newest: Mapping[_Setting, Entry]
    identities: Mapping[str, str]
    doubt: str = ""

    def run_of(self, change: ChangedFinding) -> str | None:
        """The run whose write fixed it; None where none did, or another wrote after it."""
        before, after = change.before, change.after
        if change.kind is not ChangeKind.FIXED or before is None or before.fix is None or before.fix.remediator is None:
            return None
        names = dict.fromkeys(one.resource.endpoint for one in (before, after) if one is not None)
        found = (self.newest.get((before.fix.remediator, name, tuple(sorted(before.fix.target)))) for name in names)
        entry = next((one for one in found if one is not None), None)
        return entry.intent.run if entry is not None and self._fixes(entry, before) else None

    def _fixes(self, entry: Entry, before: Finding) -> bool:
        """Whether the write of `entry` gave the finding what it wanted, and was read back so."""
        fix, change = before.fix, entry.intent.change
        if fix is None or entry.receipt is None or entry.receipt.outcome is not Outcome.APPLIED or _same(change.after, fix.before):
            return False
        known, then = self.identities.get(before.resource.endpoint), entry.intent.identity
        if known and then and not is_same(known, then):
            return False
        return _same(change.after, fix.after) or before.rule in change.rules


def own_writes(earlier: KeptRun, later: KeptRun) -> OwnWrites:
    """What was written after `earlier` began to read and before `later` had finished, by runs of the same state directory."""
    identities = {one.name: one.identity for one in earlier.listed if one.identity}
    try:
        entries = history(later.directory.parents[1] / JOURNAL_FOLDER).entries
    except JournalError as error:  # what is sealed is believed only while the seal holds
        return OwnWrites({}, identities, f"Which run of auditor fixed what is not known: {error.what}.")
    newest: dict[_Setting, Entry] = {}
    for entry in entries:
        intent = entry.intent
        is_between = earlier.started < intent.time and (later.finished is None or intent.time <= later.finished)
        if intent.run != earlier.id and (is_between or intent.run == later.id):
            target = intent.change.target
            newest[intent.change.remediator, target.endpoint, tuple(sorted(target.keys))] = entry
    return OwnWrites(newest, identities)


def with_own_fixes(changes: Iterable[ChangedFinding], writes: OwnWrites) -> Iterator[ChangedFinding]:
    """The changes; what a run of auditor fixed names it, with the command that shows what it wrote."""
    for change in changes:
        run = writes.run_of(change)
        yield change if run is None else replace(change, run=run, why=f"fixed by run {run}: auditor journal export {run}")


def fixed_by(changes: Iterable[ChangedFinding]) -> Mapping[str, int]:
    """How many findings each run fixed, the newest first."""
    counts = Counter(change.run for change in changes if change.run is not None)
    return dict(sorted(counts.items(), reverse=True))


def _same(one: Scalar, other: Scalar) -> bool:
    return type(one) is type(other) and one == other
