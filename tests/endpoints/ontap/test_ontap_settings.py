"""A schedule, a ceiling or an assignment on an ONTAP cluster is read as it is, written once, read back, and put back as it was."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.remediator import Reading, Remediator
from auditor.endpoints.ontap.client import OntapCluster, open_ontap
from auditor.endpoints.ontap.settings.efficiency_priority import OntapEfficiencyPriority
from auditor.endpoints.ontap.settings.efficiency_schedule import OntapEfficiencySchedule
from auditor.endpoints.ontap.settings.qos_policy_limit import OntapQosPolicyLimit
from auditor.endpoints.ontap.settings.volume_qos_policy import OntapVolumeQosPolicy
from auditor.errors import AuditorError, EndpointUnreachableError, MalformedAnswerError, NotThereError, RefusedError
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Outcome, Resource, Target
from auditor_lab.arrays.ontap.cluster import Cluster
from auditor_lab.arrays.ontap.server import OntapServer
from auditor_lab.wire import Fault
from tests.applying import applied, put_back
from tests.endpoints.arrays import serving_array
from tests.endpoints.ontap.ontap_cluster import CLUSTER
from tests.waiting import NEVER_SECONDS, SHORT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from auditor.model import Receipt, Scalar

SCHEDULE: Remediator[OntapCluster] = OntapEfficiencySchedule()
PRIORITY: Remediator[OntapCluster] = OntapEfficiencyPriority()
LIMIT: Remediator[OntapCluster] = OntapQosPolicyLimit()
ASSIGNED: Remediator[OntapCluster] = OntapVolumeQosPolicy()
FIRST, SECOND = "20181104T120000Z-0001", "20181104T130000Z-0002"
POLICIES, EFFICIENCY, LUNS, VOLUMES = "storage/qos/policies", "storage/volume-efficiency-policies", "storage/luns", "storage/volumes"


@dataclass
class Peer:
    """A served cluster and how to reach it."""

    server: OntapServer
    endpoint: Endpoint
    folder: Path

    def state(self) -> dict[str, Any]:
        """Everything that can be written, by name."""
        cluster = self.server.cluster
        return {
            **{each.name: dict(each.limits) for each in cluster.qos},
            **{f"dedup {each.name}": (each.schedule, dict(each.settings)) for each in cluster.efficiency},
            **{volume.about.name: volume.qos and volume.qos.name for volume in cluster.volumes},
            **{lun.path: lun.qos and lun.qos.name for lun in cluster.luns},
        }

    def writes(self) -> int:
        return sum(request.startswith("PATCH") for request in self.server.requests)

    def run(self, run: str, change: Change) -> Receipt:
        return applied(change, self.endpoint, self.folder / "journal", run)

    def undone(self, run: str) -> Receipt:
        (receipt,) = put_back(run, self.endpoint, self.folder / "journal", SECOND)
        return receipt


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[OntapServer, Endpoint]]:
    with serving_array(EndpointKind.ONTAP, CLUSTER, tmp_path_factory.mktemp("ontap"), timeout=SHORT_SECONDS) as pair:
        yield pair


@pytest.fixture
def peer(tmp_path: Path, served: tuple[OntapServer, Endpoint]) -> Iterator[Peer]:
    """The one server, with a cluster as it was at the start."""
    server, endpoint = served
    server.cluster, server.outcome, clock = Cluster(CLUSTER), "success", server._clock
    server.jobs.clear()
    server.requests.clear()
    yield Peer(server, endpoint, tmp_path)
    server.alterations.clear()
    server.faults.active.clear()
    server._clock = clock


@pytest.fixture
def cluster(peer: Peer) -> Iterator[OntapCluster]:
    with open_ontap(peer.endpoint) as opened:
        yield opened


def derived(*what: str) -> str:
    """The id of something, as the lab derives it."""
    return CLUSTER.derived_id(*what)


def limit_of(name: str, svm: str = "san", field: str = "max_throughput_iops") -> Target:
    return Target("na-east", (("field", field), ("policy_id", derived("qos", svm, name))))


def schedule_of(name: str, svm: str = "san") -> Target:
    return Target("na-east", (("policy_id", derived("efficiency", svm, name)),))


def lun(volume: str, name: str) -> Target:
    return Target("na-east", (("kind", "lun"), ("volume_id", derived("lun", volume, name))))


def share(name: str) -> Target:
    return Target("na-east", (("kind", "share"), ("volume_id", derived("volume", name))))


def change(remediator: str, where: Target, before: Scalar, after: Scalar) -> Change:
    resource = Resource("array_volume", repr(where.keys), "x", "na-east", None, None)
    return Change(remediator, FixClass.ARRAY, where, before, after, ("site/rule",), resource, "reason")


@pytest.mark.parametrize(
    ("remediator", "where", "value"),
    [
        pytest.param(LIMIT, limit_of("gold"), 5000, id="operations"),
        pytest.param(LIMIT, limit_of("gold", field="max_throughput_mbps"), 100, id="megabytes"),
        pytest.param(LIMIT, limit_of("free", "nas"), None, id="no ceiling, which the cluster tells as 0"),
        pytest.param(SCHEDULE, schedule_of("evening"), "weekly", id="a schedule"),
        pytest.param(SCHEDULE, schedule_of("when-full"), None, id="a threshold instead of a schedule"),
        pytest.param(ASSIGNED, lun("luns1", "ds1"), "gold", id="the policy of a LUN"),
        pytest.param(ASSIGNED, lun("luns2", "ds2"), None, id="none of its own, although its volume has one"),
        pytest.param(ASSIGNED, share("nfs1"), "free", id="the policy of a volume"),
        pytest.param(ASSIGNED, share("dr"), None, id="a volume without"),
    ],
)
def test_a_setting_is_read_as_it_is(cluster: OntapCluster, remediator: Remediator[OntapCluster], where: Target, value: Scalar) -> None:
    assert remediator.read(cluster, where) == Reading(value)


@pytest.mark.parametrize(
    ("outcome", "found"),
    [
        pytest.param("failure", Outcome.REFUSED, id="a job that fails"),
        pytest.param("never", Outcome.UNVERIFIED, id="a job that does not end"),
    ],
)
def test_a_job_that_does_not_succeed_is_never_applied(peer: Peer, outcome: str, found: Outcome) -> None:
    before = peer.state()
    peer.server.outcome = outcome
    receipt = peer.run(FIRST, change("ontap.qos_policy_limit", limit_of("gold"), 5000, 8000))
    assert (receipt.outcome, receipt.found, peer.state()) == (found, 5000, before)


def test_a_job_that_ends_after_we_stopped_waiting_is_found_by_the_next_run(peer: Peer) -> None:
    peer.server.cluster.description = dataclasses.replace(CLUSTER, job_seconds=60.0)
    wanted = change("ontap.qos_policy_limit", limit_of("gold"), 5000, 8000)
    assert peer.run(FIRST, wanted).outcome is Outcome.UNVERIFIED
    now = peer.server._clock()
    peer.server._clock = lambda: now + 100
    assert peer.run(SECOND, wanted).outcome is Outcome.ALREADY


@pytest.mark.parametrize(
    ("remediator", "where", "value", "error", "sent"),
    [
        pytest.param(LIMIT, limit_of("gold"), 100, RefusedError, True, id="a ceiling below the floor, which the cluster refuses"),
        pytest.param(LIMIT, limit_of("gold"), 0, RefusedError, False, id="0, which would read as none"),
        pytest.param(LIMIT, limit_of("gold"), -5, RefusedError, False, id="below 0"),
        pytest.param(LIMIT, limit_of("gold"), 2**31, RefusedError, False, id="above what the reference allows"),
        pytest.param(LIMIT, limit_of("gold"), "8000", RefusedError, False, id="a string for a number"),
        pytest.param(LIMIT, limit_of("gold"), True, RefusedError, False, id="a truth value for a number"),
        pytest.param(LIMIT, limit_of("gold"), 8000.0, RefusedError, False, id="a float for a number"),
        pytest.param(LIMIT, limit_of("gold", field="min_throughput_iops"), 5, RefusedError, False, id="a field that is not ours"),
        pytest.param(LIMIT, limit_of("gone"), 8000, NotThereError, True, id="a policy that is gone"),
        pytest.param(LIMIT, limit_of("../../luns"), 8000, NotThereError, True, id="an id that is a path"),
        pytest.param(SCHEDULE, schedule_of("evening"), "never-made", RefusedError, True, id="a schedule that the cluster does not have"),
        pytest.param(SCHEDULE, schedule_of("evening"), None, RefusedError, False, id="no schedule"),
        pytest.param(PRIORITY, schedule_of("evening"), None, RefusedError, False, id="no priority"),
        pytest.param(PRIORITY, schedule_of("evening"), "high", RefusedError, False, id="a priority that there is not"),
        pytest.param(PRIORITY, schedule_of("evening"), True, RefusedError, False, id="true for a priority"),
        pytest.param(SCHEDULE, schedule_of("evening"), " ", RefusedError, False, id="an empty name"),
        pytest.param(SCHEDULE, schedule_of("evening"), 5, RefusedError, False, id="a number for a name"),
        pytest.param(SCHEDULE, schedule_of("when-full"), "weekly", RefusedError, False, id="a schedule for a threshold"),
        pytest.param(ASSIGNED, lun("luns1", "ds1"), "all-nas", RefusedError, True, id="a policy of another SVM"),
        pytest.param(ASSIGNED, lun("luns1", "ds1"), "none", RefusedError, False, id="a name that means no policy"),
        pytest.param(ASSIGNED, lun("luns1", "ds1"), 7, RefusedError, False, id="a number for a policy"),
        pytest.param(ASSIGNED, lun("luns1", "gone"), "gold", NotThereError, True, id="a LUN that is gone"),
        pytest.param(
            ASSIGNED,
            Target("na-east", (("kind", "vvol"), ("volume_id", "x"))),
            "gold",
            RefusedError,
            False,
            id="a vVol, which is vSphere's",
        ),
    ],
)
def test_a_write_that_must_not_be_changes_nothing(
    peer: Peer,
    cluster: OntapCluster,
    remediator: Remediator[OntapCluster],
    where: Target,
    value: Scalar,
    error: type[AuditorError],
    sent: bool,
) -> None:
    before = peer.state()
    with pytest.raises(error) as caught:
        remediator.write(cluster, where, value)
    assert type(caught.value) is error
    assert (peer.state(), peer.writes()) == (before, int(sent))


@pytest.mark.parametrize(
    ("remediator", "where", "operation", "answer", "error"),
    [
        pytest.param(LIMIT, limit_of("by-size", "nas"), POLICIES, None, RefusedError, id="an adaptive policy has no such ceiling"),
        pytest.param(LIMIT, limit_of("gold"), POLICIES, {"fixed": {"max_throughput_iops": None}}, MalformedAnswerError, id="null"),
        pytest.param(LIMIT, limit_of("gold"), POLICIES, {"fixed": {"max_throughput_iops": True}}, MalformedAnswerError, id="a truth value"),
        pytest.param(LIMIT, limit_of("gold"), POLICIES, {"name": "gold"}, MalformedAnswerError, id="neither fixed nor adaptive"),
        pytest.param(LIMIT, limit_of("gone"), POLICIES, None, NotThereError, id="a policy that is gone"),
        pytest.param(LIMIT, limit_of("gold", field="name"), POLICIES, None, RefusedError, id="a field that is no ceiling"),
        pytest.param(
            SCHEDULE, schedule_of("evening"), EFFICIENCY, {"schedule": "weekly"}, MalformedAnswerError, id="a schedule not by name"
        ),
        pytest.param(ASSIGNED, lun("luns1", "ds1"), LUNS, {"qos_policy": {"uuid": "x"}}, MalformedAnswerError, id="a policy not by name"),
        pytest.param(ASSIGNED, share("nfs1"), VOLUMES, {"qos": "gold"}, MalformedAnswerError, id="a text for an object"),
        pytest.param(ASSIGNED, Target("na-east", (("kind", "disk"), ("volume_id", "x"))), LUNS, None, RefusedError, id="another kind"),
    ],
)
def test_a_setting_that_cannot_be_read_is_never_guessed(
    peer: Peer,
    cluster: OntapCluster,
    remediator: Remediator[OntapCluster],
    where: Target,
    operation: str,
    answer: Any,
    error: type[AuditorError],
) -> None:
    if answer is not None:
        peer.server.alterations[f"GET {operation}"] = lambda _: answer
    with pytest.raises(error) as caught:
        remediator.read(cluster, where)
    assert type(caught.value) is error


def test_a_ceiling_sent_as_a_string_is_the_same_ceiling(peer: Peer, cluster: OntapCluster) -> None:
    peer.server.alterations[f"GET {POLICIES}"] = lambda _: {"fixed": {"max_throughput_iops": "5000"}}
    assert LIMIT.read(cluster, limit_of("gold")) == Reading(5000)


@pytest.mark.parametrize("name", ["", "none", "-"])
def test_a_policy_whose_name_means_none_is_none(peer: Peer, cluster: OntapCluster, name: str) -> None:
    peer.server.alterations[f"GET {LUNS}"] = lambda _: {"qos_policy": {"name": name}}
    assert ASSIGNED.read(cluster, lun("luns1", "ds1")) == Reading(None)


def test_a_reading_is_asked_for_each_time(peer: Peer, cluster: OntapCluster) -> None:
    assert LIMIT.read(cluster, limit_of("gold")) == Reading(5000)
    peer.server.cluster.qos[0].limits["max_throughput_iops"] = 7000
    assert LIMIT.read(cluster, limit_of("gold")) == Reading(7000)


def test_a_write_that_is_answered_too_late_is_unknown(peer: Peer, cluster: OntapCluster) -> None:
    peer.server.faults.active.append(Fault("latency", f"PATCH {POLICIES}", seconds=NEVER_SECONDS))
    with pytest.raises(EndpointUnreachableError) as caught:
        LIMIT.write(cluster, limit_of("gold"), 8000)
    assert "not known" in caught.value.why
