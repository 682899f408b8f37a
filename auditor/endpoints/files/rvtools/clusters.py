"""The clusters that exports of RVTools name for hosts whose own files are read beside them.

Nothing else is taken of such an export: its devices, datastores and machines have no ids in common with those of the files. A host is the
same where both call it alike, whatever the case, or where one has its name without the domain and no other host has that name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

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

    def is_called(self, name: str | None) -> bool:
        """Whether that is its name, whatever the case."""
        return name is not None and self.name.casefold() == name.casefold()


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


def clusters_of_hosts(
    named_clusters: Mapping[str, str | None], chosen: Collection[str], exported: Mapping[str, Cluster]
) -> dict[str, Cluster | None]:
    """The cluster of each host; None where it is not known.

    What somebody names counts first. A folder of several hosts is their cluster unless an export has one of them in another: then the
    folder holds hosts for another reason, and its other hosts are of no known cluster. A cluster of one name is one, wherever its name
    is from, unless exports have several of that name.

    Args:
        named_clusters: by host, the cluster that somebody named, or the folder that the host lies in.
        chosen: the clusters that somebody named.
        exported: of `clusters_by_host`.
    """
    hosts = Counter(named_clusters.values())
    folders = {name for name in named_clusters.values() if name is not None and name not in chosen and hosts[name] > 1}
    refuted = {
        named_clusters[host]
        for host, one in exported.items()
        if named_clusters[host] in folders and not one.is_called(named_clusters[host])
    }
    kept = {name.casefold(): Cluster(name, name) for name in (*chosen, *sorted(folders)) if name not in refuted}
    ids: dict[str, set[str]] = defaultdict(set)
    for one in exported.values():
        ids[one.name.casefold()].add(one.id)
    found: dict[str, Cluster | None] = {}
    for host, name in named_clusters.items():
        place = exported.get(host)
        if name is not None and name not in refuted and name.casefold() in kept:
            found[host] = kept[name.casefold()]
        elif place is not None and len(ids[place.name.casefold()]) == 1:
            found[host] = kept.get(place.name.casefold(), place)
        else:
            found[host] = place
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
