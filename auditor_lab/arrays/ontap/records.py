"""Records of the cluster, its nodes, SVMs, schedules, aggregates and disks, in the shapes of the vendor's printed examples.

Source: the printed results in the vendor's Python client 9.19.1; where it prints none (SVM), the field definitions there.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor_lab.arrays.ontap.cluster import Cluster
    from auditor_lab.arrays.ontap.description import OntapDescription
    from auditor_lab.arrays.ontap.parts import AggregateDescription, NodeDescription, ScheduleDescription, SvmDescription

LAB_TIME = "2026-01-01T00:00:00+00:00"  # constant, so that two runs of the lab give equal answers


def link(path: str) -> dict[str, Any]:
    """The _links object of a path below /api."""
    return {"self": {"href": f"/api/{path}"}}


def reference(cluster: Cluster, path: str, kind: str, name: str) -> dict[str, Any]:
    """A reference to an object that its name identifies."""
    uuid = cluster.uuid(kind, name)
    return {"uuid": uuid, "name": name, "_links": link(f"{path}/{uuid}")}


def svm_reference(cluster: Cluster, name: str) -> dict[str, Any]:
    """A reference to an SVM."""
    return reference(cluster, "svm/svms", "svm", name)


def node_reference(cluster: Cluster, name: str) -> dict[str, Any]:
    """A reference to a node."""
    return reference(cluster, "cluster/nodes", "node", name)


def metric(iops: float, latency_us: float, io_bytes: int = 8192) -> dict[str, Any]:
    """A `metric` object: averages of the last 15 seconds, latency in microseconds, throughput in bytes; half of it are reads."""
    return {
        "timestamp": LAB_TIME,
        "duration": "PT15S",
        "status": "ok",
        "iops": _split(iops),
        "latency": dict.fromkeys(("read", "write", "other", "total"), int(latency_us) if iops else 0),
        "throughput": _split(iops * io_bytes),
    }


def statistics(cluster: Cluster, iops: float, latency_us: float, excess_us_seconds: float = 0.0, *, io_bytes: int = 8192) -> dict[str, Any]:
    """A `statistics` object: sums since the cluster came up; `excess_us_seconds` as in the aggregate's meter."""
    operations = iops * cluster.uptime
    return {
        "timestamp": LAB_TIME,
        "status": "ok",
        "iops_raw": _split(operations),
        "latency_raw": _split(operations * latency_us + iops * excess_us_seconds),
        "throughput_raw": _split(operations * io_bytes),
    }


def _split(total: float) -> dict[str, int]:
    read = int(total / 2)
    return {"read": read, "write": int(total) - read, "other": 0, "total": int(total)}


def version(cluster: Cluster) -> dict[str, Any]:
    """A version object."""
    generation, major, minor = map(int, cluster.description.version.split("."))
    full = f"NetApp Release {cluster.description.version}: Mon Jan 01 00:00:00 UTC 2024"
    return {"full": full, "generation": generation, "major": major, "minor": minor}


def _platform(about: OntapDescription) -> dict[str, Any]:
    """What a release from 9.16 on says of its platform. Source: netapp-ontap, Cluster; not verified."""
    if tuple(map(int, about.version.split(".")))[:2] < (9, 16):
        return {}
    return {"disaggregated": about.platform in ("asa-r2", "afx")}


def whole(cluster: Cluster, _: object) -> dict[str, Any]:
    """The cluster."""
    about = cluster.description
    interface = cluster.uuid("interface")
    iops = sum(each.iops for each in about.volumes)
    return {
        "uuid": cluster.description.cluster_id,
        "name": about.name,
        "location": "lab",
        "contact": "lab",
        "version": version(cluster),
        **_platform(about),
        "timezone": {"name": "Etc/UTC"},
        "dns_domains": ["example.com"],
        "name_servers": ["192.0.2.1"],
        "ntp_servers": ["192.0.2.3"],
        "management_interfaces": [
            {
                "uuid": interface,
                "name": "cluster_mgmt",
                "ip": {"address": "192.0.2.4"},
                "_links": link(f"network/ip/interfaces/{interface}"),
            }
        ],
        "ha": {"failover_protection_level": "nplusone"},
        "san_optimized": about.platform == "asa-r2",
        "peering_policy": {"authentication_required": True, "encryption_required": False, "minimum_passphrase_length": 8},
        "metric": metric(iops, 1000),
        "statistics": statistics(cluster, iops, 1000),
    }


