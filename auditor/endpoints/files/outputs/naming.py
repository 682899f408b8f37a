"""Finds the command that a command line or a file's name means."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.endpoints.files.outputs.known import BY_NAME, BY_PLAIN_NAME, UNKNOWN, Known
from auditor.endpoints.vcenter.esxcli_records import plain_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PROGRAMS = ("esxcli", "localcli")
_GLOBAL = frozenset(
    [
        "-s",
        "--server",
        "-u",
        "--username",
        "-p",
        "--password",
        "-h",
        "--vihost",
        "--thumbprint",
        "-c",
        "--config",
        "--formatter",
        "--format-param",
        "-f",
        "--portnumber",
        "-m",
        "--protocol",
        "--sessionfile",
        "--credstore",
        "--passthroughauthpackage",
    ]
)
"""Options before the name space that have a value, as remote esxcli and the local one have them."""
_VERBS = frozenset(("list", "get", "listrules"))
TEXT_ENDINGS = ("txt", "log", "out", "json", "xml", "csv", "md", "psv", "lst", "list")
"""How the names of files end that people keep an output in."""
_ENDING = re.compile(rf"(?:\.(?:gz|{'|'.join(TEXT_ENDINGS)})|\.frag-[0-9]+)+$", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_FILTER_WORDS = frozenset(("grep", "egrep", "head", "tail", "awk", "cut", "sed", "filtered"))
_HARMLESS = frozenset(("less", "more", "cat", "tee"))


@dataclass(frozen=True, slots=True)
class Named:
    """A command with what it was given.

    Attributes:
        known: UNKNOWN for a command that is not in the list.
        command: the command's name, also where it is not known.
        filtered: only a part of the output was kept.
        unsure: the output or an error may have gone elsewhere, or the command may not have run, as in a loop.
    """

    known: Known = UNKNOWN
    command: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    filtered: bool = False
    unsure: bool = False


def of_command_line(line: str) -> Named:
    """The command of a line that begins with the program."""
    unsure = any(mark in line for mark in ">&;")
    line, *pipes = line.split("|")
    words = [word.strip("'\"`") for word in re.split(r"[>;&]", line, maxsplit=1)[0].split()]
    filtered = any(pipe.split() and pipe.split()[0] not in _HARMLESS for pipe in pipes)
    namespace, rest = _namespace(words[1:])
    name = " ".join(namespace)
    known = BY_NAME.get(name, UNKNOWN)
    return Named(known, known.command or name, dict(_options(rest, known)), filtered, unsure)


def _namespace(words: list[str]) -> tuple[list[str], list[str]]:
    """The words of the name spaces with the verb, and what comes behind them."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _GLOBAL else 1
    end = at
    while end < len(words) and _WORD.fullmatch(words[end]):
        end += 1
        if words[end - 1] in _VERBS:
            break
    return words[at:end], words[end:]


def _options(words: list[str], known: Known) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("-"):
            continue
        name, has_value, value = word.lstrip("-").partition("=")
        if not word.startswith("--") and len(name) > 1:  # -mlpfc
            name, has_value, value = name[0], "=", name[1:]
        if not has_value and name not in known.flags and at < len(words) and not words[at].startswith("-"):
            value = words[at]
            at += 1
        yield known.options.get(name, name) if len(name) == 1 else name, value


def of_file_name(name: str) -> Named:
    """The command that a file is named after, by the rule of vm-support or with marks of who kept it.

    Blanks became dashes or underscores, so the letters and digits of names are compared.
    """
    stem = _ENDING.sub("", name.replace("\\", "/").rpartition("/")[2])
    program = re.search("|".join(PROGRAMS), stem, re.IGNORECASE)
    if program is None:
        return Named()
    tokens = re.findall(r"[A-Za-z0-9]+|[^A-Za-z0-9]+", stem[program.end() :])
    words = [at for at, token in enumerate(tokens) if token[0].isalnum()]
    for start in words:
        found = _longest(tokens, [at for at in words if at >= start])
        if found is not None:
            end, known = found
            rest = "".join(tokens[end + 1 :])
            return Named(
                known, known.command, dict(_named_options(rest, known)), not _FILTER_WORDS.isdisjoint(re.split("[^a-z]+", rest.lower()))
            )
    return _unlisted([tokens[at] for at in words])


def _longest(tokens: list[str], words: list[int]) -> tuple[int, Known] | None:
    """The known command with the longest name that these words begin with, and the place of its last word."""
    found, name = None, ""
    for at in words[:8]:
        name += plain_name(tokens[at])
        if name in BY_PLAIN_NAME:
            found = at, BY_PLAIN_NAME[name]
    return found


def _unlisted(words: list[str]) -> Named:
    for at, word in enumerate(words):
        if word in _VERBS:
            skipped = 2 if words[0] == "formatter" else 0
            return Named(command=" ".join(words[skipped : at + 1]))
    return Named()


_LONG_OPTION = re.compile(r"---([a-z][a-z-]*)=((?:(?!---[a-z]).)+)")


def _named_options(rest: str, known: Known) -> Iterator[tuple[str, str]]:
    """The options in what is left of a file's name: "---module=lpfc", "---pe-only", "--m-lpfc", "_lpfc"."""
    text = re.sub(r"_(?:grep|head|tail|before|after|loop|error).*", "", rest)
    plain = text.strip("-_=")
    if not plain:
        return
    if long := _LONG_OPTION.findall(text):
        yield from long
        return
    names = {flag: flag for flag in known.flags if len(flag) > 1} | {long: long for long in known.options.values()} | dict(known.options)
    for option in sorted(names, key=len, reverse=True):
        value = plain[len(option) :]
        if text.startswith("-") and plain.startswith(option) and (len(option) > 1 or not value or value[0] in "-_="):
            yield names[option], value.strip("-_=")
            return
    if known.command == "system module parameters list" and text.startswith("_"):
        yield "module", plain
