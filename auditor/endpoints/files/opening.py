"""Opens one found file: gives the file itself, or the members of an archive."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import IO

from auditor.bounds.limits import EVIDENCE_DEPTH, EVIDENCE_ESXTOP_BYTES, EVIDENCE_MEMBER_BYTES, EVIDENCE_NESTED_ZIP_BYTES
from auditor.endpoints.files.containers import Entry, is_document, opened_zip, tar_entries, zip_entries
from auditor.endpoints.files.esxtop import Esxtop, is_esxtop, samples_in
from auditor.endpoints.files.found import ARCHIVE_NAME, FRAGMENT_NAME, PACKED_NAME, Member, Place, Unreadable, is_bad, missing_parts
from auditor.endpoints.files.outputs.decoding import is_text
from auditor.endpoints.files.streams import BROKEN, CHUNK_BYTES, BrokenError, Budget, Lines, Stream, kind_of, unpacked

BAD_NAME = "its name is not one that a file should have, so it is not read"
NO_FILE = "it is a link, a device or a pipe, which is not read"
_TOO_DEEP = f"it lies in more than {EVIDENCE_DEPTH} archives within each other, so it is not read"
_TOO_LARGE = f"it has more than the {EVIDENCE_MEMBER_BYTES >> 20} MiB that such a file may have, so nothing of it is read"
_TOO_LARGE_ESXTOP = f"it has more than the {EVIDENCE_ESXTOP_BYTES >> 20} MiB that a file of esxtop may have, so nothing of it is read"
_TOO_LARGE_ZIP = f"it is a zip archive within another archive, and has more than {EVIDENCE_NESTED_ZIP_BYTES >> 20} MiB, so it is not read"
_A_PART = "it is one part of a file that was cut; give the folder that has all of them"
_TWICE = "there is more than one part of that number, so that file is not read"


@dataclass(frozen=True, slots=True)
class Found:
    """A file that was found in a place.

    Args:
        name: its path within the source.
        asked: the name that `wanted` is asked for.
        modified: in UTC; None where it is not known.
        content: its bytes.
        budget: what it may take.
        depth: how many archives it lies in.
        file: where it can be read from any place; None: only once, forwards.
    """

    name: str
    asked: str
    modified: datetime | None
    content: Stream
    budget: Budget
    depth: int = 0
    file: IO[bytes] | None = None


class _ArchiveError(BrokenError):
    """An archive is not whole: that is a loss, whatever its name."""


def content_of(place: Place, found: Found) -> Iterator[Member | Unreadable]:
    """What a found file holds that is wanted.

    Raises:
        SpentError: the file on disk takes more than it may.
        TooManyError: there are more members than are looked at.
    """
    fragment = FRAGMENT_NAME.match(found.asked)
    if fragment and not place.walk.matters(fragment[1]):
        return
    try:
        yield from _kept_part(place, found, int(fragment[2])) if fragment else _opened(place, found)
    except BROKEN as error:
        if isinstance(error, _ArchiveError) or place.walk.matters(found.asked):
            yield from place.problem(found.name, f"it is broken: {_text(error)}")


def rest_of(place: Place, *, whole: bool) -> Iterator[Member | Unreadable]:
    """What can only be said at a place's end: the files that were cut, joined, and how many more problems there were.

    Args:
        place: the folder or archive.
        whole: whether all of it was seen; if not, parts of a file may be missing.
    """
    for name, parts in place.parts.items():
        missing = missing_parts(parts)
        data = [part for _, part in sorted(parts.items()) if part is not None]
        size = sum(map(len, data))
        place.budget.held += size
        if missing:
            yield from place.problem(name, f"it was cut into parts, and not all are there or could be read; missing: {missing}")
        elif not whole:
            yield from place.problem(name, "it was cut into parts, and the archive broke before all of them were seen")
        elif size > EVIDENCE_MEMBER_BYTES:
            yield from place.problem(name, _TOO_LARGE)
        else:
            file = io.BytesIO(b"".join(data))
            yield from content_of(place, Found(name, name, place.part_times[name], Stream(file.read), place.budget, place.depth, file))
    yield from place.more_problems()


def _opened(place: Place, found: Found) -> Iterator[Member | Unreadable]:
    kind = kind_of(found.content.peek())
    if kind in ("gz", "bz2", "xz"):
        inner = replace(found, content=unpacked(found.content, kind, found.budget), file=None)
        if kind_of(inner.content.peek()) == "tar":
            yield from _archive(place, inner, tar_entries(inner.content))
        elif found.depth > EVIDENCE_DEPTH:
            yield from place.problem(found.name, _TOO_DEEP)
        else:
            name, asked = PACKED_NAME.sub("", found.name), PACKED_NAME.sub("", found.asked)
            yield from content_of(place, replace(inner, name=name, asked=asked, depth=found.depth + 1))
    elif kind == "tar":
        yield from _archive(place, found, tar_entries(found.content))
    elif kind == "zip":
        yield from _zip(place, found)
    elif place.walk.wanted(found.asked):
        yield from _given(place, found)
    elif ARCHIVE_NAME.search(found.asked):
        yield from place.problem(found.name, "its name is that of an archive, and its content is none")
    elif place.walk.possible(found.asked):
        if is_text(found.content.peek()):
            yield from _given(place, found)
        else:
            yield Member(place.source, found.name, b"", found.modified)


def _given(place: Place, found: Found) -> Iterator[Member | Unreadable]:
    if is_esxtop(found.content.peek()):
        yield from _samples(place, found)
        return
    data = found.content.upto(EVIDENCE_MEMBER_BYTES + 1)
    if len(data) > EVIDENCE_MEMBER_BYTES:
        yield from place.problem(found.name, _TOO_LARGE)
        return
    found.budget.hold(len(data))
    yield Member(place.source, found.name, data, found.modified)


def _samples(place: Place, found: Found) -> Iterator[Member | Unreadable]:
    """A file of esxtop; only its newest samples are held."""
    lines = Lines(found.content, EVIDENCE_ESXTOP_BYTES)
    esxtop = samples_in(lines)
    if lines.is_too_long:
        yield from place.problem(found.name, _TOO_LARGE_ESXTOP)
        return
    if isinstance(esxtop, Esxtop):
        found.budget.hold(esxtop.size_bytes)
    yield Member(place.source, found.name, b"", found.modified, esxtop)


def _zip(place: Place, found: Found) -> Iterator[Member | Unreadable]:
    file = found.file or _held(found.content)
    if file is None:
        yield from place.problem(found.name, _TOO_LARGE_ZIP)
        return
    with opened_zip(file) as archive:
        if not is_document(archive):
            yield from _archive(place, found, zip_entries(archive, found.budget))
        elif place.walk.wanted(found.asked):
            file.seek(0)
            yield from _given(place, replace(found, content=Stream(file.read)))


def _held(content: Stream) -> IO[bytes] | None:
    """A zip archive in memory: its directory is at its end. None where it is too large."""
    file = io.BytesIO()
    while part := content.some(CHUNK_BYTES):
        if file.tell() + len(part) > EVIDENCE_NESTED_ZIP_BYTES:
            return None
        file.write(part)
    return file


def _archive(place: Place, found: Found, entries: Iterator[Entry]) -> Iterator[Member | Unreadable]:
    """The members of an archive; raises _ArchiveError after them where it is not whole."""
    if found.depth >= EVIDENCE_DEPTH:
        yield from place.problem(found.name, _TOO_DEEP)
        return
    here = Place(place.walk, place.source, found.name, found.budget, found.depth + 1)
    broken = ""
    try:
        for entry in entries:
            place.walk.count()
            yield from _entry(here, entry)
        found.content.skip()  # the sum of what is packed is at its end
    except BROKEN as error:
        broken = _text(error)
    yield from rest_of(here, whole=not broken)
    if broken:
        raise _ArchiveError(f"{broken}; what was read of it may not be all, or not as it was")


def _entry(here: Place, entry: Entry) -> Iterator[Member | Unreadable]:
    own = entry.name.removeprefix("./")
    name = f"{here.name}/{own}" if here.name else own
    if is_bad(own):
        yield from here.problem(name, BAD_NAME)
    elif entry.content is not None:
        yield from content_of(here, Found(name, name, entry.modified, entry.content, here.budget, here.depth))
    elif here.walk.matters(name):
        yield from here.problem(name, entry.problem)


def _kept_part(place: Place, found: Found, number: int) -> Iterator[Unreadable]:
    """Hold a part of a file that was cut until all of them were seen."""
    if not found.name:
        yield from place.problem("", _A_PART)
        return
    name = FRAGMENT_NAME.sub(r"\1", found.name)
    parts = place.parts.setdefault(name, {})
    place.part_times[name] = found.modified
    again, parts[number] = number in parts, None
    data = found.content.upto(EVIDENCE_MEMBER_BYTES + 1)
    if again or len(data) > EVIDENCE_MEMBER_BYTES:
        yield from place.problem(found.name, _TWICE if again else _TOO_LARGE)
        return
    place.budget.hold(len(data))
    parts[number] = data


def _text(error: BaseException) -> str:
    return str(error) or type(error).__name__
