"""Checks that need a whole rule: they compare its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.engine.rules.columns import ExpressionError
from auditor.engine.rules.file_reading.examples import VERDICTS
from auditor.engine.rules.file_reading.expressions import NOTHING
from auditor.engine.rules.let import used_lets
from auditor.model import Verdict

if TYPE_CHECKING:
    from auditor.engine.rules.expressions import ExpressionChecker
    from auditor.engine.rules.file_reading.expressions import ExpressionReader, NamedExpressions
    from auditor.engine.rules.file_reading.mistakes import Mistakes
    from auditor.engine.rules.rule import Rule
    from auditor.engine.rules.shape import RuleShape


def check_whole(
    shape: RuleShape, rule: Rule, named: NamedExpressions, expressions: ExpressionReader, checker: ExpressionChecker, mistakes: Mistakes
) -> None:
    """Find the mistakes that only show once every part is read."""
    if rule.applies is not None:
        try:
            checker.check_strict(rule.applies.text, rule.may_be_missing)
        except ExpressionError as failure:
            mistakes.add(f"'applies' {failure}", "applies")
    if rule.holds is not NOTHING and not rule.holds.columns:
        mistakes.add("'holds' names no column, so it says the same of every row", "holds")
    if shape.fix is None and rule.by_hand is None:
        mistakes.add('neither "fix" nor "by_hand" says what to do about a failure')
    _check_example_kinds(shape, rule, mistakes)
    _check_releases(rule, expressions, mistakes)
    if not mistakes.found:  # an expression with a mistake names nothing, and what it would name is not unused
        _check_used(rule, named, expressions, mistakes)


def _check_used(rule: Rule, named: NamedExpressions, expressions: ExpressionReader, mistakes: Mistakes) -> None:
    """Find what the file names and no expression of it uses."""
    unused = named.texts.keys() - used_lets(expressions.written, named.texts)
    for name in sorted(unused):
        mistakes.add(f'no expression names "{name}"', "let", name)
    if unused:
        return
    used = {name for expression in rule.expressions for name in expression.params}
    for name in rule.params:
        if name not in used:
            mistakes.add(f"no expression names ${name}", "params", name)
    for column in rule.may_be_missing:
        if column not in rule.columns:
            mistakes.add(f'no expression names "{column}"', "may_be_missing", column)


def _check_releases(rule: Rule, expressions: ExpressionReader, mistakes: Mistakes) -> None:
    """A column that is said to ask for the release has to decide something: the verdict, or whether and what is written."""
    fix = rule.fix
    deciding = [*rule.judging, *([one for one in (fix.value, fix.when) if one is not None] if fix is not None else [])]
    named = {column for expression in deciding for column in expression.columns}
    for column in rule.releases.gate if rule.releases is not None else ():
        if expressions.is_column(column, "releases", "gate") and column not in named:
            mistakes.add(f'"{column}" gates no release: neither applies, holds nor the fix names it', "releases", "gate")


def _check_example_kinds(shape: RuleShape, rule: Rule, mistakes: Mistakes) -> None:
    present = {example.verdict for example in rule.examples}
    for key, verdict in VERDICTS.items():
        can_be = verdict is not Verdict.NOT_APPLICABLE or shape.applies is not None
        if verdict in (Verdict.PASS, Verdict.FAIL) and verdict not in present:
            mistakes.add(f'no example under "{key}"', "examples")
        if not can_be and verdict in present:
            mistakes.add(f'without "applies" no row is "{key}"', "examples", key)
