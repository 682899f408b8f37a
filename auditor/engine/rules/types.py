"""Names of DuckDB types for people: number, text, true or false."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Any, TypeGuard

from auditor.engine.rules.rule import ParamValue

_BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
_WHOLE: dict[str, int] = {name: 2 ** (bits - 1) for name, bits in _BITS.items()} | {f"U{name}": 2**bits for name, bits in _BITS.items()}
"""Types of whole numbers -> the first that is too large for them."""


class Family(StrEnum):
    """Types that may stand for each other."""

    TRUTH = "true or false"
    WHOLE = "a whole number"
    NUMBER = "a number"
    TEXT = "text"
    TIME = "a point in time"
    OTHER = "a list or a structure"


def family_of(duckdb_type: str) -> Family:
    """The family of a type as DESCRIBE names it."""
    if duckdb_type.endswith("]"):
        return Family.OTHER
    name = duckdb_type.partition("(")[0]
    if name in _WHOLE:
        return Family.WHOLE
    if name.startswith(("TIMESTAMP", "DATE")):
        return Family.TIME
    return {
        "BOOLEAN": Family.TRUTH,
        "DECIMAL": Family.NUMBER,
        "FLOAT": Family.NUMBER,
        "DOUBLE": Family.NUMBER,
        "VARCHAR": Family.TEXT,
        "ENUM": Family.TEXT,
    }.get(name, Family.OTHER)


def suits(value: Any, family: Family) -> bool:
    """Whether a value from a YAML file may stand in a column of that family: 256 is not "256" and not true."""
    if value is None:
        return True
    match family:
        case Family.TRUTH:
            return isinstance(value, bool)
        case Family.WHOLE:
            return isinstance(value, int) and not isinstance(value, bool)
        case Family.NUMBER:
            return isinstance(value, int | float) and not isinstance(value, bool)
        case Family.OTHER:
            return isinstance(value, list | dict)
        case _:
            return isinstance(value, str)


def has_room(duckdb_type: str, number: float) -> bool:
    """Whether a column of that type can hold a number that is not negative."""
    return number < _WHOLE.get(duckdb_type, math.inf)


def is_param_value(value: Any) -> TypeGuard[ParamValue]:
    """Whether a param may hold `value`: one scalar, or a list of scalars of one type; whole numbers of 64 bits."""
    if isinstance(value, tuple):
        scalars = all(not isinstance(item, tuple) and is_param_value(item) for item in value)
        return scalars and len({type(item) for item in value}) == 1
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, bool | str):
        return True
    return isinstance(value, int) and -_WHOLE["BIGINT"] <= value < _WHOLE["BIGINT"]
