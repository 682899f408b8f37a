"""The doctor tells of each endpoint what is wrong, why it matters and what to do; asks little, writes nothing, and shows no secret."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from auditor.doctor import MOST_REQUESTS, MOST_REQUESTS_TO_AN_ARRAY, examine, exit_code
from auditor.doctor.walk import topics_of
from auditor.endpoints.collect import collect_fleet
from auditor.engine.rules.rule import RuleSet
from auditor.errors import ConfigurationError
from auditor.fleet.loading import Declared, Fleet, load_fleet
from auditor.model import EndpointKind, Health, Limits
from auditor.pipeline.policy import needs_for
from auditor_lab.description import LabFleet
from auditor_lab.faults import Fault
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import KINDS, serve
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from tests.doctor.examined import Doctor, Serve, after, all_ok, by_topic, states
from tests.waiting import NEVER_SECONDS, SHORT_SECONDS

pytestmark = pytest.mark.long


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


def test_the_clock_of_an_array_is_compared_too(rules: RuleSet, tmp_path: Path) -> None:
    cluster = replace(load_scenario("solidfire-vvols").element[0], clock_ahead_seconds=400.0)
    with serve(LabFleet(element=(cluster,))) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        diagnosis = examine(load_fleet(tmp_path / "fleet.yaml"), rules, lambda *_: None)
    assert by_topic(diagnosis, cluster.name)["clock"].what == "6 min 40 s ahead of this machine"


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
