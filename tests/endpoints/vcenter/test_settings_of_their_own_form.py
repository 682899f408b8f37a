"""Settings of a vCenter that are more than one value: path policies, claim rules, limits of disks, space reclamation."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from pyVmomi import vim

from auditor.endpoints.common.remediator import Inheriting, Reading
from auditor.endpoints.settings import remediator_for
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.errors import (
    MalformedAnswerError,
    RefusedError,
)
from auditor.model import Scalar
from auditor_lab.vcenter.description.hosts import SatpRuleDescription
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.inventory import datastores
from auditor_lab.vcenter.state.path_policy import PathPolicy
from tests.endpoints.vcenter.vcenter_targets import (
    DEVICE,
    PE,
    Serve,
    claim_rule,
    to,
)


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        pytest.param("pod.io_metric", True, "ioLoadBalanceEnabled", id="I/O metric"),
        pytest.param("pod.automation", "manual", "defaultVmBehavior", id="automation level"),
    ],
)
def test_settings_of_a_datastore_cluster_that_are_not_the_default_stay(
    serve_vcenter: Serve, small_vcenter: VCenterDescription, name: str, value: Scalar, field: str
) -> None:
    tuned = dataclasses.replace(small_vcenter.pods[0], interval_minutes=60, behavior="automated", space_utilization_percent=70)
    server, endpoint = serve_vcenter(dataclasses.replace(small_vcenter, pods=(tuned,)))
    before = dict(server.state.pods["group-p201"].config)
    with open_vcenter(endpoint) as vcenter:
        remediator_for(name).write(vcenter, to(pod_id="group-p201"), value)
    assert server.state.pods["group-p201"].config == before | {field: value}
    assert before[field] != value


def test_a_path_policy_is_read_and_set_in_one_text(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    policy, target = remediator_for("device.path_policy"), to(host_id="host-11", device=DEVICE)
    with open_vcenter(endpoint) as vcenter:
        for text in ("VMW_PSP_MRU", "VMW_PSP_RR, latency", "VMW_PSP_RR, iops 3"):
            policy.write(vcenter, target, text)
            assert policy.read(vcenter, target) == Reading(text)
        server.state.hosts["host-11"].path_policies[DEVICE] = PathPolicy("VMW_PSP_RR", limit="Bytes", bytes=8800)
        assert policy.read(vcenter, target) == Reading("VMW_PSP_RR, bytes 8800")
        server.state.hosts["host-11"].path_policies[DEVICE] = PathPolicy("VMW_PSP_FIXED")
        assert policy.read(vcenter, target) == Reading("VMW_PSP_FIXED")
    assert server.requests.count("storage.nmp.device.set") == 2


@pytest.mark.parametrize("other", ["VMW_PSP_RR, iops 3", "VMW_PSP_MRU"])
def test_a_count_that_nobody_chose_is_round_robin_s_own_again(serve_vcenter: Serve, other: str) -> None:
    server, endpoint = serve_vcenter()
    policy, target = remediator_for("device.path_policy"), to(host_id="host-11", device=DEVICE)
    state = server.state.hosts["host-11"]
    state.path_policies[DEVICE] = PathPolicy("VMW_PSP_RR")
    with open_vcenter(endpoint) as session:
        before = policy.read(session, target)
        assert (before.value, before.inherited) == ("VMW_PSP_RR, iops 1000", True)
        policy.write(session, target, other)
        assert policy.read(session, target).inherited is not True
        assert isinstance(policy, Inheriting)
        policy.inherit(session, target, before.value)
        assert policy.read(session, target).inherited is True
    assert state.path_policies[DEVICE] == PathPolicy("VMW_PSP_RR"), "and no count of its own"


def test_a_claim_rule_is_replaced_removed_and_brought_back_whole(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    rules, target = remediator_for("host.claim_rule"), claim_rule()
    mine = SatpRuleDescription(
        satp="VMW_SATP_ALUA",
        vendor="PURE",
        model="FlashArray",
        claim_options="tpgs_on",
        psp="VMW_PSP_RR",
        psp_options="iops=1",
        description="old",
    )
    for_fc = dataclasses.replace(mine, transport="fc")
    host = server.state.hosts["host-11"]
    host.satp_rules = (mine, for_fc)
    with open_vcenter(endpoint) as vcenter:
        assert rules.read(vcenter, target) == Reading("VMW_PSP_RR iops=1")
        rules.write(vcenter, target, "VMW_PSP_RR policy=latency")
        assert rules.read(vcenter, target) == Reading("VMW_PSP_RR policy=latency")
        rules.write(vcenter, target, "absent")
        assert rules.read(vcenter, target) == Reading("absent")
        assert set(host.satp_rules) == {for_fc}
        rules.write(vcenter, target, "VMW_PSP_RR iops=1")
    assert set(host.satp_rules) == {mine, for_fc}


def test_a_claim_rule_that_could_not_be_added_again_reads_as_absent(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    rules, target = remediator_for("host.claim_rule"), claim_rule()
    with open_vcenter(endpoint) as vcenter:
        rules.write(vcenter, target, "VMW_PSP_RR iops=1")
        with pytest.raises(RefusedError, match="there is no VMW_PSP_NONE"):
            rules.write(vcenter, target, "VMW_PSP_NONE iops=1")
        assert rules.read(vcenter, target) == Reading("absent")


@pytest.mark.parametrize(
    "found",
    [pytest.param(("VMW_PSP_RR", ""), id="two of them"), pytest.param(("",), id="one without a policy")],
)
def test_a_claim_rule_that_undo_could_not_bring_back_is_not_read(serve_vcenter: Serve, found: tuple[str, ...]) -> None:
    server, endpoint = serve_vcenter()
    base = SatpRuleDescription(satp="VMW_SATP_ALUA", vendor="PURE", model="FlashArray", claim_options="tpgs_on")
    server.state.hosts["host-11"].satp_rules = tuple(dataclasses.replace(base, psp=psp) for psp in found)
    with open_vcenter(endpoint) as vcenter, pytest.raises(MalformedAnswerError):
        remediator_for("host.claim_rule").read(vcenter, claim_rule())


def test_devices_are_set_together_and_tell_when_they_differ(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    values = remediator_for("device.queue_full")
    both, one = to(host_id="host-11", devices=f"{DEVICE} {PE}"), to(host_id="host-11", devices=PE)
    with open_vcenter(endpoint) as vcenter:
        values.write(vcenter, one, "16/4")
        assert values.read(vcenter, both) == Reading("16/4, as the host")
        values.write(vcenter, both, "32/8")
        assert values.read(vcenter, both) == Reading("32/8")
        values.write(vcenter, both, "as the host")
        assert values.read(vcenter, both) == Reading("as the host")
    assert server.requests.count("storage.core.device.set") == 5


def test_the_limit_of_a_disk_leaves_its_shares_and_the_other_disks(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        remediator_for("vm.disk_limit").write(vcenter, to(vm_id="vm-1001", disk_key="2001"), 800)
    first, second = server.state.vm("vm-1001").disks
    assert (first.iops_limit, second.iops_limit, second.shares, second.controller) == (None, 800, "normal", "lsilogic-sas")


def test_a_volume_that_is_reclaimed_at_a_rate_gets_no_priority(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server, endpoint = serve_vcenter()
    built = datastores.volume

    def at_a_rate(*arguments: Any) -> Any:
        volume = built(*arguments)
        volume.unmapBandwidthSpec = vim.host.VmfsVolume.UnmapBandwidthSpec(policy="fixed", fixedValue=100, dynamicMin=0, dynamicMax=0)
        return volume

    monkeypatch.setattr(datastores, "volume", at_a_rate)
    with open_vcenter(endpoint) as vcenter, pytest.raises(RefusedError, match="rate in MB a second"):
        remediator_for("datastore.unmap").write(vcenter, to(datastore_id="datastore-101"), "none")
    assert "UpdateVmfsUnmapPriority" not in server.requests


def test_space_reclamation_is_written_by_a_host_that_is_connected(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    unmap, target = remediator_for("datastore.unmap"), to(datastore_id="datastore-101")
    server.state.hosts["host-11"].connection_state = "disconnected"
    with open_vcenter(endpoint) as vcenter:
        unmap.write(vcenter, target, "none")
        assert unmap.read(vcenter, target) == Reading("none")
        server.state.hosts["host-12"].connection_state = "disconnected"
        with pytest.raises(RefusedError, match="no connected host"):
            unmap.write(vcenter, target, "low")


def test_options_are_written_with_the_width_they_came_with(serve_vcenter: Serve) -> None:
    # The lab refuses an int where it keeps a long, as a real host does; a text option and a switch keep their types as well.
    server, endpoint = serve_vcenter()
    server.state.hosts["host-11"].options.update({"Annotations.WelcomeMessage": "hello", "Some.Switch": True})
    option = remediator_for("host.option")
    with open_vcenter(endpoint) as vcenter:
        for name, value in (("Annotations.WelcomeMessage", "a <b> & c"), ("Some.Switch", False), ("Disk.QFullSampleSize", 32)):
            option.write(vcenter, to(host_id="host-11", option=name), value)
            assert option.read(vcenter, to(host_id="host-11", option=name)) == Reading(value)


def test_a_task_that_is_still_running_is_waited_for(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.state.task_seconds = 0.3
    sioc = remediator_for("datastore.sioc")
    with open_vcenter(endpoint) as vcenter:
        sioc.write(vcenter, to(datastore_id="datastore-101"), value=False)
        assert sioc.read(vcenter, to(datastore_id="datastore-101")) == Reading(value=False)
