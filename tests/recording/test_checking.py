"""Originals are found in a bundle's text wherever they stand as whole words, however long the text is."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.recording import checking
from auditor.recording.checking import occurring, wanted_originals

TEXTS = st.text(alphabet="ab1_.- é²", max_size=30)


@pytest.mark.long
@given(text=TEXTS, cuts=st.lists(st.tuples(st.integers(0, 29), st.integers(1, 8))), others=st.sets(TEXTS), piece=st.integers(1, 9))
def test_a_name_is_found_where_no_letter_or_digit_is_right_before_or_after(
    text: str, cuts: list[tuple[int, int]], others: set[str], piece: int
) -> None:
    names = {text[start : start + size] for start, size in cuts} | others
    expected = set()
    for name in names:
        places = [found.start() for found in re.finditer(f"(?={re.escape(name)})", text)]
        around = [(text[max(place - 1, 0) : place], text[place + len(name) : place + len(name) + 1]) for place in places]
        if any(one.isalnum() for one in name) and any(not before.isalnum() and not after.isalnum() for before, after in around):
            expected.add(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checking, "_PIECE", piece)
        assert set(occurring(names, text)) == expected


@pytest.mark.long
def test_a_name_that_a_piece_of_the_text_would_end_in_is_found() -> None:
    size = checking._PIECE
    for before in range(size - 12, size + 2):
        assert list(occurring(["payroll-01"], f"{' ' * before}payroll-01 {'x' * 10}")) == ["payroll-01"]


def test_a_version_is_not_looked_for_and_an_address_is() -> None:
    originals = {
        "names": {"1.0.0": "4.0.0", "192.0.2.7": "10.1.2.3", "esx-payroll": "abc-defghij"},
        "replaced": {"ip": {"192.0.2.7": "10.1.2.3"}},
    }
    assert wanted_originals(originals) == {"192.0.2.7", "esx-payroll"}
