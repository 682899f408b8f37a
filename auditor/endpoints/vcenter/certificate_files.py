"""The certificate and the key that fleet.yaml names for a login."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.bounds.files import read_bytes
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.vcenter.security_header import Signer
from auditor.errors import CredentialsError

if TYPE_CHECKING:
    from auditor.model import Endpoint, Sso


def signer_of(endpoint: Endpoint, sso: Sso) -> Signer:
    """The certificate and the key of `sso`, which belong to each other.

    Raises:
        CredentialsError: a file cannot be read, the key is none of RSA or needs another passphrase, or the certificate is over.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key

    assert sso.certificate is not None  # noqa: S101  its caller has looked
    assert sso.key is not None  # noqa: S101  the reader of the file has seen to it
    passphrase = None if sso.has_token or endpoint.password.way == "none" else password_of(endpoint).encode()
    try:
        certificate = x509.load_pem_x509_certificate(read_bytes(Path(sso.certificate)))
    except (OSError, ValueError) as error:
        raise _unusable(endpoint, "certificate", sso.certificate, error) from None
    try:
        key = load_pem_private_key(read_bytes(Path(sso.key)), passphrase)
    except (OSError, ValueError, TypeError) as error:  # TypeError: it has a passphrase and none is given, or the other way round
        raise _unusable(endpoint, "key", sso.key, error) from None
    if not isinstance(key, RSAPrivateKey) or key.public_key() != certificate.public_key():
        raise _failed(endpoint, f"the key {sso.key} is not the RSA key of the certificate {sso.certificate}", "give both of one pair.")
    if certificate.not_valid_after_utc < datetime.now(UTC):
        over = f"the certificate {sso.certificate} was valid until {certificate.not_valid_after_utc:%Y-%m-%d}"
        raise _failed(endpoint, over, "have it renewed, and the new one registered with vCenter.")
    return Signer(base64.b64encode(certificate.public_bytes(Encoding.DER)).decode(), key)


def _unusable(endpoint: Endpoint, what: str, path: str, error: Exception) -> CredentialsError:
    reason = "it is no PEM, or needs another passphrase" if isinstance(error, ValueError | TypeError) else type(error).__name__
    return _failed(endpoint, f"the {what} {path} cannot be used: {reason}", f"correct `{what}:` or `passphrase:` under `sso:`.")


def _failed(endpoint: Endpoint, what: str, do: str) -> CredentialsError:
    return CredentialsError(f"endpoint {endpoint.name}: {what}", why="nothing on it was read.", do=do)
