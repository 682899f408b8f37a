"""A fleet of a vCenter and an array, of which parts can be lost."""

from collections.abc import Callable

from auditor.facts.schema import ARRAY_TOPICS, HOST_TOPICS, VCENTER_TOPICS
from auditor.model import EndpointKind

from .fleets import Facts, Rows

PE = [f"naa.6f47acc20000000{n}{b'sfp1'.hex()}00000000" for n in (1, 2)]
CURVE = '{"4096":100,"8192":160,"262144":3900,"524288":7600}'


def facts() -> Facts:
    """Two hosts of one cluster that see both protocol endpoints of a two-node Element cluster; everything read."""
    hosts: Rows = [{"host_id": f"host-{n}", "name": f"esx-{n}", "cluster_id": "c1", "cluster": "gold"} for n in (1, 2)]
    per_device: Rows = [{"host_id": h["host_id"], "device": pe} for h in hosts for pe in PE]
    readings: Rows = [{"scope": h["host_id"], "topic": t, "complete": True} for h in hosts for t in HOST_TOPICS]
    readings += [{"scope": "", "topic": t, "complete": True} for t in VCENTER_TOPICS]
    readings += [{"endpoint": "sf", "scope": "", "topic": t, "complete": True} for t in ARRAY_TOPICS[EndpointKind.ELEMENT]]
    return {
        "reading": readings,
        "host": hosts,
        "host_option": [
            {"host_id": h["host_id"], "key": key, "value": "1", "value_type": "long"}
            for h in hosts
            for key in (
                "DataMover.HardwareAcceleratedMove",
                "DataMover.HardwareAcceleratedInit",
                "VMFS3.HardwareAcceleratedLocking",
                "VMFS3.UseATSForHBOnVMFS5",
            )
        ],
        "hba": [{"host_id": h["host_id"], "hba": "vmhba64", "driver": "iscsi_vmk", "kind": "iscsi"} for h in hosts],
        "host_module": [
            {"host_id": h["host_id"], "module": "iscsi_vmk", "loaded": True, "option_string": "iscsivmk_LunQDepth=256"} for h in hosts
        ],
        "host_module_parameter": [
            {"host_id": h["host_id"], "module": "iscsi_vmk", "name": name}
            for h in hosts
            for name in ("iscsivmk_LunQDepth", "iscsivmk_HostQDepth")
        ],
        "device": [
            {**d, "vendor": "SolidFir", "model": "SSD SAN", "device_type": "disk", "is_protocol_endpoint": True, "queue_depth": 256}
            for d in per_device
        ],
        "device_scheduling": [{**d, "dsnro": 256} for d in per_device],
        "path": [{**d, "hba": "vmhba64", "path": "p", "state": "active"} for d in per_device],
        "datastore": [{"datastore_id": "ds-1", "name": "vvols", "type": "VVOL"}],
        "vvol_mount": [{**d, "datastore_id": "ds-1"} for d in per_device],
        "vm": [
            {
                "vm_id": "vm-1",
                "name": "db",
                "host_id": "host-1",
                "is_template": False,
                "disks_read": True,
                "power_state": "poweredOn",
                "guest_id": "windows2019srv_64Guest",
                "running_guest_id": "",
            }
        ],
        "vm_disk": [{"vm_id": "vm-1", "disk": "Hard disk 1", "datastore_id": "ds-1", "controller": "pvscsi"}],
        "array": [{"endpoint": "sf", "family": "solidfire", "name": "sf"}],
        "array_node": [
            {"endpoint": "sf", "node_id": str(n), "state": "active", "role": "Storage", "is_fibre_channel": False} for n in (1, 2)
        ],
        "array_protocol_endpoint": [{"endpoint": "sf", "protocol_endpoint_id": pe, "device": pe, "state": "Active"} for pe in PE],
        "array_volume": [
            {
                "endpoint": "sf",
                "volume_id": "7",
                "name": "bronze",
                "kind": "vvol",
                "is_virtual": True,
                "qos_max_iops": 1000,
                "qos_burst_iops": 2000,
                "qos_read": True,
                "qos_curve": CURVE,
            }
        ],
        "array_volume_load": [{"endpoint": "sf", "volume_id": "7", "average_io_bytes": 524288}],
    }


def without_topic(given: Facts, topic: str, scope: str | None = None) -> None:
    for row in given["reading"]:
        if row["topic"] == topic and scope in (None, row["scope"]):
            row["complete"] = False


def lose(table: str) -> Callable[[Facts], None]:
    return lambda given: given.update({table: []})


def lose_topic(topic: str) -> Callable[[Facts], None]:
    return lambda given: without_topic(given, topic)
