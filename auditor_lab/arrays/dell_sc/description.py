"""The description of a simulated Dell Storage Center; scenarios write it in YAML, and msgspec decodes it."""

from __future__ import annotations

from dataclasses import dataclass, field

from auditor_lab.sites import site_number

FIRST_RELEASE_WITH_QOS = 7
"""The major release from which volumes have QoS profiles.

Source: docs/domain/arrays.md#dell-sc: a recorded 6.5 has none; that 7.0 is the first is not verified.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerPortDescription:
    """A front-end port.

    Attributes:
        transport: iscsi | fc.
        controller: position in `DellScDescription.controllers`, from 1.
        wwn: 16 hex digits; None is derived from the serial number and the port's position.
        address: IPv4 address of an iSCSI port.
        fault_domain: name of the domain that it belongs to.
    """

    transport: str = "iscsi"
    controller: int = 1
    wwn: str | None = None
    address: str = "0.0.0.0"
    fault_domain: str = "Domain 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertDescription:
    """An active alert."""

    definition: str
    message: str
    acknowledged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageProfileDescription:
    """Where Data Progression may place a volume's pages: it moves them between several tiers, and leaves them on a single one.

    Attributes:
        tiers: those of 1, 2 and 3 that are in use.
        raid: raidTypeDescription.
    """

    name: str
    tiers: tuple[int, ...] = (1, 2, 3)
    raid: str = "RAID 10 Active, RAID 5 or RAID 6 Replay"
    user_created: bool = False

    def __post_init__(self) -> None:
        if not self.tiers or set(self.tiers) - {1, 2, 3}:
            raise ValueError(f"storage profile {self.name} must use tiers of 1, 2 and 3, not {self.tiers}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayProfileDescription:
    """A snapshot schedule; `kind` is Standard or Consistent."""

    name: str
    kind: str = "Standard"
    rule_count: int = 1
    user_created: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QosProfileDescription:
    """A QoS profile.

    Attributes:
        kind: volume | group.
        priority: relative priority, used when the system's latency threshold is exceeded.
        iops_limit: I/O operations a second; None is no limit.
        bandwidth_limit_mb_per_second: throughput; None is no limit.

    Source: docs/domain/facts.md#4-6.
    """

    name: str
    kind: str = "volume"
    priority: str = "Medium"
    iops_limit: int | None = None
    bandwidth_limit_mb_per_second: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("volume", "group"):
            raise ValueError(f"QoS profile {self.name} must be of kind volume or group, not {self.kind!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HbaDescription:
    """A server's initiator: `name` is an IQN, or a WWPN of 16 hex digits."""

    name: str
    transport: str = "iscsi"  # iscsi | fc
    connectivity: str = "Up"  # Up | Partial | Down


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerDescription:
    """A host as the array knows it; `cluster` names the server cluster it is in."""

    name: str
    hbas: tuple[HbaDescription, ...] = ()
    cluster: str | None = None
    operating_system: str = "VMware ESXi 6.5"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadDescription:
    """The load of a volume; all zero means idle. Latencies are answered as given here: their unit in the real API is not verified."""

    read_iops: int = 0
    write_iops: int = 0
    read_kb_per_second: int = 0
    write_kb_per_second: int = 0
    read_latency: int = 0
    write_latency: int = 0
    pending: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeDescription:
    """A volume.

    Attributes:
        index: its number in every instanceId; None is the position in the list, from 1; give it to all volumes or to none.
        vpd_id: the number in its device name, which is **not** the index; None is the index plus 2, as in both recorded volumes.
        volume_qos_profile: by name; a volume always has one.
        group_qos_profile: by name; None is none.
        mapped_to: names of servers or server clusters.
        lun: None is the index.
        used_bytes: written so far.
    """

    name: str
    size_bytes: int = 1 << 40
    used_bytes: int = 0
    index: int | None = None
    vpd_id: int | None = None
    storage_profile: str = "Recommended"
    volume_qos_profile: str = "Default"
    group_qos_profile: str | None = None
    replay_profiles: tuple[str, ...] = ()
    mapped_to: tuple[str, ...] = ()
    lun: int | None = None
    status: str = "Up"
    write_cache: bool = True
    compression: bool = False
    load: LoadDescription = LoadDescription()


