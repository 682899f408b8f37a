"""What a ticket says, the same for every system: a line, and sections of lines, the most important first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.report.wording import neutral, shortened
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from auditor.model import Severity

_LINE = 1000
"""Characters of a line: names may have any length."""
Sections = tuple[tuple[str, tuple[str, ...]], ...]
"""Titles, each with its lines."""


@dataclass(frozen=True, slots=True)
class TicketText:
    """One ticket.

    Attributes:
        correlation_id: the same as long as it is about the same thing, so that a later run updates the ticket; letters, digits, `-`.
        title: a line of any length.
        severity: how bad it is; None for changes that were made.
        sections: the most important first.
    """

    correlation_id: str
    title: str
    severity: Severity | None
    sections: Sections


def section(title: str, lines: Iterable[str]) -> Sections:
    """The section, its lines harmless and of a bounded length; nothing where it has no line."""
    kept = tuple(shortened(neutral(line), _LINE) for line in lines if line)
    return ((title, kept),) if kept else ()


def fitted(sections: Sections, most: int, size: Callable[[str], int]) -> Sections:
    """As much of `sections` as has room; the last line says how much is left out.

    Args:
        sections: the most important first.
        most: how large they may be in all.
        size: of a title or line.
    """
    room = most - size(_left_out(10**6))
    kept: list[tuple[str, tuple[str, ...]]] = []
    dropped = 0
    for title, lines in sections:
        fitting: list[str] = []
        for line in lines:
            price = size(line) + (0 if fitting else size(title))
            if dropped or price > room:
                dropped += 1
            else:
                room -= price
                fitting.append(line)
        if fitting:
            kept.append((title, tuple(fitting)))
    return (*kept, ("More", (_left_out(dropped),))) if dropped else tuple(kept)


def _left_out(lines: int) -> str:
    return f"{count_of(lines, 'more line')} had no room: the report has them."


def as_text(sections: Sequence[tuple[str, tuple[str, ...]]]) -> str:
    """The sections as plain text, a line for each title, and under it a line beginning with a dash for each of its lines."""
    return "\n".join("\n".join([title, *(f"- {line}" for line in lines)]) for title, lines in sections)
