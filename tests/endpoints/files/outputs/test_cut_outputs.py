"""Outputs that were cut: what is read of them is in the whole output too."""

from collections.abc import Iterator, Sequence

import pytest

from auditor.endpoints.files.outputs import Output, outputs_in
from auditor.endpoints.vcenter.esxcli_records import Cell
from tests.required import capture

NVME_ADAPTERS = """\
Adapter    Adapter Qualified Name
---------  -------------------------------
vmhba64    aqn:nvmetcp:34-80-0d-30-ca-e0-T
vmhba65    aqn:nvmetcp:34-80-0d-30-ca-e1-T
Transport Type   Driver   Associated Devices
---------------  -------  ------------------
TCP              nvmetcp  vmnic2
TCP              nvmetcp  vmnic3
"""
MODULES = """\
Name        Is Loaded  Is Enabled
----------  ---------  ----------
nfnic            true        true
qlnativefc      false        true
"""
DEVICES = """\
naa.600508e000000000
   Display Name: LSI Serial Attached SCSI Disk (naa.600508e000000000)
   Has Settable Display Name: true
   Size: 69376
   Devfs Path: /vmfs/devices/disks/naa.600508e000000000
   VAAI Status: unknown
   Other UIDs: vml.02000000

naa.600508e000000001
   Display Name: a: b = c
   Has Settable Display Name: true
   Size: 1024
   Devfs Path: /vmfs/devices/disks/naa.600508e000000001
   VAAI Status: supported
   Other UIDs: vml.02000001
"""
JSON = '[{"Name": "nfnic", "Is Loaded": true, "Is Enabled": true}, {"Name": "lpfc", "Is Loaded": false, "Is Enabled": true}]\n'
CSV = "IsEnabled,IsLoaded,Name,\ntrue,true,nfnic,\ntrue,false,lpfc,\n"
XML = (
    '<?xml version="1.0" encoding="utf-8"?>\n<output xmlns="http://www.vmware.com/Products/ESX/5.0/esxcli"><root>\n'
    '<list type="structure"><structure typeName="Module">\n<field name="Name"><string>nfnic</string></field>\n'
    '<field name="IsLoaded"><boolean>true</boolean></field>\n</structure></list></root></output>\n'
)
KEYVALUE = (
    "structure[0].Module.IsLoaded.boolean=true\nstructure[0].Module.Name.string=nfnic\n"
    "structure[1].Module.IsLoaded.boolean=false\nstructure[1].Module.Name.string=lpfc\n"
)

Record = dict[str, Cell]


def _records(output: Output) -> list[Record]:
    return [dict(zip(output.table.names, record, strict=True)) for record in output.table.records]


def _wrong(part: Sequence[Output], whole: Sequence[Output]) -> Iterator[str]:
    """Values of a part that the whole output does not have in the same place."""
    for some, every in zip(part, whole, strict=False):
        expected = _records(every)
        for number, record in enumerate(_records(some)):
            if number >= len(expected):
                yield f"record {number} is too many: {record}"
                return
            for name, cell in record.items():
                if cell is not None and expected[number].get(name) != cell:
                    yield f"record {number}, {name}: {cell!r}, not {expected[number].get(name)!r}"


@pytest.mark.long
@pytest.mark.parametrize("ended", [True, False], ids=["behind the end of a line", "before the end of a line"])
def test_a_real_output_cut_at_any_line_has_no_wrong_value(ended: bool) -> None:
    for file in sorted(capture("esxi").rglob("esxcli*")):
        data = file.read_bytes()
        whole, lines = outputs_in(data, file.name), data.splitlines(keepends=True)
        for count in range(1, len(lines)):
            part = b"".join(lines[:count])
            outputs = outputs_in(part if ended else part.rstrip(b"\r\n"), file.name)
            assert not list(_wrong(outputs, whole)), f"{file.parent.name}/{file.name}, {count} lines"


@pytest.mark.parametrize("name", ["esxcli_nvme-adapter-list.txt", "esxcli_nvme-controller-list.txt"])
def test_a_broken_table_cut_behind_its_second_header_has_no_record_of_that_header(name: str) -> None:
    file = capture(f"esxi/n05-ontap-nvmetcp-7x/{name}")
    lines = file.read_bytes().splitlines(keepends=True)
    header = next(at for at, line in enumerate(lines) if line.startswith((b"Transport Type", b"Controller Number")))
    (output,) = outputs_in(b"".join(lines[: header + 1]), file.name)
    assert not output.whole
    assert not [cell for record in output.table.records for cell in record if str(cell).startswith(("Transport", "Controller"))]


TEXTS = [
    pytest.param(NVME_ADAPTERS, "esxcli_nvme-adapter-list.txt", id="broken table"),
    pytest.param(MODULES, "esxcli_system-module-list.txt", id="table"),
    pytest.param(DEVICES, "esxcli_storage-core-device-list.txt", id="list"),
    pytest.param(JSON, "localcli_system-module-list.json", id="json"),
    pytest.param(CSV, "esxcli_system-module-list.csv", id="csv"),
    pytest.param(XML, "esxcli_system-module-list.xml", id="xml"),
    pytest.param(KEYVALUE, "esxcli_system-module-list.txt", id="keyvalue"),
]


@pytest.mark.parametrize(("text", "name"), TEXTS)
def test_a_text_cut_at_any_character_has_no_wrong_value(text: str, name: str) -> None:
    whole = outputs_in(text.encode(), name)
    assert _records(whole[0])
    wrong = {end: problems for end in range(len(text)) if (problems := list(_wrong(outputs_in(text[:end].encode(), name), whole)))}
    assert not wrong


@pytest.mark.parametrize(("text", "name"), TEXTS)
def test_a_text_cut_within_a_line_is_not_whole(text: str, name: str) -> None:
    ends = {
        len(text) - 1,
        *(at for at, character in enumerate(text) if character == "\n"),
        *(at + 1 for at, c in enumerate(text) if c == "\n"),
    }
    said = [end for end in range(len(text)) if end not in ends and any(output.whole for output in outputs_in(text[:end].encode(), name))]
    assert not said


@pytest.mark.parametrize(
    ("word", "name", "whole"),
    [
        pytest.param("4c4c4544-0042-3510-8052-b4c04f4d4d32", "system-uuid-get", False, id="uuid"),
        pytest.param("123456789", "system-stats-uptime-get", False, id="uptime"),
        pytest.param("true", "iscsi-software-get", True, id="true"),
        pytest.param("false", "iscsi-software-get", True, id="false"),
        pytest.param("Enabled", "system-maintenanceMode-get", True, id="Enabled"),
        pytest.param("Disabled", "system-maintenanceMode-get", True, id="Disabled"),
    ],
)
def test_a_bare_word_without_a_line_end_is_doubted_unless_it_can_have_no_more_letters(word: str, name: str, whole: bool) -> None:
    (output,) = outputs_in(word.encode(), f"esxcli_{name}.txt")
    assert output.whole is whole
    (ended,) = outputs_in(f"{word}\n".encode(), f"esxcli_{name}.txt")
    assert (ended.whole, ended.table.records) == (True, [(word,)])
