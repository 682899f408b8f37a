"""Jobs of the lab's Element cluster: none, and SnapMirror is not in use; tests alter these answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor_lab.arrays.element.cluster import Cluster


def list_sync_jobs(_cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """Synchronisations under way."""
    return {"syncJobs": []}


def list_bulk_volume_jobs(_cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """Bulk reads and writes of volumes."""
    return {"bulkVolumeJobs": []}


def list_async_results(_cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """Results of asynchronous methods."""
    params.pop("asyncResultTypes", None)
    return {"asyncHandles": []}


def get_feature_status(_cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """Whether a feature is in use."""
    return {"features": [{"enabled": False, "feature": params.pop("feature", "snapMirror")}]}


def list_snap_mirror_relationships(_cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """Relationships with an ONTAP."""
    return {"snapMirrorRelationships": []}
