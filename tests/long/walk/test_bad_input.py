"""Whatever an endpoint does, the rest is audited, what is missing is a gap, nothing is invented and no secret is printed."""

import json
from collections.abc import Callable, Collection
from pathlib import Path

import pytest
import yaml

from auditor.cli import run
from auditor.endpoints.vcenter import wire
from auditor_lab.wire import Fault
from tests.audits import Audit, Place, faults_of, only

DEAD_PORT = 9  # the discard service, which nothing serves here


def edited(place: Place, change: Callable[[dict[str, dict[str, object]]], None], kept: Collection[str] = ()) -> Path:
    """A copy of the fleet file after `change` had its way with the endpoints, by name; with those of `kept` alone, where any is named."""
    data = yaml.safe_load(place.fleet.read_text(encoding="utf-8"))
    change({endpoint["name"]: endpoint for endpoint in data["endpoints"]})
    data["endpoints"] = [endpoint for endpoint in data["endpoints"] if not kept or endpoint["name"] in kept]
    path = place.folder / "edited.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return path


def audit_of(place: Place, fleet: Path, *rules: str) -> Audit:
    """An audit by these rules; by every rule where none is named."""
    report = place.folder / "edited.json"
    report.unlink(missing_ok=True)
    reporters = ["--reporter", f"json-full:{report}", "--reporter", "table"]
    code = run(["audit", "--fleet", str(fleet), "--state-dir", str(place.state), *reporters, *only(*rules)])
    printed = place.capsys.readouterr()
    text = report.read_text(encoding="utf-8")
    for output in (printed.out, printed.err, text):
        assert place.lab.password not in output
        assert "Traceback" not in output
    return Audit(code, json.loads(text), printed.err)


def wrong_password(endpoints: dict[str, dict[str, object]]) -> None:
    endpoints["vc-eternus"]["password"] = {"command": ["echo", "hunter2"]}


def no_password(endpoints: dict[str, dict[str, object]]) -> None:
    endpoints["vc-eternus"]["password"] = {"env": "AUDITOR_TEST_VARIABLE_THAT_IS_NOT_SET"}


def unknown_authority(endpoints: dict[str, dict[str, object]]) -> None:
    endpoints["vc-eternus"].pop("tls")


def wrong_fingerprint(endpoints: dict[str, dict[str, object]]) -> None:
    endpoints["vc-eternus"]["tls"] = {"fingerprint": "sha256:" + "00" * 32}


def unreachable(endpoints: dict[str, dict[str, object]]) -> None:
    endpoints["vc-eternus"]["address"] = f"127.0.0.1:{DEAD_PORT}"


def another_protocol(endpoints: dict[str, dict[str, object]]) -> None:
    endpoints["vc-eternus"]["address"] = endpoints["sf-prod"]["address"]


OF_THE_WHOLE_FLEET = {
    "queue/device-depth-uniform",
    "queue/dsnro-uniform",
    "queue/qfull-uniform",
    "sioc/supported-datastore",
    "vaai/device-status",
}
"""Rules that compare all hosts which see a device or mount a datastore, of any vCenter."""

SOME_RULES = (
    *sorted(OF_THE_WHOLE_FLEET),
    "iscsi/delayed-ack",
    "qos/element-limits",
    "sioc/overlap-array-qos",
    "vaai/enabled",
    "vvol/pe-dsnro-headroom",
)
"""Enough that every endpoint is read: those of the whole fleet, and one of each kind of question."""

TWO_RULES = ("qos/element-limits", "vaai/enabled")
"""One for an array and one for a vCenter. How an endpoint failed is not a fact: the same gap stands in the snapshot for each way. So one
way is judged by every rule in the whole fleet, and the others by these, beside one array."""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(wrong_password, "refuses user auditor@vsphere.local", id="wrong password"),
        pytest.param(no_password, "AUDITOR_TEST_VARIABLE_THAT_IS_NOT_SET", id="password not set"),
        pytest.param(unknown_authority, "certificate", id="certificate of an unknown authority"),
        pytest.param(wrong_fingerprint, "certificate", id="another certificate than the pinned one"),
        pytest.param(another_protocol, "", id="an array answers where a vCenter should"),
    ],
)
def test_however_an_endpoint_cannot_be_opened_it_is_one_gap_and_the_other_is_judged(
    everything: Place, whole_audit: Audit, change: Callable[[dict[str, dict[str, object]]], None], message: str
) -> None:
    audit = audit_of(everything, edited(everything, change, ("vc-eternus", "sf-twin")), *TWO_RULES)
    assert audit.code == 2
    (gap,) = (gap for gap in audit.unread if gap["endpoint"] == "vc-eternus")
    assert message in f"{gap['what']} {gap['why']}"
    assert "hunter2" not in str(audit.report)
    of_the_array = {key: verdict for key, verdict in whole_audit.of_rules(TWO_RULES).items() if key[1] == "sf-twin"}
    assert audit.verdicts() == of_the_array != {}


