"""A sheet in a CSV file: with commas, semicolons or tabs, in UTF-8 or UTF-16."""

from __future__ import annotations

import csv
from io import StringIO
from typing import TYPE_CHECKING

from auditor.endpoints.files.outputs.decoding import text_of
from auditor.endpoints.files.rvtools.sheets import Sheet, SheetReader, kind_of, named_sheet, title_of
from auditor.endpoints.files.streams import BrokenError

if TYPE_CHECKING:
    from auditor.endpoints.files.streams import Budget

_PREFIX = "rvtools_tab"
"""What RVTools' own files are called: any other name, such as vswitch.txt, says nothing."""
_TITLES_BYTES = 1 << 16
"""Where the line of titles ends at the latest."""


def sheet_in(data: bytes, name: str, budget: Budget) -> Sheet | None:
    """The sheet in a CSV file; None where neither its titles nor its name are RVTools'.

    Raises:
        BrokenError: it is no CSV to the end.
        SpentError: it is more than is kept.
    """
    delimiter = _delimiter(text_of(data[:_TITLES_BYTES]), name)
    if not delimiter and not (name.lower().startswith(_PREFIX) and named_sheet(name)):
        return None
    reader = SheetReader(name, budget)
    try:
        for row in csv.reader(StringIO(text_of(data), newline=""), delimiter=delimiter or ","):
            reader.add(dict(enumerate(row)))
            if not reader.wants_more():
                break
    except csv.Error as error:
        raise BrokenError(f"it is no CSV to the end: {error}") from None
    return reader.sheet()


def _delimiter(head: str, name: str) -> str:
    """What stands between the titles, where they are those of a sheet; "" where they are none."""
    line = head.lstrip().partition("\n")[0]
    for delimiter in ",;\t":
        titles = next(csv.reader([line], delimiter=delimiter), [])
        if kind_of(frozenset(map(title_of, titles)), name):
            return delimiter
    return ""
