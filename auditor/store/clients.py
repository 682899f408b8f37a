"""The clients of object stores, as fsspec file systems that wait for nothing without a limit and log nothing of their own."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor.store.address import Address

CONNECT_SECONDS, READ_SECONDS = 10, 60
"""How long a store may take to answer, and between two pieces of an answer."""
_TRIES = 3
_LOGGERS = {"gs": ("gcsfs",), "abfs": ("adlfs", "azure")}
"""Their errors are raised as well; what they log is a traceback with addresses, or a warning for each request."""


def open_client(address: Address) -> Any:
    """The file system of an address, made without a look at the network.

    Raises:
        ImportError: its client is not installed.
        ValueError: the environment's settings for it are incomplete, or make no sense.
    """
    for name in _LOGGERS.get(address.scheme, ()):
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:  # where a level was set, somebody wants to see it
            logger.setLevel(logging.CRITICAL)
    return _OPENERS[address.scheme](address, {"skip_instance_cache": True, "use_listings_cache": False})


def _memory(_: Address, options: dict[str, Any]) -> Any:
    import fsspec

    return fsspec.filesystem("memory", **options)


def _s3(_: Address, options: dict[str, Any]) -> Any:
    import fsspec

    retries = {"mode": "standard", "total_max_attempts": 1}  # s3fs tries again itself
    limits = {"connect_timeout": CONNECT_SECONDS, "read_timeout": READ_SECONDS, "retries": retries}
    found = fsspec.filesystem("s3", config_kwargs=limits, **options)
    found.retries = _TRIES
    return found


def _gs(_: Address, options: dict[str, Any]) -> Any:
    """The file system without what it can do besides for zonal buckets: that asks another API, by gRPC, what sort each bucket is.

    It tries six times, within half a minute, and cannot be told to try less. Source: gcsfs 2026.10, extended_gcsfs.py and retry.py.
    """
    from aiohttp import ClientTimeout
    from gcsfs.core import GCSFileSystem

    return GCSFileSystem(requests_timeout=ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=READ_SECONDS), **options)


def _abfs(address: Address, options: dict[str, Any]) -> Any:
    """The file system of the account that the address names (`abfs://container@account.dfs.core.windows.net`), or the environment.

    A store that cannot be reached is tried for one and a half minutes, which cannot be changed. Source: adlfs 2026.8, spec.py.
    """
    from adlfs import AzureBlobFileSystem

    named = AzureBlobFileSystem._get_kwargs_from_urls(str(address))  # noqa: SLF001  what fsspec itself asks for an account's name
    return AzureBlobFileSystem(connection_timeout=CONNECT_SECONDS, read_timeout=READ_SECONDS, **named, **options)


_OPENERS: dict[str, Callable[[Address, dict[str, Any]], Any]] = {"memory": _memory, "s3": _s3, "gs": _gs, "abfs": _abfs}
