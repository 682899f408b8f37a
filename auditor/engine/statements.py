"""Runs statements about a rule: binds its values, and names the rule in the error where it fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from auditor.engine.rules.params import bindings_of
from auditor.errors import UncomputableRuleError
from auditor.facts.snapshot_files import snapshot_fault

if TYPE_CHECKING:
    import duckdb

    from auditor.engine.rules.params import Scope
    from auditor.engine.rules.rule import Rule


def bound_values(rule: Rule, scope: Scope, *, judging: bool = False, shown: bool = False) -> dict[str, object]:
    """The values that a statement about `rule` binds.

    `judging`: it names only what makes the verdict; `shown`: also what is observed and desired. Otherwise it names every expression;
    a message names no param that none of these does.
    """
    named_there = rule.judging if judging else (*rule.judging, rule.observed, rule.desired) if shown else rule.expressions
    return {**scope.bound, **bindings_of(named_there, scope.values)}


@contextmanager
def rule_errors(connection: duckdb.DuckDBPyConnection, rule: Rule) -> Iterator[None]:
    """Turn an error of DuckDB in the block into the mistake in the rule, or the fault of the snapshot, that is behind it.

    Raises:
        UncomputableRuleError: the rule cannot be computed over these facts.
        SnapshotError: a file of the snapshot went away, or is damaged.
    """
    import duckdb

    try:
        yield
    except duckdb.Error as failure:
        fault = snapshot_fault(connection, failure)
        if fault is not None:
            raise fault from failure
        if not isinstance(failure, duckdb.DataError | duckdb.ProgrammingError | duckdb.PermissionException):
            raise
        error = UncomputableRuleError(
            f"{rule.path}:1: {rule.id} fails while judging: {str(failure).splitlines()[0]}",
            why="nothing was judged: a rule set that runs in part reports a clean fleet in part.",
            do=f"if fleet.yaml sets params of {rule.id}, look at these; if not, guard the expression (try_cast, nullif) and run "
            f"`auditor rules test {rule.id}`; or judge by other rules with --only.",
        )
        error.rule = rule.id
        raise error from failure
