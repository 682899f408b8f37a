"""Which arrays carry which volumes, datastores and clusters, and where of them failures are, for the map of a report."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.report.html.heat_map import Cell
from auditor.report.verdict_counts import listed_of
from auditor.report.wording import neutral

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditor.impact.stations import Row
    from auditor.model import Report

MOST_DATASTORES = 300
"""Datastores that are drawn, those with most failures first; policy, for the size of the page."""
_VOLUMES = {"VVOL": "virtual volumes"}
"""What carries a datastore that lies on no single volume."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One datastore.

    Attributes:
        name: its name.
        volume: what carries it on the array, or that this is not known.
        kind: VMFS, NFS or VVOL; "" where that was not read.
        cell: what a report lists of the datastore and of its volume.
    """

    name: str
    volume: str
    kind: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class ClusterPart:
    """The datastores of one cluster on one array."""

    name: str
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class ArrayPart:
    """One array, and what lies on it; the datastores whose array is not known are one of their own, which is the last."""

    name: str
    is_known: bool
    clusters: tuple[ClusterPart, ...]


@dataclass(frozen=True, slots=True)
class StorageMap:
    """The map: `more` datastores are not drawn."""

    arrays: tuple[ArrayPart, ...]
    more: int


def storage_map(report: Report, datastores: Sequence[Row]) -> StorageMap:
    """The map of the rows of the view `datastore`; empty where there are none.

    Args:
        report: whose findings are counted.
        datastores: rows; a value that is None was not read.
    """
    if not datastores:
        return StorageMap((), 0)
    cells = _cells(report)
    tiles = sorted(((row, _tile(row, cells)) for row in datastores), key=lambda pair: _place(pair[1]))
    parts: dict[tuple[bool, str], dict[str, list[Tile]]] = {}
    for row, tile in tiles[:MOST_DATASTORES]:
        array = (row["arrays"] is None, neutral(row["arrays"] or "Array not known"))
        cluster = neutral(f"cluster {row['cluster']}" if row["cluster"] else f"no cluster known, {row['endpoint']}")
        parts.setdefault(array, {}).setdefault(cluster, []).append(tile)
    arrays = [
        ArrayPart(name, not is_unknown, tuple(ClusterPart(cluster, tuple(own)) for cluster, own in clusters.items()))
        for (is_unknown, name), clusters in sorted(parts.items(), key=lambda part: part[0][0])
    ]
    return StorageMap(tuple(arrays), max(0, len(tiles) - MOST_DATASTORES))


def _cells(report: Report) -> Mapping[tuple[str, str], Cell]:
    """What is listed, by endpoint and name of the resource."""
    cells: defaultdict[tuple[str, str], Cell] = defaultdict(Cell)
    for one in listed_of(report):
        cells[one.resource.endpoint, one.resource.name].add(one.severity, one.verdict, 1)
    return cells


def _tile(row: Row, cells: Mapping[tuple[str, str], Cell]) -> Tile:
    both = Cell()
    for key in ((row["endpoint"], row["resource_name"]), (row["arrays"], row["volumes"])):
        if key in cells:
            both.join(cells[key])
    volume = neutral(row["volumes"] or _VOLUMES.get(row["type"] or "", "volume not known"))
    return Tile(neutral(row["resource_name"]), volume, neutral(row["type"] or ""), both)


def _place(tile: Tile) -> tuple[tuple[int, int, int], str]:
    return tile.cell.rank, tile.name
