"""Writes files that appear completely or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from auditor.errors import ConfigurationError
from auditor.system.files import opened, put_in_place

if TYPE_CHECKING:
    from collections.abc import Iterator

_TEMPORARY = ".tmp"


@contextmanager
def written_whole(path: Path, *, mode: int = 0o666) -> Iterator[TextIO]:
    """Open `path` for UTF-8 text; the file gets its name only when the block ends without an error.

    The text goes to a hidden file in the same folder, which is flushed to disk and then renamed. A link is followed. A path that is not
    a regular file (``/dev/null``, a named pipe) is written to directly, because renaming would replace the device itself.

    Args:
        path: the file to write.
        mode: permissions of a new file, before the umask; an existing file keeps its own.

    Raises:
        ConfigurationError: the folder is missing, the path may not be written, or the disk is full.
    """
    try:
        path = path.resolve()
        if path.exists() and not path.is_file():
            with path.open("w", encoding="utf-8") as out:
                yield out
            return
        temporary = path.with_name(f".{path.name[:80]}.{secrets.token_hex(4)}{_TEMPORARY}")
        try:
            old_mode = path.stat().st_mode & 0o777 if path.exists() else None
            with os.fdopen(opened(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8", newline="\n") as out:
                if old_mode is not None:
                    temporary.chmod(old_mode)
                yield out
                out.flush()
                os.fsync(out.fileno())
            put_in_place(temporary, path)
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is not None and Path(str(error.filename)).parent != path.parent:
            raise  # an error of the block with another file
        raise unwritable(path, error) from error


@contextmanager
def made_whole(path: Path) -> Iterator[Path]:
    """Yield a path of a hidden file; what the block makes there gets the name `path` when the block ends without an error.

    Raises:
        ConfigurationError: the folder is missing, the path may not be written, or the disk is full.
    """
    try:
        place = path.resolve()
        temporary = place.with_name(f".{place.name[:80]}.{secrets.token_hex(4)}{_TEMPORARY}")
        try:
            yield temporary
            put_in_place(temporary, place)
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> ConfigurationError:
    """The error for a path that cannot be written, with the operating system's reason."""
    return ConfigurationError(
        f"cannot write {path}: {error.strerror or error}",
        why="this report was not written; an existing file of that name is unchanged.",
        do=f"make {path.parent} a folder this account may write to, or name another path.",
    )


def refuse_unwritable(path: Path) -> None:
    """Check before a long audit whether `path` can be written.

    Raises:
        ConfigurationError: `path` is a folder, its folder is missing, or the account may not write there.
    """
    try:
        place = path.resolve()
        reason = _obstacle(place)
    except (OSError, ValueError, RuntimeError) as error:  # too long a name; a NUL in it; links in a circle
        place, reason = path, error if isinstance(error, OSError) else OSError(0, str(error))
    if reason is not None:
        raise unwritable(place, reason)


def _obstacle(place: Path) -> OSError | None:
    """Why `place` cannot be written; None: it can."""
    if place.is_dir():
        return IsADirectoryError(21, "Is a directory")
    if not place.parent.is_dir():
        return FileNotFoundError(2, "No such folder")
    special = place.exists() and not place.is_file()
    return None if os.access(place if special else place.parent, os.W_OK) else PermissionError(13, "Permission denied")


def ready_file(path: Path) -> Path:
    """`path`, once its folder is there; it is made where it is missing.

    Raises:
        ConfigurationError: the folder cannot be made, or as `refuse_unwritable`.
    """
    try:
        path.resolve().parent.mkdir(parents=True, exist_ok=True)
        refuse_unwritable(path)
    except (OSError, ValueError, RuntimeError) as error:  # a name with a NUL; links in a circle
        raise unwritable(path, error if isinstance(error, OSError) else OSError(0, str(error))) from error
    return path


def ready_folder(path: Path) -> Path:
    """`path`, where a folder of that name is there and may be written to, or could be made.

    Raises:
        ConfigurationError: something else is there, on the way to it as well, or the account may not write there.
    """
    try:
        place = path.resolve()
        nearest = next(one for one in (place, *place.parents) if one.exists())
        reason = "Not a directory" if not nearest.is_dir() else None if os.access(nearest, os.W_OK | os.X_OK) else "Permission denied"
    except (OSError, ValueError, RuntimeError) as error:
        nearest, reason = path, str(getattr(error, "strerror", None) or error)
    if reason is not None:
        raise ConfigurationError(
            f"cannot write to the folder {path}: {nearest}: {reason}",
            why="nothing was read and no file was written.",
            do="name a folder that this account may write to.",
        )
    return path


def sweep(folder: Path) -> None:
    """Remove the unfinished files that a killed process left in `folder`; call it only while no other process writes there."""
    for left in folder.glob(f".*{_TEMPORARY}"):
        left.unlink(missing_ok=True)
