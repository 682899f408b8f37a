"""`auditor collect`: read a fleet and judge nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options
from auditor.cli.terminal import progress
from auditor.errors import CRASHED


def collect(
    fleet: options.RequiredFleet,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the snapshot goes; must not hold one already.")],
    transport: options.Transport = None,
    strict: Annotated[bool, typer.Option("--strict", help="End with exit code 2 where something could not be read.")] = False,
) -> int:
    """Read a fleet into a snapshot and judge nothing; what could not be read is listed on standard error.

    Example: auditor collect --fleet fleet.yaml --out snapshot-monday

    Exit codes: 0 the snapshot was written, whatever gaps it has; 2 with --strict: there are gaps; 3 usage or configuration error.
    """
    from auditor.audit import collect as run_collect
    from auditor.report.wording import neutral
    from auditor.request import AuditRequest

    with progress() as shown:
        snapshot = run_collect(AuditRequest(fleet=fleet, transport=transport, progress=shown), out)
    for gap in snapshot.gaps:
        print(neutral(f"gap: {gap.endpoint}: {gap.what}: {gap.why}"), file=sys.stderr)
    print(f"{out}: {snapshot.hosts} hosts, {len(snapshot.readings)} endpoints, {len(snapshot.gaps)} gaps")
    if any(reading.bug is not None for reading in snapshot.readings):
        return CRASHED
    return 2 if strict and snapshot.gaps else 0
