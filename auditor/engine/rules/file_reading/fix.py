"""The fix of a rule: which setting, to which value, after which other changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.engine.rules.file_reading.expressions import SETTINGS, TRUTH
from auditor.engine.rules.file_reading.texts import stripped
from auditor.engine.rules.rule import After, FixRule
from auditor.engine.rules.types import Family, family_of
from auditor.model import FixClass

if TYPE_CHECKING:
    from collections.abc import Collection

    from auditor.engine.rules.file_reading.expressions import ExpressionReader
    from auditor.engine.rules.file_reading.mistakes import Mistakes
    from auditor.engine.rules.rule import Expression
    from auditor.engine.rules.shape import AfterShape, FixShape


def read_fix(shape: FixShape, expressions: ExpressionReader, remediators: Collection[str], mistakes: Mistakes) -> FixRule | None:
    """The fix of a rule; None where its setting, its column or its value has a mistake."""
    remediator = mistakes.is_known(shape.remediator, remediators, "remediator", "fix", "remediator")
    column = expressions.is_column(shape.column, "fix", at="column")
    target = expressions.read_each(shape.target, "target", wanted=SETTINGS)
    if not target:
        mistakes.add('"target" does not say where the setting lives', "fix", "target")
    value = expressions.read(shape.value, "fix", "set", wanted=SETTINGS)
    when = expressions.read(shape.when, "fix", "when", wanted=TRUTH)
    touches = expressions.read(shape.touches, "fix", "touches", wanted=(Family.TEXT,))
    retunes = expressions.read(shape.retunes, "fix", "retunes", wanted=TRUTH)
    if shape.fix_class is FixClass.RETUNE:
        mistakes.add("retune does not say what the change takes: name that class, and say in `retunes` where it reverts", "fix", "class")
    predicted = expressions.read_each(shape.predicted, "foretold", wanted=tuple(Family))
    known = [expressions.is_column(name, "fix", "foretold") for name in shape.predicted]
    if not remediator or not column or value is None or not all(known):
        return None
    for name, expression in predicted.items():
        _check_fits(name, expression, expressions, mistakes, "foretold", name)
    _check_fits(shape.column, value, expressions, mistakes, "set")
    reason = stripped(shape.reason)
    after = tuple(_read_after(one, index, expressions, remediators, mistakes) for index, one in enumerate(shape.after))
    return FixRule(shape.remediator, shape.fix_class, target, shape.column, value, when, predicted, reason, touches, retunes, after)


def _read_after(shape: AfterShape, index: int, expressions: ExpressionReader, remediators: Collection[str], mistakes: Mistakes) -> After:
    """What has to come first; whether there is such a rule is known when all rules are read (loading.py)."""
    at = ("fix", "after", index)
    if "/" not in shape.change:
        mistakes.is_known(shape.change, remediators, "remediator", *at, "change")
    if not shape.where:
        mistakes.add('"where" does not say which changes come first: name a key of their target, for example {host_id: host_id}', *at)
    where = {name: expressions.read(value, *at, "where", name, wanted=SETTINGS) for name, value in shape.where.items()}
    when = expressions.read(shape.when, *at, "when", wanted=TRUTH)
    return After(shape.change, {name: value for name, value in where.items() if value is not None}, when, shape.required)


def _check_fits(column: str, expression: Expression, expressions: ExpressionReader, mistakes: Mistakes, *key: str) -> None:
    has, gets = family_of(expressions.columns[column]), family_of(expression.type)
    # A text column holds settings of every type as the wire has them; the expression then says which type this one has.
    if has not in (gets, Family.TEXT) and (has, gets) != (Family.NUMBER, Family.WHOLE):
        mistakes.add(f"\"{column}\" is {has}, and '{key[0]}' gives {gets}; cast it", "fix", *key)
