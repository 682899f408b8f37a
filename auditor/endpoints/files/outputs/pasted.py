"""Cuts a text into what each command printed: at prompts of hosts, calls of esxcli, and fences of Markdown and forums."""

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
_FENCE = re.compile(
    r"\s{0,8}(?:`{3,}[^`]{0,64}|~{3,}[^~]{0,64}|\[/?code(?:=[^\]]{0,64})?\]|</?(?:pre|code)(?: [^>]{0,256})?>)\s*", re.IGNORECASE
)
_QUOTE = re.compile(r"(?:> ?){1,8}")
"""In front of each line of a mail or a comment that somebody answers to."""

_ANY_CALL = re.compile(r"(?:^|[\s;(`])(?P<line>(?:/[^\s;(`]{0,256}/)?(?:esxcli|localcli)\s+[a-z-][^;`)]*)")


@dataclass(slots=True)
class Section:
    """What one command printed.

    Attributes:
        named: the command of the line before; None where there was no such line.
        ended: something came behind it, so that its last line was not cut.
        fenced: it stands before or behind a fence or a quote, without a prompt: an output, or what somebody wrote around one.
        has_quoted: a line of it begins as a quote; what is no quote behind these is somebody's own words.
        prompted: it stands between two prompts of a host, so that an error of the command would stand there, too.
    """

    named: Named | None
    host: str | None = None
    lines: list[str] = field(default_factory=list)
    ended: bool = False
    prompted: bool = False
    fenced: bool = False
    has_quoted: bool = False


def sections_of(text: str) -> list[Section]:
    """The text of each command in turn; the first is what stands before any prompt."""
    section, behind_prompt, in_quote = Section(None), False, False
    sections = [section]
    for printed in text.split("\n"):
        line = _without_quote(printed)
        prompt = _prompt(line)
        if prompt is None and _FENCE.fullmatch(line):
            section.ended, behind_prompt = True, False
            section, sections[0].fenced = Section(Named(), fenced=True), True
            sections.append(section)
        elif prompt is None and in_quote and section.has_quoted and printed.strip() and not printed.startswith(">"):
            section.ended, behind_prompt, in_quote = True, False, False
            section = Section(Named(), lines=[printed], fenced=True)
            sections.append(section)
        elif prompt is None:
            section.has_quoted |= printed.startswith(">")
            section.lines.append(printed)
        else:
            named, host, is_prompt = prompt
            section.ended, section.prompted = True, behind_prompt and is_prompt
            section, behind_prompt, in_quote = Section(named, host), is_prompt, printed.startswith(">")
            sections[0].fenced |= in_quote
            sections.append(section)
    if text.endswith("\n"):
        section.ended = True
    for one in sections:
        if all(line.startswith(">") for line in one.lines if line.strip()):  # a name may begin so, and no heading does
            one.lines = [_without_quote(line) for line in one.lines]
    return sections


def _without_quote(line: str) -> str:
    return _QUOTE.sub("", line, count=1) if line.startswith(">") else line


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
    return "#" in line or ">" in line or "@" in line or "cli" in line


def _call(line: str) -> Named:
    """The call of esxcli in what stands behind a prompt, also within a loop of a shell."""
    match = _ANY_CALL.search(line[:4096])
    if match is None:
        return Named()
    named = of_command_line(match["line"].strip())
    return named if match.start("line") == 0 else replace(named, unsure=True)
