"""The columns of a table, and how a row is cut into cells, under the dashes and where it does not stand under them."""

from __future__ import annotations

import pytest

from auditor.endpoints.files.outputs.columns import groups_of, is_dashes, names_of, plausible, under
from auditor.endpoints.files.outputs.known import UNKNOWN, known_of
from auditor.endpoints.files.outputs.rows import cells_of

DASHES = "----  ------  ---------"
GROUPS = groups_of(DASHES)
PLAIN = ("name", "count", "isloaded")
KNOWN = known_of("x list", "Rule, Class, Rule Class, Plugin", filled="Rule")


@pytest.mark.parametrize("line", ["--", " ---  - ", "----  ------\t---------", "----  -"])
def test_a_line_of_dashes_is_groups_with_blanks_between(line: str) -> None:
    assert is_dashes(line)


@pytest.mark.parametrize("line", ["", "-", "- -", "-  --", "--x--", "a --", "\n", "- --"])
def test_other_lines_are_none(line: str) -> None:
    assert not is_dashes(line)


def test_groups_are_where_they_stand() -> None:
    assert groups_of(" --  ---- -") == [(1, 3), (5, 9), (10, 11)]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        pytest.param("Name  Count   Is Loaded", ["Name", "Count", "Is Loaded"], id="under the dashes"),
        pytest.param("Name   Count   Is Loaded", ["Name", "Count", "Is Loaded"], id="moved, with two blanks between"),
        pytest.param("Name Count Loaded", ["Name", "Count", "Loaded"], id="a word a column"),
        pytest.param("Name Count Is Loaded", None, id="more words than columns, of no known command"),
        pytest.param("Name", None, id="too few"),
    ],
)
def test_titles_are_those_under_the_dashes_or_as_many_pieces(header: str, names: list[str] | None) -> None:
    found = names_of(header, GROUPS, UNKNOWN)
    assert (None if found is None else list(found)) == names


@pytest.mark.parametrize(
    ("header", "dashes", "names"),
    [
        pytest.param("Rule Class Plugin", "-- --", ["Rule Class", "Plugin"], id="one way"),
        pytest.param("Rule Class Rule Class Plugin", "-- -- -- --", None, id="two ways"),
        pytest.param(
            "Rule Class Rule Class Plugin", "-- -- --", ["Rule Class", "Rule Class", "Plugin"], id="one of several ways has three"
        ),
        pytest.param("Rule Klass Plugin", "-- --", None, id="no title of the command"),
    ],
)
def test_words_are_joined_to_titles_of_the_command_in_one_way(header: str, dashes: str, names: list[str] | None) -> None:
    assert names_of(header, groups_of(dashes), KNOWN) == names


def test_a_header_of_very_many_words_is_not_tried() -> None:
    assert names_of("Rule Class " * 32, groups_of("-- " * 32), KNOWN) == ["Rule Class"] * 32
    assert names_of("Rule Class " * 33, groups_of("-- " * 33), KNOWN) is None


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        pytest.param("lpfc  12      true", ("lpfc", "12", "true"), id="at the left end"),
        pytest.param("lpfc      12       true", ("lpfc", "12", "true"), id="at the right end"),
        pytest.param("lpfc  12      true and a text", ("lpfc", "12", "true and a text"), id="the last is longer"),
        pytest.param("lpfc", ("lpfc", "", ""), id="the last are empty"),
        pytest.param("      123456", ("", "123456", ""), id="the first is empty"),
        pytest.param("", ("", "", ""), id="nothing"),
        pytest.param("lpfcx 12      true", None, id="longer than its dashes"),
        pytest.param("lpfc   12     true", None, id="in the middle"),
        pytest.param("lpfc x12      true", None, id="in a gap"),
        pytest.param("lpfc  12       true x", None, id="the last in the middle and longer"),
        pytest.param("lpfc       12   true", None, id="over the end"),
    ],
)
def test_a_row_is_cut_under_its_dashes(line: str, cells: tuple[str, ...] | None) -> None:
    assert under(line, GROUPS) == cells


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        pytest.param("lpfc  12      true", ("lpfc", "12", "true"), id="where it stands"),
        pytest.param("   lpfc  12      true", ("lpfc", "12", "true"), id="moved to the right as a whole"),
        pytest.param("lpfc   12   true", ("lpfc", "12", "true"), id="with other blanks between"),
        pytest.param("lpfc 12 true", ("lpfc", "12", "true"), id="joined, in one way"),
        pytest.param("a b c true", None, id="joined, in two ways"),
        pytest.param("lpfc 12 false", ("lpfc", "12", "false"), id="joined, and false"),
        pytest.param("lpfc 12  x true", None, id="two pieces that could be joined"),
        pytest.param("lpfc 12 maybe", None, id="joined, and no boolean"),
        pytest.param("lpfc 1234567 true", None, id="joined, and too long"),
        pytest.param("lpfc  12", ("lpfc", "12", ""), id="the last empty"),
        pytest.param("lpfc  12  x  y", None, id="a piece more"),
        pytest.param("lpfc                12       true", None, id="pieces that stand nearer to other columns"),
    ],
)
def test_a_row_that_was_moved_is_cut_in_the_one_way_that_fits(line: str, cells: tuple[str, ...] | None) -> None:
    assert cells_of(line, GROUPS, PLAIN) == cells


def test_a_row_that_was_moved_to_the_left_is_cut_under_its_dashes() -> None:
    groups = groups_of("  ----  ------")
    assert cells_of("lpfc  12 and   more", groups, PLAIN[:2]) == ("lpfc", "12 and   more")


def test_a_piece_far_from_the_ends_of_its_column_is_nearer_to_no_other() -> None:
    groups = groups_of("----------  ----------")
    assert cells_of("   aa            bb", groups, PLAIN[:2]) == ("aa", "bb")


FIVE = groups_of("--  --  --  --  --")


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        pytest.param("aa   bb   cc   dd   ee", ("aa", "bb", "cc", "dd", "ee"), id="a blank more between two columns"),
        pytest.param("aa    bb    cc    dd    ee", ("aa", "bb", "cc", "dd", "ee"), id="two blanks more"),
        pytest.param("aa     bb     cc     dd     ee", None, id="three blanks more"),
        pytest.param("aa   bb   cc   ddd   ee", None, id="a piece that has no room"),
        pytest.param("aa   bb   cc   d   ee", ("aa", "bb", "cc", "d", "ee"), id="a shorter piece"),
    ],
)
def test_a_table_that_was_spaced_anew_keeps_its_columns(line: str, cells: tuple[str, ...] | None) -> None:
    assert cells_of(line, FIVE, ("a", "b", "c", "d", "e")) == cells


@pytest.mark.parametrize(
    ("cells", "plain", "is_row"),
    [
        (("10", "true"), ("rule", "isloaded"), True),
        (("10", "False"), ("rule", "isloaded"), True),
        (("10", ""), ("rule", "isloaded"), True),
        (("10", "maybe"), ("rule", "isloaded"), False),
        (("", "true"), ("rule", "isloaded"), False),
        (("x", ""), ("class", "plugin"), True),
        (("x", "maybe"), ("class", "plugin"), True),
    ],
)
def test_a_row_has_what_is_never_empty_and_booleans_are_such(cells: tuple[str, ...], plain: tuple[str, ...], is_row: bool) -> None:
    assert plausible(cells, plain, KNOWN) is is_row
