"""Commands that repeat a kept run: audit the same again, fix it, and check its endpoints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.history.folders import RUN_FILE, RUNS_FOLDER
from auditor.history.kept_run import read_kept
from auditor.model import EndpointKind
from auditor.system.shell import quoted

if TYPE_CHECKING:
    from auditor.history.kept_run import KeptRun
    from auditor.model import Report

_DEMO = ("auditor", "demo")
_BUNDLE = "--bundle"
"""Of a demo whose hosts are read from support bundles: the same fleet can be fixed without it."""


@dataclass(frozen=True, slots=True)
class RepeatCommands:
    """The commands that audit again what a kept run audited.

    Attributes:
        audit: the command.
        fix: the command that changes it once --fix follows; "" where it was read from what is saved, which cannot be changed.
        plan: what prints the changes as commands, where hosts were read from files; "" elsewhere.
        doctor: what looks at its endpoints; "" where no file says which they are.
    """

    audit: str
    fix: str = ""
    plan: str = ""
    doctor: str = ""


def repeat_commands(run: KeptRun, report: Report, fleet: Path | None = None) -> RepeatCommands:
    """The commands for `run`, whose report is `report`.

    Args:
        run: a finished run.
        report: what it reported.
        fleet: the fleet's file, where another one is to be read than the run did.
    """
    words = run.along.again or (_DEMO if run.along.is_demo else ())
    if fleet is not None or not words:
        file = quoted(str(fleet) if fleet is not None else fleet_file_of(run, report))
        audit = f"auditor audit --fleet {file}"
        return RepeatCommands(audit, audit, doctor=f"auditor doctor --fleet {file}" if run.along.fleet_file else "")
    typed = _typed(words)
    if words[: len(_DEMO)] == _DEMO:
        return RepeatCommands(typed, _typed(tuple(word for word in words if word != _BUNDLE)))
    of_files = any(reading.kind == EndpointKind.FILES for reading in report.run.endpoints)
    return RepeatCommands(typed, plan=f"{_typed(('auditor', 'plan', *words[2:]))} --as esxcli" if of_files else "")


def fleet_file_of(run: KeptRun, report: Report) -> str:
    """The path of the fleet.yaml that a run read, as long as it is there; else the file's name, as far as that is known."""
    if run.along.fleet_file and Path(run.along.fleet_file).is_file():
        return _near(run.along.fleet_file)
    return report.scope.fleet_name if report.scope is not None and report.scope.fleet is not None else "fleet.yaml"


def fleet_of_run(state: Path, run: str) -> str:
    """The whole path of the fleet.yaml of a run, as a shell takes it, as long as it is there; else "fleet.yaml".

    Raises:
        SnapshotError: the run's file is there and cannot be read.
    """
    directory = state / RUNS_FOLDER / run
    file = read_kept(directory).along.fleet_file if (directory / RUN_FILE).is_file() else ""
    return quoted(file) if file and Path(file).is_file() else "fleet.yaml"


def _typed(words: tuple[str, ...]) -> str:
    return " ".join(quoted(_near(word)) for word in words)


def _near(word: str) -> str:
    """A path relative to the working folder where it lies in or below it, as a person would type it there; any other word as it is."""
    path = Path(word)
    return str(path.relative_to(Path.cwd())) if path.is_absolute() and path.is_relative_to(Path.cwd()) else word
