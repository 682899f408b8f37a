"""Which columns of the fact tables a view's columns rest on, found in the views' own SQL.

Whatever decides which rows there are (FROM, WHERE, GROUP BY, the condition of a join) counts for every column. Only a LEFT JOIN is left
out, and only where nothing asks for a column of its right side and that side has at most one row for each row of the left: then it
changes nothing. A side of a UNION is left out where only rows are wanted whose word in a column it does not have. What cannot be known
stays. So the answer may name too much, and never too little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.authoring.selects import Place, Relation, Scope, Words, origin, scope_of
from auditor.authoring.view_queries import qualified_views
from auditor.facts.schema import TOPICS

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, slots=True)
class Rests:
    """What some columns of a view rest on."""

    columns: frozenset[tuple[str, str]]  # (fact table, column); "" as the column is the table's rows as such
    topics: frozenset[str]  # whose row in the table `reading` is looked at


def rests_on(wanted: Iterable[tuple[str, Iterable[str]]]) -> Rests:
    """What columns of views, and which rows these views have, rest on; `wanted` are a view and columns of it each.

    Raises:
        KeyError: the view has no such column.
        NotImplementedError: the view is written in a form that is not known here.
    """
    walk = _Walk()
    for view, columns in wanted:
        walk.want(qualified_views()[view], frozenset(column.lower() for column in columns))
    return Rests(frozenset(walk.columns), frozenset(walk.topics))


def plain_fact(view: str, column: str) -> tuple[str, str] | None:
    """The fact table and column that a view's column hands on as it is; None when the view computes it."""
    relation, name = origin(qualified_views()[view], column.lower())
    return (relation, name) if isinstance(relation, str) else None


@dataclass(slots=True)
class _Walk:
    """Goes from what is wanted of a relation to what is wanted of the relations it is made of."""

    columns: set[tuple[str, str]] = field(default_factory=set)
    topics: set[str] = field(default_factory=set)
    _done: set[tuple[int, frozenset[str], Words]] = field(default_factory=set)

    def want(self, relation: Relation, names: frozenset[str], words: Words = frozenset()) -> None:
        """Ask for the rows of `relation` with these columns, and of them only those that have one of `words` in each column it names."""
        from sqlglot import exp

        if isinstance(relation, str):
            self.columns |= {(relation, ""), *((relation, name) for name in names if name != "rowid")}
        elif isinstance(relation, exp.Values) or (id(relation), names, words) in self._done:
            return
        elif isinstance(relation, exp.Union):
            self._done.add((id(relation), names, words))
            columns = [name.lower() for name in relation.named_selects]
            places = [at for at, name in enumerate(columns) if relation.args.get("distinct") or name in names]
            for side in (relation.left, relation.right):
                own = [name.lower() for name in side.named_selects]
                self.want(side, frozenset(own[at] for at in places), frozenset((own[columns.index(name)], of) for name, of in words))
        else:
            self._done.add((id(relation), names, words))
            self._want_select(relation, names, words)

    def _want_select(self, select: exp.Query, names: frozenset[str], words: Words) -> None:
        scope = scope_of(select)
        words_of = scope.words_of_sources(words)
        if words_of is None:
            return
        projections = {projection.alias_or_name.lower(): projection for projection in select.expressions}
        if unknown := names - projections.keys():
            raise KeyError(f"no column {sorted(unknown)} in {select.sql()[:80]}")
        wanted = [projection for name, projection in projections.items() if name in names or scope.decides_rows(projection)]
        wanted += [part for key in ("where", "having", "qualify", "group") if (part := select.args.get(key)) is not None]
        needed = {alias for alias in scope.sources if not scope.may_be_dropped(alias)}
        places = {place for part in wanted for place in self._places(scope, part)}
        joined: set[str] = set()
        while joined != needed | {alias for alias, _ in places}:
            joined = needed | {alias for alias, _ in places}
            places |= {place for alias in joined for part in scope.conditions(alias) for place in self._places(scope, part)}
        for alias in joined:
            self.want(scope.sources[alias], frozenset(name for of, name in places if of == alias), words_of.get(alias, frozenset()))

    def _places(self, scope: Scope, part: exp.Expr) -> Iterator[Place]:
        for column in scope.columns(part):
            place = (column.table.lower(), column.name.lower())
            if place[1] == "topic" and scope.sources[place[0]] == "reading":
                self.topics |= _topics_compared(column)
            yield place


def _topics_compared(topic: exp.Expr) -> frozenset[str]:
    """The topics a comparison of reading.topic names; all of them where it is not compared with plain words."""
    from sqlglot import exp

    parent = topic.parent
    others = [parent.this, parent.expression] if isinstance(parent, exp.EQ) else parent.expressions if isinstance(parent, exp.In) else []
    words = [other for other in others if other is not topic]
    if not words or not all(isinstance(word, exp.Literal) and word.is_string for word in words):
        return TOPICS
    return frozenset(word.name for word in words) & TOPICS
