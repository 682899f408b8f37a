"""Groups files by the host they are from.

A host is a support bundle, a folder of saved outputs, or one file with several commands pasted from a terminal. Its name is what its own
outputs say, else what the prompt in them says, else what the bundle or folder is called, else the file where several lie in one folder.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from auditor.endpoints.files.found import ARCHIVE_NAME, Unreadable
from auditor.endpoints.files.host_files import HostFiles
from auditor.endpoints.files.named_hosts import NamedFile, bare_name, hosts_in_names, repeated
from auditor.endpoints.files.other_forms import own_names
from auditor.text.names import fits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from auditor.endpoints.files.archives import Member
    from auditor.endpoints.files.esxtop import Esxtop, NoSamples
    from auditor.endpoints.files.guests import Guest
    from auditor.endpoints.files.machines import Machine
    from auditor.endpoints.files.outputs import Output
    from auditor.endpoints.files.rvtools import Sheet

_INNER_FOLDERS = frozenset({"commands", "json", "etc", "var", "vmfs"})
"""Folders of a support bundle that hold what its host said. Source: docs/domain/evidence-files.md#1-2."""

BUNDLE = re.compile(r"esx-(?P<host>.+)-(?P<taken>[0-9]{4}-[0-9]{2}-[0-9]{2}--[0-9]{2}\.[0-9]{2})-[0-9]+")
"""The name of a bundle and of its one folder; the time is the host's, which runs in UTC."""


@dataclass(frozen=True, slots=True)
class FileSeen:
    """A file that was looked at.

    Attributes:
        place: the path that was given, and the file within it.
        outputs: what commands printed, of a file that has that.
        module_options: the option strings of kernel modules that it says, by module.
        machine: of a .vmx file.
        esxtop: the samples of a file that esxtop wrote, or why there are none; None of any other.
        sheets: of RVTools, that the file has.
        guests: that said what their disks are like.
    """

    place: str
    outputs: tuple[Output, ...] = ()
    module_options: Mapping[str, str] = field(default_factory=dict)
    machine: Machine | None = None
    esxtop: Esxtop | NoSamples | None = None
    sheets: tuple[Sheet, ...] = ()
    guests: tuple[Guest, ...] = ()

    @property
    def is_recognised(self) -> bool:
        """Whether anything in it is known."""
        return bool(self.module_options or self.machine or self.esxtop or self.sheets or self.guests) or any(
            output.command for output in self.outputs
        )


@dataclass(slots=True)
class _Group:
    """The files below one root, each with its own time; of the host that their names name, or "" where they are all that is there."""

    source: str
    root: PurePosixPath
    files: list[tuple[datetime | None, FileSeen]] = field(default_factory=list)
    name: str = ""

    @property
    def place(self) -> str:
        """The folder, as a person would find it."""
        return f"{self.source}/{self.root}" if self.root.parts else self.source

    def outputs(self) -> dict[str | None, list[Output]]:
        """By the host that a prompt names, None where there was none: what commands printed, the newest first.

        A file is written from its beginning, so what comes later in it is newer.
        """
        newest = sorted(self.files, key=lambda file: -math.inf if file[0] is None else file[0].timestamp(), reverse=True)
        found: dict[str | None, list[Output]] = {}
        for output in (output for _, seen in newest for output in reversed(seen.outputs) if output.command):
            found.setdefault(output.host, []).append(output)
        return found

    @property
    def oldest(self) -> datetime | None:
        """The time of the oldest file that says something."""
        return min((modified for modified, seen in self.files if modified is not None and seen.is_recognised), default=None)