_STORAGE_PROFILES = (
    StorageProfileDescription(name="Recommended"),
    StorageProfileDescription(name="High Priority", tiers=(1,)),
    StorageProfileDescription(name="Medium Priority", tiers=(2,)),
    StorageProfileDescription(name="Low Priority", tiers=(3,)),
)
_PORTS = (
    ControllerPortDescription(controller=1, address="198.51.100.31"),
    ControllerPortDescription(controller=2, address="198.51.100.32"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DellScDescription:
    """One Storage Center with the Storage Manager in front of it.

    Attributes:
        name: the endpoint's name.
        serial_number: part of every instanceId and device name.
        storage_center_name: as shown; None is "Storage Center" and the serial number.
        model: of both controllers.
        version: release of the Storage Center; before 7 there are no QoS profiles. The default's build number is not verified.
        api_version: of the Storage Manager; before 2.2 it takes filters without their wrapping. Source: cinder's client.
        min_api_version: the oldest version that a request's x-dell-api-version may name.
        wwn_key: the key of a port's WWN: one recording has "WWN", another "wWN".
        qos_latency_threshold_ms: of the whole system; relative priorities are used above it. None is off.
        alerts: those that are active.
        task_seconds: the time until a call with the header `async: True` takes effect; None means that it never does.
        clock_skew_seconds: how far its clock is ahead.
        permissions: of the account: "read" and "write". An account with "read" alone is a Reporter in the product.
        connected: whether its Storage Manager reaches it; the answers about a Storage Center that it does not reach are not verified.
        also: further Storage Centers behind the same Storage Manager; their fields about the manager itself are ignored.
        site: where it stands: another site makes another identity, see `auditor_lab.sites`.
    """

    name: str
    serial_number: int
    storage_center_name: str | None = None
    model: str = "SCv3020"
    version: str = "7.3.20.19"
    provider_version: str = "18.1.10.153"
    api_version: str = "4.1"
    min_api_version: str = "2.0"
    controllers: int = 2
    ports: tuple[ControllerPortDescription, ...] = _PORTS
    wwn_key: str = "WWN"
    storage_profiles: tuple[StorageProfileDescription, ...] = _STORAGE_PROFILES
    replay_profiles: tuple[ReplayProfileDescription, ...] = (ReplayProfileDescription(name="Daily"),)
    qos_profiles: tuple[QosProfileDescription, ...] = (QosProfileDescription(name="Default"),)
    qos_latency_threshold_ms: int | None = None
    allow_qos_profile_selection: bool = True
    allow_storage_profile_selection: bool = True
    server_clusters: tuple[str, ...] = ()
    servers: tuple[ServerDescription, ...] = ()
    volumes: tuple[VolumeDescription, ...] = ()
    capacity_bytes: int = 40 << 40
    alerts: tuple[AlertDescription, ...] = ()
    task_seconds: float | None = 0.1
    clock_skew_seconds: float = 0.0
    permissions: frozenset[str] = field(default=frozenset({"read", "write"}))
    connected: bool = True
    also: tuple[DellScDescription, ...] = ()
    site: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.serial_number < 1 << 24:
            raise ValueError(f"serial_number of {self.name} must fit 6 hex digits, was {self.serial_number}")
        kinds = {kind: {one.name for one in self.qos_profiles if one.kind == kind} for kind in ("volume", "group")}
        hosts = {one.name for one in self.servers} | set(self.server_clusters)
        replays = {name for one in self.volumes for name in one.replay_profiles}
        references: tuple[tuple[str, set[str | None], set[str]], ...] = (
            ("storage profile", {one.storage_profile for one in self.volumes}, {one.name for one in self.storage_profiles}),
            ("QoS profile for volumes", {one.volume_qos_profile for one in self.volumes}, kinds["volume"]),
            ("QoS profile for groups", {one.group_qos_profile for one in self.volumes} - {None}, kinds["group"]),
            ("replay profile", set(replays), {one.name for one in self.replay_profiles}),
            ("server or server cluster", {name for one in self.volumes for name in one.mapped_to}, hosts),
            ("server cluster", {one.cluster for one in self.servers} - {None}, set(self.server_clusters)),
        )
        for what, wanted, there in references:
            if wanted - there:
                raise ValueError(f"{self.name} has no {what} named {sorted(str(name) for name in wanted - there)}")
        if any(not 1 <= port.controller <= self.controllers for port in self.ports):
            raise ValueError(f"{self.name} has {self.controllers} controllers; a port names another")

    @property
    def reported_serial(self) -> int:
        """The serial number in answers; device names keep `serial_number`, as hosts see them, at every site."""
        return site_number(self.serial_number, self.site, below=1 << 24)

    @property
    def shown_name(self) -> str:
        """The Storage Center's own name, `scName` in every object."""
        return self.storage_center_name or f"Storage Center {self.reported_serial}"

    @property
    def has_qos(self) -> bool:
        """Whether this release has QoS profiles."""
        return int(self.version.split(".")[0]) >= FIRST_RELEASE_WITH_QOS

    def volume_indexes(self) -> tuple[int, ...]:
        """The index of each of `volumes`, in their order."""
        return tuple(place if volume.index is None else volume.index for place, volume in enumerate(self.volumes, 1))

    def volume_vpd_ids(self) -> tuple[int, ...]:
        """The vpdId of each of `volumes`, in their order."""
        indexed = zip(self.volumes, self.volume_indexes(), strict=True)
        return tuple(index + 2 if volume.vpd_id is None else volume.vpd_id for volume, index in indexed)

    def naa(self, vpd_id: int) -> str:
        """The deviceId of the volume with that vpdId: its device name without "naa.".

        Source: docs/domain/arrays.md#device-names, checked against 6 records.
        """
        return f"6000d310{self.serial_number:06x}0000000000{vpd_id:08x}"

    def volume_naas(self) -> tuple[str, ...]:
        """The deviceId of each of `volumes`, in their order."""
        return tuple(self.naa(vpd_id) for vpd_id in self.volume_vpd_ids())

    def port_wwns(self) -> tuple[str, ...]:
        """The WWN of each of `ports`, in their order; 5000D310, the serial number and two digits as in every recorded port."""
        prefix = f"5000D310{self.serial_number:06X}"
        return tuple(port.wwn or f"{prefix}{place:02X}" for place, port in enumerate(self.ports, 1))

    def targets(self) -> tuple[str, ...]:
        """The target name of each of `ports`, in their order: the IQN of an iSCSI port, the WWPN of a Fibre Channel port in lower case."""
        return tuple(
            f"iqn.2002-03.com.compellent:{wwn.lower()}" if port.transport == "iscsi" else wwn.lower()
            for port, wwn in zip(self.ports, self.port_wwns(), strict=True)
        )
