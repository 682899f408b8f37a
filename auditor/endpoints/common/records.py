"""Reads fields of the JSON records that arrays answer with, and keeps count of what could not be understood."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

T = TypeVar("T")

_LARGEST = 2**63 - 1  # what a BIGINT column holds
_DIGITS = re.compile(r"\d{1,19}")
_NAA = re.compile(r"(?:naa\.)?([0-9a-f]{32})")


@dataclass(slots=True)
class ParseErrors:
    """What could not be understood of the answer to one request: a field or a fault, and the objects it happened to."""

    method: str  # or path: what was asked
    _heard: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, what: str, label: str, why: str) -> None:
        """Keep one parse error of the object `label`."""
        self._heard.setdefault((what, why), []).append(label)

    @property
    def any(self) -> bool:
        """Whether there is one that no gap reports yet."""
        return bool(self._heard)

    def gaps(self, endpoint: str) -> Iterator[Gap]:
        """One gap for each kind of parse error, however many objects it happened to; then forgets them."""
        entries, self._heard = self._heard, {}
        for (what, why), labels in entries.items():
            more = f" and {len(labels) - 1} more" if len(labels) > 1 else ""
            yield Gap(endpoint, f"{self.method}: {what} of {labels[0]}{more}", why)


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object of an answer; a field that is not what it should be reads as None, and is reported as a parse error.

    Unknown fields are ignored, so that a newer release does not make gaps.
    """

    value: Mapping[str, Any]
    label: str
    parse_errors: ParseErrors
    prefix: str = ""

    def number(self, name: str) -> int | None:
        """A whole number from 0; a string of digits counts as a number."""
        value = self.value.get(name)
        if isinstance(value, str) and _DIGITS.fullmatch(value):
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is int and 0 <= value <= _LARGEST:
            return value
        self._not_understood(name, "a whole number")
        return None

    def real(self, name: str) -> float | None:
        """A finite number from 0."""
        value = self.value.get(name)
        try:
            number = math.nan if isinstance(value, bool) or value is None else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if math.isfinite(number) and number >= 0:
            return number
        self._not_understood(name, "a number")
        return None

    def text(self, name: str) -> str | None:
        """A string; the empty one is one."""
        value = self.value.get(name)
        if isinstance(value, str):
            return value
        self._not_understood(name, "a string")
        return None

    def optional_text(self, name: str) -> str | None:
        """A string that may be left out: None then, without a parse error."""
        return None if self.value.get(name) is None else self.text(name)

    def listed(self, name: str, known: Collection[str], *, needed: bool = False) -> str | None:
        """A value of an enumeration. A value that is not among `known`, or a missing one that is `needed`, is a parse error."""
        value = self.text(name) if needed else self.optional_text(name)
        if value is None or value in known:
            return value
        self.parse_errors.add(f"{self.prefix}{name}", self.label, f"is {value[:40]!r}, which is not known")
        return None

    def identifier(self, name: str) -> str | None:
        """An id, a whole number or a string on the wire, as text in lower case."""
        value = self.value.get(name)
        if type(value) is int or (isinstance(value, str) and value):
            return str(value).lower()
        self._not_understood(name, "an id")
        return None

    def reference(self, name: str) -> str | None:
        """An id that may be null but must be reported: None without a parse error only for a null."""
        if name in self.value and self.value[name] is None:
            return None
        return self.identifier(name)

    def device(self, name: str) -> str | None:
        """An NAA name as hosts write it: "naa." and 32 hexadecimal digits in lower case."""
        value = self.value.get(name)
        match = _NAA.fullmatch(value.lower()) if isinstance(value, str) else None
        if match:
            return f"naa.{match[1]}"
        self._not_understood(name, "an NAA name")
        return None

    def inner(self, name: str) -> Record | None:
        """An object within this one."""
        value = self.value.get(name)
        if isinstance(value, dict):
            return Record(value, self.label, self.parse_errors, f"{self.prefix}{name}.")
        self._not_understood(name, "an object")
        return None

    def length(self, name: str) -> int | None:
        """How many entries a list has."""
        value = self.value.get(name)
        if isinstance(value, list):
            return len(value)
        self._not_understood(name, "a list")
        return None

    def curve(self, name: str) -> str | None:
        """An IOPS curve as a JSON object, I/O size in bytes to cost, smallest size first."""
        inner = self.inner(name)
        if inner is None:
            return None
        costs = {size: inner.number(size) for size in inner.value}
        if not costs or None in costs.values() or not all(_DIGITS.fullmatch(size) for size in costs):
            self._not_understood(name, "a curve")
            return None
        return json.dumps({size: costs[size] for size in sorted(costs, key=int)})

    def _not_understood(self, name: str, wanted: str) -> None:
        value = self.value.get(name)
        seen = (
            "is missing" if name not in self.value else "is null" if value is None else f"is a {type(value).__name__} that is not {wanted}"
        )
        self.parse_errors.add(f"{self.prefix}{name}", self.label, f"{seen} where {wanted} was expected" if value is None else seen)


def objects(answer: Mapping[str, Any], under: str, parse_errors: ParseErrors) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the objects of a list in an answer with their places; what is no object is reported as a parse error and left out."""
    listed = answer.get(under)
    if not isinstance(listed, list):
        parse_errors.add(under, "the answer", "is not a list")
        return
    for place, value in enumerate(listed):
        if isinstance(value, dict):
            yield place, value
        else:
            parse_errors.add(f"entry {place}", under, "is not an object")


def records(
    answer: Mapping[str, Any], under: str, kind: str, key: str, parse_errors: ParseErrors, *, labelled: str | None = None
) -> Iterator[Record]:
    """The records of a list in an answer, each labelled `kind` and its id; entries without an id are parse errors, and left out.

    `labelled` names the field that says more to a person than the id does.
    """
    for _, value in objects(answer, under, parse_errors):
        record = Record(value, f"{kind} {value.get(labelled or key)}", parse_errors)
        if record.identifier(key) is not None:
            yield record


def once(listed: Iterable[Record], key: str, seen: set[str], parse_errors: ParseErrors) -> Iterator[Record]:
    """The records with an id that has not been seen yet, as `once_each`."""
    named = (record for record in listed if record.identifier(key) is not None)
    return once_each(named, lambda record: record.identifier(key) or "", key, seen, parse_errors, label=lambda record: record.label)


def once_each(
    items: Iterable[T],
    key: Callable[[T], str],
    what: str,
    seen: set[str],
    parse_errors: ParseErrors,
    *,
    label: Callable[[T], str] | None = None,
) -> Iterator[T]:
    """The items whose key has not been seen yet; a second one is reported as a parse error, since two rows would count one object twice.

    Args:
        items: in the order of the answer.
        key: what distinguishes two of them.
        what: what people call the key.
        seen: keys that came before; those of `items` are added.
        parse_errors: about the answer.
        label: how people know an item; None where its key says it.
    """
    for item in items:
        name = key(item)
        if name in seen:
            parse_errors.add(what, (label or key)(item), "came twice; the second record was left out")
            continue
        seen.add(name)
        yield item
