"""DSNRO, advanced options, iSCSI targets and Storage I/O Control: read, written once, read back, and refused in words."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import vim

from auditor.endpoints.common.remediator import AnyRemediator, Inheriting, Reading
from auditor.endpoints.settings import remediator_for
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.endpoints.vcenter.settings.iscsi_target_option import IscsiTargetOption
from auditor.errors import (
    EndpointError,
    EndpointUnreachableError,
    MalformedAnswerError,
    NotThereError,
    PermissionMissingError,
    RefusedError,
)
from auditor.model import Endpoint, EndpointKind, Scalar, Target
from auditor_lab.description import LabFleet
from auditor_lab.vcenter.description.hosts import SatpRuleDescription
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.inventory import datastores
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import READ_ONLY
from auditor_lab.vcenter.state.path_policy import PathPolicy
from auditor_lab.vcsim import export_vcsim
from auditor_lab.wire import Fault

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

DEVICE = "naa.624a9370aaaa"
PE = "naa.6f47acc2000000017366707200000000"
IQN = "iqn.2010-06.com.purestorage:x"


def to(**keys: str) -> Target:
    return Target("vc-test", tuple(sorted(keys.items())))


def iscsi(kind: str = "static", **keys: str) -> Target:
    where = {"send": ("198.51.100.1", ""), "static": ("198.51.100.2", IQN)}[kind]
    base = {
        "host_id": "host-11",
        "hba": "vmhba64",
        "target_kind": kind,
        "address": where[0],
        "port": "3260",
        "iqn": where[1],
        "option": "DelayedAck",
    }
    return to(**base | keys)


def claim_rule(**keys: str) -> Target:
    base = {"satp": "VMW_SATP_ALUA", "vendor": "PURE", "model": "FlashArray", "option": "", "claimoption": "tpgs_on", "description": "old"}
    return to(host_id="host-11", **base | keys)


@dataclass(frozen=True)
class Setting:
    """One setting of the lab: where it is, what it holds, what it can be given, and how the write travels."""

    name: str
    target: Target
    before: Scalar
    after: Scalar
    operation: str

    @property
    def remediator(self) -> AnyRemediator:
        return remediator_for(self.name)


SETTINGS = [
    pytest.param(Setting("device.dsnro", to(host_id="host-11", device=DEVICE), 64, 256, "storage.core.device.set"), id="DSNRO"),
    pytest.param(Setting("device.dsnro", to(host_id="host-11", device=PE), 256, 512, "storage.core.device.set"), id="DSNRO of a PE"),
    pytest.param(Setting("host.option", to(host_id="host-11", option="ISCSI.MaxIoSizeKB"), 128, 512, "UpdateOptions"), id="option"),
    pytest.param(
        Setting("host.option", to(host_id="host-11", option="DataMover.MaxHWTransferSize"), 4096, 16384, "UpdateOptions"),
        id="hidden option",
    ),
    pytest.param(
        Setting("iscsi.target_option", iscsi("static"), before=False, after=True, operation="UpdateInternetScsiAdvancedOptions"),
        id="static target",
    ),
    pytest.param(
        Setting("iscsi.target_option", iscsi("send"), before=True, after=False, operation="UpdateInternetScsiAdvancedOptions"),
        id="send target",
    ),
    pytest.param(
        Setting("datastore.sioc", to(datastore_id="datastore-101"), before=True, after=False, operation="ConfigureDatastoreIORM_Task"),
        id="SIOC",
    ),
    pytest.param(
        Setting(
            "datastore.sioc_threshold", to(datastore_id="datastore-101"), "manual 20 ms", "manual 30 ms", "ConfigureDatastoreIORM_Task"
        ),
        id="SIOC threshold",
    ),
    pytest.param(
        Setting("datastore.sioc_threshold", to(datastore_id="datastore-102"), "automatic", "manual 30 ms", "ConfigureDatastoreIORM_Task"),
        id="SIOC threshold by hand",
    ),
    pytest.param(
        Setting(
            "device.path_policy",
            to(host_id="host-11", device=DEVICE),
            "VMW_PSP_RR, iops 1000",
            "VMW_PSP_RR, iops 1",
            "storage.nmp.psp.roundrobin.deviceconfig.set",
        ),
        id="path policy",
    ),
    pytest.param(
        Setting(
            "device.perennially_reserved",
            to(host_id="host-11", device=DEVICE),
            before=False,
            after=True,
            operation="storage.core.device.setconfig",
        ),
        id="mark of a reserved device",
    ),
    pytest.param(
        Setting("device.queue_full", to(host_id="host-11", devices=DEVICE), "as the host", "32/8", "storage.core.device.set"),
        id="queue-full values",
    ),
    pytest.param(
        Setting("datastore.unmap", to(datastore_id="datastore-101"), "low", "none", "UpdateVmfsUnmapPriority"), id="space reclamation"
    ),
    pytest.param(
        Setting("pod.io_metric", to(pod_id="group-p201"), before=False, after=True, operation="ConfigureStorageDrsForPod_Task"),
        id="I/O metric",
    ),
    pytest.param(
        Setting("pod.automation", to(pod_id="group-p201"), "manual", "automated", "ConfigureStorageDrsForPod_Task"), id="automation level"
    ),
    pytest.param(Setting("vm.disk_limit", to(vm_id="vm-1001", disk_key="2000"), -1, 500, "ReconfigVM_Task"), id="limit of a disk"),
    pytest.param(Setting("vm.disk_limit", to(vm_id="vm-1001", disk_key="2001"), 500, -1, "ReconfigVM_Task"), id="no limit of a disk"),
]
WRITES = {one.operation for parameters in SETTINGS for one in parameters.values if isinstance(one, Setting)}
per_setting = pytest.mark.parametrize("setting", SETTINGS)


@per_setting
def test_a_setting_is_read_written_and_read_back(serve_vcenter: Serve, setting: Setting) -> None:
    server, endpoint = serve_vcenter()
    assert setting.remediator.kind is EndpointKind.VCENTER
    with open_vcenter(endpoint) as vcenter:
        assert setting.remediator.read(vcenter, setting.target) == Reading(setting.before)
        setting.remediator.write(vcenter, setting.target, setting.after)
        now = setting.remediator.read(vcenter, setting.target)
        assert now == Reading(setting.after)
        assert type(now.value) is type(setting.after)
        setting.remediator.write(vcenter, setting.target, setting.before)
        assert setting.remediator.read(vcenter, setting.target) == Reading(setting.before)
    assert server.requests.count(setting.operation) == 2


@pytest.mark.parametrize("reading", ["by the name", "by the API's text"])
@pytest.mark.parametrize("option", ["DelayedAck", "LoginTimeout"])
def test_a_parameter_of_a_target_inherits_again_whichever_way_the_host_reads_the_request(
    serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch, option: str, reading: str
) -> None:
    from auditor_lab.vcenter.operations import storage

    as_named = storage._set_iscsi_option  # how the host reads the flag is what the test changes

    def by_the_text(host: Any, device: str, target: Any, one: Any) -> None:
        one.isInherited = None if one.isInherited is None else not one.isInherited
        as_named(host, device, target, one)

    if reading == "by the API's text":
        monkeypatch.setattr(storage, "_set_iscsi_option", by_the_text)
    server, endpoint = serve_vcenter()
    target, remediator = iscsi("static", option=option), IscsiTargetOption()
    server.state.hosts["host-11"].target_delayed_ack.clear()
    with open_vcenter(endpoint) as vcenter:
        before = remediator.read(vcenter, target)
        assert before.inherited is True
        own = not before.value if isinstance(before.value, bool) else 31
        remediator.write(vcenter, target, own)
        now = remediator.read(vcenter, target)
        assert (now.value, now.inherited) == (own, False)
        remediator.inherit(vcenter, target, before.value)
        again = remediator.read(vcenter, target)
        assert (again.value, again.inherited) == (before.value, True)


@per_setting
def test_a_write_changes_that_setting_alone(serve_vcenter: Serve, setting: Setting) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        before = everything(server)
        setting.remediator.write(vcenter, setting.target, setting.after)
        after = everything(server)
    assert len([key for key in before.keys() | after.keys() if before.get(key) != after.get(key)]) == 1


def everything(server: VCenterServer) -> dict[Any, Any]:
    """Every setting of the lab's fleet, flat."""
    found: dict[Any, Any] = {}
    for moid, host in server.state.hosts.items():
        found.update({(moid, "option", key): value for key, value in host.options.items()})
        found.update({(moid, "module", key): value.configured for key, value in host.modules.items()})
        found.update({(moid, "hba", key): value for key, value in host.adapter_delayed_ack.items()})
        found.update({(moid, "target", key): value for key, value in host.target_delayed_ack.items()})
        found.update({(moid, *key): value for key, value in _device_settings(host).items()})
        found.update({(moid, "rules", rule.vendor): rule for rule in host.satp_rules})
        found.update({(moid, "paths", key): value for key, value in host.path_policies.items()})
    for moid, store in server.state.datastores.items():
        stored = ("sioc_enabled", "sioc_mode", "sioc_threshold_ms", "sioc_statistics", "sioc_percent_of_peak", "unmap_priority")
        found.update({(moid, name): getattr(store, name) for name in stored})
    for moid, pod in server.state.pods.items():
        found.update({(moid, name): str(value) for name, value in pod.config.items()})
    for vm in server.state.description.vms:
        for place, disk in enumerate(vm.disks):
            found.update({(vm.name, place, name): value for name, value in dataclasses.asdict(disk).items()})
    return found


