"""What the regular expressions make of the three large properties, field by field: the parser, which would find the same, is not asked.

Source of the elements and their order: vSphere Web Services API, vim-types.xsd (ScsiLun, HostScsiDisk, HostMultipathInfo, OptionValue).
"""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.vcenter.bulk.shapes import Capacity, LogicalUnit, MultipathInfo, OptionValue, Path, Policy, ScsiLun, Transport
from auditor.endpoints.vcenter.bulk.soap_grammar import SCANNERS

BEFORE = '<name>a &amp; b</name><val xsi:type="x">'
AFTER = "</val></propSet><propSet><name>c &amp; d</name>"
DURABLE = "<namespace>VPD</namespace><namespaceId>5</namespaceId><data>0</data><data>-78</data>"

DISK = (
    '<ScsiLun xsi:type="HostScsiDisk"><deviceName>/vmfs/devices/disks/naa.6a</deviceName><deviceType>disk</deviceType>'
    "<key>key-vim.host.ScsiDisk-1</key><uuid>0200</uuid><descriptor><quality>highQuality</quality><id>naa.6a</id></descriptor>"
    "<canonicalName>naa.6a</canonicalName><displayName>Disk naa.6a</displayName><lunType>disk</lunType>"
    "<vendor>PURE    </vendor><model>FlashArray      </model><revision>8888</revision><scsiLevel>6</scsiLevel>"
    f"<serialNumber>unavailable</serialNumber><durableName>{DURABLE}</durableName><alternateName>{DURABLE}</alternateName>"
    "<standardInquiry>0</standardInquiry><standardInquiry>-1</standardInquiry><queueDepth>256</queueDepth>"
    "<operationalState>ok</operationalState><operationalState>degraded</operationalState>"
    "<capabilities><updateDisplayNameSupported>true</updateDisplayNameSupported></capabilities>"
    "<vStorageSupport>vStorageSupported</vStorageSupport><protocolEndpoint>true</protocolEndpoint>"
    "<perenniallyReserved>false</perenniallyReserved><clusteredVmdkSupported>false</clusteredVmdkSupported>"
    "<applicationProtocol>SCSI</applicationProtocol>"
    '<newer xsi:type="NobodyKnows">x<key>1</key><vendor>y</vendor></newer><alsoNewer></alsoNewer>'
    "<capacity><blockSize>512</blockSize><block>2048</block></capacity><devicePath>/vmfs/devices/disks/naa.6a</devicePath>"
    "<ssd>false</ssd><localDisk>true</localDisk><scsiDiskType>native512</scsiDiskType></ScsiLun>"
)
READ_DISK = ScsiLun(
    "HostScsiDisk",
    key="key-vim.host.ScsiDisk-1",
    device_name="/vmfs/devices/disks/naa.6a",
    canonical_name="naa.6a",
    display_name="Disk naa.6a",
    lun_type="disk",
    vendor="PURE    ",
    model="FlashArray      ",
    revision="8888",
    queue_depth=256,
    operational_state=["ok", "degraded"],
    vstorage_support="vStorageSupported",
    protocol_endpoint=True,
    perennially_reserved=False,
    capacity=Capacity(block_size=512, block=2048),
    ssd=False,
    local_disk=True,
)
ESCAPED = (
    "<ScsiLun><deviceName>d&amp;1</deviceName><key>k&#60;</key><vendor>A&lt;B&gt;</vendor><model>&quot;m&apos;</model>"
    "<operationalState>o&#x26;k</operationalState></ScsiLun>"
)
READ_ESCAPED = ScsiLun(key="k<", device_name="d&1", vendor="A<B>", model="\"m'", operational_state=["o&k"])

