"""A plan as a script of commands that a person reads and runs: esxcli for each host, or PowerCLI.

Every planned change is in it, in the order and the stages of the plan. One that has no command, or that fleet.yaml holds back, is a comment
that says so. Before a change the present value is read and compared with the one that the plan saw, and afterwards with the wanted one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from auditor.endpoints.common.commands import NoCommandError, PowerShell, Shell, text_of
from auditor.endpoints.settings import commands_for
from auditor.model import EndpointKind, FixClass
from auditor.model.endpoint_kinds import is_array
from auditor.report.command_frames import (
    POWERSHELL_BEGIN,
    POWERSHELL_STAGE,
    SHELL_BEGIN,
    SHELL_CHECK,
    SHELL_STAGES,
)
from auditor.report.setting_values import from_to_text
from auditor.report.wording import neutral, object_text, setting_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from auditor.endpoints.common.commands import Dialect, Form, Helper
    from auditor.model import Change, Plan, Receipt, Target


class CommandLanguage(StrEnum):
    """What a plan may be printed as."""

    ESXCLI = "esxcli"
    POWERCLI = "powercli"


@dataclass(frozen=True, slots=True)
class _Part:
    """Changes of one stage on one host, or on no host of an endpoint (host is None)."""

    stage: int
    endpoint: str
    host: str | None
    host_id: str | None
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class _Commands:
    form: Form
    make: tuple[str, ...]
    undo: tuple[str, ...] | str  # why there is none


def script_text(
    plan: Plan,
    stages: Sequence[Sequence[Change]],
    language: CommandLanguage,
    kinds: Mapping[str, EndpointKind],
    origin: Sequence[str],
    held: Iterable[Receipt] = (),
) -> str:
    """The script.

    Args:
        plan: whose changes are written.
        stages: its changes in stages, as they are made one after another.
        language: of the script.
        kinds: of the endpoints, by name.
        origin: where the plan comes from, a line each.
        held: receipts of changes that fleet.yaml holds back now, with the reason.
    """
    dialect: Dialect = Shell() if language is CommandLanguage.ESXCLI else PowerShell()
    kept = {(one.change.remediator, one.change.target): one.why for one in held}
    parts = _parts(stages)
    found: dict[int, _Commands | str] = {id(change): _commands(change, dialect, kinds, kept) for part in parts for change in part.changes}
    names = _names(parts)
    made = [one for one in found.values() if isinstance(one, _Commands)]
    several = max((part.stage for part in parts), default=1)
    lines = [_begin(plan, dialect, origin, several), *_helpers((one.form for one in made), dialect)]
    if isinstance(dialect, Shell):
        lines += _shell_checks(parts, names, several)
    for part in parts:
        lines += _part(part, dialect, found, names, kinds, plan, several)
    lines += _left_out(plan)
    text = "\n".join(lines).rstrip() + "\n"
    return text if isinstance(dialect, Shell) else text.encode("ascii", "backslashreplace").decode("ascii")


def _commands(
    change: Change, dialect: Dialect, kinds: Mapping[str, EndpointKind], kept: Mapping[tuple[str, Target], str]
) -> _Commands | str:
    """What makes a change; why nothing does."""
    endpoint = change.target.endpoint
    if (why := kept.get((change.remediator, change.target))) is not None:
        return f"held back by fleet.yaml: {why}"
    if endpoint in kinds and is_array(kinds[endpoint]):
        return f"it is set on the array {endpoint} by the array's own tool"
    commands = commands_for(change.remediator)
    if commands is None:
        return f"no command is known for {change.remediator}"
    try:
        form = commands(change.target, dialect)
        make = form.commands(change.before, change.after)
        for value in (change.before, change.after):
            dialect.quoted(text_of(value))
    except NoCommandError as error:
        return str(error)
    try:
        return _Commands(form, make, form.commands(change.after, change.before))
    except NoCommandError as error:
        return _Commands(form, make, str(error))


def _parts(stages: Sequence[Sequence[Change]]) -> list[_Part]:
    """The changes by stage and host, hosts in the order of their first change."""
    parts = []
    for number, stage in enumerate(stages, start=1):
        groups: dict[tuple[str, str | None], list[Change]] = {}
        for change in stage:
            keys = dict(change.target.keys)
            host = change.resource.host if "host_id" in keys else None
            groups.setdefault((change.target.endpoint, host), []).append(change)
        for (endpoint, host), ones in groups.items():
            parts.append(_Part(number, endpoint, host, dict(ones[0].target.keys).get("host_id"), tuple(ones)))
    return parts


def _names(parts: Iterable[_Part]) -> dict[tuple[str, str | None], str]:
    """What a host is called: its name, with that of its endpoint where two endpoints have one of that name."""
    hosts = dict.fromkeys((part.endpoint, part.host) for part in parts)
    names = [host for _, host in hosts]
    return {
        (endpoint, host): endpoint if host is None else host if names.count(host) == 1 else f"{host}@{endpoint}" for endpoint, host in hosts
    }


def _begin(plan: Plan, dialect: Dialect, origin: Sequence[str], several: int) -> str:
    kind = "esxcli commands, by host" if isinstance(dialect, Shell) else "PowerCLI"
    comments = [
        f"{count_of(len(plan.changes), 'planned change')} as {kind}. Written by auditor, which made none of them.",
        *origin,
        "Read it before you run it. What `auditor apply` does besides is missing here: interlocks, waves with a look at health after each,",
        "maintenance mode and reboots, the journal. What needs a reboot is stored by it and in force after one.",
    ]
    text = "\n".join(_comment(line) for line in comments)
    if isinstance(dialect, Shell):
        return SHELL_BEGIN.format(comments=text, stage_argument=" STAGE" if several > 1 else "")
    chosen = POWERSHELL_STAGE.format(stages=", ".join(map(str, range(1, several + 1)))) if several > 1 else ""
    return POWERSHELL_BEGIN.format(comments=text, parameters=chosen)


def _helpers(forms: Iterable[Form], dialect: Dialect) -> Iterator[str]:
    """The functions that are called, each once and after those that it calls."""
    listed: dict[Helper, None] = {}

    def add(helper: Helper) -> None:
        for needed in helper.needs:
            add(needed)
        listed.setdefault(helper)

    for form in forms:
        for helper in form.helpers:
            add(helper)
    for helper in listed:
        yield helper.shell if isinstance(dialect, Shell) else helper.powershell


def _shell_checks(parts: Iterable[_Part], names: Mapping[tuple[str, str | None], str], several: int) -> Iterator[str]:
    hosts = []
    for part in parts:
        try:
            hosts += [] if part.host is None else [Shell().quoted(names[part.endpoint, part.host])]
        except NoCommandError:
            continue
    stage_argument = " STAGE" if several > 1 else ""
    yield SHELL_CHECK.format(hosts=" | ".join(dict.fromkeys(hosts)) or "''", stage_argument=stage_argument).rstrip("\n")
    if several > 1:
        yield SHELL_STAGES.format(stages=" | ".join(map(str, range(1, several + 1)))).rstrip("\n")


def _part(
    part: _Part,
    dialect: Dialect,
    found: Mapping[int, _Commands | str],
    names: Mapping[tuple[str, str | None], str],
    kinds: Mapping[str, EndpointKind],
    plan: Plan,
    several: int,
) -> Iterator[str]:
    """One part: its heading, what chooses its host, and its changes."""
    title = f"Stage {part.stage} of {several}: " if several > 1 else ""
    where = part.endpoint if part.host is None else f"{part.host}, of {part.endpoint}"
    yield ""
    yield _comment(f"==== {title}{where} ====")
    try:
        begin, end = _frame(part, dialect, names, kinds, plan, several)
    except NoCommandError as error:
        begin, end = (), ()
        found = {id(change): str(error) for change in part.changes}
    if any(isinstance(found[id(change)], _Commands) for change in part.changes):
        yield from begin
    else:
        end = ()
    for change in part.changes:
        yield ""
        yield from _change(change, dialect, found[id(change)], plan)
    yield from end


def _frame(
    part: _Part,
    dialect: Dialect,
    names: Mapping[tuple[str, str | None], str],
    kinds: Mapping[str, EndpointKind],
    plan: Plan,
    several: int,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What begins and ends a part, where it has commands."""
    if isinstance(dialect, Shell):
        return (f"if part {dialect.quoted(names[part.endpoint, part.host])} {part.stage}; then",), ("fi",)
    identity = plan.identities.get(part.endpoint) or ""
    of_files = kinds.get(part.endpoint) is EndpointKind.FILES
    lines = [f"$server = Get-VCenter {dialect.quoted(part.endpoint)} {dialect.quoted('' if of_files else identity)}"]
    if part.host is not None:
        moid = "" if of_files or part.host_id is None else f"HostSystem-{part.host_id}"
        lines.append(f"$vmhost = Get-PlannedHost {dialect.quoted(moid)} {dialect.quoted(part.host)}")
        lines.append("$esxcli = Get-EsxCli -VMHost $vmhost -V2")
    if several > 1:
        return (f"if ($Stage -eq {part.stage}) {{", *lines), ("}",)
    return tuple(lines), ()


