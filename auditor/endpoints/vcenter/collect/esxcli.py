"""esxcli records into rows. A field that is missing or makes no sense is NULL, and is reported; the record's other fields still count."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

from auditor.endpoints.vcenter.collect.rows import Facts, columns
from auditor.endpoints.vcenter.collect.storage import lower_hex_name
from auditor.endpoints.vcenter.enumerations import OFFLOADS
from auditor.endpoints.vcenter.esxcli_records import Table, plain_name, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from auditor.endpoints.vcenter.esxcli_records import Cell, Row

T = TypeVar("T")

_SHOWN = 3
_NEW = object()
_MOST_KNOWN = 4096  # values of a column, some 1 MB of long texts


class Records:
    """The records of one answer, and the parse_errors found in them."""

    def __init__(self, answer: Table | Sequence[Row]) -> None:
        table = answer if isinstance(answer, Table) else table_of(answer)
        self._places = {plain_name(name): place for place, name in enumerate(table.names)}
        self._records = table.records
        self.parse_errors: list[str] = []

    def __iter__(self) -> Iterator[Record]:
        return (Record(cells, self._places, self.parse_errors) for cells in self._records)

    def cells_of(self, *fields: str) -> Callable[[Sequence[Cell]], Any]:
        """What gives the cells of these fields of a record; None for a field that no record has."""
        places = [self._places.get(name) for name in fields]
        if None not in places:
            return itemgetter(*places)
        return lambda cells: tuple(None if place is None else cells[place] for place in places)

    def summary(self) -> str:
        """The parse errors on one line, the first few by name."""
        more = len(self.parse_errors) - _SHOWN
        return "; ".join(self.parse_errors[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")


class Record:
    """One record; fields are found by their plain names.

    Attributes:
        cells: of its fields, in the order of the answer's table.
        name: what it is about.
        looked_at: the fields that were read since `looked_at` was cleared last.
    """

    __slots__ = ("_places", "cells", "looked_at", "name", "parse_errors")

    def __init__(self, cells: Sequence[Cell], places: Mapping[str, int], parse_errors: list[str]) -> None:
        self.cells = cells
        self._places = places
        self.parse_errors = parse_errors
        self.name = "a record without a name"
        self.looked_at: set[str] = set()

    def _cell(self, field: str) -> Cell:
        self.looked_at.add(field)
        place = self._places.get(field)
        return None if place is None else self.cells[place]

    def text(self, field: str, *, needed: bool = True) -> str | None:
        """The field, trimmed; None when it is missing, which is a parse error if it is `needed`."""
        value = self._cell(field)
        if isinstance(value, str):
            return value.strip()
        if value is not None or needed:
            self.parse_errors.append(f"{field} of {self.name} is {'missing' if value is None else 'more than one'}")
        return None

    def texts(self, field: str, *, needed: bool = True) -> list[str] | None:
        """The field, which may come several times; None when it is missing, which is a parse error if it is `needed`."""
        value = self._cell(field)
        if value is None and needed:
            self.parse_errors.append(f"{field} of {self.name} is missing")
        return [value] if isinstance(value, str) else None if value is None else list(value)

    def understood(self, field: str, word: str | None, meaning: T | None) -> T | None:
        """`meaning`; None for a word that has none is a parse error."""
        if word is not None and meaning is None:
            self.parse_errors.append(f"{field} of {self.name} says {word[:40]!r}, which is not understood")
        return meaning

    def filled(self, field: str, *, needed: bool = True) -> str | None:
        """The field, trimmed; None also when it is empty."""
        return self.text(field, needed=needed) or None

    def number(self, field: str, *, needed: bool = True) -> int | None:
        """The field as a count, zero or more."""
        text = self.text(field, needed=needed)
        if text is None or re.fullmatch(r"[0-9]{1,18}", text):
            return None if text is None else int(text)
        self.parse_errors.append(f"{field} of {self.name} is {text[:40]!r}, not a number")
        return None

    def truth(self, field: str, *, needed: bool = True) -> bool | None:
        """The field as true or false."""
        text = self.text(field, needed=needed)
        if text is None or text.lower() in ("true", "false"):
            return None if text is None else text.lower() == "true"
        self.parse_errors.append(f"{field} of {self.name} is {text[:40]!r}, neither true nor false")
        return None

    def of_native_plugin(self, field: str, *, needed: bool = True) -> int | None:
        """The field as a count, which a device of the high-performance plug-in may lack: a namespace has no DSNRO."""
        by_hpp = (self.text("multipathplugin", needed=False) or "").upper() == "HPP"
        return self.number(field, needed=needed and not by_hpp)

    def device(self) -> str | None:
        """The device it is about, which also names the record from here on."""
        text = self.text("device")
        if not text:
            return None
        self.name = lower_hex_name(text)
        return self.name


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, and the field it is read from by `read`; a field that is not `needed` may be missing without a word.

    What `read` answers follows from that field and the fields `also`, and from nothing else.
    """

    name: str
    field: str
    read: Callable[..., Any] = Record.text
    needed: bool = True
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """How the records of one command fill one table.

    Attributes:
        named: the column that says what a record is about, and its field.
        each: the records that become rows, and what each is about.
        known: by column, values by the cells that they were read from. Most hosts and devices say the same, and to look a value up takes a
            tenth of the time of reading it.
    """

    table: str
    columns: Sequence[Column]
    named: tuple[str, str]
    each: Callable[[Records], Iterator[tuple[Record, str | None]]]
    known: Mapping[str, dict[Any, Any]] = field(default_factory=lambda: defaultdict(dict), repr=False, compare=False)

    @property
    def fields(self) -> frozenset[str]:
        """Every field that is looked at, by its plain name."""
        return frozenset(name for column in self.columns for name in (column.field, *column.also)) | {self.named[1]}

    def __call__(self, records: Records, where: Mapping[str, str]) -> Iterator[Facts]:
        """The rows of `records`; `where` repeats in every row."""
        names: list[str | None] = []
        columns_by_name: dict[str, list[Any]] = {column.name: [] for column in self.columns}
        readers = [
            (columns_by_name[one.name].append, self.known[one.name], records.cells_of(one.field, *one.also), one) for one in self.columns
        ]
        for record, name in self.each(records):
            names.append(name)
            for add, known, cells_of, column in readers:
                cells = cells_of(record.cells)
                value = known.get(cells, _NEW)
                add(_read(column, record, cells, known) if value is _NEW else value)
        yield from columns(self.table, where, **{self.named[0]: names}, **columns_by_name)


