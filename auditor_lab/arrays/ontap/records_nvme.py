"""Records of NVMe namespaces, and of the subsystems by which hosts reach them.

Source: the printed results and field definitions of the vendor's Python client 9.19.1, NvmeNamespace, NvmeSubsystem, NvmeSubsystemMap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.ontap.records import LAB_TIME, link, metric, reference, svm_reference

if TYPE_CHECKING:
    from auditor_lab.arrays.ontap.cluster import Cluster
    from auditor_lab.arrays.ontap.parts import NamespaceDescription, SubsystemDescription


def namespace(cluster: Cluster, item: NamespaceDescription) -> dict[str, Any]:
    """A namespace; it has no QoS policy of its own in the lab."""
    volume = next(each for each in cluster.volumes if each.about.name == item.volume)
    return {
        **_named(cluster, item),
        "svm": svm_reference(cluster, volume.about.svm),
        "location": {
            "namespace": item.name,
            "volume": {"uuid": volume.uuid, "name": item.volume, "_links": link(f"storage/volumes/{volume.uuid}")},
        },
        "os_type": item.os_type,
        "enabled": True,
        "comment": "",
        "auto_delete": False,
        "create_time": LAB_TIME,
        "space": {"size": item.size_bytes, "used": item.size_bytes // 2, "block_size": 512},
        "status": {"state": "online", "container_state": "online", "mapped": item.subsystem is not None, "read_only": False},
        "metric": metric(item.iops, item.latency_us),
    }


def subsystem(cluster: Cluster, item: SubsystemDescription) -> dict[str, Any]:
    """A subsystem with its hosts."""
    uuid = cluster.uuid("subsystem", item.name)
    return {
        "uuid": uuid,
        "name": item.name,
        "svm": svm_reference(cluster, item.svm),
        "os_type": item.os_type,
        "hosts": [{"nqn": name, "_links": link(f"protocols/nvme/subsystems/{uuid}/hosts/{name}")} for name in item.hosts],
    }


def maps(cluster: Cluster) -> list[tuple[NamespaceDescription, SubsystemDescription]]:
    """Every namespace with the subsystem that it is mapped to."""
    named = {each.name: each for each in cluster.description.subsystems}
    return [(each, named[each.subsystem]) for each in cluster.description.namespaces if each.subsystem is not None]


def subsystem_map(cluster: Cluster, item: tuple[NamespaceDescription, SubsystemDescription]) -> dict[str, Any]:
    """A map of a namespace to a subsystem."""
    mapped, group = item
    return {
        "svm": svm_reference(cluster, group.svm),
        "namespace": _named(cluster, mapped),
        "subsystem": reference(cluster, "protocols/nvme/subsystems", "subsystem", group.name),
        "nsid": "00000001h",
    }


def _named(cluster: Cluster, item: NamespaceDescription) -> dict[str, Any]:
    return {"uuid": cluster.uuid("namespace", item.volume, item.name), "name": f"/vol/{item.volume}/{item.name}"}
