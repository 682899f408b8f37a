"""The form of jobs.yaml: which keys it may have, and what their values must be."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

from msgspec import Meta

from auditor.fleet.shape import SecretShape
from auditor.model import Severity
from auditor.yaml.shapes import Shape, Text

Time: TypeAlias = Annotated[str, Meta(pattern=r"^[1-9][0-9]{0,5}[smhd]$", description="a time such as 90s, 15m, 2h or 1d")]
Texts: TypeAlias = Annotated[tuple[Text, ...], Meta(description="a list")]
_NAME = "a name of small letters, digits and hyphens, at most 40"
Name: TypeAlias = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description=_NAME)]
Url: TypeAlias = Annotated[
    str, Meta(pattern=r"^https?://[^\s/?#@]+[^\s?#@]*$", description="an address that begins with https:// or http://")
]


class CatchUp(StrEnum):
    """What happens when a run was missed, because the machine slept or nothing ran."""

    ONCE = "once"
    SKIP = "skip"


class TargetShape(Shape, kw_only=True):
    """Who is notified."""

    name: Name
    url: SecretShape
    at_most_every: Time = "10m"


class JobShape(Shape, kw_only=True):
    """One fleet, or a part of one, audited by the clock."""

    name: Name
    fleet: Text
    cron: Text
    timezone: Text = "UTC"
    rules: Texts = ()
    only: Texts = ()
    tag: Texts = ()
    endpoint: Texts = ()
    cluster: Texts = ()
    host: Texts = ()
    severity: Severity | None = None
    exclude: Texts = ()
    waivers: Text | None = None
    since: Text | None = None
    max_age: Text | None = None
    history: Text | None = None
    workers: Text | None = None
    workers_certificates: Text | None = None
    publish: Text | None = None
    keep: Annotated[int, Meta(ge=1, le=1000, description="a whole number from 1 to 1000")] = 30
    keep_runs: Texts = ()
    notify: Texts = ()
    jitter: Time | None = None
    catch_up: CatchUp = CatchUp.ONCE
    timeout: Time = "6h"


class JobsShape(Shape, kw_only=True):
    """The whole file."""

    jobs: Annotated[tuple[JobShape, ...], Meta(min_length=1, description="a list of at least one job")]
    site: Text | None = None
    url: Url | None = None
    notify: tuple[TargetShape, ...] = ()
