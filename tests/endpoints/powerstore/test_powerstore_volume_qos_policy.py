"""A volume of a PowerStore is put under another QoS policy, and nothing else of it changes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.remediator import Reading, Remediator
from auditor.endpoints.powerstore.client import PowerStore, open_powerstore
from auditor.endpoints.powerstore.settings.volume_qos_policy import PowerStoreVolumeQosPolicy
from auditor.errors import AuditorError, MalformedAnswerError, NotThereError, PermissionMissingError, RefusedError
from auditor.model import EndpointKind, Target
from auditor_lab.arrays.powerstore.description import (
    PowerStoreDescription,
    QosPolicyDescription,
    VolumeDescription,
    VolumeGroupDescription,
)
from tests.endpoints.arrays import serving_array

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DESCRIPTION = PowerStoreDescription(
    name="ps",
    id="0a4c9d7e-58b1-4f36-9c20-7d1e63b5a842",
    qos_policies=(QosPolicyDescription(name="silver", max_iops=2000), QosPolicyDescription(name="gold", max_iops=9000)),
    volume_groups=(VolumeGroupDescription(name="batch", qos_policy="gold"),),
    volumes=(VolumeDescription(name="capped", qos_policy="silver", group="batch"), VolumeDescription(name="free")),
)
POLICY: Remediator[PowerStore] = PowerStoreVolumeQosPolicy()


def target(volume: str) -> Target:
    return Target("ps-east", (("volume_id", DESCRIPTION.derived_id("volume", volume)),))


@pytest.fixture
def serve(tmp_path: Path) -> Callable[..., Any]:
    return lambda **changes: serving_array(EndpointKind.POWERSTORE, dataclasses.replace(DESCRIPTION, **changes), tmp_path)


@pytest.mark.parametrize("wanted", ["gold", None])
def test_its_own_policy_changes_and_its_groups_stays(serve: Any, wanted: str | None) -> None:
    with serve() as (server, endpoint), open_powerstore(endpoint) as array:
        assert (POLICY.read(array, target("capped")), POLICY.read(array, target("free"))) == (Reading("silver"), Reading(None))
        POLICY.write(array, target("capped"), wanted)
        assert POLICY.read(array, target("capped")) == Reading(wanted)
        assert (server.state.volume_policies, server.state.group_policies) == ({"capped": wanted, "free": None}, {"batch": "gold"})
        assert server.requests.count("PATCH volume") == 1


@pytest.mark.parametrize(
    ("changes", "volume", "value", "error", "words"),
    [
        pytest.param({}, "capped", "bronze", RefusedError, "no QoS policy has that name", id="a policy that is not there"),
        pytest.param({}, "capped", "Low", RefusedError, "no QoS policy has that name", id="a policy of another type"),
        pytest.param({}, "capped", 5, RefusedError, "no QoS policy has that name", id="no name"),
        pytest.param({}, "capped", "", RefusedError, "no QoS policy has that name", id="an empty name"),
        pytest.param({}, "gone", "gold", NotThereError, "Could not find the volume", id="a volume that is gone"),
        pytest.param({"role": "Operator"}, "capped", "gold", PermissionMissingError, "Not allowed", id="an account that only reads"),
        pytest.param(
            {
                "version": "3.6.1.0",
                "qos_policies": (),
                "volume_groups": (),
                "volumes": (VolumeDescription(name="capped"),),
            },
            "capped",
            None,
            RefusedError,
            "PowerStoreOS 3.6.1.0 has no QoS policies, which came with 4.0",
            id="a release without QoS",
        ),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    serve: Any, changes: dict[str, Any], volume: str, value: Any, error: type[AuditorError], words: str
) -> None:
    with serve(**changes) as (server, endpoint), open_powerstore(endpoint) as array:
        before = dict(server.state.volume_policies)
        with pytest.raises(error, match=words):
            POLICY.write(array, target(volume), value)
        assert server.state.volume_policies == before


def test_several_policies_of_one_name_are_not_chosen_from(serve: Any) -> None:
    with serve() as (server, endpoint), open_powerstore(endpoint) as array:
        server.alterations["GET policy"] = lambda page: [*page, *({**one, "id": "another"} for one in page)]
        with pytest.raises(RefusedError, match="several QoS policies have that name"):
            POLICY.write(array, target("free"), "gold")
        assert "PATCH volume" not in server.requests


@pytest.mark.parametrize("field", [{}, {"qos_performance_policy_id": 7}])
def test_a_volume_that_does_not_report_its_policy_is_not_without_one(serve: Any, field: dict[str, Any]) -> None:
    with serve() as (server, endpoint), open_powerstore(endpoint) as array:
        server.alterations["GET volume"] = lambda _: {"id": "v", **field}
        with pytest.raises(MalformedAnswerError, match="reads"):
            POLICY.read(array, target("free"))
