"""What is written to a simulated E-Series array: types and groups of hosts, preferred controllers of volumes.

Source of the requests: netapp_e_host.py, na_santricity_hostgroup.py and na_santricity_volume.py of netappeseries/santricity.
Which answer a real array gives to a request that it refuses is not verified.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.eseries.description import CONTROLLERS, HOST_TYPES
from auditor_lab.arrays.eseries.records import LISTS, NULL_REF, controller_ref, group_ref, host_ref, volume_ref
from auditor_lab.wire import Answer

if TYPE_CHECKING:
    from auditor_lab.arrays.eseries.system import StorageSystem


def written(state: StorageSystem, what: str, key: str | None, body: bytes) -> Any:
    """The object as it is after a POST, or the refusal of it."""
    if state.description.role == "storage.monitor":
        return refusal(403, "forbidden", "The account has not the role storage.admin.")
    try:
        asked = json.loads(body)
    except ValueError:
        asked = None
    if not isinstance(asked, dict):
        return refusal(422, "illegalParam", "The request is not understood.")
    if what == "hosts" and key is not None:
        return _host(state, key, asked)
    if what == "host-groups":
        return _group(state, key, asked)
    if what == "volumes" and key is not None:
        return _volume(state, key, asked)
    return refusal(405, "notAllowed", f"The lab does not change {what}.")


def _host(state: StorageSystem, key: str, asked: dict[str, Any]) -> Any:
    host = next((one for one in state.hosts.values() if host_ref(state, one) == key), None)
    if host is None:
        return refusal(404, "invalidHostRef", "There is no such host.")
    index = asked.get("hostType", {}).get("index", state.host_types[host.name])
    if index not in HOST_TYPES:
        return refusal(422, "invalidHostType", f"There is no host type with index {index}.")
    state.host_types[host.name] = index
    group = asked.get("groupId", asked.get("group"))
    if group is not None:
        name = next((one for one in state.host_groups if group_ref(state, one) == group), None)
        if name is None and group != NULL_REF:
            return refusal(404, "invalidClusterRef", "There is no such host group.")
        state.hosts[host.name] = replace(host, group=name)
    return _one(state, "hosts", key)


def _group(state: StorageSystem, key: str | None, asked: dict[str, Any]) -> Any:
    """A group that is new, or gets the hosts of the request beside its own."""
    name = next((one for one in state.host_groups if group_ref(state, one) == key), None)
    if name is None and key is not None:
        return refusal(404, "invalidClusterRef", "There is no such host group.")
    if name is None:
        name = str(asked.get("name"))
        state.host_groups.append(name)
    for host in list(state.hosts.values()):
        if host_ref(state, host) in asked.get("hosts", []):
            state.hosts[host.name] = replace(host, group=name)
    return _one(state, "host-groups", group_ref(state, name))


def _volume(state: StorageSystem, key: str, asked: dict[str, Any]) -> Any:
    volume = next((one for one in state.volumes.values() if volume_ref(state, one) == key), None)
    if volume is None:
        return refusal(404, "invalidVolumeRef", "There is no such volume.")
    owner = next((letter for letter in CONTROLLERS if controller_ref(letter) == asked.get("owningControllerId")), None)
    cache = asked.get("cacheSettings", {}).get("writeCacheEnable")
    if owner is not None:  # the volume goes there at once; not verified
        volume = replace(volume, preferred=owner, owner=owner)
    if isinstance(cache, bool):
        volume = replace(volume, write_cache="on" if cache else "off")
    state.volumes[volume.name] = volume
    return _one(state, "volumes", key)


def _one(state: StorageSystem, what: str, key: str) -> dict[str, Any]:
    return next(one for one in LISTS[what](state) if one["id"] == key)


def refusal(status: int, code: str, message: str) -> Answer:
    """As CallResponse of santricity-webapi-javasdk; the words are not verified."""
    body = {"errorMessage": message, "localizedMessage": message, "retcode": code, "codeType": "devicemgrerror"}
    return Answer(json.dumps(body).encode(), "application/json", status)