def node(cluster: Cluster, item: NodeDescription) -> dict[str, Any]:
    """A node."""
    partners = [node_reference(cluster, each.name) for each in cluster.description.nodes if each.name != item.name]
    busy = 30
    return {
        "uuid": cluster.uuid("node", item.name),
        "name": item.name,
        "model": item.model,
        "serial_number": f"{int(cluster.uuid('node serial', item.name)[:8], 16):012d}",
        "state": item.state,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "is_all_flash_optimized": item.all_flash,
        "uptime": int(cluster.uptime),
        "version": version(cluster),
        "ha": {
            "enabled": bool(partners),
            "auto_giveback": bool(partners),
            "giveback": {"state": "nothing_to_giveback"},
            "takeover": {"state": "not_attempted"},
            "partners": partners,
        },
        "metric": {"timestamp": LAB_TIME, "duration": "PT15S", "status": "ok", "processor_utilization": busy},
        "statistics": {
            "timestamp": LAB_TIME,
            "status": "ok",
            "processor_utilization_raw": int(cluster.uptime * 10_000 * busy),
            "processor_utilization_base": int(cluster.uptime * 1_000_000),
        },
    }


def svm(cluster: Cluster, item: SvmDescription) -> dict[str, Any]:
    """An SVM."""
    about = cluster.description
    used = dict.fromkeys(each.aggregate for each in about.volumes if each.svm == item.name)
    protocols = {name: {"allowed": True, "enabled": name in item.protocols} for name in ("nfs", "iscsi", "fcp", "nvme", "cifs")}
    policy = next((each for each in cluster.qos if each.name == item.qos_policy), None)
    qos = {} if policy is None else {"qos_policy": {"uuid": policy.uuid, "name": policy.name}}
    return {
        "uuid": cluster.uuid("svm", item.name),
        "name": item.name,
        "state": item.state,
        "subtype": "default",
        "language": "c.utf_8",
        "comment": "",
        "aggregates": [reference(cluster, "storage/aggregates", "aggregate", name) for name in used],
        "ipspace": {"name": "Default", "uuid": cluster.uuid("ipspace")},
        "snapshot_policy": {"name": "default", "uuid": cluster.uuid("snapshot policy")},
        **protocols,
        **qos,
    }


def ip_interface(cluster: Cluster, item: tuple[str, str]) -> dict[str, Any]:
    """An IP interface of an SVM."""
    name, address = item
    return {
        "uuid": cluster.uuid("interface", name, address),
        "name": f"{name}_{address.replace(':', '_')}",
        "ip": {"address": address, "netmask": "64" if ":" in address else "24", "family": "ipv6" if ":" in address else "ipv4"},
        "enabled": True,
        "state": "up",
        "scope": "svm",
        "svm": svm_reference(cluster, name),
        "services": ["data_nfs"],
    }


def schedule(cluster: Cluster, item: ScheduleDescription) -> dict[str, Any]:
    """A schedule; a part of a cron that means "every" is left out."""
    record: dict[str, Any] = {
        "uuid": cluster.uuid("schedule", item.name),
        "name": item.name,
        "scope": "cluster",
        "cluster": {"uuid": cluster.description.cluster_id, "name": cluster.description.name},
    }
    if item.interval is not None:
        return record | {"type": "interval", "interval": item.interval}
    parts = {name: list(getattr(item, name)) for name in ("minutes", "hours", "weekdays", "days", "months")}
    return record | {"type": "cron", "cron": {name: numbers for name, numbers in parts.items() if numbers}}


def raid_groups(item: AggregateDescription) -> list[tuple[str, str]]:
    """For each disk the name of its RAID group and its role in it (parity, dparity, data)."""
    parts: list[tuple[str, str]] = []
    for disks_of_class in (item.disk_count, item.cache_disks):
        first = len({group for group, _ in parts})
        for place in range(disks_of_class):
            group, within = divmod(place, item.raid_size)
            parts.append((f"rg{first + group}", ("dparity", "parity")[within] if within < 2 else "data"))
    return parts


def _raid_group_records(item: AggregateDescription) -> list[dict[str, Any]]:
    """The RAID groups of the one plex; percent is there where something is made anew. Source: netapp-ontap, RaidGroup; not verified."""
    groups = dict.fromkeys(name for name, _ in raid_groups(item))
    idle: dict[str, Any] = {"degraded": False, "recomputing_parity": {"active": False}, "reconstruct": {"active": False}}
    listed = [{"name": f"/{item.name}/plex0/{name}", "cache_tier": False, **idle} for name in groups]
    if item.rebuild_percent is not None and listed:
        listed[0] |= {"degraded": True, "reconstruct": {"active": True, "percent": item.rebuild_percent}}
    return listed


