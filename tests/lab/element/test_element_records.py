"""The lab's Element cluster answers in the shapes that a real one was recorded with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from auditor_lab.arrays.element.description import (
    AccessGroupDescription,
    ElementDescription,
    LoadDescription,
    NodeDescription,
    QosPolicyDescription,
    VolumeDescription,
)
from auditor_lab.arrays.element.server import ElementServer
from auditor_lab.authority import Authority
from tests.required import capture

if TYPE_CHECKING:
    from collections.abc import Iterator


DESCRIPTION = ElementDescription(
    name="recorded",
    unique_id="1mhp",
    version="11.7.0.76",
    nodes=(NodeDescription(1, "n01"),),
    qos_policies=(QosPolicyDescription("gold", 50, 5000, 15000),),
    volumes=(
        VolumeDescription("test-volume1", policy="gold", access_groups=("example1",), load=LoadDescription(4096, 0.5, 800, 3, 120)),
        VolumeDescription("test-volume2", policy="gold"),
    ),
    access_groups=(AccessGroupDescription("example1", ("iqn.1993-08.org.debian:01:4efdaa48c143",)),),
)


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Any]:
    authority = Authority()
    authority.write(tmp_path / "ca.pem")
    server = ElementServer(DESCRIPTION, authority.server_context("127.0.0.1"), "audit", "right")
    import ssl

    context = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
    with httpx.Client(verify=context, auth=("audit", "right"), base_url=f"https://127.0.0.1:{server.port}") as session:

        def call(method: str, **params: Any) -> Any:
            return session.post("/json-rpc/12.0", json={"method": method, "params": params, "id": 1}).json()

        yield call
    server.stop()


def captured(method: str) -> Any:
    return json.loads(capture(f"solidfire-exporter-joyent/{method}.json").read_text(encoding="utf-8"))


def kind(value: Any) -> str:
    """The JSON type; 0 and 0.5 are both numbers, true is not."""
    if isinstance(value, bool) or value is None:
        return "null" if value is None else "boolean"
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def differences(recorded: Any, answered: Any, where: str = "") -> list[str]:
    """What of a recorded value the lab's value lacks, or has in another type; null stands for any type."""
    if kind(recorded) != kind(answered):
        return [] if "null" in (kind(recorded), kind(answered)) else [f"{where}: {kind(recorded)}, not {kind(answered)}"]
    if isinstance(recorded, dict) and where.endswith((".attributes", ".metadata")):
        return []
    if isinstance(recorded, dict):
        lacking = [f"{where}.{name} is missing" for name in recorded if name not in answered]
        return lacking + [
            each for name in recorded if name in answered for each in differences(recorded[name], answered[name], f"{where}.{name}")
        ]
    if isinstance(recorded, list) and recorded and answered:
        return differences(recorded[0], answered[0], f"{where}[]")
    return []


@pytest.mark.parametrize(
    ("method", "under"),
    [
        ("ListVolumes", "volumes"),
        ("ListVolumeStats", "volumeStats"),
        ("ListAllNodes", "nodes"),
        ("ListAccounts", "accounts"),
        ("ListVolumeAccessGroups", "volumeAccessGroups"),
        ("ListInitiators", "initiators"),
        ("ListISCSISessions", "sessions"),
        ("ListVolumeQoSHistograms", "qosHistograms"),
        ("GetClusterStats", "clusterStats"),
    ],
)
def test_every_field_of_a_recorded_answer_is_in_the_labs_answer_with_its_type(ask: Any, method: str, under: str) -> None:
    recorded, answered = captured(method), ask(method)
    assert answered["result"][under], "the lab answers no record to compare"
    assert differences(recorded["result"], answered["result"], method) == []


def test_device_names_of_volumes_are_those_a_real_cluster_gave(ask: Any) -> None:
    recorded, answered = captured("ListVolumes"), ask("ListVolumes")
    for field in ("volumeID", "scsiNAADeviceID", "scsiEUIDeviceID", "qos"):
        assert [v[field] for v in answered["result"]["volumes"]] == [v[field] for v in recorded["result"]["volumes"]]


def test_a_parameter_that_is_not_understood_comes_back_as_a_warning(ask: Any) -> None:
    assert ask("ListActiveNodes", colour="red")["warning"] == {"unusedParameters": {"colour": "red"}}
