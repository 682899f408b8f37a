"""The expressions of one rule file, with what they name under `let` put in."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from auditor.engine.rules.columns import ExpressionError
from auditor.engine.rules.file_reading.params import NAME
from auditor.engine.rules.file_reading.texts import as_sql
from auditor.engine.rules.let import lets_put_in, put_in, used_lets, words_of_sql
from auditor.engine.rules.message import DESIRED, OBSERVED
from auditor.engine.rules.params import RESERVED
from auditor.engine.rules.rule import Expression
from auditor.engine.rules.types import Family, family_of

if TYPE_CHECKING:
    from auditor.engine.rules.expressions import ExpressionChecker
    from auditor.engine.rules.file_reading.mistakes import Mistakes
    from auditor.engine.rules.rule import Param

TRUTH = (Family.TRUTH,)
SETTINGS = (Family.TRUTH, Family.WHOLE, Family.NUMBER, Family.TEXT)


NOTHING = Expression("NULL", (), (), "NULL")
"""Stands where an expression has a mistake: the rule is thrown away then, after all its mistakes are known."""


class NamedExpressions:
    """The expressions under `let`, as far as they are sound.

    Attributes:
        texts: SQL by name, as the file has it.
    """

    def __init__(self, let: Mapping[str, Any]) -> None:
        self.texts = {str(name): as_sql(value) for name, value in let.items()}
        self._whole, self.wrong = lets_put_in(self.texts)

    def put_in(self, text: str) -> str:
        """An expression with each that it names in its place."""
        return put_in(text, self._whole)


class ExpressionReader:
    """Reads the expressions of one rule, those under `let` at once.

    Attributes:
        view: the view that the rule ranges over.
        columns: of that view, with their DuckDB types.
        written: every expression outside `let`, as the file has it.
        lets: the sound ones under `let`, by name.
    """

    def __init__(
        self,
        view: str,
        columns: Mapping[str, str],
        params: Mapping[str, Param],
        named: NamedExpressions,
        checker: ExpressionChecker,
        mistakes: Mistakes,
    ) -> None:
        self.view = view
        self.columns = columns
        self.params = params
        self.written: list[str] = []
        self._named = named
        self._checker = checker
        self._mistakes = mistakes
        self.lets = self._read_lets()

    def is_column(self, column: str, *key: str, at: str | int | None = None) -> bool:
        """Whether the view has this column; where it has not, that is a mistake."""
        return self._mistakes.is_known(column, self.columns, f"column in view {self.view}", *key, column if at is None else at)

    def _read_lets(self) -> dict[str, Expression]:
        """The named expressions that are sound; the names of the others are added to those that are wrong."""
        lets = {}
        for name, text in self._named.texts.items():
            mistake = self._name_mistake(name)
            if mistake:
                self._mistakes.add(f'"{name}" cannot be a name under let: {mistake}', "let", name)
                self._named.wrong[name] = mistake
                continue
            if name in self._named.wrong:
                if not self._named.wrong[name].endswith("has a mistake"):
                    self._mistakes.add(f'"{name}" {self._named.wrong[name]}', "let", name)
                continue
            expression = self.read(text, "let", name, wanted=tuple(Family))
            if expression is None:
                self._named.wrong[name] = "has a mistake"
            else:
                lets[name] = expression
        return lets

    def _name_mistake(self, name: str) -> str:
        """Why an expression cannot have this name; "" where it can."""
        if not NAME.fullmatch(name) or name.startswith(RESERVED):
            return f"lower-case letters, digits and _, and not {RESERVED}..."
        if name in self.columns:
            return f"view {self.view} has a column of that name"
        if name in self.params:
            return "a param has that name"
        if name in (OBSERVED, DESIRED):
            return "a message names the observed and the desired value so"
        return "it is a word of SQL" if name in words_of_sql() else ""

    def read_each(self, values: Mapping[str, Any], key: str, *, wanted: Collection[Family]) -> dict[str, Expression]:
        """Those of a fix, under `key`."""
        read = {name: self.read(value, "fix", key, name, wanted=wanted) for name, value in values.items()}
        return {name: expression for name, expression in read.items() if expression is not None}

    def read(self, value: Any, *at: str | int, wanted: Collection[Family]) -> Expression | None:
        """One expression that gives a value of a kind in `wanted`; None where the file has none, or one with a mistake."""
        if value is None:
            return None
        name, written = ".".join(map(str, at)), as_sql(value)
        if at[0] != "let":
            self.written.append(written)
        if any(named in self._named.wrong for named in used_lets([written], self._named.texts)):
            return None  # the error was reported where the expression is defined
        text = self._named.put_in(written)
        try:
            expression = self._checker.read(text, self.view, self.params)
        except ExpressionError as failure:
            self._mistakes.add(f"'{name}' {failure}", *at)
            return None
        if family_of(expression.type) not in wanted:
            meant = Family.TRUTH if wanted == TRUTH else "a single value"
            self._mistakes.add(f"'{name}' must be {meant}, and is {expression.type}", *at)
            return None
        return expression if text == written else replace(expression, written=written)
