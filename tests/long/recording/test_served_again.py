"""A recording, served again, is judged as the fleet it was made from was: the same verdicts, under masked names."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from auditor.cli import run
from auditor.recording.bundle import read_bundle, read_files
from auditor.recording.checking import occurring, wanted_originals
from auditor.recording.masking import Fate, Masker
from auditor.recording.private import KEY_FILE, load_originals, originals_path, recording_key
from auditor.recording.pseudonyms import Pseudonyms
from auditor_lab.description import LabFleet
from auditor_lab.recorded.serving import serve_recording
from auditor_lab.scenario import load_scenario, merged_names, scenario_names
from auditor_lab.serving import serve
from tests.audits import only
from tests.peers import running_vcsim
from tests.recording import comparing

ALONE = sorted(set(scenario_names()) - set(merged_names()) - {"all"})
"""Scenarios that `all` does not hold: their unreadable endpoints would leave the others open."""


@dataclass(frozen=True)
class Both:
    """The audit of a fleet and of its recording, and what replaces what."""

    original: dict[str, Any]
    again: dict[str, Any]
    bundle: Path
    state: Path

    def masker(self) -> Masker:
        return Masker(Pseudonyms(recording_key(self.state / KEY_FILE)))


def audited(fleet: Path, folder: Path, name: str, rules: Sequence[str] = ()) -> dict[str, Any]:
    report = folder / f"{name}.json"
    kept = ["--state-dir", str(folder / f"runs-{name}"), "--reporter", f"json-full:{report}"]
    code = run(["audit", "--fleet", str(fleet), *kept, *(only(*rules) if rules else ["--tag", "all"])])
    assert code in (0, 1, 2)
    loaded: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return loaded


def both(fleet: Path, folder: Path, rules: Sequence[str] = ()) -> Both:
    """Audits a fleet that is being served, by these rules or all, and records it; its recording is served and audited afterwards."""
    bundle, state = folder / "fleet.tar.gz", folder / "state"
    original = audited(fleet, folder, "original", rules)
    assert run(["record", "--fleet", str(fleet), "--out", str(bundle), "--state-dir", str(state)]) in (0, 2)
    (folder / "masked").mkdir()
    with serve_recording(read_bundle(bundle)) as lab:
        lab.write_fleet(folder / "masked" / "fleet.yaml")
        again = audited(folder / "masked" / "fleet.yaml", folder, "again", rules)
    return Both(original, again, bundle, state)


@pytest.fixture(scope="session")
def lab_twice(tmp_path_factory: pytest.TempPathFactory) -> Both:
    """Of `lab up --scenario all`."""
    folder = tmp_path_factory.mktemp("recording")
    with serve(load_scenario("all")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        return both(folder / "fleet.yaml", folder)


def differences(twice: Both, endpoints: set[str] | None = None) -> list[tuple[str, ...]]:
    """The findings of either side that the other one has not; only those of `endpoints`, by their masked names, unless it is None."""
    masker = twice.masker()
    original = [
        one
        for one in twice.original["findings"]
        if endpoints is None or masker.text(one["resource"]["endpoint"] or "", Fate.NAME) in endpoints
    ]
    again = [one for one in twice.again["findings"] if endpoints is None or one["resource"]["endpoint"] in endpoints]
    assert len(original) > 20
    return comparing.differences(original, again, masker)


@pytest.mark.parametrize("scenario", merged_names())
def test_a_scenario_has_the_verdicts_of_its_recording(lab_twice: Both, scenario: str) -> None:
    masker = lab_twice.masker()
    served = load_scenario(scenario)
    names = {masker.text(one.name, Fate.NAME) for one in (*served.vcenters, *served.arrays)}
    assert differences(lab_twice, names) == []


@pytest.mark.deep
@pytest.mark.parametrize("scenario", ALONE)
def test_a_scenario_of_its_own_has_the_verdicts_of_its_recording(tmp_path: Path, scenario: str) -> None:
    with serve(load_scenario(scenario)) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        twice = both(tmp_path / "fleet.yaml", tmp_path)
    assert differences(twice) == []


def test_the_whole_lab_has_the_summary_and_the_gaps_of_its_recording(lab_twice: Both) -> None:
    assert lab_twice.again["summary"] == lab_twice.original["summary"]
    assert lab_twice.again["coverage"] == lab_twice.original["coverage"]
    assert len(lab_twice.again["gaps"]) == len(lab_twice.original["gaps"])


def test_no_name_address_or_serial_number_of_the_lab_is_in_the_bundle(lab_twice: Both) -> None:
    originals = load_originals(originals_path(lab_twice.state, lab_twice.bundle))
    wanted = wanted_originals(originals)
    # Names from the descriptions, and not from the masking that is being tested.
    wanted |= {one["resource"]["name"] for one in lab_twice.original["findings"] if one["resource"]["kind"] in ("vm", "datastore", "host")}
    wanted |= {one.name for one in (*load_scenario("all").vcenters, *load_scenario("all").arrays)}
    # By chance the new name of one is the old name of another: of two letters and -vvol, with one key of a dozen.
    wanted -= {new for old, new in originals["names"].items() if new != old}
    assert len(wanted) > 1000
    texts = {name: content.decode() for name, content in read_files(lab_twice.bundle).items()}
    assert {one for text in texts.values() for one in occurring(wanted, text)} - set(originals["doubtful"]) == set()
    assert run(["record", "--check", str(lab_twice.bundle), "--state-dir", str(lab_twice.state)]) == 0


OWN_POLICY = """
params:
  vm/iops-limits: {meant: "^vmfs-.* Hard disk 2$"}
