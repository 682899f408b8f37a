"""Judges a snapshot from end to end: joins the facts, evaluates the rules, applies waivers, saves the verdicts and plans the fixes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from auditor.engine.evaluate import evaluate
from auditor.engine.fixes.impact import predict_fix_impact
from auditor.engine.fixes.planning import plan
from auditor.engine.fixes.reach import carriers, with_reach
from auditor.engine.fixes.unusual import unusual_changes
from auditor.engine.narrowing import narrow
from auditor.engine.rules.params import Override, param_values, placed
from auditor.engine.waivers.waived import waive
from auditor.errors import UncomputableRuleError
from auditor.facts.plugin_views import create_plugin_views, own_views_below, plugin_views
from auditor.facts.views import create_views, seal
from auditor.model import Gap
from auditor.sql.statements import lift_limit
from auditor.text.counts import ShowText, show_nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    import duckdb

    from auditor.engine.chosen_places import Chosen
    from auditor.engine.rules.params import ParamValues
    from auditor.engine.rules.rule import RuleSet
    from auditor.engine.taken_verdicts import TakenVerdicts
    from auditor.engine.verdicts import Evaluation
    from auditor.engine.waivers.file import Waivers
    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.model import Plan


@dataclass(frozen=True, slots=True)
class Impacts:
    """How impacts are added to failures.

    Attributes:
        views: what has to be there for it.
        add: gets the connection and the store of the verdicts; answers notices.
    """

    views: Collection[str]
    add: Callable[[duckdb.DuckDBPyConnection, str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on a snapshot, the changes that would fix failures, and sentences about the waivers.

    Attributes:
        rules: those that were judged by.
        gaps: a view of a plugin that could not be computed, at each of its endpoints.
    """

    evaluation: Evaluation
    plan: Plan
    notices: tuple[str, ...]
    rules: RuleSet
    gaps: tuple[Gap, ...] = ()


def judge(
    snapshot: Snapshot,
    rules: RuleSet,
    overrides: Sequence[Override],
    waivers: Waivers | None,
    *,
    findings: Path,
    spill: Path,
    own: Collection[str] = (),
    impacts: Impacts | None = None,
    chosen: Chosen | None = None,
    taken: TakenVerdicts | None = None,
    expendable: Collection[str] = (),
    tell: ShowText = show_nothing,
) -> Judgement:
    """Judge `snapshot` by `rules` and save every verdict to the file `findings`.

    Args:
        snapshot: its connection is sealed by this: afterwards it reads no file but its own and those beside `findings`.
        rules: what is judged by.
        overrides: a fleet's own values for parameters of these rules.
        waivers: with the instant at which they count; None: nothing is waived.
        findings: the Parquet file for the verdicts.
        own: ids of rules that are not shipped.
        impacts: adds what failures cost; None: no finding has an impact.
        chosen: the part of it whose verdicts and fixes were requested; None: all of it.
        taken: verdicts of an earlier run that hold for this snapshot too; their file lies beside `findings`. None: all rules are judged.
        spill: the prefix of the folder for what does not fit into memory.
        expendable: ids of rules that are left out where they cannot be computed, and a notice says so: those of plugins.
        tell: called with what is being done, and how much of it is done.

    Raises:
        ConfigurationError: an override fits no rule.
        RuleError: a rule cannot be computed over these facts.
        SnapshotError: a file of the snapshot cannot be read.
    """
    rows = _clusters(snapshot) if any(override.cluster is not None for override in overrides) else ()
    params = param_values(placed(overrides, rows), rules)
    taken_over = taken.rules if taken is not None else frozenset()
    # What a change is compared with stands in its rule's view: see `unusual_changes`.
    compared = {rule.id for rule in rules if rule.fix is not None and (rule.id in own or rule.id in params.overrides)}
    views = {rule.over for rule in rules if rule.id not in taken_over or rule.id in compared}
    tell("joining what was read")
    own_views, of_plugins = own_views_below(views)
    create_views(snapshot.connection, spill, own_views | set(impacts.views if impacts is not None else ()))
    seal(snapshot.connection, findings.parent)
    uncomputed = create_plugin_views(snapshot.connection, of_plugins)
    rules, unread, of_views = _without(rules, uncomputed, snapshot)
    evaluation, rules, failed = _evaluated(snapshot.connection, rules, params, taken, expendable, tell)
    tell("keeping the verdicts")
    # Saving millions of verdicts is one statement. It needs more memory than joining and judging are limited to.
    lift_limit(snapshot.connection)
    predict_fix_impact(evaluation, rules, params, taken_over)
    added = impacts.add(snapshot.connection, evaluation.store) if impacts is not None else ()
    evaluation, notices = waive(evaluation, waivers) if waivers is not None else (evaluation, ())
    made: Plan | None = None
    if chosen is not None:
        evaluation, made, left_out = narrow(evaluation, plan(evaluation, rules), chosen)
        notices = (*left_out, *notices)
    saved = evaluation.save(findings)
    evaluation.close()
    made = replace(made or plan(saved, rules), identities=snapshot.identities)
    made = replace(made, changes=with_reach(snapshot, made.changes))
    made = replace(made, arrays=carriers(snapshot.connection, made.changes))
    unusual = unusual_changes(snapshot.connection, made, rules, params, own)
    return Judgement(saved, replace(made, unusual=unusual), (*of_views, *failed, *added, *notices), rules, unread)


