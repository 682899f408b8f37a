"""The description of a simulated E-Series array; scenarios write it in YAML, and msgspec decodes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from auditor_lab.sites import site_uuid

CONTROLLERS = ("A", "B")
HOST_TYPES = {
    0: "FactoryDefault",
    1: "W2KNETNCL",
    6: "LNX",
    7: "LnxALUA",
    8: "W2KNETCL",
    10: "VmwTPGSALUA",
    28: "LnxDHALUA",
}
"""Codes by index. Source: netappeseries/santricity, na_santricity_facts.py, the sample of netapp_host_types; not all of them."""

_BASE_WWN = "60080e500023c734"


@dataclass(frozen=True, slots=True)
class LoadDescription:
    """The load of a volume as the Web Services analyse it: means; all zero means idle."""

    read_iops: float = 0.0
    write_iops: float = 0.0
    read_bytes: float = 0.0
    write_bytes: float = 0.0
    response_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class PoolDescription:
    """A volume group, or a disk pool where `raid_level` is raidDiskPool."""

    name: str
    raid_level: str = "raid5"
    media: str = "hdd"
    rpm: int = 10_000
    drives: int = 12
    size_bytes: int = 12 * 10**12


@dataclass(frozen=True, slots=True)
class VolumeDescription:
    """A volume.

    Attributes:
        preferred: the controller it was given to, A or B.
        owner: the controller that answers for it now; None is the preferred one.
        mapped_to: hosts and host groups.
        write_cache: on | off | suspended.
    """

    name: str
    pool: str
    size_bytes: int = 2 << 40
    preferred: str = "A"
    owner: str | None = None
    is_thin: bool = False
    mapped_to: tuple[str, ...] = ()
    write_cache: str = "on"
    status: str = "optimal"
    load: LoadDescription = LoadDescription()


@dataclass(frozen=True, slots=True)
class HostDescription:
    """A host; `host_type` is a code of `HOST_TYPES`."""

    name: str
    ports: tuple[str, ...] = ()
    port_type: str = "sas"
    group: str | None = None
    host_type: str = "VmwTPGSALUA"


@dataclass(frozen=True, slots=True)
class FailureDescription:
    """A failure that there is now, by a word of the interface, for example failedDrive."""

    type: str
    object_type: str = "drive"
    object_ref: str = "010000005000C500000000000000000000000000"


@dataclass(frozen=True, slots=True)
class ESeriesDescription:
    """One storage system, and the Web Services that speak for it.

    Attributes:
        wwn: 32 hexadecimal digits, by which it says who it is.
        id: as it is in addresses; the Web Services of an array call it "1".
        volume_prefix: the first 16 hexadecimal digits of its volumes' names.
        inquiry: vendor and product that hosts see its volumes by.
        targets: what its ports are called at its hosts; for SAS and Fibre Channel 16 hexadecimal digits.
        is_proxy: whether the Web Services run elsewhere, and may speak for others `also`.
        status: as the Web Services see the system; `login_status` is the passwordStatus that they report with it.
        role: storage.monitor | storage.admin, of the account.
        site: where it stands: another site makes another identity, see `auditor_lab.sites`.
    """

    name: str
    wwn: str = f"{_BASE_WWN}00000000515af323"
    id: str = "1"
    model: str = "2806"
    firmware: str = "08.73.00.00"
    services: str = "05.30.0000.0003"
    volume_prefix: str = "600a098000a4b28d"
    inquiry: tuple[str, str] = ("NETAPP", "INF-01-00")
    revision: str = "0873"
    transport: str = "fc"
    targets: tuple[str, ...] = ("20220080e523c734", "20230080e523c734")
    pools: tuple[PoolDescription, ...] = ()
    volumes: tuple[VolumeDescription, ...] = ()
    host_groups: tuple[str, ...] = ()
    hosts: tuple[HostDescription, ...] = ()
    failures: tuple[FailureDescription, ...] = ()
    is_proxy: bool = False
    status: str = "optimal"
    login_status: str = "valid"
    auto_load_balancing: bool = False
    role: str = "storage.admin"
    also: tuple[ESeriesDescription, ...] = ()
    site: str = ""

    def __post_init__(self) -> None:
        names = [one.name for listed in (self.pools, self.volumes, self.hosts) for one in listed]
        twice = [name for name, times in Counter((*names, *self.host_groups)).items() if times > 1]
        if twice:
            raise ValueError(f"{self.name} has twice: {twice}")
        self._known("pool", (one.pool for one in self.volumes), {one.name for one in self.pools})
        self._known("host group", (one.group for one in self.hosts if one.group), set(self.host_groups))
        mapped = (target for one in self.volumes for target in one.mapped_to)
        self._known("host or host group", mapped, {one.name for one in self.hosts} | set(self.host_groups))
        self._known("controller", (one.owner or one.preferred for one in self.volumes), set(CONTROLLERS))
        self._known("host type", (one.host_type for one in self.hosts), set(HOST_TYPES.values()))
        if self.also and not self.is_proxy:
            raise ValueError(f"{self.name}: only a proxy speaks for other systems as well")

    def _known(self, kind: str, names: Iterable[str], known: set[str]) -> None:
        if lost := set(names) - known:
            raise ValueError(f"{self.name} has no {kind} named {sorted(lost)}")

    @property
    def reported_wwn(self) -> str:
        """The world-wide name in answers; names of volumes keep `volume_prefix` at every site."""
        return site_uuid(self.wwn, self.site).replace("-", "") if self.site else self.wwn

    def naa(self, volume: str) -> str:
        """The name of the volume of that name at its hosts, without "naa."."""
        return f"{self.volume_prefix}{[one.name for one in self.volumes].index(volume) + 1:016x}"
