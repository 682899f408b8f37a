"""The state of a simulated ONTAP cluster: its description, and everything written since the start."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor_lab.arrays.ontap.description import OntapDescription
    from auditor_lab.arrays.ontap.parts import (
        AggregateDescription,
        EfficiencyPolicyDescription,
        IgroupDescription,
        LunDescription,
        QosPolicyDescription,
        RelationshipDescription,
        ScheduleDescription,
        SnapMirrorPolicyDescription,
        VolumeDescription,
    )

UP_SINCE_SECONDS = 1_000_000.0
"""How long the cluster has been up when the lab starts; counters count from its boot."""


@dataclass(slots=True)
class QosPolicy:
    """A policy group in its current state; `limits` is the object under `fixed` or under `adaptive`."""

    uuid: str
    svm: str
    name: str
    kind: str  # fixed | adaptive
    limits: dict[str, Any]
    pgid: int
    burst: tuple[int, int] = (0, 0)  # percent, seconds


@dataclass(slots=True)
class EfficiencyPolicy:
    """An efficiency policy in its current state; `schedule` is a name, None for type threshold."""

    uuid: str
    svm: str
    name: str
    schedule: str | None
    settings: dict[str, Any]


@dataclass(slots=True)
class Volume:
    """A volume in its current state."""

    uuid: str
    about: VolumeDescription
    qos: QosPolicy | None
    efficiency: EfficiencyPolicy | None


@dataclass(slots=True)
class Lun:
    """A LUN in its current state."""

    uuid: str
    about: LunDescription
    volume: Volume
    qos: QosPolicy | None

    @property
    def path(self) -> str:
        """Its name in REST."""
        return f"/vol/{self.about.volume}/{self.about.name}"


@dataclass(slots=True)
class Relationship:
    """A SnapMirror relationship in its current state; `schedule` None is the policy's schedule."""

    uuid: str
    about: RelationshipDescription
    schedule: ScheduleDescription | None
    policy: SnapMirrorPolicyDescription
    throttle: int

    def runs_an_hour(self, schedules: dict[str, ScheduleDescription]) -> float:
        """The transfers an hour of the schedule that applies."""
        schedule = self.schedule or schedules.get(self.policy.schedule or "")
        return 0.0 if schedule is None else schedule.runs_an_hour()


@dataclass(slots=True)
class Meter:
    """Sums over the disks of one aggregate since the cluster came up; they only grow."""

    about: AggregateDescription
    client: float = 0.0  # disk I/O operations
    total: float = 0.0
    busy_seconds: float = 0.0  # of each disk
    seconds: float = 0.0
    operation_us: float = 0.0  # of all operations together
    excess_us_seconds: float = 0.0  # the excess latency of one operation over that within the optimal point, times the seconds it lasted


@dataclass(frozen=True, slots=True)
class Load:
    """The current load of the disks of one aggregate; operations a second, busy 0 to 1."""

    client: float
    background: float
    snapmirror: float
    busy: float

    @property
    def total(self) -> float:
        """The sum of all operations."""
        return self.client + self.background + self.snapmirror


