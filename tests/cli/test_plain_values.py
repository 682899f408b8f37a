"""Plain values are taken without pydantic, and come out as typer gives them."""

from __future__ import annotations

import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer import core
from typer.exceptions import TyperException

from auditor.cli.plain_values import _Builder, take_plain_values


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


LAST = (None, None, Colour.RED)
NAME = "build_runtime_param"
"""Of typer, which does not export it."""


def _parsed(text: str) -> str:
    if text == "refused":
        raise ValueError("refused: it is no such thing")
    return f"<{text}>"


def _given(arguments: list[str]) -> Any:
    """What a command gets for a command line, or the kind and the text of its error."""
    got: list[Any] = []
    app = typer.Typer()

    @app.command()
    def command(
        text: Annotated[str, typer.Option()] = "a",
        texts: Annotated[list[str] | None, typer.Option()] = None,
        path: Annotated[Path | None, typer.Option()] = None,
        there: Annotated[Path | None, typer.Option(exists=True)] = None,
        paths: Annotated[list[Path] | None, typer.Option()] = None,
        number: Annotated[int, typer.Option(min=1)] = 3,
        flag: Annotated[bool | None, typer.Option("--flag/--no-flag")] = None,
        colour: Annotated[Colour, typer.Option()] = Colour.RED,
        parsed: Annotated[Any, typer.Option(parser=_parsed)] = None,
    ) -> None:
        got.append((text, texts, path, there, paths, number, flag, parsed, colour))

    try:
        app(arguments, standalone_mode=False)
    except TyperException as error:
        return type(error).__name__, error.format_message()
    return got.pop()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ("a", None, None, None, None, 3, None, None, Colour.RED)),
        (["--text", "b", "--flag"], ("b", None, None, None, None, 3, True, None, Colour.RED)),
        (["--texts", "b", "--texts", "c"], ("a", ["b", "c"], None, None, None, 3, None, None, Colour.RED)),
        (
            ["--path", "no/such", "--paths", ".", "--paths", "x"],
            ("a", None, Path("no/such"), None, [Path(), Path("x")], 3, *LAST),
        ),
        (["--there", "/"], ("a", None, None, Path("/"), None, 3, None, None, Colour.RED)),
        (["--number", "7", "--no-flag", "--parsed", "z"], ("a", None, None, None, None, 7, False, "<z>", Colour.RED)),
        (["--colour", "blue"], ("a", None, None, None, None, 3, None, None, Colour.BLUE)),
        (["--colour", "green"], None),
        (["--number", "0"], None),
        (["--number", "many"], None),
        (["--there", "no/such"], None),
        (["--parsed", "refused"], None),
    ],
)
def test_values_come_out_as_typer_gives_them(
    arguments: list[str], expected: tuple[Any, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = getattr(getattr(core, NAME), "_build", getattr(core, NAME))
    monkeypatch.setattr(core, NAME, build)
    by_typer = _given(arguments)
    take_plain_values()
    assert isinstance(getattr(core, NAME), _Builder)
    assert _given(arguments) == by_typer
    if expected is not None:
        assert by_typer == expected
    else:
        assert by_typer[0] == "BadParameter"


@pytest.mark.long
def test_a_command_with_plain_values_imports_no_pydantic() -> None:
    program = (
        "import sys\nfrom auditor.cli import run\n"
        "assert run(['rules', 'list', '--rules', 'no-such-folder', '--tag', 'iscsi']) == 3\n"
        "sys.exit(40 + ('pydantic' in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False, capture_output=True).returncode == 40
