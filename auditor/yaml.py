"""YAML files that people write: read as plain data, with a line number for every mistake that can be made in them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.yaml_events import DEEPEST, KeyPath, read_quickly

if TYPE_CHECKING:
    from ruamel.yaml import YAML
    from ruamel.yaml.nodes import MappingNode, Node

    from auditor.errors import AuditorError

LARGEST_FILE_BYTES = 4 * 1024 * 1024
LARGEST_NODE_COUNT = 100_000
"""Values a file may hold once its aliases are written out: ten nested aliases would otherwise fill any memory."""
_PLAIN_TAGS = {f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float", "str")}
# YAML 1.2's core schema has no timestamps: what looks like one stays the text that was written.
_TEXT_TAGS = {"tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:value"}


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """One file's top-level mapping as dicts, lists, text, numbers, booleans and None."""

    path: Path
    data: dict[str, Any]
    _lines: Mapping[KeyPath, int]

    def line(self, *path: str | int) -> int:
        """The line, from 1, where the key or list item at `path` stands; of its nearest parent when it is absent."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def where(self, *path: str | int) -> str:
        """`file:line` of `path`, as errors begin."""
        return f"{self.path}:{self.line(*path)}"


class YamlMistakeError(Exception):
    """What is wrong with the text of a file, and in which line; `load_yaml` turns it into the caller's kind of error."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line
        self.what = what


def load_yaml(path: Path, error: type[AuditorError], *, why: str, do: str | None = None) -> YamlDocument:
    """Read a YAML 1.2 file whose top level is a mapping.

    Args:
        path: the file; errors name it as given.
        error: the kind of error to raise.
        why: what the reader of that error has lost, for its second line.
        do: its third line; by default, to correct the line named.

    Raises:
        AuditorError: of the kind `error`: the file cannot be read, is not UTF-8, not YAML, not a mapping, says a key twice, uses a tag, or
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


def parse_yaml(content: bytes) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    """The top-level mapping of a YAML 1.2 text, and the line of every key path in it.

    Raises:
        YamlMistakeError: see `load_yaml`.
    """
    if len(content) > LARGEST_FILE_BYTES:
        raise YamlMistakeError(1, f"larger than {LARGEST_FILE_BYTES} bytes")
    text = _decoded(content)
    return read_quickly(text, LARGEST_NODE_COUNT) or read_carefully(text)


def read_carefully(text: str) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    """The same of a text in all that YAML allows and this project does: twenty times slower, and it knows what is wrong.

    Raises:
        YamlMistakeError: see `load_yaml`.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.nodes import MappingNode
    from ruamel.yaml.reader import ReaderError

    yaml = YAML(typ="safe", pure=True)
    try:
        root = yaml.compose(text)
    except MarkedYAMLError as failure:
        mark = failure.problem_mark or failure.context_mark
        raise YamlMistakeError(mark.line + 1 if mark else 1, _told(failure.context, failure.problem)) from failure
    except ReaderError as failure:
        line = text.count("\n", 0, failure.position) + 1
        raise YamlMistakeError(line, "a control character that YAML does not allow") from failure
    except YAMLError as failure:
        raise YamlMistakeError(1, _told(None, str(failure))) from failure
    except RecursionError as failure:
        raise YamlMistakeError(1, "nested too deeply") from failure
    if not isinstance(root, MappingNode):
        raise YamlMistakeError(root.start_mark.line + 1 if root else 1, "the file must be a mapping of keys to values")
    reader = _Reader(yaml)
    return reader.mapping(root, ()), reader.lines


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `word`; None when nothing is near."""
    options = {candidate.casefold(): candidate for candidate in candidates}
    found = difflib.get_close_matches(word.casefold(), options, n=1, cutoff=0.6)
    return options[found[0]] if found else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """`; did you mean "x"?`, to end a message with; else what there is to choose from, when that is short."""
    options = sorted(candidates)
    near = nearest(word, options)
    if near is not None:
        return f'; did you mean "{near}"?'
    return f"; known: {', '.join(options)}" if 0 < len(options) <= 12 else ""


class _Reader:
    """Turns composed nodes into plain data, counting them: an alias is read again wherever it stands."""

    def __init__(self, yaml: YAML) -> None:
        self.lines: dict[KeyPath, int] = {(): 1}
        self._yaml = yaml
        self._seen = 0

    def value(self, node: Node, path: KeyPath) -> Any:
        from ruamel.yaml.nodes import MappingNode, SequenceNode

        line = node.start_mark.line + 1
        self._seen += 1
        if self._seen > LARGEST_NODE_COUNT:
            raise YamlMistakeError(line, f"more than {LARGEST_NODE_COUNT} values once its aliases are written out")
        if len(path) > DEEPEST:
            raise YamlMistakeError(line, f"nested more than {DEEPEST} levels deep, or an alias that contains itself")
        if isinstance(node, MappingNode):
            return self.mapping(node, path)
        if isinstance(node, SequenceNode):
            self._check_tag(node, "seq")
            items = []
            for index, item in enumerate(node.value):
                self.lines[(*path, index)] = item.start_mark.line + 1
                items.append(self.value(item, (*path, index)))
            return items
        return self._scalar(node)

    def mapping(self, node: MappingNode, path: KeyPath) -> dict[str, Any]:
        from ruamel.yaml.nodes import ScalarNode

        self._check_tag(node, "map")
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = key_node.value if isinstance(key_node, ScalarNode) else None
            if key is None or key == "<<" or not _is_encodable(key):
                raise YamlMistakeError(line, "a key must be text")
            if key in result:
                raise YamlMistakeError(line, f'key "{key}" stands here twice; the first is in line {self.lines[(*path, key)]}')
            self.lines[(*path, key)] = line
            result[key] = self.value(value_node, (*path, key))
        return result

    def _scalar(self, node: Node) -> Any:
        tag = str(node.tag)
        if not _is_encodable(node.value):
            raise YamlMistakeError(node.start_mark.line + 1, "half of a surrogate pair, which is no character")
        if tag in _TEXT_TAGS:
            return node.value
        if tag not in _PLAIN_TAGS:
            raise YamlMistakeError(node.start_mark.line + 1, f"the tag {_short(tag)} is not allowed here")
        try:
            return self._yaml.constructor.construct_object(node)
        except (ValueError, KeyError) as failure:
            raise YamlMistakeError(node.start_mark.line + 1, f'"{node.value[:40]}" is not of type {_short(tag)[2:]}') from failure

    def _check_tag(self, node: Node, wanted: str) -> None:
        tag = str(node.tag)
        if tag != f"tag:yaml.org,2002:{wanted}":
            raise YamlMistakeError(node.start_mark.line + 1, f"the tag {_short(tag)} is not allowed here")


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        line = content.count(b"\n", 0, failure.start) + 1
        raise YamlMistakeError(line, f"byte 0x{content[failure.start]:02x} is not UTF-8") from failure


def _is_encodable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _short(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!")


def _told(context: str | None, problem: str | None) -> str:
    """Ruamel's problem in one line; tabs get the words people look for."""
    if problem and "\\t" in problem:
        return "a tab; YAML is indented by spaces"
    # Without its context "but found another document" says nothing; with it most other problems say too much.
    parts = (context, problem) if problem is None or problem.startswith("but ") else (problem,)
    return " ".join(" ".join(part.split()) for part in parts if part) or "not YAML"
