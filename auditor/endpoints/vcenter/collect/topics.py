"""Reads one vCenter, and through it every host, into fact tables."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from auditor.endpoints.common.circuit import Circuit
from auditor.endpoints.vcenter.collect.changes import collect_changes
from auditor.endpoints.vcenter.collect.datastores import collect_datastores
from auditor.endpoints.vcenter.collect.disk_load import TOPIC as DISK_LOAD
from auditor.endpoints.vcenter.collect.disk_load import collect_disk_load
from auditor.endpoints.vcenter.collect.history import collect_load_history
from auditor.endpoints.vcenter.collect.hosts import collect_hosts
from auditor.endpoints.vcenter.collect.live import LIVE_TOPICS, read_live
from auditor.endpoints.vcenter.collect.load import LOAD_TOPICS, expected_of, send_for_load
from auditor.endpoints.vcenter.collect.network import NETWORK_TOPICS, network_of
from auditor.endpoints.vcenter.collect.pods import collect_pods
from auditor.endpoints.vcenter.collect.reading import read_each
from auditor.endpoints.vcenter.collect.rows import gap, readings
from auditor.endpoints.vcenter.collect.services import collect_extensions, collect_tasks
from auditor.endpoints.vcenter.collect.storage import STORAGE_TOPICS, storage_of
from auditor.endpoints.vcenter.collect.storage_events import collect_storage_events
from auditor.endpoints.vcenter.collect.storage_policies import collect_storage_policies
from auditor.endpoints.vcenter.collect.tags import collect_tags
from auditor.endpoints.vcenter.collect.task_pool import SPARE_TASKS, TaskPool
from auditor.endpoints.vcenter.collect.vms import MachinesSeen, collect_vms
from auditor.errors import EndpointError
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import HOST_TOPICS
from auditor.facts.tables.history import TOPIC as LOAD_HISTORY
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
    from auditor.endpoints.vcenter.collect.host_comparison import HostComparison
    from auditor.endpoints.vcenter.collect.rows import Facts, HostSeen
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.facts.needs import Needs
    from auditor.model import Endpoint

_BULK_TOPICS = (*STORAGE_TOPICS, *NETWORK_TOPICS)
"""Of hosts, by their properties."""

PATIENCE = 3
"""Bulk requests in a row that may reach nobody before the rest is given up."""


def collect_vcenter(
    vcenter: VCenter, endpoint: Endpoint, needs: Needs = EVERYTHING, comparison: HostComparison | None = None
) -> Iterator[Facts]:
    """Yield what is needed of a vCenter, a page at a time, and a gap for everything of it that could not be read.

    Bulk properties come by pages of hosts; what only a host itself reports (options, kernel modules, esxcli) is asked of each in threads
    meanwhile, within the endpoint's limit on requests in flight. Every topic that is needed gets one row of `reading` for every host, or
    for the vCenter. Nothing is raised for what cannot be read: an endpoint that stops answering leaves gaps.

    Of a vCenter that several workers read (`endpoint.share`) only the hosts of the share are asked, and one reader yields the rest.

    Hosts that `comparison` takes over are not asked anything themselves: the caller adds what they said in the earlier run. The hosts that
    it may take over are compared all together, when the storage of each was read; the others are asked before that.
    """
    topics = needs.topics_of(endpoint.kind)
    share = endpoint.share
    circuit = Circuit(PATIENCE)
    hosts: Sequence[HostSeen] = ()
    if "hosts" in topics:
        listed = collect_hosts(vcenter, endpoint, circuit, needs.properties("hosts"))
        hosts = yield from (listed if share.is_first else _gaps_alone(listed))
        if comparison is not None:
            comparison.look_at_hosts()
    filling: set[str] = set()
    machines = MachinesSeen(lost=frozenset(host.id for host in hosts if not host.connected))
    rest: list[tuple[str, Callable[..., Iterator[Facts]]]] = [
        ("datastores", collect_datastores),
        ("vms", partial(collect_vms, seen=machines)),
        ("pods", collect_pods),
        ("tasks", collect_tasks),
        ("extensions", collect_extensions),
        ("storage_policies", collect_storage_policies),
        ("tags", collect_tags),
        ("events", collect_changes),
        ("storage_events", collect_storage_events),
    ]
    if comparison is not None and "datastores" in topics:
        rest.pop(0)  # which hosts are asked rests on what they mount
        yield from collect_datastores(vcenter, endpoint, circuit, needs.properties("datastores"))
    with TaskPool(endpoint.limits.concurrency + SPARE_TASKS) as tasks:
        own = [host for host in hosts if share.has(host.id)]
        yield from _collect_of_hosts(vcenter, endpoint, own, tasks, circuit, needs, comparison, filling)
        for topic, collect in rest if share.is_first else ():
            if topic not in topics:
                continue
            for item in collect(vcenter, endpoint, circuit, needs.properties(topic)):
                yield item
                yield from tasks.finished()
        if DISK_LOAD in topics and share.is_first:
            yield from tasks.rest()  # which queues fill decides which machines are asked
            filling.update(host.id for host in hosts if not share.has(host.id))  # of those only another reader knows it
            yield from collect_disk_load(vcenter, endpoint, machines, filling, circuit)
        yield from tasks.rest()
        if LOAD_HISTORY in topics and share.is_first:
            yield from collect_load_history(vcenter, endpoint, hosts, machines.refs, tasks, circuit)


def _gaps_alone(facts: Generator[Facts, None, list[HostSeen]]) -> Generator[Facts, None, list[HostSeen]]:
    """The gaps among `facts`, whose rows another reader yields; returns what they return."""
    while True:
        try:
            item = next(facts)
        except StopIteration as end:
            hosts: list[HostSeen] = end.value
            return hosts
        if isinstance(item, Gap):
            yield item


def _collect_of_hosts(
    vcenter: VCenter,
    endpoint: Endpoint,
    hosts: Sequence[HostSeen],
    tasks: TaskPool,
    circuit: Circuit,
    needs: Needs,
    comparison: HostComparison | None,
    filling: set[str],
) -> Iterator[Facts]:
    live = needs.topics.intersection(LIVE_TOPICS)
    yield from _unconnected(endpoint, hosts, needs)
    # Hosts are slow one at a time and quick together: many may fail to answer before the vCenter itself is given up.
    live_circuit = Circuit(2 * endpoint.limits.concurrency)
    connected = {host.id: host for host in hosts if host.connected}
    load = needs.topics.intersection(LOAD_TOPICS)
    loaded: list[tuple[HostSeen, tuple[int, int]]] = []
    unsettled: list[tuple[HostSeen, frozenset[str] | None]] = []

    def ask(host: HostSeen, drivers: frozenset[str] | None) -> None:
        tasks.send(partial(read_live, vcenter, endpoint, host, drivers, circuit=live_circuit, topics=live))

    for host, properties in _storage(vcenter, connected, circuit, needs, comparison.paths if comparison else ()):
        loaded.append((host, expected_of(properties)))
        drivers = yield from _bulk_facts(endpoint, host, properties, needs)
        if comparison is not None and comparison.may_take(host, properties):
            unsettled.append((host, drivers))
        elif live:
            ask(host, drivers)
        yield from tasks.finished()
    if comparison is not None:
        comparison.settle()
        for host, drivers in unsettled:
            if host.id not in comparison.taken:
                ask(host, drivers)
    if load:
        yield from send_for_load(vcenter, endpoint, loaded, tasks, circuit, load, filling)


def _unconnected(endpoint: Endpoint, hosts: Sequence[HostSeen], needs: Needs) -> Iterator[Facts]:
    for host in hosts:
        if not host.connected:
            why = "vCenter is not connected to it; what vCenter remembers of it is not taken for its state"
            yield gap(endpoint, f"host {host.name}", why)
            yield readings(endpoint, host.id, {topic: False for topic in HOST_TOPICS if topic in needs.topics})


def _storage(
    vcenter: VCenter, hosts: Mapping[str, HostSeen], circuit: Circuit, needs: Needs, also: Sequence[str]
) -> Iterator[tuple[HostSeen, ObjectProperties | EndpointError | None]]:
    """Each host with its storage and network properties and those in `also`, or why they could not be read; None where none is needed."""
    paths = [*(path for topic in _BULK_TOPICS for path in needs.properties(topic)), *also]
    if not paths:
        yield from ((host, None) for host in hosts.values())
        return
    for properties in read_each(vcenter, "HostSystem", paths, [host.ref for host in hosts.values()], circuit):
        if isinstance(properties, tuple):
            yield hosts[properties[0].value], properties[1]
        else:
            yield hosts[properties.id], properties


def _bulk_facts(
    endpoint: Endpoint, host: HostSeen, properties: ObjectProperties | EndpointError | None, needs: Needs
) -> Generator[Facts, None, frozenset[str] | None]:
    """What these properties report; returns the kernel modules of the host's adapters, None where these are not known."""
    if properties is None:
        return None
    topics = [topic for topic in _BULK_TOPICS if topic in needs.topics]
    if isinstance(properties, EndpointError):
        yield gap(endpoint, f"{' and '.join(_parts_of(topics))} of {host.name}", properties)
        yield readings(endpoint, host.id, dict.fromkeys(topics, False))
        return None
    if "network" in topics:
        yield from network_of(endpoint, host, properties)
    return (yield from storage_of(endpoint, host, properties, topics))


def _parts_of(topics: Sequence[str]) -> list[str]:
    parts = {"storage": STORAGE_TOPICS, "network": NETWORK_TOPICS}
    return [part for part, its in parts.items() if set(its) & set(topics)] or ["storage"]


assert set(_BULK_TOPICS) | set(LIVE_TOPICS) | set(LOAD_TOPICS) == set(HOST_TOPICS)  # noqa: S101  each topic has exactly one reader
