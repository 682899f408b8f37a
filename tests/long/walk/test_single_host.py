"""A single ESXi host without vCenter is audited, fixed, audited again and put back by its own host agent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.cli import run
from auditor.endpoints.common.sessions import open_session
from auditor.fleet.loading import load_fleet
from auditor.model import Health
from auditor.recording.bundle import read_bundle
from auditor_lab.recorded.serving import serve_recording
from auditor_lab.vcenter.description.vcenter import HostAgentDescription
from tests.peers import running_vcsim
from tests.single_hosts import Hosts

FIX = ("--only", "vaai/*", "--fix", "--yes", "--allow", "online", "--settle", "0")


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Hosts]:
    with ExitStack() as stack:
        yield Hosts(stack, tmp_path, capsys)


def test_a_host_is_audited_fixed_audited_again_and_put_back(place: Hosts) -> None:
    here = place()
    before = here.audit("--only", "vaai/*")
    [failure] = before.of("vaai/enabled", "fail")
    assert failure["resource"]["host"] == "esx-a.example.net"
    assert failure["resource"]["cluster"] is None
    fixed = here.audit(*FIX)
    assert fixed.of("vaai/enabled", "fail") == []
    assert here.option() == 1
    assert here.undo() == 0
    assert here.option() == 0
    assert [one["id"] for one in here.audit("--only", "vaai/*").of("vaai/enabled", "fail")] == [failure["id"]]


def test_a_whole_audit_leaves_no_gap_but_of_what_is_a_vcenters_or_an_arrays_and_asks_soap_alone(place: Hosts) -> None:
    here = place()
    audit = here.audit()
    assert [(gap["what"], gap["why"]) for gap in audit.unread] == [
        ("Storage I/O Control of 1 datastore", "a vCenter sets it, and the host does not report it")
    ]
    of_vcenter = {rule for one in audit.report["findings"] if (rule := one["rule"]).startswith(("sdrs/", "host/cluster"))}
    assert {one["verdict"] for one in audit.report["findings"] if one["rule"] in of_vcenter} <= {"not_applicable"}
    [endpoint] = audit.report["run"]["endpoints"]
    assert (endpoint["kind"], endpoint["lane"]) == ("esxi", "soap")
    asked = set(here.server().requests)
    assert "Login" in asked
    assert not asked & {"hello", "QueryEvents", "HasPrivilegeOnEntities"}
    assert not any("/" in name or name.startswith("com.vmware") for name in asked), "neither VI/JSON nor the Automation API"


def test_two_hosts_with_one_managed_object_id_are_two(place: Hosts) -> None:
    here = place("", "esx-a", "esx-b")
    audit = here.audit("--only", "vaai/enabled")
    failures = audit.of("vaai/enabled", "fail")
    assert sorted(one["resource"]["host"] for one in failures) == ["esx-a.example.net", "esx-b.example.net"]
    assert len({one["id"] for one in failures}) == 2
    assert len({one["identity"] for one in audit.report["run"]["endpoints"]} - {None}) == 2
    here.audit(*FIX, "--host", "esx-a*")
    assert (here.option("esx-a"), here.option("esx-b")) == (1, 0)
    assert here.undo() == 0
    assert (here.option("esx-a"), here.option("esx-b")) == (0, 0)


def test_a_host_that_a_vcenter_manages_is_audited_and_not_fixed(place: Hosts) -> None:
    here = place("managed_by: 198.51.100.7")
    check = here.doctor()["vcenter"]
    assert (check.state, check.facts["managed_by"]) == (Health.WARNING, "198.51.100.7")
    assert "audit that vCenter" in check.do
    fixed = here.audit(*FIX)
    assert here.option() == 0
    [receipt] = fixed.report["receipts"]
    assert (receipt["outcome"], "managed by the vCenter at 198.51.100.7" in receipt["why"]) == ("proposed", True)
    whole = here.audit()
    assert "this host is managed by the vCenter at 198.51.100.7" in json.dumps(whole.report)
    assert "datastore clusters, storage policies and extensions" in {gap["what"] for gap in whole.unread}


def test_a_licence_that_lets_the_api_read_alone_is_told_before_anything_is_written(place: Hosts) -> None:
    here = place("edition: esxBasic")
    check = here.doctor()["licence"]
    assert (check.state, "RestrictedVersion" in check.why) == (Health.WARNING, True)
    fixed = here.audit(*FIX)
    [receipt] = fixed.report["receipts"]
    assert (receipt["outcome"], "lets the API read alone" in receipt["why"]) == ("proposed", True)
    assert "UpdateOptions" not in here.server().requests
    assert here.option() == 0


def test_a_vcenter_that_took_the_host_over_holds_back_the_undo_as_well(place: Hosts) -> None:
    here = place()
    here.audit(*FIX)
    assert here.option() == 1
    state = here.server().state
    with state.lock:
        state.description = replace(state.description, host_agent=HostAgentDescription(managed_by="198.51.100.7"))
        state.changed()
    assert here.undo() == 1
    assert here.option() == 1
    assert "managed by the vCenter at" in " ".join(here.capsys.readouterr().out.split())


def test_a_recording_of_a_host_is_judged_as_the_host_was(place: Hosts, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = place()
    before = here.audit()
    bundle, fleet = tmp_path / "host.tar.gz", tmp_path / "masked" / "fleet.yaml"
    record = ["record", "--fleet", str(tmp_path / "fleet.yaml"), "--out", str(bundle), "--state-dir", str(tmp_path / "state")]
    assert run(record) == 2, "Storage I/O Control, and the array, are gaps"
    fleet.parent.mkdir()
    with serve_recording(read_bundle(bundle)) as lab:
        lab.write_fleet(fleet)
        report = tmp_path / "again.json"
        run(["audit", "--fleet", str(fleet), "--state-dir", str(tmp_path / "again"), "--reporter", f"json-full:{report}"])
    capsys.readouterr()
    again = json.loads(report.read_text(encoding="utf-8"))
    assert again["summary"] == before.report["summary"]
    assert [one["kind"] for one in again["run"]["endpoints"]] == ["esxi"]
    assert "esx-a.example.net" not in report.read_text(encoding="utf-8")


def test_vmwares_own_simulator_of_a_host_is_audited_with_what_it_can_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running_vcsim(None, "-esx") as vcsim:
        (tmp_path / "password").write_text(vcsim.password, encoding="utf-8")
        (tmp_path / "fleet.yaml").write_text(
            f"endpoints:\n  - name: esx\n    kind: esxi\n    address: {vcsim.host}:{vcsim.port}\n    username: {vcsim.username}\n"
            f"    password: {{file: password}}\n    tls: {{fingerprint: '{vcsim.fingerprint}'}}\n",
            encoding="utf-8",
        )
        report = tmp_path / "report.json"
        run(["audit", "--fleet", str(tmp_path / "fleet.yaml"), "--state-dir", str(tmp_path / "state"), "--reporter", f"json-full:{report}"])
        with open_session(load_fleet(tmp_path / "fleet.yaml").endpoints[0]) as session:
            assert session.standing().id == "ha-host"
            assert session.standing().managed_by == "127.0.0.1", "as its capture has it"
            assert session.identity() == session.standing().uuid
            assert session.editions() == ("eval",)
    capsys.readouterr()
    audit = json.loads(report.read_text(encoding="utf-8"))
    assert audit["coverage"]["judged"] > 0
    assert {one["resource"]["cluster"] for one in audit["findings"]} == {None}
    unread = " ".join(f"{gap['what']} {gap['why']}" for gap in audit["gaps"])
    assert "RetrieveManagedMethodExecuter" in unread, "it has no esxcli for a host agent"
    assert "the list of " not in unread, "hosts, datastores, machines and tasks were listed"
