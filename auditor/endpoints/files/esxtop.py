r"""The storage samples of a file that `esxtop -b` wrote, of one host.

The first title is "(PDH-CSV 4.0) (UTC)(0)"; each other is \\host\Object(instance)\Counter. A row has the time and a number for each
title; there are tens of thousands of these, and only those of storage are looked at. Rows come one at a time and are kept for five
minutes only: an hour of all counters has hundreds of megabytes.

A spreadsheet that saved such a file again leaves out seconds, changes the form of times and numbers, or the sign between cells: what
cannot be known any more is None, and a sentence says so.

Source: KB 1004953 and 370279 (how such files are made); titles as collectors and people who publish their files have them. What a
real host's storage columns hold was not seen: unverified.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from math import isnan, nan
from operator import itemgetter

KEPT_SECONDS = 330
"""How far back rows are kept: the five minutes that figures are of, and the sample that they begin with."""
_MOST_ROWS = 1000  # of that time: nobody has more, the least delay of esxtop is two seconds
_MOST_CELLS = 8_000_000  # of these rows: 1,000 devices with 4,000 paths have 50,000 columns of storage, and 165 rows
_MOST_CHARACTERS = 64 << 20
_MOST_COLUMNS = 500_000  # of a row: all counters of the largest host are some 200,000
_MOST_VALUE = 1e12
_MOST_NAMED = 5

_TITLE = re.compile(r"\\\\(?P<host>[^\\]*)\\(?P<object>[^\\(]+)\((?P<instance>.*)\)\\(?P<counter>[^\\]+)", re.DOTALL)
_FIRST = re.compile(r'\ufeff?"?\(PDH-CSV 4\.0\)(?: \((?P<zone>[^()]*)\)\((?P<minutes>-?[0-9]{1,4})\))?"?\s*(?P<sign>[,;\t]|\r?\n?\Z)')
_OWN_TIME = re.compile(r"[0-9]{2}/[0-9]{2}/[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?")
_ANY_TIME = re.compile(
    r"[0-9]{1,4}\D{1,2}[0-9]{1,2}\D{1,2}[0-9]{1,4}\D+([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]+)?)?( ?[AaPp][Mm])?"
)
_ADAPTER = re.compile(r"vmhba[0-9]+")
_DISK = re.compile(r"(?s)(.+):((?:scsi|sata|ide|nvme)[0-9]+:[0-9]+)")

_LATENCIES = {
    "Commands/sec": "commands",
    "Average Guest MilliSec/Command": "total",
    "Average Driver MilliSec/Command": "device",
    "Average Kernel MilliSec/Command": "kernel",
    "Average Queue MilliSec/Command": "queue",
    "Active Commands": "outstanding",
    "Queued Commands": "queued",
    "Aborts/sec": "aborted",
    "Resets/sec": "resets",
}
OBJECTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "Physical Disk SCSI Device": ("device", {**_LATENCIES, "Device Q Depth": "depth"}),
    "Physical Disk Adapter": ("adapter", {**_LATENCIES, "Adapter Q Depth": "depth"}),
    "Physical Disk Path": ("path", _LATENCIES),
    "Virtual Disk": (
        "disk",
        {
            "Reads/sec": "reads",
            "Writes/sec": "writes",
            "MBytes Read/sec": "read_mb",
            "MBytes Written/sec": "write_mb",
            "Average MilliSec/Read": "read_ms",
            "Average MilliSec/Write": "write_ms",
        },
    ),
    "Physical Disk": ("adapter", {**_LATENCIES, "Adapter Q Depth": "depth"}),  # of old builds, and of adapters only
}
"""What is read: by object, what kind of thing an instance is, and the short names of its counters."""

Thing = tuple[str, str]
"""A kind of OBJECTS, and the instance: a device's name, an adapter's, a path's, or "VM:scsi0:1"."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A row of the file.

    Args:
        clock: seconds, by which samples can be told apart; None where the row's time has no seconds.
        seconds: what its rates and means are of: from the row before to this one; None for the first, which counts since nobody knows.
        cells: the numbers of the columns of storage; NaN for what is none.
    """

    clock: float | None
    seconds: float | None
    cells: Sequence[float]


@dataclass(frozen=True, slots=True)
class Esxtop:
    """The newest samples of a file, oldest first.

    Args:
        host: as the titles name it.
        columns: of each thing the place of each counter within the cells of a sample.
        samples: those of the last five minutes.
        newest: when the last one was taken, in UTC; None where the file does not say that surely.
        problems: a sentence each: what cannot be known of this file.
    """

    host: str
    columns: Mapping[Thing, Mapping[str, int]]
    samples: Sequence[Sample]
    newest: datetime | None
    problems: Sequence[str]

    @property
    def size_bytes(self) -> int:
        """About how much memory it takes: its numbers and its titles."""
        return sum(8 * len(sample.cells) for sample in self.samples) + 200 * sum(len(places) for places in self.columns.values())

    def value(self, sample: Sample, place: int) -> float | None:
        """What a sample has there; None where that is no number."""
        number = sample.cells[place]
        return None if isnan(number) else number


@dataclass(frozen=True, slots=True)
class NoSamples:
    """A file of esxtop of which nothing can be used; `why` is a sentence's rest."""

    why: str


