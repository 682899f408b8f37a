"""A scenario of the lab, served by a process of its own until the block ends."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

_END = "end"


@dataclass(frozen=True, slots=True)
class LabProcess:
    """The lab's side of this process.

    Attributes:
        folder: an empty one, which is gone when the block ends; `fleet` lies in it.
    """

    folder: Path
    fleet: Path
    _pipe: Connection

    def pass_time(self, seconds: int) -> None:
        """Let time pass in every vCenter at once: what puts settings back a while after a write does so now."""
        self._pipe.send(seconds)
        self._pipe.recv()


@contextmanager
def lab_process(scenario: str, *, task_seconds: float = 0.0, reboot_seconds: float = 0.3) -> Iterator[LabProcess]:
    """Serve a scenario whose tasks run, and whose hosts reboot, so long; the fleet file is written when the block begins."""
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        here, there = get_context("spawn").Pipe()
        arguments = (scenario, str(folder / "fleet.yaml"), there, task_seconds, reboot_seconds)
        lab = get_context("spawn").Process(target=_serve, args=arguments, daemon=True)
        lab.start()
        here.recv()
        try:
            yield LabProcess(folder, folder / "fleet.yaml", here)
        finally:
            here.send(_END)
            lab.join()


def _serve(scenario: str, fleet: str, pipe: Connection, task_seconds: float, reboot_seconds: float) -> None:
    from auditor_lab.scenario import load_scenario
    from auditor_lab.serving import serve

    with serve(load_scenario(scenario)) as lab:
        for vcenter in lab.vcenters.values():
            vcenter.state.task_seconds, vcenter.state.reboot_seconds = task_seconds, reboot_seconds
        lab.write_fleet(Path(fleet))
        pipe.send("ready")
        while (message := pipe.recv()) != _END:
            for vcenter in lab.vcenters.values():
                with vcenter.state.lock:
                    vcenter.state.pass_time(message)
            pipe.send("passed")
