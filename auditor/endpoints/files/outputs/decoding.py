"""Bytes of a file into text: encodings, line ends, and what terminals and editors leave in it."""

from __future__ import annotations

import re

_UTF8_LONGEST = 4
_SAMPLE_BYTES = 4096
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?<=>]*+[ -/]*+[@-~]|\][^\x07\x1b\n]*+(?:\x07|\x1b\\)?|[@-Z\\^_=>()][0-9A-B]?)")
_NOT_IN_TEXTS = bytes(set(range(32)) - set(b"\a\b\t\n\v\f\r\x1b") | {127})
_LINE_END = re.compile(r"\r++\n?")
_UNSEEN = dict.fromkeys(map(ord, "\0\ufeff\u200b\u200e\u200f\u2060"), None) | {0xA0: " ", 0x202F: " "}


def text_of(data: bytes) -> str:
    r"""The text of a file: lines end with \n; without NUL, escape sequences of terminals and marks that no one sees."""
    text = _decoded(data)
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    return _LINE_END.sub("\n", text.translate(_UNSEEN) if not text.isascii() or "\0" in text else text)


def is_text(head: bytes) -> bool:
    """Whether a file that begins like this can be a text: at most 2 percent of it are characters that neither texts nor terminals have."""
    odd = len(head) - len(head.translate(None, _NOT_IN_TEXTS))
    return bool(head) and (_wide(head) is not None or odd * 50 <= len(head))


def _decoded(data: bytes) -> str:
    encoding = _wide(data)
    if encoding:
        return data.decode(encoding, "replace").rstrip("\ufffd")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(data) - error.start < _UTF8_LONGEST and error.reason == "unexpected end of data":
            return data[: error.start].decode("utf-8")
        return data.decode("latin-1")


def _wide(data: bytes) -> str | None:
    """The encoding of a file in which a character takes two bytes; None for others."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    sample = data[:_SAMPLE_BYTES]
    zeros = sample[::2].count(0), sample[1::2].count(0)
    if max(zeros) * 5 < len(sample) * 2:  # fewer than 80 percent of one half
        return None
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
