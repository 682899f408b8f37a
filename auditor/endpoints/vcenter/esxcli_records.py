"""The records of an esxcli answer: XML that came as text within XML.

All records of a list have the same fields in the same order, so the first one says what the others are matched against: fields nobody
asked for are passed over without becoming anything. Where that does not fit from the first character to the last, a tree is built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from auditor.endpoints.vcenter.soap_envelope import NAME, XSI, content_of
from auditor.errors import MalformedAnswerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.model import Endpoint

Row = dict[str, str | list[str]]
Cell = str | tuple[str, ...] | None
"""A field of a record: its text, its texts where it occurs more than once, None where the record has none."""

_XSI_TYPE = f"{{{XSI}}}type"
_NO_FIELDS: frozenset[str] = frozenset()

# The inner document as it stands in the outer one, escaped. Undoing that first would cost more than reading it.
_LT, _GT, _QUOTE = "&lt;", "(?:&gt;|>)", '(?:&quot;|")'
_VALUE = "[^&]*+(?:&(?:amp;(?:amp|lt|gt|quot|apos)|quot|apos);[^&]*+)*+"
_RESPONSE = re.compile(r'<returnval(?: xsi:type="[A-Za-z]*")?><response(?: xsi:type="xsd:string")?>([^<]*+)</response></returnval>')
_ROOT = re.compile(
    rf"{_LT}(?P<root>{NAME})(?P<attributes>(?:\s+(?:xmlns(?::{NAME})?|versionId|xsi:type)={_QUOTE}[^<>&\"]*+{_QUOTE})*+)\s*+{_GT}"
)
_ATTRIBUTE = re.compile(rf"\s([A-Za-z:]+)={_QUOTE}([^&\"]*)")
_TYPED = rf"(?: xsi:type={_QUOTE}[A-Za-z0-9:_.-]*+{_QUOTE})?+"
_FIELD = re.compile(rf"{_LT}({NAME}){_GT}")
_RECORD = re.compile(
    rf"{_LT}(?P<record>{NAME}){_TYPED}{_GT}(?P<fields>(?:{_LT}(?P<f>{NAME}){_GT}{_VALUE}{_LT}/(?P=f){_GT})++){_LT}/(?P=record){_GT}"
)
_QUOTES = (("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), *_QUOTES)  # the ampersand last: what it makes is text


@dataclass(frozen=True, slots=True)
class Table:
    """The records of one answer: a tuple a record, a cell for each of `names`, the host's own names of fields."""

    names: tuple[str, ...]
    records: list[tuple[Cell, ...]]

    def rows(self) -> list[Row]:
        """The records as rows that leave out what a record has not."""
        return [
            {
                name: list(cell) if isinstance(cell, tuple) else cell
                for name, cell in zip(self.names, record, strict=True)
                if cell is not None
            }
            for record in self.records
        ]


def table_of(rows: Sequence[Row]) -> Table:
    """The table of `rows`, whose fields need not be the same."""
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    return Table(names, [tuple(tuple(cell) if isinstance(cell := row.get(name), list) else cell for name in names) for row in rows])


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """A field's name whatever the build's capitals: its letters and digits.

    The structured name of a field is its display name without blanks and punctuation ("Is VVOL PE" is `IsVVOLPE`).

    Source: docs/domain/facts.md#1-1.
    """
    return re.sub(r"[^a-z0-9]", "", name.lower())


def response_in(body: bytes) -> str | None:
    """What an answer to ExecuteSoap carries, still escaped; None where a parser must look, for example for a fault."""
    content = content_of(body, "ExecuteSoap")
    response = None if content is None else _RESPONSE.fullmatch(content)
    return None if response is None else response[1]


def scanned_table(escaped: str, fields: frozenset[str] = _NO_FIELDS) -> Table | None:
    """The records of a list whose records are alike; None for everything else.

    `escaped` is the document as it stands in another one; see `parse_rows` for the rest.
    """
    root = _ROOT.match(escaped)
    if root is None or not _is_list(root["attributes"]):
        return None
    closing = re.compile(rf"{_LT}/{root['root']}{_GT}\Z").search(escaped, max(root.end(), len(escaped) - len(root["root"]) - 10))
    first = _RECORD.match(escaped, root.end())
    if closing is None or first is None:
        return None
    names = tuple(dict.fromkeys(_FIELD.findall(first["fields"])))
    wanted = tuple(name for name in names if not fields or plain_name(name) in fields)
    records = _matched(_pattern(first["record"], names, wanted, _NO_FIELDS), escaped, root.end(), closing.start())
    if records is None:
        several = frozenset(name for name in wanted if f"&lt;/{name}&gt;&lt;{name}&gt;" in escaped)
        records = _matched(_pattern(first["record"], names, wanted, several), escaped, root.end(), closing.start()) if several else None
        if records is not None:
            records = [tuple(map(_whole, _split(record, wanted, several))) for record in records]
    elif any("&" in cell for record in records for cell in record if cell):
        records = [tuple(map(_whole, record)) for record in records]
    return None if records is None else Table(wanted, records)


