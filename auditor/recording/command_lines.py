"""Masks what a command line answered: tab-separated records, or tables for people; lengths and columns stay.

What is kept, a kind says itself, by `kept_lines` of its `TYPE`. The forms are those of an ETERNUS.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.recording.masking import Fate

if TYPE_CHECKING:
    from auditor.endpoints.common.kept_lines import KeptLines
    from auditor.recording.masking import Masker

_KEYED = re.compile(r"(\s*\S.*?\s*\[)(.*?)(\s*\].*)", re.DOTALL)
_RULER = re.compile(r"\s*---+(?: +---*)*\s*")
_CODE = re.compile(r"[0-9A-Fa-f]{1,8}")
_NUMBER = re.compile(r"[0-9A-Fa-f]{1,16}")
_SURE_NUMBER = re.compile(r"[0-9A-F]{1,4}|0[0-9A-F]{7}|0{4}[0-9A-F]{12}")
"""A number wherever it stands: a long one has leading zeros, as sizes have; a name of the letters a to f, or an address, has none."""


def masked_transcript(kept: KeptLines, command: str, text: str, masker: Masker) -> str:
    """Everything from a command's echo to the next prompt, masked."""
    lines = re.split(r"(\r\n|\n|\r)", text)
    subject = next(iter(re.findall(r"^show ([\w-]+)", command)), "")
    machine = any("\t" in line for line in lines)
    table = _Table(kept, masker)
    out = []
    for place, line in enumerate(lines):
        if place % 2 or not line.strip() or line.strip() in (command, "CLI>", f"CLI> {command}") or line == "CLI> ":
            out.append(line)
        elif machine or re.fullmatch(r"[0-9A-Fa-f]{2,4}\t?", line.strip()):
            out.append(_record(line, kept, subject, masker))
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


def _record(line: str, kept: KeptLines, subject: str, masker: Masker) -> str:
    identifying = kept.identifying.get(subject)
    fields = line.split("\t")
    if len(fields) == 1 and _CODE.fullmatch(line.strip()):
        return line  # a status, a code, or how many follow
    if identifying is None:
        return "\t".join(field if re.fullmatch(r"[0-9A-F]{1,4}", field) else masker.text(field, Fate.NAME) for field in fields)
    known, number = frozenset(identifying), _NUMBER
    if known and len(fields) <= max(known):
        known, number = frozenset(), _SURE_NUMBER  # a line of another table of the same answer: what its columns hold is not known
    return "\t".join(
        masker.text(field, Fate.NAME) if place in known else field if number.fullmatch(field) else _words(field, kept, masker)
        for place, field in enumerate(fields)
    )


class _Table:
    """The tables of one answer, line by line: which columns hold names, the head above the ruler says."""

    def __init__(self, kept: KeptLines, masker: Masker) -> None:
        self._kept = kept
        self._masker = masker
        self._head: list[str] = []
        self._spans: list[tuple[int, int, bool]] = []

    def line(self, line: str) -> str:
        """One line of it, masked."""
        if _RULER.fullmatch(line):
            self._begin(line)
            return line
        if match := _KEYED.fullmatch(line):
            fate = Fate.KEEP if self._kept.keys.match(match[1]) else Fate.NAME
            return match[1] + self._masker.text(match[2], fate) + match[3]
        if line.lstrip().startswith("<") or re.match(r"\s*CM#\d", line):
            self._spans, self._head = [], []
        elif self._spans and not self._is_head(line):
            return self._row(line)
        if self._is_head(line):
            self._spans = []
            self._head.append(line)
            return line
        return _words(line, self._kept, self._masker)

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
            out.append(_words(line[at:start], self._kept, self._masker))
            code = re.fullmatch(r"\s*[0-9]{1,9}\s*", cell) is not None
            out.append(
                cell if code and not is_name else self._masker.text(cell, Fate.NAME) if is_name else _words(cell, self._kept, self._masker)
            )
            at = max(at, end)
        return "".join(out) + _words(line[at:], self._kept, self._masker)

    def _is_head(self, line: str) -> bool:
        words = re.findall(r"[A-Za-z][A-Za-z/]*", line)
        return bool(words) and all(word.lower() in self._kept.words for word in words) and not re.search(r"\d", line)


def _words(text: str, kept: KeptLines, masker: Masker) -> str:
    """A text in which only known words, codes and short numbers stay."""
    return re.sub(r"[^\s()\[\],]+", lambda match: _word(match[0], kept, masker), text)


def _word(word: str, kept: KeptLines, masker: Masker) -> str:
    known = word.lower() in kept.values or word.strip(":.-").lower() in kept.words or kept.products.fullmatch(word)
    return word if known else masker.text(word, Fate.NAME)


def _names(label: str) -> bool:
    return re.search(r"Name|WWN|Address|User|Alias|UID|Serial", label) is not None
