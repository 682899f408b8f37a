"""Applies waivers to verdicts in SQL: one statement for each waiver."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from auditor.engine.verdict_rows import decoded
from auditor.engine.waivers.terms import utc
from auditor.facts.catalog import needs_of_columns
from auditor.model import FixClass, LeftAlone, Target, Verdict
from auditor.model.identity import SEPARATOR
from auditor.sql.names import quoted
from auditor.text.names import fits, fits_sql, glob_for_sql, hosts_that_fit

if TYPE_CHECKING:
    from auditor.engine.verdicts import Evaluation
    from auditor.engine.waivers.file import Waiver, Waivers
    from auditor.model import Scalar

# A device lies under a datastore on every host of the endpoint; views that range over devices are named by them.
_DEVICES_OF = """(endpoint, resource_name) IN (
    SELECT (e.endpoint, e.device) FROM fact.datastore_extent AS e JOIN fact.datastore AS d USING (endpoint, datastore_id) WHERE {of})"""
_TAGGED = "SELECT (t.endpoint, {name}) FROM fact.tagged AS t {join} WHERE {which}"
_IDS = f"SELECT endpoint, unnest(string_split(identity, '{SEPARATOR}')) AS id FROM fact.listed_endpoint"
_ODD = "WHERE NOT regexp_full_match(name, '[ -~]*')"
_NAMES: Mapping[str, str] = {
    "host": "SELECT host FROM {verdicts} UNION SELECT name FROM fact.host",
    "cluster": "SELECT cluster FROM {verdicts}",
    "endpoint": f"SELECT endpoint FROM {{verdicts}} UNION SELECT id FROM ({_IDS})",
    "datastore": "SELECT name FROM fact.datastore",
    "tag": "SELECT unnest([tag, category || ':' || tag]) FROM fact.tagged",
    "resource": f"SELECT name FROM (SELECT unnest([resource_name, resource_id]) AS name FROM {{verdicts}}) {_ODD}",
}
"""What a selector may name. Resources are too many: SQL compares those of ASCII characters, as `auditor.text.names` does.

