"""What people see while a command works: progress on standard error, warnings, the plan, the question."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from auditor.cli.activity import ENDS, Activity
from auditor.errors import GuardError
from auditor.text.counts import Counted, counts_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from auditor.apply.limits import Excess
    from auditor.model import Change, FixClass, Plan, Receipt


_PASSING = ("connecting", "logging in", "reading ", "change ")
"""What texts begin with that say what is being done just now: off a terminal nobody would read them."""
LINE_SECONDS = 10.0
"""Off a terminal there is a line so often that says how far it is."""
_MOST_SHOWN = 12
"""Endpoints that have a line of their own on a terminal; the first line counts all."""


_displays: list[ProgressDisplay] = []
"""Those that are in use."""


class ProgressDisplay:
    """Shows how each endpoint is doing and how much of all is done; may be called from several threads.

    A terminal gets a live block. Elsewhere there is a line every ten seconds, one for each endpoint that could not be read, and one that
    counts all of them. What became of a change is a line that stays.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._live: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._ends: dict[str, str] = {}
        self._activity = Activity()
        self._stopped = threading.Event()
        self._lines: threading.Thread | None = None

    def __call__(self, endpoint: str, text: str) -> None:
        """Show what is being done at `endpoint`; "" is no endpoint, and something is done here."""
        from auditor.pipeline.request import Result
        from auditor.report.wording import neutral

        is_result = isinstance(text, Result)
        if not is_result:
            self._activity.note(endpoint, text)
        if not sys.stderr.isatty():
            self._print(endpoint, text)
            return
        from rich.markup import escape

        with self._lock:
            live = self._started()
            if is_result:
                live.console.print(neutral(text), markup=False, highlight=False)
                return
            self._update(live, "", escape(neutral(self._activity.line())))
            if not endpoint:  # all endpoints were read
                for name in [name for name in self._tasks if name]:
                    live.remove_task(self._tasks.pop(name))
            elif endpoint in self._tasks or len(self._tasks) <= _MOST_SHOWN:
                of_it = counts_text([text.counts]) if isinstance(text, Counted) else ""
                self._update(live, endpoint, escape(neutral(f"{endpoint}: {text}{of_it and ': '}{of_it}")))
                if text in ENDS and len(self._tasks) > _MOST_SHOWN:
                    live.remove_task(self._tasks.pop(endpoint))

    def stop(self) -> None:
        """Take the live block away, before something else is shown; the next call begins a new one."""
        with self._lock:
            live, self._live = self._live, None
            lines, self._lines = self._lines, None
            self._stopped.set()
            self._tasks.clear()
            ends = list(self._ends.values())
            self._ends.clear()
            self._activity = Activity()
        if lines is not None:
            lines.join()
        if ends:
            counts = ", ".join(f"{ends.count(end)} {end}" for end in ENDS if end in ends)
            print(f"{len(ends)} endpoint{'' if len(ends) == 1 else 's'}: {counts}", file=sys.stderr, flush=True)
        if live is not None:
            live.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """No line is drawn or printed within the block: somebody types there."""
        with self._lock:
            live = self._live
            if live is not None:
                live.stop()
            try:
                yield
            finally:
                if live is not None:
                    live.start()

    def _print(self, endpoint: str, text: str) -> None:
        """Print `text`, or keep it until all endpoints are read."""
        from auditor.pipeline.request import Result
        from auditor.report.wording import neutral

        with self._lock:
            if self._lines is None:
                self._stopped = threading.Event()
                self._lines = threading.Thread(target=self._print_lines, args=(self._activity, self._stopped), daemon=True)
                self._lines.start()
            if text in ENDS:
                self._ends[endpoint] = text
        if not endpoint or text.startswith(_PASSING) or text in ENDS[:3]:
            return
        line = neutral(text if isinstance(text, Result) else f"{endpoint}: {text}")
        sys.stderr.write(f"{line}\n")  # one write a line: endpoints call from threads of their own
        sys.stderr.flush()

    def _print_lines(self, activity: Activity, stopped: threading.Event) -> None:
        from auditor.report.wording import neutral

        while not stopped.wait(LINE_SECONDS):
            line = activity.line()
            if line:
                sys.stderr.write(f"{neutral(line)}\n")
                sys.stderr.flush()

    def _update(self, live: Progress, name: str, shown: str) -> None:
        if name not in self._tasks:
            self._tasks[name] = live.add_task(shown, total=None)
        live.update(self._tasks[name], description=shown)

    def _started(self) -> Progress:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        if self._live is None:
            columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
            self._live = Progress(*columns, console=Console(stderr=True), transient=True)
            self._live.start()
        return self._live


