"""A whole reading of an Element cluster, replayed from a recording: each answer is there, and each is heard.

To record again, from the lab and from nothing else: AUDITOR_RECORD=1 pytest tests/clients/test_element_cassettes.py
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import vcr
from solidfire.common import ApiServerError
from vcr.serializers import yamlserializer

from auditor.endpoints.common.masking import masked
from auditor.endpoints.element.client import open_element
from auditor.endpoints.element.collect import collect_element
from auditor.endpoints.element.settings.qos_policy import ElementQosPolicy
from auditor.endpoints.element.settings.volume_limits import ElementVolumeLimits
from auditor.facts.schema import ARRAY_TOPICS, Batch
from auditor.lab.arrays.element.description import (
    AccessGroupDescription,
    ContainerDescription,
    ElementDescription,
    NodeDescription,
    QosPolicyDescription,
    VolumeDescription,
    VvolDescription,
)
from auditor.lab.arrays.element.server import ElementServer
from auditor.lab.authority import Authority
from auditor.model import Endpoint, EndpointKind, Gap, Secret, Target, Tls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.element.client import ElementArray

CASSETTES = Path(__file__).parents[3] / "cassettes" / "element"
RECORD = os.environ.get("AUDITOR_RECORD") == "1"
HOST = "element.example.net"

DESCRIPTION = ElementDescription(
    name="sf-east",
    unique_id="dg0j",
    nodes=(NodeDescription(1, "n1"), NodeDescription(2, "n2")),
    qos_policies=(QosPolicyDescription("Bronze", 25, 1000, 2000), QosPolicyDescription("Gold", 100, 3000, 6000)),
    volumes=(VolumeDescription("vmfs-1", policy="Gold", access_groups=("esx",)),),
    access_groups=(AccessGroupDescription("esx", ("iqn.1998-01.com.vmware:esx-1", "21:00:00:0e:1e:14:af:40")),),
    containers=(ContainerDescription("vvols"),),
    vvols=(VvolDescription("db.vmdk", "vvols", policy="Bronze", bound_by=("564de1a4-9a99-da0f-8b7c-3a41dfd64bf1",)),),
)


def same_call(asked: Any, recorded: Any) -> None:
    """Equal method and parameters; the SDK numbers its calls through the life of a process, so the id says nothing."""
    ours, theirs = json.loads(asked.body), json.loads(recorded.body)
    assert (asked.path, ours["method"], ours["params"]) == (recorded.path, theirs["method"], theirs["params"])


def without_address(request: Any) -> Any:
    request.uri = re.sub(r"https://[^/]+", f"https://{HOST}", request.uri)
    request.headers = {"Content-Type": request.headers["Content-Type"]}
    request.body = json.dumps({**json.loads(request.body), "id": 1}).encode()
    return request


def without_secrets(response: Any) -> Any:
    response["headers"] = {name: value for name, value in response["headers"].items() if name.lower() == "content-type"}
    answer = {**json.loads(response["body"]["string"]), "id": 1}
    response["body"] = {"string": json.dumps(masked(answer)).encode()}
    return response


@contextlib.contextmanager
def playing(name: str, folder: Path) -> Iterator[tuple[ElementArray, Any]]:
    """A session that hears the cassette `name`, or makes it anew from the lab."""
    player = vcr.VCR(
        record_mode="all" if RECORD else "none",
        cassette_library_dir=str(CASSETTES),
        decode_compressed_response=True,
        before_record_request=without_address,
        before_record_response=without_secrets,
    )
    player.register_matcher("call", same_call)
    player.match_on = ("method", "host", "call")
    (folder / "password").write_text("right")
    server: ElementServer | None = None
    tls = Tls()
    if RECORD:
        (CASSETTES / name).unlink(missing_ok=True)
        authority = Authority()
        authority.write(folder / "ca.pem")
        tls = Tls(ca=str(folder / "ca.pem"))
        server = ElementServer(DESCRIPTION, authority.server_context("127.0.0.1"), "audit", "right")
    endpoint = Endpoint(
        name="sf-east",
        kind=EndpointKind.ELEMENT,
        address=server.host if server else HOST,
        port=server.port if server else 443,
        username="audit",
        password=Secret("file", (str(folder / "password"),)),
        tls=tls,
    )
    with player.use_cassette(name) as cassette, open_element(endpoint) as array:
        yield array, cassette
    if server:
        server.stop()


def test_a_reading_hears_every_recorded_answer_and_asks_for_no_other(tmp_path: Path) -> None:
    with playing("reading.yaml", tmp_path) as (array, cassette):
        items = list(collect_element(array, array.endpoint))
    assert RECORD or cassette.all_played, "an answer was recorded that nobody asked for"
    assert [item for item in items if isinstance(item, Gap)] == []
    tables: dict[str, list[Batch]] = {}
    for item in items:
        if isinstance(item, Batch):
            tables.setdefault(item.table, []).append(item)
    assert sorted(item.columns["topic"][0] for item in tables["reading"]) == sorted(ARRAY_TOPICS[EndpointKind.ELEMENT])
    volumes = tables["array_volume"][0].columns
    assert list(zip(volumes["name"], volumes["device"], volumes["qos_max_iops"], strict=True)) == [
        ("vmfs-1", "naa.6f47acc1000000006467306a00000001", 3000),
        ("db.vmdk", "naa.6f47acc1000000006467306a00000002", 1000),
    ]
    assert tables["array_initiator"][0].columns["initiator"] == ["iqn.1998-01.com.vmware:esx-1", "2100000e1e14af40"]
    assert tables["array_connection"][0].columns["volume_id"] == ["1"]
    assert len(tables["array_session"][0].columns["volume_id"]) + len(tables["array_session"][1].columns["volume_id"]) == 1 + 2
    assert tables["array_protocol_endpoint"][0].columns["device"] == [
        "naa.6f47acc2000000016467306a00000000",
        "naa.6f47acc2000000026467306a00000000",
    ]


def test_a_fix_reads_writes_one_limit_and_reads_again(tmp_path: Path) -> None:
    policy, target = ElementQosPolicy(), Target("sf-east", (("field", "minIOPS"), ("policy_id", "1")))
    with playing("fix.yaml", tmp_path) as (array, cassette):
        before = policy.read(array, target)
        policy.write(array, target, 50)
        after = policy.read(array, target)
    assert RECORD or cassette.all_played
    assert (before.value, after.value) == (25, 50)


def test_a_volume_is_put_under_its_policy_and_gets_its_own_limits_back(tmp_path: Path) -> None:
    limits, target = ElementVolumeLimits(), Target("sf-east", (("volume_id", "1"),))
    with playing("volume.yaml", tmp_path) as (array, cassette):
        found = [limits.read(array, target).value]
        for value in ("own 60/700/800", "policy 1"):
            limits.write(array, target, value)
            found.append(limits.read(array, target).value)
    assert RECORD or cassette.all_played
    assert found == ["policy 2", "own 60/700/800", "policy 1"]


def test_the_account_and_the_clock_are_asked_for(tmp_path: Path) -> None:
    with playing("account.yaml", tmp_path) as (array, cassette):
        role, clock = array.role(), array.clock()
    assert RECORD or cassette.all_played
    assert role == "read, write"
    assert clock is not None


@pytest.mark.skipif(RECORD, reason="recording")
def test_a_question_that_was_not_recorded_fails(tmp_path: Path) -> None:
    # Not an auditor error, which a collector would take for a gap: the test that asks must break.
    with playing("fix.yaml", tmp_path) as (array, _), pytest.raises(ApiServerError):
        array.call("ListAccounts")


@pytest.mark.skipif(RECORD, reason="recording")
def test_an_answer_that_nobody_hears_is_noticed(tmp_path: Path) -> None:
    with playing("fix.yaml", tmp_path) as (_, cassette):
        pass
    assert not cassette.all_played


@pytest.mark.parametrize("path", sorted(CASSETTES.glob("*")), ids=lambda path: path.name)
def test_no_cassette_holds_a_secret_a_cookie_or_a_real_name(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?i)authorization|cookie|\bbasic [a-z0-9+/=]{6,}|user-agent", text)
    for interaction in yamlserializer.deserialize(text)["interactions"]:
        for body in (interaction["request"]["body"], interaction["response"]["body"]["string"]):
            assert masked(json.loads(body)) == json.loads(body)
    assert set(re.findall(r"https?://([^/\s\"']+)", text)) == {HOST}
    addresses = set(re.findall(r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b", text))
    documentation = ("192.0.2.", "198.51.100.", "203.0.113.")  # RFC 5737: nobody's
    assert {each for each in addresses if not each.startswith(documentation)} <= {"0.0.0.0", "12.3.0.958"}


def test_there_are_cassettes_to_check() -> None:
    assert sorted(path.name for path in CASSETTES.glob("*")) == ["account.yaml", "fix.yaml", "reading.yaml", "volume.yaml"]
