"""Files that a reader finds whole or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator

_TEMPORARY = ".tmp"


@contextmanager
def written_whole(path: Path, *, mode: int = 0o666) -> Iterator[TextIO]:
    """Open `path` for UTF-8 text; the file appears under its name only when the block ends well.

    The text goes to a hidden file beside it, is flushed to disk and renamed. A link is followed. What is not a regular file
    (``/dev/null``, a named pipe) is written to directly, since renaming would replace the device itself.

    Args:
        path: where the reader will look.
        mode: permissions of a new file, before the umask; an existing file keeps its own.

    Raises:
        ConfigurationError: the folder is missing, the place may not be written, or the disk is full.
    """
    try:
        path = path.resolve()
        if path.exists() and not path.is_file():
            with path.open("w", encoding="utf-8") as out:
                yield out
            return
        temporary = path.with_name(f".{path.name[:80]}.{secrets.token_hex(4)}{_TEMPORARY}")
        try:
            kept = path.stat().st_mode & 0o777 if path.exists() else None
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8", newline="\n") as out:
                if kept is not None:
                    os.fchmod(out.fileno(), kept)
                yield out
                out.flush()
                os.fsync(out.fileno())
            temporary.replace(path)
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is not None and Path(str(error.filename)).parent != path.parent:
            raise  # the block's own trouble with another file
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> ConfigurationError:
    """The error for a place that cannot be written, in the operating system's own words."""
    return ConfigurationError(
        f"cannot write {path}: {error.strerror or error}",
        why="nobody would see this report; a file of that name is as it was before.",
        do=f"make {path.parent} a folder this account may write to, or name another path.",
    )


def refuse_unwritable(path: Path) -> None:
    """Find out before a long audit whether `path` could be written.

    Raises:
        ConfigurationError: it is a folder, its folder is missing, or the account may not write there.
    """
    place = path.resolve()
    if place.is_dir():
        raise unwritable(place, IsADirectoryError(21, "Is a directory"))
    if not place.parent.is_dir():
        raise unwritable(place, FileNotFoundError(2, "No such folder"))
    special = place.exists() and not place.is_file()
    if not os.access(place if special else place.parent, os.W_OK):
        raise unwritable(place, PermissionError(13, "Permission denied"))


def sweep(folder: Path) -> None:
    """Remove what a killed process left half written in `folder`; call it only while nobody else writes there."""
    for left in folder.glob(f".*{_TEMPORARY}"):
        left.unlink(missing_ok=True)
