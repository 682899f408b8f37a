"""Computes how long commands take from a virtual disk to the array: one queue for each device of each host.

As many commands as the queue's depth allows are with the array; the others wait in the kernel, first come first served. GAVG = DAVG + KAVG.
By Little's law the time in each place is the number of commands there divided by the throughput. Source: docs/domain/incidents.md#s0 and
#s2.

A disk at its limit (`utilization` of 1 or more) has the throughput that the array allows, however long its commands wait, so it fills the
queue. Every other disk waits for answers before it sends more, so it suffers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor_lab.vcenter.description.modules import parse_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from auditor_lab.arrays.element.description import LoadDescription
    from auditor_lab.vcenter.description.devices import DeviceDescription, HbaDescription
    from auditor_lab.vcenter.description.vms import DiskDescription, VmDescription
    from auditor_lab.vcenter.state.datastores import DatastoreState
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

# Commands that a controller sends for one disk. Source: docs/domain/facts.md#8-1 (PVSCSI 64, LSI SAS 32 fixed); the others are taken to be
# like
# these.
_CONTROLLER_DEPTH: Mapping[str, int] = {"pvscsi": 64, "nvme": 64, "lsilogic": 32, "lsilogic-sas": 32, "buslogic": 32, "sata": 32, "ide": 1}
_DEEPEST_CONTROLLER = 64
_ADAPTER_DEPTH = 1024  # iscsivmk_HostQDepth, "typical": docs/domain/facts.md#2; also used for the other drivers, whose depth is not known
_SIOC_SHALLOWEST = 4  # commands that a host always sends, however congested the datastore is (known)


@dataclass(frozen=True, slots=True)
class Stream:
    """The commands of one sender on one device.

    Attributes:
        outstanding: how many exist at any time, in the array or waiting.
        seconds: the time that the array takes for one.
        per_second: the throughput of a sender that the array throttles; None for one that waits for its answers.
    """

    outstanding: float
    seconds: float
    per_second: float | None = None

    def rate(self, waiting_seconds: float) -> float:
        """The throughput in commands a second, when each of them waits that long before it reaches the array."""
        if self.per_second is not None:
            return self.per_second
        took = self.seconds + waiting_seconds
        return self.outstanding / took if took else 0.0


@dataclass(frozen=True, slots=True)
class DeviceReading:
    """The state of one device of one host; in esxtop `depth` is DQLEN, `active` ACTV and `queued` QUED."""

    depth: int
    active: float = 0.0
    queued: float = 0.0
    per_second: float = 0.0
    device_ms: float = 0.0
    queue_ms: float = 0.0
    kernel_ms: float = 0.0  # with `queue_ms` in it
    crowded_ms: float = 0.0  # part of `device_ms`: the wait inside the array because of its limit of commands a second

    @property
    def total_ms(self) -> float:
        """GAVG."""
        return self.device_ms + self.kernel_ms


@dataclass(frozen=True, slots=True)
class DiskReading:
    """The state of one virtual disk as its machine sees it, in its own commands."""

    outstanding: float
    per_second: float
    latency_ms: float


@dataclass(frozen=True, slots=True)
class DatastoreReading:
    """The state of one datastore as one host sees it, or as all do."""

    per_second: float
    latency_ms: float
    vm_latency_ms: float
    sioc_active_percent: int
    queue_depth: int
    aborted: int = 0
    resets: int = 0


class Loads:
    """The load of every sender now; created for every query, because anything may have changed."""

    def __init__(self, state: VCenterState) -> None:
        self._state = state
        self._machines: dict[str, list[VmDescription]] = {}  # by host's managed object id
        self._disk_loads: dict[str, list[LoadDescription]] = {}  # by datastore's name
        for (_, host), vm in zip(state.vm_host.items(), state.description.vms, strict=True):
            if vm.powered_on and vm.disks:
                self._machines.setdefault(host, []).append(vm)
                for disk in vm.disks:
                    self._disk_loads.setdefault(disk.datastore, []).append(disk.load)
        self._stores: dict[str, list[DatastoreState]] = {}
        for store in state.datastores.values():
            for name in (*store.description.extents, *store.description.endpoints):
                self._stores.setdefault(name, []).append(store)
        self._devices: dict[tuple[str, str], DeviceReading] = {}

    def device(self, host: HostState, device: DeviceDescription) -> DeviceReading:
        """The queue of a device on a host."""
        key = (host.moid, device.name)
        if key not in self._devices:
            streams = list(self._streams(host, device))
            depth = self._depth(host, device, streams)
            self._devices[key] = _settled(streams, depth, device)
        return self._devices[key]

    def disk(self, host: HostState, disk: DiskDescription) -> DiskReading:
        """A virtual disk of a machine on `host`."""
        load = disk.load
        if not load.actual_iops and not load.queue_depth:
            return DiskReading(0.0, 0.0, 0.0)
        device = self._device_of(host, disk)
        reading = self.device(host, device) if device is not None else DeviceReading(0)
        wait = (reading.kernel_ms + reading.crowded_ms) / 1000
        outstanding = _outstanding(disk)
        if load.utilization >= 1:
            return DiskReading(outstanding, load.actual_iops, outstanding / load.actual_iops * 1000 if load.actual_iops else 0.0)
        took = load.latency_us / 1e6 + wait
        return DiskReading(outstanding, outstanding / took if took else 0.0, took * 1000)

    def adapter(self, host: HostState, hba: HbaDescription) -> tuple[int, DeviceReading]:
        """An adapter's own queue depth, and the load of all its devices."""
        share = sum(1 for one in host.hbas.values() if (one.kind, one.protocol) == (hba.kind, hba.protocol))
        readings = [self.device(host, device) for device in host.devices.values() if hba.reaches(device)]
        active = sum(one.active for one in readings) / share
        passed = sum(one.per_second for one in readings) / share
        value = parse_options(host.modules[hba.driver].in_effect).get("iscsivmk_HostQDepth", "")
        depth = int(value) if value.isdigit() else _ADAPTER_DEPTH
        queued = max(0.0, active - depth)
        waits = queued / passed * 1000 if passed else 0.0
        return depth, DeviceReading(depth, active - queued, queued, passed, 0.0, waits, waits)

    def datastore(self, store: DatastoreState, hosts: Iterable[HostState]) -> DatastoreReading:
        """A datastore as `hosts` see it together."""
        every = list(hosts)
        disks = [(host, disk) for host in every for vm in self._machines.get(host.moid, []) for disk in vm.disks]
        seen = [self.disk(host, disk) for host, disk in disks if disk.datastore == store.description.name]
        queues = [self.device(host, host.devices[name]) for host in every for name in store.description.extents if name in host.devices]
        other = store.description.load.iops * len(every) / max(1, len(store.description.hosts))
        other_ms = _other_ms(store)
        passed = sum(one.per_second for one in seen) + other
        at_machines = sum(one.per_second * one.latency_ms for one in seen) + other * other_ms
        behind_queues = sum(one.per_second for one in queues)
        latency = sum(one.per_second * one.device_ms for one in queues) / behind_queues if behind_queues else None
        vm_latency = at_machines / passed if passed else 0.0
        loads = [device.load for host in every for name in store.description.extents if (device := host.devices.get(name)) is not None]
        return DatastoreReading(
            per_second=passed,
            latency_ms=vm_latency if latency is None else latency,
            vm_latency_ms=vm_latency,
            sioc_active_percent=self._sioc_percent(store),
            queue_depth=max((one.depth for one in queues), default=0),
            aborted=sum(one.commands_aborted for one in loads),
            resets=sum(one.bus_resets for one in loads),
        )

    def hosts_of(self, store: DatastoreState) -> list[HostState]:
        """The hosts that mount a datastore."""
        return [self._state.hosts[self._state.host_id[name]] for name in store.description.hosts]

    def _device_of(self, host: HostState, disk: DiskDescription) -> DeviceDescription | None:
        """The device that carries a disk; None for NFS, and where the host does not see it."""
        if disk.endpoint:
            return host.devices.get(disk.endpoint)
        store = self._state.datastores[self._state.datastore_id[disk.datastore]].description
        # A file is on the first extent here: no API shows which one it really is on.
        return host.devices.get(store.extents[0]) if store.extents else None

    def _streams(self, host: HostState, device: DeviceDescription) -> Iterator[Stream]:
        for vm in self._machines.get(host.moid, []):
            for disk in vm.disks:
                if (disk.load.actual_iops or disk.load.queue_depth) and self._device_of(host, disk) is device:
                    yield _stream(host, device, disk)
        for store in self._stores.get(device.name, []):
            load = store.description.load
            if load.iops and device.name in store.description.extents:
                rate = load.iops / len(store.description.hosts) / len(store.description.extents)
                yield Stream(rate * _other_ms(store) / 1000, _other_ms(store) / 1000)
        if device.load.iops:
            seconds = self._device_ms(device) / 1000
            yield Stream(device.load.iops * seconds, seconds)

    def _device_ms(self, device: DeviceDescription) -> float:
        """The time that the array takes: one host that offloads slows it down for every host, until the firmware copes with it.

        Source: docs/domain/incidents.md#s4.
        """
        calm, fixed = device.load.device_ms_without_offload, device.load.offload_copes_since
        if calm is not None and fixed and device.firmware >= fixed:
            return calm
        if calm is None or any(device.name in host.devices and _offloads(host) for host in self._state.hosts.values()):
            return device.load.device_ms
        return calm

    def _depth(self, host: HostState, device: DeviceDescription, streams: list[Stream]) -> int:
        """DQLEN: DSNRO applies with two senders; Storage I/O Control sets its own. Source: docs/domain/facts.md#1-6 and #1-9."""
        depth = host.queue_depth(device)
        percent = [self._sioc_percent(store) for store in self._stores.get(device.name, []) if store.sioc_enabled]
        if percent:
            return max(min(_SIOC_SHALLOWEST, depth), round(depth * (1 - max(percent) / 100)))
        return min(depth, host.dsnro(device)) if len(streams) > 1 else depth

    def _sioc_percent(self, store: DatastoreState) -> int:
        """The share of the time in which Storage I/O Control throttles hosts: all of it while the array takes longer than the threshold."""
        if not store.sioc_enabled:
            return 0
        value = store.description.load.sioc_active_percent
        if value is not None:
            return value
        rates = [(load.actual_iops, load.latency_us / 1000) for load in self._disk_loads.get(store.description.name, [])]
        rates.append((store.description.load.iops, _other_ms(store)))
        passed = sum(rate for rate, _ in rates)
        took = sum(rate * ms for rate, ms in rates) / passed if passed else 0.0
        return 100 if took > store.sioc_threshold_ms else 0


