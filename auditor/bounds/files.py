"""Reads files up to a size limit: a plan, a run's state, a manifest or a token may have been made by somebody else.

A file that is larger raises an `OSError`, and JSON that holds too much or is nested too deeply a `ValueError`, so that who reads a file
says of it what it says of one that cannot be read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Any, TypeVar

from auditor.bounds.limits import JSON_CONTAINERS, JSON_VALUES, LINE_BYTES, STATE_BYTES, TEXT_BYTES

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
    from pathlib import Path

_CHUNK_BYTES = 1 << 20
_T = TypeVar("_T")


class FileTooLargeError(OSError):
    """A file is larger than such a file can be.

    Args:
        path: the file.
        most: the bytes that it may have.
    """

    def __init__(self, path: object, most: int) -> None:
        what = f"it is larger than the {_size(most)} that such a file may have"
        super().__init__(what)
        self.path = str(path)
        self.strerror = what


def read_bytes(path: Path | Traversable, most: int = TEXT_BYTES) -> bytes:
    """The content of a file.

    Raises:
        FileTooLargeError: it has more than `most` bytes.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return read_open(file, path, most)


def read_open(file: IO[bytes], path: object, most: int) -> bytes:
    """The rest of an open file, which errors name as `path`.

    Raises:
        FileTooLargeError: it has more than `most` bytes.
        OSError: it cannot be read.
    """
    parts, left = [], most + 1
    while left and (part := file.read(min(left, _CHUNK_BYTES))):
        parts.append(part)
        left -= len(part)
    if not left:
        raise FileTooLargeError(path, most)
    return b"".join(parts)


def read_text(path: Path | Traversable, most: int = TEXT_BYTES, *, encoding: str = "utf-8", errors: str = "strict") -> str:
    r"""The text of a file; lines end with \n.

    Raises:
        FileTooLargeError: it has more than `most` bytes.
        OSError: it cannot be read.
        UnicodeDecodeError: it is not in that encoding.
    """
    return read_bytes(path, most).decode(encoding, errors).replace("\r\n", "\n").replace("\r", "\n")


def read_json(path: Path, most: int = STATE_BYTES) -> Any:
    """The value of a file of JSON.

    Raises:
        FileTooLargeError: it has more than `most` bytes.
        OSError: it cannot be read.
        ValueError: it is no JSON in UTF-8, holds too much, or is nested too deeply.
    """
    return json_of(read_bytes(path, most))


def read_struct(path: Path, kind: type[_T], most: int = STATE_BYTES) -> _T:
    """The value of a file of JSON, as a structure of msgspec; raises as `read_json` does."""
    import msgspec

    content = _counted(read_bytes(path, most))
    try:
        return msgspec.json.decode(content, type=kind)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def json_of(content: bytes, constant: Callable[[str], Any] | None = None) -> Any:
    """The value of JSON in UTF-8.

    Args:
        content: the JSON.
        constant: makes the values of NaN, Infinity and -Infinity, or refuses them; None: floats.

    Raises:
        ValueError: it is no JSON in UTF-8, holds too much, or is nested too deeply.
    """
    try:
        return json.loads(_counted(content).decode("utf-8"), parse_constant=constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def lines_of(path: Path, most: int = LINE_BYTES) -> Iterator[bytes]:
    """The lines of a file, without their ends.

    Raises:
        FileTooLargeError: a line has more than `most` bytes.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        while line := file.readline(most + 1):
            if len(line) > most:
                raise FileTooLargeError(path, most)
            yield line.rstrip(b"\r\n")


def _counted(content: bytes) -> bytes:
    """`content`, once it is known not to hold too much: what it takes when decoded is counted before."""
    if content.count(b"{") + content.count(b"[") > JSON_CONTAINERS or content.count(b",") > JSON_VALUES:
        raise ValueError(f"it holds more than {JSON_CONTAINERS:,} objects and lists, or {JSON_VALUES:,} values")
    return content


def _size(most: int) -> str:
    return f"{most >> 20} MiB" if most >= 1 << 20 else f"{most >> 10} KiB" if most >= 1 << 10 else f"{most} bytes"
