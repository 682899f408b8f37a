"""Array families: how a host tells them, and which of them auditor reads itself.

A family is told by the answer to a SCSI or NVMe inquiry. Where that was not read, or is nobody's here, the device's own name tells it, as
far as its beginning belongs to one family alone. Where both tell and differ, the inquiry is believed, because ESXi chooses its plugins by
it, and because a virtualiser may hand on the name of what is behind it; the difference is a gap (facts/unjoined.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from auditor.model import EndpointKind

_MULTIPATH = "multipath-tools hwtable.c at c2fcdaf (docs/domain/facts.md#11)"
_NAMES = "docs/domain/arrays.md#device-names"
_NVME = "NVMe: multipath-tools hwtable.c; ESXi shows the vendor as NVMe and 16 characters of the model, as recorded from local NVMe disks"
_FORKLIFT = "kubev2v/forklift, vendorFromNAA"

NVME_MODEL_LENGTH = 16
"""Characters of an NVMe controller's model that ESXi shows: 'Lexar SSD NM790 2TB' is 'Lexar SSD NM790' there. Not verified on an array."""


@dataclass(frozen=True, slots=True)
class Family:
    """Arrays that rules treat as one.

    Attributes:
        name: the word in the column `family`.
        label: what people call it.
        inquiries: (vendor, model) each, as regular expressions: the whole vendor, the beginning of the model, as ESXi shows them, trimmed.
        names: beginnings of canonical device names that no other family has, as regular expressions; empty when there are none.
        kind: of the endpoint by which auditor reads such an array; None: only what the hosts tell is read.
        array_digits: how many characters of a volume's device name are the same for all volumes of one array; None when not known.
        sources: where all this stands.
    """

    name: str
    label: str
    inquiries: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    kind: EndpointKind | None
    sources: tuple[str, ...]
    array_digits: int | None = None


def _nvme(model: str) -> tuple[str, str]:
    return ("(?i)nvme", model[:NVME_MODEL_LENGTH].rstrip())


