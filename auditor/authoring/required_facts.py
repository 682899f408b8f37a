"""Which fact tables a view cannot do without: where one of them has no row, neither has the view."""

from __future__ import annotations

from auditor.authoring.view_queries import Relation, aggregates, qualified_views, scope_of


def required_facts(view: str) -> frozenset[str]:
    """The fact tables without whose rows a view has none. It may name too few, and never one too many."""
    return required_by(qualified_views()[view])


def required_by(relation: Relation) -> frozenset[str]:
    """The same of a qualified query, or of a fact table by its name."""
    from sqlglot import exp

    if isinstance(relation, str):
        return frozenset({relation})
    if isinstance(relation, exp.Union):
        return _required_by_side(relation.left) & _required_by_side(relation.right)
    if not isinstance(relation, exp.Select):
        return frozenset()
    group = relation.args.get("group")
    if group is None and any(aggregates(projection.unalias()) for projection in relation.expressions):
        return frozenset()  # one row in all, whatever there is
    if group is not None and group.find(exp.Rollup, exp.Cube, exp.GroupingSets) is not None:
        return frozenset()  # a grand total has a row, whatever there is
    scope = scope_of(relation)
    return frozenset[str]().union(*(required_by(source) for alias, source in scope.sources.items() if not scope.is_left_joined(alias)))


def _required_by_side(side: object) -> frozenset[str]:
    from sqlglot import exp

    query = side.unnest() if isinstance(side, exp.Query) else None
    return required_by(query) if isinstance(query, exp.Query) else frozenset()
