"""Plain data to the shape a file must have, and every mistake in it with its key path.

A shape is a msgspec Struct: its annotations say which keys there are, which must be there, and what their values must be. `msgspec.Meta`
puts that into words: ``Annotated[int, Meta(ge=1, le=256, description="a whole number from 1 to 256")]``.

msgspec stops at the first mistake. Here each key and list item is converted by itself, so that all of them are reported at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, Union, get_args, get_origin

import msgspec

from auditor.yaml.reading import KeyPath, did_you_mean, load_yaml

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.errors import AuditorError
    from auditor.yaml.reading import YamlDocument

Text: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"\S", description="text")]
"""Text that is more than blanks."""

_MOST_SHOWN = 20
_WORDS: Mapping[Any, str] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    tuple: "a list",
    Mapping: "keys with values",
}
_BLANKS: Mapping[Any, Callable[[], Any]] = {str: str, bool: bool, tuple: tuple, Mapping: dict}


class Shape(msgspec.Struct):
    """What a mapping in a file must hold."""

    def problem(self) -> str:
        """What is wrong with the keys as they stand together, in words that follow the name of the mapping; "" when nothing is."""
        return ""


T = TypeVar("T", bound=Shape)


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong, and where."""

    at: KeyPath
    what: str


def decode(data: Any, shape: type[T], *at: str | int) -> tuple[T, list[Mistake]]:
    """`data` as `shape`, and every mistake in it. What a mistake left unread has its default, else it is blank or None.

    A key without a value counts as absent.

    Args:
        data: what `yaml.parse_yaml` answers, or a part of it.
        shape: what it must be.
        at: the key path of `data` in its file, for the mistakes.
    """
    mistakes: list[Mistake] = []
    return _value(data, shape, at, mistakes), mistakes


def load_shaped(
    path: Path, shape: type[T], before: Callable[[Any], Iterable[Mistake]], error: type[AuditorError], *, why: str
) -> tuple[YamlDocument, T]:
    """Read the YAML file `path`, which has to be of `shape`.

    `before` finds mistakes in its data that `shape` has no words for, a secret in clear for example. What `shape` finds at their places
    is left out: it is one mistake, not two.

    Raises:
        error: it has mistakes, and the error names every one; `why` says what the reader has lost.
    """
    document = load_yaml(path, error, why=why)
    first = list(before(document.data))
    shaped, mistakes = decode(document.data, shape)
    places = {mistake.at for mistake in first}
    mistakes = first + [mistake for mistake in mistakes if mistake.at not in places]
    if mistakes:
        raise mistakes_error(mistakes, document, error, why=why)
    return document, shaped


def mistakes_error(mistakes: Iterable[Mistake], document: YamlDocument, error: type[AuditorError], *, why: str) -> AuditorError:
    """One error about all `mistakes` of a file, in the order of their lines."""
    by_line = sorted((document.line(*mistake.at), mistake.what) for mistake in mistakes)
    correct = f"line {by_line[0][0]}" if len(by_line) == 1 else f"these {len(by_line)} lines"
    return error(listed([(document.path, *one) for one in by_line]), why=why, do=f"correct {correct} of {document.path}.")


def listed(mistakes: Sequence[tuple[Any, int, str]]) -> str:
    """Mistakes, each (file, line, what), as an error begins: one a line, and not more than a person reads."""
    lines = [f"{path}:{line}: {what}" for path, line, what in mistakes[:_MOST_SHOWN]]
    if len(mistakes) > _MOST_SHOWN:
        lines.append(f"... and {len(mistakes) - _MOST_SHOWN} more")
    return "\n       ".join(lines)


def _value(data: Any, kind: Any, at: KeyPath, mistakes: list[Mistake]) -> Any:
    """`data` as `kind`; what is wrong with it is added to `mistakes`."""
    bare, origin, optional = _taken_apart(kind)
    if data is None and optional:
        return None
    if isinstance(origin, type) and issubclass(origin, Shape):
        return _struct(data, origin, at, mistakes)
    if origin is tuple and isinstance(data, list) and (data or _may_be_empty(kind)):
        return tuple(_value(one, get_args(bare)[0], (*at, index), mistakes) for index, one in enumerate(data))
    if origin is Mapping and isinstance(data, dict):
        return {key: _value(one, get_args(bare)[1], (*at, key), mistakes) for key, one in data.items()}
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError:
        mistakes.append(Mistake(at, f'"{at[-1]}" is missing' if data is None else _words(data, kind, at)))
        return _blank(kind)


def _struct(data: Any, shape: type[Shape], at: KeyPath, mistakes: list[Mistake]) -> Shape:
    fields = _fields(shape)
    if not isinstance(data, dict):
        mistakes.append(Mistake(at, f"{_name(at)} must be {_WORDS[Mapping]}"))
        return shape(**{field.name: _blank(field.type) for field in fields if field.required})
    before = len(mistakes)
    known = [field.encode_name for field in fields]
    mistakes += [Mistake((*at, key), f'unknown key "{key}"{did_you_mean(key, known)}') for key in data if key not in known]
    values = {}
    for field in fields:
        value, place = data.get(field.encode_name), (*at, field.encode_name)
        if value is not None or field.required:
            values[field.name] = _value(value, field.type, place, mistakes)
    result = shape(**values)
    if len(mistakes) == before and (problem := result.problem()):
        mistakes.append(Mistake(at, f"{_name(at)} {problem}"))
    return result


@cache
def _fields(shape: type[Shape]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(shape)


def _taken_apart(kind: Any) -> tuple[Any, Any, bool]:
    """A type without its notes and without None, the class behind it (Union where there are several), and whether it takes None."""
    optional = False
    while True:
        if get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        elif get_origin(kind) in (Union, UnionType):
            members = [member for member in get_args(kind) if member is not NoneType]
            optional |= len(members) < len(get_args(kind))
            if len(members) > 1:
                return kind, Union, optional
            kind = members[0]
        else:
            return kind, get_origin(kind) or kind, optional


def _may_be_empty(kind: Any) -> bool:
    """Whether `msgspec.Meta` lets a list of this type hold nothing."""
    try:
        msgspec.convert([], kind)
    except msgspec.ValidationError:
        return False
    return True


def _words(data: Any, kind: Any, at: KeyPath) -> str:
    """What a value must be instead. The value itself is only repeated where a word of a list was meant: it may be a secret."""
    _, origin, _ = _taken_apart(kind)
    if isinstance(origin, type) and issubclass(origin, Enum):
        words = [str(member.value) for member in origin]
        noun = at[-1] if isinstance(at[-1], str) else f'item of "{at[-2]}"'
        return f'there is no {noun} "{data}"{did_you_mean(str(data), words)}'
    return f"{_name(at)} must be {_description(kind) or _WORDS.get(origin, 'something else')}"


def _description(kind: Any) -> str:
    """What `msgspec.Meta` says of a type, or of the one that it is but for None."""
    while get_origin(kind) in (Annotated, Union, UnionType):
        for note in getattr(kind, "__metadata__", ()):
            if note.description:
                return str(note.description)
        kind = get_args(kind)[0]
    return ""


def _name(at: KeyPath) -> str:
    if not at:
        return "the file"
    return f'"{at[-1]}"' if isinstance(at[-1], str) else f'item {at[-1] + 1} of "{at[-2]}"'


def _blank(kind: Any) -> Any:
    _, origin, optional = _taken_apart(kind)
    if isinstance(origin, type) and issubclass(origin, Shape) and not optional:
        return origin(**{field.name: _blank(field.type) for field in _fields(origin) if field.required})
    return None if optional or origin not in _BLANKS else _BLANKS[origin]()
