"""A whole reading of a FlashArray, replayed from a recording: each answer is there, and each is heard.

To record again, from the lab and from nothing else: AUDITOR_RECORD=1 pytest tests/clients/test_flasharray_cassettes.py
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
from vcr.errors import CannotOverwriteExistingCassetteException
from vcr.serializers import yamlserializer

from auditor.endpoints.common.masking import MASK, masked
from auditor.endpoints.flasharray.client import open_flasharray
from auditor.endpoints.flasharray.collect import collect_flasharray
from auditor.endpoints.flasharray.settings.volume_limit import FlashArrayVolumeLimit
from auditor.facts.schema import ARRAY_TOPICS, Batch
from auditor.lab.arrays.flasharray.description import FlashArrayDescription
from auditor.lab.arrays.flasharray.parts import (
    HostDescription,
    LoadDescription,
    MachineDescription,
    QosDescription,
    VolumeDescription,
    VolumeGroupDescription,
)
from auditor.lab.arrays.flasharray.server import FlashArrayServer
from auditor.lab.authority import Authority
from auditor.model import Endpoint, EndpointKind, Gap, Secret, Target, Tls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.flasharray.client import FlashArray

CASSETTES = Path(__file__).parents[3] / "cassettes" / "flasharray"
RECORD = os.environ.get("AUDITOR_RECORD") == "1"
HOST = "flasharray.example.net"
API_TOKEN = "8d5c2f10-4b7e-4a8e-9c0d-3b6f1e2a7c95"
KEPT = {"content-type", "x-auth-token", "x-next-token"}

DESCRIPTION = FlashArrayDescription(
    name="fa-east",
    id="5a1f77c2-9b3e-4d10-8c6a-0e2f4b6d8a90",
    host_groups=("blue",),
    hosts=(
        HostDescription("esx-1", "blue", wwns=("20000025B5AA0001",)),
        HostDescription("esx-2", "blue", personality=None, iqns=("iqn.1998-01.com.vmware:esx-2",)),
        HostDescription("esx-3", nqns=("nqn.2014-08.com.vmware:esx-3",)),
    ),
    volume_groups=(VolumeGroupDescription("batch", QosDescription(15_000)),),
    volumes=(
        VolumeDescription("pe", subtype="protocol_endpoint", host_groups=("blue",)),
        VolumeDescription(
            "db", host_groups=("blue",), load=LoadDescription(reads_per_sec=65_000, bytes_per_read=4096, usec_per_read_op=430)
        ),
        VolumeDescription("batch/archive", qos=QosDescription(10_000, 400 << 20), host_groups=("blue",)),
        VolumeDescription("fast", hosts=("esx-3",)),
    ),
    machines=(MachineDescription("web", bound_by=("esx-1",)),),
    page_limit=4,  # so that pages are followed
)


def without_address(request: Any) -> Any:
    request.uri = re.sub(r"https://[^/]+", f"https://{HOST}", request.uri)
    request.headers = {}
    return request


def without_secrets(response: Any) -> Any:
    kept = {name.lower(): value for name, value in response["headers"].items() if name.lower() in KEPT}
    if "x-auth-token" in kept:
        kept["x-auth-token"] = [MASK]
    response["headers"] = kept
    response["body"] = {"string": json.dumps(masked(json.loads(response["body"]["string"]))).encode()}
    return response


@contextlib.contextmanager
def playing(name: str, folder: Path) -> Iterator[tuple[FlashArray, Any]]:
    """A session that hears the cassette `name`, or makes it anew from the lab."""
    player = vcr.VCR(
        record_mode="all" if RECORD else "none",
        cassette_library_dir=str(CASSETTES),
        decode_compressed_response=True,
        before_record_request=without_address,
        before_record_response=without_secrets,
        match_on=("method", "host", "path", "query", "body"),
    )
    (folder / "token").write_text(API_TOKEN)
    server: FlashArrayServer | None = None
    tls = Tls()
    if RECORD:
        (CASSETTES / name).unlink(missing_ok=True)
        authority = Authority()
        authority.write(folder / "ca.pem")
        tls = Tls(ca=str(folder / "ca.pem"))
        server = FlashArrayServer(DESCRIPTION, authority.server_context("127.0.0.1"), API_TOKEN)
    endpoint = Endpoint(
        name="fa-east",
        kind=EndpointKind.FLASHARRAY,
        address=server.host if server else HOST,
        port=server.port if server else 443,
        username="",
        password=Secret("file", (str(folder / "token"),)),
        tls=tls,
    )
    with player.use_cassette(name) as cassette, open_flasharray(endpoint) as array:
        yield array, cassette
    if server:
        server.stop()


def test_a_reading_hears_every_recorded_answer_and_asks_for_no_other(tmp_path: Path) -> None:
    with playing("reading.yaml", tmp_path) as (array, cassette):
        items = list(collect_flasharray(array, array.endpoint))
    assert RECORD or cassette.all_played, "an answer was recorded that nobody asked for"
    assert [item for item in items if isinstance(item, Gap)] == []
    tables: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        if isinstance(item, Batch):
            rows = [dict(zip(item.columns, row, strict=True)) for row in zip(*item.columns.values(), strict=True)]
            tables.setdefault(item.table, []).extend(rows)
    assert sorted(row["topic"] for row in tables["reading"]) == sorted(ARRAY_TOPICS[EndpointKind.FLASHARRAY])
    stem = "naa.624a93705a1f77c29b3e4d10"
    assert [(row["name"], row["device"], row["qos_max_iops"], row["qos_group_max_iops"]) for row in tables["array_volume"][:4]] == [
        ("pe", f"{stem}00011010", None, None),
        ("db", f"{stem}00011011", None, None),
        ("batch/archive", f"{stem}00011012", 10_000, 15_000),
        ("fast", "eui.005a1f77c29b3e4d24a9371000011013", None, None),
    ]
    assert len(tables["array_volume"]) == 6
    assert [row["host_type"] for row in tables["array_host"]] == ["esxi", "", "esxi"]
    assert len(tables["array_connection"]) == 9, "three volumes for two hosts, one for one, and two vVols"


def test_a_fix_reads_writes_one_ceiling_reads_again_and_lifts_it(tmp_path: Path) -> None:
    limit, target = FlashArrayVolumeLimit(), Target("fa-east", (("field", "iops_limit"), ("name", "batch/archive")))
    found = []
    with playing("fix.yaml", tmp_path) as (array, cassette):
        found.append(limit.read(array, target).value)
        for wanted in (5000, None):
            limit.write(array, target, wanted)
            found.append(limit.read(array, target).value)
    assert RECORD or cassette.all_played
    assert found == [10_000, 5000, None]


@pytest.mark.skipif(RECORD, reason="recording")
def test_a_question_that_was_not_recorded_fails(tmp_path: Path) -> None:
    # Not an auditor error, which a collector would take for a gap: the test that asks must break.
    with pytest.raises(CannotOverwriteExistingCassetteException), playing("fix.yaml", tmp_path) as (array, _):
        list(array.pages("pods"))


@pytest.mark.skipif(RECORD, reason="recording")
def test_an_answer_that_nobody_hears_is_noticed(tmp_path: Path) -> None:
    with playing("fix.yaml", tmp_path) as (_, cassette):
        pass
    assert not cassette.all_played


@pytest.mark.parametrize("path", sorted(CASSETTES.glob("*")), ids=lambda path: path.name)
def test_no_cassette_holds_a_secret_a_cookie_or_a_real_name(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?i)authorization|cookie|\bbasic [a-z0-9+/=]{6,}|user-agent|api-token", text)
    assert API_TOKEN not in text
    for interaction in yamlserializer.deserialize(text)["interactions"]:
        assert interaction["request"]["headers"] == {}
        assert interaction["response"]["headers"].get("x-auth-token", [MASK]) == [MASK]
        body = json.loads(interaction["response"]["body"]["string"])
        assert masked(body) == json.loads(interaction["response"]["body"]["string"])
    assert set(re.findall(r"https?://([^/\s\"']+)", text)) == {HOST}
    addresses = set(re.findall(r"(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d.])", text))
    assert {each for each in addresses if not each.startswith(("192.0.2.", "198.51.100.", "203.0.113."))} == set()  # RFC 5737: nobody's


def test_there_are_cassettes_to_check() -> None:
    assert sorted(path.name for path in CASSETTES.glob("*")) == ["fix.yaml", "reading.yaml"]
