"""A cause of failures with three answers in their order: what is wrong there, what it costs, what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.impact.path import slowest
from auditor.impact.stations import Place
from auditor.report.html.function_bars import function_bars
from auditor.report.html.interval_bars import interval_bars
from auditor.report.html.summary import setting_name
from auditor.report.impacts import NOT_COMPUTED, impact_text
from auditor.report.messages import message_of
from auditor.report.path_words import details, queue_text
from auditor.report.rule_words import flat
from auditor.report.setting_values import from_to_words
from auditor.report.wording import neutral, shortened

if TYPE_CHECKING:
    from markupsafe import Markup

    from auditor.impact.functions import Functions
    from auditor.impact.path import Path
    from auditor.impact.stations import Station
    from auditor.model import Finding
    from auditor.report.html.summary import CauseText

CAUSES_DRAWN = 10
"""Causes that have answers and pictures of their own, the worst first; a report of a bad night has fifty, and the findings say the same."""


@dataclass(frozen=True, slots=True)
class DrawnCause:
    """One cause.

    Attributes:
        text: its rule, and how far it reaches.
        wrong: what is wrong with the failure whose fix gives most.
        cost: what that costs now and after the fix; where it is not computed, why.
        bars: the same drawn, as SVG; "" where nothing is computed.
        to_do: the setting from what to what, or what a person has to do.
        chain: the I/O path from the guest to the array; empty where it is on no single one.
        functions: what the pool that it is about works for, as SVG; None where it is about none, or nobody counted.
    """

    text: CauseText
    wrong: str
    cost: str
    bars: Markup
    to_do: str
    chain: tuple[Link, ...] = ()
    functions: Markup | None = None


def drawn_cause(cause: CauseText, number: int, path: Path | None = None, functions: Functions | None = None) -> DrawnCause:
    """The answers and the bars of a cause.

    Args:
        cause: in words.
        number: of it in the page, from 0.
        path: on which it is felt; None: on no single one, or it is not known.
        functions: what its pool works for; None: it is about no pool, or that is not known.
    """
    from markupsafe import Markup

    worst = cause.costliest
    bars = Markup(interval_bars(worst.impact, f"bars-{number}"))  # noqa: S704  escaped where it is made
    works = Markup(function_bars(functions, f"functions-{number}")) if functions else None  # noqa: S704  escaped where it is made
    return DrawnCause(cause, neutral(message_of(worst)), _cost(worst), bars, to_do_text(worst), chain_of(path) if path else (), works)


def _cost(finding: Finding) -> str:
    if NOT_COMPUTED in finding.impact:
        return f"Not computed: {neutral(finding.impact[NOT_COMPUTED])}."
    return impact_text(finding.impact) or "Not computed."


def to_do_text(finding: Finding) -> str:
    """What to do about a failure: a setting from what to what, and which classes of change that is; else what a person does."""
    fix = finding.fix
    if fix is None:
        return "By hand."
    steps = neutral(flat(fix.why or ""))
    if fix.remediator is None:
        return f"By hand. {steps}".rstrip()
    words = from_to_words(fix.remediator, dict(fix.target), fix.before, fix.after).replace(" -> ", " → ", 1)
    return f"Set {setting_name(fix)}: {words} ({' and '.join(fix.classes)}). {steps}".rstrip()


_NAME_LETTERS = 40
_FIGURES = 2
_SAID: frozenset[Place] = frozenset({Place.WORLDS})
"""Places that are no box: how many disks send stands with the first of them."""


@dataclass(frozen=True, slots=True)
class Link:
    """One box.

    Attributes:
        place: what it is.
        name: which one.
        text: what was read of it, or that nothing was.
        state: "full", "unread" (nothing of it was read) or "".
        mark: "FULL", "longest wait", or "".
    """

    place: str
    name: str
    text: str = ""
    state: str = ""
    mark: str = ""


def chain_of(path: Path) -> tuple[Link, ...]:
    """The boxes of a path; the texts are safe for a page."""
    more = len(path.disks) - 1 + path.more_disks
    disks = [_link(disk, longest=None) for disk in path.disks[:1]]
    if disks and more:
        disks = [Link(disks[0].place, f"{disks[0].name} and {more} more", disks[0].text, disks[0].state, disks[0].mark)]
    host = Link("host", neutral(path.host), f"cluster {neutral(path.cluster)}" if path.cluster else "")
    longest = slowest(path)
    return (*disks, host, *(_link(one, longest) for one in path.stations if one.place not in _SAID))


def _link(station: Station, longest: Station | None) -> Link:
    queue = queue_text(station)
    texts = [*([queue] if queue else []), *details(station, with_unread=False)[:_FIGURES]]
    unread = _is_unread(station)
    marks = [*(["FULL"] if station.is_full else []), *(["longest wait"] if station is longest and _waits(station) else [])]
    return Link(
        place=str(station.place),
        name=shortened(neutral(station.name), _NAME_LETTERS),
        text=neutral("nothing of it was read" if unread else "; ".join(texts)),
        state="full" if station.is_full else "unread" if unread else "",
        mark=", ".join(marks),
    )


def _is_unread(station: Station) -> bool:
    """Whether it has figures, and none of them was read."""
    figures = [one for one in (station.depth, station.in_flight, station.waiting, station.wait_ms, *station.figures) if one is not None]
    return bool(figures) and all(one.value is None for one in figures)


def _waits(station: Station) -> bool:
    return station.wait_ms is not None and bool(station.wait_ms.value)
