"""`auditor doctor`: whether a fleet can be audited, before it is."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from auditor.cli import options
from auditor.cli.terminal import progress


def doctor(
    fleet: options.RequiredFleet,
    endpoint: Annotated[str | None, typer.Option("--endpoint", metavar="NAME", help="Check only this endpoint. [default: all]")] = None,
    rules: options.Rules = None,
    everything: Annotated[bool, typer.Option("--all", help="Also list the checks that passed. JSON always has them.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write the findings as JSON, for programs.")] = False,
    file_only: Annotated[bool, typer.Option("--file-only", help="Check the file alone: ask no endpoint, look up no password.")] = False,
) -> int:
    """Check that every endpoint of a fleet can be reached and trusted, and lets the account log in, read and fix. Writes nothing.

    It lists what needs attention; --all lists every check.

    Example: auditor doctor --fleet fleet.yaml --all

    Example: auditor doctor --fleet fleet.yaml --endpoint vc-east --json

    Example: auditor doctor --fleet fleet.yaml --file-only

    Exit codes: 0 everything would be audited (warnings do not count, nor does an account that may only read), 2 something would not be
    audited or could not be asked, 3 usage, configuration or rule error: nothing was asked.
    """
    from auditor.doctor import examine, exit_code
    from auditor.fleet.loading import load_fleet
    from auditor.pipeline.policy import load_policy
    from auditor.report.terminal.doctor import write_diagnosis, write_diagnosis_json
    from auditor.report.wording import neutral
    from auditor.text.numbers import count_of

    loaded = load_fleet(fleet)
    policy = load_policy(loaded, rules or ())  # as an audit without a baseline has it
    if file_only:
        print(f"{neutral(str(fleet))}: {count_of(len(loaded.endpoints), 'endpoint')}, no mistake found; none was asked")
        return 0
    with progress() as shown:
        diagnosis = examine(loaded, policy.rules, shown, endpoint)
    if as_json:
        write_diagnosis_json(diagnosis, sys.stdout)
    else:
        write_diagnosis(diagnosis, sys.stdout, everything=everything)
    return exit_code(diagnosis)
