"""Days of latency with known causes, as rows of load_history: log-normal, with a memory of the interval before, and more load by day."""

import math
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

MIDNIGHT = datetime(2026, 11, 25, tzinfo=UTC)
Row = dict[str, Any]


def at(clock: str) -> datetime:
    """The time of that day, for example 02:05."""
    hours, minutes = clock.split(":")
    return MIDNIGHT + timedelta(hours=int(hours), minutes=int(minutes))


def latencies(
    seed: int, *, usual: float = 5.0, spread: float = 0.3, memory: float = 0.7, by_day: float = 1.0, count: int = 288, whole: bool = False
) -> list[float]:
    """Milliseconds of each interval of five minutes of a healthy day.

    Args:
        seed: of the random numbers.
        usual: the median at night.
        spread: standard deviation of the logarithm.
        memory: how much an interval is like the one before it, 0 to 1.
        by_day: how much slower it is at two in the afternoon: 1 is twice the night's.
        count: how many intervals.
        whole: cut to whole milliseconds, as counters of vCenter are.
    """
    rng = random.Random(seed)
    found, state = [], rng.gauss(0, 1)
    for number in range(count):
        state = memory * state + math.sqrt(1 - memory * memory) * rng.gauss(0, 1)
        hour = number / 12 % 24
        load = 1 + by_day * max(0.0, math.sin((hour - 8) / 12 * math.pi)) if 8 <= hour <= 20 else 1.0
        latency = usual * load * math.exp(spread * state)
        found.append(float(int(latency)) if whole else latency)
    return found


def day(subject: str, values: Sequence[float], **more: Any) -> list[Row]:
    """Rows of a datastore whose latencies these are, measured by host-1 at 200 commands a second, unless `more` says otherwise.

    A value of `more` that is a function is asked with the number of the interval.
    """
    usual: Row = {
        "endpoint": "vc",
        "subject_kind": "datastore",
        "subject": subject,
        "host_id": "host-1",
        "seconds": 300,
        "iops": 200.0,
        "bytes_per_second": 200.0 * 8192,
    }
    return [
        {**usual, "begin_at": MIDNIGHT + timedelta(minutes=5 * number), "latency_ms": value, **_of(more, number)}
        for number, value in enumerate(values)
    ]


def raised(values: Sequence[float], to_ms: float, *spans: tuple[str, str]) -> list[float]:
    """The latencies with this one in these spans of the day, each from a clock time to another."""
    found = list(values)
    for begin, end in spans:
        for number in range(_number(begin), _number(end)):
            found[number] = to_ms
    return found


def _number(clock: str) -> int:
    return int((at(clock) - MIDNIGHT) / timedelta(minutes=5))


def _of(more: dict[str, Any], number: int) -> Row:
    return {name: value(number) if callable(value) else value for name, value in more.items()}


def jobs(kind: str, *, every: int, minutes: int, first: int = 0, **more: Any) -> list[Row]:
    """Jobs of the pool p1 of array "na" that run again and again on that day, `first` minutes after midnight at first."""
    usual: Row = {"endpoint": "na", "kind": kind, "subject": "pool", "subject_id": "p1", "pool_id": "p1"}
    return [
        {
            **usual,
            "job_id": f"{kind} {begin}",
            "begin_at": MIDNIGHT + timedelta(minutes=begin),
            "end_at": MIDNIGHT + timedelta(minutes=begin + minutes),
            **more,
        }
        for begin in range(first, 1440, every)
    ]
