"""SOAP requests that prove who sends them: WS-Security headers with a password, a SAML token, or a signature by a key of RSA.

A signature is over bytes, so both sides have to write the signed elements alike, in the canonical form of XML. Here they are written in it
at once: prefixes are declared where they are first used, attributes are in order, and no element is empty. So nothing has to be parsed to
sign it.

Source: OASIS Web Services Security, SOAP Message Security 1.1, X.509 Token Profile 1.1 and SAML Token Profile 1.1; W3C XML Signature and
Exclusive XML Canonicalization 1.0. What of them vCenter takes: govmomi, sts/signer.go; pyVmomi, pyVim/sso.py
(https://github.com/vmware/govmomi, https://github.com/vmware/pyvmomi). A real vCenter was not asked.
"""

from __future__ import annotations

import base64
import hashlib
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
_WSS = "http://docs.oasis-open.org/wss"
WSU = f"{_WSS}/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
WSSE = f"{_WSS}/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
_WSSE11 = f"{_WSS}/oasis-wss-wssecurity-secext-1.1.xsd"
_X509 = f"{_WSS}/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3"
_BASE64 = f"{_WSS}/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary"
_SAML = f"{_WSS}/oasis-wss-saml-token-profile-1.1"
_DSIG = "http://www.w3.org/2000/09/xmldsig#"
_C14N = "http://www.w3.org/2001/10/xml-exc-c14n#"
_SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256"
RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"

_REQUEST_SECONDS = 60
"""How long a request is good for after it was written. Source: govmomi and pyVmomi have the same."""


@dataclass(frozen=True, slots=True)
class Signer:
    """A certificate and its key; `certificate` is DER in base64."""

    certificate: str
    key: RSAPrivateKey

    def __repr__(self) -> str:
        """Nothing of the key."""
        return "Signer()"

    def pem(self) -> str:
        """The key as PEM, without a passphrase: for memory alone."""
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        return self.key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()


@dataclass(frozen=True, slots=True)
class Token:
    """A SAML assertion as the token service wrote it, to the byte: it is signed itself. `id` is its ID."""

    text: str
    id: str

    def __repr__(self) -> str:
        """Nothing of the assertion, which is as good as a password."""
        return "Token()"


def new_id() -> str:
    """An id that no other element has; one of XML begins with no digit."""
    return f"_{uuid.uuid4()}"


def utc(moment: datetime) -> str:
    """A moment as these protocols write it, with three digits behind the second."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"


def with_password(body: str, username: str, password: str) -> bytes:
    """An envelope whose header holds a user name and a password."""
    who = f"<wsse:Username>{escape(username)}</wsse:Username><wsse:Password>{escape(password)}</wsse:Password>"
    return _envelope(f"{_timestamp(new_id())}<wsse:UsernameToken>{who}</wsse:UsernameToken>", _body(body, new_id()))


def with_token(body: str, token: Token, signer: Signer | None) -> bytes:
    """An envelope whose header holds a token; it is signed where the token is one for the holder of a key."""
    if signer is None:
        return _envelope(f"{_timestamp(new_id())}{token.text}", _body(body, new_id()))
    reference = (
        f'<wsse:SecurityTokenReference xmlns:wsse11="{_WSSE11}" wsse11:TokenType="{_SAML}#SAMLV2.0">'
        f'<wsse:KeyIdentifier ValueType="{_SAML}#SAMLID">{escape(token.id)}</wsse:KeyIdentifier></wsse:SecurityTokenReference>'
    )
    return _signed(body, token.text, reference, signer, new_id())


def with_certificate(body: str, signer: Signer, signature_id: str) -> bytes:
    """A signed envelope whose header holds the certificate; `signature_id` is what the body calls the signature."""
    token_id = new_id()
    token = (
        f'<wsse:BinarySecurityToken EncodingType="{_BASE64}" ValueType="{_X509}" wsu:Id="{token_id}">{signer.certificate}'
        "</wsse:BinarySecurityToken>"
    )
    reference = (
        f'<wsse:SecurityTokenReference><wsse:Reference URI="#{token_id}" ValueType="{_X509}"></wsse:Reference>'
        "</wsse:SecurityTokenReference>"
    )
    return _signed(body, token, reference, signer, signature_id)


def _signed(body: str, token: str, reference: str, signer: Signer, signature_id: str) -> bytes:
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.hashes import SHA256

    timestamp_id, body_id = new_id(), new_id()
    timestamp, whole_body = _timestamp(timestamp_id), _body(body, body_id)
    info = (
        f'<ds:SignedInfo xmlns:ds="{_DSIG}"><ds:CanonicalizationMethod Algorithm="{_C14N}"></ds:CanonicalizationMethod>'
        f'<ds:SignatureMethod Algorithm="{RSA_SHA256}"></ds:SignatureMethod>'
        f"{_reference(timestamp_id, timestamp)}{_reference(body_id, whole_body)}</ds:SignedInfo>"
    )
    value = base64.b64encode(signer.key.sign(info.encode(), PKCS1v15(), SHA256())).decode()
    signature = (
        f'<ds:Signature xmlns:ds="{_DSIG}" Id="{signature_id}">{info}<ds:SignatureValue>{value}</ds:SignatureValue>'
        f"<ds:KeyInfo>{reference}</ds:KeyInfo></ds:Signature>"
    )
    return _envelope(f"{timestamp}{token}{signature}", whole_body)


def _reference(element_id: str, element: str) -> str:
    digest = base64.b64encode(hashlib.sha256(element.encode()).digest()).decode()
    return (
        f'<ds:Reference URI="#{element_id}"><ds:Transforms><ds:Transform Algorithm="{_C14N}"></ds:Transform></ds:Transforms>'
        f'<ds:DigestMethod Algorithm="{_SHA256}"></ds:DigestMethod><ds:DigestValue>{digest}</ds:DigestValue></ds:Reference>'
    )


def _timestamp(element_id: str) -> str:
    now = datetime.now(UTC)
    return (
        f'<wsu:Timestamp xmlns:wsu="{WSU}" wsu:Id="{element_id}"><wsu:Created>{utc(now)}</wsu:Created>'
        f"<wsu:Expires>{utc(now + timedelta(seconds=_REQUEST_SECONDS))}</wsu:Expires></wsu:Timestamp>"
    )


def _body(content: str, element_id: str) -> str:
    return f'<soap:Body xmlns:soap="{SOAP}" xmlns:wsu="{WSU}" wsu:Id="{element_id}">{content}</soap:Body>'


def _envelope(security: str, body: str) -> bytes:
    head = f'<wsse:Security xmlns:wsse="{WSSE}" xmlns:wsu="{WSU}">{security}</wsse:Security>'
    return f'<soap:Envelope xmlns:soap="{SOAP}"><soap:Header>{head}</soap:Header>{body}</soap:Envelope>'.encode()
