"""Checks before the login: the endpoint's name, its port, its certificate or host key, and our own secret."""

from __future__ import annotations

import ipaddress
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.doctor.permissions import readable_by_others
from auditor.endpoints.common.certificates import shown_certificate, verify_certificate
from auditor.endpoints.common.host_keys import shown_host_key, ssh_trust
from auditor.endpoints.common.routes import dial
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.common.time_limits import addresses_of, connected
from auditor.errors import AuditorError, ConfigurationError, EndpointError
from auditor.model import Check, Health, Jump, Sso
from auditor.model.endpoint_kinds import endpoint_type
from auditor.system.files import rights_are_told
from auditor.system.shell import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.common.certificates import Certificate
    from auditor.model import Endpoint, Secret

EXPIRY_WARNING_DAYS = 30
NOT_AUDITED = "nothing on it will be audited: every fact of it is unknown."
_IMPOSTOR = "somebody else may be answering at that address; no password is sent there, and nothing on it will be audited."


def shortly(error: AuditorError, endpoint: Endpoint) -> str:
    """The message of `error` without the name of its endpoint, for a place that names the endpoint already."""
    return error.what.removeprefix(f"endpoint {endpoint.name}: ")


def examine_connection(endpoint: Endpoint) -> Iterator[Check]:
    """Yield the checks "name", "port", "tls" or "host key", and "secret".

    Where there is no connection, the checks that need one are left out.
    """
    name = _name(endpoint)
    yield name
    if name.state is Health.OK:
        port = _port(endpoint)
        yield port
        if port.state is Health.OK:
            yield _host_key(endpoint) if endpoint_type(endpoint.kind).protocol == "ssh" else _tls(endpoint)
    yield _secret(endpoint)


def _name(endpoint: Endpoint) -> Check:
    at = partial(Check, endpoint.name, "name")
    if endpoint.route is not None:
        return at(Health.OK, f"{endpoint.address} is looked up by {endpoint.route}")
    try:
        ipaddress.ip_address(endpoint.address)
    except ValueError:
        pass
    else:
        return at(Health.OK, f"{endpoint.address} is an address", facts={"addresses": endpoint.address})
    try:
        known = addresses_of(endpoint.address, endpoint.port, endpoint.limits.timeout_seconds)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return at(
            Health.PROBLEM,
            f"{endpoint.address} does not resolve: {reason}",
            NOT_AUDITED,
            "correct `address:` of this endpoint in fleet.yaml, or the name servers of this machine.",
        )
    addresses = ", ".join(known)
    return at(Health.OK, f"{endpoint.address} is {addresses}", facts={"addresses": addresses})


def _port(endpoint: Endpoint) -> Check:
    at = partial(Check, endpoint.name, "port")
    if endpoint.route is not None:
        return _led_on(endpoint)
    seconds = endpoint.limits.timeout_seconds
    began = time.monotonic()
    try:
        with connected((endpoint.address, endpoint.port), seconds) as connection:
            took = time.monotonic() - began
            address = str(connection.getpeername()[0])
    except TimeoutError:
        reason = f"no answer within {seconds:g} s"
        do = "check the route and the firewalls between, or raise `limits: {timeout_seconds}` of this endpoint."
    except OSError as error:
        reason = error.strerror or str(error)
        do = f"check that the endpoint is up and answers at port {endpoint.port}, and the firewalls between."
    else:
        return at(
            Health.OK,
            f"{address} port {endpoint.port} connects in {1000 * took:.0f} ms",
            facts={"address": address, "port": endpoint.port, "seconds": round(took, 6)},
        )
    return at(Health.PROBLEM, f"port {endpoint.port} does not connect: {reason}", NOT_AUDITED, do)


def _led_on(endpoint: Endpoint) -> Check:
    """The check "port" where a proxy or a jump host leads to it."""
    at = partial(Check, endpoint.name, "port")
    if isinstance(endpoint.route, Jump):
        what = f"port {endpoint.port} is led to by {endpoint.route}; whether it answers shows in the next check"
        return at(Health.OK, what, facts={"route": str(endpoint.route)})
    try:
        dial(endpoint).socket.close()
    except (OSError, UnicodeError, EndpointError) as error:
        reason = shortly(error, endpoint) if isinstance(error, EndpointError) else str(error) or type(error).__name__
        do = "check `proxy:` or `jump:` of this endpoint in fleet.yaml, and what it lets through."
        return at(Health.PROBLEM, f"port {endpoint.port} does not connect: {reason}", NOT_AUDITED, do)
    return at(Health.OK, f"port {endpoint.port} connects through {endpoint.route}", facts={"route": str(endpoint.route)})


