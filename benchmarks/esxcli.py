"""What each host must be asked itself, at a latency of 50 ms: how near the time comes to what the requests allowed in flight make possible.

Run: make bench-esxcli; 1,000 hosts: make bench-esxcli BENCH_ARGS="--hosts 1000". The ideal is calls x latency / requests in flight: no time
at all for sending, understanding and the server. Server and client share this machine, so the server only repeats what the lab once said
(of 1,100 options and 150 modules); `--server lab` has the lab answer each call itself, which takes it longer than 50 ms allow.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import http.client
import json
import multiprocessing
import re
import resource
import ssl
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

    from auditor.endpoints.vcenter.collect.rows import HostSeen
    from auditor.model import Endpoint

OPTIONS, MODULES = 1100, 150  # of a host of ESXi 8
LIVE = frozenset({"ExecuteSoap", "QueryModules", "QueryOptions", "RetrieveManagedMethodExecuter"})
_THIS = re.compile(rb"<_this [^>]*>([^<]*)</_this>")
_OPERATION = re.compile(rb"Body>\s*<([A-Za-z]+)")
_HOST = re.compile(rb"host-[0-9]+")
_DRIVERS = ("iscsi_vmk", "qlnativefc", "lpfc", "nfnic", "lsi_msgpt3")


def main() -> int:
    arguments = _arguments()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(there, vars(arguments)), daemon=True)
    server.start()
    served = here.recv()
    with tempfile.TemporaryDirectory() as folder:
        rounds = list(_rounds(_endpoint(served, Path(folder), arguments.concurrency), served, here, arguments))
    here.send("done")
    server.join()
    best = min(rounds, key=lambda one: one["ratio"])
    columns = ("calls", "ideal_seconds", "seconds", "ratio", "in_flight_peak", "client_cpu_seconds", "server_cpu_seconds")
    print("".join(f"{name:>20}" for name in columns))
    for one in rounds:
        print("".join(f"{one[name]:20}" for name in columns))
    result = {**vars(arguments), **best, "peak_mib": round(_peak_mib()), "ratios": [one["ratio"] for one in rounds]}
    if arguments.server == "lab" or best["server_cpu_seconds"] > 0.5 * best["seconds"]:
        print("the server answers one call after the other, or has no processor time to spare: this measures the server")
    print(f"peak memory of the client {result['peak_mib']} MiB")
    line = json.dumps({"benchmark": "esxcli", "results": [result]})
    print(line)
    if arguments.json:
        Path(arguments.json).write_text(f"{line}\n", encoding="utf-8")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("hosts", 200), ("luns", 128), ("concurrency", 16), ("rounds", 3), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--latency", type=float, default=0.05, help="seconds, of every call")
    parser.add_argument("--server", choices=("replay", "lab"), default="replay")
    parser.add_argument("--json", default="", help="file for the line of JSON")
    return parser.parse_args()


def _rounds(endpoint: Endpoint, served: dict[str, Any], server: Connection, arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    from auditor.endpoints.vcenter.session import open_vcenter

    for _ in range(arguments.rounds):
        with open_vcenter(endpoint) as vcenter:  # a session of its own each time, so that every executer is fetched again
            hosts = _hosts(vcenter, endpoint)
            server.send("mark")
            before = server.recv()
            began, worked = time.perf_counter(), time.process_time()
            gaps = _read(vcenter, endpoint, hosts, served["drivers"])
            took, work = time.perf_counter() - began, time.process_time() - worked
            server.send("mark")
            after = server.recv()
        if gaps:
            raise SystemExit(f"{len(gaps)} gaps, the first of them: {gaps[0]}")
        calls = after["calls"] - before["calls"]
        ideal = calls * arguments.latency / arguments.concurrency
        yield {
            "calls": calls,
            "ideal_seconds": round(ideal, 2),
            "seconds": round(took, 2),
            "ratio": round(took / ideal, 3),
            "in_flight_peak": after["peak"],
            "client_cpu_seconds": round(work, 2),
            "server_cpu_seconds": round(after["cpu"] - before["cpu"], 2),
        }


def _hosts(vcenter: Any, endpoint: Endpoint) -> list[HostSeen]:
    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.collect.hosts import collect_hosts
    from auditor.facts.needs import EVERYTHING

    found = collect_hosts(vcenter, endpoint, Circuit(3), EVERYTHING.properties("hosts"))
    while True:
        try:
            next(found)
        except StopIteration as end:
            hosts: list[HostSeen] = end.value
            return hosts


def _read(vcenter: Any, endpoint: Endpoint, hosts: list[HostSeen], drivers: dict[str, list[str]]) -> list[Any]:
    """Ask every host everything, as the collector does; what could not be read."""
    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.collect.live import read_live
    from auditor.endpoints.vcenter.collect.task_pool import SPARE_TASKS, TaskPool
    from auditor.model import Gap

    circuit = Circuit(2 * endpoint.limits.concurrency)
    gaps = []
    with TaskPool(endpoint.limits.concurrency + SPARE_TASKS) as tasks:
        for host in hosts:
            tasks.send(partial(read_live, vcenter, endpoint, host, frozenset(drivers[host.id]), circuit=circuit))
        gaps += [item for item in tasks.rest() if isinstance(item, Gap)]
    return gaps


def _endpoint(served: dict[str, Any], folder: Path, concurrency: int) -> Endpoint:
    from auditor.model import Endpoint, EndpointKind, Limits, Secret, Tls

    (folder / "ca.pem").write_bytes(served["ca"])
    (folder / "password").write_text(served["password"], encoding="utf-8")
    return Endpoint(
        "bench",
        EndpointKind.VCENTER,
        *served["address"],
        served["user"],
        Secret("file", (str(folder / "password"),)),
        Tls(ca=str(folder / "ca.pem")),
        limits=Limits(concurrency=concurrency),
    )


def _serve(pipe: Connection, arguments: dict[str, Any]) -> None:
    """The server in a process of its own, so that its processor time and memory are its own."""
    from auditor_lab.faults import Fault
    from auditor_lab.generated.cluster import FleetSize
    from auditor_lab.generated.fleet import generate
    from auditor_lab.serving import VCENTER_USER, serve

    with serve(generate(FleetSize(arguments["hosts"], arguments["luns"], 4, 1), arguments["seed"])) as lab:
        vcenter = next(iter(lab.vcenters.values()))
        with tempfile.TemporaryDirectory() as folder:
            lab.authority.write(Path(folder, "ca.pem"))
            ca = Path(folder, "ca.pem").read_bytes()
        replay = _Replay(vcenter, ca, arguments["latency"]) if arguments["server"] == "replay" else None
        with replay.serving(lab.authority.server_context(vcenter.host)) if replay else _nothing() as port:
            if replay is None:
                vcenter.faults.active.append(Fault("latency", seconds=arguments["latency"]))
            pipe.send(
                {
                    "ca": ca,
                    "address": (vcenter.host, port or vcenter.port),
                    "user": VCENTER_USER,
                    "password": lab.password,
                    "drivers": {moid: [hba.driver for hba in host.hbas] for moid, host in vcenter.state.hosts.described.items()},
                }
            )
            while pipe.recv() == "mark":
                calls, peak = (replay.calls, replay.peak) if replay else (len(vcenter.requests), vcenter.most_in_flight)
                pipe.send({"calls": calls, "peak": peak, "cpu": time.process_time()})


@contextmanager
def _nothing() -> Iterator[int]:
    yield 0


class _Replay:
    """Answers live questions for every host as the lab answered them for the first; passes everything else on to the lab.

    Attributes:
        calls: live questions so far.
        peak: the most that were in flight at once.
    """

    def __init__(self, vcenter: Any, ca: bytes, latency: float) -> None:
        self._lab = (vcenter.host, vcenter.port)
        self._context = ssl.create_default_context(cadata=ca.decode())
        self._latency = latency
        self._known: dict[bytes, tuple[bytes, bytes]] = {}
        self._in_flight = self.calls = self.peak = 0

    @contextmanager
    def serving(self, tls: ssl.SSLContext) -> Iterator[int]:
        """Serve from a thread of its own; the port."""
        loop = asyncio.new_event_loop()
        listening = loop.run_until_complete(asyncio.start_server(self._connection, self._lab[0], 0, ssl=tls, limit=1 << 22))
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()
        yield listening.sockets[0].getsockname()[1]
        loop.call_soon_threadsafe(loop.stop)
        thread.join()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"(?i)content-length: ([0-9]+)", head)
                body = await reader.readexactly(int(length[1]) if length else 0)
                writer.write(await self._answer(head, body))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _answer(self, head: bytes, body: bytes) -> bytes:
        found = _OPERATION.search(body)
        if found is None or found[1].decode() not in LIVE:
            return await asyncio.to_thread(self._passed_on, head, body)
        self.calls += 1
        self._in_flight += 1
        self.peak = max(self.peak, self._in_flight)
        await asyncio.sleep(self._latency)
        this = _THIS.search(body)
        key = _THIS.sub(b"", body)
        if key not in self._known:
            answer = _padded(found[1], await asyncio.to_thread(self._passed_on, head, body))
            self._known[key] = answer, gzip.compress(answer.partition(b"\r\n\r\n")[2], 6)
        whole, packed = self._known[key]
        self._in_flight -= 1
        if found[1] == b"RetrieveManagedMethodExecuter" and this is not None:
            return _reply(_HOST.sub(this[1], whole.partition(b"\r\n\r\n")[2]))
        return _reply(packed, b"Content-Encoding: gzip\r\n")

    def _passed_on(self, head: bytes, body: bytes) -> bytes:
        """What the lab says, as one whole reply."""
        line, _, rest = head.partition(b"\r\n")
        method, path, _ = line.decode().split(" ")
        given = dict(one.split(": ", 1) for one in rest.decode().strip().splitlines() if not one.lower().startswith("accept-encoding"))
        connection = http.client.HTTPSConnection(*self._lab, context=self._context)
        connection.request(method, path, body, given)
        response = connection.getresponse()
        kept = "".join(f"{name}: {value}\r\n" for name, value in response.getheaders() if name.lower() not in ("content-length", "date"))
        answer = response.read()
        connection.close()
        return _reply(answer, kept.encode(), response.status)


def _reply(body: bytes, headers: bytes = b"", status: int = 200) -> bytes:
    return b"HTTP/1.1 %d OK\r\nContent-Length: %d\r\n%s\r\n%s" % (status, len(body), headers, body)


def _padded(operation: bytes, reply: bytes) -> bytes:
    """A list of options or modules as long as that of a real host."""
    last = b"</returnval></"
    end = reply.rfind(last)
    had = reply.count(b"<returnval>")
    if operation == b"QueryOptions" and had > 1:
        more = (
            f'<returnval><key>Bench.Option{n}</key><value xsi:type="xsd:long">{n}</value></returnval>'.encode()
            for n in range(OPTIONS - had)
        )
    elif operation == b"QueryModules":
        first = re.search(rb"<returnval>.*?</returnval>", reply, re.DOTALL)
        assert first is not None, reply[:500]
        names = [name for name in _DRIVERS if f"<name>{name}<".encode() not in reply] + [f"module_{n}" for n in range(MODULES)]
        more = (re.sub(rb"<name>[^<]*", b"<name>%s" % name.encode(), first[0]) for name in names[: MODULES - had])
    else:
        return reply
    return reply[:end] + b"</returnval>" + b"".join(more) + reply[end + len(b"</returnval>") :]


def _peak_mib() -> float:
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10  # macOS counts bytes, Linux KiB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    sys.exit(main())
