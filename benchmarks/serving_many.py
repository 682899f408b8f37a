"""Starts the processes that answer for many vCenters, and counts what they do."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Servers:
    """The processes that answer for all endpoints."""

    def __init__(self, processes: list[subprocess.Popen[str]]) -> None:
        self._processes = processes

    def counted(self) -> dict[str, float]:
        """What they did since the last call: `cpu_seconds`, `requests`, `bytes`, `composed`, `unheard`; and `peak_mib` of all."""
        total = dict.fromkeys(("cpu_seconds", "peak_mib", "requests", "bytes", "composed", "unheard"), 0.0)
        for one in self._processes:
            assert one.stdin is not None
            assert one.stdout is not None
            one.stdin.write("count\n")
            one.stdin.flush()
            for name, value in json.loads(one.stdout.readline()).items():
                total[name] += value
        return total


@contextmanager
def serving(vcenters: int, recording: Path, folder: Path, *, processes: int, latency_seconds: float) -> Iterator[Servers]:
    """Serve that many vCenters until the block ends; `folder` gets fleet.yaml."""
    import yaml

    program = Path(__file__).with_name("many_vcenters.py")
    number = min(processes, vcenters)
    firsts = [vcenters * part // number for part in range(number + 1)]
    with ExitStack() as stack:
        started, files = [], []
        for first, following in pairwise(firsts):
            files.append(folder / f"part-{first}.yaml")
            words = [str(recording), str(files[-1]), "--first", str(first), "--vcenters", str(following - first)]
            command = [sys.executable, str(program), *words, "--latency", str(latency_seconds)]
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            stack.enter_context(process)
            stack.callback(process.kill)
            started.append(process)
        for process in started:
            assert process.stdout is not None
            if not process.stdout.readline():
                raise SystemExit("a server did not start; see its traceback above")
        endpoints = [one for file in files for one in yaml.safe_load(file.read_text(encoding="utf-8"))["endpoints"]]
        (folder / "fleet.yaml").write_text(yaml.safe_dump({"endpoints": endpoints}, sort_keys=False), encoding="utf-8")
        yield Servers(started)
