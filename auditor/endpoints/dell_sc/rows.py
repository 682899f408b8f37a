"""One Dell SC record to one row of a fact table.

Attributes are those of cinder's recorded objects, and of what CoprHD's client and the exporters decode; each function names what is not
recorded. Not verified against a real system.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from auditor.endpoints.dell_sc.answers import moment, size_in_bytes
from auditor.endpoints.dell_sc.client import DEFAULT_PROFILE
from auditor.endpoints.dell_sc.qos import GROUP, KINDS, Limits, limits
from auditor.facts.node_states import IS_UP

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row

FIRST_RELEASE_WITH_QOS = 7
"""Source: weekly-geekly 301986: "with the release of Storage Center OS version 7"; a recorded 6.5 has no such attribute."""

_TIERS = ("useTier1Storage", "useTier2Storage", "useTier3Storage")
_TRANSPORTS = {"FibreChannel": "fc", "Iscsi": "iscsi", "Sas": "sas"}  # "Sas" is not recorded
_WWPN = re.compile(r"[0-9a-f]{16}")
_KIB = 1024
_HIGHEST_LUN = 2**31 - 1  # far beyond every LUN that there can be


def node_row(controller: Record) -> Row:
    """A row of array_node. Not recorded: the attributes are those that public scripts select."""
    return {
        "node_id": controller.identifier("instanceId"),
        "name": controller.optional_text("name") or controller.text("instanceName"),
        "state": controller.listed("status", IS_UP["dell-sc"], needed=True),
        "version": controller.optional_text("version"),
        "model": controller.optional_text("model"),
    }


def pool_row(storage_type: Record) -> Row:
    """A row of array_pool: a storage type. Not recorded: CoprHD decodes it. Its size follows what is allocated, and is not asked for."""
    return {
        "pool_id": storage_type.identifier("instanceId"),
        "name": storage_type.optional_text("name") or storage_type.text("instanceName"),
        "raid_type": storage_type.optional_text("redundancy"),
    }


def policy_row(profile: Record, raw: Mapping[str, Any]) -> tuple[Row, Limits]:
    """A row of array_qos_policy with `raw`, the profile as it was answered; and what it limits."""
    profile_type = profile.text("profileType")
    kind = KINDS.get(profile_type or "")
    if profile_type is not None and kind is None:
        profile.parse_errors.add("profileType", profile.label, "is none that is known")
    limits_read = limits(raw, kind)
    if not limits_read.is_read:
        profile.parse_errors.add("limits", profile.label, limits_read.why or "cannot be told without its profileType")
    row: Row = {
        "policy_id": profile.identifier("instanceId"),
        "name": profile.optional_text("name") or profile.text("instanceName"),
        "kind": kind,
        "min_iops": None,
        "max_iops": limits_read.max_iops,
        "burst_iops": None,
        "max_bytes_per_second": limits_read.max_bytes_per_second,
        "priority": limits_read.priority,
        "is_shared": None if kind is None else kind == GROUP,
        "is_read": limits_read.is_read,
        "raw": json.dumps(raw, sort_keys=True),
        "volumes": profile.number("volumeCount") if "volumeCount" in profile.value else None,
    }
    return row, limits_read


def tiers(storage_profile: Record) -> int | None:
    """How many storage tiers a storage profile uses: 1 pins a volume's blocks, with more Data Progression moves them."""
    used = [storage_profile.value.get(name) for name in _TIERS]
    if not all(isinstance(each, bool) for each in used) or not any(used):
        storage_profile.parse_errors.add("useTier1Storage to useTier3Storage", storage_profile.label, "are no switches, or all are off")
        return None
    return used.count(True)


def volume_row(volume: Record) -> Row:
    """A row of array_volume without what its configuration reports.

    vpdId, and not index, is in the device name; deviceId is the name itself (docs/domain/arrays.md#device-names, 6 of 6 records). That
    ScVolume lists no vVols is not verified.
    """
    pool = volume.inner("storageType")
    return {
        "volume_id": volume.identifier("instanceId"),
        "name": volume.text("name"),
        "kind": "lun",
        "serial": volume.optional_text("serialNumber"),
        "device": volume.device("deviceId"),
        "is_virtual": False,
        "vvol_id": None,
        "status": volume.text("status"),
        "size_bytes": size(volume, "configuredSize"),
        "pool_id": pool and pool.identifier("instanceId"),
    }


def configured(configuration: Record | None, profiles: Mapping[str, Limits], tiering: Mapping[str, int | None], *, has_qos: bool) -> Row:
    """The columns of array_volume that an ScVolumeConfiguration reports; None for one that could not be read.

    Args:
        configuration: what the volume was given.
        profiles: of every QoS profile, by its id.
        tiering: of every storage profile, how many tiers it uses, by its id.
        has_qos: whether the Storage Center's release has QoS profiles; one that has not reports none, and nothing is limited.
    """
    storage = configuration and configuration.inner("storageProfile")
    storage_id = storage.identifier("instanceId") if storage else None
    if configuration and storage_id is not None and storage_id not in tiering:
        configuration.parse_errors.add("storageProfile", configuration.label, "is one that ScStorageProfile/GetList did not list")
    return {
        "tiering": storage.text("instanceName") if storage else None,
        "tiers": tiering.get(storage_id or ""),
        **_qos(configuration, profiles, has_qos=has_qos),
    }


