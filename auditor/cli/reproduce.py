"""`auditor reproduce`: files with which a person shows a finding, and its cure, by load on a test machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.cli.paths import folder_to_write
from auditor.errors import ConfigurationError
from auditor.reproduction.bounds import DEFAULT_TEST_FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.history.kept_run import KeptRun
    from auditor.model import Finding


def reproduce(
    finding: Annotated[list[str], typer.Argument(metavar="FINDING", help="Its id or the beginning of it, or RULE RESOURCE.")],
    out: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", callback=folder_to_write, help="The folder to write to; it must be new or empty."),
    ],
    run: options.Run = None,
    test_dir: Annotated[
        str, typer.Option("--test-dir", metavar="PATH", help="The folder inside the test machine that the load's file is made in.")
    ] = DEFAULT_TEST_FOLDER,
    reads: Annotated[
        int | None,
        typer.Option(
            "--reads",
            metavar="PERCENT",
            min=0,
            max=100,
            help="The share of reads in a load that reaches an array's ceiling.",
            show_default="0",
        ),
    ] = None,
    rules: options.Rules = None,
    state_dir: options.StateDir = None,
) -> int:
    """Write fio and ioping files, with guard notes, that show a finding and its cure. Nothing is started.

    Example: auditor reproduce 1a2b3c4d --out reproduce-1a2b3c4d --test-dir /mnt/test

    Example: auditor reproduce vvol/pe-dsnro-headroom esx-01/naa.6f47acc100000000 --out here
    """
    from auditor.history.finding_runs import run_with_finding
    from auditor.history.runs import report_of_run
    from auditor.history.state import state_directory
    from auditor.pipeline.policy import load_rule_set
    from auditor.report.wording import neutral
    from auditor.reproduction.bounds import checked_folder, checked_reads
    from auditor.reproduction.files import files_of
    from auditor.reproduction.lessons import lesson_of, why_not
    from auditor.reproduction.situation import situation_of

    folder = checked_folder(test_dir)
    kept = run_with_finding(state_directory(state_dir, to_read=True), finding, run)
    report = report_of_run(kept)
    finding_id, found = the_finding(kept, finding)
    rule = load_rule_set(rules or []).rules.get(found.rule)
    reproduction = rule.reproduction if rule is not None else None
    lesson = lesson_of(reproduction, found)
    if lesson is None:
        print(f"{finding_id} ({neutral(found.rule)}): no load shows it: {why_not(reproduction)} Nothing was written.")
        return 0
    read_percent = checked_reads(reads, lesson)
    datastores, neighbours = _shared(kept, found)
    fix_text = next((rule.fix_text for rule in report.rules if rule.id == found.rule), "")
    files = files_of(situation_of(finding_id, found, lesson, datastores, neighbours), folder, fix_text, kept.id, read_percent)
    _write(out, files)
    print(f"wrote {', '.join(files)} to {out}; nothing was started. Read {out / 'README.md'} first.")
    return 0


def the_finding(kept: KeptRun, words: list[str]) -> tuple[str, Finding]:
    """The id and the finding of a run that `words` name.

    Raises:
        ConfigurationError: none, or several.
    """
    from auditor.history.runs import report_of_run
    from auditor.report.finding_ids import named_finding
    from auditor.report.wording import neutral

    named = named_finding(report_of_run(kept), words) if len(words) in (1, 2) else None
    if named is None:
        raise ConfigurationError(
            f'run {kept.id} has no finding "{neutral(" ".join(words))}"',
            why="nothing was written.",
            do="give the id that reports show beside each finding (four digits at least), or RULE RESOURCE; --run names an older run.",
        )
    return named


def _shared(kept: KeptRun, found: Finding) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The datastores and disks beside what the finding is about; none where the run kept no snapshot."""
    from auditor.impact.saved_rows import opened_views
    from auditor.reproduction.neighbours import VIEWS, shared_by

    if kept.snapshot is None:
        return (), ()
    with opened_views(kept.snapshot, VIEWS) as ask:
        return shared_by(found, ask)


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files; scripts may be started by their names.

    Raises:
        ConfigurationError: the folder holds something, or cannot be written.
    """
    from auditor.report.files import written_whole

    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = next(folder.iterdir(), None)
    except OSError as error:
        raise ConfigurationError(
            f"cannot write to {folder}: {error.strerror or error}", why="no file was written.", do="name a folder that you may write to."
        ) from error
    if taken is not None:
        raise ConfigurationError(
            f"{folder} is not empty: it holds {taken.name}",
            why="no file was written: loads of two findings would be mixed.",
            do="name a new folder with --out.",
        )
    for name, text in files.items():
        with written_whole(folder / name, mode=0o777 if name.endswith(".sh") else 0o666) as file:
            file.write(text)
