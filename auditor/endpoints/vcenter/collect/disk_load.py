"""Load of single virtual disks in the last five minutes, by the real-time counters of their machines: many machines in one request.

Every running machine is asked. A vCenter with more of them than MOST_MACHINES is asked about those that matter: machines of hosts where a
queue fills, and those with a disk on a controller with a short queue (rules/vm/controller.yaml). The others have no row, so what a view
shows of their disks is NULL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.collect.load import LAST_SAMPLES, MOST_VALUES
from auditor.endpoints.vcenter.collect.load_figures import DISK_COUNTERS, disk_figures
from auditor.endpoints.vcenter.collect.rows import Rows, gap, readings
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator, Mapping, Sequence

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.bulk.shapes import Ref
    from auditor.endpoints.vcenter.collect.rows import Facts
    from auditor.endpoints.vcenter.collect.vms import MachinesSeen
    from auditor.endpoints.vcenter.performance import Samples
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

TOPIC = "disk_load"
MOST_MACHINES = 20_000
"""Running machines of one vCenter that are all asked; docs/performance.md has what it costs. Policy: half of what a vCenter may have."""

_PAGE = MOST_VALUES // (2 * len(DISK_COUNTERS) * LAST_SAMPLES)  # machines; two disks each are expected


def asked_of(machines: MachinesSeen, filling: Collection[str], most: int = MOST_MACHINES) -> Sequence[Ref]:
    """The machines to ask, `filling` being the hosts with a queue that fills. One whose host is not known may run on such a host."""
    if len(machines.refs) <= most:
        return machines.refs
    hosts = machines.host_of
    return [one for one in machines.refs if one.value in machines.limited or hosts.get(one.value) in {None, *filling}]


def collect_disk_load(
    vcenter: VCenter, endpoint: Endpoint, machines: MachinesSeen, filling: Collection[str], circuit: Circuit
) -> Iterator[Facts]:
    """Yield vm_disk_load, and the reading of topic "disk_load": whole when the machines were, and each that was asked answered in full."""
    complete = machines.complete
    asked = asked_of(machines, filling)
    if asked:
        try:
            counters = yield from _counters(vcenter, endpoint, circuit)
            complete = complete and len(counters) == len(DISK_COUNTERS)
            for at in range(0, len(asked), _PAGE):
                page = asked[at : at + _PAGE]
                complete = (yield from _page(vcenter, endpoint, page, counters, circuit)) and complete
        except EndpointError as error:
            circuit.failed(error)
            yield gap(endpoint, "performance counters of virtual disks", error)
            complete = False
    yield readings(endpoint, "", {TOPIC: complete})


def _counters(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit) -> Generator[Facts, None, Mapping[str, int]]:
    """The keys of DISK_COUNTERS by name, those that this vCenter has."""
    from auditor.endpoints.vcenter.performance import counter_keys
    from auditor.endpoints.vcenter.translation import translated

    circuit.check()
    with translated(endpoint, "listing the performance counters"):
        known = counter_keys(vcenter)
    missing = sorted(name for name in DISK_COUNTERS.values() if name not in known)
    if missing:
        yield gap(endpoint, f"counters {', '.join(missing)}", "it has none of these names")
    return {name: known[name] for name in DISK_COUNTERS.values() if name in known}


def _page(
    vcenter: VCenter, endpoint: Endpoint, machines: Sequence[Ref], counters: Mapping[str, int], circuit: Circuit
) -> Generator[Facts, None, bool]:
    """The disks of these machines; returns whether each machine answered in full. Where all together cannot be read, each by itself."""
    from auditor.endpoints.vcenter.performance import query_samples
    from auditor.endpoints.vcenter.translation import translated

    try:
        circuit.check()
        with translated(endpoint, f"reading the performance counters of {machines[0].value}"):
            answered = query_samples(vcenter, machines, counters, LAST_SAMPLES) if counters else []
    except EndpointError as error:
        circuit.failed(error)
        if len(machines) > 1 and circuit.opened_by is None:
            whole = True
            for machine in machines:
                whole = (yield from _page(vcenter, endpoint, [machine], counters, circuit)) and whole
            return whole
        yield gap(endpoint, f"performance counters of {_named(machines)}", error)
        return False
    circuit.answered()
    rows = Rows("vm_disk_load", endpoint=endpoint.name)
    for samples in answered:
        for node, series in _disks(samples).items():
            rows.add(vm_id=samples.host_id, node=node, **disk_figures(series, samples.times))
    yield from rows.batch()
    heard = {samples.host_id for samples in answered if samples.times and not samples.torn}
    silent = [machine for machine in machines if machine.value not in heard]
    if silent:
        yield gap(endpoint, f"performance counters of {_named(silent)}", "no samples of the last minutes, or some that make no sense")
    return not silent


def _disks(samples: Samples) -> Mapping[str, Mapping[str, tuple[int | None, ...]]]:
    """The samples of each disk, by where it is attached, for example scsi0:1."""
    short = {name: key for key, name in DISK_COUNTERS.items()}
    by_node: dict[str, dict[str, tuple[int | None, ...]]] = {}
    for (counter, node), values in samples.series.items():
        if counter in short and node not in ("", "*"):  # the machine as a whole; a simulator that repeats the question
            by_node.setdefault(node, {})[short[counter]] = values
    return by_node


def _named(machines: Sequence[Ref]) -> str:
    more = f" and {len(machines) - 1} more" if len(machines) > 1 else ""
    return f"virtual machine {machines[0].value}{more}"
