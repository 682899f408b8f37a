"""The commands of the README, the tutorial and the how-tos exist, and so do their options; tests/long/docs runs them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from auditor.cli.app import app
from tests.docs.command_blocks import PAGES, Command, Written, commands, steps

OF_OTHERS = {"ansible-doc", "ansible-galaxy", "make", "python3", ".", "curl", "kubectl", "pipx", "promtool", "sha256sum", "uv"}
"""Programs besides auditor that a page may name, in blocks that are not run."""


@cache
def root() -> Any:
    return get_command(app)


@pytest.mark.parametrize(
    "command", [one for one in commands() if one.words[0] == "auditor"], ids=lambda one: f"{one.where} {' '.join(one.words[1:3])}"
)
def test_a_command_of_a_page_is_one_that_there_is(command: Command) -> None:
    parsed, words, context = root(), list(command.words[1:]), None
    while hasattr(parsed, "get_command"):
        context = parsed.context_class(parsed, info_name=words[0], parent=context, **parsed.context_settings)  # -h is one of them
        found = parsed.get_command(context, words[0])
        assert found is not None, f"{command.where}: there is no command {words[0]}"
        parsed, words = found, words[1:]
    parsed.make_context(command.words[-1], words, parent=context)  # raises where an option, or an argument, is none of its own


def test_what_is_not_run_says_why_and_everything_else_is_auditor() -> None:
    for command in commands():
        if command.words[0] != "auditor":
            assert command.not_run, (
                f"{command.where}: {command.words[0]} cannot be run by the test: say why before the block, <!-- not run: WHY -->"
            )
            assert command.words[0] in OF_OTHERS, command.where


def test_every_page_has_commands() -> None:
    assert [page.name for page in PAGES if page.name != "index.md" and not any(isinstance(step, Command) for step in steps(page))] == []


def test_blocks_are_read_as_their_page_marks_them(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```sh\nauditor a 'b c'   # a comment\n. .venv/bin/activate\n```\n\n<!-- not run: no time -->\n```sh\nmake x\n```\n"
        "<!-- file: one.yaml -->\n```yaml\nx: 1\n```\n```yaml\ny: 1\n```\n```console\nauditor c && auditor d\n```\n"
    )
    assert list(steps(page)) == [
        Command("page.md:2", ("auditor", "a", "b c")),
        Command("page.md:8", ("make", "x"), "no time"),
        Written("page.md:12", "one.yaml", "x: 1\n"),
        Command("page.md:18", ("auditor", "c")),
        Command("page.md:18", ("auditor", "d")),
    ]
