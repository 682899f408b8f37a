"""`auditor rules list`: one rule a line for programs, and no wider than the terminal for people."""

import io
from dataclasses import replace

import pytest

from auditor.engine.rules.rule import RuleSet
from auditor.model.plugins import plugin_kinds
from auditor.pipeline.policy import load_rule_set
from auditor.report.terminal.rule_list import write_rule_list


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return load_rule_set()


def test_a_program_gets_one_rule_a_line(rules: RuleSet) -> None:
    out = io.StringIO()
    write_rule_list(rules, out)
    lines = out.getvalue().splitlines()
    assert [line.split()[:2] for line in lines] == [[rule.id, str(rule.severity)] for rule in rules]
    assert all(line.endswith(rule.title) for line, rule in zip(lines, rules, strict=True))


def test_a_person_gets_whole_titles_within_eighty_columns(rules: RuleSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = Terminal()
    write_rule_list(rules, out)
    text = out.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    flat = " ".join(text.split())
    assert all(f"{rule.id} {rule.severity} {rule.title}" in flat for rule in rules)
    assert f"{len(rules)} rules." in flat


def test_the_kinds_of_arrays_are_named_with_where_it_says_what_each_was_held_against(rules: RuleSet) -> None:
    out = Terminal()
    write_rule_list(rules, out)
    said = " ".join(out.getvalue().split()).partition("Arrays that are read themselves: ")[2]
    kinds, _, where = said.partition(". ")
    own = ["dell-sc", "dothill", "element", "eseries", "eternus", "flasharray", "nimble", "ontap", "powerstore"]
    assert sorted(set(kinds.split(", ")) - set(plugin_kinds())) == own
    assert "docs/domain/arrays.md" in where


def test_rules_on_request_are_marked_and_their_packs_named(rules: RuleSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    out = Terminal()
    both = rules.only(["diag/kavg", "vaai/enabled"])
    asked = replace(both["diag/kavg"], tags=("diag", "on-request"))
    write_rule_list(replace(both, rules={asked.id: asked, "vaai/enabled": both["vaai/enabled"]}), out)
    kavg, enabled, _, footer, *_ = out.getvalue().splitlines()
    assert " medium* " in kavg
    assert "*" not in enabled
    assert footer.endswith("1 marked * are judged on request: --tag diag, or --tag all.")
