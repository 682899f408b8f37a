"""`make pictures`, but for the pictures: a terminal's output is recorded and drawn."""

import json
from pathlib import Path

import pytest

from auditor import __version__
from docsite.pictures import COLUMNS, LINES, drawn, recorded


@pytest.mark.long
def test_a_recording_has_what_is_typed_and_what_comes(tmp_path: Path) -> None:
    head, *events = [json.loads(line) for line in recorded([("--version",)], tmp_path).splitlines()]
    assert (head["version"], head["width"], head["height"]) == (2, COLUMNS, LINES)
    assert [kind for _, kind, _ in events] == ["o"] * len(events)
    assert [seconds for seconds, _, _ in events] == sorted(seconds for seconds, _, _ in events)
    assert "".join(text for _, _, text in events) == f"$ auditor --version\r\nauditor {__version__}\r\n$ "


def test_a_drawn_terminal_has_its_colours_and_loads_nothing() -> None:
    svg = drawn("\x1b[1;31mHIGH\x1b[0m plain\r\nsecond line\r\n", "a title")
    assert "HIGH" in svg
    assert "second&#160;line" in svg
    assert "a&#160;title" in svg or "a title" in svg
    assert svg.count("http") == svg.count("http://www.w3.org/")
    assert "url(" not in svg.replace("url(#", "")


def test_the_pictures_have_no_path_or_name_of_the_machine_that_made_them() -> None:
    docs = Path(__file__).parents[2] / "docs"
    for name in ("terminal.svg", "tutorial.cast"):
        text = (docs / name).read_text(encoding="utf-8")
        assert "lab.example" in text
        assert not any(word in text for word in ("/home/", "/root/", "/tmp/", "/work/", str(Path.home())))
