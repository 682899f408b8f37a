"""What one lab vCenter, and one lab array, serves over TLS on loopback: so that a slow lab is never mistaken for a slow auditor.

Run: make bench-lab. Server and client share this machine; the client reads bytes and understands nothing, so its share is small.
"""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import multiprocessing
import resource
import ssl
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

PAGE = 20  # hosts a request, as the collector asks
STORAGE = ("hostBusAdapter", "scsiLun", "multipathInfo")
COMMANDS = ("storage core device list", "storage core device vaai status get", "storage vmfs lockmode list")


def main() -> int:
    arguments = _arguments()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(there, vars(arguments)), daemon=True)
    began = time.perf_counter()
    server.start()
    server_info = here.recv()
    started = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        ca = Path(folder, "ca.pem")
        ca.write_bytes(server_info["ca"])
        context = ssl.create_default_context(cafile=str(ca))
        rows = [_measured(name, asked, arguments.seconds) for name, asked in _workloads(server_info, context)]
    here.send("done")
    memory = here.recv()
    server.join()
    result = {**vars(arguments), "start_seconds": round(started, 2), "peak_mib": round(memory), "workloads": rows}
    print(f"{'workload':32} {'requests/s':>12} {'MB/s':>8} {'KB/request':>11}")
    for row in rows:
        print(f"{row['workload']:32} {row['requests_a_second']:12.1f} {row['mb_a_second']:8.1f} {row['kb_a_request']:11.1f}")
    print(f"started in {started:.2f} s, peak memory of the lab {memory:.0f} MiB")
    print(json.dumps(result))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("hosts", 200), ("luns", 128), ("paths", 4), ("vcenters", 1), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seconds", type=float, default=3.0, help="for each workload")
    return parser.parse_args()


def _serve(pipe: Connection, size: dict[str, Any]) -> None:
    """The lab in a process of its own, so that its memory is its own."""
    from auditor_lab.generated.cluster import FleetSize
    from auditor_lab.generated.fleet import generate
    from auditor_lab.serving import serve

    fleet = generate(FleetSize(size["hosts"], size["luns"], size["paths"], size["vcenters"]), size["seed"])
    with serve(fleet) as lab, tempfile.TemporaryDirectory() as folder:
        lab.authority.write(Path(folder, "ca.pem"))
        vcenter = next(iter(lab.vcenters.values()))
        array = next(iter(lab.element.values()), None)
        pipe.send(
            {
                "ca": Path(folder, "ca.pem").read_bytes(),
                "vcenter": (vcenter.host, vcenter.port),
                "array": (array.host, array.port) if array else None,
                "password": lab.password,
                "hosts": list(vcenter.state.hosts),
            }
        )
        pipe.recv()
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10  # macOS counts bytes, Linux KiB
    pipe.send(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit)


def _workloads(server_info: dict[str, Any], context: ssl.SSLContext) -> Iterator[tuple[str, Iterator[Callable[[], int]]]]:
    vcenter = _Soap(server_info["vcenter"], context, server_info["password"])
    hosts = server_info["hosts"]
    pages = [hosts[start : start + PAGE] for start in range(0, len(hosts), PAGE)]
    yield "login and logout", _again(vcenter.log_in_and_out)
    vcenter.log_in()
    # A page read for the first time is what an audit meets; read again, its rows are at hand.
    yield f"storage of {PAGE} hosts, first time", (_bound(vcenter.storage, page) for page in pages)
    yield f"storage of {PAGE} hosts, again", _again(*(_bound(vcenter.storage, page) for page in pages))
    for command in COMMANDS:
        yield f"esxcli {command.removeprefix('storage ')}", _again(*(_bound(vcenter.esxcli, host, command) for host in hosts))
    if server_info["array"]:
        yield "Element ListVolumes", _again(_bound(_list_volumes, server_info["array"], context, server_info["password"], []))


def _bound(call: Callable[..., int], *arguments: Any) -> Callable[[], int]:
    return lambda: call(*arguments)


def _again(*calls: Callable[[], int]) -> Iterator[Callable[[], int]]:
    while True:
        yield from calls


def _measured(name: str, asked: Iterator[Callable[[], int]], seconds: float) -> dict[str, Any]:
    began, requests, received = time.perf_counter(), 0, 0
    for call in asked:
        received += call()
        requests += 1
        if time.perf_counter() - began >= seconds:
            break
    took = time.perf_counter() - began
    return {
        "workload": name,
        "requests_a_second": round(requests / took, 2),
        "mb_a_second": round(received / took / 1e6, 2),
        "kb_a_request": round(received / requests / 1e3, 1),
    }


class _Soap:
    """SOAP by hand; answers are read and thrown away."""

    def __init__(self, address: tuple[str, int], context: ssl.SSLContext, password: str) -> None:
        from auditor_lab.serving import VCENTER_USER

        self._connection = http.client.HTTPSConnection(*address, context=context)
        self._cookie = ""
        self._login = (
            f'<Login xmlns="urn:vim25"><_this type="SessionManager">SessionManager</_this><userName>{VCENTER_USER}</userName>'
            f"<password>{escape(password)}</password></Login>"
        )

    def log_in(self) -> int:
        return self._post(self._login)

    def log_in_and_out(self) -> int:
        return self.log_in() + self._post('<Logout xmlns="urn:vim25"><_this type="SessionManager">SessionManager</_this></Logout>')

    def storage(self, hosts: list[str]) -> int:
        objects = "".join(f'<objectSet><obj type="HostSystem">{host}</obj></objectSet>' for host in hosts)
        paths = "".join(f"<pathSet>config.storageDevice.{name}</pathSet>" for name in STORAGE)
        return self._post(
            '<RetrievePropertiesEx xmlns="urn:vim25"><_this type="PropertyCollector">propertyCollector</_this><specSet><propSet>'
            f"<type>HostSystem</type>{paths}</propSet>{objects}</specSet><options/></RetrievePropertiesEx>"
        )

    def esxcli(self, host: str, command: str) -> int:
        words = command.split(" ")
        return self._post(
            f'<ExecuteSoap xmlns="urn:vim25"><_this type="ReflectManagedMethodExecuter">ManagedMethodExecuter-{host}</_this>'
            f"<moid>ha-cli-handler-{'-'.join(words[:-1])}</moid><version>urn:vim25/5.0</version>"
            f"<method>vim.EsxCLI.{'.'.join(words)}</method></ExecuteSoap>"
        )

    def _post(self, body: str) -> int:
        envelope = f'<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body>{body}</Body></Envelope>'
        self._connection.request("POST", "/sdk", envelope, {"Cookie": self._cookie, "Content-Type": "text/xml"})
        response = self._connection.getresponse()
        if cookie := response.getheader("Set-Cookie"):
            self._cookie = cookie.partition(";")[0]
        received = len(response.read())
        assert response.status == 200, response.status
        return received


def _list_volumes(address: tuple[str, int], context: ssl.SSLContext, password: str, kept: list[http.client.HTTPSConnection]) -> int:
    from auditor_lab.serving import ARRAY_USER

    if not kept:
        kept.append(http.client.HTTPSConnection(*address, context=context))
    account = base64.b64encode(f"{ARRAY_USER}:{password}".encode()).decode()
    body = json.dumps({"method": "ListVolumes", "params": {"limit": 1000}, "id": 1})
    kept[0].request("POST", "/json-rpc/12.3", body, {"Authorization": f"Basic {account}"})
    response = kept[0].getresponse()
    received = response.read()
    assert b'"result"' in received, received[:200]
    return len(received)


if __name__ == "__main__":
    sys.exit(main())
