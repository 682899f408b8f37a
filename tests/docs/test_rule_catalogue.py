"""docs/rule-catalogue.md: every row is accounted for, and names rules that exist."""

import re
from functools import cache
from pathlib import Path

import pytest

from auditor.engine.rule import RuleSet
from auditor.policy import load_rule_set

PAGE = Path(__file__).parents[2] / "docs/rule-catalogue.md"
ROWS = {
    "A": 14,
    "V": 9,
    "Q": 12,
    "S-": 12,
    "VA": 13,
    "I": 7,
    "M": 5,
    "O": 10,
    "W": 5,
    "E": 5,
}
"""Of each letter, how many rows the catalogue has."""


@cache
def shipped() -> RuleSet:
    return load_rule_set()


@cache
def rows() -> dict[str, tuple[str, str]]:
    """Row -> (the rules that judge it, what is not read)."""
    found: dict[str, tuple[str, str]] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [re.sub(r"<a id=.*?</a>", "", cell).strip() for cell in line.strip("|").split("|")]
        if re.fullmatch(r"(A|V|Q|S-|VA|I|M|O|W|E)\d+", cells[0]):
            assert cells[0] not in found, f"{cells[0]} has two lines"
            found[cells[0]] = cells[2], cells[3]
    return found


def named(text: str) -> set[str]:
    return set(re.findall(r"`([a-z0-9-]+/[a-z0-9-]+)`", text))


def test_every_row_of_the_catalogue_has_its_line() -> None:
    assert set(rows()) == {f"{letter}{number}" for letter, count in ROWS.items() for number in range(1, count + 1)}


@pytest.mark.parametrize("row", rows())
def test_a_row_names_rules_that_exist_or_says_what_is_missing(row: str) -> None:
    rules, missing = rows()[row]
    assert named(rules) <= set(shipped().rules), f"docs/rule-catalogue.md, row {row}: no such rule"
    assert named(rules) or (rules == "none" and missing), "nobody would know why it is not judged"


def test_rules_beside_the_catalogue_exist_and_are_in_no_row() -> None:
    beside = named(PAGE.read_text(encoding="utf-8").partition("Judged besides")[2].partition("\n#")[0])
    assert beside, "docs/rule-catalogue.md: the sentence that begins with 'Judged besides' is gone"
    assert beside <= set(shipped().rules), "docs/rule-catalogue.md, 'Judged besides': no such rule"
    assert not beside & {rule for rules, _ in rows().values() for rule in named(rules)}, "docs/rule-catalogue.md: in a row, too"
