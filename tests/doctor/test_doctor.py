"""The doctor tells of each endpoint what is wrong, why it matters and what to do; asks little, writes nothing, and shows no secret."""

from __future__ import annotations

import dataclasses
import hashlib
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from auditor.doctor import MOST_REQUESTS, MOST_REQUESTS_TO_AN_ARRAY, examine, exit_code
from auditor.doctor.vcenter_privileges import lacking
from auditor.doctor.walk import topics_of
from auditor.endpoints.collect import collect_fleet
from auditor.engine.rules.rule import RuleSet
from auditor.errors import ConfigurationError
from auditor.fleet.loading import Declared, Fleet, load_fleet
from auditor.model import BulkTransport, Check, Diagnosis, Endpoint, EndpointKind, Health, Limits, Secret, Ssh, Tls
from auditor.pipeline.policy import load_rule_set, needs_for
from auditor_lab.authority import Authority
from auditor_lab.description import LabFleet
from auditor_lab.faults import Fault
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import KINDS, Lab, serve
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import ALL, READ_ONLY
from tests.waiting import NEVER_SECONDS, SHORT_SECONDS

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

SETTINGS, STORAGE_POLICIES, DATASTORE_IO = "Host.Config.Settings", "StorageProfile.View", "Datastore.ConfigIOManagement"
ESXCLI_TOPICS = "device_offload, device_scheduling, lockmode, modules, multipathing, port_binding"


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return load_rule_set()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Fleet]]:
    """A vCenter with 8 hosts, two Element clusters and one ETERNUS; a test that changes something puts it back."""
    folder = tmp_path_factory.mktemp("doctor")
    fleet = replace(load_scenario("solidfire-vvols"), eternus=load_scenario("eternus-vaai").eternus[:1])
    with serve(fleet) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        yield lab, load_fleet(folder / "fleet.yaml")


@dataclasses.dataclass(frozen=True)
class Doctor:
    """The lab, and what the doctor says of it."""

    lab: Lab
    fleet: Fleet
    rules: RuleSet

    def examine(self, *endpoints: Endpoint, only: str | None = None) -> Diagnosis:
        """Of these endpoints, or of all."""
        return examine(replace(self.fleet, endpoints=endpoints or self.fleet.endpoints), self.rules, lambda *_: None, only)

    def endpoint(self, name: str) -> Endpoint:
        return next(endpoint for endpoint in self.fleet.endpoints if endpoint.name == name)

    @property
    def vcenter(self) -> VCenterServer:
        return self.lab.vcenters["vc-solidfire"]

    def of_vcenter(self, **changes: object) -> dict[str, Check]:
        """The checks of the vCenter by their topic, the first of each."""
        return by_topic(self.examine(replace(self.endpoint("vc-solidfire"), **changes)), "vc-solidfire")  # type: ignore[arg-type]


@pytest.fixture
def doctor(shared: tuple[Lab, Fleet], rules: RuleSet) -> Iterator[Doctor]:
    lab, fleet = shared
    for _, _, server in lab.served():
        server.requests.clear()
    yield Doctor(lab, fleet, rules)
    for _, _, server in lab.served():
        server.faults.active.clear()
    for vcenter in lab.vcenters.values():
        vcenter.privileges = ALL


def by_topic(diagnosis: Diagnosis, endpoint: str) -> dict[str, Check]:
    found: dict[str, Check] = {}
    for check in diagnosis.of(endpoint):
        found.setdefault(check.topic, check)
    return found


def states(checks: dict[str, Check]) -> dict[str, Health]:
    return {topic: check.state for topic, check in checks.items()}


def all_ok(kind: EndpointKind, **other: Health) -> dict[str, Health]:
    return dict.fromkeys(topics_of(kind), Health.OK) | other


def after(topic: str, kind: EndpointKind, state: Health = Health.PROBLEM) -> dict[str, Health]:
    """Well up to `topic`, which is not, and what rests on it not asked; our own secret is looked up in any case."""
    topics = topics_of(kind)
    place = topics.index(topic)
    reported = {name: Health.OK if at < place else state if at == place else Health.UNKNOWN for at, name in enumerate(topics)}
    return reported | ({"secret": Health.OK} if topic != "secret" else {})


