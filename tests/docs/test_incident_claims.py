"""The page of the incidents' claims: every rule that it names is there, and its counts are those of its rows."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "incident-claims.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if re.match(r"\| S[0-4]\.", line)]


def test_every_claim_has_one_row_and_the_page_counts_them_right() -> None:
    numbers = [row[0] for row in ROWS]
    assert len(set(numbers)) == len(numbers)
    told = re.search(r"apart into (\d+) claims.*?(\d+) are delivered.*?; of (\d+) there is a part", PAGE, re.DOTALL)
    assert told is not None
    done = [row[2] for row in ROWS]
    assert [int(one) for one in told.groups()] == [len(ROWS), done.count("yes"), done.count("in part")]


def test_every_rule_that_is_named_is_a_rule_and_every_done_claim_names_something() -> None:
    named = re.findall(r"\]\(rules/([a-z-]+/[a-z0-9-]+)\.md\)", PAGE)
    assert len(named) > 100
    assert [rule for rule in named if not (ROOT / "rules" / f"{rule}.yaml").is_file()] == []
    assert [row[0] for row in ROWS if row[2] == "yes" and not re.search(r"`|\]\(", row[3])] == []


def test_every_test_file_that_is_named_is_there() -> None:
    assert [path for path in re.findall(r"tests/[\w/]+\.py", PAGE) if not (ROOT / path).is_file()] == []
