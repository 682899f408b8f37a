"""Array families as hosts see them, ESXi builds and typical changes: what generated fleets are drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor_lab.vcenter.description.devices import DeviceDescription

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor_lab.vcenter.description.hosts import OptionValue

# Recorded builds that a vCenter 8 manages. Source: docs/domain/advanced-options.md#options.
BUILDS = (
    ("6.7.0", 14320388),
    ("7.0.0", 15843807),
    ("7.0.1", 16850804),
    ("7.0.2", 17630552),
    ("7.0.3", 21930508),
    ("7.0.3", 24411414),
    ("8.0.1", 23299997),
    ("8.0.2", 22380479),
    ("8.0.2", 23305546),
)

# Options that somebody once set and nobody reset. Source: docs/domain/incidents.md; ranges in
# docs/domain/advanced-options.md#options.
OPTIONS: tuple[Mapping[str, OptionValue], ...] = (
    {"DataMover.HardwareAcceleratedMove": 0, "DataMover.HardwareAcceleratedInit": 0},
    {"VMFS3.HardwareAcceleratedLocking": 0},
    {"ISCSI.MaxIoSizeKB": 512},
    {"Disk.QFullSampleSize": 32},
    {"Scsi.ScsiVVolPESNRO": 32},
    {"NFS.MaxQueueDepth": 64},
)


@dataclass(frozen=True, slots=True)
class Family:
    """An array family as hosts see it. Source of vendor and model: multipath-tools hwtable.c, docs/domain/facts.md#11."""

    vendor: str
    model: str
    prefix: str  # prefix of device names; the other digits are invented
    transport: str
    driver: str
    adapter: str
    satp: str = "VMW_SATP_ALUA"
    iqn: str = ""


SOLIDFIRE = Family("SolidFir", "SSD SAN", "", "iscsi", "iscsi_vmk", "iSCSI Software Adapter", "VMW_SATP_DEFAULT_AA")

FAMILIES = (
    SOLIDFIRE,
    Family("PURE", "FlashArray", "624a9370", "iscsi", "iscsi_vmk", "iSCSI Software Adapter", iqn="iqn.2010-06.com.purestorage:flasharray"),
    Family("NETAPP", "LUN C-Mode", "600a0980", "fc", "qlnativefc", "QLE2742 Dual Port 32Gb Fibre Channel to PCIe Adapter"),
    Family("COMPELNT", "Compellent Vol", "6000d310", "fc", "nfnic", "Cisco UCS VIC Fnic Controller"),
    Family("FUJITSU", "ETERNUS_DXM", "600000e00d", "fc", "lpfc", "Emulex LightPulse LPe32002-M2"),
)

# For each driver, a correct option string and a misspelt one. Source: docs/domain/facts.md#2; `qlfxmaxqdepth` is the misspelling of
# docs/domain/incidents.md#s2.
DEPTHS = {
    "iscsi_vmk": ("iscsivmk_LunQDepth=255", "iscsivmk_LunQDepht=255"),
    "qlnativefc": ("ql2xmaxqdepth=255", "qlfxmaxqdepth=255"),
    "nfnic": ("lun_queue_depth_per_path=128", "fnic_max_qdepth=128"),
    "lpfc": ("lpfc_lun_queue_depth=128", "lpfc0_lun_queue_depth=128"),
}


def described_device(
    family: Family, digits: str, targets: tuple[str, ...], *, size_bytes: int, protocol_endpoint: bool = False
) -> DeviceDescription:
    """A device of a family; `digits` is its name without the prefix "naa.", in hexadecimal."""
    return DeviceDescription(
        name=f"naa.{digits}",
        vendor=family.vendor,
        model=family.model,
        size_bytes=size_bytes,
        protocol_endpoint=protocol_endpoint,
        transport=family.transport,
        targets=targets,
        satp=family.satp,
    )
