"""VMware's own Python client for the vSphere Automation API, vmware-vcenter, and the lab's vCenter that it is let loose on."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import pytest
from pyVmomi import VmomiSupport, vim

from auditor_lab.authority import Authority
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.state import vcenter as state
from tests.lab.conftest import PASSWORD, USER
from tests.waiting import Clock

# The client warns of its own age when it is imported: enumerations that newer releases deprecate, and how it reads its message bundles.
CLIENT_WARNS = [
    pytest.mark.filterwarnings("ignore:.*is deprecated as of release vSphere API:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:read_binary is deprecated:DeprecationWarning"),
]

KEY = "Disk.QFullSampleSize"
POINTER = f"/profile/esx/advanced_options/{KEY}"
ONE, TWO, FREE = "domain-c4", "domain-c5", "domain-c6"
FLEET = """
vcenters:
  - name: vc-tags
    host_build: 22380479
    devices:
      disks: {vendor: PURE, model: FlashArray, names: [naa.624a9370aaaa], targets: [iqn.x:y]}
    templates:
      host: {hbas: [{device: vmhba64, kind: iscsi, driver: iscsi_vmk, model: iSCSI Software Adapter, software: true}], devices: [disks]}
    clusters:
      - {name: one, hosts: [{name: "esx-{n}", count: 2, like: host}, {name: esx-off, like: host, connection_state: disconnected}]}
      - {name: two, hosts: [{name: esx-two, like: host}]}
      - {name: free, hosts: [{name: esx-free, like: host}]}
    datastores: [{name: fast, type: VMFS, extents: [naa.624a9370aaaa], clusters: [one]}]
    vms: [{name: vm-1, host: esx-1, disks: [{datastore: fast}]}]
    profiles:
      - {name: gold, kind: configuration-profile, clusters: [one, two], options: {Disk.QFullSampleSize: 16}, after_seconds: 30}
    tag_categories:
      - name: owner
        cardinality: SINGLE
        tags: [{name: storage, description: "the storage team", objects: [esx-1, fast]}, {name: compute}]
      - {name: tier, associable_types: [Datastore], tags: [{name: gold}]}
"""
Connect = Callable[..., "Client"]


class Client:
    """The client, logged in, and what of its modules the tests need."""

    def __init__(self, client: Any) -> None:
        configuration = client._stub_factory._stub_config
        clusters = "com.vmware.esx.settings.clusters"
        self.session = client.session_svc
        self.key: str = client.get_session_id()
        self.category, self.tag = client.tagging.Category, client.tagging.Tag
        self.association = client.tagging.TagAssociation
        self.enablement = import_module(f"{clusters}.enablement_client").Configuration(configuration)
        self.configuration = import_module(f"{clusters}_client").Configuration(configuration)
        self.drafts = import_module(f"{clusters}.configuration_client").Drafts(configuration)
        self.last = import_module(f"{clusters}.configuration.reports_client").LastComplianceResult(configuration)

    def tags(self) -> dict[str, str]:
        """Ids by name."""
        return {self.tag.get(key).name: key for key in self.tag.list()}

    def categories(self) -> dict[str, str]:
        """Ids by name."""
        return {self.category.get(key).name: key for key in self.category.list()}

    def create_category(self, name: str, *types: str, cardinality: str = "MULTIPLE") -> str:
        key: str = self.category.create(
            self.category.CreateSpec(name=name, description="", cardinality=cardinality, associable_types=set(types))
        )
        return key

    def create_tag(self, name: str, category: str) -> str:
        key: str = self.tag.create(self.tag.CreateSpec(name=name, description="", category_id=category))
        return key

    def import_document(self, cluster: str, document: str) -> Any:
        return self.configuration.import_config_task(cluster, self.configuration.ImportSpec(config=document)).get_result()


def error(name: str) -> Any:
    """A standard error's class."""
    return getattr(import_module("com.vmware.vapi.std.errors_client"), name)


def thing(kind: str, key: str) -> Any:
    """The identifier of an object."""
    return import_module("com.vmware.vapi.std_client").DynamicID(type=kind, id=key)


def document(value: Any, key: str = KEY) -> str:
    return json.dumps({"profile": {"esx": {"advanced_options": {key: value}}}})


@pytest.fixture
def vcenter(serve_vcenter: Callable[..., VCenterServer]) -> VCenterServer:
    return serve_vcenter(parse_scenario(FLEET, "tags").vcenters[0])


@pytest.fixture(scope="session")
def ca(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vapi-ca") / "ca.pem"
    authority.write(path)
    return path


@pytest.fixture
def log_on(ca: Path) -> Iterator[Connect]:
    """The plain way in; certificates are checked against the lab's authority."""
    requests, client = import_module("requests"), import_module("vmware.vapi.vsphere.client")
    # A client whose login failed looks for it in itself without end when it is removed; within another recursion that ends the process.
    client.VsphereClient.session_svc = None
    with ExitStack() as stack:

        def start(server: VCenterServer, user: str = USER, password: str = PASSWORD, *, verify: object = str(ca), **others: Any) -> Client:
            session = stack.enter_context(requests.Session())
            session.verify = verify
            session.trust_env = False  # a CA bundle of the environment would go before `verify`
            who = others or {"username": user, "password": password}
            connected = client.create_vsphere_client(server=f"{server.host}:{server.port}", session=session, **who)
            stack.callback(connected.__exit__, None, None, None)
            return Client(connected)

        yield start


@pytest.fixture
def client(vcenter: VCenterServer, log_on: Connect) -> Client:
    return log_on(vcenter)


@pytest.fixture
def http(vcenter: VCenterServer, ca: Path) -> Iterator[httpx.Client]:
    """The same API by hand."""
    context = ssl.create_default_context(cafile=str(ca))
    with httpx.Client(base_url=f"https://{vcenter.host}:{vcenter.port}", verify=context, trust_env=False) as by_hand:
        yield by_hand


@pytest.fixture
def clock(vcenter: VCenterServer, monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(state, "time", clock)
    return clock


@pytest.fixture
def options(vcenter: VCenterServer, connect: Callable[..., Any]) -> Callable[..., dict[str, int]]:
    """The option of every connected host by SOAP; first sets those that are given."""
    hosts = connect(vcenter).hosts()

    def read(**wanted: int) -> dict[str, int]:
        for name, value in wanted.items():
            written = [vim.option.OptionValue(key=KEY, value=VmomiSupport.GetVmodlType("long")(value))]
            hosts[name.replace("_", "-")].configManager.advancedOption.UpdateOptions(written)
        return {name: host.configManager.advancedOption.QueryOptions(KEY)[0].value for name, host in hosts.items() if name != "esx-off"}

    return read
