"""Where something is kept: a folder of this machine, or an address on an object store."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from auditor.errors import ConfigurationError

SCHEMES = ("s3", "gs", "abfs", "memory")
"""`memory` is of this process alone: for tests."""
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Address:
    """A place on an object store: `s3://bucket/prefix`.

    Attributes:
        scheme: one of SCHEMES.
        path: bucket and prefix, without a slash at either end.
    """

    scheme: str
    path: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.path}"

    def __truediv__(self, name: str) -> Address:
        return Address(self.scheme, f"{self.path}/{name}")

    @property
    def name(self) -> str:
        """The last part of it."""
        return PurePosixPath(self.path).name


Place: TypeAlias = Path | Address
"""A folder, or an address on an object store."""


def place_of(text: str) -> Place:
    """The place that a text names: an address where it begins as `s3://` does, else a folder; `file://` is a folder too.

    Raises:
        ConfigurationError: the address holds a password, names no bucket, or is of a store that is not known.
    """
    parsed = _ADDRESS.fullmatch(text)
    if parsed is None:
        return Path(text)
    scheme, path = parsed[1].lower(), parsed[2]
    authority = path.partition("/")[0]
    if ":" in authority.rpartition("@")[0]:
        raise ConfigurationError(
            f"an address of {scheme}:// with a user and a password in it",
            why="it would stand in reports, logs and the list of processes.",
            do="leave them out; the environment has the credentials: AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        )
    if scheme == "file":
        return Path(unquote(urlsplit(text).path))
    parts = path.strip("/").split("/")
    if scheme not in SCHEMES or "" in parts or not {".", ".."}.isdisjoint(parts):
        known = ", ".join(f"{one}://" for one in SCHEMES if one != "memory")
        what = f"{scheme}:// is no store that auditor knows" if scheme not in SCHEMES else f"{text} names no bucket, or an empty folder"
        raise ConfigurationError(
            what, why="nothing can be kept or found there.", do=f"give a folder, or BUCKET/PREFIX after one of {known}"
        )
    return Address(scheme, "/".join(parts))


def local_place_of(text: str) -> Path:
    """The folder that a text names, for a command that changes settings of the fleet or looks at what was changed.

    Raises:
        ConfigurationError: it is an address on an object store.
    """
    place = place_of(text)
    if isinstance(place, Address):
        raise without_journals(place)
    return place


def without_journals(address: Address) -> ConfigurationError:
    """The error to raise where a store is to hold journals."""
    return ConfigurationError(
        f"{address} cannot hold journals, so nothing can be planned, fixed or undone with it",
        why="a journal is on disk before each write, in one order, under a lock that ends with its process: stores promise none of it.",
        do="give a folder of this machine: --state-dir DIR. Audits without --fix may keep their runs on a store.",
    )
