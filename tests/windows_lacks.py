"""What Windows lacks of Python's library, and which parts of auditor need it."""

from __future__ import annotations

from pathlib import Path

_LINES = Path(__file__).with_name("windows_lacks.txt").read_text(encoding="ascii").splitlines()
LACKING = {module: frozenset(names.split()) for module, _, names in (line.partition(":") for line in _LINES if not line.startswith("#"))}
"""By module the names that it lacks there, and under `modules` the modules that are not there."""

ON_POSIX = ("auditor.job", "auditor.workers", "auditor.cli.schedule", "auditor.cli.workers", "auditor.bounds.process")
"""What stays on Linux and macOS; `auditor.bounds.process` asks first whether it can fork."""
