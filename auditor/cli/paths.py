"""Paths and places that options name: which of them the system can look at, and the folders that a command writes to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from auditor.store.address import Place
else:  # typer takes no union of types; the parser makes the value
    Place = Any


def parsed_place(text: str) -> Place:
    """A place that a person named: a path that is `possible`, or a store's."""
    from auditor.store.address import place_of  # when an option has a value: `auditor rules list` has none

    place = place_of(text)
    return possible(place) if isinstance(place, Path) else place


def parsed_local_place(text: str) -> Path:
    """Likewise, where only this machine will do."""
    from auditor.store.address import local_place_of

    return possible(local_place_of(text))


def possible(path: Path) -> Path:
    """`path`, whether it is there or not; refused where the system cannot even look.

    Raises:
        ConfigurationError: it is too long, leads through links in a circle, or has a character that no name has.
    """
    try:
        path.expanduser().stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigurationError(
            f"{path}: {getattr(error, 'strerror', None) or error}", why="nothing was read and no file was written.", do="name another path."
        ) from error
    return path


def possible_paths(paths: list[Path] | Path | None) -> list[Path] | Path | None:
    """A callback for paths that are read: each is `possible`."""
    for path in [paths] if isinstance(paths, Path) else paths or ():
        possible(path)
    return paths


def file_to_write(path: Path | None) -> Path | None:
    """A callback for the path of a file that a command writes: its folder is made, or the path refused, before any work begins."""
    from auditor.report.files import ready_file

    return None if path is None else ready_file(path.expanduser())


def folder_to_write(path: Place | None) -> Place | None:
    """A callback for a folder that a command writes to: one that cannot be made is refused before any work begins."""
    from auditor.report.files import ready_folder

    return ready_folder(path.expanduser()) if isinstance(path, Path) else path