FIBRE = (
    "<path><key>key-p</key><name>vmhba2:C0:T0:L1</name><pathState>active</pathState><state>standby</state>"
    "<isWorkingPath>true</isWorkingPath><adapter>key-vim.host.FibreChannelHba-vmhba2</adapter><lun>key-lun</lun>"
    '<transport xsi:type="HostFibreChannelTargetTransport"><portWorldWideName>5764963215108698112</portWorldWideName>'
    "<nodeWorldWideName>-1</nodeWorldWideName><newer>1</newer></transport><newer>2</newer></path>"
)
ISCSI = (
    '<path><transport xsi:type="HostInternetScsiTargetTransport"><iScsiName>iqn.x</iScsiName><iScsiAlias></iScsiAlias>'
    "<address>198.51.100.10:3260</address></transport></path>"
)
READ_FIBRE = Path(
    name="vmhba2:C0:T0:L1",
    path_state="active",
    state="standby",
    is_working_path=True,
    adapter="key-vim.host.FibreChannelHba-vmhba2",
    transport=Transport("HostFibreChannelTargetTransport", port_world_wide_name=5764963215108698112),
)
READ_ISCSI = Path(transport=Transport("HostInternetScsiTargetTransport", iscsi_name="iqn.x"))
UNIT = (
    f"<lun><key>key-unit</key><id>0200aa</id><lun>key-vim.host.ScsiDisk-1</lun>{FIBRE}{ISCSI}"
    '<policy xsi:type="HostMultipathInfoFixedLogicalUnitPolicy"><policy>VMW_PSP_FIXED</policy><prefer>vmhba2:C0:T0:L1</prefer></policy>'
    '<storageArrayTypePolicy xsi:type="SomeKind"><policy>VMW_SATP_ALUA</policy><newer>1</newer></storageArrayTypePolicy>'
    "<newer>3</newer></lun>"
)
READ_UNIT = LogicalUnit(
    id="0200aa",
    lun="key-vim.host.ScsiDisk-1",
    path=[READ_FIBRE, READ_ISCSI],
    policy=Policy("HostMultipathInfoFixedLogicalUnitPolicy", policy="VMW_PSP_FIXED"),
    storage_array_type_policy=Policy("SomeKind", policy="VMW_SATP_ALUA"),
)
UNTYPED = (
    "<lun><id>i&amp;2</id><path><name>p&amp;1</name><transport></transport></path><path></path>"
    "<policy><policy>P&amp;R</policy></policy><storageArrayTypePolicy><policy>S&lt;A</policy></storageArrayTypePolicy></lun>"
)
READ_UNTYPED = LogicalUnit(
    id="i&2",
    path=[Path(name="p&1", transport=Transport()), Path()],
    policy=Policy(policy="P&R"),
    storage_array_type_policy=Policy(policy="S<A"),
)


def option(kind: str, value: str, key: str = "Disk.MaxLUN", type_name: str = "") -> str:
    return f'<OptionValue{type_name}><key>{key}</key><value xsi:type="xsd:{kind}">{value}</value></OptionValue>'


def scanned(path: str, text: str, kind: str = "HostMultipathInfo", after: str = AFTER) -> Any:
    """What the scanner of a property makes of a text that stands among others."""
    return SCANNERS[path](BEFORE + text + after, len(BEFORE), len(BEFORE + text), kind)


@pytest.mark.parametrize(
    ("text", "luns"),
    [
        pytest.param("", [], id="none"),
        pytest.param(DISK, [READ_DISK], id="a disk with every element"),
        pytest.param("<ScsiLun></ScsiLun>" + DISK, [ScsiLun(), READ_DISK], id="one with none"),
        pytest.param(ESCAPED + "<ScsiLun></ScsiLun>", [READ_ESCAPED, ScsiLun()], id="marks of XML"),
    ],
)
def test_devices_are_read_field_by_field(text: str, luns: list[ScsiLun]) -> None:
    assert scanned("config.storageDevice.scsiLun", text) == luns


