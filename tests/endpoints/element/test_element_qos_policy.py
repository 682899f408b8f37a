"""One limit of one QoS policy is read and written; everything else of the policy stays as it was."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.remediator import Reading, Remediator
from auditor.endpoints.element.client import open_element
from auditor.endpoints.element.settings.qos_policy import ElementQosPolicy
from auditor.errors import (
    AuditorError,
    EndpointUnreachableError,
    MalformedAnswerError,
    NotThereError,
    PermissionMissingError,
    RefusedError,
)
from auditor.model import EndpointKind, Target
from auditor_lab.arrays.element.description import ElementDescription, QosPolicyDescription, VolumeDescription
from auditor_lab.arrays.element.server import ElementServer
from auditor_lab.wire import Fault
from tests.endpoints.arrays import serving_array

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from auditor.endpoints.element.client import ElementArray

# Incident S0's tiers; Bronze's minimum is below what the release allows (docs/domain/facts.md#6-5).
DESCRIPTION = ElementDescription(
    name="sf",
    unique_id="1mhp",
    qos_policies=(QosPolicyDescription("Bronze", 25, 1000, 2000), QosPolicyDescription("Gold", 100, 3000, 6000)),
    volumes=(
        VolumeDescription("one", policy="Bronze"),
        VolumeDescription("two", policy="Bronze"),
        VolumeDescription("three", policy="Gold"),
    ),
)
QOS_POLICY: Remediator[ElementArray] = ElementQosPolicy()


@pytest.fixture
def session(tmp_path: Path) -> Iterator[tuple[ElementServer, ElementArray]]:
    with serving_array(EndpointKind.ELEMENT, DESCRIPTION, tmp_path) as (server, endpoint), open_element(endpoint) as array:
        yield server, array


def target(policy_id: str = "1", field: str = "minIOPS") -> Target:
    return Target("sf-east", (("field", field), ("policy_id", policy_id)))


def limits(server: ElementServer) -> dict[str, tuple[int, ...]]:
    return {volume.name: tuple(volume.qos.limits.values()) for volume in server.cluster.volumes.values()}


@pytest.mark.parametrize(("field", "value"), [("minIOPS", 25), ("maxIOPS", 1000), ("burstIOPS", 2000)])
def test_a_limit_is_read_as_a_number(session: Any, field: str, value: int) -> None:
    assert QOS_POLICY.read(session[1], target(field=field)) == Reading(value)


@pytest.mark.parametrize(
    ("field", "value", "bronze"),
    [("minIOPS", 50, (50, 1000, 2000)), ("maxIOPS", 1500, (25, 1500, 2000)), ("burstIOPS", 4000, (25, 1000, 4000))],
)
def test_a_write_changes_that_limit_of_every_volume_that_uses_the_policy_and_nothing_else(
    session: Any, field: str, value: int, bronze: tuple[int, ...]
) -> None:
    server, array = session
    QOS_POLICY.write(array, target(field=field), value)
    assert QOS_POLICY.read(array, target(field=field)) == Reading(value)
    assert limits(server) == {"one": bronze, "two": bronze, "three": (100, 3000, 6000)}


def test_a_reading_is_asked_for_each_time(session: Any) -> None:
    server, array = session
    assert QOS_POLICY.read(array, target()) == Reading(25)
    server.cluster.modify_policy(1, {"minIOPS": 60}, None)
    assert QOS_POLICY.read(array, target()) == Reading(60)


def test_a_write_whose_answer_is_lost_is_unknown_and_the_next_reading_tells(session: Any) -> None:
    server, array = session
    server.faults.active.append(Fault("lose", "ModifyQoSPolicy"))
    with pytest.raises(EndpointUnreachableError) as caught:
        QOS_POLICY.write(array, target(), 50)
    assert "not known" in caught.value.why
    assert server.requests.count("ModifyQoSPolicy") == 1
    assert QOS_POLICY.read(array, target()) == Reading(50)


@pytest.mark.parametrize(
    ("where", "value", "error"),
    [
        pytest.param(target(), 49, RefusedError, id="below the floor"),
        pytest.param(target(), 15001, RefusedError, id="above the ceiling"),
        pytest.param(target(), "50", RefusedError, id="a string"),
        pytest.param(target(), True, RefusedError, id="a truth value"),
        pytest.param(target(), None, RefusedError, id="nothing"),
        pytest.param(target(), 50.0, RefusedError, id="a float"),
        pytest.param(target("9"), 50, NotThereError, id="a policy that is gone"),
        pytest.param(target("x"), 50, RefusedError, id="a policy id that is none"),
        pytest.param(target(field="curve"), 50, RefusedError, id="a field that cannot be set"),
    ],
)
def test_a_write_that_must_not_be_changes_nothing(session: Any, where: Target, value: Any, error: type[AuditorError]) -> None:
    server, array = session
    before = limits(server)
    with pytest.raises(error):
        QOS_POLICY.write(array, where, value)
    assert limits(server) == before


@pytest.mark.parametrize("value", ["50", True, None, 50.0])
def test_what_is_no_whole_number_is_not_even_sent(session: Any, value: Any) -> None:
    server, array = session
    with pytest.raises(RefusedError, match="cannot be set"):
        QOS_POLICY.write(array, target(), value)
    assert "ModifyQoSPolicy" not in server.requests


def test_an_account_that_may_only_read_is_told_so(session: Any) -> None:
    server, array = session
    server.cluster.description = dataclasses.replace(DESCRIPTION, permissions=frozenset({"read"}))
    with pytest.raises(PermissionMissingError):
        QOS_POLICY.write(array, target(), 50)
    assert QOS_POLICY.read(array, target()) == Reading(25)


@pytest.mark.parametrize(
    ("answer", "where", "error"),
    [
        pytest.param({"qosPolicies": []}, target(), NotThereError, id="no policies"),
        pytest.param({"qosPolicies": None}, target(), NotThereError, id="no list"),
        pytest.param({"qosPolicies": [None, {"qosPolicyID": 1}]}, target(), MalformedAnswerError, id="a policy without limits"),
        pytest.param(
            {"qosPolicies": [{"qosPolicyID": 1, "qos": {"minIOPS": None}}]}, target(), MalformedAnswerError, id="a limit that is null"
        ),
        pytest.param(
            {"qosPolicies": [{"qosPolicyID": 1, "qos": {"minIOPS": True}}]}, target(), MalformedAnswerError, id="a limit that is true"
        ),
        pytest.param({}, target(field="name"), RefusedError, id="a field that is no limit"),
    ],
)
def test_a_limit_that_cannot_be_read_is_never_guessed(session: Any, answer: Any, where: Target, error: type[AuditorError]) -> None:
    server, array = session
    server.alterations["ListQoSPolicies"] = lambda _, __: answer
    with pytest.raises(error):
        QOS_POLICY.read(array, where)


def test_a_limit_sent_as_a_string_is_the_same_limit(session: Any) -> None:
    server, array = session
    server.alterations["ListQoSPolicies"] = lambda _, __: {"qosPolicies": [{"qosPolicyID": 1, "qos": {"minIOPS": "25"}}]}
    assert QOS_POLICY.read(array, target()) == Reading(25)