def _without(rules: RuleSet, uncomputed: Mapping[str, str], snapshot: Snapshot) -> tuple[RuleSet, tuple[Gap, ...], tuple[str, ...]]:
    """`rules` without those over views of plugins that could not be computed, a gap for each endpoint of such a kind, and sentences.

    Raises:
        UncomputableRuleError: no rule is left.
    """
    if not uncomputed:
        return rules, (), ()
    kept = rules.only(rule.id for rule in rules if rule.over not in uncomputed)
    gaps, sentences = [], []
    for name, why in uncomputed.items():
        view = plugin_views().views[name]
        gaps += [Gap(one.name, f"the view {name} of {view.plugin}", why) for one in snapshot.readings if one.kind == view.kind]
        left_out = ", ".join(rule.id for rule in rules if rule.over == name) or "none"
        sentences.append(
            f"the view {name} of {view.plugin} cannot be computed: {why}: its rules are not judged ({left_out}); all others are."
        )
    if not len(kept):
        raise UncomputableRuleError(
            sentences[0], why="nothing was judged: there is no other rule.", do="tell the author of the plugin, or judge by other rules."
        )
    return kept, tuple(gaps), tuple(sentences)


def _evaluated(
    connection: duckdb.DuckDBPyConnection,
    rules: RuleSet,
    params: ParamValues,
    taken: TakenVerdicts | None,
    expendable: Collection[str],
    tell: ShowText,
) -> tuple[Evaluation, RuleSet, tuple[str, ...]]:
    """The verdicts, the rules that gave them, and a sentence for each rule that was left out."""
    failed: list[str] = []
    while True:
        try:
            return evaluate(connection, rules, params, taken=taken, tell=tell), rules, tuple(failed)
        except UncomputableRuleError as error:
            if error.rule not in expendable or len(rules) == 1:
                raise
            failed.append(f"{error.what}: the rule is not judged; all others are.")
            rules = rules.only(set(rules.rules) - {error.rule})


def _clusters(snapshot: Snapshot) -> list[tuple[str, str]]:
    """(endpoint, name) of each cluster that has hosts."""
    statement = "SELECT DISTINCT endpoint, cluster FROM fact.host WHERE cluster IS NOT NULL"
    return [(endpoint, name) for endpoint, name in snapshot.connection.cursor().execute(statement).fetchall()]
