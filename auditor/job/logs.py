"""The log of the job: one line a run, one line an endpoint that was not read whole, as text or as JSON; libraries at WARNING."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from auditor.report.json.values import utc_text
from auditor.report.wording import neutral

_LEVELS = {"auditor": logging.INFO, "apprise": logging.CRITICAL, "uvicorn": logging.ERROR}
"""Apprise's own lines may hold parts of addresses, which are secrets; auditor says itself what became of a notice. uvicorn warns of each
request that is none: everybody who reaches the server could fill the log."""


class _Lines(logging.Formatter):
    """Of a bug, its kind and its places: messages of exceptions may hold what an endpoint answered, or a secret."""

    def formatException(self, ei: Any) -> str:  # noqa: N802  the base class's name
        """The places of an exception, a line each."""
        from auditor.endpoints.bugs import raised_in

        return "\n".join(raised_in(ei[1]))


class JsonLines(_Lines):
    """A JSON object a line: time, level, message, and what a line is about (job, run, endpoint)."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line = {
            "time": utc_text(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "about", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


class TextLines(_Lines):
    """Time, level and message on a line; names from a fleet cannot control a terminal, or begin a line of their own."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  the base class's name
        """The line without a traceback."""
        record.message = neutral(record.message)
        return super().formatMessage(record)


def set_up_log(form: str) -> None:
    """Write the log of this process to standard error, as "text" or "json"."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    for name, level in _LEVELS.items():
        logging.getLogger(name).setLevel(level)
