"""Which workers may read which endpoints: a site of fleet.yaml is a resource of Dask."""

from __future__ import annotations

import re

from auditor.errors import ConfigurationError
from auditor.fleet.shape import SITE_NAME

UNITS = 1000
"""How many units of its site's resource a worker has. A task takes one: what limits a worker is its threads."""

_PREFIX = "site-"


def resource_of(site: str) -> str:
    """The name of Dask's resource of a site; a worker has it when it may read the site's endpoints.

    Source: https://distributed.dask.org/en/stable/resources.html
    """
    return f"{_PREFIX}{site}"


def resources_of(sites: tuple[str, ...]) -> dict[str, float]:
    """The resources of a worker that may read the endpoints of `sites`.

    Raises:
        ConfigurationError: a name is none that a site can have.
    """
    for site in sites:
        if not is_site_name(site):
            raise ConfigurationError(
                f'"{site}" is not a name that a site can have',
                why="no worker was started: no endpoint of fleet.yaml could name its site.",
                do="give the site as fleet.yaml names it: letters, digits, dots, hyphens and underscores, for example --site vienna",
            )
    return {resource_of(site): float(UNITS) for site in sites}


def sites_of(resources: dict[str, float]) -> tuple[str, ...]:
    """The sites whose endpoints a worker with `resources` may read, in order."""
    return tuple(sorted(name.removeprefix(_PREFIX) for name in resources if name.startswith(_PREFIX)))


def is_site_name(text: str) -> bool:
    """Whether a site may have this name: it stands in command lines, in labels of metrics and in Dask's resources."""
    return re.fullmatch(SITE_NAME, text) is not None
