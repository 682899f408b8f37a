"""Keeps, counts and saves verdicts, as columns."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import json_of
from auditor.engine.verdict_reader import BY_IMPACT, PLACE, SORTED_AT_ONCE, fetched, in_order
from auditor.engine.verdict_rows import JudgedRule, finding_of
from auditor.engine.verdict_sql import VERDICT_COLUMNS
from auditor.errors import SnapshotError
from auditor.facts.views import seal
from auditor.model import Finding, PlaceCount, Scalar, Severity, Summary, Verdict
from auditor.sql.names import quoted
from auditor.sql.statements import execute
from auditor.system.files import put_in_place

if TYPE_CHECKING:
    import duckdb

_FORMAT = 6
_WAIVING = {
    "waiver": "INTEGER",  # which of Evaluation.waivers covers it, from 0; of a verdict that is not waived: which would, were it in force
    "waived_from": "VARCHAR",  # of a waived verdict: what it was
}
_IMPACT = {
    "impact": "VARCHAR",  # JSON object, docs/queue-model.md#report; NULL where no impact is computed for such findings
    "impact_rank": "DOUBLE",  # how many times worse than after the fix; NULL where that is not computed
}
_BESIDES = {**_WAIVING, **_IMPACT}
STORED = {**VERDICT_COLUMNS, "severity": "VARCHAR", **_BESIDES}
"""The columns of saved verdicts, and of the table `finding` of queries; DuckDB types."""
_NONE = ", ".join(f"CAST(NULL AS {kind}) AS {column}" for column, kind in _BESIDES.items())
_RANKS: Mapping[str, Iterable[str]] = {"verdict": tuple(Verdict), "severity": tuple(Severity)}
"""The words of a column, worst first."""
_ADDED: Mapping[int, Collection[str]] = {
    1: (*_BESIDES, "retunes", "touches", "waits", "message"),
    2: ("retunes", "touches", "waits", "message", *_IMPACT),
    3: ("waits", "message", *_IMPACT),
    4: ("message", *_IMPACT),
    5: tuple(_IMPACT),
    _FORMAT: (),
}
"""The formats that can be read, and the columns that each of them has not yet."""


@dataclass(frozen=True, slots=True)
class DeferredVerdicts:
    """Verdicts of one rule that were counted and not kept: on a large fleet they are most."""

    rule: str
    severity: str
    counts: Mapping[Verdict, int]
    select: str  # answers sql.VERDICT_COLUMNS of every row the rule was applied to; rows of other verdicts are to be left out
    bound: Mapping[str, object]
    saved: str | None = None  # a SELECT of the same columns and the severity, of many rules, that `select` has one rule's of; None: none


@dataclass(frozen=True, slots=True)
class _Part:
    """Verdicts of one kind by one rule: stored, or deferred."""

    verdict: Verdict
    severity: str
    rule: str
    count: int
    deferred: DeferredVerdicts | None = None
    impact_rank: float = 0.0  # the greatest of its findings

    def place(self) -> tuple[int, int, float, str]:
        return list(Verdict).index(self.verdict), list(Severity).index(Severity(self.severity)), -self.impact_rank, self.rule


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The verdict of every rule on every row of its view.

    `store` is a DuckDB database attached to `connection`, with a table `verdict`: the columns of sql.VERDICT_COLUMNS, severity, and what
    waivers made of it. Other verdicts are `deferred`, and read from the views of the connection.
    """

    connection: duckdb.DuckDBPyConnection
    store: str
    rules: Mapping[str, JudgedRule]
    deferred: tuple[DeferredVerdicts, ...] = ()
    waivers: tuple[Mapping[str, Scalar], ...] = ()  # what reports say of each; engine/waivers/waived.py applies them

    def findings(self, verdicts: Collection[Verdict] | None = None) -> Iterator[Finding]:
        """Every finding, worst first: by verdict, severity, impact, rule, and place; `verdicts` leaves the others out."""
        for row in self.rows(list(Verdict) if verdicts is None else verdicts):
            yield finding_of(row, self.rules[row["rule"]], self.waivers)

    def summary(self) -> Summary:
        """How many verdicts of each kind; failures also by severity."""
        counted = f"SELECT verdict, severity, waived_from, count(*) FROM {self.store}.verdict GROUP BY ALL"
        totals: dict[str, int] = {}
        failures: dict[str, int] = {}
        waived_unknown = 0
        for verdict, severity, waived_from, count in self.connection.cursor().execute(counted).fetchall():
            totals[verdict] = totals.get(verdict, 0) + count
            waived_unknown += count if waived_from == Verdict.UNKNOWN else 0
            if verdict == Verdict.FAIL:
                failures[severity] = count
        for deferred in self.deferred:
            for kind, count in deferred.counts.items():
                totals[kind] = totals.get(kind, 0) + count
        return Summary(
            fail=totals.get(Verdict.FAIL, 0),
            passed=totals.get(Verdict.PASS, 0),
            unknown=totals.get(Verdict.UNKNOWN, 0),
            not_applicable=totals.get(Verdict.NOT_APPLICABLE, 0),
            waived=totals.get(Verdict.WAIVED, 0),
            by_severity={str(severity): failures[severity] for severity in Severity if severity in failures},
            waived_unknown=waived_unknown,
        )

    def counts(self) -> Mapping[tuple[str, Severity, Verdict], int]:
        """How many verdicts there are, by rule, severity and verdict; none is read."""
        counted = f"SELECT rule, severity, verdict, count(*) FROM {self.store}.verdict GROUP BY ALL"
        totals: Counter[tuple[str, Severity, Verdict]] = Counter()
        for rule, severity, verdict, count in self.connection.cursor().execute(counted).fetchall():
            totals[rule, Severity(severity), Verdict(verdict)] += count
        for deferred in self.deferred:
            for verdict, count in deferred.counts.items():
                totals[deferred.rule, Severity(deferred.severity), Verdict(verdict)] += count
        return totals

    def hosts_judged(self) -> int:
        """How many hosts have a verdict that was reached: a pass, a failure, or a failure that is waived."""
        reached = [Verdict.PASS, Verdict.FAIL]
        of_store = f"verdict IN ({_listed(reached)}) OR (verdict = {quoted(Verdict.WAIVED)} AND waived_from = {quoted(Verdict.FAIL)})"
        selects = [f"SELECT endpoint, host FROM {self.store}.verdict WHERE {of_store}"]
        kept = [one for one in self.deferred if any(one.counts.get(verdict) for verdict in reached)]
        selects += [f"SELECT endpoint, host FROM ({_deferred_sql(one, reached)})" for one in kept]
        bound = {name: value for one in kept for name, value in one.bound.items()}
        counted = f"SELECT count(*) FROM (SELECT DISTINCT endpoint, host FROM ({' UNION ALL '.join(selects)}) WHERE host IS NOT NULL)"
        number: int = next(iter(fetched(self.connection, counted, bound)))[0]
        return number

    def by_place(self, by_host: bool) -> list[PlaceCount]:
        """How many verdicts there are, by endpoint, cluster, host and topic.

        Args:
            by_host: True counts every verdict of each host. False counts failures, unknown and waived verdicts of each cluster, and no
                passes: to count the passes of a large fleet takes longer than the rest of the page.
        """
        listed = [Verdict.FAIL, Verdict.UNKNOWN, Verdict.WAIVED]
        wanted = list(Verdict) if by_host else listed
        columns = "endpoint, cluster, host, rule, severity, verdict"
        selects = [f"SELECT {columns} FROM {self.store}.verdict WHERE verdict IN ({_listed(wanted)})"]
        kept = [one for one in self.deferred if any(one.counts.get(verdict) for verdict in wanted)]
        selects += [f"SELECT {columns} FROM ({_deferred_sql(one, wanted)})" for one in kept]
        bound = {name: value for one in kept for name, value in one.bound.items()}
        host, topic = "host" if by_host else "NULL", "split_part(CAST(rule AS VARCHAR), '/', 1)"
        counted = (
            f"SELECT endpoint, cluster, {host}, {topic}, severity, verdict, count(*) FROM ({' UNION ALL '.join(selects)}) GROUP BY ALL"
        )
        return [
            PlaceCount(endpoint, cluster, of_host, of_topic, Severity(severity), Verdict(verdict), number)
            for endpoint, cluster, of_host, of_topic, severity, verdict, number in fetched(self.connection, counted, bound)
        ]

    def rows(self, verdicts: Collection[Verdict]) -> Iterator[dict[str, Any]]:
        """The stored columns of these verdicts, worst first, a chunk at a time."""
        kept = f"FROM {self.store}.verdict WHERE verdict IN ({_listed(verdicts)})"
        greatest_rank = "coalesce(max(CAST(impact_rank AS DOUBLE)), 0)"
        groups = fetched(self.connection, f"SELECT verdict, severity, rule, count(*), {greatest_rank} {kept} GROUP BY ALL", {})
        parts = [_Part(Verdict(verdict), severity, rule, count, None, greatest) for verdict, severity, rule, count, greatest in groups]
        for deferred in self.deferred:
            counts = [(verdict, count) for verdict, count in deferred.counts.items() if verdict in verdicts]
            parts += [_Part(verdict, deferred.severity, deferred.rule, count, deferred) for verdict, count in counts]
        if not self.deferred and sum(part.count for part in parts) <= SORTED_AT_ONCE:
            ranked = ", ".join(f"list_position([{_listed(words)}], CAST({kind} AS VARCHAR))" for kind, words in _RANKS.items())
            of_rule = "coalesce(max(CAST(impact_rank AS DOUBLE)) OVER (PARTITION BY verdict, severity, rule), 0) DESC"
            select = f"SELECT {', '.join(STORED)} {kept} ORDER BY {ranked}, {of_rule}, rule, {BY_IMPACT}, {PLACE}"
            yield from (dict(zip(STORED, values, strict=True)) for values in fetched(self.connection, select, {}))
            return
        for part in sorted(parts, key=_Part.place):
            these = f"verdict = {quoted(part.verdict)} AND severity = {quoted(part.severity)} AND rule = {quoted(part.rule)}"
            select = f"SELECT {', '.join(STORED)} FROM {self.store}.verdict WHERE {these}"
            bound: Mapping[str, object] = {}
            if part.deferred is not None:
                select, bound = _deferred_sql(part.deferred, [part.verdict]), part.deferred.bound
            for values in in_order(self.connection, select, bound, part.count):
                yield dict(zip(STORED, values, strict=True))

    def keeping(self, verdict: Verdict, rules: Collection[str]) -> Evaluation:
        """The evaluation with these verdicts of these rules in its store, where they can be changed. `self` is not to be used any more.

        Raises:
            SnapshotError: the files behind them went away, or are damaged.
        """
        left = []
        for deferred in self.deferred:
            if deferred.rule in rules and deferred.counts.get(verdict):
                for _ in fetched(self.connection, f"INSERT INTO {self.store}.verdict {_deferred_sql(deferred, [verdict])}", deferred.bound):
                    pass
                left.append(replace(deferred, counts={kind: count for kind, count in deferred.counts.items() if kind is not verdict}))
            else:
                left.append(deferred)
        return replace(self, deferred=tuple(left))

    def save(self, path: Path) -> Evaluation:
        """Write every verdict to one Parquet file, and answer an evaluation that reads it, as `load_evaluation` would.

        On a sealed connection `path` must lie in the directory that `facts.views.seal` left open. `self` stays what it is.

        Raises:
            SnapshotError: it cannot be written.
        """
        import duckdb

        partial = path.with_suffix(".partial")
        rules = {rule_id: asdict(rule) for rule_id, rule in self.rules.items()}
        about = quoted(json.dumps({"format": _FORMAT, "rules": rules, "waivers": self.waivers}))
        # A row group is held in memory whole, by every thread.
        options = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 16384, KV_METADATA {{auditor: {about}}}"
        kept = ", ".join(f"CAST({column} AS {kind}) AS {column}" for column, kind in STORED.items())
        selects = [_deferred_sql(deferred, deferred.counts) for deferred in self.deferred if deferred.counts and deferred.saved is None]
        selects += _saved_sql(self.deferred)
        everything = " UNION ALL ".join([f"SELECT {kept} FROM {self.store}.verdict", *selects])
        bound = {name: value for deferred in self.deferred if deferred.counts for name, value in deferred.bound.items()}
        try:
            execute(self.connection.cursor(), f"COPY ({everything}) TO {quoted(str(partial))} ({options})", bound)
            put_in_place(partial, path)
            store = new_store(self.connection, self.rules, path)
        except (duckdb.Error, OSError) as failure:
            raise SnapshotError(
                f"cannot write {path}: {failure}",
                why="the fleet was judged and the verdicts are lost when this process ends.",
                do="check the path and the space left, then audit again with `--from`.",
            ) from failure
        return replace(self, store=store, deferred=())

    def close(self) -> None:
        """Detach the store, which is not to be read any more; the connection stays open."""
        self.connection.execute(f"DETACH {self.store}")


