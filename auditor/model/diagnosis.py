"""What the doctor found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from auditor.model.endpoints import Endpoint
from auditor.model.resources import Scalar

if TYPE_CHECKING:
    from datetime import datetime


class Health(StrEnum):
    """The state of one check of the doctor, worst first."""

    PROBLEM = "problem"  # something will not be audited, or the endpoint is not the one it seems to be
    UNKNOWN = "unknown"  # it could not be checked
    WARNING = "warning"  # it will be audited, and somebody should look at it
    OK = "ok"


@dataclass(frozen=True, slots=True)
class Check:
    """One check of the doctor on one endpoint.

    Attributes:
        endpoint: its name; empty for a check of fleet.yaml as a whole.
        topic: what was checked, for example "tls"; see `auditor.doctor.TOPICS`.
        what: the result, in words.
        why: what the reader loses because of it; empty where nothing is lost.
        do: what to do about it; something to paste where possible.
        facts: the result for programs.
    """

    endpoint: str
    topic: str
    state: Health
    what: str
    why: str = ""
    do: str = ""
    facts: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Every check of the doctor: by endpoint in the order of fleet.yaml, then those of the fleet as a whole."""

    started: datetime  # aware, UTC
    finished: datetime
    endpoints: tuple[Endpoint, ...]
    checks: tuple[Check, ...]

    def of(self, endpoint: str) -> tuple[Check, ...]:
        """The checks of one endpoint in the order they were made; "" means the fleet as a whole."""
        return tuple(check for check in self.checks if check.endpoint == endpoint)

    def count(self, state: Health) -> int:
        """How many checks have this state."""
        return sum(check.state is state for check in self.checks)
