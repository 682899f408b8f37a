"""`auditor inventory`: the fleet as a workbook, as CSV or as JSON."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.moment import MomentOptions
from auditor.cli.option_groups import with_groups
from auditor.cli.paths import possible_paths
from auditor.errors import CRASHED

if TYPE_CHECKING:
    from auditor.report.inventory.contents import Contents


class Form(StrEnum):
    """How the inventory is written."""

    XLSX = "xlsx"
    CSV = "csv"
    JSON = "json"


@with_groups
def inventory(
    *,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="FILE|DIR", callback=possible_paths, help="NAME.xlsx, NAME.json, or a folder of CSV files."),
    ],
    form: Annotated[
        Form | None, typer.Option("--format", help="xlsx, csv or json. [default: as --out ends, else csv]", show_default=False)
    ] = None,
    moment: MomentOptions,
) -> int:
    """Write hosts, adapters, devices, paths, datastores, disks and array volumes as sheets; of the last run unless told otherwise.

    Example: auditor inventory --out fleet.xlsx

    Example: auditor inventory --fleet fleet.yaml --out fleet.xlsx

    Example: auditor inventory --from bundles --out inventory-csv

    Exit codes: 0 it was written, with or without gaps; 3 usage or configuration error.
    """
    from auditor.inspect.inventory import inventory_of
    from auditor.report.files import ready_file, ready_folder
    from auditor.report.inventory.sheet import needed
    from auditor.report.inventory.sheets import SHEETS

    chosen = form or {".xlsx": Form.XLSX, ".json": Form.JSON}.get(out.suffix.lower(), Form.CSV)
    out = ready_folder(out.expanduser()) if chosen is Form.CSV else ready_file(out.expanduser())
    if chosen is Form.XLSX:
        from auditor.bounds.extras import require_extra

        require_extra("inventory", "a workbook")
    with (
        moment.facts(lambda: needed(SHEETS), ": the sheet Gaps") as facts,
        inventory_of(facts.place, facts.scratch / "spilled") as contents,
    ):
        _write(contents, chosen, out, facts.scratch)
    print(f"wrote {out}", file=sys.stderr)
    return CRASHED if facts.crashed else 0


def _write(contents: Contents, form: Form, out: Path, scratch: Path) -> None:
    if form is Form.XLSX:
        from auditor.report.files import made_whole
        from auditor.report.inventory.workbook import write_workbook

        with made_whole(out) as file:
            write_workbook(contents, file, scratch)
        return
    from auditor.report.inventory.text_forms import write_document, write_folder

    (write_document if form is Form.JSON else write_folder)(contents, out)
