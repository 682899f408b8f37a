"""What a store refused, as an error that a person can act on. No text of a store's answer is passed on: some repeat what was sent."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.store.address import Address

EXTRAS = {"s3": "scale", "gs": "gcs", "abfs": "azure"}
"""The extra that brings the client of a store."""
_CLASSES = {
    "s3": ("botocore.exceptions:BotoCoreError", "botocore.exceptions:ClientError"),
    "gs": ("gcsfs.retry:HttpError", "google.auth.exceptions:GoogleAuthError", "aiohttp:ClientError"),
    "abfs": ("azure.core.exceptions:AzureError",),
    "memory": (),
}
"""What the clients raise besides OSError. Source: s3fs 2026.9, errors.py; gcsfs and adlfs were not tried, they are not installed here."""
_CREDENTIALS = ("NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError", "ProfileNotFound", "GoogleAuthError")
_ENVIRONMENT = {
    "s3": "AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; AWS_ENDPOINT_URL where it is not Amazon's",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "abfs": "AZURE_STORAGE_ACCOUNT_NAME, and AZURE_STORAGE_ACCOUNT_KEY or a managed identity",
    "memory": "none is needed",
}


def missing_client(address: Address) -> ConfigurationError:
    """The error to raise where the client of a store is not installed."""
    return ConfigurationError(
        f"{address}: the client of {address.scheme}:// is not installed",
        why="nothing was read or written.",
        do=f'pip install "auditor[{EXTRAS.get(address.scheme, "scale")}]"',
    )


@contextmanager
def translated(address: Address, doing: str, why: str) -> Iterator[None]:
    """Raise what the client of a store raises as a StoreError.

    Args:
        address: of the store.
        doing: what is being done, as in "cannot {doing} s3://bucket/prefix".
        why: what the reader loses by it.
    """
    try:
        yield
    except _failures(address.scheme) as error:
        kind, do = _reason(address, error)
        raise StoreError(f"cannot {doing} {address}: {kind}", why=why, do=do) from None  # the cause may name what was signed


def _failures(scheme: str) -> tuple[type[Exception], ...]:
    """OSError, and the classes of errors of a store's client that is installed."""
    found: list[type[Exception]] = [OSError]
    for place in _CLASSES[scheme]:
        module, _, name = place.partition(":")
        try:
            found.append(getattr(import_module(module), name))
        except ImportError:
            continue
    return tuple(found)


def _reason(address: Address, error: Exception) -> tuple[str, str]:
    """What happened, and what to do about it."""
    environment = f"the environment of this process has them: {_ENVIRONMENT[address.scheme]}."
    name = type(error).__name__
    if name in _CREDENTIALS:
        return "no credentials were found", environment
    if isinstance(error, PermissionError):
        return "the store refuses it (403)", f"check the account's rights on the bucket, and its credentials; {environment}"
    if isinstance(error, FileNotFoundError):
        return "there is no such bucket or object", f"check the name, and make the bucket {address.path.partition('/')[0]} where it is new."
    if "Timeout" in name or isinstance(error, TimeoutError):
        return "the store did not answer in time", "check the way to it (AWS_ENDPOINT_URL, proxy, firewall), then try again."
    if "Connection" in name:
        return "the store cannot be reached", "check the way to it (AWS_ENDPOINT_URL, proxy, firewall), then try again."
    return f"{name} of its client", "look at the store's own log, then try again."
