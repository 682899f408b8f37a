"""The description of a simulated group of HPE Nimble arrays; scenarios write it in YAML, and msgspec decodes it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from auditor_lab.sites import site_uuid

OUI = "6c9ce9"
"""The vendor's, in every serial number. Source: docs/domain/arrays.md#device-names."""


@dataclass(frozen=True, slots=True)
class LoadDescription:
    """What a volume does: the means of five minutes."""

    iops: int = 0
    bytes_per_second: int = 0


@dataclass(frozen=True, slots=True)
class PoolDescription:
    """A pool of the group."""

    name: str
    all_flash: bool = True
    capacity_bytes: int = 8_016_883_089_408


@dataclass(frozen=True, slots=True)
class FolderDescription:
    """A folder; its ceilings hold for all its volumes together, None is none. One of agent type vvol is a container of vVols."""

    name: str
    limit_iops: int | None = None
    limit_mbps: int | None = None
    agent_type: str = "none"


@dataclass(frozen=True, slots=True)
class VolumeDescription:
    """A volume.

    Attributes:
        groups: the initiator groups that may reach it.
        agent_type: vvol: a virtual volume.
        serial: 32 hexadecimal digits; None: made of the names.
    """

    name: str
    size_mb: int = 102_400
    folder: str | None = None
    groups: tuple[str, ...] = ()
    limit_iops: int | None = None
    limit_mbps: int | None = None
    agent_type: str = "none"
    state: str = "online"
    load: LoadDescription = LoadDescription()
    serial: str | None = None


@dataclass(frozen=True, slots=True)
class InitiatorGroupDescription:
    """Initiators that are admitted to volumes together; of one protocol."""

    name: str
    iqns: tuple[str, ...] = ()
    wwns: tuple[str, ...] = ()
    host_type: str = "auto"


@dataclass(frozen=True, slots=True)
class MemberDescription:
    """An array of the group, with two controllers."""

    name: str
    model: str = "AF40"
    version: str = "6.1.2.700-1062444-opt"
    status: str = "reachable"


@dataclass(frozen=True, slots=True)
class AlarmDescription:
    """An alarm."""

    severity: str
    activity: str
    object_name: str = ""
    status: str = "open"
    type: int = 14010


@dataclass(frozen=True, slots=True)
class NimbleDescription:
    """One group of arrays.

    Attributes:
        digits: 16 hexadecimal digits that every id and serial number of this group has.
        page_rows: the most rows in one answer. How many a real one gives, no source says.
        role: of the only account: administrator | poweruser | operator | guest.
        site: where it stands: another site makes another identity, see `auditor_lab.sites`.
    """

    name: str
    digits: str
    version: str = "6.1.2.700-1062444-opt"
    arrays: tuple[MemberDescription, ...] = ()
    pools: tuple[PoolDescription, ...] = (PoolDescription("default"),)
    folders: tuple[FolderDescription, ...] = ()
    volumes: tuple[VolumeDescription, ...] = ()
    initiator_groups: tuple[InitiatorGroupDescription, ...] = ()
    protocol_endpoints: tuple[str, ...] = ()
    alarms: tuple[AlarmDescription, ...] = ()
    alarms_enabled: bool = True
    page_rows: int = 1024
    role: str = "administrator"
    site: str = ""

    def __post_init__(self) -> None:
        if len(self.digits) != 16 or not set(self.digits) <= set("0123456789abcdef"):
            raise ValueError(f"digits of {self.name} must be 16 hexadecimal digits, not {self.digits!r}")
        groups, folders = {one.name for one in self.initiator_groups}, {one.name for one in self.folders}
        for volume in self.volumes:
            if lost := sorted({*volume.groups} - groups) or sorted({volume.folder or ""} - folders - {""}):
                raise ValueError(f"{volume.name} of {self.name} names '{lost[0]}', which is not described")

    @property
    def own_digits(self) -> str:
        """The digits that it shows at its site."""
        return site_uuid(self.digits, self.site).replace("-", "")[:16] if self.site else self.digits

    def id_of(self, kind: str, number: int) -> str:
        """An object's id: 42 digits, as the vendor's documents have them: what it is, the group, a number."""
        return f"{kind}{self.own_digits}{number:024x}"

    def serial_of(self, name: str) -> str:
        """The serial number of a volume or protocol endpoint: 16 digits of its own, then what the group's others have, too.

        The same at every site, as hosts have it.
        """
        given = next((one.serial for one in self.volumes if one.name == name and one.serial), None)
        own = hashlib.sha256(f"{self.digits}/{name}".encode()).hexdigest()[:16]
        return given or f"{own}{OUI}00{self.digits[:8]}"

    @property
    def target(self) -> str:
        """The name of its iSCSI target, which all volumes have. Source: the SDK's recorded volume, iscsi_target_scope group."""
        return f"iqn.2007-11.com.nimblestorage:{self.name}-g{self.digits}"
