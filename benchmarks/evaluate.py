"""How long all rules take over a large fleet's snapshot, and the memory that takes.

Run: make bench-evaluate BENCH_ARGS="--json FILE". The snapshot is made by SQL, saved as Parquet, and judged in a fresh process for each
size. `seconds` and `peak_mib` are those of opening the snapshot, joining its tables and judging; loading the rules and saving every verdict
with its evidence are counted apart. On a busy machine look at `cpu_seconds`, of all cores together. Peak memory is that process's own.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor.engine.rule import RuleSet
    from auditor.facts.snapshot import Snapshot

SHARES = (25, 5, 1)  # of the hosts
FLEET = Path(__file__).with_name("evaluate_fleet.sql")


def main() -> int:
    arguments = _arguments()
    if arguments.build:
        _build(arguments.build, arguments)
        return 0
    if arguments.judge:
        print(json.dumps(_judged(arguments.judge, per_rule=arguments.per_rule)))
        return 0
    results = [_measured(max(1, arguments.hosts // share), arguments) for share in SHARES]
    _print(results)
    whole = {"devices": arguments.devices, "paths": arguments.paths, "options": arguments.options, "results": results} | _growth(results)
    print(json.dumps(whole))
    if arguments.json:
        arguments.json.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("hosts", 5000), ("devices", 512), ("paths", 0), ("options", 1100), ("repeat", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--judge", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--per-rule", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _measured(hosts: int, arguments: argparse.Namespace) -> dict[str, Any]:
    """The best of several judgings, each in its own process, and each rule's own time from a further one."""
    with tempfile.TemporaryDirectory() as folder:
        snapshot = Path(folder, "snapshot")
        size = [f"--{name}={getattr(arguments, name)}" for name in ("devices", "paths", "options")]
        _run(f"--build={snapshot}", f"--hosts={hosts}", *size)
        runs = [json.loads(_run(f"--judge={snapshot}")) for _ in range(arguments.repeat)]
        best: dict[str, Any] = min(runs, key=lambda run: run["seconds"])
        best["peak_mib"] = max(run["peak_mib"] for run in runs)
        rules = json.loads(_run(f"--judge={snapshot}", "--per-rule"))["rules"]
        size_mib = sum(path.stat().st_size for path in snapshot.iterdir()) / (1 << 20)
    return {"hosts": hosts, **best, "snapshot_mib": round(size_mib), "rules": rules}


def _run(*words: str) -> str:
    return subprocess.run([sys.executable, __file__, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def _build(folder: Path, arguments: argparse.Namespace) -> None:
    from datetime import UTC, datetime

    import duckdb

    from auditor.facts.schema import create_tables
    from auditor.facts.snapshot import Snapshot

    connection = duckdb.connect()
    create_tables(connection)
    for name in ("hosts", "devices", "paths", "options"):
        connection.execute(f"SET VARIABLE {name} = {getattr(arguments, name)}")
    connection.execute(FLEET.read_text(encoding="utf-8"))
    when = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)
    Snapshot(connection, (), (), when, when).save(folder)


def _judged(folder: Path, *, per_rule: bool) -> dict[str, Any]:
    """What happened in this process, which does nothing else."""
    from auditor.engine.evaluate import evaluate
    from auditor.engine.rule import DRIFT
    from auditor.facts.memory import lift_limit
    from auditor.facts.snapshot import load_snapshot
    from auditor.facts.views import create_views, seal
    from auditor.history.folders import FINDINGS_FILE, SPILL_FOLDER
    from auditor.policy import load_rule_set

    with tempfile.TemporaryDirectory() as run:
        stages = _Stages()
        rules = load_rule_set()
        rules = rules.only(rule.id for rule in rules if DRIFT not in rule.tags)  # as in an audit without a baseline
        stages.end("loading_rules")
        snapshot = load_snapshot(folder)
        stages.end("opening")
        create_views(snapshot.connection, Path(run, SPILL_FOLDER), {rule.over for rule in rules})
        seal(snapshot.connection, Path(run))
        stages.end("joining")
        if per_rule:
            return {"rules": _each(snapshot, rules)}
        evaluation = evaluate(snapshot.connection, rules)
        summary = evaluation.summary()
        stages.end("judging")
        lift_limit(snapshot.connection)
        evaluation.save(Path(run, FINDINGS_FILE))
        stages.end("saving")
        judged = [stages.of[name] for name in ("opening", "joining", "judging")]
        return {
            "device_rows": _count(snapshot, 'SELECT count(*) FROM fact."device"'),
            "seconds": round(sum(stage["seconds"] for stage in judged), 3),
            "cpu_seconds": round(sum(stage["cpu_seconds"] for stage in judged), 3),
            "peak_mib": judged[-1]["peak_mib"],
            "stages": stages.of,
            "verdicts": {name: getattr(summary, name) for name in ("fail", "passed", "unknown", "not_applicable")},
            "findings_mib": round(Path(run, FINDINGS_FILE).stat().st_size / (1 << 20), 1),
        }


class _Stages:
    """What each stage took, of the clock and of all cores together, and the peak memory by its end."""

    def __init__(self) -> None:
        self.of: dict[str, dict[str, float]] = {}
        self._began = time.perf_counter(), time.process_time()

    def end(self, name: str) -> None:
        now = time.perf_counter(), time.process_time()
        seconds, cpu_seconds = (round(after - before, 3) for before, after in zip(self._began, now, strict=True))
        self.of[name] = {"seconds": seconds, "cpu_seconds": cpu_seconds, "peak_mib": round(_peak_mib())}
        self._began = now


def _each(snapshot: Snapshot, rules: RuleSet) -> dict[str, float]:
    """Seconds of each rule judged alone: more than its share of all together, which compute what they have in common once."""
    from auditor.engine.evaluate import evaluate

    seconds = {}
    for rule in rules:
        began = time.perf_counter()
        evaluate(snapshot.connection, rules, only=[rule.id])
        seconds[rule.id] = round(time.perf_counter() - began, 3)
    return seconds


def _count(snapshot: Snapshot, query: str) -> int:
    row = snapshot.connection.execute(query).fetchone()
    return int(row[0]) if row else 0


def _peak_mib() -> float:
    """Of this process since it was started; Linux's getrusage would also count the one that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        peak = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM:"))
        return int(peak.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)  # macOS counts bytes


def _growth(results: list[dict[str, Any]]) -> dict[str, float]:
    """The exponents by which time and memory grow from the smallest size to the largest: 1 is linear."""
    first, last = results[0], results[-1]
    if first["device_rows"] == last["device_rows"]:
        return {}
    rows = math.log(last["device_rows"] / first["device_rows"])
    return {f"growth_{name}": round(math.log(last[name] / first[name]) / rows, 2) for name in ("seconds", "cpu_seconds", "peak_mib")}


def _print(results: list[dict[str, Any]]) -> None:
    columns = ("hosts", "device_rows", "seconds", "cpu_seconds", "peak_mib", "snapshot_mib", "findings_mib")
    print(" ".join(f"{name:>13}" for name in columns))
    for result in results:
        print(" ".join(f"{result[name]:>13}" for name in columns), result["verdicts"])
    print("\nseconds of a rule judged alone, by hosts")
    for rule in results[0]["rules"]:
        print(f"{rule:40}", " ".join(f"{result['rules'][rule]:8.3f}" for result in results))
    for name, exponent in _growth(results).items():
        print(f"{name}: {exponent}")


if __name__ == "__main__":
    sys.exit(main())
