"""Real-time performance counters of many hosts in one question, decoded without pyVmomi where that is sure to come to the same.

A host with 512 devices and eight counters of each answers with 4,000 series, 0.7 MB: pyVmomi takes 0.12 s of processor time for them, this
0.03 s.

vCenter's limit on the metrics of one query (config.vpxd.stats.maxQueryMetrics, 64 by default) is for historical ones, which its database
answers; real-time ones come from the hosts, and are not counted. Source: KB 2107096, and collectors that ask real vCenters
(telegraf, inputs/vsphere: max_query_metrics is "for non-realtime resources").

Imports pyVmomi.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from pyVmomi import VmomiSupport, vim

from auditor.endpoints.vcenter.bulk.soap_grammar import TEXT, unescaped
from auditor.endpoints.vcenter.session import moid
from auditor.endpoints.vcenter.soap_envelope import NAME, SOAP, VIM, content_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from auditor.endpoints.vcenter.bulk.shapes import Ref
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.endpoints.vcenter.stub import Stub

SAMPLE_SECONDS = 20
"""Between two real-time samples of a host. Source: PerfProviderSummary.refreshRate of hosts; docs/domain/facts.md#9-1."""

Values = tuple["int | None", ...]
"""Samples, oldest first; None is a missing one."""

_ENVELOPE = (
    f'<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope xmlns:soapenv="{SOAP}"><soapenv:Body>'
    f'<QueryPerf xmlns="{VIM}"><_this type="PerformanceManager">{{moid}}</_this>{{specs}}</QueryPerf></soapenv:Body></soapenv:Envelope>'
)
_SERIES = (
    r'<value(?: xsi:type="PerfMetricSeriesCSV")?+><id(?: xsi:type="PerfMetricId")?+><counterId>([0-9]{1,9}+)</counterId>'
    rf"<instance>({TEXT})</instance></id>(?:<value>([-0-9,]*+)</value>)?+</value>"
)
_EACH = re.compile(_SERIES)
_HOST = re.compile(
    rf'<returnval xsi:type="PerfEntityMetricCSV"><entity type="{NAME}"(?: xsi:type="ManagedObjectReference")?+>({TEXT})</entity>'
    rf"<sampleInfoCSV>([-+.:,0-9TZ]*+)</sampleInfoCSV>((?:{_SERIES})*+)</returnval>|(.)",
    re.DOTALL,
)
_NUMBER = re.compile(r"-?[0-9]{1,18}")

_LATENCY = re.compile(r"\w+\.\w*Latency\.\w+")
_IN_MICROSECONDS = frozenset({"datastore.sizeNormalizedDatastoreLatency.average", "datastore.datastoreVMObservedLatency.latest"})
_HOUR_MS = 3_600_000
"""No command takes longer: a host gives up a device that is gone after minutes. Policy."""
_ANY = 10**18


@dataclass(frozen=True, slots=True)
class Samples:
    """What one host answered.

    Attributes:
        host_id: managed object id.
        times: of the samples, oldest first.
        series: by the counter's name and the instance; an instance "" is the host as a whole. Each as long as `times`.
        torn: series that are not as long as `times`, which are left out.
    """

    host_id: str
    times: tuple[datetime, ...]
    series: Mapping[tuple[str, str], Values]
    torn: int = 0


def counter_keys(vcenter: VCenter) -> Mapping[str, int]:
    """The keys of all counters of a vCenter, by name, for example disk.kernelLatency.average. They differ between vCenters.

    Raises:
        EndpointError: as for every read.
    """
    if vcenter.counters is None:
        counters = vcenter.value(vim.PerformanceManager, moid(vcenter.content.perfManager), "perfCounter")
        vcenter.counters = {f"{one.groupInfo.key}.{one.nameInfo.key}.{one.rollupType}": int(one.key) for one in counters or ()}
    return vcenter.counters


def query_samples(vcenter: VCenter, hosts: Sequence[Ref], counters: Mapping[str, int], most: int) -> list[Samples]:
    """The newest `most` real-time samples of `counters` (name to key), every instance of them, of each of `hosts`.

    A host that has none of them is left out.

    Raises:
        vmodl.MethodFault: as the server gave it, for all hosts together.
        EndpointError: of the transport, or the answer makes no sense.
    """
    metrics = "".join(metric_text(key, "*") for key in counters.values())
    specs = "".join(
        f"<querySpec>{entity_text(host)}<maxSample>{most}</maxSample>{metrics}"
        f"<intervalId>{SAMPLE_SECONDS}</intervalId><format>csv</format></querySpec>"
        for host in hosts
    )
    return answered_samples(vcenter, specs, {key: name for name, key in counters.items()})


