"""One record of an ETERNUS DX to one row of a fact table."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from auditor.endpoints.eternus.qos import BYTES_PER_MB, MODES, Category, Limit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.endpoints.common.records import ParseErrors
    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.eternus.records import Host, Identity, Pool, Volume

FAMILY = "eternus-dx"

_GENERATION = re.compile(r"ET\d\d([2-9])[0-9A-Z]*")
_UID = re.compile(r"[0-9a-f]{32}")
_WORDS = {MODES[0]: "", MODES[1]: ", reads", MODES[2]: ", writes"}


def array_row(identity: Identity, *, by_machine: bool) -> Row:
    """A row of array; accounts that are answered by machine are not told in a known form how it is."""
    return {
        "family": FAMILY,
        "name": identity.name,
        "array_id": identity.serial_number,
        "version": identity.firmware,
        "model": identity.model or None,
        "generation": generation(identity.model),
        "reports_alerts": not by_machine,
    }


def generation(model: str) -> str | None:
    """S2, S3, ..: the fifth character of a model name such as ET203ACU.

    None where it is no such digit: what an S1 calls itself is not known, so it must be declared.

    Source: cinder's Fujitsu driver, `_get_eternus_model`, whose "IdentifyingNumber" is model name and serial number (its tests);
    ET103ACU and ET203ACU are recorded.
    """
    match = _GENERATION.fullmatch(model)
    return f"S{match[1]}" if match else None


def pool_row(pool: Pool) -> Row:
    """A row of array_pool."""
    return {
        "pool_id": pool.id,
        "name": pool.name,
        "node_id": pool.node,
        "raid_type": pool.raid_type,
        "size_bytes": pool.size_bytes,
    }


def policy_id(mode: str, category: int) -> str:
    """As array_qos_policy.policy_id, for example volume-qos/5."""
    return f"{mode}/{category}"


def policy_row(category: Category, mode: str, volumes: int | None) -> Row:
    """A row of array_qos_policy; `volumes` None where not all assignments were understood."""
    limit = category.limits[mode]
    return {
        "policy_id": policy_id(mode, category.number),
        "name": f"category {category.number}{_WORDS[mode]}",
        "kind": "category",
        "max_iops": limit and limit.iops,
        "max_bytes_per_second": _bytes(limit),
        "is_shared": False,
        "is_read": limit is not None and limit.is_whole,
        "raw": json.dumps(dict(enumerate(category.fields))) if category.fields else None,
        "volumes": volumes,
    }


def volume_row(volume: Volume, parse_errors: ParseErrors) -> Row:
    """The columns of array_volume that do not come from QoS. Source of the device's name: docs/domain/arrays.md#device-names."""
    uid = volume.uid.lower() if volume.uid is not None else None
    if uid is not None and not _UID.fullmatch(uid):
        parse_errors.add("the UID", f"volume {volume.number}", f"is {volume.uid!r}, not 32 hexadecimal digits")
        uid = None
    return {
        "volume_id": str(volume.number),
        "name": volume.name,
        "kind": "lun",
        "serial": uid,
        "device": uid and f"naa.{uid}",
        "is_virtual": False,
        "status": volume.status,
        "size_bytes": volume.size_bytes,
        "pool_id": volume.pool,
    }


NO_QOS: Row = {
    "qos_policy_id": None,
    "qos_policy": None,
    "qos_max_iops": None,
    "qos_max_bytes_per_second": None,
    "qos_shared": None,
    "qos_reads_policy_id": None,
    "qos_writes_policy_id": None,
    "qos_read": True,
    "qos_levels_read": True,
}
"""Of a volume of an array without QoS."""

UNKNOWN_QOS: Row = {**NO_QOS, "qos_read": False, "qos_levels_read": False}


def qos_row(assigned: Mapping[str, int | None], table: Mapping[int, Category]) -> Row:
    """The QoS columns of a volume by its categories; category 0 is unlimited, and no policy.

    `qos_read` is false where one of the three limits was not understood, and also where reads or writes have a ceiling of their own, which
    the columns of ceilings cannot hold: views take that from the policies of reads and writes. `qos_levels_read` is false: an array with
    QoS may limit ports, hosts and LUNs, by the time of day too, and switch all of it off; no form of the answers that report it is public.

    Source: ETERNUS Web GUI's help (P2X0-1261), "Port QoS", "Host-LU QoS" ("bandwidth limit on hosts, CA ports, or Host LUNs"; schedules by
    the command line alone; "enabling the QoS mode").
    """
    limits = {mode: None if number is None else _limit(table, mode, number) for mode, number in assigned.items()}
    total, reads, writes = (limits[mode] for mode in MODES)
    ids = {mode: policy_id(mode, number) if number else None for mode, number in assigned.items()}
    return {
        "qos_policy_id": ids[MODES[0]],
        "qos_policy": f"category {assigned[MODES[0]]}" if assigned[MODES[0]] else None,
        "qos_max_iops": total and total.iops,
        "qos_max_bytes_per_second": _bytes(total),
        "qos_shared": False if assigned[MODES[0]] else None,
        "qos_reads_policy_id": ids[MODES[1]],
        "qos_writes_policy_id": ids[MODES[2]],
        "qos_read": total is not None and total.is_whole and all(limit is not None and limit.is_none for limit in (reads, writes)),
        "qos_levels_read": False,
    }


def host_row(host: Host, group: str | None) -> Row:
    """A row of array_host."""
    return {"array_host_id": host.id, "name": host.name, "host_group": group, "host_type": host.response}


def initiator_row(host: Host) -> Row:
    """A row of array_initiator."""
    return {"array_host_id": host.id, "initiator": host.initiator, "kind": host.kind}


def _limit(table: Mapping[int, Category], mode: str, number: int) -> Limit | None:
    return table[number].limits[mode] if number in table else None


def _bytes(limit: Limit | None) -> int | None:
    return limit.mb_per_second * BYTES_PER_MB if limit and limit.mb_per_second is not None else None
