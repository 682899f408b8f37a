"""esxcli through vCenter: commands by structured names, answers as rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditor.endpoints.vcenter.esxcli_records import parse_rows
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.errors import (
    EndpointError,
    EndpointUnreachableError,
    MalformedAnswerError,
    NotThereError,
    PermissionMissingError,
    RefusedError,
)
from auditor.model import Endpoint, EndpointKind, Secret
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import ALL
from auditor_lab.wire import Fault

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

ENDPOINT = Endpoint("vc", EndpointKind.VCENTER, "192.0.2.1", 443, "u", Secret("env", ("X",)))
# The form that govmomi's recorded answers have (cli/esx/fixtures): typed root, the API's namespace, empty fields present.
HEAD = (
    '<obj xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xmlns="urn:vim25" versionId="5.0" xsi:type="{}">'
)


@pytest.mark.parametrize(
    ("answer", "rows"),
    [
        pytest.param(
            HEAD.format("ArrayOfDataObject") + '<DataObject xsi:type="VimEsxCLInetworkvmportlistPort"><DVPortID></DVPortID>'
            "<PortID>33554438</PortID><Portgroup>VM Network</Portgroup></DataObject></obj>",
            [{"DVPortID": "", "PortID": "33554438", "Portgroup": "VM Network"}],
            id="list of structs",
        ),
        pytest.param(
            HEAD.format("VimEsxCLIsystemhostnamegetFullyQualifiedHostName")
            + "<DomainName>localdomain</DomainName><HostName>esxbox</HostName></obj>",
            [{"DomainName": "localdomain", "HostName": "esxbox"}],
            id="one struct",
        ),
        pytest.param(HEAD.format("ArrayOfDataObject") + "</obj>", [], id="empty list"),
        pytest.param(
            HEAD.format("ArrayOfDataObject")
            + "<DataObject><Device>naa.1</Device><OtherUIDs>a</OtherUIDs><OtherUIDs>b</OtherUIDs></DataObject></obj>",
            [{"Device": "naa.1", "OtherUIDs": ["a", "b"]}],
            id="field that repeats",
        ),
        pytest.param(
            HEAD.format("ArrayOfDataObject") + "<DataObject><OtherUIDs><string>a</string><string>b</string></OtherUIDs></DataObject></obj>",
            [{"OtherUIDs": ["a", "b"]}],
            id="field that holds a list",
        ),
        pytest.param(HEAD.format("xsd:boolean") + "true</obj>", [{"value": "true"}], id="bare word"),
    ],
)
def test_every_shape_of_answer_becomes_rows(answer: str, rows: list[dict[str, Any]]) -> None:
    assert parse_rows(answer, ENDPOINT, "esxcli") == rows


@pytest.mark.parametrize("answer", ["<obj><a>", "not xml at all", "<a/><b/>"])
def test_an_answer_that_is_no_xml_is_malformed(answer: str) -> None:
    with pytest.raises(MalformedAnswerError, match="esxcli storage"):
        parse_rows(answer, ENDPOINT, "esxcli storage core device list")


def test_a_command_answers_rows_of_that_host(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        rows = vcenter.esxcli("host-11").run("storage core device list")
        other = vcenter.esxcli("host-13").run("storage core device list")
        assert {row["Device"]: row["NoofoutstandingIOswithcompetingworlds"] for row in rows} == {
            "naa.624a9370aaaa": "64",
            "naa.624a9370bbbb": "32",
            "naa.6f47acc2000000017366707200000000": "256",  # Scsi.ScsiVVolPESNRO since 7.0 U2 (docs/domain/facts.md#1-4)
        }
        assert [row["Device"] for row in other] == ["naa.600000e00d01"]
        vcenter.esxcli("host-11").run("storage vmfs lockmode list")
    assert server.requests.count("RetrieveManagedMethodExecuter") == 2


def test_an_argument_narrows_the_answer_and_its_marks_are_only_text(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        cli = vcenter.esxcli("host-11")
        assert len(cli.run("storage core device list", device="naa.624a9370bbbb")) == 1
        with pytest.raises(NotThereError, match="<b>&"):
            cli.run("storage core device list", device="</device><b>&")


@pytest.mark.parametrize(
    ("command", "arguments", "error"),
    [
        pytest.param("storage core nonsense list", {}, NotThereError, id="command of another build"),
        pytest.param("storage core device list", {"device": "naa.nobody"}, NotThereError, id="device that is not there"),
        pytest.param("storage core device list", {"o": "256"}, RefusedError, id="argument it does not have"),
        pytest.param(
            "storage core device set", {"device": "naa.624a9370aaaa", "schednumreqoutstanding": 9999}, RefusedError, id="value out of range"
        ),
    ],
)
def test_what_the_host_refuses_is_said_in_its_own_words(
    serve_vcenter: Serve, command: str, arguments: dict[str, Any], error: type[EndpointError]
) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter, pytest.raises(EndpointError, match=command) as caught:
        vcenter.esxcli("host-11").run(command, **arguments)
    assert type(caught.value) is error
    assert caught.value.what.count("could not be found") <= 1, "fault and detail have the same text, which is shown once"


def test_a_missing_permission_is_named(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.privileges = ALL - {"Host.Config.Settings"}
    with open_vcenter(endpoint) as vcenter, pytest.raises(PermissionMissingError, match=r"Host\.Config\.Settings"):
        vcenter.esxcli("host-11").run("storage core device list")


def test_a_host_that_is_not_connected_is_unreachable(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        with server.state.lock:
            server.state.hosts["host-11"].connection_state = "notResponding"
            server.state.changed()
        with pytest.raises(EndpointUnreachableError, match="HostNot"):
            vcenter.esxcli("host-11").run("storage core device list")


def test_an_expired_session_is_renewed_for_a_list_and_not_for_a_set(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        cli = vcenter.esxcli("host-11")
        assert len(cli.run("storage core device list")) == 3
        server.sessions.expire()
        assert len(cli.run("storage core device list")) == 3
        server.sessions.expire()
        with pytest.raises(EndpointUnreachableError):
            cli.run("storage core device set", device="naa.624a9370aaaa", schednumreqoutstanding=128)
    assert server.requests.count("storage.core.device.set") == 1
    assert server.state.hosts["host-11"].device_settings["naa.624a9370aaaa"]["dsnro"] == 64


@pytest.mark.parametrize("kind", ["truncate", "garbage"])
def test_nonsense_is_malformed_for_a_list_and_an_unknown_outcome_for_a_set(serve_vcenter: Serve, kind: str) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        cli = vcenter.esxcli("host-11")
        server.faults.active.append(Fault(kind, "storage.core.device.list"))
        with pytest.raises(MalformedAnswerError):
            cli.run("storage core device list")
        server.faults.active[:] = [Fault(kind, "storage.core.device.set")]
        with pytest.raises(EndpointUnreachableError):
            cli.run("storage core device set", device="naa.624a9370aaaa", schednumreqoutstanding=128)
    assert server.requests.count("storage.core.device.set") == 1


def test_a_peer_without_esxcli_says_so(start_vcsim: Callable[..., Endpoint]) -> None:
    with open_vcenter(start_vcsim()) as vcenter, pytest.raises(NotThereError, match="RetrieveManagedMethodExecuter"):
        vcenter.esxcli("host-21").run("storage core device list")
