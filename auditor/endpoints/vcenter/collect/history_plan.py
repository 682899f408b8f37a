"""Plans the requests for the span that --history names: which roll-ups keep which counters, and where samples of 20 seconds begin."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from auditor.endpoints.common.history import span_gap
from auditor.endpoints.vcenter.collect.events import clock_of
from auditor.endpoints.vcenter.collect.history_figures import KINDS, ROLLED_SECONDS
from auditor.endpoints.vcenter.collect.load import stores_by_instance
from auditor.endpoints.vcenter.collect.rows import columns, gap

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.collect.history_figures import Kind
    from auditor.endpoints.vcenter.collect.rows import Facts
    from auditor.endpoints.vcenter.past_performance import CounterLevel, Interval
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

REAL_TIME_KEPT = timedelta(hours=1)
"""How long hosts keep their samples of 20 seconds. Source: vSphere API reference, PerformanceManager: real-time statistics, one hour."""

_LATE = timedelta(minutes=1)  # the oldest interval is not lost because a few seconds passed since --history was read


@dataclass(slots=True)
class Query:
    """What is asked, and how.

    Attributes:
        stores: ids of datastores by the instance that hosts count them by.
        kept: the counters that roll-ups keep, by kind and by the roll-up that has them.
        real_time: where the samples of 20 seconds begin; None: none of them are in the span.
        most: metrics that one query may ask for; None: no limit. Less from the moment at which vCenter refuses as many.
    """

    vcenter: VCenter
    endpoint: Endpoint
    begin: datetime
    end: datetime
    stores: Mapping[str, str]
    keys: Mapping[str, int]
    kept: Mapping[int, Mapping[Kind, Mapping[str, int]]]
    real_time: datetime | None
    most: int | None

    @property
    def names(self) -> Mapping[int, str]:
        """The names of counters by key."""
        return {key: name for name, key in self.keys.items()}

    @property
    def rolled_end(self) -> datetime:
        """Where roll-ups end."""
        return self.real_time or self.end


def prepared(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit) -> Generator[Facts, None, Query | None]:
    """What is to be asked; None, and a gap, where nothing of the span is kept."""
    from auditor.endpoints.vcenter.past_performance import counter_levels, kept_intervals, most_metrics
    from auditor.endpoints.vcenter.translation import translated

    assert endpoint.history is not None  # noqa: S101  the caller looked
    circuit.check()
    with translated(endpoint, "reading which counters it keeps"):
        intervals = kept_intervals(vcenter)
        levels = counter_levels(vcenter)
        most = most_metrics(vcenter)
    yield from (
        columns(
            "statistics_interval",
            {"endpoint": endpoint.name},
            name=[one.name for one in intervals],
            seconds=[one.seconds for one in intervals],
            kept_seconds=[one.kept_seconds for one in intervals],
            level=[one.level for one in intervals],
            enabled=[one.enabled for one in intervals],
        )
        if intervals
        else ()
    )
    now = clock_of(vcenter) or datetime.now(UTC)
    begin, end = endpoint.history.begin, min(endpoint.history.end, now)
    if end <= begin:
        yield gap(endpoint, "counters of the past", "the span that --history names has not begun yet, by vCenter's clock")
        return None
    usable = [one for one in intervals if one.enabled and now - begin <= timedelta(seconds=one.kept_seconds) + _LATE]
    real_time = _real_time(begin, end, now, usable[0].seconds if usable else ROLLED_SECONDS)
    if not usable and (real_time is None or real_time > begin):
        kept = max((one.kept_seconds for one in intervals if one.enabled), default=0)
        yield gap(endpoint, f"counters since {begin:%Y-%m-%d %H:%M} UTC", f"vCenter keeps none for longer than {kept // 3600} hours")
    if usable and real_time != begin:
        yield from span_gap(endpoint.name, usable[0].seconds, endpoint.history)
    stores, _, _ = yield from stores_by_instance(vcenter, endpoint, circuit)
    kept_counters, missing = _kept(usable, levels)
    if missing and usable and real_time != begin:
        yield gap(endpoint, f"history of {_listed(missing)}", _levels_text(usable[0], missing))
    keys = {name: levels[name].key for kind in KINDS for name in kind.counters.values() if name in levels}
    return Query(vcenter, endpoint, begin, end, stores, keys, kept_counters, real_time, most)


def _real_time(begin: datetime, end: datetime, now: datetime, seconds: int) -> datetime | None:
    """Where the samples of 20 seconds take over from roll-ups of `seconds`; None where none of them are in the span."""
    oldest = (now - REAL_TIME_KEPT).timestamp()
    oldest = -(-oldest // seconds) * seconds
    first = max(begin, datetime.fromtimestamp(oldest, UTC))
    return first if first + timedelta(seconds=ROLLED_SECONDS) <= end else None


def _kept(
    usable: Sequence[Interval], levels: Mapping[str, CounterLevel]
) -> tuple[dict[int, dict[Kind, dict[str, int]]], dict[Kind, int | None]]:
    """By length of the roll-up and kind, the keys of the counters that are asked of it: of each counter the shortest that keeps it.

    Also the kinds for which a counter is not kept, and the level that would keep all of them; None: vCenter has not all of these counters.
    """
    kept: dict[int, dict[Kind, dict[str, int]]] = {}
    missing: dict[Kind, int | None] = {}
    for kind in KINDS:
        for short, name in kind.counters.items():
            counter = levels.get(name)
            if counter is None:
                missing[kind] = None
                continue
            level = counter.whole if kind.is_whole else counter.each
            interval = next((one for one in usable if one.keeps(level)), None)
            if interval is not None:
                kept.setdefault(interval.seconds, {}).setdefault(kind, {})[short] = counter.key
            elif missing.get(kind, 0) is not None:
                missing[kind] = max(missing.get(kind) or 0, level or 0)
    return kept, missing


def _listed(missing: Mapping[Kind, int | None]) -> str:
    return ", ".join(sorted(kind.plural for kind in missing))


def _levels_text(interval: Interval, missing: Mapping[Kind, int | None]) -> str:
    by_level: dict[int | None, list[str]] = {}
    for kind, level in missing.items():
        by_level.setdefault(level, []).append(kind.plural)
    texts = []
    for level, plurals in sorted(by_level.items(), key=lambda one: one[0] or 9):
        *others, last = sorted(plurals)
        whose = f"{', '.join(others)} and {last}" if others else last
        texts.append(f"{whose} lack counters in this release" if level is None else f"{whose} need level {level}")
    return f"vCenter keeps {_length(interval.seconds)} rows at level {interval.level}: {'; '.join(texts)}"


def _length(seconds: int) -> str:
    return f"{seconds // 3600}-hour" if seconds % 3600 == 0 else f"{seconds // 60}-minute" if seconds % 60 == 0 else f"{seconds}-second"
