"""Cuts a text into what each command printed: at prompts of hosts, and at lines that are a call of esxcli."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from auditor.endpoints.files.outputs.naming import Named, of_command_line

_HOST = r"(?P<host>[A-Za-z0-9][A-Za-z0-9._-]{0,253})"
_PROMPTS = (
    re.compile(rf"\s{{0,8}}\[[\w.-]{{1,64}}@{_HOST}[: ][^\]\n]{{0,512}}\]\s{{0,4}}[#$]?(?:\s+|$)(?P<line>.*)"),
    re.compile(rf"\s{{0,8}}[\w.-]{{1,64}}@{_HOST}:[^#$\n]{{0,512}}[#$](?:\s+|$)(?P<line>.*)"),
    re.compile(rf"\s{{0,8}}(?:{_HOST}:)?[~/][^\s#]{{0,512}} ?#(?:\s+|$)(?P<line>.*)"),
    re.compile(r"\s{0,8}PS [A-Za-z]:\\[^>\n]{0,512}>\s{0,4}(?P<line>.*)"),
)
_CALL = re.compile(
    r"\s{0,8}(?:[#$>]\s{0,4}|[A-Za-z]:\\[^>\n]{0,512}>\s{0,4})?(?P<line>(?:\S{0,256}/)?(?:esxcli|localcli)(?:\.exe)?\s+[a-z-].*)"
)
_ANY_CALL = re.compile(r"(?:^|[\s;(`])(?P<line>(?:/[^\s;(`]{0,256}/)?(?:esxcli|localcli)\s+[a-z-][^;`)]*)")


@dataclass(slots=True)
class Section:
    """What one command printed.

    Attributes:
        named: the command of the line before; None where there was no such line.
        ended: something came behind it, so that its last line was not cut.
        prompted: it stands between two prompts of a host, so that an error of the command would stand there, too.
    """

    named: Named | None
    host: str | None = None
    lines: list[str] = field(default_factory=list)
    ended: bool = False
    prompted: bool = False


def sections_of(text: str) -> list[Section]:
    """The text of each command in turn; the first is what stands before any prompt."""
    section, behind_prompt = Section(None), False
    sections = [section]
    for line in text.split("\n"):
        prompt = _prompt(line)
        if prompt is None:
            section.lines.append(line)
        else:
            named, host, is_prompt = prompt
            section.ended, section.prompted = True, behind_prompt and is_prompt
            section, behind_prompt = Section(named, host), is_prompt
            sections.append(section)
    if text.endswith("\n"):
        section.ended = True
    return sections


def _prompt(line: str) -> tuple[Named, str | None, bool] | None:
    """The call in a line, the host of its prompt, and whether there is a prompt; None where it is no call."""
    if not _may_be(line):
        return None
    for pattern in _PROMPTS:
        match = pattern.fullmatch(line)
        if match is not None:
            return _call(match["line"]), match.groupdict().get("host"), True
    match = _CALL.fullmatch(line)
    return None if match is None else (_call(match["line"]), None, False)


def _may_be(line: str) -> bool:
    return "#" in line or "$" in line or ">" in line or "cli" in line or "@" in line


def _call(line: str) -> Named:
    """The call of esxcli in what stands behind a prompt, also within a loop of a shell."""
    match = _ANY_CALL.search(line[:4096])
    if match is None:
        return Named()
    named = of_command_line(match["line"].strip())
    return named if match.start("line") == 0 else replace(named, unsure=True)
