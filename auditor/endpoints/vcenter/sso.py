"""Tokens of vCenter's single sign-on: SAML assertions from its security token service (STS), by a password or a certificate.

A token is asked for at every login and thrown away after it: the session that it opens outlives it.

Source: OASIS WS-Trust 1.4, Issue binding; the service's path, its request and its answer: govmomi, sts/client.go and sts/internal/types.go,
pyVmomi, pyVim/sso.py (https://github.com/vmware/govmomi, https://github.com/vmware/pyvmomi). A real vCenter was not asked.
"""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from auditor.endpoints.common.https import HttpsSession, Request
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.vcenter.certificate_files import signer_of
from auditor.endpoints.vcenter.security_header import RSA_SHA256, Token, new_id, utc, with_certificate, with_password
from auditor.errors import CredentialsError, MalformedAnswerError

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.security_header import Signer
    from auditor.model import Endpoint, Sso

TOKEN_SECONDS = 300
"""The lifetime that a request asks for. vCenter's default policy gives a bearer token no more. Source: govmomi, cli/session/login.go."""

MOST_TOKEN_BYTES = 1 << 20
_TRUST = "http://docs.oasis-open.org/ws-sx/ws-trust/200512"
_ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion"
_BEGINS = re.compile(r"<((?:[A-Za-z_][\w.-]*:)?)Assertion[\s>]")
_FAULT = re.compile(r"<faultcode[^<>]*>\s*(?:[A-Za-z_][\w.-]*:)?([A-Za-z]{1,60})\s*</faultcode>")
_NOT_READ = "nothing on it was read."
_UNFIT = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML has no way to write. Source: XML 1.0, `Char`."""


def token_of(endpoint: Endpoint, sso: Sso) -> tuple[Token, Signer | None]:
    """A token, and the signer of requests that carry it; None for a bearer token, which needs no signature.

    Raises:
        CredentialsError: the service refuses, or what logs in cannot be looked up.
        ConfigurationError: certificate or key cannot be used.
        EndpointError: the service does not answer, or not as it should.
    """
    signer = None if sso.certificate is None else signer_of(endpoint, sso)
    if sso.has_token:
        return _given(endpoint), signer
    if signer is not None:
        signature_id = new_id()
        return _issued(endpoint, sso.sts, with_certificate(_request("PublicKey", signature_id), signer, signature_id)), signer
    username, password = endpoint.username, password_of(endpoint)
    if _UNFIT.search(username + password):
        do = "log in by `username` and `password` without `sso:`, or change the password."
        what = f"endpoint {endpoint.name}: the user name or password has a character that no token request can hold"
        raise CredentialsError(what, why=_NOT_READ, do=do)
    return _issued(endpoint, sso.sts, with_password(_request("Bearer"), username, password)), None


def _given(endpoint: Endpoint) -> Token:
    """The token that fleet.yaml refers to."""
    token = _token_in(password_of(endpoint).strip(), alone=True)
    if token is None:
        do = "give the whole <Assertion> element, as `govc session.login -issue` prints it."
        raise CredentialsError(f"endpoint {endpoint.name}: what `token:` gives is no SAML 2.0 assertion", why=_NOT_READ, do=do)
    return token


def _request(key_type: str, signature_id: str = "") -> str:
    """The XML of a request for a token, in canonical form, as it may be signed; a request for a bearer token names no key.

    The prefix wsu is declared by the body around it.
    """
    now = datetime.now(UTC)
    use = f'<UseKey Sig="{signature_id}"></UseKey>' if signature_id else ""
    return (
        f'<RequestSecurityToken xmlns="{_TRUST}"><TokenType>{_ASSERTION}</TokenType><RequestType>{_TRUST}/Issue</RequestType>'
        f"<Lifetime><wsu:Created>{utc(now)}</wsu:Created>"
        f"<wsu:Expires>{utc(now + timedelta(seconds=TOKEN_SECONDS))}</wsu:Expires></Lifetime>"
        '<Renewing Allow="false" OK="false"></Renewing><Delegatable>false</Delegatable>'
        f"<KeyType>{_TRUST}/{key_type}</KeyType><SignatureAlgorithm>{RSA_SHA256}</SignatureAlgorithm>{use}</RequestSecurityToken>"
    )


def _issued(endpoint: Endpoint, sts: str, envelope: bytes) -> Token:
    """The token that the service gives for a request."""
    headers = {"Content-Type": "text/xml; charset=utf-8", "Accept": "text/xml", "SOAPAction": f'"{_TRUST}/RST/Issue"'}
    with closing(HttpsSession(replace(endpoint, tap=None), sts)) as session:  # no recording has what logs in
        # Once: a wrong password that is sent again locks the account.
        answer = session.ask(Request("the token service", "POST", "", is_read=False, content=envelope, headers=headers))
    text = answer.body.decode("utf-8", "replace") if len(answer.body) <= MOST_TOKEN_BYTES else ""
    fault = _FAULT.search(text)
    if fault is not None:
        do = "check who logs in by fleet.yaml; a code that names time or expiry is of the clocks of this machine and the vCenter."
        what = f"endpoint {endpoint.name}: its token service refuses {endpoint.who}: {fault[1]}"
        raise CredentialsError(what, why=_NOT_READ, do=do)
    token = _token_in(text, alone=False) if answer.status == 200 else None
    if token is None:
        do = f"check that {endpoint.address}:{endpoint.port} is a vCenter; `sts:` under `sso:` names another path than {sts}."
        what = f"endpoint {endpoint.name}: HTTP {answer.status}, {len(answer.body)} bytes of its token service hold no token"
        raise MalformedAnswerError(what, why=_NOT_READ, do=do)
    return token


def _token_in(text: str, *, alone: bool) -> Token | None:
    """The assertion in an answer, or `text` itself where it is one (`alone`); None where there is none, or it is not complete."""
    begin = _BEGINS.match(text) if alone else _BEGINS.search(text)
    if begin is None:
        return None
    # Its first beginning and its last end, each looked for once: an answer of nothing but beginnings is to cost no more than another one.
    last = text.rfind(f"</{begin[1]}Assertion", begin.end())
    end = text.find(">", last) + 1 if last > 0 else 0
    whole = text[begin.start() : end]
    if not whole or (alone and end < len(text)):
        return None
    try:
        root = ElementTree.fromstring(whole)  # noqa: S314  it begins with an element, so it has no document type, the way to such attacks
    except ElementTree.ParseError:
        return None
    name = root.get("ID", "")
    return Token(whole, name) if root.tag == f"{{{_ASSERTION}}}Assertion" and re.fullmatch(r"[A-Za-z_][\w.-]*", name) else None