def is_esxtop(head: bytes) -> bool:
    """Whether a file that begins so was written by esxtop, or by a program of Windows in the same form."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip(b'"').startswith(b"(PDH-CSV 4.0)")


def samples_in(lines: Iterable[str]) -> Esxtop | NoSamples:
    """The storage samples of a file, or why there are none; see `esxtop_of`."""
    try:
        return esxtop_of(lines)
    except ValueError as error:
        return NoSamples(str(error))


def esxtop_of(lines: Iterable[str]) -> Esxtop:
    """The storage samples of a file.

    Args:
        lines: of the file, with their ends. No more of them is held than one.

    Raises:
        ValueError: it is no such file, or holds no counters of storage; the text says which.
    """
    lines = iter(lines)
    first = next(lines, "")
    begins = _FIRST.match(first)
    if begins is None:
        raise ValueError("it does not begin as a file of esxtop does")
    sign = begins["sign"] if begins["sign"] in (",", ";", "\t") else ","
    rows = _rows(chain([first.removeprefix("\ufeff")], lines), sign)
    titles = next(rows)
    host, columns, places, problems = _columns(titles)
    if not columns:
        raise ValueError("it has no counters of storage: esxtop was told to leave them out (use -a), or it is not of esxtop")
    clock, newest = _Clock(begins["zone"], begins["minutes"]), _Newest(len(places))
    _read(rows, titles, places, clock, newest)
    samples = newest.samples("," if sign == ";" else ".")
    if not samples:
        raise ValueError("it has titles and no sample")
    return Esxtop(host, columns, samples, clock.newest(), (*problems, *clock.problems(), *newest.problems()))


def _rows(lines: Iterable[str], sign: str) -> Iterator[list[str]]:
    """The cells of each line; no cell goes on in the next line."""
    for line in lines:
        if line.count(sign) > _MOST_COLUMNS:
            raise ValueError(f"a row of it has more than {_MOST_COLUMNS:,} cells")
        try:
            yield from csv.reader([line], delimiter=sign)
        except csv.Error as error:
            raise ValueError(f"it cannot be read as rows of cells: {error}") from None


def machine_and_node(instance: str) -> tuple[str, str] | None:
    """The machine's name and where the disk is attached, of an instance of "Virtual Disk"; None of a machine as a whole."""
    found = _DISK.fullmatch(instance)
    return (found[1], found[2]) if found else None


def _columns(titles: Sequence[str]) -> tuple[str, dict[Thing, dict[str, int]], list[int], list[str]]:
    """The host, the columns of storage by thing, their places in a row, and what is wrong with them."""
    host, twice = "", dict[Thing, None]()
    places: list[int] = []
    columns: dict[Thing, dict[str, int]] = {}
    for place, title in enumerate(titles):
        found = _TITLE.fullmatch(title)
        if found is None or found["object"] not in OBJECTS:
            continue
        kind, counters = OBJECTS[found["object"]]
        short = counters.get(found["counter"])
        if short is None or (found["object"] == "Physical Disk" and not _ADAPTER.fullmatch(found["instance"])):
            continue
        host = host or found["host"]
        thing = (kind, found["instance"])
        of_thing = columns.setdefault(thing, {})
        if short in of_thing or found["host"] != host:
            twice[thing] = None
        of_thing[short] = len(places)
        places.append(place)
    for thing in twice:
        del columns[thing]
    named = ", ".join(instance for _, instance in list(twice)[:_MOST_NAMED])
    return (
        host,
        columns,
        places,
        [f"{len(twice)} names stand for more than one thing, so nothing is said of them: {named}"] if twice else [],
    )


def _read(rows: Iterator[list[str]], titles: Sequence[str], places: Sequence[int], clock: _Clock, newest: _Newest) -> None:
    """Give every row of the right number of cells to `newest`."""
    pick = itemgetter(*places, places[-1])  # with one more it is a tuple in any case
    for row in rows:
        if not row:
            continue
        more = len(row) - len(titles)
        if more and not (more == 1 and not row[-1]) and not (more == -1 and not titles[-1]):  # a sign at the end of lines
            clock.torn += 1
            continue
        at, seconds = clock.read(row[0])
        if clock.went_back:
            newest.clear()
        newest.add(at, seconds, pick(row))


