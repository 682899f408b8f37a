"""The storage policy service: what pyVmomi's own types read of it and write to it, and who may."""

from __future__ import annotations

import http.client
import ssl
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pyVmomi import SoapAdapter, VmomiSupport, pbm, vim, vmodl

from auditor_lab.faults import Fault
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.pbm.policies import VM, Entity
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import ALL, READ_ONLY
from auditor_lab.vcenter.vapi.values import ObjectId
from tests.lab.conftest import PASSWORD, USER, fault_of
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


def test_every_vcenter_has_the_policies_it_comes_with(service: Service) -> None:
    known = {one.profileId.uniqueId: (one.name, one.systemCreatedProfileType or "") for one in service.all().values()}
    assert known.items() >= SYSTEM.items()
    vsan = asked_for(service.all()["vSAN Default Storage Policy"])
    assert vsan == [
        {"hostFailuresToTolerate": 1, "stripeWidth": 1, "forceProvisioning": False, "proportionalCapacity": 0, "cacheReservation": 0}
    ]
    assert type(service.all()["VVol No Requirements Policy"].constraints) is pbm.profile.CapabilityConstraints


def test_a_policy_reads_as_it_was_described(service: Service) -> None:
    gold = service.all()["Gold"]
    assert (gold.description, gold.profileCategory, gold.resourceType.resourceType) == ("three ceilings", "REQUIREMENT", "STORAGE")
    assert asked_for(gold) == [{"minIOPS": 100, "maxIOPS": 3000, "burstIOPS": 6000}]
    assert asked_for(service.all()["On gold"]) == [{"com.vmware.storage.tag.tier.property": ["gold", "silver"]}]


def test_machines_and_disks_tell_their_policy_and_policies_their_machines_and_disks(service: Service) -> None:
    gold, on_gold = service.id("Gold").uniqueId, service.id("On gold").uniqueId

    def of(entity: Any) -> list[str]:
        return [one.uniqueId for one in service.profiles.PbmQueryAssociatedProfile(entity=entity)]

    assert of(machine(GOLD_VM)) == of(disk(f"{GOLD_VM}:2001")) == of(disk(f"{MISPLACED}:2000")) == [gold]
    assert of(machine(PLAIN)) == [on_gold]
    assert of(machine(MISPLACED)) == of(disk(f"{PLAIN}:2000")) == []  # VMFS has no default policy
    assert of(machine(UNASKED)) == of(disk(f"{UNASKED}:2000")) == [VVOL_DEFAULT]
    assert of(pbm.ServerObjectRef(objectType="datastore", key=VVOL_A)) == [VVOL_DEFAULT]

    def entities(kind: str | None) -> set[str]:
        return {one.key for one in service.profiles.PbmQueryAssociatedEntity(profile=service.id("Gold"), entityType=kind)}

    assert entities("virtualMachine") == {GOLD_VM}
    assert entities("virtualDiskId") == {f"{GOLD_VM}:2000", f"{GOLD_VM}:2001", f"{MISPLACED}:2000"}
    assert entities(None) == entities("virtualMachine") | entities("virtualDiskId")


def test_of_several_entities_each_has_its_policies_or_its_fault(service: Service) -> None:
    gone, there = service.profiles.PbmQueryAssociatedProfiles(entities=[machine("vm-1"), machine(PLAIN)])
    assert isinstance(gone.fault, pbm.fault.NotFound)
    assert ([one.uniqueId for one in there.profileId], there.fault) == ([service.id("On gold").uniqueId], None)
    with pytest.raises(pbm.fault.PBMFault):
        service.profiles.PbmQueryAssociatedProfile(entity=disk(f"{PLAIN}:2001"))
    every = service.profiles.PbmQueryAssociatedEntities(profiles=[])
    assert {one.object.key for one in every} == {
        GOLD_VM, f"{GOLD_VM}:2000", f"{GOLD_VM}:2001", f"{MISPLACED}:2000", UNASKED, f"{UNASKED}:2000", PLAIN,
    }  # fmt: skip
    (one,) = service.profiles.PbmQueryAssociatedEntities(profiles=[service.id("On gold")])
    assert one.object.key == PLAIN


def test_a_policy_suits_the_datastores_that_have_what_it_asks_for(service: Service) -> None:
    assert service.matching(service.id("Gold")) == {VVOL_A}
    assert service.matching(service.id("On gold")) == {FAST}
    assert service.matching(service.id("VVol No Requirements Policy")) == {VVOL_A, VVOL_B}
    assert service.matching(service.id("VM Encryption Policy")) == {FAST, SLOW, VVOL_A, VVOL_B}
    assert service.matching(service.id("vSAN Default Storage Policy")) == set()
    found = service.placement.PbmQueryMatchingHubWithSpec(hubsToSearch=[hub(VVOL_A), hub(VVOL_B)], createSpec=new_policy("x"))
    assert [one.hubId for one in found] == [VVOL_A]


