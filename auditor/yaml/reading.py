"""YAML files that people write: read as plain data, with the line of every key and list item.

The events come from libyaml. yaml_scalars.py says what they mean.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from auditor.yaml.scalars import YamlMistakeError, check_tag, scalar_value

if TYPE_CHECKING:
    from auditor.errors import AuditorError

LARGEST_FILE_BYTES = 4 * 1024 * 1024
LARGEST_NODE_COUNT = 100_000
"""Values a file may hold once its aliases are written out: ten nested aliases would otherwise fill any memory."""
DEEPEST = 60

KeyPath: TypeAlias = tuple[str | int, ...]
Lines: TypeAlias = "Mapping[str | int, tuple[int, Lines]]"
"""Key or list index -> the line where it stands, and the lines of what is below it."""

# YAML 1.1, which libyaml follows there, takes the last three for the end of a line, and YAML 1.2 does not.
_REFUSED_CHARACTER = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|[\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """One file's top-level mapping as dicts, lists, text, numbers, booleans and None."""

    path: Path
    data: dict[str, Any]
    _lines: Lines

    def line(self, *path: str | int) -> int:
        """The line, from 1, where the key or list item at `path` stands; of its nearest parent when it is absent."""
        line, below = 1, self._lines
        for key in path:
            if key not in below:
                break
            line, below = below[key]
        return line

    def where(self, *path: str | int) -> str:
        """`file:line` of `path`, as errors begin."""
        return f"{self.path}:{self.line(*path)}"


def load_yaml(path: Path, error: type[AuditorError], *, why: str, do: str | None = None) -> YamlDocument:
    """Read a YAML 1.2 file whose top level is a mapping.

    Args:
        path: the file; errors name it as given.
        error: the kind of error to raise.
        why: what the reader of that error has lost, for its second line.
        do: its third line; by default, to correct the line named.

    Raises:
        AuditorError: of the kind `error`: the file cannot be read, is not UTF-8, not YAML, not a mapping, has a key twice, uses a tag, or
            holds more than LARGEST_NODE_COUNT values once its aliases are written out.
    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as failure:
        raise error(f"{path}: {failure.strerror or failure}", why=why, do=do or "check the path and its permissions.") from failure
    try:
        data, lines = parse_yaml(content)
    except YamlMistakeError as mistake:
        raise error(f"{path}:{mistake.line}: {mistake.what}", why=why, do=do or f"correct line {mistake.line} of {path}.") from mistake
    return YamlDocument(path, data, lines)


def parse_yaml(content: bytes, *, merge_keys: bool = False) -> tuple[dict[str, Any], Lines]:
    """The top-level mapping of a YAML 1.2 text, and the line of everything in it.

    Args:
        content: the bytes of the file.
        merge_keys: `<<` takes over the keys of another mapping, as in YAML 1.1: scenarios of the lab are written so.

    Raises:
        YamlMistakeError: see `load_yaml`.
    """
    import yaml

    if len(content) > LARGEST_FILE_BYTES:
        raise YamlMistakeError(1, f"larger than {LARGEST_FILE_BYTES} bytes")
    text = _decoded(content)
    try:
        # PyYAML may have been built without libyaml; its own parser gives the same events, ten times slower.
        events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        node = _Composer(events, merge_keys=merge_keys).document()
    except yaml.MarkedYAMLError as failure:
        mark = failure.problem_mark or failure.context_mark
        last = max(1, len(text.splitlines()))  # at the end of the text the parser's mark is one line behind it
        raise YamlMistakeError(min(mark.line + 1, last) if mark else 1, _problem_text(failure, text)) from failure
    except yaml.YAMLError as failure:
        raise YamlMistakeError(1, " ".join(str(failure).split())) from failure
    return node.value, node.lines


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `word`; None when nothing is near."""
    options = {candidate.casefold(): candidate for candidate in candidates}
    close = difflib.get_close_matches(word.casefold(), options, n=1, cutoff=0.6)
    return options[close[0]] if close else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """`; did you mean "x"?`, to end a message with; else what there is to choose from, when that is short."""
    options = sorted(candidates)
    near = nearest(word, options)
    if near is not None:
        return f'; did you mean "{near}"?'
    return f"; known: {', '.join(options)}" if 0 < len(options) <= 12 else ""


class _Node(NamedTuple):
    """A value, the lines below it, and how many levels it has below itself."""

    value: Any
    lines: Lines
    height: int = 0


class _Anchor(NamedTuple):
    node: _Node
    values: int  # how many are in it, aliases written out


