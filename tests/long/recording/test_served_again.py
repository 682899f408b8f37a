"""A recording, served again, is judged as the fleet it was made from was: the same verdicts, under masked names."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from auditor.cli import run
from auditor.lab.recorded.serving import serve_recording
from auditor.lab.scenario import load_scenario, merged_names, scenario_names
from auditor.lab.serving import serve
from auditor.recording.bundle import read_bundle, read_files
from auditor.recording.checking import occurring, wanted_originals
from auditor.recording.masking import Fate, Masker
from auditor.recording.private import KEY_FILE, load_originals, originals_path, recording_key
from auditor.recording.pseudonyms import Pseudonyms
from tests.peers import running_vcsim

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


def audited(fleet: Path, folder: Path, name: str) -> dict[str, Any]:
    report = folder / f"{name}.json"
    code = run(
        ["audit", "--fleet", str(fleet), "--state-dir", str(folder / f"runs-{name}"), "--tag", "all", "--reporter", f"json:{report}"]
    )
    assert code in (0, 1, 2)
    loaded: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return loaded


def both(fleet: Path, folder: Path) -> Both:
    """Audits a fleet that is being served, and records it; its recording is served and audited afterwards."""
    bundle, state = folder / "fleet.tar.gz", folder / "state"
    original = audited(fleet, folder, "original")
    assert run(["record", "--fleet", str(fleet), "--out", str(bundle), "--state-dir", str(state)]) in (0, 2)
    with serve_recording(read_bundle(bundle)) as lab:
        lab.write_fleet(folder / "masked.yaml")
        again = audited(folder / "masked.yaml", folder, "again")
    return Both(original, again, bundle, state)


@pytest.fixture(scope="session")
def lab_twice(tmp_path_factory: pytest.TempPathFactory) -> Both:
    """Of `lab up --scenario all`."""
    folder = tmp_path_factory.mktemp("recording")
    with serve(load_scenario("all")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        return both(folder / "fleet.yaml", folder)


WORD = re.compile(r"[^\W_]+")


def differences(twice: Both, endpoints: set[str] | None = None) -> list[tuple[str, ...]]:
    """The findings of either side that the other one has not: by rule, verdict, kind, and a name whose words are the same or replaced.

    Args:
        twice: the two audits.
        endpoints: of which ones; None: all.
    """
    masker = twice.masker()
    waiting: dict[tuple[object, ...], list[tuple[list[str], list[str]]]] = {}
    for one in twice.original["findings"]:
        endpoint = masker.text(one["resource"]["endpoint"] or "", Fate.NAME)
        if endpoints is None or endpoint in endpoints:
            name = _named(one)
            before, after = WORD.findall(name), WORD.findall(_masked(name, masker))
            waiting.setdefault((*_key(one), endpoint, WORD.sub("", name)), []).append((before, after))
    assert sum(map(len, waiting.values())) > 20
    surplus = [one for one in twice.again["findings"] if endpoints is None or one["resource"]["endpoint"] in endpoints]
    for digits_may_stay in (False, True):  # a number that was replaced may look like one that stayed: those that are certain go first
        left = []
        for one in surplus:
            words, group = WORD.findall(_named(one)), waiting.get((*_key(one), one["resource"]["endpoint"], WORD.sub("", _named(one))), [])
            fitting = (pair for pair in group if all(map(_fits(digits_may_stay), words, *pair)))
            if (found := next(fitting, None)) is None:
                left.append(one)
            else:
                group.remove(found)
        surplus = left
    missing = [("in the original alone", *map(str, key), " ".join(after)) for key, group in waiting.items() for _, after in group]
    return missing + [("in the recording alone", *_key(one), _named(one)) for one in surplus]


def _masked(name: str, masker: Masker) -> str:
    """A name as the recording has it; what vCenter calls a disk stays."""
    return "".join(part if part.startswith("Hard disk") else masker.text(part, Fate.NAME) for part in re.split(r"(Hard disk \d+)", name))


def _fits(digits_may_stay: bool) -> Callable[[str, str, str], bool]:
    """Whether a word of the recording's findings is what became of one in the original's, old and replaced."""

    def fits(word: str, old: str, new: str) -> bool:
        key_of_a_cluster = re.fullmatch("[0-9a-f]{8}", old) is not None  # four letters in hexadecimal digits, as devices' names have them
        return word == new or key_of_a_cluster or (word == old and (digits_may_stay or not old.isdigit()))

    return fits


def _key(finding: dict[str, Any]) -> tuple[str, str, str]:
    return finding["rule"], finding["verdict"], finding["resource"]["kind"]


def _named(finding: dict[str, Any]) -> str:
    return " / ".join(str(finding["resource"][part] or "") for part in ("name", "cluster", "host"))


@pytest.mark.parametrize("scenario", merged_names())
def test_a_scenario_has_the_verdicts_of_its_recording(lab_twice: Both, scenario: str) -> None:
    masker = lab_twice.masker()
    served = load_scenario(scenario)
    names = {masker.text(one.name, Fate.NAME) for one in (*served.vcenters, *served.arrays)}
    assert differences(lab_twice, names) == []


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
    assert len(wanted) > 1000
    texts = {name: content.decode() for name, content in read_files(lab_twice.bundle).items()}
    assert {one for text in texts.values() for one in occurring(wanted, text)} - set(originals["doubtful"]) == set()
    assert run(["record", "--check", str(lab_twice.bundle), "--state-dir", str(lab_twice.state)]) == 0


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
