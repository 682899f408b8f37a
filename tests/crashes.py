"""Where a process of tests crashes: a traceback of each of its threads, printed at the end of the session.

pytest writes it to standard error, amid thousands of lines of a long session; what CI shows of such a session is its end.
"""

from __future__ import annotations

import faulthandler
import tempfile
from pathlib import Path
from typing import IO

import pytest

_OPEN: list[IO[str]] = []  # faulthandler keeps the number of the file alone


@pytest.hookimpl(trylast=True)  # after pytest's own, which writes to standard error
def pytest_configure(config: pytest.Config) -> None:
    """Let a worker of xdist write its crash into a file of its own."""
    worker = getattr(config, "workerinput", None)
    if worker is not None:
        folder = _folder(worker["testrunuid"])
        folder.mkdir(exist_ok=True)
        _OPEN.append((folder / worker["workerid"]).open("a", encoding="utf-8"))
        faulthandler.enable(_OPEN[-1])


def pytest_unconfigure() -> None:
    """Leave the file before it is closed."""
    if _OPEN:
        faulthandler.disable()
        _OPEN.pop().close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the crashes of all workers, and remove their files."""
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
