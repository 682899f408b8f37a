"""One line of progress: what a command does now, how much of it is done, and how long the rest takes."""

from __future__ import annotations

import threading
import time

from auditor.text.counts import Counted, Counts, counts_text, seconds_left

ENDS = ("read", "looked at", "read with gaps", "not read")
"""What becomes of reading an endpoint."""
READING, CHANGES = "reading", "changes"
_CHANGE = "change "
"""How the text of a change begins (`auditor.pipeline.writing`)."""
_NOUNS = {CHANGES: "", "judging": " rules"}
"""What the steps of an activity are; of others they are not shown."""


class Activity:
    """Takes the calls of a progress; may be called from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._what = ""
        self._began = 0.0
        self._counts: dict[tuple[str, int], Counts] = {}
        self._endpoints: dict[str, bool] = {}  # by name, whether its reading has ended

    def note(self, endpoint: str, text: str) -> None:
        """Take note of what is being done at `endpoint`; "" is no endpoint, and something is done here."""
        what = CHANGES if text.startswith(_CHANGE) else READING if endpoint else str(text)
        with self._lock:
            if what != self._what:
                self._what, self._began = what, time.monotonic()
                self._counts.clear()
                self._endpoints.clear()
            if what == READING:
                self._endpoints[endpoint] = text in ENDS
            if isinstance(text, Counted):
                self._counts[(endpoint, text.counts.part) if what == READING else ("", 0)] = text.counts

    def line(self) -> str:
        """What is being done, with its counts and the time left; empty where nothing was noted yet."""
        with self._lock:
            what, counts = self._what, list(self._counts.values())
            elapsed = time.monotonic() - self._began
            ends = list(self._endpoints.values())
        texts = []
        if what == READING:
            texts.append(f"endpoints {sum(ends):,} of {len(ends):,}")
        if what in _NOUNS and counts:
            texts.append(f"{sum(one.steps for one in counts):,} of {sum(one.of_steps for one in counts):,}{_NOUNS[what]}")
        texts.append(counts_text(counts))
        left = seconds_left(counts, elapsed)
        if left is not None:
            texts.append(f"about {duration_text(left)} left")
        shown = ", ".join(filter(None, texts))
        return f"{what}: {shown}" if shown else what


def duration_text(seconds: float) -> str:
    """A duration as a person says it: whole seconds up to two minutes, then minutes, then hours and minutes."""
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
