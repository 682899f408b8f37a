"""The description of a simulated ONTAP cluster; scenarios write it in YAML, and msgspec decodes it.

Objects refer to each other by name: a volume names its aggregate and its SVM, a LUN its volume. UUIDs and serial numbers that are not given
are derived from names, so that they are the same at every start.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Collection
from dataclasses import dataclass, field

ONTAP_NAMESPACE = uuid.UUID("6d1c6f0a-6f43-5b0e-8d9b-0a98000a0980")  # the lab's own

_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$")


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
            found = _DURATION.match(self.interval)
            days, hours, minutes, seconds = (int(part or 0) for part in found.groups()) if found else (0, 0, 0, 0)
            length = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
            return 3600 / length if length else 0.0
        runs = (len(self.minutes) or 60) * (len(self.hours) or 24) / 24
        runs *= (len(self.weekdays) or 7) / 7 * (len(self.months) or 12) / 12
        return runs * (len(self.days) or 30) / 30


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDescription:
    """A node of the cluster; `all_flash` decides its default scrub schedule."""

    name: str
    model: str = "FAS8200"
    state: str = "up"
    all_flash: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SvmDescription:
    """A storage virtual machine and its protocols; its QoS policy limits all its volumes together, besides their own policies."""

    name: str
    protocols: tuple[str, ...] = ("nfs", "iscsi")  # nfs cifs iscsi fcp nvme
    state: str = "running"
    qos_policy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateDescription:
    """An aggregate, its disks, and their load apart from SnapMirror.

    Attributes:
        raid_size: the most disks of one RAID group; RAID-DP uses two of each for parity.
        client_iops: disk I/O operations a second that hosts cause.
        background_iops: those that dedup, scrubs and other work of the system cause all day.
        iops_at_full_busy: disk I/O operations a second at which the disks are 100 % busy; up to there busy grows in proportion.
        optimal_ops: the optimal_point.ops of the headroom table, operations a second.
        latency_us: the time of an operation up to there.
        latency_us_beyond: the time of an operation beyond it, None for no difference. It is a step, because beyond that point an
            aggregate's latency jumps (docs/domain/incidents.md#s3); volumes and LUNs on it get the same excess.
    """

    name: str
    node: str
    disk_count: int = 16
    disk_type: str = "sas"  # sas | fcal | ssd | ssd_nvm ...
    rpm: int | None = 10000
    disk_bytes: int = 900 * 10**9
    raid_size: int = 16
    client_iops: float = 0.0
    background_iops: float = 0.0
    iops_at_full_busy: float = 2000.0
    optimal_ops: float = 1500.0
    latency_us: int = 5000
    latency_us_beyond: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveDescription:
    """Limits that grow with the size, in I/O operations a second for each TiB."""

    expected_iops: int
    peak_iops: int
    absolute_min_iops: int = 0
    block_size: str = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class QosPolicyDescription:
    """A policy group; 0 means "no limit", as in ONTAP. `shared`: one limit for all members together."""

    name: str
    svm: str
    max_iops: int = 0
    min_iops: int = 0
    max_mbps: int = 0
    shared: bool = False
    adaptive: AdaptiveDescription | None = None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class IgroupDescription:
    """An initiator group."""

    name: str
    svm: str
    initiators: tuple[str, ...] = ()
    os_type: str = "vmware"
    protocol: str = "iscsi"  # iscsi | fcp | mixed


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RaidOptionDescription:
    """One line of `storage raid-options show`; the lab needs raid.scrub.schedule."""

    node: str
    name: str
    value: str
    constraint: str = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class OntapDescription:
    """One cluster.

    Attributes:
        version: generation, major and minor, "9.14.1".
        page_limit: the most records of one answer, however many were requested: ONTAP ends an answer after return_timeout seconds.
        job_seconds: how long a change runs as a job before it is in effect.
        permissions: of the account: "read" and "write". Source: rest-role access levels readonly and all.
        forbidden: paths that the account may not even read, as with a rest-role without them ("/api/cluster/counter").
    """

    name: str
    version: str = "9.14.1"
    nodes: tuple[NodeDescription, ...] = ()
    svms: tuple[SvmDescription, ...] = ()
    schedules: tuple[ScheduleDescription, ...] = ()
    aggregates: tuple[AggregateDescription, ...] = ()
    qos_policies: tuple[QosPolicyDescription, ...] = ()
    efficiency_policies: tuple[EfficiencyPolicyDescription, ...] = ()
    volumes: tuple[VolumeDescription, ...] = ()
    luns: tuple[LunDescription, ...] = ()
    igroups: tuple[IgroupDescription, ...] = ()
    snapmirror_policies: tuple[SnapMirrorPolicyDescription, ...] = (SnapMirrorPolicyDescription(name="MirrorAllSnapshots"),)
    relationships: tuple[RelationshipDescription, ...] = ()
    raid_options: tuple[RaidOptionDescription, ...] = ()
    page_limit: int = 10000
    job_seconds: float = 0.0
    permissions: frozenset[str] = field(default=frozenset({"read", "write"}))
    forbidden: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\d+\.\d+\.\d+", self.version):
            raise ValueError(f"{self.name}: version must be like 9.14.1, not {self.version!r}")
        for lun in self.luns:
            if lun.serial is not None and (len(lun.serial) != 12 or not lun.serial.isascii()):
                raise ValueError(f"{self.name}: the serial of LUN {lun.name} must be 12 ASCII characters, not {lun.serial!r}")
        for what, known, asked in self._references():
            lost = sorted(name for name in asked if name is not None and name not in known)
            if lost:
                raise ValueError(f"{self.name} has no {what} named {lost}")

    def _references(self) -> list[tuple[str, Collection[str], Collection[str | None]]]:
        """For each kind of reference: its kind, the names that exist, the names used."""
        in_svm = {v.svm for v in self.volumes} | {q.svm for q in self.qos_policies} | {e.svm for e in self.efficiency_policies}
        scheduled = {e.schedule for e in self.efficiency_policies} | {p.schedule for p in self.snapmirror_policies}
        return [
            ("node", {n.name for n in self.nodes}, {a.node for a in self.aggregates} | {o.node for o in self.raid_options}),
            ("SVM", {svm.name for svm in self.svms}, in_svm | {group.svm for group in self.igroups}),
            ("aggregate", {aggregate.name for aggregate in self.aggregates}, {volume.aggregate for volume in self.volumes}),
            ("volume", {volume.name for volume in self.volumes}, {lun.volume for lun in self.luns}),
            ("schedule", {each.name for each in self.schedules}, scheduled | {each.schedule for each in self.relationships}),
            (
                "QoS policy",
                {q.name for q in self.qos_policies},
                {v.qos_policy for v in self.volumes} | {x.qos_policy for x in self.luns} | {s.qos_policy for s in self.svms},
            ),
            ("LUN", {f"/vol/{x.volume}/{x.name}" for x in self.luns}, {path for x in self.luns for path in x.bound_to}),
            ("igroup", {group.name for group in self.igroups}, {name for lun in self.luns for name in lun.igroups}),
            ("efficiency policy", {e.name for e in self.efficiency_policies}, {volume.efficiency_policy for volume in self.volumes}),
            ("SnapMirror policy", {each.name for each in self.snapmirror_policies}, {each.policy for each in self.relationships}),
        ]

    def derived_id(self, *what: object) -> str:
        """A UUID that is the same at every start."""
        return str(uuid.uuid5(ONTAP_NAMESPACE, "/".join(map(str, (self.name, *what)))))

    def serial(self, lun: LunDescription) -> str:
        """The serial number of a LUN, 12 ASCII characters."""
        if lun.serial is not None:
            return lun.serial
        digest = hashlib.sha256(f"{self.name}/{lun.volume}/{lun.name}".encode()).hexdigest()
        return f"80{digest[:10]}"

    def lun_naa(self, lun: LunDescription) -> str:
        """The NAA name of a LUN, without "naa.".

        Source: docs/domain/arrays.md#device-names: 600a0980 and the bytes of the serial number.
        """
        return f"600a0980{self.serial(lun).encode().hex()}"
