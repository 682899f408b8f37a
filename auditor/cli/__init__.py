"""The command line: parse, call stages, print, exit code; nothing is decided here."""

from __future__ import annotations

import gc
import os
import sys

from auditor import stopping
from auditor.errors import CRASHED, no_room

TYPE_CHECKING = False  # as typing has it, which takes long to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

INTERRUPTED = 130
"""What a shell reports of a tool that Ctrl-C has ended, 128 and SIGINT."""

_OBJECTS_A_COLLECTION = 20_000
"""New objects between two searches for garbage. Imports and rows make hundreds of thousands that stay: Python's own 700 find little."""

UNREAD = 141
"""What a shell reports of a tool that a broken pipe has ended, 128 and SIGPIPE (docs/exit-codes.md)."""

waiting: list[datetime] = []
"""Since when somebody waits for the one command of this process, set by `main`; empty where a program runs commands of its own."""


def main() -> None:
    """The console script `auditor`; its exit codes are those of docs/exit-codes.md."""
    from auditor.cli.safe_stdout import safe_stream, stdout_failure
    from auditor.system.process_start import process_began

    gc.set_threshold(_OBJECTS_A_COLLECTION)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's library would start a thread for each core, and nothing here multiplies
    sys.stdout, sys.stderr = safe_stream(sys.stdout), safe_stream(sys.stderr)
    waiting.append(process_began())
    try:
        code = run(sys.argv[1:], stopping.install)
        failure = stdout_failure()
        if failure is not None:
            what = f"standard output took no more: {failure.strerror or failure}"
            do = "make room; `auditor runs show` shows a kept run again."
            print(f"error: {what}\n  why: what was shown is not whole.\n  do:  {do}", file=sys.stderr)
            code = 3
    except KeyboardInterrupt:  # between the command and its end
        code = _interrupted()
    except Exception as error:  # noqa: BLE001  the last line: Python's own exit code for a crash is 1, which means "drift"
        code = _crashed(error)
    _end(code)


def _take_typed_secrets(arguments: list[str]) -> None:
    """Have secrets of `{ask: true}` typed where somebody sits at a terminal; a job and a worker run when nobody does."""
    from auditor.endpoints.common.typed_secrets import ask_by
    from auditor.system.console import somebody_is_there

    def prompt(whose: str) -> str:
        from auditor.cli.terminal import type_secret

        return type_secret(whose)

    runs_alone = arguments[:1] in (["schedule"], ["workers"])
    ask_by(prompt if somebody_is_there() and not runs_alone else None)


def _crashed(error: Exception) -> int:
    """Say what ended a command that was not to end so, and answer its exit code: a full disk is no bug."""
    full = no_room(error)
    if full is not None:
        do = "make room, or name a folder with room (--state-dir, $TMPDIR), and give the command again."
        print(f"error: {full}\n  why: the command ended there, and what it was writing is not whole.\n  do:  {do}", file=sys.stderr)
        return 3
    from auditor.bounds.files import FileTooLargeError

    if isinstance(error, FileTooLargeError):
        print(f"error: {error.path}: {error}\n  why: it was not read.\n  do:  look who wrote it, and remove it.", file=sys.stderr)
        return 3
    import traceback

    traceback.print_exception(error)
    print("error: a bug in auditor\n  why: nothing it printed is to be trusted.\n  do:  report the lines above.", file=sys.stderr)
    return CRASHED


