"""Finds the recorded answer to a request: by method, path, query and body, without what differs from one session to the next."""

from __future__ import annotations

import json
import re
import threading
from collections import defaultdict
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl
from xml.etree import ElementTree

from auditor.recording.exchanges import LOGINS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.model import Exchange
    from auditor.recording.bundle import RecordedExchange

Key = tuple[str, str, str]

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")
_UNSTEADY_PARAMS = frozenset(("return_timeout",))  # computed from the time-out of the client


class Replay:
    """The answers of one endpoint.

    What was asked several times is answered in the order of the recording, and by its last answer from then on.

    Args:
        exchanges: as recorded.
    """

    def __init__(self, exchanges: Sequence[RecordedExchange]) -> None:
        self._by_key: dict[Key, list[RecordedExchange]] = defaultdict(list)
        for one in sorted(exchanges, key=lambda one: one.at_seconds):
            self._by_key[_recorded_key(one.exchange)].append(one)
        self._next: dict[Key, int] = defaultdict(int)
        self._lock = threading.Lock()

    def answer(self, method: str, path: str, body: bytes) -> Exchange | None:
        """The exchange that answers a request; None when nothing like it was recorded."""
        key = key_of(method, path, body)
        with self._lock:
            recorded = self._by_key.get(key)
            if not recorded:
                return None
            place = min(self._next[key], len(recorded) - 1)
            self._next[key] += 1
        return recorded[place].exchange

    def every(self, method: str, path: str, body: bytes) -> Sequence[RecordedExchange]:
        """Every exchange that answers a request, in the order of the recording."""
        return self._by_key.get(key_of(method, path, body), [])

    def exchanges(self) -> list[Exchange]:
        """All of them, in their order."""
        return [one.exchange for recorded in self._by_key.values() for one in recorded]


def _recorded_key(exchange: Exchange) -> Key:
    if exchange.path == "/sdk" and not exchange.request:  # a login: what it was asked with was not kept
        return exchange.method, exchange.path, json.dumps([[], [exchange.operation]])
    return key_of(exchange.method, exchange.path, exchange.request)


def key_of(method: str, path: str, body: bytes) -> Key:
    """What two requests have in common that ask the same."""
    where, _, query = path.partition("?")
    pairs = sorted((name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name not in _UNSTEADY_PARAMS)
    if LOGINS.search(where) or not body.strip():
        return method, where, json.dumps(pairs)
    return method, where, json.dumps([pairs, _body(body)])


def _body(body: bytes) -> Any:
    if body.lstrip().startswith(b"<"):
        try:
            operation = soap_operation(body)
            return [operation] if LOGINS.search(operation) else _element(ElementTree.fromstring(body))  # noqa: S314  expat bounds entities
        except ElementTree.ParseError:
            return ""
    try:
        value = json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")
    if isinstance(value, dict) and "method" in value:
        value.pop("id", None)  # of JSON-RPC: a number of the session
    return json.loads(_MOMENT.sub("*", json.dumps(value, sort_keys=True)))


def _element(element: ElementTree.Element) -> list[Any]:
    text = _MOMENT.sub("*", (element.text or "").strip())
    parts = [_element(child) for child in element if not child.tag.endswith("}Header")]  # a header holds the key of the session
    return [element.tag, sorted(element.attrib.items()), text, parts]


def soap_operation(body: bytes) -> str:
    """The operation of a SOAP request; "" when it is none."""
    match = re.search(rb"<(?:\w+:)?Body[^>]*>\s*<(?:\w+:)?(\w+)", body)
    return match[1].decode() if match else ""
