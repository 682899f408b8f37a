"""Each of the five incidents is explained queue by queue, and can be reproduced, from a run that was kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from auditor import explaining
from auditor.cli import run
from auditor.impact import asking
from auditor.impact.asking import Ask
from auditor.impact.path import VIEWS as PATH_VIEWS
from auditor.lab.scenario import load_incidents
from auditor.lab.serving import serve
from auditor.reproduction.neighbours import VIEWS as NEIGHBOUR_VIEWS
from tests.audits import only


@dataclass(frozen=True)
class Kept:
    """A run of all incidents, and its reports."""

    state: Path
    report: dict[str, Any]
    page: str

    def finding(self, rule: str, name: str) -> dict[str, Any]:
        """The failure of a rule on a resource of that name, or on that host."""
        found = [one for one in self.report["findings"] if one["rule"] == rule and one["verdict"] == "fail"]
        return next(one for one in found if name in (one["resource"]["name"], one["resource"]["host"], one["resource"]["id"]))


RULES = (
    "diag/noisy-neighbour-signature",
    "diag/queue-full",
    "ontap/background-share",
    "qos/shared-queue-throttle",
    "queue/adapter-oversubscription",
    "queue/array-port-fanin",
    "queue/driver-depth",
    "sioc/active-time",
    "sioc/overlap-array-qos",
    "vaai/eternus-dx-s1-firmware",
    "vaai/locking-guard",
    "vm/controller",
)
"""The rules of these tests, and those for which all is read that a path has."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    folder = tmp_path_factory.mktemp("incidents")
    with serve(load_incidents()) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        reporters = [f"--reporter={name}:{folder / name}" for name in ("json", "html")]
        run(["audit", "--fleet", str(folder / "fleet.yaml"), "--state-dir", str(folder / "state"), *only(*RULES), *reporters])
    page = (folder / "html").read_text(encoding="utf-8")
    return Kept(folder / "state", json.loads((folder / "json").read_text(encoding="utf-8")), page)


@pytest.fixture(scope="module")
def shared(kept: Kept) -> Iterator[Ask]:
    """One way to ask the run for all tests: making the views takes longer than everything else of a command."""
    [folder] = (kept.state / "runs").iterdir()
    with asking.asking(folder / "snapshot", {*PATH_VIEWS, *NEIGHBOUR_VIEWS}) as ask:
        yield ask


@pytest.fixture(autouse=True)
def asked_once(shared: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (asking, explaining):
        monkeypatch.setattr(module, "asking", lambda _snapshot, _views: nullcontext(shared))


INCIDENTS = [
    pytest.param("diag/noisy-neighbour-signature", "esx-vvol-1.lab.example", [
        "bronze-noisy Hard disk 1", "AT ITS LIMIT", "device queue", "FULL  <- the longest wait", "DSNRO of 32 applies", "Bronze: 1000 IOPS",
    ], {"load.fio", "run-load.sh", "neighbour.sh"}, id="S0"),
    pytest.param("sioc/overlap-array-qos", "sc-prod-01", [
        "Storage I/O Control manages the depth", "throttling for 100 % of the time", "Prod: 50.0 MiB/s",
    ], {"load.fio", "run-load.sh", "neighbour.sh"}, id="S1"),
    pytest.param("diag/queue-full", "esx-fq-ucs-1.lab.example", [
        "fq-db-1 Hard disk 1", "FULL  <- the longest wait", "32 of 32 in flight", "own depth of 32 applies", "array port",
        "is_full is true; with false",
    ], {"prepare.fio", "load.fio", "run-prepare.sh", "run-load.sh", "neighbour.sh"}, id="S2"),
    pytest.param("ontap/background-share", "aggr_10k", [
        "the host waits for it (DAVG): 1,", "background_share is", "with 0.5 the rule passes",
    ], {"measure.sh"}, id="S3"),
    pytest.param("vaai/eternus-dx-s1-firmware", "host-11/DataMover.HardwareAcceleratedInit", [
        "the host waits for it (DAVG): 8", "value is 1; with 0 the rule passes",
    ], {"commands.txt", "neighbour.sh"}, id="S4"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "name", "words", "files"), INCIDENTS)
def test_an_incident_is_explained_and_reproduced(
    kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str], rule: str, name: str, words: list[str], files: set[str]
) -> None:
    finding = kept.finding(rule, name)
    assert run(["explain", finding["id"][:8], "--state-dir", str(kept.state), "--svg", str(tmp_path / "path.svg")]) == 0
    text = capsys.readouterr().out
    shown = " ".join(text.split())
    for part in [finding["title"], *words]:
        assert " ".join(part.split()) in shown, part
    headings = [text.index(f"\n{heading}\n") for heading in ("THE I/O PATH", "THE LESSON", "THE EVIDENCE", "THE FIX", "SOURCES")]
    assert headings == sorted(headings)
    assert f"auditor reproduce {finding['id']} --out DIR" in shown
    assert (tmp_path / "path.svg").read_text(encoding="utf-8").rstrip().endswith("</svg>")
    assert run(["reproduce", rule, finding["resource"]["id"], "--out", str(tmp_path / "out"), "--state-dir", str(kept.state)]) == 0
    assert {one.name for one in (tmp_path / "out").iterdir()} == files | {"README.md"}
    assert finding["id"] in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")


def test_what_no_load_shows_is_said_and_writes_nothing(kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finding = next(one for one in kept.report["findings"] if one["rule"] == "vaai/locking-guard" and one["verdict"] == "fail")
    assert run(["reproduce", finding["id"], "--out", str(tmp_path / "out"), "--state-dir", str(kept.state)]) == 0
    assert "no load shows it" in capsys.readouterr().out
    assert run(["explain", finding["id"], "--state-dir", str(kept.state)]) == 0
    assert "No load shows it: hosts that lock in different ways" in " ".join(capsys.readouterr().out.split())
    assert not (tmp_path / "out").exists()


def test_a_device_and_a_machine_have_their_path(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    device = kept.finding("diag/noisy-neighbour-signature", "esx-vvol-1.lab.example")["resource"]["name"]
    assert run(["explain", f"esx-vvol-1/{device.upper()}", "--state-dir", str(kept.state)]) == 0
    of_device = capsys.readouterr().out
    assert run(["explain", "bronze-noisy", "--state-dir", str(kept.state)]) == 0
    assert capsys.readouterr().out == of_device
    assert run(["explain", "nobody", "--state-dir", str(kept.state)]) == 3
    assert 'knows nothing that is called "nobody"' in capsys.readouterr().err


def test_the_page_draws_the_worst_paths_and_never_more_than_twenty(kept: Kept) -> None:
    drawings = re.findall(r'<svg [^>]*class="path-drawing"', kept.page)
    assert 5 <= len(drawings) <= 20
    assert "bronze-noisy Hard disk 1" in kept.page
    names = re.findall(r'aria-labelledby="([^" ]+) ', kept.page)
    assert len(names) == len(set(names))
    assert not re.findall(r"<svg[^>]* style=|<style>.*</style>.*<style>", kept.page)  # its policy allows one style, by its digest


def test_a_folder_that_holds_something_is_left_alone(kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes").write_text("mine")
    finding = kept.finding("sioc/overlap-array-qos", "sc-prod-01")
    assert run(["reproduce", finding["id"], "--out", str(tmp_path), "--state-dir", str(kept.state)]) == 3
    assert "is not empty" in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == ["notes"]
