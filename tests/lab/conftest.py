"""Clients that nobody of the lab wrote: pyVmomi, plain HTTP, govc and vcsim."""

from __future__ import annotations

import http.client
import ssl
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from auditor_lab.authority import Authority
from auditor_lab.scenario import load_scenario, parse_scenario
from auditor_lab.serving import Lab, serve
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.server import VCenterServer
from tests.peers import go_binary
from tests.waiting import PATIENCE_SECONDS

USER, PASSWORD = "auditor@vsphere.local", "only-for-this-test"
PROJECT = Path(__file__).parents[2]

SMALL = """
vcenters:
  - name: vc-small
    host_build: 22380479
    devices:
      disks: {vendor: PURE, model: FlashArray, names: [naa.624a9370aaaa, naa.624a9370bbbb], targets: [iqn.2010-06.com.purestorage:x]}
      endpoint:
        {vendor: SolidFir, model: SSD SAN, protocol_endpoint: true, names: [naa.6f47acc2000000017366707200000000], targets: [iqn.x:pe]}
    templates:
      host:
        hbas:
          - device: vmhba64
            kind: iscsi
            driver: iscsi_vmk
            model: iSCSI Software Adapter
            software: true
            targets:
              - {address: 198.51.100.1}
              - {kind: static, address: 198.51.100.2, iqn: "iqn.2010-06.com.purestorage:x", delayed_ack: false}
        devices: [disks, endpoint]
    clusters:
      - {name: one, hosts: [{name: "esx-{n}", count: 3, like: host}]}
      - {name: no-drs, drs: false, hosts: [{name: "esx-b{n}", count: 2, like: host}]}
    datastores:
      - {name: fast, type: VMFS, extents: [naa.624a9370aaaa], clusters: [one, no-drs]}
      - {name: files, type: NFS, remote_host: 198.51.100.9, remote_path: /files, clusters: [one], sioc: {supported: false}}
    vms:
      - {name: "vm-{n}", count: 3, cluster: one, disks: [{datastore: fast}]}
      - {name: stuck, host: esx-b1, disks: [{datastore: fast}]}
"""


def small(text: str = SMALL) -> VCenterDescription:
    return parse_scenario(text, "small").vcenters[0]


class Plain:
    """SOAP by hand: what is sent and what comes back, with nothing in between."""

    def __init__(self, server: VCenterServer, context: ssl.SSLContext) -> None:
        self._connection = http.client.HTTPSConnection(server.host, server.port, context=context, timeout=PATIENCE_SECONDS)
        self.cookie = ""

    def post(self, body: str) -> tuple[int, ET.Element]:
        envelope = f'<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body>{body}</Body></Envelope>'
        self._connection.request("POST", "/sdk", envelope, {"Cookie": self.cookie, "Content-Type": "text/xml"})
        response = self._connection.getresponse()
        if cookie := response.getheader("Set-Cookie"):
            self.cookie = cookie.partition(";")[0]
        return response.status, ET.fromstring(response.read())

    def login(self, password: str = PASSWORD) -> tuple[int, ET.Element]:
        return self.post(
            f'<Login xmlns="urn:vim25"><_this type="SessionManager">SessionManager</_this><userName>{USER}</userName>'
            f"<password>{password}</password></Login>"
        )

    def esxcli(self, host_id: str, command: str, **arguments: object) -> list[dict[str, str]] | str:
        """Rows of a command, or the fault's text."""
        status, answer = self.post(
            f'<RetrieveManagedMethodExecuter xmlns="urn:vim25"><_this type="HostSystem">{host_id}</_this></RetrieveManagedMethodExecuter>'
        )
        if status != 200:
            return fault_of(answer)
        executer = answer.findtext(".//{urn:vim25}returnval")
        words = command.split(" ")
        given = "".join(
            f"<argument><name>{name}</name><val>{escape(f'<{name}>{value}</{name}>')}</val></argument>" for name, value in arguments.items()
        )
        status, answer = self.post(
            f'<ExecuteSoap xmlns="urn:vim25"><_this type="ReflectManagedMethodExecuter">{executer}</_this>'
            f"<moid>ha-cli-handler-{'-'.join(words[:-1])}</moid><version>urn:vim25/5.0</version>"
            f"<method>vim.EsxCLI.{'.'.join(words)}</method>{given}</ExecuteSoap>"
        )
        if status != 200:
            return fault_of(answer)
        if detail := answer.findtext(".//{urn:vim25}faultDetail"):
            return next(
                element.text or "" for element in ET.fromstring(detail).iter() if element.tag.endswith(("errMsg", "localizedMessage"))
            )
        rows = ET.fromstring(answer.findtext(".//{urn:vim25}response") or "")
        if not len(rows):
            return rows.text or ""
        return [{field.tag.rpartition("}")[2]: field.text or "" for field in row} for row in rows]

    def close(self) -> None:
        self._connection.close()


