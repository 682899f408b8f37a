"""What a fleet is judged by: the rules, with the fleet's own severities and parameters, and its waivers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError, GuardError

if TYPE_CHECKING:
    from datetime import datetime

    from auditor.engine.rules.rule import RuleSet
    from auditor.engine.waivers.file import Waivers
    from auditor.facts.needs import Needs
    from auditor.fleet.loading import Fleet, ParamOverride
    from auditor.model import RuleText, Severity, Span


@dataclass(frozen=True)
class Policy:
    """What one audit judges by."""

    rules: RuleSet  # with the severities of the fleet
    overrides: tuple[ParamOverride, ...]  # those that concern `rules`
    warnings: tuple[str, ...]  # rules that the overrides make disagree, a sentence for each pair
    notices: tuple[str, ...]  # what every reader of the report has to know of the choice of rules; the warnings among it

    @cached_property
    def texts(self) -> tuple[RuleText, ...]:
        """The texts of the rules, in their order."""
        from auditor.engine.rules.text import text_of

        return tuple(map(text_of, self.rules))


def shipped_rules() -> Path:
    """The rules that come with auditor: inside the wheel, or at the top of a source tree."""
    packaged = Path(str(resources.files("auditor"))) / "_data" / "rules"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "rules"


def load_rule_set(extra: Sequence[Path] = (), only: Collection[str] = (), tags: Collection[str] = ()) -> RuleSet:
    """The shipped rules, those of plugins and those of `extra` directories.

    Only those named in `only`, and with any of `tags`, where these are not empty.

    Raises:
        RuleError: any file has a mistake.
        ConfigurationError: `only` names a rule, or `tags` a tag, that does not exist.
    """
    from auditor.endpoints.settings import remediator_names
    from auditor.engine.rules.checked import checked_rules
    from auditor.engine.rules.chosen import with_globs
    from auditor.engine.rules.loading import load_rules
    from auditor.facts.catalog import all_view_columns
    from auditor.pipeline.plugin_rules import plugin_rules

    rules = load_rules([shipped_rules(), *extra], all_view_columns(), remediator_names(), checked_rules())
    if others := plugin_rules().rules:
        rules = replace(rules, rules=dict(sorted({**others, **rules.rules}.items())))
    return (rules.only(with_globs(rules, only)) if only else rules).tagged(tags)


def load_policy(
    fleet: Fleet | None,
    extra: Sequence[Path] = (),
    only: Collection[str] = (),
    tags: Collection[str] = (),
    baseline_kinds: Collection[str] = (),
    *,
    declared_kinds: Collection[str] | None = None,
    severity: Severity | None = None,
    exclude: Collection[str] = (),
    has_history: bool = False,
) -> Policy:
    """What `fleet` is judged by.

    Args:
        fleet: None for a saved snapshot, which is judged by the rules as their authors wrote them.
        extra: directories of the fleet's own rules.
        only: ids of rules, or globs of them; empty: all.
        tags: tags of rules; empty: all but the rules that are judged on request only.
        severity: only rules of this severity or worse, as the fleet has it; None: all.
        exclude: globs of ids of rules that are left out.
        baseline_kinds: kinds of settings that the baseline in force holds; empty: there is no baseline.
        has_history: counters of a span of the past are read, or stand in a saved snapshot.
        declared_kinds: kinds of settings that a saved snapshot has as declared; None: those of `fleet`.

    Raises:
        RuleError: any rule file has a mistake.
        ConfigurationError: a rule, topic, tag or parameter does not exist, or drift rules were requested and there is no baseline, or rules
            about the past and nothing of it is read.
    """
    from auditor.engine.rules.chosen import at_least, without
    from auditor.history.baseline import comparable_rules

    rules = without(load_rule_set(extra, only, tags), exclude)
    rules, left_out = (rules, ()) if only or tags else usual_rules(rules)
    rules = comparable_rules(rules, baseline_kinds, named={*only, *tags})
    declared = {one.kind for one in fleet.settings} if fleet is not None else ()
    rules = declared_rules(rules, declared if declared_kinds is None else declared_kinds, named={*only, *tags})
    rules, about_the_past = (rules, ()) if has_history else rules_of_now(rules, named={*only, *tags})
    overrides = param_overrides(fleet, rules)
    rules, severities = with_fleet_severities(fleet, rules)
    rules = at_least(rules, severity)
    overrides = tuple(override for override in overrides if override.rule in rules.rules)
    warnings = conflict_warnings(rules, overrides)
    return Policy(rules, overrides, warnings, warnings + severities + left_out + about_the_past + plugin_notices())


def declared_rules(rules: RuleSet, kinds: Collection[str], *, named: Collection[str] = ()) -> RuleSet:
    """The rules without those about kinds of settings that settings.yaml does not declare, so that nothing is read for them.

    Args:
        rules: the rules that were requested.
        kinds: what is declared, by the words of `auditor.fleet.settings_file.KINDS`; empty: nothing.
        named: rules and tags that the user named.

    Raises:
        ConfigurationError: the user named such a rule, or only such are left.
    """
    from auditor.engine.rules.rule import DECLARED
    from auditor.fleet.settings_file import ALL_DECLARED, KINDS

    idle_views = {view for kind, view in KINDS.items() if kind not in kinds} | (set() if kinds else {ALL_DECLARED})
    idle = [rule.id for rule in rules if rule.over in idle_views]
    kept = [rule.id for rule in rules if rule.over not in idle_views]
    if idle and (not kept or set(idle) & set(named) or (DECLARED in named and not kinds)):
        raise ConfigurationError(
            f"settings.yaml declares nothing that {idle[0]} could compare with",
            why=f"nothing was judged: {', '.join(idle[:3])} would have nothing to compare with.",
            do="write settings.yaml beside fleet.yaml (docs/how-to/declare-settings.md), or leave the rule out.",
        )
    return rules.only(kept) if idle else rules


def rules_of_now(rules: RuleSet, *, named: Collection[str] = ()) -> tuple[RuleSet, tuple[str, ...]]:
    """`rules` without those that need counters of the past, and a sentence about these; no sentence where there are none.

    Args:
        rules: the rules that were requested.
        named: rules and tags that the user named.

    Raises:
        ConfigurationError: the user named such a rule, or only such are left.
    """
    from auditor.engine.rules.needs import needs_of
    from auditor.facts.tables.history import TOPIC

    of_the_past = [rule.id for rule in rules if TOPIC in needs_of([rule]).topics]
    if not of_the_past:
        return rules, ()
    kept = [rule.id for rule in rules if rule.id not in of_the_past]
    if not kept or set(of_the_past) & set(named):
        raise ConfigurationError(
            f"{of_the_past[0]} judges counters of the past, and none are read",
            why="nothing was judged: without them there is nothing to judge.",
            do="add --history 24h (docs/how-to/look-back-a-day.md), or leave the rule out.",
        )
    many = f"{len(of_the_past)} rules judge" if len(of_the_past) > 1 else "1 rule judges"
    return rules.only(kept), (f"{many} counters of the past, which are read with --history 24h.",)


def history_notices(span: Span | None) -> tuple[str, ...]:
    """A sentence about the span whose counters were read; none where nothing of the past was."""
    if span is None:
        return ()
    begin, end = (f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}" for moment in (span.begin, span.end))
    return (f"Counters of the past were read from {begin} to {end} UTC.",)


def plugin_notices() -> tuple[str, ...]:
    """A sentence for each installed plugin that cannot be used: its devices are not recognised, and its rules are not judged."""
    from auditor.model.endpoint_kinds import plugin_faults
    from auditor.pipeline.plugin_rules import plugin_rules

    return tuple(f"{fault.what}: {fault.why}" for fault in (*plugin_faults(), *plugin_rules().faults))


def usual_rules(rules: RuleSet) -> tuple[RuleSet, tuple[str, ...]]:
    """`rules` without those that are judged on request only, and a sentence about these; no sentence where there are none."""
    from auditor.engine.rules.rule import ON_REQUEST

    on_request = [rule for rule in rules if ON_REQUEST in rule.tags]
    if not on_request:
        return rules, ()
    packs = sorted({next(tag for tag in rule.tags if tag != ON_REQUEST) for rule in on_request})
    options = ", ".join(f"--tag {pack}" for pack in packs)
    return rules.usual(), (f"{len(on_request)} rules are judged on request only, as they read or weigh much: {options}, or --tag all.",)


def param_overrides(fleet: Fleet | None, rules: RuleSet) -> tuple[ParamOverride, ...]:
    """The parameter overrides of `fleet` that concern `rules`, checked before anything is read.

    Raises:
        ConfigurationError: one names a rule or parameter that does not exist, or has a value of the wrong kind.
    """
    from auditor.engine.rules.params import param_values

    if fleet is None:
        return ()
    everything = load_rule_set() if set(rules.rules) < {o.rule for o in fleet.params} else rules
    overrides = tuple(override for override in fleet.params if override.rule in rules.rules or override.rule not in everything.rules)
    param_values(overrides, rules)
    return overrides


def with_fleet_severities(fleet: Fleet | None, rules: RuleSet) -> tuple[RuleSet, tuple[str, ...]]:
    """`rules` with the severities that `fleet` gives them, and a sentence about these for readers of the report.

    Raises:
        ConfigurationError: `fleet` names a rule or topic that does not exist.
    """
    from auditor.engine.rules.severities import severity_notices, with_severities

    if fleet is None or not fleet.severities:
        return rules, ()
    changed = with_severities(rules, fleet.severities)
    return changed, severity_notices(rules, changed, fleet.path.name)


def conflict_warnings(rules: RuleSet, overrides: Sequence[ParamOverride]) -> tuple[str, ...]:
    """A sentence for each pair of rules that want one setting different because of `overrides`; they are judged all the same."""
    if not overrides:
        return ()
    from auditor.engine.probing.conflicts import conflict_notices, conflicts
    from auditor.engine.rules.params import param_values

    return conflict_notices(conflicts(rules, param_values(overrides, rules), only_overridden=True), overrides)


def load_fleet_waivers(path: Path | None, fleet: Fleet | None, rules: RuleSet, at: datetime, *, to_fix: bool = False) -> Waivers | None:
    """The waivers of `path`, or those beside fleet.yaml; None where there is no such place.

    Args:
        path: a file that the user named; None: the one beside fleet.yaml, which need not exist.
        fleet: None for a saved snapshot, which has no waivers but those of `path`.
        rules: what is judged by.
        at: the instant at which they count, aware.
        to_fix: the fleet will be written to, so every waiver has to be sound.

    Raises:
        ConfigurationError: `path` does not exist.
        GuardError: a waiver is malformed, and a fix would write what it may have been meant to keep as it is.
    """
    from auditor.engine.waivers.file import FILE_NAME, checked, load_waivers

    place = path if path is not None else fleet.path.with_name(FILE_NAME) if fleet is not None else None
    if place is None:
        return None
    waivers = checked(load_waivers(place, at, required=path is not None), rules)
    if to_fix and waivers.malformed:
        others = f" (and {len(waivers.malformed) - 1} more)" if len(waivers.malformed) > 1 else ""
        raise GuardError(
            f"{waivers.malformed[0]}{others}",
            why="nothing was read or written: what a malformed waiver was to leave as it is would be fixed.",
            do=f"correct {place}; `auditor waivers check` lists every mistake in it. Or look only, without --fix.",
        )
    return waivers


def needs_for(rules: RuleSet, *, hosts: bool = False, waivers: Waivers | None = None, places: bool = False) -> Needs:
    """The facts that `rules` judge and `waivers` are matched by; with `hosts`, the list of hosts as well, needed or not.

    With `places`, also what shows which findings are of a host or cluster: their names, and which datastores and devices a host uses.
    """
    from auditor.engine.rules.needs import needs_of
    from auditor.engine.waivers.waived import facts_for
    from auditor.facts.needs import needs

    needed = needs_of(rules)
    if needed.wants("datastore"):
        needed |= needs([("datastore", "free_bytes")])  # no rule judges it, and `auditor check-move` asks a kept run
    if waivers is not None:
        needed |= needs(facts_for(waivers))
    if places:
        place_facts = {"datastore": ("datastore_mount", ""), "array_volume": ("device", "")}
        needed |= needs([("host", "name"), ("host", "cluster"), *(fact for table, fact in place_facts.items() if needed.wants(table))])
    return needed | needs([("host", "")]) if hosts else needed


def needs_of_history(span: Span | None) -> Needs:
    """The facts of a span of the past; nothing without one."""
    from auditor.facts.needs import needs
    from auditor.facts.schema import TABLES
    from auditor.facts.tables.history import HISTORY_TABLES

    return needs([(one.name, column) for one in HISTORY_TABLES for column in TABLES[one.name].names] if span is not None else ())


def needs_of_reach(fleet: Fleet) -> Needs:
    """The facts that tell which hosts stand on what a fix would write; nothing where fleet.yaml neither protects nor has windows."""
    from auditor.engine.fixes.reach import FACTS
    from auditor.facts.needs import needs

    return needs(FACTS if fleet.protected or fleet.maintenance else ())
