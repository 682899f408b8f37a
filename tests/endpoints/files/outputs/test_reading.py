"""What a file is read as: which form its text has, which command it was, whether it is whole, and what is said where it is not."""

from __future__ import annotations

import json

import pytest

from auditor.endpoints.files.outputs import Output, outputs_in, reading
from auditor.endpoints.vcenter.esxcli_records import Cell

MODULE_LIST, VERSION_GET, MODE = "esxcli_system-module-list.txt", "esxcli_system-version-get.txt", "esxcli_system-maintenanceMode-get.txt"
MODULES = "Name  Is Loaded  Is Enabled\n----  ---------  ----------\nlpfc       true        true\nqla       false        true\n"
RECORDS = [{"Name": "lpfc", "Is Loaded": "true", "Is Enabled": "true"}, {"Name": "qla", "Is Loaded": "false", "Is Enabled": "true"}]
VERSION = "   Product: VMware ESXi\n   Version: 8.0.2\n   Build: Releasebuild-22380479\n   Update: 2\n   Patch: 25\n"


def read(text: str, name: str = "") -> Output:
    (output,) = outputs_in(text.encode(), name)
    return output


def records(output: Output) -> list[dict[str, Cell]]:
    return [dict(zip(output.table.names, record, strict=True)) for record in output.table.records]


def test_a_file_is_read_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 1 << 20)
    padded = f"{' ' * ((1 << 20) - len(MODULES) - 1)}\n{MODULES}"
    assert records(read(padded, MODULE_LIST)) == RECORDS
    output = read(f"{padded}\n", MODULE_LIST)
    assert output == Output(
        "system module list", {}, output.table, None, ("The file is larger than 1 MiB, and was not read.",), whole=False
    )
    assert (output.table.names, output.table.records) == ((), [])


def test_a_text_of_no_command_says_what_stands_in_it() -> None:
    output = read("\nhello\nworld\n")
    assert (output.command, output.table.names, output.table.records, output.host, output.whole) == ("", (), [], None, False)
    assert output.problems == ("A line was not understood: 'hello'.",)


def test_fields_of_no_known_command_are_read_all_the_same() -> None:
    output = read("   Alpha: 1\n   Beta: 2\n")
    assert (output.command, records(output), output.whole) == ("", [{"Alpha": "1", "Beta": "2"}], True)


def test_a_form_without_a_record_says_so() -> None:
    assert read("\n[]\n").problems == ("There is no record in the text: '[]'.",)


def test_an_error_of_no_command_is_told_where_nothing_else_stands() -> None:
    assert read("Error: no such device\n").problems == ("Error: no such device",)


def test_other_programs_are_known_by_their_lines() -> None:
    output = read("VMware ESXi 7.0.3 build-19193900\n")
    assert (output.command, records(output)) == ("vmware -vl", [{"Version": "7.0.3", "Build": "19193900", "Name": ""}])


NOTHING = "The command printed nothing."


def test_a_session_is_read_call_by_call() -> None:
    session = (
        "[root@esx01:~] esxcli storage nfs41 list\n[root@esx01:~] esxcli system module list | grep x\n"
        "[root@esx01:~] esxcli iscsi software get\n[root@esx02:~] esxcli system version get\nUnable to connect\n"
        "[root@esx02:~] ls\nhello\n[root@esx02:~] cat version\nError: none\n"
        f"[root@esx02:~] cat modules\n{MODULES}[root@esx02:~] esxcli storage nfs list\n"
    )
    assert [(one.host, one.command, len(one.table.records), one.whole, one.problems) for one in outputs_in(session.encode())] == [
        ("esx01", "storage nfs41 list", 0, True, ()),
        ("esx01", "system module list", 0, False, (NOTHING,)),
        ("esx01", "iscsi software get", 0, False, (NOTHING,)),
        ("esx02", "system version get", 0, False, ("Unable to connect",)),
        ("esx02", "", 0, False, ("Error: none",)),
        ("esx02", "system module list", 2, True, ()),
        ("esx02", "storage nfs list", 0, False, (NOTHING,)),
    ]


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        pytest.param("{}[root@esx01:~]\n", True, id="before a prompt"),
        pytest.param("```\n{}```\n", True, id="in a fence"),
        pytest.param("[root@esx01:~] cat file\n{}", False, id="behind a prompt"),
        pytest.param("{}```\n{}```\n", False, id="two texts"),
    ],
)
def test_a_file_is_named_after_its_one_text(text: str, is_named: bool) -> None:
    outputs = outputs_in(text.replace("{}", "   Alpha: 1\n   Beta: 2\n").encode(), "esxcli_gadget-core-list.txt")
    assert ("gadget core list" in [one.command for one in outputs]) is is_named