def _qos(configuration: Record | None, profiles: Mapping[str, Limits], *, has_qos: bool) -> Row:
    none_there = configuration is not None and not has_qos and "volumeQosProfile" not in configuration.value
    own_id, own = (None, None) if configuration is None or none_there else _profile(configuration, "volumeQosProfile")
    grouped = configuration is not None and configuration.value.get("groupQosProfile") is not None
    group_id, group = _profile(configuration, "groupQosProfile") if configuration and grouped else (None, None)
    for profile_id in (own_id, group_id):
        if configuration is not None and profile_id is not None and profile_id not in profiles:
            configuration.parse_errors.add("QoS profile", configuration.label, "is one that ScQosProfile/GetList did not list")
    limited, by_group = profiles.get(own_id or "", Limits()), profiles.get(group_id or "", Limits())
    given = own != DEFAULT_PROFILE  # the one a volume has when nobody gave it one
    return {
        "qos_policy_id": own_id if given else None,
        "qos_policy": own if given else None,
        "qos_min_iops": None,
        "qos_max_iops": limited.max_iops,
        "qos_burst_iops": None,
        "qos_max_bytes_per_second": limited.max_bytes_per_second,
        "qos_shared": False if given and own is not None else None,
        "qos_priority": limited.priority,
        "qos_group_id": group_id,
        "qos_group": group,
        "qos_group_max_iops": by_group.max_iops,
        "qos_group_max_bytes_per_second": by_group.max_bytes_per_second,
        "qos_read": none_there or (limited.is_read and own is not None and (not grouped or (by_group.is_read and group is not None))),
        "qos_curve": None,
    }


def _profile(configuration: Record, name: str) -> tuple[str | None, str | None]:
    """Id and name of a QoS profile that a volume was given."""
    profile = configuration.inner(name)
    return (profile.identifier("instanceId"), profile.text("instanceName")) if profile else (None, None)


def load_row(volume_id: str, usage: Record) -> Row:
    """A row of array_volume_load. Not recorded: names and types as the exporters decode them.

    Kilobytes are of 1024 (both exporters). Latency is left out: one exporter divides it by 1,000 to get milliseconds, the other takes it
    for milliseconds, and nobody else says which is right.
    """
    average, rate = usage.number("averageKbPerIo"), usage.number("totalKbPerSecond")
    return {
        "volume_id": volume_id,
        "average_io_bytes": average * _KIB if average else None,
        "actual_iops": usage.number("totalIops"),
        "utilization": None,
        "latency_us": None,
        "client_queue_depth": usage.number("ioPending"),
        "bytes_per_second": None if rate is None else rate * _KIB,
    }


def latest(samples: Iterable[Record]) -> Record | None:
    """The newest of a volume's samples, by their time; None when there is none, or their order is not known."""
    listed = list(samples)
    if len(listed) < 2:
        return listed[0] if listed else None
    dated = [(moment(sample.value.get("time")), place) for place, sample in enumerate(listed)]
    if any(when is None for when, _ in dated):
        listed[0].parse_errors.add("time", listed[0].label, "is no date with a time zone, so that its newest sample is not known")
        return None
    return listed[max((when, place) for when, place in dated if when is not None)[1]]


def host_row(server: Record, host_group: str | None) -> Row:
    """A row of array_host: a server that is no cluster."""
    system = server.inner("operatingSystem")
    return {
        "array_host_id": server.identifier("instanceId"),
        "name": server.text("name"),
        "host_group": host_group,
        "host_type": system and system.text("instanceName"),
    }


def initiator_row(hba: Record, host_id: str) -> Row:
    """A row of array_initiator. Source: recorded HBAs, whose name is an IQN or a WWPN, and whose iscsiName is empty."""
    port_type = hba.text("portType")
    kind = _TRANSPORTS.get(port_type or "")
    if port_type is not None and kind is None:
        hba.parse_errors.add("portType", hba.label, "is none that is known")
    name = (hba.optional_text("iscsiName") or hba.text("name") or "").lower()
    if kind in ("fc", "sas"):
        name = name.replace(":", "")
    if not (_WWPN.fullmatch(name) if kind in ("fc", "sas") else name.startswith(("iqn.", "eui.", "naa."))):
        hba.parse_errors.add("name", hba.label, "is no initiator's name")
        name = ""
    return {"array_host_id": host_id, "initiator": name or None, "kind": kind}


def luns(mapping: Record) -> list[int | None]:
    """The LUNs a mapping profile uses; [None] when it reports none."""
    luns_used = mapping.value.get("lunUsed")
    if not isinstance(luns_used, list) or not all(type(lun) is int and 0 <= lun <= _HIGHEST_LUN for lun in luns_used):
        mapping.parse_errors.add("lunUsed", mapping.label, "is not a list of LUNs")
        return [None]
    return list(dict.fromkeys(luns_used)) or [None]


def size(record: Record, name: str) -> int | None:
    """A size in bytes."""
    size_bytes = size_in_bytes(record.value.get(name))
    if size_bytes is None:
        record.parse_errors.add(f"{record.prefix}{name}", record.label, "is no size" if name in record.value else "is missing")
    return size_bytes
