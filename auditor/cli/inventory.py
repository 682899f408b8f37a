"""`auditor inventory`: the fleet as a workbook, as CSV or as JSON."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.cli.evidence import files_of, with_files
from auditor.cli.option_groups import WorkersOptions, with_groups
from auditor.cli.paths import possible_paths
from auditor.cli.query import saved_place
from auditor.cli.terminal import progress
from auditor.errors import CRASHED, ConfigurationError

if TYPE_CHECKING:
    from auditor.fleet.loading import Fleet
    from auditor.model import BulkTransport
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
    run: options.Run = None,
    snapshot: options.Snapshots = None,
    fleet: options.Fleet = None,
    endpoint: options.Endpoints = None,
    cluster_of: options.ClusterOf = None,
    transport: options.Transport = None,
    workers_options: WorkersOptions,
    state_dir: options.StateDir = None,
) -> int:
    """Write hosts, adapters, devices, paths, datastores, disks and array volumes as sheets; of the last run unless told otherwise.

    Example: auditor inventory --out fleet.xlsx

    Example: auditor inventory --fleet fleet.yaml --out fleet.xlsx

    Example: auditor inventory --from bundles --out inventory-csv

    Exit codes: 0 it was written, with or without gaps; 3 usage or configuration error.
    """
    from auditor.inspect.inventory import inventory_of
    from auditor.report.files import ready_file, ready_folder

    chosen = form or {".xlsx": Form.XLSX, ".json": Form.JSON}.get(out.suffix.lower(), Form.CSV)
    out = ready_folder(out.expanduser()) if chosen is Form.CSV else ready_file(out.expanduser())
    if chosen is Form.XLSX:
        from auditor.bounds.extras import require_extra

        require_extra("inventory", "a workbook")
    files = files_of(snapshot or ())
    if run is not None and (fleet is not None or files):
        raise ConfigurationError(
            "--run cannot go with --fleet or files", why="nothing was read: these are two moments.", do="leave one out."
        )
    if snapshot and not files and fleet is not None:
        raise ConfigurationError(
            "--from a snapshot cannot go with --fleet", why="nothing was read: these are two moments.", do="leave one out."
        )
    read = with_files(fleet, files, None, cluster_of)
    if read is None and (endpoint or transport or workers_options.workers):
        raise ConfigurationError(
            "--endpoint, --transport and --workers go with --fleet",
            why="nothing was written: a kept run or a snapshot is taken as it is.",
            do="name the fleet to read, or leave them out.",
        )
    with tempfile.TemporaryDirectory(prefix="auditor-inventory-", ignore_cleanup_errors=True) as folder:
        crashed = False
        place = Path(folder) / "snapshot"
        if read is not None:
            crashed = _read(read, place, endpoint, transport, workers_options)
        else:
            place, _ = saved_place(run, snapshot, state_dir)
        with inventory_of(place, Path(folder) / "spilled") as contents:
            _write(contents, chosen, out, Path(folder))
    print(f"wrote {out}", file=sys.stderr)
    return CRASHED if crashed else 0


def _two_moments(what: str) -> ConfigurationError:
    return ConfigurationError(what, why="nothing was read: these are two moments.", do="leave one out.")


def _read(fleet: Fleet | Path, place: Path, endpoints: list[str] | None, transport: BulkTransport | None, workers: WorkersOptions) -> bool:
    """Read what the sheets show into a snapshot; whether the reading of an endpoint ended in a bug of auditor."""
    from auditor.audit import collect
    from auditor.pipeline.request import AuditRequest
    from auditor.report.inventory.sheet import needed
    from auditor.report.inventory.sheets import SHEETS

    request = AuditRequest(
        fleet=fleet,
        endpoints=endpoints or (),
        transport=transport,
        workers=workers.workers,
        workers_certificates=workers.workers_certificates,
    )
    with progress() as shown:
        read = collect(replace(request, progress=shown), place, needed(SHEETS))
    if read.gaps:
        print(f"note: {len(read.gaps):,} things could not be read: the sheet Gaps", file=sys.stderr)
    return any(reading.bug is not None for reading in read.readings)


def _write(contents: Contents, form: Form, out: Path, scratch: Path) -> None:
    if form is Form.XLSX:
        from auditor.report.files import made_whole
        from auditor.report.inventory.workbook import write_workbook

        with made_whole(out) as file:
            write_workbook(contents, file, scratch)
        return
    from auditor.report.inventory.text_forms import write_document, write_folder

    (write_document if form is Form.JSON else write_folder)(contents, out)
