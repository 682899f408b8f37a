"""A number is written as a person reads it, whatever its size: never with an exponent."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.text.numbers import number_text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (99.96, 2, "100"),
        (99.5, 2, "100"),
        (100, 3, "100"),
        (1522.3, 3, "1,522"),
        (13.17, 3, "13.2"),
        (1.0, 3, "1"),
        (0.000434, 2, "0.00043"),
        (12345678.9, 4, "12,345,679"),
        (0, 3, "0"),
        (-0.5, 3, "-0.5"),
        (float("inf"), 3, "any number"),
    ],
)
def test_a_number_has_the_digits_that_count(value: float, digits: int, text: str) -> None:
    assert number_text(value, digits) == text


@settings(max_examples=200)
@given(value=st.floats(allow_nan=False, allow_infinity=False), digits=st.integers(1, 6))
def test_no_number_has_an_exponent(value: float, digits: int) -> None:
    text = number_text(value, digits)
    assert "e" not in text
    if 1e-6 < abs(value) < 1e12:
        assert abs(float(text.replace(",", "")) - value) <= abs(value) * 10 ** (1 - digits) + 1e-12
