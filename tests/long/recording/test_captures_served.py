"""What others recorded from real arrays, recorded by us and served again, has the verdicts that it has itself."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml

from auditor.fleet.loading import load_fleet
from auditor.model import Endpoint, EndpointKind, Exchange
from auditor.recording.bundle import About, Bundle, RecordedEndpoint, RecordedExchange
from auditor_lab.arrays.element.description import ElementDescription, NodeDescription, QosPolicyDescription, VolumeDescription
from auditor_lab.arrays.eternus.commands import PROMPT
from auditor_lab.arrays.flasharray.description import FlashArrayDescription
from auditor_lab.recorded.serving import serve_recording
from auditor_lab.vcenter.server import VCenterServer
from tests.endpoints.arrays import serving_array
from tests.long.recording.test_served_again import both, differences
from tests.required import capture


def captured(name: str) -> Any:
    return json.loads(capture(f"{name}.json").read_text(encoding="utf-8"))


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


COMMANDS = {
    "show enclosure-status": "show_enclosure_status_5",
    "show volumes": "show_volumes_12",
    "show volume-qos": "show_volume_qos_13",
    "show qos-bandwidth-limit": "show_qos_bandwidth_limit_14",
}


@contextmanager
def eternus(folder: Path) -> Iterator[Endpoint]:
    """Answers as an ETERNUS DX200 S3 did to the four commands that were recorded; it knows no others."""
    exchanges = [
        RecordedExchange(Exchange(command, "SSH", "", command.encode(), 0, {}, shell(f"eternus-cli-cinder/{name}")), float(place))
        for place, (command, name) in enumerate(COMMANDS.items())
    ]
    with serve_recording(Bundle([RecordedEndpoint("dx-east", EndpointKind.ETERNUS, exchanges)], About())) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        yield load_fleet(folder / "fleet.yaml").endpoints[0]


def shell(name: str) -> bytes:
    with capture(f"{name}.txt").open(encoding="utf-8", newline="") as file:
        return f"{file.read().strip().removeprefix(PROMPT).removesuffix('CLI>')}{PROMPT}".encode()


def listed(endpoint: Endpoint) -> dict[str, Any]:
    """An entry of fleet.yaml."""
    secret = {endpoint.password.way: endpoint.password.argument[0]}
    login = {"api_token": secret} if endpoint.kind is EndpointKind.FLASHARRAY else {"username": endpoint.username, "password": secret}
    about = {"name": endpoint.name, "kind": endpoint.kind.value, "address": f"{endpoint.address}:{endpoint.port}"}
    trust = {"tls": {"ca": endpoint.tls.ca}} if endpoint.ssh is None else {"ssh": {"fingerprint": endpoint.ssh.fingerprint}}
    return {**about, **login, **trust}


def test_real_arrays_answers_have_the_verdicts_of_their_recording(
    tmp_path: Path, serve_vcenter: Callable[..., tuple[VCenterServer, Endpoint]]
) -> None:
    _, vcenter = serve_vcenter()  # without a host there is no audit
    with ExitStack() as served:
        arrays = []
        for recorded in (flasharray, element, eternus):
            (tmp_path / recorded.__name__).mkdir()
            arrays.append(served.enter_context(recorded(tmp_path / recorded.__name__)))
        fleet = tmp_path / "fleet.yaml"
        fleet.write_text(yaml.safe_dump({"endpoints": [listed(one) for one in (vcenter, *arrays)]}), encoding="utf-8")
        twice = both(fleet, tmp_path)
    for array in arrays:
        assert sum(one["resource"]["endpoint"] == array.name for one in twice.original["findings"]) > 5, array.name
    assert differences(twice) == []
    assert twice.again["summary"] == twice.original["summary"]
    assert len(twice.again["gaps"]) == len(twice.original["gaps"])
