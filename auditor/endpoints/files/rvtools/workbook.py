"""The sheets of a workbook (.xlsx), row after row, in bounded memory.

A workbook may have been made to do harm, and libraries that read one are not made for that: for one cell in the last row python-calamine
reserves all cells before it, and ends the process; openpyxl holds all cells of a row, which are 640 MiB of a file of 9 KB. So the XML is
read here, by expat, event by event. Of it are read: the list of sheets, the strings that sheets share, and the cells' texts and numbers.
Formulas are not computed: the formula itself is the cell's text.

Source: ECMA-376, part 1, 18.2 (workbook), 18.3 (worksheets), 18.4 (shared strings).
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from functools import lru_cache
from io import BytesIO
from posixpath import join, normpath
from typing import IO
from xml.parsers import expat

from auditor.endpoints.files.containers import opened_zip, zip_problem
from auditor.endpoints.files.rvtools.sheets import CELL_CHARACTERS, Sheet, SheetReader, number_text
from auditor.endpoints.files.streams import CHUNK_BYTES, BrokenError, Budget

_LIST, _RELATIONS, _STRINGS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/sharedStrings.xml"
_MOST_SHEETS = 256
_MOST_STRINGS = 2_000_000
_LONGEST_TAG, _DEEPEST = 1 << 20, 64
_MOST_ELEMENTS = 30_000_000
"""Of a workbook: a sheet of 250,000 rows and 35 columns has 18 million, and each takes some microseconds."""
_MOST_CELLS, _MOST_ROWS, _ROW_CHARACTERS = 16_384, 1_048_576, 4 << 20
"""Cells of a row, and rows. Source: Microsoft, "Excel specifications and limits". The last one is this project's own."""
_STRING_BYTES = 64
_REFERENCE = re.compile(r"([A-Z]{1,3})[0-9]{0,7}")


def sheets_in(data: bytes, budget: Budget) -> Iterator[Sheet]:
    """The sheets of RVTools in a workbook; sheets that are none of its are left out.

    Raises:
        BrokenError, zipfile.BadZipFile, OSError, EOFError, zlib.error: it is broken, or has a document type.
        SpentError: it unpacks to more than it may, or is more than is kept.
    """
    with opened_zip(BytesIO(data)) as archive:
        names = set(archive.namelist())
        if _LIST not in names:
            raise BrokenError("it is an office document without a list of sheets")
        parts = _Parts(archive, budget)
        listed = _listed(parts, names)
        strings = _shared_strings(parts) if _STRINGS in names and listed else []
        for name, part in listed:
            if part in names:
                reader = SheetReader(name, budget)
                parts.read(part, _Cells(reader, strings))
                if sheet := reader.sheet():
                    yield sheet


def _listed(parts: _Parts, names: set[str]) -> list[tuple[str, str]]:
    """The names of the sheets, and the parts that they stand in."""
    listed, relations = _Elements("sheet"), _Elements("Relationship")
    parts.read(_LIST, listed)
    if _RELATIONS in names:
        parts.read(_RELATIONS, relations)
    places = {one.get("Id", ""): normpath(join("xl", one.get("Target", ""))).removeprefix("/") for one in relations.found}
    return [(one.get("name", ""), places.get(one.get("id", ""), "")) for one in listed.found]


def _shared_strings(parts: _Parts) -> list[str]:
    handler = _Strings(parts.budget)
    parts.read(_STRINGS, handler)
    return handler.strings


