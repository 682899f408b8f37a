"""The NAS servers of a simulated PowerStore, with their interfaces, file systems and exports, as its REST API has them.

Source: as `records`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor_lab.arrays.powerstore.description import PowerStoreDescription


def nas_servers(about: PowerStoreDescription) -> list[dict[str, Any]]:
    """All NAS servers."""
    ports, systems = interfaces(about), file_systems(about)
    return [
        {
            "id": about.derived_id("nas", one.name),
            "name": one.name,
            "operational_status": "Started",
            "is_production_mode_enabled": True,
            "is_dr_test": False,
            "performance_policy_id": about.derived_id("file policy", one.name) if one.file_policy else None,
            "file_interfaces": [
                {"id": each["id"], "name": each["name"], "ip_address": each["ip_address"]}
                for each in ports
                if each["nas_server_id"] == about.derived_id("nas", one.name)
            ],
            "file_systems": [
                {"id": each["id"], "name": each["name"]} for each in systems if each["nas_server_id"] == about.derived_id("nas", one.name)
            ],
        }
        for one in about.nas_servers
    ]


def interfaces(about: PowerStoreDescription) -> list[dict[str, Any]]:
    """All interfaces of NAS servers: those of production, also disabled ones, and of backups."""
    given = [
        (server, address, role, is_disabled)
        for server in about.nas_servers
        for addresses, role, is_disabled in (
            (server.addresses, "Production", False),
            (server.disabled_addresses, "Production", True),
            ((server.backup_address,) if server.backup_address else (), "Backup", False),
        )
        for address in addresses
    ]
    return [
        {
            "id": about.derived_id("interface", address),
            "name": f"{server.name}-{address}",
            "nas_server_id": about.derived_id("nas", server.name),
            "ip_address": address,
            "role": role,
            "is_disabled": is_disabled,
        }
        for server, address, role, is_disabled in given
    ]


def file_systems(about: PowerStoreDescription) -> list[dict[str, Any]]:
    """All file systems and snapshots of some."""
    return [system for system, _ in _exported(about)]


def exports(about: PowerStoreDescription) -> list[dict[str, Any]]:
    """The NFS export of each file system and snapshot."""
    return [export for _, export in _exported(about)]


def _exported(about: PowerStoreDescription) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each file system, or snapshot of one, and its export."""
    found = []
    for server in about.nas_servers:
        for one in server.exports:
            for number in range(-1, one.snapshots):
                name = one.name if number < 0 else f"{one.name}.{number}"
                system = {
                    "id": about.derived_id("file system", name),
                    "name": name,
                    "filesystem_type": "Primary" if number < 0 else "Snapshot",
                    "size_total": one.size_bytes,
                    "nas_server_id": about.derived_id("nas", server.name),
                    "nas_server": {"id": about.derived_id("nas", server.name), "name": server.name},
                    "performance_policy_id": about.derived_id("file policy", name) if one.file_policy else None,
                }
                held = {key: system[key] for key in ("id", "name", "filesystem_type", "nas_server")}
                export = {"id": about.derived_id("export", name), "name": name, "path": one.path or f"/{name}"}
                found.append((system, {**export, "file_system_id": system["id"], "file_system": held}))
    return found
