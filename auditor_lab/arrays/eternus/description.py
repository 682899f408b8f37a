"""The description of a simulated ETERNUS DX; scenarios write it in YAML, and msgspec decodes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from auditor_lab.sites import site_number

CATEGORIES = 16
"""Bandwidth limits 0 (unlimited) to 15. Source: recorded `show qos-bandwidth-limit`; cinder's Fujitsu driver chooses from 1 to 15."""

QOS_TABLE_SINCE = "V11L30"
"""The firmware from which the category table can be read and set, and reads and writes have their own categories.

Before it, a volume has one category of a fixed table: 1 is 800 MB/s, then 700, 600, 500, 400, 300, 200, 100, 70, 40, 25, 20, 15, 10, and 15
is the least. Source: cinder's Fujitsu driver, `_set_qos` and `_get_qos_category_by_value`.
"""

MACHINE_ROLE = "Software"
"""The role whose accounts get machine-readable answers; other roles get text.

Source: cinder's Fujitsu driver requires this role and reads the machine-readable form; delfin's uses a person's role and reads the text, by
the same commands.
"""

READING_ROLES = frozenset({"Monitor", "AccountAdmin", "SecurityAdmin"})
WRITING_ROLES = frozenset({"Admin", "StorageAdmin", "Maintainer", MACHINE_ROLE})
"""Default roles. Source: the help of ETERNUS Web GUI, "Availability of Executions in the Default Role"; Software: recorded `show users`."""

