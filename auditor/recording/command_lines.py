"""Masks what the ETERNUS command line answered: tab-separated records, or tables for people; lengths and columns stay.

Columns as `auditor.endpoints.eternus` reads them. Source: cinder's Fujitsu driver, and the texts that delfin recorded
(docs/domain/arrays.md#eternus).
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.recording.masking import Fate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from auditor.recording.masking import Masker

_IDENTIFYING: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "enclosure-status": (0, 3, 4),
        "volumes": (1, 6, 20),
        "volume-qos": (1,),
        "raid-groups": (1,),
        "thin-pro-pools": (1,),
        "flexible-tier-pools": (1,),
        "host-wwn-names": (1, 2),
        "host-sas-addresses": (1, 2),
        "host-iscsi-names": (1, 4, 5),
        "users": (0,),
        "qos-bandwidth-limit": (),
        "cli-error-code": (),
        "lun-groups": (1,),
    }
)
"""Of the machine's form: the columns of a record that identify something, by command. Of another command, all but short numbers."""

_KEPT_KEYS = re.compile(
    r"\s*(?:Model Name|Firmware Version|Status|Type|Usage|Health|Size|Speed|.* Status|.* Capacity.*|Cache Mode|Operation Mode"
    r"|Power .*|Vendor ID|RAID Level|Product ID|Firmware Revision|Motor Status|Error Code)\s*\[",
)
_KEYED = re.compile(r"(\s*\S.*?\s*\[)(.*?)(\s*\].*)", re.DOTALL)
_RULER = re.compile(r"\s*---+(?: +---*)*\s*")
_CODE = re.compile(r"[0-9A-Fa-f]{1,8}")
_NUMBER = re.compile(r"[0-9A-Fa-f]{1,16}")
_SURE_NUMBER = re.compile(r"[0-9A-F]{1,4}|0[0-9A-F]{7}|0{4}[0-9A-F]{12}")
"""A number wherever it stands: a long one has leading zeros, as sizes have; a name of the letters a to f, or an address, has none."""
_WORDS = frozenset(
    """00 01 02 A a CA CLI CM Default Disable Disk Enable Error Group Host IP LUN Level Location Mode Mask Name Name/Alias No Number Overlap
    Pool Port Product RAID Response SAS Size Speed Status Storage System TFOG Total Type UID Unknown Usage Used User Volume WWN
    address affinity available authority be bytes capacity can characters command connection csv current data encrypt encryption enclosure
    expand expanded external fc field firmware for free group groups guide host hosts improper in information invalid is iscsi list
    lun luns management map mapping mb mirror mode name names not number of on operation option parameter parameters performing
    policy pool pools port ports provisioning raid range requested resource response ro roles rw scroll set show software specified
    status supported system temporarily the this thin threshold to total type under undefined unknown update use user users using
    value volume volumes warning with""".lower().split()
)
"""What the headings and messages of the command line say; in lower case."""


def masked_transcript(command: str, text: str, masker: Masker) -> str:
    """Everything from a command's echo to the next prompt, masked."""
    lines = re.split(r"(\r\n|\n|\r)", text)
    subject = next(iter(re.findall(r"^show ([\w-]+)", command)), "")
    machine = any("\t" in line for line in lines)
    table = _Table(masker)
    out = []
    for place, line in enumerate(lines):
        if place % 2 or not line.strip() or line.strip() in (command, "CLI>", f"CLI> {command}") or line == "CLI> ":
            out.append(line)
        elif machine or re.fullmatch(r"[0-9A-Fa-f]{2,4}\t?", line.strip()):
            out.append(_record(line, _IDENTIFYING.get(subject), masker))
        else:
            out.append(table.line(line))
    return "".join(out)


def masked_command(command: str, masker: Masker) -> str:
    """A command line: its options stay, what they name is masked."""
    words = re.split(r"(\s+)", command)
    return "".join(
        word if not word.strip() or place < 3 or word.startswith("-") or _CODE.fullmatch(word) or word in ("all", "uid", "disable")
        else masker.text(word, Fate.NAME)
        for place, word in enumerate(words)
    )  # fmt: skip


