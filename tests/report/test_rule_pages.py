"""docs/rules says what the rules say."""

from pathlib import Path

import pytest

from auditor.engine.rule import RuleSet
from auditor.policy import load_rule_set
from auditor.report.rule_pages import page, rule_pages, stale_pages, write_pages


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return load_rule_set()


def test_a_page_has_what_why_how_risk_when_to_waive_and_sources(rules: RuleSet) -> None:
    text = page(rules["vvol/pe-dsnro-headroom"])
    for part in (
        "# One throttled disk cannot fill a protocol endpoint's queue",
        "## What it does",
        "CASE WHEN least(dsnro, queue_depth) < $headroom * coalesce(nullif($disk_depth, 0),",
        "| `$headroom` | `4` | times the deepest virtual disk queue |",
        "## Why it matters",
        "stands in its `impact`: [the queue model](../../queue-model.md#report).",
        "## How to fix",
        "Class: online-caution.",
        "## Risk",
        "running machines feel it",
        "## When to waive",
        r"sets $headroom, $ceiling, $disk\_depth under params:",
        "## Sources",
        "](https://github.com/solidfire/PowerShell)",
    ):
        assert part in text, part


def test_only_pages_of_rules_that_the_queue_model_has_an_answer_for_lead_to_it(rules: RuleSet) -> None:
    assert "queue-model.md" not in page(rules["vaai/enabled"])
    assert "queue-model.md" not in page(rules["iscsi/mtu"])


def test_every_rule_has_a_page_and_a_line_in_the_index(rules: RuleSet) -> None:
    pages = rule_pages(rules)
    assert set(pages) == {"index.md", *(f"{rule.id}.md" for rule in rules)}
    assert all(f"[{rule.id}]({rule.id}.md)" in pages["index.md"] for rule in rules)


def test_pages_are_stale_when_missing_changed_or_left_over(rules: RuleSet, tmp_path: Path) -> None:
    pages = rule_pages(rules.only(["vaai/enabled", "vaai/uniform"]))
    assert write_pages(pages, tmp_path) == ["index.md", "vaai/enabled.md", "vaai/uniform.md"]
    assert stale_pages(pages, tmp_path) == []
    (tmp_path / "vaai/enabled.md").write_text("older", encoding="utf-8")
    (tmp_path / "vaai/uniform.md").unlink()
    (tmp_path / "vaai/gone.md").write_text("a rule there was", encoding="utf-8")
    assert stale_pages(pages, tmp_path) == ["vaai/enabled.md", "vaai/gone.md", "vaai/uniform.md"]
    write_pages(pages, tmp_path)
    assert stale_pages(pages, tmp_path) == []
    assert not (tmp_path / "vaai/gone.md").exists()


def test_a_page_of_the_repository_is_linked_from_where_the_rule_s_page_is(rules: RuleSet) -> None:
    text = page(rules["vvol/pe-dsnro-headroom"])
    assert "DSNRO 256 on every protocol endpoint ended it](../../domain/incidents.md#s0)" in text, "a source's url"
    assert "([docs/domain/facts.md#1-5](../../domain/facts.md#1-5))" in text, "in prose"
    harvest = page(rules["ontap/disk-busy"])
    assert "](https://github.com/NetApp/harvest/blob/main/docs/ontap-metrics.md)" in harvest, "somebody else's docs/ is left alone"
