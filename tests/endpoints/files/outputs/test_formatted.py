"""What --formatter makes (xml, json, keyvalue, csv), read field by field; each record was typed from its text."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.files.outputs import formatted
from auditor.endpoints.files.outputs.formatted import (
    begins_with,
    csv_header,
    csv_in,
    is_keyvalue,
    json_begins,
    json_in,
    keyvalue_in,
    xml_in,
)
from auditor.endpoints.files.outputs.known import UNKNOWN, known_of
from auditor.endpoints.files.outputs.output import Found

BEFORE = "A line before the data was not understood: 'warning'."


def told(found: Found) -> tuple[list[dict[str, Any]], bool, list[str]]:
    return found.records, found.whole, found.problems


def xml(root: str, *, behind: str = "") -> list[str]:
    return f'<?xml version="1.0"?>\n<output xmlns="urn:x">\n<root>{root}</root>\n</output>{behind}'.split("\n")


def field(name: str, value: str) -> str:
    return f'<field name="{name}">{value}</field>'


@pytest.mark.parametrize(
    ("root", "records"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("<list></list>", [], id="an empty list"),
        pytest.param("<string> Enabled </string>", [{"value": "Enabled"}], id="a word"),
        pytest.param("<string></string>", [{"value": ""}], id="an empty word"),
        pytest.param("<list><string>a</string><string/></list>", [{"value": "a"}, {"value": ""}], id="words"),
        pytest.param(
            f"<structure>{field('A', '<string> 1 </string>')}{field('B', '<boolean/>')}{field('C', '')}{field('D', ' x ')}</structure>",
            [{"A": "1", "B": "", "C": "", "D": "x"}],
            id="a structure",
        ),
        pytest.param(
            f"<list><structure>{field('A', '<long>1</long>')}</structure><structure>{field('A', '<long>2</long>')}</structure></list>",
            [{"A": "1"}, {"A": "2"}],
            id="a list of structures",
        ),
        pytest.param(
            f"<structure>{field('', '<string>1</string>')}<field><string>2</string></field>{field('B', '<string>3</string>')}</structure>",
            [{"B": "3"}],
            id="fields without a name",
        ),
        pytest.param(
            "<structure>"
            + field("None", "<list type='string'></list>")
            + field("One", "<list><string> a </string></list>")
            + field("Two", "<list><string>a</string><string/></list>")
            + "</structure>",
            [{"None": "", "One": "a", "Two": ("a", "")}],
            id="lists in a structure",
        ),
        pytest.param(
            "<structure>"
            + field(
                "Ports",
                f"<list><structure>{field('Id', '<integer>1</integer>')}{field('Client', '')}</structure>"
                f"<structure>{field('Id', '<integer>2</integer>')}{field('', '<string>x</string>')}</structure></list>",
            )
            + field("Version", f"<structure>{field('Major', '<integer/>')}</structure>")
            + "</structure>",
            [{"Ports Id": ("1", "2"), "Ports Client": "", "Ports ": "x", "Version Major": ""}],
            id="structures in a structure",
        ),
    ],
)
def test_xml_is_read_structure_by_structure(root: str, records: list[dict[str, Any]]) -> None:
    assert told(xml_in(xml(root), 0)) == (records, True, [])


def test_what_stands_around_xml_is_told() -> None:
    lines = ["warning", "", *xml("<string>a</string>", behind="\n~ #")]
    found = xml_in(lines, 2)
    assert told(found) == ([{"value": "a"}], False, [BEFORE, "Behind the XML is a line that was not understood: '~ #'."])


@pytest.mark.parametrize("mark", ["<!DOCTYPE a>", "<!ENTITY b 'c'>"])
def test_xml_with_a_document_type_is_refused(mark: str) -> None:
    assert told(xml_in([mark, *xml("<string>a</string>")], 0)) == ([], False, ["It is XML with a document type, which is not read."])


def test_xml_may_be_nested_to_a_depth() -> None:
    assert told(xml_in(["<a>" * 64 + "</a>" * 64], 0)) == ([], True, [])
    assert told(xml_in(["<a>" * 65 + "</a>" * 65], 0)) == ([], False, ["It is XML that is nested too deeply."])


@pytest.mark.parametrize("cut", ["</output>", "</root>\n</output>"])
def test_nothing_of_torn_xml_is_kept(cut: str) -> None:
    found = xml_in("\n".join(xml("<string>a</string>")).removesuffix(cut).split("\n"), 0)
    assert (found.records, found.whole, len(found.problems)) == ([], False, 1)
    assert found.problems[0].startswith("It is not XML to the end: ")


def test_long_xml_is_read_to_its_end() -> None:
    entry = f"<structure>{field('A', '<string>' + 'x' * 1000 + '</string>')}</structure>"
    assert told(xml_in(xml(f"<list>{entry * 200}</list>"), 0)) == ([{"A": "x" * 1000}] * 200, True, [])


@pytest.mark.parametrize(
    ("text", "records"),
    [
        pytest.param("[]", [], id="an empty list"),
        pytest.param('" Enabled "', [{"value": "Enabled"}], id="a word"),
        pytest.param("[1, null]", [{"value": "1"}, {"value": ""}], id="values"),
        pytest.param(
            '{"A": " 1 ", "B": true, "C": false, "D": 0012.50}'.replace("0012.50", "12.50"),
            [{"A": "1", "B": "true", "C": "false", "D": "12.50"}],
            id="an object",
        ),
        pytest.param(
            '[{"A": 1e400, "B": NaN, "C": null}, {"A": 9007199254740993}]',
            [{"A": "1e400", "B": "NaN", "C": None}, {"A": "9007199254740993"}],
            id="numbers as they stand",
        ),
        pytest.param('{"None": [], "One": [" a "], "Two": ["a", 2, null]}', [{"None": "", "One": "a", "Two": ("a", "2", "")}], id="lists"),
        pytest.param(
            '{"P": [{"Id": 1, "C": "x"}, 7, {"Id": 2}], "V": {"Major": true}}',
            [{"P Id": ("1", "2"), "P C": "x", "V Major": "true"}],
            id="objects in an object",
        ),
        pytest.param('{"P": [{"Ids": ["x", {"a": "b"}]}]}', [{"P Ids": '["x", {"a": "b"}]'}], id="deeper ones as text"),
    ],
)
def test_json_is_read_object_by_object(text: str, records: list[dict[str, Any]]) -> None:
    assert told(json_in(text.split("\n"), 0)) == (records, True, [])


def test_what_stands_around_json_is_told() -> None:
    found = json_in(["warning", "[1", "]", "~ #" + "x" * 500], 1)
    assert found.records == [{"value": "1"}]
    assert (found.whole, found.problems[0]) == (False, BEFORE)
    assert found.problems[1] == f"Behind the JSON is a line that was not understood: '~ #{'x' * 197}...'."


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param('[{"A": 1', "It is not JSON to the end: ", id="torn"),
        pytest.param('{"A": 1, "A": 1}', "an object names a field twice", id="a field twice"),
        pytest.param("[" * 100_000, "It is JSON that is nested too deeply.", id="deep"),
    ],
)
def test_nothing_of_json_that_is_no_json_is_kept(text: str, problem: str) -> None:
    found = json_in([text], 0)
    assert (found.records, found.whole, len(found.problems)) == ([], False, 1)
    assert problem in found.problems[0]


@pytest.mark.parametrize(
    ("text", "is_read"), [("[[1, 2, 3]]", True), ("[[1, 2, 3, 4]]", False), ("[[], {}]", True), ("[[], {}, []]", False)]
)
def test_json_holds_so_much_at_most(text: str, is_read: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatted, "JSON_CONTAINERS", 3)
    monkeypatch.setattr(formatted, "JSON_VALUES", 2)
    found = json_in([text], 0)
    assert bool(found.records) is found.whole is is_read
    assert found.problems == ([] if is_read else ["It is JSON that holds too much."])


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("structure[0].Device.IsLocal.boolean=true", True),
        (" string=x ", False),
        ("a.string=", True),
        ("a.ip[3]=1", True),
        ("a.strings=x", False),
        ("1a.string=x", False),
        ("a b.string=x", False),
        ("a.string", False),
    ],
)
def test_a_line_of_keyvalue_ends_its_path_with_a_kind(line: str, is_one: bool) -> None:
    assert is_keyvalue(line) is is_one


def test_keyvalue_is_read_structure_by_structure() -> None:
    lines = [
        "warning",
        "structure[0].Device.Name.string= a ",
        "",
        "structure[0].Device.Uids.string[0]=x",
        "structure[0].Device.Uids.string[1]=y",
        "structure[0].Device.Ports.structure[0].Port.Id.integer=7",
        "structure[1].Device.Name.string=b=c",
    ]
    found = keyvalue_in(lines)
    assert found.records == [{"Name": "a", "Uids": ("x", "y"), "Ports Id": "7"}, {"Name": "b=c"}]
    assert (found.whole, found.problems, found.omits_empty_lists) == (True, ["A line was not understood: 'warning'."], True)


def test_keyvalue_of_one_structure_has_no_number() -> None:
    assert told(keyvalue_in(["Version.Product.string=ESXi", "Version.Update.integer=2"])) == (
        [{"Product": "ESXi", "Update": "2"}],
        True,
        [],
    )


@pytest.mark.parametrize(
    ("lines", "records", "problem"),
    [
        pytest.param(["structure[0].D.A.string=1", "rubbish"], [{"A": "1"}], "A line was not understood: 'rubbish'.", id="no pair"),
        pytest.param(
            ["structure[0].D.A.string=1", "structure[0].D.string=2"],
            [{"A": "1"}],
            "A line was not understood: 'structure[0].D.string=2'.",
            id="no field",
        ),
        pytest.param(
            ["structure[0].D.A.string=1", "structure[0].D.A.strings=2"],
            [{"A": "1"}],
            "A line was not understood: 'structure[0].D.A.strings=2'.",
            id="no kind",
        ),
        pytest.param(["structure[0].D.A.string=1"] * 2, [{"A": "1"}], "A value comes twice: 'structure[0].D.A.string'.", id="twice"),
        pytest.param(["structure[1].D.A.string=1"], [{"A": "1"}], "Some of the structures are missing.", id="not from the first"),
        pytest.param(
            ["structure[0].D.A.string=1", "structure[2].D.A.string=2"],
            [{"A": "1"}, {"A": "2"}],
            "Some of the structures are missing.",
            id="one left out",
        ),
    ],
)
def test_keyvalue_that_is_not_whole_is_doubted(lines: list[str], records: list[dict[str, Any]], problem: str) -> None:
    assert told(keyvalue_in(lines)) == (records, False, [problem])


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Name,Value,", ["Name", "Value"]),
        ("Name,", ["Name"]),
        (" Name,Max Size (MB),x-y_z/1 ", ["Name", "Max Size (MB)", "x-y_z/1"]),
        ("Name,Value", None),
        ("Name", None),
        ("Name: a,b,", None),
        ("Name,,Value,", None),
        ("1,2,", None),
        ("a" * 101 + ",b,", None),
    ],
)
def test_a_header_of_csv_is_names_with_commas(line: str, names: list[str] | None) -> None:
    assert csv_header(line) == names


KNOWN = known_of("x list", "Name, Value, Uplinks")


def test_csv_is_read_row_by_row() -> None:
    lines = ["warning", "Name,Value,Uplinks,Extra,", "", 'a,"1, 2","x,y,","p,q,", ', " b ,,,z,"]
    found = csv_in(lines, 1, KNOWN)
    assert found.records == [
        {"Name": "a", "Value": "1, 2", "Uplinks": ("x", "y"), "Extra": ("p", "q")},
        {"Name": "b", "Value": "", "Uplinks": "", "Extra": "z"},
    ]
    assert (found.names, found.whole, found.problems) == (["Name", "Value", "Uplinks", "Extra"], True, [BEFORE])


def test_a_comma_at_the_end_of_a_plain_field_is_its_own() -> None:
    assert csv_in(["Name,Value,", '"a,","b,",'], 0, KNOWN).records == [{"Name": "a,", "Value": "b,"}]
    assert csv_in(["Name,Value,", '"a,","b,",'], 0, UNKNOWN).records == [{"Name": "a", "Value": "b"}]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        pytest.param("Name,Value,", "a,b", id="no comma at the end"),
        pytest.param("Name,Value,", "a,", id="a cell too few"),
        pytest.param("Name,Value,", "a,b,c,", id="a cell too many"),
        pytest.param("Name,Value,", "a,b,c", id="a cell behind the last comma"),
        pytest.param("Name,Value,Uplinks", "a,b", id="too few without a comma at the end"),
        pytest.param("Name,Value,", 'a,"b,', id="a quotation that does not end"),
        pytest.param("Name,Value,", 'a,"b"c,', id="a letter behind a quotation"),
    ],
)
def test_a_row_of_csv_that_does_not_fit_is_doubted(header: str, row: str) -> None:
    found = csv_in([header, "x,y,z" if header.endswith("s") else "x,y,", row], 0, KNOWN)
    assert [record["Name"] for record in found.records] == ["x"]
    assert (found.whole, len(found.problems)) == (False, 1)
    assert found.problems[0].startswith("A row does not fit its columns: ")


def test_csv_without_rows_is_doubted() -> None:
    assert told(csv_in(["Name,Value,"], 0, KNOWN)) == ([], False, ["The table has a header and no rows."])


def test_data_begin_within_the_first_lines() -> None:
    assert begins_with(["x", "  <output", "<?xml"], "<?xml", "<output") == 1
    assert begins_with(["x"], "<?xml") is None
    assert begins_with([*["x"] * 100, "<?xml"], "<?xml") == 100
    assert begins_with([*["x"] * 101, "<?xml"], "<?xml") is None


@pytest.mark.parametrize(
    ("lines", "at"),
    [
        (["x", "[", "{"], 1),
        (['{"A": 1}'], 0),
        (["{}"], 0),
        (["[]"], 0),
        (["[[1]]"], 0),
        (['["a"]'], 0),
        (["[prod] data", "   Type: x"], None),
        (["{}", "   Type: x"], None),
        (["{", '   "A": 1'], 0),
        (["{", "   Type x"], 0),
        ([*["x"] * 100, "["], 100),
        ([*["x"] * 101, "["], None),
    ],
)
def test_json_begins_with_a_bracket_that_goes_on_as_json_does(lines: list[str], at: int | None) -> None:
    assert json_begins(lines) == at
