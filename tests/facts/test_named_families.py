"""No inquiry, name or claim rule is of two families, and each that a source lists is of the family that the source means.

Sources: multipath-tools hwtable.c at c2fcdaf, its regular expressions written out; outputs of ESXi hosts in shared/captures/esxi;
docs/domain/facts.md#11.
"""

import re
from itertools import combinations

import duckdb
import pytest

from auditor.facts.families import FAMILIES, family_of_inquiry, family_of_name
from auditor.facts.macros import create_macros
from auditor.facts.named_families import NAMED_FAMILIES
from auditor.model.endpoint_kinds import Family
from tests.required import capture

from . import test_families

# Vendor -> family -> the products that answer so.
PRODUCTS: dict[str, dict[str, list[str]]] = {
    "EMC": {"vplex": ["Invista"], "symmetrix": ["SYMMETRIX"]},
    "FUJITSU": {"eternus-e": ["E2000", "E3000", "E4000", "E6000", "E8000"], "eternus-dx": ["ETERNUS_DXL"]},
    "IBM": {
        "svc": ["2145"],
        "xiv": ["2810XIV"],
        "ds8000": ["2107900", "1750500", "2105800", "2105F20"],
        "ibm-ds": ["1722-600", "1724-100", "1726-4xx", "1742", "1746", "1813", "1814", "1815", "1818", "3526", "3542", "3552"],
        "ramsan": ["RamSan", "FlashSystem", "FlashSystem-9840"],
        "other": ["ST9300603SS", "ProFibre 4000R", "1820N00"],
    },
    "TMS": {"ramsan": ["RamSan", "FlashSystem"]},
    "XIV": {"xiv": ["NEXTRA"]},
    "HP": {
        "eva": ["HSV100", "HSV101", "HSV110", "HSV111", "HSV200", "HSV210", "HSV300", "HSV340", "HSV360", "HSV400", "HSV450"],
        "msa1000": ["MSA1000", "MSA1500", "MSA VOLUME"],
        "hitachi": ["OPEN-V"],
        "other": ["LOGICAL VOLUME", "HSVX700", "EG0300FAWHV"],
    },
    "HPE": {"hitachi": ["OPEN-V"], "other": ["LOGICAL VOLUME"]},
    "COMPAQ": {"eva": ["HSV110", "HSV111"], "msa1000": ["MSA1000", "MSA1500", "MSA VOLUME"]},
    "HITACHI": {"hitachi": ["OPEN-V", "OPEN-3", "DF600F", "Hi-SDS"]},
    "LEFTHAND": {"storevirtual": ["P4000", "iSCSIDisk", "FCDISK"]},
    "HUAWEI": {
        "huawei": ["XSG1", "Dorado2100 G2", "Dorado5100", "HVS85T", "S2600T", "S3900", "S5500T", "S6800T", "S8000", "V1500", "VIS6000"]
    },
    "HUASY": {"huawei": ["S2600"]},
    "LENOVO": {"lenovo-de": ["DE_Series"], "other": ["ST1000NX0423"]},
    "NEC": {"nec": ["DISK ARRAY"], "other": ["EXPRESS"]},
    "TEGILE": {"intelliflash": ["ZEBI-FC", "ZEBI-ISCSI", "INTELLIFLASH"]},
    "VIOLIN": {"violin": ["SAN ARRAY", "SAN ARRAY ALUA", "CONCERTO ARRAY"]},
    "NEXENTA": {"nexenta": ["COMSTAR"]},
    "SUN": {"comstar": ["COMSTAR", "Sun Storage 7310", "ZFS Storage 7330"]},
    "Oracle": {"oracle-fs": ["Oracle FS1"]},
    "Pillar": {"oracle-fs": ["Axiom 600"]},
    "TrueNAS": {"truenas": ["iSCSI Disk"]},
    "FreeNAS": {"truenas": ["iSCSI Disk"]},
    "SYNOLOGY": {"synology": ["Storage", "iSCSI Storage"]},
    "QNAP": {"qnap": ["iSCSI Storage"]},
    "StorMagc": {"stormagic": ["iSCSI Volume"]},
    "DataCore": {"datacore": ["Virtual Disk", "SANmelody"]},
    "DATERA": {"datera": ["IBLOCK"]},
    "B*BRIDGE": {"blockbridge": ["SAN RAM"]},
    "BRIDGE": {"other": ["SAN RAM"]},
    "NUTANIX": {"nutanix": ["VDISK"]},
    "LIO-ORG": {"lio": ["disk01", "IBLOCK", "TCMU device"]},
    "SUSE": {"lio": ["RBD"]},
    "SCST_FIO": {"scst": ["disk1"]},
    "SCST_BIO": {"scst": ["disk1"]},
    "MSFT": {"microsoft": ["Virtual HD"]},
    "Msft": {"other": ["Virtual Disk"]},
    "IFT": {"infortrend": ["S16E-G1240", "DS 3000"]},
    "NEXSAN": {"nexsan": ["NXS-B0", "SATABeast", "SATABoy"]},
    "Nexsan": {"nexsan": ["NestOS", "NST5000"]},
    "Promise": {"promise": ["VTrak E610f", "Vess R2600"]},
    "Qsan": {"qsan": ["XS5226"]},
    "DDN": {"ddn": ["SAN DataDirector", "EF3010", "EF3015", "S2A 9900", "SFA 12000"]},
    "XIOTECH": {"xiotech": ["ISE1400", "IGLU DISK", "Magnitude"]},
    "XIOtech": {"xiotech": ["ISE2400"]},
    "PIVOT3": {"pivot3": ["RAIGE VOLUME"]},
    "NexGen": {"pivot3": ["TierStore"]},
    "Pivot3": {"pivot3": ["vSTAC"]},
    "Vexata": {"vexata": ["VX100"]},
    "INSPUR": {"inspur": ["MCS"]},
    "MacroSAN": {"macrosan": ["LU"]},
    "AStor": {"accelstor": ["NeoSapphire"]},
    "VSTORAGE": {"acronis": ["VSTOR-DISK"]},
    "QUANTUM": {"quantum": ["F1000", "F2100", "F4100", "H2000", "H4000", "P2000", "P4000"], "other": ["ATLAS"]},
    "NVMe": {
        "svc": ["IBM     2145", "IBM 2145"],
        "ramsan": ["FlashSystem"],
        "huawei": ["Huawei-XSG1"],
        "hitachi": ["HITACHI SVOS-RF-"],
        "infinibox": ["InfiniBox"],
        "vast": ["VASTData"],
        "other": ["THNSF5480CSE"],
    },
    **{vendor: {"huawei": ["XSG1"]} for vendor in ("AnyStor", "Marstor", "NETPOSA", "SanM", "SUGON", "UDsafe", "HS")},
}
PRODUCTS["HS"] = {"huawei": ["S2600T"]}

