"""Families that auditor recognises by what hosts report, and reads nothing of itself: arrays, and targets made of software.

Of most of them no source says what they ask of a host: they are named in reports, and nothing is judged for their sake. What a source does
say stands in `family_advice` and in the rules. A prefix of device names is listed where it was recorded with that family and no other.
Left out on purpose: the E-Series of NetApp and of others (NETAPP, LSI and ENGENIO INF-01-00, SGI IS, SUN and STK with that controller), and
what Dot Hill makes for others (HP and HPE MSA 1040 to 2070, P2000 and MSA2000, Seagate, Quantum QXS), which have kinds of their own.
"""

from __future__ import annotations

from auditor.model.endpoint_kinds import MULTIPATH_TOOLS, NVME_NAMES, Family, nvme_inquiry

_T10 = "T10, list of SCSI vendor identifications (https://www.t10.org/lists/vid-alph.htm); the product is not verified"
_RECORDED = "recorded on hosts"

ANY_MODEL = ""
"""The model of an inquiry whose vendor alone shows the family, because its users choose the model."""


def _several(vendors: str, *models: str) -> tuple[tuple[str, str], ...]:
    """Each of the vendors, which have `|` between them, with each model."""
    return tuple((vendor, model) for vendor in vendors.split("|") for model in models)


