"""A headless Chromium over its debugging pipe: what a page asks for, complains of and shows."""

from __future__ import annotations

import base64
import json
import os
import re
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
        self.ask("Performance.enable", timeDomain="threadTicks")

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

    def resize(self, width: int, height: int, *, dark: bool = False) -> None:
        """Show pages at this size in CSS pixels, in dark colours or light ones."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])

    def pages_on_paper(self) -> int:
        """How many pages of paper it takes, of the size that its style wants."""
        pdf = base64.b64decode(self.ask("Page.printToPDF", preferCSSPageSize=True)["data"])
        return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))

    def accessible(self) -> list[tuple[str, str, int | None]]:
        """What a screen reader meets, in its order: role, name, and the level of a heading."""
        self.ask("Accessibility.enable")
        nodes = {node["nodeId"]: node for node in self.ask("Accessibility.getFullAXTree")["nodes"]}
        met: list[tuple[str, str, int | None]] = []
        waiting = [next(iter(nodes))]
        while waiting:
            node = nodes[waiting.pop()]
            if not node["ignored"]:
                levels = [one["value"]["value"] for one in node.get("properties", ()) if one["name"] == "level"]
                met.append((node["role"]["value"], node.get("name", {}).get("value", ""), levels[0] if levels else None))
            waiting += [child for child in reversed(node.get("childIds", ())) if child in nodes]
        return met

    def busy_seconds(self) -> float:
        """Processor time of the page's thread since it was opened, for reading, scripts and layout."""
        metrics = {one["name"]: one["value"] for one in self.ask("Performance.getMetrics")["metrics"]}
        return float(metrics["TaskDuration"])

    def press(self, key: str) -> None:
        """Press a key and let it go."""
        for way in ("rawKeyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=way, key=key, code=key, windowsVirtualKeyCode={"Tab": 9}[key])

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
