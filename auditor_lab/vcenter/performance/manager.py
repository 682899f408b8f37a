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
    from auditor_lab.vcenter.state.vcenter import VCenterState

REFERENCE = vim.PerformanceManager("PerfMgr")
_Performance = vim.PerformanceManager
SETTINGS_ID = "VpxSettings"
SETTING = "config.vpxd.stats.maxQueryMetrics"
MAX_QUERY_METRICS = 64
"""What counts where nobody has set it. Source: KB 2107096; telegraf takes 256 for releases after 6.0 (influxdata/telegraf#4949)."""


def performance_objects(state: VCenterState) -> list[Managed]:
    """The performance manager, and the vCenter's own options, of which the limit of its queries is one."""
    return [
        Managed(vim.option.OptionManager, SETTINGS_ID, {"setting": lambda: vcenter_settings(state)}),
        Managed(
            vim.PerformanceManager,
            REFERENCE._GetMoId(),  # noqa: SLF001  pyVmomi's accessor
            {
                "perfCounter": lambda: [counter.info() for counter in COUNTERS.values()],
                "historicalInterval": lambda: [
                    vim.HistoricalInterval(key=key, name=name, samplingPeriod=period, length=length, level=level, enabled=True)
                    for key, name, period, length, _ in HISTORICAL
                    for level in (state.description.statistics_level,)
                ],
                "description": _description,
            },
        ),
    ]


def vcenter_settings(state: VCenterState) -> list[Any]:
    """OptionValue of those of the vCenter's own settings that the lab has; one that nobody has set is not there."""
    most = state.description.max_query_metrics
    return [] if most is None else [vim.option.OptionValue(key=SETTING, value=most)]


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
    periods = {period for _, _, period, _, _ in HISTORICAL}
    if interval == REAL_TIME_SECONDS:
        return metrics_of(context.state, loads, entity, interval) if supports_real_time(entity) else {}
    if interval not in periods:
        raise vmodl.fault.InvalidArgument(invalidProperty="interval", msg="A specified parameter was not correct: interval")
    return stored_metrics(metrics_of(context.state, loads, entity, interval), context.state.description.statistics_level)


def _query_perf(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    """One result for each entity; one without the requested metrics is left out."""
    loads = Loads(context.state)
    _check_size(context, arguments["querySpec"])
    built = [_entity_metric(context, loads, spec) for spec in arguments["querySpec"]]
    return VmomiSupport.GetVmodlType("vim.PerformanceManager.EntityMetricBase[]")([one for one in built if one is not None])


def _check_size(context: Context, specs: list[Any]) -> None:
    """Refuse a query of more roll-ups than vCenter's database is asked for at once; each instance of a wildcard counts.

    Source: KB 2107096; the message as telegraf's users quote it (influxdata/telegraf#5037, #7721). That wildcards count as what they stand
    for is not verified against a real vCenter.
    """
    most = context.state.description.max_query_metrics
    most = MAX_QUERY_METRICS if most is None else most
    if most < 1:
        return
    loads = Loads(context.state)
    asked = 0
    for spec in specs:
        if spec.intervalId and spec.intervalId != REAL_TIME_SECONDS:
            asked += len(_chosen(_metrics(context, loads, spec.entity, spec.intervalId), spec.metricId))
    if asked > most:
        raise vim.fault.RestrictedByAdministrator(
            details=SETTING.removeprefix("config."),
            msg="This operation is restricted by the administrator - 'vpxd.stats.maxQueryMetrics'. Contact your system administrator.",
        )


def _entity_metric(context: Context, loads: Loads, spec: Any) -> Any:
    context.inventory.find(spec.entity)
    interval = spec.intervalId or (REAL_TIME_SECONDS if supports_real_time(spec.entity) else HISTORICAL[0][2])
    chosen = _chosen(_metrics(context, loads, spec.entity, interval), spec.metricId)
    times = _sample_times(spec, interval)
    if not chosen or not times:
        return None
    name = spec.entity._GetMoId()  # noqa: SLF001  as above
    series = {key: value.at(times, name, key[1], _width(key[0], interval)) for key, value in chosen.items()}
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


def _width(counter: int, interval: int) -> int:
    """How many seconds a value is of: a roll-up of the kind "latest" is the newest sample of its interval."""
    return REAL_TIME_SECONDS if COUNTERS[counter].rollup == "latest" else interval


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
    if spec.startTime is not None and spec.endTime is not None and spec.startTime >= spec.endTime:  # influxdata/telegraf#12455
        raise vmodl.fault.InvalidArgument(
            invalidProperty="querySpec.startTime, querySpec.endTime",
            msg="A specified parameter was not correct: querySpec.startTime, querySpec.endTime",
        )
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
