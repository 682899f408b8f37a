"""Days of the lab with known causes, read with --history: what the rules day/* find of each, and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.cli import run
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import serve

FOUND = {
    "sioc-vs-array-qos": {("day/move-held-back", "sc-prod-01"), ("day/restarts", "sc-prod-01"), ("day/collapse", "sc-prod-01")},
    "ontap-background": {("day/job-schedule", "ontap-nfs-01"), ("day/collapse", "ontap-nfs-01")},
    "odd-neighbours": {("day/clock-time", "odd-fabric-01")},
    "mixed-estate-twin": set[tuple[str, str]](),
}
UNKNOWN = {name: {("day/job-schedule", of)} for name, of in (("ontap-background", "ontap-nfs-01"), ("odd-neighbours", "odd-shared-1"))}
"""Jobs that fit too seldom, on arrays that list the newest run of a job alone."""


@pytest.mark.parametrize("scenario", FOUND)
def test_a_day_with_a_known_cause_is_told_and_a_healthy_one_ends_with_0(
    scenario: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, report = _audited(scenario, tmp_path)
    judged = [(f["verdict"], f["rule"], f["resource"]["name"]) for f in report["findings"] if f["rule"].startswith("day/")]
    assert {(rule, name) for verdict, rule, name in judged if verdict == "fail"} == FOUND[scenario]
    assert {(rule, name) for verdict, rule, name in judged if verdict == "unknown"} == UNKNOWN.get(scenario, set())
    if not FOUND[scenario]:
        assert (code, report["gaps"]) == (0, [])
    if scenario == "sioc-vs-array-qos":
        [failed] = [f["id"] for f in report["findings"] if f["rule"] == "day/move-held-back" and f["verdict"] == "fail"]
        capsys.readouterr()
        assert run(["explain", failed, "--state-dir", str(tmp_path / "state")]) == 0
        shown = capsys.readouterr().out
        for line in ("THE DAY", "host, ms", "SIOC active, %", "moves of disks", "restarts by"):
            assert line in shown
    if scenario == "ontap-background":  # the array's own history has the spikes of its datastore, and is calm between them
        capsys.readouterr()
        ends = "min(latency_max_ms) < 20 AS calm, max(latency_max_ms) > 1000 AS slow"
        asked = f"SELECT side, {ends} FROM episode_interval WHERE resource_name = 'ontap-nfs-01' GROUP BY side ORDER BY side"
        assert run(["query", asked, "--format", "json", "--state-dir", str(tmp_path / "state")]) == 0
        assert json.loads(capsys.readouterr().out) == [{"side": side, "calm": True, "slow": True} for side in ("array", "host")]
    if scenario == "odd-neighbours":  # a path of one host flaps: it is named, although nothing comes again
        capsys.readouterr()
        asked = "SELECT DISTINCT host FROM episode WHERE resource_name = 'odd-shared-1'"
        assert run(["query", asked, "--format", "json", "--state-dir", str(tmp_path / "state")]) == 0
        assert json.loads(capsys.readouterr().out) == [{"host": "esx-odd-9.lab.example"}]


def _audited(scenario: str, folder: Path) -> tuple[int, dict[str, Any]]:
    """The audit by the rules about the day, and by some that judge a healthy fleet, too: no episode, no verdict of the others."""
    with serve(load_scenario(scenario)) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        asked = ["audit", "--fleet", str(folder / "fleet.yaml"), "--state-dir", str(folder / "state"), "--history", "24h"]
        rules = ["--only", "day/*", "--only", "sioc/*"]
        code = run([*asked, *rules, "--reporter", f"json-full:{folder / 'report.json'}"])
    return code, json.loads((folder / "report.json").read_text(encoding="utf-8"))
