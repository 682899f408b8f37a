"""Every column whose text lists its values is read by such a list, or is made here; and the lists hold what the vendor's references list.

A column whose text ends in "..." is open: nothing may be concluded from a value that a rule or view does not name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from pyVmomi import vim

from auditor.endpoints.common.background_jobs import KINDS
from auditor.endpoints.element import enumerations as element
from auditor.endpoints.flasharray import enumerations as flasharray
from auditor.endpoints.nimble import enumerations as nimble
from auditor.endpoints.ontap import enumerations as ontap
from auditor.endpoints.vcenter import enumerations as vcenter
from auditor.facts.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

LISTED: dict[tuple[str, str], Mapping[str, object]] = {
    ("array_node", "role"): element.ROLES,
    ("background_job", "kind"): KINDS,
    ("array_protocol_endpoint", "state"): {**element.ENDPOINT_STATES, **dict.fromkeys(nimble.PROTOCOL_ENDPOINT_STATES)},
    ("array_volume", "status"): element.VOLUME_STATES,
    ("array_pool", "media"): ontap.MEDIA,
    **{("device_offload", f"{name}_status"): vcenter.OFFLOADS for name in ("ats", "clone", "zero", "delete")},
    ("path", "state"): vcenter.PATH_STATES,
    ("path", "transport"): vcenter.TRANSPORTS,
    ("hba", "kind"): vcenter.HBA_KINDS,
    ("datastore", "type"): vcenter.DATASTORE_TYPES,
    ("datastore", "unmap_priority"): vcenter.UNMAP_PRIORITIES,
    ("datastore", "sioc_mode"): vcenter.CONGESTION_MODES,
    ("vm", "power_state"): vcenter.VM_POWER_STATES,
    ("vm_disk", "bus_sharing"): vcenter.BUS_SHARINGS,
    ("storage_pod", "default_behavior"): vcenter.DRS_BEHAVIORS,
    ("storage_pod", "space_automation"): vcenter.DRS_BEHAVIORS,
}
"""By column, the list that it is read by; a value of the text is a value of the API, or what one means."""

OTHERWISE = {
    ("array_alert", "severity"): "made by each collector; what each word of an array's means is listed, and another one is a parse error",
    ("array_volume", "write_cache"): "made by the collector from two answers that are yes or no",
    ("array_volume", "kind"): "made by each collector; ONTAP's class and a FlashArray's subtype are listed",
    ("array_qos_policy", "kind"): "made by each collector; Dell's profileType is looked up, and another one is a parse error",
    ("array_initiator", "kind"): "made by each collector from the name's form; Dell's portType is looked up likewise",
    ("array_replication", "role"): "made by the collector from the list that the relationship came in",
    ("array_efficiency", "qos_policy"): "compared with what is wanted alone; another value is shown",
    ("guest", "system"): "made by the collector from the two words of auditor's own scripts; another one is none",
    ("host", "connection_state"): "whatever is not connected is not read, and unknown",
    ("host_option", "value_type"): "the wire's own type of the value",
    ("iscsi_target", "kind"): "made by the collector from the list that the target came in",
    ("storage_event", "kind"): "made by the collector from the events that it asks for; another event is left out",
    ("background_job", "subject"): "made by each collector",
    ("background_job", "outcome"): "made by each collector from states that are listed; another word is unknown",
    ("vmknic", "switch_kind"): "made by the collector from the list that the switch came in",
    ("device", "vstorage_support"): "nothing is concluded from it",
    ("device_scheduling", "vaai_status"): "nothing is concluded from it",
    ("device_policy", "rr_policy"): "read by a list of its own, and another word is a parse error",
    ("satp_rule", "rule_group"): "user alone means something; rules of every other group are the system's",
    ("datastore", "maintenance_mode"): "shown, and compared by the health gate with what it was before",
    ("vm", "latency_sensitivity"): "nothing is concluded from it",
    ("vm_disk", "controller"): "made by the collector from the type; another type has none",
    ("vm_disk", "shares_level"): "shown",
    ("vm_disk", "rdm_mode"): "whether there is one counts, not which",
    ("running_task", "state"): "queued and running are asked for, and no others",
    ("change_event", "entity_kind"): "made by the collector",
    ("load_history", "subject_kind"): "made by each collector",
    ("declared_setting", "kind"): "settings.yaml's, whose shape lists them",
    ("declared_nfs_server", "family"): "fleet.yaml's, whose shape lists them",
    ("listed_endpoint", "kind"): "fleet.yaml's, whose shape lists them",
}


def closed() -> set[tuple[str, str]]:
    """The columns whose text lists values, and no more of them."""
    columns = ((table.name, column) for table in TABLES.values() for column in table.columns)
    return {
        (name, column.name)
        for name, column in columns
        if column.type == "VARCHAR" and re.search(r"\w \| \w", column.what) and "..." not in column.what
    }


def test_every_column_of_listed_values_is_read_by_a_list_or_says_why_it_need_not_be() -> None:
    known = {*LISTED, *OTHERWISE}
    opened = {("array_volume", "status"), ("storage_pod", "io_automation")}  # one kind's list; as space_automation
    assert closed() - known - opened == set(), "read it by a list in enumerations.py of its kind, or say here why not"
    assert {*OTHERWISE} - closed() == set()


@pytest.mark.parametrize(("table", "column"), LISTED, ids=lambda one: one)
def test_each_value_of_the_columns_text_is_on_the_list(table: str, column: str) -> None:
    [text] = [one.what for one in TABLES[table].columns if one.name == column]
    words = {word for part in re.findall(r"[\w+-]+(?: \| [\w+-]+)+", text) for word in part.split(" | ")}
    known = LISTED[table, column]
    assert words - {*known, *map(str, known.values()), "mixed"} == set()


@pytest.mark.parametrize(
    ("known", "listed"),
    [
        (vcenter.DATASTORE_TYPES, vim.host.FileSystemVolume.FileSystemType),
        (vcenter.VM_POWER_STATES, vim.VirtualMachine.PowerState),
        (vcenter.BUS_SHARINGS, vim.vm.device.VirtualSCSIController.Sharing),
        (vcenter.PATH_STATES, vim.host.MultipathInfo.PathState),
        (vcenter.DRS_BEHAVIORS, vim.storageDrs.PodConfigInfo.Behavior),
        (vcenter.CONGESTION_MODES, vim.StorageResourceManager.CongestionThresholdMode),
        (vcenter.HBA_PROTOCOLS, vim.host.StorageProtocol),
    ],
    ids=["datastores", "machines", "bus sharing", "paths", "Storage DRS", "congestion", "protocols"],
)
def test_the_list_is_the_apis_own(known: Mapping[str, object], listed: type) -> None:
    assert {*known} == {*map(str, listed.values)}  # type: ignore[attr-defined]  # pyVmomi's enumerations have it


def test_priorities_of_unmap_are_the_apis_and_those_that_esxcli_sets_besides() -> None:
    assert {*vcenter.UNMAP_PRIORITIES} == {*map(str, vim.host.VmfsVolume.UnmapPriority.values), "medium", "high"}


@pytest.mark.parametrize(
    ("known", "listed"),
    [
        (element.VOLUME_STATES, "init active deleted"),
        (element.ENDPOINT_STATES, "Active Start Failover Reserved"),
        (element.ROLES, "Management Storage Compute Witness"),
        (flasharray.PERSONALITIES, "aix esxi hitachi-vsp hpux oracle-vm-server solaris vms"),
        (flasharray.CONTROLLER_KINDS, "array_controller shelf_controller"),
        (flasharray.KINDS, "protocol_endpoint regular"),
        (ontap.NODE_STATES, "booting degraded down taken_over unknown up waiting_for_giveback"),
        (
            ontap.OS_TYPES,
            "aix hpux hyper_v image linux netware openvms solaris solaris_efi vmware windows windows_2008 windows_gpt xen",
        ),
    ],
    ids=["volumes", "endpoints", "nodes", "hosts", "controllers", "volume kinds", "nodes of ONTAP", "LUNs"],
)
def test_every_value_of_an_arrays_reference_is_on_the_list(known: Mapping[str, object], listed: str) -> None:
    """Source: the references that each enumerations.py names."""
    assert {*known} == {*listed.split()}
