"""Masks one text: what identifies somebody is replaced, the words of protocols stay.

Three fates. A name is replaced word by word. A kept text (a model, a state, an option) keeps its words, and what looks like an address, a
World Wide Name or an identifier in it is replaced all the same. Free text is dropped. Which field has which fate is in
`auditor.recording.fields`; a field that is not there is a name.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from auditor.recording.pseudonyms import Pseudonyms

SECRET = "***"  # noqa: S105  what stands where a secret was
_LONGEST_KEPT = 400
_SHORTEST_NAME = 3


class Fate(StrEnum):
    """What becomes of the text of a field."""

    KEEP = "keep"
    VERSION = "version"  # a version is kept, and numbers with dots are no addresses; the rest is replaced
    PATH = "path"  # of a request: the API's words and its version stay
    NAME = "name"  # replaced, numbers too
    PLAIN = "plain"  # not known: replaced, but for numbers, switches and times
    DROP = "drop"


_HEXADECIMAL = r"(?<![0-9A-Za-z])"
_VENDORS = (
    "vmware|solidfire|purestorage|compellent|equallogic|netapp|dell|fujitsu|emc|nimblestorage|hp|hpe|ibm|hitachi|broadcom|emulex|qlogic"
)
_GROUP = "[0-9A-Fa-f]{1,4}"
_GLOBAL = "(?:[23][0-9A-Fa-f]{3}|[fF][c-eC-E][0-9A-Fa-f]{2})"  # what an address that leaves out zeros begins with
_PATTERNS = (
    # What protocols and products say, in the order in which it is looked for.
    ("", r"(?<![0-9A-Za-z])(?:/vmfs/devices/disks/|ds:///vmfs/volumes/|/vmfs/volumes/)"),
    ("", r"key-vim\.host\.[A-Za-z.]+-"),
    ("", rf"\b(?:iqn|nqn)\.\d{{4}}-\d\d\.(?:(?:com\.(?:{_VENDORS})|org\.(?:nvmexpress|linux-iscsi|open-iscsi))\b)?"),
    ("", r"(?<![0-9A-Za-z])(?:naa|eui|t10|uuid|vml|mpx|rfc4122|nvme)\."),
    ("", r"(?<![0-9A-Za-z])(?:(?:vmhba|vmnic|vmk)\d+|(?:scsi|nvme|sata|ide)\d+:\d+)(?![0-9A-Za-z])"),
    ("", r"(?<![0-9A-Za-z])vvol-(?=\S{1,200}-vg(?![0-9A-Za-z]))|-vg(?![0-9A-Za-z])"),
    ("", r"(?<![0-9A-Za-z])C\d+:T\d+:L\d+(?![0-9A-Za-z])"),
    ("", r"\.(?:vmdk|vmx|vswp|vmsd|nvram|iso)\b"),
    ("", r"(?<!\d)\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"),
    ("", r"(?<![0-9/])\d\d/\d\d/\d{4} \d\d:\d\d:\d\d [AP]M\b"),
    ("uuid", _HEXADECIMAL + r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4,8}){2,3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z])"),
    ("uuid", r"(?<=uuid\.)[0-9A-Fa-f]{32}(?![0-9A-Za-z])"),  # of an NVMe device, which its array writes with dashes
    ("address", _HEXADECIMAL + r"(?:[0-9A-Fa-f]{2}:){7}[0-9A-Fa-f]{2}(?![0-9A-Za-z:])"),
    ("address", _HEXADECIMAL + r"(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![0-9A-Za-z:])"),
    ("ipv6", r"(?<![0-9A-Za-z:])(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}(?![0-9A-Za-z:])"),
    ("ipv6", rf"(?<![0-9A-Za-z:]){_GLOBAL}(?::{_GROUP}){{0,3}}::(?:{_GROUP}(?::{_GROUP}){{0,3}})?(?![0-9A-Za-z:])"),
    ("ipv4", r"(?<![0-9A-Za-z.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?::\d{1,5})?(?![0-9A-Za-z]|\.\d)"),
    ("identifier", _HEXADECIMAL + r"(?:0x)?[0-9A-Fa-f]{16,}(?![0-9A-Za-z])"),
    ("word", r"[^\W_]+"),
)  # fmt: skip
_SCANNER = re.compile("|".join(f"({pattern})" for _, pattern in _PATTERNS))
_KINDS = ("", *(kind for kind, _ in _PATTERNS))

_PLAIN = re.compile(
    r"-?\d{1,4}(?:\.\d{1,3})?|(?i:true|false|yes|no|on|off|none|null|unknown|n/a)|PT?[0-9DHMS]+|[-+0-9.]+E\d+ Bytes|\d{4}-\d\d-\d\d\S*"
)
"""Whole texts that say nothing of anybody: short numbers, switches, times and sizes."""


_MEANT = re.compile(
    r"permission|not authori[sz]ed|could not be found|not found|unable to find|unknown device|no such|methodnotfound|managedobjectnotfound"
    r"|unknown command|does not exist|not supported",
    re.IGNORECASE,
)
"""All that is left of a free text: what clients look for in the message of an error."""


_ALWAYS = re.compile(r"(?i:true|false)|[-+0-9.]+E\d+ Bytes|0{40}")
"""Texts that name nobody: forty zeros are the word of an E-Series for no object."""


_OF_VERSIONS = re.compile(
    r"[A-Z]{0,2}\d{1,10}[A-Z]{0,3}\d{0,4}|api|build|cluster|element|eternus|esxi?|express|fa|ga|netapp|ontap|os|patch|purity|rc|release|rest"
    r"|s|server|solidfire|storage|u|update|urn|utc|v|vcenter|vim\d+|vmware|x|\d?x64|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|june?|july?|aug|sep"
    r"|oct|nov|dec",
    re.IGNORECASE,
)
"""Words of a version; a field that is called one may hold anything."""


class Masker:
    """Masks texts, and remembers what was replaced. May be used from several threads.

    Args:
        pseudonyms: what stands for what.
        also: words that are replaced wherever they stand, in small letters.

    Attributes:
        replaced: what was replaced -> by what, by kind. It never leaves this machine.
        names: texts that were replaced as a whole -> by what. It never leaves this machine either.
        kept_words: words that stayed, in small letters.
        dropped: how many texts were dropped, and how many secrets.
    """

    def __init__(self, pseudonyms: Pseudonyms, also: Collection[str] = ()) -> None:
        self.pseudonyms = pseudonyms
        self.also = frozenset(also)
        self.replaced: dict[str, dict[str, str]] = {}
        self.names: dict[str, str] = {}
        self.kept_words: set[str] = set()
        self.dropped: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._by_kind: dict[str, Callable[[str], str]] = {
            "uuid": self._uuid,
            "address": self._address,
            "ipv6": pseudonyms.ipv6,
            "ipv4": self._ipv4,
            "identifier": self._identifier,
            "word": pseudonyms.word,
        }

    def text(self, text: str, fate: Fate) -> str:
        """`text` as its fate has it."""
        if not text or _ALWAYS.fullmatch(text) or (fate is Fate.PLAIN and _PLAIN.fullmatch(text)):
            return text
        if fate is Fate.DROP:
            with self._lock:
                self.dropped["free texts"] += 1
            return "; ".join(dict.fromkeys(match[0].lower() for match in _MEANT.finditer(text)))
        kept: frozenset[str] = _KEPT.get(fate, frozenset())
        if kept and len(text) > _LONGEST_KEPT:
            kept = frozenset()  # nothing that is known is that long
        out = []
        end = 0
        for match in _SCANNER.finditer(text):
            kind = _KINDS[match.lastindex or 0]
            out.append(text[end : match.start()])
            stays = kind in kept and not (self.also and match[0].lower() in self.also)
            if stays and (fate is not Fate.VERSION or kind != "word" or _OF_VERSIONS.fullmatch(match[0])):
                self.kept_words.add(match[0].lower())
                out.append(match[0])
            elif kind:
                out.append(self._replaced(kind, match[0]))
            else:
                out.append(self.kept(match[0]))
            end = match.end()
        masked = "".join((*out, text[end:]))
        if not kept and masked != text and _SHORTEST_NAME <= len(text) <= _LONGEST_KEPT:
            self.names[text] = masked
        return masked

    def kept(self, text: str) -> str:
        """A text of the protocol, unchanged; its words are remembered as words of products."""
        self.kept_words.update(re.findall("[a-z]+", text.lower()))
        return text

    def secret(self) -> str:
        """What stands in place of a secret."""
        with self._lock:
            self.dropped["secrets"] += 1
        return SECRET

    def number(self, value: int, *, wwn: bool = False) -> int:
        """A number that identifies something."""
        masked = self.pseudonyms.wwn_number(value) if wwn else self.pseudonyms.number(value)
        self._keep("number", str(value), str(masked))
        return masked

    def _replaced(self, kind: str, original: str) -> str:
        masked = self._by_kind[kind](original)
        self._keep(kind, original, masked)
        return masked

    def _keep(self, kind: str, original: str, masked: str) -> None:
        if masked != original:
            with self._lock:
                self.replaced.setdefault(kind, {})[original] = masked

    def _uuid(self, text: str) -> str:
        return _spaced(text, self.pseudonyms.hexadecimal(text.replace("-", "")))

    def _ipv4(self, text: str) -> str:
        address, colon, port = text.partition(":")
        return f"{self.pseudonyms.ipv4(address)}{colon}{port}"

    def _address(self, text: str) -> str:
        """A MAC or World Wide Name with colons: the vendor's part stays."""
        digits = re.sub("[:-]", "", text)
        masked = self.pseudonyms.identifier(digits) if len(digits) == 16 else digits[:6] + self.pseudonyms.hexadecimal(digits[6:])
        return _spaced(text, masked)

    def _identifier(self, text: str) -> str:
        if text[:2] in ("0x", "0X"):
            return text[:2] + self._identifier(text[2:])
        return self.pseudonyms.identifier(text)


_KEPT = {Fate.KEEP: frozenset({"word"}), Fate.VERSION: frozenset({"word", "ipv4"}), Fate.PATH: frozenset({"word", "ipv4"})}


def _spaced(original: str, digits: str) -> str:
    """`digits` with the separators of `original`."""
    rest = iter(digits)
    return "".join(one if one in ":-" else next(rest) for one in original)
