"""A vCenter with single sign-on: the lab's, and before it what issues and takes tokens and checks signatures.

Signatures are checked by lxml, which knows nothing of how ours are made: it brings the elements into canonical form itself.
"""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509 import load_der_x509_certificate
from lxml import etree  # type: ignore[import-untyped]  # it ships no types

from auditor_lab.vcenter.soap.sessions import cookie
from auditor_lab.wire import Answer, Request
from tests.conftest import VCENTER_PASSWORD

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

    from auditor_lab.vcenter.server import VCenterServer

_WSS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity"
SPACES = {
    "soap": "http://schemas.xmlsoap.org/soap/envelope/",
    "wsu": f"{_WSS}-utility-1.0.xsd",
    "wsse": f"{_WSS}-secext-1.0.xsd",
    "ds": "http://www.w3.org/2000/09/xmldsig#",
    "wst": "http://docs.oasis-open.org/ws-sx/ws-trust/200512",
    "saml2": "urn:oasis:names:tc:SAML:2.0:assertion",
    "vim": "urn:vim25",
}
_ID = f"{{{SPACES['wsu']}}}Id"
USER = "audit@vsphere.local"


class Refused(Exception):  # noqa: N818  it is no error here
    """What the double answers with a fault of this code."""


class SingleSignOn:
    """Stands before a vCenter of the lab.

    Attributes:
        registered: the certificate that a token for its holder is issued to.
        issued: the tokens by their id, and the certificate of its holder; None: a bearer token.
        odd: what the token service answers in the place of a token.
    """

    def __init__(self, server: VCenterServer, registered: Certificate) -> None:
        self.server, self.registered = server, registered
        self.issued: dict[str, tuple[str, Certificate | None]] = {}
        self.odd: Answer | None = None
        self.account = USER, VCENTER_PASSWORD
        self.automation: list[dict[str, Any]] = []
        self.requests: list[str] = []
        self._plain = server._wire.answer
        server._wire.answer = self.answer

    def answer(self, request: Request) -> Answer:
        try:
            if request.path == "/sts/STSService":
                self.requests.append("Issue")
                return self.odd or self._issue(request)
            if b"<LoginByToken " in request.body:
                self.requests.append("LoginByToken")
                return self._log_in(request)
            if request.path == "/api" and b"com.vmware.cis.session" in request.body and b"create" in request.body:
                return self._automation(request)
        except Refused as refused:
            return fault(str(refused))
        return self._plain(request)

    def _issue(self, request: Request) -> Answer:
        assert request.headers["soapaction"] == '"http://docs.oasis-open.org/ws-sx/ws-trust/200512/RST/Issue"'
        envelope = etree.fromstring(request.body)
        wanted = one(envelope, "soap:Body/wst:RequestSecurityToken")
        assert text(wanted, "wst:TokenType") == SPACES["saml2"]
        assert text(wanted, "wst:RequestType").endswith("/Issue")
        in_time(one(wanted, "wst:Lifetime"), timedelta(minutes=5))
        in_time(one(envelope, "//wsu:Timestamp"), timedelta(minutes=1))
        if text(wanted, "wst:KeyType").endswith("/Bearer"):
            given = text(envelope, "//wsse:Username"), text(envelope, "//wsse:Password")
            if given != self.account:
                raise Refused("FailedAuthentication")
            return self._token(None)
        der = base64.b64decode(text(envelope, "//wsse:BinarySecurityToken"))
        reference = one(envelope, "//ds:KeyInfo/wsse:SecurityTokenReference/wsse:Reference")
        assert reference.get("URI") == "#" + one(envelope, "//wsse:BinarySecurityToken").get(_ID)
        assert one(wanted, "wst:UseKey").get("Sig") == one(envelope, "//ds:Signature").get("Id")
        certificate = load_der_x509_certificate(der)
        check_signature(envelope, certificate)
        if certificate != self.registered:
            raise Refused("FailedAuthentication")
        return self._token(certificate)

    def _token(self, holder: Certificate | None) -> Answer:
        name, method = f"_{uuid.uuid4()}", "bearer" if holder is None else "holder-of-key"
        # Written as nobody else would: a signature of the service's own covers it, so it has to come back to the byte.
        token = (
            f"<saml2:Assertion  xmlns:saml2='{SPACES['saml2']}' Version=\"2.0\"\n ID='{name}'><saml2:Subject><saml2:NameID>{USER}"
            "</saml2:NameID><saml2:SubjectConfirmation "
            f"Method='urn:oasis:names:tc:SAML:2.0:cm:{method}'/></saml2:Subject></saml2:Assertion >"
        )
        self.issued[name] = token, holder
        body = (
            f'<wst:RequestSecurityTokenResponseCollection xmlns:wst="{SPACES["wst"]}"><wst:RequestSecurityTokenResponse>'
            f"<wst:RequestedSecurityToken>{token}</wst:RequestedSecurityToken></wst:RequestSecurityTokenResponse>"
            "</wst:RequestSecurityTokenResponseCollection>"
        )
        return envelope_of(body)

    def _log_in(self, request: Request) -> Answer:
        envelope = etree.fromstring(request.body)
        name = one(envelope, "//wsse:Security/saml2:Assertion").get("ID")
        token, holder = self.issued.get(name, ("", None))
        if not token or token.encode() not in request.body:
            raise Refused("InvalidLogin")
        if holder is not None:
            assert text(envelope, "//ds:KeyInfo//wsse:KeyIdentifier") == name
            check_signature(envelope, holder)
        session = self.server.sessions.login(USER, VCENTER_PASSWORD)
        about = session.about()
        fields = f"<key>{about.key}</key><userName>{USER}</userName><fullName>{USER}</fullName>"
        times = "".join(f"<{tag}>{about.loginTime.isoformat()}</{tag}>" for tag in ("loginTime", "lastActiveTime"))
        user = f"<returnval>{fields}{times}<locale>en</locale><messageLocale>en</messageLocale></returnval>"
        answer = envelope_of(f'<LoginByTokenResponse xmlns="urn:vim25">{user}</LoginByTokenResponse>')
        return Answer(answer.body, answer.content_type, 200, (cookie(session),))

    def _automation(self, request: Request) -> Answer:
        sent = json.loads(request.body)
        security = sent["params"]["ctx"]["securityCtx"]
        self.automation.append(security)
        token = security.get("samlToken") or security["signature"]["samlToken"]
        assert token in [issued for issued, _ in self.issued.values()]
        key = self.server.vapi.sessions.login(USER, VCENTER_PASSWORD).key
        result = {"output": {"SECRET": key}}
        return Answer(json.dumps({"jsonrpc": "2.0", "id": sent["id"], "result": result}).encode(), "application/json")


