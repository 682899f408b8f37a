"""The largest answer that is read, the same for every endpoint and protocol: a broken endpoint must not break the audit."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_BYTES = 128 << 20
"""Of one answer, unpacked. The largest of a fleet of 10,000 hosts, a page of hosts with all their devices, is a tenth of it."""

MOST_VALUES = 4_000_000
"""Lists, objects and members of one JSON answer: two bytes of text may become seventy bytes of memory."""

MOST_OBJECTS = 400_000
"""JSON objects of one answer: 1.3 million small ones took 1.1 GiB and 99 seconds until they were rows. The largest answer of a fleet of
10,000 hosts has some 13 MB, and an object of it a hundred bytes and more."""

MOST_ELEMENTS = 2_000_000
"""Of one answer of XML, where objects and their members are elements alike."""

MOST_BLANK_BYTES = 32 << 20
"""Blanks between the values of one answer, where they are most of it: a printed answer of that size has less."""

MOST_HEAD_BYTES = 128 << 10
"""Of the status line and the headers of one answer, with all that comes before it, such as `100 Continue`."""

WHOLE_ANSWER_TIMEOUTS = 10
"""An answer may take this many times the endpoint's `timeout_seconds`, from the request to its last byte; its head may take one of them."""

MOST_PAGES = 10_000
"""Answers to one question for a list. They hold up to a thousand records each; a list that leads on and on is not read for ever."""

_GZIP = 16 + zlib.MAX_WBITS


class UnusableAnswerError(ValueError):
    """An answer is over a limit, or is not what it says it is; the text says in which way."""


def unzipped(body: bytes, most: int = MOST_BYTES) -> bytes:
    """The content of a gzip body, of one member or of several.

    Raises:
        UnusableAnswerError: it is cut short, is not gzip, or holds more than `most` bytes.
    """
    pieces, held, rest = [], 0, body
    try:
        while rest:
            member = zlib.decompressobj(_GZIP)
            pieces.append(member.decompress(rest, most - held + 1))
            held += len(pieces[-1])
            if held > most:
                raise UnusableAnswerError(too_large(most))
            if not member.eof:
                raise UnusableAnswerError("it was cut short")
            rest = member.unused_data.lstrip(b"\0")  # zeros may pad it
    except zlib.error as error:
        raise UnusableAnswerError(f"it cannot be unpacked: {error}") from None
    return b"".join(pieces)


def json_value(body: bytes | str, floats: Callable[[str], Any] | None = None) -> Any:
    """The value of a JSON answer.

    Args:
        body: the whole answer.
        floats: makes the value of a number with a point from its text; None: a float.

    Raises:
        UnusableAnswerError: it is no JSON, no UTF-8, nested too deeply, or holds more than MOST_VALUES values.
    """
    import msgspec

    refuse_too_many_values(body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body)
    try:
        return msgspec.json.Decoder(float_hook=floats).decode(body)
    except msgspec.DecodeError:
        raise UnusableAnswerError("it is no JSON") from None
    except UnicodeDecodeError:
        raise UnusableAnswerError("it is not UTF-8") from None
    except RecursionError:
        raise UnusableAnswerError("it is nested too deeply") from None


def refuse_too_many_values(body: bytes) -> None:
    """Count what may be a value in an answer of JSON, or of XML, before it is decoded, and what is blank.

    Raises:
        UnusableAnswerError: it may hold more than MOST_VALUES values or elements, or more than MOST_OBJECTS objects, or is blank for the
            most part.
    """
    if len(body) > MOST_BLANK_BYTES:
        blank = sum(map(body.count, (b" ", b"\n", b"\t", b"\r")))
        if blank > max(MOST_BLANK_BYTES, len(body) * 3 // 4):
            raise UnusableAnswerError(f"it holds more than {MOST_BLANK_BYTES >> 20} MiB of blanks")
    if len(body) <= min(MOST_VALUES, 2 * MOST_OBJECTS):
        return  # each value takes a byte at least, each object two
    start = body[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"<"):
        # An element without an end of its own, such as <a/>, has one "<".
        if body.count(b"<") - body.count(b"</") > MOST_ELEMENTS:
            raise UnusableAnswerError(f"it holds more than {MOST_ELEMENTS:,} elements")
        return
    objects = body.count(b"{")
    if objects > MOST_OBJECTS:
        raise UnusableAnswerError(f"it holds more than {MOST_OBJECTS:,} objects")
    if objects + sum(map(body.count, (b",", b"["))) > MOST_VALUES:
        raise UnusableAnswerError(f"it holds more than {MOST_VALUES:,} values")


def too_large(most: int = MOST_BYTES) -> str:
    """What is wrong with an answer of more than `most` bytes."""
    return f"it holds more than {most >> 20} MiB"
