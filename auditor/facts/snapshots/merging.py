"""Several saved snapshots, of one collector each, as one snapshot of a whole fleet."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from itertools import combinations
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import read_json
from auditor.errors import ConfigurationError, SnapshotError
from auditor.facts.needs import from_json
from auditor.facts.snapshot_files import digest_of, literal
from auditor.facts.snapshots.derived_gaps import derived_gaps, is_derived
from auditor.facts.snapshots.manifest import FORMAT, MANIFEST, files_listed, read_manifest, readings_of
from auditor.facts.snapshots.partitions import Source, check_source, gather, private_folder
from auditor.facts.snapshots.snapshot import BUGS_FILE, Snapshot, load_snapshot
from auditor.facts.snapshots.stale_hosts import StaleHost, rows_of, stale_hosts, with_notes_of, without_gaps_of
from auditor.model.identity import is_same
from auditor.sql.statements import limit_memory, run

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

    from auditor.model import EndpointReading, Gap

_NOTHING = "nothing was judged."


@dataclass(frozen=True, slots=True)
class Collected:
    """A snapshot that is to be merged.

    Attributes:
        name: as the user gave it.
        directory: where its files are.
        manifest: what its manifest holds.
        readings: of its endpoints.
    """

    name: str
    directory: Path
    manifest: Mapping[str, Any]
    readings: tuple[EndpointReading, ...]


def merge(snapshots: Mapping[str, Path]) -> Path:
    """A private folder with one snapshot of all endpoints of `snapshots`, which are named as the user gave them.

    An endpoint that several have read counts as in its newest reading, and a note of that reading says so. One that a collector was not to
    read is no reading. What the hosts see and no array accounts for is worked out anew, as the array may be in another snapshot.

    Raises:
        ConfigurationError: one endpoint has two names, two endpoints have one, or they were not requested alike.
        SnapshotError: one is torn, damaged, or holds a baseline.
    """
    collected = [_collected(name, directory) for name, directory in snapshots.items()]
    _check_alike(collected)
    chosen = _chosen(collected)
    check_distinct([reading for _, reading in chosen.values()])
    folder = private_folder("+".join(one.directory.name for one in collected))
    _write(folder, collected, chosen)
    return folder


def check_distinct(readings: Sequence[EndpointReading]) -> None:
    """Refuse a fleet that lists one endpoint twice: what is on it would be judged, counted and fixed twice.

    Raises:
        ConfigurationError: two readings are of one endpoint.
    """
    for one, other in combinations([reading for reading in readings if reading.identity], 2):
        if one.kind == other.kind and is_same(one.identity or "", other.identity or ""):
            raise ConfigurationError(
                f"{one.name} ({one.address}) and {other.name} ({other.address}) are one {one.kind}: {one.identity}",
                why="nothing was judged: whatever is on it would be counted, and fixed, twice.",
                do=f"remove {one.name} or {other.name} from fleet.yaml, or correct its address.",
            )


def _collected(name: str, directory: Path) -> Collected:
    try:
        manifest = read_manifest(directory)
        return Collected(name, directory, manifest, readings_of(manifest))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _torn(name, error) from error


def _torn(name: str, error: Exception) -> SnapshotError:
    return SnapshotError(
        f"{name} is not a whole snapshot: {error}",
        why="a fleet that is merged in part reports a clean fleet in part.",
        do="collect it again with `auditor collect --fleet PATH --out DIR`.",
    )


def _check_alike(collected: Sequence[Collected]) -> None:
    """Refuse snapshots for which different things were requested: what one lacks would look unread, or absent."""
    first = from_json(collected[0].manifest.get("asked"))
    for other in collected[1:]:
        if from_json(other.manifest.get("asked")) != first:
            raise ConfigurationError(
                f"{collected[0].name} and {other.name} were not read for the same facts",
                why=_NOTHING,
                do="merge snapshots of `auditor collect`, which reads everything; that of an audit has what its own rules needed.",
            )


def _chosen(collected: Sequence[Collected]) -> dict[str, tuple[Collected, EndpointReading]]:
    """The reading of each endpoint that counts, by its name, with the snapshot that it is from."""
    chosen: dict[str, tuple[Collected, EndpointReading]] = {}
    for one in collected:
        for reading in one.readings:
            before = chosen.get(reading.name)
            chosen[reading.name] = (one, reading) if before is None else _newer(before, (one, reading))
    return chosen


def _newer(one: tuple[Collected, EndpointReading], other: tuple[Collected, EndpointReading]) -> tuple[Collected, EndpointReading]:
    """Of two readings of one name the one that counts."""
    (its, reading), (others, again) = one, other
    identities = (reading.identity, again.identity)
    differs = None not in identities and not is_same(reading.identity or "", again.identity or "")
    if reading.kind != again.kind or differs:
        raise ConfigurationError(
            f"{reading.name} is {reading.identity or reading.kind} in {its.name}, and {again.identity or again.kind} in {others.name}",
            why=f"{_NOTHING} Two endpoints of one name would be taken for one.",
            do="give each endpoint a name of its own in the fleet.yaml of its collector, and collect again.",
        )
    if reading.left_out or again.left_out:
        return other if reading.left_out else one
    newer, older = (one, other) if reading.started >= again.started else (other, one)
    note = (
        f"{reading.name} was read by two collectors: the reading in {newer[0].name} of {_time(newer[1])} counts,"
        f" not that in {older[0].name} of {_time(older[1])}."
    )
    return newer[0], replace(newer[1], notes=(*newer[1].notes, note))


def _time(reading: EndpointReading) -> str:
    return reading.started.isoformat(timespec="seconds")


def _write(folder: Path, collected: Sequence[Collected], chosen: Mapping[str, tuple[Collected, EndpointReading]]) -> None:
    """Write the merged tables, and the manifest last."""
    import duckdb

    sources = []
    for one in collected:
        left_out = [name for name, (owner, _) in chosen.items() if owner is not one]
        source = Source(one.directory, _checked_files(one), left_out)
        sources.append(source)
    readings = tuple(reading for _, reading in chosen.values())
    try:
        with duckdb.connect() as connection:
            limit_memory(connection, folder / "spilled")
            digests = gather(connection, sources, folder)
    except (OSError, duckdb.Error) as error:
        raise _torn(" or ".join(one.name for one in collected), error) from error
    if "baseline" in digests:
        raise SnapshotError(
            "a snapshot that holds a baseline cannot be merged with another",
            why=f"{_NOTHING} Drift is measured against one baseline of one fleet.",
            do="merge snapshots of `auditor collect`, which hold none.",
        )
    if "declared_setting" in digests:
        raise SnapshotError(
            "a snapshot that holds declared settings cannot be merged with another",
            why=f"{_NOTHING} What one settings.yaml declares is not meant for the hosts of another fleet.",
            do="collect without settings.yaml beside fleet.yaml, and declare for all of them beside the fleet.yaml of all.",
        )
    bugs = [reading.bug for reading in readings if reading.bug is not None]
    if bugs:
        (folder / BUGS_FILE).write_text("\n\n".join(bugs) + "\n", encoding="utf-8")
    _write_manifest(folder, collected, readings, digests)
    _join_again(folder)


def _checked_files(one: Collected) -> dict[str, str | None]:
    """The files of a snapshot, which are as they were written."""
    try:
        files = files_listed(one.manifest)
        check_source(Source(one.directory, files))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _torn(one.name, error) from error
    return files


def _write_manifest(folder: Path, collected: Sequence[Collected], readings: Sequence[EndpointReading], digests: Mapping[str, str]) -> None:
    manifests = [one.manifest for one in collected]
    manifest = {
        "format": FORMAT,
        "started": min((each["started"] for each in manifests), key=datetime.fromisoformat),
        "finished": max((each["finished"] for each in manifests), key=datetime.fromisoformat),
        "asked": manifests[0].get("asked"),
        "endpoints": _as_json(readings),
        "tables": dict(digests),
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def _as_json(readings: Sequence[EndpointReading]) -> list[dict[str, Any]]:
    return [{**asdict(one), "started": one.started.isoformat(), "finished": one.finished.isoformat()} for one in readings]


def _join_again(folder: Path) -> None:
    """Work out anew what follows from the tables of all snapshots together: old entries of hosts, and what no array accounts for."""
    snapshot = load_snapshot(folder)
    if stale := stale_hosts(snapshot.connection):
        _leave_out(folder, snapshot, stale)
        snapshot = load_snapshot(folder)
    connection = snapshot.connection
    try:
        limit_memory(connection, folder / "joined")
        gaps = [*(gap for gap in snapshot.gaps if not is_derived(gap)), *derived_gaps(connection, snapshot.readings, snapshot.asked)]
        digest = _write_gaps(connection, folder, gaps)
    finally:
        connection.close()
    manifest = read_json(folder / MANIFEST)
    manifest["tables"]["gap"] = digest
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def _leave_out(folder: Path, snapshot: Snapshot, stale: Sequence[StaleHost]) -> None:
    """Write the tables anew that have rows of these entries, without them, and the gaps and the manifest; `snapshot` is closed."""
    connection = snapshot.connection
    gaps = without_gaps_of(snapshot.gaps, stale)
    manifest = read_json(folder / MANIFEST)
    manifest["endpoints"] = _as_json(with_notes_of(snapshot.readings, stale, gaps))
    try:
        limit_memory(connection, folder / "without")
        for name, of_these in rows_of(connection, stale):
            if connection.execute(f'SELECT 1 FROM fact."{name}" WHERE {of_these} LIMIT 1').fetchone() is None:  # noqa: S608  stale_hosts.py's words
                continue
            rows = f'SELECT * FROM fact."{name}" WHERE NOT coalesce({of_these}, false)'  # noqa: S608  as above
            fresh = folder / f"{name}.fresh"
            run(connection, f"COPY ({rows}) TO {literal(fresh)} (FORMAT parquet, COMPRESSION zstd)")
            manifest["tables"][name] = digest_of(fresh)
            fresh.replace(folder / f"{name}.parquet")
        manifest["tables"]["gap"] = _write_gaps(connection, folder, gaps)
    finally:
        connection.close()
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def _write_gaps(connection: duckdb.DuckDBPyConnection, folder: Path, gaps: Sequence[Gap]) -> str:
    """Write the table of gaps; its digest."""
    connection.execute("DELETE FROM fact.gap")
    for gap in gaps:
        connection.execute("INSERT INTO fact.gap (endpoint, what, why) VALUES (?, ?, ?)", [gap.endpoint, gap.what, gap.why])
    path = folder / "gap.parquet"
    run(connection, f"COPY fact.gap TO {literal(path)} (FORMAT parquet, COMPRESSION zstd)")
    return digest_of(path)
