"""Commands that audit a whole lab, each in the way a user runs it."""

import subprocess
import sys
from pathlib import Path

import pytest

from auditor.cli import run
from tests.waiting import PATIENCE_SECONDS, completed


def test_earlier_runs_are_listed_and_shown_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = ["--state-dir", str(tmp_path)]
    assert run(["runs", "list", *state]) == 0
    assert "no run is kept yet" in capsys.readouterr().err
    assert run(["demo", "--scenario", "eternus-vaai", "--tag", "vaai", "--details", *state]) in (1, 2)
    first = capsys.readouterr().out
    text = " ".join(first.split())
    assert "vaai/mixed-host-scope 2 failures until " in text
    assert "the waiver of vaai/stale-workaround (virtualisation team, CHG-2104) expired at " in text
    assert "4 verdicts that it covered count again" in text
    assert run(["runs", "list", *state]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert run(["runs", "show", *state]) == 0
    again = capsys.readouterr().out
    assert again.partition("Fixes: ")[0] == first.partition("Fixes: ")[0], "but for the commands that go on with it"
    assert run(["runs", "show", "--no-details", *state]) == 0
    assert len(capsys.readouterr().out.splitlines()) < len(again.splitlines()) / 2


@pytest.mark.deep
def test_a_collected_snapshot_is_judged_like_the_fleet_it_came_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import json

    from auditor_lab.scenario import load_scenario
    from auditor_lab.serving import serve

    by = ["--tag", "vaai", "--state-dir", str(tmp_path / "state")]
    fleet, saved = tmp_path / "fleet.yaml", tmp_path / "saved"
    with serve(load_scenario("eternus-vaai")) as lab:
        lab.write_fleet(fleet)
        live = run(["audit", "--fleet", str(fleet), "--reporter", f"json-full:{tmp_path}/live.json", *by])
        assert run(["collect", "--fleet", str(fleet), "--out", str(saved), "--strict"]) == 2  # what an ETERNUS tells no single account
        assert run(["collect", "--fleet", str(fleet), "--out", str(saved)]) == 3
    assert run(["audit", "--from", str(saved), "--reporter", f"json-full:{tmp_path}/saved.json", *by]) == live
    reports = [json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8")) for name in ("live", "saved")]
    # The fleet was read twice, at two times.
    live_findings, saved_findings = ([{**finding, "read": None} for finding in report["findings"]] for report in reports)
    assert live_findings == saved_findings
    assert reports[0]["summary"]["fail"] > 0


def test_a_transport_is_chosen_by_its_option_and_by_the_older_word_for_it(tmp_path: Path) -> None:
    import json

    from auditor_lab.scenario import load_scenario
    from auditor_lab.serving import serve

    fleet, report = tmp_path / "fleet.yaml", tmp_path / "report.json"
    command = [
        "audit",
        "--fleet",
        str(fleet),
        "--state-dir",
        str(tmp_path / "state"),
        "--reporter",
        f"json-full:{report}",
        "--only",
        "vaai/enabled",
    ]
    with serve(load_scenario("eternus-vaai")) as lab:
        lab.write_fleet(fleet)
        for option, transport in (("--transport", "pyvmomi"), ("--lane", "soap")):
            assert run([*command, option, transport]) in (0, 1, 2)
            endpoints = json.loads(report.read_text(encoding="utf-8"))["run"]["endpoints"]
            assert {one["lane"] for one in endpoints if one["kind"] == "vcenter"} == {transport}


def test_the_compliance_job_runs_once_publishes_and_ends_with_the_audits_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from auditor_lab.scenario import load_scenario
    from auditor_lab.serving import serve

    fleet, published = tmp_path / "fleet.yaml", tmp_path / "www"
    command = ["schedule", "--once", "--fleet", str(fleet), "--publish", str(published), "--state-dir", str(tmp_path / "state")]
    command += ["--only", "vaai/eternus-dx-s1-firmware"]
    with serve(load_scenario("eternus-vaai")) as lab:
        lab.write_fleet(fleet)
        assert run(command) == 2  # an undeclared ETERNUS is unknown
        assert run([*command, "--min-coverage", "0.5"]) == 1
    pages = {path.name for path in published.iterdir() if path.suffix == ".html"}
    assert {"index.html", "latest.html"} < pages
    runs = sorted(name for name in pages if name[0].isdigit())
    assert [name.partition(".")[2] for name in runs] == ["html", "changes.html", "html"]
    assert "Nothing changed since the run before" in (published / runs[1]).read_text(encoding="utf-8")
    assert "vaai/eternus-dx-s1-firmware" in (published / "latest.html").read_text(encoding="utf-8")
    capsys.readouterr()
    assert run(["runs", "list", "--state-dir", str(tmp_path / "state")]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.deep
def test_the_lab_serves_until_it_is_told_to_stop_and_its_fleet_file_audits_it(tmp_path: Path) -> None:
    import signal

    up = [sys.executable, "-m", "auditor", "lab", "up", "--scenario", "eternus-vaai", "--write-fleet", "lab.yaml"]
    with subprocess.Popen(up, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        assert lab.stderr is not None
        try:
            while "until interrupted" not in (line := lab.stderr.readline()):
                assert line, "the lab ended before it served"
            audit = [sys.executable, "-m", "auditor", "audit", "--fleet", "lab.yaml", "--state-dir", "state"]
            audit += ["--only", "vaai/eternus-dx-s1-firmware"]
            done = completed(audit, cwd=tmp_path, check=False)
            assert done.returncode == 2
            assert "vaai/eternus-dx-s1-firmware" in done.stdout
        finally:
            lab.send_signal(signal.SIGTERM)
            assert lab.wait(PATIENCE_SECONDS) == 0
    assert (tmp_path / "lab-password").stat().st_mode & 0o077 == 0
