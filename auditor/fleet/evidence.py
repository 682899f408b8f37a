"""Files of hosts as a part of a fleet: an endpoint of the kind `files`, alone or beside the endpoints of fleet.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError
from auditor.fleet.loading import Fleet
from auditor.model import Endpoint, EndpointKind, Evidence, Secret

if TYPE_CHECKING:
    from datetime import timedelta

NAME = "files"
"""What the endpoint is called."""

MAX_AGE_DAYS = Evidence(()).max_age_days
_NO_SECRET = Secret("none", ())


def fleet_with_files(fleet: Fleet | None, paths: Sequence[Path], clusters: Sequence[str] = (), max_age: timedelta | None = None) -> Fleet:
    """`fleet` and, as one more endpoint of it, the hosts whose files lie at `paths`; None: these hosts alone.

    Args:
        fleet: the arrays that are read live beside them.
        paths: support bundles, saved outputs, exports of RVTools, and folders of these.
        clusters: NAME=GLOB each: the hosts whose name, or the path of whose files, fits are of that cluster.
        max_age: the age from which on a notice says how old the files of a host are; None: MAX_AGE_DAYS.

    Raises:
        ConfigurationError: a path is not there, a cluster has another form, or the fleet has an endpoint of that name.
    """
    for path in paths:
        if not path.exists():
            raise ConfigurationError(f"{path} is not there", why="nothing was read.", do="name a file or a folder.")
    days = MAX_AGE_DAYS if max_age is None else max_age.days
    evidence = Evidence(tuple(str(path) for path in paths), tuple(_cluster(text) for text in clusters), days)
    shown = str(paths[0]) + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
    endpoint = Endpoint(NAME, EndpointKind.FILES, shown, 0, "", _NO_SECRET, evidence=evidence)
    if fleet is None:
        return Fleet(paths[0], (endpoint,))
    if any(one.name == NAME for one in fleet.endpoints):
        raise ConfigurationError(
            f'{fleet.path.name} has an endpoint called "{NAME}"',
            why="the hosts whose files are read are called that in every report; nothing was read.",
            do="give the endpoint another name.",
        )
    return replace(fleet, endpoints=(*fleet.endpoints, endpoint))


def _cluster(text: str) -> tuple[str, str]:
    name, equals, glob = text.partition("=")
    if not (name and equals and glob):
        raise ConfigurationError(
            f'--cluster-of "{text}" is not NAME=GLOB', why="nothing was read.", do="for example --cluster-of 'prod-01=esx-prod-*'."
        )
    return name, glob
