"""NAS servers of a PowerStore: the addresses that hosts mount NFS exports by, and the exports, as shares.

Hosts mount ADDRESS:/NAME, as the vendor's own driver does. An export also has a path inside its file system; whether it can be mounted by
that as well, where it is not "/" and the name, is in no source: such a mount is of the PowerStore, and of none of its exports.

Source: the OpenAPI definitions (nas_server, file_interface, file_system, nfs_export; since 1.0); dell/csi-powerstore,
pkg/controller/publisher.go. Not verified on an array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.powerstore.enumerations import FILE_SYSTEMS, INTERFACE_ROLES
from auditor.facts.volume_states import WAITING_COPY
from auditor.text.addresses import in_short_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from auditor.endpoints.common.records import ParseErrors, Record
    from auditor.endpoints.common.topics import Row

FILE_QOS_SINCE = (4, 1)
"""The release that added performance_policy_id of NAS servers and file systems. Source: the definitions."""
MODE_SINCE, TEST_SINCE = (3, 0), (3, 6)
"""The releases that added nas_server.is_production_mode_enabled and is_dr_test. Source: the definitions."""

INTERFACE_FIELDS = "id,name,nas_server_id,ip_address,role,is_disabled"
EXPORT_FIELDS = "id,name,file_system_id"

_NO_QOS = (
    *("qos_policy_id", "qos_policy", "qos_max_iops", "qos_burst_iops", "qos_max_bytes_per_second", "qos_shared", "qos_priority"),
    *("qos_group_id", "qos_group", "qos_group_max_iops", "qos_group_max_bytes_per_second"),
)


def fields_of(names: str, *, has_qos: bool) -> str:
    """The fields to ask for of a NAS server or a file system."""
    return f"{names},performance_policy_id" if has_qos else names


def _is_destination(server: Record | None) -> bool:
    """Whether a NAS server waits for another one, under its addresses: its file systems "are all unmounted and so not directly accessible".

    Source: the definitions, nas_server_instance.is_production_mode_enabled.
    """
    return server is not None and server.value.get("is_production_mode_enabled") is False


def address_rows(interfaces: Iterable[Record], servers: Mapping[str, Record]) -> list[Row]:
    """Rows of array_address: interfaces for hosts that are in use; those for backups are left out.

    Likewise those of a NAS server that waits for another one, and of a clone for a disaster recovery test: both may have the addresses of
    the other one, on another cluster. Source: the definitions, file_interface_instance.is_dr_test, "can operate with same IP address(es)".
    """
    rows: list[Row] = []
    for interface in interfaces:
        if interface.listed("role", INTERFACE_ROLES, needed=True) == "Backup" or interface.value.get("is_disabled") is True:
            continue
        server = servers.get(interface.identifier("nas_server_id") or "")
        if _is_destination(server) or (server is not None and server.value.get("is_dr_test") is True):
            continue
        address = interface.text("ip_address")
        rows.append(
            {
                "address_id": interface.identifier("id"),
                "address": address and in_short_form(address),
                "name": interface.optional_text("name"),
                "svm": _server_of(interface, servers),
            }
        )
    return rows


def share_rows(
    exports: Iterable[Record], systems: Mapping[str, Record], servers: Mapping[str, Record], parse_errors: ParseErrors, *, has_qos: bool
) -> list[Row]:
    """Rows of array_volume of the kind share: a row for each export of a file system, and none for one of a snapshot.

    A file system may have a limit of its own and share that of its NAS server, in MB/s. Whether these are of 1,000 or 1,024 KB, and how
    both add up, is in no source: where there is one, QoS is not read.
    """
    rows: list[Row] = []
    for export in exports:
        system = systems.get(export.identifier("file_system_id") or "")
        if system is None:
            parse_errors.add("file_system_id", export.label, "is one that it did not list")
            continue
        if system.listed("filesystem_type", FILE_SYSTEMS, needed=True) == "Snapshot":
            continue
        name, server = export.text("name"), servers.get(system.identifier("nas_server_id") or "")
        policies = [one is None or one.value.get("performance_policy_id") is not None for one in (system, server)] if has_qos else []
        rows.append(
            {
                "volume_id": export.identifier("id"),
                "name": name,
                "kind": "share",
                "serial": None,
                "size_bytes": system.number("size_total"),
                "pool_id": None,
                "device": None,
                "is_virtual": False,
                "vvol_id": None,
                "status": WAITING_COPY if _is_destination(server) else None,
                "pod": None,
                "copy_of": None,
                "svm": _server_of(system, servers),
                "export_path": name and f"/{name}",
                **dict.fromkeys(_NO_QOS),
                "qos_read": not any(policies),
                "qos_levels_read": True,
            }
        )
    return rows


def _server_of(record: Record, servers: Mapping[str, Record]) -> str | None:
    """The name of the NAS server of an interface or a file system."""
    server = servers.get(record.identifier("nas_server_id") or "")
    if server is None:
        record.parse_errors.add("nas_server_id", record.label, "is one that it did not list")
        return None
    return server.text("name")