def load_evaluation(path: Path) -> Evaluation:
    """The verdicts that `Evaluation.save` wrote, ready to be read again. They stay in the file, which has to be there for as long.

    Raises:
        SnapshotError: there is none, it is not whole, or a newer auditor wrote it.
    """
    import duckdb

    connection = duckdb.connect()
    evaluation = open_evaluation(connection, path)
    connection.execute("SET allowed_paths = ?", [[str(path)]])
    seal(connection)
    return evaluation


def open_evaluation(connection: duckdb.DuckDBPyConnection, path: Path) -> Evaluation:
    """As `load_evaluation`, on a connection that may read `path`: so the verdicts of two runs can be joined.

    Raises:
        SnapshotError: likewise.
    """
    import duckdb

    try:
        row = connection.execute("SELECT value FROM parquet_kv_metadata(?) WHERE key = 'auditor'", [str(path)]).fetchone()
        about: dict[str, Any] = json_of(row[0]) if row else {"format": None}
        if about["format"] not in _ADDED:
            raise SnapshotError(
                f"{path} has verdict format {about['format']}, this auditor reads {_FORMAT}",
                why="columns may mean something else there.",
                do="use the auditor that wrote it, or audit again.",
            )
        rules = {rule_id: JudgedRule(**rule) for rule_id, rule in about["rules"].items()}
        store = new_store(connection, rules, path, _ADDED[about["format"]])
        words = connection.execute(f"SELECT DISTINCT verdict, severity, rule FROM {store}.verdict").fetchall()
        for verdict, severity, rule in words:
            Verdict(verdict), Severity(severity), rules[rule]
    except (duckdb.Error, ValueError, KeyError, TypeError) as failure:
        raise SnapshotError(
            f"{path} does not hold the verdicts of a run: {str(failure).splitlines()[0]}",
            why="a run that loads in part reports a clean fleet in part.",
            do="see `auditor runs list`, or audit again.",
        ) from failure
    return Evaluation(connection, store, rules, waivers=tuple(about.get("waivers", ())))


