"""The span of time that --history and --at name."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from auditor.model import Span

_LENGTH = re.compile(r"([1-9][0-9]{0,3})\s*([mhd])", re.ASCII)
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
_FEWEST = timedelta(minutes=10)  # two intervals of five minutes
_WHY = "nothing was read."


def history_span(length: str | None, at: str | None, now: datetime) -> Span | None:
    """The span of a length that ends `now`, or has the moment `at` in its middle; None where no length is given.

    Args:
        length: for example 24h.
        at: for example 2026-11-25 02:00, by this machine's local time where it names no other; None: the span ends now.
        now: aware.

    Raises:
        ConfigurationError: it is no length or moment, the moment is still to come, or there is a moment and no length.
    """
    from auditor.model import Span

    if length is None:
        if at is not None:
            raise ConfigurationError("--at goes with --history", why=_WHY, do="add --history 24h, or leave --at out.")
        return None
    parsed = _LENGTH.fullmatch(length.strip())
    span = int(parsed[1]) * _UNITS[parsed[2]] if parsed else timedelta()
    if span < _FEWEST:
        raise ConfigurationError(
            f'--history: "{length}" is no span of ten minutes or more', why=_WHY, do="give a number with m, h or d, for example 24h."
        )
    if at is None:
        return Span(now - span, now)
    moment = _moment(at)
    if moment >= now:
        raise ConfigurationError(f'--at: "{at}" is still to come', why=_WHY, do="give a moment that has passed, or leave --at out.")
    return Span(moment - span / 2, min(moment + span / 2, now))


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ConfigurationError(
            f'--at: "{text}" is no date and time',
            why=_WHY,
            do='give one as "2026-11-25 02:00" or "2026-11-25 02:00+01:00".',
        ) from None
    try:
        return moment.astimezone(UTC)
    except (OverflowError, OSError, ValueError):
        raise ConfigurationError(f'--at: "{text}" is too far away', why=_WHY, do="give a moment of the last year.") from None
