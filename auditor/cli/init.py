"""`auditor init`: a commented fleet.yaml to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditor.errors import ConfigurationError


def init(
    folder: Annotated[Path, typer.Option("--dir", metavar="DIR", help="The folder to write to; it must be there.")] = Path(),
) -> int:
    """Write a commented fleet.yaml, and the JSON Schema beside it by which editors complete and check it. No file is overwritten.

    Example: auditor init --dir audits
    """
    import json
    from importlib import resources

    from auditor.fleet_schema import FILE_NAME, fleet_schema

    text = (resources.files("auditor") / "fleet_template.yaml").read_text(encoding="utf-8")
    files = {folder / FILE_NAME: f"{json.dumps(fleet_schema(), indent=2)}\n", folder / "fleet.yaml": text}
    _write(files)
    print(f"wrote {', '.join(map(str, reversed(files)))}")
    print(f"Edit {folder / 'fleet.yaml'}, then: auditor doctor --fleet {folder / 'fleet.yaml'}")
    return 0


def _write(files: dict[Path, str]) -> None:
    """Write new files, all of them or none.

    Raises:
        ConfigurationError: one is there already, or the folder may not be written to.
    """
    written = []
    try:
        for path, text in files.items():
            with path.open("x", encoding="utf-8", newline="\n") as out:
                written.append(path)
                out.write(text)
    except OSError as error:
        for path in written:
            path.unlink()
        is_there = isinstance(error, FileExistsError)
        reason = "is there already" if is_there else f"cannot be written: {error.strerror or error}"
        raise ConfigurationError(
            f"{error.filename or path} {reason}",
            why="nothing was written: a file of yours is never overwritten.",
            do="move it away, or name another folder: auditor init --dir DIR"
            if is_there
            else "name another folder: auditor init --dir DIR",
        ) from error
