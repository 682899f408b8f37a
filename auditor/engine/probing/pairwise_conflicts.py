"""Two rules over one grid of rows that both can judge, and the rows on which they disagree.

A failing or passing example of one is laid over one of the other; these, and what they become when any two columns have another value
(grid.py), are judged by both as an audit judges. Columns of two views that are called alike are taken for the same fact. What belongs
together by the views themselves (an option, and whether it is one of the primitives) is only tried together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from auditor.engine.probing.grid import fill, fill_grid, values_of
from auditor.engine.rules.params import bindings_of
from auditor.engine.rules.rule import Rule, Views
from auditor.engine.rules.types import Family, family_of
from auditor.engine.verdict_rows import decoded
from auditor.engine.verdict_sql import before, changed_columns, fixed_sql, judging_sql, verdict_sql
from auditor.facts.catalog import all_view_columns
from auditor.facts.schema import create_tables
from auditor.facts.views import RESOURCE_COLUMNS, create_views
from auditor.model import Scalar, Verdict
from auditor.sql.names import named, quoted

if TYPE_CHECKING:
    import duckdb

    from auditor.engine.rules.rule import ParamValue

PART_OF: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "protocol_endpoint": ("device", {"is_protocol_endpoint": True, "is_shared": True}),
}
"""Views whose rows are rows of another view: that view, and the values that they have there. A test holds this to the views."""

_ENDPOINTS, _FAMILIES = "protocol_endpoint", "step_shared_queue"
_MOST_VALUES = 24
_MOST_STARTS = 6
_ENTRY = "option"  # the key column of rows that a view lists by itself


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two rules and one setting.

    Attributes:
        rules: the one that would write, and the other.
        wants: what the first would write; what the second would, or what it passes with.
        breaks: the second passes before the fix of the first, and fails after it.
        row: a row on which it happens; columns that are NULL, and those that neither rule looks at, are left out.
    """

    rules: tuple[Rule, Rule]
    wants: tuple[Scalar, Scalar]
    breaks: bool
    row: Mapping[str, Any]


