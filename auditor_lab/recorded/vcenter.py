"""A recorded vCenter: SOAP with esxcli, and VI/JSON where it was recorded by that."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from auditor_lab.recorded.matching import soap_operation
from auditor_lab.recorded.performance import query_perf, samples_of
from auditor_lab.recorded.properties import from_soap, from_vijson, soap_answer, vijson_answer
from auditor_lab.wire import Answer

if TYPE_CHECKING:
    from auditor_lab.recorded.matching import Replay
    from auditor_lab.wire import Request

_XML, _JSON = "text/xml; charset=utf-8", "application/json"
_SESSION = "recording"
_HELLO = "/api/vcenter/system?action=hello"
_RELEASE = re.compile(r"/sdk/vim25/(\d+(?:\.\d+){3})/")
_READS = re.compile(r"(?:Retrieve|Query|Get|List|Find|Fetch|Continue|Current|Check|Has|Is|Read|Wait|Acquire)")
_VIEWS = re.compile(r"(?:Create\w*View|Destroy\w*View|CancelRetrievePropertiesEx|Login|Logout)$")
_CLI_READS = frozenset(("list", "get", "show", "stats"))
_ENVELOPE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"'
    ' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>{}</soapenv:Body>'
    "</soapenv:Envelope>"
)


class RecordedVCenter:
    """Answers requests from what was recorded; every write is refused."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        exchanges = replay.exchanges()
        self._json, self._soap = from_vijson(exchanges), from_soap(exchanges)
        self._samples = samples_of(exchanges)
        self._release = next((found[1] for one in exchanges if (found := _RELEASE.match(one.path))), "")

    def operation(self, request: Request) -> str:
        """The name of what a request asks."""
        return soap_operation(request.body) or request.path.rpartition("/")[2]

    def answer(self, request: Request) -> Answer:
        """The answer to a request."""
        if request.path == _HELLO:  # what was recorded by an older auditor did not ask
            return Answer(json.dumps({"api_release": self._release}).encode(), _JSON)
        recorded = self._replay.answer(request.method, request.path, request.body)
        is_soap = request.path.endswith("/sdk")  # the storage policy service has a path of its own
        if recorded is not None:
            headers: tuple[tuple[str, str], ...] = ()
            if self.operation(request) == "Login":
                headers = (("Set-Cookie", f"vmware_soap_session={_SESSION}"),) if is_soap else (("vmware-api-session-id", _SESSION),)
            return Answer(recorded.answer, _XML if is_soap else _JSON, recorded.status, headers)
        return self._soap_answer(request) if is_soap else self._json_answer(request)

    def _soap_answer(self, request: Request) -> Answer:
        operation = soap_operation(request.body)
        if operation == "RetrievePropertiesEx":
            return Answer(_ENVELOPE.format(soap_answer(self._soap, request.body)).encode(), _XML)
        if operation == "QueryPerf" and (results := query_perf(self._samples, request.body)) is not None:
            return Answer(_ENVELOPE.format(results).encode(), _XML)
        if operation == "ExecuteSoap":
            return Answer(_ENVELOPE.format(_cli_refusal(request.body)).encode(), _XML)
        if operation == "Logout" or operation.startswith("Destroy"):
            return Answer(_ENVELOPE.format(f'<{operation}Response xmlns="urn:vim25"></{operation}Response>').encode(), _XML)
        fault = "NotSupported" if _READS.match(operation) or _VIEWS.match(operation) else "NoPermission"
        detail = f'<{fault}Fault xmlns="urn:vim25" xsi:type="{fault}">{_lacking(fault)}</{fault}Fault>'
        text = "not in this recording" if fault == "NotSupported" else "a recording is read-only"
        content = f"<faultcode>ServerFaultCode</faultcode><faultstring>{text}</faultstring><detail>{detail}</detail>"
        return Answer(_ENVELOPE.format(f"<soapenv:Fault>{content}</soapenv:Fault>").encode(), _XML, 500)

    def _json_answer(self, request: Request) -> Answer:
        operation = request.path.rpartition("/")[2]
        if operation == "RetrievePropertiesEx" and self._json.objects:
            body = vijson_answer(self._json, request.body)
            return Answer(body, _JSON, 200 if body else 204)
        if operation == "Logout":
            return Answer(b"", _JSON, 204)
        if not self._json.objects:
            return Answer(b"", _JSON, 404)  # it was read by SOAP
        fault = "NotSupported" if _READS.match(operation) else "NoPermission"
        return Answer(json.dumps({"_typeName": fault, "faultstring": "not in this recording, which is read-only"}).encode(), _JSON, 500)


def _lacking(fault: str) -> str:
    return "" if fault == "NotSupported" else '<object type="Folder">group-d1</object><privilegeId>System.Modify</privilegeId>'


def _cli_refusal(body: bytes) -> str:
    """What esxcli answers to a command that was not recorded, or that writes."""
    method = re.search(rb"<method>([^<]*)</method>", body)
    reads = method is not None and method[1].decode().rpartition(".")[2] in _CLI_READS
    text = "not in this recording" if reads else "permission denied: a recording is read-only"
    fault = f"<fault><faultMsg>{text}</faultMsg><faultDetail></faultDetail></fault>"
    return f'<ExecuteSoapResponse xmlns="urn:vim25"><returnval>{fault}</returnval></ExecuteSoapResponse>'
