"""Roll-ups of performance counters, as a vCenter keeps them: which there are, and what they were between two moments.

A vCenter's database answers these, so it limits how many metrics one query may ask for (config.vpxd.stats.maxQueryMetrics): 64 where nobody
has set it, 256 in later releases. Each instance of a counter is asked for by its name, so that it is known how many these are.

Source: KB 2107096; PerfQuerySpec and PerfInterval in the vSphere API reference; what collectors met on real vCenters: influxdata/telegraf
#4949, #5037, #7721 (the limit), #9247 (an interval that is not 300 seconds), #12455 (a begin that is not before the end).

Imports pyVmomi.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from pyVmomi import VmomiSupport, vim, vmodl

from auditor.endpoints.vcenter.bulk.reference import ref_of
from auditor.endpoints.vcenter.bulk.soap_grammar import TEXT, unescaped
from auditor.endpoints.vcenter.host_answers import query_options
from auditor.endpoints.vcenter.performance import answered_samples, entity_text, metric_text
from auditor.endpoints.vcenter.session import moid
from auditor.endpoints.vcenter.soap_envelope import SOAP, VIM, content_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from auditor.endpoints.vcenter.bulk.shapes import Ref
    from auditor.endpoints.vcenter.performance import Samples
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.endpoints.vcenter.stub import Stub

LIMIT = "config.vpxd.stats.maxQueryMetrics"
USUAL_LIMIT = 64

Metric = tuple[int, str]
"""The key of a counter, and an instance; "" is the entity as a whole."""

_AVAILABLE = (
    f'<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope xmlns:soapenv="{SOAP}"><soapenv:Body>'
    f'<QueryAvailablePerfMetric xmlns="{VIM}"><_this type="PerformanceManager">{{moid}}</_this>{{entity}}'
    "<beginTime>{begin}</beginTime><endTime>{end}</endTime><intervalId>{seconds}</intervalId>"
    "</QueryAvailablePerfMetric></soapenv:Body></soapenv:Envelope>"
)
_METRIC = re.compile(
    rf'<returnval(?: xsi:type="PerfMetricId")?+><counterId>([0-9]{{1,9}}+)</counterId><instance>({TEXT})</instance></returnval>|(.)',
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Interval:
    """A roll-up that a vCenter makes; `level` None: it does not say."""

    name: str
    seconds: int
    kept_seconds: int
    level: int | None
    enabled: bool

    def keeps(self, level: int | None) -> bool:
        """Whether it keeps counters of a level; what is not said is tried."""
        return self.enabled and (self.level is None or level is None or level <= self.level)


@dataclass(frozen=True, slots=True)
class CounterLevel:
    """From which statistics level on a counter is kept, of an entity as a whole and of its instances; None: it is not said."""

    key: int
    whole: int | None
    each: int | None


class TooManyMetricsError(Exception):
    """The vCenter refuses a query because it asks for too many metrics."""


def kept_intervals(vcenter: VCenter) -> list[Interval]:
    """The roll-ups of a vCenter, shortest first.

    Raises:
        EndpointError: as for every read.
    """
    listed = vcenter.value(vim.PerformanceManager, moid(vcenter.content.perfManager), "historicalInterval")
    found = [
        Interval(one.name, int(one.samplingPeriod), int(one.length), one.level if one.level is None else int(one.level), bool(one.enabled))
        for one in listed or ()
    ]
    return sorted(found, key=lambda one: one.seconds)


def counter_levels(vcenter: VCenter) -> Mapping[str, CounterLevel]:
    """The key and levels of all counters of a vCenter, by name.

    Raises:
        EndpointError: as for every read.
    """
    listed = vcenter.value(vim.PerformanceManager, moid(vcenter.content.perfManager), "perfCounter")
    return {
        f"{one.groupInfo.key}.{one.nameInfo.key}.{one.rollupType}": CounterLevel(int(one.key), one.level, one.perDeviceLevel)
        for one in listed or ()
    }


def most_metrics(vcenter: VCenter) -> int | None:
    """How many metrics one query may ask for; None: there is no limit.

    An account that may not read the setting, and a vCenter where nobody has set it, get the smallest usual limit.

    Raises:
        EndpointError: of the transport.
    """
    manager = vcenter.content.setting
    if manager is None:
        return USUAL_LIMIT
    try:
        options = query_options(vcenter.stub, ref_of(manager), LIMIT)
    except vmodl.MethodFault:
        return USUAL_LIMIT
    values = [value for key, value in zip(options.keys, options.values, strict=True) if key == LIMIT]
    try:
        most = int(values[0] or "") if values else USUAL_LIMIT
    except ValueError:
        return USUAL_LIMIT
    return most if most > 0 else None


def available_metrics(vcenter: VCenter, entity: Ref, seconds: int, begin: datetime, end: datetime) -> list[Metric]:
    """Which metrics of an entity a roll-up has between two moments.

    Raises:
        vmodl.MethodFault: as the server gave it.
        EndpointError: of the transport, or the answer makes no sense.
    """
    stub: Stub = vcenter.stub
    request = _AVAILABLE.format(
        moid=escape(moid(vcenter.content.perfManager)),
        entity=entity_text(entity),
        begin=_time(begin),
        end=_time(end),
        seconds=seconds,
    )

    def decode(status: int, body: bytes) -> list[Metric]:
        content = content_of(body, "QueryAvailablePerfMetric") if status == 200 else None
        scanned = None if content is None else _scanned(content)
        if scanned is not None:
            return scanned
        array = VmomiSupport.GetVmodlType("vim.PerformanceManager.MetricId[]")
        return [(int(one.counterId), one.instance or "") for one in stub.decoded("QueryAvailablePerfMetric", array, status, body) or ()]

    return stub.ask("QueryAvailablePerfMetric", request, decode, repeatable=True)


def query_rollups(
    vcenter: VCenter, metrics: Sequence[tuple[Ref, Metric]], names: Mapping[int, str], seconds: int, begin: datetime, end: datetime
) -> list[Samples]:
    """The roll-ups of `seconds` of these metrics whose intervals end after `begin` and not after `end`; `names` of counters by key.

    An entity that has none of them is left out. Real-time samples are asked for by their own interval.

    Raises:
        TooManyMetricsError: fewer are to be asked for at once.
        vmodl.MethodFault: as the server gave it, for all together.
        EndpointError: of the transport, or the answer makes no sense.
    """
    specs = "".join(
        f"<querySpec>{entity_text(entity)}<startTime>{_time(begin)}</startTime><endTime>{_time(end)}</endTime>"
        f"{''.join(metric_text(*metric) for metric in of_entity)}<intervalId>{seconds}</intervalId><format>csv</format></querySpec>"
        for entity, of_entity in _by_entity(metrics)
    )
    try:
        return answered_samples(vcenter, specs, names)
    except vim.fault.RestrictedByAdministrator:
        raise TooManyMetricsError from None
    except vmodl.fault.InvalidArgument as fault:
        if fault.invalidProperty != "querySpec.size":  # what vCenters before 6.0 answer, by KB 2107096
            raise
        raise TooManyMetricsError from None


def _by_entity(metrics: Sequence[tuple[Ref, Metric]]) -> Iterator[tuple[Ref, list[Metric]]]:
    by_entity: dict[Ref, list[Metric]] = {}
    for entity, metric in metrics:
        by_entity.setdefault(entity, []).append(metric)
    yield from by_entity.items()


def _scanned(content: str) -> list[Metric] | None:
    found: list[Metric] = []
    for match in _METRIC.finditer(content):
        if match.lastindex == _METRIC.groups:
            return None
        found.append((int(match[1]), unescaped(match[2])))
    return found


def _time(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
