"""The SOAP transport against the lab and VMware's simulator: what it finds, and what it says when something goes wrong."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from pyVmomi import vim, vmodl

from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.vcenter.bulk.listing import list_refs
from auditor.endpoints.vcenter.bulk.reading import Answer, ObjectProperties, read_page
from auditor.endpoints.vcenter.bulk.reference import PyvmomiTransport, ref_of
from auditor.endpoints.vcenter.bulk.shapes import PROPERTIES, OptionValue, Ref, Shape
from auditor.endpoints.vcenter.bulk.soap import SoapTransport, _wanted
from auditor.endpoints.vcenter.bulk.soap_scanning import scanned
from auditor.endpoints.vcenter.bulk.vijson import VijsonTransport
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.errors import MalformedAnswerError, UnknownShapeError
from auditor.fleet.loading import load_fleet
from auditor.model import Endpoint, EndpointKind
from auditor_lab.description import LabFleet
from auditor_lab.serving import serve
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Fault

Serve = Callable[..., tuple[VCenterServer, Endpoint]]
KINDS = [kind for kind in PROPERTIES if kind != "ContainerView"]
HOST = Ref("HostSystem", "host-11")


def soap_of(vcenter: VCenter) -> SoapTransport:
    return SoapTransport(vcenter.stub, vcenter.content.propertyCollector._GetMoId())


@contextmanager
def every_transport(vcenter: VCenter) -> Iterator[tuple[PyvmomiTransport, SoapTransport, VijsonTransport]]:
    endpoint, collector = vcenter.endpoint, vcenter.content.propertyCollector._GetMoId()
    sessions = vcenter.content.sessionManager._GetMoId()
    json = VijsonTransport(
        endpoint,
        vcenter.stub.wire,
        vcenter.about.apiVersion,
        collector=collector,
        sessions=sessions,
        password=lambda: password_of(endpoint),
    )
    try:
        yield PyvmomiTransport(vcenter.stub, collector), soap_of(vcenter), json
    finally:
        json.close()


def refs_of(vcenter: VCenter, kind: str) -> list[Ref]:
    managers = {"TaskManager": vcenter.content.taskManager, "ExtensionManager": vcenter.content.extensionManager}
    if kind in managers:
        return [ref_of(managers[kind])]
    if kind == "Task":
        [found], _ = read_page(soap_of(vcenter), vcenter.endpoint, "TaskManager", ["recentTask"], refs_of(vcenter, "TaskManager"), {})
        return list(found.values.get("recentTask", []))
    return list_refs(vcenter.endpoint, vcenter.content, soap_of(vcenter), kind)


def seen(value: Any) -> Any:
    """A value as collectors see it: a plain option value, and no name of a type that the API declares anyhow."""
    if isinstance(value, list):
        return [seen(one) for one in value]
    if isinstance(value, OptionValue):
        return value.key, type(value.plain) is bool, value.plain, value.is_inherited
    if not isinstance(value, Shape):
        return value
    reported = {one.name: seen(getattr(value, one.name)) for one in msgspec.structs.fields(value)}
    reported["type_name"] = "" if value.type_name in DECLARED else value.type_name
    return reported


# What a server may leave out, because the property's own declaration says it.
DECLARED = frozenset(
    {
        "AboutInfo",
        "DatastoreHostMount",
        "Description",
        "DistributedVirtualSwitchPortConnection",
        "Extension",
        "HostDiskDimensionsLba",
        "HostInternetScsiHbaSendTarget",
        "HostInternetScsiHbaStaticTarget",
        "HostIpConfig",
        "HostMountInfo",
        "HostMultipathInfo",
        "HostMultipathInfoLogicalUnit",
        "HostMultipathInfoLogicalUnitPolicy",
        "HostMultipathInfoLogicalUnitStorageArrayTypePolicy",
        "HostMultipathInfoPath",
        "HostNasVolume",
        "HostPortGroup",
        "HostPortGroupSpec",
        "HostProtocolEndpoint",
        "HostProxySwitch",
        "HostScsiDiskPartition",
        "HostVirtualNic",
        "HostVirtualNicOpaqueNetworkSpec",
        "HostVirtualNicSpec",
        "HostVirtualSwitch",
        "HostVmfsVolume",
        "HostVvolVolume",
        "OptionValue",
        "SharesInfo",
        "StorageDrsAutomationConfig",
        "StorageDrsIoLoadBalanceConfig",
        "StorageDrsVmConfigInfo",
        "StorageIOAllocationInfo",
        "StorageIORMInfo",
        "VVolHostPE",
    }
)


def by_id(found: Sequence[ObjectProperties]) -> Mapping[str, Any]:
    return {one.id: (one.ref, {path: seen(value) for path, value in one.values.items()}, dict(one.missing)) for one in found}


@pytest.fixture
def serve_fleet(tmp_path: Path) -> Callable[[LabFleet], Any]:
    """Serves a fleet of the lab: called with it, it gives a block with the vCenters' endpoints."""

    @contextmanager
    def served(fleet: LabFleet) -> Iterator[list[Endpoint]]:
        with serve(fleet) as lab:
            lab.write_fleet(tmp_path / "fleet.yaml")
            yield [one for one in load_fleet(tmp_path / "fleet.yaml").endpoints if one.kind is EndpointKind.VCENTER]

    return served


