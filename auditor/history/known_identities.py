"""Who the endpoints of a fleet are: as they say now, or else as they last said in a kept run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.bounds.files import read_json
from auditor.history.folders import RUN_FILE, RUNS_FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from auditor.model import Endpoint

_RUNS_LOOKED_AT = 50


def endpoint_identities(endpoints: Sequence[Endpoint], read: Mapping[str, str | None], state: Path) -> tuple[str, ...]:
    """Who each of `endpoints` is, so that a fleet stays the same one while an array of it is away, or is left out by choice.

    Args:
        endpoints: of fleet.yaml.
        read: what each one that was read now says of itself, by its name; None where it did not say.
        state: the state directory, whose newest runs are looked at for the others.

    Returns:
        Its identity; kind and name in fleet.yaml of one that no kept run knows either.
    """
    known = {name: identity for name, identity in read.items() if identity is not None}
    missing = {one.name: one.kind.value for one in endpoints if one.name not in known}
    if missing:
        known |= _last_known(missing, state)
    return tuple(known.get(one.name, f"{one.kind.value} {one.name}") for one in endpoints)


def _last_known(missing: Mapping[str, str], state: Path) -> dict[str, str]:
    """The newest identities of endpoints, by name and kind, that kept runs have; a run that cannot be read has none."""
    folder = state / RUNS_FOLDER
    found: dict[str, str] = {}
    names = sorted((entry.name for entry in folder.iterdir()), reverse=True) if folder.is_dir() else []
    for name in names[:_RUNS_LOOKED_AT]:
        try:
            endpoints = read_json(folder / name / RUN_FILE)["run"]["endpoints"]
            for one in endpoints:
                if missing.get(one["name"]) == one["kind"] and one.get("identity"):
                    found.setdefault(one["name"], one["identity"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # unfinished, or damaged: `runs list` says so
        if len(found) == len(missing):
            break
    return found
