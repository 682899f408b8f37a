"""What the values of ONTAP's enumerations mean, of those that are judged by; a value that is not here is not known.

Source: netapp-ontap 9.6, 9.9.1, 9.12.1, 9.14.1, 9.15.1, 9.16.1, 9.17.1 and 9.19.1, the "Valid choices" of the model named at each. These
list every value, also those that lead to no conclusion: a value that a cluster may send and that is missing here would be a gap on a
healthy cluster. None of the lists was compared with a real cluster, and that client does not refuse other values either.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

MEDIA: Mapping[str, str | None] = MappingProxyType(
    {
        "capacity": "hdd",
        "performance": "hdd",
        "archive": "hdd",
        "solid_state": "ssd",
        "capacity_flash": "ssd",
        "virtual": "virtual",  # ONTAP Select, Cloud Volumes: what the disks of its machine lie on, it does not know
        "array": None,  # LUNs of another array, and what these lie on
        "data_center": None,  # not explained in the reference
    }
)
"""What the disks of an aggregate are, by AggregateBlockStoragePrimary.disk_class, the same list in every release; None: it does not say."""

NODE_STATES: Mapping[str, str] = MappingProxyType(
    {
        "up": "serves",
        "booting": "does not serve yet",
        "down": "has stopped",
        "taken_over": "its partner serves for it",
        "waiting_for_giveback": "its partner serves for it, and may give it back",
        "degraded": "one or more critical services are offline",
        "unknown": "nobody can be reached who knows",
    }
)
"""Node.state, the same list in every release; which of them count as not up: facts/views/array/array_system.sql."""

SVM_STATES: Mapping[str, str] = MappingProxyType(
    {
        "running": "serves",
        "starting": "may not serve yet",
        "stopping": "may serve no more",
        "stopped": "serves nobody",
        "deleting": "goes away",
        "initializing": "is being made",
    }
)
"""Svm.state, the first five in every release; which of them serve hosts: facts/volume_states.py."""

COPIES = frozenset({"dp_destination", "sync_destination"})
"""Of Svm.subtype, those that are kept for another SVM: by SVM disaster recovery, and by MetroCluster."""

CONTAINER_STATES: Mapping[str, str] = MappingProxyType(
    {"online": "both are there", "volume_offline": "its volume is not there", "aggregate_offline": "nor is the aggregate of that"}
)
"""LunStatus.container_state: of the volume and the aggregate that a LUN is in, the same list in every release."""

TRANSFER_STATES: Mapping[str, str] = MappingProxyType(
    {
        "queued": "waits to begin",
        "transferring": "is sending",
        "success": "is over and whole",
        "failed": "is over, and not whole",
        "aborted": "was stopped; it may go on where it was",
        "hard_aborted": "was stopped; it begins anew",
    }
)
"""Of a relationship's newest transfer: SnapmirrorRelationshipTransfer.state, the same list in every release."""

EFFICIENCY_STATES: Mapping[str, str] = MappingProxyType(
    {
        "enabled": "efficiency is on",
        "disabled": "efficiency is off",
        "mixed": "on in some constituents of a FlexGroup, and off in others",
        "custom": "some of it is on, as a user chose: FSx for ONTAP and Cloud Volumes ONTAP",
    }
)
"""VolumeEfficiency.state: the first three from 9.9.1 on, custom is listed in 9.12.1 and not in 9.9.1."""

OPERATION_STATES: Mapping[str, str] = MappingProxyType(
    {
        "idle": "does nothing",
        "initializing": "starts for the first time",
        "active": "works",
        "undoing": "takes savings back, which is work",
        "pending": "waits to begin",
        "downgrading": "is made ready for an older release, which is work",
        "disabled": "is off",
    }
)
"""VolumeEfficiency.op_state, the same list from 9.9.1 on, and that of the command line (volume efficiency show, Status); not in 9.6.

Which of them are work: auditor/facts/efficiency_states.py.
"""

LUN_KINDS: Mapping[str, str] = MappingProxyType({"regular": "lun", "vvol": "vvol"})
"""Of the LUNs that are volumes: Lun.class, the same list in every release; protocol_endpoint is read apart."""

SEVERITIES: Mapping[str, str | None] = MappingProxyType(
    {
        "unknown": None,
        "other": "info",
        "information": "info",
        "degraded": "warning",
        "minor": "warning",
        "major": "error",
        "critical": "critical",
        "fatal": "critical",
    }
)
"""Perceived severity of system health alert show, in lower case: ONTAP command reference, which lists these words."""

OS_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "aix": "AIX",
        "hpux": "HP-UX",
        "hyper_v": "Hyper-V",
        "image": "no host's: one that was made of a file",
        "linux": "Linux",
        "netware": "NetWare",
        "openvms": "OpenVMS",
        "solaris": "Solaris",
        "solaris_efi": "Solaris with an EFI label",
        "vmware": "ESX",
        "windows": "Windows with an MBR",
        "windows_2008": "Windows Server 2008 and later",
        "windows_gpt": "Windows with a GPT",
        "xen": "Xen",
    }
)
"""Lun.os_type and Igroup.os_type, whose list is the shorter one; image: ONTAP command reference, lun create -ostype."""

MOVE_STATES: Mapping[str, str | None] = MappingProxyType(
    {
        "aborted": "failed",
        "cutover": "running",
        "cutover_wait": "running",
        "cutover_pending": "running",
        "failed": "failed",
        "paused": "running",
        "queued": None,
        "replicating": "running",
        "success": "ok",
    }
)
"""VolumeMovement.state and the outcome of the job; None: it has not begun."""

JOB_STATES: Mapping[str, str] = MappingProxyType(
    {"queued": "unknown", "running": "running", "paused": "running", "success": "ok", "failure": "failed"}
)
"""Job.state and the outcome of the job."""
