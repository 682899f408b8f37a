"""Calls a function again whenever a YAML file changes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from auditor.errors import AuditorError

_LOOK_EVERY_SECONDS = 0.3
_State = frozenset[tuple[str, int, int]]


def run_on_change(
    run: Callable[[], int],
    folders: Callable[[], Sequence[Path]],
    *,
    wait: Callable[[float], None] = time.sleep,
) -> None:
    """Call `run` now and after each change of a .yaml file below `folders`, until interrupted; a known failure is printed.

    Files are looked at every 0.3 seconds, by their size and time: nothing has to be installed for it, and network folders work as well.
    """
    seen: _State | None = None
    while True:
        # The folders are listed anew: a file that is away for a moment, as some editors save, is waited for.
        state = _state(_known(folders))
        if state != seen:
            seen = state
            try:
                run()
            except AuditorError as error:
                print(error, file=sys.stderr)
            print("-- waiting for a change; Ctrl-C ends", file=sys.stderr, flush=True)
            sys.stdout.flush()
        wait(_LOOK_EVERY_SECONDS)


def _known(folders: Callable[[], Sequence[Path]]) -> Sequence[Path]:
    try:
        return folders()
    except AuditorError:
        return ()


def _state(folders: Sequence[Path]) -> _State:
    return frozenset(_files(folders))


def _files(folders: Sequence[Path]) -> Iterator[tuple[str, int, int]]:
    for folder in folders:
        for path in folder.rglob("*.yaml"):
            try:
                status = path.stat()
            except OSError:
                continue  # it went away meanwhile
            yield str(path), status.st_mtime_ns, status.st_size
