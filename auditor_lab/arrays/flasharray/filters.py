"""The `filter` parameter: name='vvol-*' and (qos.iops_limit<1000 or contains(host.name,'esx')).

Supported: =, !=, <, <=, >, >=, and, or, not(...), contains(field, text), parentheses, `*` in a text for any characters. Source: the
vendor's help on filtering. That texts are compared with regard to case, and that null matches only !=, is not verified.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from auditor_lab.arrays.flasharray.array import FlashArrayError

Predicate: TypeAlias = Callable[[Mapping[str, Any]], bool]

_TOKEN = re.compile(r"""\s*(?:('[^']*'|"[^"]*")|(-?\d+(?:\.\d+)?)(?![\w.])|(<=|>=|!=|=|<|>|\(|\)|,)|([A-Za-z_][\w.]*))""")
_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def parse(text: str) -> Predicate:
    """The predicate over a REST object that a filter describes.

    Raises:
        FlashArrayError: the filter is malformed; the wording is not verified.
    """
    parser = _Parser(_tokens(text))
    predicate = parser.either()
    parser.end()
    return predicate


def value_at(record: Mapping[str, Any], field: str) -> Any:
    """The value at a dotted path of a REST object.

    Raises:
        FlashArrayError: the object has no such field.
    """
    value: Any = record
    for part in field.split("."):
        if not isinstance(value, Mapping) or part not in value:
            raise FlashArrayError("Invalid field name.", field)
        value = value[part]
    return value


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _invalid(text[at:])
        tokens.append(match[0].strip())
        at = match.end()
    return tokens


class _Parser:
    """Parses tokens from left to right; `and` binds tighter than `or`."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def either(self) -> Predicate:
        """Parse one or more alternatives."""
        parts = [self._both()]
        while self._accept("or"):
            parts.append(self._both())
        return lambda record: any(_each(parts, record))

    def end(self) -> None:
        """Check that no token follows."""
        if self._at < len(self._tokens):
            raise _invalid(self._tokens[self._at])

    def _both(self) -> Predicate:
        parts = [self._one()]
        while self._accept("and"):
            parts.append(self._one())
        return lambda record: all(_each(parts, record))

    def _one(self) -> Predicate:
        if self._accept("("):
            return self._closed(self.either())
        word = self._next()
        if word == "not" and self._accept("("):
            denied = self._closed(self.either())
            return lambda record: not denied(record)
        if word == "contains" and self._accept("("):
            field = self._name(self._next())
            self._expect(",")
            text = self._text(self._next())
            return self._closed(lambda record: _any_of(value_at(record, field), lambda value: text in str(value)))
        return self._comparison(self._name(word))

    def _comparison(self, field: str) -> Predicate:
        sign, wanted = self._next(), self._value(self._next())
        if sign in _ORDER:
            compare = _ORDER[sign]
            return lambda record: _any_of(value_at(record, field), lambda value: _same_kind(value, wanted) and compare(value, wanted))
        if sign not in ("=", "!="):
            raise _invalid(sign)
        return lambda record: _any_of(value_at(record, field), lambda value: _equal(value, wanted)) is (sign == "=")

    def _closed(self, predicate: Predicate) -> Predicate:
        self._expect(")")
        return predicate

    def _accept(self, token: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at] == token:
            self._at += 1
            return True
        return False

    def _expect(self, token: str) -> None:
        if not self._accept(token):
            raise _invalid(token)

    def _next(self) -> str:
        if self._at == len(self._tokens):
            raise _invalid("")
        self._at += 1
        return self._tokens[self._at - 1]

    def _name(self, token: str) -> str:
        if not re.fullmatch(r"[A-Za-z_][\w.]*", token) or token in ("and", "or", "not"):
            raise _invalid(token)
        return token

    def _text(self, token: str) -> str:
        if token[0] not in "'\"":
            raise _invalid(token)
        return token[1:-1]

    def _value(self, token: str) -> str | int | float | bool:
        if token in ("true", "false"):
            return token == "true"  # noqa: S105  it is the word of the filter's language
        if re.fullmatch(r"-?\d+", token):
            return int(token)
        if re.fullmatch(r"-?\d+\.\d+", token):
            return float(token)
        return self._text(token)


def _each(parts: list[Predicate], record: Mapping[str, Any]) -> list[bool]:
    """A list of predicates that all run: each checks that its field exists, whatever the others return."""
    return [part(record) for part in parts]


def _any_of(value: Any, holds: Callable[[Any], bool]) -> bool:
    """Whether the comparison is true for the value, or for one element of a list; never for null."""
    return any(holds(one) for one in value if one is not None) if isinstance(value, list) else value is not None and holds(value)


def _equal(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, str) and "*" in wanted:
        pattern = ".*".join(map(re.escape, wanted.split("*")))
        return isinstance(value, str) and re.fullmatch(pattern, value, re.DOTALL) is not None
    return _same_kind(value, wanted) and bool(value == wanted)


def _same_kind(value: Any, wanted: Any) -> bool:
    numbers = (int, float)
    if isinstance(value, bool) or isinstance(wanted, bool):
        return isinstance(value, bool) and isinstance(wanted, bool)
    return isinstance(value, numbers) and isinstance(wanted, numbers) if isinstance(wanted, numbers) else isinstance(value, str)


def _invalid(near: str) -> FlashArrayError:
    return FlashArrayError("Invalid filter expression.", near or None)
