"""Whether our lanes are still as much faster than the others' as ratios.json says, less its margin; never an absolute time.

Run: make bench-check. It runs `collect.py` at a small size; ratios are of processor seconds, which neighbours on the machine disturb least.
A lane that cannot run here, such as govmomi without Go, is passed over and said so.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import print_table

HERE = Path(__file__).parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--ratios", type=Path, default=HERE / "ratios.json")
    arguments = parser.parse_args()
    wanted = json.loads(arguments.ratios.read_text(encoding="utf-8"))
    lanes = sorted({one[side] for one in wanted["measured"] for side in ("lane", "than")})
    took = _collected(lanes, arguments)
    rows, slower, compared = [], 0, 0
    for one in wanted["measured"]:
        least = one["times"] * (1 - wanted["margin"])
        times = took[one["than"]] / took[one["lane"]] if {one["lane"], one["than"]} <= took.keys() else None
        compared += times is not None
        slower += times is not None and times < least
        verdict = "not run here" if times is None else "TOO SLOW" if times < least else "ok"
        rows.append([f"{one['lane']} against {one['than']}", times, least, float(one["times"]), verdict])
    print_table(["ratio", "now", "at least", "when measured", ""], rows)
    if not compared:
        print("nothing could be compared", file=sys.stderr)
        return 1
    return 1 if slower else 0


def _collected(lanes: list[str], arguments: argparse.Namespace) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "results.json")
        command = [sys.executable, str(HERE / "collect.py"), "--hosts", str(arguments.hosts), "--repeat", str(arguments.repeat)]
        # Its exit code is that of the rows: transports that report different things are not to be compared.
        subprocess.run([*command, "--lanes", *lanes, "--json", str(results)], check=True)
        report = json.loads(results.read_text(encoding="utf-8"))
    return {one["lane"]: one["cpu_seconds"] for one in report["results"]}


if __name__ == "__main__":
    sys.exit(main())
