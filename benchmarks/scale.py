"""A whole audit of many vCenters: each a recorded one under another name, read by threads of one process or by Dask's worker processes.

Run: make bench-scale, or make bench-scale BENCH_SCALE="--vcenters 100 --hosts 1000 --workers 1 2 4". One vCenter of `--hosts` is served
by the lab and recorded first; then `--servers` processes answer for all of them from these bytes (`many_vcenters.py`). Measured are
`auditor audit` of them, with each number of workers in `--workers` (0: threads of the client alone), and `auditor audit --snapshot` of what
was read: joining and judging from Parquet. Processor seconds of the client, the workers and the servers are apart; the seconds of the clock
hold all of them, as they share this machine. docs/scale.md says what a real network changes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import ExitStack, nullcontext
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cluster_of_workers import Workers
from generated_fleets import is_of_the_fleet
from measuring import exponent, print_table, watched
from recording_once import load, record, save
from serving_many import serving
from snapshot_copies import copies

if TYPE_CHECKING:
    from collections.abc import Iterator

JUDGED = (0, 1, 2)  # all holds, drift, something unknown: each is a whole audit
AUDITOR = str(Path(sys.executable).with_name("auditor"))
_COLUMNS = {
    "vcenters": "vCenters",
    "hosts": "hosts",
    "workers": "workers",
    "seconds": "seconds",
    "cpu_seconds": "client CPU s",
    "workers_cpu_seconds": "workers CPU s",
    "server_cpu_seconds": "server CPU s",
    "reading_ms_a_host": "reading, CPU ms a host",
    "peak_mib": "client MiB",
    "workers_peak_mib": "workers MiB",
    "judge_seconds": "judging: seconds",
    "judge_cpu_seconds": "CPU s",
    "judge_peak_mib": "MiB",
    "merged_snapshots": "merged: snapshots",
    "merged_seconds": "seconds",
    "merged_cpu_seconds": "CPU s",
    "merged_peak_mib": "MiB",
    "snapshot_mib": "snapshot MiB",
    "gaps": "gaps",
    "other_gaps": "not explained",
}


def main() -> int:
    arguments = _arguments()
    with nullcontext(arguments.keep) if arguments.keep is not None else tempfile.TemporaryDirectory() as folder:
        recording = _recording(arguments, Path(folder))
        sizes = sorted({*arguments.also, arguments.vcenters})
        results = [one for vcenters in sizes for one in _measured(vcenters, recording, arguments, Path(folder))]
    print_table(list(_COLUMNS.values()), [[one.get(name) for name in _COLUMNS] for one in results])
    for workers in arguments.workers:
        for small, large in pairwise(one for one in results if one["workers"] == workers):
            large["exponents"] = _exponents(small, large)
            told = ", ".join(f"{name} {value}" for name, value in large["exponents"].items())
            print(f"growth from {small['hosts']} to {large['hosts']} hosts with {workers} workers, 1 is linear: {told}")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"results": results}, indent=1) + "\n", encoding="utf-8")
    return 0 if _is_whole(results) else 1


def _is_whole(results: list[dict[str, Any]]) -> bool:
    """Whether everything was read, and the same by any number of workers; says on standard error what is not so."""
    whole = not any(one["other_gaps"] or one["unheard"] or one["hosts_read"] != one["hosts"] for one in results)
    if not whole:
        print("some vCenters were not read whole: the figures are not those of a whole audit", file=sys.stderr)
    is_same = all(one["digest"] == other["digest"] for one, other in pairwise(results) if one["hosts"] == other["hosts"])
    if not is_same:
        print("threads and workers did not read the same: see `digest`", file=sys.stderr)
    return whole and is_same


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vcenters", type=int, default=8)
    parser.add_argument("--also", type=int, nargs="*", default=[2], help="other numbers of vCenters, to show the growth [default: 2]")
    parser.add_argument("--hosts", type=int, default=50, help="of each vCenter [default: 50]")
    for name, default in (("luns", 16), ("paths", 4), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument(
        "--workers", type=int, nargs="+", default=[0], help="numbers of worker processes; 0: threads of the client [default: 0]"
    )
    parser.add_argument("--threads", type=int, default=8, help="of each worker: endpoints that it reads at once [default: 8]")
    parser.add_argument("--servers", type=int, default=1, help="processes that answer [default: 1]")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer [default: 0]")
    parser.add_argument("--recording", type=Path, help="keep the recording in this file; used where it is there")
    parser.add_argument("--keep", type=Path, help="keep what was read and reported in this folder, to judge it again; it may not be there")
    parser.add_argument("--times", type=int, default=1, help="also merge and judge as many snapshots of that size, up to 10 [default: 1]")
    parser.add_argument("--html", type=Path, help="also write the HTML report of the last audit here, and say what it took")
    parser.add_argument("--json", type=Path, help="write the results here")
    return parser.parse_args()


def _recording(arguments: argparse.Namespace, folder: Path) -> Path:
    """The file of the recording; made where it is not there.

    Raises:
        SystemExit: it is of another size.
    """
    path: Path = arguments.recording or folder / "recording"
    if not path.exists():
        save(record(arguments.hosts, arguments.luns, arguments.paths, arguments.seed), path)
    recorded = load(path)
    if (recorded.hosts, recorded.devices) != (arguments.hosts, arguments.hosts * arguments.luns):
        raise SystemExit(f"{path} is of {recorded.hosts} hosts with {recorded.devices} devices: remove it, or ask for as many")
    number = sum(map(len, recorded.exchanges.values()))
    size = sum(len(one.exchange.answer) for kept in recorded.exchanges.values() for one in kept) / 1e6
    print(
        f"recorded: {recorded.hosts} hosts, {recorded.devices} devices, {number} answers of {size:.0f} MB, {recorded.cpu_seconds:.0f} CPU s"
    )
    return path


def _measured(vcenters: int, recording: Path, arguments: argparse.Namespace, folder: Path) -> Iterator[dict[str, Any]]:
    """The audits of that many vCenters, one for each number of workers."""
    here = folder / str(vcenters)
    here.mkdir(parents=True)
    with serving(vcenters, recording, here, processes=arguments.servers, latency_seconds=arguments.latency) as servers:
        for workers in arguments.workers:
            servers.counted()
            found = {"vcenters": vcenters, "hosts": vcenters * arguments.hosts, "workers": workers}
            found |= _audited(here, workers, arguments)
            counted = servers.counted()
            found |= {f"server_{name}": counted.pop(name) for name in ("cpu_seconds", "peak_mib")}
            reading = found["cpu_seconds"] + found.get("workers_cpu_seconds", 0) - found["judge_cpu_seconds"]
            found |= {**counted, "reading_ms_a_host": 1000 * reading / found["hosts"]}
            print(json.dumps(found), flush=True)
            yield found


def _audited(folder: Path, workers: int, arguments: argparse.Namespace) -> dict[str, Any]:
    """One audit, and its snapshot judged once more."""
    state, report = folder / f"state-{workers}", folder / "report.json"
    words = ["audit", "--state-dir", str(state), "--reporter", f"json:{report}"]
    with ExitStack() as stack:
        cluster = stack.enter_context(Workers(workers, arguments.threads)) if workers else None
        of_workers = [] if cluster is None else ["--workers", cluster.address]
        found: dict[str, Any] = dict(_watched([*words, "--fleet", str(folder / "fleet.yaml"), *of_workers], folder))
        if cluster is not None:
            found |= cluster.used()
    print(json.dumps(found), file=sys.stderr, flush=True)  # a large one takes long: what is known stays known
    report_mib = report.stat().st_size / (1 << 20)
    [snapshot] = state.glob("runs/*/snapshot")
    html = [] if arguments.html is None else ["--reporter", f"html:{arguments.html}"]
    again = _watched([*words, "--snapshot", str(snapshot), *html], folder)
    return {
        **found,
        **{f"judge_{name}": value for name, value in again.items()},
        "report_mib": report_mib,
        "snapshot_mib": sum(one.stat().st_size for one in snapshot.rglob("*") if one.is_file()) / (1 << 20),
        **_gaps(snapshot),
        **_read(snapshot),
        **_merged(words, snapshot, folder, arguments.times),
        "digest": _digest(snapshot) if len(arguments.workers) > 1 else None,
    }


def _merged(words: list[str], snapshot: Path, folder: Path, times: int) -> dict[str, float]:
    """The snapshot and copies of it under other names, merged and judged: what several collectors read of one fleet."""
    if times == 1:
        return {}
    with tempfile.TemporaryDirectory(dir=folder) as kept:
        places = [snapshot, *copies(snapshot, Path(kept), times - 1)]
        measured = _watched([*words, *(word for place in places for word in ("--snapshot", str(place)))], folder)
    return {"merged_snapshots": times, **{f"merged_{name}": value for name, value in measured.items()}}


def _gaps(snapshot: Path) -> dict[str, int]:
    """How many there are. The report has them too, and is too large to be read whole: 2.5 GB for 100,000 hosts."""
    from auditor.facts.snapshots.snapshot import load_snapshot

    gaps = load_snapshot(snapshot).gaps
    return {"gaps": len(gaps), "other_gaps": sum(not is_of_the_fleet({"what": gap.what, "why": gap.why}) for gap in gaps)}


def _read(snapshot: Path) -> dict[str, int]:
    """How much was read, and that what one vCenter has is no other's: the things by the names that rules join them by."""
    import duckdb

    names = {"hosts_read": ("host", "name"), "devices_read": ("device", "device"), "targets_read": ("path", "target")}
    with duckdb.connect() as connection:
        return {
            what: connection.execute(f"SELECT count(DISTINCT {column}) FROM '{snapshot}/{table}.parquet'").fetchall()[0][0]
            for what, (table, column) in names.items()
        }


def _digest(snapshot: Path) -> str:
    """What was read, whoever read it: to be the same for threads and any number of workers."""
    from auditor.facts.snapshots.snapshot import load_snapshot
    from tests.content import content_digest

    return content_digest(load_snapshot(snapshot).connection)


def _watched(words: list[str], folder: Path) -> dict[str, float]:
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    with (folder / "progress").open("w+", encoding="utf-8") as progress:
        measured = watched([AUDITOR, *words], range(256), stderr=progress)
        if measured["exit_code"] not in JUDGED or not report.exists():
            progress.seek(0)
            raise SystemExit(f"{progress.read()}the audit ended with exit code {measured['exit_code']:.0f}")
    return measured


def _exponents(small: dict[str, Any], large: dict[str, Any]) -> dict[str, float]:
    names = ("seconds", "cpu_seconds", "workers_cpu_seconds", "peak_mib", "judge_cpu_seconds", "judge_peak_mib", "snapshot_mib", "requests")
    sizes = small["hosts"], large["hosts"]
    return {
        name: round(exponent((sizes[0], small[name]), (sizes[1], large[name])), 2) for name in names if small.get(name) and large.get(name)
    }


if __name__ == "__main__":
    sys.exit(main())
