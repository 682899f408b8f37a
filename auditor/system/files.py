"""Files as each system has them: opened for bytes, flushed to disk with their names, put in the place of others, private or not."""

from __future__ import annotations

import errno
import os
import time
from typing import TYPE_CHECKING

from auditor.system import on_windows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

AT_ONCE: int = getattr(os, "O_NONBLOCK", 0)
"""A flag for `opened`: a named pipe that nobody writes to is not waited for. Windows has no such pipes among its files."""

_BINARY: int = getattr(os, "O_BINARY", 0)
_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY: int | None = getattr(os, "O_DIRECTORY", None)
_TRIES, _PAUSE_SECONDS = 20, 0.05


def opened(path: str | Path, flags: int, mode: int = 0o600, *, links: bool = True) -> int:
    r"""A descriptor of a file, which no process started later inherits, and through which bytes stay what they are.

    Args:
        path: the file.
        flags: as of `os.open`.
        mode: the rights of a new file, where the system has such rights.
        links: False refuses a symbolic link. Where the system cannot do so while it opens (Windows), the link is looked for before.

    Raises:
        OSError: as `os.open`; ELOOP for a link.
    """
    if not links and not _NO_LINK and os.path.islink(path):  # noqa: PTH114  text or path
        raise OSError(errno.ELOOP, "it is a link", str(path))
    return os.open(path, flags | _BINARY | (0 if links else _NO_LINK), mode)


def sync_directory(directory: Path) -> None:
    """Flush the names in `directory` to disk. Windows opens no folder; NTFS keeps the changes of names in a journal of its own."""
    if _DIRECTORY is None:
        return
    descriptor = os.open(directory, os.O_RDONLY | _DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Flush a file to disk that somebody else has written. Windows flushes none that is open to be read alone."""
    with path.open("r+b") as written:
        os.fsync(written.fileno())


def put_in_place(partial: Path, path: Path) -> None:
    """Give a finished file its name, in the place of an older one; raises OSError where it cannot be done."""
    _patiently(lambda: partial.replace(path))


def remove(path: Path) -> None:
    """Remove a file, if it is there; raises OSError where it cannot be done."""
    _patiently(lambda: path.unlink(missing_ok=True))


def _patiently(act: Callable[[], object]) -> None:
    """Do what Windows refuses while another process has the file open, as a virus scanner does for a moment: it is tried for a second."""
    for left in range(_TRIES if on_windows() else 1, 0, -1):
        try:
            act()
        except PermissionError:
            if left == 1:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return


def rights_are_told() -> bool:
    """Whether the mode of a file tells who may read and write it. On Windows an access list does, which auditor does not read."""
    return hasattr(os, "geteuid")


def is_own(about: os.stat_result) -> bool:
    """Whether this account or the system's own owns the file."""
    return about.st_uid in (os.geteuid(), 0)


def is_own_group(group: int) -> bool:
    """Whether nobody but this account is in the group."""
    return is_private_group(os.geteuid(), group)


def is_private_group(user: int, group: int) -> bool:
    """Whether nobody but the user is in the group: many systems give each user a group of the same name. False where nobody can say."""
    try:
        import grp
        import pwd

        owner, of_file = pwd.getpwuid(user), grp.getgrgid(group)
    except (ImportError, KeyError):
        return False
    return owner.pw_name == of_file.gr_name and set(of_file.gr_mem) <= {owner.pw_name}
