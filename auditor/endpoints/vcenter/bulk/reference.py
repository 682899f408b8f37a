"""The slow transport that the others are tested against: pyVmomi's own decoder, its objects poured into the shapes. Imports pyVmomi."""

from __future__ import annotations

import types
from functools import cache
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec
from pyVmomi import VmomiSupport, vmodl

from auditor.endpoints.vcenter.bulk.reading import Answer, ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import PROPERTIES, Ref, Shape
from auditor.endpoints.vcenter.faults import described
from auditor.model import BulkTransport

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_COLLECTOR = vmodl.query.PropertyCollector


class PyvmomiTransport:
    """pyVmomi's PropertyCollector; `stub` carries it.

    Args:
        shaped: False leaves the values as pyVmomi has them, and then any path may be asked for.
    """

    name = BulkTransport.PYVMOMI

    def __init__(self, stub: Any, collector: str, *, shaped: bool = True) -> None:
        self._stub = stub
        self._collector = _COLLECTOR(collector, stub)
        self._shaped = shaped

    def retrieve(self, kind: str, paths: Sequence[str], refs: Sequence[Ref], answer_size: int | None) -> Answer:
        """See `BulkClient`."""
        spec = _COLLECTOR.FilterSpec(
            propSet=[_COLLECTOR.PropertySpec(type=_managed(kind), all=False, pathSet=list(paths))],
            objectSet=[_COLLECTOR.ObjectSpec(obj=self._object(ref), skip=False) for ref in refs],
        )
        return self._answer(kind, self._collector.RetrievePropertiesEx([spec], _COLLECTOR.RetrieveOptions(maxObjects=answer_size)))

    def _object(self, ref: Ref) -> Any:
        try:
            return _managed(ref.type)(ref.value, self._stub)
        except KeyError:
            raise self._stub.nonsense("RetrievePropertiesEx", 200, f"it lists an object of the unknown type {ref.type}") from None

    def more(self, kind: str, token: str) -> Answer:
        """See `BulkClient`."""
        return self._answer(kind, self._collector.ContinueRetrievePropertiesEx(token))

    def close(self) -> None:
        """See `BulkClient`; the session is the stub's."""

    def _answer(self, kind: str, result: Any) -> Answer:
        if result is None:
            return Answer((), None, 0)
        try:
            return Answer(self._objects(kind, result), result.token, 0)
        except (KeyError, AttributeError, TypeError, ValueError) as error:  # a name, a type or a value that was not asked for
            raise self._stub.nonsense("RetrievePropertiesEx", 200, f"{type(error).__name__}: {error}") from None

    def _objects(self, kind: str, result: Any) -> list[ObjectProperties]:
        return [
            ObjectProperties(
                ref_of(content.obj),
                {entry.name: _shaper(PROPERTIES[kind][entry.name])(entry.val) if self._shaped else entry.val for entry in content.propSet},
                {entry.path: described(entry.fault) for entry in content.missingSet},
            )
            for content in result.objects
        ]


def ref_of(managed: Any) -> Ref:
    """The reference of a managed object of pyVmomi's."""
    return Ref(VmomiSupport.GetWsdlName(type(managed)), str(managed._GetMoId()))  # noqa: SLF001  pyVmomi's accessor


def _managed(kind: str) -> Any:
    return VmomiSupport.GetWsdlType("urn:vim25", kind)


@cache
def _shaper(shape: Any) -> Callable[[Any], Any]:
    """What makes a value of this shape of pyVmomi's."""
    if get_origin(shape) is list:
        item = _shaper(get_args(shape)[0])
        return lambda values: [item(value) for value in values or ()]
    if isinstance(shape, types.UnionType):  # "X | None"
        shapes = [one for one in get_args(shape) if one is not type(None)]
        # Of several types, pyVmomi has made the one that the wire named.
        inner = _shaper(shapes[0]) if len(shapes) == 1 else lambda value: value
        return lambda value: None if value is None else inner(value)
    if shape is Ref:
        return ref_of
    if isinstance(shape, type) and issubclass(shape, Shape):
        return _struct(shape)
    if shape is str:
        return str  # names of enumerations are strings of a type of their own
    return lambda value: value


def _struct(shape: type[Shape]) -> Callable[[Any], Any]:
    members = [(one.encode_name, one.name, _shaper(one.type)) for one in msgspec.structs.fields(shape) if one.encode_name != "_typeName"]

    def made(value: Any) -> Any:
        fields = {}
        for wire, name, shaper in members:
            held = getattr(value, wire, None)
            if held is not None:
                fields[name] = shaper(held)
        return shape(type_name=VmomiSupport.GetWsdlName(type(value)), **fields)

    return made
