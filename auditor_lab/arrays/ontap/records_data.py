"""Records of volumes, LUNs, LUN maps, and the policies that apply to them.

Source: the printed results in the vendor's Python client 9.19.1; where it prints none (QoS, SnapMirror), the field definitions there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.ontap.records import LAB_TIME, link, metric, node_reference, reference, statistics, svm_reference

if TYPE_CHECKING:
    from auditor_lab.arrays.ontap.cluster import Cluster, EfficiencyPolicy, Lun, QosPolicy, Relationship, Volume
    from auditor_lab.arrays.ontap.parts import (
        HealthAlertDescription,
        IgroupDescription,
        RaidOptionDescription,
        SnapMirrorPolicyDescription,
    )


def _policy_reference(item: QosPolicy) -> dict[str, Any]:
    return {"uuid": item.uuid, "name": item.name, "_links": link(f"storage/qos/policies/{item.uuid}")}


def volume(cluster: Cluster, item: Volume) -> dict[str, Any]:
    """A volume; without a QoS policy it has no `qos`."""
    about = item.about
    record: dict[str, Any] = {
        "uuid": item.uuid,
        "name": about.name,
        "svm": svm_reference(cluster, about.svm),
        "aggregates": [reference(cluster, "storage/aggregates", "aggregate", about.aggregate)],
        "type": about.type,
        "style": "flexvol",
        "state": "online",
        "size": about.size_bytes,
        "comment": "",
        "create_time": LAB_TIME,
        "language": "c.utf_8",
        "snapshot_policy": {"name": "default"},
        "is_svm_root": False,
        "space": {"size": about.size_bytes, "used": about.size_bytes // 2, "available": about.size_bytes - about.size_bytes // 2},
        "nas": {
            "export_policy": {"name": "default", "id": 8589934593},
            "security_style": "unix",
            "uid": 0,
            "gid": 0,
            "unix_permissions": 755,
        },
        "error_state": {"has_bad_blocks": False, "is_inconsistent": False},
        "encryption": {"enabled": False, "type": "none", "state": "none", "key_id": ""},
        "efficiency": _efficiency(item),
        "metric": metric(about.iops, about.latency_us + cluster.excess_us(about.aggregate)),
        "statistics": statistics(cluster, about.iops, about.latency_us, cluster.meters[about.aggregate].excess_us_seconds),
    }
    if about.move_state is not None:
        record["movement"] = {"state": about.move_state, "percent_complete": 100 if about.move_state == "success" else 40}
        if about.move_began is not None:
            record["movement"]["start_time"] = about.move_began
        if about.move_to is not None:
            record["movement"]["destination_aggregate"] = reference(cluster, "storage/aggregates", "aggregate", about.move_to)
    if about.junction_path is not None:
        record["nas"]["path"] = about.junction_path
    if item.qos is not None:
        record["qos"] = {"policy": _policy_reference(item.qos)}
    return record


def _efficiency(item: Volume) -> dict[str, Any]:
    """The `efficiency` object. The value of `policy.name` where `schedule` applies, and the reverse ("-", "sun-sat@0"), is not verified."""
    on = item.efficiency is not None or item.about.efficiency_schedule is not None
    begin, end, state, size = item.about.efficiency_run or (LAB_TIME, LAB_TIME, "Success", 0)
    return {
        "state": "enabled" if on else "disabled",
        "dedupe": "background" if on else "none",
        "compression": "none",
        "compaction": "none",
        "cross_volume_dedupe": "none",
        "op_state": "active" if item.about.efficiency_active else "idle",
        "type": "regular",
        "progress": "Idle for 00:00:00",
        "ratio": 1.0,
        "last_op_begin": begin,
        "last_op_end": end,
        "last_op_size": size,
        "last_op_state": state,
        "policy": {"name": "-" if item.efficiency is None else item.efficiency.name},
        "volume_path": f"/vol/{item.about.name}",
        "schedule": "-" if item.efficiency is not None else item.about.efficiency_schedule or "-",
    }


def lun(cluster: Cluster, item: Lun) -> dict[str, Any]:
    """A LUN; without a QoS policy it has no `qos_policy`."""
    about = item.about
    volume_uuid = item.volume.uuid
    iops, aggregate = about.read_iops + about.write_iops, item.volume.about.aggregate
    maps = cluster.maps_of[item.uuid]
    record: dict[str, Any] = {
        "uuid": item.uuid,
        "name": item.path,
        "svm": svm_reference(cluster, item.volume.about.svm),
        "location": {
            "logical_unit": about.name,
            "volume": {"uuid": volume_uuid, "name": about.volume, "_links": link(f"storage/volumes/{volume_uuid}")},
        },
        "class": about.kind,
        "os_type": about.os_type,
        "serial_number": cluster.description.serial(about),
        "serial_number_hex": cluster.description.serial(about).encode().hex(),
        "enabled": True,
        "comment": "",
        "auto_delete": False,
        "create_time": LAB_TIME,
        "space": {
            "size": about.size_bytes,
            "used": about.size_bytes // 2,
            "guarantee": {"requested": False, "reserved": False},
            "scsi_thin_provisioning_support_enabled": True,
        },
        "status": {"state": about.state, "container_state": "online", "mapped": bool(maps), "read_only": False},
        "lun_maps": [
            {
                "logical_unit_number": number,
                "igroup": reference(cluster, "protocols/san/igroups", "igroup", group.name),
                "_links": link(f"protocols/san/lun-maps/{item.uuid}/{cluster.uuid('igroup', group.name)}"),
            }
            for group, number in maps
        ],
        "metric": metric(iops, about.latency_us + cluster.excess_us(aggregate)),
        "statistics": statistics(cluster, iops, about.latency_us, cluster.meters[aggregate].excess_us_seconds),
    }
    if item.qos is not None:
        record["qos_policy"] = _policy_reference(item.qos)
    return record


def svm_peer(_cluster: Cluster, _item: object) -> dict[str, Any]:
    """A peer relationship of an SVM; the lab has none."""
    return {}


def igroup(cluster: Cluster, item: IgroupDescription) -> dict[str, Any]:
    """An initiator group."""
    uuid = cluster.uuid("igroup", item.name)
    maps = [(mapped, number) for mapped, group, number in cluster.maps if group.name == item.name]
    return {
        "uuid": uuid,
        "name": item.name,
        "svm": svm_reference(cluster, item.svm),
        "os_type": item.os_type,
        "protocol": item.protocol,
        "initiators": [{"name": name, "_links": link(f"protocols/san/igroups/{uuid}/initiators/{name}")} for name in item.initiators],
        "lun_maps": [{"logical_unit_number": number, "lun": _unit(cluster, mapped)} for mapped, number in maps],
    }


def _unit(cluster: Cluster, item: Lun) -> dict[str, Any]:
    home = next(each.node for each in cluster.description.aggregates if each.name == item.volume.about.aggregate)
    return {"uuid": item.uuid, "name": item.path, "_links": link(f"storage/luns/{item.uuid}"), "node": node_reference(cluster, home)}


def lun_map(cluster: Cluster, item: tuple[Lun, IgroupDescription, int]) -> dict[str, Any]:
    """A LUN map."""
    mapped, group, number = item
    target = reference(cluster, "protocols/san/igroups", "igroup", group.name)
    return {
        "svm": svm_reference(cluster, group.svm),
        "lun": _unit(cluster, mapped),
        "igroup": {**target, "os_type": group.os_type, "protocol": group.protocol, "replicated": False},
        "logical_unit_number": number,
    }


def bindings(cluster: Cluster) -> list[tuple[Lun, Lun]]:
    """Every vVol with each protocol endpoint that it is bound to."""
    by_path = {each.path: each for each in cluster.luns}
    return [(each, by_path[path]) for each in cluster.luns for path in each.about.bound_to]


def binding(cluster: Cluster, item: tuple[Lun, Lun]) -> dict[str, Any]:
    """A vVol binding."""
    vvol, endpoint = item
    return {
        "svm": svm_reference(cluster, vvol.volume.about.svm),
        "vvol": {"uuid": vvol.uuid, "name": vvol.path},
        "protocol_endpoint": {"uuid": endpoint.uuid, "name": endpoint.path},
        "id": int(vvol.uuid[:6], 16),
        "count": 1,
        "is_optimal": True,
    }


def qos_policy(cluster: Cluster, item: QosPolicy) -> dict[str, Any]:
    """A policy group, fixed or adaptive; the max_throughput texts of newer releases are left out."""
    return {
        "uuid": item.uuid,
        "name": item.name,
        "svm": svm_reference(cluster, item.svm),
        "scope": "svm",
        "policy_class": "user_defined",
        "object_count": cluster.members(item),
        "pgid": item.pgid,
        item.kind: dict(item.limits),
        **_burst(cluster, item),
    }


def _burst(cluster: Cluster, item: QosPolicy) -> dict[str, Any]:
    """What a release from 9.19 on says of bursts, 0 where nothing was set (not verified). Source: netapp-ontap, QosPolicyBurst."""
    if tuple(map(int, cluster.description.version.split(".")))[:2] < (9, 19):
        return {}
    percent, seconds = item.burst
    return {"burst": {"percent": percent, "duration": seconds}}


def qos_workloads(cluster: Cluster) -> list[tuple[int, Volume | Lun, QosPolicy]]:
    """Every volume or LUN that a policy limits, with the id of its workload."""
    every: list[Volume | Lun] = [*cluster.volumes, *cluster.luns]
    return [(10000 + place, each, each.qos) for place, each in enumerate(every) if each.qos is not None]


def qos_workload(cluster: Cluster, item: tuple[int, Volume | Lun, QosPolicy]) -> dict[str, Any]:
    """A workload. Its name (the object's, a dash and wid) is as in performance tools; not verified for REST."""
    wid, limited, policy = item
    is_lun = limited.about.__class__.__name__ == "LunDescription"
    return {
        "uuid": cluster.uuid("workload", limited.uuid),
        "name": f"{limited.about.name}-wid{wid}",
        "wid": wid,
        "workload_class": "user_defined",
        "svm": svm_reference(cluster, policy.svm),
        "policy": _policy_reference(policy),
        "volume": getattr(limited.about, "volume", limited.about.name),
    } | ({"lun": getattr(limited, "path", "")} if is_lun else {})


def efficiency_policy(cluster: Cluster, item: EfficiencyPolicy) -> dict[str, Any]:
    """An efficiency policy; fields that are not set are left out."""
    settings = {name: value for name, value in item.settings.items() if value is not None}
    schedule = {} if item.schedule is None else {"schedule": {"name": item.schedule}}
    return {"uuid": item.uuid, "name": item.name, "svm": svm_reference(cluster, item.svm), **settings, **schedule}


def snapmirror_policy(cluster: Cluster, item: SnapMirrorPolicyDescription) -> dict[str, Any]:
    """A SnapMirror policy of the cluster."""
    record = {
        "uuid": cluster.uuid("snapmirror policy", item.name),
        "name": item.name,
        "scope": "cluster",
        "type": item.type,
        "comment": "",
        "throttle": item.throttle,
        "network_compression_enabled": False,
        "create_snapshot_on_source": True,
        "copy_all_source_snapshots": item.name == "MirrorAllSnapshots",
    }
    return record if item.schedule is None else record | {"transfer_schedule": _schedule(cluster, item.schedule)}


def _schedule(cluster: Cluster, name: str) -> dict[str, Any]:
    return reference(cluster, "cluster/schedules", "schedule", name)


def relationship(cluster: Cluster, item: Relationship) -> dict[str, Any]:
    """A SnapMirror relationship; one with its policy's schedule has no `transfer_schedule`."""
    about = item.about
    policy = reference(cluster, "snapmirror/policies", "snapmirror policy", item.policy.name)
    ends: dict[str, Any] = {}
    for end, path, elsewhere in (("source", about.source, about.source_cluster), ("destination", about.destination, None)):
        svm = path.partition(":")[0]
        ends[end] = {"path": path, "svm": {"name": svm, "uuid": cluster.uuid("svm", svm)}}
        if elsewhere is not None:
            ends[end]["cluster"] = {"name": elsewhere, "uuid": cluster.uuid("cluster", elsewhere)}
    record: dict[str, Any] = {
        "uuid": item.uuid,
        **ends,
        "policy": {**policy, "type": item.policy.type},
        "state": about.state,
        "healthy": about.healthy,
        "lag_time": about.lag_time,
        "throttle": item.throttle,
        "restore": False,
        "group_type": "none",
        "backoff_level": "none",
        "last_transfer_type": "update",
        "transfer": {
            "state": about.transfer_state,
            "bytes_transferred": cluster.transfer_bytes(item),
            "total_duration": about.transfer_duration,
            "end_time": about.transfer_ended or LAB_TIME,
        },
    }
    if not about.healthy:
        record["unhealthy_reason"] = [{"code": "6621444", "message": "Transfer failed.", "arguments": []}]
    if item.schedule is not None:
        record["transfer_schedule"] = _schedule(cluster, item.schedule.name)
    return record


def raid_option(_: Cluster, item: RaidOptionDescription) -> dict[str, Any]:
    """A line of `storage raid-options show`. Not verified: option names are documented for 7-mode, columns are the command's."""
    return {"node": item.node, "name": item.name, "value": item.value, "constraint": item.constraint}


def health_alert(_: Cluster, item: HealthAlertDescription) -> dict[str, Any]:
    """A line of `system health alert show`. Source: its output, recorded by SODA's delfin driver; how REST spells it is not verified."""
    return {
        "node": item.node,
        "monitor": item.monitor,
        "alert_id": item.alert_id,
        "alerting_resource": item.resource,
        "perceived_severity": item.severity,
        "probable_cause": item.cause,
        "acknowledge": item.acknowledge,
        "suppress": item.suppress,
    }
