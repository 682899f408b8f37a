"""Who made a run, with which program, by which rules, from which data."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from auditor import __version__
from auditor.facts.snapshots.snapshot import snapshot_digest
from auditor.history.plan_basis import rules_digest
from auditor.journal.writing import account_name
from auditor.model import Origin

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.engine.rules.rule import RuleSet


def origin_of(rules: RuleSet, snapshot: Path | None) -> Origin:
    """The origin of a run that this process makes.

    Args:
        rules: that judge it.
        snapshot: the directory of what is judged; None: it is not kept.
    """
    data = None if snapshot is None else snapshot_digest(snapshot)
    return Origin(account_name(), socket.gethostname(), __version__, rules_digest(rules), data)
