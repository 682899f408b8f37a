"""Of a vCenter the doctor checks the transport, the account with its privileges, the clock and the hosts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.doctor import examine, exit_code
from auditor.doctor.vcenter_privileges import lacking
from auditor.engine.rules.rule import RuleSet
from auditor.fleet.loading import Fleet
from auditor.model import BulkTransport, Endpoint, EndpointKind, Health
from auditor.pipeline.policy import needs_for
from auditor_lab.faults import Fault
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.soap.privileges import ALL, READ_ONLY
from tests.doctor.examined import Doctor, Serve, all_ok, by_topic, states

SETTINGS, STORAGE_POLICIES, DATASTORE_IO = "Host.Config.Settings", "StorageProfile.View", "Datastore.ConfigIOManagement"


ESXCLI_TOPICS = "device_offload, device_scheduling, lockmode, modules, multipathing, port_binding"


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


@pytest.mark.long
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
