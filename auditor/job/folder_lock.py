"""One process publishes to a folder at a time."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from auditor.bounds.files import read_text
from auditor.errors import ConfigurationError
from auditor.report.files import unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.job.site.publishing import Site

_HOLDER_FILE = "holder"
"""In the job's folder of the state directory: the process that publishes."""


@contextmanager
def only_publisher(site: Site) -> Iterator[None]:
    """Hold the published folder; the system lets go of it even when this process is killed.

    The folder itself is locked, so that no file for it lies among the pages. filelock is not used: it locks files alone.

    Raises:
        ConfigurationError: another process holds it, or it is not there.
    """
    try:
        descriptor = os.open(site.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise unwritable(site.folder / "index.html", error) from error
    holder = site.state / _HOLDER_FILE
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            process = read_text(holder, encoding="ascii") if holder.is_file() else "of another state directory"
            raise ConfigurationError(
                f"another audit (process {process}) is publishing to {site.folder}",
                why="nothing was run: two runs at once would ask the fleet twice and publish over each other.",
                do="wait for it, or publish to another folder.",
            ) from None
        with suppress(OSError):  # a full disk: the lock holds all the same, the message of others is shorter
            holder.write_text(str(os.getpid()), encoding="ascii")
        yield
    finally:
        os.close(descriptor)
