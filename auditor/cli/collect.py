"""`auditor collect`: read a fleet and judge nothing."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated

import typer

from auditor.cli import options
from auditor.cli.option_groups import HistoryOptions, WorkersOptions, with_groups
from auditor.cli.terminal import progress
from auditor.errors import CRASHED


@with_groups
def collect(
    *,
    fleet: options.RequiredFleet,
    out: options.Out,
    endpoint: options.Endpoints = None,
    transport: options.Transport = None,
    history_options: HistoryOptions,
    workers_options: WorkersOptions,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 2 if something could not be read.")] = False,
) -> int:
    """Read a fleet into a snapshot and judge nothing; what could not be read is listed on standard error.

    Example: auditor collect --fleet fleet.yaml --out snapshot-monday

    Example: auditor collect --fleet fleet.yaml --endpoint 'vc-*' --out snapshot-vcenters

    Example: auditor collect --fleet fleet.yaml --history 24h --out snapshot-monday

    Example: auditor collect --fleet fleet.yaml --workers scheduler.example.net:8786 --out s3://audits/site-a/monday

    Exit codes: 0 the snapshot was written, with or without gaps; 2 with --strict: there are gaps; 3 usage or configuration error.
    """
    from auditor.audit import collect as run_collect
    from auditor.pipeline.request import AuditRequest
    from auditor.report.wording import neutral

    request = AuditRequest(
        fleet=fleet,
        endpoints=endpoint or (),
        transport=transport,
        history=history_options.span(),
        workers=workers_options.workers,
        workers_certificates=workers_options.workers_certificates,
    )
    with progress() as shown:
        snapshot = run_collect(replace(request, progress=shown), out)
    for gap in snapshot.gaps:
        print(neutral(f"gap: {gap.endpoint}: {gap.what}: {gap.why}"), file=sys.stderr)
    read = sum(not reading.left_out for reading in snapshot.readings)
    print(f"{out}: {snapshot.hosts} hosts, {read} endpoints, {len(snapshot.gaps)} gaps")
    if any(reading.bug is not None for reading in snapshot.readings):
        return CRASHED
    return 2 if strict and snapshot.gaps else 0
