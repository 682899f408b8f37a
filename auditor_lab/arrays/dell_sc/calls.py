"""The calls of a Storage Center, and the functions that answer them.

A call is GET, PUT, POST or DELETE on StorageCenter/<Class>, on one object of it, or on something that belongs to such an object. Source:
the calls of cinder's client and of public exporters. Classes of this API that are in no table here answer 404.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.dell_sc import records, surroundings, writes
from auditor_lab.arrays.dell_sc.center import Center, DellScError
from auditor_lab.arrays.dell_sc.filtering import chosen
from auditor_lab.arrays.dell_sc.usage import io_usage, latest_io_usage

if TYPE_CHECKING:
    from auditor_lab.arrays.dell_sc.center import Port, Server, Volume

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One call: StorageCenter/`kind`[/`instance`][/`name`]; missing parts are empty strings."""

    method: str
    kind: str
    instance: str
    name: str
    payload: Any

    @property
    def operation(self) -> str:
        """Its name in faults and in the list of requests: "ScVolume/GetList", "PUT ScVolumeConfiguration"."""
        return f"{self.kind}/{self.name}" if self.name else f"{self.method} {self.kind}"

    @property
    def writes(self) -> bool:
        """Whether it changes something."""
        return self.method in ("PUT", "DELETE") or (self.method == "POST" and not self.name.startswith("Get"))


def parse_call(method: str, parts: list[str], payload: Any) -> Call:
    """The call of a method on a path below StorageCenter/; `parts` has at least one entry."""
    kind, *rest = parts
    if method == "POST" and rest == ["GetList"]:
        return Call(method, kind, "", "GetList", payload)
    instance, name = (*rest, "", "")[:2]
    return Call(method, kind, instance, name if len(rest) < 3 else "/".join(rest[1:]), payload)


def _volumes(center: Center, build: Callable[[Center, Volume], Record]) -> list[Record]:
    return [build(center, volume) for volume in center.volumes.values()]


def _servers(center: Center, *, physical: bool, clusters: bool) -> list[Record]:
    wanted = [one for one in center.servers.values() if (physical if one.description else clusters)]
    return [surroundings.server(center, one) for one in wanted]


def _mapping_profiles(center: Center) -> list[Record]:
    return [records.mapping_profile(center, volume, one) for volume in center.volumes.values() for one in volume.mappings]


def _mappings(center: Center) -> list[Record]:
    return [each for volume in center.volumes.values() for one in volume.mappings for each in records.mappings(center, volume, one)]


def _fault_domains(center: Center) -> list[Record]:
    names = dict.fromkeys(port.description.fault_domain for port in center.ports if port.description.transport == "iscsi")
    return [surroundings.iscsi_fault_domain(center, name) for name in names]


def _operating_systems(center: Center) -> list[Record]:
    names = dict.fromkeys(one.description.operating_system for one in center.servers.values() if one.description)
    return [surroundings.operating_system(center, name) for name in names]


COLLECTIONS: Mapping[str, Callable[[Center], list[Record]]] = {
    "StorageCenter": lambda center: [surroundings.storage_center(center)],
    "ScConfiguration": lambda center: [surroundings.configuration(center)],
    "ScController": lambda center: [surroundings.controller(center, place + 1) for place in range(center.description.controllers)],
    "ScControllerPort": lambda center: [surroundings.port(center, port) for port in center.ports],
    "ScIscsiFaultDomain": _fault_domains,
    "ScMapping": _mappings,
    "ScMappingProfile": _mapping_profiles,
    "ScPhysicalServer": partial(_servers, physical=True, clusters=False),
    "ScQosProfile": lambda center: [records.qos_profile(center, one) for one in center.qos_profiles.values()],
    "ScReplayProfile": lambda center: [records.replay_profile(center, place) for place in center.replay_profiles],
    "ScServer": partial(_servers, physical=True, clusters=True),
    "ScServerCluster": partial(_servers, physical=False, clusters=True),
    "ScServerHba": lambda center: [surroundings.hba(center, hba) for hba in center.hbas.values()],
    "ScServerOperatingSystem": _operating_systems,
    "ScStorageProfile": lambda center: [records.storage_profile(center, place) for place in center.storage_profiles],
    "ScStorageType": lambda center: [surroundings.storage_type(center)],
    "ScVolume": partial(_volumes, build=records.volume),
    "ScVolumeConfiguration": partial(_volumes, build=records.configuration),
}


def _of_center(build: Callable[[Center], Any]) -> Callable[[Center, Call], Any]:
    def answer(center: Center, call: Call) -> Any:
        if call.instance != str(center.description.reported_serial):
            raise writes.lacking(call.kind, call.instance)
        return build(center)

    return answer


def _of_volume(build: Callable[[Center, Volume], Any]) -> Callable[[Center, Call], Any]:
    return lambda center, call: build(center, writes.volume(center, call.instance))


def _of_server(build: Callable[[Center, Server], Any]) -> Callable[[Center, Call], Any]:
    return lambda center, call: build(center, writes.server(center, call.instance))


def _of_port(build: Callable[[Center, Port], Any]) -> Callable[[Center, Call], Any]:
    def answer(center: Center, call: Call) -> Any:
        for port in center.ports:
            if surroundings.port(center, port)["instanceId"] == call.instance:
                return build(center, port)
        raise writes.lacking(call.kind, call.instance)

    return answer


def _volume_mappings(center: Center, volume: Volume) -> list[Record]:
    return [each for profile in volume.mappings for each in records.mappings(center, volume, profile)]


