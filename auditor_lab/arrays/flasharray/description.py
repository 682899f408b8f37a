"""The description of a simulated FlashArray; scenarios write it in YAML, and msgspec decodes it."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from auditor_lab.arrays.flasharray.parts import (
    AlertDescription,
    HostDescription,
    LimitsDescription,
    MachineDescription,
    PodDescription,
    QosDescription,
    VolumeDescription,
    VolumeGroupDescription,
)
from auditor_lab.days import DaySpanDescription
from auditor_lab.sites import site_uuid

NAA_PREFIX = "624a9370"
"""The first digits of every SCSI device name of the vendor. Source: docs/domain/arrays.md#device-names, checked against 80 of 81 records.
"""

_FIRST_NUMBER = 0x11010  # where the serials of volumes begin on a new array; the vendor's examples begin there, not verified
_LIMITS = LimitsDescription()


@dataclass(frozen=True, slots=True)
class FlashArrayDescription:
    """One array.

    Attributes:
        id: a UUID; its first 16 hex digits begin the serial of every volume of this array.
        fibre_channel_ports: on each of the two controllers.
        iscsi_portals: addresses without port, assigned to the controllers in turn.
        idle_timeout_ms: after this time without a request a session ends.
        scsi_timeout_ms: as in GET arrays.
        page_limit: the most items in one answer, however many were requested. The vendor's reference says that there is such a limit; that
            it is 1,000 is not verified.
        host_group_limits: ceilings of host groups by name; arrays have them from REST 2.50 on.
        realms: ceilings of realms by name; arrays have them from REST 2.36 on. What is in one is named "realm::...".
        alerts: what it reports as wrong with itself, closed ones included.
        api_versions: the versions in /api/api_version; the 2.x ones are served.
        role: readonly | storage_admin | array_admin, of the account with the API token.
        day: how the last day differed from now, by the name of a volume or the array.
        site: where it stands: another site makes another identity, see `auditor_lab.sites`.
    """

    name: str
    id: str
    version: str = "6.3.3"
    model: str = "FA-X70R3"
    capacity_bytes: int = 29_511_185_858_560
    volumes: tuple[VolumeDescription, ...] = ()
    volume_groups: tuple[VolumeGroupDescription, ...] = ()
    machines: tuple[MachineDescription, ...] = ()
    hosts: tuple[HostDescription, ...] = ()
    host_groups: tuple[str, ...] = ()
    pods: tuple[PodDescription, ...] = ()
    fibre_channel_ports: int = 4
    iscsi_portals: tuple[str, ...] = ()
    ntp_servers: tuple[str, ...] = ()
    banner: str = ""
    idle_timeout_ms: int = 1_800_000
    scsi_timeout_ms: int = 60_000
    limits: LimitsDescription = _LIMITS
    page_limit: int = 1000
    host_group_limits: Mapping[str, QosDescription] = field(default_factory=dict)
    realms: Mapping[str, QosDescription] = field(default_factory=dict)
    alerts: tuple[AlertDescription, ...] = ()
    api_versions: tuple[str, ...] = ("1.17", "1.18", "1.19", "2.0", "2.1", "2.2", "2.4", "2.8", "2.11", "2.13", "2.14", "2.15")
    role: str = "storage_admin"
    site: str = ""
    day: Mapping[str, tuple[DaySpanDescription, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if str(uuid.UUID(self.id)) != self.id.lower():
            raise ValueError(f"id of {self.name} must be a UUID with dashes, not {self.id!r}")
        self._refuse_unknown_names("host group", (host.host_group for host in self.hosts), self.host_groups)
        self._refuse_unknown_names("host group", (group for volume in self.volumes for group in volume.host_groups), self.host_groups)
        hosts = tuple(host.name for host in self.hosts)
        self._refuse_unknown_names("host", (host for volume in self.volumes for host in volume.hosts), hosts)
        self._refuse_unknown_names("host", (host for machine in self.machines for host in machine.bound_by), hosts)
        self._refuse_unknown_names("volume group", map(group_of, self._plain_names()), tuple(group.name for group in self.volume_groups))
        self._refuse_unknown_names("volume", self.day, (*self._plain_names(), self.name))
        names = (*self._plain_names(), *(group.name for group in self.volume_groups))
        self._refuse_unknown_names("pod", map(pod_of, names), tuple(pod.name for pod in self.pods))
        self._refuse_endpoints_nobody_reaches()
        serials = [self.serial(place, given) for place, (_, given) in enumerate(self._serials_given())]
        twice = [*_twice(names), *_twice(hosts), *_twice(serials)]
        if twice:
            raise ValueError(f"{self.name} has twice: {twice}")

    def _refuse_unknown_names(self, kind: str, names: Iterable[str | None], known: tuple[str, ...]) -> None:
        lost = {one for one in names if one is not None} - set(known)
        if lost:
            raise ValueError(f"{self.name} has no {kind} named {sorted(lost)}")

    def _refuse_endpoints_nobody_reaches(self) -> None:
        endpoints = [volume for volume in self.volumes if volume.subtype == "protocol_endpoint"]
        reached = {group for volume in endpoints for group in volume.host_groups}
        ready = {host.name for host in self.hosts if host.host_group in reached} | {host for volume in endpoints for host in volume.hosts}
        stuck = sorted({host for machine in self.machines for host in machine.bound_by} - ready)
        if stuck:
            raise ValueError(f"{self.name}: {stuck} bind vVols without a protocol endpoint connected to them")

    def _plain_names(self) -> tuple[str, ...]:
        return tuple(volume.name for volume in self.volumes)

    def _serials_given(self) -> Iterator[tuple[str, str | None]]:
        yield from ((volume.name, volume.serial) for volume in self.volumes)
        for machine in self.machines:
            yield from ((self.vvol_name(machine, place), vvol.serial) for place, vvol in enumerate(machine.vvols))

    @property
    def reported_id(self) -> str:
        """The id in answers; serials of volumes begin with `id` at every site."""
        return site_uuid(self.id, self.site)

    def serial(self, place: int, given: str | None = None) -> str:
        """The serial of the volume at position `place`: 24 hex digits in upper case; vVols follow the ordinary volumes."""
        serial = f"{self.id.replace('-', '')[:16]}{_FIRST_NUMBER + place:08x}" if given is None else given
        if len(serial) != 24 or set(serial.lower()) - set("0123456789abcdef"):
            raise ValueError(f"a serial of {self.name} must be 24 hex digits, not {serial!r}")
        return serial.upper()

    def naa(self, name: str) -> str:
        """The SCSI name of a volume, vVol or protocol endpoint by its full name, without "naa.".

        Raises:
            ValueError: no volume has that name.
        """
        known = self.naas()
        if name not in known:
            raise ValueError(f"{self.name} has no volume named {name!r}")
        return known[name]

    def naas(self) -> dict[str, str]:
        """The SCSI names of all volumes, vVols and protocol endpoints by their full names."""
        return {name: NAA_PREFIX + self.serial(place, given).lower() for place, (name, given) in enumerate(self._serials_given())}

    @property
    def protocol_endpoints(self) -> tuple[VolumeDescription, ...]:
        """The protocol endpoints, through which hosts reach vVols."""
        return tuple(volume for volume in self.volumes if volume.subtype == "protocol_endpoint")

    def machine_group(self, machine: MachineDescription) -> str:
        """The name of a machine's volume group."""
        return f"vvol-{machine.vm}-{self.derived_id('machine', machine.vm)[:8]}-vg"

    def vvol_name(self, machine: MachineDescription, place: int) -> str:
        """The full name of the volume behind a machine's vVol at position `place`."""
        return f"{self.machine_group(machine)}/{machine.vvols[place].kind}-{self.derived_id('vvol', machine.vm, place)[:8]}"

    def derived_id(self, *what: object) -> str:
        """A UUID that is the same at every start."""
        return str(uuid.uuid5(uuid.UUID(self.id), "/".join(map(str, what))))


def pod_of(name: str) -> str | None:
    """The pod in the name of a volume or volume group."""
    return name.rpartition("::")[0] if "::" in name else None


def group_of(name: str) -> str | None:
    """The volume group in the name of a volume."""
    return name.rpartition("/")[0] or None


def _twice(names: Iterable[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]
