"""How long all rules take over a large fleet's snapshot, and the memory that takes.

Run: make bench-evaluate BENCH_ARGS="--json FILE". The snapshot is made by SQL, saved as Parquet, and judged in a fresh process for each
size. `seconds` and `peak_mib` are those of opening the snapshot, joining its tables and judging; loading the rules and saving every verdict
with its evidence are counted apart. On a busy machine look at `cpu_seconds`, of all cores together. Peak memory is that process's own.

`times_join` is `cpu_seconds` over `join_cpu_seconds`, the processor time of one statement (JOIN) in the same process over the same
snapshot. To measure two trees in turns, save a snapshot once by --build FOLDER, and judge it with each by --judge FOLDER --unsaved.
--slowest N lists the views and rules that took most.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measuring import peak_mib

if TYPE_CHECKING:
    import duckdb

    from auditor.engine.rules.rule import RuleSet
    from auditor.facts.snapshots.snapshot import Snapshot

SHARES = (25, 5, 1)  # of the hosts
FLEET = Path(__file__).with_name("evaluate_fleet.sql")
JOIN = """
SELECT count(*), min(h.name), sum(d.queue_depth), sum(s.dsnro)
FROM fact.device AS d
JOIN fact.host AS h USING (endpoint, host_id)
JOIN fact.device_scheduling AS s USING (endpoint, host_id, device)
"""
"""What judging is compared with; the middle of three runs counts."""


def main() -> int:
    arguments = _arguments()
    if arguments.build:
        _build(arguments.build, arguments)
        return 0
    if arguments.judge:
        judged = _judged(arguments.judge, per_rule=arguments.per_rule, save=not arguments.unsaved)
        print(json.dumps(judged))
        if arguments.slowest:
            by_rule = json.loads(_run(f"--judge={arguments.judge}", "--per-rule", "--slowest=0"))
            _print_slowest([judged, by_rule], arguments.slowest)
        return 0
    results = [_measured(max(1, arguments.hosts // share), arguments) for share in SHARES]
    _print(results, arguments.slowest)
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
    parser.add_argument("--slowest", type=int, default=10, help="list so many views and rules, those that took most processor time (10)")
    parser.add_argument("--build", type=Path, metavar="FOLDER", help="only save a snapshot of --hosts there")
    parser.add_argument("--judge", type=Path, metavar="FOLDER", help="only judge the snapshot that is there, once, in this process")
    parser.add_argument("--unsaved", action="store_true", help="with --judge: save no verdict, which takes longer than all before it")
    parser.add_argument("--per-rule", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _measured(hosts: int, arguments: argparse.Namespace) -> dict[str, Any]:
    """The best of several judgings, each in its own process, and each rule's own time from a further one."""
    with tempfile.TemporaryDirectory() as folder:
        snapshot = Path(folder, "snapshot")
        size = [f"--{name}={getattr(arguments, name)}" for name in ("devices", "paths", "options")]
        _run(f"--build={snapshot}", f"--hosts={hosts}", *size)
        runs = [json.loads(_run(f"--judge={snapshot}", "--slowest=0")) for _ in range(arguments.repeat)]
        best: dict[str, Any] = min(runs, key=lambda run: run["times_join"])
        best["peak_mib"] = max(run["peak_mib"] for run in runs)
        by_rule = json.loads(_run(f"--judge={snapshot}", "--per-rule", "--slowest=0"))["rules"]
        size_mib = sum(path.stat().st_size for path in snapshot.iterdir()) / (1 << 20)
    return {"hosts": hosts, **best, "snapshot_mib": round(size_mib), "rules": by_rule}


