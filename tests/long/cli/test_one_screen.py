"""The demo, as somebody new sees it: one screen, progress and all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.waiting import PATIENCE_SECONDS


def test_the_demo_fits_one_screen_with_all_it_prints(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "auditor", "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
        env={name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"XDG_STATE_HOME": str(tmp_path)},
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 2, "there is drift, and something is unknown"
    assert len(lines) <= 49, "and the line that make adds"
    assert max(map(len, lines)) <= 100
    assert any(line.startswith("32 endpoints: ") for line in lines), "progress is one line"
    assert sum(line.startswith(("  CRITICAL ", "  HIGH ")) for line in lines) == 5, "the five worst causes"
    assert lines[-1].startswith("  - See every finding: auditor runs show "), "it ends with what to do next"
