"""What esxcfg-scsidevs, esxcfg-mpath, vmware and uname print. Of captures, what is expected was typed from the texts."""

import time

import pytest

from auditor.endpoints.files.outputs import Output, outputs_in
from auditor.endpoints.vcenter.esxcli_records import Cell
from tests.required import capture

UNAME = "VMkernel esx-01.example.net 8.0.2 #1 SMP Release build-22380479 Sep  4 2023 15:00:49 x86_64 x86_64 x86_64 ESXi\n"
VMWARE = "VMware ESXi 6.5.0 build-10719125\nVMware ESXi 6.5.0 Update 2\n"


def read(text: str, name: str = "") -> Output:
    (output,) = outputs_in(text.encode(), name)
    return output


def records(output: Output) -> list[dict[str, Cell]]:
    return [dict(zip(output.table.names, record, strict=True)) for record in output.table.records]


@pytest.mark.parametrize(
    ("path", "command", "count", "last"),
    [
        (
            "e01-ucs-fas3240/esxcfg-mpath_-b.txt",
            "esxcfg-mpath -b",
            3,
            {
                "Runtime Name": "vmhba1:C0:T0:L0",
                "Device": "naa.60a980006467435a673469554f385770",
                "Adapter": "vmhba1",
                "LUN": "0",
                "State": "active",
                "Transport": "fc",
                "Target Identifier": "fc.500a09808d11cf94:500a09848d11cf94",
            },
        ),
        (
            "x14-emc-lifeline-50/esxcfg-mpath_-l.txt",
            "esxcfg-mpath -l",
            2,
            {
                "Runtime Name": "vmhba37:C0:T0:L0",
                "Device": "naa.5000144f79272808",
                "Adapter": "vmhba37",
                "Channel": "0",
                "LUN": "0",
                "Target Identifier": "00023d000001,iqn.1992-04.com.emc:storage.Storage.tiny,t,1",
                "State": "active",
                "Transport": "iscsi",
            },
        ),
        (
            "e04-svc-rdm/esxcfg-scsidevs_-l.txt",
            "esxcfg-scsidevs -l",
            1,
            {
                "Device": "naa.600507680180863d6800000000000062",
                "Size": "30720",
                "Vendor": "IBM",
                "Model": "2145",
                "Revision": "0000",
                "Status": "on",
                "Is Removable": "false",
                "Is Local": "false",
                "VAAI Status": "unknown",
            },
        ),
        (
            "e01-ucs-fas3240/esxcfg-scsidevs_-c.txt",
            "esxcfg-scsidevs -c",
            2,
            {
                "Device": "naa.60a980006467435a673469554f385770",
                "Device Type": "Direct-Access",
                "Size": "1048576",
                "Multipath Plugin": "NMP",
                "Display Name": "NETAPP Fibre Channel Disk (naa.60a980006467435a673469554f385770)",
            },
        ),
        (
            "j07-ucs-c260-55u3/esxcfg-scsidevs_-m.txt",
            "esxcfg-scsidevs -m",
            2,
            {
                "Device Name": "naa.600605b008de55301b682ed0ba9120cb",
                "Partition": "3",
                "VMFS UUID": "53d58476-2724a720-198f-508789ad4756",
                "Extent Number": "0",
                "Volume Name": "ESX1VMFS1",
            },
        ),
        (
            "j07-ucs-c260-55u3/esxcfg-scsidevs_-a.txt",
            "esxcfg-scsidevs -a",
            11,
            {
                "HBA Name": "vmhba37",
                "Driver": "ata_piix",
                "Link State": "link-n/a",
                "UID": "sata.vmhba37",
                "Description": "(0:0:31.5) Intel Corporation ICH10 2 port SATA IDE Controller",
            },
        ),
        ("j07-ucs-c260-55u3/vmware_-l.txt", "vmware -vl", 1, {"Version": "5.5.0", "Build": None}),
    ],
    ids=lambda value: value.rpartition("/")[2] if isinstance(value, str) and "/" in value else "",
)
def test_a_real_output_has_the_fields_that_esxcli_has(path: str, command: str, count: int, last: dict[str, Cell]) -> None:
    output = read(capture(f"esxi/{path}").read_text(encoding="utf-8"), "saved.txt")
    assert (output.command, output.whole, output.problems, len(output.table.records)) == (command, True, (), count)
    record = records(output)[-1]
    assert {name: record[name] for name in last} == last


