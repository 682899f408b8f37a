"""A whole reading of an ONTAP cluster, replayed from a recording: each answer is there, and each is heard.

To record again, from the lab and from nothing else: AUDITOR_RECORD=1 pytest tests/clients/test_ontap_cassettes.py
"""

from __future__ import annotations

import contextlib
import dataclasses
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
from auditor.endpoints.ontap.client import open_ontap
from auditor.endpoints.ontap.collect import collect_ontap
from auditor.endpoints.ontap.settings.qos_policy_limit import OntapQosPolicyLimit
from auditor.lab.arrays.ontap.server import OntapServer
from auditor.lab.authority import Authority
from auditor.model import Endpoint, EndpointKind, Secret, Target, Tls
from tests.endpoints.ontap.ontap_cluster import CLUSTER, Clock, Collected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.ontap.client import OntapCluster

CASSETTES = Path(__file__).parents[3] / "cassettes" / "ontap"
RECORD = os.environ.get("AUDITOR_RECORD") == "1"
HOST = "ontap.example.net"
PASSWORD = "hush-9f2c"
DESCRIPTION = dataclasses.replace(CLUSTER, page_limit=4)  # so that pages are followed


def without_address(request: Any) -> Any:
    request.uri = re.sub(r"https://[^/]+", f"https://{HOST}", request.uri)
    request.headers = {}
    return request


def without_secrets(response: Any) -> Any:
    response["headers"] = {name: value for name, value in response["headers"].items() if name.lower() == "content-type"}
    response["body"] = {"string": json.dumps(masked(json.loads(response["body"]["string"]))).encode()}
    return response


@contextlib.contextmanager
def playing(name: str, folder: Path) -> Iterator[tuple[OntapCluster, Any, Clock]]:
    """A session that hears the cassette `name`, or makes it anew from the lab, and the clock that counters go by."""
    player = vcr.VCR(
        record_mode="all" if RECORD else "none",
        cassette_library_dir=str(CASSETTES),
        decode_compressed_response=True,
        before_record_request=without_address,
        before_record_response=without_secrets,
        match_on=("method", "host", "path", "query", "body"),
    )
    (folder / "password").write_text(PASSWORD)
    clock = Clock()
    server: OntapServer | None = None
    tls = Tls()
    if RECORD:
        (CASSETTES / name).unlink(missing_ok=True)
        authority = Authority()
        authority.write(folder / "ca.pem")
        tls = Tls(ca=str(folder / "ca.pem"))
        server = OntapServer(DESCRIPTION, authority.server_context("127.0.0.1"), "audit", PASSWORD, clock=clock)
    endpoint = Endpoint(
        name="na-east",
        kind=EndpointKind.ONTAP,
        address=server.host if server else HOST,
        port=server.port if server else 443,
        username="audit",
        password=Secret("file", (str(folder / "password"),)),
        tls=tls,
    )
    with player.use_cassette(name) as cassette, open_ontap(endpoint) as cluster:
        yield cluster, cassette, clock
    if server:
        server.stop()


def test_a_reading_hears_every_recorded_answer_and_asks_for_no_other(tmp_path: Path) -> None:
    with playing("reading.yaml", tmp_path) as (cluster, cassette, clock):
        found = Collected(collect_ontap(cluster, cluster.endpoint, clock=clock, sleep=clock.sleep))
    assert RECORD or cassette.all_played, "an answer was recorded that nobody asked for"
    assert (found.gaps, found.incomplete()) == ([], set())
    assert [(row["name"], row["device"], row["qos_max_iops"], row["qos_group_max_iops"]) for row in found.tables["array_volume"]] == [
        ("nfs1", None, None, 20000),
        ("nfs2", None, None, 20000),
        ("/vol/luns1/ds1", "naa.600a098038304437415d4b6a59684a52", 5000, None),
        ("/vol/luns2/ds2", "naa.600a098077663049712b4e3475636b33", None, 3000),
        ("/vol/vv/data.vmdk", None, None, None),
    ]
    assert [row["start_minutes"] for row in found.tables["array_scrub"]] == ["[120, 1320]", "[60]"]
    assert [row["busy_percent"] for row in found.tables["array_pool_load"]] == [70, 0]


def test_a_fix_reads_writes_one_ceiling_waits_for_its_job_and_reads_again(tmp_path: Path) -> None:
    limit = OntapQosPolicyLimit()
    target = Target("na-east", (("field", "max_throughput_iops"), ("policy_id", DESCRIPTION.derived_id("qos", "san", "gold"))))
    found = []
    with playing("fix.yaml", tmp_path) as (cluster, cassette, _):
        found.append(limit.read(cluster, target).value)
        for wanted in (8000, None):
            limit.write(cluster, target, wanted)
            found.append(limit.read(cluster, target).value)
    assert RECORD or cassette.all_played
    assert found == [5000, 8000, None]


@pytest.mark.skipif(RECORD, reason="recording")
def test_a_question_that_was_not_recorded_fails(tmp_path: Path) -> None:
    # Not an auditor error, which a collector would take for a gap: the test that asks must break.
    with pytest.raises(CannotOverwriteExistingCassetteException), playing("fix.yaml", tmp_path) as (cluster, _, _):
        cluster.get("storage/snapshots")


@pytest.mark.skipif(RECORD, reason="recording")
def test_an_answer_that_nobody_hears_is_noticed(tmp_path: Path) -> None:
    with playing("fix.yaml", tmp_path) as (_, cassette, _):
        pass
    assert not cassette.all_played


@pytest.mark.parametrize("path", sorted(CASSETTES.glob("*")), ids=lambda path: path.name)
def test_no_cassette_holds_a_secret_a_cookie_or_a_real_name(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?i)authorization|cookie|\bbasic [a-z0-9+/=]{6,}|user-agent", text)
    assert PASSWORD not in text
    for interaction in yamlserializer.deserialize(text)["interactions"]:
        assert interaction["request"]["headers"] == {}
        body = json.loads(interaction["response"]["body"]["string"])
        assert masked(body) == json.loads(interaction["response"]["body"]["string"])
    assert set(re.findall(r"https?://([^/\s\"']+)", text)) == {HOST}
    addresses = set(re.findall(r"(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d.])", text))
    assert {each for each in addresses if not each.startswith(("192.0.2.", "198.51.100.", "203.0.113."))} == set()  # RFC 5737: nobody's


def test_there_are_cassettes_to_check() -> None:
    assert sorted(path.name for path in CASSETTES.glob("*")) == ["fix.yaml", "reading.yaml"]
