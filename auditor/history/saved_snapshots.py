"""Saved snapshots wherever they are: opened from folders and object stores, several as one, and saved to either.

What is on a store is copied into a private folder, checked by its digests, and judged from there. Judging reads each table some hundred
times, and a digest is of every byte of a file: from the store itself each object would be fetched again and again, and could be exchanged
after it was checked (docs/design/object-stores.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from auditor.bounds.files import json_of
from auditor.errors import ConfigurationError, SnapshotError, StoreError
from auditor.facts.snapshots.manifest import MANIFEST, files_listed
from auditor.facts.snapshots.partitions import private_folder
from auditor.facts.snapshots.snapshot import BUGS_FILE, holds_snapshot
from auditor.store.address import Address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.store.address import Place


def local_snapshot(places: Sequence[Place]) -> Path:
    """The folder of the saved snapshot in `places`: itself, or a private copy of what is on a store, or of several merged into one.

    Raises:
        ConfigurationError: one place is named twice, or the snapshots cannot be one fleet.
        SnapshotError: there is none, or it is torn or damaged.
        StoreError: the store cannot be read.
    """
    if len(places) == 1:
        return _local(places[0])
    from auditor.facts.snapshots.merging import merge

    named = {str(place): place for place in places}
    if len(named) < len(places):
        raise ConfigurationError(
            "one snapshot is named twice", why="nothing was judged: it would be merged with itself.", do="name each snapshot once."
        )
    return merge({name: _local(place) for name, place in named.items()})


def saves_over(place: Place) -> bool:
    """Whether `place` holds a whole snapshot already.

    Raises:
        StoreError: the store cannot be read, or has no such bucket: it would be found out after the fleet was read.
    """
    if isinstance(place, Path):
        return holds_snapshot(place)
    from auditor.store.objects import ObjectStore

    store = ObjectStore(place)
    store.check_bucket()
    return bool(store.read([MANIFEST]))


def save_snapshot(snapshot: Snapshot, place: Place) -> None:
    """Save a snapshot: in a folder with one file a table, on a store with the rows of each endpoint by themselves; the manifest last.

    Raises:
        SnapshotError: it cannot be written; of a store, the error names the folder in which it is kept all the same.
    """
    if isinstance(place, Path):
        snapshot.save(place)
        return
    import shutil
    import tempfile

    from auditor.store.objects import ObjectStore

    folder = Path(tempfile.mkdtemp(prefix="auditor-unsent-")) / place.name
    snapshot.save_partitioned(folder)
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    try:
        ObjectStore(place).put(files, last=MANIFEST)
    except (StoreError, ConfigurationError) as error:
        raise SnapshotError(
            f"{error.what}; the snapshot is kept in {folder}",
            why="without its manifest nothing on the store is a snapshot: no audit takes it for whole.",
            do=f"{error.do} Then copy that folder to {place}, snapshot.json last, or judge it: auditor audit --from {folder}",
        ) from error
    shutil.rmtree(folder.parent, ignore_errors=True)


def _local(place: Place) -> Path:
    if isinstance(place, Path):
        return place
    from auditor.store.objects import ObjectStore

    store = ObjectStore(place)
    manifest = store.read([MANIFEST]).get(MANIFEST)
    if manifest is None:
        raise SnapshotError(
            f"{place} is not a whole snapshot: it has no {MANIFEST}",
            why="a snapshot that loads in part reports a clean fleet in part; the manifest is written last.",
            do=f"name the folder that holds one, or collect again with `auditor collect --fleet PATH --out {place}`.",
        )
    folder = private_folder(place.name)
    names = _files(place, manifest)
    there = store.sizes()
    missing = sorted(name for name, digest in names.items() if digest is not None and name not in there)
    if missing:
        raise _damaged(place, f"{missing[0]} is gone")
    wanted = [name for name in (*names, BUGS_FILE) if name in there]
    store.get({name: folder / name for name in wanted})
    (folder / MANIFEST).write_bytes(manifest)
    return folder


def _files(place: Address, manifest: bytes) -> Mapping[str, str | None]:
    try:
        return files_listed(json_of(manifest))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(place, str(error)) from error


def _damaged(place: Address, what: str) -> SnapshotError:
    return SnapshotError(
        f"{place} is not a whole snapshot: {what}",
        why="a snapshot that loads in part reports a clean fleet in part.",
        do=f"collect again with `auditor collect --fleet PATH --out {place}`, under a name that is not in use.",
    )