def _device_settings(host: Any) -> dict[tuple[str, str], Any]:
    """What is set of devices; sample size and threshold are one setting."""
    found: dict[tuple[str, str], Any] = {}
    for device, settings in host.device_settings.items():
        for name, value in settings.items():
            if name.startswith("queuefull"):
                found.setdefault((device, "queue full"), {})[name] = value
            else:
                found[device, name] = value
    return found


@per_setting
def test_a_write_whose_answer_is_lost_is_sent_once_and_can_be_read_back(serve_vcenter: Serve, setting: Setting) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        server.faults.active.append(Fault("lose", setting.operation))
        with pytest.raises(EndpointUnreachableError):
            setting.remediator.write(vcenter, setting.target, setting.after)
        assert server.requests.count(setting.operation) == 1
        assert setting.remediator.read(vcenter, setting.target) == Reading(setting.after)


@per_setting
def test_a_write_that_never_arrived_left_nothing(serve_vcenter: Serve, setting: Setting) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        server.faults.active.append(Fault("drop", setting.operation))
        with pytest.raises(EndpointUnreachableError):
            setting.remediator.write(vcenter, setting.target, setting.after)
        assert server.requests.count(setting.operation) == 1
        assert setting.remediator.read(vcenter, setting.target) == Reading(setting.before)