@pytest.mark.parametrize(
    ("change", "message", "rules"), [pytest.param(unreachable, f"127.0.0.1:{DEAD_PORT}", (), id="nothing listens there, by every rule")]
)
def test_one_endpoint_that_cannot_be_opened_leaves_a_gap_and_the_others_are_judged(
    everything: Place,
    whole_audit: Audit,
    change: Callable[[dict[str, dict[str, object]]], None],
    message: str,
    rules: tuple[str, ...],
) -> None:
    audit = audit_of(everything, edited(everything, change), *rules)
    assert audit.code == 2
    gaps = [gap for gap in audit.unread if gap["endpoint"] == "vc-eternus"]
    assert len(gaps) == 1
    assert message in f"{gaps[0]['what']} {gaps[0]['why']}"
    assert "hunter2" not in str(audit.report)
    before = whole_audit.of_rules(rules)
    others = {key: verdict for key, verdict in before.items() if key[1] != "vc-eternus"}
    verdicts = audit.verdicts()
    assert verdicts.keys() == others.keys()
    # What hosts of that vCenter may have a part in is not known any more; everything else is as it was.
    changed = {key: verdicts[key] for key in others if verdicts[key] != others[key]}
    assert set(changed.values()) <= {"unknown"}
    assert {rule for rule, _, _ in changed} <= OF_THE_WHOLE_FLEET
    assert rules or len(changed) < len(others) / 10


def test_tls_that_is_not_verified_is_said_in_every_report(everything: Place) -> None:
    def unverified(endpoints: dict[str, dict[str, object]]) -> None:
        endpoints["sf-twin"]["tls"] = {"verify": False}

    fleet = edited(everything, unverified)
    page = everything.folder / "page.html"
    reporters = ["--reporter", "table", "--reporter", f"html:{page}"]
    rule = only("qos/element-limits")
    assert run(["audit", "--fleet", str(fleet), "--state-dir", str(everything.state), *reporters, *rule]) == 1
    assert "NOT VERIFIED" in everything.capsys.readouterr().out.upper()
    assert "NOT VERIFIED" in page.read_text(encoding="utf-8").upper()


def test_what_fleet_yaml_says_of_things_nobody_saw_is_told(everything: Place) -> None:
    def elsewhere(endpoints: dict[str, dict[str, object]]) -> None:
        endpoints["vc-solidfire"]["clusters"] = {"sf-vvoll": {"params": {"vvol/pe-dsnro-headroom": {"headroom": 2}}}}

    audit = audit_of(everything, edited(everything, elsewhere), "vvol/pe-dsnro-headroom")
    assert [notice for notice in audit.report["notices"] if "no cluster sf-vvoll was seen on vc-solidfire" in notice]
    # The value reaches nothing, so everything is judged as before.
    assert len(audit.of("vvol/pe-dsnro-headroom", "fail")) == 13


def test_a_parameter_for_one_cluster_reaches_that_cluster_alone(everything: Place) -> None:
    def lenient(endpoints: dict[str, dict[str, object]]) -> None:
        # 32 commands hold four disks of 8, so with disks of 8 the sick cluster passes; the others are not asked.
        endpoints["vc-solidfire"]["clusters"] = {"sf-vvol": {"params": {"vvol/pe-dsnro-headroom": {"disk_depth": 8}}}}

    audit = audit_of(everything, edited(everything, lenient), "vvol/pe-dsnro-headroom")
    assert audit.of("vvol/pe-dsnro-headroom", "fail") == []
    assert {f["desired"] for f in audit.of("vvol/pe-dsnro-headroom", "pass")} == {32, 256}


def test_a_pinned_certificate_is_enough(everything: Place) -> None:
    import hashlib
    import ssl

    def pinned(endpoints: dict[str, dict[str, object]]) -> None:
        for endpoint in endpoints.values():
            if endpoint["kind"] == "eternus":
                continue  # its host key is pinned from the beginning
            host, port = str(endpoint["address"]).split(":")
            der = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate((host, int(port))))
            endpoint["tls"] = {"fingerprint": "sha256:" + hashlib.sha256(der).hexdigest()}

    audit = audit_of(everything, edited(everything, pinned), *SOME_RULES)
    assert audit.unread == []
    assert {endpoint["tls"] for endpoint in audit.report["run"]["endpoints"]} == {"pinned"}


