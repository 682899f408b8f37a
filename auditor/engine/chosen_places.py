"""The part of a snapshot that was requested: globs of endpoints, clusters and hosts, matched with what was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError
from auditor.text.names import fits as fits_one
from auditor.text.names import hosts_by_first_part, hosts_that_fit
from auditor.yaml.reading import did_you_mean, nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from auditor.facts.snapshots.snapshot import Snapshot

_NOTHING = "nothing was judged: what was requested does not exist."


@dataclass(frozen=True, slots=True)
class Places:
    """Which part of a fleet was requested: globs, in whatever case; empty: all."""

    endpoints: tuple[str, ...] = ()  # of a saved snapshot; those of a fleet that are not chosen are not even read
    clusters: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """The part of one snapshot that was requested.

    Attributes:
        endpoints: names; None: all.
        hosts: (endpoint, id, name, cluster) of those that every option fits; None: all, whether they were read or not.
        clusters: (endpoint, name) of the chosen clusters, whose own findings count as well; empty where hosts were named.
        notices: what every reader has to know.
    """

    endpoints: frozenset[str] | None = None
    hosts: tuple[tuple[str, str, str, str | None], ...] | None = None
    clusters: frozenset[tuple[str, str]] = frozenset()
    notices: tuple[str, ...] = ()


def fits(name: str | None, globs: Collection[str]) -> bool:
    """Whether any of the globs fits the name (`auditor.text.names.fits`); all fit where there are no globs."""
    return not globs or any(fits_one(name, glob) for glob in globs)


def check_fits(option: str, globs: Iterable[str], names: Collection[str], noun: str) -> None:
    """Raise ConfigurationError where a glob fits none of `names`; it says which name is nearest."""
    for glob in globs:
        if not any(fits(name, [glob]) for name in names):
            # A host is called by the first part of its name as often as by all of it.
            short = {name.partition(".")[0]: name for name in sorted(names, reverse=True)}
            near = nearest(glob, short)
            hint = did_you_mean(glob, names) if near is None else f'; did you mean "{short[near]}"?'
            raise ConfigurationError(
                f'{option} {glob}: no {noun} is called like "{glob}"{hint}',
                why=_NOTHING,
                do="correct it; * stands for anything, and several of an option may be given.",
            )


def chosen_hosts(globs: Collection[str], names: Collection[str]) -> frozenset[str] | None:
    """Which of `names` the globs of --host choose; None where there are none, and all are chosen."""
    return frozenset().union(*(hosts_that_fit(glob, names) for glob in globs)) if globs else None


def _check_hosts(globs: Iterable[str], names: Collection[str]) -> None:
    """As `check_fits`, and a name without its domain has to be that of one host alone."""
    for glob in globs:
        if hosts_that_fit(glob, names):
            continue
        several = sorted(hosts_by_first_part(glob, names))
        if several:
            listed = ", ".join(several[:5]) + (", ..." if len(several) > 5 else "")
            raise ConfigurationError(
                f'--host {glob}: {len(several)} hosts are called like "{glob}": {listed}',
                why=_NOTHING,
                do=f"give the whole name, or --host '{glob}.*' for all of them.",
            )
        check_fits("--host", [glob], names, "host")


def choose(snapshot: Snapshot, places: Places) -> Chosen | None:
    """What of `snapshot` was requested; None: everything.

    Raises:
        ConfigurationError: a glob fits nothing, although all hosts were listed.
    """
    if places == Places():
        return None
    names = [reading.name for reading in snapshot.readings if not reading.left_out]
    check_fits("--endpoint", places.endpoints, names, "endpoint")
    endpoints = frozenset(name for name in names if fits(name, places.endpoints))
    if not (places.hosts or places.clusters):
        return Chosen(endpoints=endpoints)
    rows = snapshot.connection.execute("SELECT endpoint, host_id, name, cluster FROM fact.host ORDER BY ALL").fetchall()
    rows = [row for row in rows if row[0] in endpoints]
    unread = _unread(snapshot, endpoints)
    if not unread:
        check_fits("--cluster", places.clusters, {row[3] for row in rows if row[3] is not None}, "cluster")
        _check_hosts(places.hosts, {row[2] for row in rows if row[2] is not None})
    called = chosen_hosts(places.hosts, {row[2] for row in rows if row[2] is not None})
    hosts = tuple(row for row in rows if (called is None or row[2] in called) and fits(row[3], places.clusters))
    if not hosts and not unread:
        raise ConfigurationError(
            f"no host that fits --host {' '.join(places.hosts)} is in a cluster that fits --cluster {' '.join(places.clusters)}",
            why="nothing was judged: what was requested does not exist.",
            do="drop one of the two.",
        )
    clusters = () if places.hosts else ((row[0], row[3]) for row in hosts if row[3] is not None)
    why = f"The hosts of {', '.join(unread)} could not be listed: which of them --host and --cluster mean is not known."
    return Chosen(endpoints if places.endpoints else None, hosts, frozenset(clusters), (why,) if unread else ())


def _unread(snapshot: Snapshot, endpoints: Collection[str]) -> list[str]:
    """Endpoints that were to be read and whose hosts could not all be listed."""
    rows = snapshot.connection.execute("SELECT DISTINCT endpoint FROM fact.reading WHERE topic = 'hosts' AND NOT complete").fetchall()
    return sorted(name for (name,) in rows if name in endpoints)
