"""What a type of DuckDB means to a person, and which values of YAML may stand in it."""

from typing import Any

import pytest

from auditor.engine.rules.types import Family, family_of, has_room, is_param_value, suits

SUITING: dict[Family, list[Any]] = {
    Family.TRUTH: [True],
    Family.WHOLE: [256],
    Family.NUMBER: [256, 2.5],
    Family.TEXT: ["256"],
    Family.TIME: ["256"],
    Family.OTHER: [[1], {"a": 1}],
}


@pytest.mark.parametrize(
    ("family", "names"),
    [
        (Family.TRUTH, ["BOOLEAN"]),
        (Family.WHOLE, ["TINYINT", "BIGINT", "UINTEGER", "HUGEINT"]),
        (Family.NUMBER, ["DECIMAL(18,3)", "FLOAT", "DOUBLE"]),
        (Family.TEXT, ["VARCHAR", "ENUM('a', 'b')"]),
        (Family.TIME, ["TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "DATE"]),
        (Family.OTHER, ["VARCHAR[]", "BIGINT[]", "STRUCT(a INTEGER)", "MAP(VARCHAR, INTEGER)", "DECIMAL(4,1)[]"]),
    ],
)
def test_a_type_has_a_family_and_takes_values_of_it_alone(family: Family, names: list[str]) -> None:
    assert {family_of(name) for name in names} == {family}
    values: list[Any] = [True, 256, 2.5, "256", [1], {"a": 1}]
    assert [value for value in values if suits(value, family)] == SUITING[family]
    assert suits(None, family) is True


@pytest.mark.parametrize(
    ("name", "most"), [("TINYINT", 127), ("UTINYINT", 255), ("INTEGER", 2**31 - 1), ("BIGINT", 2**63 - 1), ("UBIGINT", 2**64 - 1)]
)
def test_a_type_of_whole_numbers_has_room_for_its_largest_and_no_more(name: str, most: int) -> None:
    assert (has_room(name, most), has_room(name, most + 1)) == (True, False)
    assert has_room("DOUBLE", most + 1)


@pytest.mark.parametrize(
    ("value", "may"),
    [
        *[(value, True) for value in (True, "text", 0.5, 2**63 - 1, -(2**63), (1, 2), ("a",))],
        *[
            (value, False)
            for value in (None, 2**63, -(2**63) - 1, float("inf"), float("nan"), (), (1, "a"), (1, True), ((1,), (2,)), (1, 2**63), [1])
        ],
    ],
    ids=repr,
)
def test_a_param_is_a_scalar_or_scalars_of_one_type(value: Any, may: bool) -> None:
    assert is_param_value(value) is may
