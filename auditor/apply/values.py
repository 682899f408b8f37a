"""Comparing the values of a setting, and showing one in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.endpoints.common.remediator import Reading
    from auditor.model import Change, Scalar


def plain(value: Scalar) -> Scalar:
    """`value` as an instance of exactly bool, int, float or str; pyVmomi's `long`, a subclass of int, becomes int.

    Raises:
        TypeError: `value` is not a `Scalar`, for example a numpy number or a Decimal.
    """
    if value is None:
        return None
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"a setting's value cannot be a {type(value).__name__}")


def same(one: Scalar, other: Scalar) -> bool:
    """Whether two values are equal and of one type: True is not 1, "1" is not 1, and None (absent) equals only None."""
    one, other = plain(one), plain(other)
    return type(one) is type(other) and one == other


def is_made(change: Change, now: Reading) -> bool:
    """Whether the setting is as `change` wants it: of the wanted value, or from its parent again, whatever that holds by now."""
    return now.inherited is True if change.after_inherited else same(now.value, change.after)


def shown(value: Scalar) -> str:
    """`value` as text for a sentence; quotes show that it is a string, and None is "absent"."""
    return "absent" if value is None else repr(plain(value))