def _tls(endpoint: Endpoint) -> Check:
    at = partial(Check, endpoint.name, "tls")
    try:
        shown = shown_certificate(endpoint)
    except EndpointError as error:
        return at(Health.PROBLEM, shortly(error, endpoint), NOT_AUDITED, error.do)
    facts = {
        "subject": shown.subject,
        "issuer": shown.issuer,
        "names": ", ".join(shown.names),
        "not_after": shown.not_after.isoformat(),
        "fingerprint": shown.fingerprint,
        "protocol": shown.protocol,
        "trust": endpoint.trust,
    }
    at = partial(at, facts=facts)
    pin = f'`tls: {{fingerprint: "{shown.fingerprint}"}}`'
    if not endpoint.tls.verify:
        return at(
            Health.WARNING,
            f"NOT VERIFIED, as fleet.yaml asks; {_written(shown)}",
            "any machine that answers at that address gets the password, and may tell us anything.",
            f"compare with the certificate on the endpoint itself, then write {pin}.",
        )
    try:
        verify_certificate(endpoint)
    except (EndpointError, ConfigurationError) as error:
        if isinstance(error, ConfigurationError):
            return at(Health.PROBLEM, shortly(error, endpoint), NOT_AUDITED, error.do)
        do = f"give its authority by `tls: {{ca: PATH}}`; or compare with the certificate on the endpoint itself, then write {pin}."
        if endpoint.tls.fingerprint:
            do = f"compare with the certificate on the endpoint itself; only if it was replaced, write {pin}."
        return at(Health.PROBLEM, f"{shortly(error, endpoint)}; {_written(shown)}", _IMPOSTOR, do)
    way = "pinned certificate" if endpoint.tls.fingerprint else f"verified by {endpoint.tls.ca or 'the authorities of this machine'}"
    left = shown.not_after - datetime.now(UTC)
    if left.days < EXPIRY_WARNING_DAYS:
        return at(
            Health.WARNING,
            f"{way}, which expires in {left.days} days; {_written(shown)}",
            "from then on it no longer verifies, and nothing on the endpoint will be audited.",
            "have it renewed; a pin has to be written anew then.",
        )
    return at(Health.OK, f"{way}, valid until {shown.not_after:%Y-%m-%d}; {_written(shown)}")


def _written(shown: Certificate) -> str:
    """What identifies a certificate for people."""
    subject = shown.subject or ", ".join(shown.names) or "nobody"
    return f"for {subject}, issued by {shown.issuer or 'nobody'}"


def _host_key(endpoint: Endpoint) -> Check:
    at = partial(Check, endpoint.name, "host key")
    try:
        key = shown_host_key(endpoint)
    except (EndpointError, ConfigurationError) as error:
        return at(Health.PROBLEM, shortly(error, endpoint), NOT_AUDITED, error.do)
    at = partial(at, facts={"algorithm": key.algorithm, "fingerprint": key.fingerprint, "trust": endpoint.trust})
    pin = f'`ssh: {{fingerprint: "{key.fingerprint}"}}`'
    if key.trusted is None:
        return at(
            Health.WARNING,
            f"NOT VERIFIED, as fleet.yaml asks; {key.algorithm} {key.fingerprint}",
            "any machine that answers at that address gets the password, and may tell us anything.",
            f"compare with the key on the endpoint itself, then write {pin}.",
        )
    if not key.trusted:
        do = f"compare with the key on the endpoint itself, then write {pin}."
        return at(Health.PROBLEM, f"{key.algorithm} {key.fingerprint} is not trusted: {key.why}", _IMPOSTOR, do)
    way = "pinned" if ssh_trust(endpoint).fingerprint else "known"
    return at(Health.OK, f"{way}, {key.algorithm} {key.fingerprint}")


def _secret(endpoint: Endpoint) -> Check:
    at = partial(Check, endpoint.name, "secret")
    secret = endpoint.password
    try:
        key = _key_file(endpoint)
        if secret.way != "none":
            password_of(endpoint)
    except EndpointError as error:
        return at(Health.PROBLEM, shortly(error, endpoint), NOT_AUDITED, error.do)
    own = secret.argument[0] if secret.way == "file" else None
    found = ", ".join(filter(None, (f"the key {key} fits its certificate" if key else "", _found(secret))))
    for path in filter(None, (key, own)):
        if readers := readable_by_others(Path(path)):
            return at(
                Health.WARNING,
                f"{found}; {readers} may read {path}",
                "everybody who may log in to this machine can take what is in it, and with it the account.",
                f"`chmod 600 {quoted(path)}`; and change what is in it, if others have logged in meanwhile.",
                facts={"way": secret.way},
            )
    if (key or own) and not rights_are_told():
        found += "; who else may read it was not looked at: Windows keeps that in access lists (icacls shows them)"
    return at(Health.OK, found, facts={"way": secret.way})


def _found(secret: Secret) -> str:
    """Where a secret was found; "" where nothing has to be known."""
    if secret.way == "ask":
        return "typed at the terminal; a job and a worker will not have it"
    return f"found by {secret.way} {secret.argument[0]}" if secret.argument else ""


def _key_file(endpoint: Endpoint) -> str | None:
    """The file of the key that fleet.yaml names for a login, once it was seen to fit its certificate; None where it names none.

    Raises:
        CredentialsError: it cannot be used.
    """
    if not isinstance(endpoint.login, Sso) or endpoint.login.key is None:
        return None
    from auditor.endpoints.vcenter.certificate_files import signer_of

    signer_of(endpoint, endpoint.login)
    return endpoint.login.key
