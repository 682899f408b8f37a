"""The executer: the SOAP envelope around esxcli commands.

pyVmomi has no types for it, and a client in the same process may have declared its own, so these requests are parsed without pyVmomi.
Source for the forms: govmomi, internal/methods.go, cli/esx and their recorded answers; not compared with a real vCenter.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from auditor_lab.vcenter.soap.envelope import NotSoapError, raw_answer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EXECUTER = "ReflectManagedMethodExecuter"
EXECUTER_PREFIX = "ManagedMethodExecuter-"
TYPES_PREFIX = "DynamicTypeManager-"

_HEAD = (
    '<obj xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="urn:vim25"'
    ' versionId="5.0" xsi:type="{}">{}</obj>'
)


class CommandFault(Exception):  # noqa: N818  the API's own word
    """A command failed; the text is what esxcli prints."""


@dataclass(frozen=True, slots=True)
class Execution:
    """One ExecuteSoap request."""

    host_id: str
    moid: str
    method: str  # for example vim.EsxCLI.storage.core.device.list
    arguments: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Rows:
    """A list of structs; `kind` is the command's name for one."""

    kind: str
    rows: Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single boolean or text."""

    value: bool | str


@dataclass(frozen=True, slots=True)
class Raw:
    """A struct that is already XML, of the type `kind`."""

    kind: str
    text: str


def parse_execution(body: bytes) -> Execution:
    """Parse an ExecuteSoap request.

    Raises:
        NotSoapError: it is not one.
    """
    try:
        request = next(element for element in ET.fromstring(body).iter() if _local(element) == "ExecuteSoap")  # noqa: S314  loopback
        fields = {_local(element): element for element in request if _local(element) != "argument"}
        arguments: dict[str, list[str]] = {}
        for argument in (element for element in request if _local(element) == "argument"):
            pair = {_local(element): element.text or "" for element in argument}
            values = ET.fromstring(f"<all>{pair['val']}</all>")  # noqa: S314  as above
            arguments[pair["name"]] = [value.text or "" for value in values]
        this = fields["_this"].text or ""
        moid, method = fields["moid"].text or "", fields["method"].text or ""
    except (ET.ParseError, StopIteration, KeyError) as error:
        raise NotSoapError(f"no ExecuteSoap request: {error}") from error
    return Execution(this.removeprefix(EXECUTER_PREFIX), moid, method, arguments)


def executer_answer(operation: str, host_id: str) -> bytes:
    """The answer with the reference of an executer or a type manager."""
    if operation == "RetrieveManagedMethodExecuter":
        return raw_answer(operation, f'<returnval type="{EXECUTER}">{EXECUTER_PREFIX}{host_id}</returnval>')
    return raw_answer(operation, f'<returnval type="InternalDynamicTypeManager">{TYPES_PREFIX}{host_id}</returnval>')


def execution_answer(method: str, result: Rows | Scalar | Raw) -> bytes:
    """The answer of a command: XML within XML."""
    return raw_answer("ExecuteSoap", f"<returnval><response>{escape(_response(method, result))}</response></returnval>")


def execution_fault(text: str) -> bytes:
    """The answer of a command that failed."""
    detail = _HEAD.format(
        "LocalizedMethodFault",
        f'<fault xsi:type="VimEsxCLICLIFault"><errMsg>{escape(text)}</errMsg></fault>'
        "<localizedMessage>EsxCLI.CLIFault.summary</localizedMessage>",
    )
    return raw_answer(
        "ExecuteSoap",
        f"<returnval><fault><faultMsg>EsxCLI.CLIFault.summary</faultMsg><faultDetail>{escape(detail)}</faultDetail></fault></returnval>",
    )


def not_found() -> bytes:
    """The answer for a command that does not exist."""
    text = "The object or item referred to could not be found."
    detail = _HEAD.format("LocalizedMethodFault", f'<fault xsi:type="NotFound"></fault><localizedMessage>{text}</localizedMessage>')
    return raw_answer(
        "ExecuteSoap", f"<returnval><fault><faultMsg>{text}</faultMsg><faultDetail>{escape(detail)}</faultDetail></fault></returnval>"
    )


def _response(method: str, result: Rows | Scalar | Raw) -> str:
    if isinstance(result, Raw):
        return _HEAD.format(result.kind, result.text)
    if isinstance(result, Scalar):
        kind = "boolean" if isinstance(result.value, bool) else "string"
        return _HEAD.format(f"xsd:{kind}", escape(_text(result.value)))
    name = "V" + method.replace(".", "")[1:] + result.kind
    rows = "".join(f"<DataObject xsi:type={quoteattr(name)}>{_fields(row)}</DataObject>" for row in result.rows)
    return _HEAD.format("ArrayOfDataObject", rows)


def _fields(row: Mapping[str, object]) -> str:
    """The fields in the order of their names, as in the recorded answers; a list repeats its element."""
    built = []
    for name in sorted(row, key=str.lower):
        value = row[name]
        several = value if isinstance(value, (list, tuple)) else (value,)
        built += [f"<{name}>{escape(_text(one))}</{name}>" for one in several]
    return "".join(built)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _local(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]
