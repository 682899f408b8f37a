"""What would change a verdict: for each fact and param that it rests on, the nearest value with which the rule passes.

The rule itself is asked, by the statement that an audit judges by; one value is changed at a time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.engine.probing.grid import fill
from auditor.engine.rules.lexing import renamed_params
from auditor.engine.rules.params import RESERVED, bindings_of
from auditor.engine.rules.types import Family, family_of
from auditor.engine.sandbox import sandbox
from auditor.engine.verdict_sql import verdict_sql
from auditor.model import Scalar, Verdict

if TYPE_CHECKING:
    import duckdb

    from auditor.engine.rules.rule import ParamValue, Rule

_NUMBER = re.compile(r"(?<![\w$.])\d+(?:\.\d+)?(?![\w.])")
_DOUBLINGS = 12
_HALVINGS = 40
_MOST_NUMBERS = 16
"""Numbers of a rule that are multiplied with each other for values to try."""
_PRECISION = 1e-4
"""Of a value with decimals: nearer than that nobody sets or measures it."""
_LARGEST = {"TINYINT": 2**7 - 1, "SMALLINT": 2**15 - 1, "INTEGER": 2**31 - 1}
"""Types of columns -> the largest number they hold; others hold any that is tried."""
_LARGEST_TRIED = 2**50
_PARAM = f"{RESERVED}param_"
_TYPES: Mapping[type, str] = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}
_NAMES = {"endpoint", "resource_id", "resource_name", "cluster", "host"}


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """One fact or param that could change the verdict by itself.

    Attributes:
        name: the column, or the param with a "$".
        now: its value; None: not read.
        value: the nearest value with which the rule passes, or no longer applies; None: no value was found that does.
        verdict: what the rule says then; None where `value` is.
        is_beyond: it has to be beyond `value`, which itself does not do.
    """

    name: str
    now: Scalar
    value: Scalar
    verdict: Verdict | None
    is_beyond: bool = False

    @property
    def is_param(self) -> bool:
        """Whether a fleet may set it in fleet.yaml."""
        return self.name.startswith("$")


def turning_points(
    rule: Rule, view: Mapping[str, str], evidence: Mapping[str, Scalar], params: Mapping[str, ParamValue]
) -> tuple[TurningPoint, ...] | None:
    """Every fact and param of a verdict that is no pass, params last; None where the rule does not say the same of `evidence` again.

    Args:
        rule: as it is now.
        view: the columns of its view with their types.
        evidence: every column that the rule read.
        params: the values that were in force.
    """
    import duckdb

    with sandbox() as connection:
        judge = _Judge(connection, rule, view, evidence, params)
        try:
            if judge.verdicts([{}]) not in ([Verdict.FAIL], [Verdict.UNKNOWN]):
                return None
            columns = [name for expression in rule.judging for name in expression.columns if name not in _NAMES]
            names = [*judge.led(columns), *(f"${name}" for name in params if name in judge.used)]
            return tuple(_turned(judge, name) for name in names)
        except duckdb.Error:
            return None  # of an older rule or auditor: the evidence is not what this rule reads


class _Judge:
    """Asks the rule about its evidence with some values changed."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        rule: Rule,
        view: Mapping[str, str],
        evidence: Mapping[str, Scalar],
        params: Mapping[str, ParamValue],
    ) -> None:
        self._connection, self.rule, self._params = connection, rule, params
        self.used = {name for expression in rule.judging for name in expression.params}
        named = {name for expression in rule.judging for name in expression.columns}
        self._shape = {name: kind for name, kind in view.items() if name in named}
        self._row = {name: evidence.get(name) for name in self._shape}
        self._leads: dict[tuple[str, Any], list[str]] = {}
        for name, value in self._row.items():
            self._leads.setdefault((_stem(name), value), []).append(name)

    def led(self, columns: Sequence[str]) -> list[str]:
        """Those of `columns` that are changed by themselves: bounds of one figure that is known change together, as the figure does."""
        leads = {names[0] for names in self._leads.values()}
        return [name for name in dict.fromkeys(columns) if name in leads]

    def now(self, name: str) -> Any:
        """The value of a column, or of a param."""
        return self._params[name[1:]] if name.startswith("$") else self._row[name]

    def family(self, name: str) -> Family:
        """The sort of values it may have."""
        if not name.startswith("$"):
            return family_of(self._shape[name])
        value = self.now(name)
        if isinstance(value, bool):
            return Family.TRUTH
        return Family.WHOLE if isinstance(value, int) else Family.NUMBER if isinstance(value, float) else Family.TEXT

    def largest(self, name: str) -> int:
        """The largest number that may be tried."""
        return _LARGEST.get(self._shape.get(name, ""), _LARGEST_TRIED)

    def may_be(self, name: str, value: Scalar) -> bool:
        """Whether a fleet may set the param to it; a fact may be anything."""
        bounds = self.rule.params[name[1:]].bounds if name.startswith("$") else None
        return bounds is None or not bounds.fault(value)

    def constants(self) -> list[float]:
        """The numbers that the rule compares with: of its text, of its params and of its row."""
        texts = [float(number) for expression in self.rule.judging for number in _NUMBER.findall(expression.text)]
        values = [*self._params.values(), *self._row.values()]
        return [*texts, *(float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool))]

    def verdicts(self, changes: Sequence[Mapping[str, Scalar]]) -> list[Verdict]:
        """The verdict with each of these sets of changes, by names of columns or one param."""
        names = {name for change in changes for name in change}
        param = next((name[1:] for name in names if name.startswith("$")), None)
        if param is not None:
            rows = [{**self._row, f"{_PARAM}{param}": change[f"${param}"]} for change in changes]
            return self._asked(rows, {f"{_PARAM}{param}": _TYPES[type(self._params[param])]}, param)
        together = [{other: value for name, value in change.items() for other in self._followers(name)} for change in changes]
        return self._asked([{**self._row, **change} for change in together], {})

    def _asked(self, rows: Sequence[Mapping[str, Any]], more: Mapping[str, str], varied: str | None = None) -> list[Verdict]:
        """The verdict on each row; `varied` is a param that is a column of theirs."""
        shape = {**self._shape, **more, "auditor_place": "INTEGER"}
        fill(self._connection, "changed", shape, [{**row, "auditor_place": place} for place, row in enumerate(rows)])
        verdict = renamed_params(verdict_sql(self.rule), _PARAM)
        bound = bindings_of(self.rule.judging, self._params)
        if varied is not None:
            verdict = re.sub(rf"\$({_PARAM}{varied})\b", r"\1", verdict)
            del bound[varied]
        select = f"SELECT TRY({verdict}) FROM changed ORDER BY auditor_place"
        answered = self._connection.execute(select, {f"{_PARAM}{name}": value for name, value in bound.items()}).fetchall()
        return [Verdict(one or Verdict.UNKNOWN) for (one,) in answered]

    def _followers(self, name: str) -> Sequence[str]:
        return self._leads[_stem(name), self._row[name]]


