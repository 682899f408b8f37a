"""Files of hosts in the place of an endpoint: they are looked through once, host after host."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from auditor.bounds.limits import EVIDENCE_HELD_BYTES, WORKBOOK_BYTES
from auditor.endpoints.common.sessions import SessionBase
from auditor.endpoints.files.archives import Member, Unreadable, members
from auditor.endpoints.files.found import shown
from auditor.endpoints.files.guests import guests_in
from auditor.endpoints.files.hosts import BUNDLE, FileSeen, HostGroups
from auditor.endpoints.files.machines import is_machine, machine_in
from auditor.endpoints.files.module_options import is_esx_conf, module_options
from auditor.endpoints.files.outputs import outputs_in
from auditor.endpoints.files.outputs.naming import TEXT_ENDINGS
from auditor.endpoints.files.rvtools import Export, Exports
from auditor.endpoints.files.rvtools.csv_file import sheet_in
from auditor.endpoints.files.rvtools.export import is_workbook
from auditor.endpoints.files.rvtools.workbook import sheets_in
from auditor.endpoints.files.streams import BROKEN, Budget, SpentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.endpoints.files.host_files import HostFiles
    from auditor.endpoints.files.rvtools import Sheet
    from auditor.model import Endpoint

_OF_BUNDLE = frozenset({"commands", "json"})
_PRINTED_OPTIONS = b" options = '"
"""In what esxcfg-module -g prints."""
_PROGRAMS = ("localcli_", "esxcli_")
_OTHER_PROGRAMS = ("esxcfg-scsidevs_", "esxcfg-mpath_", "vmware_", "uname_")
_TEXTS = frozenset({"", ".frag", *(f".{ending}" for ending in TEXT_ENDINGS)})
_WORKBOOKS, _TABLES = frozenset({".xlsx", ".xlsm"}), frozenset({".csv", ".txt"})


class FilesSession(SessionBase):
    """Looks through the files of one endpoint of the kind `files`.

    Attributes:
        release: what the files are, for people.
    """

    release = "files of hosts"

    def __init__(self, endpoint: Endpoint, paths: Sequence[Path]) -> None:
        super().__init__(endpoint)
        self._paths = paths

    def found(self) -> Iterator[HostFiles | FileSeen | Export | Unreadable]:
        """Every file that was looked at or could not be, each host once all of its files were, and last the exports of RVTools."""
        evidence = self.endpoint.evidence
        groups, exports, budget = HostGroups(evidence.clusters if evidence else ()), Exports(), Budget(WORKBOOK_BYTES, EVIDENCE_HELD_BYTES)
        for member in members(self._paths, is_wanted, is_possible):
            if isinstance(member, Unreadable):
                yield member
                continue
            try:
                seen = _seen(member, budget)
            except (*BROKEN, SpentError) as error:
                yield Unreadable(member.source, shown(member.name), f"{error}; nothing of it was read.")
                continue
            yield seen
            yield from groups.ended_before(member)
            if seen.guests:
                continue
            if seen.sheets:
                exports.add(seen.sheets, member, seen.place)
            else:
                groups.add(seen, member)
        yield from groups.hosts()
        for note in groups.notes:
            self.add_note(note)
        yield from exports.all()


def _sheets(member: Member, name: str, budget: Budget) -> tuple[Sheet, ...]:
    """The sheets of RVTools in a file; what is kept of all files counts together, and what each unpacks to for itself."""
    own = Budget(WORKBOOK_BYTES, budget.held)
    try:
        if is_workbook(member.data):
            return tuple(sheets_in(member.data, own))
        sheet = sheet_in(member.data, name, own) if PurePosixPath(name).suffix.lower() in _TABLES else None
        return (sheet,) if sheet else ()
    finally:
        budget.held = own.held


def _seen(member: Member, budget: Budget) -> FileSeen:
    """What a file holds: its content says it; for two kinds of files that are no output of a command, its name.

    Raises:
        BROKEN, SpentError: it is a workbook or a CSV file of RVTools, and broken, or more than is read.
    """
    name, place = member.name or PurePosixPath(member.source).name, place_of(member)
    if is_esx_conf(name):
        return FileSeen(place, module_options=module_options(member.data))
    if is_machine(name):
        return FileSeen(place, machine=machine_in(member.data, name))
    if member.esxtop is not None:
        return FileSeen(place, esxtop=member.esxtop)
    if guests := guests_in(member.data):
        return FileSeen(place, guests=tuple(guests))
    if sheets := _sheets(member, PurePosixPath(name).name, budget):
        return FileSeen(place, sheets=sheets)
    if is_workbook(member.data):
        return FileSeen(place)
    options = module_options(member.data) if _PRINTED_OPTIONS in member.data else {}
    return FileSeen(place, tuple(outputs_in(member.data, PurePosixPath(name).name)), options)


def place_of(member: Member | Unreadable) -> str:
    """The path that was given, and the file within it."""
    return f"{member.source}/{member.name}" if member.name else member.source


def is_wanted(name: str) -> bool:
    """Whether the name of a file says that it holds what is read.

    That is of a support bundle the outputs of storage, network and system, which are a few among hundreds of megabytes of logs; of
    anything else every text and workbook.
    """
    path = PurePosixPath(name)
    if _is_output_of_bundle(path):
        return path.name.startswith((*_PROGRAMS, *_OTHER_PROGRAMS))
    if is_esx_conf(name) or is_machine(name):
        return True
    return is_possible(name) and (path.suffix.lower() in _TEXTS | _WORKBOOKS or path.name.startswith(_PROGRAMS))


def is_possible(name: str) -> bool:
    """Whether a file holds what is read if it is a text: people call an output esx01.corp.example or devices.list, too."""
    path = PurePosixPath(name)
    folders = path.parts[:-1]
    is_other = bool({"var", "etc", "proc"}.intersection(folders)) or any(BUNDLE.fullmatch(part) for part in folders)
    return not is_other and not _is_output_of_bundle(path)


def _is_output_of_bundle(path: PurePosixPath) -> bool:
    """Whether a file lies where a bundle has the outputs of commands, and is called as they are: by the command and its arguments."""
    folders = path.parts[:-1]
    return bool(_OF_BUNDLE.intersection(folders)) and ("_" in path.name or any(BUNDLE.fullmatch(part) for part in folders))


@contextmanager
def open_files(endpoint: Endpoint) -> Iterator[FilesSession]:
    """The files of `endpoint`, which are opened one after another while they are read."""
    yield FilesSession(endpoint, [Path(path) for path in (endpoint.evidence.paths if endpoint.evidence else ())])
