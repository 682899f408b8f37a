"""Parts of an ONTAP cluster's description: schedules, nodes, SVMs, aggregates, volumes, LUNs and the policies that apply to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$")


def iso_seconds(text: str) -> int:
    """The length of an ISO 8601 duration such as PT20M; 0 for what is none."""
    match = _DURATION.match(text)
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups()) if match else (0, 0, 0, 0)
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleDescription:
    """A schedule: an `interval` in ISO 8601 ("PT20M"), or a cron with the fields of REST; an empty tuple means "every"."""

    name: str
    interval: str | None = None
    minutes: tuple[int, ...] = ()
    hours: tuple[int, ...] = ()
    weekdays: tuple[int, ...] = ()
    days: tuple[int, ...] = ()
    months: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.interval is not None and self.runs_an_hour() <= 0:
            raise ValueError(f"schedule {self.name}: {self.interval!r} is not an interval such as PT20M")

    def runs_an_hour(self) -> float:
        """How often it runs, averaged over months and weeks."""
        if self.interval is not None:
            length = iso_seconds(self.interval)
            return 3600 / length if length else 0.0
        runs = (len(self.minutes) or 60) * (len(self.hours) or 24) / 24
        runs *= (len(self.weekdays) or 7) / 7 * (len(self.months) or 12) / 12
        return runs * (len(self.days) or 30) / 30


_CPU = {"wafl_exempt": 0.12, "exempt": 0.08, "hostOS": 0.06, "nwk_exempt": 0.03, "raid_exempt": 0.01}


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDescription:
    """A node of the cluster; `all_flash` decides its default scrub schedule, `cpu` has shares of all its processors by domain."""

    name: str
    model: str = "FAS8200"
    state: str = "up"
    all_flash: bool = False
    cpu: Mapping[str, float] = field(default_factory=lambda: dict(_CPU))


@dataclass(frozen=True, slots=True, kw_only=True)
class SvmDescription:
    """A storage virtual machine and its protocols; its QoS policy limits all its volumes together, besides their own policies.

    `addresses` are those of its IP interfaces.
    """

    name: str
    protocols: tuple[str, ...] = ("nfs", "iscsi")  # nfs cifs iscsi fcp nvme
    state: str = "running"
    qos_policy: str | None = None
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateDescription:
    """An aggregate, its disks, and their load apart from SnapMirror.

    Attributes:
        cache_disks: flash disks of a Flash Pool's cache; they are in RAID groups of their own, and take `cache_iops`.
        cache_iops: transfers a second of these.
        raid_size: the most disks of one RAID group; RAID-DP uses two of each for parity.
        client_iops: disk I/O operations a second that hosts cause.
        background_iops: those that dedup, scrubs and other work of the system cause all day, reads of consistency points among them.
        consistency_iops: of background_iops, the reads of consistency points.
        iops_at_full_busy: disk I/O operations a second at which the disks are 100 % busy; up to there busy grows in proportion.
        optimal_ops: the optimal_point.ops of the headroom table, operations a second.
        latency_us: the time of an operation up to there.
        rebuild_percent: how far a disk of its first RAID group is made anew; None: none is.
        latency_us_beyond: the time of an operation beyond it, None for no difference. It is a step, because beyond that point an
            aggregate's latency jumps (docs/domain/incidents.md#s3); volumes and LUNs on it get the same excess.
    """

    name: str
    node: str
    disk_count: int = 16
    disk_type: str = "sas"  # sas | fcal | ssd | ssd_nvm ...
    rpm: int | None = 10000
    disk_bytes: int = 900 * 10**9
    cache_disks: int = 0
    cache_iops: float = 0.0
    raid_size: int = 16
    client_iops: float = 0.0
    background_iops: float = 0.0
    consistency_iops: float = 0.0
    iops_at_full_busy: float = 2000.0
    optimal_ops: float = 1500.0
    latency_us: int = 5000
    latency_us_beyond: int | None = None
    rebuild_percent: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveDescription:
    """Limits that grow with the size, in I/O operations a second for each TiB."""

    expected_iops: int
    peak_iops: int
    absolute_min_iops: int = 0
    block_size: str = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class QosPolicyDescription:
    """A policy group; 0 means "no limit", as in ONTAP. `shared`: one limit for all members together.

    `burst` is how far it lets them go above its ceiling from 9.19 on: percent and seconds, 0 is what every release does.
    """

    name: str
    svm: str
    max_iops: int = 0
    min_iops: int = 0
    max_mbps: int = 0
    shared: bool = False
    adaptive: AdaptiveDescription | None = None
    burst: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EfficiencyPolicyDescription:
    """When dedup runs. `schedule` is for type scheduled, `start_threshold_percent` for type threshold; duration in hours."""

    name: str
    svm: str
    type: str = "scheduled"
    schedule: str | None = "daily"
    start_threshold_percent: int | None = None
    duration: int | None = None
    qos_policy: str = "background"
    enabled: bool = True
    comment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeDescription:
    """A FlexVol.

    Attributes:
        junction_path: where NFS clients mount it; None for a volume that only holds LUNs.
        efficiency_policy: name of the policy that starts dedup.
        efficiency_run: begin, end, state and bytes of its newest run of efficiency; times as the lab is to print them.
        efficiency_active: whether efficiency runs now.
        move_state: of its newest move, which went to `move_to` and began at `move_began`; None: it was never moved.
        snapshots: when its snapshots were taken, ISO 8601.
        efficiency_schedule: a schedule of its own instead, in the command line's notation ("sun-sat@0"); both None: dedup is off.
        iops: client operations a second, for `metric`; they do not load the aggregate.
        latency_us: the time of one while the aggregate is not beyond its optimal point.
    """

    name: str
    svm: str
    aggregate: str
    size_bytes: int = 1 << 40
    type: str = "rw"  # rw | dp | ls
    junction_path: str | None = None
    qos_policy: str | None = None
    efficiency_policy: str | None = None
    efficiency_schedule: str | None = None
    efficiency_run: tuple[str, str, str, int] | None = None
    efficiency_active: bool = False
    move_state: str | None = None
    move_to: str | None = None
    move_began: str | None = None
    snapshots: tuple[str, ...] = ()
    iops: int = 0
    latency_us: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class LunDescription:
    """A LUN; its name in REST is /vol/<volume>/<name>.

    Attributes:
        serial: 12 ASCII characters, case matters; None is derived.
        misaligned: share of the reads and writes that do not start at a 4 KiB block, 0 to 1.
        partial: share of them that cover only part of a block.
        latency_us: as for a volume.
        bound_to: for a vVol: the paths (/vol/<volume>/<name>) of the protocol endpoints that it is bound to.
        state: as LunStatus.state of netapp-ontap has it; hosts of the lab go on with one that is not online.
    """

    name: str
    volume: str
    size_bytes: int = 500 << 30
    serial: str | None = None
    os_type: str = "vmware"
    kind: str = "regular"  # regular | protocol_endpoint | vvol
    qos_policy: str | None = None
    igroups: tuple[str, ...] = ()
    read_iops: int = 0
    write_iops: int = 0
    misaligned: float = 0.0
    partial: float = 0.0
    latency_us: int = 1000
    bound_to: tuple[str, ...] = ()
    state: str = "online"  # online | offline | space_error | nvfail | foreign_lun_error


@dataclass(frozen=True, slots=True, kw_only=True)
class IgroupDescription:
    """An initiator group."""

    name: str
    svm: str
    initiators: tuple[str, ...] = ()
    os_type: str = "vmware"
    protocol: str = "iscsi"  # iscsi | fcp | mixed


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceDescription:
    """An NVMe namespace; its name in REST is /vol/<volume>/<name>. Without a subsystem nobody reaches it."""

    name: str
    volume: str
    subsystem: str | None = None
    size_bytes: int = 500 << 30
    os_type: str = "vmware"
    iops: int = 0
    latency_us: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsystemDescription:
    """An NVMe subsystem, and the qualified names of the hosts that may connect to it."""

    name: str
    svm: str
    hosts: tuple[str, ...] = ()
    os_type: str = "vmware"


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapMirrorPolicyDescription:
    """A SnapMirror policy of the cluster."""

    name: str
    type: str = "async"  # async | sync | continuous
    schedule: str | None = None
    throttle: int = 0  # KiB/s, 0 is unlimited


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationshipDescription:
    """A SnapMirror relationship, `source` and `destination` as svm:volume.

    The cluster of the destination lists it; a cluster with only the source lists it under list_destinations_only. Its transfers load the
    aggregate of the source when that is here, else of the destination: `iops_per_run_an_hour` disk operations a second for every transfer
    an hour of the schedule.

    `transfer_state`, `transfer_bytes`, `transfer_duration` and `transfer_ended` are those of its newest transfer; of one under way
    (transferring) the first three are until now, and without `transfer_bytes` it has sent 4 KiB for each disk operation that it caused.
    """

    source: str
    destination: str
    source_cluster: str | None = None  # None is this cluster
    schedule: str | None = None  # None: the policy's
    policy: str = "MirrorAllSnapshots"
    iops_per_run_an_hour: float = 0.0
    lag_time: str = "PT15M"
    state: str = "snapmirrored"
    healthy: bool = True
    throttle: int = 0
    transfer_state: str = "success"
    transfer_bytes: int | None = None
    transfer_duration: str = "PT5M"
    transfer_ended: str | None = None

    @property
    def transfer_seconds(self) -> int:
        """How long its newest transfer took, or has run."""
        return iso_seconds(self.transfer_duration)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaidOptionDescription:
    """One line of `storage raid-options show`; the lab needs raid.scrub.schedule."""

    node: str
    name: str
    value: str
    constraint: str = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthAlertDescription:
    """A line of `system health alert show`; severity: Unknown | Other | Information | Degraded | Minor | Major | Critical | Fatal."""

    node: str
    alert_id: str
    resource: str
    cause: str
    severity: str = "Major"
    monitor: str = "node-connect"
    acknowledge: bool = False
    suppress: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDescription:
    """A job that `cluster/jobs` lists besides those of changes made through the lab; times in ISO 8601."""

    description: str
    state: str = "success"  # queued | running | paused | success | failure
    start_time: str | None = None
    end_time: str | None = None