severity: {queue/*: info}
"""
OF_THE_VCENTER = """
  lane: soap
  params: {queue/raise-both: {stock: 48}}
  clusters: {sf-vvol: {params: {diag/davg: {flash_limit: 90, least_commands: 1.0}}}}"""
OF_POLICY = ("queue/*", "vm/iops-limits", "diag/davg", "iscsi/delayed-ack", "vvol/pe-uniform")
"""The rules that OWN_POLICY, OF_THE_VCENTER and OWN_WAIVERS name."""

OWN_WAIVERS = """
waivers:
- {rule: iscsi/delayed-ack, resources: {host: "esx-vvol-*"}, owner: storage, reason: soon, ticket: 1, expires: 2999-01-01}
- {rule: vvol/pe-uniform, resources: {host: ["esx-vvol-1*", "esx-vvol-2*"]}, owner: storage, reason: soon, ticket: 1, expires: 2999-01-01}
- {rule: queue/*, resources: {resource: "naa.6f47acc*"}, owner: storage, reason: soon, ticket: 1, expires: 2020-01-01}
"""


def test_a_recording_by_soap_has_the_same_verdicts_by_the_fleets_own_parameters_and_waivers(tmp_path: Path) -> None:
    with serve(LabFleet(vcenters=load_scenario("solidfire-vvols").vcenters)) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        text = (tmp_path / "fleet.yaml").read_text(encoding="utf-8").replace("kind: vcenter", f"kind: vcenter{OF_THE_VCENTER}")
        (tmp_path / "fleet.yaml").write_text(text + OWN_POLICY, encoding="utf-8")
        (tmp_path / "waivers.yaml").write_text(OWN_WAIVERS, encoding="utf-8")
        twice = both(tmp_path / "fleet.yaml", tmp_path, OF_POLICY)
    assert differences(twice) == []
    assert twice.again["summary"] == twice.original["summary"]
    by_rule = {one["rule"]: one for one in twice.original["findings"] if one["verdict"] == "waived"}
    assert by_rule.keys() == {"iscsi/delayed-ack", "vvol/pe-uniform"}
    failing = {one["rule"] for one in twice.original["findings"] if one["verdict"] == "fail"}
    assert "vm/iops-limits" not in failing, "the parameter counts"
    severities = {one["severity"] for one in twice.again["findings"] if one["rule"].startswith("queue/")}
    assert severities == {"info"}
    assert "storage" not in (tmp_path / "masked" / "waivers.yaml").read_text(encoding="utf-8")


@pytest.mark.deep
def test_vmwares_own_simulator_has_the_verdicts_of_its_recording(tmp_path: Path) -> None:
    assert run(["lab", "export-vcsim", str(tmp_path / "model"), "--scenario", "solidfire-vvols"]) == 0
    with running_vcsim(tmp_path / "model") as vcsim:
        (tmp_path / "password").write_text(vcsim.password, encoding="utf-8")
        (tmp_path / "fleet.yaml").write_text(
            f"endpoints:\n  - name: vc-simulated\n    kind: vcenter\n    address: {vcsim.host}:{vcsim.port}\n"
            f"    username: {vcsim.username}\n    password: {{file: password}}\n    tls: {{fingerprint: '{vcsim.fingerprint}'}}\n",
            encoding="utf-8",
        )
        twice = both(tmp_path / "fleet.yaml", tmp_path)
    assert differences(twice) == []