def fault_of(answer: ET.Element) -> str:
    """The name of the fault in an envelope, without the word Fault."""
    detail = next(element for element in answer.iter() if element.tag.rpartition("}")[2] == "detail")
    return detail[0].tag.rpartition("}")[2].removesuffix("Fault")


class Client:
    """pyVmomi, logged in."""

    def __init__(self, instance: Any) -> None:
        self.instance = instance
        self.content = instance.RetrieveContent()

    def read(self, kind: type, *paths: str, page: int | None = None) -> dict[str, dict[str, Any]]:
        """Values by managed object id; what is in the missingSet stands under its path as the fault."""
        from pyVmomi import vim, vmodl

        collector = vmodl.query.PropertyCollector
        view = self.content.viewManager.CreateContainerView(self.content.rootFolder, [kind], recursive=True)
        start = collector.ObjectSpec(obj=view, skip=True, selectSet=[collector.TraversalSpec(type=vim.view.ContainerView, path="view")])
        spec = collector.FilterSpec(objectSet=[start], propSet=[collector.PropertySpec(type=kind, pathSet=list(paths))])
        found: dict[str, dict[str, Any]] = {}
        result = self.content.propertyCollector.RetrievePropertiesEx([spec], collector.RetrieveOptions(maxObjects=page))
        self.pages = 0
        while result is not None:
            self.pages += 1
            for one in result.objects:
                values = {prop.name: prop.val for prop in one.propSet} | {gone.path: gone.fault for gone in one.missingSet}
                found[one.obj._GetMoId()] = values
            if not result.token:
                break
            result = self.content.propertyCollector.ContinueRetrievePropertiesEx(result.token)
        view.DestroyView()
        return found

    def hosts(self) -> dict[str, Any]:
        """HostSystem by name."""
        from pyVmomi import vim

        view = self.content.viewManager.CreateContainerView(self.content.rootFolder, [vim.HostSystem], recursive=True)
        return {host.name: host for host in view.view}


@pytest.fixture(scope="session")
def authority() -> Authority:
    return Authority()


@pytest.fixture(scope="session")
def client_context(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    path = tmp_path_factory.mktemp("ca") / "ca.pem"
    authority.write(path)
    return ssl.create_default_context(cafile=str(path))


@pytest.fixture
def serve_vcenter(authority: Authority) -> Iterator[Callable[..., VCenterServer]]:
    """Serves descriptions until the test ends."""
    with ExitStack() as stack:

        def start(description: VCenterDescription, **options: Any) -> VCenterServer:
            server = VCenterServer(description, authority.server_context("127.0.0.1"), USER, PASSWORD, **options)
            stack.callback(server.stop)
            return server

        yield start


@pytest.fixture
def vcenter(serve_vcenter: Callable[..., VCenterServer]) -> VCenterServer:
    """A small vCenter of its own for tests that write."""
    return serve_vcenter(small())


@pytest.fixture
def plain(client_context: ssl.SSLContext) -> Iterator[Callable[[VCenterServer], Plain]]:
    with ExitStack() as stack:

        def connect(server: VCenterServer, *, login: bool = True, context: ssl.SSLContext = client_context) -> Plain:
            client = Plain(server, context)
            stack.callback(client.close)
            if login:
                assert client.login()[0] == 200
            return client

        yield connect


@contextmanager
def pyvmomi_client(host: str, port: int, context: ssl.SSLContext, user: str = USER, password: str = PASSWORD) -> Iterator[Client]:
    from pyVim.connect import Disconnect, SmartConnect

    instance = SmartConnect(host=host, port=port, user=user, pwd=password, sslContext=context)
    try:
        yield Client(instance)
    finally:
        Disconnect(instance)
        instance._stub.DropConnections()


@pytest.fixture
def log_in() -> Callable[..., Any]:
    """The plain pyVmomi way in, for a server and a context of the test's own."""
    return pyvmomi_client


@pytest.fixture
def connect(client_context: ssl.SSLContext) -> Iterator[Callable[..., Client]]:
    with ExitStack() as stack:

        def start(server: VCenterServer) -> Client:
            return stack.enter_context(pyvmomi_client(server.host, server.port, client_context))

        yield start


@pytest.fixture(scope="session")
def solidfire_lab() -> Iterator[Lab]:
    """The S0 scenario for tests that only read."""
    with serve(load_scenario("solidfire-vvols")) as lab:
        yield lab


@pytest.fixture(scope="session")
def govc_binary() -> str:
    return go_binary("govc")
