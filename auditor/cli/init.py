"""`auditor init`: a commented fleet.yaml, jobs.yaml or settings.yaml to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditor.cli.paths import folder_to_write
from auditor.errors import ConfigurationError
from auditor.system.shell import password_to_environment, quoted


def init(
    folder: Annotated[
        Path, typer.Option("--dir", metavar="DIR", callback=folder_to_write, help="The folder to write to; it must be there.")
    ] = Path(),
    jobs: Annotated[bool, typer.Option("--jobs", help="Write jobs.yaml, for `auditor schedule`, instead of fleet.yaml.")] = False,
    settings: Annotated[
        bool, typer.Option("--settings", help="Write settings.yaml, which declares settings, instead of fleet.yaml.")
    ] = False,
) -> int:
    """Write a commented fleet.yaml, and beside it the JSON Schema that lets editors complete and check it. No file is overwritten.

    Example: auditor init --dir audits

    Example: auditor init --jobs

    Example: auditor init --settings
    """
    import json
    from importlib import resources

    from auditor.fleet import schema as fleet_schema
    from auditor.fleet import settings_schema
    from auditor.fleet.settings_file import FILE_NAME as SETTINGS_FILE
    from auditor.job import jobs_schema
    from auditor.job.jobs_file import FILE_NAME

    if jobs and settings:
        raise ConfigurationError("--jobs and --settings do not go together", why="nothing was written.", do="give one of them at a time.")
    name, room, schema, beside = "fleet.yaml", "fleet", fleet_schema.fleet_schema, fleet_schema.FILE_NAME
    if jobs:
        name, room, schema, beside = FILE_NAME, "job", jobs_schema.jobs_schema, jobs_schema.FILE_NAME
    if settings:
        name, room, schema, beside = SETTINGS_FILE, "fleet", settings_schema.settings_schema, settings_schema.FILE_NAME
    text = (resources.files("auditor") / room / name.replace(".", "_template.")).read_text(encoding="utf-8")
    files = {folder / beside: f"{json.dumps(schema(), indent=2)}\n", folder / name: text}
    _write(files)
    print(f"wrote {', '.join(map(str, reversed(files)))}")
    place = quoted(str(folder / name))
    then = f"auditor schedule --jobs {place} --once" if jobs else f"auditor doctor --fleet {place}"
    then = "auditor audit --fleet fleet.yaml --tag declared, with fleet.yaml in the same folder" if settings else then
    if not (jobs or settings):
        print(f"{{env: VC_EAST_PASSWORD}} reads what this puts into your shell: {password_to_environment('VC_EAST_PASSWORD')}")
    print(f"Edit {folder / name}, then: {then}")
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
