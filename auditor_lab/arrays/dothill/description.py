"""The description of a simulated array of the Dot Hill family; scenarios write it in YAML, and msgspec decodes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from auditor_lab.sites import site_number

TIERS = ("Performance", "Standard", "Archive", "Read Cache")
"""Of SSDs, of SAS disks, of nearline SAS disks. Source: Dell 3922-BP-VM, page 8; the last: enix/hpmsa_exporter, percent-allocated-rfc."""

_SERIAL = re.compile(r"00C0FF[0-9A-F]{6}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolDescription:
    """A pool: `tiers` says how many disks are in which tier; a linear pool has disks and no tiers."""

    name: str = "A"
    owner: str = "A"
    tiers: Mapping[str, int] = field(default_factory=lambda: {"Standard": 12})
    linear: bool = False
    size_bytes: int = 10 << 40
    rpm: int = 10

    def __post_init__(self) -> None:
        if set(self.tiers) - set(TIERS):
            raise ValueError(f"pool {self.name} has tiers that there are not: {sorted(set(self.tiers) - set(TIERS))}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadDescription:
    """The load of a volume or a pool; the array has sampled it for `sample_seconds`, and a pool answers in `response_us`."""

    iops: int = 0
    bytes_per_second: int = 0
    sample_seconds: int = 15
    response_us: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeDescription:
    """A volume; `owner` None is its pool's, `mapped_to` names hosts, groups of hosts, or initiators."""

    name: str
    size_bytes: int = 1 << 40
    pool: str = "A"
    owner: str | None = None
    preferred_owner: str | None = None
    tier_affinity: str = "No Affinity"
    health: str = "OK"
    parent: str = ""
    mapped_to: tuple[str, ...] = ()
    load: LoadDescription = LoadDescription()


@dataclass(frozen=True, slots=True, kw_only=True)
class HostDescription:
    """A host with its initiators, WWPNs of 16 hex digits or IQNs; without a name they belong to no host."""

    name: str = ""
    initiators: tuple[str, ...] = ()
    group: str = ""
    profile: str = "Standard"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertDescription:
    """An alert. Source: edingc/powervault_me5_exporter, testdata/alerts.json."""

    severity: str
    reason: str
    component: str = "System"
    condition: str = "condition_storage_pool"
    resolved: bool = False
    acknowledged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DotHillDescription:
    """An array.

    Attributes:
        serial: of its midplane; its last six digits stand in the names of volumes.
        answers_xml: its firmware knows no JSON.
        has_alerts: its firmware knows `show alerts`.
        health_reason: in the array's words, where its health is not OK.
        controllers: names and states.
        role: of its only account.
    """

    name: str
    serial: str = "00C0FF446D15"
    vendor: str = "HPE"
    model: str = "MSA 2052 SAN"
    brand: str = "MSA Storage"
    firmware: str = "VL270P005"
    pools: tuple[PoolDescription, ...] = (PoolDescription(),)
    volumes: tuple[VolumeDescription, ...] = ()
    hosts: tuple[HostDescription, ...] = ()
    alerts: tuple[AlertDescription, ...] = ()
    controllers: Mapping[str, str] = field(default_factory=lambda: {"A": "Operational", "B": "Operational"})
    pool_load: LoadDescription = LoadDescription()
    role: str = "monitor"
    health: str = "OK"
    health_reason: str = ""
    answers_xml: bool = False
    has_alerts: bool = True
    site: str = ""

    def __post_init__(self) -> None:
        if not _SERIAL.fullmatch(self.serial):
            raise ValueError(f"array {self.name}: a serial number is 00C0FF and six hexadecimal digits in capitals, not {self.serial!r}")
        pools = {pool.name for pool in self.pools}
        if strange := sorted({volume.pool for volume in self.volumes} - pools):
            raise ValueError(f"array {self.name}: volumes lie in pools that there are not: {strange}")
        names = {name for host in self.hosts for name in (host.name, host.group, *host.initiators)}
        if strange := sorted({name for volume in self.volumes for name in volume.mapped_to} - names):
            raise ValueError(f"array {self.name}: volumes are mapped to hosts that there are not: {strange}")

    def targets(self) -> tuple[str, ...]:
        """The WWPNs of its host ports, two a controller. Source of the form: sodafoundation/delfin, recorded `show ports`."""
        tail = f"7000c0ff{self.serial[6:].lower()}"
        return tuple(f"2{4 * place + number}{tail}" for place in range(len(self.controllers)) for number in range(2))

    @property
    def reported_serial(self) -> str:
        """The serial number that it reports at its site."""
        own = int(self.serial[6:], 16)
        return f"00C0FF{site_number(own, self.site, below=1 << 24):06X}"

    def serial_of(self, number: int, kind: int = 0) -> str:
        """The serial number of an object: a volume's ends in 01000000 (`kind` 0), a pool's in 00000000 (1), a host's in 01010000 (2).

        The same at every site, as hosts have it.

        Source: recorded ones in sodafoundation/delfin and edingc/powervault_me5_exporter.
        """
        end = ("01000000", "00000000", "01010000")[kind]
        return f"00c0ff{self.serial[6:].lower()}0000{number:08x}{end}"

    def volume_wwn(self, name: str) -> str:
        """The world wide name of a volume, as the array reports it.

        Source: docs/domain/arrays.md#dothill; recorded pairs of serial number and wwn.
        """
        serial = self.serial_of(self.volume_number(name))
        return f"600C0FF000{serial[6:12]}{serial[16:]}".upper()

    def volume_number(self, name: str) -> int:
        """The number that stands in the names of a volume.

        Raises:
            KeyError: there is no volume of that name.
        """
        names = [volume.name for volume in self.volumes]
        if name not in names:
            raise KeyError(name)
        return 0x5F950668 + names.index(name)