NAMED_FAMILIES = (
    Family("vplex", "Dell VPLEX / Invista", (("EMC", "Invista"),), (), (MULTIPATH_TOOLS,)),
    Family("eternus-e", "Fujitsu ETERNUS 2000 to 8000", _several("FUJITSU", *(f"E{n}000" for n in "23468")), (), (MULTIPATH_TOOLS,)),
    Family("ds8000", "IBM DS8000 / DS6000 / ESS", _several("IBM", "2107900", "1750500", "2105"), (), (MULTIPATH_TOOLS,)),
    Family(
        "ibm-ds",
        "IBM DS3000 to DS5000 / FAStT",
        _several("IBM", "1722-600", "1724", "1726", "1742", "1746", "1813", "1814", "1815", "1818", "3526", "3542", "3552"),
        (),
        (MULTIPATH_TOOLS,),
    ),
    Family(
        "ramsan",
        "IBM FlashSystem 710 to 900 / RamSan",
        (*_several("IBM|TMS", "RamSan", "FlashSystem"), nvme_inquiry("FlashSystem")),
        (),
        (MULTIPATH_TOOLS, NVME_NAMES),
    ),
    Family(
        "eva",
        "HP EVA / P6000",
        _several("HP|COMPAQ", *(f"HSV{n}" for n in (100, 101, 110, 111, 200, 210, 300, 340, 360, 400, 450))),
        (r"naa\.600508b4",),
        (
            MULTIPATH_TOOLS,
            f"names: {_RECORDED} (Linux multipath of an EVA, Red Hat's DM Multipath guide); later ones begin as Smart Arrays'",
        ),
    ),
    Family("msa1000", "HP MSA1000 / MSA1500", _several("HP|COMPAQ", "MSA1000", "MSA1500", "MSA VOLUME"), (), (MULTIPATH_TOOLS,)),
    Family(
        "storevirtual",
        "HPE StoreVirtual / LeftHand",
        _several("LEFTHAND", "P4000", "iSCSIDisk", "FCDISK"),
        (r"naa\.6000eb3",),
        (MULTIPATH_TOOLS, "names: ConSol/check_vsphere, host-storage, as LEFTHAND iSCSI Disk"),
    ),
    Family(
        "huawei",
        "Huawei OceanStor / Dorado",
        (
            *_several("HUAWEI|AnyStor|Marstor|NETPOSA|SanM|SUGON|UDsafe", "XSG1"),
            *_several("HUAWEI|HUASY|HS", "Dorado", "HVS8", "S2", "S3", "S5", "S6", "S8", "V1", "VIS6000"),
            nvme_inquiry("Huawei-XSG1"),
        ),
        (),
        (MULTIPATH_TOOLS, NVME_NAMES),
    ),
    Family("lenovo-de", "Lenovo ThinkSystem DE", (("LENOVO", "DE_Series"),), (), (MULTIPATH_TOOLS,)),
    Family("nec", "NEC Storage M", (("NEC", "DISK ARRAY"),), (), (MULTIPATH_TOOLS,)),
    Family("intelliflash", "Tegile IntelliFlash", _several("TEGILE", "ZEBI-FC", "ZEBI-ISCSI", "INTELLIFLASH"), (), (MULTIPATH_TOOLS,)),
    Family("violin", "Violin", _several("VIOLIN", "SAN ARRAY", "CONCERTO ARRAY"), (), (MULTIPATH_TOOLS,)),
    Family("nexenta", "Nexenta", (("NEXENTA", "COMSTAR"),), (), (MULTIPATH_TOOLS,)),
    Family(
        "comstar",
        "COMSTAR, Oracle ZFS Storage",
        _several("SUN", "COMSTAR", "Sun Storage", "ZFS Storage"),
        (),
        (MULTIPATH_TOOLS, f"{_RECORDED} of ESXi 5.0 to 6.0 with OpenIndiana and OmniOS"),
    ),
    Family("oracle-fs", "Oracle FS / Pillar Axiom", (("Oracle", "Oracle FS"), ("Pillar", "Axiom")), (), (MULTIPATH_TOOLS,)),
    Family(
        "truenas",
        "TrueNAS / FreeNAS",
        _several("TrueNAS|FreeNAS", "iSCSI Disk"),
        (r"naa\.6589cfc",),
        (f"{_RECORDED} of ESXi 7.0: AnalogJ/scrutiny#388",),
    ),
    Family("synology", "Synology", _several("SYNOLOGY", ANY_MODEL), (), (f"{_RECORDED} of ESXi 7.0: pkoutoupis/rapiddisk#82",)),
    Family("qnap", "QNAP", (("QNAP", "iSCSI Storage"),), (), (f"{_RECORDED} of Linux; not verified on ESXi",)),
    Family("stormagic", "StorMagic SvSAN", _several("StorMagc", ANY_MODEL), (), (_T10,)),
    Family(
        "datacore",
        "DataCore",
        _several("DataCore", "Virtual Disk", "SANmelody"),
        (r"naa\.60030d9",),
        (MULTIPATH_TOOLS, "names: scripts of DataCore's users"),
    ),
    Family("datera", "Datera", (("DATERA", "IBLOCK"),), (), ("OpenStack cinder, documentation of the Datera driver: multipath.conf",)),
    Family(
        "blockbridge",
        "Blockbridge",
        _several(r"B\*BRIDGE", ANY_MODEL),
        (),
        (_T10, "Blockbridge's manual, VMware: a recorded device"),
    ),
    Family("nutanix", "Nutanix Volumes", (("NUTANIX", "VDISK"),), (), (f"{_RECORDED} of Linux; not verified on ESXi",)),
    Family("lio", "Linux LIO target", _several("LIO-ORG|SUSE", ANY_MODEL), (), (MULTIPATH_TOOLS, f"{_RECORDED} of ESXi 5.5 and 7.0")),
    Family(
        "scst",
        "Linux SCST target",
        _several("SCST_FIO|SCST_BIO", ANY_MODEL),
        (),
        (f"{MULTIPATH_TOOLS}: ^SCST_; SCST, vdisk_fileio and vdisk_blockio",),
    ),
    Family("microsoft", "Microsoft iSCSI target", (("MSFT", "Virtual HD"),), (r"naa\.60003ff",), (f"{_RECORDED} of Linux and ESXi",)),
    Family("infortrend", "Infortrend EonStor", _several("IFT", ANY_MODEL), (), (MULTIPATH_TOOLS, f"{_RECORDED} of ESXi 5.0")),
    Family("nexsan", "Nexsan", (*_several("NEXSAN", "NXS-B0", "SATAB"), *_several("Nexsan", "NestOS", "NST5000")), (), (MULTIPATH_TOOLS,)),
    Family("promise", "Promise VTrak / Vess", _several("Promise", "VTrak", "Vess"), (), (MULTIPATH_TOOLS,)),
    Family("qsan", "QSAN", _several("Qsan", ANY_MODEL), (), (MULTIPATH_TOOLS,)),
    Family("ddn", "DDN SFA / S2A", _several("DDN", "SAN DataDirector", "EF30", "S2A", "SFA"), (), (MULTIPATH_TOOLS,)),
    Family("xiotech", "X-IO / Xiotech", _several("XIOTECH|XIOtech", "ISE", "IGLU DISK", "Magnitude"), (), (MULTIPATH_TOOLS,)),
    Family("pivot3", "Pivot3", (("PIVOT3", "RAIGE VOLUME"), *_several("NexGen|Pivot3", "TierStore", "vSTAC")), (), (MULTIPATH_TOOLS,)),
    Family("vexata", "Vexata", (("Vexata", "VX"),), (), (MULTIPATH_TOOLS,)),
    Family("inspur", "Inspur AS5300 / AS5500", (("INSPUR", "MCS"),), (), (MULTIPATH_TOOLS,)),
    Family("macrosan", "MacroSAN MS", (("MacroSAN", "LU"),), (), (MULTIPATH_TOOLS,)),
    Family("accelstor", "AccelStor NeoSapphire", (("AStor", "NeoSapphire"),), (), (MULTIPATH_TOOLS,)),
    Family("acronis", "Acronis storage", (("VSTORAGE", "VSTOR-DISK"),), (), (MULTIPATH_TOOLS,)),
    Family(
        "quantum",
        "Quantum StorNext F, H and P series",
        _several("QUANTUM", "F1", *(f"{one}{n}" for one in "FHP" for n in "24")),
        (),
        (MULTIPATH_TOOLS,),
    ),
    Family("vast", "VAST Data", (nvme_inquiry("VASTData"),), (), (MULTIPATH_TOOLS, NVME_NAMES)),
)
"""In no order: no inquiry and no name is of two families, which tests/facts/test_named_families.py holds them to."""
