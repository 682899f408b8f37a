"""Renders reports in each format; decides nothing."""

from __future__ import annotations

import difflib
import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from auditor.errors import ConfigurationError
from auditor.report.files import refuse_unwritable, written_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from auditor.model import Report
    from auditor.report.terminal.totals import Commands

TABLE = "table"
"""The format for people; on a terminal it is one screen, unless every finding is requested."""
REPORTERS: Mapping[str, str] = {
    TABLE: "auditor.report.terminal.table:write_table",
    "json": "auditor.report.json.report:write_json",
    "json-full": "auditor.report.json.report:write_full_json",
    "csv": "auditor.report.formats.csv_report:write_csv",
    "sarif": "auditor.report.formats.sarif:write_sarif",
    "junit": "auditor.report.formats.junit:write_junit",
    "markdown": "auditor.report.formats.markdown:write_markdown",
    "frameworks": "auditor.report.formats.frameworks:write_frameworks",
    "ckl": "auditor.report.formats.ckl:write_ckl",
    "cklb": "auditor.report.formats.cklb:write_cklb",
    "openmetrics": "auditor.report.formats.openmetrics:write_openmetrics",
    "servicenow": "auditor.report.tickets.servicenow:write_incidents",
    "jira": "auditor.report.tickets.jira:write_issues",
    "html": "auditor.report.html.report:write_html",
}
"""Every report format: its name in ``--reporter``, and the function that writes it."""


@dataclass(frozen=True, slots=True)
class Destination:
    """One ``--reporter NAME[:PATH]``."""

    reporter: str
    path: Path | None  # None is standard output


def parse_reporter(text: str) -> Destination:
    """The destination that ``NAME`` or ``NAME:PATH`` describes; no path, or ``-``, is standard output.

    Raises:
        ConfigurationError: there is no such format, no path after the colon, or the path cannot be written.
    """
    name, colon, place = text.partition(":")
    if name not in REPORTERS:
        nearest = difflib.get_close_matches(name.lower(), REPORTERS, n=1)
        hint = f'; did you mean "{nearest[0]}"?' if nearest else ""
        raise ConfigurationError(
            f'--reporter {text}: there is no report format "{name}"{hint}',
            why="nothing was read or judged: the requested report could not have been written.",
            do=f"use one of {', '.join(REPORTERS)}, with a path after a colon to write a file.",
        )
    if colon and not place:
        raise ConfigurationError(
            f"--reporter {text}: no path after the colon",
            why="nothing was read or judged: it is not clear where to write the report.",
            do=f"--reporter {name}:PATH writes a file, --reporter {name}:- standard output.",
        )
    if place in {"", "-"}:
        return Destination(name, None)
    path = Path(place).expanduser()
    refuse_unwritable(path)
    return Destination(name, path)


def parse_reporters(texts: Sequence[str]) -> tuple[Destination, ...]:
    """The destinations of every ``--reporter`` of a command line; without one, a table on standard output.

    Raises:
        ConfigurationError: as `parse_reporter`, and when two reports would be written to the same place.
    """
    destinations = tuple(parse_reporter(text) for text in texts) or (Destination(TABLE, None),)
    taken: dict[Path | None, str] = {}
    for destination in destinations:
        place = destination.path.resolve() if destination.path else None
        if place in taken:
            raise ConfigurationError(
                f"--reporter {taken[place]} and {destination.reporter} both write to {place or 'standard output'}",
                why="nothing was read or judged: one report would have overwritten the other.",
                do=f"give one of them a path of its own, for example --reporter {destination.reporter}:PATH.",
            )
        taken[place] = destination.reporter
    return destinations


def writer_of(reporter: str) -> Callable[[Report, TextIO], None]:
    """The function that writes the format `reporter`; imports its module now."""
    module, _, name = REPORTERS[reporter].partition(":")
    writer: Callable[[Report, TextIO], None] = getattr(importlib.import_module(module), name)
    return writer


def write_report(
    report: Report, destination: Destination, stdout: TextIO, *, details: bool = True, commands: Commands | None = None
) -> None:
    """Write `report` to `destination`; a file is written completely or not at all.

    Args:
        report: what to write.
        destination: in which format, and where.
        stdout: standard output.
        details: whether a table on standard output has every finding, or the most important on one screen. A file has every finding.
        commands: what a reader of a table types to go on; None: what can be guessed from the report.

    Raises:
        ConfigurationError: the path cannot be written.
        BrokenPipeError: the reader of standard output has closed it.
    """
    write = writer_of(destination.reporter)
    if destination.path is None:
        if destination.reporter == TABLE:
            from auditor.report.terminal.first_screen import write_first_screen
            from auditor.report.terminal.table import write_table

            (write_table if details else write_first_screen)(report, stdout, commands)
        else:
            write(report, stdout)
        stdout.flush()
        return
    with written_whole(destination.path) as out:
        write(report, out)
