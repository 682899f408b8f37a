"""docs/rule-catalogue.md: every row names rules that exist, every rule has one row, and the row has its severity and class of fix."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from auditor.authoring.catalogue_brackets import with_brackets
from auditor.engine.rules.rule import ON_REQUEST, RuleSet
from auditor.model import FixClass, Severity
from auditor.pipeline.policy import load_rule_set

PAGE = Path(__file__).parents[2] / "docs/rule-catalogue.md"
LETTERS = ("A", "V", "Q", "S-", "VA", "I", "M", "O", "W", "E")
RULE = re.compile(r"`([a-z0-9-]+/[a-z0-9-]+)`")
WITH_BRACKETS = re.compile(RULE.pattern + r" \(([^()]*)\)")


@cache
def shipped() -> RuleSet:
    return load_rule_set()


@cache
def text() -> str:
    return PAGE.read_text(encoding="utf-8")


def lines(of: str) -> list[list[str]]:
    """The cells of each line of a table, without anchors."""
    return [[re.sub(r"<a id=.*?</a>", "", cell).strip() for cell in line.strip("|").split("|")] for line in of.splitlines() if "|" in line]


def section(anchor: str) -> str:
    """The text between this heading and the next."""
    found = re.search(rf'^## <a id="{anchor}"></a>.*?$(.*?)(?=^## |\Z)', text(), re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/rule-catalogue.md: the heading {anchor} is gone"
    return found[1]


@cache
def rows() -> dict[str, tuple[str, str]]:
    """Row -> (the rules that judge it, what is not read)."""
    found: dict[str, tuple[str, str]] = {}
    for cells in lines(section("rows")):
        if re.fullmatch(rf"({'|'.join(LETTERS)})\d+", cells[0]):
            assert cells[0] not in found, f"{cells[0]} has two lines"
            found[cells[0]] = cells[2], cells[3]
    return found


def listed() -> list[str]:
    """The cells in which rules are listed: one of each row, and one of each line of the rules without a row."""
    beside = [cells[0] for cells in lines(section("beside")) if RULE.search(cells[0])]
    return [rules for rules, _ in rows().values()] + beside


def expected(rule_id: str) -> str:
    """What stands in brackets behind a rule: severity; class of fix."""
    rule = shipped()[rule_id]
    fix = "by hand" if rule.fix is None else str(rule.fix.fix_class)
    if rule.fix is not None and rule.fix.retunes is not None:
        fix += ", retune"
    return f"{rule.severity}; {fix}"


def test_the_rows_of_each_letter_are_numbered_without_a_gap() -> None:
    numbers = {letter: [int(row.removeprefix(letter)) for row in rows() if row.rstrip("0123456789") == letter] for letter in LETTERS}
    assert {letter: sorted(found) for letter, found in numbers.items()} == {
        letter: list(range(1, len(found) + 1)) for letter, found in numbers.items()
    }
    assert all(numbers.values())


@pytest.mark.parametrize("row", rows())
def test_a_row_names_rules_or_says_what_is_missing(row: str) -> None:
    rules, missing = rows()[row]
    assert RULE.search(rules) or (rules == "none" and missing), "nobody would know why it is not judged"


def test_every_rule_of_the_page_exists() -> None:
    assert set(RULE.findall(text())) <= set(shipped().rules)


def test_every_rule_has_exactly_one_line() -> None:
    found = Counter(rule for cell in listed() for rule in RULE.findall(cell))
    assert found == Counter(list(shipped().rules))


def test_severity_and_class_of_fix_are_the_rule_s() -> None:
    found = {rule: brackets for cell in listed() for rule, brackets in WITH_BRACKETS.findall(cell)}
    assert found == {rule: expected(rule) for rule in shipped().rules}


def test_brackets_that_are_wrong_or_missing_are_written_and_nothing_else_is_touched() -> None:
    of_rows, wrong = section("rows"), "(critical; remount)"
    changed = text().replace(of_rows, of_rows.replace("(medium; by hand)", wrong).replace(" (high; online-caution)", ""))
    assert changed.count(wrong) > 3
    assert "`vvol/pe-uniform` |" in changed
    assert with_brackets(changed, shipped().rules) == text()
    assert with_brackets(changed, {}) == changed


def test_every_class_and_severity_is_explained() -> None:
    explained = {cells[0].strip("`"): cells[1] for cells in lines(section("classes")) if cells[0].startswith("`")}
    assert set(explained) == set(FixClass)
    used = {FixClass.RETUNE, *(rule.fix.fix_class for rule in shipped() if rule.fix)}
    assert {name for name, what in explained.items() if "no rule has such a fix" in what} == set(FixClass) - used
    assert set(re.findall(r"\*(\w+)\*", section("severity"))) == set(Severity)


def test_every_shipped_rule_is_judged_by_default() -> None:
    assert [rule.id for rule in shipped() if ON_REQUEST in rule.tags] == []
