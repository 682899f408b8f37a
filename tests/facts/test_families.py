"""Every family is recognised by its inquiry, and by its name where the name is nobody else's."""

import re

import pytest

from auditor.facts.families import BY_NAME, FAMILIES, KIND_OF
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import is_array

from .fleets import hosts, on_all_hosts, view

SERIAL = b"80D7A]KjYhJR".hex()

# docs/domain/facts.md#11, as ESXi would show them: NVMe models are cut after 16 characters.
INQUIRIES = {
    ("PURE", "FlashArray"): "flasharray",
    ("SolidFir", "SSD SAN"): "solidfire",
    ("NETAPP", "LUN"): "ontap",
    ("NETAPP", "LUN C-Mode"): "ontap",
    ("COMPELNT", "Compellent Vol"): "dell-sc",
    ("DELL", "MD34xx"): "eseries",
    ("NETAPP", "INF-01-00"): "eseries",
    ("LSI", "INF-01-00"): "eseries",
    ("EQLOGIC", "100E-00"): "equallogic",
    ("DellEMC", "PowerStore"): "powerstore",
    ("DellEMC", "ME5"): "dothill",
    ("HPE", "MSA 2060 FC"): "dothill",
    ("HP", "MSA 2040 SAN"): "dothill",
    ("HPE", "MSA 2050 SAN"): "dothill",
    ("HP", "P2000 G3 FC"): "dothill",
    ("HP", "MSA2324fc"): "dothill",
    ("HP", "LOGICAL VOLUME"): "other",
    ("EMC", "SYMMETRIX"): "symmetrix",
    ("DGC", "RAID 5"): "clariion",
    ("DGC", "DISK"): "clariion",
    ("DGC", "VRAID"): "clariion",
    ("XtremIO", "XtremApp"): "xtremio",
    ("3PARdata", "VV"): "3par",
    ("Nimble", "Server"): "nimble",
    ("IBM", "2145"): "svc",
    ("IBM", "2810XIV"): "xiv",
    ("FUJITSU", "ETERNUS_DXM"): "eternus-dx",
    ("FUJITSU", "ETERNUS_DX8000"): "eternus-dx",
    ("FUJITSU", "ETERNUS_AHB"): "eternus-ahb",
    ("HITACHI", "OPEN-V"): "hitachi",
    ("KMNRIO", "K2"): "kaminario",
    ("NFINIDAT", "InfiniBox"): "infinibox",
    ("NVMe", "HPE Alletra"): "alletra",
    ("NVMe", "EMC PowerMax_850"): "symmetrix",
    ("NVMe", "dellemc-powersto"): "powerstore",
    ("NVMe", "NetApp ONTAP Con"): "ontap",
    ("NVMe", "Pure Storage Fla"): "flasharray",
    ("NVMe", "Lexar SSD NM790"): "other",
    ("FSC", "FibreCAT SX100"): "fibrecat-sx",
    ("DELL", "PERC H730"): "other",
    ("PURE", None): None,
    (None, "FlashArray"): None,
}

NAMES = {
    "naa.6f47acc1000000007366707200000001": "solidfire",
    "naa.6f47acc2000000017366707200000000": "solidfire",
    "eui.7366707200000001f47acc0100000000": "solidfire",
    "naa.624a93705a1f77c29b3e4d1000011010": "flasharray",
    "eui.005a1f77c29b3e4d24a9371000011010": "flasharray",
    f"naa.600a0980{SERIAL}": "ontap",
    "naa.600a098000f63714000000ab5e1c2d3e": None,  # NetApp E-Series
    "naa.6000d31000fcbe000000000000000003": "dell-sc",
    "naa.600000e00d1000000010660000010000": "eternus-dx",
    "naa.60002ac0000000000000182d00021f6b": "3par",
    "naa.6742b0f000000f6f00000000000102a1": "infinibox",
    "naa.68ccf098001b37dba855c0a4eabe6ab6": "powerstore",
    "naa.60000970000297700461533030333846": "symmetrix",
    "naa.514f0c5ec2000008": "xtremio",
    "naa.690b11c0003420d10000000000000001": None,  # a PowerVault's, and any Dell server's own disk
    "naa.600c0ff000d5000100000000a0010000": None,  # Dot Hill made them for several
    "naa.6005076400ce800080000000000004b6": None,  # IBM has several families
    "t10.NVMe____Lexar": None,
}


def families_of(devices: dict[str, tuple[str | None, str | None]]) -> dict[str, str | None]:
    given = hosts(1)
    on_all_hosts(given, *({"device": name, "vendor": vendor, "model": model} for name, (vendor, model) in devices.items()))
    return {row["device"]: row["family"] for row in view("device", given)}


@pytest.mark.long
def test_a_family_is_told_by_the_inquiry() -> None:
    names = {f"mpx.vmhba{n}": inquiry for n, inquiry in enumerate(INQUIRIES)}
    assert families_of(names) == {name: INQUIRIES[inquiry] for name, inquiry in names.items()}


@pytest.mark.parametrize("inquiry", [pytest.param((None, None), id="not read"), pytest.param(("WHO", "KNOWS"), id="nobody's")])
def test_where_the_inquiry_tells_no_family_the_name_does_if_it_can_be_no_other(inquiry: tuple[str | None, str | None]) -> None:
    untold = None if inquiry == (None, None) else "other"
    assert families_of(dict.fromkeys(NAMES, inquiry)) == {name: family or untold for name, family in NAMES.items()}


def test_where_both_tell_the_inquiry_is_believed() -> None:
    assert families_of({"naa.624a93705a1f77c29b3e4d1000011010": ("IBM", "2145")}) == {"naa.624a93705a1f77c29b3e4d1000011010": "svc"}


def test_no_name_belongs_to_two_families() -> None:
    for name in NAMES:
        assert sum(bool(re.match(pattern, name)) for family in FAMILIES for pattern in family.names) <= 1, name


def test_every_kind_of_array_that_is_read_is_one_family() -> None:
    assert sorted(KIND_OF.values()) == sorted(kind for kind in EndpointKind if is_array(kind))
    assert all(family.sources and family.label and BY_NAME[family.name] is family for family in FAMILIES)