class PairwiseConflict:
    """Looks for a row on which two rules disagree, in a table `row` of rows that both can judge."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        views: Views,
        rules: tuple[Rule, Rule],
        values: tuple[Mapping[str, ParamValue], Mapping[str, ParamValue]],
    ) -> None:
        self._connection, self._rules = connection, rules
        self._values = {rule.id: given for rule, given in zip(rules, values, strict=True)}
        self._views = {rule.id: views[rule.over] for rule in rules}
        self._shape = {column: kind for rule in reversed(rules) for column, kind in views[rule.over].items()}

    def disagreement(self) -> Disagreement | None:
        """The first disagreement; None when there is none, or the rules cannot be judged together."""
        import duckdb

        if any(self._shape[column] != kind for view in self._views.values() for column, kind in view.items()):
            return None
        one, other = self._rules
        try:
            self._lay_out()
            return self._both_write() or self._breaks(one, other) or self._breaks(other, one)
        except (duckdb.DataError, duckdb.InvalidInputException):
            # A cast that a rule guards by the content of its view: here nothing guards it. Or a param of the fleet that is no pattern:
            # judging reports that.
            return None

    def _both_write(self) -> Disagreement | None:
        """A row on which both fail, and their fixes write different values."""
        if not may_write_the_same(*self._rules):
            return None
        for table, rule in zip(("mine", "its"), self._rules, strict=True):
            judged = judging_sql(rule, self._views[rule.id], "row", "true")
            wanted = f"SELECT resource_id, after FROM ({judged}) WHERE verdict = {quoted(Verdict.FAIL)} AND obstacle IS NULL"
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} (resource_id VARCHAR, after VARCHAR)")
            self._connection.execute(f"INSERT INTO {table} {wanted}", self._bound(rule))
        select = "SELECT resource_id, a.after, b.after FROM mine AS a JOIN its AS b USING (resource_id) WHERE a.after <> b.after"
        row = self._connection.execute(f"{select} ORDER BY CAST(resource_id AS BIGINT) LIMIT 1").fetchone()
        return None if row is None else Disagreement(self._rules, (decoded(row[1]), decoded(row[2])), breaks=False, row=self._row(row[0]))

    def _breaks(self, fixing: Rule, other: Rule) -> Disagreement | None:
        """A row on which the fix of one makes the other fail, which passed before."""
        if fixing.fix is None or not may_break(fixing, other):
            return None
        columns = ", ".join(f"{named(name)} {kind}" for name, kind in self._shape.items())
        earlier = ", ".join(f"{named(before(name))} {self._shape[name]}" for name in sorted(changed_columns(fixing.fix)))
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE fixed ({columns}, {earlier})")
        fixed = fixed_sql(fixing, self._views[fixing.id], "row", "true", self._shape)
        self._connection.execute(f"INSERT INTO fixed {fixed}", self._bound(fixing))
        passing = f"SELECT resource_id FROM row WHERE {verdict_sql(other)} = {quoted(Verdict.PASS)}"
        failing = f"SELECT * FROM fixed WHERE {verdict_sql(other)} = {quoted(Verdict.FAIL)}"
        values = f"{named(fixing.fix.column)}, {named(before(fixing.fix.column))}"
        broken = f"SELECT resource_id, {values} FROM ({failing}) SEMI JOIN ({passing}) USING (resource_id)"
        bound = self._bound(other, judging=True)
        row = self._connection.execute(f"{broken} ORDER BY CAST(resource_id AS BIGINT) LIMIT 1", bound).fetchone()
        return None if row is None else Disagreement((fixing, other), (row[1], row[2]), breaks=True, row=self._row(row[0]))

    def _lay_out(self) -> None:
        """Make the table `row`: the grid, with every column of both views, and a number as its resource_id."""
        looked_at = sorted({column for rule in self._rules for column in _looked_at(rule)} - set(RESOURCE_COLUMNS))
        shape = {column: self._shape[column] for column in looked_at}
        starts = _starts(*self._rules)
        expressions = [expression for rule in self._rules for expression in rule.expressions]
        params = [value for values in self._values.values() for value in values.values()]
        fill(self._connection, "example", shape, starts)
        fill_grid(self._connection, shape, values_of(shape, starts, expressions, params, _MOST_VALUES))
        cells = ", ".join([*map(named, shape), *(self._filler(column) for column in self._shape if column not in shape)])
        held = " AND ".join([*self._belongs_together(looked_at), *self._same_target(), "true"])
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE row AS SELECT * FROM (SELECT {cells} FROM grid) WHERE {held}")
        for rule in self._rules:  # few are left to be judged in full
            judged = f"{verdict_sql(rule)} IN ({quoted(Verdict.FAIL)}, {quoted(Verdict.PASS)})"
            self._connection.execute(f"DELETE FROM row WHERE NOT {judged}", self._bound(rule, judging=True))

    def _filler(self, column: str) -> str:
        kind = self._shape[column]
        if column == "resource_id":
            value = "CAST(row_number() OVER () AS VARCHAR)"
        elif family_of(kind) is Family.TEXT and any(column in _place_columns(rule) for rule in self._rules):
            value = quoted("example")  # only says where the setting lives
        else:
            value = f"CAST(NULL AS {kind})"
        return f"{value} AS {named(column)}"

    def _belongs_together(self, looked_at: Collection[str]) -> Iterator[str]:
        for rule in self._rules:
            for column, value in PART_OF.get(rule.over, ("", {}))[1].items():
                if column in self._shape:
                    yield f"{named(column)} = {value}"
            if rule.over == _ENDPOINTS and "family" in looked_at:
                for family, column, known in _family_facts():
                    if column in looked_at:
                        yield f"({named('family')} IS DISTINCT FROM {quoted(family)} OR {named(column)} = {known})"
            entries = listed_rows(rule.over)
            if entries:
                yield "(" + " OR ".join("(" + " AND ".join(_equals(*cell) for cell in entry.items()) + ")" for entry in entries) + ")"

    def _same_target(self) -> Iterator[str]:
        mine, its = (rule.fix for rule in self._rules)
        if mine is None or its is None or not may_write_the_same(*self._rules):
            return
        for key, expression in mine.target.items():
            if expression.text != its.target[key].text:
                yield f"CAST(({expression.text}) AS VARCHAR) IS NOT DISTINCT FROM CAST(({its.target[key].text}) AS VARCHAR)"

    def _bound(self, rule: Rule, *, judging: bool = False) -> dict[str, Any]:
        return bindings_of(rule.judging if judging else rule.expressions, self._values[rule.id])

    def _row(self, number: str) -> dict[str, Any]:
        looked_at = sorted({column for rule in self._rules for column in rule.weighed})
        select = f"SELECT {', '.join(map(named, looked_at))} FROM row WHERE resource_id = ?"
        row = self._connection.execute(select, [number]).fetchone() or ()
        return {column: value for column, value in zip(looked_at, row, strict=True) if value is not None}


def may_write_the_same(one: Rule, other: Rule) -> bool:
    """Whether their fixes may write one setting, and not the same constant to it."""
    mine, its = one.fix, other.fix
    if mine is None or its is None or (mine.remediator, mine.target.keys()) != (its.remediator, its.target.keys()):
        return False
    if mine.value == its.value and not mine.value.columns and not mine.value.params:
        return False
    my_entries, its_entries = _entries(one), _entries(other)
    if my_entries is not None and its_entries is not None and not my_entries & its_entries:
        return False
    return all(mine.target[key].text == its.target[key].text or mine.target[key].columns or its.target[key].columns for key in mine.target)


def may_break(fixing: Rule, other: Rule) -> bool:
    """Whether one looks at what the other's fix changes, in the same row."""
    if fixing.fix is None or (fixing.over != other.over and PART_OF.get(fixing.over, ("",))[0] != other.over):
        return False
    return bool(changed_columns(fixing.fix) & other.weighed)


