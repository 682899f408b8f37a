"""The description of a simulated Element cluster; scenarios write it in YAML, and msgspec decodes it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

DEFAULT_CURVE: Mapping[int, int] = MappingProxyType(
    {
        4096: 100,
        8192: 160,
        16384: 270,
        32768: 500,
        65536: 1000,
        131072: 1950,
        262144: 3900,
        524288: 7600,
        1048576: 15000,
    }
)
"""I/O size in bytes to its cost relative to 4096 = 100.

Source: docs/domain/facts.md#6-2, and the recorded ListVolumes of a 12.x cluster.
"""

VVOL_NAMESPACE = uuid.UUID("5d0f6c1e-6d0b-5d4e-9a53-4b6f47acc201")  # the lab's own, so that derived ids are the same at every start


@dataclass(frozen=True, slots=True)
class QosDescription:
    """Limits in 4 KiB-normalised I/O operations a second; `curve` None is the default curve."""

    min: int = 50
    max: int = 15000
    burst: int = 15000
    curve: Mapping[int, int] | None = None

    @property
    def costs(self) -> Mapping[int, int]:
        """The curve that applies."""
        return DEFAULT_CURVE if self.curve is None else self.curve


@dataclass(frozen=True, slots=True)
class QosPolicyDescription:
    """A named set of limits; its id is its position in the list, from 1."""

    name: str
    min: int
    max: int
    burst: int
    curve: Mapping[int, int] | None = None

    @property
    def qos(self) -> QosDescription:
        """The limits without the name."""
        return QosDescription(self.min, self.max, self.burst, self.curve)


@dataclass(frozen=True, slots=True)
class NodeDescription:
    """A node; an active storage node without Fibre Channel has a protocol endpoint. `version` None is the cluster's version."""

    id: int
    name: str
    state: str = "active"  # active | pending | pendingActive
    version: str | None = None
    role: str = "Storage"  # Storage | Witness | Management | Compute
    fibre_channel_group: int | None = None


@dataclass(frozen=True, slots=True)
class LoadDescription:
    """The load of a volume; all zero means idle."""

    average_io_bytes: int = 0
    utilization: float = 0.0  # 1.0 is the ceiling
    latency_us: int = 0
    queue_depth: int = 0  # commands
    actual_iops: int = 0


@dataclass(frozen=True, slots=True)
class VolumeDescription:
    """A volume with a policy (by name), limits of its own, or neither, in which case the cluster's defaults apply.

    With both, its own limits apply although it has a policy: "Custom QoS will override" (docs/domain/facts.md#6-6).

    `id` None is the volume's position in the list, from 1; give ids to all volumes or to none.
    """

    name: str
    size_bytes: int = 1 << 40
    id: int | None = None
    policy: str | None = None
    qos: QosDescription | None = None
    access_groups: tuple[str, ...] = ()
    load: LoadDescription = LoadDescription()
    status: str = "active"


@dataclass(frozen=True, slots=True)
class AccessGroupDescription:
    """A volume access group; each volume lists the groups it is in.

    Attributes:
        initiators: IQNs, and WWPNs in the cluster's notation: "21:00:00:0e:1e:14:af:40".
        require_chap: its initiators have CHAP secrets of their own, which ListInitiators shows in clear text.
    """

    name: str
    initiators: tuple[str, ...] = ()
    require_chap: bool = False


@dataclass(frozen=True, slots=True)
class ContainerDescription:
    """A storage container, which vSphere shows as one vVol datastore; `id` None is derived from the name."""

    name: str
    id: str | None = None
    status: str = "active"


@dataclass(frozen=True, slots=True)
class VvolDescription:
    """A virtual volume, and the hosts it is bound for.

    Attributes:
        container: name of its container.
        kind: VMW_VVolType: Data, Config, Swap, Mem ...
        vm_uuid: VMW_VmID.
        id: virtualVolumeID; None is derived from container and name, which must then be unique together.
        node: the node whose protocol endpoint carries it; None distributes vVols over the active nodes in turn.
        bound_by: virtualVolumeHostIDs, one binding each; empty while no host has the vVol open.
    """

    name: str
    container: str
    kind: str = "Data"
    size_bytes: int = 40 << 30
    policy: str | None = None
    qos: QosDescription | None = None
    vm_uuid: str | None = None
    id: str | None = None
    node: int | None = None
    bound_by: tuple[str, ...] = ()
    load: LoadDescription = LoadDescription()


@dataclass(frozen=True, slots=True)
class LimitsDescription:
    """The limits of QoS settings that GetLimits returns. Source: docs/domain/facts.md#6-5 (getlimits.adoc)."""

    min_iops_floor: int = 50
    min_iops_ceiling: int = 15000
    max_iops_floor: int = 100
    max_iops_ceiling: int = 200000
    burst_iops_floor: int = 100
    burst_iops_ceiling: int = 200000