def entity_text(ref: Ref) -> str:
    """The entity of a query, as SOAP has it."""
    return f"<entity type={quoteattr(ref.type)}>{escape(ref.value)}</entity>"


def metric_text(key: int, instance: str) -> str:
    """A counter and one instance of a query, as SOAP has them; "*" is every instance, "" the entity as a whole."""
    return f"<metricId><counterId>{key}</counterId><instance>{escape(instance)}</instance></metricId>"


def answered_samples(vcenter: VCenter, specs: str, names: Mapping[int, str]) -> list[Samples]:
    """What QueryPerf answers to `specs`, by `names` of counters; see `query_samples`."""
    stub: Stub = vcenter.stub
    request = _ENVELOPE.format(moid=escape(moid(vcenter.content.perfManager)), specs=specs)

    def decode(status: int, body: bytes) -> list[Samples]:
        content = content_of(body, "QueryPerf") if status == 200 else None
        scanned = None if content is None else scanned_samples(content, names)
        if scanned is not None:
            return scanned
        array = VmomiSupport.GetVmodlType("vim.PerformanceManager.EntityMetricBase[]")
        return _samples_of(stub.decoded("QueryPerf", array, status, body), names)

    return stub.ask("QueryPerf", request, decode, repeatable=True)


def scanned_samples(content: str, names: Mapping[int, str]) -> list[Samples] | None:
    """The samples in the content of a response, by `names` of counters; None where it is not written as spelt out above."""
    samples = []
    for host in _HOST.finditer(content):
        if host.lastindex == _HOST.groups:
            return None
        series = [(int(key), unescaped(instance), text) for key, instance, text in _EACH.findall(content, host.start(3), host.end(3))]
        one = _read(unescaped(host[1]), host[2], series, names)
        if one is None:
            return None
        samples.append(one)
    return samples


def _samples_of(entities: Any, names: Mapping[int, str]) -> list[Samples]:
    samples = []
    for one in entities or ():
        host_id = moid(one.entity)
        if not isinstance(one, vim.PerformanceManager.EntityMetricCSV):
            samples.append(Samples(host_id, (), {}, torn=len(one.value or ())))
            continue
        series = [(one_of.id.counterId, one_of.id.instance or "", one_of.value or "") for one_of in one.value or ()]
        samples.append(_read(host_id, one.sampleInfoCSV or "", series, names) or Samples(host_id, (), {}, torn=len(series)))
    return samples


def _read(host_id: str, info: str, series: Collection[tuple[int, str, str]], names: Mapping[int, str]) -> Samples | None:
    times = _times(info)
    if times is None:
        return None
    read: dict[tuple[str, str], Values] = {}
    torn = 0
    for key, instance, text in series:
        values = _values(text, _most(names.get(key, "")))
        if values is None or len(values) != len(times):
            torn += 1
        elif key in names:
            read[names[key], instance] = values
    return Samples(host_id, times, read, torn)


@lru_cache(maxsize=64)
def _times(info: str) -> tuple[datetime, ...] | None:
    """The times in "20,2026-09-20T10:00:00Z,20,..."; None when it is not of that form."""
    words = info.split(",") if info else []
    try:
        return tuple(datetime.fromisoformat(word) for word in words[1::2]) if len(words) % 2 == 0 else None
    except ValueError:
        return None


@lru_cache(maxsize=256)
def _most(name: str) -> int:
    """The highest value that a counter may have: an hour of a latency.

    Source: Oxalide/vsphere-influxdb-go#71, a vCenter 6.5 with datastore.totalReadLatency of 2,049,638,230,411,510 ms now and then; units
    as in docs/domain/facts.md#9-1.
    """
    if not _LATENCY.fullmatch(name):
        return _ANY
    return _HOUR_MS * 1000 if name in _IN_MICROSECONDS else _HOUR_MS


@lru_cache(maxsize=4096)  # most devices of most hosts are idle, and say the same
def _values(text: str, most: int) -> Values | None:
    """The numbers in "12,0,-1"; below zero, above `most`, or nothing, is a missing sample. None when it is not of that form.

    Source: pyvmomi issue 191, quoting the owners of the PerformanceManager: "using -1 as a special value, indicating missing sample".
    """
    numbers: list[int | None] = []
    for word in text.split(",") if text else ():
        if word and not _NUMBER.fullmatch(word):
            return None
        number = int(word) if word and not word.startswith("-") else None
        numbers.append(None if number is not None and number > most else number)
    return tuple(numbers)