@pytest.mark.long
def test_two_transports_find_the_same_in_vcsim(start_vcsim: Callable[..., Endpoint]) -> None:
    endpoint = start_vcsim(None, "-pod", "1")
    with open_vcenter(endpoint) as vcenter:
        reference = PyvmomiTransport(vcenter.stub, vcenter.content.propertyCollector._GetMoId())
        for kind in KINDS:
            refs = refs_of(vcenter, kind)
            wanted, found = (
                by_id(read_page(transport, endpoint, kind, list(PROPERTIES[kind]), refs, {})[0])
                for transport in (reference, soap_of(vcenter))
            )
            assert len(wanted) == len(refs)
            assert refs or kind == "Task"
            assert found == wanted


def test_the_members_of_a_view_are_read(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        view = vcenter.content.viewManager.CreateContainerView(vcenter.content.rootFolder, [vim.HostSystem], recursive=True)
        answer = soap_of(vcenter).retrieve("ContainerView", ["view"], [Ref("ContainerView", view._GetMoId())], None)
    assert answer.objects[0].values == {"view": [Ref("HostSystem", f"host-{number}") for number in (11, 12, 13)]}


def test_parts_of_a_page_are_fetched_by_their_token(serve_vcenter: Serve, many_hosts: VCenterDescription) -> None:
    server, endpoint = serve_vcenter(many_hosts)
    with open_vcenter(endpoint) as vcenter:
        transport, refs = soap_of(vcenter), refs_of(vcenter, "HostSystem")
        found, size = read_page(transport, endpoint, "HostSystem", ["name"], refs, {}, answer_size=20)
        assert sorted(one.values["name"] for one in found) == [f"esx-{number:03}" for number in range(45)]
        assert size > 45 * len("<name>name</name>")
        assert server.requests.count("ContinueRetrievePropertiesEx") == 2


def test_a_token_the_server_does_not_know_is_its_fault(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter, pytest.raises(vmodl.MethodFault):
        soap_of(vcenter).more("HostSystem", "no & token")


def test_what_is_asked_for_is_written_so_that_no_name_can_break_it(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        request = soap_of(vcenter)._request("RetrievePropertiesEx", _wanted("HostSystem", ['a["b&c"]'], [Ref("Host<", 'h-<&">')], 7))
    reported = ElementTree.fromstring(request)
    assert [one.text for one in reported.iter("{urn:vim25}pathSet")] == ['a["b&c"]']
    assert [(one.get("type"), one.text) for one in reported.iter("{urn:vim25}obj")] == [("Host<", 'h-<&">')]
    assert [one.text for one in reported.iter("{urn:vim25}maxObjects")] == ["7"]


def test_a_property_the_server_does_not_know_is_its_fault_and_costs_only_itself(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        transport, unknown = soap_of(vcenter), dict[str, str]()
        with pytest.raises(vmodl.query.InvalidProperty):
            transport.retrieve("HostSystem", ["name", "config.nonsense"], [HOST], None)
        found, _ = read_page(transport, endpoint, "HostSystem", ["name", "config.nonsense"], [HOST], unknown)
    assert found[0].values == {"name": "esx-1"}
    assert found[0].missing["config.nonsense"].startswith("InvalidProperty: config.nonsense")
    assert list(unknown) == ["config.nonsense"]


@pytest.mark.parametrize("kind", ["truncate", "garbage"])
def test_an_answer_that_makes_no_sense_is_told_and_not_half_used(serve_vcenter: Serve, many_hosts: VCenterDescription, kind: str) -> None:
    server, endpoint = serve_vcenter(many_hosts)
    with open_vcenter(endpoint) as vcenter:
        transport, refs = soap_of(vcenter), refs_of(vcenter, "HostSystem")
        token = transport.retrieve("HostSystem", ["name"], refs, 20).token
        assert token is not None
        server.faults.active.append(Fault(kind, "RetrievePropertiesEx"))
        with pytest.raises(MalformedAnswerError, match="RetrievePropertiesEx"):
            transport.retrieve("HostSystem", ["name"], refs, None)
        server.faults.active[:] = [Fault("garbage", "ContinueRetrievePropertiesEx")]
        with pytest.raises(MalformedAnswerError, match="ContinueRetrievePropertiesEx"):
            transport.more("HostSystem", token)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(200, b"<html><body>welcome</body></html>", id="a page for people"),
        pytest.param(200, b"", id="nothing"),
        pytest.param(500, b"<html><body>sorry</body></html>", id="an error of a proxy"),
        pytest.param(204, b"", id="no content"),
        pytest.param(
            302,
            b'<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body>'
            b'<RetrievePropertiesExResponse xmlns="urn:vim25"/></Body></Envelope>',
            id="an answer with the status of none",
        ),
    ],
)
def test_what_is_neither_answer_nor_fault_is_told_so(serve_vcenter: Serve, status: int, body: bytes) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter, pytest.raises(MalformedAnswerError, match=f"vc-test: HTTP {status} to RetrievePropertiesEx"):
        soap_of(vcenter)._decoded("RetrievePropertiesEx", "HostSystem", status, body)


def test_a_fault_with_the_status_of_success_is_still_a_fault(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    fault = '<NotAuthenticatedFault xmlns="urn:vim25"><privilegeId>System.View</privilegeId></NotAuthenticatedFault>'
    text = f"<e:Fault><faultcode>c</faultcode><faultstring>no session</faultstring><detail>{fault}</detail></e:Fault>"
    body = f'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>{text}</e:Body></e:Envelope>'
    with open_vcenter(endpoint) as vcenter, pytest.raises(vim.fault.NotAuthenticated):
        soap_of(vcenter)._decoded("RetrievePropertiesEx", "HostSystem", 200, body.encode())


def test_a_whole_answer_of_another_form_is_told_apart_from_a_torn_one(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    value = '<propSet><name>config.template</name><val xsi:type="xsd:string">perhaps</val></propSet>'
    result = f'<returnval><objects><obj type="VirtualMachine">vm-1</obj>{value}</objects></returnval>'
    spaces = 'xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    response = f'<RetrievePropertiesExResponse xmlns="urn:vim25">{result}</RetrievePropertiesExResponse>'
    body = f"<e:Envelope {spaces}><e:Body>{response}</e:Body></e:Envelope>".encode()
    with open_vcenter(endpoint) as vcenter:
        with pytest.raises(UnknownShapeError, match="neither true nor false"):
            soap_of(vcenter)._decoded("RetrievePropertiesEx", "VirtualMachine", 200, body)
        with pytest.raises(MalformedAnswerError) as torn:
            soap_of(vcenter)._decoded("RetrievePropertiesEx", "VirtualMachine", 200, body[:-1])
    assert not isinstance(torn.value, UnknownShapeError)


def test_answers_are_understood_one_at_a_time(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    _, endpoint = serve_vcenter()
    busy, met = threading.Lock(), []

    def slowly(body: bytes, operation: str, kind: str) -> Answer | None:
        met.append(not busy.acquire(blocking=False))
        time.sleep(0.02)  # another thread may run meanwhile
        if not met[-1]:
            busy.release()
        return scanned(body, operation, kind)

    with open_vcenter(endpoint) as vcenter, ThreadPoolExecutor(4) as pool:
        transport = soap_of(vcenter)
        refs = refs_of(vcenter, "HostSystem")
        monkeypatch.setattr("auditor.endpoints.vcenter.bulk.soap.scanned", slowly)
        answers = [pool.submit(transport.retrieve, "HostSystem", ["name"], [ref], None) for ref in refs]
        assert [one.result().objects[0].values["name"] for one in answers] == ["esx-1", "esx-2", "esx-fc"]
    assert met == [False] * len(refs)