@per_setting
def test_an_account_that_may_only_read_writes_nothing(serve_vcenter: Serve, setting: Setting) -> None:
    server, endpoint = serve_vcenter()
    before = everything(server)
    with open_vcenter(endpoint) as vcenter:
        server.privileges = READ_ONLY
        with pytest.raises(PermissionMissingError):
            setting.remediator.write(vcenter, setting.target, setting.after)
    assert everything(server) == before


@pytest.mark.parametrize(
    ("name", "target"),
    [
        pytest.param("device.dsnro", to(host_id="host-11", device="naa.nobody"), id="device"),
        pytest.param("device.dsnro", to(host_id="host-99", device=DEVICE), id="host of a device"),
        pytest.param("device.queue_full", to(host_id="host-11", devices=f"{DEVICE} naa.nobody"), id="one of two devices"),
        pytest.param("device.perennially_reserved", to(host_id="host-11", device="naa.nobody"), id="device to mark"),
        pytest.param("device.path_policy", to(host_id="host-11", device="naa.nobody"), id="device of a path policy"),
        pytest.param("host.option", to(host_id="host-11", option="Disk.SchedNumReqOutstanding"), id="option of another build"),
        pytest.param("host.option", to(host_id="host-11", option="Disk."), id="beginning of a name"),
        pytest.param("host.option", to(host_id="host-99", option="Disk.QFullThreshold"), id="host of an option"),
        pytest.param("iscsi.target_option", iscsi(hba="vmhba2"), id="adapter"),
        pytest.param("iscsi.target_option", iscsi(address="198.51.100.77"), id="target at another address"),
        pytest.param("iscsi.target_option", iscsi(iqn="iqn.other"), id="target of another name"),
        pytest.param("iscsi.target_option", iscsi(option="NoSuchThing"), id="parameter of a target"),
        pytest.param("datastore.sioc", to(datastore_id="datastore-999"), id="datastore"),
        pytest.param("datastore.sioc_threshold", to(datastore_id="datastore-103"), id="threshold of a datastore that has none"),
        pytest.param("datastore.unmap", to(datastore_id="datastore-103"), id="space reclamation of NFS"),
        pytest.param("pod.io_metric", to(pod_id="group-p999"), id="datastore cluster"),
        pytest.param("pod.automation", to(pod_id="group-p999"), id="level of a datastore cluster"),
        pytest.param("vm.disk_limit", to(vm_id="vm-1001", disk_key="2999"), id="disk"),
        pytest.param("vm.disk_limit", to(vm_id="vm-9999", disk_key="2000"), id="machine"),
    ],
)
def test_what_is_not_there_is_told_and_not_taken_for_absent(serve_vcenter: Serve, name: str, target: Target) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter, pytest.raises(NotThereError):
        remediator_for(name).read(vcenter, target)


