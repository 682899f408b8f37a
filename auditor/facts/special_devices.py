"""Devices that hosts list among their disks and that hold no data of machines, recognised by their inquiry strings.

No rule about disks of arrays applies to them. Devices of another type than disk (tapes, enclosures, controllers, optical drives) have a
type of their own, `ScsiLun.lunType`, and stand here only where an array or a management controller presents one as a disk.
"""

from __future__ import annotations

from dataclasses import dataclass

TINY_BYTES = 16 * 1024 * 1024
"""No datastore is that small: VMFS takes 1.3 GB at the least. Source: VMware's configuration maximums; gatekeepers of 3 and 6 cylinders
have 3 to 6 MB (Dell)."""


@dataclass(frozen=True, slots=True)
class SpecialDevice:
    """A kind of such devices.

    Attributes:
        purpose: what it is for.
        vendor: pattern that the whole of the inquiry's vendor matches.
        model: pattern that the beginning of the inquiry's product matches.
        source: who says so.
        is_tiny: true where disks answer alike, and only the size tells the two apart.
    """

    purpose: str
    vendor: str
    model: str
    source: str
    is_tiny: bool = False


_MULTIPATH_TOOLS = "multipath-tools, libmultipath/hwtable.c, bl_product"
_BOOT = "not verified on a host: the model under which servers list their mirrored boot disk"

SPECIAL_DEVICES = (
    # Of E-Series and what was made of it: IBM DS, Dell MD3, Fujitsu ETERNUS AB/HB, Lenovo DE, SGI, STK and Sun.
    SpecialDevice("access LUN", ".*", "Universal Xport", f"{_MULTIPATH_TOOLS}; Linux, scsi_devinfo.c, BLIST_NO_ULD_ATTACH"),
    SpecialDevice("LUNZ", "DGC|EMC", "LUNZ", f"{_MULTIPATH_TOOLS}; EMC support, what is a LUNZ device"),
    SpecialDevice("placeholder", "(?i)Promise|Intel", "(?:VTrak|Vess) V-LUN", _MULTIPATH_TOOLS),
    SpecialDevice("gatekeeper", "EMC", "SYMMETRIX", "Dell Solutions Enabler: gatekeepers of 3 and 6 cylinders are 3 to 6 MB", is_tiny=True),
    SpecialDevice("gatekeeper", "(?i)NVMe", "EMC PowerMax", "as above", is_tiny=True),
    SpecialDevice(
        "command device",
        "HITACHI|HPE?",
        "OPEN-.*-CM",
        "Hitachi command control interface: a command device answers with -CM after its product",
    ),
    SpecialDevice("enclosure", "3PARdata", "SES", "HPE 3PAR VMware ESX Implementation Guide: LUN 254 is the array's SES device"),
    SpecialDevice("controller", "Marvell", "Console", "Dell KB 000177584: the processor of a BOSS card"),
    SpecialDevice("boot disk", "ATA", "DELLBOSS", "Dell KB 000177584: DELLBOSS VD, the mirrored boot disk of a BOSS card"),
    SpecialDevice("boot disk", "(?i)NVMe|Dell", "Dell BOSS", "Dell KB 000177584: Dell BOSS-N1"),
    SpecialDevice("boot disk", "ATA", "ThinkSystem M.2", _BOOT),
    SpecialDevice("boot disk", "(?i)NVMe|HPE", "HPE NS204i", _BOOT),
    SpecialDevice(
        "virtual drive",
        "(?i)AMI|iDRAC|Dell|Linux|Cisco|Avocent|KVM|PepperC|HPE?|iLO|Lenovo|IBM",
        "(?i)Virtual (?:Floppy|FDD|HDD|HDisk|CD|DVD|Media)",
        "Dell DRAC user's guide, virtual media: both drives are there whether anything is connected or not",
    ),
)


def purpose_of_device(vendor: str = "vendor", model: str = "model", is_tiny: str = "is_tiny") -> str:
    """SQL: what such a device is for, by its inquiry and whether it has TINY_BYTES or less; NULL of others, and where that was not read."""
    branches = (
        f"WHEN regexp_full_match({vendor}, '{one.vendor}') AND regexp_matches({model}, '^(?:{one.model})')"
        f"{f' AND {is_tiny}' if one.is_tiny else ''} THEN '{one.purpose}'"
        for one in SPECIAL_DEVICES
    )
    return "\n        ".join(["CASE", *branches, "END"])
