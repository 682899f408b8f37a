"""The counters that an entity has now, and their values: a number that varies a little over time."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor_lab.vcenter.inventory.datastores import summary
from auditor_lab.vcenter.inventory.vms import devices
from auditor_lab.vcenter.performance.counters import COUNTERS, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditor_lab.vcenter.description.vms import VmDescription
    from auditor_lab.vcenter.performance.load import DatastoreReading, Loads
    from auditor_lab.vcenter.state.datastores import DatastoreState
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

_TREMBLE = 0.04  # share of the value, up and down
_PERCENT = 100  # percentages are in hundredths. Source: vSphere API reference, PerformanceManagerUnit.percent: "100 represents 1%"
_DISK_FAMILIES = (
    (vim.vm.device.VirtualSCSIController, "scsi"),
    (vim.vm.device.VirtualSATAController, "sata"),
    (vim.vm.device.VirtualNVMEController, "nvme"),
    (vim.vm.device.VirtualIDEController, "ide"),
)


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a counter: the sum of `parts`, each rounded to a whole number, so that GAVG stays DAVG + KAVG.

    `steady` values are settings and counts, which do not vary.
    """

    parts: tuple[float, ...]
    steady: bool = False

    def at(self, times: Sequence[int], entity: str, instance: str) -> list[int]:
        """The values at these times, in seconds since 1970; equal for equal arguments."""
        if self.steady:
            return [sum(map(round, self.parts))] * len(times)
        begun = zlib.crc32(f"{entity}/{instance}/".encode())
        factors = (1 + _TREMBLE * (2 * zlib.crc32(b"%d" % seconds, begun) / 0xFFFFFFFF - 1) for seconds in times)
        return [sum([round(part * factor) for part in self.parts]) for factor in factors]


Metrics = dict[tuple[int, str], Value]  # by counter's key and instance; "" is the entity itself


def supports_real_time(reference: Any) -> bool:
    """Whether an entity has samples of its own every 20 seconds; the others have only rolled-up ones."""
    return isinstance(reference, (vim.HostSystem, vim.VirtualMachine))


def metrics_of(state: VCenterState, loads: Loads, reference: Any, interval_seconds: int) -> Metrics:
    """Every metric of an entity; empty for an unreachable host, a machine that is off, and kinds without storage counters."""
    moid = reference._GetMoId()  # noqa: SLF001  pyVmomi's accessor
    values: Iterator[tuple[str, str, Value]]
    if isinstance(reference, vim.HostSystem):
        values = _of_host(state, state.hosts[moid], loads, interval_seconds)
    elif isinstance(reference, vim.VirtualMachine):
        values = _of_vm(state, moid, loads)
    elif isinstance(reference, vim.Datastore):
        values = _of_datastore(state.datastores[moid], loads)
    else:
        return {}
    return {(key_of(name), instance): value for name, instance, value in values}


def stored_metrics(metrics: Mapping[tuple[int, str], Value], level: int) -> Metrics:
    """The metrics that an interval of a statistics level stores: few of the kernel. Source: docs/domain/facts.md#9-1."""
    return {key: value for key, value in metrics.items() if COUNTERS[key[0]].stored_at(level, instance=key[1] != "")}


def _steady(value: float) -> Value:
    return Value((value,), steady=True)


def _of_host(state: VCenterState, host: HostState, loads: Loads, interval: int) -> Iterator[tuple[str, str, Value]]:
    if not host.reachable:
        return
    worst = 0.0
    for name, device in host.devices.items():
        reading = loads.device(host, device)
        worst = max(worst, reading.total_ms)
        yield "disk.deviceLatency", name, Value((reading.device_ms,))
        yield "disk.kernelLatency", name, Value((reading.kernel_ms,))
        yield "disk.queueLatency", name, Value((reading.queue_ms,))
        yield "disk.totalLatency", name, Value((reading.device_ms, reading.kernel_ms))
        yield "disk.maxQueueDepth", name, _steady(reading.depth)
        yield "disk.commandsAveraged", name, Value((reading.per_second,))
        yield "disk.commands", name, Value((reading.per_second * interval,))
        yield "disk.commandsAborted", name, _steady(device.load.commands_aborted * interval / 20)
        yield "disk.busResets", name, _steady(device.load.bus_resets * interval / 20)
        yield "disk.scsiReservationConflicts", name, _steady(0)
    yield "disk.maxTotalLatency", "", Value((worst,))
    for name, hba in host.hbas.items():
        depth, passing = loads.adapter(host, hba)
        yield "storageAdapter.queueDepth", name, _steady(depth)
        yield "storageAdapter.outstandingIOs", name, Value((passing.active,))
        yield "storageAdapter.queued", name, Value((passing.queued,))
        yield "storageAdapter.queueLatency", name, Value((passing.queue_ms,))
        yield "storageAdapter.commandsAveraged", name, Value((passing.per_second,))
    yield from _stores_of_host(state, host, loads, interval)


