"""A span of time whose counters are read: --history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Span:
    """From `begin` to `end`, both aware."""

    begin: datetime
    end: datetime
