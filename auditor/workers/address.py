"""Addresses of schedulers and workers: TLS unless loopback is written with `tcp://`."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from auditor.errors import ConfigurationError

SCHEDULER_PORT = 8786
"""Where Dask's scheduler listens by default. Source: https://distributed.dask.org/en/stable/protocol.html"""

_WHY = "nothing was started or connected."


@dataclass(frozen=True, slots=True)
class Address:
    """Where somebody listens, or is to be reached."""

    host: str  # a name or an address, IPv6 without brackets
    port: int  # 0: any that is free
    is_encrypted: bool

    def __str__(self) -> str:
        """As Dask writes it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'tls' if self.is_encrypted else 'tcp'}://{host}:{self.port}"


def parse_address(text: str, option: str, default_port: int = SCHEDULER_PORT) -> Address:
    """The address that an option names.

    Args:
        text: host, host:port, or either behind ``tls://``, which is meant without it. ``tcp://`` is taken for loopback alone.
        option: its name, for the error.
        default_port: what is meant by a host alone.

    Raises:
        ConfigurationError: it is no address, or would send in clear over a network.
    """
    scheme, _, rest = text.rpartition("://")
    if scheme not in ("", "tls", "tcp") or "@" in rest:
        raise _no_address(option)
    bare = rest.count(":") > 1 and not rest.startswith("[")  # an IPv6 address has colons, and may come without brackets
    try:
        parts = urlsplit(f"//{f'[{rest}]' if bare else rest}")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _no_address(option) from None
    if not host or parts.path or parts.query or parts.fragment:
        raise _no_address(option)
    if scheme == "tcp" and not is_loopback(host):
        raise ConfigurationError(
            f"{option}: tcp:// is for loopback alone, and {host} is not",
            why=f"{_WHY} Without TLS anybody in between could run programs on every worker.",
            do=f"tls://{host}:{default_port if port is None else port}, with certificates of `auditor workers certificates --out DIR`.",
        )
    return Address(host, default_port if port is None else port, scheme != "tcp")


def is_loopback(host: str) -> bool:
    """Whether a host can only be this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _no_address(option: str) -> ConfigurationError:
    return ConfigurationError(
        f"{option} is not an address of the form HOST:PORT", why=_WHY, do=f"{option} tls://scheduler.example.net:{SCHEDULER_PORT}"
    )