def one(element: Any, path: str) -> Any:
    [found] = element.xpath(path, namespaces=SPACES)
    return found


def text(element: Any, path: str) -> str:
    return str(one(element, path).text)


def in_time(element: Any, most: timedelta) -> None:
    begins, ends = (datetime.fromisoformat(text(element, f"wsu:{name}")) for name in ("Created", "Expires"))
    assert ends - begins == most
    assert begins <= datetime.now(UTC) + timedelta(seconds=1)
    assert datetime.now(UTC) < ends


def check_signature(envelope: Any, certificate: Certificate) -> None:
    """Hold the signature to the key of a certificate, and what it covers to what is there: the body and the time stamp."""
    info = one(envelope, "//ds:Signature/ds:SignedInfo")
    public: Any = certificate.public_key()
    public.verify(base64.b64decode(text(envelope, "//ds:SignatureValue")), canonical(info), PKCS1v15(), SHA256())
    covered = set()
    for reference in info.findall(f"{{{SPACES['ds']}}}Reference"):
        [element] = (each for each in envelope.iter() if each.get(_ID) == reference.get("URI")[1:])
        digest = base64.b64encode(hashlib.sha256(canonical(element)).digest()).decode()
        assert digest == text(reference, "ds:DigestValue"), element.tag
        covered.add(element.tag)
    assert covered == {f"{{{SPACES['soap']}}}Body", f"{{{SPACES['wsu']}}}Timestamp"}


def canonical(element: Any) -> bytes:
    made: bytes = etree.tostring(element, method="c14n", exclusive=True, with_comments=False)
    return made


def envelope_of(body: str, status: int = 200) -> Answer:
    whole = f'<?xml version="1.0"?>\n<S:Envelope xmlns:S="{SPACES["soap"]}"><S:Body>{body}</S:Body></S:Envelope>'
    return Answer(whole.encode(), "text/xml", status)


def fault(code: str) -> Answer:
    if code == "InvalidLogin":
        detail = (
            '<detail><InvalidLoginFault xmlns="urn:vim25" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="InvalidLogin"/>'
        )
        return envelope_of(f"<S:Fault><faultcode>ServerFaultCode</faultcode><faultstring>no</faultstring>{detail}</detail></S:Fault>", 500)
    return envelope_of(
        f'<S:Fault xmlns:ns0="{SPACES["wst"]}"><faultcode>ns0:{code}</faultcode><faultstring>{VCENTER_PASSWORD}</faultstring></S:Fault>',
        500,
    )
