"""Load of queues in the last five minutes, by the hosts' real-time counters: many hosts in one request."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.collect.load_figures import (
    ADAPTER_COUNTERS,
    DATASTORE_COUNTERS,
    DEVICE_COUNTERS,
    adapter_figures,
    datastore_figures,
    device_figures,
    fills,
)
from auditor.endpoints.vcenter.collect.reading import read_each
from auditor.endpoints.vcenter.collect.rows import Rows, gap, readings
from auditor.endpoints.vcenter.collect.storage import lower_hex_name
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
    from datetime import datetime

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
    from auditor.endpoints.vcenter.collect.load_figures import Counters
    from auditor.endpoints.vcenter.collect.rows import Facts, HostSeen
    from auditor.endpoints.vcenter.collect.task_pool import TaskPool
    from auditor.endpoints.vcenter.performance import Samples
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

LAST_SAMPLES = 15
"""Of 20 seconds each: five minutes."""

MOST_VALUES = 100_000
"""Samples that one answer may be expected to hold, some 2 MB unpacked. A page is as many hosts as stay below it together, and one at least.

Expected of a host is what it has of devices, adapters and datastores, times the counters of each, times LAST_SAMPLES.
"""

_UNKNOWN_DEVICES = 512  # expected where a host's devices could not be read; what ESXi 6.5 and 6.7 see at most (known)
_DEVICES, _ADAPTERS = "config.storageDevice.scsiLun", "config.storageDevice.hostBusAdapter"
_URL, _TYPE = "summary.url", "summary.type"


@dataclass(frozen=True, slots=True)
class _Group:
    """One topic: the counters of one kind of thing, and what becomes of them."""

    table: str
    named: str
    counters: Mapping[str, str]
    figures: Callable[[Counters, tuple[datetime, ...]], Mapping[str, Any]]
    always_there: bool  # every host has such a thing


_GROUPS: Mapping[str, _Group] = {
    "device_load": _Group("device_load", "device", DEVICE_COUNTERS, device_figures, always_there=True),
    "adapter_load": _Group("adapter_load", "hba", ADAPTER_COUNTERS, adapter_figures, always_there=True),
    "datastore_load": _Group("datastore_load", "datastore_id", DATASTORE_COUNTERS, datastore_figures, always_there=False),
}
LOAD_TOPICS = tuple(_GROUPS)


@dataclass(frozen=True, slots=True)
class _Query:
    """The counters that are asked of every host, and the names of the answers.

    Attributes:
        counters: name to key, those that this vCenter has.
        stores: ids of datastores by the instance that hosts count them by; the last part of a datastore's URL.
        on_devices: how many of them are VMFS: a host has no more of these than it has devices.
        whole: by topic, whether all there is of it can be asked.
        filling: ids of hosts on which a queue fills; filled by the tasks.
    """

    vcenter: VCenter
    endpoint: Endpoint
    counters: Mapping[str, int]
    stores: Mapping[str, str]
    on_devices: int
    whole: Mapping[str, bool]
    filling: set[str]


def expected_of(properties: ObjectProperties | EndpointError | None) -> tuple[int, int]:
    """How many devices and adapters a host has, by its storage properties: that says how large its answer will be."""
    if isinstance(properties, EndpointError) or properties is None:
        return _UNKNOWN_DEVICES, 1
    devices, adapters = properties.values.get(_DEVICES), properties.values.get(_ADAPTERS)
    return _UNKNOWN_DEVICES if devices is None else len(devices), 1 if adapters is None else len(adapters)


def send_for_load(
    vcenter: VCenter,
    endpoint: Endpoint,
    hosts: Sequence[tuple[HostSeen, tuple[int, int]]],
    tasks: TaskPool,
    circuit: Circuit,
    topics: Collection[str],
    filling: set[str],
) -> Iterator[Facts]:
    """Send tasks for the load of `hosts`, each with what `expected_of` it; yield what is known to be missing before.

    Each task brings rows of the tables of `topics` and their readings, for a page of hosts, and adds the ids of hosts on which a queue
    fills to `filling`.
    """
    try:
        wanted = [topic for topic in LOAD_TOPICS if topic in topics]
        query = yield from _prepared(vcenter, endpoint, circuit, wanted, filling)
    except EndpointError as error:
        circuit.failed(error)
        yield gap(endpoint, f"performance counters ({', '.join(sorted(topics))})", error)
        for host, _ in hosts:
            yield readings(endpoint, host.id, dict.fromkeys(topics, False))
        return
    page: list[HostSeen] = []
    values = 0
    for host, (devices, adapters) in hosts:
        mounted = len(query.stores) - query.on_devices + min(query.on_devices, devices)
        sizes = {"device_load": devices, "adapter_load": adapters, "datastore_load": mounted}
        mine = LAST_SAMPLES * sum(sizes[topic] * len(_GROUPS[topic].counters) for topic in query.whole)
        if page and values + mine > MOST_VALUES:
            tasks.send(partial(_read_page, query, page, circuit))
            page, values = [], 0
        page.append(host)
        values += mine
    if page:
        tasks.send(partial(_read_page, query, page, circuit))


def _prepared(
    vcenter: VCenter, endpoint: Endpoint, circuit: Circuit, topics: Sequence[str], filling: set[str]
) -> Generator[Facts, None, _Query]:
    from auditor.endpoints.vcenter.performance import counter_keys
    from auditor.endpoints.vcenter.translation import translated

    circuit.check()
    with translated(endpoint, "listing the performance counters"):
        known = counter_keys(vcenter)
    wanted = {topic: list(_GROUPS[topic].counters.values()) for topic in topics}
    whole = {topic: all(name in known for name in names) for topic, names in wanted.items()}
    missing = sorted(name for names in wanted.values() for name in names if name not in known)
    if missing:
        yield gap(endpoint, f"counters {', '.join(missing)}", "it has none of these names")
    stores: Mapping[str, str] = {}
    on_devices = 0
    if "datastore_load" in topics:
        stores, on_devices, all_told = yield from stores_by_instance(vcenter, endpoint, circuit)
        whole["datastore_load"] = whole["datastore_load"] and all_told
    counters = {name: known[name] for names in wanted.values() for name in names if name in known}
    return _Query(vcenter, endpoint, counters, stores, on_devices, whole, filling)


def stores_by_instance(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit) -> Generator[Facts, None, tuple[dict[str, str], int, bool]]:
    """The ids of datastores by the last part of their URL (of VMFS the volume's uuid), how many are VMFS, and whether all were reported."""
    stores: dict[str, str] = {}
    on_devices, whole = 0, True
    try:
        refs = vcenter.bulk.refs("Datastore")
    except EndpointError as error:
        circuit.failed(error)
        yield gap(endpoint, "the list of datastores, to tell their counters apart", error)
        return stores, on_devices, False
    for properties in read_each(vcenter, "Datastore", (_URL, _TYPE), refs, circuit):
        url = None if isinstance(properties, tuple) else properties.values.get(_URL)
        if isinstance(properties, tuple):
            yield gap(endpoint, f"{_URL} of datastore {properties[0].value}", properties[1])
        elif url:
            stores[url.rstrip("/").rpartition("/")[2]] = properties.id
            on_devices += properties.values.get(_TYPE) == "VMFS"
        elif not properties.is_gone:
            yield gap(endpoint, f"{_URL} of datastore {properties.id}", properties.missing.get(_URL, "vCenter does not report it"))
        whole = whole and (url is not None or (not isinstance(properties, tuple) and properties.is_gone))
    return stores, on_devices, whole


def _read_page(query: _Query, hosts: Sequence[HostSeen], circuit: Circuit) -> list[Facts]:
    """The load of `hosts`; where all together cannot be read, of each by itself."""
    from auditor.endpoints.vcenter.performance import query_samples
    from auditor.endpoints.vcenter.translation import translated

    try:
        circuit.check()
        with translated(query.endpoint, f"reading the performance counters of {hosts[0].name}"):
            answered = query_samples(query.vcenter, [host.ref for host in hosts], query.counters, LAST_SAMPLES) if query.counters else []
    except EndpointError as error:
        circuit.failed(error)
        if len(hosts) > 1 and circuit.opened_by is None:
            return [item for host in hosts for item in _read_page(query, [host], circuit)]
        return [item for host in hosts for item in _unread(query, host, error)]
    circuit.answered()
    by_host = {one.host_id: one for one in answered}
    return [item for host in hosts for item in _facts(query, host, by_host.get(host.id))]


def _unread(query: _Query, host: HostSeen, why: EndpointError | str) -> Iterator[Facts]:
    yield gap(query.endpoint, f"performance counters of {host.name}", why)
    yield readings(query.endpoint, host.id, dict.fromkeys(query.whole, False))


def _facts(query: _Query, host: HostSeen, samples: Samples | None) -> Iterator[Facts]:
    if samples is None or not samples.times:
        yield from _unread(query, host, "it has no samples of the last minutes")
        return
    if samples.torn:
        yield gap(
            query.endpoint, f"{samples.torn} counters of {host.name}", "their samples make no sense, or are not as many as their times"
        )
    complete = {topic: whole and not samples.torn for topic, whole in query.whole.items()}
    for topic in query.whole:
        group = _GROUPS[topic]
        rows = Rows(group.table, endpoint=query.endpoint.name, host_id=host.id)
        things = _things(group, samples, query)
        for name, series in things.items():
            figures = group.figures(series, samples.times)
            rows.add(**{group.named: name}, **figures)
            if group.table == "device_load" and fills(figures):
                query.filling.add(host.id)
        yield from rows.batch()
        if not things and (group.always_there or any(counter in group.counters.values() for counter, _ in samples.series)):
            yield gap(query.endpoint, f"{topic} of {host.name}", "its counters are not reported one by one")
            complete[topic] = False
    yield readings(query.endpoint, host.id, complete)


def _things(group: _Group, samples: Samples, query: _Query) -> dict[str, dict[str, tuple[int | None, ...]]]:
    """The samples of each device, adapter or datastore. What is counted under no name that is known here is not reported."""
    short = {name: key for key, name in group.counters.items()}
    by_thing: dict[str, dict[str, tuple[int | None, ...]]] = {}
    for (counter, instance), values in samples.series.items():
        if counter not in short or instance in ("", "*"):  # the host as a whole; a simulator that repeats the question
            continue
        name = query.stores.get(instance) if group.named == "datastore_id" else lower_hex_name(instance)
        if name is not None:
            by_thing.setdefault(name, {})[short[counter]] = values
    return by_thing