@dataclass(frozen=True, slots=True)
class FaultDescription:
    """A fault of the cluster; severity: warning | error | critical | bestPractice."""

    code: str
    details: str
    severity: str = "warning"
    kind: str = "cluster"  # node | drive | cluster | service | volume
    node_id: int = 0
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class ElementDescription:
    """One cluster.

    Attributes:
        unique_id: four ASCII characters; they are part of every device name of the cluster.
        page_limit: the most volumes in one ListVolumes answer, however many were requested.
        api_versions: the versions that GetAPI lists, oldest first; the last one is the current one.
        permissions: of the account: "read" and "write". Source: the access types of the same names in Element's API reference, "Access
            control"; the lab has no finer ones.
        access_groups: those with initiators; other groups that volumes name have none.
        custom_qos_keeps_policy: whether a volume that gets limits of its own stays in its policy. The behaviour of a real cluster is not
            verified, so both are possible.
        faults: what it reports as wrong with itself, resolved ones included.
        max_iops: what it is expected to do; None is 50,000 for each active node.
        clock_ahead_seconds: how far the cluster's clock is ahead of this machine's.
        site: where it stands: another site makes another identity, see `auditor_lab.sites`.
    """

    name: str
    unique_id: str
    version: str = "12.3.0.958"
    nodes: tuple[NodeDescription, ...] = ()
    qos_policies: tuple[QosPolicyDescription, ...] = ()
    volumes: tuple[VolumeDescription, ...] = ()
    containers: tuple[ContainerDescription, ...] = ()
    vvols: tuple[VvolDescription, ...] = ()
    default_qos: QosDescription = QosDescription()
    limits: LimitsDescription = LimitsDescription()
    page_limit: int = 10000
    api_versions: tuple[str, ...] = ("10.0", "11.0", "11.7", "12.0", "12.2", "12.3")
    permissions: frozenset[str] = field(default=frozenset({"read", "write"}))
    access_groups: tuple[AccessGroupDescription, ...] = ()
    custom_qos_keeps_policy: bool = False
    faults: tuple[FaultDescription, ...] = ()
    max_iops: int | None = None
    clock_ahead_seconds: float = 0.0
    site: str = ""

    def __post_init__(self) -> None:
        if len(self.unique_id) != 4 or not self.unique_id.isascii():
            raise ValueError(f"unique_id of {self.name} must be 4 ASCII characters, not {self.unique_id!r}")
        policies = {policy.name for policy in self.qos_policies}
        used = {volume.policy for volume in self.volumes} | {vvol.policy for vvol in self.vvols}
        if used - policies - {None}:
            raise ValueError(f"{self.name} has no QoS policy named {sorted(name for name in used - policies if name)}")
        containers = {container.name for container in self.containers}
        lost = {vvol.container for vvol in self.vvols} - containers
        if lost:
            raise ValueError(f"{self.name} has no storage container named {sorted(lost)}")

    @property
    def active_nodes(self) -> tuple[NodeDescription, ...]:
        """The nodes that take part in the cluster."""
        return tuple(node for node in self.nodes if node.state == "active")

    @property
    def endpoint_nodes(self) -> tuple[NodeDescription, ...]:
        """The nodes that have a protocol endpoint each. Source: docs/domain/facts.md#10-2 (witness and Fibre Channel nodes: inferred)."""
        return tuple(node for node in self.active_nodes if node.role == "Storage" and node.fibre_channel_group is None)

    def pe_naa(self, node_id: int) -> str:
        """The scsiNAADeviceID of a node's protocol endpoint, without "naa.".

        Source: docs/domain/arrays.md#device-names, checked against 4 records.
        """
        return f"6f47acc2{node_id:08x}{self.unique_id.encode().hex()}00000000"

    def pe_iqn(self, node_id: int) -> str:
        """The target name of a node's protocol endpoint. The form is the lab's own."""
        return f"iqn.2010-01.com.solidfire:{self.unique_id}.pe.{node_id}"

    def volume_naa(self, volume_id: int) -> str:
        """The scsiNAADeviceID of a volume, without "naa.". Source: docs/domain/arrays.md#device-names, checked against 27 of 29 records."""
        return f"6f47acc100000000{self.unique_id.encode().hex()}{volume_id:08x}"

    def volume_ids(self) -> tuple[int, ...]:
        """The volumeIDs of `volumes`, in their order."""
        return tuple(place if volume.id is None else volume.id for place, volume in enumerate(self.volumes, 1))

    def vvol_volume_ids(self) -> tuple[int, ...]:
        """The volumeIDs of the volumes behind `vvols`, in their order; they follow the ordinary ones."""
        first = max(self.volume_ids(), default=0) + 1
        return tuple(range(first, first + len(self.vvols)))

    def container_id(self, name: str) -> str:
        """The storageContainerID, a lower-case UUID with dashes."""
        for container in self.containers:
            if container.name == name:
                return (container.id or str(uuid.uuid5(VVOL_NAMESPACE, f"{self.unique_id}/{name}"))).lower()
        raise ValueError(f"{self.name} has no storage container named {name!r}")

    def vvol_id(self, vvol: VvolDescription) -> str:
        """The virtualVolumeID, a lower-case UUID with dashes; vSphere shows it as `rfc4122.` and this."""
        return (vvol.id or str(uuid.uuid5(VVOL_NAMESPACE, f"{self.unique_id}/{vvol.container}/{vvol.name}"))).lower()

    def vvol_node(self, place: int) -> int | None:
        """The node whose protocol endpoint carries the vVol at position `place` of `vvols`; None when no node has one."""
        chosen = self.vvols[place].node
        active = self.endpoint_nodes
        if chosen is not None or not active:
            return chosen
        return active[place % len(active)].id