class _Composer:
    """Turns events into plain data. An alias stands for the same data again, and counts again."""

    def __init__(self, events: Iterator[Any], *, merge_keys: bool) -> None:
        self._events = events
        self._merge_keys = merge_keys
        self._anchors: dict[str, _Anchor] = {}
        self._open: set[str] = set()  # anchors of what is being read
        self._count = 0

    def document(self) -> _Node:
        """The one document of the file, which is a mapping."""
        from yaml import events

        next(self._events)  # the start of the stream
        start = next(self._events)
        if not isinstance(start, events.DocumentStartEvent):
            raise YamlMistakeError(1, "the file must be a mapping of keys to values")
        if start.version not in (None, (1, 2)):
            raise YamlMistakeError(start.start_mark.line + 1, "files are read as YAML 1.2; remove this line")
        root = next(self._events)
        if not isinstance(root, events.MappingStartEvent):
            raise YamlMistakeError(root.start_mark.line + 1, "the file must be a mapping of keys to values")
        node = self._value(root, 0)
        next(self._events)  # the end of the document
        end = next(self._events)
        if not isinstance(end, events.StreamEndEvent):
            raise YamlMistakeError(end.start_mark.line + 1, "another document begins here; a file holds one")
        return node

    def _value(self, event: Any, level: int) -> _Node:
        from yaml import events

        if isinstance(event, events.AliasEvent):
            return self._alias(event, level)
        count, anchor = self._count, event.anchor
        self._add(1, event)
        if level > DEEPEST:
            raise YamlMistakeError(event.start_mark.line + 1, f"nested more than {DEEPEST} levels deep")
        if anchor is not None:
            self._open.add(anchor)
        if isinstance(event, events.ScalarEvent):
            node = _Node(scalar_value(event), {})
        else:
            node = self._mapping(event, level) if isinstance(event, events.MappingStartEvent) else self._sequence(event, level)
        if anchor is not None:
            self._open.discard(anchor)
            self._anchors[anchor] = _Anchor(node, self._count - count)
        return node

    def _alias(self, event: Any, level: int) -> _Node:
        line = event.start_mark.line + 1
        if event.anchor in self._open:
            raise YamlMistakeError(line, "an alias that contains itself")
        if event.anchor not in self._anchors:
            raise YamlMistakeError(line, f"undefined alias '{event.anchor}'")
        node, values = self._anchors[event.anchor]
        self._add(values, event)
        if level + node.height > DEEPEST:
            raise YamlMistakeError(line, f"nested more than {DEEPEST} levels deep")
        return node

    def _add(self, count: int, event: Any) -> None:
        self._count += count
        if self._count > LARGEST_NODE_COUNT:
            raise YamlMistakeError(event.start_mark.line + 1, f"more than {LARGEST_NODE_COUNT} values once its aliases are written out")

    def _mapping(self, start: Any, level: int) -> _Node:
        from yaml import events

        check_tag(start, "map")
        value: dict[str, Any] = {}
        lines: dict[str | int, tuple[int, Lines]] = {}
        height = 0
        while not isinstance(event := next(self._events), events.MappingEndEvent):
            line = event.start_mark.line + 1
            if not isinstance(event, events.ScalarEvent) or event.tag is not None or (event.value == "<<" and not self._merge_keys):
                raise YamlMistakeError(line, "a key must be text")
            key = event.value
            if key in value:
                raise YamlMistakeError(line, f'key "{key}" stands here twice; the first is in line {lines[key][0]}')
            node = self._value(next(self._events), level + 1)
            value[key], lines[key] = node.value, (line, node.lines)
            height = max(height, node.height + 1)
        if "<<" in value:
            value, lines = _merged(value, lines)
        return _Node(value, lines, height)

    def _sequence(self, start: Any, level: int) -> _Node:
        from yaml import events

        check_tag(start, "seq")
        value: list[Any] = []
        lines: dict[str | int, tuple[int, Lines]] = {}
        height = 0
        while not isinstance(event := next(self._events), events.SequenceEndEvent):
            node = self._value(event, level + 1)
            lines[len(value)] = event.start_mark.line + 1, node.lines
            value.append(node.value)
            height = max(height, node.height + 1)
        return _Node(value, lines, height)


def _merged(value: dict[str, Any], lines: dict[str | int, tuple[int, Lines]]) -> tuple[dict[str, Any], dict[str | int, tuple[int, Lines]]]:
    """A mapping with the keys of the one under `<<`; its own keys win."""
    line, below = lines.pop("<<")
    base = value.pop("<<")
    if not isinstance(base, dict):
        raise YamlMistakeError(line, "<< must name a mapping")
    return {**base, **value}, {**below, **lines}


def _decoded(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        line = content.count(b"\n", 0, failure.start) + 1
        raise YamlMistakeError(line, f"byte 0x{content[failure.start]:02x} is not UTF-8") from failure
    refused = _REFUSED_CHARACTER.search(text)
    if refused is not None:
        line = text.count("\n", 0, refused.start()) + 1
        raise YamlMistakeError(line, f"U+{ord(refused[0]):04X}, a control character or line separator that YAML does not allow")
    return text


def _problem_text(failure: Any, text: str) -> str:
    """The parser's problem in one line, in our words where its own do not say what to correct."""
    mark, problem = failure.problem_mark, failure.problem or ""
    if "cannot start any token" in problem and mark is not None and text.splitlines()[mark.line][mark.column : mark.column + 1] == "\t":
        return "a tab; YAML is indented by spaces"
    if "invalid Unicode character escape" in problem:
        return "an escape of half a surrogate pair, which is no character"
    # Without its context "but found another document" says nothing; with it most other problems say too much.
    parts = (failure.context, problem) if not problem or problem.startswith("but ") else (problem,)
    return " ".join(" ".join(part.split()) for part in parts if part) or "not YAML"
