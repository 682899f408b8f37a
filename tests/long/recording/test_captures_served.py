"""What others recorded from real arrays, recorded by us and served again, has the verdicts that it has itself."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor.lab.arrays.element.description import ElementDescription, NodeDescription, QosPolicyDescription, VolumeDescription
from auditor.lab.arrays.flasharray.description import FlashArrayDescription
from auditor.lab.vcenter.server import VCenterServer
from auditor.model import Endpoint, EndpointKind
from tests.endpoints.arrays import serving_array
from tests.long.recording.test_served_again import both, differences

CAPTURES = Path(__file__).parents[4] / "shared" / "captures"


def captured(name: str) -> Any:
    path = CAPTURES / f"{name}.json"
    if not path.exists():
        if os.environ.get("REQUIRE_CAPTURES") == "1":
            pytest.fail(f"REQUIRE_CAPTURES=1, but there is no {path.name} beside the project (shared/captures)")
        pytest.skip("the recorded answers are not here (shared/captures beside the project)")
    return json.loads(path.read_text(encoding="utf-8"))


@contextmanager
def flasharray(folder: Path) -> Iterator[Endpoint]:
    """Answers as z-x70-a did; its volume groups were recorded on another array, so those that its volumes name are made of these."""
    groups, volumes = captured("pure-fa-openmetrics-exporter/volume_groups"), captured("pure-fa-openmetrics-exporter/volumes")
    named = {json.dumps(each["volume_group"]) for each in volumes["items"] if each["volume_group"]["name"]}
    groups["items"] += [{**groups["items"][0], **json.loads(each)} for each in sorted(named)]
    answers = {name: captured(f"pure-fa-openmetrics-exporter/{name}") for name in ("arrays", "controllers", "hosts", "connections")}
    answers |= {"volumes": volumes, "volume-groups": groups}
    answers["volumes/performance"] = captured("pure-fa-openmetrics-exporter/volumes_performance")
    described = FlashArrayDescription(name="bare", id=answers["arrays"]["items"][0]["id"])
    with serving_array(EndpointKind.FLASHARRAY, described, folder) as (server, endpoint):
        server.alterations = {f"GET {what}": lambda _, answer=answer: answer for what, answer in answers.items()}
        yield endpoint


@contextmanager
def element(folder: Path) -> Iterator[Endpoint]:
    """Answers as the cluster 1mhp did, where it was recorded; QoS policies were not."""
    methods = (
        "ListVolumeStats",
        "ListAllNodes",
        "ListVolumeQoSHistograms",
        "ListVolumeAccessGroups",
        "ListInitiators",
        "ListISCSISessions",
    )
    answers = {method: captured(f"solidfire-exporter-joyent/{method}")["result"] for method in methods}
    volumes = captured("solidfire-exporter-joyent/ListVolumes")["result"]
    described = ElementDescription(
        name="real",
        unique_id="1mhp",
        nodes=(NodeDescription(1, "n"),),
        qos_policies=(QosPolicyDescription("p", 50, 5000, 15000),),
        volumes=(VolumeDescription("test-volume1"), VolumeDescription("test-volume2")),
    )
    with serving_array(EndpointKind.ELEMENT, described, folder) as (server, endpoint):
        server.alterations = {method: lambda _, __, answer=answer: answer for method, answer in answers.items()}
        server.alterations["ListVolumes"] = lambda params, _: volumes if params["startVolumeID"] == 0 else {"volumes": []}
        yield endpoint


def listed(endpoint: Endpoint) -> dict[str, Any]:
    """An entry of fleet.yaml."""
    secret = {endpoint.password.way: endpoint.password.argument[0]}
    login = {"api_token": secret} if endpoint.kind is EndpointKind.FLASHARRAY else {"username": endpoint.username, "password": secret}
    about = {"name": endpoint.name, "kind": endpoint.kind.value, "address": f"{endpoint.address}:{endpoint.port}"}
    return {**about, **login, "tls": {"ca": endpoint.tls.ca}}


@pytest.mark.parametrize("recorded", [flasharray, element], ids=["FlashArray", "Element"])
def test_a_real_arrays_answers_have_the_verdicts_of_their_recording(
    tmp_path: Path, serve_vcenter: Callable[..., tuple[VCenterServer, Endpoint]], recorded: Callable[[Path], Any]
) -> None:
    (tmp_path / "peer").mkdir()
    _, vcenter = serve_vcenter()  # without a host there is no audit
    with recorded(tmp_path / "peer") as array:
        fleet = tmp_path / "fleet.yaml"
        fleet.write_text(yaml.safe_dump({"endpoints": [listed(vcenter), listed(array)]}), encoding="utf-8")
        twice = both(fleet, tmp_path)
    assert sum(one["resource"]["endpoint"] == array.name for one in twice.original["findings"]) > 5
    assert differences(twice) == []
    assert twice.again["summary"] == twice.original["summary"]
    assert len(twice.again["gaps"]) == len(twice.original["gaps"])
