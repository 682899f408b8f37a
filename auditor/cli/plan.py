"""`auditor plan`: audit, and keep what would be changed in a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.cli.evidence import files_of, with_files
from auditor.cli.option_groups import ExitOptions, IncrementalOptions, RuleOptions, with_groups
from auditor.cli.paths import file_to_write
from auditor.cli.terminal import progress, warn
from auditor.errors import ConfigurationError
from auditor.model import FixClass
from auditor.report.command_script import CommandLanguage, script_text
from auditor.system.shell import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.history.plan_file import PlanFile
    from auditor.store.address import Place


@with_groups
def plan(
    *,
    fleet: options.Fleet = None,
    files: options.FilesOfHosts = None,
    cluster_of: options.ClusterOf = None,
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
    rule_options: RuleOptions,
    exit_options: ExitOptions,
    transport: options.Transport = None,
    incremental_options: IncrementalOptions,
    retry_put_back: options.RetryPutBack = False,
    waivers: options.Waivers = None,
    state_dir: options.LocalStateDir = None,
) -> int:
    """Audit a fleet and write the changes that it needs to a file, for `auditor apply`; nothing on the fleet is changed.

    The file is JSON for people and programs: every change with its object, from, to, reason, rules, class, and what it waits for. It has a
    digest: a file that was edited is refused.

    From files of hosts (--from) a plan is commands only (--as): the files may be old, so a person compares the values and runs them.

    Example: auditor plan --fleet fleet.yaml --out plan.json

    Example: auditor plan --fleet fleet.yaml --only sioc/overlap-array-qos --out -

    Example: auditor plan --fleet fleet.yaml --as esxcli --out changes.sh

    Example: auditor plan --from bundles --fleet arrays.yaml --as esxcli --out changes.sh

    Example: auditor plan --fleet fleet.yaml --privileges | jq -r '.vcenters[].fix.govc'

    Exit codes: 0 all holds, 1 drift, 2 not everything could be judged, 3 usage or rule error, 5 a waiver is malformed.
    """
    from auditor.apply.held_back import held_back
    from auditor.apply.order import stages
    from auditor.audit import audit, keep_planned, plan_roles, plan_text
    from auditor.audit import plan as make_plan
    from auditor.history.plan_file import PLAN_FILE, plan_digest
    from auditor.pipeline.request import AuditRequest, FixLimits
    from auditor.report.files import written_whole
    from auditor.report.terminal.plan import write_plan

    if privileges and commands is not None:
        raise ConfigurationError("--as and --privileges print two different things", why="nothing was read.", do="give one of them.")
    chosen = _chosen_files(fleet, files or (), as_commands=commands is not None, privileges=privileges)
    if chosen and (transport is not None or incremental_options.since is not None):
        raise ConfigurationError(
            "--transport (--lane) and --since cannot go with --from", why="files are read as they are.", do="leave them out."
        )
    if out is not None and out != "-":
        file_to_write(Path(out))
    with progress() as shown:
        request = AuditRequest(
            fleet=with_files(fleet, chosen, incremental_options.max_age, cluster_of),
            **rule_options.arguments(),
            waivers=waivers,
            incremental=incremental_options.incremental(of_files=bool(chosen)),
            transport=transport,
            state=state_dir,
            fix=FixLimits(retry_put_back=retry_put_back),
            progress=shown,
            warn=warn,
        )
        audited = audit(request)
    for gap in audited.gaps:
        warn(f"not read: {gap.endpoint}: {gap.what}: {gap.why}")
    held = held_back(audited.fleet, audited.plan.changes) if audited.fleet is not None else ()
    if commands is not None:
        origin = keep_planned(audited) if chosen else _plan_lines(audited.directory, make_plan(audited))
        kinds = {endpoint.name: endpoint.kind for endpoint in audited.fleet.endpoints} if audited.fleet is not None else {}
        _write_script(script_text(audited.plan, stages(audited.plan.changes), commands, kinds, origin, held), out)
        return audited.exit_code(exit_options.fail_on, exit_options.min_coverage)
    file = make_plan(audited)
    if privileges:
        print(json.dumps(plan_roles(audited), indent=2))
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
        print(f"auditor apply {quoted(str(place))} --fleet {quoted(str(fleet))} makes it, as far as --allow says.", file=people)
    return audited.exit_code(exit_options.fail_on, exit_options.min_coverage)


def _plan_lines(directory: Path, file: PlanFile) -> tuple[str, ...]:
    """What a script says of the plan that it was made of."""
    from auditor.history.plan_file import PLAN_FILE, plan_digest

    return (f"Plan {directory / PLAN_FILE}", f"of run {file.run}; {plan_digest(file)}")


def _write_script(script: str, out: str | None) -> None:
    from auditor.report.files import written_whole

    if out is None or out == "-":
        sys.stdout.write(script)
        return
    with written_whole(Path(out)) as stream:
        stream.write(script)
    print(f"Read {out}, then run it; nothing was changed.")


def _chosen_files(fleet: Path | None, places: Sequence[Place], *, as_commands: bool, privileges: bool) -> tuple[Path, ...]:
    """The files of hosts that are planned by; () where a fleet alone is.

    Raises:
        ConfigurationError: there is neither, one of them is a saved snapshot, or something else than commands was asked for.
    """
    if not places:
        if fleet is None:
            raise ConfigurationError(
                "plan needs --fleet PATH, or --from PATH with --as", why="nothing was read.", do="auditor plan --fleet fleet.yaml"
            )
        return ()
    if privileges:
        raise ConfigurationError(
            "--privileges cannot go with --from",
            why="files have no accounts; nothing was read.",
            do="auditor plan --fleet fleet.yaml --privileges",
        )
    if not as_commands:
        raise ConfigurationError(
            "a plan from files is printed as commands for a person",
            why="nothing was read: `auditor apply` writes to hosts that it can ask, and these files may be old.",
            do="name --as esxcli, or --as powercli.",
        )
    files = files_of(places)
    if not files:
        raise ConfigurationError(
            f"--from {places[0]} names no files of hosts",
            why="nothing was read: it does not exist, or is a saved snapshot, from which no plan is made.",
            do="name support bundles, saved outputs of esxcli, exports of RVTools, or folders of these.",
        )
    return files
