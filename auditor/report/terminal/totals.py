"""The sections that sum a report up: failures by topic, the worst causes, what can be fixed, gaps with what to do about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.model import Verdict
from auditor.report.causes import CAUSES, causes_of, well_neighbours
from auditor.report.impacts import cost_text, neighbours_text
from auditor.report.messages import message_of
from auditor.report.terminal.console import clipped, command_line, hanging
from auditor.report.terminal.failure_table import SEVERITY_STYLES
from auditor.report.terminal.gap_lines import gaps_by_remedy
from auditor.report.terminal.receipts import counts_text
from auditor.report.terminal.topic_counts import topic_lines
from auditor.report.wording import allowing, certificate_text, neutral
from auditor.system.shell import quoted
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from auditor.model import Gap, Report
    from auditor.report.causes import Cause
    from auditor.report.digest import Digest

_ENDPOINTS = 2


@dataclass(frozen=True, slots=True)
class Room:
    """How much is shown of what a report may have any number of."""

    causes: int = CAUSES
    notices: int = 5
    gaps: int = 5
    lines: int = 3  # of one notice, example or gap; what is left out are whole words


LOOSE = Room()


@dataclass(frozen=True, slots=True)
class Commands:
    """What a reader types to go on; each as it was typed for this report, with its own options."""

    audit: str  # audits the same again
    options: str = ""  # of commands that read kept runs: " --state-dir DIR", or nothing
    doctor: str = ""  # looks at the endpoints; "" where there are none any more
    plan: str | None = None  # prints fixes as commands, where hosts were read from files; "": these are gone, or saved; None: auditor fixes

    @staticmethod
    def of(report: Report, audit: str = "", options: str = "", doctor: str = "", plan: str | None = None) -> Commands:
        """Those for `report`, with what narrowed it.

        Args:
            report: was made by `audit`.
            audit: the command without what narrowed it; "" where that is not known.
            options: as in `Commands`.
            doctor: as in `Commands`.
            plan: as in `Commands`.
        """
        scope = report.scope
        file = scope.fleet_name if scope is not None and scope.fleet is not None else "fleet.yaml"
        words = (
            audit or f"auditor audit --fleet {quoted(file)}",
            *(_pasted(option) for option in (scope.options if scope is not None else ())),
        )
        return Commands(neutral(" ".join(words)), options, neutral(doctor), None if plan is None else neutral(plan))


def _pasted(option: str) -> str:
    """An option of a scope, in which globs have no quotation marks, so that no shell puts names of files in their place."""
    name, _, value = option.partition(" ")
    return option if "'" in value or not set(value) & set("*?[") else f"{name} {quoted(value)}"


def totals_parts(
    report: Report, summary: Digest, width: int, commands: Commands, room: Room = LOOSE, *, brief: bool = False
) -> Iterator[RenderableType]:
    """Failures by topic, the worst causes, what was changed and can be fixed, and gaps: a bounded number of lines.

    Args:
        report: the run.
        summary: of `report`.
        width: of the terminal, in characters.
        commands: for the reader.
        room: how many causes and gaps are shown, and how much of each.
        brief: causes without an example, and no gaps: below a list of all of them.
    """
    from rich.text import Text

    if lines := topic_lines(report, width):
        yield ""
        yield Text("\n".join(lines))
    yield from _cause_parts(summary, width, room, brief=brief)
    if (well := well_neighbours(summary)) is not None:
        heading = "Neighbours are well: "
        text = clipped(f"{heading}{neighbours_text(well.impact or {})}", width, room.lines)
        yield Text.assemble((heading, "bold"), text.removeprefix(heading))
    yield from _change_parts(report, width)
    yield from _fix_parts(summary, commands, brief=brief)
    if not brief:
        yield from _gap_parts(report.gaps, width, room)


def _cause_parts(summary: Digest, width: int, room: Room, *, brief: bool) -> Iterator[RenderableType]:
    """The worst causes: the rule and how often it fails; unless `brief` an example, and what that costs."""
    from rich.text import Text

    causes = causes_of(summary)
    if not causes:
        return
    yield ""
    more = f", the worst {room.causes} of them" if len(causes) > room.causes else ""
    yield Text(f"{count_of(len(causes), 'cause')}{more}:", style="bold")
    for cause in causes[: room.causes]:
        worst = cause.worst
        others = f" and {count_of(len(cause.rules) - 1, 'more rule')}" if len(cause.rules) > 1 else ""
        where = f" on {count_of(cause.hosts, 'host')}" if cause.hosts else ""
        heading = f"{others}: {count_of(cause.failures, 'failure')}{where}"
        severity = worst.severity.upper(), SEVERITY_STYLES[worst.severity]
        yield hanging(" ", Text.assemble(severity, " ", (neutral(worst.rule), "bold"), heading))
        if not brief:
            yield from _example(cause, width, room)


def _example(cause: Cause, width: int, room: Room) -> Iterator[RenderableType]:
    """What is wrong with the resource whose failure costs most, and what that costs where it is known."""
    from rich.text import Text

    cost = cost_text(cause.costliest.impact)
    across = width - 4
    yield hanging("   ", Text(clipped(neutral(message_of(cause.costliest)), across, room.lines if cost else room.lines + 1)))
    if cost:
        yield hanging("   ", Text(clipped(cost, across, room.lines), style="dim"))


def _change_parts(report: Report, width: int) -> Iterator[RenderableType]:
    """What a fix did: counts by outcome, and what it left to do."""
    from rich.text import Text

    if not report.receipts:
        return
    yield Text.assemble(("Changes: ", "bold"), counts_text(report.receipts))
    if report.certificate is not None:
        yield hanging(" ", Text(clipped(certificate_text(report.certificate), width - 2, 2)))


def _fix_parts(summary: Digest, commands: Commands, *, brief: bool) -> Iterator[RenderableType]:
    """How many failures a fix would change, by what has to be allowed, and the command that shows it."""
    from rich.text import Text

    proposed = summary.proposed_in_order()
    if not proposed and not summary.by_hand:
        return
    number = sum(summary.proposed().values())
    hand = f"; {summary.by_hand:,} {'needs' if summary.by_hand == 1 else 'need'} a person" if summary.by_hand else ""
    left = sum(rule.counts[Verdict.FAIL] for rule in summary.failing) - number - summary.by_hand
    others = f"; {left:,} neither{'' if brief else ', --details says why'}" if left > 0 else ""
    if commands.plan is not None:
        how = "by commands, as files" if commands.plan else "once auditor reads the fleet itself, as what is saved"
        yield Text.assemble(("Fixes: ", "bold"), f"{count_of(number, 'failure')} {how} cannot be changed{hand}{others}")
        if proposed and commands.plan:
            yield command_line("  -", "print them:", commands.plan)
        return
    yield Text.assemble(("Fixes: ", "bold"), f"auditor can fix {count_of(number, 'failure')}{hand}{others}")
    if not proposed:
        return
    first, *rest = proposed
    yield command_line("  -", f"{first[1]:,} now:", f"{commands.audit} --fix --dry-run {allowing(first[0])}")
    if rest:
        yield hanging("  -", Text(f"with more allowed: {'; '.join(f'{count:,} {allowing(kinds)}' for kinds, count in rest)}"))


def _gap_parts(gaps: Sequence[Gap], width: int, room: Room) -> Iterator[RenderableType]:
    """What could not be read, why, and what to do about it; gaps that somebody answers for are only counted."""
    from rich.text import Text

    if not gaps:
        return
    unanswered = [gap for gap in gaps if gap.accepted is None]
    lines = gaps_by_remedy(unanswered)
    accepted = len(gaps) - len(unanswered)
    besides = f"; {accepted:,} more {'is' if accepted == 1 else 'are'} accepted" if accepted else ""
    yield Text.assemble(("Gaps: ", "bold"), f"{count_of(len(unanswered), 'thing')} could not be read{besides}")
    for line in lines[: room.gaps]:
        yield hanging("  -", Text(clipped(f"{line.named(_ENDPOINTS)}: {line.text}", width - 4, room.lines)))
        yield hanging("   ", Text(f"to do: {line.remedy}"))
    if left := sum(len(line.gaps) for line in lines[room.gaps :]):
        yield Text(f"  +{left:,} more: --details shows them", style="italic")
