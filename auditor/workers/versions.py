"""Checks that a worker and its client have the same version: parts of another schema of facts would be judged wrongly."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from auditor import __version__
from auditor.facts.schema import TABLES, TOPICS


@dataclass(frozen=True, slots=True)
class Versions:
    """Of one process: its auditor, and a digest of the tables, columns and topics that it knows."""

    auditor: str
    facts: str

    def __str__(self) -> str:
        return f"auditor {self.auditor} (facts {self.facts})"


def versions() -> Versions:
    """The versions of this process."""
    columns = [(table.name, column.name, column.type) for table in TABLES.values() for column in table.columns]
    return Versions(__version__, hashlib.sha256(repr((columns, sorted(TOPICS))).encode()).hexdigest()[:12])


def version_text(_worker: object = None) -> str:
    """The versions of this process as `auditor workers list` shows them; what a worker puts into Dask's identity of it."""
    return str(versions()).removeprefix("auditor ")


def full_version_text() -> str:
    """The versions of this process as a text, which a worker may answer with: a client takes no objects."""
    return str(versions())


def is_version_text(text: str) -> bool:
    """Whether a text has the form of `full_version_text`."""
    return re.fullmatch(r"auditor [\w.+-]{1,60} \(facts [0-9a-f]{12}\)", text, re.ASCII) is not None
