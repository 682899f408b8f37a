"""Files of hosts that `--from` names: finds them among its places, and makes the fleet of their hosts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.fleet.loading import Fleet
    from auditor.store.address import Place


def files_of(places: Sequence[Place]) -> tuple[Path, ...]:
    """The places that are files of hosts, and no saved snapshots.

    Raises:
        ConfigurationError: there are both.
    """
    from auditor.facts.snapshots.manifest import MANIFEST

    files = tuple(one for one in places if isinstance(one, Path) and one.exists() and not (one / MANIFEST).exists())
    if files and len(files) < len(places):
        raise ConfigurationError(
            "--from names both saved snapshots and files of hosts",
            why="nothing was read.",
            do=f"make a snapshot of the files first: auditor import {files[0]} --out DIR",
        )
    return files


def with_files(fleet: Path | None, files: Sequence[Path], max_age: str | None, cluster_of: Sequence[str] | None) -> Fleet | Path | None:
    """The fleet of this file with the hosts whose files these are, or the file itself where there are none.

    `max_age` is that of --max-age, and `cluster_of` what --cluster-of gives.

    Raises:
        ConfigurationError: the fleet has a mistake, a file is not there, `max_age` is no age, a cluster is not NAME=GLOB, or there is one
            and no files.
    """
    if not files:
        if cluster_of:
            raise ConfigurationError(
                "--cluster-of goes with files of hosts, and --from names none",
                why="nothing was read: hosts of a vCenter have the cluster that it reports.",
                do="leave it out, or name support bundles or outputs by --from; --cluster narrows an audit to a cluster.",
            )
        return fleet

    from auditor.fleet.evidence import fleet_with_files
    from auditor.fleet.loading import load_fleet
    from auditor.history.incremental import parse_max_age

    age = None if max_age is None else parse_max_age(max_age)
    return fleet_with_files(None if fleet is None else load_fleet(fleet), files, cluster_of or (), age)
