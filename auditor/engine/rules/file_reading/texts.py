"""Turns values of a rule file into texts."""

from __future__ import annotations

from typing import Any


def as_sql(value: Any) -> str:
    """The text of an expression that YAML may have read as a number, true or false."""
    return str(value).lower() if isinstance(value, bool) else str(value).strip()


def stripped(text: str | None) -> str | None:
    """The text without blanks around it; None where there is none."""
    return text.strip() if text is not None else None
