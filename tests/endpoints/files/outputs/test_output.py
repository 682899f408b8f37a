"""The records of one text while it is read, and what is said of those that were not."""

from __future__ import annotations

import pytest

from auditor.endpoints.files.outputs.output import Found, cell_of, shown
from auditor.endpoints.vcenter.esxcli_records import Cell


def test_records_are_a_table_of_all_their_fields() -> None:
    found = Found([{"Name": "a", "Max Size": "1"}, {"name": "b", "Other": ("x", "y")}, {"Max": None}], names=["Type", "Name"])
    table = found.table()
    assert table.names == ("Type", "Name", "Max Size", "Other", "Max")
    assert table.records == [
        (None, "a", "1", None, None),
        (None, "b", None, ("x", "y"), None),
        (None, None, None, None, None),
    ]


def test_names_of_signs_alone_are_names() -> None:
    table = Found([{"---": "a"}, {"***": "b"}]).table()
    assert (table.names, table.records) == (("---", "***"), [("a", None), (None, "b")])


def test_a_doubt_says_that_the_records_may_not_be_all_and_a_note_does_not() -> None:
    found = Found()
    found.note("one")
    assert (found.whole, found.sentences()) == (True, ("one",))
    found.doubt("two")
    assert (found.whole, found.sentences()) == (False, ("one", "two"))


def test_twenty_problems_are_kept_and_the_others_counted() -> None:
    found = Found()
    for number in range(20):
        found.note(str(number))
    assert found.sentences() == tuple(map(str, range(20)))
    found.note("20")
    assert found.sentences() == (*map(str, range(20)), "There are 1 more such problems.")
    found.doubt("21")
    assert found.sentences()[20:] == ("There are 2 more such problems.",)


def test_a_line_is_shown_up_to_its_first_200_letters() -> None:
    assert shown("  a b\n") == "'a b'"
    assert shown("a" * 200) == f"'{'a' * 200}'"
    assert shown("a" * 201) == f"'{'a' * 200}...'"


@pytest.mark.parametrize(
    ("texts", "cell"),
    [([], ""), ([" a "], "a"), ([" a", "b "], ("a", "b")), (["", ""], ("", ""))],
    ids=["none", "one", "two", "empty ones"],
)
def test_a_list_is_as_a_live_answer_has_it(texts: list[str], cell: Cell) -> None:
    assert cell_of(texts) == cell