def _server_mappings(center: Center, server: Server) -> list[Record]:
    reached = [(volume, one) for volume in center.volumes.values() for one in volume.mappings if server in (one.server, one.via)]
    return [each for volume, one in reached for each in records.mappings(center, volume, one)]


_HBAS = _of_server(lambda center, server: [surroundings.hba(center, hba) for hba in center.hbas_of(server)])
_MAPPINGS_OF_SERVER = _of_server(_server_mappings)

ON_AN_OBJECT: Mapping[str, Callable[[Center, Call], Any]] = {
    "GET StorageCenter/ActiveAlertList": _of_center(surroundings.alerts),
    "GET StorageCenter/StorageUsage": _of_center(surroundings.storage_usage),
    "GET StorageCenter/UserPreferences": _of_center(surroundings.user_preferences),
    "GET StorageCenter/ControllerList": _of_center(COLLECTIONS["ScController"]),
    "GET StorageCenter/ControllerPortList": _of_center(COLLECTIONS["ScControllerPort"]),
    "GET StorageCenter/ServerList": _of_center(COLLECTIONS["ScServer"]),
    "POST StorageCenter/GetLatestVolumeIoUsage": _of_center(latest_io_usage),
    "GET ScVolume/VolumeConfiguration": _of_volume(records.configuration),
    "GET ScVolume/MappingList": _of_volume(_volume_mappings),
    "GET ScVolume/MappingProfileList": _of_volume(
        lambda center, volume: [records.mapping_profile(center, volume, one) for one in volume.mappings]
    ),
    "GET ScVolume/StorageUsage": _of_volume(records.volume_storage_usage),
    "POST ScVolume/GetHistoricalIoUsage": lambda center, call: io_usage(center, writes.volume(center, call.instance), call.payload),
    "POST ScVolume/MapToServer": lambda center, call: writes.map_to_server(center, call.instance, call.payload),
    "POST ScVolume/Unmap": lambda center, call: writes.unmap(center, call.instance),
    "GET ScServer/HbaList": _HBAS,
    "GET ScServer/MappingList": _MAPPINGS_OF_SERVER,
    "GET ScPhysicalServer/HbaList": _HBAS,
    "GET ScPhysicalServer/MappingList": _MAPPINGS_OF_SERVER,
    "GET ScServerCluster/HbaList": _HBAS,
    "GET ScServerCluster/MappingList": _MAPPINGS_OF_SERVER,
    "GET ScControllerPort/FaultDomainList": _of_port(
        lambda center, port: [each for each in _fault_domains(center) if each["name"] == port.description.fault_domain]
    ),
    "GET ScReplayProfile/VolumeList": lambda center, call: [
        records.volume(center, one)
        for one in center.volumes.values()
        if writes.profile(center, call.kind, call.instance, center.replay_profiles) in one.replay_profiles
    ],
    "PUT ScVolumeConfiguration": lambda center, call: writes.configure_volume(center, call.instance, call.payload),
    "PUT ScQosProfile": lambda center, call: writes.change_qos_profile(center, call.instance, call.payload),
    "DELETE ScMappingProfile": lambda center, call: writes.delete_mapping_profile(center, call.instance),
}


def find_among(centers: Sequence[Center], call: Call) -> Callable[[], Any]:
    """As `find`, for all Storage Centers behind one manager: the one whose serial number begins the instanceId, or a list of all.

    Raises:
        DellScError: as `find`.
    """
    if call.instance:
        serial = call.instance.partition(".")[0]
        return find(next((center for center in centers if str(center.description.reported_serial) == serial), centers[0]), call)
    runs = [find(center, call) for center in centers]
    return lambda: [record for run in runs for record in run()]


def find(center: Center, call: Call) -> Callable[[], Any]:
    """The function that answers a call; it runs at once, or later where the call is asynchronous.

    Raises:
        DellScError: the call does not exist, or the account lacks the permission. Other mistakes in it raise when the function runs.
    """
    known = call.kind in COLLECTIONS and (call.kind != "ScQosProfile" or center.description.has_qos)
    answer = ON_AN_OBJECT.get(f"{call.method} {call.kind}/{call.name}" if call.name else f"{call.method} {call.kind}")
    listed = (call.method, call.name) == ("POST", "GetList") or (call.method == "GET" and not call.name)
    if not known or (answer is None and not listed) or (answer is not None and not call.instance):
        raise DellScError(404, f"{call.method} {call.kind} {call.name} is not known")
    needed = "write" if call.writes else "read"
    if needed not in center.description.permissions:
        raise DellScError(403, f"The user does not have the privilege to {needed} {call.kind}")
    if answer is not None:
        return partial(answer, center, call)
    return partial(_listed if call.method == "POST" or not call.instance else _single, center, call)


def _listed(center: Center, call: Call) -> list[Any]:
    major, minor = (int(part) for part in center.description.api_version.split(".")[:2])
    payload = call.payload if call.method == "POST" else None
    return chosen(COLLECTIONS[call.kind](center), payload, wrapped=(major, minor) >= (2, 2))


def _single(center: Center, call: Call) -> Record:
    if call.kind in ("ScVolume", "ScVolumeConfiguration"):  # without making every object of the class to find one
        one = writes.volume(center, call.instance)
        return records.volume(center, one) if call.kind == "ScVolume" else records.configuration(center, one)
    for record in COLLECTIONS[call.kind](center):
        if record["instanceId"] == call.instance:
            return record
    raise writes.lacking(call.kind, call.instance)
