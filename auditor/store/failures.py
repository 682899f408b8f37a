"""What a store refused, as an error that a person can act on. No text of a store's answer is passed on: some repeat what was sent."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from auditor.bounds.extras import how_to_install
from auditor.errors import ConfigurationError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.store.address import Address

EXTRAS = {"s3": "scale", "gs": "gcs", "abfs": "azure"}
"""The extra that brings the client of a store."""
_CLASSES = {
    "s3": ("botocore.exceptions:BotoCoreError", "botocore.exceptions:ClientError"),
    "gs": ("gcsfs.retry:HttpError", "gcsfs.retry:ChecksumError", "google.auth.exceptions:GoogleAuthError", "aiohttp:ClientError"),
    "abfs": ("azure.core.exceptions:AzureError",),
    "memory": (),
}
"""What the clients raise besides OSError, ValueError and RuntimeError.

Source: s3fs 2026.9, errors.py; gcsfs 2026.10, retry.py; adlfs 2026.8.
"""
_CREDENTIALS = frozenset(
    [
        "NoCredentialsError",
        "PartialCredentialsError",
        "CredentialRetrievalError",
        "ProfileNotFound",
        "GoogleAuthError",
        "ClientAuthenticationError",
    ]
)
_ENVIRONMENT = {
    "s3": "AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; AWS_ENDPOINT_URL where it is not Amazon's",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "abfs": "AZURE_STORAGE_CONNECTION_STRING; or AZURE_STORAGE_ACCOUNT_NAME, with AZURE_STORAGE_ACCOUNT_KEY or an identity of the machine",
    "memory": "none is needed",
}
_AUTHORITY = "AWS_CA_BUNDLE for S3, SSL_CERT_FILE for the others"
_WAY = {"s3": "AWS_ENDPOINT_URL, ", "abfs": "the account's name, "}
"""What leads to a store, besides proxy and firewall."""


def missing_client(address: Address) -> ConfigurationError:
    """The error to raise where the client of a store is not installed."""
    return ConfigurationError(
        f"{address}: the client of {address.scheme}:// is not installed",
        why="nothing was read or written.",
        do=how_to_install(EXTRAS.get(address.scheme, "scale")),
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
    except failures_of(address.scheme) as error:
        kind, do = _reason(address, error)
        raise StoreError(f"cannot {doing} {address}: {kind}", why=why, do=do) from None  # the cause may name what was signed


def failures_of(scheme: str) -> tuple[type[Exception], ...]:
    """OSError, ValueError, RuntimeError, and the classes of errors of a store's client that is installed."""
    found: list[type[Exception]] = [OSError, ValueError, RuntimeError]
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
    name, status = type(error).__name__, _status(address.scheme, error)
    if status == 401:
        return "the store does not know these credentials (401)", environment
    if is_refusal(address, error):
        return "the store refuses it (403)", f"check the account's rights on the bucket, and its credentials; {environment}"
    if not _CREDENTIALS.isdisjoint(one.__name__ for one in type(error).__mro__):
        return "no credentials were found", environment
    if isinstance(error, FileNotFoundError):
        return "there is no such bucket or object", f"check the name, and make the bucket {address.path.partition('/')[0]} where it is new."
    way = f"check the way to it ({_WAY.get(address.scheme, '')}proxy, firewall), then try again."
    if "Timeout" in name or name == "ServiceResponseError" or isinstance(error, TimeoutError):
        return "the store did not answer in time", way
    if "SSL" in name or "Certificate" in name:
        return "TLS with the store failed", f"look who answers in its place, and which authority signed its certificate ({_AUTHORITY})."
    if "connect" in name.lower() or name == "ServiceRequestError":
        return "the store cannot be reached", way
    if isinstance(error, ValueError | RuntimeError):
        do = f"check the settings for it ({_ENVIRONMENT[address.scheme]}), and whether a proxy answers in its place."
        return "its client makes no sense of its settings or of an answer", do
    return f"{name} of its client", "look at the store's own log, then try again."


def is_refusal(address: Address, error: Exception) -> bool:
    """Whether a store refused what the account has no right to do."""
    return isinstance(error, PermissionError) or _status(address.scheme, error) == 403


def _status(scheme: str, error: Exception) -> int | None:
    """The status of HTTP that an error is about; None where it does not say.

    Google's client has it in `code`, and raises a refusal as a plain OSError; Azure's has it in `status_code`.
    """
    if scheme == "gs" and isinstance(error, OSError) and str(error).startswith("Forbidden:"):
        return 403
    found = str(getattr(error, "status_code", None) or getattr(error, "code", None))
    return int(found) if found.isdecimal() else None
