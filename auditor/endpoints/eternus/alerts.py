"""Reads the overall status of an ETERNUS DX; its event log is history, and is not read."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.endpoints.common.alerts import alert_row
from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.common.topics import batch
from auditor.endpoints.eternus.answers import NoSuchCommandError
from auditor.endpoints.eternus.client import keyed
from auditor.errors import PermissionMissingError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.eternus.client import EternusArray
    from auditor.facts.schema import Batch
    from auditor.model import Gap

COMMAND, _KEY = "show status", "Summary Status"
STATES: Mapping[str, str | None] = MappingProxyType(
    {
        "Normal": None,
        "Maintenance": "warning",
        "Warning": "warning",
        "Error": "error",
        "Pinned Data": "error",
        "Loop Down": "error",
        "Not Ready": "error",
        "Subsystem Down": "error",
        "Change Assigned CM": "error",
    }
)
"""The summary status; None: nothing is wrong. Source: SODA's delfin driver, consts.py, STORAGE_STATUS_MAP; "Normal" is recorded.

That driver takes all but Normal for offline or abnormal; which are warnings here is this project's choice. Empty and Unused are not here.
"""


NOT_TOLD = (
    f"its health was not read: accounts of the role Software are refused {COMMAND!r}, or get it in a form that no source describes; "
    "rules about its alerts do not apply"
)
"""The note of the reading. It is a note and no gap, because the role decides: a role that gets these alerts gets no QoS."""


def read_alerts(array: EternusArray, endpoint: str) -> Iterator[Batch | Gap]:
    """One row where the array says that something is wrong.

    Raises:
        EndpointError: it could not be asked.
    """
    parse_errors = ParseErrors(COMMAND)
    try:
        answer = array.read(COMMAND)
    except (NoSuchCommandError, PermissionMissingError):
        if not array.by_machine:
            raise
        answer = None
    if answer is None or answer.by_machine:
        array.add_note(f"{endpoint}: {NOT_TOLD}")
        return
    status = keyed(answer).get(_KEY)
    if status not in STATES:
        parse_errors.add(_KEY, "the array", "is missing" if status is None else f"is {status[:40]!r}, which is not known")
    severity = STATES.get(status or "")
    rows = [alert_row("summary", (status, severity), f"{_KEY} is {status}", component="the array")] if severity is not None else []
    yield batch("array_alert", endpoint, rows)
    yield from parse_errors.gaps(endpoint)
