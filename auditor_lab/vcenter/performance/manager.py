"""The PerformanceManager: counters, the metrics of an entity, and their samples.

Samples are computed on request from the current state: a change shows in the samples of the past hour too.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import VmomiSupport, vim, vmodl

from auditor_lab.vcenter.inventory.entities import Managed
from auditor_lab.vcenter.performance.counters import COUNTERS, HISTORICAL, REAL_TIME_KEPT_SECONDS, REAL_TIME_SECONDS
from auditor_lab.vcenter.performance.load import Loads
from auditor_lab.vcenter.performance.metrics import Metrics, Value, metrics_of, stored_metrics, supports_real_time
from auditor_lab.vcenter.soap.data_objects import complete, long

if TYPE_CHECKING:
    from auditor_lab.vcenter.context import Context, Operation

REFERENCE = vim.PerformanceManager("PerfMgr")
_Performance = vim.PerformanceManager


def performance_objects() -> list[Managed]:
    """The performance manager."""
    return [
        Managed(
            vim.PerformanceManager,
            REFERENCE._GetMoId(),  # noqa: SLF001  pyVmomi's accessor
            {
                "perfCounter": lambda: [counter.info() for counter in COUNTERS.values()],
                "historicalInterval": lambda: [
                    vim.HistoricalInterval(key=key, name=name, samplingPeriod=period, length=length, level=level, enabled=True)
                    for key, name, period, length, level in HISTORICAL
                ],
                "description": _description,
            },
        )
    ]


def _description() -> Any:
    def described(names: Any) -> list[Any]:
        return [vim.ElementDescription(key=name, label=name, summary=name) for name in names]

    info = vim.PerformanceManager.CounterInfo
    return complete(vim.PerformanceDescription(counterType=described(info.RollupType.values), statsType=described(info.StatsType.values)))


def _query_counter(_context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    keys = arguments.get("counterId", [])
    for key in keys:
        if key not in COUNTERS:
            raise vmodl.fault.InvalidArgument(invalidProperty="counterId", msg="A specified parameter was not correct: counterId")
    return _counters(keys)


def _query_counter_by_level(_context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    """The counters that this statistics level stores."""
    level = arguments["level"]
    if not 1 <= level <= 4:
        raise vmodl.fault.InvalidArgument(invalidProperty="level", msg="A specified parameter was not correct: level")
    return _counters(key for key, counter in COUNTERS.items() if counter.level <= level)


def _counters(keys: Any) -> Any:
    return VmomiSupport.GetVmodlType("vim.PerformanceManager.CounterInfo[]")([COUNTERS[key].info() for key in keys])


def _query_provider(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    entity = arguments["entity"]
    context.inventory.find(entity)
    real_time = supports_real_time(entity)
    return _Performance.ProviderSummary(
        entity=entity, currentSupported=real_time, summarySupported=True, refreshRate=REAL_TIME_SECONDS if real_time else -1
    )


def _query_available(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    """The metrics of any interval, where the request names none."""
    entity = arguments["entity"]
    context.inventory.find(entity)
    interval = arguments.get("intervalId")
    wanted = [REAL_TIME_SECONDS, *(period for _, _, period, _, _ in HISTORICAL)] if interval is None else [interval]
    loads = Loads(context.state)
    metrics: dict[tuple[int, str], Value] = {}
    for seconds in wanted:
        metrics |= _metrics(context, loads, entity, seconds)
    return VmomiSupport.GetVmodlType("vim.PerformanceManager.MetricId[]")(
        [_Performance.MetricId(counterId=key, instance=instance) for key, instance in metrics]
    )


def _metrics(context: Context, loads: Loads, entity: Any, interval: int) -> Metrics:
    """The metrics of an entity at an interval: real-time where it has them, else those that the interval's level stores.

    Raises:
        vmodl.fault.InvalidArgument: there is no such interval.
    """
    levels = {period: level for _, _, period, _, level in HISTORICAL}
    if interval == REAL_TIME_SECONDS:
        return metrics_of(context.state, loads, entity, interval) if supports_real_time(entity) else {}
    if interval not in levels:
        raise vmodl.fault.InvalidArgument(invalidProperty="interval", msg="A specified parameter was not correct: interval")
    return stored_metrics(metrics_of(context.state, loads, entity, interval), levels[interval])


def _query_perf(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    """One result for each entity; one without the requested metrics is left out."""
    loads = Loads(context.state)
    built = [_entity_metric(context, loads, spec) for spec in arguments["querySpec"]]
    return VmomiSupport.GetVmodlType("vim.PerformanceManager.EntityMetricBase[]")([one for one in built if one is not None])


def _entity_metric(context: Context, loads: Loads, spec: Any) -> Any:
    context.inventory.find(spec.entity)
    interval = spec.intervalId or (REAL_TIME_SECONDS if supports_real_time(spec.entity) else HISTORICAL[0][2])
    chosen = _chosen(_metrics(context, loads, spec.entity, interval), spec.metricId)
    times = _sample_times(spec, interval)
    if not chosen or not times:
        return None
    name = spec.entity._GetMoId()  # noqa: SLF001  as above
    series = {key: value.at(times, name, key[1]) for key, value in chosen.items()}
    stamps = [datetime.fromtimestamp(seconds, UTC) for seconds in times]
    ids = {key: _metric_id(*key) for key in series}
    if spec.format == "csv":
        return _Performance.EntityMetricCSV(
            entity=spec.entity,
            sampleInfoCSV=",".join(f"{interval},{stamp:%Y-%m-%dT%H:%M:%SZ}" for stamp in stamps),
            value=[_Performance.MetricSeriesCSV(id=ids[key], value=",".join(map(str, values))) for key, values in series.items()],
        )
    longs = VmomiSupport.GetVmodlType("long[]")
    return _Performance.EntityMetric(
        entity=spec.entity,
        sampleInfo=[_Performance.SampleInfo(timestamp=stamp, interval=interval) for stamp in stamps],
        value=[_Performance.IntSeries(id=ids[key], value=longs([long(one) for one in values])) for key, values in series.items()],
    )


@lru_cache(maxsize=1 << 16)  # hosts of a cluster see the same devices, and pyVmomi is slow to create one
def _metric_id(counter: int, instance: str) -> Any:
    return _Performance.MetricId(counterId=counter, instance=instance)


def _chosen(metrics: Metrics, requested: list[Any]) -> Metrics:
    """The requested ones of `metrics`; all without a request. The instance "*" means every one, "" the entity itself."""
    if not requested:
        return metrics
    chosen: Metrics = {}
    for one in requested:
        if one.counterId not in COUNTERS:
            raise vmodl.fault.InvalidArgument(
                invalidProperty="querySpec.metricId", msg="A specified parameter was not correct: querySpec.metricId"
            )
        for key, value in metrics.items():
            if key[0] == one.counterId and one.instance in ("*", key[1]):
                chosen[key] = value
    return chosen


def _sample_times(spec: Any, interval: int) -> list[int]:
    """The times of the requested samples in seconds since 1970, oldest first: after `startTime`, up to and including `endTime`.

    `maxSample` selects the newest, and applies to real-time samples only. Source: PerfQuerySpec in the vSphere API.
    """
    now = int(time.time())
    length = next((length for _, _, period, length, _ in HISTORICAL if period == interval), REAL_TIME_KEPT_SECONDS)
    first = now - length
    if spec.startTime is not None:
        first = max(first, int(spec.startTime.timestamp()))
    last = now if spec.endTime is None else min(now, int(spec.endTime.timestamp()))
    times = list(range((first // interval + 1) * interval, last + 1, interval))
    if spec.maxSample and interval == REAL_TIME_SECONDS:
        times = times[-spec.maxSample :]
    return times


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "QueryPerfCounter": _query_counter,
        "QueryPerfCounterByLevel": _query_counter_by_level,
        "QueryPerfProviderSummary": _query_provider,
        "QueryAvailablePerfMetric": _query_available,
        "QueryPerf": _query_perf,
    }
)