def test_every_path_of_a_list_is_below_its_device() -> None:
    for path in ("e02-ucs-netapp-7m", "n04-ontap-nvmeof-7x"):
        output = read(capture(f"esxi/{path}/esxcfg-mpath_-b.txt").read_text(encoding="utf-8"))
        assert output.whole
        assert len(output.table.records) == 4
        assert len({record["Device"] for record in records(output)}) == 1
    path = "   vmhba0:C0:T0:L1 LUN:1 state:dead sas Adapter: 5002  Target: c6d3\n"
    output = read(f"{path}naa.6 : Disk (naa.6)\n{path}not a path\n{path}")
    assert [(record["Device"], record["State"], record["Target Identifier"]) for record in records(output)] == [("naa.6", "dead", None)]
    assert [problem.partition(":")[0] for problem in output.problems] == [
        "A path has no device above it",
        "A line was not understood",
        "A path has no device above it",
    ]
    assert not output.whole


def test_a_target_is_a_port_only_where_all_of_its_name_is_there() -> None:
    damaged = "naa.6 : Disk\n   vmhba0:C0:T0:L1 LUN:1 state:active fc Adapter: WWNN: x Target: WWNN: 50:Oa:09:80:8d:11:cf:94  WWPN: 50:0a\n"
    iscsi = "naa.6 : Disk\n   vmhba0:C0:T0:L1 LUN:1 state:active iscsi Adapter: iqn.a Target: IQN=iqn.2010-01.com.solidfire:v1 Alias= P=1\n"
    assert [record["Target Identifier"] for text in (damaged, iscsi) for record in records(read(text))] == [
        None,
        "iqn.2010-01.com.solidfire:v1",
    ]


