"""Writes the inventory as a workbook for spreadsheets.

A row is on disk once the next one begins (XlsxWriter's `constant_memory`), so that a hundred thousand hosts take no more memory than ten.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auditor.report.wording import neutral

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from auditor.report.inventory.contents import Contents
    from auditor.report.inventory.sheet import Sheet

ROWS_A_SHEET = 1_048_576
"""With the header. Source: Microsoft, "Excel specifications and limits"."""
LETTERS_A_CELL = 32_767
"""Source: as `ROWS_A_SHEET`."""
_EXACT_IN_A_DOUBLE = 2**53
_BEGIN_A_FORMULA = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")


def write_workbook(contents: Contents, path: Path, scratch: Path, rows_a_sheet: int = ROWS_A_SHEET) -> None:
    """Write each sheet of `contents`: the header stays in view and has filters, numbers are numbers, and every text stays a text.

    A sheet with more rows than a workbook allows goes on in a sheet of that name with a number.

    Args:
        contents: read once, sheet after sheet.
        path: the file that is made.
        scratch: a folder for what is not in the file yet.
        rows_a_sheet: the most rows of one sheet, with its header.

    Raises:
        OSError: the file cannot be written.
    """
    import xlsxwriter
    from xlsxwriter.exceptions import FileCreateError

    # No text becomes a link, a number or a formula; the first 65,530 links of a sheet would be all that a workbook may have.
    options = {"constant_memory": True, "tmpdir": str(scratch), "remove_timezone": True, "nan_inf_to_errors": False}
    book = xlsxwriter.Workbook(
        str(path), {**options, **dict.fromkeys(("strings_to_formulas", "strings_to_urls", "strings_to_numbers"), False)}
    )
    writer = _Writer(book)
    about = book.add_worksheet("About")
    counts: list[tuple[str, int, str]] = []
    for sheet, rows in contents.sheets:
        counts.append((sheet.name, _write_sheet(writer, sheet, rows, rows_a_sheet), sheet.what))
    writer.header(about, ("What", "Value", "Note"))
    for number, line in enumerate((*contents.about, *((name, count, what) for name, count, what in counts)), 1):
        writer.row(about, number, line)
    about.set_column(0, 0, 28)
    about.set_column(1, 1, 44)
    about.set_column(2, 2, 100)
    try:
        book.close()
    except FileCreateError as error:
        raise OSError(*error.args) from error


def _write_sheet(writer: _Writer, sheet: Sheet, rows: Any, most: int) -> int:
    """Write the rows of one sheet, on as many as they take; how many there are."""
    total, number, current = 0, 0, None
    for row in rows:
        if current is None or number + 1 >= most:
            writer.ended(current, number, len(sheet.headers))
            current, number = writer.begun(sheet, total // (most - 1) + 1), 0
        number += 1
        total += 1
        writer.row(current, number, row)
    writer.ended(current or writer.begun(sheet, 1), number, len(sheet.headers))
    return total


class _Writer:
    """Writes rows into the sheets of one workbook."""

    def __init__(self, book: Any) -> None:
        self._book = book
        self._bold = book.add_format({"bold": True, "bottom": 1})
        self._quoted = book.add_format({"quote_prefix": True})  # it stays a text also where somebody edits the cell
        self._moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})

    def begun(self, sheet: Sheet, part: int) -> Any:
        """A new worksheet with the header of `sheet`."""
        made = self._book.add_worksheet(sheet.name if part == 1 else f"{sheet.name} {part}")
        self.header(made, sheet.headers)
        for at, header in enumerate(sheet.headers):
            made.set_column(at, at, 60 if header == "Note" else max(14, len(header) + 4))
        return made

    def header(self, worksheet: Any, headers: Sequence[str]) -> None:
        """The first row, which stays in view."""
        for at, header in enumerate(headers):
            worksheet.write_string(0, at, header, self._bold)
        worksheet.freeze_panes(1, 0)

    def ended(self, worksheet: Any, rows: int, columns: int) -> None:
        """Give the columns of a worksheet their filters."""
        if worksheet is not None:
            worksheet.autofilter(0, 0, rows, columns - 1)

    def row(self, worksheet: Any, number: int, row: Sequence[Any]) -> None:
        """Write the cells of a row; None stays an empty cell."""
        for at, value in enumerate(row):
            if value is not None:
                self._cell(worksheet, number, at, value)

    def _cell(self, worksheet: Any, row: int, at: int, value: Any) -> None:
        if isinstance(value, bool):
            worksheet.write_boolean(row, at, value)
        elif isinstance(value, int | float) and math.isfinite(value) and abs(value) < _EXACT_IN_A_DOUBLE:
            worksheet.write_number(row, at, value)
        elif isinstance(value, datetime):
            worksheet.write_datetime(row, at, value.astimezone(UTC).replace(tzinfo=None, microsecond=0), self._moment)
        else:
            text = neutral(str(value))
            cut = text if len(text) <= LETTERS_A_CELL else f"{text[: LETTERS_A_CELL - 1]}…"
            worksheet.write_string(row, at, cut, self._quoted if cut.lstrip().startswith(_BEGIN_A_FORMULA) else None)
