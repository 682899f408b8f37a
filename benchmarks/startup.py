"""How long a command takes that does nothing: what a person waits for who only wants to read the help.

Run: make bench-startup. Each command is started some times after a first one that warms the disk's cache; the quickest counts.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path

from measuring import print_table, watched

PYTHON = sys.executable
AUDITOR = str(Path(PYTHON).with_name("auditor"))
COMMANDS = {
    "python -c pass": (PYTHON, "-c", "pass"),
    "import auditor.cli": (PYTHON, "-c", "import auditor.cli"),
    "auditor --help": (AUDITOR, "--help"),
    "auditor rules list": (AUDITOR, "rules", "list"),
}
_HEAVY = ("pyVmomi", "duckdb", "sqlglot", "httpx", "numpy", "solidfire", "rich", "jinja2", "msgspec", "asyncssh", "yaml")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--json", type=Path, help="write the results here")
    arguments = parser.parse_args()
    best = {name: {"seconds": math.inf, "cpu_seconds": math.inf} for name in COMMANDS}
    for number in range(arguments.repeat + 1):
        for name, command in COMMANDS.items():
            measured = watched(command)
            if number:
                best[name] = {key: min(value, measured[key]) for key, value in best[name].items()}
    python = best["python -c pass"]
    print_table(
        ["command", "ms", "CPU ms", "x python", "by CPU"],
        [
            [name, *(1000 * value for value in one.values()), *(value / python[key] for key, value in one.items())]
            for name, one in best.items()
        ],
    )
    heavy = _imported_by_help()
    print(f"heavy packages that --help imports: {', '.join(heavy) or 'none'}")
    results = {"results": [{"command": name, **one} for name, one in best.items()], "heavy": heavy}
    print(json.dumps(results))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


def _imported_by_help() -> list[str]:
    program = (
        "import contextlib, io, json, sys\n"
        "from auditor.cli import main\n"
        "sys.argv = ['auditor', '--help']\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    main()\n"
        f"print(json.dumps([name for name in {_HEAVY!r} if name in sys.modules]))"
    )
    measured: list[str] = json.loads(subprocess.run([PYTHON, "-c", program], check=True, stdout=subprocess.PIPE, text=True).stdout)
    return measured


if __name__ == "__main__":
    sys.exit(main())
