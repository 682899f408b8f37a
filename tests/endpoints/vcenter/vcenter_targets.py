"""Targets of settings of a vCenter, as tests write them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from auditor.endpoints.common.remediator import AnyRemediator
from auditor.endpoints.settings import remediator_for
from auditor.model import Endpoint, Scalar, Target
from auditor_lab.vcenter.server import VCenterServer

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
