"""esxcli of a host through its vCenter, without SSH.

HostSystem has a method that the published API does not list, RetrieveManagedMethodExecuter; the executer it gives takes a command by its
structured name and answers XML. pyVmomi ships no types for either, and registering some would change pyVmomi for the whole process, so
these few messages are written and read here.

Source: govmomi cli/esx/executor.go and command.go; docs/domain/peers.md#esxcli.
"""

from __future__ import annotations

import re
import threading
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr, unescape

from auditor.endpoints.vcenter.esxcli_records import Row, Table, local_name, parse_rows, response_in, scanned_table, table_of
from auditor.endpoints.vcenter.translation import translated
from auditor.errors import EndpointError, MalformedAnswerError, NotThereError, PermissionMissingError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from auditor.endpoints.vcenter.stub import Stub
    from auditor.model import Endpoint

T = TypeVar("T")

_READ_VERBS = frozenset({"list", "get"})
_VERSION = "urn:vim25/5.0"
_ENVELOPE = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
    '<soapenv:Body><{operation} xmlns="urn:vim25"><_this type={kind}>{moid}</_this>{body}</{operation}></soapenv:Body></soapenv:Envelope>'
)
_ALL: frozenset[str] = frozenset()


class EsxCli:
    """esxcli of one host; made by `VCenter.esxcli`, may be used from many threads."""

    def __init__(self, endpoint: Endpoint, stub: Stub, host_id: str) -> None:
        self._endpoint = endpoint
        self._stub = stub
        self._host_id = host_id
        self._executer: tuple[str, str] | None = None  # (wire type, managed object id), fetched once
        self._lock = threading.Lock()

    def run(self, command: str, **arguments: str | bool | int | Sequence[str]) -> list[Row]:
        """Run `command`, for example "storage core device list", with structured argument names.

        Returns a row for each record of a list, one row for a struct. Field names are the host's own (`DeviceMaxQueueDepth`); a field that
        occurs more than once is a list. An answer that is a bare word ("true") becomes one row {"value": word}.

        Raises:
            NotThereError: this build has no such command, or the object named is not on the host.
            RefusedError: the host says no, in its own words.
            EndpointError: as for every call.
        """
        return self.select(command, _ALL, **arguments).rows()

    def select(self, command: str, fields: frozenset[str], **arguments: str | bool | int | Sequence[str]) -> Table:
        """`run` as a table of those `fields` of each record, by their plain names (`plain_name`); the others cost next to nothing."""
        from pyVmomi import vmodl

        words = command.split()
        reads = words[-1] in _READ_VERBS
        doing = f"esxcli {command} on {self._host_id}"
        with translated(self._endpoint, doing):
            try:
                table = self._execute(words, arguments, fields, repeatable=reads)
            except vmodl.fault.ManagedObjectNotFound:
                # The executer may belong to the session and die with it. Nothing was run, but only a read is sent again.
                if not reads or not self._forget():
                    raise
                table = self._execute(words, arguments, fields, repeatable=True)
        if words[-1] == "list" and table.names[:1] == ("value",) and [*table.rows()[0]] == ["value"]:
            raise self._nonsense("ExecuteSoap", f"{doing} answered no records")
        return table

    def _execute(self, words: list[str], arguments: dict[str, Any], fields: frozenset[str], *, repeatable: bool) -> Table:
        kind, moid = self._found_executer()
        body = (
            f"<moid>ha-cli-handler-{escape('-'.join(words[:-1]))}</moid><version>{_VERSION}</version>"
            f"<method>vim.EsxCLI.{escape('.'.join(words))}</method>{''.join(_argument(name, value) for name, value in arguments.items())}"
        )
        doing = f"esxcli {' '.join(words)} on {self._host_id}"

        def decode(status: int, answer: bytes) -> Table:
            escaped = response_in(answer) if status == HTTPStatus.OK else None
            table = None if escaped is None else scanned_table(escaped, fields)
            if table is not None:
                return table
            text = self._response(doing, status, answer)
            if not text and words[-1] in _READ_VERBS:
                raise self._nonsense("ExecuteSoap", f"{doing} answered nothing at all")
            return table_of(parse_rows(text, self._endpoint, doing, fields) if text else [])

        return self._ask("ExecuteSoap", (kind, moid), body, decode, like=" ".join(words), repeatable=repeatable)

    def _response(self, doing: str, status: int, answer: bytes) -> str:
        """The text that an answer carries; empty when it has none."""
        result = self._result("ExecuteSoap", status, answer)
        if result is None:
            return ""
        fault = _child(result, "fault")
        if fault is not None:
            raise _refusal(self._endpoint, doing, fault)
        response = _child(result, "response")
        return (response.text or "") if response is not None else ""

    def _found_executer(self) -> tuple[str, str]:
        operation = "RetrieveManagedMethodExecuter"

        def decode(status: int, answer: bytes) -> tuple[str, str]:
            reference = self._result(operation, status, answer)
            if reference is None or not reference.text:
                raise self._nonsense(operation, "no executer in it")
            return reference.get("type", "ManagedMethodExecuter"), reference.text

        with self._lock:
            if self._executer is None:
                self._executer = self._ask(operation, ("HostSystem", self._host_id), "", decode, like=operation, repeatable=True)
            return self._executer

    def _forget(self) -> bool:
        """Forget the executer; whether there was one."""
        with self._lock:
            had, self._executer = self._executer is not None, None
            return had

    def _ask(
        self, operation: str, this: tuple[str, str], body: str, decode: Callable[[int, bytes], T], *, like: str, repeatable: bool
    ) -> T:
        kind, moid = this
        request = _ENVELOPE.format(operation=operation, kind=quoteattr(kind), moid=escape(moid), body=body)
        return self._stub.ask(operation, request, decode, repeatable=repeatable, kind=like)

    def _result(self, operation: str, status: int, answer: bytes) -> ElementTree.Element | None:
        """The `returnval` element of an answer, or None when it has none."""
        try:
            root = ElementTree.fromstring(answer)  # noqa: S314  from an endpoint whose certificate was checked; expat bounds entities
        except ElementTree.ParseError as error:
            raise self._nonsense(operation, f"{error}") from None
        soap_body = _child(root, "Body")
        if soap_body is not None and _child(soap_body, "Fault") is not None:
            self._stub.fault_in(operation, status, answer)
        response = _child(soap_body, f"{operation}Response") if soap_body is not None else None
        if response is None:
            raise self._nonsense(operation, f"HTTP {status}, neither its response nor a fault")
        return _child(response, "returnval")

    def _nonsense(self, operation: str, what: str) -> MalformedAnswerError:
        return MalformedAnswerError(
            f"endpoint {self._endpoint.name}: the answer to {operation} for {self._host_id} cannot be understood: {what}",
            why="half an answer would be half an audit, so none of it was used.",
            do="run again; if it stays so, try the same command on the host itself.",
        )


