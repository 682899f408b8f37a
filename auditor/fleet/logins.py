"""The keys by which an entry of fleet.yaml is logged in to: which of them go together, and what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.model import BulkTransport, EndpointKind, OpenSession, Sso
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from auditor.fleet.shape import EndpointShape, LoginSecretShape

    Stop = Callable[..., NoReturn]

LOGIN_KEYS = ("username", "password", "api_token", "session", "sso")
OF_HOSTS = (EndpointKind.VCENTER, EndpointKind.ESXI)
"""The kinds whose API has sessions that others can open."""


def secret_of(entry: EndpointShape) -> tuple[LoginSecretShape | None, tuple[str, ...]]:
    """What logs in, or opens the key that does, and the keys that lead to it; None where nothing has to be known."""
    if endpoint_type(entry.kind).login == "api_token":
        return entry.api_token, ("api_token",)
    if entry.session is not None:
        return entry.session, ("session",)
    if entry.sso is None or entry.sso.by is not None:
        return entry.password, ("password",)
    return (entry.sso.passphrase, ("sso", "passphrase")) if entry.sso.token is None else (entry.sso.token, ("sso", "token"))


def login_of(entry: EndpointShape, path: Callable[[str], str]) -> OpenSession | Sso | None:
    """How it is logged in to where it is not by user name and password, or by an API token; `path` makes paths absolute."""
    if entry.session is not None:
        return OpenSession()
    sso = entry.sso
    if sso is None:
        return None
    certificate, key = (None if one is None else path(one) for one in (sso.certificate, sso.key))
    return Sso(certificate, key, sso.token is not None, sso.sts)


def check_login(entry: EndpointShape, stop: Stop, *at: str | int) -> None:
    """Stop at a key that the kind does not log in with, or that it needs and is not there."""
    kind = entry.kind
    if entry.session is not None and kind not in OF_HOSTS:
        stop(f"session is for a vCenter or an ESXi host; {kind} has no session that others can open", *at, "session")
    if entry.sso is not None and kind is not EndpointKind.VCENTER:
        stop(f"sso is for a vCenter; {kind} has no single sign-on", *at, "sso")
    other = "session" if entry.session is not None else "sso" if entry.sso is not None else ""
    if other and entry.lane is BulkTransport.VIJSON:
        stop(f"lane vijson opens a session of its own, by user name and password, and not by {other}; leave it out", *at, "lane")
    needed = _needed(entry)
    for key in LOGIN_KEYS:
        if key not in needed and getattr(entry, key) is not None:
            if other:
                stop(f"{other} takes the place of {key}; leave one of them out", *at, key)
            stop(f"{key} is not what {kind} logs in with; it takes {' and '.join(needed)}", *at, key)
    for key in needed:
        if getattr(entry, key) is None:
            stop(f'"{key}" is missing', *at, key)


def _needed(entry: EndpointShape) -> tuple[str, ...]:
    """The keys of the login; all are required."""
    if endpoint_type(entry.kind).login == "api_token":
        return ("api_token",)
    if entry.session is not None:
        return ("session",)
    if entry.sso is not None:
        return ("sso",) if entry.sso.by is None else ("username", "password", "sso")
    return ("username", "password")
