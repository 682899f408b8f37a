"""One ONTAP record to one row of a fact table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.endpoints.ontap.enumerations import CONTAINER_STATES, COPIES, LUN_KINDS, MEDIA, NODE_STATES, OS_TYPES, SVM_STATES
from auditor.endpoints.ontap.qos import NO_POLICY, NOT_KNOWN, Reference, optional, qos_columns, reference_of
from auditor.facts.volume_states import WAITING_COPY
from auditor.text.addresses import in_short_form

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.ontap.qos import Policy

_PREFIX = "naa.600a0980"
_SERIAL_LENGTH = 12  # ASCII characters
_HEX_SERIAL = re.compile(r"[0-9a-f]{24}")
_UUID = re.compile(r"[0-9a-f]{32}")
_WWPN = re.compile(r"[0-9a-f]{2}(?::[0-9a-f]{2}){7}")


@dataclass(frozen=True, slots=True)
class Container:
    """A FlexVol as what is in it, or copied from it, needs it."""

    uuid: str
    svm: str | None
    name: str | None
    pool_id: str | None
    qos: Reference
    size_bytes: int | None = None
    used_bytes: int | None = None

    @property
    def path(self) -> str:
        """As SnapMirror names it."""
        return f"{self.svm}:{self.name}"


def node_row(node: Record) -> Row:
    """A row of array_node; a node is known by its name, as pools, scrubs and the command line name it."""
    version = optional(node, "version")
    full = optional_text(version, "full")
    return {
        "node_id": node.text("name"),
        "name": node.text("name"),
        "state": node.listed("state", NODE_STATES, needed=True),
        "version": release_of(version) or full,
        "model": node.optional_text("model"),
    }


def address_row(interface: Record) -> Row:
    """A row of array_address; an interface of the cluster has no SVM."""
    ip = interface.inner("ip")
    address = ip and ip.text("address")
    return {
        "address_id": interface.identifier("uuid"),
        "address": address and in_short_form(address),
        "name": interface.text("name"),
        "svm": optional_text(optional(interface, "svm"), "name"),
    }


def release_of(version: Record | None) -> str | None:
    """The release that a version object reports, for example 9.14.1; None without one."""
    if version is None:
        return None
    parts = [version.number(name) for name in ("generation", "major", "minor")]
    return None if None in parts else ".".join(map(str, parts))


def pool_row(pool: Record, rpm: Mapping[str, int], data_disks: Mapping[str, int]) -> Row:
    """A row of array_pool; `rpm` of the slowest disk by aggregate id, `data_disks` by aggregate name.

    Media are reported by the class of the disks and by whether flash caches for them, since storage_type came later (not in 9.9.1).
    """
    storage, space, node = pool.inner("block_storage"), pool.inner("space"), optional(pool, "node")
    primary, block = storage and storage.inner("primary"), space and space.inner("block_storage")
    cache = storage and optional(storage, "hybrid_cache")
    media = MEDIA.get((primary and primary.listed("disk_class", MEDIA)) or "")
    pool_id, name = pool.identifier("uuid"), pool.text("name")
    return {
        "pool_id": pool_id,
        "name": name,
        "node_id": optional_text(node, "name"),
        "media": "mixed" if media == "hdd" and cache and cache.value.get("enabled") is True else media,
        "rpm": rpm.get(pool_id or ""),
        "disks": primary and primary.number("disk_count"),
        "data_disks": data_disks.get(name or ""),
        "raid_type": primary and primary.text("raid_type"),
        "size_bytes": block and block.number("size"),
        "free_bytes": block.number("available") if block and block.value.get("available") is not None else None,
    }


_SERVES = "online"
_ALWAYS_THERE = ("state", "size", "status", "space")


def is_filled(record: Record) -> bool:
    """Whether a volume or LUN has a field that each of them has: what is left out of one that has none may just not have been filled.

    Source: "Getting started with the ONTAP REST API": a record may come with its keys alone where its node does not answer in time.
    """
    return any(record.value.get(name) is not None for name in _ALWAYS_THERE)


def container_of(volume: Record) -> Container:
    """What is kept of a FlexVol; one on several aggregates (a FlexGroup) has no pool of its own."""
    svm, qos = optional(volume, "svm"), optional(volume, "qos")
    aggregates = volume.value.get("aggregates")
    ids = [each.get("uuid") if isinstance(each, dict) else None for each in aggregates] if isinstance(aggregates, list) else []
    if aggregates is not None and not (isinstance(aggregates, list) and all(isinstance(each, str) for each in ids)):
        volume.parse_errors.add("aggregates", volume.label, "is not a list of aggregates with their uuid")
    pool_id = ids[0].lower() if len(ids) == 1 and isinstance(ids[0], str) else None
    reference = reference_of(qos, "policy") if qos else NO_POLICY
    return Container(
        uuid=str(volume.identifier("uuid")),
        svm=optional_text(svm, "name"),
        name=volume.text("name"),
        pool_id=pool_id,
        qos=reference,
        size_bytes=_given(volume, "size"),
        used_bytes=used_of(volume),
    )


def used_of(record: Record) -> int | None:
    """Bytes of a volume or LUN that are used; None where it does not report them."""
    space = optional(record, "space")
    return None if space is None else _given(space, "used")


def _given(record: Record, name: str) -> int | None:
    return None if record.value.get(name) is None else record.number(name)


def share_row(
    volume: Record,
    container: Container,
    svm_qos: Reference,
    policies: Mapping[str, Policy],
    limited_within: Collection[tuple[str, str]] | None,
) -> Row | None:
    """A row of array_volume for a FlexVol that is mounted in its SVM's name space, so that NFS can export it; else None.

    `limited_within` names SVM and FlexVol where qtrees or files have limits of their own; None: not known.
    """
    nas = optional(volume, "nas")
    path = nas.optional_text("path") if nas else None
    if not path and not is_filled(volume):
        volume.parse_errors.add("the record", volume.label, "holds no field that every volume has: whether it is exported is not known")
    if not path:
        return None
    return {
        "volume_id": container.uuid,
        "name": container.name,
        "kind": "share",
        "serial": None,
        "device": None,
        "is_virtual": False,
        "vvol_id": None,
        "status": volume.text("state"),
        "size_bytes": volume.number("size"),
        "used_bytes": container.used_bytes,
        "pool_id": container.pool_id,
        "svm": container.svm,
        "export_path": path,
        **qos_columns(volume, container.qos, (svm_qos,), policies),
        "qos_levels_read": limited_within is not None and (container.svm or "", container.name or "") not in limited_within,
    }


def lun_row(lun: Record, containers: Mapping[str, Container], svm_qos: Mapping[str, Reference], policies: Mapping[str, Policy]) -> Row:
    """A row of array_volume for a LUN of class regular or vvol; `svm_qos` is by the SVM's name.

    Source: docs/domain/arrays.md#device-names; class: netapp-ontap, Lun.
    """
    kind = lun.text("class")
    if kind is not None:
        lun.listed("class", LUN_KINDS)
    virtual = kind == "vvol"
    row = _block_row(lun, containers, svm_qos, policies)
    return row | {
        "kind": LUN_KINDS.get(kind or ""),
        "serial": lun.optional_text("serial_number"),
        "device": None if virtual else device_of(lun),
        "is_virtual": virtual if kind in LUN_KINDS else None,
        "vvol_id": row["volume_id"] if virtual else None,
    }


def namespace_row(
    namespace: Record, containers: Mapping[str, Container], svm_qos: Mapping[str, Reference], policies: Mapping[str, Policy]
) -> Row:
    """A row of array_volume for an NVMe namespace; arguments as of `lun_row`. It has no serial number.

    Hosts name it by a UUID. Source: NetAppDocs/ontap-sanhost, nvme_esxi_8.adoc: "uuid." and 32 digits; that these are those of the
    resource is inferred. One that is another's joins with no device.
    """
    row = _block_row(namespace, containers, svm_qos, policies)
    digits = (row["volume_id"] or "").replace("-", "")
    if row["volume_id"] is not None and not _UUID.fullmatch(digits):
        namespace.parse_errors.add("uuid", namespace.label, "is not 32 hexadecimal digits")
        digits = ""
    return row | {"kind": "namespace", "serial": None, "device": f"uuid.{digits}" if digits else None, "is_virtual": False, "vvol_id": None}


def _block_row(block: Record, containers: Mapping[str, Container], svm_qos: Mapping[str, Reference], policies: Mapping[str, Policy]) -> Row:
    """What a LUN and a namespace have alike: where they lie, how they are, and the policies they are under."""
    svm, space, status = block.inner("svm"), block.inner("space"), block.inner("status")
    volume_id, svm_name = block.identifier("uuid"), svm and svm.text("name")
    within = _container(block, containers)
    own = reference_of(block, "qos_policy") if block.value.get("qos_policy") is not None or is_filled(block) else NOT_KNOWN
    around = (
        within.qos if within else Reference(is_known=False),
        svm_qos.get(svm_name or "", Reference(is_known=False)),
    )
    return {
        "volume_id": volume_id,
        "name": block.text("name"),
        "os_type": block.listed("os_type", OS_TYPES),
        "status": status and _state_within(status),
        "size_bytes": space and space.number("size"),
        "used_bytes": used_of(block),
        "qos_group_size_bytes": within.size_bytes if within and within.qos.is_one else None,
        "qos_group_used_bytes": within.used_bytes if within and within.qos.is_one else None,
        "pool_id": within and within.pool_id,
        "svm": svm_name,
        "export_path": None,
        **qos_columns(block, own, around, policies),
    }


def _state_within(status: Record) -> str | None:
    """The state of a LUN, or of what it is in where only that is not there: nobody gets at it either."""
    state, around = status.text("state"), status.listed("container_state", CONTAINER_STATES)
    return around if state == _SERVES and around else state


def state_in(svm: Record | None, status: str | None) -> str | None:
    """What hosts get of a volume or LUN that reports `status`, by the SVM that it is in; None: its SVM is not known, or not its state.

    An SVM that is there for another one, and is stopped, makes copies that wait of all its volumes.

    Source: netapp-ontap, Svm.state and subtype; ONTAP data protection, "Activate the destination SVM": it is started only then.
    """
    state = None if svm is None else svm.value.get("state")
    if svm is not None and state == "stopped" and svm.value.get("subtype") in COPIES:
        return WAITING_COPY
    if status != _SERVES or state == "running":
        return status
    return f"SVM {state}" if state in SVM_STATES else None


def _container(lun: Record, containers: Mapping[str, Container]) -> Container | None:
    location = lun.inner("location")
    volume = location and location.inner("volume")
    uuid = volume and volume.identifier("uuid")
    if uuid is not None and uuid not in containers:
        lun.parse_errors.add("location.volume", lun.label, "is a volume that storage/volumes did not list")
    return containers.get(uuid or "")


def device_of(lun: Record) -> str | None:
    """The name hosts see a LUN by: the bytes of its serial number, 12 ASCII characters whose case matters."""
    hexadecimal = lun.value.get("serial_number_hex")
    if isinstance(hexadecimal, str) and _HEX_SERIAL.fullmatch(hexadecimal.lower()):
        return f"{_PREFIX}{hexadecimal.lower()}"
    serial = lun.text("serial_number")
    if serial is None:
        return None
    if len(serial) != _SERIAL_LENGTH or not serial.isascii():
        lun.parse_errors.add("serial_number", lun.label, "is not 12 ASCII characters")
        return None
    return f"{_PREFIX}{serial.encode('ascii').hex()}"


def protocol_endpoint_row(lun: Record) -> Row:
    """A row of array_protocol_endpoint: a LUN of class protocol_endpoint."""
    status = lun.inner("status")
    return {
        "protocol_endpoint_id": lun.identifier("uuid"),
        "device": device_of(lun),
        "state": status and status.text("state"),
        "node_id": None,
    }


def binding_row(binding: Record, devices: Mapping[str, str | None]) -> Row:
    """A row of vvol_binding; a binding is known by its two ends. `devices` are those of protocol endpoints by id. Hosts are missing."""
    vvol, endpoint = binding.inner("vvol"), binding.inner("protocol_endpoint")
    vvol_id, endpoint_id = vvol and vvol.identifier("uuid"), endpoint and endpoint.identifier("uuid")
    return {
        "binding_id": f"{vvol_id}/{endpoint_id}" if vvol_id and endpoint_id else None,
        "vvol_id": vvol_id,
        "protocol_endpoint_id": endpoint_id,
        "array_host_id": None,
        "device": devices.get(endpoint_id or ""),
    }


def host_rows(igroup: Record) -> tuple[Row, list[Row]]:
    """A row of array_host, and the rows of array_initiator; of nested groups the outer one lists all initiators.

    Source: netapp-ontap, Igroup: "Initiator groups containing other initiator groups report the aggregated list of initiators".
    """
    host_id = igroup.identifier("uuid")
    host: Row = {
        "array_host_id": host_id,
        "name": igroup.text("name"),
        "host_group": None,
        "host_type": igroup.listed("os_type", OS_TYPES, needed=True),
    }
    listed = igroup.value.get("initiators")
    if listed is not None and not isinstance(listed, list):
        igroup.parse_errors.add("initiators", igroup.label, "is not a list")
    names = [each.get("name") if isinstance(each, dict) else None for each in listed] if isinstance(listed, list) else []
    by_initiator: dict[str, Row] = {}
    for name in names:
        initiator = initiator_of(name) if isinstance(name, str) else None
        if initiator is None:
            igroup.parse_errors.add("initiators", igroup.label, "holds one that is neither an IQN, an EUI nor a WWPN")
            continue
        by_initiator[initiator[0]] = {"array_host_id": host_id, "initiator": initiator[0], "kind": initiator[1]}
    return host, list(by_initiator.values())


def initiator_of(name: str) -> tuple[str, str] | None:
    """An initiator's name as hosts report it, and its kind; None when it is neither."""
    lowered = name.lower()
    if _WWPN.fullmatch(lowered):
        return lowered.replace(":", ""), "fc"
    return (lowered, "iscsi") if lowered.startswith(("iqn.", "eui.", "naa.")) else None


