"""What one pass over an ETERNUS DX has seen so far, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

T = TypeVar("T")

UNKNOWN_FORM: Final = "is answered in the machine's form, whose fields are not public for this command; an account for people gets text"


@dataclass(slots=True)
class Seen:
    """Ids that later topics name; None until they were all read."""

    volumes: frozenset[str] | None = None
    hosts: frozenset[str] | None = None
