"""Workbooks as a spreadsheet writes them, of rows that a test has typed."""

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from io import BytesIO
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

Cell = str | int | float | bool | None
Sheets = Mapping[str, Sequence[Sequence[Cell]]]

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def workbook(sheets: Sheets, **parts: str) -> bytes:
    """A workbook with these sheets.

    Args:
        sheets: rows by the name of the sheet; texts are shared strings.
        parts: texts in the place of parts, by their names without folder and ending.
    """
    strings: dict[str, int] = {}
    pages = {f"sheet{number}": _page(rows, strings) for number, rows in enumerate(sheets.values(), 1)}
    listed = "".join(f'<sheet name={quoteattr(name)} sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(sheets, 1))
    related = "".join(
        f'<Relationship Id="rId{n}" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n, _ in enumerate(sheets, 1)
    )
    texts = "".join(f'<si><t xml:space="preserve">{escape(text)}</t></si>' for text in strings)
    made = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{related}</Relationships>',
        "xl/sharedStrings.xml": f'<sst xmlns="{_MAIN}">{texts}</sst>',
        **{f"xl/worksheets/{name}.xml": page for name, page in pages.items()},
    }
    made |= {name: parts[stem] for name in made if (stem := Path(name).stem) in parts}
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in made.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>{text}')
    return file.getvalue()


def page(rows: str) -> str:
    """The XML of a sheet with these rows."""
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'


def _page(rows: Sequence[Sequence[Cell]], strings: dict[str, int]) -> str:
    return page(
        "".join(
            f'<row r="{number}">{"".join(_cell(place, number, cell, strings) for place, cell in enumerate(row))}</row>'
            for number, row in enumerate(rows, 1)
        )
    )


def _cell(place: int, number: int, cell: Cell, strings: dict[str, int]) -> str:
    where = f"{_letters(place)}{number}"
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return f'<c r="{where}" t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, str):
        return f'<c r="{where}" t="s"><v>{strings.setdefault(cell, len(strings))}</v></c>'
    return f'<c r="{where}"><v>{cell}</v></c>'


def _letters(place: int) -> str:
    return (chr(ord("A") + place // 26 - 1) if place >= 26 else "") + chr(ord("A") + place % 26)


def rows(titles: str, *lines: Iterable[Cell]) -> list[list[Cell]]:
    """A sheet of these titles, which commas separate, and lines."""
    return [[title.strip() for title in titles.split(",")], *(list(line) for line in lines)]


def csv_text(sheet: Sequence[Sequence[Cell]], delimiter: str = ",") -> str:
    """A sheet as a CSV file has it."""
    return "".join(delimiter.join("" if cell is None else f'"{cell}"' for cell in row) + "\r\n" for row in sheet)


def serial(moment: datetime) -> float:
    """A moment as the number of a day in a workbook."""
    return (moment.replace(tzinfo=None) - datetime(1899, 12, 30)).total_seconds() / 86_400  # noqa: DTZ001  a workbook knows no zone