@contextmanager
def progress() -> Iterator[ProgressDisplay]:
    """A display of progress that is gone after the block."""
    display = ProgressDisplay()
    _displays.append(display)
    try:
        yield display
    finally:
        _displays.remove(display)
        display.stop()


def terminal_width() -> int:
    """The width of the terminal that standard output is, in characters, or what COLUMNS says."""
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdigit() and int(columns) else os.get_terminal_size(sys.stdout.fileno()).columns or 80


def warn(text: str) -> None:
    """Print a warning on standard error."""
    from auditor.report.wording import neutral

    print(f"warning: {neutral(text)}", file=sys.stderr)


def ask(changes: Sequence[Change]) -> bool:
    """Ask whether `changes` may be made; without a terminal the answer is no."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"Make {len(changes)} changes? Type yes to go on: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() == "yes"


def type_secret(whose: str) -> str:
    """Have somebody type a secret, which is not shown.

    Raises:
        EOFError: nothing was typed, or the terminal would show it.
    """
    import getpass
    import warnings

    from auditor.report.wording import neutral

    with ExitStack() as stack, warnings.catch_warnings():
        for display in _displays:
            stack.enter_context(display.paused())
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(f"{neutral(whose)}: ")
        except getpass.GetPassWarning:
            raise EOFError from None


def ask_hosts(excess: Excess) -> bool:
    """Have somebody at a terminal type how many hosts are changed by a run that is larger than its limit; without a terminal it is no.

    Raises:
        GuardError: another number was typed; nothing was written.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    number, noun = (excess.hosts, "hosts") if excess.hosts else (excess.objects, "objects")
    print(f"{excess.what}.\nType the number of {noun}, {number}, to change all of them: ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip() == str(number):
        return True
    raise GuardError(
        f"{count_of(excess.changes, 'change was', 'changes were')} not confirmed",
        why="nothing was written.",
        do=f"type {number} when asked, or narrow it: --cluster, --host, --only; with {excess.option} --yes nobody is asked.",
    )


def ask_unmatched(sentences: Sequence[str]) -> bool:
    """Ask whether a fix goes on although these entries of `protect:` fit nothing; without a terminal the answer is no."""
    from auditor.report.wording import neutral

    if not sentences or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    for sentence in sentences:
        print(f"{neutral(sentence)}, so it protects nothing.", file=sys.stderr)
    print("Change the fleet all the same? Type yes to go on: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() == "yes"


def always(_changes: Sequence[Change]) -> bool:
    """The answer of --yes."""
    return True


def show_changes(confirm: Callable[[Sequence[Change]], bool]) -> Callable[[Sequence[Change]], bool]:
    """`confirm`, after the changes were printed on standard error: what is left of a run is known only when it is asked about."""

    def shown(changes: Sequence[Change]) -> bool:
        from auditor.model import FixClass, Plan

        show_plan(Plan(tuple(changes)), tuple(FixClass))
        return confirm(changes)

    return shown


def show_plan(plan: Plan, allow: Sequence[FixClass], held: Sequence[Receipt] = ()) -> None:
    """Print what a fix would change, on standard error: the report stays alone on standard output."""
    from auditor.report.terminal.plan import write_plan

    write_plan(plan, allow, sys.stderr, held)
