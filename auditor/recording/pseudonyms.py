"""Keyed replacements that keep length, kind of character and vendor prefix: the same original always gives the same replacement.

Every replacement permutes characters within their own alphabet, so two originals never become one, and nothing has to be remembered.
Without the key nobody learns which original a replacement stands for. Names change as a whole; numbers of arrays (NAA, WWN) change from
left to right, so that those of one array still begin alike, as `Family.array_digits` needs.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_HEX = "0123456789abcdef"
_CACHED = 1 << 17
_UINT64 = 1 << 64

_SHORT_HEX = re.compile(r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{8}")
_PURE_EUI = re.compile(r"00([0-9a-f]{14})24a937([0-9a-f]{10})")
_VML = re.compile(r"(02[0-9a-f]{4}0000)([0-9a-f]{32})([0-9a-f]*)")
_SOLIDFIRE_EUI = re.compile(r"([0-9a-f]{8})([0-9a-f]{8}f47acc[0-9a-f]{10})")


class Pseudonyms:
    """The replacements that one key gives.

    Args:
        key: the secret; with it one can find out which original a replacement stands for.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.word: Callable[[str], str] = lru_cache(_CACHED)(self._word)
        self.hexadecimal: Callable[[str], str] = lru_cache(_CACHED)(self._hexadecimal)
        self.identifier: Callable[[str], str] = lru_cache(_CACHED)(self._identifier)
        self.ipv4: Callable[[str], str] = lru_cache(_CACHED)(self._ipv4)
        self.ipv6: Callable[[str], str] = lru_cache(_CACHED)(self._ipv6)

    def number(self, value: int) -> int:
        """Another number of as many digits; 0 stays."""
        return int(self.word(str(abs(value)))) * (-1 if value < 0 else 1)

    def wwn_number(self, value: int) -> int:
        """A World Wide Name as vCenter reports one: a signed number of 64 bits."""
        masked = int(self.identifier(f"{value % _UINT64:016x}"), 16)
        return masked - _UINT64 if masked >= _UINT64 // 2 else masked

    def _word(self, text: str) -> str:
        """A run of letters and digits; each stays a letter or a digit, of its case. A word of other scripts becomes one of a to z."""
        if not text.isascii():
            digest = hmac.new(self._key, b"script" + text.encode("utf-8", "replace"), sha256).digest()
            return "".join(_LETTERS[byte % 26] for byte in digest)[: max(10, len(text))]
        if _SHORT_HEX.fullmatch(text):
            return self._hexadecimal(text)  # as such it is looked for in names of vVols
        folded = text.lower()
        zeros = len(folded) - len(folded.lstrip("0")) if folded.isdigit() else 0
        rest = folded[zeros:]
        alphabets = [_DIGITS if one.isdigit() else _LETTERS for one in rest]
        if zeros != len(folded) and folded.isdigit():
            alphabets[0] = _DIGITS[1:]  # a number stays one of as many digits
        forward = self._chain(f"word{zeros}", rest, alphabets)
        backward = self._chain("back", forward[::-1], alphabets[::-1])[::-1]
        return _in_case(text, folded[:zeros] + backward)

    def _hexadecimal(self, text: str) -> str:
        """Hexadecimal digits, from left to right: what begins alike begins alike afterwards."""
        return _in_case(text, self._chain("hex", text.lower(), [_HEX] * len(text)))

    def _identifier(self, text: str) -> str:
        """An NAA, EUI or World Wide Name in hexadecimal digits, without what names its vendor.

        Source: docs/domain/arrays.md#device-names: where each array's own number stands in the name of a volume.
        """
        digits = text.lower()
        if match := _VML.fullmatch(digits):  # what a raw device mapping calls its LUN (`endpoints.vcenter.collect.vms.mapped_device`)
            return _in_case(text, match[1] + self.identifier(match[2]) + self.hexadecimal(match[3]))
        if len(digits) == 32 and digits[0] == "6":
            return _in_case(text, digits[:8] + self._of_array(digits[:8], digits[8:]))
        if len(digits) == 32 and (match := _PURE_EUI.fullmatch(digits)):
            serial = self.hexadecimal(match[1] + match[2])
            return _in_case(text, f"00{serial[:14]}24a937{serial[14:]}")
        if len(digits) == 32 and (match := _SOLIDFIRE_EUI.fullmatch(digits)):
            return _in_case(text, self._text_in_hex(match[1]) + match[2])
        if len(digits) == 16:  # a World Wide Name: NAA 5 has its vendor in digits 1 to 6, NAA 1 and 2 in digits 4 to 9
            known = 7 if digits[0] in "56" else 10 if digits[0] in "12" else 0
            return _in_case(text, digits[:known] + self.hexadecimal(digits[known:]))
        return self.hexadecimal(text)

    def _of_array(self, prefix: str, digits: str) -> str:
        """The 24 digits of a volume's NAA behind the vendor's."""
        if prefix in ("6f47acc1", "6f47acc2"):  # node or zeros, the cluster's four letters, the volume's number
            return digits[:8] + self._text_in_hex(digits[8:16]) + digits[16:]
        if prefix == "600a0980":  # the serial number's twelve letters
            return self._text_in_hex(digits)
        return self.hexadecimal(digits)

    def _text_in_hex(self, digits: str) -> str:
        text = bytes.fromhex(digits).decode("latin-1")
        if not re.fullmatch(r"[ -~]+", text):
            return self.hexadecimal(digits)
        return self.serial(text).encode("ascii").hex()

    def beginning(self, prefix: str) -> str:
        """The beginning of an NAA as `identifier` has the whole; shorter where the whole does not change from left to right."""
        head, rest = prefix[:8].lower(), prefix[8:]
        return head if head in ("6f47acc1", "6f47acc2", "600a0980") else head + self.hexadecimal(rest)

    def serial(self, text: str) -> str:
        """A text word by word, for what stands in a NAA as well."""
        return re.sub(r"[^\W_]+", lambda match: self.word(match[0]), text)

    def _ipv4(self, text: str) -> str:
        """An address; those of one network stay in one network, whatever its mask. Masks, 0.0.0.0 and loopback stay.

        Source: Xu, Fan, Ammar and Moon, "Prefix-preserving IP address anonymization" (2002): each bit is turned by what stands before it.
        """
        parts = [int(part) for part in text.split(".")]
        if parts[0] in (0, 127, 255):
            return text
        bits = "".join(f"{part:08b}" for part in parts)
        turned = "".join(_turned(bit, self._byte("ipv4", bits[:place])) for place, bit in enumerate(bits))
        return ".".join(str(int(turned[start : start + 8], 2)) for start in range(0, 32, 8))

    def _ipv6(self, text: str) -> str:
        address = ipaddress.IPv6Address(text)
        if address.is_unspecified or address.is_loopback:
            return text
        digits = f"{int(address):032x}"
        return str(ipaddress.IPv6Address(int(digits[:4] + self._chain("ipv6", digits[4:], [_HEX] * 28), 16)))

    def _chain(self, purpose: str, text: str, alphabets: list[str]) -> str:
        """`text` with each character replaced by one of its alphabet, as key, purpose and all before it say."""
        out = []
        for place, (one, alphabet) in enumerate(zip(text, alphabets, strict=True)):
            digest = self._digest(f"{purpose}/{len(alphabet)}", text[:place])
            out.append(alphabet[(alphabet.index(one) + int.from_bytes(digest[:8], "big")) % len(alphabet)])
        return "".join(out)

    def _byte(self, purpose: str, text: str) -> int:
        return self._digest(purpose, text)[0]

    def _digest(self, purpose: str, text: str) -> bytes:
        return hmac.digest(self._key, f"{purpose}\0{text}".encode(), "sha256")


def _turned(bit: str, byte: int) -> str:
    return bit if byte & 1 else "10"[int(bit)]


def _in_case(original: str, text: str) -> str:
    """`text` with capital letters where `original` has them; all of it in capitals where the original has no small ones."""
    if original.isupper():
        return text.upper()
    if original.lower() == original:
        return text
    return "".join(new.upper() if old.isupper() else new for old, new in zip(original, text, strict=True))
