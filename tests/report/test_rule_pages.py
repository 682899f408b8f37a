"""docs/rules says what the rules say."""

from pathlib import Path

import pytest

from auditor.engine.rules.rule import RuleSet
from auditor.pipeline.policy import load_rule_set
from auditor.report.html.rule_pages import page, rule_pages, stale_pages, write_pages


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return load_rule_set()


def test_a_page_has_what_why_how_risk_when_to_waive_and_sources(rules: RuleSet) -> None:
    text = page(rules["vvol/pe-dsnro-headroom"])
    for part in (
        "# One throttled disk cannot fill a protocol endpoint's queue",
        "## What it does",
        "CASE WHEN least(dsnro, queue_depth) < needed_at_least THEN false",
        "| `$headroom` | `4` | times the deepest virtual disk queue |",
        "## Why it matters",
        "stands in its `impact`: [the queue model](../../queue-model.md#report).",
        "## How to fix",
        "Class: online-caution.",
        "## Risk",
        "running machines feel it",
        "## When to waive",
        r"sets $headroom, $ceiling, $disk\_depth under params:",
        "## Documents",
        "- VMware Knowledge Base, KB 2053145: queue depths of PVSCSI and of HBA drivers for large workloads (read in quotation only)",
        "- [NetApp ONTAP and VMware vSphere: Quality of service (QoS): Non-vVols NFS datastores](https://docs.netapp.com/",
        "## Sources",
        "](https://github.com/solidfire/PowerShell)",
    ):
        assert part in text, part


def test_only_pages_of_rules_that_the_queue_model_has_an_answer_for_lead_to_it(rules: RuleSet) -> None:
    assert "queue-model.md" not in page(rules["vaai/enabled"])
    assert "queue-model.md" not in page(rules["iscsi/mtu"])


def test_every_rule_has_a_page_and_a_line_in_the_index(rules: RuleSet) -> None:
    pages = rule_pages(rules)
    assert set(pages) == {"index.md", "documents.md", *(f"{rule.id}.md" for rule in rules)}
    assert all(f"[{rule.id}]({rule.id}.md)" in pages["index.md"] for rule in rules)


def test_pages_are_stale_when_missing_changed_or_left_over(rules: RuleSet, tmp_path: Path) -> None:
    pages = rule_pages(rules.only(["vaai/enabled", "vaai/uniform"]))
    assert write_pages(pages, tmp_path) == ["documents.md", "index.md", "vaai/enabled.md", "vaai/uniform.md"]
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


def test_each_document_has_one_line_with_all_rules_that_answer_to_it_and_rules_without_are_named(rules: RuleSet) -> None:
    text = rule_pages(rules.only(["vaai/lockmode", "vaai/uniform", "vaai/locking-guard", "vm/disk-spread"]))["documents.md"]
    (line,) = (line for line in text.splitlines() if "KB 319797" in line)
    assert line.endswith("| [vaai/locking-guard](vaai/locking-guard.md), [vaai/uniform](vaai/uniform.md) |")
    assert text.partition("## Rules without a document")[2].split() == ["[vm/disk-spread](vm/disk-spread.md)"]
    assert text.count("No rule answers to one.") == 2
