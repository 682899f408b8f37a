"""The certificate an endpoint shows, looked at whether it verifies or not; nothing is sent but the handshake."""

from __future__ import annotations

import hashlib
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.endpoints.common.routes import shaken
from auditor.endpoints.common.tls import tls_context, unchecked_context
from auditor.errors import EndpointUnreachableError, MalformedAnswerError

if TYPE_CHECKING:
    from datetime import datetime

    from auditor.model import Endpoint


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is written in it; whether that is true is another request.

    Attributes:
        subject: as RFC 4514 writes names; may be empty, as names stand in `names`.
        names: the host names and addresses it is for.
        not_after: aware, UTC.
        fingerprint: of the whole certificate, as fleet.yaml pins it: "sha256:" and 64 hexadecimal digits.
        protocol: spoken with us, for example TLSv1.3.
    """

    subject: str
    issuer: str
    names: tuple[str, ...]
    not_before: datetime
    not_after: datetime
    fingerprint: str
    protocol: str


def shown_certificate(endpoint: Endpoint) -> Certificate:
    """The certificate that `endpoint` shows; one connection, on which nothing else is sent.

    Raises:
        EndpointUnreachableError: no connection, or no TLS on it.
        MalformedAnswerError: what it shows cannot be read.
    """
    with _shaken(endpoint, unchecked_context()) as connection:
        der = connection.getpeercert(binary_form=True) or b""
        return _read(endpoint, der, connection.version() or "")


def verify_certificate(endpoint: Endpoint) -> None:
    """Shake hands with `endpoint` just as its clients do.

    Raises:
        EndpointUnreachableError: the certificate does not verify, by whatever way fleet.yaml asks for.
        ConfigurationError: the CA file cannot be read.
    """
    with _shaken(endpoint, tls_context(endpoint)):
        pass


def _shaken(endpoint: Endpoint, context: ssl.SSLContext) -> ssl.SSLSocket:
    seconds = endpoint.limits.timeout_seconds
    try:
        return shaken(endpoint, context)
    except ssl.SSLCertVerificationError as error:
        raise _failed(endpoint, f"its certificate does not verify: {error.verify_message}") from None
    except TimeoutError:
        raise _failed(endpoint, f"no TLS handshake within {seconds:g} s") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or str(error) or type(error).__name__
        raise _failed(endpoint, f"no TLS handshake: {reason}") from None


def _failed(endpoint: Endpoint, what: str) -> EndpointUnreachableError:
    return EndpointUnreachableError(
        f"endpoint {endpoint.name}: {what}",
        why="nothing is asked of an endpoint that does not prove who it is; no password was sent.",
        do=f"check that {endpoint.address}:{endpoint.port} is the management address, and any proxy between.",
    )


def _read(endpoint: Endpoint, der: bytes, protocol: str) -> Certificate:
    from cryptography import x509

    try:
        certificate = x509.load_der_x509_certificate(der)
        try:
            alternatives = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
            names = (
                *alternatives.get_values_for_type(x509.DNSName),
                *map(str, alternatives.get_values_for_type(x509.IPAddress)),
            )
        except x509.ExtensionNotFound:
            names = ()
        return Certificate(
            subject=certificate.subject.rfc4514_string(),
            issuer=certificate.issuer.rfc4514_string(),
            names=names,
            not_before=certificate.not_valid_before_utc,
            not_after=certificate.not_valid_after_utc,
            fingerprint=f"sha256:{hashlib.sha256(der).hexdigest()}",
            protocol=protocol,
        )
    except ValueError as error:
        raise MalformedAnswerError(
            f"endpoint {endpoint.name}: its certificate cannot be read: {error}",
            why="until when it is valid is unknown.",
            do="look at the certificate on the endpoint itself.",
        ) from None
