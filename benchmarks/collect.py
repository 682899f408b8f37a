"""Reading the storage and the options of a fleet: our lanes beside what others use, side by side in one run.

Run: make bench-collect, or make bench-collect BENCH_ARGS="--hosts 30 --json FILE". A server in a process of its own answers from bytes made
beforehand, over TLS on loopback; every lane is a process of its own, reads the same properties and makes the same rows, which are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measuring import exponent, peak_of_child_mib, print_table

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
LANES = ("pyvmomi-attributes", "pyvmomi", "soap", "vijson", "govmomi", "floor")
GO_PROGRAM = HERE.parent / ".bin" / "bench-govmomi"
USER = "auditor@vsphere.local"
MORE_HOSTS, MORE_LUNS = 5, 4
Entry = dict[str, Any]


class Server:
    """The replaying server, running."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        reported = json.loads(self._line())
        self.port: int = reported["port"]
        self.folder: str = reported["folder"]
        self.sizes: dict[str, int] = reported["sizes"]

    def sent(self) -> dict[str, int]:
        """Requests and bytes since the last call."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        reported: dict[str, int] = json.loads(self._line())
        return reported

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("the replaying server ended")
        return line


def main() -> int:
    arguments = _arguments()
    lanes = _possible(arguments.lanes)
    size = {name: getattr(arguments, name) for name in ("hosts", "luns", "paths", "options", "seed")}
    found = _measured(size, lanes, arguments)
    differing = _differing(found)
    _tell(found, size)
    if arguments.grow and not differing:
        for what, factor in (("hosts", MORE_HOSTS), ("luns", MORE_LUNS)):
            # Attribute by attribute is the slowest by far, and reads the same bytes over and over: it is linear.
            grown = [lane for lane in lanes if lane != "pyvmomi-attributes"]
            larger = _measured({**size, what: size[what] * factor}, grown, arguments)
            differing += _differing(larger)
            _grow(found, larger, what, factor)
            _tell_growth(found, what, size[what] * factor)
    results = {"results": list(found.values())}
    print(json.dumps(results))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    for text in differing:
        print(f"NOT THE SAME ROWS: {text}", file=sys.stderr)
    return 1 if differing else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("hosts", 100), ("luns", 128), ("paths", 4), ("options", 1100), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--repeat", type=int, default=3, help="rounds, of which the best counts for each lane; one for pyvmomi-attributes")
    parser.add_argument("--lanes", nargs="+", choices=LANES, default=LANES)
    parser.add_argument("--grow", action="store_true", help=f"also with {MORE_HOSTS} times the hosts and {MORE_LUNS} times the devices")
    parser.add_argument("--tables", action="store_true", help="our lanes also fill the snapshot's tables, as an audit does")
    parser.add_argument("--json", type=Path, help="write the results here")
    return parser.parse_args()


def _possible(lanes: list[str]) -> list[str]:
    """The lanes that can run here; govmomi's program is built on the way."""
    possible = list(lanes)
    go = shutil.which("go")
    if "govmomi" in lanes:
        if go is None:
            print("(no Go here: lane govmomi is left out)")
            possible.remove("govmomi")
        else:
            subprocess.run([go, "build", "-o", str(GO_PROGRAM), "."], cwd=HERE / "govmomi", check=True)
    if "floor" in lanes and shutil.which("curl") is None:
        print("(no curl here: lane floor is left out)")
        possible.remove("floor")
    return possible


