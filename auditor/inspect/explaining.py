"""Explains what a kept run found: a finding with its I/O path, or the path of a device or a machine. Asks no endpoint."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError
from auditor.facts.catalog import all_view_columns
from auditor.impact.day import VIEWS as DAY_VIEWS
from auditor.impact.day import day_of
from auditor.impact.functions import KIND as POOL_KIND
from auditor.impact.functions import VIEW as FUNCTION_VIEW
from auditor.impact.functions import functions_of
from auditor.impact.path import VIEWS, device_path
from auditor.impact.saved_rows import opened_views
from auditor.impact.subject import path_of_finding, paths_of_machine
from auditor.inspect.replanning import FirstChanges
from auditor.model import Verdict
from auditor.report.finding_ids import named_finding
from auditor.report.terminal.explained import Explanation
from auditor.report.wording import neutral
from auditor.system.shell import quoted
from auditor.text.names import is_called

if TYPE_CHECKING:
    from pathlib import Path as FilePath

    from auditor.engine.probing.turning_points import TurningPoint
    from auditor.fleet.loading import Fleet
    from auditor.history.kept_run import KeptRun
    from auditor.impact.path import Path
    from auditor.impact.saved_rows import Ask
    from auditor.model import Finding


def explain_finding(kept: KeptRun, words: Sequence[str], rules: Sequence[FilePath] = (), fleet: Fleet | None = None) -> Explanation | None:
    """The explanation of the finding that `words` name, its id or RULE RESOURCE; None where no finding is named so.

    Args:
        kept: a finished run.
        words: one or two.
        rules: folders of rules of one's own that the run judged by.
        fleet: whose params were in force; None: the rules' defaults.

    Raises:
        ConfigurationError: several findings are named so.
        SnapshotError: a file of the run is damaged.
    """
    from auditor.facts.column_texts import column_text
    from auditor.history.repeat_commands import repeat_commands
    from auditor.history.runs import report_of_run
    from auditor.history.state import state_directory

    report = report_of_run(kept)
    named = named_finding(report, words)
    if named is None:
        return None
    finding_id, finding = named
    path, more, day, functions = None, 0, None, None
    why = f"Run {kept.id} kept no snapshot, so its I/O path is not known."
    is_of_a_day = finding.resource.kind == "episode_pattern"
    is_of_a_pool = finding.resource.kind == POOL_KIND
    with _opened_views(kept, DAY_VIEWS if is_of_a_day else (FUNCTION_VIEW,) if is_of_a_pool else ()) as ask:
        if ask is not None:
            path, more = path_of_finding(ask, finding)
            if is_of_a_day:
                day = day_of(ask, finding.resource.endpoint, *(str(finding.evidence.get(name)) for name in ("subject_kind", "subject")))
            if is_of_a_pool:
                functions = functions_of(ask, finding)
            why = "No device that it is about carried I/O while the fleet was read, or it is about none."
    view = all_view_columns().get(finding.resource.kind, {})
    state = kept.directory.parents[1]
    first = _first(kept, finding, rules, fleet)
    again = repeat_commands(kept, report, fleet.path if fleet is not None else None)
    own = "".join(f" --rules {quoted(str(folder))}" for folder in rules)
    return Explanation(
        audit=again.audit,
        fix=again.fix,
        plan=again.plan,
        first=first.rules,
        why_no_fix=first.why_not,
        to_judge=first.to_judge,
        options=own + ("" if state == state_directory(None, to_read=True) else f" --state-dir {quoted(str(state))}"),
        finding_id=finding_id,
        finding=finding,
        run=kept.id,
        path=path,
        more_paths=more,
        rule=next((rule for rule in report.rules if rule.id == finding.rule), None),
        points=_points(finding, rules, fleet),
        column_texts={column: column_text(finding.resource.kind, column) for column in finding.missing if column in view},
        reproduction=_reproduction(finding_id, finding, rules),
        why_no_path=why,
        day=day,
        functions=functions,
        params_from="the rule's defaults (--fleet takes your own)" if fleet is None else f"those of {fleet.path.name}",
    )


def _first(kept: KeptRun, finding: Finding, folders: Sequence[FilePath], fleet: Fleet | None) -> FirstChanges:
    """What comes before the fix of a failure."""
    from auditor.inspect.replanning import first_changes
    from auditor.pipeline.policy import load_rule_set

    if finding.verdict is not Verdict.FAIL or finding.fix is None or finding.fix.remediator is None:
        return FirstChanges()
    return first_changes(kept, finding, load_rule_set(tuple(folders)), fleet)


def _reproduction(finding_id: str, finding: Finding, folders: Sequence[FilePath]) -> str:
    from auditor.pipeline.policy import load_rule_set
    from auditor.reproduction.lessons import lesson_of, why_not

    rule = load_rule_set(tuple(folders)).rules.get(finding.rule)
    reproduction = rule.reproduction if rule is not None else None
    if lesson_of(reproduction, finding) is None:
        return f"No load shows it: {why_not(reproduction)}"
    return f"To show it safely: auditor reproduce {finding_id} --out DIR"


def paths_named(kept: KeptRun, word: str) -> list[Path]:
    """The I/O paths of HOST/DEVICE, or of every machine of that name.

    Raises:
        ConfigurationError: the run kept no snapshot, or nothing there is called so.
        SnapshotError: the snapshot is damaged.
    """
    host, slash, device = word.partition("/")
    with _opened_views(kept) as ask:
        if ask is None:
            raise ConfigurationError(
                f"run {kept.id} kept no snapshot", why="the I/O path cannot be shown.", do="name another run of `auditor runs list`."
            )
        paths = _of_device(ask, host, device) if slash else paths_of_machine(ask, word)
    if not paths:
        raise ConfigurationError(
            f'run {kept.id} knows nothing that is called "{neutral(word)}"',
            why="there is nothing to explain.",
            do="give the id of a finding (reports show it), RULE RESOURCE, HOST/DEVICE, or the name of a running machine.",
        )
    return paths


@contextmanager
def _opened_views(kept: KeptRun, further: Sequence[str] = ()) -> Iterator[Ask | None]:
    """A way to ask the views of paths, and `further` ones; None where the run kept no snapshot."""
    if kept.snapshot is None:
        yield None
        return
    with opened_views(kept.snapshot, (*VIEWS, *further)) as ask:
        yield ask


def _of_device(ask: Callable[..., Sequence[object]], host: str, device: str) -> list[Path]:
    """The paths of a device on the hosts of that name, with or without its domain."""
    rows = [row for row in ask("device", {"device": device.lower()}) if _is_called(row["host"], host)]  # type: ignore[index]
    found = (device_path(ask, row["endpoint"], row["host"], row["device"]) for row in rows)  # type: ignore[index,arg-type]
    return [path for path in found if path is not None]


def _is_called(name: str | None, word: str) -> bool:
    return is_called(name, word) or (name is not None and is_called(name.partition(".")[0], word))


def _points(finding: Finding, folders: Collection[FilePath], fleet: Fleet | None) -> tuple[TurningPoint, ...] | None:
    """What would change the verdict; None where the rule is not there, or says another thing now."""
    from auditor.engine.probing.turning_points import turning_points
    from auditor.engine.rules.params import param_values, placed, values_at
    from auditor.pipeline.policy import load_rule_set, param_overrides

    if finding.verdict in (Verdict.PASS, Verdict.NOT_APPLICABLE):
        return ()
    chosen = load_rule_set(tuple(folders))
    if finding.rule not in chosen.rules:
        return None
    rule = chosen[finding.rule]
    chosen = chosen.only([finding.rule])
    place = (finding.resource.endpoint, finding.resource.cluster)
    clusters = [(place[0], place[1])] if place[1] is not None else []
    values = param_values(placed(param_overrides(fleet, chosen), clusters), chosen)
    return turning_points(rule, all_view_columns()[rule.over], finding.evidence, values_at(rule, values, place))
