"""The answers to accounts of the role Software: lines of tab-separated fields, numbers in hexadecimal.

The lines follow the status line; a prompt follows them. A field is filled where the recordings show its meaning; other fields hold the
recorded value, which means nothing. Source of every form: the answers that Fujitsu wrote for the tests of its cinder driver; of hosts, LUN
groups and thin pools, those of its OpenSDS driver. The count in the first line of `show volumes` and `show users` is not verified: the
recordings have another number there than they have rows, except those of the OpenSDS driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor_lab.arrays.eternus.array import KINDS, RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor_lab.arrays.eternus.array import Array, Volume

_BLOCKS_PER_MB = 2048  # of 512 bytes. Source: cinder's Fujitsu driver, `_show_pool_provision`
_AVAILABLE = "A001"
_TYPES = {"TPV": "0B"}  # recorded; that other types are 00 is not verified
_UNKNOWN_BEFORE_UID = ("00", "00", "00000000", "0050", "FF", "00", "FF", "FF", "20", "FF", "FFFF", "00")
_UNKNOWN_OF_POOLS = ("01", "5A", "4B", "00", "00", "00", "0000000000200000", "00000001", "FF", "01")
_UNKNOWN_AFTER_UID = ("00", "00", "FF", "FF", "FFFFFFFF", "00", "00", "FF")


def enclosure_status(array: Array, _: Mapping[str, str]) -> list[str]:
    """One record of the array, with the firmware in its twelfth field, then the enclosures after their count."""
    one = array.description
    identity = (one.name, "01", one.model_name, one.reported_serial, one.device_identification)
    record = _line(*identity, "20", "00", "00", "01", "02", "01001000", one.firmware, "91")
    return [record, "02", _line("70000000", "30"), _line("D0000100", "30")]


def volumes(array: Array, _: Mapping[str, str]) -> list[str]:
    """Every volume with pool, size in blocks and UID; that `-mode` changes nothing here is not verified."""
    pools = array.pools()
    return [f"{len(array.volumes):04X}", *(_volume(array, one, pools.index(one.pool)) for one in array.volumes.values())]


def _volume(array: Array, one: Volume, pool: int) -> str:
    known = (f"{one.number:04X}", one.name, _AVAILABLE, _TYPES.get(one.type, "00"), "00", f"{pool:04X}", one.pool)
    size = f"{one.size_mb * _BLOCKS_PER_MB:016X}"
    return _line(*known, size, *_UNKNOWN_BEFORE_UID, array.description.uid(one.number), *_UNKNOWN_AFTER_UID)


def host_wwn_names(array: Array, _: Mapping[str, str]) -> list[str]:
    """The FC ports of hosts, with number and name of their host response."""
    rows = [
        _line(f"{number:04X}", one.name, one.wwn.upper(), f"{one.response_number:04X}", one.response)
        for number, one in enumerate(array.description.hosts)
        if not one.iscsi_name
    ]
    return [f"{len(rows):04X}", *rows]


def host_iscsi_names(array: Array, _: Mapping[str, str]) -> list[str]:
    """The iSCSI hosts; that an address of zeros means any is not verified."""
    rows = [
        _line(f"{number:04X}", one.name, f"{one.response_number:02X}", one.response, "00000000", one.iscsi_name, "00")
        for number, one in enumerate(array.description.hosts)
        if one.iscsi_name
    ]
    return [f"{len(rows):04X}", *rows]


def lun_groups(array: Array, options: Mapping[str, str]) -> list[str]:
    """The LUN groups, or with `-lg-number` one of them and its LUNs.

    Raises:
        RefusedError: there is no group of that number.
    """
    groups = [(_line(f"{number:04X}", one.name, "FFFF", "FFFF"), one) for number, one in enumerate(array.description.lun_groups)]
    if "lg-number" not in options:
        return [f"{len(groups):04X}", *(line for line, _ in groups)]
    number = options["lg-number"]
    if not (number.isascii() and number.isdigit()) or int(number) >= len(groups):
        raise RefusedError("0110")
    line, group = groups[int(number)]
    rows = []
    for lun, name in enumerate(group.members):
        one = array.by_name(name)
        if one is not None:
            size = f"{one.size_mb * _BLOCKS_PER_MB:016X}"
            rows.append(_line(f"{lun:04X}", f"{one.number:04X}", one.name, "A000", "20", size, array.description.uid(one.number)))
    return ["0001", line, f"{len(rows):04X}", *rows]


def thin_pro_pools(array: Array, _: Mapping[str, str]) -> list[str]:
    """The thin provisioning pools, after a line with the space that is left; the meaning of the fields behind the sizes is not known."""
    rows = []
    for number, name, size_mb in array.pools_of(thin=True):
        size = f"{size_mb * _BLOCKS_PER_MB:016X}"
        rows.append(_line(f"{number:04X}", name, "01", "00", "04", "0010", size, "0" * 16, *_UNKNOWN_OF_POOLS))
    return ["0" * 8, f"{len(rows):04X}", *rows]


def volume_qos(array: Array, _: Mapping[str, str]) -> list[str]:
    """Each volume's categories: total, read and write; before V11L30 total alone, and an empty field."""
    rows = []
    for one in array.volumes.values():
        total, read, write = (f"{one.categories[kind]:02X}" for kind in KINDS)
        categories = (total, read, write) if array.description.has_qos_table else (total, "")
        rows.append(_line(f"{one.number:04X}", one.name, *categories))
    return [f"{len(rows):04X}" if array.description.has_qos_table else f"{len(rows):04X}\t", *rows]


def qos_bandwidth_limit(array: Array, _: Mapping[str, str]) -> list[str]:
    """The category table: IOPS and MB/s of all I/O, reads and writes; the meaning of six more recorded fields is not known."""
    rows = []
    for number, limits in array.table.items():
        pairs = [f"{value:08x}" for kind in KINDS for value in (limits[kind].iops, limits[kind].mb_per_second)]
        rows.append(_line(f"{number:02x}", *pairs, *["0000ffff"] * 6))
    return [f"{len(rows):04X}\t", *rows]


def _line(*fields: str) -> str:
    return "\t".join(fields)
