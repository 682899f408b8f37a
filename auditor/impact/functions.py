"""What a pool's disks work for: their transfers a second by function, when the fleet was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.impact.saved_rows import Ask
    from auditor.model import Finding

VIEW = "pool_function"
KIND = "array_pool"
"""The view whose findings are about a pool."""
_NAMES = {
    "clients": "clients",
    "consistency": "consistency points",
    "replication": "SnapMirror",
    "dedup": "deduplication",
    "scrub": "scrub, rebuild",
    "other": "other",
}
"""The functions in the order in which they are shown, and what a storage administrator calls them; only ONTAP's are counted."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function.

    Attributes:
        name: in the words of the field.
        low: transfers a second that are surely for it.
        high: transfers a second that may be for it at most.
        basis: measured, bound or estimate.
        why: what the figures rest on.
    """

    name: str
    low: float
    high: float
    basis: str
    why: str


@dataclass(frozen=True, slots=True)
class Functions:
    """All functions of a pool, for one moment: no array keeps a history of them.

    Attributes:
        pool: its name.
        functions: in a fixed order.
        total: transfers a second of all its disks.
        knee: transfers a second from which its data disks may slow down, and which they can hardly exceed; None where no source has them.
    """

    pool: str
    functions: tuple[Function, ...]
    total: float
    knee: tuple[float, float] | None

    @property
    def most(self) -> float:
        """The end of a scale on which all of it can be drawn."""
        return max(self.total, *(self.knee or ()), *(one.high for one in self.functions))


def functions_of(ask: Ask, finding: Finding) -> Functions | None:
    """What the pool of a finding works for; None where it is about no pool, or the counters of its disks were not read.

    Args:
        ask: rows of VIEW.
        finding: any.
    """
    if finding.resource.kind != KIND:
        return None
    rows = {row["function"]: row for row in ask(VIEW, {"endpoint": finding.resource.endpoint, "pool_id": finding.resource.id})}
    shown = [
        Function(name, rows[function]["low_per_second"], rows[function]["high_per_second"], rows[function]["basis"], rows[function]["why"])
        for function, name in _NAMES.items()
        if function in rows
    ]
    if not shown:
        return None
    first = next(iter(rows.values()))
    low, high = first["limit_low_per_second"], first["limit_high_per_second"]
    knee = (low, high) if low is not None and high is not None else None
    return Functions(first["pool"], tuple(shown), first["transfers_per_second"], knee)
