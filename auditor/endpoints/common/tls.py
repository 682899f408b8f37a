"""TLS towards endpoints: verified by default, also on loopback."""

from __future__ import annotations

import hashlib
import ssl
from typing import TYPE_CHECKING

from auditor.endpoints.common.routes import shaken
from auditor.errors import ConfigurationError, EndpointUnreachableError

if TYPE_CHECKING:
    from auditor.model import Endpoint


def tls_context(endpoint: Endpoint) -> ssl.SSLContext:
    """A context that checks `endpoint`'s certificate as its `tls` says.

    A fingerprint is looked at once, on a connection of its own; that very certificate then becomes the only trusted one, so every later
    connection is checked by the TLS library itself, whichever client opens it.

    Raises:
        ConfigurationError: the CA file cannot be read.
        EndpointUnreachableError: the address does not answer, or shows another certificate than the pinned one.
    """
    tls = endpoint.tls
    if not tls.verify:
        return unchecked_context()  # asked for in fleet.yaml, and said in every report
    if tls.fingerprint is not None:
        return _pinned(endpoint, tls.fingerprint)
    try:
        return ssl.create_default_context(cafile=tls.ca)
    except (OSError, ssl.SSLError) as error:
        raise ConfigurationError(
            f"endpoint {endpoint.name}: the CA file {tls.ca} cannot be used: {error}",
            why="without it the certificate cannot be verified, and nothing is asked unverified.",
            do="check the path in `tls: {ca: PATH}`; it has to hold PEM certificates.",
        ) from error


def unchecked_context() -> ssl.SSLContext:
    """A context that checks nothing: to look at a certificate, on a connection on which no request is sent."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _shown(endpoint: Endpoint) -> bytes:
    with shaken(endpoint, unchecked_context()) as connection:
        return connection.getpeercert(binary_form=True) or b""


def _pinned(endpoint: Endpoint, fingerprint: str) -> ssl.SSLContext:
    try:
        der = _shown(endpoint)
    except (OSError, ValueError) as error:
        raise EndpointUnreachableError(
            f"endpoint {endpoint.name}: {endpoint.address}:{endpoint.port} did not show a certificate: {error}",
            why="nothing on it was read.",
            do="check the address, the port and the firewall between.",
        ) from error
    seen = "sha256:" + hashlib.sha256(der).hexdigest()
    if seen != fingerprint:
        raise EndpointUnreachableError(
            f"endpoint {endpoint.name}: its certificate is {seen}, fleet.yaml pins {fingerprint}",
            why="somebody else may be answering at that address; nothing was sent.",
            do="compare with the certificate on the endpoint itself; pin the new one only if it was replaced.",
        )
    context = ssl.create_default_context(cadata=der)
    context.check_hostname = False  # the pin is stronger than a name
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context
