"""A cache whose values are made by one thread at a time."""

from __future__ import annotations

import threading
from functools import cache, wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

_MAKING = threading.RLock()


def once(make: Callable[P, R]) -> Callable[P, R]:
    """Like functools.cache, but no two threads make any values at the same time.

    For whatever makes msgspec look into a Struct for the first time: msgspec 0.22 ends the process with a segmentation fault where a second
    thread uses what the first one has not finished. One lock serves all, as one Struct may be part of several others. Source: seen in
    `auditor demo`, and made again by tests/test_once.py.
    """
    kept = cache(make)

    @wraps(make)
    def value(*args: P.args, **kwargs: P.kwargs) -> R:
        with _MAKING:
            return kept(*args, **kwargs)  # type: ignore[arg-type]  # functools.cache takes hashable arguments only

    return value
