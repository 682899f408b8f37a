"""The counters that an entity has now, and their values: a number that varies a little over time."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor_lab.days import Spell, mean_of
from auditor_lab.vcenter.inventory.datastores import summary
from auditor_lab.vcenter.inventory.vms import devices
from auditor_lab.vcenter.performance.counters import COUNTERS, REAL_TIME_SECONDS, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditor_lab.vcenter.description.vms import VmDescription
    from auditor_lab.vcenter.performance.load import DatastoreReading, Loads
    from auditor_lab.vcenter.state.datastores import DatastoreState
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

_IO_KIB = 16  # of a command, where the description does not say how large they are
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

    `steady` values are settings and counts, which do not vary. In `spells` the first part had another value; where `is_highest`, the higher
    of both counts.
    """

    parts: tuple[float, ...]
    steady: bool = False
    spells: tuple[Spell, ...] = ()
    is_highest: bool = False

    def at(self, times: Sequence[int], entity: str, instance: str, seconds: int = REAL_TIME_SECONDS) -> list[int]:
        """The values of the intervals of `seconds` that end at these times, in seconds since 1970; equal for equal arguments."""
        begun = 0 if self.steady else zlib.crc32(f"{entity}/{instance}/".encode())
        first, rest = self.parts[0], self.parts[1:]
        values = []
        for time in times:
            factor = 1.0 if self.steady else 1 + _TREMBLE * (2 * zlib.crc32(b"%d" % time, begun) / 0xFFFFFFFF - 1)
            mean = mean_of(first, self.spells, time, seconds) if self.spells else first
            if self.is_highest:
                mean = max(mean, first)
            values.append(sum([round(part * factor) for part in (mean, *rest)]))
        return values


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
        values = _of_datastore(state, state.datastores[moid], loads)
    else:
        return {}
    return {(key_of(name), instance): value for name, instance, value in values}


def stored_metrics(metrics: Mapping[tuple[int, str], Value], level: int) -> Metrics:
    """The metrics that an interval of a statistics level stores: few of the kernel. Source: docs/domain/facts.md#9-1."""
    return {key: value for key, value in metrics.items() if COUNTERS[key[0]].stored_at(level, instance=key[1] != "")}


def _steady(value: float, spells: tuple[Spell, ...] = ()) -> Value:
    return Value((value,), steady=True, spells=spells)


def _of_host(state: VCenterState, host: HostState, loads: Loads, interval: int) -> Iterator[tuple[str, str, Value]]:
    if not host.reachable:
        return
    worst, passed_kib = 0.0, 0.0
    slow: list[Spell] = []
    for name, device in host.devices.items():
        reading = loads.device(host, device)
        worst = max(worst, reading.total_ms)
        subjects = _subjects_of(state, name)
        hosts = sum(1 for one in state.hosts.values() if name in one.devices) if state.day else 1
        latency, iops, kib = (
            state.day.spells(subjects, field, host=host.description.name, hosts=hosts, factor=factor)
            for field, factor in (("latency_ms", 1), ("iops", 1), ("bytes", 1 / 1024))
        )
        slow += latency
        per_second = reading.per_second
        passed_kib += per_second * _IO_KIB
        yield "disk.deviceLatency", name, Value((reading.device_ms,), spells=latency)
        yield "disk.kernelLatency", name, Value((reading.kernel_ms,))
        yield "disk.queueLatency", name, Value((reading.queue_ms,))
        yield "disk.totalLatency", name, Value((reading.device_ms, reading.kernel_ms), spells=latency)
        yield "disk.maxQueueDepth", name, _steady(reading.depth)
        yield "disk.commandsAveraged", name, Value((per_second,), spells=iops)
        yield "disk.commands", name, Value((per_second * interval,), spells=_times(iops, interval))
        for kind in ("Read", "Write"):  # half each: the description does not separate them
            yield f"disk.number{kind}Averaged", name, Value((per_second / 2,), spells=_times(iops, 0.5))
            yield f"disk.{kind.lower()}", name, Value((per_second * _IO_KIB / 2,), spells=_times(kib, 0.5))
        yield "disk.commandsAborted", name, _steady(device.load.commands_aborted * interval / 20)
        yield "disk.busResets", name, _steady(device.load.bus_resets * interval / 20)
        yield "disk.scsiReservationConflicts", name, _steady(0)
    yield "disk.maxTotalLatency", "", Value((worst,), spells=tuple(slow), is_highest=True)
    yield "disk.usage", "", Value((passed_kib,))
    yield from _adapters(host, loads)
    yield from _stores_of_host(state, host, loads, interval)


def _subjects_of(state: VCenterState, device: str) -> list[str]:
    """The names under which a scenario's day may have a device: its own, and those of the datastores on it."""
    if not state.day:
        return []
    stores = [one.description for one in state.datastores.values()]
    return [device, *(store.name for store in stores if device in store.extents)]


