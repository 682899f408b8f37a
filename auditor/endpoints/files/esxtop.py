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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from math import isnan
from operator import itemgetter

from auditor.endpoints.files.esxtop_clock import Clock
from auditor.endpoints.files.esxtop_samples import Newest, Sample

_MOST_COLUMNS = 500_000  # of a row: all counters of the largest host are some 200,000
_MOST_NAMED = 5

_TITLE = re.compile(r"\\\\(?P<host>[^\\]*)\\(?P<object>[^\\(]+)\((?P<instance>.*)\)\\(?P<counter>[^\\]+)", re.DOTALL)
_FIRST = re.compile(r'\ufeff?"?\(PDH-CSV 4\.0\)(?: \((?P<zone>[^()]*)\)\((?P<minutes>-?[0-9]{1,4})\))?"?\s*(?P<sign>[,;\t]|\r?\n?\Z)')
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
    """A file of esxtop that cannot be used at all; `why` is a sentence's rest."""

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
    clock, newest = Clock(begins["zone"], begins["minutes"]), Newest(len(places))
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


def _read(rows: Iterator[list[str]], titles: Sequence[str], places: Sequence[int], clock: Clock, newest: Newest) -> None:
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
