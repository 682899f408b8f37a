"""A lock of a file by the operating system, which ends with the process that holds it, however that ends.

filelock and portalocker lock the first byte on Windows, where a lock keeps others from reading as well; there the journal has the name of
the holder, which the second process shows.
"""

from __future__ import annotations

import errno
import os
from typing import Any

_FAR_BEHIND = 1 << 30
"""The byte that is locked on Windows: behind all that a file holds, so that everybody may read what is in it."""


def lock_taken(descriptor: int) -> bool:
    """Lock the open file for this process alone; False where another one has it, which is not waited for.

    Raises:
        OSError: the file cannot be locked at all.
    """
    try:
        import fcntl
    except ImportError:
        return _is_locked_on_windows(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_locked_on_windows(descriptor: int) -> bool:
    import msvcrt

    windows: Any = msvcrt  # on other systems typeshed has it empty
    os.lseek(descriptor, _FAR_BEHIND, os.SEEK_SET)
    try:
        windows.locking(descriptor, windows.LK_NBLCK, 1)
    except OSError as error:
        if error.errno in (errno.EBADF, errno.EINVAL):
            raise
        return False  # EACCES, by Microsoft's reference; Wine says none
    finally:
        os.lseek(descriptor, 0, os.SEEK_SET)
    return True
