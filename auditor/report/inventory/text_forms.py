"""Writes the inventory for programs: a folder with a CSV file for each sheet, or one JSON document."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from auditor.report.files import written_whole
from auditor.report.terminal.query_rows import write_rows
from auditor.text.steering import without_steering

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from auditor.report.inventory.contents import Contents
    from auditor.report.inventory.sheet import Sheet


def file_of(sheet: Sheet) -> str:
    """The name of the CSV file of a sheet."""
    return f"{sheet.name.lower().replace(' ', '-')}.csv"


def write_folder(contents: Contents, folder: Path) -> None:
    """Write a CSV file for each sheet into `folder`, which is made; each appears whole or not at all.

    A text that a spreadsheet would take for a formula has an apostrophe before it, as CSV knows no types.

    Raises:
        ConfigurationError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _csv(folder / "about.csv", ("What", "Value", "Note"), contents.about)
    for sheet, rows in contents.sheets:
        _csv(folder / file_of(sheet), sheet.headers, rows)


def _csv(path: Path, headers: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    with written_whole(path) as out:
        write_rows([(header, "VARCHAR") for header in headers], rows, out, form="csv", width=None)


def write_document(contents: Contents, path: Path) -> None:
    """Write one JSON object: `about`, and under `sheets` a list of objects for each sheet, by its name; null: not known, or none (`note`).

    Raises:
        ConfigurationError: the file cannot be written.
    """
    with written_whole(path) as out:
        about = {what: {"value": _value(value), "note": note} for what, value, note in contents.about}
        out.write(f'{{"about": {_json(about)},\n"sheets": {{')
        for at, (sheet, rows) in enumerate(contents.sheets):
            out.write(f"{',' if at else ''}\n{_json(sheet.name)}: [")
            for number, row in enumerate(rows):
                cells = {key: _value(value) for key, value in zip(sheet.keys, row, strict=True)}
                out.write(f"{',' if number else ''}\n{_json(cells)}")
            out.write("]")
        out.write("}}\n")


def _json(value: str | Mapping[str, Any]) -> str:
    return without_steering(json.dumps(value, ensure_ascii=False))


def _value(value: Any) -> Any:
    """A value as JSON has it: times in ISO 8601, and numbers that JSON does not have as texts."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
