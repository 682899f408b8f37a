"""GET of a list: fields, filters, order and pages.

Source: dell/python-powerstore, PyPowerStore/client.py (Range, content-range, 206 and 416) and utils/constants.py (select);
dell/gopowerstore, volume.go and client.go (limit, offset, order, type=not.eq.Snapshot).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MOST = 2000
"""Entries in one answer at most. Source: PyPowerStore/utils/constants.py, MAX_LIMIT."""

_FILTER = re.compile(r"(not\.eq|eq|neq)\.(.*)$", re.DOTALL)
_WORDS = frozenset({"select", "order", "limit", "offset"})


class PowerStoreError(Exception):
    """An error that is answered instead of objects: a status, a code and a message, whose wording is not verified."""

    def __init__(self, message: str, status: int = 400, code: str = "0xE04040010001") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code


def listed(records: Sequence[dict[str, Any]], query: Mapping[str, str], within: tuple[int, int] | None, page: int) -> tuple[list[Any], str]:
    """The objects of a page and what its header Content-Range says, "" where the page is the whole list.

    Args:
        records: all objects of the resource.
        query: of the request.
        within: the first and last place that a Range header asks for.
        page: how many objects an answer has unless the request says it.

    Raises:
        PowerStoreError: a field, a filter or a number is not what the API takes, or the list ends before its beginning.
    """
    filters = [(name, text) for name, text in query.items() if name not in _WORDS]
    found = sorted((one for one in records if all(_holds(one, *given) for given in filters)), key=_order(query))
    offset, limit = _number(query, "offset", 0), _number(query, "limit", page)
    if within is not None:
        offset, limit = within[0], within[1] - within[0] + 1
    if offset and offset >= len(found):
        raise PowerStoreError("The offset is larger than the result set.", 416)
    shown = found[offset : offset + min(limit, MOST)]
    whole = len(shown) == len(found)
    return [selected(one, query.get("select", "id")) for one in shown], "" if whole else f"{offset}-{offset + len(shown) - 1}/{len(found)}"


def selected(record: Mapping[str, Any], select: str) -> dict[str, Any]:
    """The fields of `select` of a record; "*" is every one. A field of a list or an object may name its own, in brackets.

    Raises:
        PowerStoreError: it has no such field.
    """
    if select == "*":
        return dict(record)
    found = {}
    for name, inner in _parts(select):
        value = _value(record, name)
        if inner and value is not None:
            value = [selected(one, inner) for one in value] if isinstance(value, list) else selected(value, inner)
        found[name] = value
    return found


def _parts(select: str) -> Iterator[tuple[str, str]]:
    """The fields of a list of them, each with what stands in brackets behind it."""
    depth, part = 0, ""
    for letter in f"{select},":
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter != "," or depth:
            part += letter
            continue
        name, _, inner = part.strip().partition("(")
        yield name, inner.removesuffix(")")
        part = ""


def _value(record: Mapping[str, Any], name: str) -> Any:
    """A field; one that ends with _l10n is the text of another, here in English."""
    own = name.removesuffix("_l10n")
    if name in record or own not in record:
        if name not in record:
            raise PowerStoreError(f"Invalid field {name!r} in the select list.")
        return record[name]
    return record[own] if record[own] is None else str(record[own]).replace("_", " ")


def _holds(record: Mapping[str, Any], name: str, text: str) -> bool:
    match = _FILTER.match(text)
    if match is None or name not in record:
        raise PowerStoreError(f"Invalid filter {name}={text}.")
    value = record[name]
    written = {True: "true", False: "false", None: "null"}[value] if value is None or isinstance(value, bool) else str(value)
    return (written == match[2]) is (match[1] == "eq")


def _order(query: Mapping[str, str]) -> Any:
    name = query.get("order", "id").removesuffix(".asc")
    return lambda record: str(record.get(name))


def _number(query: Mapping[str, str], name: str, otherwise: int) -> int:
    text = query.get(name)
    if text is None:
        return otherwise
    if not (text.isascii() and text.isdigit()):
        raise PowerStoreError(f"Invalid value of {name}.")
    return int(text)
