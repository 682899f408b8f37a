"""`auditor watch`: queue fill, latency and throttling of chosen devices, live."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from auditor.endpoints.vcenter.device_watch import WatchRow
    from auditor.inspect.watching import Watch

_LEAST_EVERY_SECONDS = 5.0
"""Hosts have a new sample every twenty seconds: more often only asks for the same again."""

_INTERRUPTED = 130


def watch(
    devices: Annotated[list[str], typer.Argument(metavar="HOST/DEVICE", help="The devices to watch, each as HOST/DEVICE.")],
    fleet: options.RequiredFleet,
    every: Annotated[str, typer.Option("--every", metavar="TIME", help="How often to look, for example 20s.")] = "20s",
    duration: Annotated[str, typer.Option("--for", metavar="TIME", help="How long to watch, for example 30m.")] = "1h",
    once: Annotated[bool, typer.Option("--once", help="Look once and exit: 0 if everything was read, 2 if not.")] = False,
) -> int:
    """Watch queues after a change or while a machine is moved: how full, how long commands wait, who throttles. Only reads; Ctrl-C ends it.

    The figures are of the last minute, by the real-time counters of the hosts. The commands in a queue are computed as rate
    times latency (Little's law).

    Example: auditor watch esx-01/naa.6f47acc100000000 esx-02/naa.6f47acc100000000 --fleet fleet.yaml --for 30m
    """
    from auditor.cli.durations import seconds_of
    from auditor.fleet.loading import load_fleet
    from auditor.inspect.watching import Watch

    pause = max(_LEAST_EVERY_SECONDS, seconds_of(every, "--every") or 0.0)
    lasting = 0.0 if once else seconds_of(duration, "--for") or 0.0
    try:
        with Watch(load_fleet(fleet), devices) as watched:
            rows = _shown(watched, pause, lasting)
    except KeyboardInterrupt:
        print("ended; the sessions are closed", file=sys.stderr)
        return _INTERRUPTED
    return 2 if once and (watched.moves_unread() or any(row.unread_since is not None for row in rows)) else 0


def _shown(watched: Watch, pause: float, lasting: float) -> Sequence[WatchRow]:
    """Look until the time is over; the rows of the last look."""
    if not sys.stdout.isatty() or lasting == 0:
        return _looks(watched, pause, lasting, lambda rows: _print_lines(rows, _moves(watched)))
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    from auditor.report.terminal.watch_rows import watch_view

    console = Console()
    with Live(console=console, auto_refresh=False) as live:

        def show(rows: Sequence[WatchRow]) -> None:
            live.update(Group(watch_view(rows, console.width), *map(Text, _moves(watched))), refresh=True)

        return _looks(watched, pause, lasting, show)


def _looks(watched: Watch, pause: float, lasting: float, show: Callable[[Sequence[WatchRow]], None]) -> Sequence[WatchRow]:
    end = time.monotonic() + lasting
    while True:
        began = time.monotonic()
        rows = watched.look()
        show(rows)
        left = pause - (time.monotonic() - began)
        if time.monotonic() + max(0.0, left) >= end:
            return rows
        time.sleep(max(0.0, left))


def _moves(watched: Watch) -> list[str]:
    """A line for each machine that is being moved, and for each vCenter whose moves were not read."""
    from auditor.report.terminal.watch_rows import move_text
    from auditor.report.wording import neutral

    return [*map(move_text, watched.moves()), *(f"moves not read: {neutral(why)}" for why in watched.moves_unread())]


def _print_lines(rows: Sequence[WatchRow], moves: Sequence[str]) -> None:
    from auditor.report.terminal.watch_rows import watch_line

    now = datetime.now(UTC)
    for row in rows:
        print(watch_line(row, now), flush=True)
    for line in moves:
        print(f"{now:%H:%M:%S}Z {line}", flush=True)
