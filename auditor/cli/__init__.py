"""The command line: parse, call stages, print, exit code; nothing is decided here."""

from __future__ import annotations

import gc
import os
import sys

from auditor.errors import CRASHED

INTERRUPTED = 130
"""What a shell reports of a tool that Ctrl-C has ended, 128 and SIGINT."""

_OBJECTS_A_COLLECTION = 20_000
"""New objects between two searches for garbage. Imports and rows make hundreds of thousands that stay: Python's own 700 find little."""

UNREAD = 141
"""What a shell reports of a tool that a broken pipe has ended, 128 and SIGPIPE (docs/ARCHITECTURE.md#exit-codes)."""


def main() -> None:
    """The console script `auditor`; its exit codes are those of docs/ARCHITECTURE.md#exit-codes."""
    from auditor.cli.safe_stdout import safe_stream, stdout_failure

    gc.set_threshold(_OBJECTS_A_COLLECTION)
    sys.stdout, sys.stderr = safe_stream(sys.stdout), safe_stream(sys.stderr)
    try:
        code = run(sys.argv[1:])
        failure = stdout_failure()
        if failure is not None:
            what = f"standard output took no more: {failure.strerror or failure}"
            do = "make room; `auditor runs show` shows a kept run again."
            print(f"error: {what}\n  why: what was shown is not whole.\n  do:  {do}", file=sys.stderr)
            code = 3
    except Exception:  # noqa: BLE001  the last line: Python's own exit code for a crash is 1, which means "drift"
        import traceback

        traceback.print_exc()
        print("error: a bug in auditor\n  why: nothing it printed is to be trusted.\n  do:  report the lines above.", file=sys.stderr)
        code = CRASHED
    _end(code)


def _end(code: int) -> None:
    """End the process, also beneath a query that DuckDB does not leave off: Python would take apart what that still uses."""
    query = sys.modules.get("auditor.query")  # not imported for this: it takes longer than most commands
    if query is not None and query.is_left_running():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """The exit code of one command line, once it has run; every known failure is printed on standard error in three lines."""
    import typer
    from typer.exceptions import Abort, TyperException

    from auditor.cli.app import app
    from auditor.errors import AuditorError

    try:
        code = app(arguments, standalone_mode=False, prog_name="auditor")
    except AuditorError as error:
        from auditor.report.wording import neutral

        print("\n".join(map(neutral, str(error).split("\n"))), file=sys.stderr)
        return exit_code_of(error)
    except TyperException as error:
        what = getattr(error, "format_message", error.__str__)()
        print(f"error: {what}\n  why: nothing was done.\n  do:  {_command(error, arguments)} --help", file=sys.stderr)
        return 3
    except (KeyboardInterrupt, Abort):
        return _interrupted()
    except RuntimeError as error:
        if str(error) != "Query interrupted":  # what DuckDB raises for Ctrl-C while the main thread runs one of its statements
            raise
        return _interrupted()
    except SystemExit as left:
        # typer leaves with 1 when a pipe breaks, and that would mean "drift". Standard output cannot break, but a report of its own can.
        if not isinstance(left.__context__, BrokenPipeError):
            raise
        what = "the reader of the named pipe that a report goes to has gone"
        print(f"error: {what}\n  why: that report is not whole.\n  do:  read it to its end, or write a file.", file=sys.stderr)
        return UNREAD
    except typer.Exit as done:
        return done.exit_code
    if code == INTERRUPTED:  # typer turns a Ctrl-C in a command into this code
        return _interrupted()
    return code if isinstance(code, int) else 0


def _interrupted() -> int:
    print("interrupted: what was written is in the journal, nothing more is written.", file=sys.stderr)
    return INTERRUPTED


def exit_code_of(error: Exception) -> int:
    """The exit code for this sort of failure."""
    from auditor.errors import EndpointError, GuardError, JournalError

    if isinstance(error, GuardError):
        return 5
    if isinstance(error, JournalError):
        return 4
    return 2 if isinstance(error, EndpointError) else 3


def _command(error: Exception, arguments: list[str]) -> str:
    """The command that was misused, as far as its words were understood."""
    context = getattr(error, "ctx", None)
    if context is not None:
        return str(context.command_path)
    return " ".join(["auditor", *(word for word in arguments[:1] if not word.startswith("-"))])