DEVICE = """\
naa.6a
   Device Type: Direct-Access{blank}
   Size: 1048576 MB
   Display Name: NETAPP Disk of 5 MB
   Multipath Plugin: NMP
   Console Device: /vmfs/devices/disks/naa.6a
   Devfs Path: /vmfs/devices/disks/naa.6a
   Vendor: NETAPP    Model: LUN C-Mode        Revis: 9900
   SCSI Level: 5  Is Pseudo: false Status: degraded
   Is RDM Capable: true  Is Removable: false
   Is Local: false
   Other Names:
      vml.02000000
   VAAI Status: supported
""".replace("{blank}", " ")
FIELDS_OF_DEVICE = {
    "Device": "naa.6a",
    "Device Type": "Direct-Access",
    "Size": "1048576",
    "Display Name": "NETAPP Disk of 5 MB",
    "Multipath Plugin": "NMP",
    "Console Device": "/vmfs/devices/disks/naa.6a",
    "Devfs Path": "/vmfs/devices/disks/naa.6a",
    "Vendor": "NETAPP",
    "Model": "LUN C-Mode",
    "Revision": "9900",
    "SCSI Level": "5",
    "Is Pseudo": "false",
    "Status": "degraded",
    "Is RDM Capable": "true",
    "Is Removable": "false",
    "Is Local": "false",
    "VAAI Status": "supported",
}
PATH_OF_DEVICE = """\
fc.20:10-fc.50:51-naa.6a
   Runtime Name: vmhba2:C0:T0:L1
   Device: naa.6a
   Device Display Name: NETAPP Disk (naa.6a)
   Adapter: vmhba2 Channel: 0 Target: 3 LUN: 1
   Adapter Identifier: fc.20:10
   Target Identifier: fc.50:51
   Plugin: NMP
   State: active
   Transport: fc
   Adapter Transport Details: WWNN: 20 WWPN: 10
   Target Transport Details: WWNN: 50 WWPN: 51
"""
FIELDS_OF_PATH = {
    "UID": "fc.20:10-fc.50:51-naa.6a",
    "Runtime Name": "vmhba2:C0:T0:L1",
    "Device": "naa.6a",
    "Device Display Name": "NETAPP Disk (naa.6a)",
    "Adapter": "vmhba2",
    "Channel": "0",
    "Target": "3",
    "LUN": "1",
    "Adapter Identifier": "fc.20:10",
    "Target Identifier": "fc.50:51",
    "Plugin": "NMP",
    "State": "active",
    "Transport": "fc",
    "Adapter Transport Details": "WWNN: 20 WWPN: 10",
    "Target Transport Details": "WWNN: 50 WWPN: 51",
}
ROWS = {
    "esxcfg-scsidevs -c": (
        "Device UID  Device Type  Console Device  Size  Multipath Plugin\nnaa.6a  Direct-Access  /vmfs/a  1024MB  NMP  A Disk\n",
        {
            "Device": "naa.6a",
            "Device Type": "Direct-Access",
            "Devfs Path": "/vmfs/a",
            "Size": "1024",
            "Multipath Plugin": "NMP",
            "Display Name": "A Disk",
        },
    ),
    "esxcfg-scsidevs -m": (
        "naa.6a:1 /vmfs/devices/disks/naa.6a:1 53d58476-2724a720-198f-508789ad4756  0  Gold 1\n",
        {
            "Device Name": "naa.6a",
            "Partition": "1",
            "Console Device": "/vmfs/devices/disks/naa.6a:1",
            "VMFS UUID": "53d58476-2724a720-198f-508789ad4756",
            "Extent Number": "0",
            "Volume Name": "Gold 1",
        },
    ),
    "esxcfg-scsidevs -a": (
        "vmhba2  lpfc  link-up  fc.20:10\n",
        {"HBA Name": "vmhba2", "Driver": "lpfc", "Link State": "link-up", "UID": "fc.20:10", "Description": ""},
    ),
    "esxcfg-mpath -b": (
        "naa.6a : A Disk (naa.6a)\n   vmhba2:C0:T0:L1 LUN:1 state:active\n",
        {
            "Runtime Name": "vmhba2:C0:T0:L1",
            "Device": "naa.6a",
            "Adapter": "vmhba2",
            "LUN": "1",
            "State": "active",
            "Transport": None,
            "Target Identifier": None,
        },
    ),
    "vmware -vl": ("VMware ESXi 7.0.3 build-19193900\n", {"Version": "7.0.3", "Build": "19193900", "Name": ""}),
    "uname -a": (
        UNAME,
        {
            "Host Name": "esx-01.example.net",
            "Version": "8.0.2",
            "Build": "22380479",
            "Kernel": "Sep  4 2023 15:00:49 x86_64 x86_64 x86_64 ESXi",
        },
    ),
    "esxcfg-scsidevs -l": (DEVICE, FIELDS_OF_DEVICE),
    "esxcfg-mpath -l": (PATH_OF_DEVICE, FIELDS_OF_PATH),
}


@pytest.mark.parametrize("command", ROWS)
def test_every_field_of_every_program_is_where_esxcli_has_it(command: str) -> None:
    text, fields = ROWS[command]
    output = read(text)
    assert (output.command, output.problems, output.whole) == (command, (), True)
    assert records(output) == [fields]


def test_two_devices_of_a_list_are_two_records() -> None:
    output = read(DEVICE + DEVICE.replace("naa.6a", "naa.6b").replace("degraded", "on"))
    assert [(record["Device"], record["Status"], record["Revision"]) for record in records(output)] == [
        ("naa.6a", "degraded", "9900"),
        ("naa.6b", "on", "9900"),
    ]


@pytest.mark.parametrize("is_ssd", ["true", "false"])
def test_whether_a_device_is_flash_stands_in_the_line_that_says_whether_it_is_local(is_ssd: str) -> None:
    output = read(DEVICE.replace("   Is Local: false\n", f"   Is Local: true  Is SSD: {is_ssd}  \n"))
    assert records(output) == [FIELDS_OF_DEVICE | {"Is Local": "true", "Is SSD": is_ssd}]
    assert (output.problems, output.whole) == ((), True)