def test_what_does_not_suit_says_which_requirement_does_not_hold(service: Service) -> None:
    spec = new_policy("x", wanted(minIOPS=25, maxIOPS=500))  # 25 is below what the provider takes
    (result,) = service.placement.PbmCheckCompatibilityWithSpec(hubsToSearch=[hub(VVOL_A)], profileSpec=spec)
    (fault,) = result.error
    assert isinstance(fault, pbm.fault.CapabilityProfilePropertyMismatchFault)
    assert (fault.capabilityInstanceId.id, fault.requirementPropertyInstance.value) == ("minIOPS", 25)
    assert (fault.resourcePropertyInstance.value.min, fault.resourcePropertyInstance.value.max) == (50, 15000)
    results = service.placement.PbmCheckCompatibility(hubsToSearch=[], profile=service.id("Gold"))
    assert {one.hub.hubId: [type(each) for each in one.error] for one in results} == {
        FAST: [pbm.fault.PropertyMismatchFault] * 3,
        SLOW: [pbm.fault.PropertyMismatchFault] * 3,
        VVOL_A: [],
        VVOL_B: [pbm.fault.PropertyMismatchFault] * 3,
    }


def test_of_several_rule_sets_one_is_enough(service: Service) -> None:
    either = wanted(maxIOPS=1)
    either.subProfiles.append(wanted(maxIOPS=100).subProfiles[0])
    found = service.placement.PbmQueryMatchingHubWithSpec(hubsToSearch=[], createSpec=new_policy("x", either))
    assert [one.hubId for one in found] == [VVOL_A]


def test_all_requirements_of_a_placement_have_to_hold(service: Service) -> None:
    both = [
        pbm.placement.CapabilityProfileRequirement(profileId=service.id("VVol No Requirements Policy")),
        pbm.placement.CapabilityConstraintsRequirement(constraints=wanted(maxIOPS=500)),
    ]
    results = service.placement.PbmCheckRequirements(hubsToSearch=[], placementSubjectRequirement=both)
    assert [one.hub.hubId for one in results if not one.error] == [VVOL_A]


def test_compliance_is_whether_an_entity_lies_where_its_policy_holds(service: Service) -> None:
    answer = service.statuses(machine(GOLD_VM), disk(f"{MISPLACED}:2000"), machine(UNASKED), machine(PLAIN))
    assert answer == {GOLD_VM: "compliant", f"{MISPLACED}:2000": "nonCompliant", UNASKED: "compliant", PLAIN: "compliant"}
    (result,) = service.compliance.PbmCheckCompliance(entities=[disk(f"{MISPLACED}:2000")])
    assert {one.expectedValue.id.id for one in result.violatedPolicies} == {"minIOPS", "maxIOPS", "burstIOPS"}
    assert (result.complianceTaskStatus, result.mismatch) == ("success", False)


def test_a_compliance_check_leaves_out_what_is_no_machine_or_has_no_policy(service: Service) -> None:
    store = pbm.ServerObjectRef(objectType="datastore", key=FAST)
    assert service.statuses(machine(MISPLACED), machine("vm-1"), store, machine(PLAIN)) == {PLAIN: "compliant"}
    for nothing in ([store], [machine("vm-1")]):
        with pytest.raises(vmodl.fault.InvalidArgument):
            service.compliance.PbmCheckCompliance(entities=nothing)


def test_a_tag_that_goes_is_seen_by_the_next_check_and_not_before(service: Service, server: VCenterServer) -> None:
    assert service.statuses(machine(PLAIN)) == {PLAIN: "compliant"}
    with server.state.lock:
        tags = server.vapi.stored.tags
        (gold,) = (one for one in tags.tags.values() if one.name == "gold")
        tags.detach(gold, ObjectId("Datastore", FAST))
        tags.attach(gold, ObjectId("Datastore", SLOW))
    assert service.matching(service.id("On gold")) == {SLOW}
    assert service.statuses(machine(PLAIN)) == {PLAIN: "compliant"}
    assert service.statuses(machine(PLAIN), anew=True) == {PLAIN: "nonCompliant"}
    assert service.statuses(machine(PLAIN)) == {PLAIN: "nonCompliant"}


