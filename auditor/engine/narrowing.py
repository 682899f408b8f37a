"""Narrows findings and changes to chosen endpoints, hosts and clusters, after the whole fleet was judged.

All rows are judged first, as a rule compares a host with its neighbours, and a change that is wanted here may be opposed by what was found
elsewhere. Then the verdicts on all others are left out, and the changes that nothing chosen wants.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from auditor.engine.verdict_rows import decoded
from auditor.engine.waivers.waived import left_alone
from auditor.model import ByHand, Target, Unmet

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from auditor.engine.chosen_places import Chosen
    from auditor.engine.verdicts import Evaluation
    from auditor.model import Change, Plan

_TABLES = {
    "chosen_host": "(endpoint VARCHAR, host_id VARCHAR, name VARCHAR, cluster VARCHAR)",
    "chosen_cluster": "(endpoint VARCHAR, cluster VARCHAR)",
    "chosen_endpoint": "(endpoint VARCHAR)",
}
_OF_HOSTS = """
    CREATE TABLE {store}.chosen_datastore AS
        SELECT DISTINCT m.endpoint, m.datastore_id FROM fact.datastore_mount AS m JOIN {store}.chosen_host USING (endpoint, host_id);
    CREATE TABLE {store}.chosen_device AS
        SELECT DISTINCT d.endpoint, d.device FROM fact.device AS d JOIN {store}.chosen_host USING (endpoint, host_id);
    CREATE TABLE {store}.chosen_volume AS
        SELECT DISTINCT v.endpoint, v.volume_id FROM fact.array_volume AS v
        WHERE v.device IN (SELECT c.device FROM {store}.chosen_device AS c);
"""
# What an array says of a host names it as its vCenter does, beneath the array's own name.
_AT_HOSTS = """
    CASE WHEN host IS NOT NULL THEN host IN (SELECT name FROM {store}.chosen_host)
        AND (endpoint NOT IN (SELECT endpoint FROM fact.host) OR (endpoint, host) IN (SELECT (endpoint, name) FROM {store}.chosen_host))
    ELSE (endpoint, resource_id) IN (SELECT (endpoint, datastore_id) FROM {store}.chosen_datastore)
        OR (endpoint, resource_name) IN (SELECT (endpoint, device) FROM {store}.chosen_device)
        OR (endpoint, resource_id) IN (SELECT (endpoint, volume_id) FROM {store}.chosen_volume)
        OR (endpoint, cluster) IN (SELECT (endpoint, cluster) FROM {store}.chosen_cluster)
    END"""

# Of a datastore, and of a volume by its device: the hosts that were not chosen and use it too.
_OTHER_HOSTS = """
    WITH other AS (
        SELECT h.endpoint, h.host_id, h.name FROM fact.host AS h ANTI JOIN {store}.chosen_host USING (endpoint, host_id)
    )
    SELECT endpoint, datastore_id, list(DISTINCT name ORDER BY name)
    FROM {store}.chosen_datastore JOIN fact.datastore_mount USING (endpoint, datastore_id) JOIN other USING (endpoint, host_id) GROUP BY ALL
    UNION ALL
    SELECT v.endpoint, v.volume_id, list(DISTINCT o.name ORDER BY o.name)
    FROM {store}.chosen_volume AS c
    JOIN fact.array_volume AS v USING (endpoint, volume_id)
    JOIN fact.device AS d ON d.device = v.device
    JOIN other AS o ON o.endpoint = d.endpoint AND o.host_id = d.host_id
    GROUP BY ALL
