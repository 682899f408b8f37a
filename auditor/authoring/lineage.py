"""Which columns of the fact tables a view's columns rest on, found in the views' own SQL.

Whatever decides which rows there are (FROM, WHERE, GROUP BY, the condition of a join) counts for every column. Only a LEFT JOIN is left
out, and only where nothing asks for a column of its right side and that side has at most one row for each row of the left: then it
changes nothing. Where that is not certain it stays. So the answer may name too much, and never too little.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, TypeAlias

from auditor.authoring.view_files import view_files
from auditor.facts.macros import AGGREGATES
from auditor.facts.needs import IDENTITIES
from auditor.facts.schema import TABLES, TOPICS

if TYPE_CHECKING:
    from sqlglot import exp

Relation: TypeAlias = "str | exp.Query | exp.Values"  # a fact table by its name; a SELECT or UNION; VALUES
Place: TypeAlias = tuple[str, str]  # (alias, column)


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
        walk.want(_views()[view], frozenset(column.lower() for column in columns))
    return Rests(frozenset(walk.columns), frozenset(walk.topics))


def dependencies(view: str) -> frozenset[str]:
    """The views and steps that the SQL of a view or step names."""
    return _named_in(parsed_views()[view])


@cache
def parsed_views() -> Mapping[str, exp.Expr]:
    """The query of every view and step as it is written, each after those it names."""
    import sqlglot

    queries = {name: sqlglot.parse_one(file.sql, dialect="duckdb") for name, file in view_files().items()}
    order = TopologicalSorter({name: sorted(_named_in(query)) for name, query in queries.items()})
    return {name: queries[name] for name in order.static_order()}


def _named_in(query: exp.Expr) -> frozenset[str]:
    from sqlglot import exp

    own = {part.alias.lower() for part in query.find_all(exp.CTE)}
    return frozenset(table.name.lower() for table in query.find_all(exp.Table) if not table.db and table.name.lower() not in own)


def plain_fact(view: str, column: str) -> tuple[str, str] | None:
    """The fact table and column that a view's column hands on as it is; None when the view computes it."""
    relation, name = _origin(_views()[view], column.lower())
    return (relation, name) if isinstance(relation, str) else None


def _origin(relation: Relation, name: str) -> tuple[Relation, str]:
    """The relation that a column comes from unchanged, and its name there: a fact table, or the SELECT that computes it."""
    from sqlglot import exp

    while isinstance(relation, exp.Select):
        projection = next(part for part in relation.expressions if part.alias_or_name.lower() == name).unalias()
        scope = _scope(relation)
        plain = projection if isinstance(projection, exp.Column) else scope.plain(projection)
        if plain is None or not scope.is_looked_up_by_its_own_number(plain.table.lower()):
            break
        relation, name = scope.sources[plain.table.lower()], plain.name.lower()
    return relation, name


@cache
def _views() -> Mapping[str, exp.Query]:
    """Every view's query with all names resolved: each column has its source, stars and USING are written out."""
    from sqlglot import exp
    from sqlglot.optimizer.qualify import qualify
    from sqlglot.schema import MappingSchema

    # Names here are in lower case, so that there is nothing to normalise.
    schema = MappingSchema(dialect="duckdb", normalize=False)
    for name, table in TABLES.items():
        schema.add_table(f'fact."{name}"', {**{column.name: column.type for column in table.columns}, "rowid": "BIGINT"})
    views: dict[str, exp.Query] = {}
    for name, query in parsed_views().items():
        qualified = qualify(
            query.copy(), schema=schema, dialect="duckdb", db="main", validate_qualify_columns=False, quote_identifiers=False
        )
        if not isinstance(qualified, exp.Query):
            raise NotImplementedError(f"view {name} is not a query")
        views[name] = qualified
        schema.add_table(f'main."{name}"', dict.fromkeys(views[name].named_selects, "VARCHAR"))
    return views


