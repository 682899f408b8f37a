"""Answers in XML, as firmware gives them that knows no JSON, in the form that the JSON has.

An array might answer what was made to do harm, so expat reads it event by event: no document type, no entities, and limits on depth,
elements and the length of what is kept.
"""

from __future__ import annotations

from typing import Any
from xml.parsers import expat

from auditor.endpoints.common.answer_limits import UnusableAnswerError, refuse_too_many_values

_DEEPEST = 32  # a response, an object, four levels of objects in it, a property; nothing public is deeper


def xml_value(body: bytes) -> dict[str, list[dict[str, Any]]]:
    """The objects of an answer by their basetype, each with its properties as text, and the objects that are part of it by theirs.

    An object is part of another one where it stands in it, or where `COMP` in front of it names the other one's `oid` as `G`.

    Raises:
        UnusableAnswerError: it is no XML of an array, has a document type, or is over a limit.

    Source: sodafoundation/delfin, tests of hpe_msa (recorded answers of an MSA 2040: COMP, OBJECT basetype, PROPERTY name); HP StorageWorks
    2000 Family CLI reference guide (481600-002), page 21, elements of the answer.
    """
    refuse_too_many_values(body)
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = reader.start, reader.end, reader.text
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = _refused
    try:
        parser.Parse(body.lstrip(), True)  # noqa: FBT003  expat takes it by its place
    except expat.ExpatError as error:
        raise UnusableAnswerError(f"its XML is broken: {error}") from None
    if not reader.is_response:
        raise UnusableAnswerError("it is XML, and no RESPONSE")
    return reader.objects


def _refused(*_arguments: Any) -> None:
    raise UnusableAnswerError("it declares a document type or entities")


class _Reader:
    """Takes the events of a document.

    Attributes:
        objects: those that are part of no other one.
    """

    def __init__(self) -> None:
        self.objects: dict[str, list[dict[str, Any]]] = {}
        self.is_response = False
        self._by_number: dict[str, tuple[dict[str, Any], int]] = {}  # each with the objects that it is part of, as a number
        self._part_of: str | None = None  # `G` of the newest COMP
        self._number: str | None = None  # and its `P`
        self._open: list[tuple[dict[str, Any], int]] = []
        self._property: str | None = None
        self._text: list[str] = []
        self._depth = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnusableAnswerError("it is nested too deeply")
        if self._depth == 1:
            self.is_response = name == "RESPONSE"
        elif name == "COMP":
            self._part_of, self._number = attributes.get("G"), attributes.get("P")
        elif name == "OBJECT":
            self._begin(attributes)
        elif name == "PROPERTY" and self._open:
            self._property, self._text = attributes.get("name"), []

    def end(self, name: str) -> None:
        self._depth -= 1
        if name == "PROPERTY" and self._property is not None:
            self._open[-1][0][self._property] = "".join(self._text).strip()
            self._property = None
        elif name == "OBJECT" and self._open:
            self._open.pop()

    def text(self, data: str) -> None:
        if self._property is not None:
            self._text.append(data)

    def _begin(self, attributes: dict[str, str]) -> None:
        one: dict[str, Any] = {"object-name": attributes.get("name", "")}
        parent, above = self._open[-1] if self._open else self._by_number.get(self._part_of or "", (None, -1))
        if above + 1 > _DEEPEST:
            raise UnusableAnswerError("its objects are nested too deeply")
        siblings = (self.objects if parent is None else parent).setdefault(attributes.get("basetype", ""), [])
        if not isinstance(siblings, list):
            raise UnusableAnswerError("a property of an object has the name of a part of it")
        siblings.append(one)
        if number := attributes.get("oid", self._number):
            self._by_number[number] = one, above + 1
        self._part_of = self._number = None
        self._open.append((one, above + 1))
