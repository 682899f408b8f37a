"""VMware's own Python client for the vSphere Automation API, vmware-vcenter, against the lab's vCenter."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from pyVmomi import VmomiSupport, vim

from auditor.errors import ConfigurationError
from auditor_lab.authority import Authority
from auditor_lab.faults import Fault
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap import sessions
from auditor_lab.vcenter.soap.privileges import ALL, READ_ONLY
from auditor_lab.vcenter.state import vcenter as state
from tests.lab.conftest import PASSWORD, USER

# The client warns of its own age when it is imported: enumerations that newer releases deprecate, and how it reads its message bundles.
pytestmark = [
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


# Sessions


def test_a_session_tells_whose_it_is_and_ends_when_it_is_deleted(client: Client) -> None:
    assert client.session.get().user == USER
    client.session.delete()
    with pytest.raises(error("Unauthenticated")) as raised:
        client.tag.list()
    assert str(raised.value.error_type) == "UNAUTHENTICATED"
    assert raised.value.challenge.startswith("Basic realm=")


@pytest.mark.parametrize(("user", "password"), [(USER, "wrong"), ("nobody@vsphere.local", PASSWORD)], ids=["password", "user"])
def test_a_wrong_name_or_password_opens_no_session(vcenter: VCenterServer, log_on: Connect, user: str, password: str) -> None:
    with pytest.raises(error("Unauthenticated")):
        log_on(vcenter, user, password)
    assert vcenter.vapi.sessions.count == 0


def test_a_session_of_soap_is_none_of_this_api_and_the_other_way_round(
    vcenter: VCenterServer, log_on: Connect, connect: Callable[..., Any], http: httpx.Client
) -> None:
    soap = connect(vcenter).content.sessionManager.currentSession.key
    with pytest.raises(error("Unauthenticated")):
        log_on(vcenter, session_id=soap).tag.list()
    own = log_on(vcenter)
    answer = http.get("/sdk/vim25/8.0.2.0/SessionManager/SessionManager/sessionList", headers={"vmware-api-session-id": own.key})
    assert answer.status_code == 500
    assert answer.json()["_typeName"] == "NotAuthenticated"


def test_a_session_that_nobody_uses_expires(
    serve_vcenter: Callable[..., VCenterServer], log_on: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(sessions, "time", SimpleNamespace(monotonic=lambda: clock.now))
    client = log_on(serve_vcenter(parse_scenario(FLEET, "tags").vcenters[0], session_seconds=60))
    clock.now += 59
    client.tag.list()
    clock.now += 59
    client.tag.list()
    clock.now += 61
    with pytest.raises(error("Unauthenticated")):
        client.tag.list()


def test_the_client_refuses_a_certificate_of_an_authority_it_does_not_know(vcenter: VCenterServer, log_on: Connect) -> None:
    with pytest.raises(import_module("requests").exceptions.SSLError):
        log_on(vcenter, verify=True)


# Tags


def test_described_tags_are_there_with_what_they_are_attached_to(client: Client) -> None:
    assert client.categories().keys() == {"owner", "tier"}
    owner, tags = client.category.get(client.categories()["owner"]), client.tags()
    assert (str(owner.cardinality), owner.associable_types) == ("SINGLE", set())
    assert client.tag.list_tags_for_category(owner.id) == [tags["storage"], tags["compute"]]
    assert tags["storage"].startswith("urn:vmomi:InventoryServiceTag:")
    assert client.tag.get(tags["storage"]).description == "the storage team"
    attached = client.association.list_attached_objects(tags["storage"])
    assert [(one.type, one.id) for one in attached] == [("HostSystem", "host-11"), ("Datastore", "datastore-101")]


def test_what_is_written_to_tags_sticks(vcenter: VCenterServer, client: Client, log_on: Connect) -> None:
    category = client.create_category("site")
    tag = client.create_tag("north", category)
    client.association.attach(tag, thing("VirtualMachine", "vm-1001"))
    client.association.attach(tag, thing("VirtualMachine", "vm-1001"))  # no error
    client.tag.update(tag, client.tag.UpdateSpec(name="south"))
    client.category.update(category, client.category.UpdateSpec(description="where it stands"))
    again = log_on(vcenter)
    assert again.tag.get(tag).name == "south"
    assert again.category.get(category).description == "where it stands"
    assert again.association.list_attached_tags(thing("VirtualMachine", "vm-1001")) == [tag]
    again.association.detach(tag, thing("VirtualMachine", "vm-1001"))
    assert client.association.list_attached_objects(tag) == []
    client.category.delete(category)
    assert tag not in again.tag.list()
    assert category not in again.category.list()


def test_a_tag_that_is_deleted_is_on_nothing_any_more(client: Client) -> None:
    client.tag.delete(client.tags()["storage"])
    assert client.association.list_attached_tags(thing("HostSystem", "host-11")) == []
    client.association.attach(client.tags()["compute"], thing("HostSystem", "host-11"))  # the category's one place is free


def test_tags_and_objects_are_listed_for_many_at_once(client: Client) -> None:
    tags = client.tags()
    client.association.attach(tags["gold"], thing("Datastore", "datastore-101"))
    asked = [thing("Datastore", "datastore-101"), thing("HostSystem", "host-11"), thing("HostSystem", "host-12")]
    found = client.association.list_attached_tags_on_objects(asked)
    assert {one.object_id.id: one.tag_ids for one in found} == {
        "datastore-101": [tags["storage"], tags["gold"]],
        "host-11": [tags["storage"]],
    }
    (reported,) = client.association.list_attached_objects_on_tags([tags["gold"]])
    assert (reported.tag_id, [one.id for one in reported.object_ids]) == (tags["gold"], ["datastore-101"])


def test_a_category_says_what_its_tags_can_be_attached_to(client: Client) -> None:
    tags = client.tags()
    with pytest.raises(error("InvalidArgument")):  # one of the category at most
        client.association.attach(tags["compute"], thing("HostSystem", "host-11"))
    with pytest.raises(error("InvalidArgument")):  # datastores alone
        client.association.attach(tags["gold"], thing("HostSystem", "host-11"))
    assert client.association.list_attachable_tags(thing("HostSystem", "host-12")) == [tags["storage"], tags["compute"]]
    assert client.association.list_attachable_tags(thing("Datastore", "datastore-101")) == [tags["gold"]]


@pytest.mark.parametrize(
    ("before", "after", "good"),
    [
        pytest.param({"Datastore"}, {"Datastore", "HostSystem"}, True, id="one more type"),
        pytest.param({"Datastore"}, {"HostSystem"}, False, id="another type"),
        pytest.param(set(), {"Datastore"}, False, id="one instead of all"),
    ],
)
def test_the_types_of_a_category_only_grow(client: Client, before: set[str], after: set[str], good: bool) -> None:
    key = client.create_category("site", *before)
    update = client.category.UpdateSpec(associable_types=after)
    if good:
        client.category.update(key, update)
    else:
        with pytest.raises(error("InvalidArgument")):
            client.category.update(key, update)
    assert client.category.get(key).associable_types == (after if good else before)


def test_a_category_that_allows_several_tags_stays_so(client: Client) -> None:
    tier, owner = client.categories()["tier"], client.categories()["owner"]
    with pytest.raises(error("InvalidArgument")):
        client.category.update(tier, client.category.UpdateSpec(cardinality="SINGLE"))
    client.category.update(owner, client.category.UpdateSpec(cardinality="MULTIPLE"))
    client.association.attach(client.tags()["compute"], thing("HostSystem", "host-11"))


def test_names_are_there_once(client: Client) -> None:
    owner, tier = client.categories()["owner"], client.categories()["tier"]
    with pytest.raises(error("AlreadyExists")):
        client.create_category("owner")
    with pytest.raises(error("AlreadyExists")):
        client.create_tag("storage", owner)
    with pytest.raises(error("AlreadyExists")):
        client.tag.update(client.tags()["compute"], client.tag.UpdateSpec(name="storage"))
    client.create_tag("storage", tier)


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda client: client.tag.get("urn:gone"), id="tag"),
        pytest.param(lambda client: client.category.get("urn:gone"), id="category"),
        pytest.param(lambda client: client.create_tag("x", "urn:gone"), id="category of a new tag"),
        pytest.param(lambda client: client.association.attach("urn:gone", thing("HostSystem", "host-11")), id="tag to attach"),
        pytest.param(lambda client: client.configuration.get("domain-c99"), id="cluster"),
        pytest.param(lambda client: client.configuration.get(ONE, commit="gone"), id="commit"),
        pytest.param(lambda client: client.drafts.get(ONE, "gone"), id="draft"),
        pytest.param(lambda client: client.last.get(ONE), id="compliance that nobody checked"),
    ],
)
def test_what_is_not_there_is_not_found(client: Client, ask: Callable[[Client], Any]) -> None:
    with pytest.raises(error("NotFound")) as raised:
        ask(client)
    assert str(raised.value.error_type) == "NOT_FOUND"
    assert raised.value.messages[0].default_message


def test_a_batch_does_what_can_be_done_and_tells_the_rest(client: Client) -> None:
    tags = client.tags()
    reported = client.association.attach_multiple_tags_to_object(thing("HostSystem", "host-12"), ["urn:gone", tags["storage"]])
    assert reported.success is False
    assert [one.id for one in reported.error_messages] == ["cis.tagging.objectNotFound.error"]
    assert client.association.list_attached_tags(thing("HostSystem", "host-12")) == [tags["storage"]]
    everything = [thing("HostSystem", key) for key in ("host-11", "host-12")]
    assert client.association.detach_tag_from_multiple_objects(tags["storage"], everything).success is True
    assert [one.id for one in client.association.list_attached_objects(tags["storage"])] == ["datastore-101"]


@pytest.mark.parametrize(
    ("kind", "key"),
    [("HostSystem", "host-99"), ("ClusterComputeResource", "domain-c99"), ("Nonsense", "host-11"), ("Datacenter", "host-11")],
)
def test_an_object_that_is_not_there_has_no_tags(client: Client, kind: str, key: str) -> None:
    with pytest.raises(error("Unauthorized")):
        client.association.list_attached_tags(thing(kind, key))
    with pytest.raises(error("InvalidArgument")):
        client.association.attach(client.tags()["compute"], thing(kind, key))


@pytest.mark.parametrize(("kind", "key"), [("ClusterComputeResource", ONE), ("Datacenter", "datacenter-2"), ("Folder", "group-h3")])
def test_a_tag_can_be_attached_to_what_is_no_machine(client: Client, kind: str, key: str) -> None:
    client.association.attach(client.tags()["compute"], thing(kind, key))
    assert [one.id for one in client.association.list_attached_objects(client.tags()["compute"])] == [key]


def test_who_uses_a_category_is_kept(client: Client) -> None:
    tier = client.categories()["tier"]
    client.category.add_to_used_by(tier, "backup")
    assert client.category.get(tier).used_by == {"backup"}
    assert client.category.list_used_categories("backup") == [tier]
    client.category.remove_from_used_by(tier, "backup")
    assert client.category.list_used_categories("backup") == []


@pytest.mark.parametrize(
    ("slip", "why"),
    [
        pytest.param(("objects: [esx-1, fast]", "objects: [esx-77]"), "nothing named", id="an object there is not"),
        pytest.param(("name: vm-1,", "name: fast,"), "several things named", id="a name two things have"),
    ],
)
def test_a_scenario_with_a_tag_for_something_unclear_is_refused(slip: tuple[str, str], why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        parse_scenario(FLEET.replace(*slip), "slip")


# Privileges and faults


@pytest.mark.parametrize(
    ("privilege", "ask"),
    [
        ("InventoryService.Tagging.CreateCategory", lambda client: client.create_category("x")),
        ("InventoryService.Tagging.CreateTag", lambda client: client.create_tag("x", client.categories()["tier"])),
        ("InventoryService.Tagging.DeleteTag", lambda client: client.tag.delete(client.tags()["gold"])),
        ("InventoryService.Tagging.EditTag", lambda client: client.tag.update(client.tags()["gold"], client.tag.UpdateSpec(name="x"))),
        (
            "InventoryService.Tagging.AttachTag",
            lambda client: client.association.attach(client.tags()["gold"], thing("Datastore", "datastore-101")),
        ),
        ("VcIntegrity.ClusterConfiguration.View", lambda client: client.configuration.get(ONE)),
        ("VcIntegrity.ClusterConfiguration.Export", lambda client: client.configuration.export_config(ONE)),
        ("VcIntegrity.ClusterConfiguration.Modify", lambda client: client.import_document(ONE, document(8))),
        (
            "VcIntegrity.ClusterConfiguration.Remediate",
            lambda client: client.configuration.apply_task(ONE, client.configuration.ApplySpec()),
        ),
    ],
    ids=lambda value: value.rpartition(".")[2] if isinstance(value, str) else "",
)
def test_an_account_without_the_privilege_is_told_which(
    vcenter: VCenterServer, client: Client, privilege: str, ask: Callable[[Client], Any]
) -> None:
    vcenter.privileges = ALL - {privilege}
    with pytest.raises(error("Unauthorized")) as raised:
        ask(client)
    assert privilege in raised.value.messages[0].args
    assert raised.value.data.get_struct_value().get_field("privilege").value == privilege


def test_an_account_that_only_reads_sees_tags(serve_vcenter: Callable[..., VCenterServer], log_on: Connect) -> None:
    client = log_on(serve_vcenter(parse_scenario(FLEET, "tags").vcenters[0], privileges=READ_ONLY))
    assert client.tags().keys() == {"storage", "compute", "gold"}


def test_requests_and_faults_go_by_service_and_operation(vcenter: VCenterServer, client: Client, http: httpx.Client) -> None:
    vcenter.faults.active = [Fault("status", "com.vmware.cis.tagging.tag.list", status=503)]
    with pytest.raises(import_module("requests").exceptions.HTTPError, match="503"):
        client.tag.list()
    assert http.get("/api/cis/tagging/tag", headers={"vmware-api-session-id": client.key}).status_code == 503
    assert len(client.category.list()) == 2
    assert vcenter.requests[-3:] == ["com.vmware.cis.tagging.tag.list"] * 2 + ["com.vmware.cis.tagging.category.list"]


def test_a_lost_session_and_a_missing_privilege_come_on_demand(vcenter: VCenterServer, client: Client, log_on: Connect) -> None:
    vcenter.faults.active = [Fault("permission", privilege="System.Read", times=1)]
    with pytest.raises(error("Unauthorized")):
        client.tag.list()
    client.tag.list()
    vcenter.faults.active = [Fault("session", times=1)]
    with pytest.raises(error("Unauthenticated")):
        client.tag.list()
    log_on(vcenter).tag.list()


def test_writes_go_wrong_on_demand(vcenter: VCenterServer, client: Client) -> None:
    tag, several = client.tags()["compute"], [thing("HostSystem", key) for key in ("host-12", "host-14")]
    vcenter.faults.active = [Fault("deaf", "com.vmware.cis.tagging.tag_association.attach", times=1)]
    client.association.attach(tag, several[0])
    assert client.association.list_attached_objects(tag) == []
    vcenter.faults.active = [Fault("half", "com.vmware.cis.tagging.tag_association.attach_tag_to_multiple_objects", times=1)]
    with pytest.raises(error("InternalServerError")):
        client.association.attach_tag_to_multiple_objects(tag, several)
    assert [one.id for one in client.association.list_attached_objects(tag)] == ["host-12"]


def test_a_task_that_is_stuck_never_ends_and_a_deaf_one_does_nothing(vcenter: VCenterServer, client: Client) -> None:
    service = "com.vmware.esx.settings.clusters.configuration"
    vcenter.faults.active = [Fault("stuck", f"{service}.check_compliance$task", times=1), Fault("deaf", f"{service}.apply$task", times=1)]
    assert str(client.configuration.check_compliance_task(ONE).get_info().status) == "RUNNING"
    answer = client.configuration.apply_task(ONE, client.configuration.ApplySpec()).get_result()
    assert answer.successful_hosts == {"host-11", "host-12"}
    assert vcenter.state.hosts["host-11"].options[KEY] == 0


def test_a_task_runs_as_long_as_tasks_of_the_lab_do(vcenter: VCenterServer, client: Client, clock: SimpleNamespace) -> None:
    vcenter.state.task_seconds = 20
    task = client.configuration.check_compliance_task(ONE)
    assert str(task.get_info().status) == "RUNNING"
    clock.now += 21
    assert str(task.get_info().status) == "SUCCEEDED"


# Configuration profiles


@pytest.fixture
def clock(vcenter: VCenterServer, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(state, "time", SimpleNamespace(monotonic=lambda: clock.now))
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


def test_a_client_learns_which_clusters_a_configuration_profile_manages(client: Client) -> None:
    assert [client.enablement.get(cluster).enabled for cluster in (ONE, TWO, FREE)] == [True, True, False]
    answer = client.configuration.get(ONE)
    assert json.loads(answer.config) == {"profile": {"esx": {"advanced_options": {KEY: 16}}}}
    assert {one.name for one in answer.host_info.values()} == {"esx-1", "esx-2", "esx-off"}
    assert json.loads(client.configuration.export_config(ONE).config) == json.loads(answer.config)


def test_compliance_tells_every_host_apart(client: Client, options: Callable[..., Any]) -> None:
    options(esx_2=16)
    answer = client.configuration.check_compliance_task(ONE).get_result()
    assert str(answer.cluster_status) == "NOT_COMPLIANT"
    assert (answer.compliant_hosts, answer.non_compliant_hosts, answer.skipped_hosts) == ({"host-12"}, {"host-11"}, {"host-13"})
    (drift,) = answer.hosts["host-11"].host_compliance.compliance_info.sets
    assert (drift.path, drift.current, drift.target) == (POINTER, "0", "16")
    assert answer.hosts["host-12"].host_compliance.compliance_info is None
    assert client.last.get(ONE).end_time == answer.end_time


def test_applying_puts_the_hosts_right(vcenter: VCenterServer, client: Client, options: Callable[..., Any]) -> None:
    answer = client.configuration.apply_task(ONE, client.configuration.ApplySpec()).get_result()
    assert (answer.successful_hosts, answer.skipped_hosts) == ({"host-11", "host-12"}, {"host-13"})
    assert options() == {"esx-1": 16, "esx-2": 16, "esx-two": 0, "esx-free": 0}
    assert vcenter.state.hosts["host-13"].options[KEY] == 0  # it could not be reached
    assert str(client.configuration.check_compliance_task(TWO).get_result().cluster_status) == "NOT_COMPLIANT"
    client.configuration.apply_task(TWO, client.configuration.ApplySpec(hosts={"host-14"}))
    assert str(client.configuration.check_compliance_task(TWO).get_result().cluster_status) == "COMPLIANT"


def test_an_imported_document_sticks_and_the_profile_fights_for_it(
    vcenter: VCenterServer, client: Client, log_on: Connect, options: Callable[..., dict[str, int]], clock: SimpleNamespace
) -> None:
    before = client.configuration.get(ONE).metadata.id
    options(esx_1=32)
    reported = client.import_document(ONE, document(8))
    assert (str(reported.status), reported.errors) == ("OK", None)
    again = log_on(vcenter).configuration
    assert again.get(ONE).metadata.id == reported.commit
    assert json.loads(again.get(ONE).config)["profile"]["esx"]["advanced_options"] == {KEY: 8}
    assert json.loads(again.get(ONE, commit=before).config)["profile"]["esx"]["advanced_options"] == {KEY: 16}
    assert json.loads(again.get(TWO).config)["profile"]["esx"]["advanced_options"] == {KEY: 16}
    assert options(esx_two=32)["esx-1"] == 32  # an import alone changes no host
    clock.now += 31
    assert options() == {"esx-1": 8, "esx-2": 0, "esx-two": 16, "esx-free": 0}


def test_a_profile_without_options_lets_go_of_the_hosts(client: Client, options: Callable[..., Any], clock: SimpleNamespace) -> None:
    options(esx_1=32)
    assert str(client.import_document(ONE, '{"profile": {}}').status) == "OK"
    clock.now += 31
    assert options(esx_2=32)["esx-1"] == 32
    clock.now += 31
    assert options()["esx-2"] == 32
    assert client.enablement.get(ONE).enabled is True


def test_an_imported_document_stands_for_every_profile_the_cluster_had(
    serve_vcenter: Callable[..., VCenterServer], log_on: Connect, connect: Callable[..., Any], clock: SimpleNamespace
) -> None:
    other, key = "{name: silver, kind: configuration-profile, clusters: [one], options: {Disk.QFullThreshold: 4}}", "Disk.QFullThreshold"
    server = serve_vcenter(parse_scenario(FLEET.replace("    tag_categories:", f"      - {other}\n    tag_categories:"), "two").vcenters[0])
    client, option = log_on(server), connect(server).hosts()["esx-1"].configManager.advancedOption
    assert json.loads(client.configuration.get(ONE).config)["profile"]["esx"]["advanced_options"] == {KEY: 16, key: 4}
    option.UpdateOptions([vim.option.OptionValue(key=key, value=VmomiSupport.GetVmodlType("long")(6))])
    client.import_document(ONE, document(8))
    clock.now += 31
    assert option.QueryOptions(key)[0].value == 6
    assert option.QueryOptions(KEY)[0].value == 8


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param("nonsense", "", id="no JSON"),
        pytest.param(document(8, "Disk.Nonsense"), "/profile/esx/advanced_options/Disk.Nonsense", id="an option no host has"),
        pytest.param(document(65), POINTER, id="a value out of range"),
        pytest.param(document("8"), POINTER, id="a value of another type"),
        pytest.param('{"profile": {"esx": []}}', "/profile/esx", id="a section that is none"),
    ],
)
def test_a_document_with_a_mistake_is_not_taken(client: Client, text: str, path: str) -> None:
    before = client.configuration.get(ONE).config
    result = client.import_document(ONE, text)
    assert str(result.status) == "ERROR"
    assert [one.path for one in result.errors] == [path]
    assert client.configuration.get(ONE).config == before
    assert client.configuration.validate_task(ONE).get_result().valid is True


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda client: client.configuration.check_compliance_task(FREE), id="compliance of a cluster without a profile"),
        pytest.param(lambda client: client.configuration.apply_task(FREE, client.configuration.ApplySpec()), id="applying there"),
        pytest.param(
            lambda client: client.configuration.apply_task(ONE, client.configuration.ApplySpec(hosts={"host-14"})), id="another's host"
        ),
        pytest.param(lambda client: client.drafts.create(ONE, client.drafts.CreateSpec(config="nonsense")), id="a draft that is no JSON"),
    ],
)
def test_what_makes_no_sense_is_an_invalid_argument(client: Client, ask: Callable[[Client], Any]) -> None:
    with pytest.raises(error("InvalidArgument")):
        ask(client)


def test_a_draft_becomes_the_desired_document(client: Client, options: Callable[..., dict[str, int]]) -> None:
    draft = client.drafts.create(ONE)
    assert client.drafts.list(ONE)[draft].owner == USER
    with pytest.raises(error("AlreadyExists")):
        client.drafts.create(ONE)
    client.drafts.update(ONE, draft, client.drafts.UpdateSpec(config=document(24), expected_revision=1))
    with pytest.raises(error("ConcurrentChange")):
        client.drafts.update(ONE, draft, client.drafts.UpdateSpec(config=document(25), expected_revision=1))
    (change,) = client.drafts.show_changes(ONE, draft).sets
    assert (change.path, change.current, change.draft) == (POINTER, "16", "24")
    answer = client.drafts.get(ONE, draft)
    assert (str(answer.metadata.state), answer.metadata.revision, json.loads(answer.config)) == ("VALID", 2, json.loads(document(24)))
    done = client.drafts.apply(ONE, draft)
    assert client.drafts.list(ONE) == {}
    assert client.configuration.get(ONE).metadata.id == done.commit
    assert options() == {"esx-1": 24, "esx-2": 24, "esx-two": 0, "esx-free": 0}


def test_a_draft_with_a_mistake_cannot_be_applied(client: Client) -> None:
    draft = client.drafts.create(ONE, client.drafts.CreateSpec(config=document(65)))
    assert str(client.drafts.list(ONE)[draft].state) == "INVALID"
    with pytest.raises(error("NotAllowedInCurrentState")):
        client.drafts.apply(ONE, draft)
    client.drafts.delete(ONE, draft)
    assert client.drafts.list(ONE) == {}


# By hand


def rpc(http: httpx.Client, body: Any) -> Any:
    return http.post("/api", content=body if isinstance(body, str) else json.dumps(body)).json()


def invoke(service: str, operation: str, security: Any = None, **fields: Any) -> dict[str, Any]:
    """What the client sends, as its source has it."""
    context = {"appCtx": {"opId": "1"}, **({"securityCtx": security} if security else {})}
    given = {"STRUCTURE": {"operation-input": fields}}
    params = {"serviceId": service, "operationId": operation, "input": given, "ctx": context}
    return {"jsonrpc": "2.0", "method": "invoke", "params": params, "id": "7"}


def test_the_json_says_what_every_value_is(http: httpx.Client) -> None:
    password = {"schemeId": "com.vmware.vapi.std.security.user_pass", "userName": USER, "password": PASSWORD}
    answer = rpc(http, invoke("com.vmware.cis.session", "create", password))
    assert (answer["jsonrpc"], answer["id"], list(answer["result"]["output"])) == ("2.0", "7", ["SECRET"])
    session = {"schemeId": "com.vmware.vapi.std.security.session_id", "sessionId": answer["result"]["output"]["SECRET"]}
    answer = rpc(http, invoke("com.vmware.cis.tagging.tag", "get", session, tag_id="urn:gone"))
    message = {
        "id": "cis.tagging.objectNotFound.error",
        "default_message": "Tagging object urn:gone not found",
        "args": ["urn:gone"],
        "params": {"OPTIONAL": None},
        "localized": {"OPTIONAL": None},
    }
    fields = {
        "messages": [{"STRUCTURE": {"com.vmware.vapi.std.localizable_message": message}}],
        "data": {"OPTIONAL": None},
        "error_type": {"OPTIONAL": "NOT_FOUND"},
    }
    assert answer["result"]["error"] == {"ERROR": {"com.vmware.vapi.std.errors.not_found": fields}}
    answer = rpc(http, invoke("com.vmware.esx.settings.clusters.configuration", "get", session, cluster=ONE, commit={"OPTIONAL": None}))
    (fields,) = answer["result"]["output"]["STRUCTURE"].values()
    entry = fields["host_info"][0]["STRUCTURE"]["map-entry"]
    assert entry["value"]["STRUCTURE"]["com.vmware.esx.settings.host_info"]["name"] == "esx-1"


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        pytest.param("{", -32700, id="no JSON"),
        pytest.param([], -32600, id="no request"),
        pytest.param({"jsonrpc": "2.0", "method": "other", "id": "7"}, -32601, id="another method"),
        pytest.param({"jsonrpc": "2.0", "method": "invoke", "params": {}, "id": "7"}, -32602, id="no parameters"),
        pytest.param(invoke("a", "b", x={"NONSENSE": 1}), -32602, id="a value of no type"),
    ],
)
def test_what_is_no_call_is_an_error_of_the_protocol(http: httpx.Client, sent: Any, code: int) -> None:
    assert rpc(http, sent)["error"]["code"] == code


@pytest.mark.parametrize(
    ("service", "operation", "fields", "kind"),
    [
        pytest.param("com.vmware.cis.tagging.tag", "get", {}, "invalid_argument", id="a field is missing"),
        pytest.param("com.vmware.cis.tagging.tag", "get", {"tag_id": 7}, "invalid_argument", id="a field of another type"),
        pytest.param(
            "com.vmware.cis.tagging.tag_association",
            "list_attached_tags_on_objects",
            {"object_ids": ["host-11"]},
            "invalid_argument",
            id="a list of another type",
        ),
        pytest.param("com.vmware.content.library", "list", {}, "operation_not_found", id="a service that is not here"),
    ],
)
def test_a_call_that_does_not_fit_is_a_standard_error(
    client: Client, http: httpx.Client, service: str, operation: str, fields: dict[str, Any], kind: str
) -> None:
    session = {"schemeId": "com.vmware.vapi.std.security.session_id", "sessionId": client.key}
    answer = rpc(http, invoke(service, operation, session, **fields))
    assert list(answer["result"]["error"]["ERROR"]) == [f"com.vmware.vapi.std.errors.{kind}"]


def test_rest_has_the_same_objects_in_its_own_forms(http: httpx.Client) -> None:
    refused = http.get("/api/cis/tagging/tag")
    assert (refused.status_code, refused.json()["error_type"]) == (401, "UNAUTHENTICATED")
    assert refused.headers["WWW-Authenticate"].startswith("Basic")
    opened = http.post("/api/session", auth=(USER, PASSWORD))
    assert opened.status_code == 201
    http.headers["vmware-api-session-id"] = opened.json()
    assert http.get("/api/session").json()["user"] == USER
    spec = {"name": "site", "description": "", "cardinality": "SINGLE", "associable_types": []}
    created = http.post("/api/cis/tagging/category", json=spec)
    assert created.status_code == 201
    path = f"/api/cis/tagging/category/{created.json()}"
    assert http.get(path).json() == {"id": created.json(), **spec, "used_by": []}
    assert http.patch(path, json={"name": "place"}).status_code == 204
    assert http.get(path).json()["name"] == "place"
    assert http.delete(path).status_code == 204
    gone = http.get(path)
    assert (gone.status_code, gone.json()["error_type"]) == (404, "NOT_FOUND")
    configuration = f"/api/esx/settings/clusters/{ONE}/configuration"
    assert {one["name"] for one in http.get(configuration).json()["host_info"].values()} == {"esx-1", "esx-2", "esx-off"}
    task = http.post(f"{configuration}?action=checkCompliance&vmw-task=true")
    assert task.status_code == 202
    answer = http.get(f"/api/cis/tasks/{task.json()}").json()
    assert (answer["status"], answer["result"]["cluster_status"]) == ("SUCCEEDED", "NOT_COMPLIANT")
    assert http.post("/api/cis/tagging/category", content="[1]").status_code == 400
    assert http.get("/api/nonsense").status_code == 404
    assert http.delete("/api/session").status_code == 204
    assert http.get("/api/session").status_code == 401


def test_the_older_rest_wraps_answers_and_hands_out_a_cookie(http: httpx.Client) -> None:
    assert http.post("/rest/com/vmware/cis/session", auth=(USER, "wrong")).status_code == 401
    opened = http.post("/rest/com/vmware/cis/session", auth=(USER, PASSWORD))
    assert opened.cookies["vmware-api-session-id"] == opened.json()["value"]
    found = http.get("/rest/com/vmware/cis/tagging/category").json()["value"]
    assert len(found) == 2
    missing = http.get("/rest/com/vmware/cis/tagging/category/id:urn:gone")
    assert missing.status_code == 404
    assert missing.json()["type"] == "com.vmware.vapi.std.errors.not_found"
    assert missing.json()["value"]["messages"][0]["args"] == ["urn:gone"]
    created = http.post("/rest/com/vmware/cis/tagging/tag", json={"create_spec": {"name": "x", "description": "", "category_id": found[0]}})
    assert created.json()["value"].startswith("urn:vmomi:InventoryServiceTag:")


def test_no_password_stands_in_what_the_lab_remembers(vcenter: VCenterServer, client: Client) -> None:
    client.tag.list()
    assert PASSWORD not in " ".join(vcenter.requests)
    assert "com.vmware.cis.session.create" in vcenter.requests
