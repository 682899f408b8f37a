"""Values of settings as a person reads them: with their unit, and "unlimited" where there is no limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.settings import setting_of
from auditor.report.wording import value_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.model import Change, Scalar

UNLIMITED = "unlimited"


def unit_of(remediator: str, keys: Mapping[str, str]) -> str:
    """The unit of a setting; "" where it has none, or none is known.

    Args:
        remediator: which reads and writes it.
        keys: of its target.
    """
    setting = setting_of(remediator)
    return "" if setting is None else setting.unit_of(keys)


def setting_text_of(remediator: str, keys: Mapping[str, str], value: Scalar) -> str:
    """A value of a setting, as planned or read before: with its unit, or in words. Safe for a terminal."""
    setting = setting_of(remediator)
    if setting is not None and value in setting.no_limit:
        return UNLIMITED
    text = value_text(value, absent="absent")
    unit = unit_of(remediator, keys)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not unit or not is_number:
        return text
    return f"{text} {unit.removesuffix('s') if value == 1 and unit == 'commands' else unit}"


def setting_value_text(change: Change, value: Scalar) -> str:
    """A value of the setting that a change is about, before or after."""
    return setting_text_of(change.remediator, dict(change.target.keys), value)


def found_text(change: Change, value: Scalar) -> str:
    """The last value that was read back of a setting; None says that it is not there, or that nothing could be read."""
    return "absent" if value is None else setting_value_text(change, value)


def from_to_text(change: Change) -> str:
    """The values of a change, before and after."""
    return from_to_words(change.remediator, dict(change.target.keys), change.before, change.after)


def from_to_words(remediator: str, keys: Mapping[str, str], before: Scalar, after: Scalar) -> str:
    """Two values of a setting, before and after; a unit that both have stands once."""
    first, then = (setting_text_of(remediator, keys, value) for value in (before, after))
    unit = unit_of(remediator, keys)
    if unit and then.endswith(f" {unit}"):
        first = first.removesuffix(f" {unit}")
    return f"{first} -> {then}"
