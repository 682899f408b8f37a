"""What a fleet says of severities counts in findings, sorting, exit code and notices; params that contradict each other are reported."""

import re
from pathlib import Path

from tests.audits import Place

RULE = "vvol/pe-default-option"  # medium, by its author; four hosts of the scenario fail it
OTHER = "vvol/pe-dsnro-headroom"  # high


def say(place: Place, text: str) -> Path:
    path = place.fleet
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
    return path


def test_a_fleet_s_severity_is_that_of_the_findings_and_decides_the_exit_code(vvols: Place) -> None:
    by_author = vvols.audit("--only", RULE, "--fail-on", "medium")
    assert (by_author.code, by_author.report["summary"]["by_severity"]) == (1, {"medium": 4})
    say(vvols, f"severity:\n  {RULE}: low\n")
    audited = vvols.audit("--only", RULE, "--fail-on", "medium")
    assert (audited.code, audited.report["summary"]["by_severity"]) == (0, {"low": 4})
    assert {f["severity"] for f in audited.of(RULE, "fail")} == {"low"}
    assert [(rule["id"], rule["severity"]) for rule in audited.report["rules"]] == [(RULE, "low")]
    assert f"fleet.yaml sets severities of its own: {RULE} low instead of medium." in audited.report["notices"]


def test_what_a_fleet_calls_critical_comes_first(vvols: Place) -> None:
    say(vvols, f"severity:\n  {RULE}: critical\n")
    audit = vvols.audit("--only", RULE, "--only", OTHER)
    failing = [f["rule"] for f in audit.report["findings"] if f["verdict"] == "fail"]
    assert failing == [RULE] * 4 + [OTHER] * 13


def test_a_mistake_is_told_before_anything_is_read(vvols: Place) -> None:
    say(vvols, "severity:\n  vvol/pe-default-options: low\n")
    audit = vvols.audit("--only", OTHER)
    assert (audit.code, audit.report) == (3, {})
    assert 'no rule is called "vvol/pe-default-options"; did you mean "vvol/pe-default-option"?' in audit.err


def test_params_that_make_two_rules_disagree_are_told_before_the_fleet_is_read_and_in_the_report(vvols: Place) -> None:
    say(vvols, "params:\n  vvol/pe-uniform: {ceiling: 128}\n")
    audit = vvols.audit("--only", OTHER, "--only", "vvol/pe-uniform")
    # Which of the values above 128 the example has is no matter.
    text = r"params make two rules disagree everywhere\. vvol/pe-dsnro-headroom wants dsnro to be (\d+), and vvol/pe-uniform wants 128\."
    told = re.search(rf"fleet\.yaml:{len(vvols.fleet.read_text().splitlines())}: {text}", audit.err)
    assert told is not None
    assert int(told[1]) > 128
    assert told.start() < audit.err.index(" read")
    assert any(re.search(text, notice) for notice in audit.report["notices"])
    assert audit.code == 1, "what they disagree about is judged all the same"
