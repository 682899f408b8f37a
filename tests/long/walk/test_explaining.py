"""Each of the five incidents is diagnosed from measurements and from settings, with what it costs, explained, and can be reproduced.

One audit of all incidents by every rule, kept as a run; the figures are those of the reports (docs/domain/incidents.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from auditor.cli import run
from auditor.impact import saved_rows
from auditor.impact.functions import VIEW as FUNCTION_VIEW
from auditor.impact.path import VIEWS as PATH_VIEWS
from auditor.impact.saved_rows import Ask
from auditor.inspect import explaining
from auditor.reproduction.neighbours import VIEWS as NEIGHBOUR_VIEWS
from auditor_lab.scenario import load_incidents, merged_names
from auditor_lab.serving import serve
from tests.scenarios.expectations import expected, short


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


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    folder = tmp_path_factory.mktemp("incidents")
    with serve(load_incidents()) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        reporters = [f"--reporter={name}:{folder / name}" for name in ("json", "html")]
        run(["audit", "--fleet", str(folder / "fleet.yaml"), "--state-dir", str(folder / "state"), *reporters])
    page = (folder / "html").read_text(encoding="utf-8")
    return Kept(folder / "state", json.loads((folder / "json").read_text(encoding="utf-8")), page)


@pytest.fixture(scope="module")
def shared(kept: Kept) -> Iterator[Ask]:
    """One way to ask the run for all tests: making the views takes longer than everything else of a command."""
    [folder] = (kept.state / "runs").iterdir()
    with saved_rows.opened_views(folder / "snapshot", {*PATH_VIEWS, *NEIGHBOUR_VIEWS, FUNCTION_VIEW}) as ask:
        yield ask


@pytest.fixture(autouse=True)
def asked_once(shared: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (saved_rows, explaining):
        monkeypatch.setattr(module, "opened_views", lambda _snapshot, _views: nullcontext(shared))


INCIDENTS = [
    pytest.param("diag/noisy-neighbour-signature", "esx-vvol-1.lab.example", [
        "bronze-noisy Hard disk 1", "AT ITS LIMIT", "device queue", "FULL  <- the longest wait", "DSNRO of 32 applies", "Bronze: 1000 IOPS",
    ], {"load.fio", "run-load.sh", "neighbour.sh"}, id="S0"),
    pytest.param("sioc/overlap-array-qos", "sc-prod-01", [
        "Storage I/O Control manages the depth", "throttling for 100 % of the time", "Prod: 50.0 MiB/s",
    ], {"load.fio", "run-load.sh", "neighbour.sh"}, id="S1"),
    pytest.param("diag/queue-full", "esx-fq-ucs-1.lab.example", [
        "fq-db-1 Hard disk 1", "FULL", "32 of 32 in flight", "own depth of 32 applies", "array port",
        "is_full is true; with false",
    ], {"prepare.fio", "load.fio", "run-prepare.sh", "run-load.sh", "neighbour.sh"}, id="S2"),
    pytest.param("ontap/background-share", "aggr_10k", [
        "the host waits for it (DAVG): 1,", "background_share is", "with 0.5 the rule passes",
    ], {"measure.sh"}, id="S3"),
    pytest.param("vaai/eternus-dx-s1-firmware", "host-11/DataMover.HardwareAcceleratedInit", [
        "the host waits for it (DAVG): 8", "value is 1; with 0 the rule passes",
    ], {"commands.txt", "neighbour.sh"}, id="S4"),
]  # fmt: skip


DIAGNOSED = [
    pytest.param(
        ("diag/noisy-neighbour-signature", "esx-vvol-1.lab.example"), ("vvol/pe-dsnro-headroom", "esx-vvol-1.lab.example"), id="S0"
    ),
    pytest.param(("sioc/active-time", "sc-prod-01"), ("sioc/overlap-array-qos", "sc-prod-01"), id="S1"),
    pytest.param(("diag/queue-full", "esx-fq-ucs-1.lab.example"), ("queue/device-depth-uniform", "esx-fq-ucs-3.lab.example"), id="S2"),
    pytest.param(("ontap/disk-busy", "aggr_10k"), ("ontap/snapmirror-frequency", "svm-vmware:src_1 to svm-dr:dr_1"), id="S3"),
    pytest.param(("diag/davg", "esx-dx-1.lab.example"), ("vaai/eternus-dx-s1-firmware", "esx-dx-1.lab.example"), id="S4"),
]


@pytest.mark.parametrize(("measured", "by_settings"), DIAGNOSED)
def test_an_incident_is_diagnosed_from_measurements_as_well_as_from_settings(
    kept: Kept, measured: tuple[str, str], by_settings: tuple[str, str]
) -> None:
    assert kept.finding(*measured)["verdict"] == kept.finding(*by_settings)["verdict"] == "fail"


SHARE = 3400 / 6800  # of S3's transfers those of its copies
ABOUT_65_000 = (65_000 * 0.96, 65_000 * 1.04)  # each sample of the lab's counters is up to 4 % off, as rates of a real machine vary
COSTS = [
    pytest.param("diag/noisy-neighbour-signature", "esx-vvol-1.lab.example", "now", (300, 400), id="S0 before"),
    pytest.param("diag/noisy-neighbour-signature", "esx-vvol-1.lab.example", "after", (1, 1), id="S0 after"),
    pytest.param("sioc/active-time", "sc-prod-01", "now", (50, 100), id="S1 before"),
    pytest.param("diag/queue-full", "esx-fq-ucs-1.lab.example", "now", ABOUT_65_000, id="S2 before"),
    pytest.param("diag/queue-full", "esx-fq-ucs-2.lab.example", "now", ABOUT_65_000, id="S2 before, the other host"),
    pytest.param("diag/queue-full", "esx-fq-ucs-1.lab.example", "after", (125_000, 125_000), id="S2 after"),
    pytest.param("diag/queue-full", "esx-fq-ucs-2.lab.example", "after", (125_000, 125_000), id="S2 after, the other host"),
]


@pytest.mark.parametrize(("rule", "name", "when", "report"), COSTS)
def test_what_it_costs_holds_the_reports_figure_with_both_ends_within_a_factor_of_two(
    kept: Kept, rule: str, name: str, when: str, report: tuple[float, float]
) -> None:
    low, high = kept.finding(rule, name)["impact"][when]
    assert low <= report[1]
    assert high >= report[0]
    assert low >= report[0] / 2
    assert high <= report[1] * 2


def test_s1_without_storage_io_control_the_wait_in_the_host_goes(kept: Kept) -> None:
    impact = kept.finding("sioc/active-time", "sc-prod-01")["impact"]
    assert impact["after"][0] < impact["now"][0] / 10
    assert impact["after"][1] <= impact["now"][1]


def test_s2_a_command_takes_1_4_ms_and_at_most_that_with_both_depths(kept: Kept) -> None:
    """The second host's machine has 91 commands under way: 91 / 65,000 is the report's 1.4 ms."""
    took = kept.finding("diag/queue-full", "esx-fq-ucs-2.lab.example")["impact"]["latency_ms"]
    assert took["now"][0] <= 1.4 <= took["now"][1]
    assert 0.7 / 2 <= took["after"][0] <= 0.7
    assert took["after"][1] <= took["now"][1]


@pytest.mark.parametrize("place", [("ontap/disk-busy", "aggr_10k"), ("ontap/snapmirror-frequency", "svm-vmware:src_1 to svm-dr:dr_1")])
def test_s3_half_of_what_the_disks_do_is_within_what_rarer_copies_give(kept: Kept, place: tuple[str, str]) -> None:
    # 80 % busy to 40 % is half, and copies are half of the transfers. What a clock that is late does to `now` is in it as well.
    impact = kept.finding(*place)["impact"]
    low, high = (end * (1 - SHARE) for end in impact["now"])
    assert impact["after"][0] <= low
    assert impact["after"][0] >= low / 2
    assert high <= impact["after"][1] <= high * 2 * 1.0001  # four digits


def test_s4_the_array_takes_over_800_ms_and_no_other_finding_of_load_claims_to_know_what_offload_costs(kept: Kept) -> None:
    assert kept.finding("diag/davg", "esx-dx-1.lab.example")["evidence"]["davg_ms"] > 800
    assert list(kept.finding("vaai/eternus-dx-s1-firmware", "esx-dx-1.lab.example")["impact"]) == ["not_computed"]


def test_nothing_is_found_by_load_on_a_healthy_twin(kept: Kept) -> None:
    incidents = [name for name in merged_names() if name != "odd-neighbours"]
    healthy = {part for name in incidents for part in expected(name).healthy}
    assert len(healthy) >= len(incidents) == 9
    by_load = [one for one in kept.report["findings"] if one["rule"].startswith("diag/") or "now" in (one["impact"] or {})]
    assert {one["verdict"] for one in by_load} == {"fail"}
    places = {
        part for one in by_load for part in (one["resource"]["cluster"], one["resource"]["endpoint"], short(one["resource"]["host"] or ""))
    }
    assert len(by_load) > len(INCIDENTS)
    assert places & healthy == set()
    assert [one["resource"]["name"] for one in by_load if "twin" in (one["resource"]["name"] or "")] == []


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
    headings = [text.index(f"\n{heading}\n") for heading in ("THE FIX", "THE I/O PATH", "THE LESSON", "THE EVIDENCE", "SOURCES")]
    assert headings == sorted(headings)
    assert f"auditor reproduce {finding['id']} --out DIR" in shown
    assert (tmp_path / "path.svg").read_text(encoding="utf-8").rstrip().endswith("</svg>")
    assert run(["reproduce", finding["id"], "--out", str(tmp_path / "out"), "--state-dir", str(kept.state)]) == 0
    assert {one.name for one in (tmp_path / "out").iterdir()} == files | {"README.md"}
    assert finding["id"] in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")


def test_of_s3_half_of_all_transfers_may_be_snapmirror_and_few_are_of_clients(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", kept.finding("ontap/background-share", "aggr_10k")["id"], "--state-dir", str(kept.state)]) == 0
    section = capsys.readouterr().out.partition("WHAT ITS DISKS WORK FOR\n")[2].partition("\n\n")[0]
    shown = " ".join(section.split())
    for part in (
        r"clients #+-+ [\d,]+ \(1\d %\), measured",
        r"SnapMirror \++-+ 0 to [\d,]+ \(0 to [45]\d %\), estimate",  # of counters over seconds that a busy machine makes longer
        r"deduplication -+ 0 \(0 %\), bound",
    ):
        assert re.search(part, shown), part
    assert 'class="bars functions"' in kept.page


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