def _times(spells: tuple[Spell, ...], factor: float) -> tuple[Spell, ...]:
    return tuple(Spell(one.begin, one.end, one.value * factor) for one in spells)


def _adapters(host: HostState, loads: Loads) -> Iterator[tuple[str, str, Value]]:
    for name, hba in host.hbas.items():
        depth, passing = loads.adapter(host, hba)
        behind = [loads.device(host, device) for device in host.devices.values() if hba.reaches(device)]
        passed = sum(one.per_second for one in behind)
        took = sum(one.per_second * one.device_ms for one in behind) / passed if passed else 0.0
        yield "storageAdapter.queueDepth", name, _steady(depth)
        yield "storageAdapter.outstandingIOs", name, Value((passing.active,))
        yield "storageAdapter.queued", name, Value((passing.queued,))
        yield "storageAdapter.queueLatency", name, Value((passing.queue_ms,))
        yield "storageAdapter.commandsAveraged", name, Value((passing.per_second,))
        for kind in ("Read", "Write"):  # half each, as above
            yield f"storageAdapter.number{kind}Averaged", name, Value((passing.per_second / 2,))
            yield f"storageAdapter.total{kind}Latency", name, Value((took + passing.queue_ms,))
            yield f"storageAdapter.{kind.lower()}", name, Value((passing.per_second * _IO_KIB / 2,))


def _stores_of_host(state: VCenterState, host: HostState, loads: Loads, interval: int) -> Iterator[tuple[str, str, Value]]:
    worst = 0.0
    slow: list[Spell] = []
    for store in state.mounted(host.description.name):
        instance, name, hosts = instance_of(store), [store.description.name], len(store.description.hosts)
        mine = loads.datastore(store, [host])
        every = loads.datastore(store, loads.hosts_of(store))
        worst = max(worst, mine.vm_latency_ms)
        latency = state.day.spells(name, "latency_ms", host=host.description.name)
        slow += latency
        shares = {
            field: state.day.spells(name, field, host=host.description.name, hosts=hosts, factor=factor)
            for field, factor in (("iops", 1 / 2), ("bytes", 1 / 2048))
        }
        yield from _datastore_commands(instance, mine, latency, shares["iops"], shares["bytes"])
        yield "datastore.datastoreIops", instance, Value((every.per_second,), spells=state.day.spells(name, "iops"))
        in_us = _times(state.day.spells(name, "latency_ms"), 1000)
        yield "datastore.sizeNormalizedDatastoreLatency", instance, Value((every.latency_ms * 1000,), spells=in_us)
        active = state.day.spells(name, "sioc_active_percent", factor=_PERCENT)
        yield "datastore.siocActiveTimePercentage", instance, _steady(every.sioc_active_percent * _PERCENT, active)
        yield "datastore.datastoreMaxQueueDepth", instance, _steady(mine.queue_depth)
        yield "datastore.datastoreVMObservedLatency", instance, Value((every.vm_latency_ms * 1000,), spells=in_us)
        yield "datastore.commandsAborted", instance, _steady(mine.aborted * interval / 20)
        yield "datastore.busResets", instance, _steady(mine.resets * interval / 20)
    yield "datastore.maxTotalLatency", "", Value((worst,), spells=tuple(slow), is_highest=True)


def _datastore_commands(
    instance: str, reading: DatastoreReading, latency: tuple[Spell, ...], iops: tuple[Spell, ...], kib: tuple[Spell, ...]
) -> Iterator[tuple[str, str, Value]]:
    for kind in ("Read", "Write"):  # half each, as above
        yield f"datastore.number{kind}Averaged", instance, Value((reading.per_second / 2,), spells=iops)
        yield f"datastore.total{kind}Latency", instance, Value((reading.vm_latency_ms,), spells=latency)
        yield f"datastore.{kind.lower()}", instance, Value((reading.per_second * _IO_KIB / 2,), spells=kib)


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


def _of_datastore(state: VCenterState, store: DatastoreState, loads: Loads) -> Iterator[tuple[str, str, Value]]:
    """The metrics of a datastore in govmomi's capture; those of Storage I/O Control belong to the hosts, with a datastore as instance."""
    reading = loads.datastore(store, loads.hosts_of(store))
    iops, kib = (
        state.day.spells([store.description.name], field, factor=factor) for field, factor in (("iops", 1 / 2), ("bytes", 1 / 2048))
    )
    for kind in ("Read", "Write"):
        yield f"datastore.number{kind}Averaged", "", Value((reading.per_second / 2,), spells=iops)
        yield f"datastore.{kind.lower()}", "", Value((reading.per_second * _IO_KIB / 2,), spells=kib)


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
