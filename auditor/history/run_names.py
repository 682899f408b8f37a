"""The one way in which a run is named: its id, the beginning of one that only it has, or "last"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

RUN_ID = re.compile(r"(\d{8}T\d{6}Z)-[0-9a-f]{4}")
"""The id of a run that judged."""
LAST = "last"
"""The word for the newest run."""
_LEAST = 4
_NAMED = 5


def id_named(word: str, ids: Sequence[str]) -> str:
    """The id of `ids`, newest first, that `word` names; `word` itself where none is named so, for the caller to refuse.

    Raises:
        ConfigurationError: several ids begin so.
    """
    if word in ids:
        return word
    if word == LAST:
        return ids[0] if ids else word
    fitting = [one for one in ids if one.startswith(word)] if len(word) >= _LEAST else []
    if len(fitting) > 1:
        listed = ", ".join(fitting[:_NAMED]) + (", ..." if len(fitting) > _NAMED else "")
        raise ConfigurationError(
            f'"{word}" names {len(fitting)} runs: {listed}',
            why="it is not clear which one is meant.",
            do="give more of its id, or all of it.",
        )
    return fitting[0] if fitting else word