@dataclass(slots=True)
class _Walk:
    """Goes from what is wanted of a relation to what is wanted of the relations it is made of."""

    columns: set[tuple[str, str]] = field(default_factory=set)
    topics: set[str] = field(default_factory=set)
    _done: set[tuple[int, frozenset[str]]] = field(default_factory=set)

    def want(self, relation: Relation, names: frozenset[str]) -> None:
        """Ask for the rows of `relation` with these columns."""
        from sqlglot import exp

        if isinstance(relation, str):
            self.columns |= {(relation, ""), *((relation, name) for name in names if name != "rowid")}
        elif isinstance(relation, exp.Values) or (id(relation), names) in self._done:
            return
        elif isinstance(relation, exp.Union):
            self._done.add((id(relation), names))
            places = [at for at, name in enumerate(relation.named_selects) if relation.args.get("distinct") or name.lower() in names]
            for side in (relation.left, relation.right):
                side_names = side.named_selects
                self.want(side, frozenset(side_names[at].lower() for at in places))
        else:
            self._done.add((id(relation), names))
            self._want_select(relation, names)

    def _want_select(self, select: exp.Query, names: frozenset[str]) -> None:
        scope = _scope(select)
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
            self.want(scope.sources[alias], frozenset(name for of, name in places if of == alias))

    def _places(self, scope: _Scope, part: exp.Expr) -> Iterator[Place]:
        for column in scope.columns(part):
            place = (column.table.lower(), column.name.lower())
            if place[1] == "topic" and scope.sources[place[0]] == "reading":
                self.topics |= _topics_compared(column)
            yield place


