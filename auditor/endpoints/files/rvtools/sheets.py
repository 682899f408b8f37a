"""One sheet of an export: which it is by the titles of its columns, and its rows as text.

Releases differ in columns and in their order, and customers add columns of their own, so a column is found by its title and may be missing.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from auditor.endpoints.files.found import escaped
from auditor.endpoints.files.streams import BrokenError, Budget

MOST_COLUMNS = 4096
CELL_CHARACTERS = 32_767
"""What a cell of a workbook holds at most. Source: Microsoft, "Excel specifications and limits"."""
_ROW_BYTES, _TEXT_BYTES = 64, 160  # what a kept row takes besides its cells, and a kept text besides its characters, about
_OLD_UNIT = re.compile(r"\bmb\b")
_FILE_NAME = re.compile(r"(?i)(?:.*/)?(?:rvtools_)?(?:tab)?(?P<sheet>[a-z_]+)(?:\.csv|\.txt)?")
_GROUPED = re.compile(r"-?[0-9]{1,3}(?:[.,'\s][0-9]{3})+")


@dataclass(frozen=True, slots=True)
class Kind:
    """A sheet that is read.

    Args:
        gives: what comes of it, for people.
        marks: titles of columns that no other sheet has all of.
        used: titles of the other columns that are read.
    """

    gives: str
    marks: frozenset[str]
    used: frozenset[str]


def _kind(gives: str, marks: str, used: str) -> Kind:
    both = (frozenset(title.strip() for title in text.split(",")) for text in (marks, f"{used}, vi sdk server"))
    return Kind(gives, *both)


_PATHS = ", ".join(f"path {number}, path {number} state" for number in range(1, 9))

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "vInfo": _kind(
            "virtual machines",
            "vm, powerstate, memory",
            "template, disks, latency sensitivity, host, os according to the configuration file, vm id, vm uuid",
        ),
        "vDisk": _kind(
            "virtual disks",
            "vm, disk, controller",
            "disk key, disk path, path, capacity mib, raw, thin, eagerly scrub, level, shares, reservation, limit, shared bus, "
            "raw comp. mode, raw lun id, vm id, vm uuid",
        ),
        "vHost": _kind("hosts", "host, cpu model", "cluster, datacenter, esx version, in maintenance mode, # hbas, object id"),
        "vHBA": _kind("adapters", "host, device, wwn", "type, status, driver, model, cluster, datacenter"),
        "vSwitch": _kind("switches", "host, switch, mtu", ""),
        "vPort": _kind("port groups", "host, port group, switch", ""),
        "dvSwitch": _kind("distributed switches", "switch, max mtu", "name"),
        "dvPort": _kind("distributed port groups", "port, switch, vlan", ""),
        "vSC_VMK": _kind("VMkernel adapters", "host, device, subnet mask", "port group, ip address, mtu, cluster, datacenter"),
        "vDatastore": _kind(
            "datastores",
            "name, accessible, type, # hosts",
            "address, capacity mib, free mib, hosts, # extents, version, mha, url, object id",
        ),
        "vMultiPath": _kind(
            "devices and paths",
            "host, disk, policy, path 1",
            "cluster, datacenter, datastore, display name, oper. state, vstorage, queue depth, vendor, model, revision, " + _PATHS,
        ),
        "vMetaData": _kind("the moment of the export", "rvtools version", "xlsx creation datetime, server"),
    }
)
"""By the name of the sheet. Source: docs/domain/evidence-files.md#5-2."""

_UNUSED = (
    *("vCPU", "vMemory", "vPartition", "vNetwork", "vFloppy", "vCD", "vUSB", "vSnapshot", "vTools", "vSource", "vRP", "vCluster", "vNIC"),
    *("vLicense", "vFileInfo", "vHealth"),
)
_NAMES = {name.lower(): name for name in (*KINDS, *_UNUSED)}


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a sheet, by the titles of its columns in lower case. What is not there, or empty, is None."""

    _columns: Mapping[str, int]
    _cells: tuple[str, ...]

    def text(self, title: str) -> str | None:
        """The text of a cell."""
        place = self._columns.get(title)
        return None if place is None else self._cells[place] or None

    def number(self, title: str) -> int | None:
        """A whole number; None for anything else. Thousands may be set apart as a locale has it."""
        text = self.text(title) or ""
        if _GROUPED.fullmatch(text):
            text = re.sub(r"[^0-9-]", "", text)
        whole = re.fullmatch(r"(-?[0-9]{1,18})(?:[.,]0+)?", text)
        return int(whole[1]) if whole else None

    def truth(self, title: str) -> bool | None:
        """Whether it is so."""
        return {"true": True, "1": True, "false": False, "0": False}.get((self.text(title) or "").lower())


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of an export.

    Attributes:
        name: as the workbook or the file is called.
        kind: one of KINDS; "" for a sheet of RVTools that is not read.
        columns: where each column that is read stands in `cells`.
        cells: the rows that hold anything; a cell is "" where it is empty, or not settled.
        problems: what of it could not be understood, in sentences without their end.
    """

    name: str
    kind: str
    columns: Mapping[str, int] = field(default_factory=dict)
    cells: list[tuple[str, ...]] = field(default_factory=list)
    problems: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Row]:
        return (Row(self.columns, cells) for cells in self.cells)

    def has(self, *titles: str) -> bool:
        """Whether all of these columns are there."""
        return all(title in self.columns for title in titles)