def test_a_fleet_in_which_everything_is_well(doctor: Doctor) -> None:
    said: list[tuple[str, str]] = []
    well = replace(doctor.fleet, endpoints=tuple(one for one in doctor.fleet.endpoints if one.kind is not EndpointKind.ETERNUS))
    diagnosis = examine(well, doctor.rules, lambda *arguments: said.append(arguments))
    assert states(by_topic(diagnosis, "vc-solidfire")) == all_ok(EndpointKind.VCENTER)
    # That the lab's access types may write is not documented.
    assert states(by_topic(diagnosis, "sf-prod")) == all_ok(EndpointKind.ELEMENT, fix=Health.WARNING)
    assert [check.topic for check in diagnosis.of("vc-solidfire")] == list(topics_of(EndpointKind.VCENTER))
    assert exit_code(diagnosis) == 0
    assert {name for name, _ in said} == {endpoint.name for endpoint in well.endpoints}
    checks = by_topic(diagnosis, "vc-solidfire")
    assert checks["account"].facts["roles"] == "Admin"
    assert checks["hosts"].facts == {"hosts": 8, "not_connected": 0}
    assert checks["lane"].facts == {"lane": "vijson"}


def test_it_asks_little_and_writes_nothing(doctor: Doctor) -> None:
    doctor.examine()
    asked = doctor.vcenter.requests
    assert len(asked) == MOST_REQUESTS
    assert not {
        name for name in asked if name.startswith(("Update", "Set", "Configure", "Enter", "Reconfig")) or name.endswith((".set", "_Task"))
    }
    for name in ("sf-prod", "sf-twin"):
        assert 0 < len(doctor.lab.element[name].requests) <= MOST_REQUESTS_TO_AN_ARRAY
        assert all(method.startswith(("Get", "List")) for method in doctor.lab.element[name].requests)


def test_a_vcenter_of_many_hosts_is_asked_no_more(serve_vcenter: Serve, many_hosts: VCenterDescription, rules: RuleSet) -> None:
    server, endpoint = serve_vcenter(many_hosts)
    checks = by_topic(examine(Fleet(Path("f"), (endpoint,)), rules, lambda *_: None), endpoint.name)
    assert checks["hosts"].facts["hosts"] == 45
    assert len(server.requests) == MOST_REQUESTS


def test_no_secret_is_shown(doctor: Doctor) -> None:
    assert doctor.lab.password not in repr(doctor.examine())


def test_a_wrong_password_is_tried_once_and_the_rest_is_told_as_not_asked(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCTOR_PASSWORD", "wrong-horse")
    checks = doctor.of_vcenter(password=Secret("env", ("DOCTOR_PASSWORD",)))
    assert states(checks) == after("login", EndpointKind.VCENTER)
    assert "refuses user auditor@vsphere.local" in checks["login"].what
    assert checks["hosts"].what == f"not asked: {checks['login'].what}"
    assert doctor.vcenter.requests.count("Login") == 1
    assert "wrong-horse" not in repr(checks)


def test_a_secret_that_is_not_there_is_told_and_nobody_logs_in(doctor: Doctor) -> None:
    checks = doctor.of_vcenter(password=Secret("env", ("DOCTOR_HAS_NO_SUCH_VARIABLE",)))
    assert states(checks) == after("secret", EndpointKind.VCENTER)
    assert "env DOCTOR_HAS_NO_SUCH_VARIABLE" in checks["secret"].what
    assert doctor.vcenter.requests == []


def fingerprint_of(server: VCenterServer) -> str:
    der = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate((server.host, server.port)))
    return f"sha256:{hashlib.sha256(der).hexdigest()}"


def test_a_certificate_of_another_authority_gets_no_request_and_is_told_with_its_fingerprint(doctor: Doctor, tmp_path: Path) -> None:
    Authority().write(tmp_path / "other.pem")
    checks = doctor.of_vcenter(tls=Tls(ca=str(tmp_path / "other.pem")))
    assert states(checks) == after("tls", EndpointKind.VCENTER)
    assert "does not verify" in checks["tls"].what
    assert f'tls: {{fingerprint: "{fingerprint_of(doctor.vcenter)}"}}' in checks["tls"].do
    assert "O=auditor lab" in str(checks["tls"].facts["issuer"])
    assert doctor.vcenter.requests == []
    pinned = doctor.of_vcenter(tls=Tls(fingerprint=str(checks["tls"].facts["fingerprint"])))
    assert pinned["tls"].state is Health.OK
    assert pinned["login"].state is Health.OK


