"""`auditor plan`: audit, and keep what would be changed in a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options
from auditor.cli.terminal import progress, warn
from auditor.errors import ConfigurationError
from auditor.model import FixClass
from auditor.report.command_script import CommandLanguage, script_text


@options.with_groups
def plan(
    *,
    fleet: options.RequiredFleet,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Where the plan goes, or the script of --as; - is stdout. [default: the run's folder; of --as: stdout]",
            show_default=False,
        ),
    ] = None,
    commands: Annotated[
        CommandLanguage | None,
        typer.Option("--as", help="Print the changes as commands for a person: a script of esxcli, or of PowerCLI.", show_default=False),
    ] = None,
    privileges: Annotated[
        bool,
        typer.Option("--privileges", help="Print, as JSON, the roles that the plan needs and those of the audit, instead of the plan."),
    ] = False,
    rule_options: options.RuleOptions,
    exit_options: options.ExitOptions,
    transport: options.Transport = None,
    incremental_options: options.IncrementalOptions,
    retry_put_back: options.RetryPutBack = False,
    waivers: options.Waivers = None,
    state_dir: options.LocalStateDir = None,
) -> int:
    """Audit a fleet and keep what would be changed in a file that `auditor apply` makes; nothing is changed.

    The file is JSON for people and programs: every change with its object, from, to, reason, rules, class, and what it waits for. It is
    under a digest: a file that was changed is refused.

    Example: auditor plan --fleet fleet.yaml --out plan.json

    Example: auditor plan --fleet fleet.yaml --only sioc/overlap-array-qos --out -

    Example: auditor plan --fleet fleet.yaml --as esxcli --out changes.sh

    Example: auditor plan --fleet fleet.yaml --privileges | jq -r '.vcenters[].fix.govc'

    Exit codes: 0 all holds, 1 drift, 2 not everything could be judged, 3 usage or rule error, 5 a waiver is malformed.
    """
    from auditor.apply.held_back import held_back
    from auditor.apply.order import stages
    from auditor.audit import audit, plan_roles, plan_text
    from auditor.audit import plan as make_plan
    from auditor.history.plan_file import PLAN_FILE, plan_digest
    from auditor.pipeline.request import AuditRequest, FixLimits
    from auditor.report.files import written_whole
    from auditor.report.terminal.plan import write_plan

    if privileges and commands is not None:
        raise ConfigurationError("--as and --privileges print two different things", why="nothing was read.", do="give one of them.")
    if out is not None and out != "-":
        options.file_to_write(Path(out))
    with progress() as shown:
        request = AuditRequest(
            fleet=fleet,
            **rule_options.arguments(),
            waivers=waivers,
            incremental=incremental_options.incremental(),
            transport=transport,
            state=state_dir,
            fix=FixLimits(retry_put_back=retry_put_back),
            progress=shown,
            warn=warn,
        )
        audited = audit(request)
        file = make_plan(audited)
    for gap in audited.gaps:
        warn(f"not read: {gap.endpoint}: {gap.what}: {gap.why}")
    if privileges:
        print(json.dumps(plan_roles(audited), indent=2))
        return audited.exit_code(exit_options.fail_on, exit_options.min_coverage)
    held = held_back(audited.fleet, file.plan.changes) if audited.fleet is not None else ()
    if commands is not None:
        kinds = {endpoint.name: endpoint.kind for endpoint in audited.fleet.endpoints} if audited.fleet is not None else {}
        origin = (f"Plan {audited.directory / PLAN_FILE}", f"of run {file.run}; {plan_digest(file)}")
        script = script_text(file.plan, stages(file.plan.changes), commands, kinds, origin, held)
        if out is None or out == "-":
            sys.stdout.write(script)
        else:
            with written_whole(Path(out)) as stream:
                stream.write(script)
            print(f"Read {out}, then run it; nothing was changed.")
        return audited.exit_code(exit_options.fail_on, exit_options.min_coverage)
    place = audited.directory / PLAN_FILE if out is None else Path(out)
    people = sys.stderr if out == "-" else sys.stdout
    if out == "-":
        sys.stdout.write(plan_text(file))
    elif out is not None:
        with written_whole(place) as stream:
            stream.write(plan_text(file))
    write_plan(file.plan, tuple(FixClass), people, held)
    if out != "-":
        print(f"\nRun {file.run}; {plan_digest(file)}", file=people)
        print(f"auditor apply {place} --fleet {fleet} makes it, as far as --allow says.", file=people)
    return audited.exit_code(exit_options.fail_on, exit_options.min_coverage)
