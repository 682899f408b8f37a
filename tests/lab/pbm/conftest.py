"""The storage policy service of the lab, and pyVmomi as its client."""

from __future__ import annotations

import http.client
import ssl
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pyVmomi import SoapAdapter, VmomiSupport, pbm

from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from tests.lab.conftest import PASSWORD, USER
from tests.waiting import PATIENCE_SECONDS

POLICIES = """
vcenters:
  - name: vc-policies
    host_build: 22380479
    devices:
      disks: {vendor: PURE, model: FlashArray, names: [naa.624a9370aaaa], targets: [iqn.2010-06.com.purestorage:x]}
    clusters:
      - name: one
        hosts:
          - {name: esx-1, hbas: [{device: vmhba64, kind: iscsi, driver: iscsi_vmk, model: iSCSI Software Adapter}], devices: [disks]}
    datastores:
      - {name: fast, type: VMFS, extents: [naa.624a9370aaaa], clusters: [one]}
      - {name: slow, type: NFS, remote_host: 198.51.100.9, remote_path: /slow, clusters: [one], sioc: {supported: false}}
      - {name: vvol-a, type: VVOL, container_id: 6f9c1a8e-0000-4000-8000-000000000001, clusters: [one], sioc: {supported: false}}
      - {name: vvol-b, type: VVOL, container_id: 6f9c1a8e-0000-4000-8000-000000000002, clusters: [one], sioc: {supported: false}}
    vms:
      - {name: gold-1, cluster: one, disks: [{datastore: vvol-a}, {datastore: vvol-a}]}
      - {name: misplaced, cluster: one, disks: [{datastore: fast}]}
      - {name: unasked, cluster: one, disks: [{datastore: vvol-b}]}
      - {name: plain, cluster: one, disks: [{datastore: fast}]}
    tag_categories:
      - {name: tier, associable_types: [Datastore], tags: [{name: gold, objects: [fast]}, {name: bronze, objects: [slow]}]}
    storage_providers:
      - name: SolidFire
        namespace: com.solidfire.vasa
        datastores: [vvol-a]
        capabilities:
          - {id: minIOPS, label: Minimum IOPS, minimum: 50, maximum: 15000, default: 50}
          - {id: maxIOPS, label: Maximum IOPS, minimum: 100, maximum: 200000, default: 15000}
          - {id: burstIOPS, label: Burst IOPS, minimum: 100, maximum: 200000}
    storage_policies:
      - name: Gold
        description: three ceilings
        rules:
          - {namespace: com.solidfire.vasa, capability: minIOPS, value: 100}
          - {namespace: com.solidfire.vasa, capability: maxIOPS, value: 3000}
          - {namespace: com.solidfire.vasa, capability: burstIOPS, value: 6000}
        vms: [gold-1]
        disks: [gold-1, "misplaced:2000"]
      - name: On gold
        rules: [{namespace: "http://www.vmware.com/storage/tag", capability: tier, value: [gold, silver]}]
        vms: [plain]
"""
# Source: govmomi, pbm/simulator/profiles.go, captured of a vCenter 6.7.
SYSTEM = {
    "aa6d5a82-1c88-45da-85d3-3d74b91a5bad": ("vSAN Default Storage Policy", "VsanDefaultProfile"),
    "f4e5bade-15a2-4805-bf8e-52318c4ce443": ("VVol No Requirements Policy", "VVolDefaultProfile"),
    "4d5f673c-536f-11e6-beb8-9e71128cae77": ("VM Encryption Policy", ""),
    "c268da1b-b343-49f7-a468-b1deeb7078e0": ("Host-local PMem Default Storage Policy", "PmemDefaultProfile"),
}
VVOL_DEFAULT = "f4e5bade-15a2-4805-bf8e-52318c4ce443"
FAST, SLOW, VVOL_A, VVOL_B = "datastore-101", "datastore-102", "datastore-103", "datastore-104"
GOLD_VM, MISPLACED, UNASKED, PLAIN = "vm-1001", "vm-1002", "vm-1003", "vm-1004"
STORAGE = pbm.profile.ResourceType(resourceType="STORAGE")


