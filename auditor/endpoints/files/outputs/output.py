"""What one command printed: its records, and whether they are all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.esxcli_records import Table, plain_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from auditor.endpoints.vcenter.esxcli_records import Cell

NOTHING = "The command printed nothing."
"""The problem of an output without text: of a list without entries, or of a command that failed."""
_MOST_PROBLEMS = 20
_MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Output:
    """What one command printed.

    Attributes:
        command: without program, options and formatter ("storage core device list"); "" where nothing says which command it was.
        arguments: by their long names where these are known; flags have "".
        table: field names as printed; compare them by `plain_name`. Values have no padding. None: the record has no such field.
        host: the name in the prompt; None where there was no prompt with one.
        problems: sentences on what could not be read.
        whole: False where the text was cut or filtered, is an error or empty, or a part was not understood: absence of a record proves
            nothing then.
    """

    command: str
    arguments: Mapping[str, str]
    table: Table
    host: str | None
    problems: tuple[str, ...]
    whole: bool


@dataclass(slots=True)
class Found:
    """The records of one text while it is read: each maps field names to cells.

    Attributes:
        names: of the text's own header, where it has one.
        omits_empty_lists: a field that is a list without items has no place in this form.
    """

    records: list[dict[str, Cell]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    whole: bool = True
    names: Sequence[str] = ()
    omits_empty_lists: bool = False
    _more: int = 0

    def doubt(self, problem: str) -> None:
        """Note something for which the records may not be all."""
        self.whole = False
        self.note(problem)

    def note(self, problem: str) -> None:
        """Note something that is wrong with the text, up to a number of such sentences."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)
        else:
            self._more += 1

    def sentences(self) -> tuple[str, ...]:
        """The problems, with a last sentence for those that were not kept."""
        return (*self.problems, f"There are {self._more} more such problems.") if self._more else tuple(self.problems)

    def table(self) -> Table:
        """The records as a table; names that differ in blanks or capitals alone are one."""
        names: dict[str, str] = {}
        for name in (*self.names, *(name for record in self.records for name in record)):
            names.setdefault(plain_name(name) or name, name)
        rows = [{plain_name(name) or name: cell for name, cell in record.items()} for record in self.records]
        return Table(tuple(names.values()), [tuple(row.get(plain) for plain in names) for row in rows])


def shown(line: str) -> str:
    """A line of the text as a problem quotes it."""
    text = line.strip()
    return repr(text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "...")


def cell_of(texts: Iterable[str]) -> Cell:
    """A list as a live answer has it: no text is an empty one, one is itself, several are a tuple."""
    several = tuple(text.strip() for text in texts)
    return several if len(several) > 1 else several[0] if several else ""
