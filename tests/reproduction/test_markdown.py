"""The guard notes show names of the fleet as text, wherever a line of them ends."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from auditor.model import Lesson
from auditor.reproduction.files import files_of
from tests.reproduction.test_bounds import FOLDER, situation

ODD = "![i](https://e.example/i.png) [l](https://e.example/l) <img src=x>"


@pytest.mark.parametrize("before", ["- ", "# ", "> ", "1. ", "+ ", "--- ", "``` "])
def test_a_name_that_would_begin_a_block_on_a_line_of_its_own_is_text(before: str) -> None:
    for length in range(0, 60, 3):
        name = f"{'x' * length} {before}{ODD}"
        odd = replace(situation(Lesson.THROTTLED_NEIGHBOUR), datastores=(name,), neighbours=(name,), hosts=(name,), arrays=(name,))
        tokens = MarkdownIt("commonmark").parse(files_of(odd, FOLDER, "By hand.", "a-run")["README.md"])
        inner = [child for token in tokens for child in (token, *(token.children or ()))]
        assert not [one for one in inner if one.type in ("link_open", "image", "html_inline", "html_block", "fence", "blockquote_open")]