def _end(code: int) -> None:
    """End the process, also beneath a query that DuckDB does not leave off: Python would take apart what that still uses."""
    if stopping.signal_name() is not None:
        stopping.end(code)
    workers = sys.modules.get("auditor.workers.client")
    if workers is not None and workers.was_begun():  # Python would wait for Dask, which may wait for a scheduler that is gone
        stopping.end(code)
    query = sys.modules.get("auditor.inspect.query")  # not imported for this: it takes longer than most commands
    if query is not None and query.is_left_running():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run(arguments: list[str], before_the_command: Callable[[], None] | None = None) -> int:
    """The exit code of one command line, once it has run; every known failure is printed on standard error in three lines.

    `before_the_command` is called when all that it takes is imported.
    """
    import typer
    from typer.exceptions import Abort, TyperException

    from auditor.cli.commands import app_for
    from auditor.cli.plain_values import take_plain_values
    from auditor.errors import AuditorError

    take_plain_values()
    _take_typed_secrets(arguments)
    is_completing = _prepare_completion()
    try:
        app = app_for(() if is_completing else arguments or ["--help"])
        if before_the_command is not None:
            before_the_command()
        code = app(arguments, standalone_mode=False, prog_name="auditor")
    except AuditorError as error:
        from auditor.cli.exit_codes import exit_code_of
        from auditor.report.wording import neutral

        print("\n".join(map(neutral, str(error).split("\n"))), file=sys.stderr)
        return exit_code_of(error)
    except TyperException as error:
        return _misused(error, arguments)
    except (KeyboardInterrupt, Abort):
        return _interrupted()
    except RuntimeError as error:
        if str(error) != "Query interrupted":  # what DuckDB raises for Ctrl-C while the main thread runs one of its statements
            raise
        return _interrupted()
    except SystemExit as left:
        return _unread_report(left)
    except typer.Exit as done:
        return done.exit_code
    if code == INTERRUPTED:  # typer turns a Ctrl-C in a command into this code
        return _interrupted()
    return code if isinstance(code, int) else 0


def _unread_report(exit_of_typer: SystemExit) -> int:
    """The exit code where typer leaves with 1 since a pipe broke, which would mean "drift"; any other `exit_of_typer` is raised again."""
    # Standard output cannot break, but a report of its own can.
    if not isinstance(exit_of_typer.__context__, BrokenPipeError):
        raise exit_of_typer
    what = "the reader of the named pipe that a report goes to has gone"
    print(f"error: {what}\n  why: that report is not whole.\n  do:  read it to its end, or write a file.", file=sys.stderr)
    return UNREAD


def _prepare_completion() -> bool:
    """Let typer answer if a shell's completion script runs the program. Returns whether it does."""
    from auditor.cli.completions import VARIABLE

    is_completing = bool(os.environ.get(VARIABLE))  # PowerShell 7.5 leaves it empty behind
    if is_completing:
        from typer.completion import completion_init  # type: ignore[attr-defined]  # it is there, and not in __all__

        completion_init()
    return is_completing


def _misused(error: Exception, arguments: list[str]) -> int:
    what: str = getattr(error, "format_message", error.__str__)()
    if what.startswith("Usage: "):  # the whole help, of a group of commands without one of them
        print(what)
    else:
        why = "nothing was read or changed: the command was not understood."
        print(f"error: {_plainly(what)}\n  why: {why}\n  do:  {_command(error, arguments)} --help", file=sys.stderr)
    return 3


def _plainly(what: str) -> str:
    """A message of typer without its inner words; for a word that is not allowed, with the nearest allowed one."""
    import re

    from auditor.yaml.reading import nearest

    what = what.replace("Value error, ", "").replace("Input should be", "it should be")
    wrong = re.fullmatch(r"(Invalid value for .*: )'(.*)' is not one of (.*)\.", what, re.DOTALL)
    if wrong is None:
        return what
    near = nearest(wrong[2], re.findall(r"'([^']*)'", wrong[3]))
    return f"{what.removesuffix('.')}{f'; did you mean {chr(34)}{near}{chr(34)}?' if near else '.'}"


def _interrupted() -> int:
    """Say what stopped the command, and what was and was not done."""
    from auditor.report.wording import neutral

    for text in stopping.last_words():
        print("\n".join(map(neutral, text.split("\n"))), file=sys.stderr)
    return stopping.exit_code()


def _command(error: Exception, arguments: list[str]) -> str:
    """The command that was misused, as far as its words were understood."""
    context = getattr(error, "ctx", None)
    if context is not None:
        return str(context.command_path)
    return " ".join(["auditor", *(word for word in arguments[:1] if not word.startswith("-"))])
