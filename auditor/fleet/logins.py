"""The keys by which an entry of fleet.yaml is logged in to: which of them go together, and what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.model import BulkTransport, EndpointKind, OpenSession
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from auditor.fleet.shape import EndpointShape

    Stop = Callable[..., NoReturn]

OF_HOSTS = (EndpointKind.VCENTER, EndpointKind.ESXI)
"""The kinds whose API has sessions that others can open."""


def key_of_secret(entry: EndpointShape) -> str:
    """The key whose secret logs in: password, api_token or session."""
    if endpoint_type(entry.kind).login == "api_token":
        return "api_token"
    return "password" if entry.session is None else "session"


def login_of(entry: EndpointShape) -> OpenSession | None:
    """How it is logged in to where it is not by user name and password, or by an API token."""
    return OpenSession() if entry.session is not None else None


def check_login(entry: EndpointShape, stop: Stop, *at: str | int) -> None:
    """Stop at a key that the kind does not log in with, or that it needs and is not there."""
    kind, way = entry.kind, key_of_secret(entry)
    if entry.session is not None:
        if kind not in OF_HOSTS:
            stop(f"session is for a vCenter or an ESXi host; {kind} has no session that others can open", *at, "session")
        if entry.lane is BulkTransport.VIJSON:
            stop("lane vijson opens a session of its own, by user name and password; leave it out", *at, "lane")
    needed = ("username", "password") if way == "password" else (way,)
    for key in ("username", "password", "api_token"):
        if key not in needed and getattr(entry, key) is not None:
            if way == "session":
                stop(f"session takes the place of {key}; leave one of them out", *at, key)
            stop(f"{key} is not what {kind} logs in with; it takes {' and '.join(needed)}", *at, key)
    for key in needed:
        if getattr(entry, key) is None:
            stop(f'"{key}" is missing', *at, key)
