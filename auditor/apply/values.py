"""When two values of a setting are the same, and how a person reads one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.model import Scalar


def plain(value: Scalar) -> Scalar:
    """`value` in Python's own type: pyVmomi's `long` is an int that says it is not.

    Raises:
        TypeError: it is no `Scalar`, for example a numpy number or a Decimal; taken for absent it would equal an absent setting.
    """
    if value is None:
        return None
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"a setting's value cannot be a {type(value).__name__}")


def same(one: Scalar, other: Scalar) -> bool:
    """Whether two values are one, type and all: True is not 1, "1" is not 1, and absent (None) is only itself."""
    one, other = plain(one), plain(other)
    return type(one) is type(other) and one == other


def told(value: Scalar) -> str:
    """`value` in a sentence, with its type where the digits alone would mislead."""
    return "absent" if value is None else repr(plain(value))