def _record(line: str, identifying: Iterable[int] | None, masker: Masker) -> str:
    fields = line.split("\t")
    if len(fields) == 1 and _CODE.fullmatch(line.strip()):
        return line  # a status, a code, or how many follow
    if identifying is None:
        return "\t".join(field if re.fullmatch(r"[0-9A-F]{1,4}", field) else masker.text(field, Fate.NAME) for field in fields)
    known, number = frozenset(identifying), _NUMBER
    if known and len(fields) <= max(known):
        known, number = frozenset(), _SURE_NUMBER  # a line of another table of the same answer: what its columns hold is not known
    return "\t".join(
        masker.text(field, Fate.NAME) if place in known else field if number.fullmatch(field) else _words(field, masker)
        for place, field in enumerate(fields)
    )


class _Table:
    """The tables of one answer, line by line: which columns hold names, the head above the ruler says."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._head: list[str] = []
        self._spans: list[tuple[int, int, bool]] = []

    def line(self, line: str) -> str:
        """One line of it, masked."""
        if _RULER.fullmatch(line):
            self._begin(line)
            return line
        if match := _KEYED.fullmatch(line):
            fate = Fate.KEEP if _KEPT_KEYS.match(match[1]) else Fate.NAME
            return match[1] + self._masker.text(match[2], fate) + match[3]
        if line.lstrip().startswith("<") or re.match(r"\s*CM#\d", line):
            self._spans, self._head = [], []
        elif self._spans and not self._is_head(line):
            return self._row(line)
        if self._is_head(line):
            self._spans = []
            self._head.append(line)
            return line
        return _words(line, self._masker)

    def _begin(self, ruler: str) -> None:
        spans = [(match.start(), match.end()) for match in re.finditer(r"-+", ruler)]
        labels = self._head[-2:]
        self._head = []
        self._spans = [(start, end, any(_names(label[start:end]) for label in labels)) for start, end in spans]

    def _row(self, line: str) -> str:
        out, at = [], 0
        for place, (start, end, is_name) in enumerate(self._spans):
            end = len(line) if place == len(self._spans) - 1 else end
            cell = line[start:end]
            out.append(_words(line[at:start], self._masker))
            code = re.fullmatch(r"\s*[0-9]{1,9}\s*", cell) is not None
            out.append(cell if code and not is_name else self._masker.text(cell, Fate.NAME) if is_name else _words(cell, self._masker))
            at = max(at, end)
        return "".join(out) + _words(line[at:], self._masker)

    def _is_head(self, line: str) -> bool:
        words = re.findall(r"[A-Za-z][A-Za-z/]*", line)
        return bool(words) and all(word.lower() in _WORDS for word in words) and not re.search(r"\d", line)


def _words(text: str, masker: Masker) -> str:
    """A text in which only known words, codes and short numbers stay."""
    return re.sub(r"[^\s()\[\],]+", lambda match: _word(match[0], masker), text)


def _word(word: str, masker: Masker) -> str:
    known = word.lower() in _STATES or word.strip(":.-").lower() in _WORDS or _PRODUCT.fullmatch(word)
    return word if known else masker.text(word, Fate.NAME)


_PRODUCT = re.compile(
    r"-?\d{1,9}|CM#\d+|CA#\d+|Port#\d+|E[0-9A-F]{4}|-+|RAID\S{1,4}|\^|ETERNUS|DX\d{2,5}F?|S[1-9]|ET[0-9A-Z]{3,8}|V\d+L\d+[-0-9A-Z]*"
)
_STATES = frozenset(
    """available ready readying broken normal online offline active present open standard tpp fte ftv tppv snap sdv wsv none on off
    spare rebuild degraded partially exposed readable yes no wait ok undefined fc/fcoe fc iscsi sas e-mail maintainer admin monitor
    software storageadmin accountadmin securityadmin assigned dbl custom""".lower().split()
)


def _names(label: str) -> bool:
    return re.search(r"Name|WWN|Address|User|Alias|UID|Serial", label) is not None