@pytest.mark.parametrize(
    ("name", "target", "value"),
    [
        pytest.param("device.dsnro", to(host_id="host-11", device=DEVICE), 0, id="DSNRO 0"),
        pytest.param("device.dsnro", to(host_id="host-11", device=DEVICE), True, id="DSNRO true"),
        pytest.param("device.dsnro", to(host_id="host-11", device=DEVICE), "256", id="DSNRO as text"),
        pytest.param("device.path_policy", to(host_id="host-11", device=DEVICE), "VMW_PSP_FIXED", id="a fixed path"),
        pytest.param("device.path_policy", to(host_id="host-11", device=DEVICE), "VMW_PSP_RR", id="round robin by nothing"),
        pytest.param("device.path_policy", to(host_id="host-11", device=DEVICE), "VMW_PSP_RR, iops 0", id="a count of nought"),
        pytest.param("device.path_policy", to(host_id="host-11", device=DEVICE), "VMW_PSP_RR, bytes 8800", id="round robin by bytes"),
        pytest.param("device.path_policy", to(host_id="host-11", device=DEVICE), None, id="no path policy"),
        pytest.param("device.perennially_reserved", to(host_id="host-11", device=DEVICE), 1, id="a mark of 1"),
        pytest.param("device.perennially_reserved", to(host_id="host-11", device=DEVICE), "true", id="a mark as text"),
        pytest.param("device.perennially_reserved", to(host_id="host-11", device=DEVICE), None, id="no mark by None"),
        pytest.param("host.claim_rule", claim_rule(), "", id="a claim rule with nothing"),
        pytest.param("host.claim_rule", claim_rule(), "iops=1", id="a claim rule without a policy"),
        pytest.param("host.claim_rule", claim_rule(), None, id="no claim rule by None"),
        pytest.param("device.queue_full", to(host_id="host-11", devices=DEVICE), 32, id="queue-full as a number"),
        pytest.param("device.queue_full", to(host_id="host-11", devices=DEVICE), "65/8", id="a sample of 65"),
        pytest.param("device.queue_full", to(host_id="host-11", devices=DEVICE), "32/17", id="a threshold of 17"),
        pytest.param("device.queue_full", to(host_id="host-11", devices=DEVICE), "32/8, as the host", id="two values at once"),
        pytest.param("device.dsnro", to(host_id="host-11", device=DEVICE), None, id="DSNRO nothing"),
        pytest.param("host.option", to(host_id="host-11", option="ISCSI.MaxIoSizeKB"), "512", id="text for a number"),
        pytest.param("host.option", to(host_id="host-11", option="ISCSI.MaxIoSizeKB"), True, id="true for a number"),
        pytest.param("host.option", to(host_id="host-11", option="ISCSI.MaxIoSizeKB"), None, id="nothing for a number"),
        pytest.param("host.option", to(host_id="host-11", option="Disk.QFullThreshold"), 1 << 63, id="wider than a long"),
        pytest.param("iscsi.target_option", iscsi(), 0, id="0 for false"),
        pytest.param("iscsi.target_option", iscsi(), None, id="nothing for false"),
        pytest.param("datastore.sioc", to(datastore_id="datastore-101"), 0, id="SIOC 0"),
        pytest.param("datastore.sioc", to(datastore_id="datastore-101"), None, id="SIOC nothing"),
        pytest.param("datastore.sioc_threshold", to(datastore_id="datastore-101"), 30, id="threshold as a number"),
        pytest.param("datastore.sioc_threshold", to(datastore_id="datastore-101"), "manual", id="threshold without a number"),
        pytest.param("datastore.sioc_threshold", to(datastore_id="datastore-101"), "manual 4 ms", id="threshold below its range"),
        pytest.param("datastore.sioc_threshold", to(datastore_id="datastore-101"), "manual 101 ms", id="threshold above its range"),
        pytest.param("datastore.unmap", to(datastore_id="datastore-101"), "high", id="a priority that the API has not"),
        pytest.param("datastore.unmap", to(datastore_id="datastore-101"), None, id="no priority"),
        pytest.param("pod.io_metric", to(pod_id="group-p201"), 1, id="I/O metric 1"),
        pytest.param("pod.automation", to(pod_id="group-p201"), True, id="automation level true"),
        pytest.param("pod.automation", to(pod_id="group-p201"), "disabled", id="a level that no cluster has"),
        pytest.param("vm.disk_limit", to(vm_id="vm-1001", disk_key="2000"), 0, id="limit 0"),
        pytest.param("vm.disk_limit", to(vm_id="vm-1001", disk_key="2000"), True, id="limit true"),
        pytest.param("vm.disk_limit", to(vm_id="vm-1001", disk_key="2000"), None, id="limit nothing"),
    ],
)
def test_a_value_of_the_wrong_type_or_range_is_refused_before_anything_is_sent(
    serve_vcenter: Serve, name: str, target: Target, value: Scalar
) -> None:
    server, endpoint = serve_vcenter()
    before = everything(server)
    with open_vcenter(endpoint) as vcenter, pytest.raises(RefusedError):
        remediator_for(name).write(vcenter, target, value)
    assert everything(server) == before
    assert not WRITES & set(server.requests)


