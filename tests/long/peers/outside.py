"""Clients that nobody here wrote: modules of Ansible collections and vendors' SDKs, in an environment of their own (`make peers`)."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from auditor_lab.serving import ARRAY_USER, VCENTER_USER, Lab
from tests.peers import PROJECT
from tests.required import lacking

RUNNER = Path(__file__).with_name("runner.py")


def interpreter() -> Path:
    """The Python of the environment that `make peers` builds. Without it the test skips, or fails where it is required."""
    python = Path(os.environ.get("PEERS", PROJECT / ".peers")) / "bin" / "python"
    if python.is_file():
        return python
    return lacking("the modules and SDKs of others are not here: `make peers` installs them into .peers and runs these tests", "PEERS")


@dataclass(frozen=True)
class Outside:
    """A runner of calls against one lab."""

    lab: Lab
    requests: IO[str]
    answers: IO[str]

    def call(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """What a module or an SDK answers to a case of the lists in `cases`."""
        server, login = self._login(case)
        request: dict[str, Any] = {"args": case.get("args", {}), "ports": {"443": server.port}}
        if "module" in case:
            request |= {"module": case["module"], "args": {**login, **request["args"]}}
        else:
            request |= {"sdk": case["sdk"], "at": login, "call": case["call"]}
        self.requests.write(json.dumps(request) + "\n")
        self.requests.flush()
        answer: dict[str, Any] = json.loads(self.answers.readline())
        return answer

    def _login(self, case: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The endpoint of a case, and how its client names it; each validates the certificate where it can."""
        name, at = case.get("module", case.get("sdk", "")), case.get("at")
        password = self.lab.password
        if "vmware" in name:
            server: Any = _one(self.lab.vcenters, at)
            login = {"hostname": server.host, "port": server.port, "username": VCENTER_USER, "password": password, "validate_certs": True}
        elif "ontap" in name:
            server = _one(self.lab.ontap, at)
            known = {"hostname": server.host, "http_port": server.port, "username": ARRAY_USER, "password": password}
            login = {**known, "validate_certs": True, "https": True, "use_rest": "always"}
        elif "pure" in name:
            server = _one(self.lab.flasharray, at)
            login = {"fa_url": f"{server.host}:{server.port}", "api_token": password, "disable_warnings": True}
        elif "netapp_eseries" in name:
            server = _one(self.lab.eseries, at)
            (system,) = server.systems
            login = {"api_url": f"https://{server.host}:{server.port}/devmgr/v2", "api_username": ARRAY_USER, "api_password": password}
            login |= {"validate_certs": True, "ssid": system}
        elif name == "nimble":
            server = _one(self.lab.nimble, at)
            login = {"hostname": server.host, "port": server.port, "username": ARRAY_USER, "password": password}
        elif name == "powerstore":
            server = _one(self.lab.powerstore, at)
            login = {"hostname": server.host, "port": server.port, "username": ARRAY_USER, "password": password}
        else:
            server = _one(self.lab.element, at)
            login = {"hostname": server.host, "port": server.port, "username": ARRAY_USER, "password": password}
        return server, login


def _one(servers: Mapping[str, Any], name: str | None) -> Any:
    return servers[name] if name is not None else next(iter(servers.values()))


@contextmanager
def running(lab: Lab, directory: Path) -> Iterator[Outside]:
    """The runner, which trusts the lab's certificate, until the block ends; `directory` is its home."""
    lab.authority.write(directory / "lab-ca.pem")
    ca = str(directory / "lab-ca.pem")
    environment = {"PATH": os.environ["PATH"], "HOME": str(directory), "SSL_CERT_FILE": ca, "REQUESTS_CA_BUNDLE": ca, "LC_ALL": "C.UTF-8"}
    with (
        (directory / "runner.log").open("w") as log,
        subprocess.Popen(
            [interpreter(), RUNNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment, cwd=directory
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        yield Outside(lab, process.stdin, process.stdout)
        process.stdin.close()  # which ends it


def missing(expected: Any, found: Any, path: str = "answer") -> list[str]:
    """What of `expected` is not in `found`: every key of a mapping, some element for each of a list, the same scalar."""
    if isinstance(expected, Mapping):
        if not isinstance(found, Mapping):
            return [f"{path} is {found!r}, expected a mapping"]
        return [line for key, value in expected.items() for line in missing(value, found.get(key), f"{path}[{key!r}]")]
    if isinstance(expected, list):
        if not isinstance(found, list):
            return [f"{path} is {found!r}, expected a list"]
        return [f"{path} has no element {one!r}: {found!r}" for one in expected if all(missing(one, other) for other in found)]
    return [] if expected == found else [f"{path} is {found!r}, expected {expected!r}"]