@pytest.mark.parametrize("name", ["", "notes.txt"])
def test_nothing_is_nothing_unless_it_is_named(name: str) -> None:
    assert outputs_in(b"\n \n", name) == []
    assert read("\n", MODULE_LIST).problems == ("The command printed nothing.",)


@pytest.mark.parametrize("name", ["", MODULE_LIST])
def test_a_table_is_known_by_its_name_or_its_fields(name: str) -> None:
    output = read(MODULES, name)
    assert (output.command, records(output), output.whole, output.problems) == ("system module list", RECORDS, True, ())


def test_a_filtered_list_is_not_whole() -> None:
    output = read(MODULES, "esxcli_system-module-list_grep-q.txt")
    assert (records(output), output.whole, output.problems) == (RECORDS, False, ("Only a part of the output was kept.",))


@pytest.mark.parametrize(
    ("text", "value", "problems"),
    [
        pytest.param("Disabled\n", "Disabled", (), id="a word"),
        pytest.param('"Enabled"\n', "Enabled", (), id="in quotation marks"),
        pytest.param("string=Enabled\n", "Enabled", (), id="behind its type"),
        pytest.param("String,\nEnabled,\n", "Enabled", (), id="below its type"),
        pytest.param("<output><root><string>Enabled</string></root></output>\n", "Enabled", (), id="in an element"),
        pytest.param("Wait\nand wait\nEnabled\n", "Enabled", ("Wait", "and wait"), id="behind other lines"),
    ],
)
def test_a_command_of_one_word_has_it_alone(text: str, value: str, problems: tuple[str, ...]) -> None:
    output = read(text, MODE)
    assert (output.table.names, output.table.records, output.whole) == (("value",), [(value,)], True)
    assert output.problems == tuple(f"A line before the value was not understood: '{one}'." for one in problems)


def test_a_word_that_the_command_does_not_print_is_no_value() -> None:
    output = read("String,\n", MODE)
    assert (output.table.records, output.whole, output.problems) == ([], False, ("A line was not understood: 'String'.",))


@pytest.mark.parametrize(
    ("text", "value"), [("boolean=true\n", "true"), ("Boolean,\nfalse,\n", "false"), ("<boolean>true</boolean>\n", "true")]
)
def test_a_boolean_stands_as_a_word_does(text: str, value: str) -> None:
    output = read(text, "esxcli_iscsi-software-get.txt")
    assert (output.table.records, output.whole) == ([(value,)], True)


FIELDS = {"Product": "VMware ESXi", "Version": "8.0.2", "Build": "Releasebuild-22380479", "Update": "2", "Patch": "25"}
AS_XML = "".join(f'<field name="{name}"><string>{value}</string></field>' for name, value in FIELDS.items())


@pytest.mark.parametrize("end", ["", "\n", " "], ids=["no end of the line", "its end", "a blank"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(json.dumps(FIELDS), id="json"),
        pytest.param(json.dumps([FIELDS]), id="json in a list"),
        pytest.param(f"<output><root><structure>{AS_XML}</structure></root></output>", id="xml"),
        pytest.param(f'<?xml version="1.0"?><output><root><structure>{AS_XML}</structure></root></output>', id="xml with a declaration"),
    ],
)
def test_json_and_xml_end_with_their_last_bracket(text: str, end: str) -> None:
    output = read(f"{text}{end}", VERSION_GET)
    assert (records(output), output.whole, output.problems) == ([FIELDS], True, ())


CUT = "The text ends without the end of a line: its last line may have been cut."


@pytest.mark.parametrize(
    ("text", "patch", "problems"),
    [
        pytest.param(VERSION, "25", (), id="with its end"),
        pytest.param(VERSION.rstrip(), None, (CUT,), id="a last value that may be cut"),
        pytest.param(VERSION.rstrip() + "\n ", "25", (), id="a blank behind it"),
        pytest.param(VERSION.rstrip() + ">", None, (CUT,), id="a last value with a bracket"),
        pytest.param(VERSION.replace("25\n", "Enabled"), None, (CUT,), id="a last value that is the word of other commands"),
        pytest.param(VERSION.replace("25\n", "true"), "true", (), id="a last value that is whole"),
    ],
)
def test_a_last_value_without_an_end_is_left_out(text: str, patch: str | None, problems: tuple[str, ...]) -> None:
    output = read(text, VERSION_GET)
    assert records(output)[0]["Patch"] == patch
    assert records(output)[0]["Update"] == "2"
    assert (output.problems, output.whole) == (problems, not problems)