@pytest.mark.parametrize(
    ("text", "units"),
    [
        pytest.param("", [], id="none"),
        pytest.param(UNIT, [READ_UNIT], id="a unit with every element"),
        pytest.param("<lun></lun>" + UNIT + "<lun></lun>", [LogicalUnit(), READ_UNIT, LogicalUnit()], id="between two with none"),
        pytest.param(UNTYPED, [READ_UNTYPED], id="no types, and marks of XML"),
    ],
)
def test_units_are_read_with_their_paths_and_policies(text: str, units: list[LogicalUnit]) -> None:
    assert scanned("config.storageDevice.multipathInfo", text, "SomeInfo") == MultipathInfo("SomeInfo", units)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        pytest.param("", [], id="none"),
        pytest.param(option("long", "-1024"), [OptionValue(key="Disk.MaxLUN", value=-1024)], id="a number"),
        pytest.param(option("int", "0"), [OptionValue(key="Disk.MaxLUN", value=0)], id="0, which is no text"),
        pytest.param(option("string", ""), [OptionValue(key="Disk.MaxLUN", value="")], id="an empty text"),
        pytest.param(option("string", "12"), [OptionValue(key="Disk.MaxLUN", value="12")], id="a text of digits"),
        pytest.param(option("string", "true"), [OptionValue(key="Disk.MaxLUN", value="true")], id="a text that reads as a boolean"),
        pytest.param(
            option("boolean", "true") + option("boolean", "false"),
            [OptionValue(key="Disk.MaxLUN", value=True), OptionValue(key="Disk.MaxLUN", value=False)],
            id="true and false",
        ),
        pytest.param(
            option("string", "a &amp; b", key="A&lt;B", type_name=' xsi:type="OptionValue"') + option("long", "7", key="C"),
            [OptionValue("OptionValue", key="A<B", value="a & b"), OptionValue(key="C", value=7)],
            id="a type of its own, and marks of XML",
        ),
    ],
)
def test_options_are_read_with_values_of_their_types(text: str, options: list[OptionValue]) -> None:
    read = scanned("config.option", text)
    assert read == options
    assert [type(one.value) for one in read] == [type(one.value) for one in options], "True is 1 to =="


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("config.storageDevice.scsiLun", DISK.replace("<ssd>false", "<ssd>no"), id="no boolean"),
        pytest.param("config.storageDevice.scsiLun", DISK.replace("<key>1</key>", "<key><a></a></key>"), id="parts of parts"),
        pytest.param("config.storageDevice.scsiLun", DISK.replace("</newer>", "</nearer>"), id="a tag closed by another"),
        pytest.param("config.storageDevice.scsiLun", DISK + "x", id="a letter after it"),
        pytest.param("config.storageDevice.multipathInfo", UNIT + FIBRE, id="a path of no unit"),
        pytest.param("config.storageDevice.multipathInfo", UNIT + "</lun>", id="a unit that is not opened"),
        pytest.param("config.storageDevice.multipathInfo", UNIT + "<lun>", id="a unit that is not closed"),
        pytest.param("config.storageDevice.multipathInfo", "<lun>" + UNIT + "</lun>", id="a unit in a unit"),
        pytest.param("config.storageDevice.multipathInfo", "<lun>" + UNIT, id="a unit opened twice"),
        pytest.param("config.storageDevice.multipathInfo", "<lun><lun>", id="units that are opened alone"),
        pytest.param("config.storageDevice.multipathInfo", "</lun></lun>", id="units that are closed alone"),
        pytest.param("config.storageDevice.multipathInfo", UNIT + " ", id="a blank after it"),
        pytest.param("config.option", option("long", "many"), id="no number"),
        pytest.param("config.option", option("double", "1.5"), id="a type that options do not have"),
        pytest.param("config.option", option("long", "1") + " ", id="a blank after options"),
    ],
)
def test_what_is_not_spelt_out_is_the_parsers(path: str, text: str) -> None:
    assert scanned(path, text) is None
