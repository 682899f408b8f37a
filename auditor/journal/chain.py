"""The chain of all journals of a folder: each begins with the digest of the one that was the newest before it.

Each journal shows whether the journal before it was changed, removed or inserted. The newest journal has none after it: keep its last
digest elsewhere, for example in the change ticket. Somebody who may write to the folder can rewrite the whole chain; only a comparison with
a digest that is kept elsewhere shows that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.errors import JournalError
from auditor.journal.reading import read_journal
from auditor.journal.records import SUFFIX, Link

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from auditor.journal.reading import JournalFile


@dataclass(frozen=True, slots=True)
class Verified:
    """What the journals of a folder say of each other.

    Attributes:
        journals: how many there are.
        records: how many whole lines they have together.
        unchained: how many an older auditor wrote, whose lines are sealed one by one.
        head: the end of the newest journal; None where there is none.
        problems: a sentence for each; none where the chain is whole.
    """

    journals: int
    records: int
    unchained: int
    head: Link | None
    problems: tuple[str, ...]


def newest_link(directory: Path) -> Link | None:
    """The end of the newest journal of `directory`, for the first line of the next one; None where there is no journal.

    Raises:
        JournalError: a journal is damaged.
    """
    newest = _newest([read_journal(path) for path in _paths(directory)])
    return None if newest is None else _end(newest)


def verify(directory: Path, head: str | None = None) -> Verified:
    """Read every journal of `directory` and follow the chain; nothing is raised for a journal that is damaged.

    Args:
        directory: of all journals; it need not exist.
        head: a digest that was noted earlier, which has to be in the chain still; None: none was.
    """
    journals: list[JournalFile] = []
    problems: list[str] = []
    for path in _paths(directory):
        try:
            journals.append(read_journal(path))
        except JournalError as error:
            problems.append(error.what)
    begun = [journal for journal in journals if journal.started is not None]
    problems += broken_links(begun)
    if head is not None and not any(head in journal.digests for journal in begun):
        problems.append(f"no journal holds the digest {head}: what was written then was changed or taken away since")
    newest = _newest(begun)
    return Verified(
        journals=len(journals),
        records=sum(len(journal.intents) + len(journal.receipts) + 1 for journal in begun),
        unchained=sum(not journal.chained for journal in begun),
        head=None if newest is None else _end(newest),
        problems=tuple(problems),
    )


def _paths(directory: Path) -> list[Path]:
    return sorted(directory.glob(f"*{SUFFIX}"))


def broken_links(journals: Sequence[JournalFile]) -> list[str]:
    """A sentence for each link that leads nowhere, to what was changed since, or where another one leads as well."""
    ends = {journal.run: _end(journal) for journal in journals}
    followers: dict[str, list[str]] = {}
    problems = []
    for journal in journals:
        link = journal.previous
        if link is None:
            continue
        followers.setdefault(link.run, []).append(journal.run)
        if link.run not in ends:
            problems.append(f"the journal of run {link.run} is missing or damaged: run {journal.run} was written after it")
        elif ends[link.run] != link:
            problems.append(f"the journal of run {link.run} was changed after run {journal.run} had been written")
    for run, runs in sorted(followers.items()):
        if len(runs) > 1:
            problems.append(f"runs {' and '.join(sorted(runs))} both follow run {run}: one was put in, or two machines wrote at once")
    first = sorted(journal.run for journal in journals if journal.chained and journal.previous is None)
    if len(first) > 1:
        problems.append(
            f"runs {' and '.join(first)} follow no journal: those before all but one of them were taken away, or one was put in"
        )
    return problems


def _newest(journals: Sequence[JournalFile]) -> JournalFile | None:
    """The journal that no other one follows; among several, of older auditors, the one that began last."""
    followed = {journal.previous.run for journal in journals if journal.previous is not None}
    loose = [journal for journal in journals if journal.started is not None and journal.run not in followed]
    return max(loose, key=lambda journal: (journal.chained, journal.started, journal.run), default=None)


def _end(journal: JournalFile) -> Link:
    return Link(journal.run, journal.digests[-1])