def aggregate(cluster: Cluster, item: AggregateDescription) -> dict[str, Any]:
    """An aggregate."""
    load = cluster.load(item)
    size = item.disk_bytes * sum(part == "data" for _, part in raid_groups(item)[: item.disk_count])
    used = min(sum(each.size_bytes for each in cluster.description.volumes if each.aggregate == item.name), size)
    return {
        "uuid": cluster.uuid("aggregate", item.name),
        "name": item.name,
        "state": "online",
        "create_time": LAB_TIME,
        "node": node_reference(cluster, item.node),
        "home_node": node_reference(cluster, item.node),
        "snaplock_type": "non_snaplock",
        "volume-count": sum(each.aggregate == item.name for each in cluster.description.volumes),
        "data_encryption": {"software_encryption_enabled": False, "drive_protection_enabled": False},
        "cloud_storage": {"attach_eligible": False},
        "block_storage": {
            "mirror": {"enabled": False, "state": "unmirrored"},
            "hybrid_cache": {"enabled": True, "disk_count": item.cache_disks} if item.cache_disks else {"enabled": False},
            "primary": {
                "disk_count": item.disk_count,
                "disk_class": _disk_class(item, 0),
                "disk_type": item.disk_type,
                "raid_type": "raid_dp",
                "raid_size": item.raid_size,
                "checksum_style": "block",
            },
            "plexes": [{"name": "plex0", "raid_groups": _raid_group_records(item)}],
            "storage_type": "ssd" if item.disk_type.startswith("ssd") else "hdd",
            "uses_partitions": False,
        },
        "space": {
            "block_storage": {
                "size": size,
                "used": used,
                "available": size - used,
                "used_percent": used * 100 // size if size else 0,
                "full_threshold_percent": 98,
            },
            "footprint": used,
        },
        "metric": metric(load.client, item.latency_us + cluster.excess_us(item.name)),
        "statistics": statistics(cluster, load.client, item.latency_us, cluster.meters[item.name].excess_us_seconds),
    }


def is_flash(item: AggregateDescription, place: int) -> bool:
    """Whether the disk at a position of an aggregate is flash: all of them, or those of its cache."""
    return item.rpm is None or place >= item.disk_count


def _disk_class(item: AggregateDescription, place: int) -> str:
    if item.disk_type.startswith("ssd") or is_flash(item, place):
        return "solid_state"
    return "capacity" if (item.rpm or 0) < 10000 else "performance"


def disks(cluster: Cluster) -> list[tuple[AggregateDescription, int, str]]:
    """Every disk: its aggregate, its position there, and its name (stack.shelf.bay), 24 disks to a shelf."""
    listed = []
    for stack, item in enumerate(cluster.description.aggregates, 1):
        listed += [(item, place, f"{stack}.{place // 24}.{place % 24}") for place in range(item.disk_count + item.cache_disks)]
    return listed


def disk_uid(cluster: Cluster, name: str) -> str:
    """The uid of a disk: ten groups of eight digits; a SAS disk uses two of them."""
    digits = cluster.uuid("disk", name).replace("-", "").upper()
    return ":".join(("5000" + digits[:4], digits[4:12], *["00000000"] * 8))


def disk(cluster: Cluster, item: tuple[AggregateDescription, int, str]) -> dict[str, Any]:
    """A disk."""
    about, place, name = item
    flash = is_flash(about, place)
    kind = "ssd" if flash and not about.disk_type.startswith("ssd") else about.disk_type
    load = cluster.load(about)
    owner = node_reference(cluster, about.node)
    home = cluster.uuid("aggregate", about.name)
    record = {
        "name": name,
        "uid": disk_uid(cluster, name),
        "serial_number": cluster.uuid("disk", name).replace("-", "")[:12].upper(),
        "vendor": "NETAPP",
        "model": "X371_S163A960ATE" if flash else "X421_FAL12450A10",
        "firmware_version": "NA02",
        "type": kind,
        "effective_type": kind,
        "class": _disk_class(about, place),
        "container_type": "aggregate",
        "state": "present",
        "local": True,
        "pool": "pool0",
        "bay": place % 24,
        "shelf": {"uid": str(int(home[:8], 16) + place // 24)},
        "bytes_per_sector": 512,
        "sector_count": about.disk_bytes // 512,
        "right_size_sector_count": about.disk_bytes // 512,
        "physical_size": about.disk_bytes,
        "usable_size": about.disk_bytes * 99 // 100,
        "self_encrypting": False,
        "fips_certified": False,
        "node": owner,
        "home_node": owner,
        "aggregates": [{"uuid": home, "name": about.name, "_links": link(f"storage/aggregates/{home}")}],
        "outage": {"persistently_failed": False},
        "stats": {
            "average_latency": (about.latency_us + cluster.excess_us(about.name)) // 1000,
            "throughput": int(load.total / max(about.disk_count, 1) * 8192),
            "iops_total": int(load.total / max(about.disk_count, 1)),
            "path_error_count": 0,
            "power_on_hours": int(cluster.uptime // 3600),
        },
    }
    return record if flash else record | {"rpm": about.rpm}
