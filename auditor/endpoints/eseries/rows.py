"""One record of SANtricity Web Services to one row of a fact table.

Fields are those of NetApp/santricity-webapi-javasdk (models VolumeEx, VolumeGroupEx, DriveEx, Controller, HostEx, HostSidePort, HostType,
LUNMapping, FailureData, AnalysedVolumeStatistics, AnalysedDiskStatistics) and of the objects in cinder's tests (openstack/cinder,
eseries/fakes.py). Not verified against a real system.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.common.alerts import alert_row
from auditor.endpoints.eseries.enumerations import MEDIA, TRANSPORTS
from auditor.endpoints.eseries.reading import NULL_REF
from auditor.facts.node_states import IS_UP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.eseries.reading import System

FAMILY = "eseries"

_WWPN = re.compile(r"[0-9a-f]{16}")
_NOT_REPORTED = (None, "warning")
"""No public source has a severity of a failure; what System Manager lists so needs attention, and a person looks which."""

_WITHOUT_QOS = {
    "tiering": None,
    "tiers": None,
    "qos_policy_id": None,
    "qos_policy": None,
    "qos_min_iops": None,
    "qos_max_iops": None,
    "qos_burst_iops": None,
    "qos_max_bytes_per_second": None,
    "qos_shared": None,
    "qos_priority": None,
    "qos_read": True,
    "qos_curve": None,
}
"""No volume has a limit or a priority: neither the vendor's models of volumes nor the modules that change them have a field of one."""


def array_row(system: System) -> Row:
    """A row of array."""
    about = system.about
    return {
        "family": FAMILY,
        "name": about.text("name"),
        "array_id": about.identifier("wwn"),
        "version": about.optional_text("fwVersion"),
        "model": about.optional_text("model"),
    }


def failure_row(failure: Record, system: System, place: str) -> Row:
    """A row of array_alert; `place` tells it from others of its kind about the same object."""
    code = failure.text("failureType")
    component = failure.optional_text("objectType")
    return alert_row(system.key(place), _NOT_REPORTED, code, code=code, component=component, is_open=True)


def node_row(controller: Record, system: System, label: str) -> Row:
    """A row of array_node; `label` is the letter that people know a controller by."""
    return {
        "node_id": system.key(controller.identifier("controllerRef") or ""),
        "name": f"{system.about.value.get('name')} {label}",
        "state": controller.listed("status", IS_UP[FAMILY], needed=True),
        "version": controller.optional_text("appVersion"),
        "model": controller.optional_text("modelName"),
    }


def pool_row(pool: Record, system: System, drives: int | None) -> Row:
    """A row of array_pool: a volume group or a disk pool. `drives` is how many lie in it; None: not known."""
    media = pool.listed("driveMediaType", MEDIA) if pool.value.get("driveMediaType") != "unknown" else None
    kind = None if media is None else MEDIA[media]
    speed = pool.number("spindleSpeed") if kind in ("hdd", "mixed") and pool.value.get("spindleSpeed") is not None else None
    return {
        "pool_id": system.key(pool.identifier("volumeGroupRef") or ""),
        "name": pool.optional_text("label") or pool.text("name"),
        "media": kind,
        "rpm": speed or None,
        "disks": drives,
        "raid_type": pool.text("raidLevel"),
        "size_bytes": pool.number("totalRaidedSpace"),
    }


def volume_row(volume: Record, system: System) -> Row:
    """A row of array_volume, of a volume or a thin one."""
    group = volume.optional_text("volumeGroupRef")
    return {
        **_seen(volume, system, "volumeRef"),
        "size_bytes": volume.number("capacity"),
        "pool_id": system.key(group) if group and group != NULL_REF else None,
        "copy_of": None,
        "write_cache": _write_cache(volume),
        **_WITHOUT_QOS,
    }


def snapshot_row(view: Record, system: System) -> Row:
    """A row of array_volume, of a snapshot that hosts can be given.

    Source: the object SNAPSHOT_VOLUME in cinder's tests; its size is that of the volume that it shows.
    """
    base = view.optional_text("baseVol")
    return {
        **_seen(view, system, "viewRef"),
        "size_bytes": view.number("baseVolumeCapacity"),
        "pool_id": None,
        "copy_of": system.key(base) if base and base != NULL_REF else None,
        "write_cache": None,
        **_WITHOUT_QOS,
    }


def _seen(volume: Record, system: System, key: str) -> Row:
    """What every kind of volume has.

    A host sees a volume by its world-wide name: an NAA identifier of 16 bytes. Source: worldWideName of cinder's objects, which begin with
    60080e5 and 600a098; that ESXi shows the same digits is not recorded.
    """
    return {
        "volume_id": system.key(volume.identifier(key) or ""),
        "name": volume.optional_text("label") or volume.text("name"),
        "kind": "lun",
        "serial": volume.optional_text("worldWideName"),
        "device": volume.device("worldWideName"),
        "is_virtual": False,
        "vvol_id": None,
        "status": _state(volume),
        "owner_id": _controller(volume, system, "currentControllerId", "currentManager"),
        "preferred_owner_id": _controller(volume, system, "preferredControllerId", "preferredManager"),
    }