def _argument(name: str, value: str | bool | int | Sequence[str]) -> str:
    """One SoapArgument: its value is XML inside XML, an element of its own name an entry, escaped twice."""
    values = [value] if isinstance(value, (str, bool, int)) else list(value)
    texts = [str(entry).lower() if isinstance(entry, bool) else str(entry) for entry in values]
    inner = "".join(f"<{name}>{escape(text)}</{name}>" for text in texts)
    return f"<argument><name>{escape(name)}</name><val>{escape(inner)}</val></argument>"


def _refusal(endpoint: Endpoint, doing: str, fault: ElementTree.Element) -> EndpointError:
    detail = fault.findtext("{*}faultDetail") or ""
    messages = re.findall(r"<errMsg[^>]*>([^<]*)", detail) or [fault.findtext("{*}faultMsg") or "", re.sub(r"<[^>]*>", " ", detail)]
    words = " ".join(dict.fromkeys(" ".join(unescape(message).split()) for message in messages))  # the detail may repeat the message
    what = f"endpoint {endpoint.name}: {doing}: {words}"
    lowered = words.lower()
    if "permission" in lowered:
        return PermissionMissingError(what, why="it was neither read nor written.", do="give the role the privilege Host.Config.Settings.")
    if re.search(
        r"could not be found|not found|unable to find|unknown device|no such|methodnotfound|managedobjectnotfound|unknown command", lowered
    ):
        return NotThereError(
            what, why="it was neither read nor written.", do="collect again: it may have been removed, or this build lacks it."
        )
    return RefusedError(what, why="nothing was changed by this call.", do="read the reason above; it is the host's own.")


def _child(parent: ElementTree.Element, name: str) -> ElementTree.Element | None:
    return next((child for child in parent if local_name(child.tag) == name), None)
