"""What `make check` leaves out of a search leaves nothing untried."""

from tests.depth import DEEP, thinned, thinned_pairs


def test_each_of_either_is_in_some_pair() -> None:
    pairs = thinned_pairs("abcd", range(9), 2)
    assert len(set(pairs)) == len(pairs) == (36 if DEEP else 18)
    assert {one for one, _ in pairs} == set("abcd")
    assert {other for _, other in pairs} == set(range(9))


def test_the_first_of_so_many_is_left() -> None:
    assert thinned("abcde", 2) == ("abcde" if DEEP else "ace")
