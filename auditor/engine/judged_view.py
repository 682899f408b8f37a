"""A view as it is judged: by its rows, or by the classes of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.engine.verdict_sql import failing_sql, tallied_columns
from auditor.sql.names import named

if TYPE_CHECKING:
    from auditor.engine.rules.params import Scope
    from auditor.engine.rules.rule import Rule
    from auditor.facts.device_classes import DeviceClasses


@dataclass(frozen=True, slots=True)
class JudgedView:
    """What a rule ranges over.

    Attributes:
        classes: where its rows are of few classes, which are then judged in their place.
        is_small: its rows are there already, and few.
    """

    name: str
    columns: Mapping[str, str]
    classes: DeviceClasses | None
    is_small: bool

    def counted(self, rule: Rule, scope: Scope) -> tuple[str, str]:
        """The table that is judged to count the verdicts of a scope, and the SQL for how many rows of the view a verdict stands for."""
        if self.classes is not None and self._is_judged_by_class(rule, scope):
            return named(self.classes.steps.classes), "CAST(sum(devices) AS BIGINT)"
        return named(self.name), "count(*)"

    def failing(self, rule: Rule, scope: Scope) -> str:
        """A source of rows that holds the failures of a scope, alone or among other rows."""
        if self.classes is not None and self._is_judged_by_class(rule, scope):
            return f"({failing_sql(rule, self.classes.steps, self.columns)})"
        return named(self.name)

    def _is_judged_by_class(self, rule: Rule, scope: Scope) -> bool:
        """Whether the columns of a class make the whole verdict; a scope that binds something depends on where a row is."""
        return self.classes is not None and not scope.bound and tallied_columns(rule, self.columns) <= self.classes.columns