INQUIRIES: dict[tuple[str, str], str] = {
    **{(vendor, product): family for vendor, families in PRODUCTS.items() for family, products in families.items() for product in products},
    **{(vendor, product): family for (vendor, product), family in test_families.INQUIRIES.items() if vendor and product and family},
}

# What ESXi hosts that were captured have, or public outputs show, as claim rules of the build or somebody's own.
CLAIM_RULES = {
    ("NETAPP", ""): ("eseries, ontap", False),
    ("LSI", "INF-01-00"): ("eseries", True),
    ("SUN", "COMSTAR"): ("comstar", True),
    ("IBM", "2810XIV"): ("xiv", True),
    ("XtremIO", "XtremApp"): ("xtremio", True),
    ("PURE", "FlashArray"): ("flasharray", True),
    ("HITACHI", "OPEN-V"): ("hitachi", True),
    ("TEGILE", "INTELLIFLASH"): ("intelliflash", True),
    ("TEGILE", "ZEBI-FC"): ("intelliflash", True),
    ("3PARdata", "VV"): ("3par", True),
    ("SolidFir", "SSD SAN"): ("solidfire", True),
    ("COMPELNT", "Compellent Vol"): ("dell-sc", True),
    ("DELL", "Universal Xport"): ("other", True),  # no disk
}

SEVERAL = {("NETAPP", ""), ("LSI", "INF-01-00")}
"""Of the vendor's ONTAP and E-Series, and of an E-Series under another name, which are kinds of their own."""


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    create_macros(connection)
    return connection


def matched(family: Family, vendor: str, product: str) -> bool:
    return any(re.fullmatch(of, vendor) and re.match(what, product) for of, what in family.inquiries)


def test_each_inquiry_of_a_source_is_of_its_family_and_of_no_other() -> None:
    for (vendor, product), family in INQUIRIES.items():
        assert [one.name for one in FAMILIES if matched(one, vendor, product)] == [family] * (family != "other"), (vendor, product)


def test_the_views_take_each_inquiry_for_the_same_family(connection: duckdb.DuckDBPyConnection) -> None:
    values = ", ".join(f"('{vendor}', '{product}')" for vendor, product in INQUIRIES)
    rows = connection.execute(f"SELECT v, p, {family_of_inquiry('v', 'p')} FROM (VALUES {values}) AS t(v, p)").fetchall()
    assert {(vendor, product): family for vendor, product, family in rows} == INQUIRIES