def _change(change: Change, dialect: Dialect, commands: _Commands | str, plan: Plan) -> Iterator[str]:
    """One change: what and why, the check, the commands, the undo."""
    number = change.number
    yield _comment(f"{number}. {setting_text(change) or change.remediator} of {object_text(change)}: {from_to_text(change)}")
    for reason in (*change.messages, f"{change.reason} ({', '.join(change.rules)})"):
        yield _comment(f"   {reason}")
    yield _comment(f"   class: {', '.join(change.classes)}{_reboot(change.classes)}")
    for note in _notes(change, plan):
        yield _comment(f"   {note}")
    if isinstance(commands, str):
        yield _comment(f"   NO COMMAND: {commands}.")
        return
    seen, wanted = (dialect.quoted(text_of(value)) for value in (change.before, change.after))
    present = commands.form.present
    if isinstance(dialect, Shell):
        yield f"if due {number} {seen} {wanted} {present}; then"
        yield from (f"  {line}" for line in commands.make)
        yield f"  made {number} {wanted} {present}"
        yield "fi"
    else:
        yield f"if (Test-Due {number} {seen} {wanted} ({present})) {{"
        yield from (f"    {line}" for line in commands.make)
        yield f"    Confirm-Made {number} {wanted} ({present})"
        yield "}"
    if isinstance(commands.undo, str):
        yield _comment(f"undo of {number}: NO COMMAND: {commands.undo}.")
    else:
        yield from (_comment(f"undo of {number}: {line}") for line in commands.undo)


def _notes(change: Change, plan: Plan) -> Iterator[str]:
    if change.waits_for:
        yield f"after: {', '.join(map(str, change.waits_for))}, which have to have ended well, and to be in force"
    if change.collateral:
        yield f"touches as well: {change.collateral}"
    yield from (
        f"UNUSUAL: the fleet has {one.seen}, and nowhere this value"
        for one in plan.unusual
        if change.number and change.number in one.numbers
    )


def _reboot(classes: Collection[FixClass]) -> str:
    return "; in force after the host has been rebooted, which this script does not do" if FixClass.REBOOT in classes else "; no reboot"


def _left_out(plan: Plan) -> Iterator[str]:
    """What the plan leaves to a person or leaves alone, counted."""
    counts = ((len(plan.by_hand), "failure"), (len(plan.contradictions), "contradiction"), (len(plan.held), "waived setting"))
    if any(number for number, _ in counts):
        words = ", ".join(count_of(number, one) for number, one in counts if number)
        yield ""
        yield _comment(f"Not here, because the plan has no change for them: {words}. `auditor plan` without --as lists them.")


def _comment(text: str) -> str:
    """A comment of one line, in which nothing can end it."""
    return f"# {neutral(text)}".rstrip()
