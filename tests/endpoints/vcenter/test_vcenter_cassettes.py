"""A vCenter session with VMware's own simulator, replayed on the transports that it speaks: SOAP decoded here, and SOAP by pyVmomi.

The peer that answered was written by nobody here. VI/JSON is not among them: vcsim v0.46.3 does not speak it.
To record again: AUDITOR_RECORD=1 pytest -k vcenter_cassettes (needs `make vcsim`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import vcr
from vcr.serializers import yamlserializer

from auditor.endpoints.common.masking import MASK
from auditor.endpoints.vcenter import wire
from auditor.endpoints.vcenter.bulk.shapes import PROPERTIES
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.model import BulkTransport, Endpoint, EndpointKind, Limits, Secret, Tls
from tests.endpoints.vcenter.bulk.test_soap import by_id
from tests.peers import running_vcsim

RECORD = os.environ.get("AUDITOR_RECORD") == "1"
FOLDER = Path(__file__).parents[3] / "cassettes" / "vcenter"
HOST = "vcenter.example.net"
TRANSPORTS = (BulkTransport.SOAP, BulkTransport.PYVMOMI)
KINDS = ("HostSystem", "Datastore", "VirtualMachine", "ClusterComputeResource")
LARGEST_BYTES = 300_000
MADE_UP = frozenset({"runtime.bootTime", "summary.hardware.uuid"})
SCHEMAS = frozenset({"schemas.xmlsoap.org", "www.w3.org"})


def kept_request(request: Any) -> Any:
    request.uri = re.sub(r"https://[^/]+", f"https://{HOST}", request.uri)
    request.headers = {}
    request.body = re.sub(rb"(<(?:\w+:)?password[^>]*>)[^<]*(</)", rb"\1" + MASK.encode() + rb"\2", request.body or b"")
    return request


def kept_answer(response: Any) -> Any:
    """An answer without the names of the machine that recorded it: folders of its file system, session keys, its host's name."""
    response["headers"] = {name: value for name, value in response["headers"].items() if name.lower() == "content-type"}
    body = response["body"]["string"]
    body = re.sub(rb"/[\w/.-]*govcsim-[\w.-]*", b"/vmfs/volumes/vcsim", body)
    response["body"] = {"string": re.sub(rb"(<key>)[0-9a-f-]{36}(</key>)", rb"\g<1>52000000-0000-0000-0000-000000000000\2", body)}
    return response


def same_body(asked: Any, recorded: Any) -> None:
    assert asked.body == recorded.body


def player() -> Any:
    made = vcr.VCR(
        record_mode="all" if RECORD else "none",
        cassette_library_dir=str(FOLDER),
        before_record_request=kept_request,
        before_record_response=kept_answer,
        decode_compressed_response=True,
    )
    made.register_matcher("xml", same_body)
    made.match_on = ("method", "host", "path", "xml")
    return made


def asked(connection: Any, path: str, headers: Mapping[str, str], body: bytes) -> Any:
    """As `wire._asked` does it, by the methods that vcrpy knows: the wire writes a request to the socket in one piece, past http.client."""
    connection.request("POST", path, body, dict(headers))
    response = connection.getresponse()
    response.length, response.will_close = None, False
    return response


@contextmanager
def playing(name: str, transport: BulkTransport, folder: Path) -> Iterator[tuple[VCenter, Any]]:
    """A session that hears the cassette `name`, and the cassette; recorded anew from vcsim when RECORD is set."""
    with ExitStack() as stack:
        endpoint = Endpoint(
            "vc",
            EndpointKind.VCENTER,
            HOST,
            443,
            "user",
            Secret("file", (str(folder / "password"),)),
            Tls(verify=False),  # of a recorded session; recording it meets VMware's simulator on loopback
            limits=Limits(concurrency=1),
        )
        if RECORD:
            options = ("-username", "user", "-password", "any", "-host", "1", "-standalone-host", "0", "-vm", "1", "-ds", "1")
            vcsim = stack.enter_context(running_vcsim(None, *options))
            (FOLDER / name).unlink(missing_ok=True)
            endpoint = replace(endpoint, address=vcsim.host, port=vcsim.port, tls=Tls(fingerprint=vcsim.fingerprint))
        (folder / "password").write_text("any", encoding="utf-8")
        stack.enter_context(patch.object(wire, "_asked", asked))
        cassette = stack.enter_context(player().use_cassette(name))
        yield stack.enter_context(open_vcenter(replace(endpoint, lane=transport))), cassette


def seen(vcenter: VCenter) -> dict[str, dict[str, Any]]:
    """Every property that collectors read of every object, by the object's id."""
    found: dict[str, dict[str, Any]] = {}
    for kind in KINDS:
        objects, _ = vcenter.bulk.page(kind, tuple(PROPERTIES[kind]), vcenter.bulk.refs(kind))
        found |= {f"{kind} {key}": values for key, (_, values, _) in by_id(objects).items()}
    return found


@pytest.mark.parametrize("transport", TRANSPORTS, ids=lambda one: one.value)
def test_what_vcsim_answered_is_read_whole(transport: BulkTransport, tmp_path: Path) -> None:
    with playing(f"{transport.value}.yaml", transport, tmp_path) as (vcenter, cassette):
        found = seen(vcenter)
        assert vcenter.transport == transport.value
        assert vcenter.notes == ()
    assert RECORD or cassette.all_played, "an answer was recorded that nobody asked for"
    names = {values["name"] for values in found.values() if "name" in values}
    # The names that vcsim gives: a cluster of DC0 with one host, a machine of its pool and a local datastore.
    assert {"DC0_C0", "DC0_C0_H0", "LocalDS_0", "DC0_C0_RP0_VM0"} <= names


def test_both_transports_read_the_same_of_it(tmp_path: Path) -> None:
    read = []
    for transport in TRANSPORTS:
        with playing(f"{transport.value}.yaml", transport, tmp_path) as (vcenter, _):
            read.append(seen(vcenter))
    soap, pyvmomi = read
    assert {key: values.keys() for key, values in soap.items()} == {key: values.keys() for key, values in pyvmomi.items()}
    differing = {(key, path) for key, values in soap.items() for path, value in values.items() if value != pyvmomi[key][path]}
    # Each was recorded from a start of its own, so what vcsim makes up anew at every start differs.
    assert {path for _, path in differing} <= MADE_UP


@pytest.mark.parametrize("transport", TRANSPORTS, ids=lambda one: one.value)
def test_a_cassette_of_a_vcenter_is_small_and_holds_no_secret(transport: BulkTransport) -> None:
    path = FOLDER / f"{transport.value}.yaml"
    assert path.stat().st_size < LARGEST_BYTES
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?i)cookie|authorization:|user-agent|/tmp/|govcsim", text)
    assert set(re.findall(r"https?://([^/\s\"'<]+)", text)) <= {HOST, *SCHEMAS}
    for interaction in yamlserializer.deserialize(text)["interactions"]:
        assert interaction["request"]["headers"] == {}
        body = interaction["request"]["body"]
        sent = body if isinstance(body, bytes) else body.encode()
        assert set(re.findall(rb"<(?:\w+:)?password[^>]*>([^<]*)</", sent)) <= {MASK.encode()}
