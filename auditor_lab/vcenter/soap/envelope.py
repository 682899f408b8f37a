"""SOAP envelopes: parses requests into calls, and serialises results and faults with pyVmomi's serialiser."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from xml.parsers.expat import ExpatError, ParserCreate
from xml.sax.saxutils import escape

from pyVmomi import VmomiSupport, vmodl
from pyVmomi.SoapAdapter import (
    NS_SEP,
    XMLNS_SOAPENV,
    ExpatDeserializerNSHandlers,
    GetHandlers,
    SerializeFaultDetail,
    SerializeToStr,
    SetHandlers,
    SoapDeserializer,
)

NAMESPACE = "urn:vim25"
_OPERATION = re.compile(rb"<(?:\w+:)?Body[^>]*>\s*<(?:\w+:)?(\w+)")
_ENVELOPE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>{}</soapenv:Body></soapenv:Envelope>'
)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""What no XML document may hold, not even escaped. Source: XML 1.0, 2.2 Characters."""
# pyVmomi names a reference within an `anyType` by its own class; every server names it by the WSDL's type.
REFERENCE_TYPE = ('xsi:type="ManagedObject"', 'xsi:type="ManagedObjectReference"')


def _copy_of_fault(fault: Any) -> Any:
    """A fault with the same properties, as `copy.copy` makes it, which pyVmomi's serialiser calls."""
    copied = type(fault)()
    vars(copied).update(vars(fault))
    return copied


# Where Dask is imported, tblib has all exceptions copied in a way that pyVmomi's faults refuse, and the lab would end the connection.
vmodl.MethodFault.__copy__ = _copy_of_fault


class NotSoapError(Exception):
    """The body is not a SOAP request of this API."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a method."""

    name: str
    type: Any


@dataclass(frozen=True, slots=True)
class Method:
    """The parameters and the result of a method."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Any
    privilege: str | None


@dataclass(slots=True)
class Call:
    """One parsed request."""

    method: Method
    this: Any
    arguments: dict[str, Any] = field(default_factory=dict)


# Methods that every server has but pyVmomi does not describe. Source: govmomi, internal/methods.go; docs/domain/peers.md#esxcli.
_UNSHIPPED = {
    method.name: method
    for method in (
        Method("Fetch", (Parameter("prop", str),), object, None),
        Method("RetrieveManagedMethodExecuter", (), object, None),
        Method("RetrieveDynamicTypeManager", (), object, None),
    )
}


def operation_of(body: bytes) -> str:
    """The name of the method that a request calls, without parsing the rest; "" when it is not a request."""
    match = _OPERATION.search(body)
    return match.group(1).decode() if match else ""


def method_of(name: str, namespace: str = NAMESPACE) -> Method:
    """The description of a method in the API of a namespace.

    Raises:
        NotSoapError: the API has no such method.
    """
    if namespace == NAMESPACE and name in _UNSHIPPED:
        return _UNSHIPPED[name]
    try:
        info = VmomiSupport.GetWsdlMethod(namespace, name).info
    except KeyError:
        raise NotSoapError(f"the API has no method {name}") from None
    return Method(name, tuple(Parameter(one.name, one.type) for one in info.params), info.result, info.privId)


def parse(body: bytes, namespace: str = NAMESPACE) -> Call:
    """Parse one request to the API of a namespace.

    Raises:
        NotSoapError: it is not XML, not a SOAP request, or does not fit the API.
    """
    try:
        reader = _Reader(body, namespace)
    except (ExpatError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise NotSoapError(f"the request does not fit the API: {error}") from error
    if reader.method is None or reader.this is None:
        raise NotSoapError("no method, or no object to call it on")
    return Call(reader.method, reader.this, reader.arguments)


def answer(method: Method, result: Any, version: str, written: Written | None = None, *, namespace: str = NAMESPACE) -> bytes:
    """The envelope of a result; None gives an empty one. Values collected in `written` replace their placeholders."""
    inner = "" if result is None else serialise(result, "returnval", method.result, version, namespace)
    inner = written.reset_options(inner) if written else inner
    return raw_answer(method.name, inner, namespace)


def fault(error: Any, version: str, namespace: str = NAMESPACE, name: str = "") -> bytes:
    """The envelope of a MethodFault; the element is called `name`, by default the fault's own name."""
    name = name or VmomiSupport.GetWsdlName(type(error))
    message, error.msg = error.msg or "", None
    info = VmomiSupport.Object(name=f"{name}Fault", type=object, version=version, flags=0)
    detail = SerializeFaultDetail(error, info, version, {namespace: ""}).replace(*REFERENCE_TYPE)
    detail = detail.replace(f"<{name}Fault", f'<{name}Fault xmlns="{namespace}"', 1)
    return _envelope(
        f"<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>{escape(message)}</faultstring>"
        f"<detail>{detail}</detail></soapenv:Fault>"
    )


