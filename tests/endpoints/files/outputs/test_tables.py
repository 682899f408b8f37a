"""The table form: header, dashes and rows, whole or broken into several tables; each record was typed from its text."""

from __future__ import annotations

import pytest

from auditor.endpoints.files.outputs.known import UNKNOWN, by_fields, known_of
from auditor.endpoints.files.outputs.output import Found
from auditor.endpoints.files.outputs.tables import tables_in
from auditor.endpoints.vcenter.esxcli_records import Cell

KNOWN = known_of("x list", "Name, Is Loaded, Size, Uid", filled="Name")
MODULES = "Name  Is Loaded  Size\n----  ---------  ----\nlpfc       true     5\nqla   false        6\n"


def read(text: str) -> Found:
    return tables_in(text.split("\n"), KNOWN)


def told(found: Found) -> tuple[list[dict[str, Cell]], list[str], bool]:
    return found.records, found.problems, found.whole


RECORDS: list[dict[str, Cell]] = [
    {"Name": "lpfc", "Is Loaded": "true", "Size": "5"},
    {"Name": "qla", "Is Loaded": "false", "Size": "6"},
]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(MODULES, id="as it is"),
        pytest.param(MODULES.replace("----\n", "----\n\n"), id="with blank lines"),
        pytest.param("Name\tIs Loaded\tSize\n----\t---------\t----\nlpfc\ttrue\t5\nqla\t false\t6 \n", id="with tabs between"),
        pytest.param(MODULES.replace("qla   false        6", "qla\t  false     6"), id="a tab in a row"),
    ],
)
def test_a_row_is_a_record(text: str) -> None:
    found = read(text)
    assert told(found) == (RECORDS, [], True)
    assert list(found.names) == ["Name", "Is Loaded", "Size"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        pytest.param("      true          7", "'true          7'", id="a name that is empty"),
        pytest.param("abc   maybe         7", "'abc   maybe         7'", id="no boolean"),
        pytest.param("abc    x true     7", "'abc    x true     7'", id="a cell that stands elsewhere"),
        pytest.param("Name  Is Loaded  Size", "'Name  Is Loaded  Size'", id="the header again"),
        pytest.param("Name  Uid", "'Name  Uid'", id="the header of another part"),
    ],
)
def test_a_row_that_does_not_fit_is_doubted_and_left_out(row: str, problem: str) -> None:
    found = read(f"{MODULES}{row}\nzzz   true          8\n")
    assert told(found) == (
        [*RECORDS, {"Name": "zzz", "Is Loaded": "true", "Size": "8"}],
        [f"A row does not fit its columns: {problem}."],
        False,
    )


def test_a_row_with_tabs_has_a_cell_for_each_column() -> None:
    found = read("Name\tSize\n----\t----\nlpfc\t5\nqla\n\t\t6\nabc\t\n")
    assert told(found) == (
        [{"Name": "lpfc", "Size": "5"}, {"Name": "abc", "Size": ""}],
        ["A row does not fit its columns: 'qla'.", "A row does not fit its columns: '6'."],
        False,
    )


def test_the_last_line_may_be_a_header_that_was_cut() -> None:
    found = read(f"{MODULES}Name  Is Loa")
    assert (found.records, found.whole) == (RECORDS, False)


SIZES = "Name  Size\n----  ----\na     5\n"


@pytest.mark.parametrize(
    ("behind", "rows", "problem"),
    [
        pytest.param("Name  Uid\nb     6\n", [("a", "5"), ("b", "6")], "'Name  Uid'", id="titles of the command"),
        pytest.param("Name  Size\nb     6\n", [("a", "5"), ("b", "6")], "'Name  Size'", id="its own titles"),
        pytest.param("Name  Ui", [("a", "5")], "'Name  Ui'", id="cut in its last title"),
        pytest.param("Name  Ui\nb     6", [("a", "5"), ("Name", "Ui"), ("b", "6")], "", id="no title, and not the last line"),
        pytest.param("x     Uid\nb     6", [("a", "5"), ("x", "Uid"), ("b", "6")], "", id="one title only"),
        pytest.param("Name  7\nb     6", [("a", "5"), ("Name", "7"), ("b", "6")], "", id="another title only"),
    ],
)
def test_a_header_that_lost_its_dashes_is_no_row(behind: str, rows: list[tuple[str, str]], problem: str) -> None:
    found = read(SIZES + behind)
    assert [(record["Name"], record["Size"]) for record in found.records] == rows
    assert found.problems == ([f"A row does not fit its columns: {problem}."] if problem else [])