def test_a_machine_is_as_compliant_as_its_worst_part(service: Service, server: VCenterServer) -> None:
    (whole,) = service.compliance.PbmFetchRollupComplianceResult(entity=[machine(MISPLACED)])
    assert (whole.overallComplianceStatus, len(whole.result), whole.profileMismatch) == ("nonCompliant", 1, False)
    policies, on_gold = server.pbm.policies, service.id("On gold").uniqueId
    with server.state.lock:
        policies.give(Entity(VM, MISPLACED), policies.by_id[on_gold])
    (whole,) = service.compliance.PbmFetchRollupComplianceResult(entity=[machine(MISPLACED)])
    assert [one.complianceStatus for one in whole.result] == ["compliant", "nonCompliant"]
    assert whole.overallComplianceStatus == "nonCompliant"
    (whole,) = service.compliance.PbmCheckRollupCompliance(entity=[machine(GOLD_VM)])
    assert (whole.overallComplianceStatus, len(whole.result)) == ("compliant", 3)
    found = service.compliance.PbmQueryByRollupComplianceStatus(status="nonCompliant")
    assert [one.key for one in found] == [MISPLACED]


def test_a_new_policy_is_there_until_it_is_deleted(service: Service) -> None:
    key = service.profiles.PbmCreate(createSpec=new_policy("Bronze", wanted(minIOPS=50, maxIOPS=1000)))
    bronze = service.all()["Bronze"]
    assert (bronze.profileId.uniqueId, bronze.createdBy, asked_for(bronze)) == (
        key.uniqueId,
        "auditor@vsphere.local",
        [{"minIOPS": 50, "maxIOPS": 1000}],
    )
    with pytest.raises(pbm.fault.DuplicateName):
        service.profiles.PbmCreate(createSpec=new_policy("Bronze"))
    (outcome,) = service.profiles.PbmDelete(profileId=[key])
    assert (outcome.profileId.uniqueId, outcome.fault) == (key.uniqueId, None)
    assert "Bronze" not in service.all()
    with pytest.raises(vmodl.fault.InvalidArgument):
        service.profiles.PbmRetrieveContent(profileIds=[key])


def test_what_is_in_use_or_came_with_vcenter_or_is_not_there_is_not_deleted(service: Service) -> None:
    gone = pbm.profile.ProfileId(uniqueId="none")
    before = set(service.all())
    used, default, lost = service.profiles.PbmDelete(profileId=[service.id("Gold"), pbm.profile.ProfileId(uniqueId=VVOL_DEFAULT), gone])
    assert isinstance(used.fault, pbm.fault.ResourceInUse)
    assert isinstance(default.fault, vmodl.fault.InvalidArgument)
    assert isinstance(lost.fault, vmodl.fault.InvalidArgument)
    assert set(service.all()) == before


def test_an_edited_policy_leaves_what_has_it_out_of_date(service: Service) -> None:
    before = service.all()["Gold"]
    service.profiles.PbmUpdate(profileId=before.profileId, updateSpec=change(name="Gold 2", constraints=wanted(maxIOPS=9000)))
    after = service.all()["Gold 2"]
    assert (after.description, asked_for(after), after.lastUpdatedBy) == ("three ceilings", [{"maxIOPS": 9000}], "auditor@vsphere.local")
    assert after.generationId == (before.generationId or 0) + 1
    assert after.lastUpdatedTime > before.lastUpdatedTime == before.creationTime
    assert service.statuses(machine(GOLD_VM), machine(UNASKED)) == {GOLD_VM: "outOfDate", UNASKED: "compliant"}
    assert service.statuses(machine(GOLD_VM), anew=True) == {GOLD_VM: "outOfDate"}
    (whole,) = service.compliance.PbmFetchRollupComplianceResult(entity=[machine(GOLD_VM)])
    assert (whole.overallComplianceStatus, whole.profileMismatch) == ("outOfDate", True)


def test_the_policy_for_vsan_can_be_edited_and_reset(service: Service) -> None:
    vsan = service.all()["vSAN Default Storage Policy"]
    service.profiles.PbmUpdate(profileId=vsan.profileId, updateSpec=change(constraints=wanted(maxIOPS=9000)))
    assert asked_for(service.all()[vsan.name]) == [{"maxIOPS": 9000}]
    service.profiles.PbmResetVSanDefaultProfile()
    assert asked_for(service.all()[vsan.name]) == asked_for(vsan)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(
            lambda it: it.profiles.PbmQueryProfile(resourceType=pbm.profile.ResourceType(resourceType="TAPE")), id="resource type"
        ),
        pytest.param(lambda it: it.profiles.PbmQueryProfile(resourceType=STORAGE, profileCategory="WISH"), id="category"),
        pytest.param(lambda it: it.profiles.PbmCreate(createSpec=new_policy("")), id="no name"),
        pytest.param(lambda it: it.profiles.PbmCreate(createSpec=new_policy("x", category="RESOURCE")), id="a category nobody can make"),
        pytest.param(
            lambda it: it.profiles.PbmCreate(createSpec=new_policy("x", pbm.profile.CapabilityConstraints())), id="nothing asked for"
        ),
        pytest.param(
            lambda it: it.profiles.PbmUpdate(profileId=it.id("Gold"), updateSpec=change(name="On gold")), id="a name that is taken"
        ),
        pytest.param(
            lambda it: it.profiles.PbmUpdate(profileId=pbm.profile.ProfileId(uniqueId=VVOL_DEFAULT), updateSpec=change(name="mine")),
            id="a policy that stays as it is",
        ),
        pytest.param(lambda it: it.matching(pbm.profile.ProfileId(uniqueId="none")), id="no such policy"),
        pytest.param(lambda it: it.profiles.PbmQueryDefaultRequirementProfile(hub=hub("vm-1001", "VirtualMachine")), id="no datastore"),
        pytest.param(lambda it: it.compliance.PbmQueryByRollupComplianceStatus(status="fine"), id="no such status"),
    ],
)
def test_an_argument_that_makes_no_sense_is_refused_and_changes_nothing(call: Callable[[Service], Any], service: Service) -> None:
    before = set(service.all())
    with pytest.raises(vmodl.fault.InvalidArgument):
        call(service)
    assert set(service.all()) == before


