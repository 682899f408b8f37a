"""A whole `auditor audit` of generated fleets: wall, processor, peak memory and requests, by number of hosts.

Run: make bench-audit, or make bench-audit BENCH_ARGS="--hosts 100 1000 5000 --vcenters 4". With --since each fleet is audited twice more by
`--since last`: where nothing changed, and where one host in a hundred has an option changed. The lab serves from a process of its own on
the same machine, and makes every host's answers when they are first asked for: its share of the wall is large, so the seconds of the
processor, which are the auditor's alone, show how an audit grows.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generated_fleets import PATIENCE_SECONDS, is_of_the_fleet, make_patient
from measuring import exponent, peak_mib, print_table, watched

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

JUDGED = (0, 1, 2)  # all holds, drift, something unknown: each is a whole audit
AUDITOR = str(Path(sys.executable).with_name("auditor"))


def main() -> int:
    arguments = _arguments()
    found = [_audited(hosts, arguments) for hosts in arguments.hosts]
    columns = [
        "hosts",
        "devices",
        "seconds",
        "CPU s",
        "peak MiB",
        "requests",
        "a host",
        "lab CPU s",
        "lab MiB",
        "gaps",
        "not explained",
        "exit",
    ]
    print_table(columns, [[str(one["hosts"]), *_row(one)] for one in found])
    again = [(str(one["hosts"]), name, measured) for one in found for name, measured in one.get("since", {}).items()]
    if again:
        print_table(
            ["hosts", "audited again, changed", "seconds", "CPU s", "of full, wall", "of full, CPU", "requests"],
            [
                [hosts, name, *(measured[key] for key in ("seconds", "cpu_seconds", "of_seconds", "of_cpu", "requests"))]
                for hosts, name, measured in again
            ],
        )
    for small, large in pairwise(found):
        large["exponents"] = {
            name: round(exponent((small["hosts"], small[name]), (large["hosts"], large[name])), 3)
            for name in ("seconds", "cpu_seconds", "peak_mib", "requests")
        }
        exponents = ", ".join(f"{name} {value}" for name, value in large["exponents"].items())
        print(f"growth from {small['hosts']} to {large['hosts']} hosts, 1 is linear: {exponents}")
    print(json.dumps({"results": found}))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"results": found}, indent=1) + "\n", encoding="utf-8")
    return 1 if any(one["other_gaps"] for one in found) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, nargs="+", default=[100, 300])
    for name, default in (("luns", 128), ("paths", 4), ("vcenters", 1), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--lane", choices=("vijson", "soap", "pyvmomi"), help="[default: the fastest]")
    parser.add_argument("--since", action="store_true", help="also audit again by --since, without a change and with some")
    parser.add_argument("--json", type=Path, help="write the results here")
    return parser.parse_args()


def _row(one: dict[str, Any]) -> list[Any]:
    requests = one["requests"]
    lab = one["lab"]
    return [
        one["devices"],
        one["seconds"],
        one["cpu_seconds"],
        one["peak_mib"],
        requests,
        requests / one["hosts"],
        lab["cpu_seconds"],
        lab["peak_mib"],
        one["gaps"],
        one["other_gaps"],
        str(one["exit_code"]),
    ]


def _audited(hosts: int, arguments: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        here, there = multiprocessing.Pipe()
        size = (hosts, arguments.luns, arguments.paths, arguments.vcenters)
        lab = multiprocessing.get_context("spawn").Process(target=_serve, args=(there, size, arguments.seed, folder), daemon=True)
        lab.start()
        there.close()  # so that a lab that fails to start ends the wait
        here.recv()
        report = Path(folder, "report.json")
        lane = ("--lane", arguments.lane) if arguments.lane else ()
        fleet = ("--fleet", f"{folder}/fleet.yaml", "--state-dir", f"{folder}/state")
        words = ["audit", *fleet, "--reporter", f"json:{report}", *lane]
        measured = _watched(words, report)
        judged = json.loads(report.read_text(encoding="utf-8"))
        here.send("count")
        of_lab = here.recv()
        since = _again(words, report, here, measured, Path(folder, "fleet.yaml")) if arguments.since else {}
        here.send("done")
        lab.join()
    return {
        "hosts": hosts,
        "devices": hosts * arguments.luns,
        **measured,
        "requests": sum(of_lab["operations"].values()),
        "findings": sum(value for value in judged["summary"].values() if isinstance(value, int)),
        "gaps": len(judged["gaps"]),
        "other_gaps": sum(not is_of_the_fleet(gap) for gap in judged["gaps"]),
        "lab": of_lab,
        **({"since": since} if since else {}),
    }


def _watched(words: list[str], report: Path) -> dict[str, float]:
    report.unlink(missing_ok=True)
    with report.with_name("progress").open("w+", encoding="utf-8") as progress:
        measured = watched([AUDITOR, *words], range(256), stderr=progress)
        if measured["exit_code"] not in JUDGED or not report.exists():
            progress.seek(0)
            raise SystemExit(f"{progress.read()}the audit ended with exit code {measured['exit_code']:.0f}")
    return measured


def _again(words: list[str], report: Path, lab: Connection, full: dict[str, float], fleet: Path) -> dict[str, dict[str, float]]:
    """The same audit by `--since last`: with no host changed, and with one in a hundred; each beside the full one."""
    found = {}
    for name in ("none", "1 %"):
        if name != "none":
            _change(fleet)
            lab.send("count")
            lab.recv()  # the requests of the changes themselves
        measured = _watched([*words, "--since", "last"], report)
        lab.send("count")
        requests = sum(lab.recv()["operations"].values())
        ratios = {"of_seconds": measured["seconds"] / full["seconds"], "of_cpu": measured["cpu_seconds"] / full["cpu_seconds"]}
        found[name] = {**measured, **ratios, "requests": requests}
    return found


def _change(fleet: Path) -> None:
    """Set an option of one host in a hundred, at least one, of every vCenter."""
    from pyVmomi import vim
    from pyVmomi.VmomiSupport import long

    from auditor.endpoints.vcenter.session import open_vcenter
    from auditor.fleet.loading import load_fleet
    from auditor.model import EndpointKind

    for endpoint in load_fleet(fleet).endpoints:
        if endpoint.kind is not EndpointKind.VCENTER:
            continue
        with open_vcenter(endpoint) as vcenter:
            for found in list(vcenter.read(vim.HostSystem, ["name", "runtime.connectionState"]))[1::100]:
                if found.values["runtime.connectionState"] == "connected":
                    manager = vcenter.value(vim.HostSystem, found.id, "configManager.advancedOption")
                    manager.UpdateOptions([vim.option.OptionValue(key="Disk.QFullSampleSize", value=long(32))])


def _serve(pipe: Connection, size: tuple[int, int, int, int], seed: int, folder: str) -> None:
    from auditor_lab.generated.cluster import FleetSize
    from auditor_lab.generated.fleet import generate
    from auditor_lab.serving import serve

    with serve(generate(FleetSize(*size), seed)) as lab:
        lab.write_fleet(Path(folder, "fleet.yaml"))
        make_patient(Path(folder, "fleet.yaml"), PATIENCE_SECONDS)
        began = time.process_time()
        before: Counter[str] = Counter()
        pipe.send("serving")
        while pipe.recv() == "count":
            measured = Counter(name for _, _, server in lab.served() for name in server.requests)
            spent = time.process_time() - began
            pipe.send({"cpu_seconds": spent, "peak_mib": peak_mib(), "operations": dict((measured - before).most_common())})
            began, before = time.process_time(), measured


if __name__ == "__main__":
    sys.exit(main())
