"""Reads one vCenter, and through it every host, into fact tables."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from auditor.clients.vcenter import moid
from auditor.collectors.vcenter_datastores import collect_datastores
from auditor.collectors.vcenter_hosts import collect_hosts
from auditor.collectors.vcenter_live import LIVE_TOPICS, read_live
from auditor.collectors.vcenter_reading import HOSTS_A_PAGE, read_each
from auditor.collectors.vcenter_rows import Circuit, Errands, gap, pages, readings
from auditor.collectors.vcenter_storage import STORAGE_PATHS, STORAGE_TOPICS, storage_of
from auditor.collectors.vcenter_vms import collect_vms
from auditor.facts.schema import HOST_TOPICS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.clients.vcenter import VCenter
    from auditor.collectors.vcenter_rows import Facts, HostSeen
    from auditor.model import Endpoint

PATIENCE = 3
"""Bulk requests in a row that may reach nobody before the rest is given up."""


def collect_vcenter(vcenter: VCenter, endpoint: Endpoint) -> Iterator[Facts]:
    """Yield everything the schema knows of a vCenter, a page at a time, and a gap for everything that could not be read.

    Bulk properties come by pages of hosts; what only a host itself tells (options, kernel modules, esxcli) is asked of each in threads
    meanwhile, within the endpoint's limit on requests in flight. Every topic of every host, and of the vCenter, gets one row of `reading`.
    Nothing is raised for what cannot be read: an endpoint that stops answering leaves gaps.
    """
    circuit = Circuit(PATIENCE)
    hosts = yield from collect_hosts(vcenter, endpoint, circuit)
    # One of the allowed requests is kept for the bulk reads.
    with Errands(max(1, endpoint.limits.concurrency - 1)) as errands:
        yield from _collect_storage(vcenter, endpoint, hosts, errands, circuit)
        for facts in (collect_datastores(vcenter, endpoint, circuit), collect_vms(vcenter, endpoint, circuit)):
            for item in facts:
                yield item
                yield from errands.finished()
        yield from errands.rest()


def _collect_storage(
    vcenter: VCenter, endpoint: Endpoint, hosts: Sequence[HostSeen], errands: Errands, circuit: Circuit
) -> Iterator[Facts]:
    from pyVmomi import vim

    for host in hosts:
        if not host.connected:
            yield gap(
                endpoint, f"host {host.name}", "vCenter is not connected to it; what vCenter remembers of it is not taken for its state"
            )
            yield readings(endpoint, host.id, dict.fromkeys(HOST_TOPICS, False))
    # Hosts are slow one at a time and quick together: many may fail to answer before the vCenter itself is given up.
    live_circuit = Circuit(2 * endpoint.limits.concurrency)
    for some in pages([host for host in hosts if host.connected], HOSTS_A_PAGE):
        by_id = {host.id: host for host in some}
        for facts in read_each(vcenter, vim.HostSystem, STORAGE_PATHS, [host.ref for host in some], HOSTS_A_PAGE, circuit):
            if isinstance(facts, tuple):
                ref, error = facts
                host, drivers = by_id[moid(ref)], None
                yield gap(endpoint, f"storage of {host.name}", error)
                yield readings(endpoint, host.id, dict.fromkeys(STORAGE_TOPICS, False))
            else:
                host = by_id[facts.id]
                drivers = yield from storage_of(endpoint, host, facts)
            errands.send(partial(read_live, vcenter, endpoint, host, drivers, circuit=live_circuit))
        yield from errands.finished()


assert set(STORAGE_TOPICS) | set(LIVE_TOPICS) == set(HOST_TOPICS)  # noqa: S101  each topic has exactly one reader