def subsystem_rows(subsystem: Record) -> tuple[Row, list[Row]]:
    """A row of array_host for an NVMe subsystem, and the rows of array_initiator: the names of the hosts that may connect to it."""
    host_id = subsystem.identifier("uuid")
    host: Row = {
        "array_host_id": host_id,
        "name": subsystem.text("name"),
        "host_group": None,
        "host_type": subsystem.listed("os_type", OS_TYPES, needed=True),
    }
    listed = subsystem.value.get("hosts")
    names = [each.get("nqn") if isinstance(each, dict) else None for each in listed] if isinstance(listed, list) else []
    if (listed is not None and not isinstance(listed, list)) or not all(isinstance(name, str) and name for name in names):
        subsystem.parse_errors.add("hosts", subsystem.label, "is not a list of hosts with their names")
    known = dict.fromkeys(name.lower() for name in names if isinstance(name, str) and name)
    return host, [{"array_host_id": host_id, "initiator": name, "kind": "nvme"} for name in known]


def namespace_connection_row(mapping: Record) -> Row:
    """A row of array_connection; a namespace has an id of its own within its subsystem, and no LUN."""
    namespace, subsystem = mapping.inner("namespace"), mapping.inner("subsystem")
    return {
        "volume_id": namespace and namespace.identifier("uuid"),
        "array_host_id": subsystem and subsystem.identifier("uuid"),
        "lun": None,
    }


