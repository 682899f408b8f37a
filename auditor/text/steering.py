"""Characters that could steer a terminal or reorder a line. Imports nothing large: every command begins with it."""

from __future__ import annotations

import re

_STEERING = re.compile(
    "[\x7f-\x9f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0001\U000e0020-\U000e007f]"
)
"""What nothing of ours writes: DEL, C1 controls, marks of direction, separators of lines."""


def without_steering(text: str) -> str:
    r"""`text` with these characters as JSON escapes them, for example ``\u009b``.

    In JSON they can only be within a text, which stays the same.

    C0 controls are left alone: colours and line ends of our own have them, JSON escapes them anyhow, and `report.wording.neutral` in
    names.
    """
    return text if text.isascii() and "\x7f" not in text else _STEERING.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    pair = (code,) if code < 0x10000 else (0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code & 0x3FF))
    return "".join(f"\\u{one:04x}" for one in pair)
