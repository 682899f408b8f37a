"""The state directory: where runs, journals and the baseline are kept."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError
from auditor.history.folders import JOURNAL_FOLDER, RUNS_FOLDER
from auditor.history.working_copy import address_of, pull, working_copy
from auditor.store.address import Address, without_journals
from auditor.system.files import is_own, is_own_group, rights_are_told
from auditor.system.folders import state_home
from auditor.system.shell import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.store.address import Place

_PRIVATE = 0o700


def state_directory(
    option: Place | None, environment: Mapping[str, str] | None = None, *, to_read: bool = False, to_change: bool = False
) -> Path:
    """Where runs and journals are kept, made if need be, for this account's eyes only (mode 0700).

    Of an address on an object store, or of the working copy of one, it is the working copy, as the store is now.

    Args:
        option: ``--state-dir``; None means `auditor.system.folders.state_home`.
        environment: instead of the process's own.
        to_read: nothing will be written; it is not made, and the one that goes without saying need not be there.
        to_change: settings of the fleet may be changed, so it has to hold journals.

    Raises:
        ConfigurationError: it cannot be made or written; the one that was named is not there to be read; or it is on a store, and
            settings may be changed.
        StoreError: the store cannot be read, or not be written by a command that keeps something.
    """
    address = option if isinstance(option, Address) else None if option is None else address_of(option.expanduser())
    if address is not None and to_change:
        raise without_journals(address)
    if address is not None:
        copy = option.expanduser() if isinstance(option, Path) else working_copy(address)
        pull(copy, to_read=to_read)
        return copy
    directory = option.expanduser() if isinstance(option, Path) else state_home(environment)
    if to_read and option is not None and not directory.is_dir():
        raise ConfigurationError(
            f"there is no folder {directory}", why="there is nothing to show.", do="name the folder that audits keep their runs in."
        )
    if to_read:
        return directory
    try:
        directory.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        reason = None if os.access(directory, os.W_OK | os.X_OK) else "Permission denied"
    except OSError as error:
        reason = error.strerror or str(error)
    if reason is not None:
        raise ConfigurationError(
            f"cannot keep anything in {directory}: {reason}",
            why="nothing was read or judged: neither the run nor the journal of a fix could have been kept.",
            do="name a folder this account may write to: --state-dir DIR",
        )
    check_own(directory)
    return directory


def check_own(directory: Path) -> None:
    """Refuse a state directory that others may write, or into which a link was planted: undo writes to hosts what stands in it.

    Raises:
        ConfigurationError: another account owns it or may write it, or something that auditor itself makes there is a link.
    """
    about = directory.stat()
    others = _writers(about)
    if others:
        raise ConfigurationError(
            f"{directory} may be written by {others}",
            why="what stands in it decides what is written to hosts: undo, resume and plans follow it. Nothing was read or written.",
            do=f"chmod go-w {quoted(str(directory))}, and look through it; or name a folder of your own: --state-dir DIR",
        )
    for folder in (directory, *(directory / name for name in (RUNS_FOLDER, JOURNAL_FOLDER))):
        planted = next((path for path in folder.iterdir() if path.is_symlink() and path.exists()), None) if folder.is_dir() else None
        if planted is not None:
            raise ConfigurationError(
                f"{planted} is a link",
                why="auditor makes no links there, and what it leads to may be anybody's; nothing was read or written.",
                do="remove the link, or put the folder itself in its place.",
            )


def _writers(about: os.stat_result) -> str:
    """Who besides this account may write what has these rights; "" where nobody may, and where the system's access lists say who."""
    if not rights_are_told():
        return ""
    if not is_own(about):
        return "the account that owns it, which is not this one"
    if about.st_mode & stat.S_IWOTH:
        return "everybody"
    return "its group" if about.st_mode & stat.S_IWGRP and not is_own_group(about.st_gid) else ""
