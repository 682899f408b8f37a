"""The description of a simulated ONTAP cluster; scenarios write it in YAML, and msgspec decodes it.

Objects refer to each other by name: a volume names its aggregate and its SVM, a LUN its volume. UUIDs and serial numbers that are not given
are derived from names, so that they are the same at every start.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from auditor_lab.arrays.ontap.parts import (
    AggregateDescription,
    EfficiencyPolicyDescription,
    HealthAlertDescription,
    IgroupDescription,
    JobDescription,
    LunDescription,
    NamespaceDescription,
    NodeDescription,
    QosPolicyDescription,
    RaidOptionDescription,
    RelationshipDescription,
    ScheduleDescription,
    SnapMirrorPolicyDescription,
    SubsystemDescription,
    SvmDescription,
    VolumeDescription,
)
from auditor_lab.days import DaySpanDescription
from auditor_lab.sites import site_uuid

ONTAP_NAMESPACE = uuid.UUID("6d1c6f0a-6f43-5b0e-8d9b-0a98000a0980")  # the lab's own


@dataclass(frozen=True, slots=True, kw_only=True)
class OntapDescription:
    """One cluster.

    Attributes:
        version: generation, major and minor, "9.14.1".
        page_limit: the most records of one answer, however many were requested: ONTAP ends an answer after return_timeout seconds.
        job_seconds: how long a change runs as a job before it is in effect.
        permissions: of the account: "read" and "write". Source: rest-role access levels readonly and all.
        forbidden: paths that the account may not even read, as with a rest-role without them ("/api/cluster/counter").
        platform: "", "asa-r2" or "afx": what it refuses, as it lacks it by design, and what it says of itself from 9.16 on.
        lacking: more paths below /api that it answers with "not supported on this platform".
        day: how the last day differed from now, by the name of a volume or aggregate, or the path of a LUN (/vol/<volume>/<name>).
        site: where it stands: another site makes another identity, see `auditor_lab.sites`.
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
    namespaces: tuple[NamespaceDescription, ...] = ()
    subsystems: tuple[SubsystemDescription, ...] = ()
    snapmirror_policies: tuple[SnapMirrorPolicyDescription, ...] = (SnapMirrorPolicyDescription(name="MirrorAllSnapshots"),)
    relationships: tuple[RelationshipDescription, ...] = ()
    raid_options: tuple[RaidOptionDescription, ...] = ()
    alerts: tuple[HealthAlertDescription, ...] = ()
    jobs: tuple[JobDescription, ...] = ()
    page_limit: int = 10000
    job_seconds: float = 0.0
    permissions: frozenset[str] = field(default=frozenset({"read", "write"}))
    forbidden: tuple[str, ...] = ()
    platform: str = ""
    lacking: tuple[str, ...] = ()
    site: str = ""
    day: Mapping[str, tuple[DaySpanDescription, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\d+\.\d+\.\d+", self.version):
            raise ValueError(f"{self.name}: version must be like 9.14.1, not {self.version!r}")
        for lun in self.luns:
            if lun.serial is not None and (len(lun.serial) != 12 or not lun.serial.isascii()):
                raise ValueError(f"{self.name}: the serial of LUN {lun.name} must be 12 ASCII characters, not {lun.serial!r}")
        for what, known, used in self._references():
            lost = sorted(name for name in used if name is not None and name not in known)
            if lost:
                raise ValueError(f"{self.name} has no {what} named {lost}")

    def _references(self) -> list[tuple[str, Collection[str], Collection[str | None]]]:
        """For each kind of reference: its kind, the names that exist, the names used."""
        in_svm = {v.svm for v in self.volumes} | {q.svm for q in self.qos_policies} | {e.svm for e in self.efficiency_policies}
        scheduled = {e.schedule for e in self.efficiency_policies} | {p.schedule for p in self.snapmirror_policies}
        return [
            (
                "node",
                {n.name for n in self.nodes},
                {a.node for a in self.aggregates} | {o.node for o in self.raid_options} | {a.node for a in self.alerts},
            ),
            ("SVM", {svm.name for svm in self.svms}, in_svm | {group.svm for group in self.igroups} | {one.svm for one in self.subsystems}),
            ("aggregate", {aggregate.name for aggregate in self.aggregates}, {volume.aggregate for volume in self.volumes}),
            ("volume", {volume.name for volume in self.volumes}, {x.volume for x in self.luns} | {one.volume for one in self.namespaces}),
            ("subsystem", {one.name for one in self.subsystems}, {one.subsystem for one in self.namespaces}),
            ("schedule", {each.name for each in self.schedules}, scheduled | {each.schedule for each in self.relationships}),
            (
                "QoS policy",
                {q.name for q in self.qos_policies},
                {v.qos_policy for v in self.volumes} | {x.qos_policy for x in self.luns} | {s.qos_policy for s in self.svms},
            ),
            ("LUN", {f"/vol/{x.volume}/{x.name}" for x in self.luns}, {path for x in self.luns for path in x.bound_to}),
            (
                "volume, LUN or aggregate",
                {one.name for one in self.volumes}
                | {one.name for one in self.aggregates}
                | {f"/vol/{x.volume}/{x.name}" for x in self.luns},
                set(self.day),
            ),
            ("igroup", {group.name for group in self.igroups}, {name for lun in self.luns for name in lun.igroups}),
            ("efficiency policy", {e.name for e in self.efficiency_policies}, {volume.efficiency_policy for volume in self.volumes}),
            ("SnapMirror policy", {each.name for each in self.snapmirror_policies}, {each.policy for each in self.relationships}),
        ]

    @property
    def cluster_id(self) -> str:
        """The UUID of the cluster itself."""
        return site_uuid(self.derived_id("cluster"), self.site)

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
