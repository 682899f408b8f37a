"""Virtual machines, their disks, and Storage vMotions in progress."""

from __future__ import annotations

from dataclasses import dataclass

from auditor_lab.arrays.element.description import LoadDescription


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskDescription:
    """A virtual disk; `iops_limit` None is unlimited, `backing_object_id` is empty when it is not a vVol.

    `load` is its machine's load on it, which the array reports too; `endpoint` is the device that carries a vVol. `shares` is low | normal
    | high, or the number of custom shares; `provisioning` is thin | lazy | eager. `guest_depth` is the queue depth of the guest's driver,
    where somebody changed it in the guest; no API reports it. Source: docs/domain/facts.md#8-1. `raw_device` is the device of a raw device
    mapping; `datastore` holds its pointer. `bus_sharing` is that of its SCSI controller, which disks of one controller share.
    """

    datastore: str
    size_bytes: int = 40 << 30
    controller: str = "pvscsi"  # pvscsi | lsilogic | lsilogic-sas | buslogic | nvme | sata | ide
    iops_limit: int | None = None
    iops_reservation: int = 0
    shares: str | int = "normal"
    provisioning: str = "thin"
    backing_object_id: str = ""
    folder: str = ""  # directory on the datastore; the VM's name when empty
    load: LoadDescription = LoadDescription()  # noqa: RUF009  frozen, so one for all is fine
    endpoint: str = ""
    guest_depth: int | None = None
    raw_device: str = ""
    bus_sharing: str = "noSharing"  # noSharing | virtualSharing | physicalSharing


@dataclass(frozen=True, slots=True, kw_only=True)
class VmDescription:
    """A virtual machine and the host that runs it.

    Its guest is Windows unless a scenario says otherwise, whose PVSCSI driver sends the 64 commands a disk that incidents S0 and S2 report.
    Source: docs/domain/facts.md#8-1.
    """

    name: str
    host: str
    disks: tuple[DiskDescription, ...] = ()
    powered_on: bool = True
    template: bool = False
    uuid: str = ""
    latency_sensitivity: str = "normal"  # low | normal | medium | high; empty is unset
    guest_id: str = "windows2019srv_64Guest"  # what the machine was made for; empty is unset
    guest_name: str = "Microsoft Windows Server 2019 (64-bit)"
    running_guest_id: str = ""  # what VMware Tools report of a running machine; empty is unset


@dataclass(frozen=True, slots=True, kw_only=True)
class RelocationDescription:
    """A Storage vMotion that is in progress when the lab starts: it moves all disks of a running machine to one datastore.

    Its load on the two datastores is part of their own `load`.

    Attributes:
        progress_percent: the progress at the start. It stops while Storage I/O Control throttles the hosts of the target.
        running_minutes: how long ago it began.
        whole_minutes: how long it takes from 0 to 100 % when nothing stops it.
    """

    vm: str
    datastore: str
    progress_percent: int = 0
    running_minutes: int = 0
    whole_minutes: int = 110
    user: str = "VSPHERE.LOCAL\\Administrator"

    def __post_init__(self) -> None:
        if not 0 <= self.progress_percent < 100:
            raise ValueError(f"the relocation of {self.vm} must be somewhere before 100 %, was {self.progress_percent}")
        if self.whole_minutes < 1:
            raise ValueError(f"the relocation of {self.vm} must take a minute at least, was {self.whole_minutes}")