def test_a_vvol_datastore_takes_a_default_policy_of_its_providers_namespace(service: Service) -> None:
    def default(key: str) -> str | None:
        reported = service.profiles.PbmQueryDefaultRequirementProfile(hub=hub(key))
        return reported.uniqueId if reported else None

    gold = service.id("Gold")
    assert (default(VVOL_A), default(FAST)) == (VVOL_DEFAULT, None)
    applicable = service.profiles.PbmFindApplicableDefaultProfile(datastores=[hub(VVOL_A)])
    assert {one.name for one in applicable} == {"Gold", "VVol No Requirements Policy"}
    service.profiles.PbmAssignDefaultRequirementProfile(profile=gold, datastores=[hub(VVOL_A)])
    assert (default(VVOL_A), default(VVOL_B)) == (gold.uniqueId, VVOL_DEFAULT)
    defaults = service.profiles.PbmQueryDefaultRequirementProfiles(datastores=[hub(FAST), hub(VVOL_A)])
    assert {one.datastores[0].hubId: one.defaultProfile and one.defaultProfile.name for one in defaults} == {FAST: None, VVOL_A: "Gold"}


@pytest.mark.parametrize(
    ("datastores", "fault"),
    [
        pytest.param([VVOL_A, FAST], pbm.fault.LegacyHubsNotSupported, id="a VMFS datastore among them"),
        pytest.param([VVOL_A, "datastore-9"], pbm.fault.NonExistentHubs, id="a datastore that is not there"),
        pytest.param([VVOL_A, VVOL_B], vmodl.fault.InvalidArgument, id="a datastore of another provider"),
    ],
)
def test_a_default_policy_is_for_all_datastores_or_for_none(datastores: list[str], fault: type, service: Service) -> None:
    with pytest.raises(fault):
        service.profiles.PbmAssignDefaultRequirementProfile(profile=service.id("Gold"), datastores=[hub(one) for one in datastores])
    assert service.profiles.PbmQueryDefaultRequirementProfile(hub=hub(VVOL_A)).uniqueId == VVOL_DEFAULT


def test_a_provider_publishes_the_numbers_it_takes_and_tags_are_a_category_of_their_own(service: Service) -> None:
    solidfire, tags = service.profiles.PbmFetchCapabilityMetadata(resourceType=STORAGE)
    by_id = {one.id.id: one.propertyMetadata[0] for one in solidfire.capabilityMetadata}
    assert {one.id.namespace for one in solidfire.capabilityMetadata} == {"com.solidfire.vasa"}
    assert {key: (one.allowedValue.min, one.allowedValue.max, one.defaultValue) for key, one in by_id.items()} == {
        "minIOPS": (50, 15000, 50),
        "maxIOPS": (100, 200000, 15000),
        "burstIOPS": (100, 200000, None),
    }
    (tier,) = tags.capabilityMetadata
    assert (tier.id.namespace, tier.id.id) == ("http://www.vmware.com/storage/tag", "tier")
    assert {one.value for one in tier.propertyMetadata[0].allowedValue.values} == {"gold", "bronze"}
    (storage,) = service.profiles.PbmFetchVendorInfo()
    (vendor,) = storage.vendorNamespaceInfo
    assert (storage.resourceType, vendor.namespaceInfo.namespace) == ("STORAGE", "com.solidfire.vasa")
    own = service.profiles.PbmFetchCapabilityMetadata(vendorUuid=vendor.vendorInfo.vendorUuid)
    assert [one.subCategory for one in own] == [solidfire.subCategory]
    assert service.profiles.PbmFetchCapabilityMetadata(vendorUuid="nobody") == []
    (schema,) = service.profiles.PbmFetchCapabilitySchema()
    assert schema.namespaceInfo.namespace == "com.solidfire.vasa"


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