class _Newest:
    """The rows of the last five minutes, as texts: most of a file's rows are older, and never become numbers."""

    def __init__(self, columns: int) -> None:
        self._most_rows = max(1, min(_MOST_ROWS, _MOST_CELLS // columns))
        self._rows: deque[tuple[float | None, float | None, str]] = deque()
        self._characters = 0
        self._left_out = False

    def add(self, clock: float | None, seconds: float | None, cells: Sequence[str]) -> None:
        """Take a row, and drop those that are too old or too many; the newest one stays in any case."""
        text = "\n".join(cells)
        self._rows.append((clock, seconds, text))
        self._characters += len(text)
        while clock is not None and ((first := self._rows[0][0]) is None or first < clock - KEPT_SECONDS):
            self._drop()
        while len(self._rows) > 1 and (len(self._rows) > self._most_rows or self._characters > _MOST_CHARACTERS):
            self._drop()
            self._left_out = True

    def _drop(self) -> None:
        self._characters -= len(self._rows.popleft()[2])

    def clear(self) -> None:
        """Drop all rows."""
        self._rows.clear()
        self._characters, self._left_out = 0, False

    def samples(self, decimal: str) -> list[Sample]:
        """The rows as numbers; `decimal` is the sign within these."""
        samples = []
        while self._rows:
            clock, seconds, text = self._rows.popleft()
            samples.append(Sample(clock, seconds, array("d", [_number(cell, decimal) for cell in text.split("\n")])))
        return samples

    def problems(self) -> Iterator[str]:
        if self._left_out:
            yield "it has more counters than are held for five minutes, so only the newest of its samples were read"


def _number(text: str, decimal: str) -> float:
    """What a cell says; NaN where that is no number that a counter may have."""
    try:
        number = float(text if decimal == "." else text.replace(decimal, "."))
    except ValueError:
        return nan
    return number if 0 <= number <= _MOST_VALUE and "_" not in text else nan


class _Clock:
    """Reads the times of rows.

    A form that is not esxtop's own has an order of day and month that nobody knows: then only the time of day is read, and where rows
    have no seconds not even that.
    """

    def __init__(self, zone: str | None, minutes: str | None) -> None:
        self._behind = None if zone is None or minutes is None else timedelta(minutes=int(minutes))
        self._last: float | None = None
        self._time: datetime | None = None
        self._foreign = self._without_seconds = self._unread = self.torn = 0
        self._backwards = 0
        self.went_back = False

    def read(self, text: str) -> tuple[float | None, float | None]:
        """A row's time in seconds, and how many have passed since the row before."""
        before, self._last = self._last, self._seconds(text.strip())
        self.went_back = False
        if self._last is None or before is None:
            return self._last, None
        if self._time is None and self._last < before - 43_200:
            self._last += 86_400 * round((before - self._last) / 86_400)  # midnight, by the time of day
        passed = self._last - before
        if passed <= 0:
            self.went_back = passed < 0
            self._backwards += self.went_back
            return self._last, None
        return self._last, passed

    def newest(self) -> datetime | None:
        """When the last row was taken, in UTC. The number in the first title is what has to be added to local time, in minutes."""
        return None if self._time is None or self._behind is None else self._time.replace(tzinfo=UTC) + self._behind

    def problems(self) -> Iterator[str]:
        if self._behind is None:
            yield "its first title does not say the time zone, so it is not known when its samples were taken"
        if self._foreign:
            yield "its times are not as esxtop writes them (a spreadsheet saved it again), so it is not known when its samples were taken"
        if self._without_seconds:
            yield "its times have no seconds, so it is not known what its rates and means are of"
        if self._unread:
            yield f"the time of {self._unread:,} rows cannot be read"
        if self._backwards:
            yield "its times go backwards, so only what comes after that is looked at"
        if self.torn:
            yield f"{self.torn:,} rows have another number of cells than there are titles, so they are left out"

    def _seconds(self, text: str) -> float | None:
        self._time = None
        if _OWN_TIME.fullmatch(text):
            try:
                self._time = datetime.strptime(text[:19], "%m/%d/%Y %H:%M:%S").replace(tzinfo=UTC)
            except ValueError:
                self._unread += 1
                return None
            return self._time.timestamp()
        found = _ANY_TIME.fullmatch(text)
        if found is None:
            self._unread += 1
            return None
        self._foreign += 1
        if found[3] is None:
            self._without_seconds += 1
            return None
        half = found[4].strip().lower() if found[4] else ""
        hour = int(found[1]) % 12 + 12 * (half == "pm") if half else int(found[1])
        return float(hour * 3600 + int(found[2]) * 60 + int(found[3]))