def connection_row(mapping: Record) -> Row:
    """A row of array_connection. Protocol endpoints are mapped as LUNs are: their volume_id is no array_volume's."""
    lun, igroup = mapping.inner("lun"), mapping.inner("igroup")
    return {
        "volume_id": lun and lun.identifier("uuid"),
        "array_host_id": igroup and igroup.identifier("uuid"),
        "lun": mapping.number("logical_unit_number") if mapping.value.get("logical_unit_number") is not None else None,
    }


def load_row(record: Record, misaligned_ratio: float | None) -> Row:
    """A row of array_volume_load from a `metric`: means of the last 15 seconds, latency in microseconds, throughput in bytes a second.

    Source: netapp-ontap, PerformanceMetric: a status other than "ok" means that some of it was not to be had.
    """
    metric = record.inner("metric")
    if metric is not None and metric.text("status") not in (None, "ok"):
        metric.parse_errors.add("metric.status", metric.label, f"is {str(metric.value['status'])[:40]!r}: its values are not whole")
        metric = None
    totals: dict[str, int | None] = {}
    for name in ("iops", "latency", "throughput"):
        part = metric.inner(name) if metric is not None else None
        totals[name] = part.number("total") if part is not None else None
    iops, throughput = totals["iops"], totals["throughput"]
    return {
        "volume_id": record.identifier("uuid"),
        "average_io_bytes": round(throughput / iops) if iops and throughput is not None else None,
        "actual_iops": iops,
        "latency_us": totals["latency"] if iops else None,  # idle, it reads 0
        "bytes_per_second": throughput,
        "misaligned_ratio": misaligned_ratio,
    }


def optional_text(record: Record | None, name: str) -> str | None:
    """A string of an object that may not be there, or may not have it."""
    return record.optional_text(name) if record is not None else None
