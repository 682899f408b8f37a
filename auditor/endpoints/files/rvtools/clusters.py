"""The clusters that exports of RVTools name for hosts whose own files are read beside them.

Nothing else is taken of such an export: its devices, datastores and machines have no ids in common with those of the files. A host is the
same where both call it alike, whatever the case, or where one has its name without the domain and no other host has that name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from auditor.endpoints.files.rvtools.export import Export

_ADDRESS = re.compile(r"[0-9.]+|[0-9a-f:.%]*:[0-9a-f:.%]*")


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster of an export.

    Attributes:
        name: as the export has it.
        id: with its vCenter and datacenter, as clusters of two of them may have one name.
    """

    name: str
    id: str


def clusters_by_host(exports: Iterable[Export], names: Collection[str]) -> dict[str, Cluster]:
    """The cluster of each of the hosts `names` that is one host of the exports without doubt, and in one cluster in all of its rows."""
    named: dict[str, set[Cluster | None]] = defaultdict(set)
    for export in exports:
        for row in export.rows("vHost"):
            if host := row.text("host"):
                named[host.casefold()].add(_cluster(row.text("cluster"), row.text("datacenter"), row.text("vi sdk server")))
    found = {}
    for name in names:
        same = _same(name.casefold(), named, {one.casefold() for one in names})
        clusters = named[same] if same else set()
        if len(clusters) == 1 and (cluster := next(iter(clusters))):
            found[name] = cluster
    return found


def _cluster(name: str | None, datacenter: str | None, server: str | None) -> Cluster | None:
    return Cluster(name, "/".join((server or "", datacenter or "", name))) if name else None


def _same(name: str, named: Collection[str], names: Collection[str]) -> str | None:
    """What the exports call the host; None where they have none of that name, or it may be two."""
    if name in named or _ADDRESS.fullmatch(name):
        return name if name in named else None
    short = name.partition(".")[0]
    alike = [one for one in named if not _ADDRESS.fullmatch(one) and one.partition(".")[0] == short]
    own = [one for one in names if not _ADDRESS.fullmatch(one) and one.partition(".")[0] == short]
    return alike[0] if len(alike) == len(own) == 1 and short in (name, alike[0]) else None