def _stem(column: str) -> str:
    return column.removesuffix("_at_least").removesuffix("_at_most")


_SETTLED = (Verdict.PASS, Verdict.NOT_APPLICABLE)


def _turned(judge: _Judge, name: str) -> TurningPoint:
    now, family = judge.now(name), judge.family(name)
    candidates = [value for value in _candidates(judge, name, now, family) if value != now and judge.may_be(name, value)]
    verdicts = judge.verdicts([{name: value} for value in candidates]) if candidates else []
    settled = [(value, verdict) for value, verdict in zip(candidates, verdicts, strict=True) if verdict in _SETTLED]
    if not settled:
        return TurningPoint(name, now, None, None)
    if family in (Family.TRUTH, Family.TEXT) or now is None:
        value, verdict = min(settled, key=lambda pair: (_SETTLED.index(pair[1]), isinstance(pair[0], int) and pair[0]))
        return TurningPoint(name, now, value, verdict)
    # A value that passes is worth more than one to which the rule does not apply.
    passing = [pair for pair in settled if pair[1] is Verdict.PASS] or settled
    value, verdict = min(passing, key=lambda pair: abs(float(pair[0]) - float(now)))
    value, is_beyond = _nearest(judge, name, (float(now), float(value)), verdict, is_whole=family is Family.WHOLE)
    return TurningPoint(name, now, value, verdict, is_beyond)


def _candidates(judge: _Judge, name: str, now: Any, family: Family) -> list[Any]:
    """Values that may settle it: the numbers that the rule compares with, their products, and those beside them."""
    if family is Family.TRUTH:
        return [True, False]
    if family not in (Family.WHOLE, Family.NUMBER):
        return []
    numbers = sorted(set(judge.constants()))[:_MOST_NUMBERS]
    products = {one * other for one in numbers for other in numbers}
    doubled = {now * 2.0**power for power in range(-_DOUBLINGS, _DOUBLINGS + 1)} if isinstance(now, int | float) else set()
    near = {number + step for number in {0.0, 1.0, *numbers, *products, *doubled} for step in (-1, 0, 1)}
    possible = {number for number in near if 0 <= number <= judge.largest(name)}
    return sorted({round(number) for number in possible} if family is Family.WHOLE else possible)


def _nearest(judge: _Judge, name: str, between: tuple[float, float], verdict: Verdict, *, is_whole: bool) -> tuple[Scalar, bool]:
    """The value nearest to the first one that gets `verdict`, as the second one does; or the one beyond which it is got."""
    low, high = between
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        value: float = round(middle) if is_whole else middle
        if value in (low, high) or not judge.may_be(name, value) or (not is_whole and abs(high - low) <= _PRECISION * abs(high)):
            break
        if judge.verdicts([{name: round(value) if is_whole else value}]) == [verdict]:
            high = value
        else:
            low = value
    if is_whole:
        return round(high), False
    for digits in (1, 2, 3, 4):
        rounded = float(f"{high:.{digits}g}")
        if abs(rounded - high) <= 2 * _PRECISION * abs(high):
            return rounded, judge.verdicts([{name: rounded}]) != [verdict]
    return high, False