def test_a_certificate_that_is_not_the_pinned_one_gets_no_request(doctor: Doctor) -> None:
    pin = f"sha256:{'0' * 64}"
    checks = doctor.of_vcenter(tls=Tls(fingerprint=pin))
    assert states(checks) == after("tls", EndpointKind.VCENTER)
    assert f"fleet.yaml pins {pin}" in checks["tls"].what
    assert "only if it was replaced" in checks["tls"].do
    assert doctor.vcenter.requests == []


def test_a_ca_file_that_is_not_there_is_the_endpoints_problem_alone(doctor: Doctor) -> None:
    lost = replace(doctor.endpoint("vc-solidfire"), tls=Tls(ca="/nowhere/ca.pem"))
    diagnosis = doctor.examine(lost, doctor.endpoint("sf-prod"))
    assert states(by_topic(diagnosis, "vc-solidfire")) == after("tls", EndpointKind.VCENTER)
    assert "/nowhere/ca.pem" in by_topic(diagnosis, "vc-solidfire")["tls"].what
    assert by_topic(diagnosis, "sf-prod")["login"].state is Health.OK


def test_trust_that_nobody_asks_for_is_a_warning(doctor: Doctor) -> None:
    diagnosis = doctor.examine(
        replace(doctor.endpoint("sf-prod"), tls=Tls(verify=False)),
        replace(eternus(doctor), ssh=Ssh(verify=False)),
    )
    tls, key = by_topic(diagnosis, "sf-prod")["tls"], by_topic(diagnosis, eternus(doctor).name)["host key"]
    assert [check.state for check in (tls, key)] == [Health.WARNING] * 2
    assert all(check.what.startswith("NOT VERIFIED") and "fingerprint" in check.do for check in (tls, key))
    assert all(by_topic(diagnosis, name)["login"].state is Health.OK for name in ("sf-prod", eternus(doctor).name))