Hosts are those of the facts too: whether the first part of a name is that of one host alone must not depend on which verdicts are kept.
"""
_AMONG = "IN (SELECT unnest({names}))"
_ALIKE: Mapping[str, str] = {
    "resource": f"({fits_sql('resource_name', '{glob}')} OR {fits_sql('resource_id', '{glob}')} "
    f"OR resource_name {_AMONG} OR resource_id {_AMONG})",
    "host": f"host {_AMONG}",
    "cluster": f"cluster {_AMONG}",
    "endpoint": f"(endpoint {_AMONG} OR endpoint IN (SELECT i.endpoint FROM ({_IDS}) AS i WHERE i.id {_AMONG}))",
}


def waive(evaluation: Evaluation, waivers: Waivers) -> tuple[Evaluation, tuple[str, ...]]:
    """The evaluation with `waivers` applied, and a sentence about each of them that waives nothing.

    Verdicts are changed where they are kept: `evaluation` itself is not to be used any more. Of several waivers for one verdict the first
    in the file counts. A verdict that a waiver would cover if it were in force keeps a pointer to it.
    """
    evaluation = evaluation.keeping(
        Verdict.UNKNOWN, {rule for rule in evaluation.rules if any(one.covers_rule(rule) for one in waivers.entries)}
    )
    notices = [f"{mistake}; it waives nothing." for mistake in waivers.mistakes]
    notices += _without_tags(evaluation) if waivers.selects("tag") else []
    used: list[Waiver] = []
    lapsed: list[tuple[int, Waiver]] = []
    idle: list[Waiver] = []
    for number, waiver in enumerate(waivers.entries):
        if waiver.lapsed(waivers.at):
            lapsed.append((number, waiver))
        elif _mark(evaluation, number, waiver, in_force=True):
            used.append(waiver)
        else:
            idle.append(waiver)
    for number, waiver in lapsed:
        notices.append(_lapsed_text(evaluation, waiver, waivers, _mark(evaluation, number, waiver, in_force=False)))
    notices += [text for waiver in idle if (text := _idle_text(evaluation, waiver))]
    facts = tuple(_facts(waiver, waivers) for waiver in waivers.entries)
    return replace(evaluation, waivers=facts), tuple(notices)


def facts_for(waivers: Waivers) -> frozenset[tuple[str, str]]:
    """The facts, each a table and a column, that the selectors of `waivers` look at besides what a verdict says itself."""
    facts: set[tuple[str, str]] = {("host", "name")} if waivers.selects("host") else set()
    if waivers.selects("datastore") or waivers.selects("tag"):
        facts |= {("datastore", "name"), ("datastore_extent", "device")}
    if waivers.selects("tag"):
        facts |= {("tagged", "tag"), ("host", "name"), ("host", "cluster"), ("host", "cluster_id")}
    return frozenset(facts)


def _facts(waiver: Waiver, waivers: Waivers) -> dict[str, Scalar]:
    why = waiver.lapsed(waivers.at)
    return {**waiver.as_reported(), **({"why": why} if why else {})}


def _mark(evaluation: Evaluation, number: int, waiver: Waiver, *, in_force: bool) -> int:
    """Waive what a waiver covers, or, if it is not in force, note there that it would; answers how many verdicts."""
    change = f"waiver = {number}, waived_from = CAST(verdict AS VARCHAR), verdict = 'waived'" if in_force else f"waiver = {number}"
    condition, bound = _condition(evaluation, waiver, _covered(waiver))
    statement = f"UPDATE {evaluation.store}.verdict SET {change} WHERE waiver IS NULL AND {condition}"
    row = evaluation.connection.execute(statement, bound).fetchone()
    return int(row[0]) if row else 0


def _covered(waiver: Waiver) -> tuple[Verdict, ...]:
    return (Verdict.FAIL, Verdict.UNKNOWN) if waiver.also_unknown else (Verdict.FAIL,)


def _condition(
    evaluation: Evaluation, waiver: Waiver, verdicts: Collection[Verdict], column: str = "verdict"
) -> tuple[str, dict[str, Any]]:
    """Which rows of the verdicts a waiver is for; a waiver without a readable rule or selector is for none."""
    rules = [rule for rule in evaluation.rules if waiver.covers_rule(rule)]
    if not rules or not waiver.resources:
        return "false", {}
    bound: dict[str, Any] = {}
    parts = [f"rule IN ({', '.join(map(quoted, rules))})", f"{column} IN ({', '.join(quoted(verdict) for verdict in verdicts)})"]
    for selector, globs in waiver.resources.items():
        alternatives = []
        for place, glob in enumerate(globs):
            key = f"{selector}_{place}"
            bound[f"{key}_names"] = _named_by(evaluation, selector, glob)
            if selector == "resource":
                bound[key] = glob_for_sql(glob)
            alternatives.append(_alternative(selector, f"${key}", f"${key}_names"))
        parts.append(f"({' OR '.join(alternatives)})")
    return " AND ".join(parts), bound


def _named_by(evaluation: Evaluation, selector: str, glob: str) -> list[str]:
    """The names of this kind, of the facts and the verdicts, that `glob` fits."""
    statement = f"SELECT DISTINCT * FROM ({_NAMES[selector].format(verdicts=f'{evaluation.store}.verdict')})"
    names = [name for (name,) in evaluation.connection.cursor().execute(statement).fetchall() if name is not None]
    return sorted(hosts_that_fit(glob, names)) if selector == "host" else [name for name in names if fits(name, glob)]


def _alternative(selector: str, glob: str, names: str) -> str:
    if selector == "datastore":
        return _of_datastore(f"d.name {_AMONG.format(names=names)}")
    if selector == "tag":
        among = _AMONG.format(names=names)
        return _of_tag(f"(t.tag {among} OR t.category || ':' || t.tag {among})")
    return _ALIKE[selector].format(glob=glob, names=names)


def _of_datastore(of: str) -> str:
    itself = f"(endpoint, resource_id) IN (SELECT (d.endpoint, d.datastore_id) FROM fact.datastore AS d WHERE {of})"
    return f"({itself} OR {_DEVICES_OF.format(of=of)})"


def _of_tag(which: str) -> str:
    """What carries a tag itself, and what lies on a host, in a cluster or under a datastore that does."""
    itself = _TAGGED.format(name="t.object_id", join="", which=which)
    host = _TAGGED.format(name="h.name", join="JOIN fact.host AS h ON h.endpoint = t.endpoint AND h.host_id = t.object_id", which=which)
    cluster = _TAGGED.format(
        name="h.cluster", join="JOIN fact.host AS h ON h.endpoint = t.endpoint AND h.cluster_id = t.object_id", which=which
    )
    datastore = f"(d.endpoint, d.datastore_id) IN ({itself})"
    return (
        f"((endpoint, resource_id) IN ({itself}) OR (endpoint, host) IN ({host}) OR (endpoint, cluster) IN ({cluster}) "
        f"OR {_DEVICES_OF.format(of=datastore)})"
    )


def _without_tags(evaluation: Evaluation) -> list[str]:
    """A sentence about each vCenter whose tags are not known: a waiver by tag waives nothing there."""
    read = "SELECT endpoint FROM fact.reading WHERE topic = 'tags' AND complete"
    unread = f"SELECT DISTINCT endpoint FROM fact.reading WHERE topic = 'hosts' AND endpoint NOT IN ({read}) ORDER BY endpoint"
    rows = evaluation.connection.cursor().execute(unread).fetchall()
    return [f"The tags of {endpoint} were not read: what is waived by a tag counts there as not waived." for (endpoint,) in rows]


def _lapsed_text(evaluation: Evaluation, waiver: Waiver, waivers: Waivers, count: int) -> str:
    if count:
        back = "one verdict that it covered counts again" if count == 1 else f"{count:,} verdicts that it covered count again"
    elif waiver.rule is not None and not _judging(evaluation, waiver):
        back = "its rules did not judge in this run"
    else:
        back = f"no failure that it names was found{_but_not_all_read(evaluation, waiver)}"
    return f"{_named(waiver)} {waiver.lapsed(waivers.at)}: {back}."


def _idle_text(evaluation: Evaluation, waiver: Waiver) -> str:
    """Why a waiver that is in force waives nothing; empty when it could not have, because its rules did not judge."""
    if not _judging(evaluation, waiver):
        return ""
    if _is_any(evaluation, waiver, (Verdict.FAIL, Verdict.UNKNOWN), "waived_from"):
        why = "another one before it covers the same"
    elif _is_any(evaluation, waiver, (Verdict.UNKNOWN,), "verdict"):
        why = "what it names could not be judged, and it is for failures only (also_unknown: true would be for both)"
    elif unread := _but_not_all_read(evaluation, waiver):
        why = f"nothing it names was found to fail{unread}"
    else:
        why = "nothing it names fails; remove it, or correct its resources"
    until = utc(waiver.expires) if waiver.expires else "?"
    return f"{_named(waiver)} until {until} waives nothing: {why}."


def _judging(evaluation: Evaluation, waiver: Waiver) -> list[str]:
    """The rules that a waiver is for and that judged in this run."""
    return [rule for rule in evaluation.rules if waiver.covers_rule(rule)]


def _but_not_all_read(evaluation: Evaluation, waiver: Waiver) -> str:
    """What a sentence about a waiver without verdicts has to add where what it names may not have been read; else ""."""
    views = {evaluation.rules[rule].kind for rule in _judging(evaluation, waiver)}
    topics = sorted(needs_of_columns([(view, ()) for view in views]).topics)
    unread = "SELECT 1 FROM fact.reading WHERE NOT complete AND list_contains(?, topic) LIMIT 1"
    row = evaluation.connection.cursor().execute(unread, [topics]).fetchone() if topics else None
    return "" if row is None else ", and not everything was read that it rests on"


def _is_any(evaluation: Evaluation, waiver: Waiver, verdicts: Sequence[Verdict], column: str) -> bool:
    condition, bound = _condition(evaluation, waiver, verdicts, column)
    row = evaluation.connection.execute(f"SELECT 1 FROM {evaluation.store}.verdict WHERE {condition} LIMIT 1", bound).fetchone()
    return row is not None


def _named(waiver: Waiver) -> str:
    answering = ", ".join(part for part in (waiver.owner, waiver.ticket) if part)
    return f"{waiver.where}: the waiver of {waiver.rule or 'no readable rule'}{f' ({answering})' if answering else ''}"


def left_alone(evaluation: Evaluation) -> tuple[LeftAlone, ...]:
    """How many failures of each rule each waiver keeps from being fixed, by rule."""
    counted = f"SELECT rule, waiver, count(*) FROM {evaluation.store}.verdict WHERE waived_from = 'fail' GROUP BY ALL ORDER BY rule, waiver"
    rows = evaluation.connection.cursor().execute(counted).fetchall()
    return tuple(LeftAlone(rule, count, evaluation.waivers[number]) for rule, number, count in rows)


def protected_settings(evaluation: Evaluation) -> dict[tuple[str, Target], tuple[str, Mapping[str, Scalar]]]:
    """Settings that a waived failure is about and another failure wants changed: the waived one's rule, and its waiver."""
    # Only where both are: there may be millions of waived failures, and nearly all of them are alone with their setting.
    verdicts = f"{evaluation.store}.verdict"
    wanted = f"SELECT (endpoint, target) FROM {verdicts} WHERE verdict = 'fail' AND target IS NOT NULL"
    both = (
        f"SELECT endpoint, target, rule, min(waiver) FROM {verdicts} WHERE waived_from = 'fail' AND target IS NOT NULL "
        f"AND (endpoint, target) IN ({wanted}) GROUP BY ALL ORDER BY ALL"
    )
    protected: dict[tuple[str, Target], tuple[str, Mapping[str, Scalar]]] = {}
    for endpoint, target, rule, number in evaluation.connection.cursor().execute(both).fetchall():
        remediator, fix_class = evaluation.rules[rule].remediator, evaluation.rules[rule].fix_class
        if remediator is not None and fix_class != FixClass.MANUAL:
            keys = tuple(sorted(decoded(target).items()))
            protected.setdefault((remediator, Target(endpoint, keys)), (rule, evaluation.waivers[number]))
    return protected
