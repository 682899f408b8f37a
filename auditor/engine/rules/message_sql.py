"""The SQL of a rule's message: the template with each value written as a person reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.engine.rules.message import DESIRED, NOT_READ, OBSERVED, Slot, param_family, parts, unit_of
from auditor.engine.rules.types import Family, family_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.engine.rules.rule import Expression, Message, Rule

SHOWN = {OBSERVED: "seen", DESIRED: "wanted"}
"""What is observed and desired, with their own types: columns of the judging statement, behind auditor_."""

_PLURAL = re.compile(r"([a-z]{3,}[a-rt-z])s\b")
"""A unit such as "paths" or "commands a disk"; "ms" is none."""


def message_sql(rule: Rule, message: Message, view: Mapping[str, str]) -> str:
    """An expression over a row of the view, and SHOWN of it, that is the message as text; never NULL."""
    return f"concat({', '.join(_part_sql(part, rule, view) for part in parts(message.text) if part != '')})"


def shows(message: Message, name: str) -> bool:
    """Whether the template has a place for `name`."""
    return any(isinstance(part, Slot) and part.name == name for part in parts(message.text))


def _part_sql(part: str | Slot, rule: Rule, view: Mapping[str, str]) -> str:
    if isinstance(part, str):
        return _quoted(part)
    if part.name in (OBSERVED, DESIRED):
        expression = rule.observed if part.name == OBSERVED else rule.desired
        return _value_sql(part, f"auditor_{SHOWN[part.name]}", family_of(expression.type), _plain_column(expression))
    if part.name in view:
        return _value_sql(part, f'"{part.name}"', family_of(view[part.name]), part.name)
    if part.name in rule.let:
        let = rule.let[part.name]
        return _value_sql(part, f"({let.text}\n)", family_of(let.type), part.name)
    family = param_family(rule.params[part.name[1:]].default)
    if family is Family.OTHER:
        return f"array_to_string({part.name}, ', ')"
    return _value_sql(part, part.name, family, part.name)


def _plain_column(expression: Expression) -> str | None:
    return expression.text if (expression.text,) == expression.columns else None


def _value_sql(slot: Slot, value: str, family: Family, column: str | None) -> str:
    """`value` as text, or the word for NULL."""
    if family is Family.TRUTH:
        yes, no, *unread = slot.words
        absent = unread[0] if unread else NOT_READ
        return f"CASE {value} WHEN true THEN {_quoted(yes)} WHEN false THEN {_quoted(no)} ELSE {_quoted(absent)} END"
    absent = slot.words[1] if slot.words else NOT_READ
    unit = unit_of(slot, column)
    if family in (Family.WHOLE, Family.NUMBER):
        return f"coalesce({_number_sql(value, family, unit)}, {_quoted(absent)})"
    if family is Family.TIME:
        text = f"strftime(make_timestamp(epoch_us({value})), '%Y-%m-%d %H:%M UTC')"
    else:
        text = f"CASE {value} WHEN '' THEN 'none' ELSE trim({value}){f' || {_quoted(_spaced(unit))}' if unit else ''} END"
    return f"coalesce({text}, {_quoted(absent)})"


def _number_sql(value: str, family: Family, unit: str) -> str:
    """A number with its unit, rounded to four digits; NULL where it is NULL."""
    if unit in ("bytes", "bytes/s"):
        behind = " || '/s'" if unit == "bytes/s" else ""
        return f"replace(format_bytes(TRY_CAST({value} AS BIGINT)), '.0 ', ' '){behind}"
    if unit in ("us", "share"):
        unit, factor = ("ms", "0.001") if unit == "us" else ("%", "100")
        value, family = f"({value} * {factor})", Family.NUMBER
    whole = value if family is Family.WHOLE else f"TRY_CAST(round({value}) AS BIGINT)"
    text = f"CASE WHEN {whole} BETWEEN -9999 AND 9999 THEN CAST({whole} AS VARCHAR) ELSE format('{{:,}}', TRY_CAST({whole} AS BIGINT)) END"
    if family is Family.NUMBER:
        little = f"WHEN {value} <> 0 AND abs({value}) < 0.0001 THEN 'nearly 0'"  # which format would write with an exponent
        text = f"CASE {little} WHEN {value} > -999.95 AND {value} < 999.95 THEN format('{{:.4g}}', CAST({value} AS DOUBLE)) ELSE {text} END"
    if not unit:
        return text
    one = _PLURAL.sub(r"\1", unit, count=1)
    behind = _quoted(_spaced(unit))
    if one != unit:
        behind = f"CASE WHEN {value} = 1 THEN {_quoted(_spaced(one))} ELSE {behind} END"
    return f"({text}) || {behind}"


def _spaced(unit: str) -> str:
    return unit if unit.startswith("/") else f" {unit}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
