"""How a shell logs in to an ETERNUS DX: the password goes out once, and only to the host that is meant."""

from __future__ import annotations

import hmac
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.host_keys import OWN_KNOWN_HOSTS, ssh_trust
from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import asyncssh

    from auditor.model import Endpoint


def login_of(endpoint: Endpoint, password: str) -> Any:
    """What asyncssh asks for credentials and about host keys; the password goes out once, or a typing error would lock the account."""
    import asyncssh

    class Login(asyncssh.SSHClient):
        def __init__(self) -> None:
            self.shown = ""
            self._password: str | None = password

        def forget(self) -> None:
            self._password = None

        def _once(self) -> str | None:
            once, self._password = self._password, None
            return once

        def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:  # noqa: ARG002  theirs
            self.shown = key.get_fingerprint("sha256")
            wanted = ssh_trust(endpoint).fingerprint
            return wanted is not None and hmac.compare_digest(self.shown, wanted)

        def password_auth_requested(self) -> str | None:
            return self._once()

        def kbdint_auth_requested(self) -> str | None:
            return "" if self._password is not None else None

        def kbdint_challenge_received(
            self,
            name: str,  # noqa: ARG002  theirs
            instructions: str,  # noqa: ARG002  theirs
            lang: str,  # noqa: ARG002  theirs
            prompts: Sequence[tuple[str, bool]],
        ) -> list[str] | None:
            if not prompts:
                return []  # only words
            # One request whose answer is not shown: the password. Anything else is not ours to answer.
            if len(prompts) == 1 and not prompts[0][1] and (answer := self._once()) is not None:
                return [answer]
            return None

    return Login()


def known_hosts(endpoint: Endpoint) -> asyncssh.SSHKnownHosts | None:
    """The keys to compare with; None compares nothing, and only `verify: false` says so."""
    import asyncssh

    ssh = ssh_trust(endpoint)
    if not ssh.verify:
        return None
    nobody = asyncssh.import_known_hosts("")
    if ssh.fingerprint:
        return nobody  # then validate_host_public_key is asked
    own = Path(OWN_KNOWN_HOSTS).expanduser()
    path = Path(ssh.known_hosts) if ssh.known_hosts else own
    if path == own and not path.exists():
        return nobody
    try:
        return asyncssh.read_known_hosts(str(path))
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"endpoint {endpoint.name}: the known_hosts file {path} cannot be read: {type(error).__name__}",
            why="without it nobody can say whether the array is the array, so nothing was read.",
            do="correct `ssh: {known_hosts: ...}` of this endpoint in fleet.yaml, or give a fingerprint.",
        ) from error
