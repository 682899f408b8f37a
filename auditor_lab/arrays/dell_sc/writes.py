"""The calls that change something, and the look-ups they share. A refused call changes nothing."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.dell_sc import records
from auditor_lab.arrays.dell_sc.center import DellScError

if TYPE_CHECKING:
    from auditor_lab.arrays.dell_sc.center import Center, Server, Volume

_SWITCHES = {"readcacheenabled": "read_cache", "writecacheenabled": "write_cache", "compressionenabled": "compression"}


def lacking(kind: str, instance: str) -> DellScError:
    """The error for an instanceId that does not exist."""
    return DellScError(404, f"{kind} {instance} was not found")


def number(center: Center, kind: str, instance: Any) -> int:
    """The number at the end of an instanceId such as "64702.3494"."""
    serial, _, rest = str(instance).partition(".")
    if serial != str(center.description.reported_serial) or not rest.isdecimal():
        raise lacking(kind, str(instance))
    return int(rest)


def volume(center: Center, instance: Any) -> Volume:
    """A volume by its instanceId."""
    volume = center.volumes.get(number(center, "ScVolume", instance))
    if volume is None:
        raise lacking("ScVolume", str(instance))
    return volume


def server(center: Center, instance: Any) -> Server:
    """A server or server cluster by its instanceId."""
    server = center.servers.get(number(center, "ScServer", instance))
    if server is None:
        raise lacking("ScServer", str(instance))
    return server


def profile(center: Center, kind: str, instance: Any, among: Mapping[int, Any]) -> int:
    """The number of a profile by its instanceId."""
    index = number(center, kind, instance)
    if index not in among:
        raise lacking(kind, str(instance))
    return index


def configure_volume(center: Center, instance: str, payload: Any) -> dict[str, Any]:
    """PUT ScVolumeConfiguration: give a volume other profiles, or switch its caches and compression; attributes left out stay.

    Source: cinder's client: a profile is named by its instanceId, null removes the group's QoS profile, and the user preference decides
    whether profiles may be chosen. That a volume cannot be without a QoS profile of its own, that the preference applies to REST clients as
    well, and that unknown attributes are refused, are not verified.
    """
    before = volume(center, instance)
    changed = copy.copy(before)
    for key, value in _attributes(payload).items():
        if key in ("volumeqosprofile", "groupqosprofile"):
            _set_qos(center, changed, key, value)
        elif key == "storageprofile":
            if not center.description.allow_storage_profile_selection:
                raise DellScError(403, "Storage profile selection is not allowed")
            changed.storage_profile = _chosen(center, "ScStorageProfile", value, center.storage_profiles)
        elif key == "replayprofilelist":
            if not isinstance(value, list):
                raise DellScError(400, "ReplayProfileList must be a list")
            changed.replay_profiles = [_chosen(center, "ScReplayProfile", one, center.replay_profiles) for one in value]
        elif key in _SWITCHES:
            if not isinstance(value, bool):
                raise DellScError(400, f"{key} must be true or false")
            setattr(changed, _SWITCHES[key], value)
        else:
            raise DellScError(400, f"ScVolumeConfiguration has no {key}")
    changed.modified = center.now()
    center.volumes[changed.index] = changed
    return records.configuration(center, changed)


def change_qos_profile(center: Center, instance: str, payload: Any) -> dict[str, Any]:
    """PUT ScQosProfile: change limits or priority, and with them every volume that uses it. The attributes are guesses, see qos.py."""
    changed = center.qos_profiles[profile(center, "ScQosProfile", instance, center.qos_profiles)]
    refusal = changed.change(_attributes(payload))
    if refusal is not None:
        raise DellScError(400, refusal)
    return records.qos_profile(center, changed)


def map_to_server(center: Center, instance: str, payload: Any) -> dict[str, Any]:
    """POST ScVolume/{id}/MapToServer: map to a server or cluster; return the mapping profile."""
    one = volume(center, instance)
    return records.mapping_profile(center, one, center.map(one, server(center, _attributes(payload).get("server"))))


def unmap(center: Center, instance: str) -> bool:
    """POST ScVolume/{id}/Unmap: remove every mapping of a volume."""
    volume(center, instance).mappings = []
    return True


def delete_mapping_profile(center: Center, instance: str) -> bool:
    """DELETE ScMappingProfile/{id}."""
    wanted = number(center, "ScMappingProfile", instance)
    for one in center.volumes.values():
        for mapped in one.mappings:
            if mapped.index == wanted:
                center.unmap(one, mapped)
                return True
    raise lacking("ScMappingProfile", instance)


def _attributes(payload: Any) -> dict[str, Any]:
    """A payload by its attributes' names in lower case, because clients write ReplayProfileList and volumeQosProfile."""
    if not isinstance(payload, dict):
        raise DellScError(400, "The request has no payload")
    return {str(name).lower(): value for name, value in payload.items()}


def _chosen(center: Center, kind: str, instance: Any, among: Mapping[int, Any]) -> int:
    try:
        return profile(center, kind, instance, among)
    except DellScError as error:
        raise DellScError(400, f"Invalid {kind} {instance}") from error


def _set_qos(center: Center, changed: Volume, key: str, value: Any) -> None:
    if not center.description.has_qos:
        raise DellScError(400, f"ScVolumeConfiguration has no {key}")
    if not center.description.allow_qos_profile_selection:
        raise DellScError(403, "QoS profile selection is not allowed")
    kind = "group" if key == "groupqosprofile" else "volume"
    if value is None and kind == "group":
        changed.group_qos = None
        return
    chosen = _chosen(center, "ScQosProfile", value, center.qos_profiles)
    if center.qos_profiles[chosen].kind != kind:
        raise DellScError(400, f"ScQosProfile {value} is not a profile for a {kind}")
    if kind == "group":
        changed.group_qos = chosen
    else:
        changed.volume_qos = chosen
