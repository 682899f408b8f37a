"""What `--from` names where it is files of hosts: which of the places are such files, and the fleet that has these hosts."""

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


def with_files(fleet: Path | None, files: Sequence[Path], max_age: str | None) -> Fleet:
    """The fleet of this file with the hosts whose files these are; `max_age` is that of --max-age.

    Raises:
        ConfigurationError: the fleet has a mistake, a file is not there, or `max_age` is no age.
    """
    from auditor.fleet.evidence import fleet_with_files
    from auditor.fleet.loading import load_fleet
    from auditor.history.incremental import parse_max_age

    age = None if max_age is None else parse_max_age(max_age)
    return fleet_with_files(None if fleet is None else load_fleet(fleet), files, max_age=age)
