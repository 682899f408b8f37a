"""The sheets of one export, and which moment it is of."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from auditor.endpoints.files.streams import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.files.found import Member
    from auditor.endpoints.files.rvtools.sheets import Row, Sheet

_STAMP = re.compile(r"(20[0-9]{2})-([01][0-9])-([0-3][0-9])[_ T]([0-2][0-9])[.:_-]([0-5][0-9])(?:[.:_-]([0-5][0-9]))?")
_TEXTS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M", "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M")
_SERIAL = re.compile(r"[2-9][0-9]{4}(?:[.,][0-9]+)?")
_FIRST_YEAR = 2000  # no export is older
_FIRST_DAY = datetime(1899, 12, 30, tzinfo=UTC)
"""Day 0 of a workbook's dates. Source: ECMA-376, part 1, 18.17.4.1."""


@dataclass(slots=True)
class Export:
    """One export.

    Attributes:
        source: the workbook, or the folder of its CSV files.
        sheets: by their kinds.
        taken_at: when it was made, aware; None where nothing says so.
        problems: what of it was not read, in sentences.
    """

    source: str
    sheets: dict[str, Sheet] = field(default_factory=dict)
    taken_at: datetime | None = None
    problems: list[str] = field(default_factory=list)

    def add(self, sheet: Sheet) -> None:
        """Take a sheet; of several of one kind the first counts."""
        if sheet.kind in self.sheets:
            self.problems.append(f"sheet {sheet.name} has what sheet {self.sheets[sheet.kind].name} has, and only the first was read")
            return
        if sheet.kind:
            self.sheets[sheet.kind] = sheet
        self.problems += [f"sheet {sheet.name}: {problem}" for problem in sheet.problems]

    def rows(self, kind: str) -> Iterator[Row]:
        """The rows of a sheet; none where it is not there."""
        yield from self.sheets.get(kind, ())

    def has(self, kind: str, *titles: str) -> bool:
        """Whether a sheet is there, with all of these columns."""
        return kind in self.sheets and self.sheets[kind].has(*titles)

    def servers(self) -> frozenset[str]:
        """The vCenters that its rows name."""
        return frozenset(name for sheet in self.sheets.values() for row in sheet if (name := row.text("vi sdk server")))

    def dated(self, oldest: datetime | None) -> Export:
        """The export with its moment: what it says itself, else its name, else `oldest`, the time of its oldest file."""
        said = next((text for row in self.rows("vMetaData") if (text := row.text("xlsx creation datetime"))), "")
        found = moment_of(said) or moment_in(PurePosixPath(self.source).name) or oldest
        self.taken_at = found and min(found, datetime.now(UTC))  # without a zone it may seem to be one to come
        return self


class Exports:
    """Exports as they are found: a workbook is one, and so are the CSV files of a folder."""

    def __init__(self) -> None:
        self._exports: dict[str, Export] = {}
        self._oldest: dict[str, datetime] = {}

    def add(self, sheets: tuple[Sheet, ...], member: Member, place: str) -> None:
        """Take the sheets of the file at `place`."""
        key = place if is_workbook(member.data) else str(PurePosixPath(place).parent)
        export = self._exports.setdefault(key, Export(key))
        for sheet in sheets:
            export.add(sheet)
        if member.modified is not None:
            self._oldest[key] = min(member.modified, self._oldest.get(key, member.modified))

    def all(self) -> Iterator[Export]:
        """Every export that has a sheet that is read."""
        for key, export in self._exports.items():
            if export.sheets or export.problems:
                yield export.dated(self._oldest.get(key))


def is_workbook(data: bytes) -> bool:
    """Whether a file that is not looked into as an archive is made as one."""
    return kind_of(data[:4]) == "zip"


def moment_of(text: str) -> datetime | None:
    """A moment as a sheet has it: a day's number, or a date and a time. Without a zone it is taken to be UTC; None for anything else."""
    if _SERIAL.fullmatch(text):
        return _FIRST_DAY + timedelta(days=float(text.replace(",", ".")))
    found: datetime | None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = next((moment for form in _TEXTS if (moment := _parsed(text, form))), None)
    if found is None or found.year < _FIRST_YEAR:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def moment_in(name: str) -> datetime | None:
    """The moment in a name such as RVTools_export_all_2026-02-22_07.05.31.xlsx; None where there is none."""
    found = _STAMP.search(name)
    return _parsed(" ".join(part or "0" for part in found.groups()), "%Y %m %d %H %M %S") if found else None


def _parsed(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None