def _other_ms(store: DatastoreState) -> float:
    load = store.description.load
    return load.device_ms if store.sioc_enabled or load.device_ms_without_sioc is None else load.device_ms_without_sioc


def _offloads(host: HostState) -> bool:
    """Whether copies or zeroes are offloaded to the array; locking does not count."""
    return any(host.options[key] for key in ("DataMover.HardwareAcceleratedMove", "DataMover.HardwareAcceleratedInit"))


def _outstanding(disk: DiskDescription) -> float:
    """A disk's outstanding commands: from its load, or computed from rate and latency; the controller's depth limits them."""
    load = disk.load
    wanted = load.queue_depth or load.actual_iops * load.latency_us / 1e6
    return min(wanted, _depth_of(disk))


def _depth_of(disk: DiskDescription) -> int:
    return disk.guest_depth or _CONTROLLER_DEPTH[disk.controller]


def _stream(host: HostState, device: DeviceDescription, disk: DiskDescription) -> Stream:
    """A disk's commands as the device gets them: iSCSI splits those above ISCSI.MaxIoSizeKB, still at most 64 of a disk (S0)."""
    load = disk.load
    largest = int(host.options["ISCSI.MaxIoSizeKB"]) * 1024
    pieces = max(1, -(-load.average_io_bytes // largest)) if device.transport == "iscsi" else 1
    outstanding = min(_outstanding(disk) * pieces, max(_DEEPEST_CONTROLLER, _depth_of(disk)))
    held_back = float(load.actual_iops * pieces) if load.utilization >= 1 else None
    return Stream(outstanding, load.latency_us / 1e6, held_back)


def _settled(streams: list[Stream], depth: int, device: DeviceDescription) -> DeviceReading:
    """The queue in equilibrium: the waiting commands divided by the throughput are the waiting time."""
    there = sum(one.outstanding for one in streams)
    queued = max(0.0, there - depth)
    waits = _first(lambda seconds: _passed(streams, seconds) * seconds >= queued) if queued else 0.0
    passed, crowded = _passed(streams, waits), 0.0
    ceiling = device.load.iops_ceiling
    if ceiling is not None and passed > ceiling:
        longer = _first(lambda seconds: _passed(streams, seconds) <= ceiling)
        passed, waits = ceiling, queued / ceiling
        crowded = longer - waits
    added = device.load.kernel_ms
    return DeviceReading(
        depth=depth,
        active=there - queued,
        queued=queued + device.load.queued,
        per_second=passed,
        device_ms=(there - queued) / passed * 1000 if passed else 0.0,
        queue_ms=(waits + (device.load.queued / passed if passed else 0.0)) * 1000,
        kernel_ms=(waits + (device.load.queued / passed if passed else 0.0)) * 1000 + added,
        crowded_ms=crowded * 1000,
    )


def _passed(streams: list[Stream], waiting_seconds: float) -> float:
    return sum(one.rate(waiting_seconds) for one in streams)


def _first(holds: Callable[[float], bool]) -> float:
    """The shortest time in seconds for which a monotonic condition holds, found by bisection."""
    low, high = 0.0, 3600.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
