"""Sessions, privileges, faults and odd requests of the storage policy service."""

from __future__ import annotations

import ssl
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pytest
from pyVmomi import pbm, vim, vmodl

from auditor_lab.faults import Fault
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import ALL, READ_ONLY
from tests.lab.conftest import fault_of
from tests.lab.pbm.conftest import POLICIES, STORAGE, VVOL_A, Service, hub, new_policy, post, session_header, stub_of


def test_the_service_tells_its_content_to_everybody_and_nothing_else(server: VCenterServer, client_context: ssl.SSLContext) -> None:
    content = pbm.ServiceInstance("ServiceInstance", stub_of(server, client_context)).RetrieveContent()
    assert (content.aboutInfo.name, content.aboutInfo.version) == ("PBM", "2.0")
    for header in ("", "5f6f0000-0000-4000-8000-000000000000"):
        with session_header(header), pytest.raises(vim.fault.NotAuthenticated):
            content.profileManager.PbmQueryProfile(resourceType=STORAGE)


def test_the_http_cookie_of_a_session_counts_for_nothing_here(
    server: VCenterServer, connect: Callable[..., Any], client_context: ssl.SSLContext
) -> None:
    stub = stub_of(server, client_context)
    vim_cookie = stub.cookie = connect(server).instance._stub.cookie
    content = pbm.ServiceInstance("ServiceInstance", stub).RetrieveContent()
    assert stub.cookie != vim_cookie  # the service hands out one of its own, under the same name
    with pytest.raises(vim.fault.NotAuthenticated):
        content.profileManager.PbmQueryProfile(resourceType=STORAGE)


def test_a_session_that_has_ended_is_good_for_nothing(service: Service, server: VCenterServer) -> None:
    with server.state.lock:
        server.sessions.expire()
    with pytest.raises(vim.fault.NotAuthenticated):
        service.all()


@pytest.mark.parametrize("privilege", ["StorageProfile.View", "StorageProfile.Update"])
def test_without_its_privilege_a_method_says_which_it_is(privilege: str, service: Service, server: VCenterServer) -> None:
    server.privileges = ALL - {privilege}
    call = service.all if privilege.endswith("View") else lambda: service.profiles.PbmCreate(createSpec=new_policy("x"))
    with pytest.raises(vim.fault.NoPermission) as raised:
        call()
    refused: Any = raised.value
    assert (refused.privilegeId, refused.object._GetMoId()) == (privilege, "group-d1")
    server.privileges = ALL
    assert "x" not in service.all()


def test_an_account_that_may_only_read_sees_no_policies(service: Service, server: VCenterServer) -> None:
    server.privileges = READ_ONLY
    with pytest.raises(vim.fault.NoPermission):
        service.all()


@pytest.mark.parametrize(
    ("version", "fault"),
    [
        pytest.param("pbm.version.v8_0_2_0", pbm.fault.NoPermission, id="a client that knows the fault"),
        pytest.param("pbm.version.version11", vmodl.fault.SecurityError, id="a client older than the fault"),
    ],
)
def test_a_default_policy_needs_a_privilege_on_the_datastore_too(
    version: str, fault: type, service: Service, server: VCenterServer, client_context: ssl.SSLContext
) -> None:
    server.privileges = ALL - {"Datastore.UpdateVirtualMachineFiles"}
    profiles = pbm.profile.ProfileManager("ProfileManager", stub_of(server, client_context, version))
    with pytest.raises(fault) as raised:
        profiles.PbmAssignDefaultRequirementProfile(profile=service.id("Gold"), datastores=[hub(VVOL_A)])
    refused: Any = raised.value
    assert type(refused) is fault
    missing = [key for one in getattr(refused, "missingPrivileges", []) for key in one.privilegeIds]
    assert missing == (["Datastore.UpdateVirtualMachineFiles"] if fault is pbm.fault.NoPermission else [])


def test_faults_pick_operations_of_the_service_by_their_names(service: Service, server: VCenterServer) -> None:
    server.faults.active = [Fault("permission", "PbmQueryProfile", privilege="StorageProfile.View", times=1)]
    with pytest.raises(vim.fault.NoPermission):
        service.all()
    server.faults.active = [Fault("deaf", "PbmCreate", times=1)]
    service.profiles.PbmCreate(createSpec=new_policy("unheard"))
    assert "unheard" not in service.all()
    first, second = (service.profiles.PbmCreate(createSpec=new_policy(name)) for name in ("first", "second"))
    server.faults.active = [Fault("half", "PbmDelete", times=1)]
    with pytest.raises(vmodl.fault.SystemError):
        service.profiles.PbmDelete(profileId=[first, second])
    assert {"first", "second"} & set(service.all()) == {"second"}
    server.faults.active = [Fault("session", "PbmQueryProfile", times=1)]
    with pytest.raises(vim.fault.NotAuthenticated):
        service.all()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<PbmFly xmlns='urn:pbm'><_this type='PbmServiceInstance'>ServiceInstance</_this></PbmFly>", id="no such method"),
        pytest.param("<PbmQueryProfile xmlns='urn:pbm'>", id="no XML"),
        pytest.param("<PbmQueryIOFiltersFromProfileId xmlns='urn:internalpbm'>", id="no XML, of a method without types"),
        pytest.param(
            "<Login xmlns='urn:vim25'><_this type='SessionManager'>SessionManager</_this></Login>", id="a method of another service"
        ),
    ],
)
def test_what_is_no_request_is_answered_with_a_fault(body: str, key: str, server: VCenterServer, client_context: ssl.SSLContext) -> None:
    status, answer = post(server, client_context, key, body)
    assert (status, fault_of(answer)) == (500, "RuntimeFault")
    assert "InvalidRequest" in ET.tostring(answer).decode()


def test_a_fault_that_a_method_does_not_declare_stands_in_a_runtime_fault(
    key: str, server: VCenterServer, client_context: ssl.SSLContext
) -> None:
    """As recorded of a real one: hashicorp/terraform-provider-vsphere, issue 1216."""
    server.privileges = ALL - {"StorageProfile.View"}
    ask = (
        '<PbmQueryProfile xmlns="urn:pbm"><_this type="PbmProfileProfileManager">ProfileManager</_this>'
        "<resourceType><resourceType>STORAGE</resourceType></resourceType></PbmQueryProfile>"
    )
    status, answer = post(server, client_context, key, ask)
    (detail,) = next(one for one in answer.iter() if one.tag == "detail")
    kind = detail.get("{http://www.w3.org/2001/XMLSchema-instance}type")
    assert (status, detail.tag, kind) == (500, "{urn:pbm}RuntimeFaultFault", "vim25:NoPermission")
    assert detail.findtext("{urn:vim25}privilegeId") == "StorageProfile.View"
    assert answer.findtext(".//faultstring") == "NoPermission"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("vms: [gold-1]", "vms: [silver-1]", id="a machine that is not there"),
        pytest.param("misplaced:2000", "misplaced:2001", id="a disk that is not there"),
        pytest.param("name: On gold", "name: Gold", id="two policies of one name"),
    ],
)
def test_a_description_that_cannot_be_is_refused(before: str, after: str, serve_vcenter: Callable[..., VCenterServer]) -> None:
    assert POLICIES.count(before) == 1
    with pytest.raises(ValueError, match="vc-policies has"):
        serve_vcenter(parse_scenario(POLICIES.replace(before, after), "policies").vcenters[0])
