"""`auditor rules show` says everything a rule says but its examples."""

import io
from pathlib import Path

import pytest

from auditor.cli import run
from auditor.engine.rules.rule import RuleSet
from auditor.pipeline.policy import load_rule_set
from auditor.report.terminal.rule_text import write_rule


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return load_rule_set()


def test_a_rule_is_shown_with_lesson_condition_parameters_fix_and_sources(rules: RuleSet) -> None:
    out = io.StringIO()
    write_rule(rules["vvol/pe-dsnro-headroom"], out)
    text = " ".join(out.getvalue().split())
    for part in (
        "vvol/pe-dsnro-headroom (high)",
        "One throttled disk cannot fill a protocol endpoint's queue",
        "Judged over each protocol endpoint",
        "CASE WHEN least(dsnro, queue_depth) < needed_at_least THEN false",
        "let needed_at_least = $headroom * coalesce(nullif($disk_depth, 0), deepest_disk_queue_at_least) needed_at_most =",
        "$headroom 4 times the deepest virtual disk queue.",
        "Fix (online-caution): device.dsnro sets dsnro of host_id, device to CASE WHEN queue_depth < needed_at_most",
        "Risk: In effect at once",
        "When to waive: A fleet, endpoint or cluster that has decided on another value sets $headroom, $ceiling",
        "unknown DSNRO not readable",
        "By hand:",
        "https://github.com/solidfire/PowerShell",
    ):
        assert part in text, part


def test_a_column_that_may_be_missing_is_shown_with_the_reason(rules: RuleSet) -> None:
    out = io.StringIO()
    write_rule(rules["baseline/module-parameter"], out)
    text = " ".join(out.getvalue().split())
    assert "May be missing: value_number: NULL is a parameter that the option string does not have" in text


def test_no_line_is_wider_than_a_terminal_but_a_link_and_a_command_that_is_pasted(rules: RuleSet) -> None:
    for rule in rules:
        out = io.StringIO()
        write_rule(rule, out)
        lines = out.getvalue().splitlines()
        wide = [line for line in lines if len(line) > 80 and "://" not in line and not line.startswith("auditor audit ")]
        assert wide == [], rule.id
        commands = [line for line in lines if line.startswith("auditor audit ")]
        assert all(" --fix --dry-run --allow " in line for line in commands), "whole, as no shell joins two lines"


def test_what_a_fleet_makes_of_a_rule_stands_beside_what_its_author_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text(
        "endpoints:\n"
        "  - {name: vc, kind: vcenter, address: vc.example.net, username: u, password: {env: P}, clusters: {gold: {params: "
        "{vvol/pe-dsnro-headroom: {headroom: 2}}}}}\n"
        "params: {vvol/pe-dsnro-headroom: {headroom: 3}, vvol/pe-uniform: {ceiling: 99}, vaai/device-status: {families: [ontap, svc]}}\n"
        "severity: {vvol/*: low}\n",
        encoding="utf-8",
    )
    assert run(["rules", "show", "vvol/pe-dsnro-headroom", "--fleet", str(fleet)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "vvol/pe-dsnro-headroom (high)" in text
    assert "In this fleet: low (fleet.yaml)." in text
    assert "3 in this fleet (fleet.yaml:3)" in text
    assert "2 in cluster gold of vc (fleet.yaml:2)" in text
    assert text.count("in this fleet") == 1, "what another rule or another of its params is set to"
    assert run(["rules", "show", "vaai/device-status", "--fleet", str(fleet)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "ontap, svc in this fleet" in text
    assert "In this fleet:" not in text
