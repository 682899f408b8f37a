"""The words of the job's pages, feed, notices and log: one for each state, and a line for each run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from auditor.report.wording import lasted, percent
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from auditor.job.published import PublishedRun

STATE_WORDS = {"failed": "no verdict", "drift": "drift", "incomplete": "not all judged", "clean": "no drift"}
"""State of a run -> what people read."""


def word_of(run: PublishedRun) -> str:
    """What people read of a run: "drift", or "4 checks hold" of one that looked at a part of the fleet."""
    return run.word or STATE_WORDS[run.state]


def result_text(run: PublishedRun) -> str:
    """What a run found, in a line: "drift: 12 failures, 3 unknown, 1 gap, coverage 98.5 %"."""
    if run.error is not None:
        return f"{STATE_WORDS[run.state]}: {run.error}"
    counts = f"{count_of(run.fail, 'failure')}, {run.unknown:,} unknown, {count_of(run.gaps, 'gap')}, coverage {percent(run.coverage)}"
    return f"{word_of(run)}: {counts}"


def time_text(seconds: float) -> str:
    """A length of time as text, for example "2 h 30 min"."""
    begin = datetime(2000, 1, 1, tzinfo=UTC)
    return lasted(begin, begin + timedelta(seconds=seconds))
