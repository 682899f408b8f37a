"""Which transport reads a vCenter, and what is said when one does not understand it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from auditor.endpoints.vcenter.bulk.reading import GONE
from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.errors import EndpointUnreachableError, MalformedAnswerError, PermissionMissingError, UnknownShapeError
from auditor.model import BulkTransport, Endpoint
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import ALL
from auditor_lab.vcenter.vijson import requests as vijson
from auditor_lab.wire import Fault

Serve = Callable[..., tuple[VCenterServer, Endpoint]]
HOST = Ref("HostSystem", "host-11")
LUNS = "config.storageDevice.scsiLun"


def depths(vcenter: VCenter) -> list[int | None]:
    """The queue depths of the first host's devices, by the lane in use."""
    [found], _ = vcenter.bulk.page("HostSystem", (LUNS,), [HOST])
    return [lun.queue_depth for lun in found.values[LUNS]]


@pytest.fixture
def odd_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vCenter whose JSON has a text where a number is expected: well-formed, and of another shape."""
    body = vijson.body

    def altered(*arguments: Any) -> bytes:
        return body(*arguments).replace(b'"queueDepth":', b'"queueDepth":"many","was":')

    monkeypatch.setattr(vijson, "body", altered)


@pytest.mark.parametrize(
    ("api_version", "lane"),
    [
        pytest.param("8.0.2.0", BulkTransport.VIJSON, id="8.0 U2"),
        pytest.param("8.0.1.0", BulkTransport.VIJSON, id="8.0 U1, the first with JSON"),
        pytest.param("8.0.0.0", BulkTransport.SOAP, id="8.0"),
        pytest.param("7.0.3.0", BulkTransport.SOAP, id="7.0 U3"),
    ],
)
def test_the_fastest_lane_that_the_version_offers_is_taken(
    serve_vcenter: Serve, small_vcenter: VCenterDescription, api_version: str, lane: BulkTransport
) -> None:
    server, endpoint = serve_vcenter(dataclasses.replace(small_vcenter, api_version=api_version))
    with open_vcenter(endpoint) as vcenter:
        assert vcenter.bulk.transport is lane
        assert len(depths(vcenter)) == 3
        assert vcenter.bulk.notes == []
        assert server.requests.count("Login") == (2 if lane is BulkTransport.VIJSON else 1)
    assert server.sessions.count == 0


@pytest.mark.parametrize("lane", list(BulkTransport))
def test_a_forced_transport_is_the_one_that_is_used(serve_vcenter: Serve, lane: BulkTransport) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(dataclasses.replace(endpoint, lane=lane)) as vcenter:
        assert vcenter.bulk.transport is lane
        assert len(depths(vcenter)) == 3
        assert vcenter.bulk.transport is lane
        assert server.requests.count("Login") == (2 if lane is BulkTransport.VIJSON else 1)


def test_a_server_without_json_is_read_by_soap_and_nobody_is_alarmed(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.faults.active.append(Fault("status", status=404, containing=b"/sdk/vim25/"))
    with open_vcenter(endpoint) as vcenter:
        assert len(depths(vcenter)) == 3
        assert (vcenter.bulk.transport, vcenter.bulk.notes) == (BulkTransport.SOAP, [])


def test_a_forced_transport_that_is_not_there_is_named(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.faults.active.append(Fault("status", status=404, containing=b"/sdk/vim25/"))
    with open_vcenter(dataclasses.replace(endpoint, lane=BulkTransport.VIJSON)) as vcenter:
        assert len(depths(vcenter)) == 3
        [note] = vcenter.bulk.notes
        assert "there is no VI/JSON" in note
        assert "read by transport soap instead" in note


@pytest.mark.usefixtures("odd_json")
def test_a_lane_that_does_not_understand_hands_over_and_says_so(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        assert all(isinstance(depth, int) for depth in depths(vcenter))
        assert vcenter.bulk.transport is BulkTransport.SOAP
        [note] = vcenter.bulk.notes
        assert "of an unknown form" in note
        assert "queueDepth" in note
        asked = len(server.requests)
        depths(vcenter)
        assert len(server.requests) == asked + 1, "the lane that failed is not tried again"
        assert len(vcenter.bulk.notes) == 1
    assert server.sessions.count == 0


@pytest.mark.usefixtures("odd_json")
def test_an_answer_that_no_lane_understands_is_an_error_of_the_first(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        bulk = vcenter.bulk
        monkeypatch.setattr(bulk, "_transports", bulk._transports[:1])
        with pytest.raises(UnknownShapeError, match="queueDepth"):
            depths(vcenter)
        assert bulk.notes == []


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        pytest.param(Fault("truncate", "RetrievePropertiesEx"), MalformedAnswerError, id="torn"),
        pytest.param(Fault("garbage", "RetrievePropertiesEx"), MalformedAnswerError, id="nonsense"),
        pytest.param(Fault("drop", "RetrievePropertiesEx"), EndpointUnreachableError, id="dropped"),
        pytest.param(Fault("status", "RetrievePropertiesEx", status=500), MalformedAnswerError, id="an error page"),
    ],
)
@pytest.mark.parametrize("lane", list(BulkTransport))
def test_what_the_network_does_is_not_held_against_the_transport(
    serve_vcenter: Serve, lane: BulkTransport, fault: Fault, error: type[Exception]
) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(dataclasses.replace(endpoint, lane=lane)) as vcenter:
        server.faults.active.append(dataclasses.replace(fault))
        with pytest.raises(error):
            depths(vcenter)
        server.faults.active.clear()
        assert len(depths(vcenter)) == 3
        assert (vcenter.bulk.transport, vcenter.bulk.notes) == (lane, [])


@pytest.mark.parametrize("lane", list(BulkTransport))
def test_every_transport_names_what_it_may_not_read(serve_vcenter: Serve, lane: BulkTransport) -> None:
    server, endpoint = serve_vcenter()
    server.privileges = ALL - {"System.Read"}
    with open_vcenter(dataclasses.replace(endpoint, lane=lane)) as vcenter:
        [found], _ = vcenter.bulk.page("HostSystem", ("name", LUNS), [HOST])
        assert found.values == {"name": "esx-1"}
        assert found.missing[LUNS].startswith("NoPermission: System.Read")
        with pytest.raises(PermissionMissingError, match=r"System\.Read"):
            vcenter.bulk.refs("HostSystem")


@pytest.mark.parametrize("lane", list(BulkTransport))
def test_every_transport_reads_on_when_an_object_is_gone_or_a_property_unknown(serve_vcenter: Serve, lane: BulkTransport) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(dataclasses.replace(endpoint, lane=lane)) as vcenter:
        found, _ = vcenter.bulk.page("HostSystem", ("name", "config.nonsense"), [HOST, Ref("HostSystem", "host-999")])
        by_id = {one.id: one for one in found}
        assert by_id["host-11"].values == {"name": "esx-1"}
        assert by_id["host-11"].missing["config.nonsense"].startswith("InvalidProperty")
        assert not by_id["host-999"].values
        assert by_id["host-999"].missing["name"] == GONE


@pytest.mark.parametrize("lane", list(BulkTransport))
def test_every_transport_opens_a_session_that_ended_once_more(serve_vcenter: Serve, lane: BulkTransport) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(dataclasses.replace(endpoint, lane=lane)) as vcenter:
        depths(vcenter)
        before = server.requests.count("Login")
        server.sessions.expire()
        assert len(depths(vcenter)) == 3
        assert server.requests.count("Login") == before + 1
    assert server.sessions.count == 0
