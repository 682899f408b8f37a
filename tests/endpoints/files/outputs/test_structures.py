"""The list form: what is a heading, what a field, and which records a text makes; each record was typed from its text."""

from __future__ import annotations

import pytest

from auditor.endpoints.files.outputs.known import UNKNOWN, known_of
from auditor.endpoints.files.outputs.output import Found
from auditor.endpoints.files.outputs.structures import structures_in
from auditor.endpoints.vcenter.esxcli_records import Cell

DEVICES = known_of("x device list", "Device, Size, Status", heading="Device")
SESSIONS = known_of("x session list", "Adapter, Target", heading="Session")


def read(text: str, known: object = UNKNOWN) -> Found:
    return structures_in(text.split("\n"), known)  # type: ignore[arg-type]


def test_a_heading_begins_a_record_and_fields_stand_below_it() -> None:
    found = read("naa.1\n   Size: 5\n   Status: on\nnaa.2:\n   Size: 6\n   Status:\n", DEVICES)
    assert found.records == [{"Device": "naa.1", "Size": "5", "Status": "on"}, {"Device": "naa.2", "Size": "6", "Status": ""}]
    assert (found.whole, found.problems) == (True, [])


def test_a_heading_of_no_known_command_has_a_name_of_its_own() -> None:
    assert read("naa.1\n   Size: 5\n").records == [{"Heading": "naa.1", "Size": "5"}]


def test_a_single_structure_has_no_heading() -> None:
    found = read("   Product: VMware ESXi\n   Version: 8.0.2\n   Build: Releasebuild-1\n")
    assert (found.records, found.whole) == ([{"Product": "VMware ESXi", "Version": "8.0.2", "Build": "Releasebuild-1"}], True)


def test_structures_without_headings_begin_again_with_their_first_field() -> None:
    found = read("   Name: a\n   Size: 1\n   Name: b\n   Size: 2\n")
    assert found.records == [{"Name": "a", "Size": "1"}, {"Name": "b", "Size": "2"}]


def test_nothing_makes_no_record() -> None:
    found = read("\n \n")
    assert (found.records, found.whole, found.problems) == ([], True, [])


def test_a_field_below_a_field_without_a_value_is_its_part() -> None:
    text = "vmhba64,iqn.x\n   Adapter: vmhba64\n   Target:\n      Name: t\n      Port: 1\n      Port: 2\n      Port: 3\n   State: on\n"
    assert read(text, SESSIONS).records == [
        {"Session": "vmhba64,iqn.x", "Adapter": "vmhba64", "Target": "", "Target Name": "t", "Target Port": ("1", "2", "3"), "State": "on"}
    ]


def test_a_field_below_a_field_with_a_value_is_one_of_its_own() -> None:
    assert read("naa.1\n   Size: 5\n      Status: on\n", DEVICES).records == [{"Device": "naa.1", "Size": "5", "Status": "on"}]


def test_values_may_have_colons() -> None:
    assert read("naa.1\n   Size: a: b:c\n   Status : x \n", DEVICES).records == [{"Device": "naa.1", "Size": "a: b:c", "Status": "x"}]


@pytest.mark.parametrize(
    ("second", "cell", "problems"),
    [("5", "5", []), ("6", None, ["A record has the field 'Size' twice."])],
    ids=["the same", "another value"],
)
def test_a_field_twice_is_read_where_both_are_alike(second: str, cell: Cell, problems: list[str]) -> None:
    found = read(f"naa.1\n   Size: 5\n   Size: {second}\n", DEVICES)
    assert (found.records, found.problems, found.whole) == ([{"Device": "naa.1", "Size": cell}], problems, not problems)


@pytest.mark.parametrize(
    ("value", "problems"),
    [("naa.1", []), ("naa.2", ["The record 'naa.1' says that it is 'naa.2'."])],
    ids=["the same", "another"],
)
def test_a_record_that_names_itself_has_its_name_once(value: str, problems: list[str]) -> None:
    found = read(f"naa.1\n   Device: {value}\n   Size: 5\n", DEVICES)
    assert (found.records, found.problems, found.whole) == ([{"Device": value, "Size": "5"}], problems, not problems)


@pytest.mark.parametrize(
    ("line", "records"),
    [
        pytest.param("   words alone", [{"Device": "naa.1", "Size": "5"}, {"Device": "naa.2", "Size": "6"}], id="no field"),
        pytest.param("   :", [{"Device": "naa.1", "Size": "5"}, {"Device": "naa.2", "Size": "6"}], id="a colon alone"),
    ],
)
def test_a_line_that_is_no_field_is_doubted(line: str, records: list[dict[str, Cell]]) -> None:
    found = read(f"naa.1\n   Size: 5\n{line}\nnaa.2\n   Size: 6\n", DEVICES)
    assert (found.records, found.whole) == (records, False)
    assert found.problems == [f"A line was not understood: '{line.strip()}'."]


