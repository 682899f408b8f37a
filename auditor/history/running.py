"""Whether the process that makes a run still lives: a small file in the run's directory while it is unfinished."""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

from auditor.bounds.files import read_json
from auditor.system.files import opened
from auditor.system.processes import began, is_alive

if TYPE_CHECKING:
    from pathlib import Path

OWNER_FILE = "owner.json"
"""In an unfinished run: the process that makes it."""


def note_owner(directory: Path) -> None:
    """Note that this process makes the run of `directory`. Without it nothing is lost but that a later `runs prune` is more careful."""
    owner = {"machine": socket.gethostname(), "process": os.getpid(), "begun": began(os.getpid())}
    with suppress(OSError), os.fdopen(opened(directory / OWNER_FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w") as out:
        json.dump(owner, out)


def forget_owner(directory: Path) -> None:
    """The run is finished."""
    with suppress(OSError):
        (directory / OWNER_FILE).unlink(missing_ok=True)


def may_be_running(directory: Path) -> bool:
    """Whether an unfinished run may still be going on: its process lives, or that cannot be seen from this machine."""
    try:
        owner = read_json(directory / OWNER_FILE)
        process, begun = int(owner["process"]), owner["begun"]
    except FileNotFoundError:
        return False  # of an older auditor, or it was cut off before it had written anything
    except (OSError, ValueError, KeyError, TypeError):
        return True
    if owner.get("machine") != socket.gethostname():
        return True
    return is_alive(process, begun)
