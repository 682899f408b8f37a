"""Finds the wanted files in what a person gives: files, folders, archives, and archives in archives.

Nothing is written to disk, and only wanted files are held in memory. Each file that cannot be read is reported with its reason. A file may
have been made to do harm, so size and time are limited (`auditor/bounds/limits.py`).

Source: `reconstruct.sh`, which every bundle of vm-support holds: it joins the parts of a file in the order of their numbers.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from auditor.endpoints.files.found import Member, Place, TooManyError, Unreadable, Walk, is_bad, shown
from auditor.endpoints.files.opening import BAD_NAME, NO_FILE, Found, content_of, rest_of
from auditor.endpoints.files.streams import Budget, SpentError, Stream
from auditor.system.files import AT_ONCE, opened

__all__ = ["Member", "Unreadable", "members"]

_NOTHING = "there is no file in it that can be one of a text, a table, a workbook or an archive; nothing of it was looked at."


def members(
    paths: Sequence[Path], wanted: Callable[[str], bool], possible: Callable[[str], bool] = lambda _: False
) -> Iterator[Member | Unreadable]:
    """The wanted files of all paths, in their order, and what could not be read.

    Walks plain files, folders (sorted; links in them are not followed), archives of tar (also packed by gzip, bzip2 or xz) and zip,
    archives within archives, and single files that are packed. What a file is, is seen by its content. The parts of a file that was cut
    into NAME.FRAG-00000, NAME.FRAG-00001 and so on are joined; they come after the other members of their archive or folder. A workbook
    is a file, though it is made as a zip archive.

    A member comes before its archive was read to the end: that the archive is broken may be said after. A path
    without any is named.

    Args:
        paths: files and folders.
        wanted: whether a member of that name is needed. It is asked for `Member.name`, and for the own name of a file that is given as a
            path; of packed files and parts, for the name of what they make. Archives are looked into whatever their names.
        possible: whether a member of another name is needed where it begins as a text does. If it does not, it comes without its content,
            so that it can be named; it is no loss that such a thing cannot be read.
    """
    walk = Walk(wanted, possible)
    for path in paths:
        place, is_empty = Place(walk, shown(str(path)), "", Budget.of(0)), True
        try:
            for one in chain(_folder(place, path) if path.is_dir() else _file(place, path, "", path.name), rest_of(place, whole=True)):
                is_empty = False
                yield one
            if is_empty:
                yield Unreadable(place.source, "", _NOTHING)
        except TooManyError as error:
            yield Unreadable(place.source, "", f"{error}; nothing after these was read.")
            return
        except SpentError as error:
            yield Unreadable(place.source, "", f"{error}; nothing more of it was read.")
        except OSError as error:
            yield Unreadable(place.source, "", f"it cannot be read: {error.strerror or error}.")


def _folder(place: Place, folder: Path) -> Iterator[Member | Unreadable]:
    """The files of a folder and of those in it, in the order of their names."""
    waiting = [(folder, "")]
    while waiting:
        path, prefix = waiting.pop()
        try:
            entries = _listed(place.walk, path)
        except OSError as error:
            yield from place.problem(prefix.rstrip("/"), f"the folder cannot be read: {error.strerror}")
            continue
        for one in entries:
            name = prefix + one.name
            if is_bad(name):
                yield from place.problem(name, BAD_NAME)
            elif one.is_file(follow_symlinks=False):
                yield from _file(place, Path(one.path), name, name)
            elif not one.is_dir(follow_symlinks=False) and place.walk.matters(name):
                yield from place.problem(name, NO_FILE)
        folders = [one for one in entries if one.is_dir(follow_symlinks=False) and not is_bad(one.name)]
        waiting.extend((Path(one.path), f"{prefix}{one.name}/") for one in reversed(folders))


def _listed(walk: Walk, folder: Path) -> list[os.DirEntry[str]]:
    entries = []
    with os.scandir(folder) as listed:
        for one in listed:
            walk.count()
            entries.append(one)
    return sorted(entries, key=lambda one: one.name)


def _file(place: Place, path: Path, name: str, asked: str) -> Iterator[Member | Unreadable]:
    """What a file on disk holds. A device or a pipe is open for no longer than it takes to see that it is one."""
    try:
        descriptor = opened(path, os.O_RDONLY | AT_ONCE, links=not name)
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if stat.S_ISREG(found.st_mode):
                budget, modified = Budget.of(found.st_size), datetime.fromtimestamp(found.st_mtime, UTC)
                yield from content_of(place, Found(name, asked, modified, Stream(file.read), budget, file=file))
            else:
                yield from place.problem(name, NO_FILE)
    except OSError as error:
        yield from place.problem(name, f"it cannot be read: {error.strerror or error}")
    except SpentError as error:
        yield from place.problem(name, f"{error}; nothing more of it was read")