def _stores_of_host(state: VCenterState, host: HostState, loads: Loads, interval: int) -> Iterator[tuple[str, str, Value]]:
    worst = 0.0
    for store in state.mounted(host.description.name):
        instance = instance_of(store)
        mine = loads.datastore(store, [host])
        every = loads.datastore(store, loads.hosts_of(store))
        worst = max(worst, mine.vm_latency_ms)
        yield from _datastore_commands(instance, mine)
        yield "datastore.datastoreIops", instance, Value((every.per_second,))
        yield "datastore.sizeNormalizedDatastoreLatency", instance, Value((every.latency_ms * 1000,))
        yield "datastore.siocActiveTimePercentage", instance, _steady(every.sioc_active_percent * _PERCENT)
        yield "datastore.datastoreMaxQueueDepth", instance, _steady(mine.queue_depth)
        yield "datastore.datastoreVMObservedLatency", instance, Value((every.vm_latency_ms * 1000,))
        yield "datastore.commandsAborted", instance, _steady(mine.aborted * interval / 20)
        yield "datastore.busResets", instance, _steady(mine.resets * interval / 20)
    yield "datastore.maxTotalLatency", "", Value((worst,))


def _datastore_commands(instance: str, reading: DatastoreReading) -> Iterator[tuple[str, str, Value]]:
    for kind in ("Read", "Write"):  # half each: the description does not separate them
        yield f"datastore.number{kind}Averaged", instance, Value((reading.per_second / 2,))
        yield f"datastore.total{kind}Latency", instance, Value((reading.vm_latency_ms,))


def _of_vm(state: VCenterState, moid: str, loads: Loads) -> Iterator[tuple[str, str, Value]]:
    vm = state.vm(moid)
    host = state.hosts[state.vm_host[moid]]
    if not vm.powered_on or not host.reachable:
        return
    worst = 0.0
    for instance, disk in zip(_disk_instances(state, vm), vm.disks, strict=True):
        reading = loads.disk(host, disk)
        worst = max(worst, reading.latency_ms)
        writes = reading.outstanding // 2
        yield "virtualDisk.readOIO", instance, Value((reading.outstanding - writes,))
        yield "virtualDisk.writeOIO", instance, Value((writes,))
        for kind in ("Read", "Write"):  # half each, as above
            yield f"virtualDisk.number{kind}Averaged", instance, Value((reading.per_second / 2,))
            yield f"virtualDisk.{kind.lower()}", instance, Value((reading.per_second / 2 * disk.load.average_io_bytes / 1024,))
            yield f"virtualDisk.total{kind}Latency", instance, Value((reading.latency_ms,))
        yield "virtualDisk.commandsAborted", instance, _steady(0)
        yield "virtualDisk.busResets", instance, _steady(0)
    yield "disk.maxTotalLatency", "", Value((worst,))


def _of_datastore(store: DatastoreState, loads: Loads) -> Iterator[tuple[str, str, Value]]:
    """The metrics of a datastore in govmomi's capture; those of Storage I/O Control belong to the hosts, with a datastore as instance."""
    reading = loads.datastore(store, loads.hosts_of(store))
    for kind in ("Read", "Write"):
        yield f"datastore.number{kind}Averaged", "", Value((reading.per_second / 2,))


def instance_of(store: DatastoreState) -> str:
    """The instance of a datastore in a host's counters: the last part of its URL, for VMFS the volume's uuid (known)."""
    url: str = summary(store, vim.Datastore(store.moid)).url
    return url.rstrip("/").rpartition("/")[2]


def _disk_instances(state: VCenterState, vm: VmDescription) -> list[str]:
    """The disks of a machine by their instance in counters, for example scsi0:1."""
    hardware = devices(state, vm)
    controllers: dict[Any, str] = {
        one.key: f"{family}{one.busNumber}" for one in hardware for kind, family in _DISK_FAMILIES if isinstance(one, kind)
    }
    disks = [one for one in hardware if isinstance(one, vim.vm.device.VirtualDisk)]
    return [f"{controllers[one.controllerKey]}:{one.unitNumber}" for one in disks]
