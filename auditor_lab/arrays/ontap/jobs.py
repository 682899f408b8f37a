"""Records of work in the background: transfers under way, snapshots, jobs of the cluster.

Source: netapp-ontap 9.19.1, SnapmirrorTransfer ("ongoing SnapMirror transfers"), Snapshot ("/api/storage/volumes/*/snapshots"), Job.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.ontap.records import LAB_TIME, svm_reference

if TYPE_CHECKING:
    from auditor_lab.arrays.ontap.cluster import Cluster, Relationship, Volume
    from auditor_lab.arrays.ontap.parts import JobDescription


def transfers(cluster: Cluster) -> list[Relationship]:
    """Every relationship whose transfer is under way."""
    return [
        each for each in cluster.relationships if each.about.transfer_state == "transferring" and cluster.is_here(each.about.destination)
    ]


def transfer(cluster: Cluster, item: Relationship) -> dict[str, Any]:
    """The transfer of a relationship that is under way."""
    about = item.about
    return {
        "uuid": cluster.uuid("transfer", item.uuid),
        "relationship": {"uuid": item.uuid, "destination": {"path": about.destination}},
        "state": about.transfer_state,
        "bytes_transferred": cluster.transfer_bytes(item),
        "total_duration": about.transfer_duration,
        "snapshot": "snapmirror.lab",
        "checkpoint_size": 0,
        "last_updated_time": LAB_TIME,
    }


def snapshots(cluster: Cluster) -> list[tuple[Volume, str]]:
    """Every snapshot: its volume, and when it was taken."""
    return [(volume, taken) for volume in cluster.volumes for taken in volume.about.snapshots]


def snapshot(cluster: Cluster, item: tuple[Volume, str]) -> dict[str, Any]:
    """A snapshot."""
    volume, taken = item
    return {
        "uuid": cluster.uuid("snapshot", volume.uuid, taken),
        "name": f"hourly.{taken}",
        "create_time": taken,
        "volume": {"uuid": volume.uuid, "name": volume.about.name},
        "svm": svm_reference(cluster, volume.about.svm),
        "state": "valid",
    }


def job(cluster: Cluster, item: JobDescription) -> dict[str, Any]:
    """A job as `cluster/jobs` lists it."""
    record: dict[str, Any] = {
        "uuid": cluster.uuid("listed job", item.description, item.start_time),
        "description": item.description,
        "state": item.state,
        "message": "",
        "code": 1 if item.state == "failure" else 0,
        "start_time": item.start_time or LAB_TIME,
    }
    return record if item.end_time is None else record | {"end_time": item.end_time}