"""
_NAMED = 3


def narrow(evaluation: Evaluation, plan: Plan, chosen: Chosen) -> tuple[Evaluation, Plan, tuple[str, ...]]:
    """The evaluation with the verdicts on what is chosen, the plan of what they want, and a sentence about what was left out.

    Verdicts are removed where they are kept: `evaluation` itself is not to be used any more.
    """
    store, connection = evaluation.store, evaluation.connection
    for table, columns in _TABLES.items():
        connection.execute(f"CREATE TABLE {store}.{table} {columns}")
    condition = "true"
    if chosen.hosts is not None:
        _insert(connection, f"{store}.chosen_host", chosen.hosts)
        _insert(connection, f"{store}.chosen_cluster", chosen.clusters)
        connection.execute(_OF_HOSTS.format(store=store))
        condition = _AT_HOSTS.format(store=store)
    if chosen.endpoints is not None:
        _insert(connection, f"{store}.chosen_endpoint", [(name,) for name in chosen.endpoints])
        condition = f"({condition}) AND endpoint IN (SELECT endpoint FROM {store}.chosen_endpoint)"
    before = sum(evaluation.counts().values())
    left = _of_chosen(evaluation, condition)
    out = before - sum(left.counts().values())
    notices = chosen.notices
    if out:
        notices += (f"{out:,} verdicts on what --host, --cluster and --endpoint do not name are left out, failures too.",)
    narrowed = _narrowed_plan(plan, left)
    if chosen.hosts is not None:
        narrowed = replace(narrowed, changes=_with_other_hosts(narrowed.changes, left))
    return left, narrowed, notices


def _insert(connection: Any, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    columns = [list(values) for values in zip(*rows, strict=True)]
    if columns:
        connection.execute(f"INSERT INTO {table} SELECT {', '.join(['unnest(?)'] * len(columns))}", columns)


def _of_chosen(evaluation: Evaluation, condition: str) -> Evaluation:
    """The evaluation without the verdicts that `condition` does not hold for; those that were only counted are counted anew."""
    connection, deferred = evaluation.connection, []
    connection.execute(f"DELETE FROM {evaluation.store}.verdict WHERE NOT coalesce({condition}, false)")
    for one in evaluation.deferred:
        select = f"SELECT * FROM ({one.select}) WHERE coalesce({condition}, false)"
        counted = connection.execute(f"SELECT verdict, count(*) FROM ({select}) GROUP BY verdict", dict(one.bound)).fetchall()
        counts = {verdict: int(count) for verdict, count in counted}
        deferred.append(replace(one, select=select, counts={verdict: counts[verdict] for verdict in one.counts if verdict in counts}))
    return replace(evaluation, deferred=tuple(deferred))


def _narrowed_plan(plan: Plan, evaluation: Evaluation) -> Plan:
    """What of a plan for the whole fleet the failures that are left want, numbered anew.

    A change that waits for one that is not among them is left to a person: it would be made without what has to come first.
    """
    wanted, resources = _wanted(evaluation)
    kept = [change for change in plan.changes if (change.remediator, change.target) in wanted]
    unmet = [one for one in plan.unmet if (one.change.remediator, one.change.target) in wanted]
    left_out: list[Unmet] = []
    while True:
        numbers = {change.number for change in kept}
        waiting = [change for change in kept if not set(change.waits_for) <= numbers]
        if not waiting:
            break
        left_out += [Unmet(change, "what has to come first is on another host or object than those that were chosen") for change in waiting]
        kept = [change for change in kept if change not in waiting]
    by_hand = [hand for hand in plan.by_hand if (hand.rule, hand.resource.endpoint, hand.resource.id) in resources]
    by_hand += [ByHand(rule, one.change.resource, one.why, one.change.classes[-1]) for one in left_out for rule in one.change.rules]
    renumbered = {change.number: number for number, change in enumerate(kept, start=1)}
    changes = tuple(
        replace(change, number=renumbered[change.number], waits_for=tuple(sorted(renumbered[other] for other in change.waits_for)))
        for change in kept
    )
    return replace(
        plan,
        changes=changes,
        by_hand=tuple(by_hand),
        contradictions=tuple(clash for clash in plan.contradictions if (clash.remediator, clash.target) in wanted),
        left_alone=left_alone(evaluation),
        held=tuple(one for one in plan.held if (one.remediator, one.target) in wanted),
        unmet=(*unmet, *left_out),
    )


def _with_other_hosts(changes: tuple[Change, ...], evaluation: Evaluation) -> tuple[Change, ...]:
    """The changes; of what hosts share, with those that were not chosen: nobody named them, and the change reaches them."""
    if all(change.resource.host is not None for change in changes):
        return changes
    rows = evaluation.connection.execute(_OTHER_HOSTS.format(store=evaluation.store)).fetchall()
    others = {(endpoint, one): [name or "one without a name" for name in names] for endpoint, one, names in rows}
    return tuple(_with_those(change, others.get((change.resource.endpoint, change.resource.id), ())) for change in changes)


def _with_those(change: Change, names: Sequence[str]) -> Change:
    if change.resource.host is not None or not names:
        return change
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    beside = f"{'a host that was' if len(names) == 1 else 'hosts that were'} not chosen: {', '.join(names[:_NAMED])}{more}"
    return replace(change, collateral="; ".join(filter(None, (change.collateral, beside))))


def _wanted(evaluation: Evaluation) -> tuple[set[tuple[str, Target]], set[tuple[str, str, str]]]:
    """The settings that failures are about; and (rule, endpoint, resource id) of these failures."""
    select = f"SELECT rule, endpoint, resource_id, target FROM {evaluation.store}.verdict WHERE verdict = 'fail'"
    settings, resources = set(), set()
    for rule, endpoint, resource, target in evaluation.connection.execute(select).fetchall():
        resources.add((rule, endpoint, resource))
        if target is not None:
            settings.add((evaluation.rules[rule].remediator or "", Target(endpoint, tuple(sorted(decoded(target).items())))))
    return settings, resources
