"""Where a process of tests crashes: a traceback of each of its threads, printed at the end of the session.

pytest writes it to standard error, amid thousands of lines of a long session; what CI shows of such a session is its end.

A process is killed by native code alone (DuckDB, OpenSSL, Python itself), some tests after the one that led to it. So the test that
happened to run then is run again, in a new process. That is done for the first crash of a session and reported; a second one fails.
"""

from __future__ import annotations

import faulthandler
import tempfile
from pathlib import Path
from typing import IO, Any

import pytest

_OPEN: list[IO[str]] = []  # faulthandler keeps the number of the file alone
_RUN_AGAIN: list[str] = []


@pytest.hookimpl(trylast=True)  # after pytest's own, which writes to standard error
def pytest_configure(config: pytest.Config) -> None:
    """Let a worker of xdist write its crash into a file of its own."""
    worker = getattr(config, "workerinput", None)
    if worker is not None:
        folder = _folder(worker["testrunuid"])
        folder.mkdir(exist_ok=True)
        _OPEN.append((folder / worker["workerid"]).open("a", encoding="utf-8"))
        faulthandler.enable(_OPEN[-1])


@pytest.hookimpl(optionalhook=True)  # xdist's
def pytest_handlecrashitem(crashitem: str, report: pytest.TestReport, sched: Any) -> None:
    """Run the test again in whose time the first process of this session crashed."""
    if not _RUN_AGAIN:
        _RUN_AGAIN.append(crashitem)
        sched.mark_test_pending(crashitem)
        report.outcome = "rerun"  # type: ignore[assignment]  # the word of xdist's documentation


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Count such a test apart."""
    return ("run again", "R", "RUN AGAIN") if report.outcome == "rerun" else None  # type: ignore[comparison-overlap]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the crashes of all workers, and remove their files."""
    for test in _RUN_AGAIN:
        terminalreporter.section("a process of tests crashed")
        terminalreporter.write_line(f"It was in {test}, which was run again in a new process.")
    session = config.pluginmanager.get_plugin("dsession")
    uid = getattr(getattr(session, "nodemanager", None), "testrunuid", None)
    if uid is None or not _folder(uid).is_dir():
        return
    for path in sorted(_folder(uid).iterdir()):
        if text := path.read_text(encoding="utf-8", errors="replace"):
            terminalreporter.section(f"threads of {path.name}")
            terminalreporter.write_line(text)
        path.unlink()
    _folder(uid).rmdir()


def _folder(uid: str) -> Path:
    return Path(tempfile.gettempdir()) / f"auditor-crashes-{uid}"
