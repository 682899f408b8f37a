"""The state of a simulated FlashArray: its description, and everything written since the start."""

from __future__ import annotations

import dataclasses
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.flasharray.description import group_of, pod_of
from auditor_lab.arrays.flasharray.parts import LoadDescription, QosDescription
from auditor_lab.days import Day

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditor_lab.arrays.flasharray.description import FlashArrayDescription
    from auditor_lab.arrays.flasharray.parts import HostDescription, VolumeDescription

PERSONALITIES = ("aix", "esxi", "hitachi-vsp", "hpux", "oracle-vm-server", "solaris", "vms")
"""Source: the vendor's Python client for REST 2.15, host_patch."""

ACCOUNT = "auditor"
"""The name of the only account, which the API token belongs to."""

_HIGHEST_LUN = 254  # LUNs of a host group count down from here, those of single hosts count up from 1; as recorded
_FIRST_SUBLUN = 1  # as recorded: a vVol's LUN is this in the upper 32 bits, and the LUN of its protocol endpoint in the lower 32 bits


class FlashArrayError(Exception):
    """An error that is answered instead of items: an HTTP status, a message, and the name that it is about."""

    def __init__(self, message: str, context: str | None = None, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.context = context
        self.status = status


@dataclass(slots=True)
class Volume:
    """A volume in its current state."""

    name: str
    id: str
    serial: str
    size_bytes: int
    subtype: str
    qos: QosDescription
    load: LoadDescription
    connections: int = 0  # host groups and single hosts
    vvol_id: str | None = None  # of a vVol, as its tag has it

    @property
    def pod(self) -> str | None:
        """The name of its pod."""
        return pod_of(self.name)

    @property
    def group(self) -> str | None:
        """The name of its volume group."""
        return group_of(self.name)


@dataclass(slots=True)
class VolumeGroup:
    """A volume group in its current state."""

    name: str
    id: str
    qos: QosDescription


@dataclass(slots=True)
class Host:
    """A host in its current state."""

    described: HostDescription
    personality: str | None


@dataclass(frozen=True, slots=True)
class Connection:
    """One volume presented to one host, or to a group without hosts (`host` None); `endpoint` is set when the volume is a bound vVol."""

    volume: Volume
    host: str | None
    host_group: str | None
    lun: int
    endpoint: Volume | None = None


@dataclass(slots=True)
class FlashArray:
    """The state that answers are made from; writes stay until the server stops. Callers serialise access."""

    description: FlashArrayDescription
    volumes: dict[str, Volume] = field(init=False)
    groups: dict[str, VolumeGroup] = field(init=False)
    hosts: dict[str, Host] = field(init=False)
    connections: tuple[Connection, ...] = field(init=False)
    inside: Mapping[str | None, Sequence[Volume]] = field(init=False)  # by volume group
    seen_by_host: Mapping[str | None, Mapping[str, Volume]] = field(init=False)  # by host, then by name
    seen_by_host_group: Mapping[str | None, Mapping[str, Volume]] = field(init=False)
    totals: dict[str, Any] = field(init=False, default_factory=dict)  # by resource and query
    day: Day = field(init=False)

    def __post_init__(self) -> None:
        described = self.description
        self.day = Day(described.day, time.time())
        self.volumes = {volume.name: volume for volume in _volumes(described)}
        self.groups = {group.name: group for group in _groups(described)}
        self.hosts = {host.name: Host(host, host.personality) for host in described.hosts}
        ordinary = tuple(self._ordinary())
        self.connections = (*ordinary, *self._bindings(ordinary))
        inside: defaultdict[str | None, list[Volume]] = defaultdict(list)
        for volume in self.volumes.values():
            inside[volume.group].append(volume)
        by_host: defaultdict[str | None, dict[str, Volume]] = defaultdict(dict)
        by_group: defaultdict[str | None, dict[str, Volume]] = defaultdict(dict)
        reached: defaultdict[str, set[tuple[str | None, str | None]]] = defaultdict(set)
        for one in self.connections:
            by_host[one.host][one.volume.name] = by_group[one.host_group][one.volume.name] = one.volume
            reached[one.volume.name].add((one.host_group, None if one.host_group else one.host))
        self.inside, self.seen_by_host, self.seen_by_host_group = inside, by_host, by_group
        for name, groups_and_hosts in reached.items():
            self.volumes[name].connections = len(groups_and_hosts)

    def change_qos(self, held: Volume | VolumeGroup, requested: Any) -> QosDescription:
        r"""The limits of `held` after a request: those named change, the others stay. Nothing is written yet.

        An empty string removes a limit. The meaning of null is not verified, so it is refused.

        Raises:
            FlashArrayError: a name or a value is not accepted; the wording is not verified.

        Source: the vendor's OpenAPI definitions, _qos_patch: "In order to unset use \"\"".
        """
        limits = self.description.limits
        bounds = {
            "iops_limit": (limits.iops_floor, limits.iops_ceiling),
            "bandwidth_limit": (limits.bandwidth_floor, limits.bandwidth_ceiling),
        }
        if not isinstance(requested, dict):
            raise FlashArrayError("Invalid value for qos.", held.name)
        for name, value in requested.items():
            if name not in bounds:
                raise FlashArrayError(f"Invalid parameter qos.{name}.", held.name)
            low, high = bounds[name]
            lifts = value == "" and limits.unset
            if not lifts and (type(value) is not int or not low <= value <= high):
                raise FlashArrayError(f"Invalid value for {name}. Must be between {low} and {high}.", held.name)
        return dataclasses.replace(held.qos, **{name: None if value == "" else value for name, value in requested.items()})

    def _ordinary(self) -> Iterator[Connection]:
        members: dict[str, list[str | None]]
        members = {name: [host.name for host in self.description.hosts if host.host_group == name] for name in self.description.host_groups}
        taken: defaultdict[str, int] = defaultdict(int)
        for described in self.description.volumes:
            volume = self.volumes[described.name]
            for group in described.host_groups:
                lun = _HIGHEST_LUN - taken[f"group {group}"]
                taken[f"group {group}"] += 1
                yield from (Connection(volume, host, group, lun) for host in members[group] or [None])
            for host in described.hosts:
                taken[f"host {host}"] += 1
                yield Connection(volume, host, None, taken[f"host {host}"])

    def _bindings(self, ordinary: tuple[Connection, ...]) -> Iterator[Connection]:
        """The connections of vVols; recorded with the host's name and without a host group."""
        through = {one.host: one for one in ordinary if one.volume.subtype == "protocol_endpoint"}
        taken: defaultdict[str, int] = defaultdict(lambda: _FIRST_SUBLUN)
        for machine in self.description.machines:
            for host in machine.bound_by:
                endpoint = through[host]
                for place in range(len(machine.vvols)):
                    volume = self.volumes[self.description.vvol_name(machine, place)]
                    yield Connection(volume, host, None, taken[host] << 32 | endpoint.lun, endpoint.volume)
                    taken[host] += 1


def _volumes(described: FlashArrayDescription) -> Iterator[Volume]:
    place = 0
    for volume in described.volumes:
        yield _volume(described, place, volume)
        place += 1
    for machine in described.machines:
        for number, vvol in enumerate(machine.vvols):
            serial = described.serial(place, vvol.serial)
            name = described.vvol_name(machine, number)
            virtual = Volume(name, described.derived_id("volume", serial), serial, vvol.provisioned_bytes, "regular", vvol.qos, vvol.load)
            virtual.vvol_id = vvol.vvol_id or f"rfc4122.{described.derived_id('vvol id', name)}"
            yield virtual
            place += 1


def new_volume(state: FlashArray, name: str, size_bytes: int) -> Volume:
    """A volume that the array does not have yet; its serial follows those of all the others."""
    described = state.description
    serial = described.serial(len(state.volumes), None)
    return Volume(name, described.derived_id("volume", serial), serial, size_bytes, "regular", QosDescription(), LoadDescription())


def _volume(described: FlashArrayDescription, place: int, volume: VolumeDescription) -> Volume:
    serial = described.serial(place, volume.serial)
    size = 0 if volume.subtype == "protocol_endpoint" else volume.size_bytes  # as recorded
    return Volume(volume.name, described.derived_id("volume", serial), serial, size, volume.subtype, volume.qos, volume.load)


def _groups(described: FlashArrayDescription) -> Iterator[VolumeGroup]:
    for group in described.volume_groups:
        yield VolumeGroup(group.name, described.derived_id("group", group.name), group.qos)
    for machine in described.machines:
        name = described.machine_group(machine)
        yield VolumeGroup(name, described.derived_id("group", name), machine.qos)
