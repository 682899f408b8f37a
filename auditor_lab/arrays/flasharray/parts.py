"""Parts of a FlashArray's description: volumes, virtual machines on vVols, hosts and pods."""

from __future__ import annotations

from dataclasses import dataclass

_VVOL_SIZES = {"Config": 4 << 30, "Data": 40 << 30, "Swap": 128 << 20}  # those of Config and Swap are as recorded


@dataclass(frozen=True, slots=True)
class QosDescription:
    """The limits of a volume or a volume group; None means no limit. Those of a volume and of its group apply both."""

    iops_limit: int | None = None
    bandwidth_limit: int | None = None  # bytes a second


@dataclass(frozen=True, slots=True)
class LimitsDescription:
    """The values that a limit may have.

    Source: the vendor's OpenAPI definitions and the constants of OpenStack cinder's driver. The vendor's Python client for REST 2.15 had
    104,857,600 for the highest IOPS, which was a mistake in its definitions (py-pure-client, pull request 54).

    Attributes:
        unset: whether an empty string removes a limit. The definitions say so; the author of the vendor's Ansible modules says that nothing
            does, and they write the highest value instead (FlashArray-Collection issue 768). Not verified against a real system.
    """

    iops_floor: int = 100
    iops_ceiling: int = 100_000_000
    bandwidth_floor: int = 1 << 20  # 1 MiB/s
    bandwidth_ceiling: int = 512 << 30  # 512 GiB/s
    unset: bool = True


@dataclass(frozen=True, slots=True)
class LoadDescription:
    """The load of a volume or a host as the array measures it; all zero means idle.

    Attributes:
        reads_per_sec: operations; likewise `writes_per_sec`.
        bytes_per_read: mean size; likewise `bytes_per_write`.
        usec_per_read_op: latency in the array, without the fabric and the host's queues.
        queue_usec_per_read_op: what is spent in the array's own queue; a part of it from Purity 6.3.14 and 6.4.10 on, beside it before.
        qos_rate_limit_usec_per_read_op: delay because a limit was reached.
    """

    reads_per_sec: int = 0
    writes_per_sec: int = 0
    bytes_per_read: int = 0
    bytes_per_write: int = 0
    usec_per_read_op: int = 0
    usec_per_write_op: int = 0
    queue_usec_per_read_op: int = 0
    queue_usec_per_write_op: int = 0
    qos_rate_limit_usec_per_read_op: int = 0
    qos_rate_limit_usec_per_write_op: int = 0
    san_usec_per_read_op: int = 0
    san_usec_per_write_op: int = 0


@dataclass(frozen=True, slots=True)
class VolumeDescription:
    """A volume; its name is `pod::name` in a pod and `group/name` in a volume group.

    Attributes:
        size_bytes: as provisioned; a protocol endpoint has none.
        subtype: regular | protocol_endpoint.
        serial: 24 hex digits; None is the array's first 16 digits and the volume's position. A volume of a stretched pod has one serial on
            both arrays, that of the array which created it: give it on both.
        host_groups: connected to all hosts of these groups.
        hosts: connected to these single hosts.
    """

    name: str
    size_bytes: int = 1 << 40
    subtype: str = "regular"
    serial: str | None = None
    qos: QosDescription = QosDescription()
    host_groups: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    load: LoadDescription = LoadDescription()


@dataclass(frozen=True, slots=True)
class VolumeGroupDescription:
    """A volume group that does not belong to a virtual machine; `pod::name` in a pod."""

    name: str
    qos: QosDescription = QosDescription()


@dataclass(frozen=True, slots=True)
class VvolDescription:
    """One virtual volume of a machine.

    Attributes:
        size_bytes: None is the usual size of its kind.
        vvol_id: by which vCenter knows it, for example rfc4122.b8e3a105-46d7-4c92-8f0e-19a5d7c2634b; None is one that no disk has.
    """

    kind: str = "Data"  # Config | Data | Swap ...
    vvol_id: str | None = None
    size_bytes: int | None = None
    serial: str | None = None
    qos: QosDescription = QosDescription()
    load: LoadDescription = LoadDescription()

    @property
    def provisioned_bytes(self) -> int:
        """Its size."""
        return _VVOL_SIZES.get(self.kind, 40 << 30) if self.size_bytes is None else self.size_bytes


@dataclass(frozen=True, slots=True)
class MachineDescription:
    """A virtual machine on vVols: a volume group with a volume for every vVol.

    Attributes:
        vm: its name; the group is `vvol-<vm>-<8 hex digits>-vg`, as recorded.
        qos: of the group, so of the whole machine.
        bound_by: hosts that have its vVols open, each through a protocol endpoint that it is connected to.
    """

    vm: str
    vvols: tuple[VvolDescription, ...] = (VvolDescription("Config"), VvolDescription("Data"))
    qos: QosDescription = QosDescription()
    bound_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HostDescription:
    """A host as the array knows it: a name and its registered initiators.

    Attributes:
        personality: esxi, aix, hpux ...; None when it is not set.
        wwns: 16 hex digits each, without colons; likewise `iqns`, `nqns`.
        port_status: healthy | warning | critical | unknown, of the paths that the array sees.
        port_details: details of it, for example Redundant, Single Controller, None.
        is_local: false for a host of an array that this one replicates with; its name is then "array:host".
        qos: ceilings of the host; arrays have them from REST 2.50 on.
    """

    name: str
    host_group: str | None = None
    personality: str | None = "esxi"
    wwns: tuple[str, ...] = ()
    iqns: tuple[str, ...] = ()
    nqns: tuple[str, ...] = ()
    preferred_arrays: tuple[str, ...] = ()
    port_status: str = "healthy"
    port_details: str = "Redundant"
    is_local: bool = True
    qos: QosDescription = QosDescription()
    load: LoadDescription = LoadDescription()


@dataclass(frozen=True, slots=True)
class RemoteArrayDescription:
    """Another array that a pod is stretched to."""

    name: str
    id: str


@dataclass(frozen=True, slots=True)
class AlertDescription:
    """An alert of the array; severity: info | warning | critical | hidden, state: open | closing | closed."""

    code: int
    issue: str
    severity: str = "warning"
    state: str = "open"
    component_type: str = "hardware"
    component_name: str = ""


@dataclass(frozen=True, slots=True)
class PodDescription:
    """A pod; with a remote array it is stretched: both arrays present its volumes with equal serials."""

    name: str
    stretched_to: tuple[RemoteArrayDescription, ...] = ()
