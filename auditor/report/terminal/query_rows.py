"""Writes the rows of a query as a table, as a paragraph each, as CSV or JSON, row by row as they arrive."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count, islice
from typing import Any, TextIO

from auditor.report.wording import neutral, shortened
from auditor.text.steering import without_steering

_MEASURED_ROWS = 500
"""The first rows of a table decide how wide its columns are."""
_GAP = "  "

Columns = Sequence[tuple[str, str]]
Rows = Iterable[tuple[Any, ...]]


def write_rows(columns: Columns, rows: Rows, out: TextIO, *, form: str, width: int | None) -> str:
    """Write `rows` as `form`: table, csv or json.

    Args:
        columns: name and DuckDB type of each column.
        rows: written one by one as they arrive.
        out: where to write.
        form: table, csv or json.
        width: the longest line in characters; a table that is wider is written as a paragraph for each row. None: no limit.

    Returns:
        A sentence about what was cut, as one of many rows was wider than the first; "" when nothing was.
    """
    if form == "csv":
        _write_csv(columns, rows, out)
    elif form == "json":
        _write_json(columns, rows, out)
    else:
        return _write_table(columns, rows, out, width)
    return ""


_BEGIN_A_FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
"""The last four are full-width: spreadsheets of some languages take them for the others. Source: OWASP, "CSV Injection"."""


def _write_csv(columns: Columns, rows: Rows, out: TextIO) -> None:
    """Write CSV as in RFC 4180 except for the line ends; NULL is an empty cell, an empty text is "".

    Names come from everybody who may name a datastore: control characters become escapes, and a text that a spreadsheet would take
    for a formula has an apostrophe before it. Source: OWASP, "CSV Injection".
    """
    csv.writer(out, lineterminator="\n").writerow([_csv_cell(name) for name, _ in columns])
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_NOTNULL if hasattr(csv, "QUOTE_NOTNULL") else csv.QUOTE_MINIMAL)
    for row in rows:
        writer.writerow([value if value is None else _csv_cell(_plain(value)) for value in row])


def _csv_cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = neutral(value)
    return f"'{text}" if text.lstrip().startswith(_BEGIN_A_FORMULA) else text


def _write_json(columns: Columns, rows: Rows, out: TextIO) -> None:
    """Write one array with an object a line; columns with equal names are numbered from the second on."""
    names = _own_names([name for name, _ in columns])
    before = "["
    for row in rows:
        cells = {name: _json_value(value) for name, value in zip(names, row, strict=True)}
        out.write(f"{before}\n{without_steering(json.dumps(cells, ensure_ascii=False, default=str))}")
        before = ","
    out.write("[]\n" if before == "[" else "\n]\n")


def _write_table(columns: Columns, rows: Rows, out: TextIO, width: int | None) -> str:
    coming = iter(rows)
    first = [_cells(row) for row in islice(coming, _MEASURED_ROWS)]
    names = [neutral(name) for name, _ in columns]
    wanted = [max([len(name), *(len(row[at]) for row in first)]) for at, name in enumerate(names)]
    if width is not None and sum(wanted) + len(_GAP) * (len(wanted) - 1) > width:
        _write_paragraphs(names, chain(first, map(_cells, coming)), out, width)
        return ""
    widths = wanted
    right = [kind.startswith(("BIGINT", "INTEGER", "DOUBLE", "HUGEINT", "DECIMAL", "UBIGINT", "FLOAT")) for _, kind in columns]
    cut = 0

    def line(cells: Sequence[str]) -> str:
        nonlocal cut
        shown = []
        for at, size in enumerate(widths):
            text = cells[at] if width is None else shortened(cells[at], size)
            cut += text != cells[at]
            shown.append(text.rjust(size) if right[at] else text.ljust(size))
        return _GAP.join(shown).rstrip()

    out.write(f"{line(names)}\n{_GAP.join('-' * size for size in widths)}\n")
    out.writelines(f"{line(cells)}\n" for cells in chain(first, map(_cells, coming)))
    return f"{cut:,} cells are shortened, where … stands; --format csv or json has all of it" if cut else ""


def _write_paragraphs(names: Sequence[str], rows: Iterable[Sequence[str]], out: TextIO, width: int) -> None:
    """Write each row as lines of name and value, as a terminal is too narrow for a table; long values go on in the next line."""
    most = min(max(map(len, names)), width // 2)
    for number, row in zip(count(1), rows, strict=False):
        out.write(f"{'-' * 3} {number} {'-' * max(0, min(width, 40) - len(str(number)) - 5)}\n")
        for name, value in zip(names, row, strict=True):
            begin = f"{name:<{most}}{_GAP}"
            room = max(1, width - len(begin)) if len(begin) <= width // 2 + len(_GAP) else 0
            if not room:  # a name that takes most of the line stands on lines of its own
                out.writelines(f"{part}\n" for part in _parts(name, width))
                begin, room = _GAP, max(1, width - len(_GAP))
            for part in _parts(value, room):
                out.write(f"{begin}{part}".rstrip() + "\n")
                begin = " " * len(begin)


def _parts(text: str, room: int) -> list[str]:
    """A text in pieces of at most `room` characters; nothing of it is left out."""
    return [text[at : at + room] for at in range(0, len(text), room)] or [""]


def _cells(row: tuple[Any, ...]) -> list[str]:
    return [neutral(_text(value)) for value in row]


def _own_names(names: Sequence[str]) -> list[str]:
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return result


def _text(value: Any) -> str:
    return "NULL" if value is None else str(_plain(value))


def _plain(value: Any) -> Any:
    """A value for a text cell: booleans as in SQL, times in ISO 8601, lists and structures as JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    isoformat: Callable[[], str] | None = getattr(value, "isoformat", None)
    return value if isoformat is None else isoformat()


def _json_value(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no NaN and no infinities
    isoformat: Callable[[], str] | None = getattr(value, "isoformat", None)
    return value if isoformat is None else isoformat()


def limited(rows: Iterator[tuple[Any, ...]], limit: int | None) -> tuple[Iterator[tuple[Any, ...]], Callable[[], bool]]:
    """The first `limit` rows, and a function that says, once these have been read, whether there are more."""
    if limit is None:
        return rows, lambda: False
    return islice(rows, limit), lambda: next(rows, None) is not None
