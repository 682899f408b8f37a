"""A vCenter called by hand over one connection: SOAP, VI/JSON and esxcli, each call one request.

pyVmomi needs ten times as long for the same, and is what the lab's own serialiser rests on.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from tests.long.lab.properties.line import BUSY, OK, Line, LostError

if TYPE_CHECKING:
    import ssl

USER, PASSWORD = "auditor@vsphere.local", "only-for-this-test"
RELEASE = "8.0.2.0"
_XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"'
_VIM = "{urn:vim25}"
_XSD = ("long", "int", "boolean", "string")


class Told:
    """What a call brought: `outcome` is ok, busy, or the name of the fault; `value` is a result as text or JSON, or what a fault names."""

    def __init__(self, outcome: str, value: Any = None) -> None:
        self.outcome = outcome
        self.value = value


class Caller:
    """One session, used by both forms."""

    def __init__(self, port: int, context: ssl.SSLContext) -> None:
        self._line = Line(port, context)
        self._key = ""
        self.log_in()

    def close(self) -> None:
        self._line.close()

    def log_in(self) -> None:
        answer = self.soap("SessionManager", "SessionManager", "Login", {"userName": USER, "password": PASSWORD})
        assert answer.outcome == OK
        self._key = answer.value.findtext(f".//{_VIM}key")

    def soap(self, kind: str, moid: str, method: str, arguments: dict[str, Any]) -> Told:
        body = "".join(_element(name, value) for name, value in arguments.items())
        return self._soap(method, f'<{method} xmlns="urn:vim25"><_this type="{kind}">{moid}</_this>{body}</{method}>')

    def json(self, kind: str, moid: str, method: str, arguments: dict[str, Any] | None) -> Told:
        """A method, or, without arguments, a property."""
        body = b"" if arguments is None else json.dumps(arguments).encode()
        headers = {"vmware-api-session-id": self._key, "Content-Type": "application/json"}
        path = f"/sdk/vim25/{RELEASE}/{kind}/{moid}/{method}"
        status, _, answer = self._line.ask("GET" if arguments is None else "POST", path, body, headers)
        if status == 503:
            return Told(BUSY)
        try:
            value: Any = json.loads(answer) if answer else None
        except ValueError as error:
            raise LostError from error
        if status in (200, 204):
            return Told(OK, value)
        return Told(value["_typeName"], value.get("privilegeId"))

    def read(self, kind: str, moid: str, name: str) -> Any:
        """A property, None when it is unset."""
        answer = self.json(kind, moid, name, None)
        assert answer.outcome == OK, answer.outcome
        return answer.value

    def esxcli(self, host: str, command: str, arguments: dict[str, Any]) -> Told:
        """A command; what the host refuses is the outcome "refused"."""
        words = command.split(".")
        given = "".join(
            f"<argument><name>{name}</name><val>{escape(f'<{name}>{value}</{name}>')}</val></argument>" for name, value in arguments.items()
        )
        text = self._soap(
            "ExecuteSoap",
            f'<ExecuteSoap xmlns="urn:vim25"><_this type="ReflectManagedMethodExecuter">ManagedMethodExecuter-{host}</_this>'
            f"<moid>ha-cli-handler-{'-'.join(words[:-1])}</moid><version>urn:vim25/5.0</version>"
            f"<method>vim.EsxCLI.{command}</method>{given}</ExecuteSoap>",
        )
        if text.outcome != OK:
            return text
        if text.value.find(f".//{_VIM}faultDetail") is not None:
            return Told("refused")
        rows = ET.fromstring(text.value.findtext(f".//{_VIM}response") or "<none/>")
        return Told(OK, [{field.tag.rpartition("}")[2]: field.text or "" for field in row} or row.text for row in rows] or rows.text)

    def rows(self, host: str, command: str, **arguments: Any) -> dict[str, dict[str, str]]:
        """The records of a reading command by their device."""
        answer = self.esxcli(host, command, arguments)
        assert answer.outcome == OK, answer.outcome
        return {row["Device"]: row for row in answer.value}

    def _soap(self, method: str, call: str) -> Told:
        envelope = f'<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/" {_XSI}><Body>{call}</Body></Envelope>'
        headers = {"Content-Type": "text/xml", "Cookie": f'vmware_soap_session="{self._key}"'}
        status, _, answer = self._line.ask("POST", "/sdk", envelope.encode(), headers)
        if status == 503:
            return Told(BUSY)
        try:
            root = ET.fromstring(answer)
        except ET.ParseError as error:
            raise LostError from error
        if status == 200:
            return Told(OK, root.find(f".//{_VIM}{method}Response"))
        detail = next(one for one in root.iter() if one.tag.rpartition("}")[2] == "detail")[0]
        return Told(detail.tag.rpartition("}")[2].removesuffix("Fault"), detail.findtext(f"{_VIM}privilegeId"))


def result(reported: Told) -> Any:
    """The id of the object that a method answered, in either form."""
    return reported.value["value"] if isinstance(reported.value, dict) else reported.value.findtext(f"{_VIM}returnval")


def reference(kind: str, moid: str) -> dict[str, Any]:
    return {"_typeName": "ManagedObjectReference", "type": kind, "value": moid}


def number(value: int) -> dict[str, Any]:
    """A number where the API takes anything."""
    return {"_typeName": "long", "_value": value}


def _element(name: str, value: Any) -> str:
    """A value of VI/JSON as the element it is in SOAP."""
    if isinstance(value, list):
        return "".join(_element(name, one) for one in value)
    if not isinstance(value, dict):
        return f"<{name}>{str(value).lower() if isinstance(value, bool) else escape(str(value))}</{name}>"
    kind = value.get("_typeName")
    if kind == "ManagedObjectReference":
        return f'<{name} type="{value["type"]}">{value["value"]}</{name}>'
    typed = "" if kind is None else f' xsi:type="{"xsd:" if kind in _XSD else ""}{kind}"'
    inner = escape(str(value["_value"])) if "_value" in value else "".join(_element(*one) for one in value.items() if one[0] != "_typeName")
    return f"<{name}{typed}>{inner}</{name}>"