@dataclass(slots=True)
class Cluster:
    """The state that answers are made from; writes stay until the server stops. Callers serialise access."""

    description: OntapDescription
    schedules: dict[str, ScheduleDescription] = field(init=False)
    qos: list[QosPolicy] = field(init=False)
    efficiency: list[EfficiencyPolicy] = field(init=False)
    volumes: list[Volume] = field(init=False)
    luns: list[Lun] = field(init=False)
    maps: list[tuple[Lun, IgroupDescription, int]] = field(init=False)
    maps_of: dict[str, list[tuple[IgroupDescription, int]]] = field(init=False)  # by the LUN's UUID
    relationships: list[Relationship] = field(init=False)
    meters: dict[str, Meter] = field(init=False)
    uptime: float = field(init=False, default=0.0)
    _by_endpoint: dict[str, Volume] = field(init=False)

    def __post_init__(self) -> None:
        about = self.description
        self.schedules = {schedule.name: schedule for schedule in about.schedules}
        self.qos = [self._qos(place, each) for place, each in enumerate(about.qos_policies, 1)]
        self.efficiency = [self._efficiency(each) for each in about.efficiency_policies]
        qos = {each.name: each for each in self.qos}
        efficiency = {each.name: each for each in self.efficiency}
        self.volumes = [
            Volume(self.uuid("volume", each.name), each, qos.get(each.qos_policy or ""), efficiency.get(each.efficiency_policy or ""))
            for each in about.volumes
        ]
        volumes = {each.about.name: each for each in self.volumes}
        self._by_endpoint = {f"{each.about.svm}:{each.about.name}": each for each in self.volumes}
        self.luns = [
            Lun(self.uuid("lun", each.volume, each.name), each, volumes[each.volume], qos.get(each.qos_policy or "")) for each in about.luns
        ]
        self._make_maps()
        policies = {each.name: each for each in about.snapmirror_policies}
        self.relationships = [
            Relationship(
                self.uuid("snapmirror", each.source, each.destination),
                each,
                self.schedules.get(each.schedule or ""),
                policies[each.policy],
                each.throttle,
            )
            for each in about.relationships
        ]
        self.meters = {each.name: Meter(each) for each in about.aggregates}
        self.advance(UP_SINCE_SECONDS)

    def uuid(self, *what: object) -> str:
        """A UUID that is the same at every start."""
        return self.description.derived_id(*what)

    def advance(self, uptime: float) -> None:
        """Add the current load of the aggregates to their sums, up to `uptime` in seconds."""
        passed = max(uptime - self.uptime, 0.0)
        self.uptime = max(uptime, self.uptime)
        for meter in self.meters.values():
            load = self.load(meter.about)
            meter.client += load.client * passed
            meter.total += load.total * passed
            meter.busy_seconds += load.busy * passed
            meter.seconds += passed
            excess = self.excess_us(meter.about.name)
            meter.operation_us += load.total * (meter.about.latency_us + excess) * passed
            meter.excess_us_seconds += excess * passed

    def load(self, aggregate: AggregateDescription) -> Load:
        """The load of an aggregate's disks under the current schedules."""
        transfers = sum(
            each.about.iops_per_run_an_hour * each.runs_an_hour(self.schedules)
            for each in self.relationships
            if self._loaded_aggregate(each) == aggregate.name
        )
        total = aggregate.client_iops + aggregate.background_iops + transfers
        return Load(aggregate.client_iops, aggregate.background_iops, transfers, min(total / aggregate.iops_at_full_busy, 1.0))

    def transfer_bytes(self, relationship: Relationship) -> int:
        """What the newest transfer of a relationship has sent; one under way a block of 4 KiB for each disk operation that it causes."""
        about = relationship.about
        if about.transfer_bytes is not None:
            return about.transfer_bytes
        if about.transfer_state != "transferring":
            return 1 << 30
        # It began under the schedule of the description, which a change since then does not alter.
        schedule = self.schedules.get(about.schedule or relationship.policy.schedule or "")
        runs_an_hour = 0.0 if schedule is None else schedule.runs_an_hour()
        return round(about.iops_per_run_an_hour * runs_an_hour * about.transfer_seconds * 4096)

    def excess_us(self, aggregate: str) -> int:
        """The excess latency of an operation on an aggregate's disks over that within its optimal point, in microseconds."""
        about = self.meters[aggregate].about
        beyond = about.latency_us_beyond is not None and self.load(about).total > about.optimal_ops
        return (about.latency_us_beyond or 0) - about.latency_us if beyond else 0

    def is_here(self, endpoint: str) -> bool:
        """Whether an svm:volume is in this cluster."""
        return self._volume(endpoint) is not None

    def members(self, policy: QosPolicy) -> int:
        """How many objects a policy group limits."""
        svms = sum(each.qos_policy == policy.name and each.name == policy.svm for each in self.description.svms)
        return svms + sum(each.qos is policy for each in self.volumes) + sum(each.qos is policy for each in self.luns)

    def _volume(self, endpoint: str) -> Volume | None:
        return self._by_endpoint.get(endpoint)

    def _loaded_aggregate(self, relationship: Relationship) -> str | None:
        here = self._volume(relationship.about.source) if relationship.about.source_cluster is None else None
        here = here or self._volume(relationship.about.destination)
        return None if here is None else here.about.aggregate

    def _make_maps(self) -> None:
        groups = {each.name: each for each in self.description.igroups}
        numbers: Counter[str] = Counter()
        self.maps, self.maps_of = [], {each.uuid: [] for each in self.luns}
        for lun in self.luns:
            for name in lun.about.igroups:
                self.maps.append((lun, groups[name], numbers[name]))
                self.maps_of[lun.uuid].append((groups[name], numbers[name]))
                numbers[name] += 1

    def _qos(self, place: int, about: QosPolicyDescription) -> QosPolicy:
        if about.adaptive is not None:
            limits: dict[str, Any] = {
                "expected_iops": about.adaptive.expected_iops,
                "peak_iops": about.adaptive.peak_iops,
                "absolute_min_iops": about.adaptive.absolute_min_iops,
                "expected_iops_allocation": "allocated_space",
                "peak_iops_allocation": "used_space",
                "block_size": about.adaptive.block_size,
            }
        else:
            limits = {
                "max_throughput_iops": about.max_iops,
                "max_throughput_mbps": about.max_mbps,
                "min_throughput_iops": about.min_iops,
                "min_throughput_mbps": 0,
                "capacity_shared": about.shared,
            }
        kind = "fixed" if about.adaptive is None else "adaptive"
        return QosPolicy(self.uuid("qos", about.svm, about.name), about.svm, about.name, kind, limits, place, about.burst)

    def _efficiency(self, about: EfficiencyPolicyDescription) -> EfficiencyPolicy:
        settings = {
            "type": about.type,
            "start_threshold_percent": about.start_threshold_percent,
            "duration": about.duration,
            "qos_policy": about.qos_policy,
            "enabled": about.enabled,
            "comment": about.comment,
        }
        schedule = about.schedule if about.type == "scheduled" else None
        return EfficiencyPolicy(self.uuid("efficiency", about.svm, about.name), about.svm, about.name, schedule, settings)