def _read(column: Column, record: Record, cells: Any, known: dict[Any, Any]) -> Any:
    """The value of `column`, which is kept as `known` for these `cells` where nothing was wrong and nothing else was looked at."""
    wrong = len(record.parse_errors)
    record.looked_at.clear()
    value = column.read(record, column.field, needed=column.needed)
    if wrong == len(record.parse_errors) and record.looked_at.issubset((column.field, *column.also)):
        if len(known) >= _MOST_KNOWN:
            known.clear()
        known[cells] = value
    return value


def by_device(records: Records) -> Iterator[tuple[Record, str]]:
    """Every record with its device; one about a device that was there before is a parse error: which of the two is right is not known."""
    seen: set[str] = set()
    for record in records:
        device = record.device()
        if device is None:
            continue
        if device in seen:
            records.parse_errors.append(f"{device} is listed twice")
            continue
        seen.add(device)
        yield record, device


def _by_volume(records: Records) -> Iterator[tuple[Record, str | None]]:
    for record in records:
        name = record.text("volumename")
        record.name = name or record.name
        yield record, name


def _by_name(records: Records) -> Iterator[tuple[Record, str]]:
    for record in records:
        name = record.text("name")
        if name:
            record.name = name
            yield record, name


scheduling = Layout(
    "device_scheduling",
    (
        Column("dsnro", "noofoutstandingioswithcompetingworlds", Record.of_native_plugin, also=("multipathplugin",)),
        Column("esxcli_queue_depth", "devicemaxqueuedepth", Record.number, needed=False),
        Column("is_vvol_pe", "isvvolpe", Record.truth, needed=False),
        Column("multipath_plugin", "multipathplugin", needed=False),
        Column("queue_full_sample_size", "queuefullsamplesize", Record.number, needed=False),
        Column("queue_full_threshold", "queuefullthreshold", Record.number, needed=False),
        Column("vaai_status", "vaaistatus", needed=False),
    ),
    ("device", "device"),
    by_device,
)
"""Of `storage core device list`.

Source: docs/domain/facts.md#1-11, the fields of ESXi 5.5 to 9; those that old builds lack may be missing.
Namespaces: docs/domain/facts.md#1-13.
"""


def _offload(record: Record, field: str, *, needed: bool) -> str | None:
    word = record.text(field, needed=needed)
    return record.understood(field, word, word if word in OFFLOADS else None)


offload = Layout(
    "device_offload",
    (
        Column("vaai_plugin", "vaaipluginname"),
        *(Column(f"{name}_status", f"{name}status", _offload) for name in ("ats", "clone", "zero", "delete")),
    ),
    ("device", "device"),
    by_device,
)
"""Of `storage core device vaai status get`. Source: docs/domain/facts.md#3-4."""

lockmodes = Layout(
    "vmfs_lockmode",
    (Column("vmfs_uuid", "uuid"), Column("locking_mode", "lockingmode")),
    ("volume_name", "volumename"),
    _by_volume,
)
"""Of `storage vmfs lockmode list`. Source: docs/domain/facts.md#3-2."""

module_parameters = Layout(
    "host_module_parameter",
    (
        Column("type", "type"),
        Column("value", "value", Record.filled, needed=False),
        Column("description", "description", needed=False),
    ),
    ("name", "name"),
    _by_name,
)
"""Of `system module parameters list`; the caller adds the module. Source: docs/domain/facts.md#2."""