def test_cells_that_may_stand_behind_a_cut_are_left_out_and_booleans_are_whole() -> None:
    assert read(MODULES.rstrip(), MODULE_LIST).whole
    assert read("Disabled", MODE).whole
    assert records(read(MODULES.rstrip(), MODULE_LIST)) == RECORDS
    output = read("Name  Size  Uid\n----  ----  ---\nabc      5    a\nqla      6", "esxcli_gadget-core-list.txt")
    assert records(output) == [{"Name": "abc", "Size": "5", "Uid": "a"}, {"Name": "qla", "Size": None, "Uid": None}]
    assert (output.whole, output.problems) == (False, (CUT,))


def test_a_whole_word_before_an_empty_last_cell_is_kept() -> None:
    output = read("Name  Is Loaded  Uid\n----  ---------  ---\nabc        true    a\nqla        true", "esxcli_gadget-core-list.txt")
    assert records(output)[1] == {"Name": "qla", "Is Loaded": "true", "Uid": None}
    assert (output.whole, output.problems) == (False, (CUT,))


@pytest.mark.parametrize(
    "text", ["[]\n", "[\n]\n", "[ ]\n", "<output><root><list/></root></output>\n"], ids=["json", "json in lines", "json and a blank", "xml"]
)
def test_a_list_of_nothing_is_whole(text: str) -> None:
    output = read(text, MODULE_LIST)
    assert (output.command, output.table.records, output.whole, output.problems) == ("system module list", [], True, ())


def test_a_record_that_lacks_what_every_release_prints_was_cut() -> None:
    output = read(VERSION.replace("   Build: Releasebuild-22380479\n", ""), VERSION_GET)
    assert output.problems == ("A record lacks what every release prints, so it was cut or filtered: Build.",)
    assert not output.whole


def test_a_last_record_with_fewer_fields_may_have_been_cut() -> None:
    text = "vmhba1\n   Name: a\n   Size: 1\n   Used: 1\nvmhba2\n   Name: b\n   Size: 2\n"
    output = read(text, "esxcli_gadget-core-list.txt")
    assert (output.command, output.whole) == ("gadget core list", False)
    assert output.problems == ("The last record has fewer fields than the others, so it may have been cut.",)
    assert read(text + "   Used: 2\n", "esxcli_gadget-core-list.txt").whole
    assert read("vmhba1\n   Name: a\nvmhba2\n   Name: b\n   Size: 2\n", "esxcli_gadget-core-list.txt").whole


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("Error: no such device\n", "Error: no such device", id="one line"),
        pytest.param("\nUsage: esxcli x\n   a\n   b\n", "Usage: esxcli x a b", id="several"),
        pytest.param("Unable to a\n" + "b\n" * 9, "Unable to a b b b b", id="the first five"),
    ],
)
def test_what_the_host_says_in_place_of_data_is_the_problem(text: str, problem: str) -> None:
    output = read(text, MODULE_LIST)
    assert (output.table.records, output.problems, output.whole) == ([], (problem,), False)


def test_a_complaint_before_data_is_no_error() -> None:
    output = read(f"Error: something else\n{MODULES}", MODULE_LIST)
    assert records(output) == RECORDS
    assert output.problems == ("A line before the table was not understood: 'Error: something else'.",)
    assert read(f"Error: something else\n{VERSION}", VERSION_GET).table.records


def test_csv_has_the_device_of_its_path() -> None:
    text = "DevfsPath,DisplayName,OtherUIDs,VAAIStatus,\n/vmfs/devices/disks/naa.6,A,u,supported,\n,B,u,supported,\n"
    output = read(text, "esxcli_storage-core-device-list.csv")
    assert [(record["DisplayName"], record["Device"]) for record in records(output)] == [("A", "naa.6"), ("B", None)]
    named = read(text.replace("DisplayName", "Device"), "esxcli_storage-core-device-list.csv")
    assert [record["Device"] for record in records(named)] == ["A", "B"]


def test_a_table_with_a_name_that_begins_as_json_is_a_table() -> None:
    output = read(MODULES.replace("lpfc", "[]  "), MODULE_LIST)
    assert [record["Name"] for record in records(output)] == ["[]", "qla"]


def test_a_list_with_a_name_that_begins_as_json_is_a_list() -> None:
    output = read("Name: a\nSize: [\n[]\nUsed: 1\n", "esxcli_gadget-core-list.txt")
    assert records(output) == [{"Name": "a", "Size": "[", "Used": "1"}]


def test_keyvalue_leaves_out_lists_without_items() -> None:
    text = "".join(
        f"structure[{n}].D.{name}.string={value}\n"
        for n in range(2)
        for name, value in (("Device", f"naa.{n}"), ("DevfsPath", f"/d/naa.{n}"), ("VAAIStatus", "x"), ("OtherUIDs", "u"))
        if not (n == 0 and name == "OtherUIDs")
    )
    output = read(text, "esxcli_storage-core-device-list.txt")
    assert (output.whole, len(output.table.records)) == (True, 2)
