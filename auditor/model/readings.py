"""What was read of each endpoint, when, and what could not be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from auditor.model.resources import Scalar


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that could not be read, and why; what depends on it is never a pass."""

    endpoint: str
    what: str  # the topic and the object, for example "esxcli storage core device list on esx-03"
    why: str
    accepted: Mapping[str, Scalar] | None = field(default=None, hash=False)  # who answers for it: owner, reason, ticket, expires, where


@dataclass(frozen=True, slots=True)
class EndpointReading:
    """The result of reading one endpoint."""

    name: str
    kind: str
    address: str
    version: str | None  # product and build; None when the endpoint never answered
    tls: str  # "verified", "pinned", or "NOT VERIFIED"
    started: datetime  # aware, UTC
    finished: datetime
    complete: bool  # False when there is a gap
    lane: str | None = None  # the BulkTransport that read a vCenter; None for arrays, and when the endpoint never answered
    notes: tuple[str, ...] = ()  # sentences that every reader must see and that are no gaps
    clock: str | None = None  # ISO 8601, a vCenter's own time before it was read; None when it was not read
    identity: str | None = None  # who it is by what it says of itself (auditor/model/identity.py); None when that is not known
    bug: str | None = None  # where a bug of ours ended the reading; None: none did
    left_out: bool = False  # it was not to be read, by choice (--endpoint); what needs its facts is unknown
    plugin: str | None = None  # the package, with its version, that its kind came with; None: auditor itself, as in runs of older auditors


@dataclass(frozen=True, slots=True)
class ReadTime:
    """When an endpoint answered the requests of one topic; times are aware, UTC."""

    endpoint: str
    topic: str
    host: str | None  # the host whose facts were read; None: the endpoint's own, or those of all its hosts
    first: datetime
    last: datetime
    source: str | None = None  # the file or folder that the answers stand in; None: the endpoint was asked
