"""`auditor lab up --scenario all` as a process of its own, and programs that nobody of the lab wrote asking what it says it serves."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncssh
import pytest
import yaml

from auditor_lab.description import LabFleet
from auditor_lab.scenario import load_scenario
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from tests.required import program
from tests.waiting import PATIENCE_SECONDS, completed

SCENARIO = "all"
RELEASE = "8.0.2.0"
KINDS = {"vcenter", "element", "dell-sc", "flasharray", "ontap", "eternus", "eseries", "powerstore", "nimble", "dothill"}
SCRIPT = """
import json, ssl, sys
from pyVim.connect import Disconnect, SmartConnect
from pyVmomi import vim, vmodl

address, port, user, password_file, ca = sys.argv[1:]
trusted = ssl.create_default_context(cafile=ca)
service = SmartConnect(host=address, port=int(port), user=user, pwd=open(password_file).read().strip(), sslContext=trusted)
content = service.RetrieveContent()
view = content.viewManager.CreateContainerView(content.rootFolder, [vim.HostSystem], True)
Collector = vmodl.query.PropertyCollector
walk = Collector.TraversalSpec(type=vim.view.ContainerView, path="view", skip=False)
spec = Collector.FilterSpec(
    objectSet=[Collector.ObjectSpec(obj=view, skip=True, selectSet=[walk])],
    propSet=[Collector.PropertySpec(type=vim.HostSystem, pathSet=["name", "summary.config.product.version"])],
)
answer = content.propertyCollector.RetrievePropertiesEx([spec], Collector.RetrieveOptions(maxObjects=3))
found = {}
while answer:
    for one in answer.objects:
        values = {prop.name: prop.val for prop in one.propSet}
        found[values["name"]] = values["summary.config.product.version"]
    answer = answer.token and content.propertyCollector.ContinueRetrievePropertiesEx(answer.token)
Disconnect(service)
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Up:
    """A lab in a process of its own.

    Attributes:
        said: the lines it wrote on stderr until it served.
        endpoints: those of fleet.yaml.
    """

    process: subprocess.Popen[str]
    folder: Path
    said: tuple[str, ...]
    endpoints: tuple[dict[str, Any], ...]

    def of(self, kind: str) -> list[dict[str, Any]]:
        found = [one for one in self.endpoints if one["kind"] == kind]
        assert found, f"scenario {SCENARIO} has no endpoint of kind {kind}"
        return found

    def file(self, name: str) -> str:
        return str(self.folder / name)

    def secret(self, endpoint: dict[str, Any]) -> str:
        given = endpoint.get("password") or endpoint["api_token"]
        return Path(self.file(given["file"])).read_text(encoding="utf-8").strip()

    def addresses(self) -> list[tuple[str, int]]:
        return [address_of(one) for one in self.endpoints]


def address_of(endpoint: dict[str, Any]) -> tuple[str, int]:
    host, _, port = endpoint["address"].rpartition(":")
    return host, int(port)