class _Scope:
    """One SELECT: its sources by alias, and how they are joined."""

    def __init__(self, select: exp.Query) -> None:
        from sqlglot import exp

        for kind in (exp.Window, exp.Lateral, exp.Pivot):
            if any(found.parent_select is select and not _is_number(found) for found in select.find_all(kind)):
                raise NotImplementedError(f"a view holds a {kind.__name__}, whose columns are not followed: {select.sql()[:80]}")
        self._select = select
        self._single: dict[str, bool] = {}  # by alias
        self._deciding: dict[str, bool] = {}  # by the name of a projection
        self.sources: dict[str, Relation] = {}
        self._joins: dict[str, exp.Join] = {}
        self._same: dict[Place, Place] = {}  # a column that is equal to an earlier one, or NULL because its row is
        first = select.args.get("from_") or select.args.get("from")
        if first is not None:
            self.sources[first.this.alias_or_name.lower()] = _relation(first.this)
        for join in select.args.get("joins") or ():
            alias = join.this.alias_or_name.lower()
            if (join.side or "LEFT") != "LEFT" or join.args.get("kind", "") not in ("", "INNER", "OUTER", "CROSS"):
                raise NotImplementedError(f"a view joins in a way that is not followed: {join.sql()[:80]}")
            self.sources[alias] = _relation(join.this)
            self._joins[alias] = join
            for own, other in self._equalities(alias):
                if isinstance(other, exp.Column):
                    self._same[own] = self._first(other)

    def columns(self, part: exp.Expr) -> Iterator[exp.Column]:
        """The columns an expression reads; of COALESCE(a.x, b.x), which USING becomes, only a.x where b.x can be nothing else."""
        from sqlglot import exp

        if isinstance(part, exp.Query):
            raise NotImplementedError(f"a view holds a subquery in an expression: {part.sql()[:80]}")
        if isinstance(part, exp.Column):
            if part.table.lower() not in self.sources:
                raise NotImplementedError(f"it is not known where {part.sql()} comes from")
            yield part
        elif (plain := self.plain(part)) is not None:
            yield plain
        elif isinstance(part, exp.Window) and isinstance(part.this, exp.RowNumber):
            return  # a key made up for a row: it says which row it is, whatever the rows are ordered by
        else:
            for child in part.iter_expressions():
                yield from self.columns(child)

    def conditions(self, alias: str) -> tuple[exp.Expr, ...]:
        """What a source is joined on."""
        join = self._joins.get(alias)
        on = None if join is None else join.args.get("on")
        return () if on is None else (on,)

    def may_be_dropped(self, alias: str) -> bool:
        """Whether the rows stay the same without this source, as long as nobody asks for a column of it."""
        join = self._joins.get(alias)
        return join is not None and join.side == "LEFT" and self.is_single(alias)

    def is_single(self, alias: str) -> bool:
        """Whether a joined source has at most one row for each row of those before it."""
        if alias not in self._single:  # asked anew for every set of columns that somebody wants
            self._single[alias] = is_unique(self.sources[alias], {column for (_, column), _ in self._equalities(alias)})
        return self._single[alias]

    def is_determined_by(self, known: set[Place]) -> bool:
        """Whether two rows of the SELECT that agree in these columns are one row: each source has at most one row for them."""
        from sqlglot import exp

        known, settled = set(known), set[str]()
        before = -1
        while before != len(known) + len(settled):
            before = len(known) + len(settled)
            settled |= {alias for alias, of in self.sources.items() if is_unique(of, {name for at, name in known if at == alias})}
            for alias, join in self._joins.items():
                for own, other in self._equalities(alias):
                    if all((c.table.lower() in settled) or (c.table.lower(), c.name.lower()) in known for c in self.columns(other)):
                        known.add(own)
                    # A LEFT JOIN leaves NULL on its right side, which says nothing of the left.
                    elif not join.side and isinstance(other, exp.Column) and (alias in settled or own in known):
                        known.add((other.table.lower(), other.name.lower()))
        return settled == self.sources.keys()

    def is_looked_up_by_its_own_number(self, alias: str) -> bool:
        """Whether a source that is joined by a row number of its own is joined by a number taken from it, not by a computed one."""
        from sqlglot import exp

        for own, other in self._equalities(alias):
            table, number = _origin(self.sources[alias], own[1])
            if isinstance(table, exp.Select) and _is_row_number(table, number):
                if not isinstance(other, exp.Column):
                    return False
                if _origin(self.sources[other.table.lower()], other.name.lower()) != (table, number):
                    return False
        return True

    def decides_rows(self, projection: exp.Expr) -> bool:
        """Whether a projection has a say in which rows there are, wanted or not."""
        from sqlglot import exp

        name = projection.alias_or_name.lower()
        if name not in self._deciding:
            group = self._select.args.get("group")
            told_apart = bool(group and group.args.get("all")) and not _aggregates(projection)
            distinct = self._select.args.get("distinct") is not None
            self._deciding[name] = distinct or projection.find(exp.Explode, exp.Unnest) is not None or told_apart
        return self._deciding[name]

    def plain(self, part: exp.Expr) -> exp.Column | None:
        """The one column that COALESCE(a.x, b.x) can only be; None of anything else."""
        from sqlglot import exp

        if not isinstance(part, exp.Coalesce):
            return None
        arguments = [part.this, *part.expressions]
        first = arguments[0]
        if not isinstance(first, exp.Column) or not all(isinstance(other, exp.Column) for other in arguments):
            return None
        place = self._first(first)
        return first if all(self._first(other) == place for other in arguments) else None

    def _first(self, column: exp.Column) -> Place:
        place = (column.table.lower(), column.name.lower())
        return self._same.get(place, place)

    def _equalities(self, alias: str) -> Iterator[tuple[Place, exp.Expr]]:
        """Each column of `alias` that its join sets equal to something of other sources, and that."""
        from sqlglot import exp

        for on in self.conditions(alias):
            for term in on.flatten() if isinstance(on, exp.And) else (on,):
                if not isinstance(term, exp.EQ | exp.NullSafeEQ):
                    continue
                for own, other in ((term.this, term.expression), (term.expression, term.this)):
                    plain = self.plain(other) or other
                    if (
                        isinstance(own, exp.Column)
                        and own.table.lower() == alias
                        and all(c.table.lower() != alias for c in self.columns(other))
                    ):
                        yield (alias, own.name.lower()), plain


def _scope(select: exp.Query) -> _Scope:
    """The scope of a SELECT, worked out once."""
    scopes = _scopes()
    if id(select) not in scopes:
        scopes[id(select)] = _Scope(select)
    return scopes[id(select)]


