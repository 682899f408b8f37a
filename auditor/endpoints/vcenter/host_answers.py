"""A host's own answers about advanced options and kernel modules, decoded without pyVmomi where that is sure to come to the same.

A host has some 1,100 options and 150 modules; pyVmomi takes 28 and 37 ms of processor time for the two answers, this takes 1.
Imports pyVmomi.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from xml.sax.saxutils import escape, quoteattr

from pyVmomi import VmomiSupport

from auditor.endpoints.vcenter.bulk.soap_grammar import TEXT, unescaped
from auditor.endpoints.vcenter.soap_envelope import NAME, SOAP, VIM, content_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from auditor.endpoints.vcenter.bulk.shapes import Ref
    from auditor.endpoints.vcenter.stub import Stub

T = TypeVar("T")

_ENVELOPE = (
    f'<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope xmlns:soapenv="{SOAP}"><soapenv:Body>'
    f'<{{operation}} xmlns="{VIM}"><_this type={{type}}>{{moid}}</_this>{{parameters}}</{{operation}}></soapenv:Body></soapenv:Envelope>'
)
# Numbers as they are written back: what has a sign or zeros to spare is pyVmomi's business.
_OPTION = re.compile(
    rf'<returnval(?: xsi:type="OptionValue")?+><key>({TEXT})</key><value xsi:type="xsd:'
    rf'(?:((?:long|int)">(?:0|-?[1-9][0-9]{{0,18}}+)|boolean">(?:true|false))|string">({TEXT}))</value></returnval>|(.)',
    re.DOTALL,
)
_LEAF = rf"<(?P<b>{NAME})>[^<]*+</(?P=b)>"
_MODULE = re.compile(
    rf'<returnval(?: xsi:type="KernelModuleInfo")?+><id>[^<]*+</id><name>({TEXT})</name><version>({TEXT})</version>'
    rf"<filename>[^<]*+</filename><optionString>({TEXT})</optionString><loaded>(true|false)</loaded>"
    rf"(?:<(?!id>|name>|optionString>|loaded>)(?P<a>{NAME})>[^<]*+(?:{_LEAF})*+</(?P=a)>)*+</returnval>|(?P<bad>.)",
    re.DOTALL,
)
_VALUE_TYPES = {"bool": "boolean", "str": "string"}  # Python's names of wire types that differ; long and int are the same


@dataclass(frozen=True, slots=True)
class Options:
    """Advanced options, column by column.

    Attributes:
        keys: for example Disk.QFullSampleSize.
        values: as text; None where the host reported none.
        types: long | int | string | boolean, as the value came over the wire.
    """

    keys: Sequence[str]
    values: Sequence[str | None]
    types: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class Module:
    """A kernel module: KernelModuleInfo.

    Attributes:
        option_string: configured for the next load, "" when none. The API says of it the same as of QueryConfiguredModuleOptionString.
        version: of the module's file, for example "14.2.641.5-32vmw.802.0.0.22380479"; None when the host reports none.
    """

    loaded: bool
    option_string: str
    version: str | None = None


def query_options(stub: Stub, manager: Ref, name: str | None = None) -> Options:
    """The options that an OptionManager lists; or the one called `name`, which need not be listed.

    Raises:
        vmodl.MethodFault: as the server gave it; vim.fault.InvalidName where there is no such option.
        EndpointError: of the transport, or the answer makes no sense.
    """
    operation = "QueryOptions"

    def decode(status: int, body: bytes) -> Options:
        content = content_of(body, operation) if status == 200 else None
        scanned = None if content is None else scanned_options(content)
        return scanned if scanned is not None else _options_of(stub.decoded(operation, _array("vim.option.OptionValue"), status, body))

    parameters = "" if name is None else f"<name>{escape(name)}</name>"
    return _asked(stub, manager, operation, parameters, decode, kind=operation if name is None else f"{operation} by name")


def query_modules(stub: Stub, system: Ref) -> dict[str, Module]:
    """The kernel modules that a HostKernelModuleSystem lists, by name; see `query_options`."""
    operation = "QueryModules"

    def decode(status: int, body: bytes) -> dict[str, Module]:
        content = content_of(body, operation) if status == 200 else None
        scanned = None if content is None else scanned_modules(content)
        if scanned is not None:
            return scanned
        listed = stub.decoded(operation, _array("vim.host.KernelModuleSystem.ModuleInfo"), status, body)
        return {module.name: Module(module.loaded, module.optionString or "", module.version or None) for module in listed or ()}

    return _asked(stub, system, operation, "", decode, kind=operation)


def scanned_options(content: str) -> Options | None:
    """The options in the content of a response; None where it is not written as spelt out above."""
    keys, values, types = [], [], []
    escaped = "&" in content
    for key, typed, string, bad in _OPTION.findall(content):
        if bad:
            return None
        kind, quote, value = typed.partition('">')
        keys.append(unescaped(key) if escaped else key)
        types.append(kind if quote else "string")
        values.append(value if quote else unescaped(string) if escaped else string)
    return Options(keys, values, types)


def scanned_modules(content: str) -> dict[str, Module] | None:
    """The modules in the content of a response; see `scanned_options`."""
    by_name = {}
    for match in _MODULE.finditer(content):
        if match["bad"] is not None:
            return None
        by_name[unescaped(match[1])] = Module(match[4] == "true", unescaped(match[3]), unescaped(match[2]) or None)
    return by_name


def option_text(value: Any) -> str:
    """An option's value as the table keeps it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def wire_type(value: Any) -> str:
    """Name the type, long | int | string | boolean, as the value came over the wire."""
    name = type(value).__name__
    return _VALUE_TYPES.get(name, name)


def _options_of(listed: Any) -> Options:
    options = list(listed or ())
    return Options(
        [option.key for option in options],
        [None if option.value is None else option_text(option.value) for option in options],
        [None if option.value is None else wire_type(option.value) for option in options],
    )


def _array(item: str) -> Any:
    return VmomiSupport.GetVmodlType(f"{item}[]")


def _asked(stub: Stub, managed: Ref, operation: str, parameters: str, decode: Callable[[int, bytes], T], *, kind: str) -> T:
    request = _ENVELOPE.format(operation=operation, type=quoteattr(managed.type), moid=escape(managed.value), parameters=parameters)
    return stub.ask(operation, request, decode, repeatable=True, kind=kind)