def _entries(rule: Rule) -> frozenset[str] | None:
    """The options it may write; None: any, or it does not write options."""
    if rule.fix is None or _ENTRY not in rule.fix.target:
        return None
    expression = rule.fix.target[_ENTRY]
    if not expression.columns:
        return frozenset({expression.text.strip("'")})
    return frozenset(entry[_ENTRY] for entry in listed_rows(rule.over)) or None


def _place_columns(rule: Rule) -> set[str]:
    """Columns that say where its setting lives."""
    return {column for expression in (rule.fix.target.values() if rule.fix else ()) for column in expression.columns}


def _looked_at(rule: Rule) -> frozenset[str]:
    """Columns that decide whether and what it writes."""
    if rule.fix is None:
        return rule.weighed
    fix = rule.fix
    writing = [fix.value, *([fix.when] if fix.when is not None else []), *fix.predicted.values()]
    written = {column for expression in writing for column in expression.columns}
    return rule.weighed | written | {fix.column} | (_place_columns(rule) & {_ENTRY})


def _starts(one: Rule, other: Rule) -> Sequence[Mapping[str, Any]]:
    """Examples of one laid over examples of the other: half of them fail both rules, the rest fail or pass either."""
    judged = (Verdict.FAIL, Verdict.PASS)
    mine, its = ([example for example in rule.examples if example.verdict in judged] for rule in (one, other))
    failing, others = list[Mapping[str, Any]](), list[Mapping[str, Any]]()
    for a in mine:
        for b in its:
            pairs = failing if a.verdict is b.verdict is Verdict.FAIL else others
            pairs += ({**b.row, **a.row}, {**a.row, **b.row})
    most = _MOST_STARTS // 2
    return [*_spread(failing, most), *_spread(others, _MOST_STARTS - most)]


def _spread(rows: Sequence[Mapping[str, Any]], most: int) -> Sequence[Mapping[str, Any]]:
    """At most `most` of the rows, from all over the list: the first few would all be of one example."""
    return rows[:: max(1, -(-len(rows) // most))]


@cache
def _family_facts() -> tuple[tuple[str, str, bool], ...]:
    """What the views know of each family's protocol endpoints: the family, a column, and its value for it."""
    import duckdb

    with duckdb.connect() as connection:
        create_tables(connection)
        create_views(connection, views={_FAMILIES})
        columns = ("stalls_neighbours", "is_deepened")
        rows = connection.execute(f"SELECT family, {', '.join(columns)} FROM {_FAMILIES}").fetchall()
    return tuple((family, column, value) for family, *values in rows for column, value in zip(columns, values, strict=True))


def _equals(column: str, value: object) -> str:
    return f"{named(column)} = {quoted(value) if isinstance(value, str) else value}"


@cache
def listed_rows(view: str) -> tuple[Mapping[str, Any], ...]:
    """The rows that a view lists for every host, whatever was read of it: its rows for a host about which nothing was read.

    () for views that list nothing.
    """
    import duckdb

    if _ENTRY not in all_view_columns().get(view, {}):
        return ()
    with duckdb.connect() as connection:
        create_tables(connection)
        connection.execute("INSERT INTO fact.host (endpoint, host_id, name) VALUES ('endpoint', 'host', 'host')")
        create_views(connection, views={view})
        answer = connection.execute(f'SELECT * EXCLUDE ({", ".join(RESOURCE_COLUMNS)}, host_id) FROM "{view}"')
        names = [column[0] for column in answer.description or []]
        rows = answer.fetchall()
    return tuple({name: value for name, value in zip(names, row, strict=True) if value is not None} for row in rows)
