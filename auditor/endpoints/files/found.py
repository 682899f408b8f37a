"""Members and problems that are found in files of evidence, and the place where they were found."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from auditor.bounds.limits import EVIDENCE_MEMBERS
from auditor.endpoints.files.esxtop import Esxtop, NoSamples
from auditor.endpoints.files.streams import Budget

ARCHIVE_NAME = re.compile(r"(?i)\.(?:tgz|tar|zip|tar\.(?:gz|bz2|xz)|tbz2?|txz)\Z")
FRAGMENT_NAME = re.compile(r"(?s)(.+)\.FRAG-([0-9]{1,9})\Z")
PACKED_NAME = re.compile(r"(?i)\.(?:gz|bz2|xz)\Z")
_SAME_PROBLEMS = 20
"""So many things of one archive that have one problem are named; of the others is said how many there are."""
_MISSING_PARTS = 5
_SHOWN_CHARACTERS = 300
_UNSHOWN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Categories of characters that steer a terminal, separate lines, or are none."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file that was wanted.

    Args:
        source: the path that the user gave, as it is shown.
        name: its path within that, parts separated by "/"; an archive's own name within is a part of it. "" where the path is the file.
        data: its content, unpacked.
        modified: in UTC, of the member or the file; None where it is not known, as of most zip archives: their times have no zone.
        esxtop: of a file that esxtop wrote; it is read as it comes, and `data` is empty then.
    """

    source: str
    name: str
    data: bytes
    modified: datetime | None
    esxtop: Esxtop | NoSamples | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file, or some of them, that could not be read.

    Args:
        source: the path that the user gave, as it is shown.
        name: its path within that, escaped where it has characters that no name should have.
        why: one sentence.
    """

    source: str
    name: str
    why: str


class TooManyError(Exception):
    """There are more files than are looked at."""


@dataclass(slots=True)
class Walk:
    """What all paths of a call share.

    Args:
        wanted: whether a member of that name is needed.
        possible: whether a member of another name is needed where it begins as a text does.
        left: how many more files and members are looked at.
    """

    wanted: Callable[[str], bool]
    possible: Callable[[str], bool]
    left: int = EVIDENCE_MEMBERS

    def count(self) -> None:
        """Count one more file or member; raises TooManyError."""
        self.left -= 1
        if self.left < 0:
            raise TooManyError(f"there are more than {EVIDENCE_MEMBERS:,} files and members")

    def matters(self, name: str) -> bool:
        """Whether it is a loss that a thing of this name cannot be read."""
        return self.wanted(name) or self.wanted(PACKED_NAME.sub("", name)) or ARCHIVE_NAME.search(name) is not None


@dataclass(slots=True)
class Place:
    """A folder or an archive that is walked.

    Args:
        source: the path that the user gave, as it is shown.
        name: its path within that.
        budget: what parts of files that are held in it are counted against.
        depth: how many archives it lies in, itself included.
        parts: of the files that were cut, by their names and numbers; None is a part that could not be read.
        part_times: when the last part of each was modified.
        problems: how many things in it had each problem.
    """

    walk: Walk
    source: str
    name: str
    budget: Budget
    depth: int = 0
    parts: dict[str, dict[int, bytes | None]] = field(default_factory=dict)
    part_times: dict[str, datetime | None] = field(default_factory=dict)
    problems: dict[str, int] = field(default_factory=dict)

    def problem(self, name: str, why: str) -> Iterator[Unreadable]:
        """Say of a member why it is not read, unless many were said to have that problem."""
        self.problems[why] = self.problems.get(why, 0) + 1
        if self.problems[why] <= _SAME_PROBLEMS:
            yield Unreadable(self.source, shown(name), f"{why}.")

    def more_problems(self) -> Iterator[Unreadable]:
        """Say how many more members had a problem that was named often enough."""
        for why, total in self.problems.items():
            if total > _SAME_PROBLEMS:
                yield Unreadable(self.source, shown(self.name), f"{total - _SAME_PROBLEMS:,} more of its members are not read: {why}.")


def missing_parts(parts: dict[int, bytes | None]) -> str:
    """The numbers of the parts that are missing up to the last one, as they are shown; "" where none is."""
    last = max(parts)
    absent = (number for number in range(last + 1) if parts.get(number) is None)
    total = last + 1 - sum(part is not None for part in parts.values())
    named = [f"{number:05d}" for number in islice(absent, _MISSING_PARTS)]
    return ", ".join(named) + (f" and {total - len(named):,} more" if total > len(named) else "")


def is_bad(name: str) -> bool:
    """Whether a name within an archive or a folder is one that no honest program gives: it leaves the folder, or cannot be shown."""
    return (
        not name
        or name.startswith("/")
        or ".." in name.split("/")
        or len(name) > 4096
        or not (name.isprintable() or _UNSHOWN.isdisjoint(map(unicodedata.category, name)))
    )


def shown(name: str) -> str:
    """A name as it is shown: characters that could steer a terminal, or are none, are escaped; a long one is shortened."""
    text = escaped(name[:_SHOWN_CHARACTERS])
    return text if len(name) <= _SHOWN_CHARACTERS else f"{text}..."


def escaped(text: str) -> str:
    """A text whose characters that could steer a terminal, or are none, are escaped."""
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape", "surrogatepass").decode() if unicodedata.category(character) in _UNSHOWN else character
        for character in text
    )
