"""Whatever an endpoint does, the rest is audited, the hole is a gap, nothing is invented and no secret is told."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from auditor.cli import run
from auditor.lab.serving import Lab
from auditor.lab.wire import Fault

from .conftest import Audit, Place, faults_of

DEAD_PORT = 9  # the discard service, which nothing serves here


def edited(place: Place, change: Callable[[dict[str, dict[str, object]]], None]) -> Path:
    """A copy of the fleet file after `change` had its way with the endpoints, by name."""
    data = yaml.safe_load(place.fleet.read_text(encoding="utf-8"))
    change({endpoint["name"]: endpoint for endpoint in data["endpoints"]})
    path = place.folder / "edited.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return path


def audit_of(place: Place, fleet: Path) -> Audit:
    import json

    report = place.folder / "edited.json"
    report.unlink(missing_ok=True)
    code = run(["audit", "--fleet", str(fleet), "--state-dir", str(place.state), "--reporter", f"json:{report}", "--reporter", "table"])
    said = place.capsys.readouterr()
    text = report.read_text(encoding="utf-8")
    for output in (said.out, said.err, text):
        assert place.lab.password not in output
        assert "Traceback" not in output
    return Audit(code, json.loads(text), said.err)


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
"""Rules that compare all hosts which see a device or mount a datastore, of whichever vCenter."""


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param(wrong_password, "refuses user auditor@vsphere.local", id="wrong password"),
        pytest.param(no_password, "AUDITOR_TEST_VARIABLE_THAT_IS_NOT_SET", id="password not set"),
        pytest.param(unknown_authority, "certificate", id="certificate of an unknown authority"),
        pytest.param(wrong_fingerprint, "certificate", id="another certificate than the pinned one"),
        pytest.param(unreachable, f"127.0.0.1:{DEAD_PORT}", id="nothing listens there"),
        pytest.param(another_protocol, "", id="an array answers where a vCenter should"),
    ],
)
def test_one_endpoint_that_cannot_be_opened_leaves_a_gap_and_the_others_are_judged(
    everything: Place, whole_audit: Audit, change: Callable[[dict[str, dict[str, object]]], None], says: str
) -> None:
    audit = audit_of(everything, edited(everything, change))
    assert audit.code == 2
    gaps = [gap for gap in audit.unread if gap["endpoint"] == "vc-eternus"]
    assert len(gaps) == 1
    assert says in f"{gaps[0]['what']} {gaps[0]['why']}"
    assert "hunter2" not in str(audit.report)
    others = {key: verdict for key, verdict in whole_audit.verdicts().items() if key[1] != "vc-eternus"}
    told = audit.verdicts()
    assert told.keys() == others.keys()
    # What hosts of that vCenter may have a part in is not known any more; everything else is as it was.
    changed = {key: told[key] for key in others if told[key] != others[key]}
    assert set(changed.values()) <= {"unknown"}
    assert {rule for rule, _, _ in changed} <= OF_THE_WHOLE_FLEET
    assert len(changed) < len(others) / 10


def test_tls_that_is_not_verified_is_said_in_every_report(everything: Place) -> None:
    def unverified(endpoints: dict[str, dict[str, object]]) -> None:
        endpoints["sf-twin"]["tls"] = {"verify": False}

    fleet = edited(everything, unverified)
    page = everything.folder / "page.html"
    code = run(["audit", "--fleet", str(fleet), "--state-dir", str(everything.state), "--reporter", "table", "--reporter", f"html:{page}"])
    assert code == 2
    assert "NOT VERIFIED" in everything.capsys.readouterr().out.upper()
    assert "NOT VERIFIED" in page.read_text(encoding="utf-8").upper()


def test_what_fleet_yaml_says_of_things_nobody_saw_is_told(everything: Place) -> None:
    def elsewhere(endpoints: dict[str, dict[str, object]]) -> None:
        endpoints["vc-solidfire"]["clusters"] = {"sf-vvoll": {"params": {"vvol/pe-dsnro-headroom": {"headroom": 2}}}}

    audit = audit_of(everything, edited(everything, elsewhere))
    assert [notice for notice in audit.report["notices"] if "no cluster sf-vvoll was seen on vc-solidfire" in notice]
    # The value reaches nothing, so everything is judged as before.
    assert len(audit.of("vvol/pe-dsnro-headroom", "fail")) == 13


def test_a_parameter_for_one_cluster_reaches_that_cluster_alone(everything: Place) -> None:
    def lenient(endpoints: dict[str, dict[str, object]]) -> None:
        # 32 commands hold half of one disk's 64, so with headroom 0 the sick cluster passes; the others are not asked.
        endpoints["vc-solidfire"]["clusters"] = {"sf-vvol": {"params": {"vvol/pe-dsnro-headroom": {"headroom": 0}}}}

    audit = audit_of(everything, edited(everything, lenient))
    assert audit.of("vvol/pe-dsnro-headroom", "fail") == []
    assert {f["desired"] for f in audit.of("vvol/pe-dsnro-headroom", "pass")} == {0, 256}


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

    audit = audit_of(everything, edited(everything, pinned))
    assert audit.unread == []
    assert {endpoint["tls"] for endpoint in audit.report["run"]["endpoints"]} == {"pinned"}


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Fault("truncate", "RetrievePropertiesEx"), id="truncated property pages"),
        pytest.param(Fault("garbage", "RetrievePropertiesEx"), id="nonsense for property pages"),
        pytest.param(Fault("truncate", "storage.core.device.list"), id="truncated esxcli answers"),
        pytest.param(Fault("garbage", "storage.core.device.list"), id="nonsense for esxcli answers"),
        pytest.param(Fault("status", "RetrievePropertiesEx", status=503), id="busy for ever"),
        pytest.param(Fault("truncate", "ListVolumes"), id="truncated volume list"),
        pytest.param(Fault("garbage", "ListVolumes"), id="nonsense for the volume list"),
        pytest.param(Fault("status", "ListVolumes", status=401), id="session of the array refused in the middle"),
    ],
)
def test_answers_that_cannot_be_understood_are_gaps(everything: Place, whole_audit: Audit, fault: Fault) -> None:
    wires = faults_of(everything.lab).values()
    for faults in wires:
        faults.active.append(fault)
    try:
        audit = everything.audit()
    finally:
        for faults in wires:
            faults.active.clear()
    assert audit.code == 2
    assert audit.unread
    before = whole_audit.verdicts()
    assert [key for key, verdict in audit.verdicts().items() if verdict == "pass" and before.get(key) != "pass"] == []


def test_a_slow_endpoint_is_given_up_after_its_time_and_the_others_are_judged(everything: Place) -> None:
    def hurried(endpoints: dict[str, dict[str, object]]) -> None:
        endpoints["sf-prod"]["limits"] = {"timeout_seconds": 0.5}

    fleet = edited(everything, hurried)
    array = everything.lab.element["sf-prod"]
    array.faults.active.append(Fault("latency", seconds=3))
    try:
        audit = audit_of(everything, fleet)
    finally:
        array.faults.active.clear()
    assert audit.code == 2
    assert {gap["endpoint"] for gap in audit.unread} == {"sf-prod"}
    unknown = {f["rule"] for f in audit.report["findings"] if f["verdict"] == "unknown"}
    assert {"vvol/pe-dsnro-headroom", "sioc/overlap-array-qos"} <= unknown


def test_a_session_that_expires_in_the_middle_is_opened_again(everything: Place, whole_audit: Audit) -> None:
    vcenter = everything.lab.vcenters["vc-solidfire"]
    before = len(vcenter.requests)

    def forget(lab: Lab) -> None:
        lab.vcenters["vc-solidfire"].sessions.expire()

    import threading

    def watch() -> None:
        for _ in range(2000):
            if vcenter.requests[before:].count("storage.core.device.list") >= 2:
                forget(everything.lab)
                return
            threading.Event().wait(0.005)

    thread = threading.Thread(target=watch)
    thread.start()
    audit = everything.audit()
    thread.join()
    # Two sessions, of SOAP and of VI/JSON; the second is opened again only if something was still to be read by it.
    assert vcenter.requests[before:].count("Login") in (3, 4)
    assert audit.verdicts() == whole_audit.verdicts()


@pytest.mark.parametrize("state", ["disconnected", "notResponding"])
def test_a_host_that_is_away_leaves_its_verdicts_unknown(everything: Place, state: str) -> None:
    vcenter = everything.lab.vcenters["vc-solidfire"]
    host = next(host for host in vcenter.state.hosts.values() if host.description.name.startswith("esx-vvol-1"))
    with vcenter.state.lock:
        host.connection_state = state
        vcenter.state.changed()
    try:
        audit = everything.audit()
    finally:
        with vcenter.state.lock:
            host.connection_state = "connected"
            vcenter.state.changed()
    assert audit.code == 2
    assert any("esx-vvol-1" in gap["what"] + gap["why"] for gap in audit.report["gaps"])
    own = {f["verdict"] for f in audit.report["findings"] if (f["resource"]["host"] or "").startswith("esx-vvol-1")}
    assert own <= {"unknown", "not_applicable"}
    assert "unknown" in own
