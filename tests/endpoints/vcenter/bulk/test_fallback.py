"""VI/JSON that fails in any way but a lost login or connection: reading goes on by SOAP, with a notice, at every moment of the reading."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

import pytest

from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.bulk.vijson import RELEASES
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.errors import ConnectionLostError, EndpointError, SessionLostError
from auditor.model import BulkTransport, Endpoint
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Answer, Fault, Request

Serve = Callable[..., tuple[VCenterServer, Endpoint]]
HOST = Ref("HostSystem", "host-11")
JSON = "application/json"


def fault(name: str) -> bytes:
    return json.dumps({"_typeName": name, "faultstring": "not today"}).encode()


ANSWERS = {
    "500": Answer(b"", JSON, 500),
    "500 with a page": Answer(b"<html>Internal Server Error</html>", "text/html", 500),
    "a system error": Answer(fault("SystemError"), JSON, 500),
    "a fault that nobody knows": Answer(fault("Vim25Surprise"), JSON, 500),
    "no permission": Answer(fault("NoPermission"), JSON, 500),
    "not supported": Answer(fault("NotSupported"), JSON, 500),
    "a login refused": Answer(fault("InvalidLogin"), JSON, 500),
    "400": Answer(b'{"error_type":"INVALID_ARGUMENT"}', JSON, 400),
    "401 from the start": Answer(b"", JSON, 401),
    "403": Answer(b"Forbidden", "text/plain", 403),
    "405": Answer(b"", "text/plain", 405),
    "410": Answer(b"", "text/plain", 410),
    "502": Answer(b"<html>Bad Gateway</html>", "text/html", 502),
    "504": Answer(b"", "text/html", 504),
    "a redirect": Answer(b"", "text/html", 302, (("Location", "/ui"),)),
    "200 with a page": Answer(b"<html>Welcome</html>", "text/html"),
    "200 with nothing": Answer(b"", JSON),
    "204": Answer(b"", JSON, 204),
    "another object": Answer(b'{"value": []}', JSON),
    "a list": Answer(b"[]", JSON),
    "null": Answer(b"null", JSON),
}
MOMENTS = ("hello", "Login", "RetrievePropertiesEx", "ContinueRetrievePropertiesEx")


@pytest.fixture
def served(serve_vcenter: Serve) -> tuple[VCenterServer, Endpoint, dict[str, Answer]]:
    """A vCenter, the endpoint that reaches it, and what its JSON side answers instead, by moment."""
    server, endpoint = serve_vcenter()
    instead: dict[str, Answer] = {}
    answer = server._wire.answer

    def altered(request: Request) -> Answer:
        name = request.path.rpartition("/")[2].removeprefix("system?action=")
        return instead[name] if name in instead and request.path != "/sdk" else answer(request)

    server._wire.answer = altered
    return server, endpoint, instead


def names(vcenter: VCenter) -> list[str]:
    """The names of the hosts, in answers of one object each where the lane is VI/JSON: all moments are passed."""
    refs = vcenter.bulk.refs("HostSystem")
    objects, _ = vcenter.bulk.page("HostSystem", ("name",), refs)
    return sorted(str(one.values.get("name")) for one in objects)


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """VI/JSON asks for one object an answer, so that the rest has to be asked for."""
    from auditor.endpoints.vcenter.bulk.vijson import VijsonTransport

    whole = VijsonTransport.retrieve
    monkeypatch.setattr(VijsonTransport, "retrieve", lambda self, kind, paths, refs, _size: whole(self, kind, paths, refs, 1))


@pytest.mark.long
@pytest.mark.usefixtures("in_parts")
def test_whatever_it_answers_at_whichever_moment_soap_reads_on_and_it_is_said(
    served: tuple[VCenterServer, Endpoint, dict[str, Answer]],
) -> None:
    server, endpoint, instead = served
    with open_vcenter(dataclasses.replace(endpoint, lane=BulkTransport.SOAP)) as vcenter:
        expected = names(vcenter)
    assert len(expected) > 1
    for moment in MOMENTS:
        for called, answer in ANSWERS.items():
            instead.clear()
            instead[moment] = answer
            if moment == "ContinueRetrievePropertiesEx" and called in ("401 from the start", "a login refused"):
                continue  # a session that had worked
            if moment == "ContinueRetrievePropertiesEx" and called in ("200 with nothing", "204", "another object"):
                continue  # it ends the answer; what it passed over in silence is told so, see below
            with open_vcenter(endpoint) as vcenter:
                case = f"{called} to {moment}"
                assert names(vcenter) == expected, case
                assert vcenter.bulk.transport is BulkTransport.SOAP, case
                [note] = vcenter.bulk.notes
                assert "it is read by transport soap instead" in note, case
    assert server.sessions.count <= len(MOMENTS) * len(ANSWERS), "sessions that could not be ended end by themselves"


@pytest.mark.usefixtures("in_parts")
def test_what_a_part_passes_over_in_silence_is_no_state(served: tuple[VCenterServer, Endpoint, dict[str, Answer]]) -> None:
    _, endpoint, instead = served
    instead["ContinueRetrievePropertiesEx"] = Answer(b"", JSON, 204)
    with open_vcenter(endpoint) as vcenter:
        refs = vcenter.bulk.refs("HostSystem")
        objects, _ = vcenter.bulk.page("HostSystem", ("name",), refs)
        assert len(objects) == len(refs)
        assert all(one.values or "said nothing" in one.missing["name"] for one in objects)


def test_a_later_page_that_fails_is_read_by_soap(served: tuple[VCenterServer, Endpoint, dict[str, Answer]]) -> None:
    _, endpoint, instead = served
    with open_vcenter(endpoint) as vcenter:
        expected = names(vcenter)
        for moment in ("RetrievePropertiesEx", "Logout"):
            instead[moment] = ANSWERS["502"]
        assert names(vcenter) == expected
        assert vcenter.bulk.transport is BulkTransport.SOAP
        assert len(vcenter.bulk.notes) == 1


def test_a_session_that_had_worked_and_is_lost_is_an_error_and_no_reason_to_change(
    served: tuple[VCenterServer, Endpoint, dict[str, Answer]],
) -> None:
    _, endpoint, instead = served
    with open_vcenter(endpoint) as vcenter:
        names(vcenter)
        instead["RetrievePropertiesEx"] = Answer(b"", JSON, 401)
        with pytest.raises(SessionLostError):
            names(vcenter)
        assert (vcenter.bulk.transport, vcenter.bulk.notes) == (BulkTransport.VIJSON, [])


def test_a_lost_connection_is_an_error_and_no_reason_to_change(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        names(vcenter)
        server.faults.active.append(Fault("drop", containing=b"/sdk/vim25/"))
        with pytest.raises(ConnectionLostError):
            names(vcenter)
        server.faults.active.clear()
        assert (vcenter.bulk.transport, vcenter.bulk.notes) == (BulkTransport.VIJSON, [])


def test_a_server_that_is_busy_for_json_alone_is_read_by_soap(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.endpoints.vcenter.wire.time.sleep", lambda _seconds: None)
    server, endpoint = serve_vcenter()
    server.faults.active.append(Fault("status", status=503, containing=b"/sdk/vim25/"))
    with open_vcenter(endpoint) as vcenter:
        assert names(vcenter)
        [note] = vcenter.bulk.notes
        assert "503" in note


@pytest.mark.parametrize("answer", [ANSWERS["500"], ANSWERS["no permission"]], ids=["500", "no permission"])
def test_where_soap_fails_as_well_the_first_error_is_told(
    served: tuple[VCenterServer, Endpoint, dict[str, Answer]], answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, endpoint, instead = served
    with open_vcenter(endpoint) as vcenter:
        refs = [HOST]
        names(vcenter)
        instead["RetrievePropertiesEx"] = answer
        monkeypatch.setattr(vcenter.bulk, "_transports", vcenter.bulk._transports[:1])
        with pytest.raises(EndpointError):
            vcenter.bulk.page("HostSystem", ("name",), refs)
        assert vcenter.bulk.notes == []


@pytest.mark.parametrize(
    ("api_version", "release"),
    [("9.0.0.0", "9.0.0.0"), ("8.0.3.0", "8.0.3.0"), ("8.0.2.0", "8.0.2.0"), ("8.0.1.0", "8.0.1.0")],
)
def test_the_release_is_what_both_sides_agreed_on(
    serve_vcenter: Serve, small_vcenter: VCenterDescription, api_version: str, release: str
) -> None:
    _, endpoint = serve_vcenter(dataclasses.replace(small_vcenter, api_version=api_version))
    with open_vcenter(endpoint) as vcenter:
        names(vcenter)
        assert (vcenter.bulk.release, vcenter.bulk.transport) == (release, BulkTransport.VIJSON)


@pytest.mark.parametrize("chosen", ["", "8.0.1.0"])
def test_the_servers_choice_goes_before_its_version(served: tuple[VCenterServer, Endpoint, dict[str, Answer]], chosen: str) -> None:
    _, endpoint, instead = served
    instead["hello"] = Answer(json.dumps({"api_release": chosen}).encode(), JSON)
    with open_vcenter(endpoint) as vcenter:
        assert names(vcenter)
        assert vcenter.bulk.release == chosen
        assert vcenter.bulk.transport is (BulkTransport.VIJSON if chosen else BulkTransport.SOAP)
        assert vcenter.bulk.notes == [], "a server without VI/JSON alarms nobody"


def test_a_release_that_was_not_offered_is_not_spoken(served: tuple[VCenterServer, Endpoint, dict[str, Answer]]) -> None:
    _, endpoint, instead = served
    instead["hello"] = Answer(b'{"api_release": "8.0.2.0/../../evil"}', JSON)
    with open_vcenter(endpoint) as vcenter:
        assert names(vcenter)
        assert vcenter.bulk.transport is BulkTransport.SOAP
    assert list(RELEASES) == sorted(RELEASES, reverse=True)