@contextmanager
def lab_up(folder: Path) -> Iterator[Up]:
    command = [sys.executable, "-m", "auditor", "lab", "up", "--scenario", SCENARIO, "--write-fleet", "fleet.yaml"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said: list[str] = []
            while not said or "until interrupted" not in said[-1]:
                said.append(process.stderr.readline())
                assert said[-1], f"the lab ended before it served: {said}"
            written = yaml.safe_load((folder / "fleet.yaml").read_text(encoding="utf-8"))
            yield Up(process, folder, tuple(said), tuple(written["endpoints"]))
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                try:
                    process.wait(PATIENCE_SECONDS)
                except subprocess.TimeoutExpired:
                    process.kill()


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One lab for every test that only reads."""
    with lab_up(tmp_path_factory.mktemp("up")) as running:
        yield running


@pytest.fixture(scope="module")
def fleet() -> LabFleet:
    """What should be served."""
    return load_scenario(SCENARIO)


@pytest.fixture(scope="module")
def curl() -> str:
    return program("curl", "CURL")


def described(fleet: LabFleet, endpoint: dict[str, Any]) -> Any:
    return next(one for one in (*fleet.vcenters, *fleet.arrays) if one.name == endpoint["name"])


def versions(vcenter: VCenterDescription) -> dict[str, str]:
    """ESXi versions by host, of those the vCenter can ask."""
    return {host.name: host.version for host in vcenter.hosts}


def test_what_is_printed_is_what_the_fleet_file_says_and_all_that_the_scenario_describes(up: Up, fleet: LabFleet) -> None:
    printed = [re.fullmatch(r"(\S+): (ssh|https)://(\S+) \((\S+)\)\n", line) for line in up.said[:-1]]
    reported = {(match[1], match[3], match[4]) for match in printed if match}
    assert len(reported) == len(printed)
    assert reported == {(one["name"], one["address"], one["kind"]) for one in up.endpoints}
    assert {one["name"] for one in up.endpoints} == {one.name for one in (*fleet.vcenters, *fleet.arrays)}
    assert {one["kind"] for one in up.endpoints} == KINDS
    assert {address_of(one)[0] for one in up.endpoints} == {"127.0.0.1"}
    assert up.secret(up.endpoints[0]) not in "".join(up.said)


Govc = Callable[..., str]


@pytest.fixture(params=[pytest.param({}, id="SOAP"), pytest.param({"GOVC_VI_JSON": "1", "GOVC_VIM_VERSION": RELEASE}, id="VI/JSON")])
def govc(request: pytest.FixtureRequest, govc_binary: str, up: Up, tmp_path: Path) -> Govc:
    """Called with an endpoint and a command it gives what govc wrote, having made sure of the protocol it used."""

    def run(endpoint: dict[str, Any], *arguments: str) -> str:
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("GOVC_")},
            "GOVC_URL": f"https://{endpoint['address']}/sdk",
            "GOVC_USERNAME": endpoint["username"],
            "GOVC_PASSWORD": up.secret(endpoint),
            "GOVC_TLS_CA_CERTS": up.file(endpoint["tls"]["ca"]),
            "GOVMOMI_HOME": str(tmp_path / "govmomi"),
            **request.param,
        }
        command = [govc_binary, arguments[0], "-trace", *arguments[1:]]
        done = completed(command, env=environment, check=False)
        assert done.returncode == 0, f"{arguments}: {done.stdout[-500:]}"
        assert (f"/sdk/vim25/{RELEASE}/" in done.stderr) is bool(request.param)
        return done.stdout

    return run


def test_govc_lists_the_inventory(govc: Govc, up: Up, fleet: LabFleet) -> None:
    for endpoint in up.of("vcenter"):
        vcenter = described(fleet, endpoint)
        inside = [f"/{vcenter.datacenter}/{folder}" for folder in ("vm", "host", "datastore", "network")]
        assert govc(endpoint, "ls").split() == inside
        clusters = govc(endpoint, "ls", f"/{vcenter.datacenter}/host").split()
        assert set(clusters) == {f"/{vcenter.datacenter}/host/{cluster.name}" for cluster in vcenter.clusters}


def test_govc_collects_properties(govc: Govc, up: Up, fleet: LabFleet) -> None:
    for endpoint in up.of("vcenter"):
        vcenter = described(fleet, endpoint)
        for cluster in vcenter.clusters:
            host = cluster.hosts[0]
            path = f"/{vcenter.datacenter}/host/{cluster.name}/{host.name}"
            asked = ("name", "summary.config.product.version")
            assert govc(endpoint, "object.collect", "-s", path, *asked).split() == [host.name, host.version]


def test_a_plain_pyvmomi_script_reads_every_host_page_by_page(up: Up, fleet: LabFleet) -> None:
    for endpoint in up.of("vcenter"):
        host, port = address_of(endpoint)
        files = (up.file(endpoint["password"]["file"]), up.file(endpoint["tls"]["ca"]))
        command = [sys.executable, "-c", SCRIPT, host, str(port), endpoint["username"], *files]
        done = completed(command, cwd=up.folder, check=False)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == versions(described(fleet, endpoint))


@dataclass(frozen=True)
class Curl:
    """curl against one endpoint; secrets go by its standard input, so that no list of processes shows them."""

    binary: str
    base: str
    ca: str

    def run(self, path: str, *arguments: str, secret: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        command = [self.binary, "-q", "--silent", "--noproxy", "*", "--max-time", "20", "--cacert", self.ca]
        command += ["--config", "-", *arguments, f"{self.base}{path}"]
        return subprocess.run(command, input="\n".join(secret), capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)

    def ask(self, path: str, *arguments: str, secret: Sequence[str] = ()) -> Any:
        """The JSON of a success."""
        done = self.run(path, "--fail", *arguments, secret=secret)
        assert done.returncode == 0, f"curl {path} ended with {done.returncode}"
        return json.loads(done.stdout)

    def header(self, name: str, path: str, *arguments: str, secret: Sequence[str] = ()) -> str:
        """A header of a success."""
        done = self.run(path, "--fail", "--dump-header", "-", *arguments, secret=secret)
        assert done.returncode == 0, f"curl {path} ended with {done.returncode}"
        return next(line.partition(": ")[2].strip() for line in done.stdout.splitlines() if line.lower().startswith(f"{name}: "))


@pytest.fixture
def curled(curl: str, up: Up) -> Callable[[dict[str, Any]], Curl]:
    return lambda endpoint: Curl(curl, f"https://{endpoint['address']}", up.file(endpoint["tls"]["ca"]))


def posted(body: object, *headers: str) -> list[str]:
    given = [part for header in ("Content-Type: application/json", *headers) for part in ("--header", header)]
    return ["--request", "POST", "--data", json.dumps(body), *given]


def login(up: Up, endpoint: dict[str, Any]) -> list[str]:
    return [f'user = "{endpoint["username"]}:{up.secret(endpoint)}"']


CurlOf = Callable[[dict[str, Any]], Curl]


def test_curl_asks_a_vcenter_once_it_has_logged_in(curled: CurlOf, up: Up) -> None:
    for endpoint in up.of("vcenter"):
        api = f"/sdk/vim25/{RELEASE}"
        content = curled(endpoint).ask(f"{api}/ServiceInstance/ServiceInstance/content")
        assert content["about"]["apiType"] == "VirtualCenter"
        root = f"{api}/Folder/{content['rootFolder']['value']}/childEntity"
        assert curled(endpoint).run(root, "--fail").returncode == 22  # curl's own word for an HTTP error
        body = json.dumps(json.dumps({"userName": endpoint["username"], "password": up.secret(endpoint)}))
        secret = [f"data = {body}", 'header = "Content-Type: application/json"']
        session = curled(endpoint).header("vmware-api-session-id", f"{api}/SessionManager/SessionManager/Login", secret=secret)
        (datacenter,) = curled(endpoint).ask(root, secret=[f'header = "vmware-api-session-id: {session}"'])
        assert datacenter["type"] == "Datacenter"


def test_curl_calls_element_methods(curled: CurlOf, up: Up, fleet: LabFleet) -> None:
    for endpoint in up.of("element"):
        reported: dict[str, Any] = {}
        for method in ("GetClusterInfo", "ListVolumes"):
            call = posted({"method": method, "params": {}, "id": 1})
            reported |= curled(endpoint).ask("/json-rpc/12.3", *call, secret=login(up, endpoint))["result"]
        assert reported["clusterInfo"]["name"] == endpoint["name"]
        assert {one["name"] for one in reported["volumes"]} >= {one.name for one in described(fleet, endpoint).volumes}


def test_curl_lists_the_volumes_of_a_dell_sc_in_a_session(curled: CurlOf, up: Up, fleet: LabFleet, tmp_path: Path) -> None:
    version = "x-dell-api-version: 4.1"
    for endpoint in up.of("dell-sc"):
        jar = str(tmp_path / endpoint["name"])
        connection = {"Application": "curl", "ApplicationVersion": "1"}
        answer = curled(endpoint).ask(
            "/api/rest/ApiConnection/Login", "--cookie-jar", jar, *posted(connection, version), secret=login(up, endpoint)
        )
        assert answer["provider"] == "EnterpriseManager"
        volumes = curled(endpoint).ask("/api/rest/StorageCenter/ScVolume/GetList", "--cookie", jar, *posted({}, version))
        assert {one["name"] for one in volumes} == {one.name for one in described(fleet, endpoint).volumes}


def test_curl_lists_the_volumes_of_a_flasharray_by_its_token(curled: CurlOf, up: Up, fleet: LabFleet) -> None:
    for endpoint in up.of("flasharray"):
        newest = curled(endpoint).ask("/api/api_version")["version"][-1]
        token = [f'header = "api-token: {up.secret(endpoint)}"']
        session = curled(endpoint).header("x-auth-token", f"/api/{newest}/login", "--request", "POST", secret=token)
        volumes = curled(endpoint).ask(f"/api/{newest}/volumes", secret=[f'header = "x-auth-token: {session}"'])
        assert {one["name"] for one in volumes["items"]} >= {one.name for one in described(fleet, endpoint).volumes}


def test_curl_asks_ontap_for_its_name(curled: CurlOf, up: Up) -> None:
    for endpoint in up.of("ontap"):
        assert curled(endpoint).ask("/api/cluster", secret=login(up, endpoint))["name"] == endpoint["name"]
        assert curled(endpoint).ask("/api/storage/volumes", secret=login(up, endpoint))["num_records"] > 0


def test_curl_trusts_no_endpoint_without_the_lab_s_authority(curl: str, up: Up) -> None:
    for endpoint in up.endpoints:
        if "tls" in endpoint:
            command = [curl, "-q", "--silent", "--noproxy", "*", "--max-time", "20", f"https://{endpoint['address']}/"]
            assert subprocess.run(command, capture_output=True, timeout=PATIENCE_SECONDS, check=False).returncode == 60


class _Pinned(asyncssh.SSHClient):
    """Trusts the key of one fingerprint."""

    def __init__(self, fingerprint: str) -> None:
        self._fingerprint = fingerprint

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        return key.get_fingerprint("sha256") == self._fingerprint


async def typed(endpoint: dict[str, Any], password: str, fingerprint: str, line: str) -> str:
    host, port = address_of(endpoint)
    async with asyncio.timeout(20):
        connection, _ = await asyncssh.create_connection(
            lambda: _Pinned(fingerprint),
            host,
            port,
            username=endpoint["username"],
            password=password,
            known_hosts=asyncssh.import_known_hosts(""),
            client_keys=None,
            agent_path=None,
            config=None,
        )
        async with connection, connection.create_process(term_type="vt100") as shell:
            await shell.stdout.readuntil("CLI> ")
            shell.stdin.write(f"{line}\n")
            answer = await shell.stdout.readuntil("CLI> ")
            shell.stdin.write("exit\n")
    return str(answer)


def test_ssh_reaches_every_eternus_by_the_fingerprint_of_the_fleet_file(up: Up, fleet: LabFleet) -> None:
    for endpoint in up.of("eternus"):
        array = described(fleet, endpoint)
        answer = asyncio.run(typed(endpoint, up.secret(endpoint), endpoint["ssh"]["fingerprint"], "show enclosure-status"))
        assert {array.name, array.model_name, array.firmware} <= set(answer.replace("\r\n", "\t").split("\t"))
        answer = asyncio.run(typed(endpoint, up.secret(endpoint), endpoint["ssh"]["fingerprint"], "show volumes"))
        assert all(array.uid(number) in answer for number in array.volume_numbers())


def test_ssh_with_another_fingerprint_gets_nowhere(up: Up) -> None:
    endpoint = up.of("eternus")[0]
    with pytest.raises(asyncssh.HostKeyNotVerifiable):
        asyncio.run(typed(endpoint, up.secret(endpoint), "SHA256:another", "show status"))


def test_an_interrupt_ends_it_with_zero_and_leaves_nothing_listening_even_with_clients_connected(tmp_path: Path) -> None:
    with lab_up(tmp_path) as running, ExitStack() as clients:
        for address in running.addresses():
            clients.enter_context(socket.create_connection(address, timeout=PATIENCE_SECONDS))
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(PATIENCE_SECONDS) == 0
        assert running.process.stdout is not None
        assert running.process.stderr is not None
        assert running.process.stdout.read() == "auditor audit --fleet fleet.yaml\n"
        assert running.process.stderr.read() == ""
    for address in running.addresses():
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address, timeout=PATIENCE_SECONDS)
