"""The state of a simulated Storage Center: its description, and everything written since the start."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.dell_sc.qos import QosProfile

if TYPE_CHECKING:
    from auditor_lab.arrays.dell_sc.description import (
        ControllerPortDescription,
        DellScDescription,
        HbaDescription,
        LoadDescription,
        ReplayProfileDescription,
        ServerDescription,
        StorageProfileDescription,
        VolumeDescription,
    )


class DellScError(Exception):
    """An error that is answered instead of a result: an HTTP status, and a text under "result".

    That errors are under "result" is what cinder's client expects. The texts, except the one about versions, and the status of each error
    are not verified.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(frozen=True, slots=True)
class Port:
    """A front-end port with its position in the list, from 1."""

    place: int
    wwn: str
    target: str
    description: ControllerPortDescription


@dataclass(frozen=True, slots=True)
class Hba:
    """A server's initiator; its number is part of its instanceId."""

    number: int
    server: Server
    description: HbaDescription


@dataclass(frozen=True, slots=True)
class Server:
    """A server, or a server cluster when `description` is None."""

    index: int
    name: str
    description: ServerDescription | None
    cluster: Server | None = None


@dataclass(frozen=True, slots=True)
class Profiled:
    """A volume mapped to a server, which the API calls a mapping profile; `via` is the cluster whose mapping it belongs to, if any."""

    index: int
    server: Server
    lun: int
    via: Server | None = None


@dataclass(slots=True)
class Volume:
    """A volume in its current state; profiles by their index."""

    index: int
    vpd_id: int
    name: str
    size_bytes: int
    used_bytes: int
    status: str
    storage_profile: int
    volume_qos: int
    group_qos: int | None
    replay_profiles: list[int]
    write_cache: bool
    compression: bool
    load: LoadDescription
    modified: datetime
    read_cache: bool = True
    notes: str = ""
    mappings: list[Profiled] = field(default_factory=list)


class Center:
    """The state that answers are made from; writes stay until the server stops. Callers serialise access."""

    def __init__(self, description: DellScDescription) -> None:
        self.description = description
        self.storage_profiles: dict[int, StorageProfileDescription] = dict(enumerate(description.storage_profiles, 1))
        self.replay_profiles: dict[int, ReplayProfileDescription] = dict(enumerate(description.replay_profiles, 1))
        self.qos_profiles = {
            index: QosProfile(index, one.name, one.kind, one.priority, one.iops_limit, one.bandwidth_limit_mb_per_second)
            for index, one in enumerate(description.qos_profiles, 1)
        }
        self.servers = _servers(description)
        self.hbas = {
            hba.number: hba
            for server in self.servers.values()
            for hba in (
                [] if server.description is None else [Hba(zlib.crc32(one.name.encode()), server, one) for one in server.description.hbas]
            )
        }
        described_ports = zip(description.ports, description.port_wwns(), description.targets(), strict=True)
        self.ports = [Port(place, wwn, target, port) for place, (port, wwn, target) in enumerate(described_ports, 1)]
        self._mapped = 0
        self.started = self.now()
        self.volumes = self._volumes()

    def now(self) -> datetime:
        """The current time of the Storage Center's own clock."""
        return datetime.now(UTC) + timedelta(seconds=self.description.clock_skew_seconds)

    def hbas_of(self, server: Server) -> list[Hba]:
        """The initiators of a server, or of all servers of a cluster."""
        return [hba for hba in self.hbas.values() if server in (hba.server, hba.server.cluster)]

    def members(self, cluster: Server) -> list[Server]:
        """The servers of a cluster."""
        return [server for server in self.servers.values() if server.cluster is cluster]

    def paths(self, profile: Profiled) -> list[tuple[Hba, Port]]:
        """The pairs of initiator and port through which a server reaches the volume: every pair with one transport."""
        return [
            (hba, port)
            for hba in self.hbas_of(profile.server)
            for port in self.ports
            if hba.description.transport == port.description.transport
        ]

    def volumes_of(self, server: Server) -> list[Volume]:
        """The volumes mapped to a server, directly or through its cluster."""
        return [volume for volume in self.volumes.values() if any(profile.server is server for profile in volume.mappings)]

    def map(self, volume: Volume, server: Server, lun: int | None = None) -> Profiled:
        """Map a volume to a server, or to a cluster and so to every server in it; an existing mapping stays as it is.

        That the servers of a cluster get mapping profiles of their own besides the cluster's is not verified.
        """
        there = next((profile for profile in volume.mappings if profile.server is server), None)
        if there is not None:
            return there
        first = self._profile(server, volume.index if lun is None else lun, None)
        volume.mappings.append(first)
        volume.mappings += [
            self._profile(member, first.lun, server) for member in (self.members(server) if server.description is None else ())
        ]
        return first

    def unmap(self, volume: Volume, profile: Profiled) -> None:
        """Remove a mapping, and with a cluster's those of its servers."""
        volume.mappings = [
            one for one in volume.mappings if one is not profile and (profile.server.description or one.via is not profile.server)
        ]

    def _profile(self, server: Server, lun: int, via: Server | None) -> Profiled:
        self._mapped += 1
        return Profiled(self._mapped, server, lun, via)

    def _volumes(self) -> dict[int, Volume]:
        described = self.description
        built = {}
        by_name = {server.name: server for server in self.servers.values()}
        described_volumes = zip(described.volumes, described.volume_indexes(), described.volume_vpd_ids(), strict=True)
        for one, index, vpd_id in described_volumes:
            volume = built[index] = self._volume(one, index, vpd_id)
            for name in one.mapped_to:
                self.map(volume, by_name[name], one.lun)
        if len(built) != len(described.volumes):
            raise ValueError(f"{described.name} has two volumes of one index")
        return built

    def _volume(self, one: VolumeDescription, index: int, vpd_id: int) -> Volume:
        groups = {profile.name: place for place, profile in self.qos_profiles.items() if profile.kind == "group"}
        singles = {profile.name: place for place, profile in self.qos_profiles.items() if profile.kind == "volume"}
        return Volume(
            index=index,
            vpd_id=vpd_id,
            name=one.name,
            size_bytes=one.size_bytes,
            used_bytes=one.used_bytes,
            status=one.status,
            storage_profile=_place(self.storage_profiles, one.storage_profile),
            volume_qos=singles[one.volume_qos_profile],
            group_qos=None if one.group_qos_profile is None else groups[one.group_qos_profile],
            replay_profiles=[_place(self.replay_profiles, name) for name in one.replay_profiles],
            write_cache=one.write_cache,
            compression=one.compression,
            load=one.load,
            modified=self.started,
        )


def _servers(description: DellScDescription) -> dict[int, Server]:
    clusters = [Server(index, name, None) for index, name in enumerate(description.server_clusters, 1)]
    by_name = {cluster.name: cluster for cluster in clusters}
    numbered = enumerate(description.servers, len(clusters) + 1)
    physical = [Server(index, one.name, one, by_name[one.cluster] if one.cluster else None) for index, one in numbered]
    return {server.index: server for server in (*clusters, *physical)}


def _place(profiles: dict[int, Any], name: str) -> int:
    return next(place for place, profile in profiles.items() if profile.name == name)