class Service:
    """pyVmomi's stubs of the service, and what the tests ask of them."""

    def __init__(self, instance: Any) -> None:
        self.content = instance.RetrieveContent()
        self.profiles = self.content.profileManager
        self.compliance = self.content.complianceManager
        self.placement = self.content.placementSolver

    def all(self) -> dict[str, Any]:
        """Every policy by name."""
        ids = self.profiles.PbmQueryProfile(resourceType=STORAGE, profileCategory="REQUIREMENT")
        return {one.name: one for one in self.profiles.PbmRetrieveContent(profileIds=ids)}

    def id(self, name: str) -> Any:
        return self.all()[name].profileId

    def matching(self, profile: Any) -> set[str]:
        return {hub.hubId for hub in self.placement.PbmQueryMatchingHub(hubsToSearch=[], profile=profile)}

    def statuses(self, *entities: Any, anew: bool = False) -> dict[str, str]:
        ask = self.compliance.PbmCheckCompliance if anew else self.compliance.PbmFetchComplianceResult
        return {one.entity.key: one.complianceStatus for one in ask(entities=list(entities))}


def machine(key: str) -> Any:
    return pbm.ServerObjectRef(objectType="virtualMachine", key=key)


def disk(key: str) -> Any:
    return pbm.ServerObjectRef(objectType="virtualDiskId", key=key)


def hub(key: str, kind: str = "Datastore") -> Any:
    return pbm.placement.PlacementHub(hubType=kind, hubId=key)


def wanted(**numbers: object) -> Any:
    """Constraints of one rule set that ask a provider for numbers."""
    kind = pbm.profile.SubProfileCapabilityConstraints
    capabilities = [
        pbm.capability.CapabilityInstance(
            id=pbm.capability.CapabilityMetadata.UniqueId(namespace="com.solidfire.vasa", id=key),
            constraint=[
                pbm.capability.ConstraintInstance(propertyInstance=[pbm.capability.PropertyInstance(id=key, value=value)]),
            ],
        )
        for key, value in numbers.items()
    ]
    return kind(subProfiles=[kind.SubProfile(name="rules", capability=capabilities)])


def new_policy(name: str, constraints: Any = None, category: str = "REQUIREMENT") -> Any:
    return pbm.profile.CapabilityBasedProfileCreateSpec(
        name=name, description="new", category=category, resourceType=STORAGE, constraints=constraints or wanted(maxIOPS=500)
    )


def change(**changed: Any) -> Any:
    return pbm.profile.CapabilityBasedProfileUpdateSpec(**changed)


def asked_for(policy: Any) -> list[dict[str, Any]]:
    """What a policy asks for: a mapping of property to value for every rule set."""
    return [
        {
            wanted.id: list(wanted.value.values) if hasattr(wanted.value, "values") else wanted.value
            for one in each.capability
            for constraint in one.constraint
            for wanted in constraint.propertyInstance
        }
        for each in policy.constraints.subProfiles
    ]


@contextmanager
def session_header(value: str) -> Iterator[None]:
    """Have pyVmomi send `vcSessionCookie`, the way VMware's samples do."""
    context = VmomiSupport.GetRequestContext()
    context["vcSessionCookie"] = value
    try:
        yield
    finally:
        context.pop("vcSessionCookie", None)


def post(server: VCenterServer, context: ssl.SSLContext, key: str, body: str) -> tuple[int, ET.Element]:
    """SOAP by hand, with nothing in between."""
    connection = http.client.HTTPSConnection(server.host, server.port, context=context, timeout=PATIENCE_SECONDS)
    header = f"<Header><vcSessionCookie>{key}</vcSessionCookie></Header>"
    connection.request(
        "POST", "/pbm", f'<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/">{header}<Body>{body}</Body></Envelope>'
    )
    response = connection.getresponse()
    answer = response.status, ET.fromstring(response.read())
    connection.close()
    return answer


@pytest.fixture
def key(server: VCenterServer) -> str:
    """The key of a session at /sdk."""
    with server.state.lock:
        return server.sessions.login(USER, PASSWORD).key


@pytest.fixture
def server(serve_vcenter: Callable[..., VCenterServer]) -> VCenterServer:
    return serve_vcenter(parse_scenario(POLICIES, "policies").vcenters[0])


def stub_of(server: VCenterServer, context: ssl.SSLContext, version: str = "pbm.version.version11") -> Any:
    return SoapAdapter.SoapStubAdapter(host=server.host, port=server.port, version=version, path="/pbm/sdk", sslContext=context, poolSize=0)


@pytest.fixture
def service(server: VCenterServer, connect: Callable[..., Any], client_context: ssl.SSLContext) -> Iterator[Service]:
    cookie = connect(server).instance._stub.cookie.split('"')[1]
    with session_header(cookie):
        yield Service(pbm.ServiceInstance("ServiceInstance", stub_of(server, client_context)))
