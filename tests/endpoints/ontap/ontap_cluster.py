"""A small ONTAP cluster that has one of everything, and how the tests read it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from auditor.endpoints.ontap.client import open_ontap
from auditor.endpoints.ontap.collect import collect_ontap
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import ARRAY_TOPICS
from auditor.model import Endpoint, EndpointKind
from auditor_lab.arrays.ontap.description import OntapDescription
from auditor_lab.arrays.ontap.parts import (
    AdaptiveDescription,
    AggregateDescription,
    EfficiencyPolicyDescription,
    IgroupDescription,
    LunDescription,
    NodeDescription,
    QosPolicyDescription,
    RaidOptionDescription,
    RelationshipDescription,
    ScheduleDescription,
    SnapMirrorPolicyDescription,
    SvmDescription,
    VolumeDescription,
)
from auditor_lab.arrays.ontap.server import OntapServer
from tests.endpoints import arrays

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from auditor.facts.needs import Needs

CLUSTER = OntapDescription(
    name="na",
    nodes=(NodeDescription(name="n1"), NodeDescription(name="n2", model="AFF-A400", all_flash=True)),
    svms=(
        SvmDescription(name="san", protocols=("iscsi", "fcp"), addresses=("192.0.2.11",)),
        SvmDescription(name="nas", qos_policy="all-nas", addresses=("192.0.2.9", "FD00:0:0::9")),
    ),
    schedules=(
        ScheduleDescription(name="midnight", minutes=(0,), hours=(0,)),
        ScheduleDescription(name="quarterly", minutes=(0, 15, 30, 45)),
        ScheduleDescription(name="weekly", minutes=(30,), hours=(19,), weekdays=(1, 4)),
        ScheduleDescription(name="every-20", interval="PT20M"),
    ),
    aggregates=(
        AggregateDescription(
            name="sas1",
            node="n1",
            disk_count=18,
            raid_size=16,
            client_iops=600,
            background_iops=800,
            consistency_iops=200,
            iops_at_full_busy=2000,
            optimal_ops=1200,
        ),
        AggregateDescription(name="ssd1", node="n2", disk_count=6, disk_type="ssd", rpm=None, iops_at_full_busy=50000, optimal_ops=40000),
    ),
    qos_policies=(
        QosPolicyDescription(name="gold", svm="san", max_iops=5000, max_mbps=100, min_iops=200),
        QosPolicyDescription(name="together", svm="san", max_iops=3000, shared=True),
        QosPolicyDescription(name="by-size", svm="nas", adaptive=AdaptiveDescription(expected_iops=1000, peak_iops=4000)),
        QosPolicyDescription(name="all-nas", svm="nas", max_iops=20000, shared=True),
        QosPolicyDescription(name="free", svm="nas"),
    ),
    efficiency_policies=(
        EfficiencyPolicyDescription(name="default", svm="nas", schedule="midnight", qos_policy="best_effort"),
        EfficiencyPolicyDescription(name="evening", svm="san", schedule="weekly", duration=4),
        EfficiencyPolicyDescription(name="off", svm="san", schedule="midnight", enabled=False),
        EfficiencyPolicyDescription(name="when-full", svm="san", type="threshold", schedule=None, start_threshold_percent=20),
    ),
    volumes=(
        VolumeDescription(
            name="nfs1", svm="nas", aggregate="sas1", junction_path="/nfs1", qos_policy="free", efficiency_policy="default", iops=400
        ),
        VolumeDescription(
            name="nfs2", svm="nas", aggregate="sas1", junction_path="/nfs2", qos_policy="by-size", efficiency_schedule="sun-sat@0"
        ),
        VolumeDescription(name="luns1", svm="san", aggregate="ssd1", junction_path="/luns1", efficiency_policy="evening"),
        VolumeDescription(name="luns2", svm="san", aggregate="ssd1", qos_policy="together", efficiency_policy="off"),
        VolumeDescription(name="vv", svm="san", aggregate="ssd1", efficiency_policy="when-full"),
        VolumeDescription(name="dr", svm="nas", aggregate="sas1", type="dp"),
    ),
    luns=(
        LunDescription(
            name="ds1",
            volume="luns1",
            serial="80D7A]KjYhJR",
            qos_policy="gold",
            igroups=("esx", "esx-iscsi"),
            read_iops=60,
            write_iops=40,
            misaligned=0.07,
        ),
        LunDescription(name="ds2", volume="luns2", serial="wf0Iq+N4uck3", os_type="linux"),
        LunDescription(name="pe", volume="vv", serial="wpEzy]QpkWFm", kind="protocol_endpoint", igroups=("esx",)),
        LunDescription(name="data.vmdk", volume="vv", kind="vvol", bound_to=("/vol/vv/pe",)),
    ),
    igroups=(
        IgroupDescription(name="esx", svm="san", protocol="fcp", initiators=("21:00:00:24:FF:0A:01:01", "21:00:00:24:ff:0a:01:02")),
        IgroupDescription(name="esx-iscsi", svm="san", initiators=("iqn.1998-01.com.vmware:ESX-1",), os_type="linux"),
        IgroupDescription(name="nobody", svm="san"),
    ),
    snapmirror_policies=(
        SnapMirrorPolicyDescription(name="MirrorAllSnapshots"),
        SnapMirrorPolicyDescription(name="hourly", schedule="every-20"),
    ),
    relationships=(
        RelationshipDescription(source="nas:nfs1", destination="nas:dr", schedule="quarterly"),
        RelationshipDescription(source="nas:nfs2", destination="away:copy", policy="hourly", lag_time="P1DT1H"),
        RelationshipDescription(
            source="far:orig", destination="nas:dr", source_cluster="far", policy="hourly", healthy=False, lag_time="PT1H"
        ),
        RelationshipDescription(source="nas:nfs1", destination="away:other"),
    ),
    raid_options=(
        RaidOptionDescription(node="n1", name="raid.scrub.schedule", value="300m@sun@2,8h@wed@22"),
        RaidOptionDescription(node="n2", name="raid.scrub.schedule", value=""),
        RaidOptionDescription(node="n1", name="raid.media_scrub.rate", value="600"),
    ),
)


class Clock:
    """Seconds that pass when somebody sleeps; what was slept is kept."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


Served: TypeAlias = tuple[OntapServer, Endpoint, Clock]
"""A cluster that is served, the endpoint that leads to it, and the time that passes there."""


class Collected(arrays.Collected):
    """Rows by table without their endpoint, which is always the same, and gaps."""

    def __init__(self, items: Iterable[Any], topics: Iterable[str] = ARRAY_TOPICS[EndpointKind.ONTAP]) -> None:
        super().__init__(items, topics)
        assert {row.pop("endpoint", "na-east") for rows in self.tables.values() for row in rows} == {"na-east"}


@contextmanager
def serving(folder: Path, description: OntapDescription, timeout: float = 30.0) -> Iterator[tuple[OntapServer, Endpoint, Clock]]:
    clock = Clock()
    with arrays.serving_array(EndpointKind.ONTAP, description, folder, timeout=timeout, clock=clock) as (server, endpoint):
        yield server, endpoint, clock


def collected(endpoint: Endpoint, clock: Clock, needs: Needs = EVERYTHING) -> Collected:
    with open_ontap(endpoint) as cluster:
        items = collect_ontap(cluster, endpoint, needs, clock=clock, sleep=clock.sleep)
        return Collected(items, needs.topics_of(EndpointKind.ONTAP))
