"""The host key an endpoint that speaks SSH shows, and whether it is the one that is trusted; nobody logs in."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.routes import dial
from auditor.endpoints.common.time_limits import addresses_of
from auditor.errors import ConfigurationError, EndpointUnreachableError
from auditor.model import Ssh

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.model import Endpoint

OWN_KNOWN_HOSTS = "~/.ssh/known_hosts"
"""Where the trusted keys are, unless fleet.yaml says otherwise."""


@dataclass(frozen=True, slots=True)
class HostKey:
    """What was shown.

    Attributes:
        algorithm: for example ssh-ed25519.
        fingerprint: as ssh-keygen -l prints it and fleet.yaml pins it, "SHA256:...".
        trusted: whether it is a key that fleet.yaml, or the known_hosts file, names; None where `ssh: {verify: false}` asks for none.
        why: for people, when it is not trusted.
    """

    algorithm: str
    fingerprint: str
    trusted: bool | None
    why: str = ""


def ssh_trust(endpoint: Endpoint) -> Ssh:
    """How the host key of `endpoint` is checked; against the known_hosts file where nothing else is said."""
    return endpoint.ssh or Ssh()


def shown_host_key(endpoint: Endpoint) -> HostKey:
    """The key that `endpoint` shows; the key exchange is all that is done.

    Raises:
        EndpointUnreachableError: no connection, or no SSH on it.
        ConfigurationError: the known_hosts file that fleet.yaml names cannot be read.
    """
    known, revoked, where = _known(endpoint)
    key = _exchanged(endpoint, known)
    algorithm, fingerprint = key.get_algorithm(), key.get_fingerprint("sha256")
    ssh = ssh_trust(endpoint)
    if not ssh.verify:
        return HostKey(algorithm, fingerprint, None)
    if (pinned := ssh.fingerprint) is not None:
        why = "" if fingerprint == pinned else f"fleet.yaml pins {pinned}"
        return HostKey(algorithm, fingerprint, fingerprint == pinned, why)
    if key in revoked:
        return HostKey(algorithm, fingerprint, trusted=False, why=f"{where} has it as revoked")
    why = "" if key in known else f"{where} has {'another key' if known else 'no key'} for {endpoint.address}"
    return HostKey(algorithm, fingerprint, key in known, why)


def _exchanged(endpoint: Endpoint, known: Sequence[Any]) -> Any:
    import asyncssh

    seconds = endpoint.limits.timeout_seconds
    # A server with several keys shows the one that is asked for: ask for those that are known.
    wanted = tuple(dict.fromkeys(name.decode() for key in known for name in key.sig_algorithms)) or ()

    async def ask() -> Any:
        sock = None if line is None else line.socket
        asking = asyncssh.get_server_host_key(endpoint.address, endpoint.port, sock=sock, server_host_key_algs=wanted, config=None)
        return await asyncio.wait_for(asking, seconds)

    reason: str
    line = None
    try:
        line = dial(endpoint) if endpoint.route is not None else None
        key = asyncio.run(ask())
        if key is not None:
            return key
        reason = "it showed none"
    except TimeoutError:
        reason = f"no key exchange within {seconds:g} s"
    except (OSError, asyncssh.Error) as error:
        reason = str((line.trouble(error) if line is not None else None) or error) or type(error).__name__
    raise EndpointUnreachableError(
        f"endpoint {endpoint.name}: no host key: {reason}",
        why="nothing is asked of an endpoint that does not prove who it is; no password was sent.",
        do=f"check that SSH is answered at {endpoint.address}:{endpoint.port}.",
    )


def _known(endpoint: Endpoint) -> tuple[Sequence[Any], Sequence[Any], str]:
    """The keys that are trusted and revoked for the endpoint, and where that stands."""
    import asyncssh

    ssh = ssh_trust(endpoint)
    if not ssh.verify or ssh.fingerprint is not None:
        return (), (), "fleet.yaml"
    path = Path(ssh.known_hosts or OWN_KNOWN_HOSTS).expanduser()
    if ssh.known_hosts is None and not path.exists():
        return (), (), str(path)
    try:
        hosts = asyncssh.read_known_hosts(str(path))
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"endpoint {endpoint.name}: {path} cannot be used: {error}",
            why="without it the host key cannot be verified, and nothing is asked unverified.",
            do="check the path in `ssh: {known_hosts: PATH}`; it has to be a file in OpenSSH's form.",
        ) from error
    keys, _, revoked, *_ = hosts.match(endpoint.address, _address(endpoint), endpoint.port)
    return keys, revoked, str(path)


def _address(endpoint: Endpoint) -> str:
    if endpoint.route is not None:  # what leads there looks the name up
        return ""
    try:
        return addresses_of(endpoint.address, endpoint.port, endpoint.limits.timeout_seconds)[0]
    except (OSError, UnicodeError):
        return ""
