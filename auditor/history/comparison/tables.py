"""Fills the tables by which two runs are compared, and follows new failures back through the runs before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.history.comparison.statements import CAME_BACK, EARLIER, OPEN_RULES, STEP
from auditor.history.kept_run import list_runs
from auditor.model.identity import is_same

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import duckdb

    from auditor.engine.verdicts import Evaluation
    from auditor.history.kept_run import KeptEndpoint, KeptRun

MOST_EARLIER_RUNS = 30
"""Runs before the earlier one that are looked at for what came back; a month of daily ones. Source: this project."""


def endpoint_keys(before: Sequence[KeptEndpoint], after: Sequence[KeptEndpoint]) -> tuple[dict[str, str], dict[str, str]]:
    """The key of each endpoint of both runs, by its name there.

    It is the same where both say the same of themselves, or have the same name where either run does not know who it was.
    """
    known = {one.name: f"endpoint {number}" for number, one in enumerate(after)}
    keys: dict[str, str] = {}
    for number, one in enumerate(before):
        same = next((other for other in after if one.identity and other.identity and is_same(one.identity, other.identity)), None)
        if same is None:
            same = next((other for other in after if other.name == one.name and not (one.identity and other.identity)), None)
        keys[one.name] = known[same.name] if same is not None else f"earlier endpoint {number}"
    return keys, known


def list_endpoints(
    connection: duckdb.DuckDBPyConnection, earlier: KeptRun, later: KeptRun, keys: tuple[Mapping[str, str], Mapping[str, str]]
) -> None:
    """Fill the tables of endpoints, and of what each run did not read of them."""
    unread = _unread(earlier, keys[0], keys[1].values()), _unread(later, keys[1], keys[0].values())
    for side, run, of_run, rows, others in (
        ("before", earlier, keys[0], unread[0], set(unread[1])),
        ("after", later, keys[1], unread[1], set(unread[0])),
    ):
        _insert(connection, f"listed_{side}", [(one.name, of_run[one.name], one.kind) for one in run.listed])
        kinds = {of_run[one.name]: one.kind for one in run.listed}
        _insert(connection, f"unread_{side}", [(*row, kinds.get(row[0]), row not in others) for row in rows])


def _unread(run: KeptRun, keys: Mapping[str, str], others: Iterable[str]) -> list[tuple[str, str | None, str | None]]:
    """(key, host, topic) of what `run` did not read; topic None: nothing of that endpoint. `others`: the endpoints of the other run."""
    rows: list[tuple[str, str | None, str | None]] = [(key, None, None) for key in others if key not in set(keys.values())]
    # Of an older run nothing more is known than whether there was any gap.
    rows += [(keys[one.name], None, None) for one in run.listed if not one.answered or (run.along.unread is None and not one.complete)]
    for one in run.along.unread or ():
        rows += [(keys.get(one.endpoint, one.endpoint), one.host, topic) for topic in one.topics]
    return rows


def list_rules(connection: duckdb.DuckDBPyConnection, before: Evaluation, after: Evaluation, *, every: bool) -> None:
    """Fill the tables of rules, what they measure, and what the rows of their views rest on. `every`: also rules that one run has alone."""
    kinds = {rule: about.kind for rule, about in before.rules.items()}, {rule: about.kind for rule, about in after.rules.items()}
    shared = {rule for rule in kinds[0].keys() & kinds[1].keys() if kinds[0][rule] == kinds[1][rule]}
    for side, of_side in zip(("before", "after"), kinds, strict=True):
        keys = {
            rule: rule if rule in shared or rule not in kinds[0] or rule not in kinds[1] else f"{rule} over {kind}"
            for rule, kind in of_side.items()
        }
        _insert(connection, f"rule_{side}", [(rule, keys[rule], rule in shared) for rule in of_side if every or rule in shared])
    _insert(connection, "measured", [(rule, value) for rule in sorted(shared) for value in _measured(rule)])
    topics = {kind: _topics_of(kind) for kind in {kinds[1][rule] for rule in shared}}
    _insert(connection, "rule_topic", [(rule, topic) for rule in sorted(shared) for topic in topics[kinds[1][rule]]])


def _topics_of(view: str) -> tuple[str, ...]:
    """The topics that decide which rows a view has; every topic where this auditor does not know the view any more."""
    from auditor.facts.catalog import catalog, needs_of_columns
    from auditor.facts.schema import TOPICS

    return tuple(sorted(needs_of_columns([(view, ())]).topics if view in catalog().views else TOPICS))


def _measured(rule: str) -> tuple[str, ...]:
    """Which of "observed" and "desired" rest on counters; () of a rule that auditor does not ship, where that is not known."""
    from auditor.engine.rules.checked import checked_rules
    from auditor.facts.catalog import column_topics
    from auditor.facts.schema import MEASURED_TOPICS

    if rule not in checked_rules():
        return ()
    shipped = checked_rules()[rule].rule
    shown = {"observed": shipped.observed, "desired": shipped.desired}
    return tuple(
        value
        for value, expression in shown.items()
        if any(not MEASURED_TOPICS.isdisjoint(column_topics(shipped.over, column)) for column in expression.columns)
    )


def _insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[tuple[object, ...]]) -> None:
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        connection.execute(f"INSERT INTO {table} SELECT {', '.join('unnest(?)' for _ in columns)}", columns)


def mark_came_back(connection: duckdb.DuckDBPyConnection, earlier: KeptRun, later: KeptRun) -> None:
    """Mark new failures that a run before `earlier` had and that passed since; nothing more is read once none is left to follow."""
    import duckdb

    if connection.execute("SELECT 1 FROM change WHERE kind = 'new' AND is_shared LIMIT 1").fetchone() is None:
        return
    connection.execute(EARLIER)
    before = [one for one in list_runs(earlier.directory.parent.parent) if one.id < earlier.id and one.finished is not None]
    runs = before[:MOST_EARLIER_RUNS]
    for number, one in enumerate(runs, start=1):
        rules = [row[0] for row in connection.execute(OPEN_RULES).fetchall()]
        if not rules:
            break
        if one.findings is None:
            continue
        of_run, _ = endpoint_keys(one.listed, later.listed)
        connection.execute("DELETE FROM listed_earlier")
        _insert(connection, "listed_earlier", [(endpoint.name, of_run[endpoint.name]) for endpoint in one.listed])
        try:
            connection.execute(STEP, {"path": str(one.findings), "rules": rules, "number": number})
        except duckdb.Error:
            continue  # nothing is known of a damaged run
    connection.execute(CAME_BACK, {"runs": [one.id for one in runs]})
