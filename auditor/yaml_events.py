"""The quick way through a YAML file: libyaml's events, for files in which nothing stands that two YAML parsers could read differently.

For any other file, and for every mistake, the answer is None, and yamlfile.py reads the file the slow way, which knows the words for it.
A test holds the two ways equal, line numbers included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]

DEEPEST = 60
# No tab, carriage return, byte order mark, or one of Unicode's own line ends: YAML 1.1, which libyaml reads, and 1.2 differ there.
_PLAIN_TEXT = re.compile("[\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
# Directives, more than one document, and what ruamel.yaml refuses and libyaml takes: a line of blanks, which a block of text may begin
# with, a comment close behind the sign of such a block, a colon close before the end of a list, and one between a quote and a word.
_DIFFERS = re.compile(r"""^(?:%|---|\.\.\.| +$)|[|>][-+0-9]*#|:[],}]|['"]:[^ \n]""", re.MULTILINE)
_WORDS = {word: value for value, words in ((True, "true True TRUE"), (False, "false False FALSE")) for word in words.split()}
_NOTHING = frozenset(("", "~", "null", "Null", "NULL"))
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+")
# All that may be a number in any notation, and more.
_MAY_BE_NUMBER = re.compile(r"[-+]?(?:[0-9a-fA-Fobx_]+|[0-9_]*\.?[0-9_]*(?:[eE][-+]?[0-9]+)?|\.[a-zA-Z]{3})")
_LONGEST_NUMBER = 300  # beyond this Python and YAML have their own ideas


class _OtherwiseError(Exception):
    """This file is for the slow way."""


def read_quickly(text: str, most_nodes: int) -> tuple[dict[str, Any], dict[KeyPath, int]] | None:
    """The top-level mapping and the line of every key path, as `yamlfile.parse_yaml` answers; None: read it the slow way.

    Args:
        text: the file.
        most_nodes: with more values than this it is for the slow way.
    """
    try:
        import yaml
        from yaml import CSafeLoader
    except ImportError:  # no PyYAML here, or one without libyaml
        return None
    if not _PLAIN_TEXT.fullmatch(text) or _DIFFERS.search(text):
        return None
    events = _Events(yaml.parse(text, Loader=CSafeLoader), most_nodes)
    try:
        return events.document(), events.lines
    except (yaml.YAMLError, _OtherwiseError):
        return None


class _Events:
    """Turns events into plain data."""

    def __init__(self, events: Iterator[Any], most_nodes: int) -> None:
        self.lines: dict[KeyPath, int] = {(): 1}
        self._events = events
        self._left = most_nodes

    def document(self) -> dict[str, Any]:
        names = [type(self._next()).__name__ for _ in range(2)]
        if names != ["StreamStartEvent", "DocumentStartEvent"]:
            raise _OtherwiseError
        root = self._next()
        if type(root).__name__ != "MappingStartEvent":
            raise _OtherwiseError
        data = self._mapping(root, ())
        if [type(event).__name__ for event in self._events] != ["DocumentEndEvent", "StreamEndEvent"]:
            raise _OtherwiseError
        return data

    def _next(self) -> Any:
        event = next(self._events, None)
        if event is None:
            raise _OtherwiseError
        return event

    def _value(self, event: Any, path: KeyPath) -> Any:
        self._left -= 1
        if self._left < 0 or len(path) > DEEPEST:
            raise _OtherwiseError
        match type(event).__name__:
            case "ScalarEvent":
                return _scalar(event)
            case "MappingStartEvent":
                return self._mapping(event, path)
            case "SequenceStartEvent":
                return self._sequence(event, path)
            case _:
                raise _OtherwiseError  # an alias

    def _mapping(self, start: Any, path: KeyPath) -> dict[str, Any]:
        _check_bare(start)
        result: dict[str, Any] = {}
        while type(event := self._next()).__name__ != "MappingEndEvent":
            if type(event).__name__ != "ScalarEvent":
                raise _OtherwiseError
            _check_bare(event)
            key = event.value
            if key in result or key == "<<":
                raise _OtherwiseError
            self.lines[(*path, key)] = event.start_mark.line + 1
            result[key] = self._value(self._next(), (*path, key))
        return result

    def _sequence(self, start: Any, path: KeyPath) -> list[Any]:
        _check_bare(start)
        items: list[Any] = []
        while type(event := self._next()).__name__ != "SequenceEndEvent":
            at = (*path, len(items))
            self.lines[at] = event.start_mark.line + 1
            items.append(self._value(event, at))
        return items


def _check_bare(event: Any) -> None:
    if event.anchor is not None or event.tag is not None:
        raise _OtherwiseError


def _scalar(event: Any) -> Any:
    """The value of a scalar by YAML 1.2's core schema."""
    _check_bare(event)
    text: str = event.value
    if not event.implicit[0]:  # quoted, or a block
        return text
    if text == "<<":
        raise _OtherwiseError
    if text in _WORDS:
        return _WORDS[text]
    if text in _NOTHING:
        return None
    if not _MAY_BE_NUMBER.fullmatch(text) or text[0] not in "+-.0123456789":
        return text
    if len(text) > _LONGEST_NUMBER:
        raise _OtherwiseError
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    raise _OtherwiseError