@pytest.mark.parametrize("family", NAMED_FAMILIES, ids=lambda family: family.name)
def test_each_inquiry_of_a_named_family_has_an_example_here(family: Family) -> None:
    examples = [inquiry for inquiry, name in INQUIRIES.items() if name == family.name]
    for of, what in family.inquiries:
        assert any(re.fullmatch(of, vendor) for vendor, _ in examples), of
        assert any(re.match(what, product) for _, product in examples), what


def test_no_inquiry_begins_as_one_of_another_family() -> None:
    """Of all pairs: what answers the longer model would answer the shorter one, whatever the examples."""
    several = [(family.name, of.casefold(), what) for family in FAMILIES for of, what in family.inquiries if of != ".*"]
    for (one, of, what), (other, vendor, model) in combinations(several, 2):
        assert one == other or of != vendor or not (what.startswith(model) or model.startswith(what)), (one, other, of)


def test_no_name_begins_as_one_of_another_family() -> None:
    names = [(family.name, name) for family in FAMILIES for name in family.names]
    for (one, name), (other, beginning) in combinations(names, 2):
        assert one == other or not (name.startswith(beginning) or beginning.startswith(name)), (one, other)


def test_no_family_is_a_word_within_another() -> None:
    """Rules look for a family in the text of a host's families."""
    for one, other in combinations([family.name for family in FAMILIES] + ["other"], 2):
        assert one not in other, (one, other)
        assert other not in one, (one, other)


def test_a_recorded_name_shows_its_family_where_the_inquiry_does_not(connection: duckdb.DuckDBPyConnection) -> None:
    recorded = {
        "naa.6589cfc000000f7b3137fe00cd6d09ca": "truenas",
        "naa.6000eb34b50dae650000000000000116": "storevirtual",
        "naa.60030d90d650fe015195013693e59e9b": "datacore",
        "naa.600508b400099f8e0002e000036a0000": "eva",
        "naa.60003ff44dc75adca7f572ae1b6ff28c": "microsoft",
        "naa.600508b1001c0000000000000000abcd": None,  # a Smart Array in a server
        "naa.60014058d216d30d1048d43d1db0c4df": None,  # Linux's own, which Synology has as well
        "naa.600144f070cc440000004e9f25580001": None,  # COMSTAR's, which Nexenta has as well
        "naa.600d02310008483b000000007ef9583c": None,  # Infortrend makes them for others
    }
    asked = f"SELECT {family_of_name('d')} FROM (SELECT CAST(? AS VARCHAR) AS d)"
    assert {name: connection.execute(asked, [name]).fetchone() for name in recorded} == {
        name: (family,) for name, family in recorded.items()
    }


@pytest.mark.long
def test_each_claim_rule_that_was_seen_is_for_its_family(connection: duckdb.DuckDBPyConnection) -> None:
    alone = "family_of_inquiry(v, claimed_model(m)) = family"
    texts = "(SELECT CAST(? AS VARCHAR) AS v, CAST(? AS VARCHAR) AS m)"
    asked = f"SELECT family, {alone} FROM (SELECT v, m, families_of_claim(v, m) AS family FROM {texts})"
    assert {rule: connection.execute(asked, list(rule)).fetchone() for rule in CLAIM_RULES} == CLAIM_RULES


def test_each_captured_claim_rule_is_one_of_these() -> None:
    lines = [line.split() for file in sorted(capture("esxi").glob("*/*satp-rule-list*")) for line in file.read_text().splitlines()]
    rules = [words for words in lines if words and words[0].startswith("VMW_SATP_")]
    assert len(rules) == 4
    for words in rules:
        model = "" if words[2] == "reset_on_attempted_reserve" else words[2]
        assert (words[1], model) in CLAIM_RULES.keys() | SEVERAL


def test_each_captured_array_is_recognised() -> None:
    """By the vendor in the name that ESXi gives a disk, as `FreeNAS iSCSI Disk`: the product is not in it."""
    disk = re.compile(r"Name\W+(?P<vendor>[^\s:\"]+) (?:iSCSI|Fibre Channel) Disk")
    vendors = {one["vendor"] for file in capture("esxi").glob("*/*device-list*") for one in disk.finditer(file.read_text())}
    known = {vendor for vendor, _ in INQUIRIES}
    assert {"FreeNAS", "SYNOLOGY", "NEXENTA", "DGC", "Nimble", "B*BRIDGE"} <= vendors & known
    # OpenIndiana's COMSTAR answers with a vendor of its own, and its product was not recorded.
    assert vendors - known == {"OI"}