def _state(volume: Record) -> str | None:
    """How the system reports it, and whether one that is well is offline.

    Source: NetApp/santricity-webapi-javasdk, VolumeEx.offline: "whether the volume is currently offline", beside its status.
    """
    state = volume.text("status")
    return "offline" if state == "optimal" and volume.value.get("offline") is True else state


def _controller(volume: Record, system: System, *names: str) -> str | None:
    """The controller that the first of the fields names which is there; none where it names nothing."""
    name = next((name for name in names if volume.value.get(name) is not None), names[0])
    reference = volume.identifier(name)
    return system.key(reference) if reference and reference.strip("0") else None


def _write_cache(volume: Record) -> str | None:
    """Whether writes are answered from the cache: on | off | suspended (enabled, and not active)."""
    cache = volume.inner("cacheSettings" if "cacheSettings" in volume.value else "cache")
    if cache is None:
        return None
    enabled, active = cache.value.get("writeCacheEnable"), cache.value.get("writeCacheActive")
    if not isinstance(enabled, bool) or not isinstance(active, bool):
        cache.parse_errors.add("writeCacheEnable and writeCacheActive", cache.label, "are no switches")
        return None
    return "on" if active else "suspended" if enabled else "off"


def load_row(load: Record, system: System) -> Row:
    """A row of array_volume_load: means over a span that the Web Services choose: no single command need have taken that long.

    Throughput is computed from the rate and the size of reads and of writes: whether a megabyte in "MB/s" has 1,000 or 1,024 kilobytes is
    in no source. Latency is in milliseconds. Source: NetApp/santricity-webapi-javasdk, AnalysedVolumeStatistics.
    """
    rate, latency = load.real("combinedIOps"), load.real("combinedResponseTime")
    reads, writes = load.real("readIOps"), load.real("writeIOps")
    read_bytes, write_bytes = load.real("averageReadOpSize"), load.real("averageWriteOpSize")
    moved: float | None = None
    if reads is not None and writes is not None and read_bytes is not None and write_bytes is not None:
        moved = reads * read_bytes + writes * write_bytes
    commands = (reads or 0.0) + (writes or 0.0)
    return {
        "volume_id": system.key(load.identifier("volumeId") or ""),
        "average_io_bytes": round(moved / commands) if moved and commands else None,
        "actual_iops": None if rate is None else round(rate),
        "utilization": None,
        "latency_us": None if latency is None or not rate else round(latency * 1000),
        "client_queue_depth": None,
        "bytes_per_second": None if moved is None else round(moved),
    }


def pool_load_row(pool: str, rates: Sequence[float], system: System) -> Row:
    """A row of array_pool_load: what all drives of a pool do, parity and rebuilds included. How busy they are is in no source.

    Args:
        pool: its own reference.
        rates: operations a second of each of its drives.
        system: where it is one.
    """
    return {"pool_id": system.key(pool), "transfers_per_second": sum(rates), "disk_iops": sum(rates) / len(rates)}


def host_row(host: Record, system: System, types: Mapping[int, str] | None, groups: Mapping[str, str]) -> Row:
    """A row of array_host.

    Args:
        host: as the array has it.
        system: where it is one.
        types: codes of host types by their index; None: not read.
        groups: names of host groups by their own reference.
    """
    cluster = host.optional_text("clusterRef")
    group = None
    if cluster and cluster != NULL_REF:
        group = groups.get(cluster)
        if group is None:
            host.parse_errors.add("clusterRef", host.label, "is no group that host-groups lists")
    return {
        "array_host_id": system.key(host.identifier("hostRef") or ""),
        "name": host.optional_text("label") or host.text("name"),
        "host_group": group,
        "host_type": _host_type(host, types),
    }


def _host_type(host: Record, types: Mapping[int, str] | None) -> str | None:
    index = host.number("hostTypeIndex")
    if index is None or types is None:
        return None
    if index not in types:
        host.parse_errors.add("hostTypeIndex", host.label, "is none that host-types lists")
    return types.get(index)


def type_code(host_type: Record) -> tuple[int, str] | None:
    """The index of a host type and the code that it is known by, for example (10, "VmwTPGSALUA"); its name where it has no code.

    Source: netappeseries/santricity, na_santricity_facts.py (codes by index) and santricity.py (vmware is index 10).
    """
    index, code = host_type.number("index"), host_type.optional_text("code") or host_type.text("name")
    return None if index is None or code is None else (index, code)


def initiator_row(port: Record, host_id: str) -> Row | None:
    """A row of array_initiator; None for a port of InfiniBand, which no ESXi host has."""
    port_type = port.text("type")
    if port_type == "ib":
        return None
    kind = TRANSPORTS.get(port_type or "")
    if port_type is not None and kind is None:
        port.parse_errors.add("type", port.label, "is none that is known")
    name = (port.text("address") or "").lower()
    if kind in ("fc", "sas"):
        name = name.replace(":", "").removeprefix("0x")
    if not (_WWPN.fullmatch(name) if kind in ("fc", "sas") else name.startswith(("iqn.", "eui.", "naa.", "nqn."))):
        port.parse_errors.add("address", port.label, "is no initiator's name")
        name = ""
    return {"array_host_id": host_id, "initiator": name or None, "kind": kind}