def test_a_row_that_does_not_fit_is_named() -> None:
    output = read(f"{ROWS['esxcfg-scsidevs -m'][0]}naa.6b:1 /vmfs/x no-uuid 0 Gold\n\n")
    assert [record["Device Name"] for record in records(output)] == ["naa.6a"]
    assert (output.problems, output.whole) == (("A line was not understood: 'naa.6b:1 /vmfs/x no-uuid 0 Gold'.",), False)


def test_a_longer_line_than_any_program_prints_is_not_looked_at() -> None:
    row = "vmhba2  lpfc  link-up  fc.20:10  "
    assert records(read(f"{row}{'d' * (1024 - len(row))}\n"))[0]["Description"] == "d" * (1024 - len(row))
    assert all(one.command == "" for one in outputs_in(f"{row}{'d' * (1025 - len(row))}\n".encode()))


def test_an_adapter_list_of_esxcli_without_its_header_is_not_taken_for_one_with_fewer_columns() -> None:
    own = "vmhba0  ahci  link-n/a  sata.vmhba0  (0:0:31.2) Intel\n"
    output = read(f"{own}vmhba2  lpfc  link-up  fc.20000090fa000001:10000090fa000001  Second Level Lun ID  (0:4:0.0) Emulex\n")
    assert [record["HBA Name"] for record in records(output)] == ["vmhba0"]
    assert not output.whole


def test_a_table_of_esxcli_is_one_whatever_its_rows_look_like() -> None:
    output = read(capture("esxi/x18-nested-900b/esxcli_storage-core-adapter-list.txt").read_text(encoding="utf-8"), "saved.txt")
    assert output.command == "storage core adapter list"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(UNAME, {"Host Name": "esx-01.example.net", "Version": "8.0.2", "Build": "22380479"}, id="uname"),
        pytest.param(UNAME.rstrip(), {"Host Name": "esx-01.example.net", "Version": "8.0.2", "Build": "22380479"}, id="uname without end"),
        pytest.param(VMWARE, {"Version": "6.5.0", "Build": "10719125"}, id="vmware"),
        pytest.param(VMWARE.rstrip(), {"Version": "6.5.0", "Build": "10719125"}, id="vmware without end"),
        pytest.param("VMware ESXi 6.5.0 build-107", {"Version": "6.5.0", "Build": None}, id="build that may be cut"),
    ],
)
def test_the_release_is_read_unless_it_may_be_cut(text: str, expected: dict[str, Cell]) -> None:
    (record,) = records(read(text))
    assert {name: record[name] for name in expected} == expected


@pytest.mark.parametrize(
    "text", ["VMware ESXi 7.0 Update 3\n", "VMware vCenter Server 8.0.2 build-22380479\n", f"{VMWARE}naa.6\n   Size: 1\n"]
)
def test_a_release_is_not_made_of_lines_that_do_not_say_it(text: str) -> None:
    assert all(output.command == "" for output in outputs_in(text.encode(), "notes.txt"))


def test_a_session_with_several_programs_is_read_program_by_program() -> None:
    prompt = "[root@esx-01:~] "
    session = f"{prompt}uname -a\n{UNAME}{prompt}esxcfg-scsidevs -A\nvmhba2  naa.6\n{prompt}vmware -vl\n{VMWARE}{prompt}\n"
    assert [(output.host, output.command) for output in outputs_in(session.encode())] == [("esx-01", "uname -a"), ("esx-01", "vmware -vl")]


@pytest.mark.parametrize(
    "line",
    [
        "naa.6  Direct " + "a " * 400,
        "vmhba0 a link a.b " + "c " * 400,
        "Vendor: " + " " * 900,
        "a" * 1000 + ":1",
        "x : " + "vmhba0:C0" * 90,
    ],
    ids=["words", "description", "blanks", "colons", "no path"],
)
@pytest.mark.parametrize(
    "sign", ["vmhba9  ahci  link-up  sata.vmhba9", "naa.5  Direct-Access  /dev/naa.5  1MB  NMP  Disk"], ids=["-a", "-c"]
)
def test_lines_that_are_meant_to_do_harm_take_no_long_time(line: str, sign: str) -> None:
    start = time.process_time()
    outputs_in(f"{sign}\n{(line + chr(10)) * 2000}".encode())
    assert time.process_time() - start < 2
