"""The conventions of ONTAP's REST collections: selecting records, their order, page and fields.

Source: "Getting started with the ONTAP REST API" and "Input variables for an ONTAP REST API request" (docs.netapp.com), and the vendor's
printed examples (a field in a query is answered too). The exact texts of errors are not verified; their codes are those that public clients
check.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

Record: TypeAlias = dict[str, Any]

RESERVED = frozenset({"fields", "max_records", "return_records", "return_timeout", "order_by", "ignore_unknown_fields"})


class RestError(Exception):
    """An error that is answered instead of a result."""

    def __init__(self, status: int, code: str, message: str, target: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": {"message": message, "code": code} | ({"target": target} if target else {})}


def invalid(value: object, name: str) -> RestError:
    """The error for an invalid value. Source of the code and the sentence: errors quoted by public ONTAP clients."""
    return RestError(400, "262197", f'The value "{value}" is invalid for field "{name}"', name)


def unexpected(name: str) -> RestError:
    """The error for an unknown name. Source of the code and the sentence: errors quoted by public ONTAP clients."""
    return RestError(400, "262179", f'Unexpected argument "{name}".', name)


def values_at(record: Any, path: str) -> Iterator[Any]:
    """Every value at a dotted path; a list on the way is searched element by element."""
    if isinstance(record, list):
        for each in record:
            yield from values_at(each, path)
    elif not path:
        if record is not None:
            yield record
    elif isinstance(record, dict):
        name, _, rest = path.partition(".")
        if name in record:
            yield from values_at(record[name], rest)


def matching(records: Sequence[Record], conditions: Mapping[str, str]) -> list[Record]:
    """The records for which every condition is true."""
    tests = [(path, _test(text)) for path, text in conditions.items()]
    return [record for record in records if all(test(list(values_at(record, path))) for path, test in tests)]


def _test(text: str) -> Callable[[list[Any]], bool]:
    if text == "null":
        return lambda values: not values
    if text == "!null":
        return bool
    if text.startswith("!"):
        refused = _alternatives(text[1:])
        # A field that is not set matches nothing, not even "unlike". Source: "Input variables", the note on fields that are not set.
        return lambda values: bool(values) and not any(refused(value) for value in values)
    wanted = _alternatives(text)
    return lambda values: any(wanted(value) for value in values)


def _alternatives(text: str) -> Callable[[Any], bool]:
    if len(text) > 1 and text[0] == text[-1] == '"':
        exact = text[1:-1]
        return lambda value: written(value) == exact
    tests = [_single(part) for part in text.split("|")]
    return lambda value: any(test(value) for test in tests)


def _single(text: str) -> Callable[[Any], bool]:
    for operator in ("<=", ">=", "<", ">"):
        if text.startswith(operator):
            return lambda value: _compare(value, text[len(operator) :], operator)
    low, dots, high = text.partition("..")
    if dots:
        return lambda value: _compare(value, low, ">=") and _compare(value, high, "<=")
    if "*" in text:
        pattern = re.compile(".*".join(map(re.escape, text.split("*"))), re.DOTALL)
        return lambda value: pattern.fullmatch(written(value)) is not None
    return lambda value: written(value) == text


def _compare(value: Any, bound: str, operator: str) -> bool:
    left: Any = value
    right: Any = bound
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            right = float(bound)
        except ValueError:
            return False
    else:
        left = written(value)
    below, above = left < right, left > right
    return bool({"<": below, "<=": not above, ">": above, ">=": not below}[operator])


def written(value: Any) -> str:
    """A value in a query's notation."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def ordered(records: list[Record], order_by: str) -> list[Record]:
    """The records in the requested order: "a,b desc"; those without a value come last."""
    for part in reversed(order_by.split(",")):
        path, _, direction = part.strip().partition(" ")
        if direction not in ("", "asc", "desc"):
            raise invalid(order_by, "order_by")
        held = [(next(values_at(record, path), None), record) for record in records]
        bare = [record for value, record in held if value is None]
        valued = [(value, record) for value, record in held if value is not None]
        valued.sort(key=lambda each: _rank(each[0]), reverse=direction == "desc")
        records = [record for _, record in valued] + bare
    return records


def _rank(value: Any) -> tuple[int, Any]:
    return (0, value) if isinstance(value, (int, float)) else (1, str(value))


def project(record: Record, paths: Sequence[str]) -> Record:
    """The fields at the dotted paths, in the record's shape."""
    wanted: dict[str, list[str]] = {}
    for path in paths:
        name, _, rest = path.partition(".")
        wanted.setdefault(name, []).append(rest)
    return {name: _part(record[name], wanted[name]) for name in record if name in wanted}


def _part(value: Any, paths: list[str]) -> Any:
    if "" in paths or "*" in paths:
        return value
    if isinstance(value, list):
        return [_part(each, paths) for each in value]
    return project(value, paths) if isinstance(value, dict) else value


def without(record: Record, paths: Sequence[str]) -> Record:
    """The record without the fields at the dotted paths."""
    left = dict(record)
    for path in paths:
        name, _, rest = path.partition(".")
        if name in left and not rest:
            del left[name]
        elif isinstance(left.get(name), dict):
            left[name] = without(left[name], [rest])
    return left
