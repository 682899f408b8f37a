"""Writes the rows of a query as a table, CSV or JSON, row by row as they arrive."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, TextIO

from auditor.report.wording import neutral, shortened
from auditor.text.steering import without_steering

_MEASURED_ROWS = 500
"""The first rows of a table decide how wide its columns are."""
_LEAST_COLUMN = 8
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
        width: the longest line of a table in characters; None: no limit.

    Returns:
        A sentence about what was cut to fit into the width; "" when nothing was.
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
    widths = wanted if width is None else _fitted(wanted, width)
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
    return _cut_text(cut, names[len(widths) :])


def _cells(row: tuple[Any, ...]) -> list[str]:
    return [neutral(_text(value)) for value in row]


def _fitted(wanted: Sequence[int], width: int) -> list[int]:
    """The widths of as many columns as fit; the widest shrink first."""
    widths = list(wanted)
    while len(widths) > 1 and sum(min(one, _LEAST_COLUMN) for one in widths) + len(_GAP) * (len(widths) - 1) > width:
        widths.pop()
    room = width - len(_GAP) * (len(widths) - 1)
    while sum(widths) > room and max(widths) > 1:
        widest = max(widths)
        at = widths.index(widest)
        second = max([one for one in widths if one < widest], default=1)
        widths[at] = max(second, widest - (sum(widths) - room)) if widths.count(widest) == 1 else widest - 1
    return widths


def _cut_text(cut: int, left_out: Sequence[str]) -> str:
    parts = [f"{cut:,} cells are shortened, where … stands"] if cut else []
    if left_out:
        parts.append(f"{len(left_out)} columns are not shown ({', '.join(left_out)})")
    return f"{' and '.join(parts)}; --format csv or json has all of it" if parts else ""


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
