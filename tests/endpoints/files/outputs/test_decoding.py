"""Bytes that people send become the text that was meant, whatever editor or terminal they went through."""

import pytest

from auditor.endpoints.files.outputs.decoding import is_text, text_of

WORDS = "Naam: Größe\nnaa.6000 true\n"
PLAIN = "Device: naa.6000\n" * 3


@pytest.mark.parametrize(
    ("data", "text"),
    [
        pytest.param(b"", "", id="nothing"),
        pytest.param(WORDS.encode(), WORDS, id="UTF-8"),
        pytest.param(WORDS.encode("utf-8-sig"), WORDS, id="UTF-8 with a mark"),
        pytest.param(WORDS.encode("latin-1"), WORDS, id="Latin-1"),
        pytest.param(WORDS.encode("utf-16"), WORDS, id="UTF-16 with a mark"),
        pytest.param(b"\xfe\xff" + WORDS.encode("utf-16-be"), WORDS, id="UTF-16 with the other mark"),
        pytest.param(PLAIN.encode("utf-16-le"), PLAIN, id="UTF-16 without a mark"),
        pytest.param(PLAIN.encode("utf-16-be"), PLAIN, id="UTF-16 the other way round, without a mark"),
        pytest.param(PLAIN.encode("utf-16-le")[:-1], PLAIN[:-1], id="UTF-16 cut within a character"),
        pytest.param("Größe ö".encode()[:-1], "Größe ", id="UTF-8 cut within its last character"),
        pytest.param("ab€".encode()[:-1], "ab", id="UTF-8 cut two bytes into a character of three"),
        pytest.param("ö x".encode("latin-1") + "ö".encode()[:1], "ö xÃ", id="Latin-1 that ends like UTF-8"),
        pytest.param(b"x" + "ö".encode("latin-1") + b"yz", "xöyz", id="Latin-1 near the end"),
        pytest.param(b"a\r\nb\rc\r\r\nd\n\ne", "a\nb\nc\nd\n\ne", id="line ends of every kind"),
        pytest.param(b"\x1b[1;31mred\x1b[0m\x1b]0;title\x07 \x1b(Bplain", "red plain", id="sequences of terminals"),
        pytest.param(b"naa\x00.1", "naa.1", id="a NUL"),
        pytest.param("a\u00a0b\u202fc\u200bd\ufeffe\u2060".encode(), "a b cde", id="blanks and marks that no one sees"),
    ],
)
def test_bytes_become_the_text_that_was_meant(data: bytes, text: str) -> None:
    assert text_of(data) == text


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        pytest.param(b"", False, id="nothing"),
        pytest.param(b"plain \x1b[0m\r\n\tx", True, id="text of a terminal"),
        pytest.param(PLAIN.encode("utf-16-le"), True, id="UTF-16"),
        pytest.param(b"x" * 49 + b"\x01", True, id="one odd of fifty"),
        pytest.param(b"x" * 48 + b"\x01", False, id="one odd of forty-nine"),
        pytest.param(b"\x7fELF\x02\x01\x01" + b"x" * 20, False, id="a program"),
    ],
)
def test_a_file_is_a_text_where_hardly_a_character_is_none(head: bytes, expected: bool) -> None:
    assert is_text(head) is expected