def _run(*words: str) -> str:
    return subprocess.run([sys.executable, __file__, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def _build(folder: Path, arguments: argparse.Namespace) -> None:
    from datetime import UTC, datetime

    import duckdb

    from auditor.facts.schema import create_tables
    from auditor.facts.snapshots.snapshot import Snapshot

    connection = duckdb.connect()
    create_tables(connection)
    for name in ("hosts", "devices", "paths", "options"):
        connection.execute(f"SET VARIABLE {name} = {getattr(arguments, name)}")
    connection.execute(FLEET.read_text(encoding="utf-8"))
    when = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)
    Snapshot(connection, (), (), when, when).save(folder)


def _judged(folder: Path, *, per_rule: bool, save: bool) -> dict[str, Any]:
    """What happened in this process, which does nothing else."""
    from auditor.engine.evaluate import evaluate
    from auditor.engine.rules.rule import DRIFT
    from auditor.facts.snapshots.snapshot import load_snapshot
    from auditor.facts.views import create_views, seal
    from auditor.history.folders import FINDINGS_FILE, SPILL_FOLDER
    from auditor.pipeline.policy import load_rule_set
    from auditor.sql.statements import lift_limit

    with tempfile.TemporaryDirectory() as run:
        stages = _Stages()
        rules = load_rule_set()
        rules = rules.only(rule.id for rule in rules if DRIFT not in rule.tags)  # as in an audit without a baseline
        stages.end("loading_rules")
        snapshot = load_snapshot(folder)
        stages.end("opening")
        by_view = _timed_views()
        create_views(snapshot.connection, Path(run, SPILL_FOLDER), {rule.over for rule in rules})
        seal(snapshot.connection, Path(run))
        stages.end("joining")
        if per_rule:
            return {"rules": _each(snapshot, rules)}
        evaluation = evaluate(snapshot.connection, rules)
        summary = evaluation.summary()
        stages.end("judging")
        lift_limit(snapshot.connection)
        join = _join_cpu_seconds(snapshot)
        stages.end("comparing")
        findings = Path(run, FINDINGS_FILE)
        if save:
            evaluation.save(findings)
            stages.end("saving")
        judged = [stages.of[name] for name in ("opening", "joining", "judging")]
        return {
            "device_rows": _count(snapshot, 'SELECT count(*) FROM fact."device"'),
            "seconds": round(sum(stage["seconds"] for stage in judged), 3),
            "cpu_seconds": round(sum(stage["cpu_seconds"] for stage in judged), 3),
            "join_cpu_seconds": round(join, 3),
            "times_join": round(sum(stage["cpu_seconds"] for stage in judged) / join, 1),
            "peak_mib": judged[-1]["peak_mib"],
            "stages": stages.of,
            "views": {name: round(seconds, 3) for name, seconds in by_view.items()},
            "verdicts": {name: getattr(summary, name) for name in ("fail", "passed", "unknown", "not_applicable")},
            "findings_mib": round(findings.stat().st_size / (1 << 20), 1) if save else None,
        }


class _Stages:
    """What each stage took, of the clock and of all cores together, and the peak memory by its end."""

    def __init__(self) -> None:
        self.of: dict[str, dict[str, float]] = {}
        self._began = time.perf_counter(), time.process_time()

    def end(self, name: str) -> None:
        now = time.perf_counter(), time.process_time()
        seconds, cpu_seconds = (round(after - before, 3) for before, after in zip(self._began, now, strict=True))
        self.of[name] = {"seconds": seconds, "cpu_seconds": cpu_seconds, "peak_mib": round(peak_mib())}
        self._began = now


def _timed_views() -> dict[str, float]:
    """From here on, the processor seconds of each view's statement; one that is not materialised takes its time in rules that read it."""
    from auditor.facts import views

    seconds = dict[str, float]()
    run = views.run

    def timed(connection: duckdb.DuckDBPyConnection, text: str, *bound: Any) -> None:
        began = time.process_time()
        run(connection, text, *bound)
        seconds[text.split()[2]] = time.process_time() - began  # CREATE TABLE name

    views.run = timed
    return seconds


def _join_cpu_seconds(snapshot: Snapshot) -> float:
    """Of JOIN, the middle of three runs."""
    seconds = []
    for _ in range(3):
        began = time.process_time()
        snapshot.connection.execute(JOIN).fetchall()
        seconds.append(time.process_time() - began)
    return sorted(seconds)[1]


def _each(snapshot: Snapshot, rules: RuleSet) -> dict[str, float]:
    """Processor seconds of each rule judged alone: more than its share of all together, which compute what they have in common once."""
    from auditor.engine.evaluate import evaluate

    seconds = {}
    for rule in rules:
        began = time.process_time()
        evaluate(snapshot.connection, rules.only([rule.id]))
        seconds[rule.id] = round(time.process_time() - began, 3)
    return seconds


def _count(snapshot: Snapshot, query: str) -> int:
    row = snapshot.connection.execute(query).fetchone()
    return int(row[0]) if row else 0


def _growth(results: list[dict[str, Any]]) -> dict[str, float]:
    """The exponents by which time and memory grow from the smallest size to the largest: 1 is linear."""
    first, last = results[0], results[-1]
    if first["device_rows"] == last["device_rows"]:
        return {}
    rows = math.log(last["device_rows"] / first["device_rows"])
    return {f"growth_{name}": round(math.log(last[name] / first[name]) / rows, 2) for name in ("seconds", "cpu_seconds", "peak_mib")}


def _print(results: list[dict[str, Any]], slowest: int) -> None:
    speed = ("seconds", "cpu_seconds", "join_cpu_seconds", "times_join")
    columns = ("hosts", "device_rows", *speed, "peak_mib", "snapshot_mib", "findings_mib")
    print(" ".join(f"{name:>16}" for name in columns))
    for result in results:
        print(" ".join(f"{result[name]:>16}" for name in columns), result["verdicts"])
    _print_slowest(results[-1:], slowest)
    for name, exponent in _growth(results).items():
        print(f"{name}: {exponent}")


def _print_slowest(results: list[dict[str, Any]], slowest: int) -> None:
    """The views and rules that took most of the largest fleet."""
    titles = {"views": "processor seconds of a view", "rules": "processor seconds of a rule judged alone"}
    for name, title in titles.items() if slowest else ():
        took = {what: seconds for result in results for what, seconds in result.get(name, {}).items()}
        print(f"\n{title}, the {slowest} slowest of {len(took)}, {sum(took.values()):.2f} together")
        for what in sorted(took, key=lambda one: -took[one])[:slowest]:
            print(f"{what:40} {took[what]:8.3f}")


if __name__ == "__main__":
    sys.exit(main())
