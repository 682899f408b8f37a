"""A headless Chromium over its debugging pipe: what a page asks for, complains of and shows."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SECONDS = 300.0
# Chromium reads commands from descriptor 3 and answers on 4.
_LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3]]
for end, wanted in zip(ends, (3, 4)):
    os.dup2(end, wanted)
os.execv(sys.argv[3], sys.argv[3:])
"""
_QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)


def chromium_path() -> str | None:
    """The browser to drive: `CHROMIUM`, or the first of its usual names on the path."""
    named = os.environ.get("CHROMIUM")
    return named or next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


class Browser:
    """The two ends of the debugging pipe; messages end with a zero byte."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._held = b""
        self._number = 0

    def send(self, method: str, session: str | None, params: dict[str, Any]) -> int:
        """Send one command; its answer carries the number returned."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        return self._number

    def receive(self) -> dict[str, Any]:
        """The next answer or event."""
        deadline = time.monotonic() + SECONDS
        while b"\0" not in self._held:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"Chromium said nothing for {SECONDS} s"
            piece = os.read(self._answers, 1 << 20)
            assert piece, "Chromium has gone"
            self._held += piece
        first, _, self._held = self._held.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        return message


class Page:
    """One tab; every request and every complaint since it was opened."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._session: str | None = None
        self._loaded = False
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **params: Any) -> Any:
        """Send one command and wait for its answer."""
        number = self._browser.send(method, self._session, params)
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def close(self) -> None:
        """Leave nothing of it behind."""
        self._session, target = None, self._target
        self.ask("Target.closeTarget", targetId=target)

    def open(self, path: Path) -> None:
        """Load a file and wait until all of it has run."""
        self._load("Page.navigate", url=path.as_uri())

    def reload(self) -> None:
        """Load it again, with the address as the page has made it."""
        self._load("Page.reload")

    def _load(self, method: str, **params: Any) -> None:
        self._loaded = False
        self.ask(method, **params)
        while not self._loaded:
            self._next()

    def value(self, script: str) -> Any:
        """What a JavaScript expression gives; a promise is waited for."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, script: str) -> None:
        """Wait until a JavaScript expression is true."""
        deadline = time.monotonic() + SECONDS
        while not self.value(script):
            assert time.monotonic() < deadline, f"never came true: {script}"
            time.sleep(0.05)

    def _next(self) -> dict[str, Any]:
        message = self._browser.receive()
        if message.get("sessionId") == self._session:
            self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Runtime.exceptionThrown":
                self.complaints.append(str(params["exceptionDetails"]))
            case "Log.entryAdded":
                self.complaints.append(params["entry"]["text"])
            case "Runtime.consoleAPICalled":
                self.complaints.append(str(params["args"]))
            case "Page.loadEventFired":
                self._loaded = True


@contextmanager
def browsing(program: str) -> Iterator[Browser]:
    """A browser of its own, gone afterwards."""
    command_end, commands = os.pipe()
    answers, answer_end = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        run = [sys.executable, "-c", _LAUNCH, str(command_end), str(answer_end), program, *_QUIET, f"--user-data-dir={profile}"]
        process = subprocess.Popen(run, pass_fds=(command_end, answer_end), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(command_end)
        os.close(answer_end)
        try:
            yield Browser(commands, answers)
        finally:
            os.close(commands)  # the pipe's end is Chromium's word to leave
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            os.close(answers)