def new_store(
    connection: duckdb.DuckDBPyConnection, rules: Mapping[str, JudgedRule], saved: Path | None = None, without: Collection[str] = ()
) -> str:
    """The name of an attached database with an empty table `verdict`; or with what a file holds, which stays there.

    The columns in `without` are not in that file, and NULL.

    It is one of its own, so that waivers and predicted failures can be written while the facts are sealed.
    """
    taken = {row[0] for row in execute(connection, "SELECT database_name FROM duckdb_databases()").fetchall()}
    store = next(name for name in (f"verdicts_{number}" for number in range(len(taken) + 1)) if name not in taken)
    connection.execute(f"ATTACH ':memory:' AS {store}")
    # An ENUM sorts in the order it was declared: verdicts and severities worst first, rules by id.
    words: Mapping[str, Iterable[str]] = {"verdict": list(Verdict), "severity": list(Severity), "rule": sorted(rules)}
    for kind, values in words.items():
        connection.execute(f"CREATE TYPE {store}.{kind}_word AS ENUM ({_listed(values)})")
    types = STORED | {kind: f"{store}.{kind}_word" for kind in words}
    if saved is None:
        connection.execute(f"CREATE TABLE {store}.verdict ({', '.join(f'{column} {kind}' for column, kind in types.items())})")
    else:
        # As text: a filter on an ENUM that is cast from text does not use the file's own statistics.
        listed = ", ".join(f"CAST(NULL AS {kind}) AS {column}" if column in without else column for column, kind in types.items())
        connection.execute(f"CREATE VIEW {store}.verdict AS SELECT {listed} FROM read_parquet({quoted(str(saved))})")
    return store


