"""`auditor endpoints`: kinds of arrays that auditor does not know yet."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options
from auditor.errors import ConfigurationError

app = typer.Typer(help="Kinds of arrays that auditor does not know yet.", no_args_is_help=True)


@app.callback()
def _endpoints() -> None:
    """Keeps `new` a word of its own: typer would make a lone command the whole program."""


@app.command("new")
def new(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="What fleet.yaml will call it, for example acme-disk.")],
    directory: Annotated[
        Path, typer.Option("--dir", metavar="DIR", callback=options.folder_to_write, help="The folder that the package's folder goes into.")
    ] = Path(),
) -> int:
    """Write a package that reads another kind of array. As written it reads a made-up array and passes the contract tests.

    Example: auditor endpoints new acme-disk --dir ~/src
    """
    from auditor.authoring.plugin_skeleton import skeleton
    from auditor.model import EndpointKind
    from auditor.model.plugin_families import KIND_FORM

    why = "no file was written."
    if not re.fullmatch(KIND_FORM, kind):
        raise ConfigurationError(
            f'"{kind}" is not small letters, digits and single hyphens, beginning with a letter',
            why=why,
            do="for example: auditor endpoints new acme-disk",
        )
    if kind in list(EndpointKind):
        raise ConfigurationError(f'auditor itself reads the kind "{kind}"', why=why, do="choose another name.")
    folder = directory / f"auditor-{kind}"
    try:
        folder.mkdir(parents=True)
        for name, text in skeleton(kind).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as failure:
        raise ConfigurationError(
            f"cannot write {folder}: {failure.strerror or failure}",
            why="the package is not there, or not whole.",
            do="name another folder.",
        ) from failure
    print(f"{folder}: install it with `python3 -m pip install -e '{folder}[test]'`, then run `python3 -m pytest` there")
    return 0
