"""Facts that a reproduction needs, from a finding's evidence and from its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.facts.catalog import views_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.model import Finding, Lesson, Scalar

_NAMES = ("host_names",)
_DATASTORES = ("datastores", "datastore")
_ARRAYS = ("array_name", "arrays", "eternus_array_names")


@dataclass(frozen=True, slots=True)
class Situation:
    """A finding, and what lies round it. An empty tuple or None is not known."""

    finding_id: str
    finding: Finding
    lesson: Lesson
    hosts: tuple[str, ...]
    arrays: tuple[str, ...]
    datastores: tuple[str, ...]
    neighbours: tuple[str, ...]  # virtual disks that wait in the same queue
    device: str | None
    limit_bytes_per_second: float | None  # the array's cap on the throughput of the volume


def situation_of(
    finding_id: str, finding: Finding, lesson: Lesson, datastores: Sequence[str] = (), neighbours: Sequence[str] = ()
) -> Situation:
    """The situation of a finding that load can show.

    Args:
        finding_id: as reports show it.
        finding: of any verdict.
        lesson: what load shows of it.
        datastores: names of those that the finding reaches, besides what its evidence names.
        neighbours: virtual disks that share a queue with what it is about.
    """
    evidence, resource = finding.evidence, finding.resource
    own = [resource.name] if resource.kind in views_of("datastore") else []
    cap = evidence.get("qos_max_bytes_per_second")
    return Situation(
        finding_id=finding_id,
        finding=finding,
        lesson=lesson,
        hosts=_unique([resource.host or "", *_listed(finding, _NAMES)]),
        arrays=_unique(_listed(finding, _ARRAYS)),
        datastores=_unique([*own, *_listed(finding, _DATASTORES), *datastores]),
        neighbours=_unique(neighbours),
        device=_text(evidence.get("device")) or None,
        limit_bytes_per_second=float(cap) if isinstance(cap, int | float) and not isinstance(cap, bool) else None,
    )


def _listed(finding: Finding, columns: Sequence[str]) -> list[str]:
    """The names in columns of the evidence that list them with commas."""
    return [name.strip() for column in columns for name in _text(finding.evidence.get(column)).split(",")]


def _text(value: Scalar) -> str:
    return value if isinstance(value, str) else ""


def _unique(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
