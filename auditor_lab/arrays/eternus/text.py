"""The answers to accounts of other roles: tables and lists in plain text.

Source of every form: text recorded by the SODA project's delfin driver, unless the function names another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor_lab.arrays.eternus import headings
from auditor_lab.arrays.eternus.array import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from auditor_lab.arrays.eternus.array import Array, Volume
    from auditor_lab.arrays.eternus.description import AffinityDescription, GroupDescription, PortDescription

_CONTROLLER_ENCLOSURE = 'Controller Enclosure (2.5")'


_ISCSI_WIDTH = 32  # characters of a name; the rest of it goes into further lines


def status(array: Array, _: Mapping[str, str]) -> list[str]:
    """The state of the array, in one word."""
    return [f"Summary Status  [{array.description.status}]"]


def storage_system_name(array: Array, _: Mapping[str, str]) -> list[str]:
    """The names that its administrators gave it."""
    fields = {"Name": array.description.name, "Installation Site": array.description.installation_site, "Contact": "", "Description": ""}
    return [f"{key:<18}[{value}]" for key, value in fields.items()]


def enclosure_status(array: Array, _: Mapping[str, str]) -> list[str]:
    """Model, serial number and firmware; recorded without `-type`."""
    one = array.description
    fields = {
        "Storage System Name": one.name,
        "Model Upgrade Status": "Not Upgraded",
        "Model Name": one.model_name,
        "Serial Number": one.reported_serial,
        "Device Identification Number": one.device_identification,
        "Status": one.status,
        "Cache Mode": "Write Back Mode",
        "Remote Support": "Not yet Set",
        "Operation Mode": "Normal",
        "CLI Connecting Controller Module": "CM#0",
        "Firmware Version": one.firmware,
    }
    lines = [f" {key:<34}[{value}]" for key, value in fields.items()]
    return ["Enclosure View", *lines, "", f" {_CONTROLLER_ENCLOSURE:<34}[{one.status}]"]


def volumes(array: Array, options: Mapping[str, str]) -> list[str]:
    """Every volume, with its UID only on request.

    Source of the form without UID: a comment in an ETERNUS acceptance test by Toshiba.
    """
    if array.description.early_cli:
        return _early_volumes(array)
    pools = array.pools()
    if options.get("mode") == "uid":
        rows = [
            (*_common(one, pools), "-", "-", one.size_mb, array.description.uid(one.number), "Default") for one in array.volumes.values()
        ]
        return _table(headings.UIDS, "><<<><><><<", rows)
    plain = [(*_common(one, pools), one.size_mb, "Disable") for one in array.volumes.values()]
    return _table(headings.VOLUMES, "><<<><><", plain)


def _common(one: Volume, pools: list[str]) -> tuple[object, ...]:
    return (one.number, one.name, "Available", one.type, pools.index(one.pool), one.pool)


def _early_volumes(array: Array) -> list[str]:
    pools = array.pools()
    lines = []
    for one in array.volumes.values():
        pool = f"{pools.index(one.pool):>3} {one.pool:<16}"
        lines.append(f"{one.number:>4} {one.name:<16} {'Available':<25} {one.type:<9} {'-':>15} {pool} {one.size_mb:>12}")
    return [*headings.EARLY_VOLUMES, *lines]


def host_wwn_names(array: Array, _: Mapping[str, str]) -> list[str]:
    """The FC ports of hosts that the array knows."""
    rows = [
        (number, one.name, one.wwn, one.response_number, one.response)
        for number, one in enumerate(array.description.hosts)
        if not one.iscsi_name
    ]
    return _table(headings.WWNS, "><<><", rows)


def host_iscsi_names(array: Array, _: Mapping[str, str]) -> list[str]:
    """The iSCSI hosts that the array knows; a long name goes on in the next line."""
    lines: list[str] = []
    for number, one in enumerate(array.description.hosts):
        if one.iscsi_name:
            first, rest = one.iscsi_name[:_ISCSI_WIDTH], one.iscsi_name[_ISCSI_WIDTH:]
            lines += _table(headings.ISCSI, "><><<<<", [(number, one.name, one.response_number, one.response, "*", first, "Unlimited")])[3:]
            lines += [" " * 84 + rest[start : start + _ISCSI_WIDTH] for start in range(0, len(rest), _ISCSI_WIDTH)]
    return [*headings.ISCSI, *lines]


def host_groups(array: Array, _: Mapping[str, str]) -> list[str]:
    """The host groups and their hosts; recorded with `-all`."""
    known = [host.name for host in array.description.hosts]
    blocks = []
    for number, group in enumerate(array.description.host_groups):
        hosts = [(known.index(name), name, array.description.hosts[known.index(name)].wwn) for name in group.members]
        head = _table(headings.HOST_GROUP, "><><<", [(number, group.name, 0, "Default", "FC/FCoE")])
        blocks.append([*head, *_table(headings.GROUP_HOSTS, "><<", hosts, indent="  ")])
    return _blocks(blocks)


def fru_ce(_array: Array, _: Mapping[str, str]) -> list[str]:
    """The controller modules; the lines between them are left out."""
    lines: list[str] = []
    for module in ("CM#0", "CM#1"):
        lines += [f"{module} Information", f" {'CPU Status/Status Code':<25} [{'Normal':<12}/ 0xE001]", f" {'Memory Size':<25} [4.0GB]"]
        lines += [f"{module} Internal Parts Status/Status Code", f" {'Memory#0':<25} [{'Normal':<12}/ 0xE001]"]
    return lines


def raid_groups(array: Array, _: Mapping[str, str]) -> list[str]:
    """The RAID groups. Source of the form with a ruler: an ETERNUS acceptance test by Toshiba; of the early one: delfin's driver."""
    rows = [
        (number, name, "RAID5", f"CM#{number % 2}", "Available", size_mb, size_mb // 2)
        for number, name, size_mb in array.pools_of(thin=False)
    ]
    if not array.description.early_cli:
        return _table(headings.RAID_GROUPS, "><<<<>>", rows)
    lines = [f"{row[0]:>3} {row[1]:<16} {row[2]:<7} {row[3]:<8} {row[4]:<23} {row[5]:>14} {row[6]:>14}" for row in rows]
    return [*headings.EARLY_RAID_GROUPS, *lines]


def thin_pro_pools(array: Array, _: Mapping[str, str]) -> list[str]:
    """The thin provisioning pools with `-csv`, some columns left out. Source: a comment of a collector; not recorded."""
    pools = array.pools_of(thin=True)
    return [headings.THIN_POOLS, *(f"{number},{name},Available,Normal,{size_mb},0,RAID5" for number, name, size_mb in pools)]


def mapping(array: Array, _: Mapping[str, str]) -> list[str]:
    """For each port the LUNs that every host sees there; nothing in host affinity mode."""
    return _blocks([_port_luns(array, port) for port in array.description.ports])


def _port_luns(array: Array, port: PortDescription) -> list[str]:
    rows = []
    for lun, name in enumerate(port.luns):
        one = array.by_name(name)
        if one is not None:
            rows.append((lun, one.number, one.name, "Available", one.size_mb))
    return [_mode(port), *(_table(headings.LUNS, ">><<>", rows) if rows else [])]


def lun_groups(array: Array, options: Mapping[str, str]) -> list[str]:
    """The LUN groups, or with `-lg-number` the LUNs of one of them.

    Raises:
        RefusedError: there is no group of that number.
    """
    groups = array.description.lun_groups
    if "lg-number" not in options:
        return _table(headings.LUN_GROUPS, "><<", [(number, group.name, "No") for number, group in enumerate(groups)])
    number = options["lg-number"]
    if not (number.isascii() and number.isdigit()) or int(number) >= len(groups):
        raise RefusedError("0110")
    rows = []
    for lun, name in enumerate(groups[int(number)].members):
        one = array.by_name(name)
        if one is not None:
            rows.append((lun, one.number, one.name, "Available", one.size_mb, "No", array.description.uid(one.number)))
    head = [f"LUN Group No.{int(number)}", f"LUN Group Name   {groups[int(number)].name}"]
    return [*head, *_table(headings.GROUP_LUNS, ">><<><<", rows)]


def host_affinity(array: Array, _: Mapping[str, str]) -> list[str]:
    """The LUN group that each host sees: first the affinities of groups, then those of single ports."""
    described = array.description
    return _blocks(
        [*(_connections(array, one) for one in described.affinities), *(_port_hosts(array, port) for port in described.ports)],
    )


def _connections(array: Array, one: AffinityDescription) -> list[str]:
    described = array.description
    port_number, ports = _group(described.port_groups, one.port_group)
    host_number, hosts = _group(described.host_groups, one.host_group)
    lun_number, _ = _group(described.lun_groups, one.lun_group)
    known = [host.name for host in described.hosts]
    pairs = [(port, known.index(host), host) for port in ports for host in hosts]
    head = _table(headings.GROUPS, "><><><<", [(port_number, one.port_group, host_number, one.host_group, lun_number, one.lun_group, "No")])
    return [*head, *_table(headings.CONNECTIONS, "<><", pairs, indent="  ")]


def _port_hosts(array: Array, port: PortDescription) -> list[str]:
    known = [host.name for host in array.description.hosts]
    rows = [
        (known.index(host), host, _group(array.description.lun_groups, lun_group)[0], lun_group, "No", "-")
        for host, lun_group in port.hosts.items()
    ]
    return [_mode(port), *(_table(headings.PORT_HOSTS, "><><<>", rows) if rows else [])]


def _mode(port: PortDescription) -> str:
    return f"{port.name} (Host Affinity Mode {'Enable' if port.affinity else 'Disable'})"


def _group(groups: tuple[GroupDescription, ...], name: str) -> tuple[int, tuple[str, ...]]:
    """The number and members of the group of that name."""
    return next((number, one.members) for number, one in enumerate(groups) if one.name == name)


def _blocks(blocks: list[list[str]]) -> list[str]:
    """The blocks, with an empty line between two of them."""
    return [line for place, block in enumerate(blocks) for line in ([""] if place else []) + block]


def _table(head: tuple[str, ...], sides: str, rows: Iterable[tuple[object, ...]], indent: str = "") -> list[str]:
    """Lines under `head`, each field as wide as the ruler below it; `sides` holds < or > for each column."""
    widths = [len(dashes) for dashes in head[-1].split()]
    lines = []
    for row in rows:
        fields = [f"{value!s:{side}{width}}" for value, side, width in zip(row, sides, widths, strict=True)]
        lines.append(indent + " ".join(fields).rstrip())
    return [*head, *lines]
