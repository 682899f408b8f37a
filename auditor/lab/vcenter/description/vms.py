"""Virtual machines, their disks, and Storage vMotions in progress."""

from __future__ import annotations

from dataclasses import dataclass

from auditor.lab.arrays.element.description import LoadDescription


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskDescription:
    """A virtual disk; `iops_limit` None is unlimited, `backing_object_id` is empty when it is not a vVol.

    `load` is what its machine does with it, as the array tells it too; `endpoint` is the device that carries it when it is a vVol.
    `shares` is low | normal | high, or the number of custom ones; `provisioning` is thin | lazy | eager, as its blocks are set aside.
    `guest_depth` is how many commands the guest's driver sends, where somebody changed that inside; no API tells it. Source:
    docs/domain/facts.md#8-1.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class VmDescription:
    """A virtual machine and the host it runs on."""

    name: str
    host: str
    disks: tuple[DiskDescription, ...] = ()
    powered_on: bool = True
    template: bool = False
    uuid: str = ""
    latency_sensitivity: str = "normal"  # low | normal | medium | high; empty is unset


@dataclass(frozen=True, slots=True, kw_only=True)
class RelocationDescription:
    """A Storage vMotion that somebody began before the lab did: all disks of a running machine, on their way to one datastore.

    What it does to the two datastores stands in their own `load`.

    Attributes:
        progress_percent: how far it had come. It comes no further while Storage I/O Control holds back the hosts of the target.
        running_minutes: how long ago it began.
        whole_minutes: how long it takes from 0 to 100 % where nothing holds it back.
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
