"""The storage policy service: what pyVmomi's own types read of it and write to it, and who may."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyVmomi import pbm, vmodl

from auditor_lab.vcenter.pbm.policies import VM, Entity
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.vapi.values import ObjectId
from tests.lab.pbm.conftest import (
    FAST,
    GOLD_VM,
    MISPLACED,
    PLAIN,
    SLOW,
    STORAGE,
    SYSTEM,
    UNASKED,
    VVOL_A,
    VVOL_B,
    VVOL_DEFAULT,
    Service,
    asked_for,
    change,
    disk,
    hub,
    machine,
    new_policy,
    wanted,
)


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
