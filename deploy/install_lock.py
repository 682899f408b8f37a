"""Installs what a lock file names, by pip and by its hashes, and shows what is being done: pip alone is silent for a minute or two.

Run by `make env` with the Python of a new environment, in which nothing is installed yet: python deploy/install_lock.py LOCK.
"""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from pathlib import Path

LINE_SECONDS = 10.0
"""Off a terminal there is a line so often."""
_LOOK_SECONDS = 0.5


def main(lock: Path) -> int:
    """Install the packages of `lock` into the environment of this Python; the exit code is pip's."""
    of = len(re.findall(r"^[A-Za-z0-9][^\s=]*==", lock.read_text(encoding="utf-8"), re.MULTILINE))
    folder = Path(sys.prefix)
    began = time.monotonic()
    print(f"installing {of} packages into {folder.name}: two minutes, this once", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--progress-bar", "off"]
    command += ["--no-deps", "--require-hashes", "--requirement", str(lock)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as pip:
        state, ended = State(of, folder), threading.Event()
        shown = threading.Thread(target=_show, args=(state, ended), daemon=True)
        shown.start()
        for line in pip.stdout or ():
            state.note(line)
        code = pip.wait()
        ended.set()
        shown.join()
    if code == 0:
        print(f"installed {of} packages in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return code


class State:
    """How far pip is, by what it prints while it fetches, and by the folders that it makes while it installs."""

    def __init__(self, of: int, folder: Path) -> None:
        self._of, self._folder = of, folder
        self._fetched, self._name = 0, ""
        self._before = self._installed()
        self._is_installing = False

    def note(self, line: str) -> None:
        """Take note of a line that pip printed."""
        fetching = re.match(r"Collecting ([^\s=]+)", line)
        if fetching:
            self._fetched, self._name = self._fetched + 1, fetching[1]
        elif line.startswith("Installing collected packages"):
            self._is_installing = True

    def line(self) -> str:
        """What is being done, and how much of it is done."""
        if self._is_installing:
            return f"installing: {self._installed() - self._before} of {self._of}"
        return f"fetching: {self._fetched} of {self._of} {self._name}".rstrip()

    def _installed(self) -> int:
        return sum(1 for _ in self._folder.glob("**/site-packages/*.dist-info"))


def _show(state: State, ended: threading.Event) -> None:
    """Show how far it is: on a terminal in one line that changes, elsewhere in a line every ten seconds."""
    is_terminal = sys.stderr.isatty()
    while not ended.wait(_LOOK_SECONDS if is_terminal else LINE_SECONDS):
        print(f"\r\x1b[K{state.line()}" if is_terminal else state.line(), end="" if is_terminal else "\n", file=sys.stderr, flush=True)
    if is_terminal:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