def disputable_targets(evaluation: Evaluation) -> frozenset[tuple[str, str]]:
    """(endpoint, target as stored) of the settings that failures of several rules are about."""
    failing = f"SELECT endpoint, target FROM {evaluation.store}.verdict WHERE verdict = 'fail' AND target IS NOT NULL"
    several = f"{failing} GROUP BY ALL HAVING count(DISTINCT rule) > 1"
    return frozenset(evaluation.connection.cursor().execute(several).fetchall())


def _deferred_sql(deferred: DeferredVerdicts, verdicts: Iterable[Verdict]) -> str:
    return f"SELECT *, {quoted(deferred.severity)} AS severity, {_NONE} FROM ({deferred.select}) WHERE verdict IN ({_listed(verdicts)})"


def _saved_sql(deferred: Iterable[DeferredVerdicts]) -> list[str]:
    """One SELECT for all rules whose verdicts stand in one place: to plan one for each would take longer than to read them."""
    rules: dict[str, dict[tuple[Verdict, ...], list[str]]] = {}
    for one in deferred:
        if one.saved is not None and one.counts:
            rules.setdefault(one.saved, {}).setdefault(tuple(sorted(one.counts)), []).append(one.rule)
    selects = []
    for saved, by_verdicts in rules.items():
        these = [f"(rule IN ({_listed(of)}) AND verdict IN ({_listed(verdicts)}))" for verdicts, of in by_verdicts.items()]
        selects.append(f"SELECT *, {_NONE} FROM ({saved}) WHERE {' OR '.join(these)}")
    return selects


def _listed(words: Iterable[str]) -> str:
    return ", ".join(quoted(str(word)) for word in words) or "NULL"
