"""How a name and a text are written in SQL."""

from __future__ import annotations


def quoted(text: str) -> str:
    """A SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def named(name: str) -> str:
    """A SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