class _Handler:
    """What is done at the events of a part's XML; names of elements have no namespace."""

    done = False

    def start(self, name: str, attributes: dict[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, data: str) -> None: ...


class _Parts:
    """The parts of a workbook. All of them count against its limits."""

    def __init__(self, archive: zipfile.ZipFile, budget: Budget) -> None:
        self._archive, self.budget = archive, budget
        self._left = _MOST_ELEMENTS

    def read(self, part: str, handler: _Handler) -> None:
        """Give the events of a part to `handler`, until it is done."""
        if problem := zip_problem(self._archive.getinfo(part)):
            raise BrokenError(f"{part} in it is not read: {problem}")
        try:
            with self._archive.open(part) as content:
                self._parse(content, handler)
        except expat.ExpatError as error:
            raise BrokenError(f"its XML is broken: {error}") from None

    def _parse(self, content: IO[bytes], handler: _Handler) -> None:
        events = _Events(handler)
        while not handler.done and (piece := content.read(CHUNK_BYTES)):
            self.budget.unpack(len(piece))
            events.feed(piece)
            if events.elements > self._left:
                raise BrokenError(f"it has more than {_MOST_ELEMENTS:,} elements of XML")
        if not handler.done:
            events.feed(b"", last=True)
        self._left -= events.elements


class _Events:
    """Gives what expat sees to a handler. Expat holds open elements, and bytes until it has seen a whole tag: both are limited."""

    def __init__(self, handler: _Handler) -> None:
        self._handler, self._depth, self._unseen = handler, 0, 0
        self.elements = 0
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse

    def feed(self, piece: bytes, *, last: bool = False) -> None:
        self._unseen += len(piece)
        self._parser.Parse(piece, last)
        if self._unseen > _LONGEST_TAG:
            raise BrokenError("a tag of its XML is longer than any that a spreadsheet writes")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._unseen, self._depth, self.elements = 0, self._depth + 1, self.elements + 1
        if self._depth > _DEEPEST:
            raise BrokenError("its XML is nested too deeply")
        self._handler.start(_local(name), attributes)

    def _end(self, name: str) -> None:
        self._unseen, self._depth = 0, self._depth - 1
        self._handler.end(_local(name))

    def _text(self, data: str) -> None:
        self._unseen = 0
        self._handler.text(data)

    def _refuse(self, *_: object) -> None:
        raise BrokenError("its XML has a document type, which is not read")


def _local(name: str) -> str:
    return name.rpartition(":")[2]


class _Elements(_Handler):
    """The attributes of all elements of one name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.found: list[dict[str, str]] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == self._name and len(self.found) < _MOST_SHEETS:
            self.found.append({_local(attribute): value for attribute, value in attributes.items()})


class _Text(_Handler):
    """Gathers the text of one element after another."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._gathers = False

    def text(self, data: str) -> None:
        if self._gathers:
            self._length += len(data)
            if self._length > CELL_CHARACTERS:
                raise BrokenError(f"a cell in it has more than {CELL_CHARACTERS:,} characters")
            self._parts.append(data)

    def _taken(self) -> str:
        text, self._parts, self._length = "".join(self._parts), [], 0
        return text


class _Strings(_Text):
    """The strings that cells name by their number. What a string is read aloud as (`rPh`) is no part of it."""

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self._budget = budget
        self._aloud = False
        self.strings: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        del attributes
        self._aloud = self._aloud or name == "rPh"
        self._gathers = name == "t" and not self._aloud

    def end(self, name: str) -> None:
        self._gathers = False
        if name == "rPh":
            self._aloud = False
        elif name == "si":
            text = self._taken()
            self._budget.hold(len(text) + _STRING_BYTES)
            self.strings.append(text)
            if len(self.strings) > _MOST_STRINGS:
                raise BrokenError(f"it has more than {_MOST_STRINGS:,} different texts")


class _Cells(_Text):
    """The rows of a sheet."""

    def __init__(self, reader: SheetReader, strings: list[str]) -> None:
        super().__init__()
        self._reader, self._strings = reader, strings
        self._row: dict[int, str] = {}
        self._rows, self._seen, self._characters = 0, 0, 0
        self._column = -1
        self._kind = ""
        self._formula = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "row":
            self._row, self._column, self._seen, self._characters = {}, -1, 0, 0
            self._rows += 1
            if self._rows > _MOST_ROWS:
                raise BrokenError(f"a sheet in it has more than {_MOST_ROWS:,} rows")
        elif name == "c":
            self._seen += 1
            place = _REFERENCE.fullmatch(attributes.get("r", ""))
            self._column = _number_of(place[1]) if place else self._column + 1
            self._kind, self._formula = attributes.get("t", "n"), ""
            self._taken()
        elif name in ("v", "t", "f"):
            self._gathers = self._reader.wants(self._column)

    def end(self, name: str) -> None:
        self._gathers = False
        if name == "f":
            self._formula = f"={self._taken()}"
        elif name == "c":
            self._take(self._formula or self._value(self._taken()))
        elif name == "row":
            self._reader.add(self._row)
            self.done = not self._reader.wants_more()

    def _take(self, text: str) -> None:
        if text and self._reader.wants(self._column):
            self._row[self._column] = text
            self._characters += len(text)
        if self._seen > _MOST_CELLS or self._characters > _ROW_CHARACTERS:
            raise BrokenError("a row in it is longer than any that a spreadsheet writes")

    def _value(self, text: str) -> str:
        if self._kind == "s":
            place = int(text) if text.isdecimal() and len(text) < 10 else len(self._strings)
            return self._strings[place] if place < len(self._strings) else ""
        if self._kind == "b":
            return {"1": "True", "0": "False"}.get(text, "")
        return "" if self._kind == "e" else number_text(text) if self._kind == "n" else text


@lru_cache(maxsize=_MOST_CELLS)
def _number_of(letters: str) -> int:
    """A column's number, from 0: A is 0, AA is 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
