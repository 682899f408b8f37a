"""Every mistake of a file is found at once, each at its key path, and no secret is repeated."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pytest
from msgspec import Meta, field

from auditor.errors import ConfigurationError
from auditor.yaml.reading import load_yaml
from auditor.yaml.shapes import Mistake, Shape, Text, decode, mistakes_error


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


class Part(Shape):
    name: Text
    size: Annotated[int, Meta(ge=1, le=9, description="a whole number from 1 to 9")] = 1

    def problem(self) -> str:
        return "is too large for its name" if self.size > len(self.name) else ""


class Whole(Shape, kw_only=True):
    title: Text
    colour: Colour = Colour.RED
    parts: tuple[Part, ...] = ()
    by_name: Mapping[str, Part | None] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    command: Annotated[tuple[str, ...], Meta(min_length=1, description="a list of words")] | None = None
    note: Text | None = None
    first: Part | None = None
    anything: Any = None


SOUND = {
    "title": "t",
    "colour": "green",
    "parts": [{"name": "abc", "size": 2}],
    "by_name": {"x": {"name": "x"}},
    "words": ["a"],
    "anything": [1],
}
KEYS = "anything, by_name, colour, command, first, note, parts, title, words"
SIZE = '"size" must be a whole number from 1 to 9'
TOO_LARGE = 'item 1 of "parts" is too large for its name'


def test_sound_data_arrives_whole() -> None:
    whole, mistakes = decode(SOUND, Whole)
    assert not mistakes
    assert (whole.title, whole.colour, whole.parts, whole.words, whole.anything) == ("t", Colour.GREEN, (Part("abc", 2),), ("a",), [1])
    assert whole.by_name == {"x": Part("x")}


@pytest.mark.parametrize(
    ("data", "at", "what"),
    [
        pytest.param({"titel": "t"}, ("titel",), 'unknown key "titel"; did you mean "title"?', id="a key misspelt"),
        pytest.param({"title": None}, ("title",), '"title" is missing', id="a key without a value"),
        pytest.param({"title": "  "}, ("title",), '"title" must be text', id="blanks"),
        pytest.param({"title": 5}, ("title",), '"title" must be text', id="a number for text"),
        pytest.param({"colour": "gren"}, ("colour",), 'there is no colour "gren"; did you mean "green"?', id="a word of a list misspelt"),
        pytest.param({"parts": {}}, ("parts",), '"parts" must be a list', id="keys for a list"),
        pytest.param({"parts": ["x"]}, ("parts", 0), 'item 1 of "parts" must be keys with values', id="text for keys"),
        pytest.param({"parts": [{"name": "a"}, {}]}, ("parts", 1, "name"), '"name" is missing', id="missing in a list"),
        pytest.param({"parts": [{"name": "a", "size": 0}]}, ("parts", 0, "size"), SIZE, id="too small"),
        pytest.param({"parts": [{"name": "a", "size": True}]}, ("parts", 0, "size"), SIZE, id="truth"),
        pytest.param({"parts": [{"name": "a", "size": 2}]}, ("parts", 0), TOO_LARGE, id="two keys together"),
        pytest.param({"by_name": []}, ("by_name",), '"by_name" must be keys with values', id="a list for keys"),
        pytest.param({"by_name": {"x": {"nme": "x", "name": "x"}}}, ("by_name", "x", "nme"), "did you mean", id="a key misspelt, deep"),
        pytest.param({"words": ["a", 5]}, ("words", 1), 'item 2 of "words" must be text', id="a number in a list of words"),
        pytest.param({"command": []}, ("command",), '"command" must be a list of words', id="nothing in a list of something"),
        pytest.param({"command": [5]}, ("command", 0), 'item 1 of "command" must be text', id="a number in a list of something"),
        pytest.param({"first": 5}, ("first",), '"first" must be keys with values', id="a number for optional keys"),
    ],
)
def test_a_mistake_is_found_where_it_is(data: dict[str, Any], at: tuple[str | int, ...], what: str) -> None:
    _, mistakes = decode({"title": "t", **data}, Whole)
    assert [mistake.at for mistake in mistakes] == [at]
    assert what in mistakes[0].what


def test_what_a_mistake_left_unread_is_its_default_or_blank() -> None:
    whole, mistakes = decode({"colour": "blue", "parts": [5], "words": 5, "by_name": {"x": None}, "first": {}}, Whole, "deep", 3)
    assert len(mistakes) == 5
    assert all(mistake.at[:2] == ("deep", 3) for mistake in mistakes)
    assert (whole.title, whole.parts, whole.words, whole.by_name, whole.note) == ("", (Part(""),), (), {"x": None}, None)


def test_a_value_is_never_repeated_where_no_list_of_words_was_meant() -> None:
    _, mistakes = decode({"title": {"hunter2": "hunter2"}, "words": [{"hunter2": 1}], "note": ["hunter2"]}, Whole)
    assert len(mistakes) == 3
    assert "hunter2" not in str(mistakes)


@pytest.mark.long
def test_an_error_names_the_mistakes_in_the_order_of_their_lines_and_not_more_than_twenty(tmp_path: Path) -> None:
    path = tmp_path / "file.yaml"
    path.write_text("title: t\n" + "".join(f"key{number}: 1\n" for number in range(25)), encoding="utf-8")
    document = load_yaml(path, ConfigurationError, why="")
    _, mistakes = decode(document.data, Whole)
    error = mistakes_error(reversed(mistakes), document, ConfigurationError, why="nothing was read.")
    lines = error.what.splitlines()
    assert (lines[0], lines[-1].strip(), len(lines)) == (f'{path}:2: unknown key "key0"; known: {KEYS}', "... and 5 more", 21)
    assert (error.why, error.do) == ("nothing was read.", f"correct these 25 lines of {path}.")
    one = mistakes_error([Mistake(("title",), "is odd")], document, ConfigurationError, why="")
    assert (one.what, one.do) == (f"{path}:1: is odd", f"correct line 1 of {path}.")