@pytest.mark.parametrize(
    ("name", "target", "value", "error"),
    [
        pytest.param("device.dsnro", to(host_id="host-11", device=DEVICE), 4096, RefusedError, id="DSNRO above what the host takes"),
        pytest.param("host.option", to(host_id="host-11", option="ISCSI.MaxIoSizeKB"), 513, RefusedError, id="option above its range"),
        pytest.param("host.option", to(host_id="host-11", option="ISCSI.MaxIoSizeKB"), 127, RefusedError, id="option below its range"),
        pytest.param("datastore.sioc", to(datastore_id="datastore-103"), True, NotThereError, id="SIOC of a datastore that has none"),
    ],
)
def test_what_the_endpoint_itself_refuses_is_said_in_its_words(
    serve_vcenter: Serve, name: str, target: Target, value: Scalar, error: type[EndpointError]
) -> None:
    server, endpoint = serve_vcenter()
    before = everything(server)
    with open_vcenter(endpoint) as vcenter, pytest.raises(error):
        remediator_for(name).write(vcenter, target, value)
    assert everything(server) == before


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


def test_vcsim_which_checks_nothing_gets_only_what_fits(start_vcsim: Callable[..., Endpoint]) -> None:
    option = remediator_for("host.option")
    target = to(host_id="host-21", option="Config.HostAgent.log.level")
    with open_vcenter(start_vcsim()) as vcenter:
        assert option.read(vcenter, target) == Reading("info")
        with pytest.raises(RefusedError):
            option.write(vcenter, target, 1)
        option.write(vcenter, target, "verbose")
        assert option.read(vcenter, target) == Reading("verbose")
        with pytest.raises(NotThereError):
            option.read(vcenter, to(host_id="host-21", option="Config.HostAgent"))