FAMILIES = (
    Family(
        "solidfire",
        "SolidFire / Element",
        (("SolidFir", "SSD SAN"),),
        (r"naa\.6f47acc[12]", r"eui\.[0-9a-f]{16}f47acc01"),
        EndpointKind.ELEMENT,
        (_MULTIPATH, _NAMES),
        array_digits=28,
    ),
    Family(
        "flasharray",
        "Pure FlashArray",
        (("PURE", "FlashArray"), _nvme("Pure Storage FlashArray")),
        (r"naa\.624a9370", r"eui\.00[0-9a-f]{14}24a937"),
        EndpointKind.FLASHARRAY,
        (_MULTIPATH, _NAMES, _NVME),
        array_digits=28,
    ),
    Family(
        "ontap",
        "NetApp ONTAP",
        (("NETAPP", "LUN"), _nvme("NetApp ONTAP Controller")),
        # E-Series has the same vendor's prefix, so that the serial number must be one: twelve printable characters.
        (r"naa\.600a0980(?:[2-7][0-9a-f]){12}$",),
        EndpointKind.ONTAP,
        (_MULTIPATH, _NAMES, _NVME),
    ),
    Family(
        "dell-sc",
        "Dell SC / Compellent",
        (("COMPELNT", "Compellent Vol"),),
        (r"naa\.6000d31",),
        EndpointKind.DELL_SC,
        (_MULTIPATH, _NAMES),
        array_digits=18,
    ),
    Family(
        "eternus-dx",
        "Fujitsu ETERNUS DX",
        (("FUJITSU", "ETERNUS_DX"),),
        (r"naa\.600000e00d",),
        EndpointKind.ETERNUS,
        (_MULTIPATH, _NAMES),
        array_digits=28,
    ),
    Family("eternus-ahb", "Fujitsu ETERNUS AB/HB", (("FUJITSU", "ETERNUS_AHB"),), (), None, (_MULTIPATH,)),
    Family(
        "fibrecat-sx", "FibreCAT SX", ((".*", "(?i)FibreCAT.*SX"),), (), None, ("docs/domain/incidents.md#s4; inquiry strings unverified",)
    ),
    Family("powervault-md3", "Dell PowerVault MD3", (("DELL", "MD3"),), (), None, (_MULTIPATH,)),
    Family(
        "equallogic",
        "Dell EqualLogic",
        (("EQLOGIC", "100E-00"),),
        (r"naa\.6090a0",),
        None,
        (_MULTIPATH, "names in VMware support articles"),
    ),
    Family(
        "powerstore",
        "Dell PowerStore",
        (("DellEMC", "PowerStore"), _nvme("dellemc-powerstore")),
        (r"naa\.68ccf098",),
        None,
        (_MULTIPATH, _NVME, "dell/csi-powerstore, recorded WWNs"),
    ),
    Family("powervault-me", "Dell PowerVault ME", (("DellEMC", "ME"),), (), None, (_MULTIPATH,)),
    Family(
        "symmetrix",
        "Dell PowerMax / Symmetrix",
        (("EMC", "SYMMETRIX"), _nvme("EMC PowerMax_")),
        (r"naa\.60000970", r"naa\.60060480"),
        None,
        (_MULTIPATH, _NVME, _FORKLIFT),
    ),
    Family(
        "clariion", "Dell Unity / VNX / CLARiiON", (("DGC", "(?:RAID|DISK|VRAID)"),), (r"naa\.60060160",), None, (_MULTIPATH, _FORKLIFT)
    ),
    Family(
        "xtremio", "Dell XtremIO", (("XtremIO", "XtremApp"),), (r"naa\.514f0c5",), None, (_MULTIPATH, "names in VMware support articles")
    ),
    Family("3par", "HPE 3PAR / Primera", (("3PARdata", "VV"),), (r"naa\.60002ac",), None, (_MULTIPATH, _FORKLIFT)),
    Family("alletra", "HPE Alletra (NVMe)", (_nvme("HPE Alletra"),), (), None, (_MULTIPATH, _NVME)),
    Family("nimble", "HPE Nimble", (("Nimble", "Server"),), (), None, (_MULTIPATH,)),
    # IBM's own prefix is shared by all its families.
    Family("svc", "IBM SVC / FlashSystem", (("IBM", "2145"),), (), None, (_MULTIPATH,)),
    Family("xiv", "IBM XIV", (("IBM", "2810XIV"),), (), None, (_MULTIPATH,)),
    Family("hitachi", "Hitachi", (("HITACHI", "OPEN-"),), (r"naa\.60060e80",), None, (_MULTIPATH, _FORKLIFT)),
    Family("kaminario", "Silk / Kaminario", (("KMNRIO", "K2"),), (), None, (_MULTIPATH,)),
    Family("infinibox", "Infinidat InfiniBox", (("NFINIDAT", "InfiniBox"),), (r"naa\.6742b0f",), None, (_MULTIPATH, _FORKLIFT)),
)

BY_NAME: Mapping[str, Family] = MappingProxyType({family.name: family for family in FAMILIES})


def family_of_inquiry(vendor: str = "vendor", model: str = "model") -> str:
    """SQL: the family by two columns; NULL when the inquiry was not read, 'other' when nobody here knows it."""
    told = (
        f"WHEN {_matches(vendor, f'^(?:{of})$')} AND {_matches(model, f'^(?:{what})')} THEN '{family.name}'"
        for family in FAMILIES
        for of, what in family.inquiries
    )
    return _case([f"WHEN {vendor} IS NULL OR {model} IS NULL THEN NULL", *told], "'other'")


def family_of_name(device: str = "device") -> str:
    """SQL: the family by the column of the canonical device name; NULL when the name belongs to nobody alone."""
    return _case([f"WHEN {_matches(device, f'^{name}')} THEN '{family.name}'" for family in FAMILIES for name in family.names], "NULL")


def _matches(column: str, pattern: str) -> str:
    return f"regexp_matches({column}, '{pattern}')"


def _case(branches: Iterable[str], otherwise: str) -> str:
    return "\n        ".join(["CASE", *branches, f"ELSE {otherwise}", "END"])