@pytest.mark.parametrize(
    ("fault", "rules"),
    [
        pytest.param(Fault("truncate", "RetrievePropertiesEx"), (), id="truncated property pages, by every rule"),
        pytest.param(Fault("garbage", "storage.core.device.list"), SOME_RULES, id="nonsense for esxcli answers"),
        pytest.param(Fault("status", "RetrievePropertiesEx", status=503), SOME_RULES, id="busy for ever"),
        pytest.param(Fault("status", "ListVolumes", status=401), SOME_RULES, id="session of the array refused in the middle"),
    ],
)
def test_answers_that_cannot_be_understood_are_gaps(
    everything: Place, whole_audit: Audit, fault: Fault, rules: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What else may be wrong with an answer is tried on the facts alone: tests/long/walk/test_losing_facts.py."""
    monkeypatch.setattr(wire, "ATTEMPTS", 2)  # at a busy server; before each but the first a second is waited
    wires = faults_of(everything.lab).values()
    for faults in wires:
        faults.active.append(fault)
    try:
        audit = everything.audit(*only(*rules))
    finally:
        for faults in wires:
            faults.active.clear()
    assert audit.code == 2
    assert audit.unread
    before = whole_audit.of_rules(rules)
    assert [key for key, verdict in audit.verdicts().items() if verdict == "pass" and before.get(key) != "pass"] == []


def test_a_slow_endpoint_is_given_up_after_its_time_and_the_others_are_judged(everything: Place) -> None:
    def hurried(endpoints: dict[str, dict[str, object]]) -> None:
        endpoints["sf-prod"]["limits"] = {"timeout_seconds": 0.5}

    fleet = edited(everything, hurried)
    array = everything.lab.element["sf-prod"]
    array.faults.active.append(Fault("latency", seconds=3))  # for every request, so that none is to arrive within the 0.5 seconds
    try:
        audit = audit_of(everything, fleet, *SOME_RULES)
    finally:
        array.faults.active.clear()
    assert audit.code == 2
    assert {gap["endpoint"] for gap in audit.unread} == {"sf-prod"}
    unknown = {f["rule"] for f in audit.report["findings"] if f["verdict"] == "unknown"}
    assert {"vvol/pe-dsnro-headroom", "sioc/overlap-array-qos"} <= unknown


def test_a_session_that_expires_in_the_middle_is_opened_again(everything: Place, whole_audit: Audit) -> None:
    vcenter = everything.lab.vcenters["vc-solidfire"]
    before = len(vcenter.requests)
    vcenter.faults.active.append(Fault("session", "storage.core.device.list", times=1))
    try:
        audit = everything.audit(*only(*SOME_RULES))
    finally:
        vcenter.faults.active.clear()
    # Two sessions, of SOAP and of VI/JSON; the second is opened again only if something was still to be read by it.
    assert vcenter.requests[before:].count("Login") in (3, 4)
    assert audit.verdicts() == whole_audit.of_rules(SOME_RULES)


@pytest.mark.parametrize(("state", "rules"), [("disconnected", ()), ("notResponding", SOME_RULES)], ids=["by every rule", "not responding"])
def test_a_host_that_is_away_leaves_its_verdicts_unknown(everything: Place, state: str, rules: tuple[str, ...]) -> None:
    vcenter = everything.lab.vcenters["vc-solidfire"]
    host = next(host for host in vcenter.state.hosts.values() if host.description.name.startswith("esx-vvol-1"))
    with vcenter.state.lock:
        host.connection_state = state
        vcenter.state.changed()
    try:
        audit = everything.audit(*only(*rules))
    finally:
        with vcenter.state.lock:
            host.connection_state = "connected"
            vcenter.state.changed()
    assert audit.code == 2
    assert any("esx-vvol-1" in gap["what"] + gap["why"] for gap in audit.report["gaps"])
    # The limit of a machine's disk stands in vCenter, its ceiling and load on the array: for these nobody asks the host.
    elsewhere = "qos/host-limit-below-array-limit"
    of_host = [f for f in audit.report["findings"] if (f["resource"]["host"] or "").startswith("esx-vvol-1")]
    own = {f["verdict"] for f in of_host if f["rule"] != elsewhere}
    assert own <= {"unknown", "not_applicable"}
    assert "unknown" in own
