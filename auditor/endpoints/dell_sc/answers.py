"""What Dell's Storage Manager writes: attributes in any case, sizes with their unit, dates in two forms, and errors."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from auditor.endpoints.common.answer_limits import UnusableAnswerError, json_value

_LONGEST_MESSAGE = 300
_AMOUNT = re.compile(r"(\d{1,30}(?:\.\d{1,30})?(?:[Ee]\+?\d{1,2})?) ?([A-Za-z]+?)(?:/s|ps)?")
_UNITS = {"Bytes": 0, "KB": 1, "KiB": 1, "MB": 2, "MiB": 2, "GB": 3, "GiB": 3, "TB": 4, "TiB": 4}
_LARGEST = 2**63 - 1  # what a BIGINT column holds
_RANGE = re.compile(r"version must be in the range \[\s*([\d.]+)\s*,\s*([\d.]+)\s*\]")
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\.[\d.]*)?")


class Attributes(dict[str, Any]):
    """An object of an answer, whose attributes are found whatever their case.

    Source: recorded objects: one port has "WWN" and another "wWN"; cinder's client writes scSerialNumber and ScSerialNumber alike.
    """

    def get(self, name: str, default: Any = None) -> Any:
        """The value of an attribute; objects within it are of this kind too."""
        spelling = self._spelt(name)
        value = default if spelling is None else super().__getitem__(spelling)
        return Attributes(value) if isinstance(value, dict) else value

    def __getitem__(self, name: str) -> Any:
        if name not in self:
            raise KeyError(name)
        return self.get(name)

    def __contains__(self, name: object) -> bool:
        return self._spelt(str(name)) is not None

    def _spelt(self, name: str) -> str | None:
        if super().__contains__(name):
            return name
        wanted = name.lower()
        return next((each for each in self if each.lower() == wanted), None)


def size_in_bytes(text: object) -> int | None:
    """Bytes of a size such as "1.073741824E9 Bytes", "131072.0 Bytes" or "10 GB"; None when it is not a size.

    Units are powers of 1024. Source: recorded sizes are in Bytes; CoprHD's client (SizeUtil) reads KB, MB and GB so, and cinder asks for
    "1 GB" and gets 1.073741824E9 Bytes. A rate may end in "/s" or "ps" ("50 MB/s", "50 MBps"); "Mb" would be bits, as in recorded speeds.
    """
    match = _AMOUNT.fullmatch(text) if isinstance(text, str) else None
    if type(text) is int:
        size = text
    elif match is None or match[2] not in _UNITS:
        return None
    else:
        size = int(Decimal(match[1]) * 1024 ** _UNITS[match[2]])
    return size if 0 <= size <= _LARGEST else None


def moment(text: object) -> datetime | None:
    """When "2015-01-07T14:07:10-06:00" is, in UTC; None when it is no such date, or one without its time zone.

    The other form, "04/03/2015 12:01:08 AM", never has a zone. Source: recorded objects; which attribute has which follows no rule.
    """
    if not isinstance(text, str):
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time.astimezone(UTC) if time.tzinfo else None


def version(text: object) -> tuple[int, int] | None:
    """Major and minor of "4.1" or "2.10"; None when it is no version."""
    match = _VERSION.fullmatch(text) if isinstance(text, str) else None
    return (int(match[1]), int(match[2])) if match else None


def version_range(message: str) -> tuple[str, str] | None:
    """The oldest and newest API version that a refusal names; None when it is another refusal.

    Source: cinder's client (_check_version_fail) reads "Invalid API version specified, the version must be in the range [2.0, 4.1]".
    """
    match = _RANGE.search(message)
    return (match[1], match[2]) if match else None


def message_of(body: bytes) -> str:
    """What an answer that is not a good one says: the text under "result", or the whole of it where it is plain text.

    Source: CoprHD's client: "Some versions return the reason text, some return a JSON structure".
    """
    text = body.decode("utf-8", "replace")
    try:
        value = json_value(body)
    except UnusableAnswerError:
        value = "" if text.lstrip().startswith("<") else text
    if isinstance(value, dict):
        value = Attributes(value).get("result")
    return " ".join(value.split())[:_LONGEST_MESSAGE] if isinstance(value, str) else ""