def _matched(pattern: re.Pattern[str], escaped: str, start: int, end: int) -> list[tuple[Cell, ...]] | None:
    """The groups of each record between `start` and `end`; None where the pattern does not fit from the first character to the last."""
    bad = pattern.groups
    records: list[tuple[Cell, ...]] = []
    for match in pattern.finditer(escaped, start, end):
        if match.lastindex == bad:
            return None
        records.append(match.groups()[:-1])
    return records


def _split(record: tuple[Cell, ...], names: Sequence[str], several: frozenset[str]) -> tuple[Cell, ...]:
    """`record` with the texts of those fields that may occur `several` times, which are still one."""
    return tuple(_texts(cell, name) if name in several else cell for cell, name in zip(record, names, strict=True))


def _texts(cell: Cell, name: str) -> Cell:
    texts = re.findall(f"{_LT}{name}{_GT}({_VALUE})", cell) if isinstance(cell, str) else ()
    return tuple(texts) if len(texts) > 1 else texts[0] if texts else None


def _whole(cell: Cell) -> Cell:
    """A cell as it was meant."""
    if isinstance(cell, tuple):
        return tuple(_unescaped(text) if "&" in text else text for text in cell)
    return cell if cell is None or "&" not in cell else _unescaped(cell)


def parse_rows(text: str, endpoint: Endpoint, doing: str, fields: frozenset[str] = _NO_FIELDS) -> list[Row]:
    """The records of an esxcli answer, see `EsxCli.run`; only `fields`, by their plain names, where some are named.

    Raises:
        MalformedAnswerError: it is not XML.
    """
    try:
        root = ElementTree.fromstring(text)  # noqa: S314  from an endpoint whose certificate was checked; expat bounds entities
    except ElementTree.ParseError as error:
        raise MalformedAnswerError(
            f"endpoint {endpoint.name}: {doing}: its answer cannot be understood: {error}",
            why="half an answer would be half an audit, so none of it was used.",
            do="run again; if it stays so, try the same command on the host itself.",
        ) from None
    if root.get(_XSI_TYPE, "").rpartition(":")[2].startswith("ArrayOf"):
        return [_row(record, fields) for record in root]
    if len(root):
        return [_row(root, fields)]
    return [{"value": root.text.strip()}] if root.text and root.text.strip() else []


@lru_cache(maxsize=256)
def _pattern(record: str, names: Sequence[str], wanted: Sequence[str], several: frozenset[str]) -> re.Pattern[str]:
    """Matches one record whose fields stand in this order, each of them or none; a group for each that is `wanted`, and one for misfits.

    The group of a field that may occur `several` times holds all of it, with its tags.
    """
    parts = []
    for name in names:
        field = f"{_LT}{name}{_GT}%s{_LT}/{name}{_GT}"
        if name in several:
            parts.append(f"((?:{field % _VALUE})*+)")
        elif name in wanted:
            parts.append(f"(?:{field % f'({_VALUE})'})?+")
        else:
            parts.append(f"(?:{field % _VALUE})*+")
    return re.compile(rf"{_LT}{record}{_TYPED}{_GT}{''.join(parts)}{_LT}/{record}{_GT}|(.)", re.DOTALL)


def _is_list(attributes: str) -> bool:
    types = _ATTRIBUTE.findall(attributes)
    named = dict(types)
    return len(named) == len(types) and named.get("xmlns:xsi") == XSI and named.get("xsi:type", "").rpartition(":")[2].startswith("ArrayOf")


def _unescaped(value: str) -> str:
    """`value`, which was escaped twice, as it was meant."""
    for entity, character in (*_QUOTES, *_ENTITIES):
        value = value.replace(entity, character)
    return value


def _row(record: ElementTree.Element, fields: frozenset[str]) -> Row:
    if not len(record):
        return {"value": record.text or ""}
    row: Row = {}
    for field in record:
        name, text = local_name(field.tag), field.text or ""
        if fields and plain_name(name) not in fields:
            continue
        if len(field):  # a list as one element with an element an entry
            row[name] = [entry.text or "" for entry in field]
        elif name not in row:
            row[name] = text
        else:
            had = row[name]
            row[name] = [*had, text] if isinstance(had, list) else [had, text]
    return row


def local_name(tag: str) -> str:
    """An element's name without its namespace."""
    return tag.rpartition("}")[2]
