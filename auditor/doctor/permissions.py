"""Who else on this machine may read or change a file."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from auditor.system.files import is_private_group, rights_are_told

if TYPE_CHECKING:
    from pathlib import Path


def readable_by_others(path: Path) -> str:
    """Who may read a file besides its owner; "" for nobody, and for what is no file (a pipe has no content to take)."""
    return _others(path, stat.S_IRGRP, stat.S_IROTH)


def writable_by_others(path: Path) -> str:
    """Who may change a file besides its owner; "" for nobody."""
    return _others(path, stat.S_IWGRP, stat.S_IWOTH)


def _others(path: Path, group: int, world: int) -> str:
    try:
        status = path.stat()
    except OSError:
        return ""
    if not stat.S_ISREG(status.st_mode) or not rights_are_told():
        return ""
    if status.st_mode & world:
        return f"everybody on this machine (mode {stat.S_IMODE(status.st_mode):04o})"
    if status.st_mode & group and not is_private_group(status.st_uid, status.st_gid):
        return f"its group (mode {stat.S_IMODE(status.st_mode):04o})"
    return ""
