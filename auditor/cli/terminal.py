"""What people see while a command works: progress on standard error, the plan, the question."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.model import Change, FixClass, Plan

Said = Callable[[str, str], None]


@contextmanager
def progress() -> Iterator[Said]:
    """Tell how each endpoint is doing: a live block on a terminal, plain lines elsewhere."""
    if not sys.stderr.isatty():
        # One write a line: endpoints speak from threads of their own.
        yield lambda endpoint, text: _say(f"{endpoint}: {text}\n")
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    live = Progress(*columns, console=Console(stderr=True), transient=True)
    tasks: dict[str, TaskID] = {}

    def said(endpoint: str, text: str) -> None:
        live.start()  # only now: a question may be asked before the first word
        shown = escape(f"{endpoint}: {text}")
        if endpoint not in tasks:
            tasks[endpoint] = live.add_task(shown, total=None)
        live.update(tasks[endpoint], description=shown)

    try:
        yield said
    finally:
        live.stop()


def _say(line: str) -> None:
    sys.stderr.write(line)
    sys.stderr.flush()


def confirmed(changes: Sequence[Change]) -> bool:
    """Ask whether `changes` may be made; without a terminal the answer is no."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"Make {len(changes)} changes? Type yes to go on: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() == "yes"


def show_plan(plan: Plan, allow: Sequence[FixClass]) -> None:
    """Print what a fix would change, on standard error: the report stays alone on standard output."""
    from auditor.report.plan import write_plan

    write_plan(plan, allow, sys.stderr)
