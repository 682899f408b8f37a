"""The report for a person at a terminal on one screen: the result, its worst causes, what can be fixed, and what to do next."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

from auditor.model import Verdict
from auditor.report.causes import CAUSES
from auditor.report.digest import by_hand_id, digest, headline, receipt_steps
from auditor.report.finding_ids import SHOWN, FindingIds
from auditor.report.terminal.console import clipped, command_line, hanging, line_count, write_parts
from auditor.report.terminal.totals import LOOSE, Commands, Room, totals_parts
from auditor.report.verdict_counts import hosts_text
from auditor.report.wording import moment, neutral, notices_of, percent, took_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from auditor.model import Report
    from auditor.report.digest import Digest

WIDTH, LINES = 100, 47
"""Of a screen of 100 x 50: three lines are for progress, for what `make` adds, and for the shell's own."""
_ROOMS = (LOOSE, *(Room(causes, notices=2, gaps=2, lines=1) for causes in range(CAUSES, 1, -1)))
"""From much to little: the first that fits is taken."""
_NARROW = (LOOSE, replace(_ROOMS[1], lines=LOOSE.lines))
"""Of a narrower terminal: what stands on a line of 100 takes two there, and a notice is not cut before its verb."""
STATE_STYLES = {"drift": "bold white on red", "incomplete": "bold black on yellow", "clean": "bold white on green"}


def write_first_screen(report: Report, out: TextIO, commands: Commands | None = None) -> None:
    """Write the most important of `report`: at `WIDTH` columns and more at most `LINES` lines, whatever its size."""
    write_parts(lambda width: _parts(report, width, commands or Commands.of(report)), out)


def _parts(report: Report, width: int, commands: Commands) -> list[RenderableType]:
    summary = digest(report, 1)
    screen: list[RenderableType] = []
    every_finding = f"auditor runs show {neutral(report.run.id)}{commands.options}"
    for room in _ROOMS if width >= WIDTH else _NARROW:
        screen = [
            *head_parts(report, summary, width, room),
            *totals_parts(report, summary, width, commands, room),
            *next_parts(report, summary, commands, every_finding),
        ]
        if line_count(screen, width) <= LINES:
            break
    return screen


def head_parts(report: Report, summary: Digest, width: int, room: Room | None = None) -> Iterator[RenderableType]:
    """The result, what was looked at, what changed, and the notices as far as there is `room`; None: all, whole."""
    from rich.text import Text

    yield result_part(report, summary)
    yield Text(_scope_text(report), style="dim")
    if report.compared is not None:
        yield Text.assemble(("Compared: ", "bold"), neutral(report.compared.sentence()))
    # That an answer may have come from somebody else goes before everything else.
    texts = sorted(notices_of(report), key=lambda notice: "NOT VERIFIED" not in notice)
    most = len(texts) if room is None else room.notices
    for notice in texts[:most]:
        yield hanging("!", Text(notice if room is None else clipped(notice, width - 2, room.lines)), "bold yellow")
    if len(texts) > most:
        yield hanging("!", Text(f"{count_of(len(texts) - most, 'more notice')}: --details shows them"), "bold yellow")


def result_part(report: Report, summary: Digest) -> RenderableType:
    """The result in a line or two."""
    from rich.text import Text

    result = headline(report, len(summary.failing), summary.failing_hosts)
    return Text.assemble((f" {result.word} ", STATE_STYLES[result.state]), " ", result.sentence)


def write_result(report: Report, summary: Digest, out: TextIO) -> None:
    """Write the result of `report` alone, in a line or two."""
    write_parts(lambda _width: [result_part(report, summary)], out)


def _scope_text(report: Report) -> str:
    """Which run this is, and what it looked at; where it was narrowed, the result says by what."""
    run, scope = report.run, report.scope
    parts = [hosts_text(report), count_of(len(run.endpoints), "endpoint")]
    if scope is not None:
        endpoints = f"{len(scope.endpoints):,} of {count_of(scope.endpoints_of, 'endpoint')}"
        parts = [neutral(scope.fleet_name), parts[0], endpoints, f"{scope.rules:,} of {count_of(scope.rules_of, 'rule')}"]
    summary = report.summary
    judged = f"; {percent(summary.coverage)} judged" if summary.judged or summary.unjudged else ""
    waived = f", {summary.waived:,} waived" if summary.waived else ""
    return f"Run {neutral(run.id)}, {moment(run.started)}, took {took_text(run)}: {', '.join(parts)}{judged}{waived}."


def next_parts(report: Report, summary: Digest, commands: Commands, every_finding: str = "") -> Iterator[RenderableType]:
    """What to do next, the most urgent first; at last the command that shows `every_finding`, where they are not shown already."""
    from rich.text import Text

    steps = list(_steps(report, summary, commands))
    if every_finding:
        steps.append(f"See every finding: {every_finding}")
    if not steps:
        return
    yield ""
    yield Text("Next:", style="bold")
    for step in steps:
        label, _, command = step.partition(": ")
        yield command_line("  -", f"{label}:", command) if command.startswith("auditor ") else hanging("  -", Text(step))


def _steps(report: Report, summary: Digest, commands: Commands) -> Iterator[str]:
    yield from receipt_steps(report)
    if report.compared is not None and report.compared.fixed_by:
        run = next(iter(report.compared.fixed_by))
        yield f"See what run {neutral(run)} wrote: auditor journal export {neutral(run)}{commands.options}"
    if summary.failing:
        worst = summary.failing[0].samples[Verdict.FAIL][0]
        yield f"See why, queue by queue: auditor explain {FindingIds(report.run).of(worst)[:SHOWN]}{commands.options}"
    if summary.by_hand:
        yield f"What to do by hand: auditor explain {by_hand_id(report, summary)} --by-hand{commands.options}"
    if report.open_gaps and commands.doctor:
        yield f"See what keeps endpoints from being read: {commands.doctor}"
    if report.summary.unknown > report.summary.accepted_unknown and not report.gaps:
        yield "Have read what is unknown, and audit again: it has not passed."
