"""The documents of a cluster that a configuration profile manages: commits, drafts and the last compliance check."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor_lab.vcenter.vapi.values import Structure


@dataclass(frozen=True, slots=True)
class Commit:
    """A document that was the desired one from its time on."""

    document: str
    author: str
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    created: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(slots=True)
class Draft:
    """A document that somebody edits; `revision` counts its changes."""

    document: str
    owner: str
    parent: str
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    revision: int = 1
    created: datetime = field(default_factory=lambda: datetime.now(UTC))
    changed: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(slots=True)
class ClusterConfiguration:
    """A cluster's documents, the last commit is the desired one; and the last compliance check."""

    commits: list[Commit]
    drafts: dict[str, Draft] = field(default_factory=dict)
    compliance: Structure | None = None

    @property
    def desired(self) -> Commit:
        """The desired configuration of the cluster."""
        return self.commits[-1]
