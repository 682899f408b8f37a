"""What scheduler and workers write to standard error: Dask's warnings that an operator can act on, without tracebacks.

Dask logs the arguments of each task that fails, and a traceback whenever a connection ends. The failure itself goes to the client.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from distributed.diagnostics.plugin import WorkerPlugin

if TYPE_CHECKING:
    from distributed.worker import Worker

_LEVELS = {
    "distributed": logging.CRITICAL,
    "distributed.comm.tcp": logging.WARNING,  # somebody connects with a wrong certificate
    "distributed.scheduler": logging.WARNING,
    "distributed.nanny.memory": logging.WARNING,  # a worker is started again for lack of memory
    "distributed.worker.memory": logging.WARNING,
}


class _WithoutTraceback(logging.Filter):
    """Lets every record pass, without its traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = record.exc_text = None
        return True


class QuietLogs(WorkerPlugin):
    """Sets up the log of a worker's process, which its nanny has started."""

    name = "auditor-logs"

    def setup(self, worker: Worker) -> None:  # noqa: ARG002  the base class's name
        """What Dask calls when the worker begins."""
        set_up_logs()


def set_up_logs() -> None:
    """Set up Dask's log in this process."""
    for name, level in _LEVELS.items():
        logging.getLogger(name).setLevel(level)
    for handler in logging.getLogger("distributed").handlers:
        handler.filters[:] = [_WithoutTraceback()]
