"""Turns an entry under `endpoints` of fleet.yaml into an endpoint, or stops at the first key that does not fit the others."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from auditor.fleet.logins import check_login, login_of, secret_of
from auditor.model import Endpoint, EndpointKind, Jump, Limits, Proxy, Secret, Ssh, Tls, Vault
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from auditor.fleet.shape import EndpointShape, SecretShape, SshShape, TlsShape, VaultShape


_NO_SECRET = Secret("none", ())
_VAULT_PORT = 8200
"""Source: Vault documentation, "TCP listener": 127.0.0.1:8200 by default."""


@dataclass(frozen=True, slots=True)
class EndpointReader:
    """Reads entries of one file.

    Attributes:
        folder: of the file; relative paths in it are relative to this one.
        stop: raises the error for a mistake; gets what is wrong, and the keys that lead there.
        vault: where `{vault: PATH}` leads; None: the file names none.
    """

    folder: Path
    stop: Callable[..., NoReturn]
    vault: Vault | None = None

    def with_vault(self, shape: VaultShape | None) -> EndpointReader:
        """A reader that knows the vault of the file.

        Raises:
            what `stop` does: its address is none.
        """
        if shape is None:
            return self
        place = None if "@" in shape.address else _place(shape.address)  # a password may stand before the host: it is not repeated
        if place is None or not shape.address.startswith("https://") or place[2] not in ("", "/") or place[1] == 0:
            self.stop("address is not https://HOST or https://HOST:PORT", "vault", "address")
        if shape.tls is not None and not shape.tls.verify:
            self.stop("a vault has to be verified: an impostor would get the token; give ca or fingerprint", "vault", "tls", "verify")
        role = shape.approle
        made = Vault(
            place[0],
            place[1] or _VAULT_PORT,
            self._tls(shape.tls, "vault", "tls"),
            shape.namespace,
            shape.mount,
            shape.version,
            None if shape.token is None else self._secret(shape.token),
            "" if role is None else role.role_id,
            None if role is None else self._secret(role.secret_id),
            "approle" if role is None else role.mount,
        )
        return replace(self, vault=made)

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
        ssh = about.protocol == "ssh"
        if about.fault is None:
            self._check_keys(entry, *at, ssh=ssh)
            check_login(entry, self.stop, *at)
        return Endpoint(
            name=entry.name,
            kind=kind,
            address=address,
            port=port,
            username=entry.username or "",
            # Nobody knows how a kind logs in whose plugin cannot be used: its endpoint is a gap, and all others are read.
            password=_NO_SECRET if about.fault else self._login_secret(entry, *at),
            tls=self._tls(entry.tls, *at, "tls"),
            limits=self._limits(entry, *at, "limits", "readers"),
            ssh=self._ssh(entry.ssh) if ssh else None,
            lane=entry.lane,
            login=login_of(entry, self._path),
            route=self._route(entry, *at),
        )

    def _check_keys(self, entry: EndpointShape, *at: str | int, ssh: bool) -> None:
        """Stop at a key that the kind has no use for."""
        kind = entry.kind
        unfit, fit = ("tls", "ssh") if ssh else ("ssh", "tls")
        if getattr(entry, unfit) is not None:
            self.stop(f"{unfit} is not how {kind} is reached; give {fit}", *at, unfit)
        if entry.lane is not None and kind is not EndpointKind.VCENTER:
            self.stop(f"lane is for a vCenter; {kind} has one way of being read", *at, "lane")

    def _route(self, entry: EndpointShape, *at: str | int) -> Proxy | Jump | None:
        if entry.jump is not None:
            if entry.proxy is not None:
                self.stop("takes one of proxy, jump; a proxy before a jump host is for your ssh configuration (ProxyCommand)", *at, "jump")
            return Jump(entry.jump)
        shape = entry.proxy
        if shape is None:
            return None
        place = _place(shape.address.removeprefix("http://"))
        if place is None or not place[1]:
            self.stop(f'address "{shape.address}" is not HOST:PORT', *at, "proxy", "address")
        return Proxy(place[0], place[1], shape.username or "", None if shape.password is None else self._secret(shape.password))

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
        place = _place(text)
        if place is None or place[2] not in ("", "/", "/sdk"):
            self.stop(f'address "{text}" is not a host, host:port or https URL', *at)
        host, port, _ = place
        if port == 0:
            self.stop(f'address "{text}" has port 0, which nothing answers at; leave the port out for {endpoint_type(kind).port}', *at)
        return host, endpoint_type(kind).port if port is None else port

    def _login_secret(self, entry: EndpointShape, *at: str | int) -> Secret:
        """The secret that an endpoint is logged in to with; a vault has it in a field of its key's name, unless that is said."""
        shape, keys = secret_of(entry)
        if shape is None:
            return _NO_SECRET
        if shape.vault is None:
            return self._secret(shape)
        if self.vault is None:
            self.stop("vault: PATH needs `vault:` at the top level, with the address and how to log in", *at, *keys, "vault")
        path, _, field = shape.vault.partition("#")
        return Secret("vault", (path, field or keys[-1]), self.vault)

    def _secret(self, shape: SecretShape) -> Secret:
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


def _place(text: str) -> tuple[str, int | None, str] | None:
    """Host, port and path of a host, host:port or https URL; None for another text."""
    try:
        # A bare IPv6 address has colons and no brackets.
        bare = text.count(":") > 1 and not text.startswith(("[", "https://"))
        parts = urlsplit(text if "://" in text else f"https://{f'[{text}]' if bare else text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    return None if not host or parts.query else (host, port, parts.path)
