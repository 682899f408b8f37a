"""Load in the span that --history names: a vCenter's roll-ups, and for its last hour the hosts' samples of 20 seconds.

Samples of the last hour are rolled up here to intervals of five minutes, so that no two intervals of a subject overlap, and highest samples
are known that vCenter does not keep. What a roll-up's statistics level lacks is one gap of the vCenter.

No more than a few batches are under way at once, and each is let go of as soon as its rows are handed on: a day of many hosts is
never held as a whole. docs/performance.md has what it takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.collect.history_figures import (
    DISKS,
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

HOSTS_A_TASK, OTHERS_A_TASK = 4, 16
"""Hosts, and datastores or machines, that one task asks for."""

MOST_MACHINES = 2_000
"""Running machines whose virtual disks have a history: in vCenter's order. Policy: each takes a request or two, and 288 rows a disk."""

Part = tuple["Figures", "Sequence[datetime]", int]
"""Figures, the ends of their intervals, and how long these are."""


@dataclass(frozen=True, slots=True)
class _Entity:
    """A host, datastore or machine, what gaps call it, and whether it has samples of 20 seconds."""

    ref: Ref
    name: str
    is_live: bool


def collect_load_history(
    vcenter: VCenter, endpoint: Endpoint, hosts: Sequence[HostSeen], machines: Sequence[Ref], tasks: TaskPool, circuit: Circuit
) -> Iterator[Facts]:
    """Yield statistics_interval and load_history of the endpoint's span, and the reading of topic "load_history".

    It is whole when everything that is counted of hosts, datastores and running machines is kept for the whole span, and was answered.
    Nothing where the endpoint has no span.
    """
    if endpoint.history is None:
        return
    complete = True
    try:
        for item in _collected(vcenter, endpoint, hosts, machines, tasks, circuit):
            complete = complete and not isinstance(item, Gap)
            yield item
    except EndpointError as error:
        circuit.failed(error)
        complete = False
        yield gap(endpoint, "counters of the past", error)
    yield readings(endpoint, "", {TOPIC: complete})


def _collected(
    vcenter: VCenter, endpoint: Endpoint, hosts: Sequence[HostSeen], machines: Sequence[Ref], tasks: TaskPool, circuit: Circuit
) -> Iterator[Facts]:
    from auditor.endpoints.vcenter.bulk.shapes import Ref

    query = yield from prepared(vcenter, endpoint, circuit)
    if query is None:
        return
    stores = [_Entity(Ref("Datastore", one), f"datastore {one}", is_live=False) for one in query.stores.values()]
    running = [_Entity(one, f"virtual machine {one.value}", is_live=True) for one in machines[:MOST_MACHINES]]
    asked: tuple[tuple[Sequence[Kind], int, list[_Entity]], ...] = (
        ((OF_ALL_HOSTS,), OTHERS_A_TASK, stores),
        (OF_HOSTS, HOSTS_A_TASK, [_Entity(one.ref, one.name, one.connected) for one in hosts]),
        ((DISKS,), OTHERS_A_TASK, running),
    )
    for kinds, size, entities in asked:
        for batch in pages(entities, size):
            tasks.send(partial(_read, query, kinds, batch, circuit))
            yield from tasks.fewer_than(endpoint.limits.concurrency)
    if len(machines) > MOST_MACHINES:
        why = f"{MOST_MACHINES:,} machines are read, the first that vCenter lists"
        yield gap(endpoint, f"history of the disks of further machines ({len(machines) - MOST_MACHINES:,})", why)
    yield from tasks.rest()


def _read(query: Query, kinds: Sequence[Kind], entities: Sequence[_Entity], circuit: Circuit) -> list[Facts]:
    """The history of `entities`; where all together cannot be read, of each by itself."""
    from auditor.endpoints.vcenter.translation import translated

    what = f"history of {entities[0].name}"
    try:
        circuit.check()
        with translated(query.endpoint, f"reading the {what}"):
            facts = [item for is_live in (True, False) for item in _history(query, kinds, entities, is_live=is_live)]
    except EndpointError as error:
        circuit.failed(error)
        if len(entities) > 1 and circuit.opened_by is None:
            return [item for one in entities for item in _read(query, kinds, [one], circuit)]
        if entities[0].is_live and circuit.opened_by is None:  # roll-ups come from vCenter's database, samples from the host
            return _without_samples(query, kinds, entities[0], circuit, error)
        return [gap(query.endpoint, what, error)]
    circuit.answered()
    return facts


def _without_samples(query: Query, kinds: Sequence[Kind], entity: _Entity, circuit: Circuit, why: EndpointError) -> list[Facts]:
    """The roll-ups of an entity alone, and a gap that says why there are no samples; one gap where there are no roll-ups either."""
    facts = _read(query, kinds, [replace(entity, is_live=False)], circuit)
    if any(isinstance(item, Gap) for item in facts):
        return facts
    return [gap(query.endpoint, f"samples of the last hour of {entity.name}", why), *facts]