def test_a_line_before_the_records_says_nothing_of_them() -> None:
    found = read("Please wait\n\n   Name: a\n   Size: 1\n")
    assert (found.records, found.whole, found.problems) == (
        [{"Name": "a", "Size": "1"}],
        True,
        ["A line was not understood: 'Please wait'."],
    )


def test_a_heading_that_is_no_name_of_a_device_is_none() -> None:
    found = read("naa.1\n   Size: 5\nno device\n   Size: 6\nnaa.3\n   Size: 7\n", DEVICES)
    assert found.records == [{"Device": "naa.1", "Size": "5"}, {"Device": "naa.3", "Size": "7"}]
    assert (found.whole, found.problems) == (False, ["A line was not understood: 'no device'.", "A line was not understood: 'Size: 6'."])


def test_a_heading_begins_as_the_first_one_does() -> None:
    found = read("a\n   Adapter: 1\n   Target: 2\nb\n   Target: 3\n", SESSIONS)
    assert found.records == [{"Session": "a", "Adapter": "1", "Target": "2"}]
    assert (found.whole, found.problems) == (False, ["A line was not understood: 'b'.", "A line was not understood: 'Target: 3'."])


def test_headings_are_known_by_names_of_devices_where_blanks_were_lost() -> None:
    found = read("naa.1\nSize: 5\nStatus: on\nvmhba2:C0:T0:L1\nSize: 6\nStatus: off\n", known_of("x", "Size, Status", heading="Path"))
    assert found.records == [
        {"Path": "naa.1", "Size": "5", "Status": "on"},
        {"Path": "vmhba2:C0:T0:L1", "Size": "6", "Status": "off"},
    ]


def test_headings_are_known_by_blank_lines_where_nothing_else_tells() -> None:
    found = read("one\nSize: 5\nStatus: on\n\ntwo\nSize: 6\nStatus: off\n", SESSIONS)
    assert found.records == [{"Session": "one", "Size": "5", "Status": "on"}, {"Session": "two", "Size": "6", "Status": "off"}]


def test_a_blank_line_behind_each_line_means_nothing() -> None:
    text = "naa.1\n   Size: 5\n   Status: on\nnaa.2\n   Size: 6\n   Status: off\n"
    assert read(text.replace("\n", "\n\n"), DEVICES).records == read(text, DEVICES).records != []


def test_tabs_indent_as_eight_blanks_do() -> None:
    assert read("naa.1\n\tSize: 5\n        Status:\n\t\tPart: x\n", DEVICES).records == [
        {"Device": "naa.1", "Size": "5", "Status": "", "Status Part": "x"}
    ]


@pytest.mark.parametrize("indent", ["   ", ""], ids=["as it is printed", "moved to the left"])
def test_a_part_of_a_single_structure_is_no_heading(indent: str) -> None:
    text = "Name: a\nTarget:\n   X: 1\nSize: 5\nStatus: on\n"
    found = read("".join(f"{indent}{line}\n" for line in text.splitlines()))
    assert found.records == [{"Name": "a", "Target": "", "Target X": "1", "Size": "5", "Status": "on"}]
    assert found.whole


def test_a_heading_may_have_lost_the_blanks_of_most_of_its_fields() -> None:
    found = read("naa.1:\n   Size: 5\nStatus: on\nVendor: x\nModel: y\n", DEVICES)
    assert found.records == [{"Device": "naa.1", "Size": "5", "Status": "on", "Vendor": "x", "Model": "y"}]


def test_headings_of_devices_may_end_with_a_colon_where_blanks_were_lost() -> None:
    found = read("naa.1:\nSize: 5\nStatus: on\nnaa.2:\nSize: 6\nStatus: off\n", DEVICES)
    assert [record["Device"] for record in found.records] == ["naa.1", "naa.2"]


def test_a_blank_line_within_a_record_begins_none() -> None:
    found = read("one\nSize: 5\nStatus: on\n\nVendor: x\n\ntwo\nSize: 6\nStatus: off\n", SESSIONS)
    assert [record["Session"] for record in found.records] == ["one", "two"]
    assert found.records[0] == {"Session": "one", "Size": "5", "Status": "on", "Vendor": "x"}


def test_a_nested_field_of_the_first_fields_name_begins_no_record() -> None:
    found = read("   Name: a\n   Port:\n      Name: p\n   Size: 1\n   Name: b\n   Size: 2\n")
    assert found.records == [{"Name": "a", "Port": "", "Port Name": "p", "Size": "1"}, {"Name": "b", "Size": "2"}]


def test_a_last_line_that_stands_like_a_heading_is_none() -> None:
    found = read("naa.1\n   Size: 5\nnaa.2", DEVICES)
    assert (found.records, found.whole, found.problems) == (
        [{"Device": "naa.1", "Size": "5"}],
        False,
        ["A line was not understood: 'naa.2'."],
    )