@contextmanager
def _serving(size: dict[str, int]) -> Iterator[Server]:
    words = [word for name, value in size.items() for word in (f"--{name}", str(value))]
    command = [sys.executable, str(HERE / "replaying.py"), *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Server(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()


def _measured(size: dict[str, int], lanes: list[str], arguments: argparse.Namespace) -> dict[str, Entry]:
    """The best of some rounds of each lane. Lanes take turns, so that whatever else the machine does hits all of them."""
    found: dict[str, Entry] = {}
    with _serving(size) as server:
        for number in range(arguments.repeat):
            for lane in lanes:
                if number and lane == "pyvmomi-attributes":
                    continue
                reported = _run(lane, server, size["hosts"], digest=number == 0, tables=arguments.tables)
                found[lane] = _better(found.get(lane), reported)
    return found


def _better(before: Entry | None, now: Entry) -> Entry:
    if before is None:
        return now
    return {
        **before,
        **{name: min(before[name], now[name]) for name in ("seconds", "cpu_seconds", "soap_seconds") if name in now},
    }


def _run(lane: str, server: Server, hosts: int, *, digest: bool, tables: bool) -> Entry:
    server.sent()
    share = max(1, hosts // 10)
    if lane == "floor":
        return _floor(server)
    if lane == "govmomi":
        command = [str(GO_PROGRAM), "-port", str(server.port), "-folder", server.folder, "-user", USER]
    else:
        requested = {"lane": lane, "port": server.port, "folder": server.folder, "user": USER}
        requested |= {"share": share, "digest": digest, "tables": tables}
        command = [sys.executable, str(HERE / "reading.py"), json.dumps(requested)]
    entry: Entry = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    entry["bytes"] = server.sent()["bytes"] // entry.pop("passes")
    if lane == "pyvmomi-attributes":
        entry["scaled_from_hosts"] = share
        entry["seconds"] *= hosts / share
        entry["cpu_seconds"] *= hosts / share
        entry["bytes"] = round(entry["bytes"] * hosts / share)
    return entry


def _floor(server: Server) -> Entry:
    """The same bytes by curl, in one answer: no client can be faster."""
    reported: dict[str, tuple[float, int]] = {}
    peak = 0.0
    for form in ("json", "soap"):
        url = f"https://127.0.0.1:{server.port}/floor/{form}"
        command = ["curl", "-sS", "--cacert", f"{server.folder}/ca.pem", "-o", os.devnull, "-w", "%{time_total} %{size_download}", url]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            seconds, size = process.stdout.read().split()
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = 0
        reported[form] = float(seconds), int(size)
        peak = max(peak, peak_of_child_mib(usage))
    (seconds_json, bytes_json), (seconds_soap, bytes_soap) = reported["json"], reported["soap"]
    return {
        "lane": "floor",
        "seconds": seconds_json,
        "peak_mib": peak,
        "bytes": bytes_json,
        "soap_seconds": seconds_soap,
        "soap_bytes": bytes_soap,
    }


def _differing(found: dict[str, Entry]) -> list[str]:
    """Lanes whose rows are not the others'."""
    whole = {lane: (entry["digest"], entry["rows"]) for lane, entry in found.items() if "digest" in entry and lane != "pyvmomi-attributes"}
    texts = [] if len({json.dumps(one, sort_keys=True) for one in whole.values()}) <= 1 else [str(whole)]
    share, all_of = found.get("pyvmomi-attributes"), found.get("pyvmomi")
    if share and all_of and share["digest"] != all_of["digest_of_share"]:
        texts.append(f"pyvmomi-attributes {share['digest']}, pyvmomi of the same hosts {all_of['digest_of_share']}")
    return texts


def _grow(found: dict[str, Entry], larger: dict[str, Entry], what: str, factor: int) -> None:
    for lane, entry in larger.items():
        small = found[lane]
        small.setdefault("grown", {})[what] = {
            "factor": factor,
            **{name: entry[name] for name in ("seconds", "cpu_seconds", "peak_mib", "bytes") if name in entry},
            "exponents": {
                name: round(exponent((1, small[name]), (factor, entry[name])), 3) for name in ("seconds", "cpu_seconds") if name in entry
            },
        }


def _tell(found: dict[str, Entry], size: dict[str, int]) -> None:
    print(", ".join(f"{value} {name}" for name, value in size.items() if name != "seed"))
    columns = ["lane", "seconds", "CPU s", "peak MiB", "MB", "MB/s", "x pyvmomi", "x govmomi", "by CPU", "", "/ floor", "digest"]
    seconds = {lane: entry["seconds"] for lane, entry in found.items()}
    rows = []
    for lane, entry in found.items():
        took, megabytes = entry["seconds"], entry["bytes"] / 1e6
        by = [seconds[other] / took if other in seconds else None for other in ("pyvmomi", "govmomi")]
        cpu = entry.get("cpu_seconds")
        by += [found[other]["cpu_seconds"] / cpu if cpu and other in found else None for other in ("pyvmomi", "govmomi")]
        by += [_over_floor(found, entry), entry.get("digest", "-")]
        rows.append([lane, took, cpu, entry["peak_mib"], megabytes, megabytes / took, *by])
    print_table(columns, rows)
    if "floor" in found:
        reported = found["floor"]
        print(f"floor is curl of the JSON; of the SOAP it takes {reported['soap_seconds']:.3g} s. / floor is against the lane's own form.")
    if "pyvmomi-attributes" in found:
        reported = found["pyvmomi-attributes"]
        print(f"pyvmomi-attributes read {reported['scaled_from_hosts']} hosts and is scaled to all; its digest is of those.")


def _tell_growth(found: dict[str, Entry], what: str, now: int) -> None:
    print(f"\n{now} {what}")
    rows = []
    for lane, entry in found.items():
        if one := entry.get("grown", {}).get(what):
            exponents = [one["exponents"].get(name) for name in ("seconds", "cpu_seconds")]
            rows.append([lane, one["seconds"], one.get("cpu_seconds"), *exponents, one["peak_mib"], one["peak_mib"] / entry["peak_mib"]])
    print_table(["lane", "seconds", "CPU s", "exponent", "by CPU", "peak MiB", "x before"], rows)


def _over_floor(found: dict[str, Entry], entry: Entry) -> float | None:
    floor = found.get("floor")
    if floor is None:
        return None
    is_json = entry["lane"] in ("vijson", "floor")
    return float(entry["seconds"] / (floor["seconds"] if is_json else floor["soap_seconds"]))


if __name__ == "__main__":
    sys.exit(main())
