"""The form of a command's output: which fields a release prints, in which order, as records or as a table.

Sources: docs/lab.md#evidence names the recorded outputs that forms were taken from, and the forms that no public output shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

Value: TypeAlias = str | int | bool | list[str] | list["Record"]
Record: TypeAlias = dict[str, Value]
"""A structure: the title of each field as the text formatter prints it ("Device Max Queue Depth"), in ESXi's order."""
Release: TypeAlias = tuple[int, ...]


class Layout(Enum):
    """How the text formatter lays records out."""

    RECORDS = "records"  # a heading, and a line for each field
    TABLE = "table"
    ONE = "one"  # a single structure
    SCALAR = "scalar"  # a single value without a name


@dataclass(frozen=True, slots=True)
class Form:
    """The form of one command's output.

    Attributes:
        kind: ESXi's name for one structure; the esxcli answers of vCenter have it too.
        titles: of the fields, in the order of the text formatter.
        heading: the title whose value heads a record; if it is none of `titles`, only the heading shows it.
        fixed_heading: the line above a single structure.
        since: the first release that prints a field; `until` the first that does not.
        units: what the text formatter prints after the number.
        lists: the titles whose values are lists, which answers give as "" when they are empty.
    """

    layout: Layout
    kind: str
    titles: tuple[str, ...]
    heading: str = ""
    fixed_heading: str = ""
    since: Mapping[str, Release] = field(default_factory=dict)
    until: Mapping[str, Release] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()

    @property
    def only_in_heading(self) -> str:
        """The title that the text formatter shows in the heading alone; "" if there is none."""
        return "" if self.heading in self.titles else self.heading


@dataclass(frozen=True, slots=True)
class Output:
    """What one command prints on one host.

    Attributes:
        command: without the program, for example "storage core device list".
        options: in the order in which the command line has them: long name and value, for example ("--module", "lpfc"); the value of a flag
            is "".
    """

    command: str
    form: Form
    records: list[Record]
    version: str
    options: tuple[tuple[str, str], ...] = ()

    @property
    def line(self) -> str:
        """The command with its options, for example "system module parameters list --module=lpfc"."""
        return " ".join([self.command, *(f"{name}={value}" if value else name for name, value in self.options)])


def plain(title: str) -> str:
    """A title as the other formatters have it: letters and digits alone ("EmulatedDIXDIFEnabled")."""
    return "".join(letter for letter in title if letter.isalnum())


def release_of(version: str) -> Release:
    """The numbers of a release, for example (8, 0, 2)."""
    return tuple(int(part) for part in version.split("."))


def records_of(form: Form, rows: Iterable[Mapping[str, object]], version: str) -> list[Record]:
    """The records of a release; a row names its fields by title or by plain name, and a field that it lacks is not printed."""
    release = release_of(version)
    titles = [
        title
        for title in ((form.heading, *form.titles) if form.only_in_heading else form.titles)
        if form.since.get(title, ()) <= release and not form.until.get(title, (99,)) <= release
    ]
    built = []
    for row in rows:
        named = {plain(name): value for name, value in row.items()}
        built.append({title: _value(form, title, named[plain(title)]) for title in titles if plain(title) in named})
    return built


def _value(form: Form, title: str, value: object) -> Value:
    if title in form.lists and not isinstance(value, list):
        return [str(value)] if value else []
    if isinstance(value, (bool, int, str, list)):
        return value
    raise TypeError(f"{title} is a {type(value).__name__}")
