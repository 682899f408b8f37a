"""A few devices of a few hosts, by the newest real-time counters: what `auditor watch` shows. Only reads. Imports pyVmomi where it is used.

The counters and what they come to are those of the audit (collect/load_figures.py); here they are of the last minute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.collect.load_figures import DATASTORE_COUNTERS, DEVICE_COUNTERS, datastore_figures, device_figures
from auditor.endpoints.vcenter.collect.storage import lower_hex_name

if TYPE_CHECKING:
    from datetime import datetime

    from auditor.endpoints.vcenter.performance import Samples, Values
    from auditor.endpoints.vcenter.session import VCenter

SAMPLES = 3
"""Of twenty seconds each: the last minute. One alone may be a burst."""
_HOSTS_A_PAGE = 500
_DEVICES = "config.storageDevice.scsiLun"
_COUNTERS = {**DEVICE_COUNTERS, "sioc": DATASTORE_COUNTERS["sioc"]}


@dataclass(frozen=True, slots=True)
class WatchedDevice:
    """A device of a host.

    Attributes:
        host_id: managed object id.
        host: its name.
        device: canonical name.
        stores: the instances that hosts count VMFS datastores on it by.
    """

    host_id: str
    host: str
    device: str
    stores: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceSample:
    """The last minute of a device; a figure of None was not reported.

    Attributes:
        sampled_at: the newest sample's time.
        commands_per_second: mean.
        gavg_ms: what a command took, as the kernel sees it.
        davg_ms: of it, beyond the host.
        kavg_ms: of it, waiting in the host.
        depth: how many commands the queue takes at once, the newest value.
        sioc_active_percent: the share of time in which Storage I/O Control throttled a datastore on it.
        carries_vmfs: whether there is a VMFS datastore on it; without one, Storage I/O Control throttles nothing here.
    """

    sampled_at: datetime
    commands_per_second: float | None
    gavg_ms: float | None
    davg_ms: float | None
    kavg_ms: float | None
    depth: int | None
    sioc_active_percent: float | None
    carries_vmfs: bool = True


@dataclass(frozen=True, slots=True)
class WatchRow:
    """One device as it was last seen.

    Attributes:
        name: HOST/DEVICE as it was asked for.
        endpoint: the vCenter; "" where no vCenter is known to have it yet.
        sample: the last that was read; None: none ever.
        worst_kavg_ms: the highest since watching began; None: none was read.
        unread_since: since when it could not be read; None: it was read just now.
        why: why not.
    """

    name: str
    endpoint: str
    sample: DeviceSample | None = None
    worst_kavg_ms: float | None = None
    unread_since: datetime | None = None
    why: str = ""

    @property
    def active(self) -> float | None:
        """How many commands are beyond the host, by Little's law: the rate times what they take there."""
        return _under_way(self.sample, self.sample.davg_ms) if self.sample is not None else None

    @property
    def waiting(self) -> float | None:
        """How many wait in the host, likewise."""
        return _under_way(self.sample, self.sample.kavg_ms) if self.sample is not None else None


def _under_way(sample: DeviceSample, took_ms: float | None) -> float | None:
    """Latencies are whole milliseconds in each sample, so this is exact to about the rate times a millisecond."""
    if sample.commands_per_second == 0:
        return 0.0
    return None if sample.commands_per_second is None or took_ms is None else sample.commands_per_second * took_ms / 1000


