"""How subjects did in the span that --history names: a vCenter's roll-ups, and of its last hour the samples of 20 seconds of hosts.

Samples of the last hour are rolled up here to intervals of five minutes, so that no two intervals of a subject overlap, and highest samples
are known that vCenter does not keep. What a roll-up's statistics level lacks is one gap of the vCenter.

No more than a few batches of hosts are under way at once, and each is let go of as soon as its rows are handed on: a day of many hosts is
never held as a whole. docs/performance.md has what it takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.collect.history_figures import (
    OF_ALL_HOSTS,
    OF_HOSTS,
    ROLLED_SECONDS,
    figures_of,
    is_idle,
    rolled_up,
    rows_of,
)
from auditor.endpoints.vcenter.collect.history_plan import prepared
from auditor.endpoints.vcenter.collect.load import MOST_VALUES
from auditor.endpoints.vcenter.collect.rows import columns, gap, pages, readings
from auditor.endpoints.vcenter.collect.storage import lower_hex_name
from auditor.endpoints.vcenter.performance import SAMPLE_SECONDS
from auditor.errors import EndpointError
from auditor.facts.schema import Batch
from auditor.facts.tables.history import TOPIC
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.bulk.shapes import Ref
    from auditor.endpoints.vcenter.collect.history_figures import Figures, Kind, Values
    from auditor.endpoints.vcenter.collect.history_plan import Query
    from auditor.endpoints.vcenter.collect.rows import Facts, HostSeen
    from auditor.endpoints.vcenter.collect.task_pool import TaskPool
    from auditor.endpoints.vcenter.past_performance import Metric
    from auditor.endpoints.vcenter.performance import Samples
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

BATCH = 4
"""Hosts that one task asks for."""

Part = tuple["Figures", "Sequence[datetime]", int]
"""Figures, the ends of their intervals, and how long these are."""


def collect_load_history(
    vcenter: VCenter, endpoint: Endpoint, hosts: Sequence[HostSeen], tasks: TaskPool, circuit: Circuit
) -> Iterator[Facts]:
    """Yield statistics_interval and load_history of the endpoint's span, and the reading of topic "load_history".

    It is whole when everything that is counted of hosts and datastores is kept for the whole span, and was answered. Nothing where the
    endpoint has no span.
    """
    if endpoint.history is None:
        return
    complete = True
    try:
        facts = _collected(vcenter, endpoint, hosts, tasks, circuit)
        for item in facts:
            complete = complete and not isinstance(item, Gap)
            yield item
    except EndpointError as error:
        circuit.failed(error)
        complete = False
        yield gap(endpoint, "counters of the past", error)
    yield readings(endpoint, "", {TOPIC: complete})


def _collected(vcenter: VCenter, endpoint: Endpoint, hosts: Sequence[HostSeen], tasks: TaskPool, circuit: Circuit) -> Iterator[Facts]:
    query = yield from prepared(vcenter, endpoint, circuit)
    if query is None:
        return
    stores = list(query.stores.values())
    if any(OF_ALL_HOSTS in kinds for kinds in query.kept.values()):
        for page in pages(stores, 16):
            tasks.send(partial(_read_datastores, query, page, circuit))
            yield from tasks.fewer_than(endpoint.limits.concurrency)
    for batch in pages(hosts, BATCH):
        tasks.send(partial(_read_hosts, query, batch, circuit))
        yield from tasks.fewer_than(endpoint.limits.concurrency)
    yield from tasks.rest()


def _read_datastores(query: Query, stores: Sequence[str], circuit: Circuit) -> list[Facts]:
    """What vCenter keeps of datastores for all hosts together."""
    from auditor.endpoints.vcenter.bulk.shapes import Ref

    def read() -> list[Facts]:
        facts: list[Facts] = []
        for seconds, kinds in query.kept.items():
            keys = kinds.get(OF_ALL_HOSTS, {})
            metrics = [(Ref("Datastore", store), (key, "")) for store in stores for key in keys.values()]
            for samples in _rollups(query, metrics, seconds, query.end):
                found = _subjects(query, [samples], OF_ALL_HOSTS)
                parts = [(figures_of(series, len(times)), times, seconds) for series, times in found.values()]
                facts += _rows(query, OF_ALL_HOSTS, {samples.host_id: parts}, "")
        return facts

    return _or_gap(query, f"history of datastore {stores[0]} and others", circuit, read)


def _read_hosts(query: Query, hosts: Sequence[HostSeen], circuit: Circuit) -> list[Facts]:
    """The history of `hosts`; where all together cannot be read, of each by itself."""
    facts = _or_gap(query, f"history of {hosts[0].name}", circuit, lambda: [item for host in hosts for item in _of_host(query, host)])
    if len(hosts) > 1 and any(isinstance(item, Gap) for item in facts) and circuit.opened_by is None:
        return [item for host in hosts for item in _read_hosts(query, [host], circuit)]
    return facts


def _or_gap(query: Query, what: str, circuit: Circuit, read: Any) -> list[Facts]:
    from auditor.endpoints.vcenter.translation import translated

    try:
        circuit.check()
        with translated(query.endpoint, f"reading the {what}"):
            facts: list[Facts] = read()
    except EndpointError as error:
        circuit.failed(error)
        return [gap(query.endpoint, what, error)]
    circuit.answered()
    return facts


def _of_host(query: Query, host: HostSeen) -> Iterator[Facts]:
    parts: dict[Kind, dict[str, list[Part]]] = {kind: {} for kind in OF_HOSTS}
    for seconds, kinds in query.kept.items():
        if query.begin >= query.rolled_end:
            break
        metrics = _metrics_of(query, host, kinds, seconds)
        answered = _rollups(query, [(host.ref, metric) for metric in metrics], seconds, query.rolled_end)
        for kind in OF_HOSTS:
            for subject, (series, times) in _subjects(query, answered, kind).items():
                parts[kind].setdefault(subject, []).append((figures_of(series, len(times)), times, seconds))
    if query.real_time is not None and host.connected:
        answered = _real_time_of(query, host, query.real_time)
        for kind in OF_HOSTS:
            for subject, (series, times) in _subjects(query, answered, kind).items():
                figures, ends = rolled_up(series, times, query.real_time, query.end)
                parts[kind].setdefault(subject, []).append((figures, ends, ROLLED_SECONDS))
    for kind in OF_HOSTS:
        yield from _rows(query, kind, parts[kind], host.id)


def _metrics_of(query: Query, host: HostSeen, kinds: Mapping[Kind, Mapping[str, int]], seconds: int) -> list[Metric]:
    """The metrics of a host to ask for: what is of the host as a whole, and what it has of the instances of the others."""
    from auditor.endpoints.vcenter.past_performance import available_metrics

    whole = [(key, "") for kind, keys in kinds.items() if kind.is_whole and kind in OF_HOSTS for key in keys.values()]
    each = {key for kind, keys in kinds.items() if not kind.is_whole for key in keys.values()}
    if not each:
        return whole
    there = available_metrics(query.vcenter, host.ref, seconds, query.begin, query.rolled_end)
    return [*whole, *sorted({(key, instance) for key, instance in there if key in each and instance}, key=lambda one: (one[1], one[0]))]


def _rollups(query: Query, metrics: Sequence[tuple[Ref, Metric]], seconds: int, end: datetime) -> list[Samples]:
    """The roll-ups of `metrics` up to `end`, by as many queries as vCenter's limit asks for."""
    from auditor.endpoints.vcenter.past_performance import TooManyMetricsError, query_rollups

    count = max(1, int((end - query.begin).total_seconds()) // seconds)
    answered: list[Samples] = []
    at = 0
    while at < len(metrics):
        size = max(1, min(MOST_VALUES // count, query.most or len(metrics)))
        page = metrics[at : at + size]
        try:
            answered += query_rollups(query.vcenter, page, query.names, seconds, query.begin, end)
        except TooManyMetricsError:
            if len(page) == 1:
                raise _refused(query) from None
            query.most = max(1, len(page) // 2)
            continue
        at += len(page)
    return answered


def _refused(query: Query) -> EndpointError:
    from auditor.errors import RefusedError

    return RefusedError(
        f"endpoint {query.endpoint.name}: vCenter refuses a query of one metric",
        why="what it keeps of the past was not read.",
        do="look at config.vpxd.stats.maxQueryMetrics of this vCenter.",
    )


def _real_time_of(query: Query, host: HostSeen, begin: datetime) -> list[Samples]:
    """The samples of 20 seconds since `begin`; they come from the host, and vCenter's limit is not for them."""
    from auditor.endpoints.vcenter.past_performance import query_rollups

    metrics = [
        (host.ref, (query.keys[name], "" if kind.is_whole else "*"))
        for kind in OF_HOSTS
        for name in kind.counters.values()
        if name in query.keys
    ]
    return query_rollups(query.vcenter, metrics, query.names, SAMPLE_SECONDS, begin, query.end)


def _subjects(query: Query, answered: Sequence[Samples], kind: Kind) -> dict[str, tuple[Mapping[str, Values], Sequence[datetime]]]:
    """The series of each subject of a kind, by short names, and the ends of their intervals."""
    short = {name: key for key, name in kind.counters.items()}
    found: dict[str, list[tuple[str, Values, Sequence[datetime]]]] = {}
    for samples in answered:
        for (counter, instance), values in samples.series.items():
            if counter not in short or (instance == "") != kind.is_whole or instance == "*":
                continue
            subject = samples.host_id if kind.is_whole else _subject(query, kind, instance)
            if subject is not None:
                found.setdefault(subject, []).append((short[counter], values, samples.times))
    return {subject: _aligned(several) for subject, several in found.items()}


def _subject(query: Query, kind: Kind, instance: str) -> str | None:
    """The name of the subject that a host counts under `instance`; None for a datastore that is not known here."""
    return query.stores.get(instance) if kind.subject_kind == "datastore" else lower_hex_name(instance)


def _aligned(several: Sequence[tuple[str, Values, Sequence[datetime]]]) -> tuple[Mapping[str, Values], Sequence[datetime]]:
    """Series of one subject over the same times; they may have come in several answers, between which an interval was added."""
    first = several[0][2]
    if all(times == first for _, _, times in several):
        return {name: values for name, values, _ in several}, first
    every = sorted({time for _, _, times in several for time in times})
    by_name = {name: dict(zip(times, values, strict=True)) for name, values, times in several}
    return {name: [at.get(time) for time in every] for name, at in by_name.items()}, every


def _rows(query: Query, kind: Kind, parts: Mapping[str, Sequence[Part]], host_id: str) -> Iterator[Batch]:
    """Rows of load_history of the subjects of one kind that anything was sent to."""
    for subject, of_subject in parts.items():
        if is_idle(figures for figures, _, _ in of_subject):
            continue
        fixed = {"endpoint": query.endpoint.name, "subject_kind": kind.subject_kind, "subject": subject, "host_id": host_id}
        for figures, ends, seconds in of_subject:
            yield from columns("load_history", fixed, **rows_of(figures, ends, seconds))
