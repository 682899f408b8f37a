"""What limits one volume of an Element cluster is read, written, and put back as it was, over the real protocol."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.apply import Fate, recover, undo
from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.sessions import Sessions
from auditor.endpoints.element.client import open_element
from auditor.endpoints.settings import remediator_for
from auditor.errors import EndpointUnreachableError, MalformedAnswerError, NotThereError, RefusedError
from auditor.journal import open_journal
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Outcome, Resource, Target
from auditor_lab.arrays.element.cluster import Cluster
from auditor_lab.arrays.element.description import ElementDescription, QosDescription, QosPolicyDescription, VolumeDescription
from auditor_lab.arrays.element.server import ElementServer
from auditor_lab.wire import Fault
from tests.applying import apply
from tests.endpoints.arrays import serving_array
from tests.identified import as_seen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from auditor.endpoints.element.client import ElementArray
    from auditor.errors import AuditorError
    from auditor.model import Receipt, Scalar

LIMITS = "element.volume_limits"
# Volume 1 is in Bronze, 2 has limits of its own, 3 has both, and 4 happens to have Gold's without being in it.
DESCRIPTION = ElementDescription(
    name="sf",
    unique_id="1mhp",
    qos_policies=(QosPolicyDescription("Bronze", 50, 1000, 2000), QosPolicyDescription("Gold", 100, 3000, 6000)),
    volumes=(
        VolumeDescription("bronze", policy="Bronze"),
        VolumeDescription("own", qos=QosDescription(60, 700, 800)),
        VolumeDescription("both", policy="Bronze", qos=QosDescription(60, 700, 800)),
        VolumeDescription("like-gold", qos=QosDescription(100, 3000, 6000)),
        VolumeDescription("gone", status="deleted"),
    ),
)
FIRST, SECOND, THIRD = "20181104T120000Z-0001", "20181104T130000Z-0002", "20181104T140000Z-0003"


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ElementServer, Endpoint]]:
    with serving_array(EndpointKind.ELEMENT, DESCRIPTION, tmp_path_factory.mktemp("volume")) as pair:
        yield pair


@pytest.fixture
def server(standing: tuple[ElementServer, Endpoint]) -> ElementServer:
    found, _ = standing
    found.cluster, found.alterations = Cluster(DESCRIPTION, "audit"), {}
    found.faults.active.clear()
    found.requests.clear()
    return found


@pytest.fixture
def array(server: ElementServer, standing: tuple[ElementServer, Endpoint]) -> Iterator[ElementArray]:
    with open_element(standing[1]) as session:
        server.requests.clear()
        yield session


def target(volume: str) -> Target:
    return Target("sf-east", (("volume_id", volume),))


def state(server: ElementServer, volume: int) -> tuple[int | None, tuple[int, ...]]:
    found = server.cluster.volumes[volume]
    return found.policy.id if found.policy else None, tuple(found.qos.limits.values())


def writes(server: ElementServer) -> int:
    return server.requests.count("ModifyVolume")


@pytest.mark.parametrize(
    ("name", "where", "value"),
    [
        pytest.param(LIMITS, target("1"), "policy 1", id="all: a policy"),
        pytest.param(LIMITS, target("2"), "own 60/700/800", id="all: its own"),
        pytest.param(LIMITS, target("3"), "policy 1 with own 60/700/800", id="all: both"),
    ],
)
def test_what_limits_a_volume_is_read(array: ElementArray, name: str, where: Target, value: Scalar) -> None:
    assert remediator_for(name).read(array, where) == Reading(value)


@pytest.mark.parametrize(
    ("name", "where", "value", "expected"),
    [
        pytest.param(LIMITS, target("2"), "policy 2", (2, (100, 3000, 6000)), id="all: from its own to a policy"),
        pytest.param(LIMITS, target("3"), "policy 1", (1, (50, 1000, 2000)), id="all: from both to the policy"),
        pytest.param(LIMITS, target("3"), "own 50/500/600", (None, (50, 500, 600)), id="all: from both to its own"),
        pytest.param(LIMITS, target("1"), "own 50/500/600", (None, (50, 500, 600)), id="all: from a policy to its own"),
    ],
)
def test_a_write_changes_that_volume_and_no_other(
    server: ElementServer, array: ElementArray, name: str, where: Target, value: Scalar, expected: tuple[int | None, tuple[int, ...]]
) -> None:
    number = int(where["volume_id"])
    others = {each: state(server, each) for each in server.cluster.volumes if each != number}
    remediator = remediator_for(name)
    remediator.write(array, where, value)
    assert state(server, number) == expected
    assert {each: state(server, each) for each in others} == others
    assert remediator.read(array, where) == Reading(value)
    assert writes(server) == 1
    assert [policy.qos.limits["minIOPS"] for policy in server.cluster.policies.values()] == [50, 100], "policies stay as they are"


@pytest.mark.parametrize(
    ("name", "where", "value", "error"),
    [
        pytest.param(LIMITS, target("2"), None, RefusedError, id="all: nothing"),
        pytest.param(LIMITS, target("2"), "", RefusedError, id="all: an empty text"),
        pytest.param(LIMITS, target("2"), "2", RefusedError, id="all: a number alone"),
        pytest.param(LIMITS, target("2"), " with own 60/700/800", RefusedError, id="all: half a text"),
        pytest.param(LIMITS, target("2"), "own 60/700", RefusedError, id="all: a limit is missing"),
        pytest.param(LIMITS, target("2"), "own 60/900/800", RefusedError, id="all: a maximum above the burst"),
        pytest.param(LIMITS, target("2"), "policy 9", NotThereError, id="all: a policy that is gone"),
        pytest.param(LIMITS, target("2"), "policy 1 with own 60/700/800", RefusedError, id="all: both, from its own"),
        pytest.param(LIMITS, target("2"), True, RefusedError, id="all: true"),
        pytest.param(LIMITS, target("2"), "own 49/700/800", RefusedError, id="all: a minimum below the floor"),
        pytest.param(LIMITS, target("9"), "policy 1", NotThereError, id="all: a volume that is gone"),
        pytest.param(LIMITS, target("x"), "policy 1", RefusedError, id="all: a volume that is none"),
    ],
)
def test_a_write_that_must_not_be_changes_nothing(
    server: ElementServer, array: ElementArray, name: str, where: Target, value: Any, error: type[AuditorError]
) -> None:
    before = {each: state(server, each) for each in server.cluster.volumes}
    with pytest.raises(error) as caught:
        remediator_for(name).write(array, where, value)
    assert type(caught.value) is error
    assert {each: state(server, each) for each in server.cluster.volumes} == before


@pytest.mark.parametrize(
    ("name", "where", "value"),
    [
        pytest.param(LIMITS, target("2"), 2, id="all: a number"),
        pytest.param(LIMITS, target("2"), True, id="all: true"),
        pytest.param(LIMITS, target("2"), 100.0, id="all: a float"),
    ],
)
def test_what_is_of_the_wrong_type_is_not_even_sent(
    server: ElementServer, array: ElementArray, name: str, where: Target, value: Any
) -> None:
    with pytest.raises(RefusedError, match="cannot be set"):
        remediator_for(name).write(array, where, value)
    assert server.requests == []


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        pytest.param(LIMITS, "own 50/500/600", (None, (50, 500, 600)), id="limits of its own"),
    ],
)
def test_a_volume_leaves_its_policy_because_it_is_told_to(
    server: ElementServer, array: ElementArray, name: str, value: Scalar, expected: tuple[int | None, tuple[int, ...]]
) -> None:
    # Not because limits of its own would take it out, which a real cluster may or may not do.
    server.cluster = Cluster(dataclasses.replace(DESCRIPTION, custom_qos_keeps_policy=True), "audit")
    remediator_for(name).write(array, target("1"), value)
    assert state(server, 1) == expected


@pytest.mark.parametrize(
    ("change", "error"),
    [
        pytest.param(lambda volume: volume.update(qosPolicyID="x"), MalformedAnswerError, id="a policy that is a word"),
        pytest.param(lambda volume: volume.pop("qosPolicyID"), MalformedAnswerError, id="a policy that is not told"),
        pytest.param(lambda volume: volume.update(qos=None), MalformedAnswerError, id="limits that are null"),
        pytest.param(lambda volume: volume["qos"].update(maxIOPS=True), MalformedAnswerError, id="a limit that is true"),
        pytest.param(lambda volume: volume["qos"].pop("burstIOPS"), MalformedAnswerError, id="a limit that is missing"),
        pytest.param(lambda volume: volume.update(volumeID=77), NotThereError, id="another volume's record"),
    ],
)
def test_what_cannot_be_read_is_neither_guessed_nor_written(server: ElementServer, array: ElementArray, change: Any, error: Any) -> None:
    def alter(_: Any, result: Any) -> Any:
        change(result["volumes"][0])
        return result

    server.alterations["ListVolumes"] = alter
    with pytest.raises(error):
        remediator_for(LIMITS).read(array, target("1"))
    assert writes(server) == 0


def test_a_list_that_is_none_is_a_volume_that_is_not_there(server: ElementServer, array: ElementArray) -> None:
    server.alterations["ListVolumes"] = lambda _, __: {"volumes": None}
    with pytest.raises(NotThereError):
        remediator_for(LIMITS).read(array, target("1"))
    server.alterations = {"ListQoSPolicies": lambda _, __: {"qosPolicies": None}}
    with pytest.raises(NotThereError):
        remediator_for(LIMITS).read(array, target("1"))


def test_numbers_sent_as_text_are_the_same_numbers(server: ElementServer, array: ElementArray) -> None:
    def alter(_: Any, result: Any) -> Any:
        for volume in result["volumes"]:
            volume |= {"volumeID": str(volume["volumeID"]), "qosPolicyID": volume["qosPolicyID"] and str(volume["qosPolicyID"])}
            volume["qos"]["minIOPS"] = str(volume["qos"]["minIOPS"])
        return result

    server.alterations["ListVolumes"] = alter
    assert remediator_for(LIMITS).read(array, target("1")) == Reading("policy 1")
    assert remediator_for(LIMITS).read(array, target("2")) == Reading("own 60/700/800")


@dataclasses.dataclass
class Bench:
    """Runs changes with a journal, as `auditor fix` does."""

    server: ElementServer
    endpoint: Endpoint
    journals: Path

    def change(self, name: str, where: Target, before: Scalar, after: Scalar) -> Change:
        resource = Resource("volume", where["volume_id"], "a volume", "sf-east", None, None)
        return Change(name, FixClass.ARRAY, where, before, after, ("site/tiers",), resource, "reason")

    def fix(self, run: str, name: str, where: Target, before: Scalar, after: Scalar) -> Receipt:
        with Sessions({"sf-east": self.endpoint}) as sessions, open_journal(self.journals, run) as journal:
            plan = as_seen(sessions, self.change(name, where, before, after))
            (receipt,) = apply(plan, sessions, journal, allow=frozenset(FixClass), confirm=lambda _: True)
        return receipt

    def take_back(self, run: str, as_run: str) -> Receipt:
        with Sessions({"sf-east": self.endpoint}) as sessions, open_journal(self.journals, as_run) as journal:
            (receipt,) = undo(run, sessions, journal, confirm=lambda _: True)
        return receipt

    def recovered(self, run: str) -> list[Fate]:
        with Sessions({"sf-east": self.endpoint}) as sessions, open_journal(self.journals, run) as journal:
            return [found.fate for found in recover(journal, sessions)]


@pytest.fixture
def bench(server: ElementServer, standing: tuple[ElementServer, Endpoint], tmp_path: Path) -> Bench:
    return Bench(server, standing[1], tmp_path / "journals")


@pytest.mark.parametrize(
    ("keeps", "outcome", "expected"),
    [
        pytest.param(True, Outcome.APPLIED, (1, (60, 700, 800)), id="a cluster that leaves it in its policy"),
        pytest.param(
            False, Outcome.UNVERIFIED, (None, (60, 700, 800)), id="a cluster that takes it out: the limits are back, and it is told"
        ),
    ],
)
def test_policy_and_own_limits_at_once_are_mended_and_taken_back_as_far_as_the_cluster_does(
    bench: Bench, keeps: bool, outcome: Outcome, expected: tuple[int | None, tuple[int, ...]]
) -> None:
    bench.server.cluster = Cluster(dataclasses.replace(DESCRIPTION, custom_qos_keeps_policy=keeps), "audit")
    assert bench.fix(FIRST, LIMITS, target("3"), "policy 1 with own 60/700/800", "policy 1").outcome is Outcome.APPLIED
    assert state(bench.server, 3) == (1, (50, 1000, 2000))
    assert bench.take_back(FIRST, SECOND).outcome is outcome
    assert state(bench.server, 3) == expected


def test_a_write_that_no_reading_follows_is_recovered_by_the_next_run(bench: Bench) -> None:
    def silent_afterwards(_: Any, result: Any) -> Any:
        bench.server.faults.active.append(Fault("drop", "ListVolumes"))
        return result

    bench.server.alterations["ModifyVolume"] = silent_afterwards
    assert bench.fix(FIRST, LIMITS, target("2"), "own 60/700/800", "policy 2").outcome is Outcome.UNVERIFIED
    bench.server.faults.active.clear()
    assert bench.recovered(SECOND) == [Fate.APPLIED]


def test_a_limit_outside_of_what_the_cluster_allows_is_refused(bench: Bench) -> None:
    receipt = bench.fix(FIRST, LIMITS, target("2"), "own 60/700/800", "own 15001/20000/20000")
    assert (receipt.outcome, receipt.found) == (Outcome.REFUSED, "own 60/700/800")


def test_a_cluster_that_is_down_is_not_one_without_the_volume(server: ElementServer, array: ElementArray) -> None:
    server.faults.active.append(Fault("drop"))
    with pytest.raises(EndpointUnreachableError):
        remediator_for(LIMITS).read(array, target("1"))
