"""Turns an entry under `endpoints` of fleet.yaml into an endpoint, or stops at the first key that does not fit the others."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from auditor.model import Endpoint, EndpointKind, Limits, Secret, Ssh, Tls
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from auditor.fleet.shape import EndpointShape, LoginSecretShape, SshShape, TlsShape


_NO_SECRET = Secret("none", ())


@dataclass(frozen=True, slots=True)
class EndpointReader:
    """Reads entries of one file.

    Attributes:
        folder: of the file; relative paths in it are relative to this one.
        stop: raises the error for a mistake; gets what is wrong, and the keys that lead there.
    """

    folder: Path
    stop: Callable[..., NoReturn]

    def endpoint(self, entry: EndpointShape, *at: str | int) -> Endpoint:
        """The endpoint of the entry that is at `at` in the file.

        Raises:
            what `stop` does: two of its keys do not fit each other, or the kind.
        """
        kind = entry.kind
        if endpoint_type(kind).login == "none":
            self.stop(f"{kind} are no endpoint of a fleet: name them by auditor audit --from PATH", *at, "kind")
        address, port = self._address(entry.address, kind, *at, "address")
        about = endpoint_type(kind)
        token, ssh = about.login == "api_token", about.protocol == "ssh"
        if about.fault is None:
            self._check_keys(entry, *at, token=token, ssh=ssh)
        return Endpoint(
            name=entry.name,
            kind=kind,
            address=address,
            port=port,
            username=entry.username or "",
            # Nobody knows how a kind logs in whose plugin cannot be used: its endpoint is a gap, and all others are read.
            password=_NO_SECRET if about.fault else self._secret(entry.api_token if token else entry.password),
            tls=self._tls(entry.tls, *at, "tls"),
            limits=self._limits(entry, *at, "limits", "readers"),
            ssh=self._ssh(entry.ssh) if ssh else None,
            lane=entry.lane,
        )

    def _check_keys(self, entry: EndpointShape, *at: str | int, token: bool, ssh: bool) -> None:
        """Stop at a key that the kind has no use for, or that it needs and is not there."""
        kind = entry.kind
        for key in ("username", "password") if token else ("api_token",):
            if getattr(entry, key) is not None:
                self.stop(f"{key} is not what {kind} logs in with; it takes {'api_token' if token else 'username and password'}", *at, key)
        unfit, fit = ("tls", "ssh") if ssh else ("ssh", "tls")
        if getattr(entry, unfit) is not None:
            self.stop(f"{unfit} is not how {kind} is reached; give {fit}", *at, unfit)
        if entry.lane is not None and kind is not EndpointKind.VCENTER:
            self.stop(f"lane is for a vCenter; {kind} has one way of being read", *at, "lane")
        for key in ("api_token",) if token else ("username", "password"):
            if getattr(entry, key) is None:
                self.stop(f'"{key}" is missing', *at, key)

    def _limits(self, entry: EndpointShape, *at: str | int) -> Limits:
        limits = entry.limits
        if limits.readers > 1 and entry.kind is not EndpointKind.VCENTER:
            self.stop(f"readers are for a vCenter, which has hosts to share out; {entry.kind} is read by one", *at)
        if limits.readers > limits.concurrency:
            self.stop(f"{limits.readers} readers cannot share a concurrency of {limits.concurrency}: each has one request in flight", *at)
        return Limits(limits.concurrency, limits.timeout_seconds, limits.readers)

    def _address(self, text: str, kind: EndpointKind, *at: str | int) -> tuple[str, int]:
        ssh = endpoint_type(kind).protocol == "ssh"
        if "@" in text:
            # The text itself is not repeated: a password may stand before the host.
            self.stop("address holds a user or a password; give the host alone, and log in by username and password", *at)
        if ssh and "://" in text:
            self.stop(f'address "{text}" is a URL, and {kind} is reached over SSH: give a host or host:port', *at)
        if "://" in text and not text.startswith("https://"):
            self.stop(f'address "{text}" is not https; nothing is read in clear', *at)
        try:
            # A bare IPv6 address has colons and no brackets.
            bare = text.count(":") > 1 and not text.startswith(("[", "https://"))
            parts = urlsplit(text if "://" in text else f"https://{f'[{text}]' if bare else text}")
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
            parts = None
        if parts is None or not host or parts.query or parts.path not in ("", "/", "/sdk"):
            self.stop(f'address "{text}" is not a host, host:port or https URL', *at)
        if port == 0:
            self.stop(f'address "{text}" has port 0, which nothing answers at; leave the port out for {endpoint_type(kind).port}', *at)
        return host, endpoint_type(kind).port if port is None else port

    def _secret(self, shape: LoginSecretShape | None) -> Secret:
        assert shape is not None  # noqa: S101  its caller has checked that the key is there
        [(way, argument)] = shape.given()
        return Secret(way, tuple(map(self._path, argument)) if way == "file" else argument)

    def _tls(self, shape: TlsShape | None, *at: str | int) -> Tls:
        if shape is None:
            return Tls()
        fingerprint = shape.fingerprint
        if fingerprint is not None:
            digits = fingerprint.lower().replace("sha256:", "").replace(":", "")
            if not re.fullmatch(r"[0-9a-f]{64}", digits):
                self.stop('fingerprint is "sha256:" and 64 hexadecimal digits', *at, "fingerprint")
            fingerprint = f"sha256:{digits}"
        return Tls(self._path(shape.ca) if shape.ca else None, fingerprint, shape.verify)

    def _ssh(self, shape: SshShape | None) -> Ssh:
        if shape is None:
            return Ssh()
        return Ssh(self._path(shape.known_hosts) if shape.known_hosts else None, shape.fingerprint, shape.verify)

    def _path(self, text: str) -> str:
        return str((self.folder / Path(text).expanduser()).resolve())