def _history(query: Query, kinds: Sequence[Kind], entities: Sequence[_Entity], *, is_live: bool) -> Iterator[Facts]:
    """The rows of `kinds` of those entities that have samples of 20 seconds, or have none."""
    refs = [one.ref for one in entities if one.is_live == is_live]
    if not refs:
        return
    parts: dict[Kind, dict[tuple[str, str], list[Part]]] = {kind: {} for kind in kinds}
    end = query.rolled_end if is_live else query.end
    for seconds, kept in query.kept.items():
        mine = {kind: keys for kind, keys in kept.items() if kind in kinds}
        if not mine or query.begin >= end:
            continue
        metrics = [(ref, metric) for ref in refs for metric in _metrics_of(query, ref, mine, seconds, end)]
        answered = _rollups(query, metrics, seconds, end)
        for kind in mine:
            for subject, (series, times) in _subjects(query, answered, kind).items():
                parts[kind].setdefault(subject, []).append((figures_of(series, len(times)), times, seconds))
    if is_live and query.real_time is not None:
        answered = _real_time_of(query, kinds, refs, query.real_time)
        for kind in kinds:
            for subject, (series, times) in _subjects(query, answered, kind).items():
                figures, ends = rolled_up(series, times, query.real_time, query.end)
                parts[kind].setdefault(subject, []).append((figures, ends, ROLLED_SECONDS))
    for kind in kinds:
        yield from _rows(query, kind, parts[kind])


def _metrics_of(query: Query, entity: Ref, kinds: Mapping[Kind, Mapping[str, int]], seconds: int, end: datetime) -> list[Metric]:
    """The metrics of an entity to ask for: what is of it as a whole, and what it has of the instances of the others."""
    from auditor.endpoints.vcenter.past_performance import available_metrics

    whole = [(key, "") for kind, keys in kinds.items() if kind.is_whole for key in keys.values()]
    each = {key for kind, keys in kinds.items() if not kind.is_whole for key in keys.values()}
    if not each:
        return whole
    there = available_metrics(query.vcenter, entity, seconds, query.begin, end)
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


def _real_time_of(query: Query, kinds: Sequence[Kind], refs: Sequence[Ref], begin: datetime) -> list[Samples]:
    """The samples of 20 seconds since `begin`; they come from the hosts, and vCenter's limit is not for them."""
    from auditor.endpoints.vcenter.past_performance import query_rollups

    asked = [(name, "" if kind.is_whole else "*") for kind in kinds for name in kind.counters.values() if name in query.keys]
    answered: list[Samples] = []
    for page in pages(refs, 1 if kinds is OF_HOSTS else len(refs)):  # a host has hundreds of series, a machine a few
        metrics = [(ref, (query.keys[name], instance)) for ref in page for name, instance in asked]
        answered += query_rollups(query.vcenter, metrics, query.names, SAMPLE_SECONDS, begin, query.end)
    return answered


def _subjects(
    query: Query, answered: Sequence[Samples], kind: Kind
) -> dict[tuple[str, str], tuple[Mapping[str, Values], Sequence[datetime]]]:
    """The series of each subject of a kind, by short names, and the ends of their intervals; by entity and subject."""
    short = {name: key for key, name in kind.counters.items()}
    found: dict[tuple[str, str], list[tuple[str, Values, Sequence[datetime]]]] = {}
    for samples in answered:
        for (counter, instance), values in samples.series.items():
            if counter not in short or (instance == "") != kind.is_whole or instance == "*":
                continue
            subject = _subject(query, kind, samples.host_id, instance)
            if subject is not None:
                found.setdefault((samples.host_id, subject), []).append((short[counter], values, samples.times))
    return {subject: _aligned(several) for subject, several in found.items()}


def _subject(query: Query, kind: Kind, entity: str, instance: str) -> str | None:
    """The name of the subject that an entity counts under `instance`; None for a datastore that is not known here."""
    if kind.is_whole:
        return entity
    if kind is DISKS:
        return f"{entity} {instance}"
    return query.stores.get(instance) if kind.subject_kind == "datastore" else lower_hex_name(instance)


def _aligned(several: Sequence[tuple[str, Values, Sequence[datetime]]]) -> tuple[Mapping[str, Values], Sequence[datetime]]:
    """Series of one subject over the same times; they may have come in several answers, between which an interval was added."""
    first = several[0][2]
    if all(times == first for _, _, times in several):
        return {name: values for name, values, _ in several}, first
    every = sorted({time for _, _, times in several for time in times})
    by_name = {name: dict(zip(times, values, strict=True)) for name, values, times in several}
    return {name: [at.get(time) for time in every] for name, at in by_name.items()}, every


def _rows(query: Query, kind: Kind, parts: Mapping[tuple[str, str], Sequence[Part]]) -> Iterator[Batch]:
    """Rows of load_history of the subjects of one kind that anything was sent to."""
    for (entity, subject), of_subject in parts.items():
        if is_idle(figures for figures, _, _ in of_subject):
            continue
        host_id = entity if kind in OF_HOSTS else ""
        fixed = {"endpoint": query.endpoint.name, "subject_kind": kind.subject_kind, "subject": subject, "host_id": host_id}
        for figures, ends, seconds in of_subject:
            yield from columns("load_history", fixed, **rows_of(figures, ends, seconds))