OFFERED = """<propSet><name>supportedOption</name><val xsi:type="ArrayOfOptionDef">
<OptionDef xsi:type="OptionDef"><label>l</label><summary>s</summary><key>ISCSI.MaxIoSizeKB</key>
<optionType xsi:type="LongOption"><min>128</min><max>512</max><defaultValue>128</defaultValue></optionType></OptionDef>
<OptionDef xsi:type="OptionDef"><label>l</label><summary>s</summary><key>Disk.DelayOnBusy</key>
<optionType xsi:type="LongOption"><valueIsReadonly>true</valueIsReadonly><min>0</min><max>5000</max><defaultValue>400</defaultValue>
</optionType></OptionDef></val></propSet>"""


def test_the_range_a_host_offers_is_kept_although_the_peer_checks_nothing(
    start_vcsim: Callable[..., Endpoint], small_vcenter: VCenterDescription, tmp_path: Path
) -> None:
    export_vcsim(LabFleet(vcenters=(small_vcenter,)), tmp_path / "model")
    for file in (tmp_path / "model").glob("*-OptionManager-*.xml"):
        text = re.sub(r"<propSet>\s*<name>supportedOption</name>.*?</propSet>", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        file.write_text(text.replace("<propSet>", f"{OFFERED}<propSet>", 1), encoding="utf-8")
    option, size = remediator_for("host.option"), to(host_id="host-11", option="ISCSI.MaxIoSizeKB")
    with open_vcenter(start_vcsim(tmp_path / "model")) as vcenter:
        for value in (127, 513):
            with pytest.raises(RefusedError, match="128 to 512"):
                option.write(vcenter, size, value)
        with pytest.raises(RefusedError, match="read-only"):
            option.write(vcenter, to(host_id="host-11", option="Disk.DelayOnBusy"), 500)
        assert option.read(vcenter, size) == Reading(128)
        option.write(vcenter, size, 512)
        assert option.read(vcenter, size) == Reading(512)


def test_a_task_that_is_still_running_is_waited_for(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.state.task_seconds = 0.3
    sioc = remediator_for("datastore.sioc")
    with open_vcenter(endpoint) as vcenter:
        sioc.write(vcenter, to(datastore_id="datastore-101"), value=False)
        assert sioc.read(vcenter, to(datastore_id="datastore-101")) == Reading(value=False)


def test_vcsim_takes_a_limit_of_a_disk_and_a_level_of_storage_drs(start_vcsim: Callable[..., Endpoint]) -> None:
    limit, level = remediator_for("vm.disk_limit"), remediator_for("pod.automation")
    with open_vcenter(start_vcsim(None, "-pod", "1")) as vcenter:
        machine = next(iter(vcenter.read(vim.VirtualMachine, ("config.hardware.device",))))
        key = next(one.key for one in machine.values["config.hardware.device"] if isinstance(one, vim.vm.device.VirtualDisk))
        disk = to(vm_id=machine.id, disk_key=str(key))
        pod = to(pod_id=next(iter(vcenter.read(vim.StoragePod, ("name",)))).id)
        assert limit.read(vcenter, disk) == Reading(-1)
        limit.write(vcenter, disk, 500)
        assert limit.read(vcenter, disk) == Reading(500)
        level.write(vcenter, pod, "automated")
        assert level.read(vcenter, pod) == Reading("automated")
        with pytest.raises(NotThereError):
            limit.read(vcenter, to(vm_id=machine.id, disk_key="1"))
