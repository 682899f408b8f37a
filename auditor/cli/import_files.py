"""`auditor import`: read files of hosts into a snapshot, or show what each file would give."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.cli.option_groups import with_groups
from auditor.cli.paths import possible_paths
from auditor.cli.terminal import progress
from auditor.errors import CRASHED, ConfigurationError
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.files.archives import Unreadable
    from auditor.endpoints.files.host_files import HostFiles
    from auditor.endpoints.files.hosts import FileSeen
    from auditor.endpoints.files.rvtools import Export, Sheet
    from auditor.fleet.loading import Fleet
    from auditor.store.address import Place


@with_groups
def import_(
    *,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            callback=possible_paths,
            help="Support bundles, saved outputs of esxcli, exports of RVTools, and folders of these.",
        ),
    ],
    out: options.OptionalOut = None,
    fleet: options.Fleet = None,
    cluster_of: Annotated[
        list[str] | None,
        typer.Option(
            "--cluster-of",
            "--cluster",
            metavar="NAME=GLOB",
            help="The cluster of the hosts whose name or path fits GLOB. Repeatable. [default: the folder of their files]",
        ),
    ] = None,
    max_age: Annotated[
        str | None,
        typer.Option("--max-age", metavar="AGE", help="Name the hosts whose files are older than this. [default: 30d]", show_default=False),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Show what each file would give; write no snapshot.")] = False,
) -> int:
    """Read support bundles, saved outputs and RVTools exports into a snapshot; `auditor audit --from` judges it, or the files themselves.

    Example: auditor import esx-01.tgz esx-02.tgz --out snapshot-case-4711

    Example: auditor import evidence --list

    Example: auditor import evidence --cluster-of 'prod-01=esx-prod-*' --fleet arrays.yaml --out snapshot-prod

    Exit codes: 0 the snapshot was written, with or without gaps; 3 usage or configuration error.
    """
    from auditor.fleet.evidence import fleet_with_files
    from auditor.fleet.loading import load_fleet
    from auditor.history.incremental import parse_max_age

    age = None if max_age is None else parse_max_age(max_age)
    wanted = fleet_with_files(None if fleet is None else load_fleet(fleet), paths, cluster_of or (), age)
    if listed:
        return _list(wanted)
    if out is None:
        raise ConfigurationError("import needs --out DIR", why="nothing was read.", do="name the snapshot, or list the files by --list.")
    return _import(wanted, out)


def _import(fleet: Fleet, out: Place) -> int:
    from auditor.audit import collect
    from auditor.pipeline.request import AuditRequest
    from auditor.report.wording import neutral

    with progress() as shown:
        snapshot = collect(replace(AuditRequest(fleet=fleet), progress=shown), out)
    for reading in snapshot.readings:
        for note in reading.notes:
            print(neutral(note), file=sys.stderr)
    for gap in snapshot.gaps:
        print(neutral(f"gap: {gap.what}: {gap.why}"), file=sys.stderr)
    print(f"{out}: {snapshot.hosts} hosts, {len(snapshot.gaps)} gaps")
    return CRASHED if any(reading.bug is not None for reading in snapshot.readings) else 0


def _list(fleet: Fleet) -> int:
    from auditor.endpoints.common.sessions import open_session
    from auditor.report.wording import neutral

    [endpoint] = [one for one in fleet.endpoints if one.evidence is not None]
    with open_session(endpoint) as session:
        for item in session.found():
            for line in _lines(item):
                print(neutral(line))
    return 0


def _lines(item: HostFiles | FileSeen | Export | Unreadable) -> Iterator[str]:
    """What a list says of a host, of a file, or of an export."""
    from auditor.endpoints.files.archives import Unreadable
    from auditor.endpoints.files.host_files import HostFiles
    from auditor.endpoints.files.rvtools import Export
    from auditor.endpoints.files.session import place_of

    if isinstance(item, Unreadable):
        yield f"{place_of(item)}: cannot be read: {item.why}"
    elif isinstance(item, HostFiles):
        where = f", cluster {item.cluster}" if item.cluster else ""
        yield f"host {item.name}{where}: {count_of(sum(map(len, item.outputs.values())), 'output')}, from {item.source}"
    elif isinstance(item, Export):
        of = f", of {item.taken_at:%Y-%m-%d %H:%M} UTC" if item.taken_at else ""
        yield f"RVTools export{of}: {count_of(len(item.sheets), 'sheet')} of use, from {item.source}"
    else:
        yield from (f"{item.place}: {what}" for what in _given(item))


def _given(seen: FileSeen) -> Iterator[str]:
    """What a file gives, and what is recognised in it and not used."""
    from auditor.endpoints.files.host_reader import READ

    for one in seen.outputs:
        cut = "" if one.whole else f" (not whole: {'; '.join(one.problems[:1])})"
        if one.command:
            used = "" if one.command in READ else ", not used"
            yield f"{one.command}, {count_of(len(one.table.records), 'record')}{used}{cut}"
    if seen.module_options:
        yield f"options of {count_of(len(seen.module_options), 'kernel module')}"
    if seen.machine:
        yield f"virtual machine {seen.machine.name}"
    if seen.esxtop:
        yield "samples of esxtop"
    yield from (f"guest {guest.hostname}, {count_of(len(guest.disks), 'disk')}" for guest in seen.guests)
    yield from map(_of_sheet, seen.sheets)
    if not seen.is_recognised:
        yield "not recognised"


def _of_sheet(sheet: Sheet) -> str:
    """What a sheet of RVTools gives."""
    from auditor.endpoints.files.rvtools.sheets import KINDS

    doubts = f" (not whole: {'; '.join(sheet.problems[:1])})" if sheet.problems else ""
    if not sheet.kind:
        return f"sheet {sheet.name}: not read{doubts}"
    return f"sheet {sheet.name}, {count_of(len(sheet.cells), 'row')}: {KINDS[sheet.kind].gives}{doubts}"
