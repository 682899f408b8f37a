"""A scheduler and a worker as processes of their own: begun, listed, measured, left by the scheduler, and ended."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dask
import pytest

from auditor.workers.certificates import make_certificates
from auditor.workers.client import connected

READY_SECONDS = 120.0
END_SECONDS = 60.0


@dataclass
class Running:
    """A command that serves, with all that it has printed so far."""

    process: subprocess.Popen[bytes]
    log: Path

    def wait_for(self, text: str, times: int = 1) -> str:
        """The last line with `text`, once there are so many."""
        until = time.monotonic() + READY_SECONDS
        while time.monotonic() < until:
            lines = [line for line in self.log.read_text(encoding="utf-8").splitlines() if text in line]
            if len(lines) >= times:
                return lines[-1]
            assert self.process.poll() is None, self.log.read_text(encoding="utf-8")
            time.sleep(0.1)
        raise AssertionError(self.log.read_text(encoding="utf-8"))

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(END_SECONDS)


@dataclass
class Place:
    """Where the processes of these tests run."""

    folder: Path
    environment: dict[str, str]
    scheduler: int  # its port, so that a second one can take its place
    metrics: int
    worker_metrics: int

    def start(self, log: str, *words: str) -> Running:
        path = self.folder / log
        with path.open("ab") as out:
            command = [sys.executable, "-m", "auditor", "workers", *words]
            return Running(subprocess.Popen(command, stdout=out, stderr=out, env=self.environment), path)

    def start_scheduler(self, log: str) -> Running:
        words = ("--listen", f"127.0.0.1:{self.scheduler}", "--metrics", f"127.0.0.1:{self.metrics}")
        return self.start(log, "scheduler", *words)

    def listed(self, fleet: Path) -> tuple[int, str]:
        words = ["--workers", f"127.0.0.1:{self.scheduler}", "--fleet", str(fleet)]
        command = [sys.executable, "-m", "auditor", "workers", "list", *words]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def place(tmp_path: Path) -> Place:
    make_certificates(tmp_path / "certificates")
    environment = {**os.environ, "AUDITOR_WORKERS_CERTIFICATES": str(tmp_path / "certificates"), "PYTHONUNBUFFERED": "1"}
    environment["TMPDIR"] = str(tmp_path / "tmp")
    (tmp_path / "tmp").mkdir()
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(3)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        ports = [one.getsockname()[1] for one in sockets]
    return Place(tmp_path, environment, *ports)


@contextlib.contextmanager
def ended(*running: Running) -> Iterator[None]:
    try:
        yield
    finally:
        for one in running:
            one.process.kill()
            one.process.wait()


def status(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, ""


def fleet_of(folder: Path, *sites: str) -> Path:
    path = folder / "fleet.yaml"
    lines = [f"  - {{name: vc-{site}, kind: vcenter, address: vc, username: u, password: {{env: P}}}}" for site in sites]
    lines += ["sites:", *(f"  {site}: {{endpoints: [vc-{site}]}}" for site in sites)]
    path.write_text("\n".join(["endpoints:", *lines, ""]), encoding="utf-8")
    return path


def test_a_worker_serves_its_site_outlives_its_scheduler_and_ends_by_a_signal(place: Place) -> None:
    scheduler = place.start_scheduler("scheduler.log")
    words = ("--scheduler", f"127.0.0.1:{place.scheduler}", "--site", "vienna", "--threads", "2", "--name", "vie-1")
    worker = place.start("worker.log", "start", *words, "--metrics", f"127.0.0.1:{place.worker_metrics}")
    with ended(worker, scheduler):
        assert "reads endpoints of vienna, 2 at once" in worker.wait_for("worker ready on tls://127.0.0.1:")

        [scratch] = (place.folder / "tmp").glob("auditor-worker-*")
        assert stat.S_IMODE(scratch.stat().st_mode) == 0o700, "what does not fit into memory goes there"
        assert list(scratch.iterdir()), "it is where Dask works"
        assert not list((place.folder / "tmp").glob("dask-scratch-space/worker-*"))

        with connected(f"127.0.0.1:{place.scheduler}", place.folder / "certificates") as client:
            profiled = client.run(dask.config.get, "distributed.worker.profile.enabled")
        assert list(profiled.values()) == [False], "Dask's profiler crashes a process of many threads"

        code, text = place.listed(fleet_of(place.folder, "vienna", "graz"))
        assert code == 2
        assert "vie-1" in text
        assert "no worker of site graz" in text
        assert "no worker of site vienna" not in text

        assert 'auditor_site_workers{site="vienna"} 1.0' in status(place.metrics, "metrics")[1]
        assert "dask_worker_threads 2.0" in status(place.worker_metrics, "metrics")[1]
        for port in (place.metrics, place.worker_metrics):
            pages = ("health", "status", "info/main/workers.html", "json/counts.json")
            assert [status(port, page)[0] for page in pages] == [200, 404, 404, 404], "health alone, and nothing of the dashboard"

        scheduler.end(signal.SIGKILL)
        worker.wait_for("has gone; waiting for it")
        second = place.start_scheduler("second.log")
        with ended(second):
            worker.wait_for("worker ready on", times=2)
            assert place.listed(fleet_of(place.folder, "vienna"))[0] == 0
            assert worker.end() == 0
            assert second.end() == 0
            assert not list((place.folder / "tmp").glob("auditor-worker-*"))
        assert "Traceback" not in "".join(path.read_text(encoding="utf-8") for path in place.folder.glob("*.log"))
