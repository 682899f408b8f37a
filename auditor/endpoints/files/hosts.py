"""Which files are of which host, and what the files of each host say.

A host is a support bundle, a folder of saved outputs, or one file with several commands pasted from a terminal. Its name is what its own
outputs say, else what the prompt in them says, else what the bundle or folder is called.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from auditor.endpoints.files.found import ARCHIVE_NAME
from auditor.endpoints.vcenter.collect.esxcli import Records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from auditor.endpoints.files.archives import Member
    from auditor.endpoints.files.machines import Machine
    from auditor.endpoints.files.outputs import Output

_INNER_FOLDERS = frozenset({"commands", "json", "etc", "var", "vmfs"})
"""Folders of a support bundle that hold what its host said. Source: docs/domain/evidence-files.md#1-2."""

_SAME_LIST = frozenset({"i", "ignore-errors", "skip-slow-fields"})
"""Options with which a command lists as much as without."""

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
        esxtop: the content of a file that esxtop wrote; b"" of any other.
    """

    place: str
    outputs: tuple[Output, ...] = ()
    module_options: Mapping[str, str] = field(default_factory=dict)
    machine: Machine | None = None
    esxtop: bytes = b""

    @property
    def is_recognised(self) -> bool:
        """Whether anything in it is known."""
        return bool(self.module_options or self.machine or self.esxtop) or any(output.command for output in self.outputs)


@dataclass(slots=True)
class HostFiles:
    """What the files of one host say.

    Attributes:
        name: its fully qualified name where an output says it.
        source: the bundle, folder or file that all this is from, as a person would find it.
        cluster: None where nothing says which.
        taken_at: when the outputs were made, aware: by the bundle's name, else the newest file's own time; None where neither says.
        outputs: by command, in the order in which they were found.
        module_options: the option strings of kernel modules, as far as a file says them.
        machines: whose .vmx files are there.
        esxtop: contents of files of esxtop; a host that has nothing else may be another one, which its titles name.
    """

    name: str
    source: str
    cluster: str | None = None
    taken_at: datetime | None = None
    outputs: dict[str, list[Output]] = field(default_factory=dict)
    module_options: Mapping[str, str] = field(default_factory=dict)
    machines: Sequence[Machine] = ()
    esxtop: Sequence[bytes] = ()

    def of(self, command: str, **arguments: str) -> Output | None:
        """The output of a command that was given these arguments at least; None where there is none.

        Where there are several, one that was given no others, and is whole, comes first.
        """
        found = [one for one in self.outputs.get(command, ()) if arguments.items() <= one.arguments.items()]
        return min(found, key=lambda one: (len(narrowing(one, arguments)), not one.whole), default=None)

    def records(self, command: str, **arguments: str) -> Records | None:
        """The records of that output; None where there is none."""
        output = self.of(command, **arguments)
        return None if output is None else self.read(output)

    def read(self, output: Output) -> Records:
        """The records of one output of this host."""
        return Records(output.table)


def narrowing(output: Output, wanted: Mapping[str, str]) -> frozenset[str]:
    """The arguments besides those that are wanted by which an output has less than a whole list: of one device, or of endpoints alone."""
    return frozenset(output.arguments) - wanted.keys() - _SAME_LIST


@dataclass(slots=True)
class _Group:
    """The outputs below one root: those without a prompt, and those of each prompt."""

    source: str
    root: PurePosixPath
    modified: datetime | None = None
    outputs: dict[str | None, list[Output]] = field(default_factory=dict)
    module_options: dict[str, str] = field(default_factory=dict)
    machines: list[Machine] = field(default_factory=list)
    esxtop: list[bytes] = field(default_factory=list)


class HostGroups:
    """Outputs as they are found, sorted by the host that they are of."""

    def __init__(self, clusters: Sequence[tuple[str, str]]) -> None:
        self._clusters = clusters
        self._groups: dict[tuple[str, PurePosixPath], _Group] = {}

    def add(self, seen: FileSeen, member: Member) -> None:
        """Take what one file says."""
        root = root_of(member.name)
        group = self._groups.setdefault((member.source, root), _Group(member.source, root))
        if member.modified is not None:
            group.modified = max(member.modified, group.modified or member.modified)
        group.module_options |= seen.module_options
        group.machines += [seen.machine] if seen.machine else []
        group.esxtop += [seen.esxtop] if seen.esxtop else []
        for output in seen.outputs:
            if output.command:
                group.outputs.setdefault(output.host, []).append(output)

    def ended_before(self, member: Member) -> Iterator[HostFiles]:
        """The hosts that are whole once this file comes: those of another path, or of an archive that it is not in.

        The parts of a file that was cut come last in an archive, and last of all in a folder.
        """
        now = _archive_of(root_of(member.name))
        yield from self._ended([key for key in self._groups if key[0] != member.source or _archive_of(key[1]) not in ((), now)])

    def hosts(self) -> Iterator[HostFiles]:
        """Every host that is left; one that has several sets of files comes as often."""
        yield from self._ended(list(self._groups))

    def _ended(self, keys: Iterable[tuple[str, PurePosixPath]]) -> Iterator[HostFiles]:
        for group in [self._groups.pop(key) for key in keys]:
            by_host = dict(group.outputs)
            own = by_host.pop(None, [])
            if own and len(by_host) == 1:  # a prompt in one file of a folder names the host of all
                [(prompt, others)] = by_host.items()
                by_host = {prompt: [*own, *others]}
            elif own or (group.esxtop and not by_host):
                yield self._host(group, None, own)
            for prompt, outputs in by_host.items():
                yield self._host(group, prompt, outputs)

    def _host(self, group: _Group, prompt: str | None, outputs: Sequence[Output]) -> HostFiles:
        place = f"{group.source}/{group.root}" if group.root.parts else group.source
        bundle = next((found for part in reversed(PurePosixPath(place).parts) if (found := BUNDLE.match(part))), None)
        taken = datetime.strptime(bundle["taken"], "%Y-%m-%d--%H.%M").replace(tzinfo=UTC) if bundle else group.modified
        name = prompt or (bundle["host"] if bundle else _bare(PurePosixPath(place).name))
        host = HostFiles(name, place, taken_at=taken, module_options=group.module_options, machines=group.machines, esxtop=group.esxtop)
        for output in outputs:
            host.outputs.setdefault(output.command, []).append(output)
        host.name = _own_name(host) or host.name
        chosen = next((name for name, glob in self._clusters if fnmatchcase(host.name, glob) or fnmatchcase(place, glob)), None)
        host.cluster = chosen or _folder_of(group.source, group.root)
        return host


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

    Folders within an archive were named by whoever made it: they are no clusters.
    """
    if ARCHIVE_NAME.search(source):
        return None
    packed = next((at for at, part in enumerate(root.parts) if ARCHIVE_NAME.search(part) or BUNDLE.match(part)), None)
    above = root.parts[:-1] if packed is None else root.parts[:packed]
    return above[-1] if above else None


def _own_name(host: HostFiles) -> str | None:
    """The name that an output of the host says, the fully qualified one where there is one."""
    records = host.records("system hostname get")
    for record in records or ():
        for name in ("fullyqualifieddomainname", "hostname"):
            if text := record.filled(name, needed=False):
                return text
    return None


def _bare(name: str) -> str:
    """A file's or folder's name without the endings of archives and texts."""
    return re.sub(r"(\.(tgz|tar|gz|bz2|xz|zip|txt|log|out|json|xml|csv))+$", "", name, flags=re.IGNORECASE) or name
