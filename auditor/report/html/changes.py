"""What changed since an earlier run, as the HTML report shows it: a word beside each finding, and the first of each kind in a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.errors import AuditorError
from auditor.model.comparison import WORDS, ChangeKind
from auditor.report.json.saved_report import key_of
from auditor.report.wording import neutral

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.model.comparison import ChangedFinding, Comparison
    from auditor.report.json.saved_report import FindingKey

OF_A_KIND = 50
"""Changes of one kind that the page lists; the others have their word beside the finding."""

KIND_LOOKS: Mapping[str, str] = {
    ChangeKind.NEW: "bad",
    ChangeKind.CAME_BACK: "bad",
    ChangeKind.CHANGED: "",
    ChangeKind.FIXED: "good",
    ChangeKind.GONE: "",
    ChangeKind.NEWLY_WAIVED: "",
    ChangeKind.NEWLY_UNKNOWN: "warn",
    ChangeKind.NO_LONGER_READ: "warn",
    ChangeKind.NEWLY_JUDGED: "bad",
}
"""The colour of each kind of change."""


@dataclass(frozen=True, slots=True)
class PageChanges:
    """What changed.

    Attributes:
        sentence: how many of each kind, and since which run.
        words: what became of each finding that is in this report.
        rows: the first of each kind, with the kind in words.
        more: how many there are beyond `rows`.
        notes: what a reader has to know of the two runs, in sentences.
        runs: the runs of auditor that fixed something by what they wrote, each with how much that is, the newest first.
    """

    sentence: str
    words: Mapping[FindingKey, str]
    rows: tuple[tuple[str, ChangedFinding], ...]
    more: int
    notes: tuple[str, ...]
    runs: Mapping[str, int]


def page_changes(compared: Comparison | None) -> PageChanges | None:
    """The changes of a report; None where it was compared with no other run."""
    if compared is None:
        return None
    sentence = neutral(compared.sentence())
    words: dict[FindingKey, str] = {}
    rows: list[tuple[str, ChangedFinding]] = []
    seen: Counter[str] = Counter()
    try:
        for one in compared.listed():
            word = WORDS[one.kind]
            if one.after is not None:
                words[key_of(one.after)] = word
            seen[word] += 1
            if seen[word] <= OF_A_KIND:
                rows.append((word, one))
    except AuditorError as error:  # files of the earlier run are gone or damaged: this run's own findings are none the worse for it
        return PageChanges(sentence, {}, (), 0, (*compared.notes, f"The changes cannot be listed: {error.what}."), compared.fixed_by)
    return PageChanges(sentence, words, tuple(rows), seen.total() - len(rows), compared.notes, compared.fixed_by)
