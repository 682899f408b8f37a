"""A whole reading of a Dell Storage Manager, replayed from a recording: each answer is there, and each is heard.

To record again, from the lab and from nothing else: AUDITOR_RECORD=1 pytest tests/clients/test_dell_sc_cassettes.py
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

from auditor.endpoints.common.masking import masked
from auditor.endpoints.dell_sc.client import open_dell_sc
from auditor.endpoints.dell_sc.collect import collect_dell_sc
from auditor.endpoints.dell_sc.settings.volume_qos_profile import DellScVolumeQosProfile
from auditor.facts.schema import ARRAY_TOPICS, Batch
from auditor.model import Endpoint, EndpointKind, Gap, Secret, Target
from tests.endpoints.arrays import PASSWORD
from tests.endpoints.dell_sc.dell_sc_serving import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.dell_sc.client import StorageManager

CASSETTES = Path(__file__).parents[3] / "cassettes" / "dell_sc"
RECORD = os.environ.get("AUDITOR_RECORD") == "1"
HOST = "dell-sc.example.net"


def without_address(request: Any) -> Any:
    request.uri = re.sub(r"https://[^/]+", f"https://{HOST}", request.uri)
    request.headers = {name: value for name, value in request.headers.items() if name.lower() in ("x-dell-api-version", "async")}
    return request


def without_secrets(response: Any) -> Any:
    response["headers"] = {name: value for name, value in response["headers"].items() if name.lower() == "content-type"}
    body = response["body"]["string"]
    response["body"] = {"string": json.dumps(masked(json.loads(body))).encode() if body else b""}
    return response


@contextlib.contextmanager
def playing(name: str, folder: Path) -> Iterator[tuple[StorageManager, Any]]:
    """A session that hears the cassette `name`, or makes it anew from the lab."""
    player = vcr.VCR(
        record_mode="all" if RECORD else "none",
        cassette_library_dir=str(CASSETTES),
        decode_compressed_response=True,
        before_record_request=without_address,
        before_record_response=without_secrets,
        match_on=("method", "host", "path", "query", "body"),
    )
    with contextlib.ExitStack() as stack:
        if RECORD:
            (CASSETTES / name).unlink(missing_ok=True)
            _, endpoint = stack.enter_context(serving(folder))
        else:
            (folder / "password").write_text(PASSWORD)
            endpoint = Endpoint("sc-east", EndpointKind.DELL_SC, HOST, 443, "audit", Secret("file", (str(folder / "password"),)))
        with player.use_cassette(name) as cassette, open_dell_sc(endpoint) as manager:
            yield manager, cassette


def test_a_reading_hears_every_recorded_answer_and_asks_for_no_other(tmp_path: Path) -> None:
    with playing("reading.yaml", tmp_path) as (manager, cassette):
        items = list(collect_dell_sc(manager, manager.endpoint))
    assert RECORD or cassette.all_played, "an answer was recorded that nobody asked for"
    assert [item for item in items if isinstance(item, Gap)] == []
    tables: dict[str, list[Batch]] = {}
    for item in items:
        if isinstance(item, Batch):
            tables.setdefault(item.table, []).append(item)
    assert sorted(item.columns["topic"][0] for item in tables["reading"]) == sorted(ARRAY_TOPICS[EndpointKind.DELL_SC])
    volumes = tables["array_volume"][0].columns
    assert list(zip(volumes["name"], volumes["device"], volumes["qos_max_bytes_per_second"], volumes["tiers"], strict=True)) == [
        ("capped", "naa.6000d31000fcbe000000000000000003", 50 << 20, 2),
        ("free", "naa.6000d31000fcbe000000000000000004", None, 1),
    ]


def test_a_fix_reads_writes_one_profile_waits_for_the_task_and_reads_again(tmp_path: Path) -> None:
    profile, target = DellScVolumeQosProfile(), Target("sc-east", (("volume_id", "64702.1"),))
    with playing("fix.yaml", tmp_path) as (manager, cassette):
        before = profile.read(manager, target)
        profile.write(manager, target, None)
        after = profile.read(manager, target)
    assert RECORD or cassette.all_played
    assert (before.value, after.value) == ("Prod", None)
    asked = [(request.method, request.path, request.headers.get("async")) for request in cassette.requests]
    assert [told for told in asked if told[2]] == [
        ("PUT", "/api/rest/StorageCenter/ScVolumeConfiguration/64702.1", "True"),
    ]


@pytest.mark.skipif(RECORD, reason="recording")
def test_a_question_that_was_not_recorded_fails(tmp_path: Path) -> None:
    # Not an auditor error, which a collector would take for a gap: the test that asks must break.
    with pytest.raises(CannotOverwriteExistingCassetteException), playing("fix.yaml", tmp_path) as (manager, _):
        manager.objects("ScVolume", 64702)


@pytest.mark.skipif(RECORD, reason="recording")
def test_an_answer_that_nobody_hears_is_noticed(tmp_path: Path) -> None:
    with playing("fix.yaml", tmp_path) as (_, cassette):
        pass
    assert not cassette.all_played


@pytest.mark.parametrize("path", sorted(CASSETTES.glob("*")), ids=lambda path: path.name)
def test_no_cassette_holds_a_secret_a_cookie_or_a_real_name(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?i)authorization|cookie|\bbasic [a-z0-9+/=]{6,}|user-agent", text)
    assert PASSWORD not in text
    for interaction in yamlserializer.deserialize(text)["interactions"]:
        for body in (interaction["request"]["body"], interaction["response"]["body"]["string"]):
            assert not body or masked(json.loads(body)) == json.loads(body)
    assert set(re.findall(r"https?://([^/\s\"']+)", text)) <= {HOST, "localhost:3033"}, "the second one is how a manager sees itself"
    addresses = set(re.findall(r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b", text))
    documentation = ("192.0.2.", "198.51.100.", "203.0.113.")  # RFC 5737: nobody's
    assert {each for each in addresses if not each.startswith(documentation)} <= {"0.0.0.0", "127.0.0.1", "7.3.20.19", "18.1.10.153"}


def test_there_are_cassettes_to_check() -> None:
    assert sorted(path.name for path in CASSETTES.glob("*")) == ["fix.yaml", "reading.yaml"]