_UID_PREFIX = re.compile(r"600000e0[0-9a-f]{16}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LimitDescription:
    """A limit; 65535 of each means "none" in the recorded table."""

    iops: int = 0xFFFF
    mb_per_second: int = 0xFFFF


@dataclass(frozen=True, slots=True)
class CategoryDescription:
    """One line of the array's category table: the limits for all I/O of a volume, its reads, and its writes."""

    number: int  # 1 to 15
    total: LimitDescription = LimitDescription()
    read: LimitDescription = LimitDescription()
    write: LimitDescription = LimitDescription()


@dataclass(frozen=True, slots=True)
class VolumeDescription:
    """A volume and its categories; 0 is unlimited.

    `number` None is the volume's position in the list, from 0; give numbers to all volumes or to none. `type` is TPV, Open or Standard.
    """

    name: str
    number: int | None = None
    size_mb: int = 20480
    type: str = "TPV"
    pool: str = "Pool0"
    category: int = 0
    read_category: int = 0
    write_category: int = 0


@dataclass(frozen=True, slots=True)
class HostDescription:
    """A host's port as the array knows it: `wwn` has 16 hex digits, `response` is the name of its host response.

    A port with an `iscsi_name` belongs to an iSCSI host and has no WWN.
    """

    name: str
    wwn: str = ""
    response: str = "Default"
    response_number: int = 0
    iscsi_name: str = ""


@dataclass(frozen=True, slots=True)
class PortDescription:
    """A host port, for example `CM#0 CA#0 Port#0`.

    Attributes:
        affinity: host affinity mode; without it every host at the port sees `luns`.
        hosts: by host name, the LUN group that it sees at this port, unless `affinities` set that by groups.
        luns: volume names in LUN order, only without affinity mode.
    """

    name: str
    affinity: bool = True
    hosts: Mapping[str, str] = field(default_factory=dict)
    luns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupDescription:
    """A named list, numbered from 0: the ports of a port group, the hosts of a host group, or the volumes of a LUN group in LUN order."""

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AffinityDescription:
    """The hosts of a host group see the volumes of a LUN group at the ports of a port group."""

    port_group: str
    host_group: str
    lun_group: str


@dataclass(frozen=True, slots=True)
class UserDescription:
    """A further account, with the main account's password."""

    name: str
    role: str


@dataclass(frozen=True, slots=True)
class EternusDescription:
    """One array.

    Attributes:
        firmware: in the array's notation, for example V10L66-0000.
        model_name: in the array's notation: ET103ACU for a DX100 S3, ET203ACU for a DX200 S3 (both recorded). The names of other models are
            not known; a scenario that needs one invents it.
        uid_prefix: the first 24 hex digits of every volume's UID; the volume's number follows. Source: docs/domain/arrays.md#device-names,
            5 of 5 records.
        qos: whether the model has volume QoS at all. S2 has none (cinder's Fujitsu driver), so S1 has none either.
        early_cli: an early command line refuses `show volumes -mode uid` and prints another table without it (recorded by delfin, unknown
            model). With it no UID can be read as text.
        categories: lines of the category table that differ from `LimitDescription()`.
        role: of the account that the server is started with.
        users: further accounts.
        permissions: of the main account: "read" and "write"; with "read" alone its writes are refused whatever its role.
        site: where it stands: another site makes another identity, see `auditor_lab.sites`.
    """

    name: str
    firmware: str
    model_name: str
    uid_prefix: str
    serial_number: str = "4601620378"
    device_identification: str = "280A7D"
    installation_site: str = ""
    status: str = "Normal"
    qos: bool = True
    early_cli: bool = False
    categories: tuple[CategoryDescription, ...] = ()
    volumes: tuple[VolumeDescription, ...] = ()
    hosts: tuple[HostDescription, ...] = ()
    ports: tuple[PortDescription, ...] = ()
    port_groups: tuple[GroupDescription, ...] = ()
    host_groups: tuple[GroupDescription, ...] = ()
    lun_groups: tuple[GroupDescription, ...] = ()
    affinities: tuple[AffinityDescription, ...] = ()
    role: str = MACHINE_ROLE
    users: tuple[UserDescription, ...] = ()
    permissions: frozenset[str] = field(default=frozenset({"read", "write"}))
    site: str = ""

    def __post_init__(self) -> None:
        if not _UID_PREFIX.fullmatch(self.uid_prefix):
            raise ValueError(f"uid_prefix of {self.name} must be 24 hex digits from 600000e0 on, not {self.uid_prefix!r}")
        roles = {self.role} | {user.role for user in self.users}
        if lost := roles - READING_ROLES - WRITING_ROLES:
            raise ValueError(f"{self.name} has no role {sorted(lost)}")
        numbers = [one.number for one in self.categories]
        if not set(numbers) <= set(range(1, CATEGORIES)) or len(set(numbers)) < len(numbers):
            raise ValueError(f"the categories of {self.name} are not different numbers from 1 to {CATEGORIES - 1}")
        used = {category for one in self.volumes for category in (one.category, one.read_category, one.write_category)}
        if not used <= set(range(CATEGORIES)):
            raise ValueError(f"{self.name} has no categories {sorted(used - set(range(CATEGORIES)))}")
        if not self.qos and (used - {0} or self.categories):
            raise ValueError(f"{self.name} has no QoS, so it cannot have categories")
        if len(set(self.volume_numbers())) < len(self.volumes):
            raise ValueError(f"{self.name} has two volumes of one number")
        self._check_names()

    def _check_names(self) -> None:
        volumes, hosts, ports = ({one.name for one in each} for each in (self.volumes, self.hosts, self.ports))
        for what, known, used in (
            ("volume", volumes, {name for group in self.lun_groups for name in group.members}),
            ("volume", volumes, {name for port in self.ports for name in port.luns}),
            ("host", hosts, {name for group in self.host_groups for name in group.members}),
            ("host", hosts, {name for port in self.ports for name in port.hosts}),
            ("port", ports, {name for group in self.port_groups for name in group.members}),
            ("LUN group", _names(self.lun_groups), {one.lun_group for one in self.affinities}),
            ("LUN group", _names(self.lun_groups), {name for port in self.ports for name in port.hosts.values()}),
            ("host group", _names(self.host_groups), {one.host_group for one in self.affinities}),
            ("port group", _names(self.port_groups), {one.port_group for one in self.affinities}),
        ):
            if used - known:
                raise ValueError(f"{self.name} has no {what} named {sorted(used - known)}")

    @property
    def reported_serial(self) -> str:
        """The serial number in answers: ten digits."""
        return f"{site_number(int(self.serial_number), self.site, below=10**10):010}" if self.site else self.serial_number

    @property
    def has_qos_table(self) -> bool:
        """Whether the category table can be read and set."""
        return self.qos and self.firmware >= QOS_TABLE_SINCE

    def volume_numbers(self) -> tuple[int, ...]:
        """The numbers of `volumes`, in their order."""
        return tuple(place if one.number is None else one.number for place, one in enumerate(self.volumes))

    def uid(self, number: int) -> str:
        """The UID of a volume, 32 hex digits in upper case; hosts show it in lower case after "naa."."""
        return f"{self.uid_prefix}{number:04x}0000".upper()


def _names(groups: tuple[GroupDescription, ...]) -> set[str]:
    return {group.name for group in groups}
