"""Secrets that a person types at the terminal: `{ask: true}` of fleet.yaml, for a first try.

Only the command line has somebody to ask. A library, a scheduled job and a worker do not, and there such a secret is an error.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Prompt = Callable[[str], str]
    """Shows a question and gives what was typed without showing it; raises EOFError where nothing comes."""


class NobodyToAskError(ValueError):
    """Nobody sits at a terminal, or the question comes where it cannot be asked; the text says so."""


class _Asking:
    def __init__(self) -> None:
        self.prompt: Prompt | None = None
        self.answers: dict[str, str] = {}
        self.lock = threading.Lock()


_asking = _Asking()
"""Of this process, which makes one run."""


def ask_by(prompt: Prompt | None) -> None:
    """Have secrets asked for by `prompt` from now on; None: nobody is asked, and what was typed is forgotten."""
    _asking.prompt = prompt
    if prompt is None:
        _asking.answers.clear()


def typed(whose: str) -> str:
    """The secret that is called `whose`, as it was typed; it is asked for once a run. Empty where only Enter was pressed.

    Raises:
        NobodyToAskError: it cannot be asked for.
    """
    with _asking.lock:
        if whose in _asking.answers:
            return _asking.answers[whose]
        if _asking.prompt is None:
            raise NobodyToAskError("it is typed at a terminal, and here nobody can be asked")
        if threading.current_thread() is not threading.main_thread():
            # What ends a command reaches the main thread alone: another one would leave the terminal without its echo.
            raise NobodyToAskError("it was not asked for before reading began")
        try:
            answer = _asking.prompt(whose)
        except EOFError:
            raise NobodyToAskError("nothing was typed") from None
        _asking.answers[whose] = answer
        return answer