class SheetReader:
    """Takes the rows of one sheet, the row of titles first.

    Args:
        name: of the sheet or the file.
        budget: what is kept is counted against it.
    """

    def __init__(self, name: str, budget: Budget) -> None:
        self.name, self._budget = name, budget
        self._kind: str | None = None
        self._titles: dict[int, str] = {}
        self._places: list[list[int]] = []
        self._columns: dict[str, int] = {}
        self._cells: list[tuple[str, ...]] = []
        self._texts: dict[str, str] = {}  # each once: a host's name stands in hundreds of rows
        self._widest = 0
        self._unlike, self._beside = 0, 0

    def wants_more(self) -> bool:
        """Whether rows are read: not of a sheet whose titles are those of none that is read."""
        return self._kind is None or self._kind in KINDS

    def wants(self, column: int) -> bool:
        """Whether the cells of a column are looked at."""
        return self._kind is None or column in self._titles

    def add(self, cells: Mapping[int, str]) -> None:
        """Take a row: its cells by the numbers of their columns, from 0.

        Raises:
            BrokenError: a cell is longer than any may be.
            SpentError: it is too much to be kept.
        """
        found = {column: clean(text) for column, text in cells.items() if text and column < MOST_COLUMNS}
        found = {column: text for column, text in found.items() if text}
        if not found:
            return
        if self._kind is None:
            self._take_titles(found)
        elif self.wants_more():
            self._take_row(found)

    def sheet(self) -> Sheet | None:
        """The sheet; None where neither its titles nor its name are RVTools'."""
        named = named_sheet(self.name)
        problems = [
            *([f"{self._beside} of its rows have more cells than there are titles, and were left"] if self._beside else []),
            *([f"a column is there twice, and {self._unlike} cells of it differ"] if self._unlike else []),
        ]
        if self._kind:
            return Sheet(self.name, self._kind, self._columns, self._cells, tuple(problems))
        if not named:
            return None
        marks = ", ".join(sorted(KINDS[named].marks)) if named in KINDS else ""
        return Sheet(self.name, "", problems=(f"it has not the columns of {named} ({marks})",) if marks else ())

    def _take_titles(self, found: Mapping[int, str]) -> None:
        self._titles = {column: title_of(text) for column, text in found.items()}
        self._kind = kind_of(frozenset(self._titles.values()), self.name)
        self._widest = max(self._titles)
        if not self._kind:
            return
        kind = KINDS[self._kind]
        places: dict[str, list[int]] = defaultdict(list)
        for column, title in self._titles.items():
            if title in kind.marks or title in kind.used:
                places[title].append(column)
        self._titles = {column: title for title, columns in places.items() for column in columns}
        self._columns = {title: number for number, title in enumerate(places)}
        self._places = list(places.values())

    def _take_row(self, found: Mapping[int, str]) -> None:
        if max(found) > self._widest:
            self._beside += 1
            return
        row = tuple(self._kept(self._settled(found, columns)) for columns in self._places)
        if any(row):
            self._budget.hold(_ROW_BYTES + 8 * len(row))
            self._cells.append(row)

    def _kept(self, text: str) -> str:
        if text not in self._texts:
            self._budget.hold(len(text) + _TEXT_BYTES)
            self._texts[text] = text
        return self._texts[text]

    def _settled(self, found: Mapping[int, str], columns: list[int]) -> str:
        """The text of a column; of one that is there several times, what all of them have, else the sheet's first."""
        if len(columns) == 1:
            return found.get(columns[0], "")
        texts = {text for column in columns if (text := found.get(column))}
        if len(texts) < 2:
            return next(iter(texts), "")
        if columns[0] == 0:
            return found.get(0, "")
        self._unlike += 1
        return ""


def kind_of(titles: frozenset[str], name: str) -> str:
    """Which sheet has these titles; "" where none that is read has. Where several have, the name decides, else the most titles."""
    fitting = {kind: len(known.marks | (known.used & titles)) for kind, known in KINDS.items() if known.marks <= titles}
    named = named_sheet(name)
    return named if named in fitting else max(fitting, key=lambda kind: fitting[kind], default="")


def named_sheet(name: str) -> str:
    """The sheet that a name is of, as `RVTools_tabvHost.csv`, `tabvHost` and `vHost` are of vHost; "" for any other name."""
    found = _FILE_NAME.fullmatch(name)
    return _NAMES.get(found["sheet"].lower(), "") if found else ""


def title_of(text: str) -> str:
    """A title as it is compared: in lower case, and with the unit that newer releases write."""
    return _OLD_UNIT.sub("mib", " ".join(text.lower().split()))


def clean(text: str) -> str:
    """A cell's text without blanks around it; characters that could steer a terminal are escaped.

    Raises:
        BrokenError: it is longer than any cell may be.
    """
    if len(text) > CELL_CHARACTERS:
        raise BrokenError(f"a cell in it has more than {CELL_CHARACTERS:,} characters")
    return escaped(text.strip())


def number_text(text: str) -> str:
    """A number as workbooks keep it, as text: 261797.0 is 261797."""
    try:
        value = float(text)
    except ValueError:
        return text
    return str(int(value)) if math.isfinite(value) and value == int(value) and abs(value) < 1e15 else text
