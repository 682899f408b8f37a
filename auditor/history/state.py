"""The state directory: where runs, journals and the baseline are kept.

platformdirs is not used: on macOS it names another folder than the XDG one, and runs that are kept there would not be found any more.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError
from auditor.history.working_copy import address_of, pull, working_copy
from auditor.store.address import Address, without_journals

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
        option: ``--state-dir``; None means ``$XDG_STATE_HOME/auditor``, by default ``~/.local/state/auditor``.
        environment: instead of the process's own.
        to_read: nothing will be written; it is not made, and the one that goes without saying need not be there.
        to_change: settings of the fleet may be changed, so it has to hold journals.

    Raises:
        ConfigurationError: it cannot be made or written; the one that was named is not there to be read; or it is on a store, and
            settings may be changed.
        StoreError: the store cannot be read, or not be written by a command that keeps something.

    Source: XDG Base Directory Specification 0.8: a relative path in the variable is to be ignored.
    """
    address = option if isinstance(option, Address) else None if option is None else address_of(option.expanduser())
    if address is not None and to_change:
        raise without_journals(address)
    if address is not None:
        copy = option.expanduser() if isinstance(option, Path) else working_copy(address)
        pull(copy, to_read=to_read)
        return copy
    home = (os.environ if environment is None else environment).get("XDG_STATE_HOME", "")
    base = Path(home) if Path(home).is_absolute() else Path("~/.local/state").expanduser()
    directory = option.expanduser() if isinstance(option, Path) else base / "auditor"
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
    return directory