class HostGroups:
    """Outputs as they are found, sorted by the host that they are of."""

    def __init__(self, clusters: Sequence[tuple[str, str]]) -> None:
        self._clusters = clusters
        self._groups: dict[tuple[str, PurePosixPath], _Group] = {}
        self.notes: list[str] = []

    def add(self, seen: FileSeen, member: Member) -> None:
        """Take what one file says."""
        root = root_of(member.name)
        group = self._groups.setdefault((member.source, root), _Group(member.source, root))
        group.files.append((member.modified, seen))

    def ended_before(self, member: Member) -> Iterator[HostFiles | Unreadable]:
        """The hosts that are whole once this file comes: those of another path, or of an archive that it is not in.

        The parts of a file that was cut come last in an archive, and last of all in a folder.
        """
        now = _archive_of(root_of(member.name))
        yield from self._ended([key for key in self._groups if key[0] != member.source or _archive_of(key[1]) not in ((), now)])

    def hosts(self) -> Iterator[HostFiles | Unreadable]:
        """Every host that is left; one that has several sets of files comes as often."""
        yield from self._ended(list(self._groups))

    def _ended(self, keys: Iterable[tuple[str, PurePosixPath]]) -> Iterator[HostFiles | Unreadable]:
        for group in [part for key in keys for part in self._by_name(self._groups.pop(key))]:
            if isinstance(group, Unreadable):
                yield group
                continue
            by_host = group.outputs()
            own = by_host.pop(None, [])
            if own and len(by_host) == 1:  # a prompt in one file of a folder names the host of all
                [(prompt, others)] = by_host.items()
                by_host = {prompt: [*own, *others]}
            elif own or (not by_host and any(seen.is_recognised for _, seen in group.files)):
                by_host = {None: own, **by_host}
            for prompt, outputs in by_host.items():
                host = self._host(group, prompt, outputs)
                if len(by_host) == 1:  # of several hosts nobody knows whose they are
                    _add_the_rest(host, group)
                yield host

    def _by_name(self, group: _Group) -> Iterator[_Group | Unreadable]:
        """The files of each host, where their names say that they are of several; what no name says is not read."""
        files = [NamedFile(seen.place, seen.outputs) for _, seen in group.files]
        alike = repeated(files)
        words = hosts_in_names(files, alike)
        if words is None:
            if twice := sorted({files[at].name for places in alike for at in places}):
                self.notes.append(f"The newest of files with one command counts: {_listed(twice)}. Put another host's into its own folder.")
            yield group
            return
        hosts = sorted(set(words) - {""})
        self.notes.append(f"The files in {group.place} are of several hosts, by their names: {_listed(hosts)}.")
        for host in hosts:
            yield replace(group, files=[file for file, word in zip(group.files, words, strict=True) if word == host], name=host)
        for (_, seen), word in zip(group.files, words, strict=True):
            if not word and seen.is_recognised:
                why = f"files of several hosts lie beside it ({_listed(hosts)}), and its name is of none: put it into its host's folder."
                yield Unreadable(seen.place, "", why)

    def _host(self, group: _Group, prompt: str | None, outputs: Sequence[Output]) -> HostFiles:
        place = group.place
        bundle = next((found for part in reversed(PurePosixPath(place).parts) if (found := BUNDLE.match(part))), None)
        taken = datetime.strptime(bundle["taken"], "%Y-%m-%d--%H.%M").replace(tzinfo=UTC) if bundle else group.oldest
        name = prompt or group.name or (bundle["host"] if bundle else bare_name(PurePosixPath(place).name))
        host = HostFiles(name, place, taken_at=taken)
        for output in outputs:
            host.outputs.setdefault(output.command, []).append(output)
        names = own_names(host)
        host.name, host.others = (names[0], names[1:]) if names else (host.name, ())
        chosen = next((name for name, glob in self._clusters if fits(host.name, glob) or fnmatchcase(place, glob)), None)
        host.cluster = chosen or _folder_of(group.source, group.root / "host" if group.name else group.root)
        return host


def _add_the_rest(host: HostFiles, group: _Group) -> None:
    """What is no output of a command, of the only host of a group."""
    seen = [seen for _, seen in group.files]
    host.module_options = {module: text for one in seen for module, text in one.module_options.items()}
    host.machines = [one.machine for one in seen if one.machine]
    host.esxtop = [one.esxtop for one in seen if one.esxtop]


def root_of(name: str) -> PurePosixPath:
    """The folder of the host that a file in a bundle or folder is of: above `commands` and its like, else the file's own."""
    parts = PurePosixPath(name).parts[:-1]
    inner = next((at for at, part in enumerate(parts) if part in _INNER_FOLDERS), len(parts))
    return PurePosixPath(*parts[:inner])


def _archive_of(root: PurePosixPath) -> tuple[str, ...]:
    """The parts down to the innermost archive; () where the folder is in none."""
    last = max((at for at, part in enumerate(root.parts) if ARCHIVE_NAME.search(part)), default=-1)
    return root.parts[: last + 1]


def _folder_of(source: str, root: PurePosixPath) -> str | None:
    """The folder that several hosts' folders or bundles lie in, which is their cluster; None where they lie at the top.

    Folders within an archive count for nothing: the person who audits did not name them.
    """
    if ARCHIVE_NAME.search(source):
        return None
    packed = next((at for at, part in enumerate(root.parts) if ARCHIVE_NAME.search(part) or BUNDLE.match(part)), None)
    above = root.parts[:-1] if packed is None else root.parts[:packed]
    return above[-1] if above else None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
