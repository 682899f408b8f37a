"""The values of YAML scalars by the core schema of YAML 1.2: `yes` is a word, `010` is ten, a date is text."""

from __future__ import annotations

import re
from typing import Any

_CORE = "tag:yaml.org,2002:"
_WORDS = {word: value for value, words in ((True, "true True TRUE"), (False, "false False FALSE")) for word in words.split()}
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_NUMBER_STARTS = frozenset("+-.0123456789")
# The core schema's numbers; `_` between digits and 0b are read as well, as people write them.
_WHOLE = re.compile(r"[-+]?(?:0b[01][01_]*|0o[0-7][0-7_]*|0x[0-9a-fA-F][0-9a-fA-F_]*|[0-9][0-9_]*)")
_REAL = re.compile(r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


class YamlMistakeError(Exception):
    """A mistake in the text of a file, and its line; `load_yaml` turns it into the caller's kind of error."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line
        self.what = what


def scalar_value(event: Any) -> Any:
    """The value of a scalar event, by its form or by its tag.

    Raises:
        YamlMistakeError: the tag is not allowed, or does not fit the text.
    """
    text, line = event.value, event.start_mark.line + 1
    if event.tag is None:
        return _plain_value(text, line) if event.implicit[0] else text  # quoted, or a block
    kind = event.tag.removeprefix(_CORE)
    if kind not in ("null", "bool", "int", "float", "str"):
        raise YamlMistakeError(line, f"the tag {_short(event.tag)} is not allowed here")
    value = text if kind == "str" else _plain_value(text, line)
    if kind == "float" and type(value) is int:
        value = float(value)
    if type(value).__name__ != {"null": "NoneType"}.get(kind, kind):
        raise YamlMistakeError(line, f'"{text[:40]}" is not of type {kind}')
    return value


def _plain_value(text: str, line: int) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if text in _NULLS:
        return None
    if text[0] not in _NUMBER_STARTS:
        return text
    try:
        if _WHOLE.fullmatch(text):
            digits = text.replace("_", "")
            return int(digits, 0 if digits.lstrip("+-")[:2] in ("0b", "0o", "0x") else 10)
        if _REAL.fullmatch(text):
            digits = text.replace("_", "").lower()
            return float(digits.replace(".", "") if digits.endswith(("inf", "nan")) else digits)
    except ValueError as failure:  # Python reads no more than some thousand digits
        raise YamlMistakeError(line, f'"{text[:40]}" is not of type int') from failure
    return text


def check_tag(event: Any, wanted: str) -> None:
    """Refuse any tag of a mapping (`map`) or list (`seq`) but its own.

    Raises:
        YamlMistakeError: it has another one.
    """
    if event.tag not in (None, f"{_CORE}{wanted}"):
        raise YamlMistakeError(event.start_mark.line + 1, f"the tag {_short(event.tag)} is not allowed here")


def _short(tag: str) -> str:
    return tag.replace(_CORE, "!!")