@contextmanager
def certified(tmp_path: Path, description: VCenterDescription, days: float) -> Iterator[Endpoint]:
    """A vCenter whose certificate runs out in so many days."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "own-ca.pem"))
    (tmp_path / "own-password").write_text("some-password", encoding="utf-8")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    now = datetime.now(UTC)
    authority.issue_cert("127.0.0.1", not_before=now - timedelta(days=90), not_after=now + timedelta(days=days)).configure_cert(context)
    server = VCenterServer(description, context, "audit@vsphere.local", "some-password")
    with ExitStack() as stack:
        stack.callback(server.stop)
        secret = Secret("file", (str(tmp_path / "own-password"),))
        tls = Tls(ca=str(tmp_path / "own-ca.pem"))
        yield Endpoint(
            "own", EndpointKind.VCENTER, server.host, server.port, "audit@vsphere.local", secret, tls, Limits(timeout_seconds=30)
        )


@pytest.mark.parametrize(
    ("days", "state", "said"),
    [
        pytest.param(31.5, Health.OK, "valid until", id="a month"),
        pytest.param(29.5, Health.WARNING, "expires in 29 days", id="less than a month"),
        pytest.param(-1.0, Health.PROBLEM, "expired", id="not any more"),
    ],
)
def test_a_certificate_that_runs_out_is_told_in_time(
    tmp_path: Path, small_vcenter: VCenterDescription, rules: RuleSet, days: float, state: Health, said: str
) -> None:
    with certified(tmp_path, small_vcenter, days) as endpoint:
        checks = by_topic(examine(Fleet(Path("f"), (endpoint,)), rules, lambda *_: None), "own")
    assert checks["tls"].state is state
    assert said in checks["tls"].what
    assert (checks["login"].state is Health.OK) == (state is not Health.PROBLEM)


def test_a_closed_port_leaves_the_secret_to_be_told_and_nothing_else(doctor: Doctor) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        checks = doctor.of_vcenter(port=taken.getsockname()[1])
    assert states(checks) == after("port", EndpointKind.VCENTER)
    assert "refused" in checks["port"].what
    assert checks["tls"].what == f"not asked: {checks['port'].what}"


def test_a_name_that_does_not_resolve(doctor: Doctor) -> None:
    checks = doctor.of_vcenter(address=f"{'long' * 16}.example.net")  # no label may have 64 letters: no name server is asked
    assert states(checks) == after("name", EndpointKind.VCENTER)
    assert "does not resolve" in checks["name"].what


def test_what_is_not_tls_is_told_so(doctor: Doctor) -> None:
    array = doctor.lab.eternus[eternus(doctor).name]
    checks = doctor.of_vcenter(address=array.host, port=array.port, limits=Limits(timeout_seconds=30))
    assert states(checks) == after("tls", EndpointKind.VCENTER)
    assert "no TLS handshake" in checks["tls"].what


def eternus(doctor: Doctor) -> Endpoint:
    return next(endpoint for endpoint in doctor.fleet.endpoints if endpoint.kind is EndpointKind.ETERNUS)


def known_hosts(path: Path, endpoint: Endpoint, key: str) -> Ssh:
    path.write_text(f"[{endpoint.address}]:{endpoint.port} {key}\n", encoding="utf-8")
    return Ssh(known_hosts=str(path))


OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB6Wx2DNcNXmHo3gxVHcQGyhwxk6H7rBpDkSnQJNMtOc"


@pytest.mark.parametrize("way", ["pinned", "known", "another pinned", "another known", "not known", "no such file"])
def test_a_host_key_is_compared_before_anybody_logs_in(doctor: Doctor, tmp_path: Path, way: str) -> None:
    endpoint = eternus(doctor)
    server = doctor.lab.eternus[endpoint.name]
    file = tmp_path / "known_hosts"
    trust: dict[str, Callable[[], Ssh | None]] = {
        "pinned": lambda: endpoint.ssh,
        "known": lambda: known_hosts(file, endpoint, server.host_key.public),
        "another pinned": lambda: Ssh(fingerprint=f"SHA256:{'A' * 43}"),
        "another known": lambda: known_hosts(file, endpoint, OTHER_KEY),
        "not known": lambda: known_hosts(file, replace(endpoint, port=1), server.host_key.public),
        "no such file": lambda: Ssh(known_hosts=str(tmp_path / "nowhere")),
    }
    ssh = trust[way]()
    checks = by_topic(doctor.examine(replace(endpoint, ssh=ssh)), endpoint.name)
    if way in ("pinned", "known"):
        assert states(checks)["host key"] is states(checks)["login"] is Health.OK
        return
    assert states(checks) == after("host key", EndpointKind.ETERNUS)
    assert server.requests == []
    if way == "no such file":
        assert str(tmp_path / "nowhere") in checks["host key"].what
    else:
        assert f'ssh: {{fingerprint: "{server.host_key.fingerprint}"}}' in checks["host key"].do


@pytest.mark.parametrize(
    ("seconds", "state", "said"),
    [
        pytest.param(-300.0, Health.WARNING, "5 min 0 s behind this machine", id="behind"),
        pytest.param(7200.5, Health.WARNING, "2.0 h ahead of this machine", id="ahead"),
        pytest.param(45.0, Health.OK, "within 4", id="within a minute"),
    ],
)
def test_a_clock_that_differs_is_told_with_the_reason(doctor: Doctor, seconds: float, state: Health, said: str) -> None:
    doctor.vcenter.faults.active.append(Fault("skew", "CurrentTime", seconds=seconds))
    check = doctor.of_vcenter()["clock"]
    assert (check.state, said in check.what) == (state, True)
    assert float(str(check.facts["ahead_seconds"])) == pytest.approx(seconds, abs=1.0)
    assert ("--since" in check.why) == (state is Health.WARNING)


def test_the_clock_of_an_array_is_compared_too(rules: RuleSet, tmp_path: Path) -> None:
    cluster = replace(load_scenario("solidfire-vvols").element[0], clock_ahead_seconds=400.0)
    with serve(LabFleet(element=(cluster,))) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        diagnosis = examine(load_fleet(tmp_path / "fleet.yaml"), rules, lambda *_: None)
    assert by_topic(diagnosis, cluster.name)["clock"].what == "6 min 40 s ahead of this machine"


def test_without_a_privilege_for_reading_the_tables_and_rules_that_rest_on_it_are_named(doctor: Doctor) -> None:
    doctor.vcenter.privileges = ALL - {SETTINGS}
    diagnosis = doctor.examine(doctor.endpoint("vc-solidfire"))
    checks = by_topic(diagnosis, "vc-solidfire")
    assert states(checks) == all_ok(EndpointKind.VCENTER, read=Health.PROBLEM, esxcli=Health.PROBLEM, fix=Health.WARNING)
    read = checks["read"]
    assert read.what == "Host.Config.Settings is missing on the root folder and 8 of 8 hosts looked at"
    assert read.facts == {"privilege": SETTINGS, "topics": ESXCLI_TOPICS}
    assert "device_scheduling" in read.why
    resting = [rule.id for rule in doctor.rules if needs_for(doctor.rules.only([rule.id])).topics & set(ESXCLI_TOPICS.split(", "))]
    assert {"vvol/pe-dsnro-headroom", "vaai/locking-guard"} < set(resting)
    assert not {"iscsi/delayed-ack", "vaai/uniform", "qos/element-limits"} & set(resting), "these need no host's own answers"
    assert f"{len(resting)} of {len(doctor.rules)} rules rest on it" in read.why
    assert checks["fix"].facts["remediators"] == (
        "device.dsnro, device.path_policy, device.perennially_reserved, device.queue_full, host.claim_rule, host.module_option"
    )
    assert exit_code(diagnosis) == 2


def test_esxcli_that_answers_all_the_same_is_believed_more_than_a_privilege_that_nobody_documents(doctor: Doctor) -> None:
    doctor.vcenter.faults.active.append(Fault("permission", "HasPrivilegeOnEntities", privilege=SETTINGS))
    checks = doctor.of_vcenter()
    assert checks["esxcli"].state is Health.OK
    assert checks["read"].facts["topics"] == "modules"


def test_an_account_that_may_only_read_is_fine_for_an_audit(doctor: Doctor) -> None:
    doctor.vcenter.privileges = READ_ONLY | {SETTINGS, STORAGE_POLICIES}
    diagnosis = doctor.examine(doctor.endpoint("vc-solidfire"))
    fix = by_topic(diagnosis, "vc-solidfire")["fix"]
    assert fix.state is Health.WARNING
    named = "Host.Config.Storage, Host.Config.AdvancedConfig, Datastore.ConfigIOManagement, StoragePod.Config and 1 more"
    assert fix.what == f"5 of 6 privileges are missing: {named}"
    assert "host.option" in fix.why
    assert "sioc/overlap-array-qos" in fix.why or "more" in fix.why
    assert exit_code(diagnosis) == 0


HELD = {"root": frozenset({"System.View", DATASTORE_IO}), "h1": frozenset({SETTINGS, "System.View"}), "h2": frozenset({"System.View"})}
NAMES = {"h1": "esx-1", "h2": "esx-2"}


@pytest.mark.parametrize(
    ("privilege", "held", "where"),
    [
        pytest.param("System.View", HELD, "", id="held everywhere"),
        pytest.param(SETTINGS, HELD, "the root folder and 1 of 2 hosts looked at", id="held on one host"),
        pytest.param(SETTINGS, HELD | {"h2": frozenset({SETTINGS})}, "", id="held on every host, by a role below the root folder"),
        pytest.param("System.View", HELD | {"h2": frozenset()}, "1 of 2 hosts looked at: esx-2", id="taken away on a host"),
        pytest.param(DATASTORE_IO, HELD, "", id="held on the root folder, which is where datastores are looked up"),
        pytest.param("Host.Config.Storage", {"root": frozenset({"System.View"})}, "the root folder", id="no host seen"),
        pytest.param(SETTINGS, {"h1": HELD["h1"], "h2": HELD["h1"]}, "", id="nothing may be asked of the root folder"),
    ],
)
def test_a_privilege_is_looked_up_where_it_is_asked_for(privilege: str, held: dict[str, frozenset[str]], where: str) -> None:
    assert lacking(privilege, held, "root", NAMES) == where


@pytest.mark.parametrize(
    "operation", ["CurrentTime", "Fetch", "RetrieveEntityPermissions", "HasPrivilegeOnEntities", "RetrievePropertiesEx"]
)
def test_a_session_that_expires_meanwhile_is_opened_again(doctor: Doctor, operation: str) -> None:
    doctor.vcenter.faults.active.append(Fault("session", operation, times=1))
    assert states(doctor.of_vcenter()) == all_ok(EndpointKind.VCENTER)


def test_a_session_that_is_lost_for_good_is_unknown_and_never_well(doctor: Doctor) -> None:
    doctor.vcenter.faults.active.append(Fault("session", "HasPrivilegeOnEntities"))
    diagnosis = doctor.examine(doctor.endpoint("vc-solidfire"))
    checks = by_topic(diagnosis, "vc-solidfire")
    assert states(checks) == all_ok(EndpointKind.VCENTER, read=Health.UNKNOWN, fix=Health.UNKNOWN)
    assert exit_code(diagnosis) == 2


def test_an_endpoint_that_is_slow_is_given_up_and_the_others_are_told(doctor: Doctor) -> None:
    patient = Limits(timeout_seconds=SHORT_SECONDS)
    slow, well = replace(doctor.endpoint("sf-prod"), limits=patient), doctor.endpoint("sf-twin")
    doctor.lab.element["sf-prod"].faults.active.append(Fault("latency", seconds=NEVER_SECONDS))
    diagnosis = doctor.examine(slow, well)
    assert states(by_topic(diagnosis, "sf-prod")) == after("login", EndpointKind.ELEMENT)
    assert "1 s" in by_topic(diagnosis, "sf-prod")["login"].what
    assert states(by_topic(diagnosis, "sf-twin")) == all_ok(EndpointKind.ELEMENT, fix=Health.WARNING)
    assert exit_code(diagnosis) == 2


def test_a_vcenter_that_falls_silent_is_not_asked_on_and_on(doctor: Doctor) -> None:
    doctor.vcenter.faults.active.append(Fault("latency", "CurrentTime", seconds=NEVER_SECONDS))
    checks = doctor.of_vcenter(limits=Limits(timeout_seconds=SHORT_SECONDS))
    silent = ("lane", "account", "read", "esxcli", "fix", "clock", "hosts")
    assert states(checks) == all_ok(EndpointKind.VCENTER, **dict.fromkeys(silent, Health.UNKNOWN))
    assert doctor.vcenter.requests == ["RetrieveServiceContent", "Login", "CurrentTime", "Logout"]


def test_an_array_that_falls_silent_is_not_asked_on_and_on(doctor: Doctor) -> None:
    array = doctor.lab.element["sf-prod"]
    array.faults.active.append(Fault("latency", "GetClusterInfo", seconds=NEVER_SECONDS))
    diagnosis = doctor.examine(replace(doctor.endpoint("sf-prod"), limits=Limits(timeout_seconds=SHORT_SECONDS)))
    read = by_topic(diagnosis, "sf-prod")["read"]
    assert read.state is Health.PROBLEM
    assert "ListVolumes" not in array.requests


def test_hosts_that_do_not_answer_their_vcenter_are_named(doctor: Doctor) -> None:
    one, other, *_ = doctor.vcenter.state.hosts.values()
    with doctor.vcenter.state.lock:
        one.connection_state, other.connection_state = "disconnected", "notResponding"
        doctor.vcenter.state.changed()
    try:
        checks = doctor.of_vcenter()
    finally:
        with doctor.vcenter.state.lock:
            one.connection_state = other.connection_state = "connected"
            doctor.vcenter.state.changed()
    assert states(checks) == all_ok(EndpointKind.VCENTER, hosts=Health.PROBLEM)
    name, second = one.description.name, other.description.name
    assert checks["hosts"].what == f"2 of 8 hosts not connected: {name} (disconnected), {second} (notResponding)"
    assert name not in checks["esxcli"].what


def test_an_account_that_sees_no_host_is_a_problem(serve_vcenter: Serve, small_vcenter: VCenterDescription, rules: RuleSet) -> None:
    _, endpoint = serve_vcenter(replace(small_vcenter, clusters=(), datastores=(), pods=(), vms=()))
    checks = by_topic(examine(Fleet(Path("f"), (endpoint,)), rules, lambda *_: None), endpoint.name)
    assert checks["hosts"].what == "the account sees no host"
    assert (checks["hosts"].state, checks["esxcli"].state) == (Health.PROBLEM, Health.UNKNOWN)


@pytest.mark.parametrize(
    ("api_version", "lane", "said"),
    [
        pytest.param("8.0.2.0", None, "VI/JSON, release 8.0.2.0: the fastest", id="new"),
        pytest.param("7.0.3.0", None, "SOAP: API 7.0.3.0 has no VI/JSON, 8.0 U1 and later have", id="old"),
        pytest.param("8.0.2.0", BulkTransport.PYVMOMI, "pyvmomi, as fleet.yaml asks (`lane: pyvmomi`)", id="forced"),
    ],
)
def test_the_lane_is_told_with_its_reason(
    serve_vcenter: Serve, small_vcenter: VCenterDescription, rules: RuleSet, api_version: str, lane: BulkTransport | None, said: str
) -> None:
    _, endpoint = serve_vcenter(replace(small_vcenter, api_version=api_version))
    diagnosis = examine(Fleet(Path("f"), (replace(endpoint, lane=lane),)), rules, lambda *_: None)
    assert by_topic(diagnosis, endpoint.name)["lane"].what == said


def test_a_lane_that_does_not_work_is_told_with_what_is_used_instead(doctor: Doctor) -> None:
    doctor.vcenter.faults.active.append(Fault("status", "Login", status=404, containing=b"/sdk/vim25/"))
    check = doctor.of_vcenter(lane=BulkTransport.VIJSON)["lane"]
    assert (check.state, check.facts["lane"]) == (Health.WARNING, "soap")
    assert "there is no VI/JSON" in check.what


@pytest.mark.parametrize("status", [405, 500, 502])
def test_a_json_side_that_fails_is_told_with_what_to_set(doctor: Doctor, status: int) -> None:
    doctor.vcenter.faults.active.append(Fault("status", status=status, containing=b"/sdk/vim25/"))
    checks = doctor.of_vcenter()
    assert (checks["lane"].state, checks["lane"].facts["lane"]) == (Health.WARNING, "soap")
    assert f"HTTP {status}" in checks["lane"].what
    assert "`lane: soap` for vc-solidfire" in checks["lane"].do
    assert checks["hosts"].state is Health.OK


def test_where_soap_is_forced_doctor_says_that_the_faster_way_works(doctor: Doctor) -> None:
    check = doctor.of_vcenter(lane=BulkTransport.SOAP)["lane"]
    assert (check.state, check.facts["lane"]) == (Health.OK, "soap")
    assert "leave `lane` out" in check.do
    doctor.vcenter.faults.active.append(Fault("status", status=500, containing=b"/sdk/vim25/"))
    assert doctor.of_vcenter(lane=BulkTransport.SOAP)["lane"].do == ""


def test_a_state_that_could_not_be_read_is_not_told_as_not_connected(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.doctor.vcenter._STATE", "config.nonsense")
    check = doctor.of_vcenter()["hosts"]
    assert check.state is Health.UNKNOWN
    assert "could not be read" in check.what
    assert check.facts == {"hosts": 8, "not_connected": 0, "state_unknown": 8}


def test_a_vcenter_newer_than_we_know_is_told(serve_vcenter: Serve, small_vcenter: VCenterDescription, rules: RuleSet) -> None:
    server, endpoint = serve_vcenter()
    server.state.description = replace(small_vcenter, api_version="99.0.0.0")
    diagnosis = examine(Fleet(Path("f"), (endpoint,)), rules, lambda *_: None)
    version = by_topic(diagnosis, endpoint.name)["version"]
    assert version.state is Health.WARNING
    assert "API 99.0.0.0: newer than the API 9." in version.what


def test_where_nothing_may_be_asked_of_the_root_folder_the_hosts_are_asked(doctor: Doctor) -> None:
    doctor.vcenter.faults.active.append(Fault("permission", "HasPrivilegeOnEntities", privilege="System.View", times=1))
    checks = doctor.of_vcenter()
    assert checks["read"].state is Health.UNKNOWN
    assert checks["read"].what == "whether StorageProfile.View is held is not known: nothing may be asked of the root folder"
    # Where datastores, their clusters and machines are was not looked at: nobody knows.
    assert checks["fix"].facts["privileges"] == f"{DATASTORE_IO}, StoragePod.Config, VirtualMachine.Config.EditDevice"


def test_reading_from_an_array_is_tried(doctor: Doctor) -> None:
    refused = "ListVolumes"
    doctor.lab.element["sf-prod"].faults.active.append(Fault("permission", refused, privilege="read"))
    diagnosis = doctor.examine(doctor.endpoint("sf-prod"), doctor.endpoint("sf-twin"))
    read = by_topic(diagnosis, "sf-prod")["read"]
    assert (read.state, read.facts["lost"]) == (Health.PROBLEM, "volumes")
    assert refused in read.what
    assert "array_volume" in read.why
    assert "administrator" in read.do
    assert by_topic(diagnosis, "sf-twin")["read"].state is Health.OK


def test_one_endpoint_can_be_looked_at_alone(doctor: Doctor) -> None:
    diagnosis = doctor.examine(only="sf-twin")
    assert {check.endpoint for check in diagnosis.checks} == {"sf-twin"}
    assert doctor.vcenter.requests == []
    with pytest.raises(ConfigurationError, match="sf-twni"):
        doctor.examine(only="sf-twni")


def test_what_is_about_fleet_yaml_as_a_whole(doctor: Doctor) -> None:
    vcenter = doctor.endpoint("vc-solidfire")
    declared = (Declared("naa.600000e00d*", "DX90"), Declared("dx90-*", "DX90"))
    fleet = Fleet(Path("fleet.yaml"), (vcenter, replace(vcenter, name="again")), declared)
    found = {check.topic: check for check in examine(fleet, doctor.rules, lambda *_: None).of("")}
    assert states(found) == dict.fromkeys(("rules", "addresses", "declared"), Health.WARNING) | {"identity": Health.PROBLEM}
    assert " rules look at facts that no endpoint of fleet.yaml reports" in found["rules"].what
    assert found["rules"].what.split(": ")[1].split(", ")[0] in doctor.rules.rules, "the first of them by name"
    assert "vc-solidfire and again are one address" in found["addresses"].what
    assert found["declared"].what == "no device can be named like dx90-*"


def test_two_entries_that_are_one_endpoint_are_a_problem_whatever_their_addresses(doctor: Doctor) -> None:
    array = doctor.endpoint("sf-prod")
    diagnosis = doctor.examine(array, replace(array, name="sf-old", address="localhost"), doctor.endpoint("sf-twin"))
    (check,) = [check for check in diagnosis.of("") if check.topic == "identity"]
    assert check.state is Health.PROBLEM
    assert check.what.startswith("sf-prod and sf-old are one element: ")
    assert "refuses" in check.why
    assert exit_code(diagnosis) == 2


def test_every_array_of_the_lab_is_told_as_an_audit_would_find_it(tmp_path: Path, rules: RuleSet) -> None:
    with serve(replace(load_scenario("all"), vcenters=(), dothill=load_scenario("msa-tiering").dothill)) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        fleet = load_fleet(tmp_path / "fleet.yaml")
        diagnosis = examine(fleet, rules, lambda *_: None)
        asked = {name: len(server.requests) for _, name, server in lab.served()}
        snapshot = collect_fleet(fleet, lambda *_: None, needs_for(rules))
    assert {endpoint.kind for endpoint in fleet.endpoints} == {*KINDS.values()} - {EndpointKind.VCENTER}, (
        "the lab serves every kind of array"
    )
    assert {name: count for name, count in asked.items() if not 0 < count <= MOST_REQUESTS_TO_AN_ARRAY} == {}
    not_whole = set(snapshot.connection.execute("SELECT endpoint, topic FROM fact.reading WHERE NOT complete").fetchall())
    for check in diagnosis.checks:
        lost = {(check.endpoint, topic) for topic in str(check.facts["lost"]).split(", ")} if "lost" in check.facts else set()
        assert lost <= not_whole
        assert check.state in (Health.OK, Health.WARNING) or lost


def test_a_vcenter_that_nobody_here_wrote_is_examined_too(start_vcsim: Callable[..., Endpoint], rules: RuleSet) -> None:
    endpoint = start_vcsim()
    checks = by_topic(examine(Fleet(Path("f"), (endpoint,)), rules, lambda *_: None), endpoint.name)
    # It has no esxcli.
    assert states(checks) == all_ok(EndpointKind.VCENTER, esxcli=Health.UNKNOWN)
    assert checks["lane"].what == "SOAP: it offers no VI/JSON"


def test_of_many_hosts_some_all_over_the_list_are_looked_at(
    serve_vcenter: Serve, many_hosts: VCenterDescription, rules: RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.doctor.vcenter.MOST_HOSTS_ASKED", 10)
    _, endpoint = serve_vcenter(many_hosts)
    checks = by_topic(examine(Fleet(Path("f"), (endpoint,)), rules, lambda *_: None), endpoint.name)
    assert checks["read"].what == "all 5 privileges are held on the root folder and the 9 hosts looked at"  # every fifth of 45