def test_a_table_that_a_terminal_broke_is_put_together_or_doubted() -> None:
    text = (
        "Name                                  Size\n  Uid\n------------------------------------  ----\n  ---\n"
        "lpfc                                     5\n    a\n"
    )
    command = known_of("x list", "Name, Size, Uid", filled="Name, Uid")
    found = tables_in(text.split("\n"), command)
    assert told(found) == ([{"Name": "lpfc", "Size": "5", "Uid": "a"}], [], True)
    doubted = tables_in(text.replace("Uid", "Xyz").split("\n"), command)
    message = "The table was broken at the width of a terminal, and it is not certain what belongs together."
    assert told(doubted) == ([], [message], False)


def test_a_table_without_rows_is_doubted() -> None:
    found = read("\n".join(MODULES.split("\n")[:2]))
    assert told(found) == ([], ["The table has a header and no rows."], False)
    assert list(found.names) == ["Name", "Is Loaded", "Size"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("a\n----  ----\nx     y\n", "'a'", id="too few titles"),
        pytest.param("Name  name\n----  ----\nx     y\n", "'Name  name'", id="a title twice"),
        pytest.param("Name\tSize\tUid\n----\t----\nx\ty\n", "'Name\\tSize\\tUid'", id="too many titles with tabs"),
        pytest.param("Name\t\n----\t----\nx\ty\n", "'Name'", id="an empty title with tabs"),
    ],
)
def test_a_header_that_is_not_understood_makes_no_table(text: str, problem: str) -> None:
    found = read(text)
    assert found.records == []
    assert found.problems == [f"The header of a table was not understood: {problem}.", "The table has no header that was understood."]
    assert not found.whole


@pytest.mark.parametrize("text", ["----  ----\nx     y\n", "\n----  ----\nx     y\n"], ids=["in the first line", "behind a blank line"])
def test_dashes_without_a_header_make_no_table(text: str) -> None:
    found = read(text)
    assert found.records == []
    assert found.problems[-1] == "The table has no header that was understood."


def test_what_stands_before_a_table_is_noted() -> None:
    found = read(f"one\n\ntwo\n{MODULES}")
    assert told(found) == (RECORDS, [f"A line before the table was not understood: '{line}'." for line in ("one", "two")], True)


SECOND = "Uid\n---\na\nb\n"


def test_tables_of_other_columns_and_as_many_rows_are_one() -> None:
    found = read(f"{MODULES}\n{SECOND}")
    assert told(found) == ([{**RECORDS[0], "Uid": "a"}, {**RECORDS[1], "Uid": "b"}], [], True)
    assert list(found.names) == ["Name", "Is Loaded", "Size", "Uid"]


def test_a_row_of_which_a_part_does_not_fit_is_left_out() -> None:
    found = tables_in((MODULES.replace("false", "maybe") + SECOND).split("\n"), KNOWN)
    assert found.records == [{**RECORDS[0], "Uid": "a"}]
    assert not found.whole


@pytest.mark.parametrize("second", ["Uid\n---\na\n", "Name\n----\na\nb\n"], ids=["fewer rows", "a column again"])
def test_tables_that_do_not_fit_beside_each_other_are_doubted(second: str) -> None:
    found = read(f"{MODULES}{second}")
    assert told(found) == (RECORDS, ["There are several tables that do not fit beside each other; only the first was used."], False)


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


@pytest.mark.parametrize(
    ("fields", "command"),
    [
        pytest.param("hbaname driver linkstate uid", "storage core adapter list", id="its fields"),
        pytest.param("hbaname driver linkstate uid ofanewerrelease", "storage core adapter list", id="and one more"),
        pytest.param("hbaname driver", "", id="too few of them"),
        pytest.param("", "", id="none"),
        pytest.param("name defaultpsp description", "storage nmp satp list", id="fewer than another command has"),
        pytest.param(
            "name device vendor model rulegroup claimoptions defaultpsp pspoptions description",
            "storage nmp satp rule list",
            id="more than another command has",
        ),
    ],
)
def test_fields_tell_the_command_that_agrees_best(fields: str, command: str) -> None:
    known = by_fields(names(fields))
    assert known.command == command
    assert (known is UNKNOWN) is (command == "")
