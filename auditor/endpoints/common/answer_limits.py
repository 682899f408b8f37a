"""What an answer may be at most, the same for every endpoint and protocol: an endpoint that goes astray must not take the audit along."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_BYTES = 128 << 20
"""Of one answer, unpacked. The largest of a fleet of 10,000 hosts, a page of hosts with all their devices, is a tenth of it."""

MOST_VALUES = 4_000_000
"""Lists, objects and members of one JSON answer: two bytes of text may become seventy bytes of memory."""

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
    """Count what may be a value in an answer of JSON, or of XML, before it is decoded.

    Raises:
        UnusableAnswerError: it may hold more than MOST_VALUES values, or elements.
    """
    if len(body) <= MOST_VALUES:
        return  # each takes a byte at least
    is_xml = body[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    count = body.count(b"<") // 2 if is_xml else sum(map(body.count, (b",", b"[", b"{")))
    if count > MOST_VALUES:
        raise UnusableAnswerError(f"it holds more than {MOST_VALUES:,} values")


def too_large(most: int = MOST_BYTES) -> str:
    """What is wrong with an answer of more than `most` bytes."""
    return f"it holds more than {most >> 20} MiB"