@cache
def _scopes() -> dict[int, _Scope]:
    """By the identity of their SELECT, each of which `_views` keeps for good."""
    return {}


def is_unique(relation: Relation, names: Collection[str]) -> bool:
    """Whether no two rows of `relation` have the same values in the columns `names`; false also where that is not certain."""
    from sqlglot import exp

    if isinstance(relation, str):
        return relation in IDENTITIES and set(names) >= set(IDENTITIES[relation])
    if isinstance(relation, exp.Values):
        listed = [column.name.lower() for column in relation.args["alias"].columns]
        values = {name: [row.expressions[at].sql() for row in relation.expressions] for at, name in enumerate(listed)}
        return any(name in names and len(set(texts)) == len(texts) for name, texts in values.items())
    if not isinstance(relation, exp.Select) or any(projection.find(exp.Explode, exp.Unnest) for projection in relation.expressions):
        return False
    projections = {projection.alias_or_name.lower(): projection.unalias() for projection in relation.expressions}
    group = relation.args.get("group")
    if group is not None:
        if group.args.get("all"):
            return {name for name, projection in projections.items() if not _aggregates(projection)} <= set(names)
        return all(any(projections.get(name) == key for name in names) for key in group.expressions)
    if relation.args.get("distinct"):
        return set(projections) <= set(names)
    if any(_aggregates(projection) for projection in projections.values()):
        return True  # one row in all
    if any(_is_row_number(relation, name) for name in names):
        return True
    wanted = [projection for name, projection in projections.items() if name in names]
    plain = {(p.table.lower(), p.name.lower()) for p in wanted if isinstance(p, exp.Column)}
    return _scope(relation).is_determined_by(plain)


def _aggregates(projection: exp.Expr) -> bool:
    """Whether a projection is one value of many rows."""
    from sqlglot import exp

    aggregates = (found for found in projection.find_all(exp.AggFunc, exp.Filter) if not isinstance(found.parent, exp.Window))
    macros = (found for found in projection.find_all(exp.Anonymous) if found.name.lower() in AGGREGATES)
    return any(True for _ in aggregates) or any(True for _ in macros)


def _is_row_number(select: exp.Select, name: str) -> bool:
    from sqlglot import exp

    projection = next(part for part in select.expressions if part.alias_or_name.lower() == name)
    return any(isinstance(window.this, exp.RowNumber) for window in projection.find_all(exp.Window))


def _is_number(window: exp.Expr) -> bool:
    """Whether a window function only numbers rows (`row_number`), or groups of equal rows (`dense_rank`)."""
    from sqlglot import exp

    return isinstance(window, exp.Window) and isinstance(window.this, exp.RowNumber | exp.DenseRank) and not window.args.get("partition_by")


def _relation(source: exp.Expr) -> Relation:
    """What stands behind a name in FROM or JOIN."""
    from sqlglot import exp

    behind = source.this if isinstance(source, exp.Subquery) else source
    if isinstance(behind, exp.Query | exp.Values):
        return behind
    if not isinstance(source, exp.Table):
        raise NotImplementedError(f"a view reads from something that is not followed: {source.sql()[:80]}")
    name = source.name.lower()
    if source.db == "fact":
        return name
    around = None if source.db else source.find_ancestor(exp.Query)
    while around is not None:
        for cte in around.ctes:
            if cte.alias.lower() == name and isinstance(cte.this, exp.Query | exp.Values):
                return cte.this
        around = around.find_ancestor(exp.Query)
    return _views()[name]


def _topics_compared(topic: exp.Expr) -> frozenset[str]:
    """The topics a comparison of reading.topic names; all of them where it is not compared with plain words."""
    from sqlglot import exp

    parent = topic.parent
    others = [parent.this, parent.expression] if isinstance(parent, exp.EQ) else parent.expressions if isinstance(parent, exp.In) else []
    words = [other for other in others if other is not topic]
    if not words or not all(isinstance(word, exp.Literal) and word.is_string for word in words):
        return TOPICS
    return frozenset(word.name for word in words) & TOPICS
