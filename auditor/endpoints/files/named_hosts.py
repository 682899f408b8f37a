"""Which host a file is of where the files of several lie in one folder: their names say it, as in esx-01.txt beside esx-02.txt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from auditor.endpoints.files.outputs.naming import TEXT_ENDINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.endpoints.files.outputs import Output

_ENDING = re.compile(rf"(\.(tgz|tar|gz|bz2|xz|zip|{'|'.join(TEXT_ENDINGS)}))+$", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z0-9]+")
_NO_HOST = re.compile(
    r"""(?ix) esxcli | localcli | formatter | fields | csv | json | xml | keyvalue | text | txt | outputs? | commands? | pasted | session
    | host | first | second | one | two | three
    | (?:old | new | before | after | copy | of | backup | bak | orig | final | part | all | full)\d*
    | \d+ | \d{8}[TZ]?\d*Z? | \d{0,2}(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\d*
    | (?:mon|tues?|wed|wednes|thu|thurs|fri|sat|satur|sun)(?:day)?"""
)
"""What people put into a file's name besides a host."""
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file of a folder: its own name, and what commands printed in it."""

    name: str
    outputs: Sequence[Output]


def bare_name(name: str) -> str:
    """A file's or folder's name without the endings of archives and texts."""
    return _ENDING.sub("", name) or name


def hosts_in_names(files: Sequence[NamedFile], alike: Sequence[set[int]]) -> list[str] | None:
    """The host in the name of each file, "" where there is none; None where the files can be of one host.

    They cannot where the names of two files that have the same command differ, once words of commands and dates are left out.

    Args:
        files: of one folder.
        alike: as `repeated` has them.
    """
    words = [_host_word(file) for file in files]
    return words if any(len({words[at] for at in places} - {""}) > 1 for places in alike) else None


def repeated(files: Sequence[NamedFile]) -> list[set[int]]:
    """The places of files that have the output of one command, two or more; the prompts in them do not name different hosts."""
    found: dict[tuple[str, frozenset[tuple[str, str]]], dict[str | None, set[int]]] = {}
    for at, file in enumerate(files):
        for one in file.outputs:
            if one.command:
                found.setdefault((one.command, frozenset(one.arguments.items())), {}).setdefault(one.host, set()).add(at)
    # An output without a prompt may be of any of the hosts.
    sets = [part for by_host in found.values() for part in ([set().union(*by_host.values())] if None in by_host else by_host.values())]
    return [places for places in sets if len(places) > 1]


def _host_word(file: NamedFile) -> str:
    """What is left of a file's name without the words of its commands and others that name no host; "" where that is nothing."""
    stem = bare_name(PurePosixPath(file.name).name)
    of_commands = {word for one in file.outputs for word in re.findall(r"[a-z0-9]+", one.command.lower())}
    words = [one for one in _WORD.finditer(stem) if not _is_of_command(one[0].lower(), of_commands)]
    hosts = [one for one in words if not _NO_HOST.fullmatch(one[0])]
    if not hosts:
        return ""
    # A number beside the host's word is its: esx-01, 01-esx.
    begin, end = hosts[0].start(), hosts[-1].end()
    number = re.match(r"[-_.]?\d{1,4}(?![0-9A-Za-z])", stem[end:])
    word = stem[begin : end + (number.end() if number else 0)]
    return word.lower() if len(word) >= _SHORTEST else ""


def _is_of_command(word: str, of_commands: set[str]) -> bool:
    return word in of_commands or word.removesuffix("s") in of_commands
