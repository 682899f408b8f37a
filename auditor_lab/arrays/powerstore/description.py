"""The description of a simulated PowerStore; scenarios write it in YAML, and msgspec decodes it."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from auditor_lab.days import DaySpanDescription
from auditor_lab.sites import site_uuid

NAA_PREFIX = "68ccf09800"
"""The first digits of every SCSI name of the family. Source: docs/domain/arrays.md#powerstore."""

IQN_PREFIX = "iqn.2015-10.com.dell:dellemc-powerstore"
"""Of its iSCSI targets. Source: Dell's CSI documentation, as auditor_lab/scenarios/odd-neighbours.yaml has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QosPolicyDescription:
    """A QoS policy and the I/O limit rule in it.

    Attributes:
        max_iops: I/O operations a second; None is no limit.
        max_bw: KB/s; None is no limit.
        burst_percentage: by how much both may be exceeded for a few seconds.
        density: the limits are for each GB of a volume's size.
    """

    name: str
    max_iops: int | None = None
    max_bw: int | None = None
    burst_percentage: int = 0
    density: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadDescription:
    """What a volume does, as the array measures it; all zero means idle."""

    read_iops: int = 0
    write_iops: int = 0
    io_bytes: int = 8192
    latency_us: int = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeDescription:
    """A volume.

    Attributes:
        priority: Low | Medium | High.
        qos_policy: name of its QoS policy.
        group: name of the volume group it is in.
        hosts: mapped to these hosts; likewise `host_groups`.
        state: Ready | Initializing | Offline | Destroying.
        metro: it lies on a second cluster as well.
        snapshots: how many there are of it.
    """

    name: str
    size_bytes: int = 1 << 40
    priority: str = "Medium"
    qos_policy: str | None = None
    group: str | None = None
    hosts: tuple[str, ...] = ()
    host_groups: tuple[str, ...] = ()
    state: str = "Ready"
    metro: bool = False
    snapshots: int = 0
    load: LoadDescription = LoadDescription()


@dataclass(frozen=True, slots=True, kw_only=True)
class VvolDescription:
    """A virtual volume; `id` is the UUID by which vCenter knows it, and None is derived."""

    name: str
    usage: str = "Data"  # Config | Data | Swap | Memory | Other
    size_bytes: int = 40 << 30
    priority: str = "Medium"
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeGroupDescription:
    """A volume group, with the name of its QoS policy."""

    name: str
    qos_policy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostDescription:
    """A host; `iscsi` has IQNs, `fc` WWPNs of 16 hex digits, `nvme` NQNs."""

    name: str
    os_type: str = "ESXi"
    host_group: str | None = None
    iscsi: tuple[str, ...] = ()
    fc: tuple[str, ...] = ()
    nvme: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertDescription:
    """An alert that is active unless it was `cleared`."""

    code: str
    severity: str = "Major"  # None | Info | Minor | Major | Critical
    text: str = ""
    resource: str = ""
    acknowledged: bool = False
    cleared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportDescription:
    """A file system and the NFS export of its root.

    Attributes:
        name: of both; hosts mount it by that.
        path: inside the file system's NAS server; None is "/" and the name.
        file_policy: it has a performance policy of its own, whose limits are MB/s.
        snapshots: how many there are of it, each with an export.
    """

    name: str
    size_bytes: int = 1 << 40
    path: str | None = None
    file_policy: bool = False
    snapshots: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NasServerDescription:
    """A NAS server: the addresses that hosts mount by, one for backups, and what it exports."""

    name: str
    addresses: tuple[str, ...] = ()
    disabled_addresses: tuple[str, ...] = ()
    backup_address: str | None = None
    exports: tuple[ExportDescription, ...] = ()
    file_policy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerStoreDescription:
    """One cluster.

    Attributes:
        id: a UUID, from which the names of its volumes are derived.
        version: of PowerStoreOS and of its REST API.
        appliances: their names; each has two nodes.
        containers: names of storage containers; virtual volumes are in the first.
        failed_nodes: names of nodes that are not healthy.
        role: Operator | Storage Administrator | Administrator, of the account.
        page: entries in one answer unless the request says how many.
        day: how the last day differed from now, by the name of a volume.
        site: where it stands: another site makes another identity, see `auditor_lab.sites`.
    """

    name: str
    id: str
    version: str = "4.1.0.0"
    model: str = "PowerStore 1200T"
    appliances: tuple[str, ...] = ("Appliance-1",)
    volumes: tuple[VolumeDescription, ...] = ()
    volume_groups: tuple[VolumeGroupDescription, ...] = ()
    qos_policies: tuple[QosPolicyDescription, ...] = ()
    hosts: tuple[HostDescription, ...] = ()
    host_groups: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    vvols: tuple[VvolDescription, ...] = ()
    alerts: tuple[AlertDescription, ...] = ()
    nas_servers: tuple[NasServerDescription, ...] = ()
    failed_nodes: tuple[str, ...] = ()
    iscsi_targets: tuple[str, ...] = ("a", "b")
    role: str = "Storage Administrator"
    page: int = 100
    site: str = ""
    day: Mapping[str, tuple[DaySpanDescription, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if str(uuid.UUID(self.id)) != self.id.lower():
            raise ValueError(f"id of {self.name} must be a UUID with dashes, not {self.id!r}")
        hosts, policies = tuple(host.name for host in self.hosts), tuple(policy.name for policy in self.qos_policies)
        groups = tuple(group.name for group in self.volume_groups)
        self._refuse_unknown("host group", (host.host_group for host in self.hosts), self.host_groups)
        self._refuse_unknown("host group", (group for volume in self.volumes for group in volume.host_groups), self.host_groups)
        self._refuse_unknown("host", (host for volume in self.volumes for host in volume.hosts), hosts)
        self._refuse_unknown("QoS policy", (volume.qos_policy for volume in self.volumes), policies)
        self._refuse_unknown("QoS policy", (group.qos_policy for group in self.volume_groups), policies)
        self._refuse_unknown("volume group", (volume.group for volume in self.volumes), groups)
        self._refuse_unknown("volume", self.day, tuple(volume.name for volume in self.volumes))
        for names in (hosts, policies, groups, tuple(volume.name for volume in self.volumes)):
            if twice := sorted(name for name, times in Counter(names).items() if times > 1):
                raise ValueError(f"{self.name} has twice: {twice}")
        if self.vvols and not self.containers:
            raise ValueError(f"{self.name} has virtual volumes and no storage container")
        if self.api < (4, 0) and policies:
            raise ValueError(f"{self.name} runs {self.version}, and QoS policies came with 4.0")

    def _refuse_unknown(self, kind: str, names: Iterable[str | None], known: tuple[str, ...]) -> None:
        lost = {one for one in names if one is not None} - set(known)
        if lost:
            raise ValueError(f"{self.name} has no {kind} named {sorted(lost)}")

    @property
    def api(self) -> tuple[int, int]:
        """The first two numbers of its version."""
        first, second = self.version.split(".")[:2]
        return int(first), int(second)

    @property
    def reported_id(self) -> str:
        """The global id in answers."""
        return f"PS{site_uuid(self.id, self.site).replace('-', '')[:12]}"

    def derived_id(self, *what: object) -> str:
        """A UUID that is the same at every start."""
        return str(uuid.uuid5(uuid.UUID(self.id), "/".join(map(str, what))))

    def naa(self, *what: object) -> str:
        """The SCSI name of a volume or virtual volume, without "naa."."""
        return NAA_PREFIX + self.derived_id("wwn", *what).replace("-", "")[:22]

    def targets(self) -> tuple[str, ...]:
        """The names of its iSCSI targets, one for each node."""
        return tuple(f"{IQN_PREFIX}-{self.id[:8]}-{node}" for node in self.iscsi_targets)

    def vvol_id(self, vvol: VvolDescription) -> str:
        """The id of a virtual volume."""
        return vvol.id or self.derived_id("vvol", vvol.name)


def nguid(naa: str) -> str:
    """The NGUID of what has that SCSI name: its digits in another order.

    Source: dell/python-powerstore, tests/unit_tests/data/virtual_volume_data.py, which has both of one virtual volume.
    """
    return f"{naa[10:26]}{naa[1:7]}{naa[0]}{naa[7:10]}{naa[26:]}"
