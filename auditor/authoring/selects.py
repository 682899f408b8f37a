"""What is known of one SELECT of a view: its sources, its joins, and whether its rows are unique."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from auditor.authoring.view_queries import qualified_views
from auditor.facts.macros import AGGREGATES
from auditor.facts.needs import IDENTITIES

if TYPE_CHECKING:
    from sqlglot import exp


Relation: TypeAlias = "str | exp.Query | exp.Values"  # a fact table by its name; a SELECT or UNION; VALUES
Place: TypeAlias = tuple[str, str]  # (alias, column)
Words: TypeAlias = frozenset[tuple[str, frozenset[str]]]  # columns, each with the words that it may hold


class Scope:
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
        elif _is_hashed_key(part):
            return  # likewise: it says which of the rows that differ it is
        else:
            for child in part.iter_expressions():
                yield from self.columns(child)

    def conditions(self, alias: str) -> tuple[exp.Expr, ...]:
        """What a source is joined on."""
        join = self._joins.get(alias)
        on = None if join is None else join.args.get("on")
        return () if on is None else (on,)

    def is_left_joined(self, alias: str) -> bool:
        """Whether rows of the others stay where this source has none for them."""
        join = self._joins.get(alias)
        return join is not None and bool(join.side)

    def may_be_dropped(self, alias: str) -> bool:
        """Whether the rows stay the same without this source, as long as nobody asks for a column of it."""
        join = self._joins.get(alias)
        return join is not None and join.side == "LEFT" and self.is_single(alias)

    def is_single(self, alias: str) -> bool:
        """Whether a joined source has at most one row for each row of those before it."""
        if alias not in self._single:  # asked anew for every set of columns that somebody wants
            self._single[alias] = is_unique(self.sources[alias], {column for (_, column), _ in self._equalities(alias)})
        return self._single[alias]

    def words_of_sources(self, words: Words) -> Mapping[str, Words] | None:
        """By source, the words its columns may hold in rows of the SELECT that hold `words`; None: there is no such row."""
        from sqlglot import exp

        allowed: dict[Place, frozenset[str]] = {}
        limits = [(self._projection(name), of) for name, of in words]
        where = self._select.args.get("where")
        for term in () if where is None else where.this.flatten() if isinstance(where.this, exp.And) else (where.this,):
            if isinstance(term, exp.EQ | exp.In):
                literals = [term.expression] if isinstance(term, exp.EQ) else term.expressions
                if literals and all(isinstance(literal, exp.Literal) for literal in literals):
                    limits.append((term.this, frozenset(literal.name for literal in literals)))
        for part, of in limits:
            if isinstance(part, exp.Column):
                place = (part.table.lower(), part.name.lower())
                allowed[place] = allowed.get(place, of) & of
            elif isinstance(part, exp.Literal) and part.name not in of:
                return None
        if not all(allowed.values()):
            return None
        return {alias: frozenset((name, of) for (at, name), of in allowed.items() if at == alias) for alias in self.sources}

    def _projection(self, name: str) -> exp.Expr:
        projection: exp.Expr = next(part for part in self._select.expressions if part.alias_or_name.lower() == name).unalias()
        return projection

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
            table, number = origin(self.sources[alias], own[1])
            if isinstance(table, exp.Select) and _is_row_number(table, number):
                if not isinstance(other, exp.Column):
                    return False
                if origin(self.sources[other.table.lower()], other.name.lower()) != (table, number):
                    return False
        return True

    def decides_rows(self, projection: exp.Expr) -> bool:
        """Whether a projection has a say in which rows there are, wanted or not."""
        from sqlglot import exp

        name = projection.alias_or_name.lower()
        if name not in self._deciding:
            group = self._select.args.get("group")
            told_apart = bool(group and group.args.get("all")) and not aggregates(projection)
            distinct = self._select.args.get("distinct")
            kept_once = distinct is not None and (not _distinct_on(distinct) or name in _distinct_on(distinct))
            self._deciding[name] = kept_once or projection.find(exp.Explode, exp.Unnest) is not None or told_apart
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


def scope_of(select: exp.Query) -> Scope:
    """The scope of a SELECT, worked out once."""
    scopes = _scopes()
    if id(select) not in scopes:
        scopes[id(select)] = Scope(select)
    return scopes[id(select)]


@cache
def _scopes() -> dict[int, Scope]:
    """By the identity of their SELECT; `_views` keeps each SELECT for good."""
    return {}


def is_unique(relation: Relation, names: Collection[str]) -> bool:
    """Whether no two rows of `relation` have the same values in the columns `names`; false also where that is not known."""
    from sqlglot import exp

    if isinstance(relation, str):
        return relation in IDENTITIES and set(names) >= set(IDENTITIES[relation])
    if isinstance(relation, exp.Values):
        listed = [column.name.lower() for column in relation.args["alias"].columns]
        values = {name: [row.expressions[at].sql() for row in relation.expressions] for at, name in enumerate(listed)}
        return any(name in names and len(set(texts)) == len(texts) for name, texts in values.items())
    if not isinstance(relation, exp.Select):
        return False
    asked = (id(relation), frozenset(names))
    if asked not in _answers():
        _answers()[asked] = (relation, _is_unique_select(relation, names))
    return _answers()[asked][1]


@cache
def _answers() -> dict[tuple[int, frozenset[str]], tuple[exp.Select, bool]]:
    """By the identity of a SELECT, which is kept here so that no other gets it, and columns of it: whether no two rows agree in them."""
    return {}


def _is_unique_select(relation: exp.Select, names: Collection[str]) -> bool:
    from sqlglot import exp

    if any(projection.find(exp.Explode, exp.Unnest) for projection in relation.expressions):
        return False
    projections = {projection.alias_or_name.lower(): projection.unalias() for projection in relation.expressions}
    group = relation.args.get("group")
    if group is not None:
        if group.args.get("all"):
            return {name for name, projection in projections.items() if not aggregates(projection)} <= set(names)
        return all(any(projections.get(name) == key for name in names) for key in group.expressions)
    if (distinct := relation.args.get("distinct")) is not None:
        return (_distinct_on(distinct) or set(projections)) <= set(names)
    if any(aggregates(projection) for projection in projections.values()):
        return True  # one row in all
    if any(_is_row_number(relation, name) for name in names):
        return True
    wanted = [projection for name, projection in projections.items() if name in names]
    plain = {(p.table.lower(), p.name.lower()) for p in wanted if isinstance(p, exp.Column)}
    return scope_of(relation).is_determined_by(plain)


def aggregates(projection: exp.Expr) -> bool:
    """Whether a projection is one value of many rows."""
    from sqlglot import exp

    aggregates = (found for found in projection.find_all(exp.AggFunc, exp.Filter) if not isinstance(found.parent, exp.Window))
    macros = (found for found in projection.find_all(exp.Anonymous) if found.name.lower() in AGGREGATES)
    return any(True for _ in aggregates) or any(True for _ in macros)


def _is_row_number(select: exp.Select, name: str) -> bool:
    from sqlglot import exp

    projection = next(part for part in select.expressions if part.alias_or_name.lower() == name)
    return any(isinstance(window.this, exp.RowNumber) for window in projection.find_all(exp.Window))


def _is_hashed_key(part: exp.Expr) -> bool:
    """Whether this is `hash(...) AS ..._key`: a key that rows have in common where all that is hashed is the same."""
    from sqlglot import exp

    return (
        isinstance(part, exp.Anonymous) and part.name.lower() == "hash" and part.parent is not None and part.parent.alias.endswith("_key")
    )


def _distinct_on(distinct: exp.Expr) -> set[str]:
    """The columns that DISTINCT ON names; empty for a plain DISTINCT, which compares all columns."""
    on = distinct.args.get("on")
    return set() if on is None else {column.name.lower() for column in on.expressions}


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
    return qualified_views()[name]


def origin(relation: Relation, name: str) -> tuple[Relation, str]:
    """The relation that a column comes from unchanged, and its name there: a fact table, or the SELECT that computes it."""
    from sqlglot import exp

    while isinstance(relation, exp.Select):
        projection = next(part for part in relation.expressions if part.alias_or_name.lower() == name).unalias()
        scope = scope_of(relation)
        plain = projection if isinstance(projection, exp.Column) else scope.plain(projection)
        if plain is None or not scope.is_looked_up_by_its_own_number(plain.table.lower()):
            break
        relation, name = scope.sources[plain.table.lower()], plain.name.lower()
    return relation, name