def find_devices(vcenter: VCenter, wanted: Sequence[tuple[str, str]]) -> dict[tuple[str, str], WatchedDevice]:
    """Those of `wanted`, pairs of a host's name (with or without its domain) and a device's, that this vCenter has.

    Raises:
        EndpointError: the hosts, or the devices of one that is wanted, could not be read.
    """
    from pyVmomi import vim

    names: dict[str, tuple[str, str]] = {}
    for facts in vcenter.read(vim.HostSystem, ("name",), page=_HOSTS_A_PAGE):
        name = str(facts.values.get("name", ""))
        names |= {form: (facts.id, name) for form in (name.casefold(), name.casefold().partition(".")[0]) if name}
    found: dict[tuple[str, str], WatchedDevice] = {}
    by_host: dict[str, frozenset[str]] = {}
    for pair in wanted:
        host_id, host = names.get(pair[0].casefold(), ("", ""))
        if not host_id:
            continue
        if host_id not in by_host:
            luns = vcenter.value(vim.HostSystem, host_id, _DEVICES) or ()
            by_host[host_id] = frozenset(lower_hex_name(lun.canonicalName) for lun in luns)
        device = lower_hex_name(pair[1])
        if device in by_host[host_id]:
            found[pair] = WatchedDevice(host_id, host, device, _stores(vcenter, host_id, device))
    return found


def _stores(vcenter: VCenter, host_id: str, device: str) -> tuple[str, ...]:
    """The last parts of the URLs of the VMFS datastores that lie on a device, as the host's counters call them."""
    from pyVmomi import vim

    mounted = vcenter.value(vim.HostSystem, host_id, "datastore") or ()
    stores = []
    for facts in vcenter.read(vim.Datastore, ("summary.url", "info"), mounted):
        volume: Any = getattr(facts.values.get("info"), "vmfs", None)
        url = facts.values.get("summary.url")
        if url and volume is not None and any(lower_hex_name(extent.diskName) == device for extent in volume.extent):
            stores.append(str(url).rstrip("/").rpartition("/")[2])
    return tuple(stores)


def read_samples(vcenter: VCenter, watched: Sequence[WatchedDevice]) -> dict[WatchedDevice, DeviceSample]:
    """The last minute of each device; one that its host has no sample of is left out.

    Raises:
        EndpointError: it could not be asked.
    """
    from auditor.endpoints.vcenter.bulk.shapes import Ref
    from auditor.endpoints.vcenter.performance import counter_keys, query_samples
    from auditor.endpoints.vcenter.translation import translated

    hosts = [Ref("HostSystem", one) for one in dict.fromkeys(device.host_id for device in watched)]
    with translated(vcenter.endpoint, "reading the performance counters of the watched hosts"):
        known = counter_keys(vcenter)
        keys = {name: known[name] for name in _COUNTERS.values() if name in known}
        answered = {one.host_id: one for one in query_samples(vcenter, hosts, keys, SAMPLES)} if keys else {}
    return {
        device: sample
        for device in watched
        if device.host_id in answered and (sample := sample_of(device, answered[device.host_id])) is not None
    }


def sample_of(device: WatchedDevice, samples: Samples) -> DeviceSample | None:
    """The figures of a device in what its host answered; None where there is no sample of it."""
    figures_by_counter: dict[str, Values] = {}
    for (counter, instance), values in samples.series.items():
        if lower_hex_name(instance) == device.device:
            figures_by_counter |= {name: values for name, full in DEVICE_COUNTERS.items() if full == counter}
    if not figures_by_counter or not samples.times:
        return None
    figures = device_figures(figures_by_counter, samples.times)
    return DeviceSample(
        sampled_at=samples.times[-1],
        commands_per_second=figures["commands_per_second"],
        gavg_ms=figures["gavg_ms"],
        davg_ms=figures["davg_ms"],
        kavg_ms=figures["kavg_ms"],
        depth=figures["max_queue_depth"],
        sioc_active_percent=_throttled(device, samples),
        carries_vmfs=bool(device.stores),
    )


def _throttled(device: WatchedDevice, samples: Samples) -> float | None:
    """The most that Storage I/O Control was active on a datastore of the device."""
    shares: Mapping[str, float | None] = {
        store: datastore_figures({"sioc": samples.series[_COUNTERS["sioc"], store]}, samples.times)["sioc_active_percent"]
        for store in device.stores
        if (_COUNTERS["sioc"], store) in samples.series
    }
    return max((share for share in shares.values() if share is not None), default=None)
