"""`auditor rules show` says everything a rule says but its examples."""

import io

import pytest

from auditor.auditing import load_rule_set
from auditor.engine.rule import RuleSet
from auditor.reporting.rule_text import write_rule


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return load_rule_set()


def test_a_rule_is_told_with_lesson_condition_parameters_fix_and_sources(rules: RuleSet) -> None:
    out = io.StringIO()
    write_rule(rules["vvol/pe-dsnro-headroom"], out)
    text = " ".join(out.getvalue().split())
    for part in (
        "vvol/pe-dsnro-headroom (high)",
        "One throttled disk cannot fill a protocol endpoint's queue",
        "Judged over each protocol endpoint",
        "least(dsnro, queue_depth) >= $headroom * deepest_disk_queue",
        "$headroom 4 times the deepest virtual disk queue.",
        "Fix (online-caution): device.dsnro sets dsnro of host_id, device to least($ceiling, queue_depth)",
        "Risk: In effect at once",
        "When to waive: A fleet, endpoint or cluster that has decided on another value sets $headroom, $ceiling",
        "unknown DSNRO not readable",
        "By hand:",
        "https://github.com/solidfire/PowerShell",
    ):
        assert part in text, part


def test_no_line_is_wider_than_a_terminal_but_a_link(rules: RuleSet) -> None:
    for rule in rules:
        out = io.StringIO()
        write_rule(rule, out)
        wide = [line for line in out.getvalue().splitlines() if len(line) > 80 and "://" not in line]
        assert wide == [], rule.id
