"""Checked moves for a terminal: the verdict first, then the reasons with what to do, then the figures; of a plan a table before that."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from auditor.moves.check import MoveVerdict
from auditor.moves.reasons import Sort
from auditor.report.move_words import verdict_line
from auditor.report.terminal.console import clipped, command_line, hanging, write_parts
from auditor.report.terminal.rows import Cell, Column, aligned
from auditor.report.wording import neutral
from auditor.system.shell import quoted
from auditor.text.numbers import count_of, number_text
from auditor.text.sizes import bytes_text, rate_text, span_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from rich.console import RenderableType
    from rich.text import Text

    from auditor.impact.interval import Interval
    from auditor.moves.check import EndLoad, MoveCheck
    from auditor.moves.ends import Store
    from auditor.moves.plan import PlannedMove
    from auditor.moves.reasons import Reason

_HEADINGS = {Sort.AGAINST: "AGAINST IT", Sort.UNREAD: "NOT READ", Sort.NOTE: "GOOD TO KNOW"}
_STYLES = {MoveVerdict.AGAINST: "bold red", MoveVerdict.UNKNOWN: "bold yellow", MoveVerdict.CLEAR: "bold green"}
_MODEL = "docs/queue-model.md#move"
_DEVICES = 4


def write_move(check: MoveCheck, out: TextIO, fleet: str = "fleet.yaml") -> None:
    """Write one checked move, as wide as the terminal.

    Args:
        check: the move.
        out: where to.
        fleet: the file of the fleet that its hosts are of, for a command; "" where there is none any more.
    """
    write_parts(lambda _width: _move_parts(check, fleet), out)


def write_plan(moves: Sequence[PlannedMove], out: TextIO) -> None:
    """Write a checked plan: its moves in order, then of each what stands against it or was not read."""
    write_parts(lambda width: _plan_parts(moves, width), out)


def _move_parts(check: MoveCheck, fleet: str) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text(verdict_line(check), style=_STYLES[check.verdict])
    yield Text(neutral(_what(check)))
    for sort in Sort:
        reasons = check.of(sort)
        if reasons:
            yield ""
            yield Text(_HEADINGS[sort], style="bold")
        for number, one in enumerate(reasons, start=1):
            yield hanging(f"  {number}." if sort is Sort.AGAINST else "  -", _reason(one))
    if not check.loads:
        return
    yield ""
    yield Text("FIGURES", style="bold")
    for name, text in _figures(check):
        yield hanging(f"  {name:<9}", Text(neutral(text)))
    host = check.move.machine.host
    devices = [f"{host}/{device}" for store in (*check.move.sources, check.move.target) for device in store.devices][:_DEVICES]
    if host and devices and fleet:
        yield command_line("  ", "Watch both ends live:", neutral(f"auditor watch {' '.join(map(quoted, devices))} --fleet {fleet}"))


def _what(check: MoveCheck) -> str:
    move = check.move
    sources = ", ".join(one.name for one in move.sources) or ("nothing" if not move.moved else "datastores that were not read")
    return f"{move.machine.name}: {sources} -> {move.target.name} ({move.machine.endpoint}, {move.machine.host or 'its host was not read'})"


def _reason(one: Reason) -> Text:
    from rich.text import Text

    return Text(neutral(f"{one.text} {one.do}"))


def _figures(check: MoveCheck) -> Iterator[tuple[str, str]]:
    took = check.took
    offloaded = check.offload.is_certain
    who = "by the array" if offloaded else "by the hosts" if offloaded is False else "whether by the array is not known"
    yield "to copy", f"{_size(took.size)}, {who}"
    if took.rate is None or took.seconds is None:
        yield "time", f"not computed: {took.why} ({took.source})"
    else:
        left = "" if took.left is None else f", {span_text(took.left.low, took.left.high)} of it left"
        span = span_text(took.seconds.low, took.seconds.high)
        yield "time", f"{span}{left}, by {took.why}: {_rates(took.rate)} ({took.basis}; {took.source})"
        for bound in took.bounds:
            if took.basis != "measured" and bound.text != took.why:
                yield "", f"at most {rate_text(bound.bytes_per_second)}: {bound.text} ({bound.source})"
    words = {True: "yes", False: "no", None: "not known"}
    yield "offload", "; ".join(f"{one.name} {words[one.holds]}" for one in check.offload.conditions)
    for load in check.loads:
        yield load.end, _load(load)
    ends = [*((one, "source") for one in check.move.sources), (check.move.target, "target")]
    yield "QoS", "; ".join(f"{end} {'not read' if one.qos is None else one.qos}" for one, end in ends)
    yield "SIOC", "; ".join(f"{end} {_sioc(one)}" for one, end in ends)
    yield "SDRS", "; ".join(f"{end} {_sdrs(one)}" for one, end in ends)
    target = check.move.target
    yield "free", "not read" if target.free_bytes is None else f"{bytes_text(target.free_bytes)} on {target.name}"


def _sioc(store: Store) -> str:
    on = {True: "on", False: "off", None: "not read"}[store.sioc_enabled]
    return f"{on}, active {store.sioc_active_percent:.0f} %" if store.sioc_active_percent else on


def _sdrs(store: Store) -> str:
    if not store.is_in_pod:
        return "not read" if store.is_in_pod is None else "in no datastore cluster"
    metric = {True: "on", False: "off", None: "not read"}[store.io_metric_in_force]
    return f"{store.pod}: {store.behavior or 'automation not read'}, I/O metric {metric}"


def _size(size: Interval) -> str:
    if math.isinf(size.high):
        return f"{bytes_text(size.low)} or more" if size.low else "an unknown size"
    return bytes_text(size.high) if size.low == size.high else f"up to {bytes_text(size.high)}"


def _rates(rate: Interval) -> str:
    low, high = rate_text(rate.low), rate_text(rate.high)
    return low if low == high else f"up to {high}" if not rate.low else f"{low} to {high}"


def _load(load: EndLoad) -> str:
    now = "not read" if load.now_ms is None else f"{number_text(load.now_ms)} ms now"
    if load.copying is not None:
        then = f"up to {number_text(load.copying.then.high)} ms while it is copied ({_MODEL})"
    else:
        then = f"not computed while it is copied: {load.not_computed}"
    count = load.neighbour_count
    names = ", ".join(load.neighbours) + (", ..." if count is not None and count > len(load.neighbours) else "")
    others = "not all machines there were read" if count is None else count_of(count, "other running machine")
    return f"{load.name}: {now}, {then}; {others}{f' ({names})' if names else ''}"


def _plan_parts(moves: Sequence[PlannedMove], width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    verdicts = [one.check.verdict for one in moves]
    against, unknown = verdicts.count(MoveVerdict.AGAINST), verdicts.count(MoveVerdict.UNKNOWN)
    steps = max(one.step for one in moves)
    if against:
        line, style = f"Do not start {against} of {count_of(len(moves), 'move')} yet.", _STYLES[MoveVerdict.AGAINST]
    elif unknown:
        line, style = (
            f"Nothing that was read stands against {len(moves)} moves, but of {unknown} not all was read.",
            _STYLES[MoveVerdict.UNKNOWN],
        )
    else:
        line, style = f"Nothing stands against {count_of(len(moves), 'move')}.", _STYLES[MoveVerdict.CLEAR]
    yield Text(line, style=style)
    yield Text(f"Smallest first, in {count_of(steps, 'step')}: moves of one step share no datastore and no pool, so they may run together.")
    yield ""
    floors = {"Step": 4, "Machine": 10, "To": 10, "Size": 8, "Time": 12, "Verdict": 7}
    columns = [Column(name, floor, shorten=name in ("Machine", "To")) for name, floor in floors.items()]
    yield aligned(columns, [_cells(one) for one in moves], width)
    for one in moves:
        reasons = [*one.check.of(Sort.AGAINST), *one.check.of(Sort.UNREAD)]
        if not reasons and not one.not_with:
            continue
        yield ""
        yield Text(neutral(_what(one.check)), style="bold")
        for reason in reasons:
            yield hanging("  -", _reason(reason))
        if one.not_with:
            with_whom = ", ".join(f"{name} ({what})" for name, what in one.not_with)
            yield hanging("  -", Text(clipped(neutral(f"Not together with {with_whom}."), max(20, width - 4), 3)))


def _cells(one: PlannedMove) -> list[Cell]:
    took = one.check.took
    time = "not computed" if took.seconds is None else span_text(took.seconds.low, took.seconds.high)
    verdict = one.check.verdict
    cells = [str(one.step), neutral(one.check.move.machine.name), neutral(one.check.move.target.name), _size(took.size), time]
    return [*(Cell(text) for text in cells), Cell(verdict.value, _STYLES[verdict])]
