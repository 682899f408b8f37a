"""Two labs of one scenario stand for two sites: everything has the same names, and every endpoint says that it is another one."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

_SITES = uuid.UUID("8d1f0b1c-50a5-5f6e-8a35-7a6c1d9e5017")  # the lab's own, so that one site's ids are the same at every start


def at_site(described: Any, site: str) -> Any:
    """The description of an endpoint as it stands at `site`; as it is for the site ""."""
    if not site:
        return described
    behind = getattr(described, "also", ())  # further Storage Centers of one Storage Manager
    return replace(described, site=site, **({"also": tuple(at_site(one, site) for one in behind)} if behind else {}))


def site_uuid(own: str, site: str) -> str:
    """The UUID that an endpoint reports at `site`, where it would report `own` at the site ""."""
    return str(uuid.uuid5(_SITES, f"{site}/{own}")) if site else own


def site_number(own: int, site: str, *, below: int) -> int:
    """The number, from 1, that an endpoint reports at `site`, where it would report `own` at the site ""."""
    return 1 + uuid.uuid5(_SITES, f"{site}/{own}").int % (below - 1) if site else own