def plain_fault(message: str) -> bytes:
    """The envelope of a fault for a request that could not be parsed."""
    return fault(vmodl.fault.InvalidRequest(msg=message), "vim.version.version1")


def raw_answer(name: str, inner: str, namespace: str = NAMESPACE) -> bytes:
    """The envelope of a result that is already XML."""
    return _envelope(f'<{name}Response xmlns="{namespace}">{inner}</{name}Response>')


def _envelope(body: str) -> bytes:
    """The document: a carriage return is escaped, or a reader would take it for a line feed; what no document may hold is U+FFFD."""
    return _ENVELOPE.format(_NOT_XML.sub("\ufffd", body).replace("\r", "&#13;")).encode()


def wire_version(api_version: str) -> str:
    """The name that pyVmomi gives a version of the API, for example vim.version.v8_0_2_0 for 8.0.2.0."""
    name: str = VmomiSupport.versionMap[f"vim25/{api_version}"]
    return name


def serialise(value: Any, name: str, declared: Any, version: str, namespace: str = NAMESPACE) -> str:
    """`value` as the element `name`, with a type wherever it differs from the declared one."""
    info = VmomiSupport.Object(name=name, type=declared, version=version, flags=VmomiSupport.F_OPTIONAL)
    text: str = SerializeToStr(value, info, version, {namespace: ""})
    return text.replace(*REFERENCE_TYPE)


def element(value: Any, name: str, declared: Any, version: str) -> str:
    """`value` as an element within an envelope that already declares namespaces and version."""
    text = serialise(value, name, declared, version)
    return text.replace(_outermost(version), "", 1)


@cache
def _outermost(version: str) -> str:
    """The attributes that pyVmomi's serialiser adds to the outermost element."""
    text = serialise("", "x", str, version)
    return text.removeprefix("<x").removesuffix("></x>")


class Written:
    """Values that are already XML, each the `val` element of a property. A placeholder stands for each until the answer is sent."""

    def __init__(self, version: str) -> None:
        self.version = version
        self._texts: list[str] = []
        self._sign = f"written-{uuid.uuid4().hex}-"

    def take(self, text: str) -> str:
        """Store an element; return its placeholder."""
        self._texts.append(text)
        return f"{self._sign}{len(self._texts) - 1}"

    def reset_options(self, answer: str) -> str:
        """The answer with every placeholder replaced by its element."""
        if not self._texts:
            return answer
        pieces = answer.split(f'<val xsi:type="xsd:string">{self._sign}')
        whole = [pieces[0]]
        for piece in pieces[1:]:
            number, _, rest = piece.partition("</val>")
            whole += [self._texts[int(number)], rest]
        return "".join(whole)


class _Reader(ExpatDeserializerNSHandlers):  # type: ignore[misc]  # pyVmomi ships no types
    """Runs pyVmomi's deserialiser once for each argument of one request."""

    def __init__(self, body: bytes, namespace: str) -> None:
        super().__init__()
        self._namespace = namespace
        self.method: Method | None = None
        self.this: Any = None
        self.arguments: dict[str, Any] = {}
        self._open: tuple[str, bool, Any] | None = None
        self._in_header = False
        self.parser = ParserCreate(namespace_separator=NS_SEP)
        self.parser.buffer_text = True
        SetHandlers(self.parser, GetHandlers(self))
        self.parser.Parse(body, True)  # noqa: FBT003  expat's signature: this is all of it
        self._take()

    def StartElementHandler(self, tag: str, attributes: dict[str, str]) -> None:
        """Start an argument, or note the position in the envelope."""
        self._take()
        namespace, _, name = tag.rpartition(NS_SEP)
        if namespace == XMLNS_SOAPENV:
            self._in_header |= name == "Header"
        elif self._in_header:
            return
        elif self.method is None:
            self.method = method_of(name, self._namespace)
        else:
            declared = VmomiSupport.ManagedObject if name == "_this" else self._declared(name)
            is_list = issubclass(declared, list)
            reader = SoapDeserializer()
            reader.Deserialize(self.parser, declared.Item if is_list else declared, False, self.nsMap)  # noqa: FBT003  pyVmomi's signature
            self._open = (name, is_list, reader)
            reader.StartElementHandler(tag, attributes)

    def EndElementHandler(self, tag: str) -> None:
        """Finish an argument."""
        self._take()
        if tag == XMLNS_SOAPENV + NS_SEP + "Header":
            self._in_header = False

    def CharacterDataHandler(self, data: str) -> None:
        """Ignore text between elements."""

    def _declared(self, name: str) -> Any:
        assert self.method is not None  # noqa: S101  only called below a method
        for parameter in self.method.parameters:
            if parameter.name == name:
                return parameter.type
        raise KeyError(name)

    def _take(self) -> None:
        if self._open is None:
            return
        (name, is_list, reader), self._open = self._open, None
        value = reader.GetResult()
        if name == "_this":
            self.this = value
        elif is_list:
            self.arguments.setdefault(name, []).append(value)
        else:
            self.arguments[name] = value
